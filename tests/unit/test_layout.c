/* SPDX-License-Identifier: Apache-2.0 */
#include "account/layout.h"
#include "account/meter.h"
#include "lib/run.h"

static void instance_add(struct facts *f, const char *id, uint32_t slices, int64_t from_ms,
                         int64_t to_ms)
{
	*vec_push(&f->instances) = (struct instance){ .id = facts_word(f, str_of(id)),
		                                      .device = facts_word(f, S("g")),
		                                      .slices = slices,
		                                      .from_ms = from_ms,
		                                      .to_ms = to_ms };
}

static bool divide(struct facts *f, uint32_t slices, struct layout *ret)
{
	struct layouts l = { .v = { 0 } };
	layouts_build(&l, f);
	bool ok = layout_of(&l, facts_word(f, S("g")), slices, ret);
	layouts_deinit(&l);
	return ok;
}

static void is_part(const struct facts *f, const struct layout_part *p, const char *id,
                    uint32_t sevenths, int64_t from_ms, int64_t to_ms)
{
	assert_str(names_word(&f->names, p->instance), id);
	assert_int_equal(p->weight, GRID / 7 * sevenths);
	assert_true(p->exists.from_ms == from_ms && p->exists.to_ms == to_ms);
}

static void a_change_ends_and_starts_parts(void **state)
{
	(void)state;
	struct facts f;
	struct layout l = { .v = { 0 } };
	facts_init(&f);
	instance_add(&f, "a", 3, TIME_UNKNOWN, 10);
	instance_add(&f, "b", 4, TIME_UNKNOWN, 20);
	instance_add(&f, "c", 2, 10, TIME_UNKNOWN);
	assert_true(divide(&f, 7, &l));
	assert_int_equal(l.v.n, 5);
	is_part(&f, &l.v.v[0], "a", 3, INT64_MIN, 10);
	is_part(&f, &l.v.v[1], "b", 4, INT64_MIN, 20);
	is_part(&f, &l.v.v[2], "c", 2, 10, INT64_MAX);
	is_part(&f, &l.v.v[3], "", 1, 10, 20);
	is_part(&f, &l.v.v[4], "", 5, 20, INT64_MAX);
	vec_deinit(&l.v);
	facts_deinit(&f);
}

static void inputs_that_name_one_instance_are_one(void **state)
{
	(void)state;
	struct facts f;
	struct layout l = { .v = { 0 } };
	facts_init(&f);
	instance_add(&f, "a", 0, TIME_UNKNOWN, TIME_UNKNOWN); /* who knows no size */
	instance_add(&f, "a", 7, 15, 30);
	instance_add(&f, "a", 7, 0, 15);
	assert_true(divide(&f, 7, &l));
	assert_int_equal(l.v.n, 3);
	is_part(&f, &l.v.v[0], "a", 7, 0, 30);
	is_part(&f, &l.v.v[1], "", 7, INT64_MIN, 0);
	is_part(&f, &l.v.v[2], "", 7, 30, INT64_MAX);
	vec_deinit(&l.v);
	facts_deinit(&f);
}

static void shares_that_do_not_fit_are_unknown(void **state)
{
	(void)state;
	struct facts f;
	struct layout l = { .v = { 0 } };
	facts_init(&f);
	assert_true(divide(&f, 7, &l)); /* no instance: all of it is left */
	assert_int_equal(l.v.n, 1);
	instance_add(&f, "a", 4, 0, 10);
	instance_add(&f, "b", 4, 10, 20);
	assert_true(divide(&f, 7, &l));
	assert_false(divide(&f, 0, &l)); /* a chip that nobody knows */
	instance_add(&f, "c", 4, 5, 6);
	assert_false(divide(&f, 7, &l));
	f.instances.n = 2;
	instance_add(&f, "c", 0, 30, 40); /* of a size that nobody knows */
	assert_false(divide(&f, 7, &l));
	f.instances.n = 2;
	instance_add(&f, "c", 8, 30, 40);
	assert_false(divide(&f, 7, &l));
	f.instances.n = 2;
	instance_add(&f, "g", 0, 30, 40); /* out of MIG mode */
	assert_true(divide(&f, 7, &l));
	is_part(&f, &l.v.v[0], "g", 7, 30, 40); /* its word is the oldest */
	vec_deinit(&l.v);
	facts_deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_ends_and_starts_parts),
		cmocka_unit_test(inputs_that_name_one_instance_are_one),
		cmocka_unit_test(shares_that_do_not_fit_are_unknown),
	};
	return RUN_TESTS(tests);
}
