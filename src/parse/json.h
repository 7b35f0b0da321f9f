/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * json: JSON documents read item by item, never as one tree.
 *
 * A value is a slice of the input (`raw`): numbers keep their text, so 0.1 and 20-digit ids stay
 * what was written. Nothing is allocated but for strings with escapes. Strict JSON (RFC 8259), with
 * three leniencies for what tools really write: bytes in strings need not be UTF-8, control
 * characters in strings are taken, a lone surrogate becomes U+FFFD. Of a repeated key the last
 * counts.
 *
 *     struct json_scan scan = json_scan_of(bytes, line);
 *     struct json_item item;
 *     while (json_scan_next(&scan, &item))
 *             ... item.key, item.value ...
 *     if (scan.why)   the input is not JSON from scan.line on; what came before was good
 *
 * json_scan checks every byte it passes. json_next, json_get and json_members walk inside a value
 * that a scan (or json_is_valid) has passed; on other bytes they stop early, and never read
 * outside.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

enum json_type {
	JSON_ABSENT,
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_LIST,
	JSON_OBJECT
};

/* By the first byte; the empty slice is JSON_ABSENT. */
enum json_type json_type(struct str raw);
/* One whole value and nothing else, at most JSON_DEPTH_MAX deep. */
bool json_is_valid(struct str bytes);

/* One element of a list that stands under a key of the top object or is the top list; or what else
   stands under such a key (an empty list too), as one value. */
struct json_item {
	struct str key; /* as written, without quotes (json_key_is); empty in a top list */
	struct str value;
	uint64_t line;
	size_t index; /* in its list */
	bool in_list;
	bool is_too_long; /* a list element over JSON_ITEM_BYTES_MAX: to be rejected */
};

enum json_place { JSON_SCAN_TOP, JSON_SCAN_MEMBER, JSON_SCAN_LIST, JSON_SCAN_TOP_LIST };

/* Top values may follow one another (concatenated documents, JSON lines); each is walked alike. */
struct json_scan {
	struct str doc;
	size_t at, counted_at;
	uint64_t line;   /* of what is being read */
	const char *why; /* what is wrong with the input; NULL: nothing */
	enum json_place place;
	bool is_first;
	struct str key;
	size_t index;
	struct str enter; /* set by the caller, may be empty: an object under this key is walked as
	                     if its members stood in the object around it */
	unsigned entered;
};

struct json_scan json_scan_of(struct str doc, uint64_t line);
bool json_scan_next(struct json_scan *scan, struct json_item *ret_item);

/* The next member (or element: key empty) of an object or list; *AT is 0 at first. False at the
   end. In a container that was cut off, the last value is what is there of it. */
bool json_next(struct str container, size_t *at, struct str *ret_key, struct str *ret_value);
/* The value of a member; the empty slice if there is none or OBJECT is not an object. */
struct str json_get(struct str object, struct str key);
/* Is this key, as written, KEY once its escapes are resolved? */
bool json_key_is(struct str raw_key, struct str key);

/* All members of one object, found once and asked often. All zero is empty; refill at will. */
struct json_member {
	struct str key, value;
};
struct json_members {
	VEC(struct json_member) list;
};
void json_members_deinit(struct json_members *m);
#define auto_json_members __attribute__((cleanup(json_members_deinit))) struct json_members
void json_members_read(struct json_members *m, struct str object);
struct str json_member(const struct json_members *m, struct str key);

/* Values; false (and ret untouched) if RAW is of another type. */
bool json_to_text(struct arena *a, struct str raw,
                  struct str *ret); /* escapes resolved, in A or RAW */
bool json_to_bool(struct str raw, bool *ret);
/* A number that is a whole one, however it is written (5, 5.0, 5e0). */
bool json_to_i64(struct str raw, int64_t *ret);
/* A key as written (json_item.key, json_next) with its escapes resolved. */
struct str json_key_text(struct arena *a, struct str raw_key);
