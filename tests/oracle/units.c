/* SPDX-License-Identifier: Apache-2.0 */
/*
 * units: the meter's answer to facts documents in exact units, one JSON line a file, in the form
 * that ledger.py prints. For tests only.
 */
#include <stdio.h>

#include "account/cost.h"
#include "account/fragment.h"
#include "account/ledger.h"
#include "base/text.h"
#include "intake/intake.h"

static void integer(struct text *t, i128 v)
{
	text_fixed(t, v, 0);
}

static bool is_null(const struct sums *s, int account)
{
	enum state_group g = states[accounts[account].state].group;
	return s->free_is_null && (g == GROUP_FREE || g == GROUP_DOWN);
}

static void accounts_print(struct text *t, const struct sums *s)
{
	text_add(t, S("\"accounts\": {"));
	for (int i = 0; i < ACCOUNT_COUNT; i++) {
		text_printf(t, "%s\"%s\": ", i ? ", " : "", accounts[i].name);
		if (is_null(s, i))
			text_add(t, S("null"));
		else
			integer(t, s->accounts[i]);
	}
	text_add(t, S("}, \"matrix\": {"));
	bool any = false;
	for (int i = 0; i < STATE_COUNT; i++) {
		bool first = true;
		for (int k = 0; k < FATE_COUNT; k++) {
			if (!s->matrix[i][k])
				continue;
			if (first)
				text_printf(t, "%s\"%s\": {", any ? ", " : "", states[i].name);
			text_printf(t, "%s\"%s\": ", first ? "" : ", ", fates[k].name);
			integer(t, s->matrix[i][k]);
			first = false;
			any = true;
		}
		if (!first)
			text_byte(t, '}');
	}
	text_byte(t, '}');
}

static void sums_print(struct text *t, const struct ledger *l, const struct facts *f,
                       const struct sums *s)
{
	text_add(t, S("\"paid\": "));
	integer(t, s->paid);
	text_add(t, S(", "));
	accounts_print(t, s);
	text_add(t, S(", \"successful\": "));
	integer(t, s->successful);
	text_add(t, S(", \"marks\": {"));
	for (int i = 0; i < MARK_COUNT; i++) {
		text_printf(t, "%s\"%s\": ", i ? ", " : "", mark_names[i]);
		integer(t, s->marks[i]);
	}
	text_add(t, S("}, \"unmet\": {"));
	for (size_t i = 0; i < l->unmets.n; i++) {
		text_add(t, i ? S(", ") : S(""));
		text_json(t, names_word(&f->names, l->unmets.v[i].model));
		text_add(t, S(": "));
		integer(t, l->unmets.v[i].units);
	}
	text_add(t, S("}, \"layers\": ["));
	for (int i = 0; i < LAYER_COUNT; i++) {
		text_printf(t, "%s{\"layer\": \"%s\", \"low\": ", i ? ", " : "", layer_names[i]);
		integer(t, s->low[i]);
		text_add(t, S(", \"high\": "));
		integer(t, s->high[i]);
		text_byte(t, '}');
	}
	text_byte(t, ']');
}

static void fragment_print(struct text *t, const struct fragment *x)
{
	static const enum fragment_class shown[] = { FRAGMENT_LACKS_BOTH, FRAGMENT_LACKS_GPU,
		                                     FRAGMENT_USABLE, FRAGMENT_LACKS_ROOM,
		                                     FRAGMENT_NO_ACCESS };
	text_add(t, S(", \"fragment\": ["));
	integer(t, (i128)x->tasks);
	text_add(t, S(", "));
	integer(t, x->idle);
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		text_add(t, S(", "));
		integer(t, x->classes[shown[i]]);
	}
	text_byte(t, ']');
}

static void energy_print(struct text *t, const struct ledger *l, const struct facts *f,
                         const struct sums *s)
{
	bool any = false;
	text_add(t, S(", \"energy\": {"));
	for (int i = 0; i < ACCOUNT_COUNT; i++) {
		if (!s->energy[i] && !s->metered[i] && !s->integrated[i])
			continue;
		text_printf(t, "%s\"%s\": [", any ? ", " : "", accounts[i].name);
		integer(t, s->energy[i]);
		text_add(t, S(", "));
		integer(t, s->metered[i]);
		text_add(t, S(", "));
		integer(t, s->integrated[i]);
		text_byte(t, ']');
		any = true;
	}
	struct depth_sum sums[DEPTH_SUMS] = { 0 };
	text_add(t, S("}, \"depth\": {"));
	for (size_t i = 0; i < l->depths.n; i++)
		depth_sum_add(&sums[l->depths.v[i].depth], &l->depths.v[i].sum);
	any = false;
	for (int i = 0; i < DEPTH_SUMS; i++) {
		const struct depth_sum *d = &sums[i];
		if (!d->units)
			continue;
		text_printf(t, "%s\"%s\": [", any ? ", " : "",
		            i < DEPTH_COUNT ? depths[i].name : "hidden");
		integer(t, d->num);
		text_add(t, S(", "));
		integer(t, d->den);
		text_add(t, S(", "));
		integer(t, d->units);
		text_printf(t, ", %lld, %lld]", (long long)d->min, (long long)d->max);
		any = true;
	}
	text_add(t, S("}, \"mig\": ["));
	integer(t, l->mig_millijoules);
	text_add(t, S(", "));
	integer(t, l->mig_ms);
	text_add(t, S("], \"vacant\": {"));
	any = false;
	for (size_t i = 0; i < l->vacancies.n; i++) {
		const struct vacancy *v = &l->vacancies.v[i];
		if (!v->ms)
			continue;
		text_add(t, any ? S(", ") : S(""));
		text_json(t, names_word(&f->names, l->places.v[i].device));
		text_add(t, S(": \""));
		integer(t, v->microjoules);
		text_byte(t, '/');
		integer(t, (i128)v->ms * 1000);
		text_byte(t, '"');
		any = true;
	}
	text_byte(t, '}');
}

/* Exact: "num/den"; null when some paid unit of it has no price. */
static void cost_print(struct text *t, const struct ledger *l, const struct cost *c)
{
	i128 num[ACCOUNT_COUNT + 1] = { 0 };
	bool unpriced[ACCOUNT_COUNT + 1] = { false };
	for (size_t i = 0; i < l->cells.n; i++) {
		const struct cell *cell = &l->cells.v[i];
		int to[2] = { (int)account_of((enum state)cell->state, (enum fate)cell->fate),
			      ACCOUNT_COUNT };
		for (int k = 0; k < 2; k++) {
			num[to[k]] += c->has_price ? c->nums[i] : 0;
			unpriced[to[k]] |= !c->has_price || c->price_of[i] == NONE;
		}
	}
	for (int i = ACCOUNT_COUNT; i >= 0; i--) {
		if (i == ACCOUNT_COUNT)
			text_add(t, S(", \"cost\": "));
		else
			text_printf(t, "%s\"%s\": ",
			            i == ACCOUNT_COUNT - 1 ? ", \"cost_accounts\": {" : ", ",
			            accounts[i].name);
		if (!c->has_price || unpriced[i]) {
			text_add(t, S("null"));
			continue;
		}
		text_byte(t, '"');
		integer(t, num[i]);
		text_byte(t, '/');
		integer(t, c->den);
		text_byte(t, '"');
	}
	text_byte(t, '}');
}

static int one(const char *path)
{
	struct intake_options o = { .threads = 1 };
	struct ledger_options lo = LEDGER_OPTIONS_DEFAULT;
	struct facts f;
	struct ledger l = { 0 };
	struct cost c;
	struct err err = { 0 };
	auto_arena a = ARENA_NULL;
	auto_text t = TEXT_NULL;
	if (intake_read(&o, &path, 1, &f, &err) != ERR_OK) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return 1;
	}
	if (ledger_build(&a, &f, &lo, &l, &err) != ERR_OK ||
	    cost_build(&a, &l, &f, &c, &err) != ERR_OK) {
		text_add(&t, S("{\"error\": "));
		text_json(&t, str_of(err.text));
	} else {
		struct sums s;
		sums_of_ledger(&s, &l, &f);
		text_byte(&t, '{');
		sums_print(&t, &l, &f, &s);
		fragment_print(&t, &l.fragment);
		energy_print(&t, &l, &f, &s);
		cost_print(&t, &l, &c);
	}
	printf("%.*s}\n", (int)t.n, t.p);
	ledger_deinit(&l);
	facts_deinit(&f);
	return 0;
}

int main(int argc, char **argv)
{
	int bad = 0;
	for (int i = 1; i < argc; i++)
		bad |= one(argv[i]);
	return bad;
}
