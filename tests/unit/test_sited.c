/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/facts.h"
#include "intake/sited.h"
#include "lib/run.h"

static sym word(struct facts *f, const char *z)
{
	return facts_word(f, str_of(z));
}

static void device_add(struct facts *f, const char *id, const char *node, const char *number,
                       const char *model)
{
	*vec_push(&f->devices) = (struct device){ .id = word(f, id),
		                                  .node = word(f, node),
		                                  .number = word(f, number),
		                                  .model = word(f, model) };
}

static void counted_add(struct facts *f, const char *node, const char *model, uint32_t count,
                        enum capacity_state state)
{
	*vec_push(&f->capacity) = (struct capacity){ .pool = word(f, node),
		                                     .node = word(f, node),
		                                     .model = word(f, model),
		                                     .count = count,
		                                     .from_ms = 0,
		                                     .to_ms = 1000,
		                                     .state = state };
}

static void claim_add(struct facts *f, uint32_t job, enum claim_on on, const char *place)
{
	struct allocation_entry a = { .job = job,
		                      .on = on,
		                      .place = word(f, place),
		                      .count = 1,
		                      .share_num = 1,
		                      .share_den = 1,
		                      .from_ms = TIME_UNKNOWN,
		                      .to_ms = TIME_UNKNOWN };
	facts_add_allocation(f, &a);
}

static void is_word(const struct facts *f, sym id, const char *want)
{
	assert_str(names_word(&f->names, id), want);
}

/* Two of a node's four GPUs are read: the node is paid for once, and each number is somebody. */
static void devices_take_the_places_of_counted_ones(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	device_add(&f, "GPU-a", "n1", "1", "NVIDIA A100-SXM4-80GB");
	device_add(&f, "GPU-b", "n1", "3", "NVIDIA A100-SXM4-80GB");
	counted_add(&f, "n1", "a100", 4, CAPACITY_UP);
	counted_add(&f, "n1", "a100", 3, CAPACITY_DRAINING);
	counted_add(&f, "n2", "a100", 8, CAPACITY_UP);
	(void)facts_job(&f, S("1"));
	claim_add(&f, 0, CLAIM_GPU, "n1/3");
	claim_add(&f, 0, CLAIM_GPU, "n1/0");
	claim_add(&f, 0, CLAIM_GPU, "n2/0");
	sited_join(&f, true);
	assert_int_equal(f.devices.n, 4);
	is_word(&f, f.devices.v[2].id, "n1/unread 0");
	is_word(&f, f.devices.v[3].id, "n1/unread 2");
	is_word(&f, f.devices.v[3].model, "a100");
	assert_int_equal(f.capacity.n, 8); /* n2's stays one of 8 */
	assert_int_equal(f.capacity.v[0].count, 8);
	is_word(&f, f.capacity.v[1].device, "GPU-a");
	assert_true(f.capacity.v[1].count == 1 && !f.capacity.v[1].pool);
	is_word(&f, f.capacity.v[7].device, "n1/unread 0");
	assert_int_equal(f.capacity.v[7].state, CAPACITY_DRAINING);
	assert_int_equal(f.allocations.v[0].on, CLAIM_DEVICE);
	is_word(&f, f.allocations.v[0].place, "GPU-b");
	is_word(&f, f.allocations.v[1].place, "n1/unread 0");
	assert_int_equal(f.allocations.v[2].on, CLAIM_GPU); /* nobody reads n2 */
	facts_deinit(&f);
}

static size_t joined(struct facts *f)
{
	sited_join(f, true);
	size_t n = 0;
	for (size_t i = 0; i < f->capacity.n; i++)
		n += f->capacity.v[i].device != 0;
	facts_deinit(f);
	return n;
}

static void counts_that_do_not_go_with_the_devices_stay(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f); /* more than counted */
	device_add(&f, "a", "n1", "0", "");
	device_add(&f, "b", "n1", "1", "");
	counted_add(&f, "n1", "", 1, CAPACITY_UP);
	assert_int_equal(joined(&f), 0);
	facts_init(&f); /* of another kind */
	device_add(&f, "a", "n1", "0", "NVIDIA L4");
	counted_add(&f, "n1", "a100", 1, CAPACITY_UP);
	assert_int_equal(joined(&f), 0);
	facts_init(&f); /* one of several kinds */
	device_add(&f, "a", "n1", "0", "NVIDIA L4");
	counted_add(&f, "n1", "l4", 1, CAPACITY_UP);
	f.capacity.v[0].is_part = true;
	assert_int_equal(joined(&f), 0);
	facts_init(&f); /* paid for by its own name already */
	device_add(&f, "a", "n1", "0", "");
	counted_add(&f, "n1", "", 1, CAPACITY_UP);
	*vec_push(&f.capacity) = (struct capacity){ .device = f.devices.v[0].id, .to_ms = 1000 };
	assert_int_equal(joined(&f), 1);
	facts_init(&f); /* listed twice: one */
	device_add(&f, "a", "n1", "0", "");
	device_add(&f, "a", "n1", "0", "");
	counted_add(&f, "n1", "", 1, CAPACITY_UP);
	assert_int_equal(joined(&f), 1);
}

static void readings_are_of_the_only_machine(void **state)
{
	(void)state;
	struct facts f;
	static const struct {
		const char *list, *numbers[2], *node;
	} cases[] = { { "n[1-1]", { "0", "1" }, "n1" },
		      { "n[1-2]", { "0", "1" }, "" },
		      { "n1", { "0", "0" }, "" }, /* two machines' logs */
		      { "n1", { "", "" }, "n1" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		facts_init(&f);
		device_add(&f, "a", "", cases[i].numbers[0], "");
		device_add(&f, "b", "", cases[i].numbers[1], "");
		(void)facts_job(&f, S("1"));
		claim_add(&f, 0, CLAIM_NODES, cases[i].list);
		sited_join(&f, true);
		is_word(&f, f.devices.v[0].node, cases[i].node);
		is_word(&f, f.devices.v[1].node, cases[i].node);
		facts_deinit(&f);
	}
	facts_init(&f);
	device_add(&f, "a", "", "0", "");
	device_add(&f, "b", "n2", "0", "");
	counted_add(&f, "n1", "", 8, CAPACITY_UP);
	sited_join(&f, true);
	is_word(&f, f.devices.v[0].node, "");
	facts_deinit(&f);
}

static void a_number_of_two_devices_is_of_none(void **state)
{
	(void)state;
	struct facts f;
	facts_init(&f);
	device_add(&f, "a", "n1", "0", "");
	device_add(&f, "b", "n1", "0", "");
	device_add(&f, "c", "n1", "1", "");
	(void)facts_job(&f, S("1"));
	claim_add(&f, 0, CLAIM_GPU, "n1/0");
	claim_add(&f, 0, CLAIM_GPU, "n1/1");
	sited_join(&f, false);
	assert_int_equal(f.allocations.v[0].on, CLAIM_GPU);
	assert_int_equal(f.allocations.v[1].on, CLAIM_DEVICE);
	assert_str(claim_gpu_node(S("a/b/12")), "a/b");
	assert_str(claim_gpu_node(S("12")), "");
	facts_deinit(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_take_the_places_of_counted_ones),
		cmocka_unit_test(counts_that_do_not_go_with_the_devices_stay),
		cmocka_unit_test(readings_are_of_the_only_machine),
		cmocka_unit_test(a_number_of_two_devices_is_of_none),
	};
	return RUN_TESTS(tests);
}
