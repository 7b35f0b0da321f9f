/* SPDX-License-Identifier: Apache-2.0 */
/* Machines of readings and machines of jobs. */
#include "account/met.h"

#include "lib/run.h"

static sym word(struct facts *f, const char *z)
{
	return *z ? facts_word(f, str_of(z)) : 0;
}

/* One device on DEVICE's machine, one job on HELD; what is SAME. */
static void expect(const char *device, enum claim_on on, const char *held, bool same)
{
	struct facts f = { 0 };
	facts_init(&f);
	*vec_push(&f.devices) =
	        (struct device){ .id = word(&f, "GPU-1"), .node = word(&f, device) };
	*vec_push(&f.allocations) = (struct allocation){ .place = word(&f, held), .on = on };
	struct met met = met_look(&f);
	assert_int_equal(met.same, same);
	assert_true(met.read == word(&f, device));
	assert_true(met.held == (on == CLAIM_NODE || on == CLAIM_NODES ? word(&f, held) : 0));
	facts_deinit(&f);
}

static void a_machine_is_known_by_its_name_alone(void **state)
{
	(void)state;
	expect("n1", CLAIM_NODE, "n1", true);
	expect("n1", CLAIM_NODE, "n1.example", false);
	expect("n1", CLAIM_NODES, "n1", true);
	expect("n2", CLAIM_NODES, "n[1-3],m1", true);
	expect("n4", CLAIM_NODES, "n[1-3],m1", false);
	expect("n1", CLAIM_NODES, "n[1-", false); /* no list */
	expect("", CLAIM_NODE, "n1", false);
	expect("n1", CLAIM_POOL, "n1", false); /* a pool is no machine */
	expect("n1", CLAIM_DEVICE, "GPU-1", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_is_known_by_its_name_alone),
	};
	return RUN_TESTS(tests);
}
