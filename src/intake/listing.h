/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * listing: INPUT... as the files that will be read, in their order.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct zone;

struct listed {
	const char *path;        /* to open and to show; "-": standard input */
	const struct zone *zone; /* NULL: none given */
	bool has_zone;
	const char *at;     /* when it was taken, as written; NULL: not said */
	const char *node;   /* the machine that it is of; NULL: not said */
	const char *folder; /* the INPUT it was found in; NULL: it was named itself */
};

struct listing {
	VEC(struct listed) files;
	uint64_t bytes; /* of all regular files */
	bool has_unsized;
	uint32_t hidden, deeper; /* files left out; folders not looked into */
};

/* ERR_INPUT: an input is not there; ERR_USAGE: its zone is not; ERR_LIMIT. Paths and zones are in
   A. L is the caller's to deinit, also on failure. */
enum err_code listing_build(struct arena *a, const char *const *inputs, size_t n, struct listing *l,
                            struct err *err) NODISCARD;
void listing_deinit(struct listing *l);
