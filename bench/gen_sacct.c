/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_sacct: an sacct dump of any length, for speed measurements. Seeded; the same on every
 * machine.
 *
 *     gen_sacct ROWS [SEED] > FILE
 *
 * Columns as `sacct -a -P -D`. A job has a row and, where it started, a .batch and often .extern
 * and .0 rows; most jobs have GPUs. Jobs never ask for more than a node has per node, but nodes are
 * not simulated: there is no capacity to hold this against. A few rows are cut short on purpose
 * (a dump through a broken pipe), so that rejects are counted too.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES = 1200,
	NODE_GPUS = 8,
	NODE_CPUS = 96,
	USERS = 400,
	ACCOUNTS = 40,
	BROKEN_EVERY = 200000,
	OUT_BYTES = 1 << 20,
	LINE_MAX_BYTES = 1024,
};
#define FIRST_SUBMIT INT64_C(1767225600) /* 2026-01-01 */

struct out {
	char *buffer;
	size_t n;
};

static uint64_t rng_next(uint64_t *s)
{
	uint64_t z = *s += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static uint32_t rng_below(uint64_t *s, uint32_t n)
{
	return (uint32_t)((rng_next(s) >> 32) * n >> 32);
}

static void put(struct out *o, const char *text)
{
	size_t n = strlen(text);

	memcpy(o->buffer + o->n, text, n);
	o->n += n;
}

static void put_char(struct out *o, char c)
{
	o->buffer[o->n++] = c;
}

static void put_number(struct out *o, uint64_t v, int width)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v || n < width);
	while (n)
		put_char(o, digits[--n]);
}

static void put_time(struct out *o, int64_t t)
{
	/* days to civil date, proleptic Gregorian, era of 400 years */
	int64_t z = t / 86400 + 719468;
	int64_t era = z / 146097, doe = z % 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
	int64_t day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
	int64_t s = t % 86400;

	put_number(o, (uint64_t)(yoe + era * 400 + (month <= 2)), 4);
	put_char(o, '-');
	put_number(o, (uint64_t)month, 2);
	put_char(o, '-');
	put_number(o, (uint64_t)day, 2);
	put_char(o, 'T');
	put_number(o, (uint64_t)(s / 3600), 2);
	put_char(o, ':');
	put_number(o, (uint64_t)(s % 3600 / 60), 2);
	put_char(o, ':');
	put_number(o, (uint64_t)(s % 60), 2);
}

static void put_elapsed(struct out *o, int64_t s)
{
	if (s >= 86400) {
		put_number(o, (uint64_t)(s / 86400), 1);
		put_char(o, '-');
	}
	put_number(o, (uint64_t)(s % 86400 / 3600), 2);
	put_char(o, ':');
	put_number(o, (uint64_t)(s % 3600 / 60), 2);
	put_char(o, ':');
	put_number(o, (uint64_t)(s % 60), 2);
}

struct job {
	uint64_t id;
	int64_t submit, eligible, start, end, seen; /* seen: when the dump was made */
	uint32_t user, account, gpus, cpus, nodes, first_node, priority, restarts;
	const char *state, *exit, *name, *partition;
	bool started, ended;
};

static void put_tres(struct out *o, const struct job *j, uint32_t gpus, uint32_t cpus,
                     uint32_t nodes, bool is_job)
{
	put(o, "cpu=");
	put_number(o, cpus, 1);
	if (gpus) {
		bool typed = is_job && (j->id & 3);

		put(o, typed ? ",gres/gpu:h100=" : ",gres/gpu=");
		put_number(o, gpus, 1);
		if (typed && (j->id & 1)) {
			put(o, ",gres/gpu=");
			put_number(o, gpus, 1);
		}
	}
	if (is_job) {
		put(o, ",mem=");
		put_number(o, cpus * 10, 1);
		put_char(o, 'G');
	}
	put(o, ",node=");
	put_number(o, nodes, 1);
}

static void put_nodes(struct out *o, const struct job *j, uint32_t nodes)
{
	put(o, "gpu-");
	if (nodes > 1)
		put_char(o, '[');
	put_number(o, j->first_node, 4);
	if (nodes > 1) {
		put_char(o, '-');
		put_number(o, j->first_node + nodes - 1, 4);
		put_char(o, ']');
	}
}

/* |Start|End|Elapsed|State|ExitCode| */
static void put_fate(struct out *o, const struct job *j)
{
	put_char(o, '|');
	if (j->started)
		put_time(o, j->start);
	else
		put(o, j->ended ? "None" : "Unknown");
	put_char(o, '|');
	if (j->ended)
		put_time(o, j->end);
	else
		put(o, "Unknown");
	put_char(o, '|');
	put_elapsed(o, j->started ? (j->ended ? j->end : j->seen) - j->start : 0);
	put_char(o, '|');
	put(o, j->state);
	put_char(o, '|');
	put(o, j->exit);
	put_char(o, '|');
}

static void put_job(struct out *o, const struct job *j)
{
	for (int i = 0; i < 2; i++) {
		put_number(o, j->id, 1);
		put_char(o, '|');
	}
	put(o, j->name);
	put(o, "|u");
	put_number(o, j->user, 3);
	put(o, "|acct");
	put_number(o, j->account, 2);
	put_char(o, '|');
	put(o, j->partition);
	put(o, "|normal|c1|");
	put_time(o, j->submit);
	put_char(o, '|');
	put_time(o, j->eligible);
	put_fate(o, j);
	put_tres(o, j, j->gpus, j->cpus, j->nodes, true);
	put_char(o, '|');
	if (j->started)
		put_tres(o, j, j->gpus, j->cpus, j->nodes, true);
	put_char(o, '|');
	put_number(o, j->nodes, 1);
	put_char(o, '|');
	put_number(o, j->cpus, 1);
	put_char(o, '|');
	if (j->started)
		put_nodes(o, j, j->nodes);
	else
		put(o, "None assigned");
	put_char(o, '|');
	put_number(o, j->priority, 1);
	put(o, j->started || j->ended ? "|None|" : "|Priority|");
	put_number(o, j->restarts, 1);
	put_char(o, '\n');
}

static void put_step(struct out *o, const struct job *j, const char *suffix, const char *name,
                     bool everywhere)
{
	uint32_t nodes = everywhere ? j->nodes : 1;

	for (int i = 0; i < 2; i++) {
		put_number(o, j->id, 1);
		put(o, suffix);
		put_char(o, '|');
	}
	put(o, name);
	put(o, "||acct");
	put_number(o, j->account, 2);
	put(o, "|||c1|");
	put_time(o, j->start);
	put_char(o, '|');
	put_time(o, j->start);
	put_fate(o, j);
	put_char(o, '|');
	put_tres(o, j, j->gpus / j->nodes * nodes, j->cpus / j->nodes * nodes, nodes, false);
	put_char(o, '|');
	put_number(o, nodes, 1);
	put_char(o, '|');
	put_number(o, j->cpus / j->nodes * nodes, 1);
	put_char(o, '|');
	put_nodes(o, j, nodes);
	put(o, "|||0\n");
}

static void choose_size(uint64_t *s, struct job *j)
{
	static const uint16_t gpus[] = { 0, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 16, 32, 64, 1 };

	j->gpus = gpus[rng_below(s, 16)];
	j->nodes = j->gpus > NODE_GPUS ? j->gpus / NODE_GPUS : 1;
	j->cpus = j->gpus ? j->gpus * (NODE_CPUS / NODE_GPUS) : 1 + rng_below(s, 32);
	j->first_node = 1 + rng_below(s, NODES - j->nodes);
}

static void choose_fate(uint64_t *s, struct job *j)
{
	static const struct {
		uint32_t permille;
		const char *state, *exit;
	} fates[] = {
		{ 700, "COMPLETED", "0:0" },         { 130, "FAILED", "1:0" },
		{ 90, "CANCELLED by 20017", "0:0" }, { 30, "TIMEOUT", "0:0" },
		{ 18, "OUT_OF_MEMORY", "0:125" },    { 12, "NODE_FAIL", "1:0" },
		{ 20, "PREEMPTED", "0:15" },
	};
	uint32_t at = rng_below(s, 1000), longest = 1u << (6 + rng_below(s, 12)),
	         wait = 1u << rng_below(s, 18);

	for (size_t i = 0; i < sizeof fates / sizeof *fates; i++) {
		if (at < fates[i].permille) {
			j->state = fates[i].state;
			j->exit = fates[i].exit;
			break;
		}
		at -= fates[i].permille;
	}
	j->eligible = j->submit + (rng_below(s, 20) ? 0 : rng_below(s, 7200));
	j->start = j->eligible + rng_below(s, wait) + 1;
	j->end = j->start + 1 + rng_below(s, longest);
	j->started = j->ended = true;
	if (!strncmp(j->state, "CANC", 4) && rng_below(s, 4) == 0) { /* never started */
		j->end = j->start;
		j->started = false;
	}
}

static void finish(struct job *j, int64_t dump)
{
	j->seen = dump;
	if (j->ended && j->end <= dump)
		return;
	j->ended = false;
	j->exit = "0:0";
	if (j->started && j->start < dump) {
		j->state = "RUNNING";
		return;
	}
	j->started = false;
	j->state = "PENDING";
}

static void flush(struct out *o)
{
	if (fwrite(o->buffer, 1, o->n, stdout) != o->n) {
		perror("gen_sacct");
		exit(1);
	}
	o->n = 0;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "train", "sft",     "eval",      "tokenize",
		                             "fold",  "diffuse", "asr-large", "sweep" };
	static const char *const partitions[] = { "h100", "h100", "h100", "long", "debug" };
	static char buffer[OUT_BYTES + 4 * LINE_MAX_BYTES];
	struct out o = { buffer, 0 };
	uint64_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 0,
	         s = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;

	if (!rows) {
		fprintf(stderr, "usage: gen_sacct ROWS [SEED]\n");
		return 2;
	}
	put(&o, "JobID|JobIDRaw|JobName|User|Account|Partition|QOS|Cluster|Submit|Eligible|Start|"
	        "End|Elapsed|State|"
	        "ExitCode|ReqTRES|AllocTRES|NNodes|NCPUS|NodeList|Priority|Reason|Restarts\n");
	/* one job in 18 s: 2,000,000 rows are some four months of a busy cluster */
	int64_t submit = FIRST_SUBMIT, dump = FIRST_SUBMIT + (int64_t)(rows * 10 / 32 * 18);
	for (uint64_t row = 0, id = 1000000; row < rows; id++) {
		struct job j = { .id = id };
		uint32_t user = rng_below(&s, USERS);
		uint32_t kinds = rng_below(&s, 8);

		user = user * user / USERS; /* some use it more */
		submit += 1 + rng_below(&s, 35);
		j.submit = submit;
		j.user = user;
		j.account = user % ACCOUNTS;
		j.name = names[rng_below(&s, 8)];
		j.partition = partitions[rng_below(&s, 5)];
		j.priority = 1000 + rng_below(&s, 20000);
		choose_size(&s, &j);
		choose_fate(&s, &j);
		finish(&j, dump > submit ? dump : submit + 1);
		if (id % BROKEN_EVERY == BROKEN_EVERY / 2) {
			put_number(&o, id, 1);
			put(&o, "|broken\n");
			if (++row == rows)
				break;
		}
		put_job(&o, &j);
		row++;
		if (j.started && row < rows)
			put_step(&o, &j, ".batch", "batch", false), row++;
		if (j.started && row < rows && kinds > 1)
			put_step(&o, &j, ".extern", "extern", true), row++;
		if (j.started && row < rows && kinds > 3)
			put_step(&o, &j, ".0", "python", true), row++;
		if (o.n > OUT_BYTES)
			flush(&o);
	}
	flush(&o);
	return fflush(stdout) ? 1 : 0;
}
