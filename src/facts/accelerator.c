/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/accelerator.h"

const struct accelerator accelerators[ACCELERATOR_COUNT] = {
#define ACCELERATOR(...) { __VA_ARGS__ },
#include "facts/accelerators.def"
#undef ACCELERATOR
};

static char fold(char c)
{
	return c == '_' ? ' ' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_same(struct str a, struct str b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (fold(a.p[i]) != fold(b.p[i]))
			return false;
	return a.n > 0;
}

static bool is_among(struct str word, const char *words)
{
	struct str all = str_of(words), one;
	while (str_cut(&all, '|', &one))
		if (is_same(word, one))
			return true;
	return false;
}

/* 2: the very name of the chip; 1: a word that it may share with others; 0: not its name. */
static int match(struct str name, const struct accelerator *a)
{
	if (is_among(name, a->names) || is_same(name, str_of(a->key)))
		return 2;
	return is_among(name, a->types);
}

int accelerator_find(struct str name)
{
	int found = -1, n = 0;
	for (int i = 0; i < ACCELERATOR_COUNT; i++) {
		int how = match(name, &accelerators[i]);
		if (how == 2)
			return i;
		if (how == 1)
			found = i, n++;
	}
	return n == 1 ? found : -1;
}

unsigned accelerator_mig_slices(struct str name)
{
	unsigned slices = 0;
	int exact = accelerator_find(name);
	bool is_any = false;
	if (exact >= 0)
		return accelerators[exact].mig_slices;
	for (int i = 0; i < ACCELERATOR_COUNT; i++) {
		if (!match(name, &accelerators[i]))
			continue;
		if (is_any && accelerators[i].mig_slices != slices)
			return 0;
		is_any = true;
		slices = accelerators[i].mig_slices;
	}
	return slices;
}
