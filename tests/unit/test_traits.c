/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/facts.h"
#include "lib/run.h"

static void equal_traits_have_one_number(void **state)
{
	(void)state;
	struct traits t = { 0 };
	uint32_t numbers[1000];
	for (uint32_t i = 0; i < 1000; i++) {
		struct job_traits one = JOB_TRAITS_UNKNOWN;
		one.user = 1 + i % 500;
		one.cpus = i % 500 / 250;
		numbers[i] = traits_add(&t, &one);
		assert_int_equal(traits_at(&t, numbers[i]).user, one.user);
	}
	assert_int_equal(t.owners.n, 501); /* the first: nothing is known */
	assert_int_equal(t.shapes.n, 3);
	for (uint32_t i = 0; i < 500; i++)
		assert_int_equal(numbers[i], numbers[i + 500]);
	assert_int_equal(traits_at(&t, 0).cpus, COUNT_UNKNOWN);
	assert_int_equal(traits_at(&t, 0).models.n, 0);
	traits_deinit(&t);
}

/* More shapes, then more owners, than a number has bits for. */
static void there_may_be_any_number_of_them(void **state)
{
	(void)state;
	const uint32_t shapes = (1u << TRAITS_SHAPE_BITS) + 5,
	               owners = (1u << TRAITS_OWNER_BITS) + 5;
	struct traits t = { 0 };
	struct job_traits one = JOB_TRAITS_UNKNOWN;
	for (uint32_t i = 0; i < shapes; i++) {
		one.cpus = i, one.user = i % 3;
		struct job_traits got = traits_at(&t, traits_add(&t, &one));
		assert_true(got.cpus == i && got.user == i % 3 && got.restarts == UINT32_MAX);
	}
	assert_true(t.pairs.n > 0);
	one = JOB_TRAITS_UNKNOWN;
	for (uint32_t i = 0; i < owners; i++) {
		one.run = i;
		struct job_traits got = traits_at(&t, traits_add(&t, &one));
		assert_true(got.run == i && got.cpus == UINT32_MAX);
	}
	traits_deinit(&t);
}

static void equal_lists_are_at_one_place(void **state)
{
	(void)state;
	struct traits t = { 0 };
	const sym words[] = { 5, 6, 7 };
	struct word_list a = traits_list(&t, words, 3), b = traits_list(&t, words, 2);
	struct word_list c = traits_list(&t, words + 1, 2), d = traits_list(&t, words, 3);
	assert_true(a.at == d.at && a.n == d.n && a.n == 3 && b.n == 2);
	assert_int_equal(t.lists.v[b.at + 1], 6);
	assert_int_equal(t.lists.v[c.at + 1], 7);
	assert_int_equal(traits_list(&t, words, 0).n, 0);
	traits_deinit(&t);
}

static void a_priority_of_any_size_is_kept(void **state)
{
	(void)state;
	static const int64_t v[] = { 0,         -1,        INT32_MAX,       INT32_MIN,
		                     INT64_MAX, INT64_MIN, INT32_MIN + 1ll, INT32_MAX + 1ll };
	struct facts f;
	facts_init(&f);
	struct job *j = facts_job(&f, S("1"));
	for (size_t i = 0; i < sizeof v / sizeof *v; i++) {
		job_set_priority(&f, j, v[i]);
		assert_true(job_priority(&f, j) == v[i]);
	}
	job_set_priority(&f, j, 7);
	assert_true(job_traits(&f, j).priority == 0); /* nothing is left behind */
	facts_deinit(&f);
}

/* Of any length and any bytes, after others. */
static void ids_are_kept_to_the_byte(void **state)
{
	(void)state;
	static char z[20000];
	static const size_t lengths[] = { 0, 1, 127, 128, 129, 16383, 16384, 20000 };
	const size_t n = sizeof lengths / sizeof *lengths;
	struct facts f;
	facts_init(&f);
	for (size_t i = 0; i < sizeof z; i++)
		z[i] = (char)(i * 7);
	for (size_t i = 0; i < n; i++)
		facts_job(&f, (struct str){ z, lengths[i] });
	for (size_t i = 0; i < n; i++) {
		struct str id = job_id(&f, &f.jobs.v[i]);
		assert_true(str_eq(id, (struct str){ z, lengths[i] }) && id.p[id.n] == '\0');
	}
	facts_deinit(&f);
}

static void an_entry_that_is_put_in_comes_out(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	struct job_entry e = job_entry_unknown();
	e.id = S("7");
	e.user = facts_word(&f, S("ann"));
	*vec_push(&f.syms) = facts_word(&f, S("x"));
	*vec_push(&f.syms) = facts_word(&f, S("H100"));
	e.models_at = 1, e.models_n = 1;
	e.priority = (int64_t)1 << 40, e.restarts = 2, e.start_ms = 5, e.is_policy = true;
	assert_int_equal(facts_add_job(&f, &e), 0);
	const struct job_entry got = job_entry_of(&f, f.jobs.v);
	assert_str(got.id, "7");
	assert_true(got.user == e.user && got.priority == e.priority && got.restarts == 2);
	assert_true(got.start_ms == 5 && got.end_ms == TIME_UNKNOWN && got.is_policy);
	assert_true(!got.is_slurm && got.cpus == COUNT_UNKNOWN && got.models_n == 1);
	assert_str(names_word(&f.names, f.traits.lists.v[got.models_at]), "H100");
	facts_deinit(&f);
}

static void only_what_is_not_whole_has_a_portion(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	struct allocation_entry e = { .on = CLAIM_POOL,
		                      .count = 3,
		                      .share_num = 1,
		                      .share_den = 1,
		                      .from_ms = TIME_UNKNOWN,
		                      .to_ms = TIME_UNKNOWN };
	facts_add_allocation(&f, &e);
	e.share_den = 2;
	facts_add_allocation(&f, &e);
	facts_add_allocation(&f, &e);
	e.to_ms = 9;
	facts_add_allocation(&f, &e);
	assert_int_equal(f.portions.n, 2); /* the same again is not kept again */
	for (int i = 0; i < 4; i++) {
		const struct allocation_entry got = allocation_entry_of(&f, &f.allocations.v[i]);
		assert_true(got.on == CLAIM_POOL && got.count == 3 && got.share_num == 1);
		assert_int_equal(got.share_den, i ? 2 : 1);
		assert_true(got.to_ms == (i == 3 ? 9 : TIME_UNKNOWN));
	}
	facts_deinit(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_traits_have_one_number),
		cmocka_unit_test(there_may_be_any_number_of_them),
		cmocka_unit_test(equal_lists_are_at_one_place),
		cmocka_unit_test(a_priority_of_any_size_is_kept),
		cmocka_unit_test(ids_are_kept_to_the_byte),
		cmocka_unit_test(an_entry_that_is_put_in_comes_out),
		cmocka_unit_test(only_what_is_not_whole_has_a_portion),
	};
	return RUN_TESTS(tests);
}
