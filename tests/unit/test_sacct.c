/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/text.h"
#include "lib/pieces.h"
#include "parse/when.h"

extern const struct reader reader_sacct;

#define HEAD                                                                                    \
	"JobID|JobName|User|Account|Partition|Submit|Eligible|Start|End|State|ExitCode|NNodes|" \
	"NodeList|AllocTRES|ReqTRES|Reason\n"
#define TIMES "2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-01T01:00:00|2026-11-01T02:00:00"
#define TIMES3 "2026-11-01T00:00:00|2026-11-01T01:00:00|2026-11-01T02:00:00"
#define HELD "1|n1|cpu=8,gres/gpu:h100=8,gres/gpu=8|gres/gpu=1"

static int64_t at(const char *z)
{
	int64_t ms;
	assert_int_equal(when_parse(str_of(z), NULL, &ms), WHEN_OK);
	return ms;
}

static struct job_traits traits_of(const struct whole *w, const struct job *j)
{
	return job_traits(&w->f, j);
}

static const struct job *job_of(const struct whole *w, const char *id)
{
	for (size_t i = 0; i < w->f.jobs.n; i++)
		if (str_eq(job_id(&w->f, &w->f.jobs.v[i]), str_of(id)))
			return &w->f.jobs.v[i];
	fail_msg("no job %s", id);
	return NULL;
}

static uint64_t rejected(const struct whole *w)
{
	return w->f.inputs.v[0].rejected;
}

static struct str word(const struct whole *w, sym id)
{
	return names_word(&w->f.names, id);
}

static bool has_note(const struct whole *w, const char *part)
{
	for (size_t i = 0; i < w->f.notes.n; i++)
		if (str_find(word(w, w->f.notes.v[i].text), str_of(part)) <
		    word(w, w->f.notes.v[i].text).n)
			return true;
	return false;
}

static void reads_a_job_and_what_it_held(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_sacct, S(HEAD "7|train|ann|bio|gpu|" TIMES "|COMPLETED|0:0|" HELD "|None\n"
	                              "7.batch|batch|||| " TIMES "|COMPLETED|0:0|" HELD "|\n"
	                              "7.extern|extern||||" TIMES "|COMPLETED|0:0|" HELD "|\n"));
	assert_int_equal(w.score, 95);
	assert_int_equal(w.f.jobs.n, 1);
	assert_int_equal(w.f.inputs.v[0].records, 3);
	assert_int_equal(rejected(&w), 0);
	const struct job *j = job_of(&w, "7");
	assert_int_equal(j->gpus, 8);
	assert_int_equal(j->requested, 1); /* the rest was not asked for */
	assert_int_equal(j->outcome, OUTCOME_COMPLETED);
	assert_true(j->start_ms == at("2026-11-01T01:00:00"));
	assert_true(j->end_ms == at("2026-11-01T02:00:00"));
	assert_str(word(&w, traits_of(&w, j).user), "ann");
	assert_str(word(&w, traits_of(&w, j).team), "bio");
	assert_str(word(&w, traits_of(&w, j).queue), "gpu");
	assert_true(traits_of(&w, j).reason == 0 && j->is_slurm && j->kind == KIND_BATCH);
	assert_int_equal(w.f.allocations.n, 1);
	const struct allocation *a = &w.f.allocations.v[0];
	assert_true(a->on == CLAIM_NODES && a->count == 8 && !a->portion);
	assert_str(word(&w, a->place), "n1");
	assert_str(word(&w, a->model), "h100");
	assert_int_equal(w.f.scheduler.n, 1);
	assert_true(w.f.scheduler.v[0].from_ms == j->start_ms);
	assert_true(w.f.scheduler.v[0].to_ms == j->end_ms && w.f.has_scheduler);
	whole_drop(&w);
}

static void reads_any_delimiter_and_trailing_ones(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"State|JobID|AllocTRES|Start|End|\nCOMPLETED|7|gres/gpu=2|2026-11-01|2026-11-02|\n",
		"State|#JobID|#AllocTRES|#Start|#End\nCOMPLETED|#7|#gres/"
		"gpu=2|#2026-11-01|#2026-11-02\n",
		"State,JobID,Start,End,AllocGRES\nCOMPLETED,7,2026-11-01,2026-11-02,gpu:2\n",
		"State\tJobID\tStart\tEnd\tAllocTRES\r\nCOMPLETED\t7\t2026-11-01\t2026-11-02\tgres/"
		"gpu=2\r\n",
		"State||JobID||Start||End||AllocTRES\nCOMPLETED||7||2026-11-01||2026-11-02||gres/"
		"gpu=2",
		"\xef\xbb\xbfState^_^JobID^_^AllocTRES^_^Start^_^End\n",
	};
	for (size_t i = 0; i + 1 < sizeof texts / sizeof *texts; i++) {
		struct whole w = whole_read(&reader_sacct, str_of(texts[i]));
		assert_true(w.score > 0 && w.code == ERR_OK);
		assert_int_equal(rejected(&w), 0);
		assert_int_equal(w.f.jobs.n, 1);
		assert_int_equal(job_of(&w, "7")->gpus, 2);
		whole_drop(&w);
	}
}

static void joins_texts_and_rejects_halves(void **state)
{
	(void)state;
	/* case 40: a pipe, a real and a written newline, a byte that is no UTF-8, a row cut in half
	 */
	struct str text = S("JobID|JobName|Comment|Start|End|State|AllocTRES\n"
	                    "1|plain||2026-11-01|2026-11-02|COMPLETED|gres/gpu=1\n"
	                    "2|a|b||2026-11-01|2026-11-02|FAILED|gres/gpu=2\n"
	                    "3|c|first\nsecond|2026-11-01|2026-11-02|TIMEOUT|gres/gpu=3\n"
	                    "4|c|line\\nbreak|2026-11-01|2026-11-02|COMPLETED|gres/gpu=4\n"
	                    "5|\xff\xfe|x|2026-11-01|2026-11-02|COMPLETED|gres/gpu=5\n"
	                    "6|cut|in|2026-11\n"
	                    "7|after|cut|2026-11-01|2026-11-02|COMPLETED|gres/gpu=7\n"
	                    "8|c|a\n\n|b\nc|d|2026-11-01|2026-11-02|COMPLETED|gres/gpu=8\n"
	                    "9|last||2026-11-01|2026-11-02|COMPLETED|gres/gpu=9\n");
	struct whole w = whole_read(&reader_sacct, text);
	static const char *const kept[] = { "1", "2", "3", "4", "5", "7", "9" };
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		assert_int_equal(job_of(&w, kept[i])->gpus, kept[i][0] - '0');
	assert_int_equal(w.f.jobs.n, 7);
	assert_str(word(&w, job_of(&w, "2")->name), "a|b");
	assert_true(w.f.rejects.n >= 1 && w.f.rejects.v[0].line == 8);
	assert_int_equal(rejected(&w), 4); /* 6, and the three lines of 8 that hold pipes too */
	for (size_t piece = 1; piece < text.n; piece += 7)
		assert_true(pieces_agree(&reader_sacct, text, piece));
	whole_drop(&w);
}

static void unknown_times_are_never_1970(void **state)
{
	(void)state;
	static const struct {
		const char *start, *end, *state;
		bool kept, has_start, has_end;
	} rows[] = {
		{ "Unknown", "Unknown", "PENDING", true, false, false },
		{ "None", "2026-11-01T00:00:00", "CANCELLED by 7", true, false, true },
		{ "0001-01-01T00:00:00", "N/A", "RUNNING", true, false, false },
		{ "1970-01-01T00:00:00", "1970-01-01T01:00:00", "FAILED", true, false, false },
		{ "1761955200", "1761958800.5", "COMPLETED", true, true, true },
		{ "Mon 14:02", "Tue 14:02", "COMPLETED", false, false, false },
		{ "2026-11-02T00:00:00", "2026-11-01T00:00:00", "COMPLETED", false, false, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		auto_text t = TEXT_NULL;
		text_printf(&t, "JobID|Start|End|State|AllocTRES\n5|%s|%s|%s|gres/gpu=1\n",
		            rows[i].start, rows[i].end, rows[i].state);
		struct whole w = whole_read(&reader_sacct, text_str(&t));
		assert_int_equal(w.f.jobs.n, rows[i].kept);
		assert_int_equal(rejected(&w), !rows[i].kept);
		if (rows[i].kept) {
			const struct job *j = &w.f.jobs.v[0];
			assert_int_equal(j->start_ms != TIME_UNKNOWN, rows[i].has_start);
			assert_int_equal(j->end_ms != TIME_UNKNOWN, rows[i].has_end);
		}
		whole_drop(&w);
	}
}

static void elapsed_fills_an_edge_that_is_missing(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_sacct, S("JobID|Start|End|Elapsed|ElapsedRaw|State|AllocTRES\n"
	                         "1|Unknown|2026-11-02T00:00:00|1-00:00:00||FAILED|gres/gpu=1\n"
	                         "2|2026-11-01T00:00:00|Unknown||3600|FAILED|gres/gpu=1\n"
	                         "3|2026-11-01T00:00:00|Unknown||7200|RUNNING|gres/gpu=1\n"));
	assert_true(job_of(&w, "1")->start_ms == at("2026-11-01T00:00:00"));
	assert_true(job_of(&w, "2")->end_ms == at("2026-11-01T01:00:00"));
	assert_true(job_of(&w, "3")->end_ms == TIME_UNKNOWN);
	assert_int_equal(job_of(&w, "3")->outcome, OUTCOME_RUNNING);
	assert_true(w.f.scheduler.v[0].to_ms == at("2026-11-02T00:00:00"));
	whole_drop(&w);
}

static void states_become_outcomes(void **state)
{
	(void)state;
	static const struct {
		const char *state, *code;
		enum outcome want;
	} rows[] = {
		{ "COMPLETED", "0:0", OUTCOME_COMPLETED },
		{ "FAILED", "1:0", OUTCOME_FAILED },
		{ "CANCELLED by 123", "0:15", OUTCOME_CANCELLED },
		{ "CANCELLED+", "0:15", OUTCOME_CANCELLED },
		{ "TIMEOUT", "0:0", OUTCOME_TIMEOUT },
		{ "DEADLINE", "0:0", OUTCOME_TIMEOUT },
		{ "OUT_OF_ME+", "0:125", OUTCOME_OOM },
		{ "OUT_OF_MEMORY", "0:125", OUTCOME_OOM },
		{ "NODE_FAIL", "0:0", OUTCOME_NODE_FAILED },
		{ "BOOT_FAIL", "0:0", OUTCOME_NODE_FAILED },
		{ "PREEMPTED", "0:0", OUTCOME_PREEMPTED },
		{ "REQUEUED", "0:0", OUTCOME_ENDED },
		{ "REQUEUED", "1:0", OUTCOME_FAILED },
		{ "RESIZING", "0:0", OUTCOME_ENDED },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		auto_text t = TEXT_NULL;
		text_printf(&t,
		            "JobID|Start|End|State|ExitCode|AllocTRES\n5|2026-11-01|2026-11-02|%s|%"
		            "s|\n",
		            rows[i].state, rows[i].code);
		struct whole w = whole_read(&reader_sacct, text_str(&t));
		assert_int_equal(job_of(&w, "5")->outcome, rows[i].want);
		whole_drop(&w);
	}
	struct whole w = whole_read(&reader_sacct,
	                            S("JobID|Start|End|State|AllocTRES\n1|2026-11-01||WEIRD|\n"
	                              "2|2026-11-01||RE+|\nx|2026-11-01||FAILED|\n"));
	assert_int_equal(rejected(&w), 3);
	assert_int_equal(w.f.jobs.n, 0);
	whole_drop(&w);
}

static void arrays_het_jobs_and_attempts(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_sacct,
	        S(HEAD "10_4|a|u|t|gpu|" TIMES "|COMPLETED|0:0|" HELD "|\n"
	               "10_[5-7,9%2]|a|u|t|gpu|2026-11-01T00:00:00|2026-11-01T00:00:00|Unknown|"
	               "Unknown|PENDING|0:0|1|None assigned||gres/gpu:h100=4|JobArrayTaskLimit\n"
	               "20+0|a|u|t|gpu|" TIMES "|COMPLETED|0:0|" HELD "|\n"
	               "20+1.batch|a|u|t|gpu|" TIMES "|COMPLETED|0:0|" HELD "|\n"
	               "30|a|u|t|gpu|" TIMES "|PREEMPTED|0:0|" HELD "|\n"
	               "30|a|u|t|gpu|2026-11-01T00:00:00|2026-11-01T02:10:00|2026-11-01T03:00:00|"
	               "2026-11-01T04:00:00|COMPLETED|0:0|" HELD "|\n"));
	assert_int_equal(rejected(&w), 0);
	assert_int_equal(w.f.jobs.n, 8);
	const struct job *j = job_of(&w, "10_9");
	assert_true(j->start_ms == TIME_UNKNOWN && j->is_policy);
	assert_int_equal(j->outcome, OUTCOME_WAITING);
	assert_int_equal(j->requested, 4);
	assert_int_equal(j->gpus, COUNT_UNKNOWN);
	assert_int_equal(traits_of(&w, j).models.n, 1);
	assert_str(word(&w, *job_words(&w.f, traits_of(&w, j).models)), "h100");
	assert_int_equal(w.f.allocations.n, 4);
	job_of(&w, "20+0");
	whole_drop(&w);
}

static void gpus_that_are_not_told_stay_unknown(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_sacct, S("JobID|Start|End|State|ReqTRES\n"
	                                    "5|2026-11-01|2026-11-02|COMPLETED|gres/gpu=4\n"));
	assert_int_equal(job_of(&w, "5")->gpus, COUNT_UNKNOWN);
	assert_int_equal(job_of(&w, "5")->requested, 4);
	assert_true(w.f.allocations.n == 0 && rejected(&w) == 0 && has_note(&w, "no AllocTRES"));
	whole_drop(&w);
	w = whole_read(&reader_sacct, S("JobID|Start|End|State|AllocTRES\n"
	                                "5|2026-11-01|2026-11-02|COMPLETED|cpu=4,node=1\n"
	                                "6|2026-11-01|2026-11-02|COMPLETED|\n"));
	assert_int_equal(job_of(&w, "5")->gpus, 0);
	assert_int_equal(job_of(&w, "6")->gpus, COUNT_UNKNOWN);
	assert_int_equal(w.f.allocations.n, 0);
	whole_drop(&w);
}

static void places_without_nodes_and_shares_of_a_gpu(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_sacct, S("JobID|Partition|Start|End|State|AllocTRES\n"
	                                    "5|gpu|2026-11-01|2026-11-02|COMPLETED|gres/gpu=4\n"
	                                    "6|mig|2026-11-01|2026-11-02|COMPLETED|gres/gpu=1,"
	                                    "gres/gpu:a100_3g.40gb=1\n"));
	assert_int_equal(w.f.allocations.n, 2);
	const struct allocation *a = &w.f.allocations.v[0], *b = &w.f.allocations.v[1];
	assert_true(a->on == CLAIM_POOL && a->count == 4);
	assert_str(word(&w, a->place), "gpu");
	const struct portion *p = allocation_portion(&w.f, b);
	assert_true(b->count == 1 && p->share_num == 3 && p->share_den == 7);
	assert_str(word(&w, b->model), "a100");
	whole_drop(&w);
}

static void interactive_jobs_are_told_from_batch(void **state)
{
	(void)state;
	static const struct {
		const char *name, *line;
		int kind;
		bool known;
	} rows[] = {
		{ "train", "", KIND_BATCH, false },
		{ "interactive", "", KIND_INTERACTIVE, false },
		{ "bash", "", KIND_INTERACTIVE, false },
		{ "sys/dashboard/sys/jupyter", "", KIND_INTERACTIVE, false },
		{ "train", "salloc -N1", KIND_INTERACTIVE, true },
		{ "train", "srun --gpus=1 --pty zsh", KIND_INTERACTIVE, true },
		{ "train", "/usr/bin/srun --gpus=1 a.out", KIND_BATCH, true },
		{ "bash", "sbatch job.sh", KIND_BATCH, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		auto_text t = TEXT_NULL;
		text_printf(&t,
		            "JobID|JobName|SubmitLine|Start|End|State|AllocTRES\n"
		            "5|%s|%s|2026-11-01|2026-11-02|COMPLETED|gres/gpu=1\n",
		            rows[i].name, rows[i].line);
		struct whole w = whole_read(&reader_sacct, text_str(&t));
		assert_int_equal(job_of(&w, "5")->kind, rows[i].kind);
		assert_int_equal(job_of(&w, "5")->kind_known, rows[i].known);
		whole_drop(&w);
	}
}

/* Central Europe: 02:30 on 30 March 2025 is on no clock; 02:30 on 26 October is there twice. */
static void local_times_that_are_not_there_stay_unknown(void **state)
{
	(void)state;
	static const struct zone europe = { .first_offset_s = 3600,
		                            .has_footer = true,
		                            .has_dst = true,
		                            .std_s = 3600,
		                            .dst_s = 7200,
		                            .dst_begins = { ZONE_WEEKDAY, 3, 5, 0, 7200 },
		                            .dst_ends = { ZONE_WEEKDAY, 10, 5, 0, 10800 } };
	struct whole w = pieces_read_zone(
	        &reader_sacct,
	        S("JobID|Start|End|Elapsed|State|AllocTRES\n"
	          "1|2025-03-30T02:30:00|2025-03-30T04:00:00||FAILED|gres/gpu=1\n"
	          "2|2025-03-30T02:30:00|2025-03-30T04:00:00|00:20:00|FAILED|gres/gpu=1\n"
	          "3|2025-07-01T12:00:00|2025-07-01T13:00:00|01:00:00|FAILED|gres/gpu=1\n"
	          "4|2025-10-26T02:50:00|2025-10-26T02:10:00|00:20:00|FAILED|gres/gpu=1\n"
	          "5|2025-10-26T02:30:00|2025-10-26T03:30:00|01:00:00|FAILED|gres/gpu=1\n"
	          "6|2025-10-26T01:30:00|2025-10-26T03:30:00|03:00:00|FAILED|gres/gpu=1\n"),
	        1 << 20, &europe);
	assert_int_equal(rejected(&w), 0);
	assert_true(job_of(&w, "1")->start_ms == TIME_UNKNOWN);
	assert_true(job_of(&w, "2")->start_ms == at("2025-03-30T01:40:00"));
	assert_true(job_of(&w, "3")->start_ms == at("2025-07-01T10:00:00"));
	assert_true(job_of(&w, "4")->start_ms == at("2025-10-26T00:50:00"));
	assert_true(job_of(&w, "4")->end_ms == at("2025-10-26T01:10:00")); /* the second 02:10 */
	assert_true(job_of(&w, "5")->start_ms == at("2025-10-26T01:30:00"));
	assert_true(job_of(&w, "6")->start_ms == at("2025-10-25T23:30:00"));
	assert_true(has_note(&w, "spring") && has_note(&w, "autumn"));
	whole_drop(&w);
}

static void cancelled_in_the_queue_held_nothing(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_sacct,
	        S(HEAD
	          "5|a|u|t|gpu|2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-01T05:00:00|"
	          "2026-11-01T05:00:00|CANCELLED by 7|0:0|1|None assigned||gres/gpu=8|Priority\n"
	          "6|a|u|t|gpu|2026-11-01T00:00:00|Unknown|Unknown|Unknown|PENDING|0:0|2|None "
	          "assigned||gres/gpu=8|Dependency\n"));
	const struct job *j = job_of(&w, "5");
	assert_true(j->start_ms == TIME_UNKNOWN && j->end_ms == at("2026-11-01T05:00:00"));
	assert_int_equal(w.f.allocations.n, 0);
	j = job_of(&w, "6");
	assert_true(j->eligible_ms == TIME_MS_MAX && !j->is_policy); /* not waiting for GPUs yet */
	assert_int_equal(traits_of(&w, j).per_node, 4);
	whole_drop(&w);
}

static void reads_squeue_with_a_header(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_sacct,
	        S("JOBID|PARTITION|NAME|USER|ST|TIME|NODES|START_TIME|SUBMIT_TIME|TRES_ALLOC|"
	          "NODELIST(REASON)\n"
	          "5|gpu|x|ann|R|1:00|1|2026-11-01T00:00:00|2026-11-01T00:00:00|gres/gpu=2|n7\n"
	          "6|gpu|x|ann|PD|0:00|1|2026-11-09T00:00:00|2026-11-01T00:00:00|gres/gpu=2|"
	          "(QOSMaxGRESPerUser)\n"));
	assert_int_equal(rejected(&w), 0);
	assert_int_equal(job_of(&w, "5")->outcome, OUTCOME_RUNNING);
	assert_int_equal(job_of(&w, "5")->gpus, 2);
	assert_str(word(&w, w.f.allocations.v[0].place), "n7");
	const struct job *j = job_of(&w, "6");
	assert_true(j->start_ms == TIME_UNKNOWN &&
	            j->is_policy); /* when it may start is no start */
	assert_str(word(&w, traits_of(&w, j).reason), "QOSMaxGRESPerUser");
	assert_true(w.f.scheduler.v[0].to_ms == at("2026-11-01T00:01:00"));
	whole_drop(&w);
}

static void many_rows_agree_in_any_pieces(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	text_add(&t, S("JobID|JobName|Comment|Start|End|State|AllocTRES|WorkDir\n"));
	for (int i = 1; i < 900; i++) {
		const char *comment = i % 7 == 0 ? "two\nlines" : i % 11 == 0 ? "p|q" : "";
		text_printf(&t,
		            "%d|job%d|%s|2026-11-01T%02d:00:00|2026-11-02T00:00:%02d|%s|gres/"
		            "gpu=%d|/w%s\n",
		            i, i % 40, comment, i % 24, i % 60, i % 3 ? "COMPLETED" : "FAILED",
		            i % 9, i % 13 == 0 ? "\nrest" : "");
		if (i % 101 == 0)
			text_add(&t, S("1234|half|of a\n"));
	}
	struct whole w = whole_read(&reader_sacct, text_str(&t));
	assert_int_equal(w.f.jobs.n, 899);
	assert_int_equal(rejected(&w), 8);
	for (size_t piece = 100; piece < 60000; piece = piece * 2 + 37)
		assert_true(pieces_agree(&reader_sacct, text_str(&t), piece));
	whole_drop(&w);
}

static void a_line_may_be_longer_than_a_block(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	text_add(&t, S("JobID|JobName|Start|End|State|AllocTRES\n1|"));
	text_repeat(&t, 'x', 200000);
	text_add(&t, S("|2026-11-01|2026-11-02|COMPLETED|gres/gpu=1\n"
	               "2|y|2026-11-01|2026-11-02|COMPLETED|gres/gpu=1"));
	struct whole w = whole_read(&reader_sacct, text_str(&t));
	assert_int_equal(w.f.jobs.n, 2);
	assert_int_equal(rejected(&w), 0);
	whole_drop(&w);
}

static void refuses_other_tables(void **state)
{
	(void)state;
	static const char *const others[] = {
		"",
		"a",
		"jobid,state\n1,COMPLETED\n",
		"JobID|User\n",
		"123|gpu|COMPLETED\n",
		"       JobID      State\n------------ ----------\n",
		"{\"jobs\": []}",
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(reader_sacct.recognise(str_of(others[i]), NULL), 0);
	struct whole w = whole_read(&reader_sacct, S("User|State\nann|COMPLETED\n"));
	assert_int_equal(w.code, ERR_INPUT);
	whole_drop(&w);
}

static void limits_columns(void **state)
{
	(void)state;
	for (unsigned extra = 0; extra < 2; extra++) {
		auto_text t = TEXT_NULL;
		text_add(&t, S("JobID|State"));
		for (unsigned i = 3; i < FIELDS_MAX + extra; i++)
			text_printf(&t, "|c%u", i);
		text_byte(&t, '\n');
		struct whole w = whole_read(&reader_sacct, text_str(&t));
		assert_int_equal(w.code, extra ? ERR_LIMIT : ERR_OK);
		whole_drop(&w);
	}
}

static void reads_what_others_have(void **state)
{
	(void)state;
	char path[4096];
	auto_arena a = ARENA_NULL;
	struct str text = run_file(
	        &a, run_shared(path, sizeof path,
	                       "data/slurm-live/gcm/sample-sacct-output-with-invalid-lines.txt"));
	struct whole w = whole_read(&reader_sacct, text);
	assert_int_equal(w.score, 95);
	assert_int_equal(rejected(&w), 1); /* the row is cut in half */
	assert_int_equal(w.f.jobs.n, 0);
	whole_drop(&w);
	text = run_file(&a, run_shared(path, sizeof path,
	                               "data/slurm-live/gcm/sample-sacct-running-output.txt"));
	w = whole_read(&reader_sacct, text);
	assert_int_equal(rejected(&w), 0);
	assert_true(w.f.inputs.v[0].records > 0 && w.f.jobs.n == 0);
	assert_true(has_note(&w, "Only steps"));
	whole_drop(&w);
}

/* Counts above a limit say nothing, and what is kept can be written as facts and read again. */
static void limits_counts(void **state)
{
	(void)state;
	struct whole w = whole_read(&reader_sacct,
	                            S("JobID|Submit|Start|End|State|AllocTRES|NNodes|Restarts\n"
	                              "1|" TIMES3 "|COMPLETED|gres/gpu=1|100000000|100000000\n"
	                              "2|" TIMES3 "|COMPLETED|gres/gpu=1|100000001|100000001\n"
	                              "3|" TIMES3 "|COMPLETED|gres/gpu=1|97656K|1\n"
	                              "4|" TIMES3 "|COMPLETED|gres/gpu=1|97657K|1\n"));
	assert_int_equal(w.f.jobs.n, 4);
	assert_int_equal(traits_of(&w, job_of(&w, "1")).node_count, GPUS_MAX);
	assert_int_equal(traits_of(&w, job_of(&w, "1")).restarts, GPUS_MAX);
	assert_int_equal(traits_of(&w, job_of(&w, "2")).node_count, COUNT_UNKNOWN);
	assert_int_equal(traits_of(&w, job_of(&w, "2")).restarts, COUNT_UNKNOWN);
	assert_int_equal(traits_of(&w, job_of(&w, "3")).node_count, 97656 * 1024);
	assert_int_equal(traits_of(&w, job_of(&w, "4")).node_count, COUNT_UNKNOWN);
	whole_drop(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_job_and_what_it_held),
		cmocka_unit_test(reads_any_delimiter_and_trailing_ones),
		cmocka_unit_test(joins_texts_and_rejects_halves),
		cmocka_unit_test(unknown_times_are_never_1970),
		cmocka_unit_test(elapsed_fills_an_edge_that_is_missing),
		cmocka_unit_test(states_become_outcomes),
		cmocka_unit_test(arrays_het_jobs_and_attempts),
		cmocka_unit_test(gpus_that_are_not_told_stay_unknown),
		cmocka_unit_test(places_without_nodes_and_shares_of_a_gpu),
		cmocka_unit_test(interactive_jobs_are_told_from_batch),
		cmocka_unit_test(local_times_that_are_not_there_stay_unknown),
		cmocka_unit_test(cancelled_in_the_queue_held_nothing),
		cmocka_unit_test(reads_squeue_with_a_header),
		cmocka_unit_test(many_rows_agree_in_any_pieces),
		cmocka_unit_test(a_line_may_be_longer_than_a_block),
		cmocka_unit_test(refuses_other_tables),
		cmocka_unit_test(limits_columns),
		cmocka_unit_test(limits_counts),
		cmocka_unit_test(reads_what_others_have),
	};
	return RUN_TESTS(tests);
}
