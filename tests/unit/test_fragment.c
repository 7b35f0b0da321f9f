/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each mix is worked out by hand in the comment beside it, in thousandths of a GPU as FGD counts:
 * idle = what is free; per task its class, weight x amount; q3 is the only one that is no fragment.
 */
#include "account/fragment.h"

#include "lib/run.h"

#define ANY ROOM_ANY
enum { PARTS_MAX = 8, TASKS_MAX = 4 };

struct mix {
	const char *name;
	int64_t whole;                 /* free devices of 1000 */
	int64_t parts[PARTS_MAX];      /* what is left of others; 0 ends them */
	int64_t cpu_milli, memory_mib; /* left; ANY: not known */
	struct {
		int64_t gpus, share, cpu_milli, memory_mib, weight;
		bool accepts;
	} tasks[TASKS_MAX]; /* weight 0 ends them */
	int64_t q1, q2, q3, q4, na, xl, xr;
};

static const struct mix mixes[] = {
	/* 1: one whole GPU of two free: 2 >= 1 devices, 8000 >= 4000 CPUs: all 2000 usable */
	{ "whole GPU fits", 2, { 0 }, 8000, ANY, { { 1, 1000, 4000, 0, 1, true } }, .q3 = 2000 },
	/* 2: 4 wanted, 2 free: q2 2000 */
	{ "multi-GPU, too few",
	  2,
	  { 0 },
	  64000,
	  ANY,
	  { { 4, 1000, 8000, 0, 1, true } },
	  .q2 = 2000 },
	/* 3: 2 GPUs are there, 3000 < 4000 CPUs: q4 2000 */
	{ "CPUs gone", 2, { 0 }, 3000, ANY, { { 2, 1000, 4000, 0, 1, true } }, .q4 = 2000 },
	/* 4: 1 < 2 devices and 0 < 1000 CPUs: q1 1000 */
	{ "both gone", 1, { 0 }, 0, ANY, { { 2, 1000, 1000, 0, 1, true } }, .q1 = 1000 },
	/* 5: another type of GPU: all 3000 is na, whatever else */
	{ "type not accepted", 3, { 0 }, 0, ANY, { { 1, 1000, 1000, 0, 1, false } }, .na = 3000 },
	/* 6: without GPUs, 4000 >= 2000: xl, and all 2000 idle is fragment to it */
	{ "CPU-only, fits", 2, { 0 }, 4000, ANY, { { 0, 0, 2000, 0, 1, true } }, .xl = 2000 },
	/* 7: without GPUs, 1000 < 2000: xr 2000; its type does not matter */
	{ "CPU-only, does not", 2, { 0 }, 1000, ANY, { { 0, 0, 2000, 0, 1, false } }, .xr = 2000 },
	/* 8: share 460 on [1000, 500, 300]: two devices have it (1000, 500) >= 1; 300 < 460 is q2;
	   q3 = 1800 - 300 */
	{ "share, a crumb is left",
	  1,
	  { 500, 300 },
	  8000,
	  ANY,
	  { { 1, 460, 1000, 0, 1, true } },
	  .q2 = 300,
	  .q3 = 1500 },
	/* 9: whole GPU on [700, 700]: no device has 1000: q2 1400 */
	{ "whole GPU on crumbs",
	  0,
	  { 700, 700 },
	  8000,
	  ANY,
	  { { 1, 1000, 1000, 0, 1, true } },
	  .q2 = 1400 },
	/* 10: 512 MiB of 2048 wanted, CPUs enough: q4 1000 */
	{ "memory gone", 1, { 0 }, 8000, 512, { { 1, 1000, 1000, 2048, 1, true } }, .q4 = 1000 },
	/* 11: memory gone and only 1 of 2 GPUs: q1 1000 */
	{ "memory and GPUs gone",
	  1,
	  { 0 },
	  8000,
	  512,
	  { { 2, 1000, 1000, 2048, 1, true } },
	  .q1 = 1000 },
	/* 12: CPUs and memory not known: they are not asked: q3 1000 */
	{ "room not known",
	  1,
	  { 0 },
	  ANY,
	  ANY,
	  { { 1, 1000, 99000, 99000, 1, true } },
	  .q3 = 1000 },
	/* 13: MIG: instances of 3/7 and 1/7 free (429, 143); 1g wants 143: both have it: q3 572;
	   3g wants 429: one has it, 143 is q2 and 429 q3; a whole GPU: q2 572. Weights 5, 3, 2:
	   q2 = 3 x 143 + 2 x 572 = 1573; q3 = 5 x 572 + 3 x 429 = 4147; together 10 x 572 */
	{ "MIG instances",
	  0,
	  { 429, 143 },
	  ANY,
	  ANY,
	  { { 1, 143, 0, 0, 5, true }, { 1, 429, 0, 0, 3, true }, { 1, 1000, 0, 0, 2, true } },
	  .q2 = 1573,
	  .q3 = 4147 },
	/* 14: every class at once on [1000, 1000, 400], 6000 CPUs, idle 2400:
	   1 GPU, 4000 CPUs, weight 6: q3 6 x 2000, and 400 < 1000: q2 6 x 400
	   4 GPUs, 4000 CPUs, weight 2: q2 2 x 2400
	   2 GPUs, 8000 CPUs, weight 1: q4 2400
	   another type, weight 1: na 2400
	   q2 = 2400 + 4800 = 7200; sum 12000 + 7200 + 2400 + 2400 = 24000 = 10 x 2400 */
	{ "a mix",
	  2,
	  { 400 },
	  6000,
	  ANY,
	  { { 1, 1000, 4000, 0, 6, true },
	    { 4, 1000, 4000, 0, 2, true },
	    { 2, 1000, 8000, 0, 1, true },
	    { 1, 1000, 1000, 0, 1, false } },
	  .q2 = 7200,
	  .q3 = 12000,
	  .q4 = 2400,
	  .na = 2400 },
	/* 15: nothing is free: nothing is lost */
	{ "nothing free", 0, { 0 }, 8000, ANY, { { 1, 1000, 1000, 0, 7, true } }, .q3 = 0 },
	/* 16: the typed node of openb's first row when empty: 2 P100, 64 CPUs. 8 GPUs, 96 CPUs,
	   weight 3: q1 6000; half a GPU, 6 CPUs, weight 4: q3 8000 */
	{ "openb-node-0000",
	  2,
	  { 0 },
	  64000,
	  262144,
	  { { 8, 1000, 96000, 1024, 3, true }, { 1, 500, 6000, 12288, 4, true } },
	  .q1 = 6000,
	  .q3 = 8000 },
	/* 17: exactly as much as is wanted, of everything, suffices */
	{ "exact", 2, { 0 }, 4000, 2048, { { 2, 1000, 4000, 2048, 1, true } }, .q3 = 2000 },
	/* 18: a share that two devices must have, 600 each of [1000, 500]: one has it: q2 1500 */
	{ "two shares", 1, { 500 }, 8000, ANY, { { 2, 600, 0, 0, 1, true } }, .q2 = 1500 },
};

static struct fragment_node node_of(const struct mix *m)
{
	size_t n = 0;
	while (n < PARTS_MAX && m->parts[n])
		n++;
	return (struct fragment_node){ .whole = m->whole,
		                       .unit = 1000,
		                       .parts = m->parts,
		                       .parts_n = n,
		                       .left = { m->cpu_milli, m->memory_mib } };
}

static void every_class_as_by_hand(void **state)
{
	(void)state;
	bool seen[FRAGMENT_CLASSES] = { false };
	for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
		const struct mix *m = &mixes[i];
		const int64_t want[FRAGMENT_CLASSES] = { m->q1, m->q2, m->q3, m->q4,
			                                 m->na, m->xl, m->xr };
		struct fragment_node n = node_of(m);
		i128 got[FRAGMENT_CLASSES] = { 0 };
		for (size_t k = 0; k < TASKS_MAX && m->tasks[k].weight; k++) {
			const struct fragment_task t = { m->tasks[k].gpus,
				                         m->tasks[k].share,
				                         { m->tasks[k].cpu_milli,
				                           m->tasks[k].memory_mib } };
			fragment_add(&n, &t, m->tasks[k].accepts, m->tasks[k].weight, got);
		}
		for (int c = 0; c < FRAGMENT_CLASSES; c++) {
			if ((int64_t)got[c] != want[c])
				fail_msg("%s: %s is %lld, not %lld", m->name, fragment_names[c],
				         (long long)got[c], (long long)want[c]);
			seen[c] |= want[c] > 0;
		}
	}
	for (int c = 0; c < FRAGMENT_CLASSES; c++)
		assert_true(seen[c]);
}

/* A10: 2 nodes and a mix of two pod types by the Go code's rule. Node a: idle 8000 CPUs, GPUs
   [1000, 250]; node b: 1000 CPUs, [1000]. Types: (4000 CPUs, 1 x 1000), p 0.75, and (500 CPUs,
   1 x 200), p 0.25; as weights 3 and 1.
     a: 1 x 1000: q3 3 x 1000, crumb 250: q2 3 x 250; 1 x 200: q3 1250
     b: 1 x 1000: CPUs lack: q4 3 x 1000; 1 x 200: q3 1000
   fragment = (750 + 3000) / 4 = 937.5 of idle 2250: 41.67 % */
static void the_share_of_a_fleet(void **state)
{
	(void)state;
	static const int64_t crumb[] = { 250 };
	static const struct fragment_node nodes[] = { { 1, 1000, crumb, 1, { 8000, ANY } },
		                                      { 1, 1000, NULL, 0, { 1000, ANY } } };
	static const struct fragment_task tasks[] = { { 1, 1000, { 4000, 0 } },
		                                      { 1, 200, { 500, 0 } } };
	static const int64_t weights[] = { 3, 1 };
	struct fragment x = { .tasks = 4, .idle = 2250 };
	for (size_t n = 0; n < 2; n++)
		for (size_t t = 0; t < 2; t++)
			fragment_add(&nodes[n], &tasks[t], true, weights[t], x.classes);
	assert_true(x.classes[FRAGMENT_LACKS_GPU] == 750);
	assert_true(x.classes[FRAGMENT_LACKS_ROOM] == 3000);
	assert_true(x.classes[FRAGMENT_USABLE] == 3000 + 1250 + 1000);
	assert_true(fragment_units(&x) == 937.5);
	x.tasks = 0;
	assert_true(fragment_units(&x) == 0);
}

/* What FGD's authors print of a full fleet of 6,212 GPUs: thousands of milli-GPUs by class. */
static void published_classes_add_up(void **state)
{
	(void)state;
	struct fragment x = { .tasks = 1, .classes = { 13843, 8586, 123, 2728, 0, 606, 3373 } };
	assert_true(fragment_units(&x) == 29136); /* they say 291.36, of 292.59 idle */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_class_as_by_hand),
		cmocka_unit_test(the_share_of_a_fleet),
		cmocka_unit_test(published_classes_add_up),
	};
	return RUN_TESTS(tests);
}
