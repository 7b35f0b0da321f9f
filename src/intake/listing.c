/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/listing.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "intake/intake.h"

enum suffix { SUFFIX_TZ, SUFFIX_AT, SUFFIX_NODE, SUFFIX_COUNT };
static const char *const suffixes[SUFFIX_COUNT] = {
	[SUFFIX_TZ] = "@tz=",
	[SUFFIX_AT] = "@at=",
	[SUFFIX_NODE] = "@node=",
};

void listing_deinit(struct listing *l)
{
	vec_deinit(&l->files);
}

static enum err_code add_file(struct listing *l, const struct listed *file, const struct stat *st,
                              struct err *err)
{
	if (l->files.n >= INPUTS_MAX)
		return err_set(err, ERR_LIMIT, "more than %u files to read", INPUTS_MAX);
	*vec_push(&l->files) = *file;
	if (st && S_ISREG(st->st_mode))
		l->bytes += (uint64_t)st->st_size;
	else
		l->has_unsized = true;
	return ERR_OK;
}

static int compare_names(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return str_cmp_natural(str_of(*x), str_of(*y));
}

struct names_z {
	const char **v;
	size_t n, cap;
};

/* The entries of a folder that are not hidden, in name order, in A. */
static enum err_code read_folder(struct arena *a, const char *path, struct listing *l,
                                 struct names_z *ret, struct err *err)
{
	DIR *dir = opendir(path);
	if (!dir)
		return err_set(err, ERR_INPUT, "cannot open '%s': %s", path, strerror(errno));
	const struct dirent *e;
	while ((e = readdir(dir)) && ret->n <= INPUTS_MAX) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (e->d_name[0] == '.')
			l->hidden++;
		else
			*vec_push(ret) = arena_dup(a, e->d_name, strlen(e->d_name));
	}
	closedir(dir);
	vec_sort(ret, compare_names);
	return ERR_OK;
}

static const char *join_path(struct arena *a, const char *folder, const char *name)
{
	size_t n = strlen(folder);
	return arena_printf(a, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
}

/* One entry of a folder: a regular file, or something that cannot be looked at (it is listed, and
   opening it says why). Returns whether it is a folder. */
static enum err_code add_entry(struct listing *l, const struct listed *like, const char *path,
                               bool *ret_is_folder, struct err *err)
{
	struct stat st;
	struct listed file = *like;
	file.path = path;
	*ret_is_folder = false;
	if (stat(path, &st) < 0)
		return add_file(l, &file, NULL, err);
	*ret_is_folder = S_ISDIR(st.st_mode);
	return S_ISREG(st.st_mode) ? add_file(l, &file, &st, err) : ERR_OK;
}

static enum err_code add_subfolder(struct arena *a, struct listing *l, const struct listed *like,
                                   const char *path, struct err *err)
{
	struct names_z names = { 0 };
	struct err ignored;
	enum err_code code = ERR_OK;
	if (read_folder(a, path, l, &names, &ignored)) { /* listed: opening it says why not */
		struct listed file = *like;
		file.path = path;
		code = add_file(l, &file, NULL, err);
	}
	for (size_t i = 0; i < names.n && !code; i++) {
		bool is_folder;
		code = add_entry(l, like, join_path(a, path, names.v[i]), &is_folder, err);
		l->deeper += is_folder;
	}
	vec_deinit(&names);
	return code;
}

static enum err_code add_folder(struct arena *a, struct listing *l, const struct listed *like,
                                struct err *err)
{
	struct names_z names = { 0 };
	enum err_code code = read_folder(a, like->folder, l, &names, err);
	for (size_t i = 0; i < names.n && !code; i++) {
		bool is_folder;
		const char *path = join_path(a, like->folder, names.v[i]);
		code = add_entry(l, like, path, &is_folder, err);
		if (!code && is_folder)
			code = add_subfolder(a, l, like, path, err);
	}
	vec_deinit(&names);
	return code;
}

/* Where the last of the suffixes stands in TEXT; NULL: none does. */
static char *last_suffix(char *text, enum suffix *ret)
{
	char *found = NULL;
	for (char *p = text; (p = strchr(p, '@')); p++)
		for (int i = 0; i < SUFFIX_COUNT; i++)
			if (strncmp(p, suffixes[i], strlen(suffixes[i])) == 0) {
				found = p;
				*ret = (enum suffix)i;
			}
	return found;
}

/* Takes "@tz=ZONE", "@at=TIME" and "@node=NAME" off PATH, unless a file has that very name. */
static enum err_code take_suffixes(struct arena *a, const char *input, struct listed *file,
                                   struct err *err)
{
	struct stat st;
	char *path = arena_dup(a, input, strlen(input)), *at;
	enum err_code code = ERR_OK;
	enum suffix suffix = SUFFIX_TZ;
	while (!code && (at = last_suffix(path, &suffix)) && stat(path, &st) < 0) {
		const char *value = at + strlen(suffixes[suffix]);
		value = arena_dup(a, value, strlen(value));
		*at = '\0';
		if (suffix == SUFFIX_TZ) {
			file->has_zone = true;
			code = intake_zone(a, str_of(value), &file->zone, err);
		} else if (suffix == SUFFIX_AT) {
			file->at = value;
		} else if (*value) {
			file->node = value;
		} else {
			code = err_set(err, ERR_USAGE, "@node= names no node");
		}
	}
	file->path = path;
	return code ? err_wrap(err, "%s: ", input) : ERR_OK;
}

enum err_code listing_build(struct arena *a, const char *const *inputs, size_t n, struct listing *l,
                            struct err *err)
{
	*l = (struct listing){ 0 };
	for (size_t i = 0; i < n; i++) {
		struct listed file = { 0 };
		enum err_code code = take_suffixes(a, inputs[i], &file, err);
		if (code)
			return code;
		struct stat st;
		if (strcmp(file.path, "-") == 0)
			code = add_file(l, &file, NULL, err);
		else if (stat(file.path, &st) < 0)
			code = err_set(err, ERR_INPUT, "cannot open '%s': %s", file.path,
			               strerror(errno));
		else if (S_ISDIR(st.st_mode)) {
			file.folder = file.path;
			size_t before = l->files.n;
			code = add_folder(a, l, &file, err);
			if (!code && l->files.n == before)
				code = err_set(err, ERR_INPUT, "%s: no files are in it", file.path);
		} else
			code = add_file(l, &file, &st, err);
		if (code)
			return code;
	}
	return ERR_OK;
}
