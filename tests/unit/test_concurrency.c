/* SPDX-License-Identifier: Apache-2.0 */
#include "account/meter.h"
#include "lib/run.h"

enum { CLAIMS = 3000, UNTIL = 1000000 };

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

struct world {
	struct facts f;
	struct meter m;
};

static void hold(struct world *w, int64_t from_ms, int64_t to_ms, uint32_t gpus)
{
	facts_add_allocation(&w->f, &(struct allocation_entry){ .on = CLAIM_POOL,
	                                                        .count = gpus,
	                                                        .share_num = 1,
	                                                        .share_den = 1,
	                                                        .from_ms = TIME_UNKNOWN,
	                                                        .to_ms = TIME_UNKNOWN });
	*vec_push(&w->m.claims) = (struct claim){ .from_ms = from_ms,
		                                  .to_ms = to_ms,
		                                  .entry = (uint32_t)w->f.allocations.n - 1,
		                                  .size = gpus,
		                                  .target = TARGET_POOL };
}

static void begin(struct world *w)
{
	*w = (struct world){ 0 };
	facts_init(&w->f);
	w->m.f = &w->f;
	w->m.window = (struct span){ 0, UNTIL };
}

static void end(struct world *w)
{
	vec_deinit(&w->m.claims);
	facts_deinit(&w->f);
}

/* Where a claim begins, more are held than just before: the most is at one of them. */
static uint32_t count_all(const struct world *w)
{
	uint32_t most = 0;
	for (size_t i = 0; i < w->m.claims.n; i++) {
		const struct claim *at = &w->m.claims.v[i];
		uint32_t now = 0;
		for (size_t k = 0; k < w->m.claims.n; k++) {
			const struct claim *c = &w->m.claims.v[k];
			if (c->from_ms <= at->from_ms && at->from_ms < c->to_ms)
				now += c->size;
		}
		most = now > most ? now : most;
	}
	return most;
}

static void counts_as_one_by_one(void **state)
{
	(void)state;
	static const uint32_t longest[] = { 2, 50, UNTIL / 10, UNTIL };
	for (uint32_t round = 0; round < 12; round++) {
		struct world w;
		uint32_t seed = round, spread = round % 3 ? UNTIL : 30;
		begin(&w);
		for (int i = 0; i < CLAIMS; i++) {
			int64_t from_ms = next(&seed) % spread;
			hold(&w, from_ms, from_ms + 1 + next(&seed) % longest[round % 4],
			     1 + next(&seed) % 64);
		}
		assert_int_equal(concurrency_most(&w.m), count_all(&w));
		end(&w);
	}
}

static void who_comes_takes_the_place_of_who_leaves(void **state)
{
	(void)state;
	struct world w;
	begin(&w);
	assert_int_equal(concurrency_most(&w.m), 0);
	hold(&w, 10, 20, 4);
	hold(&w, 20, 30, 3);
	assert_int_equal(concurrency_most(&w.m), 4);
	hold(&w, 29, 40, 3);
	assert_int_equal(concurrency_most(&w.m), 6);
	hold(&w, UNTIL, UNTIL + 9, 100); /* not in the window */
	assert_int_equal(concurrency_most(&w.m), 6);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_as_one_by_one),
		cmocka_unit_test(who_comes_takes_the_place_of_who_leaves),
	};
	return RUN_TESTS(tests);
}
