/* SPDX-License-Identifier: Apache-2.0 */
/* YAML from any bytes: no crash; a tree that is given out holds what its counts say. */
#include <assert.h>

#include "base/limits.h"
#include "parse/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct yaml *y)
{
	size_t n = 0;
	assert(y->line >= 1 && y->column >= 1);
	assert(y->text.n == 0 || y->text.p[y->text.n] == '\0');
	for (const struct yaml *m = y->first; m; m = m->next, n++)
		assert(y->kind != YAML_MAP || yaml_get(y, m->key.p));
	assert(n == y->n && (y->kind != YAML_SCALAR || !n));
}

static void walk(const struct yaml *y)
{
	const struct yaml *up[YAML_DEPTH_MAX];
	size_t depth = 0;
	while (y) {
		check(y);
		if (y->first) {
			assert(depth < YAML_DEPTH_MAX);
			up[depth++] = y;
			y = y->first;
			continue;
		}
		while (depth && !y->next)
			y = up[--depth];
		y = depth ? y->next : NULL;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_arena a = ARENA_NULL;
	struct err err = { 0 };
	const struct yaml *y = NULL;
	enum err_code rc = yaml_parse(&a, (struct str){ (const char *)data, size }, &y, &err);
	assert((rc == ERR_OK) == (y != NULL));
	if (y)
		walk(y);
	else
		assert(err.text[0] >= '1' && err.text[0] <= '9');
	return 0;
}
