/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/limits.h"

struct pattern {
	pcre2_code *code;
};

/* The library's memory comes from the arena and goes with it. */
static void *take(size_t n, void *arena)
{
	return arena_alloc(arena, n);
}

static void give(void *p, void *arena)
{
	(void)p, (void)arena;
}

enum err_code pattern_compile(struct arena *a, struct str text, const struct pattern **ret,
                              struct err *err)
{
	if (text.n > PATTERN_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "a pattern of %zu bytes; at most %u are read",
		               text.n, PATTERN_BYTES_MAX);
	pcre2_general_context *general = pcre2_general_context_create(take, give, a);
	pcre2_compile_context *context = pcre2_compile_context_create(general);
	pcre2_set_parens_nest_limit(context, 32);
	int code = 0;
	PCRE2_SIZE at = 0;
	struct pattern *p = ARENA_NEW(a, struct pattern);
	p->code = pcre2_compile((PCRE2_SPTR)(text.p ? text.p : ""), text.n, PCRE2_NEVER_BACKSLASH_C,
	                        &code, &at, context);
	if (!p->code) {
		PCRE2_UCHAR why[200];
		pcre2_get_error_message(code, why, sizeof why);
		return err_set(err, ERR_INPUT, "at %zu: %s", (size_t)at + 1, (const char *)why);
	}
	*ret = p;
	return ERR_OK;
}

bool pattern_matches(const struct pattern *p, struct str text)
{
	auto_arena a = ARENA_NULL;
	pcre2_general_context *general = pcre2_general_context_create(take, give, &a);
	pcre2_match_context *context = pcre2_match_context_create(general);
	pcre2_set_match_limit(context, PATTERN_STEPS_MAX);
	pcre2_set_depth_limit(context, PATTERN_DEPTH_MAX);
	pcre2_set_heap_limit(context, PATTERN_HEAP_KIB_MAX);
	pcre2_match_data *data = pcre2_match_data_create(1, general);
	return pcre2_match(p->code, (PCRE2_SPTR)(text.p ? text.p : ""), text.n, 0, 0, data,
	                   context) >= 0;
}
