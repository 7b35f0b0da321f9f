/* SPDX-License-Identifier: Apache-2.0 */
#include "account/group.h"

#include <stdio.h>

#include "lib/cells.h"
#include "lib/run.h"
#include "lib/traits.h"

static struct group_by by(const char *const *words)
{
	struct group_by b = { 0 };
	struct err err = { 0 };
	for (; *words; words++)
		if (group_by_add(&b, str_of(*words), &err))
			fail_msg("%s", err.text);
	return b;
}
#define BY(...) by((const char *const[]){ __VA_ARGS__, NULL })

static void names_what_it_cannot_group_by(void **state)
{
	(void)state;
	struct group_by b = { 0 };
	struct err err;
	assert_int_equal(group_by_add(&b, S("usr"), &err), ERR_USAGE);
	assert_string_equal(err.text, "cannot group by 'usr'\nhint: did you mean 'user'?");
	assert_int_equal(group_by_add(&b, S("label:"), &err), ERR_USAGE);
	assert_int_equal(group_by_add(&b, S("label"), &err), ERR_USAGE);
	assert_int_equal(b.n, 0);
	char label[GROUP_KEYS_MAX][16];
	for (unsigned i = 0; i < GROUP_KEYS_MAX; i++) {
		snprintf(label[i], sizeof label[i], "label:%u", i);
		assert_int_equal(group_by_add(&b, str_of(label[i]), &err), ERR_OK);
	}
	assert_int_equal(group_by_add(&b, S("user"), &err), ERR_USAGE);
	assert_true(group_by_has(&b, GROUP_LABEL) && !group_by_has(&b, GROUP_USER));
}

static void a_key_is_given_once(void **state)
{
	(void)state;
	struct group_by b = { 0 };
	struct err err;
	assert_int_equal(group_by_add(&b, S("user"), &err), ERR_OK);
	assert_int_equal(group_by_add(&b, S("user"), &err), ERR_USAGE);
	assert_string_equal(err.text, "'user' is given twice");
	assert_int_equal(group_by_add(&b, S("label:x"), &err), ERR_OK);
	assert_int_equal(group_by_add(&b, S("label:y"), &err), ERR_OK);
	assert_int_equal(group_by_add(&b, S("label:x"), &err), ERR_USAGE);
	assert_int_equal(b.n, 3);
}

static uint32_t job_of(struct cells *c, const char *id, const char *user)
{
	uint32_t at = cells_job(c, id, OUTCOME_COMPLETED);
	SET_TRAIT(&c->f, &c->f.jobs.v[at], user, facts_word(&c->f, str_of(user)));
	return at;
}

static void every_cell_is_in_one_group_in_natural_order_nobody_last(void **state)
{
	(void)state;
	struct cells c;
	struct cost cost = { .den = 1 };
	auto_groups g = { 0 };
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100");
	uint32_t jobs[3] = { job_of(&c, "a", "u10"), job_of(&c, "b", "u9"),
		             job_of(&c, "c", "u10") };
	cells_add(&c, p, NONE, 0, STATE_FREE_IDLE, FATE_NONE, 1);
	for (int i = 0; i < 3; i++)
		cells_add(&c, p, jobs[i], 0, STATE_ACTIVE, FATE_PRODUCTIVE, 10 << i);
	struct group_by b = BY("user");
	group_build(&c.a, &b, &c.l, &c.f, &cost, &g);
	assert_int_equal(g.v.n, 3);
	assert_str(names_word(&g.names, g.v.v[0].keys[0]), "u9");
	assert_str(names_word(&g.names, g.v.v[1].keys[0]), "u10");
	assert_int_equal(g.v.v[2].keys[0], 0);
	assert_true(g.v.v[0].units == 20 && g.v.v[1].units == 50 && g.v.v[2].units == 1);
	bool seen[4] = { 0 };
	for (size_t i = 0; i < g.v.n; i++)
		for (size_t k = 0; k < g.v.v[i].cells_n; k++) {
			uint32_t at = g.cells[g.v.v[i].cells_at + k];
			assert_false(seen[at]);
			seen[at] = true;
		}
	assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
	cells_end(&c);
}

static void keys_are_told_apart_by_their_place(void **state)
{
	(void)state;
	struct cells c;
	struct cost cost = { .den = 1 };
	auto_groups g = { 0 };
	cells_begin(&c);
	uint32_t p = cells_place(&c, "x"), q = cells_place(&c, "y");
	cells_add(&c, p, job_of(&c, "1", "y"), 0, STATE_ACTIVE, FATE_PRODUCTIVE, 1);
	cells_add(&c, q, job_of(&c, "2", "x"), 0, STATE_ACTIVE, FATE_PRODUCTIVE, 2);
	struct group_by b = BY("model", "user");
	group_build(&c.a, &b, &c.l, &c.f, &cost, &g);
	assert_int_equal(g.v.n, 2);
	cells_end(&c);
}

static void every_key_has_a_word_where_there_is_one(void **state)
{
	(void)state;
	struct cells c;
	static const struct {
		const char *key, *want;
	} cases[] = {
		{ "cluster", "east" },      { "node", "n1" },       { "pool", "gpu" },
		{ "model", "H100" },        { "uuid", "GPU-1" },    { "job", "7" },
		{ "run", "pre" },           { "user", "ann" },      { "team", "llm" },
		{ "queue", "main" },        { "kind", "service" },  { "service", "chat" },
		{ "outcome", "completed" }, { "basis", "spot" },    { "day", "2026-11-30" },
		{ "hour", "10" },           { "account", "setup" }, { "state", "setup" },
		{ "fate", "productive" },   { "evidence", "weak" }, { "label:p", "base" },
		{ "label:q", "" },
	};
	cells_begin(&c);
	uint32_t p = cells_place(&c, "H100"), at = job_of(&c, "7", "ann");
	struct place *place = &c.l.places.v[p];
	place->node = facts_word(&c.f, S("n1"));
	place->pool = facts_word(&c.f, S("gpu"));
	place->device = facts_word(&c.f, S("GPU-1"));
	struct job *j = &c.f.jobs.v[at];
	const sym label[] = { facts_word(&c.f, S("p")), facts_word(&c.f, S("base")) };
	SET_TRAIT(&c.f, j, cluster, facts_word(&c.f, S("east")));
	SET_TRAIT(&c.f, j, run, facts_word(&c.f, S("pre")));
	SET_TRAIT(&c.f, j, team, facts_word(&c.f, S("llm")));
	SET_TRAIT(&c.f, j, queue, facts_word(&c.f, S("main")));
	j->name = facts_word(&c.f, S("chat"));
	j->kind = KIND_SERVICE;
	SET_TRAIT(&c.f, j, labels, (struct word_list){ traits_list(&c.f.traits, label, 2).at, 1 });
	cells_add(&c, p, at, 0, STATE_SETUP, FATE_PRODUCTIVE, 1)->evidence = EVIDENCE_WEAK;
	cells_price(&c, "", 1, 1)->basis = BASIS_SPOT;
	const char *const days[] = { "2026-11-30", "" }, *const hours[] = { "10", "" };
	struct cost cost;
	assert_int_equal(cost_build(&c.a, &c.l, &c.f, &cost, NULL), ERR_OK);
	bool seen[GROUP_KEY_COUNT] = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_groups g = { 0 };
		struct group_by b = BY(cases[i].key);
		b.bucket_days = days;
		b.bucket_hours = hours;
		seen[b.keys[0]] = true;
		group_build(&c.a, &b, &c.l, &c.f, &cost, &g);
		assert_int_equal(g.v.n, 1);
		assert_str(names_word(&g.names, g.v.v[0].keys[0]), cases[i].want);
	}
	for (int k = 0; k < GROUP_KEY_COUNT; k++)
		assert_true(seen[k]); /* a new key has its case here */
	cells_end(&c);
}

static void time_of_the_implicit_job_has_its_name(void **state)
{
	(void)state;
	struct cells c;
	struct cost cost = { .den = 1 };
	auto_groups g = { 0 };
	cells_begin(&c);
	uint32_t p = cells_place(&c, "x");
	cells_add(&c, p, NONE, 0, STATE_ACTIVE, FATE_UNJUDGED, 1);
	cells_add(&c, p, NONE, 0, STATE_UNKNOWN, FATE_NONE, 1);
	struct group_by b = BY("job");
	group_build(&c.a, &b, &c.l, &c.f, &cost, &g);
	assert_int_equal(g.v.n, 2);
	assert_str(names_word(&g.names, g.v.v[0].keys[0]), "unscheduled");
	assert_int_equal(g.v.v[1].keys[0], 0);
	cells_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_it_cannot_group_by),
		cmocka_unit_test(a_key_is_given_once),
		cmocka_unit_test(every_cell_is_in_one_group_in_natural_order_nobody_last),
		cmocka_unit_test(keys_are_told_apart_by_their_place),
		cmocka_unit_test(every_key_has_a_word_where_there_is_one),
		cmocka_unit_test(time_of_the_implicit_job_has_its_name),
	};
	return RUN_TESTS(tests);
}
