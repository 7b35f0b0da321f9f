/* SPDX-License-Identifier: Apache-2.0 */
/* That the meter as time passes agrees with a batch is shown by tests/oracle/online.c; here: that
   it forgets, and what its state is if it is none. */
#include <stdio.h>

#include "agent/live.h"

#include "lib/run.h"

#define DEVICES 4

static sym device(struct facts *f, unsigned i)
{
	char id[16];
	snprintf(id, sizeof id, "g%u", i);
	return facts_word(f, str_of(id));
}

/* A job of a minute on each device, one after the other, and a reading of each device. */
static void tick(struct live *l, int64_t t_ms)
{
	struct facts f;
	facts_init(&f);
	for (unsigned i = 0; i < DEVICES; i++) {
		struct sample *s = facts_sample(&f, device(&f, i), t_ms);
		s->period_ms = 1000;
		sample_know(s, METRIC_sm, t_ms / 7000 % 3 ? 50000000 : 0);
		sample_know(s, METRIC_energy, t_ms * 300);
		*vec_push(&f.devices) = (struct device){ .id = device(&f, i) };
		if (t_ms % 60000)
			continue;
		struct job_entry e = job_entry_unknown();
		char id[32];
		snprintf(id, sizeof id, "%u.%lld", i, (long long)t_ms);
		e.id = str_of(id);
		e.submit_ms = e.start_ms = t_ms;
		e.end_ms = t_ms + 59000;
		e.outcome = OUTCOME_COMPLETED;
		e.gpus = 1;
		e.is_slurm = true;
		struct allocation_entry a = { .job = facts_add_job(&f, &e),
			                      .on = CLAIM_DEVICE,
			                      .place = device(&f, i),
			                      .count = 1,
			                      .share_num = 1,
			                      .share_den = 1,
			                      .from_ms = TIME_UNKNOWN,
			                      .to_ms = TIME_UNKNOWN };
		facts_add_allocation(&f, &a);
	}
	*vec_push(&f.scheduler) = (struct span){ t_ms - 1000, t_ms };
	live_add(l, &f);
	facts_deinit(&f);
}

static i128 play(struct live *l, int64_t from_ms, int64_t to_ms)
{
	i128 units = 0;
	for (int64_t t = from_ms; t <= to_ms; t += 1000) {
		const struct ledger *part;
		struct err err = { 0 };
		tick(l, t);
		assert_int_equal(live_step(l, t, &part, &err), ERR_OK);
		units += part ? part->paid_units : 0;
	}
	return units;
}

static void memory_does_not_grow_with_time(void **state)
{
	(void)state;
	struct live l;
	live_init(&l, 0);
	i128 hour = play(&l, 1000, 3600000);
	size_t words = live_words(&l), samples = l.f.samples.n, room = facts_room_bytes(&l.f);
	i128 rest = play(&l, 3601000, 4 * 3600000);
	assert_true(live_words(&l) <= 2 * words + LIVE_WORDS_MIN);
	assert_true(l.f.samples.n <= samples + DEVICES);
	assert_true(l.f.samples.n <= DEVICES * 20);
	assert_true(facts_room_bytes(&l.f) <= 2 * room);
	assert_true(l.f.jobs.n <= 3 * DEVICES && l.f.devices.n <= 2 * DEVICES &&
	            l.f.scheduler.n <= 2 && l.carry.setups.n <= 3 * DEVICES);
	/* jobs hold 59 s of each minute, and what is decided of the last is a hold less */
	assert_true(hour > 0 && rest > 2 * hour && rest < 4 * hour);
	assert_int_equal(l.late, 0);
	live_deinit(&l);
}

static void late_samples_are_counted(void **state)
{
	(void)state;
	struct live l;
	live_init(&l, 0);
	(void)play(&l, 1000, 60000);
	tick(&l, 2000);
	assert_int_equal(l.late, DEVICES);
	live_deinit(&l);
}

static void a_state_that_is_none_is_an_error(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{\"live\": 2, \"settled\": 0, \"period\": 0, \"late\": 0, \"facts\": {}}",
		"{\"live\": 1, \"period\": 0, \"late\": 0, \"facts\": {}}",
		"{\"live\": 1, \"settled\": 0, \"period\": 0, \"late\": 0, \"facts\": "
		"{\"devices\": [{}]}}",
		"{\"live\": 1, \"settled\": 0, \"period\": 0, \"late\": 0, \"facts\": {}, "
		"\"setups\": [[0, \"g\", 0, 0, null, null]]}",
		"{\"live\": 1, \"settled\": 0, \"period\": 0, \"late\": 0, \"facts\": {}, "
		"\"energies\": [[\"g\", 0, 2000]]}",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct live l;
		struct err err = { 0 };
		assert_int_equal(live_restore(&l, str_of(bad[i]), &err), ERR_INPUT);
		assert_true(err.text[0] != 0);
		live_deinit(&l);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_does_not_grow_with_time),
		cmocka_unit_test(late_samples_are_counted),
		cmocka_unit_test(a_state_that_is_none_is_an_error),
	};
	return RUN_TESTS(tests);
}
