/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * maps: mapping files, the user's and the installed ones.
 *
 * The installed ones are looked for in $TARE_MAPS (files and folders, separated by colons), else in
 * ../share/tare/maps beside the executable (examples/maps from a build folder), else in the data
 * folder that was given to the build.
 */
#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct csv_map;

struct maps {
	const struct csv_map **v;
	size_t n, cap;
};

void maps_deinit(struct maps *m);
/* Adds the mapping file at PATH, or every .yaml, .yml and .json file of the folder PATH in name
   order. Maps live in A. */
enum err_code maps_add(struct arena *a, const char *path, struct maps *m,
                       struct err *err) NODISCARD;
/* Adds the installed ones; RET_BROKEN: how many cannot be used. */
void maps_add_installed(struct arena *a, struct maps *m, uint32_t *ret_broken);
