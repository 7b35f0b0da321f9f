/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "lib/whole.h"

extern const struct reader reader_scontrol_job, reader_slurm_json;

#define HEAD(ids, name, state) \
	"JobId=" ids " JobName=" name "\n   UserId=ann(1000) JobState=" state "\n"
#define TIMES                                                                             \
	"   Restarts=1 SubmitTime=2025-11-30T12:00:00 EligibleTime=2025-11-30T12:00:01\n" \
	"   StartTime=2025-11-30T12:01:00 EndTime=2025-11-30T13:00:00\n"
#define GPUS(nodes, n, gpus) \
	"   Partition=gpu NodeList=" nodes "\n   NumNodes=" n " AllocTRES=cpu=4,gres/gpu=" gpus "\n"
#define AT0 INT64_C(1764504000000)

static const struct job *job(const struct whole *w, size_t i, const char *id)
{
	assert_true(i < w->f.jobs.n);
	assert_str(job_id(&w->f, &w->f.jobs.v[i]), id);
	return &w->f.jobs.v[i];
}

static void is_claim(const struct whole *w, size_t i, enum claim_on on, const char *place,
                     uint32_t n)
{
	assert_true(i < w->f.allocations.n);
	assert_int_equal(w->f.allocations.v[i].on, on);
	assert_string_equal(whole_word(w, w->f.allocations.v[i].place), place);
	assert_int_equal(w->f.allocations.v[i].count, n);
}

static void reads_blocks_and_which_gpus_they_hold(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_scontrol_job,
	        S(HEAD("7", "train it UserId",
	               "RUNNING") "   Account=ml QOS=high Priority=9\n" TIMES
	                  GPUS("n[1-2]", "2",
	                       "3") "   JOB_GRES=gpu:a100:3\n"
	                            "     Nodes=n1 CPU_IDs=0-3 Mem=1 GRES=gpu:a100:2(IDX:0,3)\n"
	                            "     Nodes=n2 CPU_IDs=0-3 Mem=1 GRES=gpu:a100:1(IDX:5)\n"
	                            "   Comment=NodeList=x AllocTRES=gres/gpu=9\n\n" HEAD(
	                                    "8 ArrayJobId=6 ArrayTaskId=2", "x", "COMPLETED")
	                                    TIMES GPUS("n[3-4]", "2",
	                                               "4") "   Nodes=n[3-4] "
	                                                    "GRES_IDX=gpu(IDX:0-1)\n"));
	assert_int_equal(w.score, 95);
	assert_int_equal(w.f.rejects.n, 0);
	assert_int_equal(w.f.inputs.v[0].records, 2);
	const struct job *j = job(&w, 0, "7");
	const struct job_traits t = job_traits(&w.f, j);
	assert_string_equal(whole_word(&w, j->name), "train it UserId");
	assert_string_equal(whole_word(&w, t.user), "ann");
	assert_string_equal(whole_word(&w, t.team), "ml");
	assert_true(j->submit_ms == AT0 && j->start_ms == AT0 + 60000);
	assert_true(j->outcome == OUTCOME_RUNNING && j->end_ms == TIME_UNKNOWN);
	assert_int_equal(j->gpus, 3);
	assert_int_equal(w.f.allocations.n, 7);
	is_claim(&w, 0, CLAIM_GPU, "n1/0", 1);
	is_claim(&w, 1, CLAIM_GPU, "n1/3", 1);
	is_claim(&w, 2, CLAIM_GPU, "n2/5", 1);
	j = job(&w, 1, "6_2");
	assert_true(j->outcome == OUTCOME_COMPLETED && j->end_ms == AT0 + 3600000);
	is_claim(&w, 3, CLAIM_GPU, "n3/0", 1);
	is_claim(&w, 6, CLAIM_GPU, "n4/1", 1);
	assert_true(w.f.has_scheduler && w.f.scheduler.n == 1);
	whole_drop(&w);
}

/* Numbers that do not make up what the job has say nothing. */
static void counts_where_numbers_do_not_fit(void **state)
{
	(void)state;
	static const char *const details[] = {
		"",
		"Nodes=n1 GRES=gpu:a100:1(IDX:0)\n",
		"Nodes=n1 GRES=gpu:a100:2\n",
		"Nodes=n1 GRES=gpu:a100:2(IDX:N/A)\n",
		"Nodes=n[1 GRES=gpu:a100:2(IDX:0-1)\n",
		"Nodes=n1 GRES=gpu:a100_1g.10gb:2(IDX:0-1)\n",
		"GRES=gpu:a100:2(IDX:0-1)\n",
	};
	for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
		auto_text t = TEXT_NULL;
		text_printf(&t, "%s%s", HEAD("7", "x", "RUNNING") TIMES GPUS("n1", "1", "2"),
		            details[i]);
		struct whole w = whole_read(&reader_scontrol_job, text_str(&t));
		assert_int_equal(w.f.allocations.n, 1);
		is_claim(&w, 0, CLAIM_NODES, "n1", 2);
		whole_drop(&w);
	}
}

static void waits_in_one_line_each_and_rejects_alone(void **state)
{
	(void)state;
	struct whole w = whole_read_at(
	        &reader_scontrol_job,
	        S("JobId=9 ArrayJobId=9 ArrayTaskId=1,3-4%2 JobName=two words UserId=bob(1) "
	          "JobState=PENDING Reason=Resources SubmitTime=2025-11-30T12:00:00 "
	          "EligibleTime=2025-11-30T12:00:00 StartTime=2025-12-02T12:00:00 EndTime=Unknown "
	          "NodeList=(null) NumNodes=1-1 ReqTRES=cpu=1,gres/gpu=2 AllocTRES=(null)\n"
	          "JobId=10 HetJobId=10 HetJobOffset=1 JobName=h UserId=bob(1) JobState=RUNNING "
	          "SubmitTime=2025-11-30T12:00:00 EligibleTime=2025-11-30T12:00:00 "
	          "StartTime=2025-11-30T12:01:00 NodeList=n1 NumNodes=1 TRES=cpu=1,gres/gpu=1\n"
	          "JobId=11 JobName=bad UserId=bob(1) JobState=NEW\n"),
	        AT0 + 86400000);
	assert_int_equal(w.f.inputs.v[0].records, 3);
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_int_equal(w.f.rejects.v[0].line, 3);
	size_t n = w.f.jobs.n;
	const struct job *j = &w.f.jobs.v[0];
	assert_true(j->outcome == OUTCOME_WAITING && j->start_ms == TIME_UNKNOWN &&
	            j->requested == 2);
	assert_string_equal(whole_word(&w, j->name), "two words");
	j = job(&w, n - 1, "10+1");
	assert_true(j->start_ms == AT0 + 60000 && j->gpus == 1);
	assert_true(w.f.scheduler.v[0].to_ms == AT0 + 86400000);
	whole_drop(&w);
	w = whole_read(&reader_scontrol_job, S("x\n" HEAD("1", "x", "RUNNING")));
	assert_int_equal(w.score, 0);
	assert_int_equal(w.f.rejects.v[0].line, 1);
	whole_drop(&w);
}

/* The controller's JSON says it node by node. */
static void json_names_them_too(void **state)
{
	(void)state;
	static const struct {
		const char *detail;
		enum claim_on on;
	} cases[] = { { "[\"gpu:a100:1(IDX:2)\", \"gpu:a100:2(IDX:0-1)\"]", CLAIM_GPU },
		      { "[\"gpu:a100:3(IDX:0-2)\"]", CLAIM_NODES }, /* of which node? */
		      { "[\"\", \"gpu:a100:3(IDX:0-2)\"]", CLAIM_GPU },
		      { "\"gpu:a100:3(IDX:0-2)\"", CLAIM_NODES } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		text_printf(&t,
		            "{\"jobs\": [{\"job_id\": 7, \"job_state\": \"RUNNING\", \"nodes\": "
		            "\"n[1-2]\","
		            " \"submit_time\": 1764504000, \"start_time\": 1764504060, "
		            "\"tres_alloc_str\": \"cpu=1,gres/gpu=3\", \"gres_detail\": %s}]}",
		            cases[i].detail);
		struct whole w = whole_read(&reader_slurm_json, text_str(&t));
		assert_int_equal(w.f.jobs.n, 1);
		assert_int_equal(w.f.allocations.n, cases[i].on == CLAIM_GPU ? 3 : 1);
		assert_int_equal(w.f.allocations.v[0].on, cases[i].on);
		if (!i)
			is_claim(&w, 0, CLAIM_GPU, "n1/2", 1);
		if (i == 2)
			is_claim(&w, 2, CLAIM_GPU, "n2/2", 1);
		whole_drop(&w);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_blocks_and_which_gpus_they_hold),
		cmocka_unit_test(counts_where_numbers_do_not_fit),
		cmocka_unit_test(waits_in_one_line_each_and_rejects_alone),
		cmocka_unit_test(json_names_them_too),
	};
	return RUN_TESTS(tests);
}
