/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * json_cut: where the items of JSON end, while its bytes come in.
 *
 * An item is an element of the list under "items" of an object (Kubernetes' lists), an element of a
 * top list, or a top object without such a list; documents may follow one another. What stands
 * around the items is written over with blanks (newlines stay), so that the bytes up to an item's
 * end are documents that follow one another, with as many lines as before.
 *
 *     struct json_cut c = JSON_CUT_NULL;
 *     json_cut_pass(&c, bytes, n);     bytes[0, c.end) are whole items; what follows is not yet
 *     json_cut_shift(&c, c.end);       the caller took them away
 *     json_cut_pass(&c, bytes, n);     the rest again, with more behind it
 *
 * Only strings and brackets are looked at: whether an item is JSON is for whoever reads it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum json_cut_place {
	JSON_CUT_TOP,  /* between documents */
	JSON_CUT_ITEM, /* in an item, or in an object of which it is not known yet */
	JSON_CUT_LIST, /* between items of a list */
	JSON_CUT_TAIL, /* behind the list, in its object */
};

struct json_cut {
	enum json_cut_place place;
	size_t at;        /* looked at up to here */
	size_t end;       /* of the last whole item */
	size_t item_at;   /* where the present item begins */
	size_t string_at; /* where the present string begins */
	uint64_t depth;   /* of brackets, in the item or in the tail */
	bool in_string, is_escaped;
	bool is_top_item; /* the item stands at the top: it may turn out to hold the list */
	bool in_top_list; /* the list is a document by itself */
	bool is_items;    /* the last string at depth 1 was "items" ... */
	bool is_key;      /* ... and a colon followed it */
	bool is_broken;   /* at `at` stands what cannot stand between documents */
	bool is_dropping; /* the caller gave the present item up: its bytes are blanks */
};

#define JSON_CUT_NULL ((struct json_cut){ 0 })
void json_cut_pass(struct json_cut *c, char *bytes, size_t n);
/* The first BY bytes are gone. */
void json_cut_shift(struct json_cut *c, size_t by);
/* The item that has begun is too large: what is there of it and what comes are blanks. The pass in
   which it ends stops right behind it. */
void json_cut_drop(struct json_cut *c, char *bytes);
/* The first document in S, which json_cut made: from its first byte to its last. False: only blanks
   are left. RET_IS_WHOLE false: it is not an object or list, or it has no end. S becomes what
   follows. */
bool json_cut_next(struct str *s, struct str *ret, bool *ret_is_whole);
