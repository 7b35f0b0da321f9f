/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "intake/intake.h"
#include "parse/zone.h"

#define ZONE_FOLDER "/usr/share/zoneinfo"

static bool is_utc(struct str name)
{
	return str_eq_nocase(name, S("UTC")) || str_eq_nocase(name, S("Z")) ||
	       str_eq_nocase(name, S("Etc/UTC"));
}

enum err_code intake_zone(struct arena *a, struct str name, const struct zone **ret_zone,
                          struct err *err)
{
	*ret_zone = NULL;
	if (is_utc(name))
		return ERR_OK;
	/* a name, not a way out of the folder */
	if (!name.n || name.p[0] == '/' || str_find(name, S("..")) < name.n)
		return err_set(err, ERR_USAGE, "'%.*s' is no time zone", STR_FMT(name));
	const char *folder = getenv("TZDIR");
	if (!folder || !*folder)
		folder = ZONE_FOLDER;
	const char *path = arena_printf(a, "%s/%.*s", folder, STR_FMT(name));
	struct str bytes;
	struct zone *zone = ARENA_NEW(a, struct zone);
	if (intake_slurp(a, path, ZONE_BYTES_MAX, &bytes, err)) {
		struct err why = *err;
		return err_set(err, ERR_USAGE,
		               "'%.*s' is no time zone that this machine knows: %s\n"
		               "hint: names are like Europe/Berlin; the package tzdata has them",
		               STR_FMT(name), why.text);
	}
	if (zone_parse(a, bytes, zone, err)) {
		err_wrap(err, "%s: ", path);
		return err->code = ERR_USAGE;
	}
	*ret_zone = zone;
	return ERR_OK;
}
