/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/maps.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "intake/intake.h"
#include "read/csv_map.h"
#include "version.h"

void maps_deinit(struct maps *m)
{
	vec_deinit(m);
}

static enum err_code add_file(struct arena *a, const char *path, struct maps *m, struct err *err)
{
	struct str bytes;
	enum err_code code = intake_slurp(a, path, YAML_BYTES_MAX, &bytes, err);
	if (code)
		return code;
	struct csv_map *map = ARENA_NEW(a, struct csv_map);
	code = csv_map_parse(a, bytes, str_of(arena_dup(a, path, strlen(path))), map, err);
	if (!code)
		*vec_push(m) = map;
	return code;
}

static int is_map_name(const struct dirent *e)
{
	struct str name = str_of(e->d_name);
	return e->d_name[0] != '.' && (str_ends(name, S(".yaml")) || str_ends(name, S(".yml")) ||
	                               str_ends(name, S(".json")));
}

/* With RET_BROKEN a file that cannot be used is counted there and is no error. */
static enum err_code add_path(struct arena *a, const char *path, struct maps *m,
                              uint32_t *ret_broken, struct err *err)
{
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		enum err_code code = add_file(a, path, m, err);
		if (!code || !ret_broken)
			return code;
		++*ret_broken;
		return ERR_OK;
	}
	struct dirent **entries;
	int n = scandir(path, &entries, is_map_name, alphasort);
	if (n < 0)
		return err_set(err, ERR_INPUT, "cannot open '%s': %s", path, strerror(errno));
	enum err_code code = ERR_OK;
	for (int i = 0; i < n; i++) {
		const char *file = arena_printf(a, "%s/%s", path, entries[i]->d_name);
		if (!code && add_file(a, file, m, err)) {
			if (ret_broken)
				++*ret_broken;
			else
				code = err->code;
		}
		mem_free(entries[i]);
	}
	mem_free(entries);
	return code;
}

enum err_code maps_add(struct arena *a, const char *path, struct maps *m, struct err *err)
{
	return add_path(a, path, m, NULL, err);
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Folder of the executable; empty if the system does not say. */
static const char *program_folder(struct arena *a)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);
	const char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
	return slash ? arena_dup(a, path, (size_t)(slash - path)) : NULL;
}

void maps_add_installed(struct arena *a, struct maps *m, uint32_t *ret_broken)
{
	struct err err;
	*ret_broken = 0;
	const char *named = getenv("TARE_MAPS");
	if (named) {
		struct str rest = str_of(named), path;
		while (str_cut(&rest, ':', &path))
			if (path.n && add_path(a, str_z(a, path), m, ret_broken, &err))
				++*ret_broken;
		return;
	}
	const char *beside = program_folder(a);
	const char *const places[] = {
		beside ? arena_printf(a, "%s/../share/tare/maps", beside) : TARE_MAPS_FOLDER,
		beside ? arena_printf(a, "%s/../../examples/maps", beside) : TARE_MAPS_FOLDER,
		TARE_MAPS_FOLDER,
	};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (is_folder(places[i])) {
			if (add_path(a, places[i], m, ret_broken, &err))
				++*ret_broken;
			return;
		}
}
