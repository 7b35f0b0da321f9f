/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hostlist.h"

#include "base/limits.h"

#define GROUPS_MAX 8   /* brackets in one name */
#define DIGITS_MAX 18u /* of one number */

/* A pair of brackets: the text before it, its ranges, and where the odometer stands in them. */
struct group {
	struct str before, ranges, rest; /* rest: the ranges after the present one */
	uint64_t at, last;
	size_t width;
	uint64_t n; /* numbers in all */
};

struct item {
	struct group groups[GROUPS_MAX];
	size_t n;
	struct str after; /* text behind the last bracket */
};

/* The next "low[-high]" of a group's rest. */
static bool group_next_range(struct group *g)
{
	struct str part, low;
	if (!str_cut(&g->rest, ',', &part))
		return false;
	str_cut(&part, '-', &low);
	if (!part.p)
		part = low;
	if (low.n < 1 || low.n > DIGITS_MAX || part.n < 1 || part.n > DIGITS_MAX)
		return false;
	for (size_t i = 0; i < low.n; i++)
		if (low.p[i] < '0' || low.p[i] > '9')
			return false;
	if (!str_to_u64(low, &g->at) || !str_to_u64(part, &g->last) || part.p[0] == '+')
		return false;
	g->width = low.n;
	return g->at <= g->last;
}

static bool group_count(struct group *g)
{
	g->n = 0;
	g->rest = g->ranges;
	while (g->rest.p) {
		if (!group_next_range(g))
			return false;
		g->n += g->last - g->at + 1; /* at most FIELDS of 10^18: cut off below */
		if (g->n > HOSTLIST_MAX)
			g->n = (uint64_t)HOSTLIST_MAX + 1;
	}
	return g->n > 0;
}

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == '[' || s.p[i] == ']' ||
		    s.p[i] == 0x7f)
			return false;
	return true;
}

/* One item of the list, and how many names it stands for (more than HOSTLIST_MAX: one more). */
static bool item_parse(struct str s, struct item *it, uint64_t *ret_n)
{
	*it = (struct item){ 0 };
	uint64_t n = 1;
	while (s.n) {
		size_t open = str_find_byte(s, '[');
		if (open == s.n)
			break;
		size_t close = str_find_byte(s, ']');
		if (close < open || close == s.n || it->n == GROUPS_MAX)
			return false;
		struct group *g = &it->groups[it->n++];
		g->before = str_sub(s, 0, open);
		g->ranges = str_sub(s, open + 1, close - open - 1);
		if (!is_name(g->before) || !group_count(g))
			return false;
		n *= g->n;
		if (n > HOSTLIST_MAX)
			n = (uint64_t)HOSTLIST_MAX + 1;
		s = str_sub(s, close + 1, s.n);
	}
	it->after = s;
	*ret_n = n;
	return is_name(s) && (it->n || s.n);
}

/* Cuts the first item off: up to a comma outside brackets. */
static bool cut_item(struct str *s, struct str *ret)
{
	if (!s->p)
		return false;
	size_t i = 0;
	bool inside = false;
	for (; i < s->n && (inside || s->p[i] != ','); i++)
		inside = s->p[i] == '[' || (inside && s->p[i] != ']');
	*ret = str_trim(str_sub(*s, 0, i));
	*s = i < s->n ? str_sub(*s, i + 1, s->n) : STR_NULL;
	return true;
}

static bool is_none(struct str s)
{
	static const char *const words[] = { "None assigned", "(null)", "None", "n/a", "Unknown" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq_nocase(s, str_of(words[i])))
			return true;
	return !s.n;
}

enum hostlist hostlist_count(struct str s, uint32_t *ret_n)
{
	struct str part;
	struct item it;
	uint64_t all = 0, n;
	s = str_trim(s);
	if (is_none(s))
		s = STR_NULL;
	while (cut_item(&s, &part)) {
		if (!item_parse(part, &it, &n))
			return HOSTLIST_BAD;
		all += n;
		if (all > HOSTLIST_MAX)
			return HOSTLIST_TOO_MANY;
	}
	*ret_n = (uint32_t)all;
	return HOSTLIST_OK;
}

static bool put(char *z, size_t *at, struct str s)
{
	if (s.n > NAME_BYTES_MAX - *at)
		return false;
	if (s.n)
		memcpy(z + *at, s.p, s.n);
	*at += s.n;
	return true;
}

/* Straight into Z: clang 14 loses the digits of a buffer of its own under -fsanitize=fuzzer. */
static bool put_number(char *z, size_t *at, uint64_t v, size_t width)
{
	size_t n = 0;
	for (uint64_t rest = v; rest || n < width; rest /= 10)
		n++;
	if (n > NAME_BYTES_MAX - *at)
		return false;
	for (size_t i = n; i-- > 0; v /= 10)
		z[*at + i] = (char)('0' + (int)(v % 10));
	*at += n;
	return true;
}

static bool item_name(const struct item *it, char *z, struct str *ret)
{
	size_t at = 0;
	for (size_t i = 0; i < it->n; i++)
		if (!put(z, &at, it->groups[i].before) ||
		    !put_number(z, &at, it->groups[i].at, it->groups[i].width))
			return false;
	if (!put(z, &at, it->after))
		return false;
	*ret = (struct str){ z, at };
	return true;
}

/* The odometer: false after the last name. */
static bool item_step(struct item *it)
{
	for (size_t i = it->n; i-- > 0;) {
		struct group *g = &it->groups[i];
		if (g->at < g->last) {
			g->at++;
			return true;
		}
		if (g->rest.p && group_next_range(g))
			return true;
		g->rest = g->ranges;
		group_next_range(g);
	}
	return false;
}

enum hostlist hostlist_each(struct str s, void (*each)(void *context, struct str name),
                            void *context)
{
	uint32_t all;
	enum hostlist answer = hostlist_count(s, &all);
	if (answer != HOSTLIST_OK || !all)
		return answer;
	struct str part, name;
	char z[NAME_BYTES_MAX];
	s = str_trim(s);
	while (cut_item(&s, &part)) {
		struct item it;
		uint64_t n;
		if (!item_parse(part, &it, &n))
			return HOSTLIST_BAD;
		for (size_t i = 0; i < it.n; i++) {
			it.groups[i].rest = it.groups[i].ranges;
			group_next_range(&it.groups[i]);
		}
		do {
			if (!item_name(&it, z, &name))
				return HOSTLIST_BAD;
			each(context, name);
		} while (item_step(&it));
	}
	return HOSTLIST_OK;
}
