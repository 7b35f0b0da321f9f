/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/accelerator.h"

const struct accelerator accelerators[ACCELERATOR_COUNT] = {
#define ACCELERATOR(...) { __VA_ARGS__ },
#include "facts/accelerators.def"
#undef ACCELERATOR
};

static char fold(char c)
{
	return c == '_' || c == '-' ? ' ' : c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
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

bool accelerator_covers(struct str word, struct str name)
{
	if (is_same(word, name))
		return true;
	int exact_word = accelerator_find(word), exact = accelerator_find(name);
	bool is_any = false;
	for (int i = 0; i < ACCELERATOR_COUNT; i++) {
		const struct accelerator *a = &accelerators[i];
		if (exact >= 0 ? i != exact : !match(name, a))
			continue;
		if (exact_word >= 0 ? i != exact_word : !match(word, a))
			return false;
		is_any = true;
	}
	return is_any;
}

struct str accelerator_spelled(struct str name)
{
	int chip = accelerator_find(name);
	struct str all = chip < 0 ? STR_NULL : str_of(accelerators[chip].names), one;
	while (str_cut(&all, '|', &one))
		if (is_same(name, one))
			return one;
	return name;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A chip's number ends at the '-' behind it: "A100-", and not "RTX 30". */
static bool shows_number(struct str cut)
{
	for (size_t i = 1; i < cut.n; i++)
		if (cut.p[i] == '-' && is_digit(cut.p[i - 1]))
			return true;
	return false;
}

/* "80GB" in NAME: of one chip there are boards of several sizes. 0: it says none. */
static uint64_t named_gigabytes(struct str name)
{
	size_t end = str_find(name, S("GB")), at = end;
	uint64_t n = 0;
	while (at && is_digit(name.p[at - 1]))
		at--;
	return end < name.n && str_to_u64(str_sub(name, at, end - at), &n) ? n : 0;
}

bool accelerator_complete(struct str cut, uint64_t mebibytes, struct str *ret)
{
	int found = -1;
	for (int i = 0; i < ACCELERATOR_COUNT && shows_number(cut); i++) {
		struct str all = str_of(accelerators[i].names), one;
		while (str_cut(&all, '|', &one)) {
			uint64_t size = named_gigabytes(one) * 1024;
			/* what there is falls short of the name by what ECC and the driver take */
			if (!str_starts(one, cut) || mebibytes > size || mebibytes * 10 < size * 9)
				continue;
			if (found >= 0 && found != i)
				return false;
			if (found < 0 || one.n < ret->n)
				*ret = one;
			found = i;
		}
	}
	return found >= 0;
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

static const struct profile {
	const char *name;
	unsigned chip_sms, slices;
	uint64_t engines, sms;
} profiles[] = {
#define MIG_PROFILE(...) { __VA_ARGS__ },
#include "facts/mig_profiles.def"
#undef MIG_PROFILE
};

/* The smallest profile that has so many of what is said; one that nobody knows has not. */
static unsigned part_find(unsigned chip_sms, uint64_t engines, uint64_t sms)
{
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		const struct profile *p = &profiles[i];
		if (p->chip_sms != chip_sms || (engines && p->engines != engines))
			continue;
		if (!sms || sms <= p->sms || (engines && !p->sms))
			return p->slices;
		if (engines || !p->sms)
			return 0;
	}
	return 0;
}

unsigned accelerator_mig_part(struct str name, uint64_t engines, uint64_t sms)
{
	unsigned slices = 0;
	bool is_any = false;
	for (int i = 0; i < ACCELERATOR_COUNT && (engines || sms); i++) {
		const struct accelerator *a = &accelerators[i];
		if (!match(name, a) || !a->mig_slices)
			continue;
		unsigned one = part_find((unsigned)a->units, engines, sms);
		if (is_any && one != slices)
			return 0;
		is_any = true;
		slices = one;
	}
	return slices;
}
