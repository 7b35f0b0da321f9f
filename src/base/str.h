/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * str: a slice of bytes that somebody else owns. Not NUL-terminated. Parsing works on slices in
 * place. Numbers never depend on the locale: "0,5" is not a number.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct arena;

struct str {
	const char *p;
	size_t n;
};

#define STR_NULL ((struct str){ 0 })
#define S(lit) ((struct str){ (lit), sizeof(lit) - 1 })
#define STR_FMT(s) (int)((s).n > 2048 ? 2048 : (s).n), (s).p ? (s).p : "" /* for "%.*s" */

static inline struct str str_of(const char *z)
{
	return (struct str){ z, z ? strlen(z) : 0 };
}

static inline struct str str_sub(struct str s, size_t from, size_t n)
{
	if (from > s.n)
		from = s.n;
	/* NULL + 0 is undefined; compilers make one addition of this */
	return (struct str){ from ? s.p + from : s.p, n < s.n - from ? n : s.n - from };
}

static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline uint64_t str_load8(const char *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}
static inline uint32_t str_load4(const char *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}
/* str_eq without the call, for words that are compared at every row: most have fewer than 32
   bytes. */
static inline bool str_same(struct str a, struct str b)
{
	size_t n = a.n;
	if (n != b.n)
		return false;
	if (n >= 8) {
		for (size_t i = 0; i + 8 < n; i += 8)
			if (str_load8(a.p + i) != str_load8(b.p + i))
				return false;
		return str_load8(a.p + n - 8) == str_load8(b.p + n - 8);
	}
	if (n >= 4)
		return str_load4(a.p) == str_load4(b.p) &&
		       str_load4(a.p + n - 4) == str_load4(b.p + n - 4);
	for (size_t i = 0; i < n; i++)
		if (a.p[i] != b.p[i])
			return false;
	return true;
}
bool str_eq_nocase(struct str a, struct str b); /* ASCII letters only */
int str_cmp(struct str a, struct str b);        /* bytes, shorter first */
/* Digits as numbers ("n2" < "n10"), then bytes: the order of keys that people read. Total. */
int str_cmp_natural(struct str a, struct str b);
bool str_starts(struct str s, struct str head);
bool str_ends(struct str s, struct str tail);
bool str_starts_nocase(struct str s, struct str head);
/* Position of NEEDLE in S, or S.n. */
size_t str_find(struct str s, struct str needle);
size_t str_find_byte(struct str s, char c);
struct str str_trim(struct str s); /* ASCII white space off both ends */
/* Cuts S at the first C: returns what stands before; S becomes what follows. False when S was used
   up (S.p is NULL then). "a," gives "a" and "". */
bool str_cut(struct str *s, char c, struct str *ret_head);
/* The next line without its "\n" or "\r\n". False at the end. */
bool str_cut_line(struct str *s, struct str *ret_line);
struct str str_dup(struct arena *a, struct str s);
char *str_z(struct arena *a, struct str s); /* NUL-terminated copy */

/* The whole slice as a number; false (and ret untouched) if it is anything else or out of range. */
bool str_to_u64(struct str s, uint64_t *ret);
bool str_to_i64(struct str s, int64_t *ret);
/* "-12.5", ".5", "1e3" as an integer count of 10^-DECIMALS, floored. False: not a number, or too
 * large. */
bool str_to_fixed(struct str s, unsigned decimals, int64_t *ret);
/* "1/3", "450/1000", "0.5", "2": an exact fraction with den > 0. */
bool str_to_fraction(struct str s, int64_t *ret_num, int64_t *ret_den);
bool str_to_double(struct str s, double *ret); /* finite only */
uint64_t str_hash(struct str s);
