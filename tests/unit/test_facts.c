/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/facts.h"

#include <stdio.h>

#include "lib/run.h"
#include "lib/traits.h"

/* Every vec is in vectors.def: the members between `traits` and `window` are those and no others.
 */
static void vectors_are_all_listed(void **state)
{
	(void)state;
	size_t listed = 0;
	struct facts f;
#define EACH_VEC(vec) listed += sizeof f.vec;
#include "facts/vectors.def"
#undef EACH_VEC
	assert_int_equal(offsetof(struct facts, window) - offsetof(struct facts, devices), listed);
}

static void starts_with_nothing_known(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	struct job *j = facts_job(&f, S("12_3"));
	assert_string_equal(job_id(&f, j).p, "12_3");
	assert_true(j->submit_ms == TIME_UNKNOWN && j->eligible_ms == TIME_UNKNOWN);
	assert_true(j->start_ms == TIME_UNKNOWN && j->end_ms == TIME_UNKNOWN);
	assert_true(j->gpus == COUNT_UNKNOWN && j->requested == COUNT_UNKNOWN);
	const struct job_traits t = job_traits(&f, j);
	assert_true(t.cpus == COUNT_UNKNOWN && t.node_count == COUNT_UNKNOWN);
	assert_int_equal(j->kind, KIND_BATCH);
	struct sample *s = facts_sample(&f, facts_word(&f, S("gpu0")), 5);
	for (int i = 0; i < METRIC_COUNT; i++)
		assert_int_equal(s->why[i], WHY_ABSENT);
	assert_int_equal(s->procs_why, WHY_ABSENT);
	assert_true(f.window.from_ms == TIME_UNKNOWN && f.as_of_ms == TIME_UNKNOWN);
	facts_deinit(&f);
}

/* The words of one part, given in another order than in the other, so that every number moves. */
static void fill(struct facts *f, const char *tag, int round)
{
	char z[32];
	facts_init(f);
	for (int i = 0; i < round; i++) {
		snprintf(z, sizeof z, "other%d", i);
		facts_word(f, str_of(z));
	}
	snprintf(z, sizeof z, "node-%s", tag);
	sym node = facts_word(f, str_of(z)), user = facts_word(f, S("ann"));
	*vec_push(&f->devices) = (struct device){ .id = facts_word(f, str_of(tag)), .node = node };
	struct job *j = facts_job(f, str_of(tag));
	SET_TRAIT(f, j, user, user);
	SET_TRAIT(f, j, models, list_of_one(f, "H100"));
	facts_add_allocation(f, &(struct allocation_entry){ .on = CLAIM_NODE,
	                                                    .place = node,
	                                                    .share_num = 1,
	                                                    .share_den = round + 1,
	                                                    .from_ms = TIME_UNKNOWN,
	                                                    .to_ms = TIME_UNKNOWN });
	*vec_push(&f->nodes) =
	        (struct node){ .id = node, .exhausted_at = (uint32_t)f->spans.n, .exhausted_n = 1 };
	*vec_push(&f->spans) = (struct span){ round, round + 1 };
	facts_note(f, "A note of all.");
}

static void joins_parts_in_order(void **state)
{
	(void)state;
	struct facts f, part;
	fill(&f, "a", 0);
	const char *tags[] = { "b", "c" };
	for (int k = 0; k < 2; k++) {
		fill(&part, tags[k], k + 3);
		facts_append(&f, &part);
		assert_int_equal(part.jobs.n, 0); /* empty, and can be used again */
		facts_deinit(&part);
	}
	assert_int_equal(f.jobs.n, 3);
	const char *nodes[] = { "node-a", "node-b", "node-c" }, *ids[] = { "a", "b", "c" };
	const int rounds[] = { 0, 3, 4 };
	for (uint32_t i = 0; i < 3; i++) {
		const struct job *j = &f.jobs.v[i];
		const struct job_traits t = job_traits(&f, j);
		assert_str(job_id(&f, j), ids[i]);
		assert_int_equal(j->traits, f.jobs.v[0].traits); /* once for all three */
		assert_str(names_word(&f.names, t.user), "ann");
		assert_int_equal(t.models.n, 1);
		assert_str(names_word(&f.names, *job_words(&f, t.models)), "H100");
		assert_true(allocation_portion(&f, &f.allocations.v[i])->share_den ==
		            rounds[i] + 1);
		assert_str(names_word(&f.names, f.devices.v[i].id), ids[i]);
		assert_str(names_word(&f.names, f.devices.v[i].node), nodes[i]);
		assert_int_equal(f.allocations.v[i].job, i);
		assert_str(names_word(&f.names, f.allocations.v[i].place), nodes[i]);
		assert_int_equal(f.spans.v[f.nodes.v[i].exhausted_at].from_ms, rounds[i]);
	}
	assert_int_equal(f.notes.n, 1);
	assert_int_equal(f.notes.v[0].count, 3);
	facts_deinit(&f);
}

static void later_parts_win_the_options_they_give(void **state)
{
	(void)state;
	struct facts f, part;
	facts_init(&f);
	f.options.skew_ms = 1, f.options.setup_max_ms = 2, f.as_of_ms = 7;
	facts_init(&part);
	part.options.skew_ms = 0;
	part.options.count[FATE_TIMEOUT] = FATE_LOST;
	part.window = (struct span){ 10, 20 };
	part.has_scheduler = true;
	facts_append(&f, &part);
	assert_true(f.options.skew_ms == 0 && f.options.setup_max_ms == 2 && f.as_of_ms == 7);
	assert_int_equal(f.options.kept_saved, -1);
	assert_int_equal(f.options.count[FATE_TIMEOUT], FATE_LOST);
	assert_int_equal(f.options.count[FATE_CANCELLED], -1);
	assert_true(f.window.from_ms == 10 && f.window.to_ms == 20);
	assert_true(f.has_scheduler && !f.has_policy);
	facts_deinit(&part);
	facts_deinit(&f);
}

static void counts_all_rejects_and_shows_the_first(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	*vec_push(&f.inputs) = (struct input_info){ .name = facts_word(&f, S("a.csv")) };
	for (uint64_t i = 1; i <= REJECTS_SHOWN_MAX; i++)
		facts_reject(&f, i, "bad time '%s'", "x");
	assert_int_equal(f.rejects.n, REJECTS_SHOWN_MAX);
	facts_reject(&f, REJECTS_SHOWN_MAX + 1, "one more");
	assert_int_equal(f.rejects.n, REJECTS_SHOWN_MAX);
	assert_int_equal(f.inputs.v[0].rejected, REJECTS_SHOWN_MAX + 1);
	assert_int_equal(f.rejects.v[4].line, 5);
	assert_str(names_word(&f.names, f.rejects.v[4].reason), "bad time 'x'");
	assert_str(names_word(&f.names, f.rejects.v[4].input), "a.csv");
	facts_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_are_all_listed),
		cmocka_unit_test(starts_with_nothing_known),
		cmocka_unit_test(joins_parts_in_order),
		cmocka_unit_test(later_parts_win_the_options_they_give),
		cmocka_unit_test(counts_all_rejects_and_shows_the_first),
	};
	return RUN_TESTS(tests);
}
