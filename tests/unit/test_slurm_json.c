/* SPDX-License-Identifier: Apache-2.0 */
#include "read/slurm_json.h"

#include <stdio.h>

#include "facts/document.h"
#include "lib/run.h"

extern const struct reader reader_slurm_json, reader_sacct, reader_scontrol_node;

static enum err_code feed(const struct reader *r, struct facts *f, struct str bytes,
                          struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct read_options options = { .input_name = S("test") };
	struct read_run run = { .options = &options, .a = &a };
	facts_init(f);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("test")) };
	enum err_code code = r->open(&run, bytes, err);
	if (!code)
		code = r->feed(&run, str_sub(bytes, run.body_at, bytes.n), run.body_line, f, err);
	if (!code && r->end)
		code = r->end(&run, f, err);
	return code;
}

static void read_good(struct facts *f, struct str bytes)
{
	struct err err = { 0 };
	if (feed(&reader_slurm_json, f, bytes, &err))
		fail_msg("%s", err.text);
	if (f->rejects.n)
		fail_msg("rejected: %s", names_word(&f->names, f->rejects.v[0].reason).p);
}

static struct str word(const struct facts *f, sym id)
{
	return names_word(&f->names, id);
}

/* The same jobs as sacct --json (slurmdbd's shape, new and old) and as sacct prints them. */
static const char text[] =
        "JobID|JobName|User|Account|Partition|QOS|Cluster|Submit|Eligible|Start|End|ElapsedRaw|"
        "State|"
        "ExitCode|AllocTRES|ReqTRES|NNodes|NCPUS|NodeList|Priority|Reason|Restarts|SubmitLine\n"
        "100|train|ann|nlp|gpu|high|c1|1764504000|1764504001|1764504100|1764507700|3600|COMPLETED|"
        "0:0|"
        "cpu=64,mem=9M,node=2,gres/gpu=16,gres/gpu:h100=16|cpu=64,node=2,gres/"
        "gpu=16|2|64|n[1-2]|500|None|1|"
        "sbatch job.sh\n"
        "101_3|sweep|bob|cv|gpu|normal|c1|1764504000|1764504001|1764504200|1764504300|100|FAILED|1:"
        "0|"
        "cpu=4,node=1,gres/gpu=1|cpu=4,node=1,gres/gpu=1|1|4|n3|10|None|0|\n"
        "102|wait|bob|cv|gpu|normal|c1|1764504000|1764504001|Unknown|Unknown|0|PENDING|0:0|"
        "|cpu=4,node=1,gres/gpu:a100=8|1|4|None assigned|11|QOSMaxGRESPerUser|0|\n"
        "103+1|het|bob|cv|gpu|normal|c1|1764504000|1764504001|1764504200|Unknown|50|RUNNING|0:0|"
        "cpu=4,node=1,gres/gpu=1|cpu=4,node=1,gres/gpu=1|1|4|n4|12|None|0|\n"
        "104_[5-6%2]|arr|bob|cv|gpu|normal|c1|1764504000|1764504001|Unknown|Unknown|0|PENDING|0:0|"
        "|cpu=4,node=1,gres/gpu=1|1|4|None assigned|13|Priority|0|\n";

/* v0.0.40 and later: numbers as objects, states as lists. */
static const char json_new[] =
        "{\"jobs\": [{\"job_id\": 100, \"name\": \"train\", \"user\": \"ann\", "
        "\"account\": \"nlp\", \"partition\": \"gpu\", \"qos\": \"high\", \"cluster\": \"c1\", "
        "\"time\": {\"submission\": 1764504000, \"eligible\": 1764504001, "
        "\"start\": 1764504100, \"end\": 1764507700, \"elapsed\": 3600, "
        "\"limit\": {\"set\": true, \"infinite\": false, \"number\": 120}}, "
        "\"state\": {\"current\": [\"COMPLETED\"], \"reason\": \"None\"}, "
        "\"exit_code\": {\"status\": [\"SUCCESS\"], \"return_code\": {\"set\": true, "
        "\"number\": 0}, \"signal\": {\"id\": {\"set\": false, \"number\": 0}, "
        "\"name\": \"\"}}, \"tres\": {\"allocated\": [{\"type\": \"cpu\", \"name\": \"\", "
        "\"id\": 1, \"count\": 64}, {\"type\": \"mem\", \"name\": \"\", \"id\": 2, "
        "\"count\": 9}, {\"type\": \"node\", \"name\": \"\", \"id\": 4, \"count\": 2}, "
        "{\"type\": \"gres\", \"name\": \"gpu\", \"id\": 1001, \"count\": 16}, "
        "{\"type\": \"gres\", \"name\": \"gpu:h100\", \"id\": 1002, \"count\": 16}], "
        "\"requested\": [{\"type\": \"cpu\", \"name\": \"\", \"id\": 1, \"count\": 64}, "
        "{\"type\": \"node\", \"name\": \"\", \"id\": 4, \"count\": 2}, {\"type\": \"gres\", "
        "\"name\": \"gpu\", \"id\": 1001, \"count\": 16}]}, \"allocation_nodes\": 2, "
        "\"required\": {\"CPUs\": 64}, \"nodes\": \"n[1-2]\", \"priority\": {\"set\": true, "
        "\"number\": 500}, \"restart_cnt\": 1, \"submit_line\": \"sbatch job.sh\", "
        "\"array\": {\"job_id\": 0, \"task_id\": {\"set\": false, \"number\": 0}, "
        "\"task\": \"\"}, \"het\": {\"job_id\": 0, \"job_offset\": {\"set\": false, "
        "\"number\": 0}}},\n {\"job_id\": 140, \"name\": \"sweep\", \"user\": \"bob\", "
        "\"account\": \"cv\", \"partition\": \"gpu\", \"qos\": \"normal\", "
        "\"cluster\": \"c1\", \"time\": {\"submission\": 1764504000, \"eligible\": 1764504001, "
        "\"start\": 1764504200, \"end\": 1764504300, \"elapsed\": 100}, "
        "\"state\": {\"current\": [\"FAILED\"], \"reason\": \"None\"}, "
        "\"exit_code\": {\"status\": [\"ERROR\"], \"return_code\": {\"set\": true, "
        "\"number\": 1}, \"signal\": {\"id\": {\"set\": false}}}, "
        "\"tres\": {\"allocated\": [{\"type\": \"cpu\", \"count\": 4}, {\"type\": \"node\", "
        "\"count\": 1}, {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 1}], "
        "\"requested\": [{\"type\": \"cpu\", \"count\": 4}, {\"type\": \"node\", "
        "\"count\": 1}, {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 1}]}, "
        "\"allocation_nodes\": 1, \"required\": {\"CPUs\": 4}, \"nodes\": \"n3\", "
        "\"priority\": {\"set\": true, \"number\": 10}, \"restart_cnt\": 0, "
        "\"array\": {\"job_id\": 101, \"task_id\": {\"set\": true, \"number\": 3}, "
        "\"task\": \"\"}},\n {\"job_id\": 102, \"name\": \"wait\", \"user\": \"bob\", "
        "\"account\": \"cv\", \"partition\": \"gpu\", \"qos\": \"normal\", "
        "\"cluster\": \"c1\", \"time\": {\"submission\": 1764504000, \"eligible\": 1764504001, "
        "\"start\": 0, \"end\": 0, \"elapsed\": 0}, \"state\": {\"current\": [\"PENDING\"], "
        "\"reason\": \"QOSMaxGRESPerUser\"}, \"tres\": {\"allocated\": [], "
        "\"requested\": [{\"type\": \"cpu\", \"count\": 4}, {\"type\": \"node\", "
        "\"count\": 1}, {\"type\": \"gres\", \"name\": \"gpu:a100\", \"count\": 8}]}, "
        "\"allocation_nodes\": 1, \"required\": {\"CPUs\": 4}, \"nodes\": \"None assigned\", "
        "\"priority\": {\"set\": true, \"number\": 11}, "
        "\"restart_cnt\": 0},\n {\"job_id\": 141, \"name\": \"het\", \"user\": \"bob\", "
        "\"account\": \"cv\", \"partition\": \"gpu\", \"qos\": \"normal\", "
        "\"cluster\": \"c1\", \"time\": {\"submission\": 1764504000, \"eligible\": 1764504001, "
        "\"start\": 1764504200, \"end\": 0, \"elapsed\": 50}, "
        "\"state\": {\"current\": [\"RUNNING\"], \"reason\": \"None\"}, "
        "\"tres\": {\"allocated\": [{\"type\": \"cpu\", \"count\": 4}, {\"type\": \"node\", "
        "\"count\": 1}, {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 1}], "
        "\"requested\": [{\"type\": \"cpu\", \"count\": 4}, {\"type\": \"node\", "
        "\"count\": 1}, {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 1}]}, "
        "\"allocation_nodes\": 1, \"required\": {\"CPUs\": 4}, \"nodes\": \"n4\", "
        "\"priority\": {\"set\": true, \"number\": 12}, \"restart_cnt\": 0, "
        "\"het\": {\"job_id\": 103, \"job_offset\": {\"set\": true, "
        "\"number\": 1}}},\n {\"job_id\": 104, \"name\": \"arr\", \"user\": \"bob\", "
        "\"account\": \"cv\", \"partition\": \"gpu\", \"qos\": \"normal\", "
        "\"cluster\": \"c1\", \"time\": {\"submission\": 1764504000, \"eligible\": 1764504001, "
        "\"start\": 0, \"end\": 0, \"elapsed\": 0}, \"state\": {\"current\": [\"PENDING\"], "
        "\"reason\": \"Priority\"}, \"tres\": {\"allocated\": [], "
        "\"requested\": [{\"type\": \"cpu\", \"count\": 4}, {\"type\": \"node\", "
        "\"count\": 1}, {\"type\": \"gres\", \"name\": \"gpu\", \"count\": 1}]}, "
        "\"allocation_nodes\": 1, \"required\": {\"CPUs\": 4}, \"nodes\": \"None assigned\", "
        "\"priority\": {\"set\": true, \"number\": 13}, \"restart_cnt\": 0, "
        "\"array\": {\"job_id\": 104, \"task_id\": {\"set\": false}, "
        "\"task\": \"5-6%2\"}}],\n \"meta\": {\"slurm\": {\"version\": {\"major\": \"24\"}}}, "
        "\"errors\": []}";

/* slurmctld's shape (squeue, scontrol, slurmrestd), v0.0.38: plain numbers, states as text. */
static const char json_ctld[] =
        "{\"meta\": {\"plugin\": {\"type\": \"openapi/v0.0.38\"}, \"Slurm\": {\"release\": "
        "\"22.05.9\"}},"
        " \"errors\": [], \"jobs\": [{\"job_id\": 100, \"name\": \"train\", \"user_name\": "
        "\"ann\", \"user_id\": 5,"
        " \"account\": \"nlp\", \"partition\": \"gpu\", \"qos\": \"high\", \"cluster\": \"c1\","
        " \"submit_time\": 1764504000, \"eligible_time\": 1764504001, \"start_time\": 1764504100,"
        " \"end_time\": 1764507700, \"job_state\": \"COMPLETED\", \"exit_code\": 0, "
        "\"array_job_id\": 0,"
        " \"array_task_id\": null, \"array_task_string\": \"\", \"het_job_id\": 0, "
        "\"het_job_offset\": 0,"
        " \"tres_alloc_str\": \"cpu=64,mem=9M,node=2,billing=64,gres/gpu=16,gres/gpu:h100=16\","
        " \"tres_req_str\": \"cpu=64,mem=9M,node=2,gres/gpu=16\", \"node_count\": 2, \"cpus\": 64,"
        " \"nodes\": \"n[1-2]\", \"priority\": 500, \"state_reason\": \"None\", \"restart_cnt\": 1,"
        " \"submit_line\": \"sbatch job.sh\"},\n"
        " {\"job_id\": 140, \"name\": \"sweep\", \"user_name\": \"bob\", \"account\": \"cv\", "
        "\"partition\": \"gpu\","
        " \"qos\": \"normal\", \"cluster\": \"c1\", \"submit_time\": 1764504000, "
        "\"eligible_time\": 1764504001,"
        " \"start_time\": 1764504200, \"end_time\": 1764504300, \"job_state\": \"FAILED\", "
        "\"exit_code\": 256,"
        " \"array_job_id\": 101, \"array_task_id\": 3, \"array_task_string\": \"\","
        " \"tres_alloc_str\": \"cpu=4,node=1\", \"gres_detail\": [\"gpu:1\"],"
        " \"tres_req_str\": \"cpu=4,node=1,gres/gpu=1\", \"node_count\": 1, \"cpus\": 4, "
        "\"nodes\": \"n3\","
        " \"priority\": 10, \"state_reason\": \"None\", \"restart_cnt\": 0},\n"
        " {\"job_id\": 102, \"name\": \"wait\", \"user_name\": \"bob\", \"account\": \"cv\", "
        "\"partition\": \"gpu\","
        " \"qos\": \"normal\", \"cluster\": \"c1\", \"submit_time\": 1764504000, "
        "\"eligible_time\": 1764504001,"
        " \"start_time\": 1764509999, \"end_time\": 1764519999, \"job_state\": \"PENDING\", "
        "\"exit_code\": 0,"
        " \"tres_alloc_str\": \"\", \"tres_req_str\": \"cpu=4,node=1\", \"tres_per_job\": "
        "\"gres:gpu:a100:8\","
        " \"node_count\": 1, \"cpus\": 4, \"nodes\": \"\", \"priority\": 11, \"state_reason\":"
        " \"QOSMaxGRESPerUser\", \"restart_cnt\": 0},\n"
        " {\"job_id\": 141, \"name\": \"het\", \"user_name\": \"bob\", \"account\": \"cv\", "
        "\"partition\": \"gpu\","
        " \"qos\": \"normal\", \"cluster\": \"c1\", \"submit_time\": 1764504000, "
        "\"eligible_time\": 1764504001,"
        " \"start_time\": 1764504200, \"end_time\": 1764604200, \"job_state\": \"RUNNING\", "
        "\"exit_code\": 0,"
        " \"het_job_id\": 103, \"het_job_offset\": 1, \"tres_alloc_str\": "
        "\"cpu=4,node=1,gres/gpu=1\","
        " \"tres_req_str\": \"cpu=4,node=1,gres/gpu=1\", \"node_count\": 1, \"cpus\": 4, "
        "\"nodes\": \"n4\","
        " \"priority\": 12, \"state_reason\": \"None\", \"restart_cnt\": 0},\n"
        " {\"job_id\": 104, \"name\": \"arr\", \"user_name\": \"bob\", \"account\": \"cv\", "
        "\"partition\": \"gpu\","
        " \"qos\": \"normal\", \"cluster\": \"c1\", \"submit_time\": 1764504000, "
        "\"eligible_time\": 1764504001,"
        " \"start_time\": 0, \"end_time\": 0, \"job_state\": \"PENDING\", \"exit_code\": 0, "
        "\"array_job_id\": 104,"
        " \"array_task_id\": null, \"array_task_string\": \"5-6%2\", \"tres_alloc_str\": \"\","
        " \"tres_req_str\": \"cpu=4,node=1,gres/gpu=1\", \"node_count\": 1, \"cpus\": 4, "
        "\"nodes\": \"\","
        " \"priority\": 13, \"state_reason\": \"Priority\", \"restart_cnt\": 0}]}";

static void gives_the_facts_that_sacct_gives(void **state)
{
	(void)state;
	const char *shapes[] = { json_new, json_ctld };
	for (size_t i = 0; i < 2; i++) {
		struct facts f, want;
		struct err err = { 0 };
		auto_text ours = TEXT_NULL, theirs = TEXT_NULL;
		read_good(&f, str_of(shapes[i]));
		assert_int_equal(feed(&reader_sacct, &want, str_of(text), &err), ERR_OK);
		assert_int_equal(want.rejects.n, 0);
		/* sacct's times have no zone, which is noted; the controller's list has no past */
		assert_int_equal(f.notes.n + 1, want.notes.n + i);
		assert_int_equal(f.jobs.n, 6); /* two tasks of 104 */
		document_write(&ours, &f);
		document_write(&theirs, &want);
		if (!str_eq(text_str(&ours), text_str(&theirs)))
			fail_msg("shape %zu:\n%.*s\nsacct:\n%.*s", i, STR_FMT(text_str(&ours)),
			         STR_FMT(text_str(&theirs)));
		assert_int_equal(f.inputs.v[0].records, 5);
		facts_deinit(&f);
		facts_deinit(&want);
	}
}

static void takes_a_state_in_every_shape(void **state)
{
	(void)state;
	const struct {
		const char *state;
		enum outcome want;
	} cases[] = {
		{ "\"job_state\": \"NODE_FAIL\"", OUTCOME_NODE_FAILED },
		{ "\"job_state\": [\"OUT_OF_MEMORY\"]", OUTCOME_OOM },
		{ "\"job_state\": [\"CANCELLED\", \"COMPLETING\"]", OUTCOME_CANCELLED },
		{ "\"job_state\": [\"BRAND_NEW_FLAG\", \"PREEMPTED\"]", OUTCOME_PREEMPTED },
		{ "\"state\": {\"current\": \"timeout\"}", OUTCOME_TIMEOUT },
		{ "\"state\": {\"current\": [\"DEADLINE\"]}", OUTCOME_TIMEOUT },
		{ "\"state\": [\"FAILED\"]", OUTCOME_FAILED },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		auto_text t = TEXT_NULL;
		text_printf(&t,
		            "{\"jobs\": [{\"job_id\": 1, %s, \"start_time\": 1764504000,"
		            " \"end_time\": 1764504100}]}",
		            cases[i].state);
		read_good(&f, text_str(&t));
		if (f.jobs.v[0].outcome != cases[i].want)
			fail_msg("%s: %s", cases[i].state, outcomes[f.jobs.v[0].outcome].name);
		facts_deinit(&f);
	}
}

static void takes_unset_and_infinite_for_unknown(void **state)
{
	(void)state;
	struct facts f;
	read_good(
	        &f,
	        S("{\"jobs\": [{\"job_id\": 7, \"job_state\": [\"RUNNING\"], \"user_id\": 1000,"
	          " \"start_time\": {\"set\": true, \"infinite\": false, \"number\": 1764504000},"
	          " \"submit_time\": {\"set\": false, \"infinite\": false, \"number\": 0},"
	          " \"eligible_time\": {\"set\": false, \"infinite\": true, \"number\": 0},"
	          " \"end_time\": {\"set\": true, \"infinite\": false, \"number\": 1764599999},"
	          " \"node_count\": 4294967294, \"priority\": 4294967295, \"cpus\": null,"
	          " \"array_job_id\": {\"set\": true, \"number\": 0}, \"nodes\": [\"n1\", \"n2\"],"
	          " \"tres_alloc_str\": \"\"}], \"last_update\": {\"set\": true, \"infinite\": "
	          "false,"
	          " \"number\": 1764505000}}"));
	const struct job *j = f.jobs.v;
	const struct job_traits t = job_traits(&f, j);
	assert_str(job_id(&f, j), "7");
	assert_str(word(&f, t.user), "1000");
	assert_str(word(&f, j->node_names), "n1,n2");
	assert_true(j->submit_ms == TIME_UNKNOWN && j->eligible_ms == TIME_UNKNOWN);
	assert_true(j->end_ms == TIME_UNKNOWN); /* it must end then; it has not */
	assert_int_equal(j->outcome, OUTCOME_RUNNING);
	assert_true(t.node_count == COUNT_UNKNOWN && j->gpus == COUNT_UNKNOWN);
	assert_true(t.cpus == COUNT_UNKNOWN && j->priority == 0);
	assert_int_equal(f.scheduler.n, 1); /* up to last_update */
	assert_true(f.scheduler.v[0].from_ms == 1764504000000);
	assert_true(f.scheduler.v[0].to_ms == 1764505000000);
	facts_deinit(&f);
}

static void rejects_one_job_and_keeps_the_others(void **state)
{
	(void)state;
	struct facts f;
	struct err err = { 0 };
	const char *doc =
	        "{\"jobs\": [{\"job_id\": 1, \"job_state\": \"NOT_A_STATE\"},\n 5,\n"
	        "{\"job_state\": \"RUNNING\"},\n{\"job_id\": 2, \"job_state\": \"RUNNING\","
	        " \"start_time\": 1764504000}], \"errors\": [{\"error\": \"x\"}]}";
	assert_int_equal(feed(&reader_slurm_json, &f, str_of(doc), &err), ERR_OK);
	assert_int_equal(f.jobs.n, 1);
	assert_str(job_id(&f, &f.jobs.v[0]), "2");
	assert_int_equal(f.inputs.v[0].rejected, 3);
	assert_int_equal(f.inputs.v[0].records, 4);
	assert_int_equal(f.rejects.v[0].line, 1);
	assert_int_equal(f.rejects.v[1].line, 2);
	assert_str(word(&f, f.rejects.v[1].reason), "expected an object");
	assert_int_equal(f.rejects.v[2].line, 3);
	bool is_noted = false;
	for (size_t i = 0; i < f.notes.n; i++)
		is_noted |= str_starts(word(&f, f.notes.v[i].text), S("Slurm wrote errors"));
	assert_true(is_noted);
	facts_deinit(&f);
	assert_int_equal(feed(&reader_slurm_json, &f,
	                      S("{\"jobs\": [{\"job_id\": 1, \"job_state\": [\"RUNNING\"]},"),
	                      &err),
	                 ERR_OK);
	assert_int_equal(f.jobs.n, 1);
	assert_true(f.inputs.v[0].partial);
	facts_deinit(&f);
}

/* A node as slurmrestd writes it, with STATE (JSON) and GRES. */
static void read_node(struct facts *f, const char *node_state, const char *gres)
{
	auto_text t = TEXT_NULL;
	text_printf(&t,
	            "{\"nodes\": [{\"name\": \"n1\", \"state\": %s, \"gres\": \"%s\", \"cpus\": 64,"
	            " \"partitions\": [\"gpu\", \"all\"], \"reason_changed_at\": {\"set\": true,"
	            " \"number\": 1764500000}}], \"last_update\": {\"set\": true, \"number\":"
	            " 1764505000}}",
	            node_state, gres);
	read_good(f, text_str(&t));
}

static void tells_what_a_nodes_state_makes_of_its_gpus(void **state)
{
	(void)state;
	const struct {
		const char *state;
		enum capacity_state want;
		bool gone;
	} cases[] = {
		{ "[\"IDLE\"]", CAPACITY_UP, false },
		{ "[\"MIXED\", \"PLANNED\"]", CAPACITY_UP, false }, /* backfill's plan */
		{ "[\"IDLE\", \"A_NEW_FLAG\"]", CAPACITY_UP, false },
		{ "[\"ALLOCATED\", \"DRAIN\"]", CAPACITY_DRAINING, false },
		{ "[\"IDLE\", \"DRAIN\"]", CAPACITY_DRAINING, false },
		{ "[\"DOWN\"]", CAPACITY_FAILED, true },
		{ "[\"DOWN\", \"DRAIN\"]", CAPACITY_FAILED, true },
		{ "[\"IDLE\", \"NOT_RESPONDING\"]", CAPACITY_FAILED, true },
		{ "[\"IDLE\", \"MAINTENANCE\"]", CAPACITY_PLANNED, false },
		{ "[\"IDLE\", \"POWERED_DOWN\"]", CAPACITY_STARTING, false },
		{ "[\"IDLE\", \"POWERING_UP\"]", CAPACITY_STARTING, false },
		{ "[\"IDLE\", \"REBOOT_ISSUED\"]", CAPACITY_STARTING, false },
		{ "[\"ALLOCATED\", \"FAIL\"]", CAPACITY_DRAINING, false },
		{ "\"idle\", \"state_flags\": [\"DRAIN\"]", CAPACITY_DRAINING, false },
		{ "\"down\"", CAPACITY_FAILED, true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		read_node(&f, cases[i].state, "gpu:h100:4(S:0-1)");
		assert_true(f.capacity.n >= 1);
		const struct capacity *c = &f.capacity.v[f.capacity.n - 1];
		if (c->state != cases[i].want || c->gone != cases[i].gone)
			fail_msg("%s: %d, gone %d", cases[i].state, (int)c->state, c->gone);
		assert_true(c->from_ms == (c->state == CAPACITY_UP ? TIME_UNKNOWN : 1764500000000));
		for (size_t k = 0; k < f.capacity.n; k++)
			assert_true(f.capacity.v[k].at_ms == 1764505000000);
		assert_true(c->is_snapshot && c->count == 4);
		assert_str(word(&f, c->pool), "n1");
		assert_str(word(&f, c->model), "h100");
		assert_int_equal(f.nodes.v[0].cpus, 64);
		assert_str(word(&f, f.nodes.v[0].partition), "gpu");
		facts_deinit(&f);
	}
}

/* The same node through scontrol's text and its JSON. */
static void gives_the_capacity_that_scontrol_gives(void **state)
{
	(void)state;
	struct facts f, want;
	struct err err = { 0 };
	auto_text ours = TEXT_NULL, theirs = TEXT_NULL;
	read_good(
	        &f,
	        S("{\"nodes\": [{\"name\": \"n1\", \"state\": [\"IDLE\", \"DRAIN\"], \"cpus\": 64,"
	          " \"gres\": \"gpu:a100:2,gpu:v100:1\", \"partitions\": [\"gpu\"],"
	          " \"reason_changed_at\": 1764500000}]}"));
	assert_int_equal(feed(&reader_scontrol_node, &want,
	                      S("NodeName=n1 CPUTot=64 Gres=gpu:a100:2,gpu:v100:1 State=IDLE+DRAIN"
	                        " Partitions=gpu Reason=x [root@2025-11-30T10:53:20]\n"),
	                      &err),
	                 ERR_OK);
	for (size_t i = 0; i < want.capacity.n; i++)
		want.capacity.v[i].source = facts_word(&want, S("slurm"));
	document_write(&ours, &f);
	document_write(&theirs, &want);
	if (!str_eq(text_str(&ours), text_str(&theirs)))
		fail_msg("%.*s\nscontrol:\n%.*s", STR_FMT(text_str(&ours)),
		         STR_FMT(text_str(&theirs)));
	facts_deinit(&f);
	facts_deinit(&want);
}

static void counts_a_nodes_gpus(void **state)
{
	(void)state;
	const struct {
		const char *gres;
		uint32_t gpus;
		const char *model;
	} cases[] = {
		{ "gpu:4", 4, "" },
		{ "gpu:a100:2,gpu:v100:1", 3, "" },
		{ "gpu:a100_1g.10gb:14", 2, "a100" },
		{ "craynetwork:4", 0, "" },
		{ "\", \"tres\": \"cpu=64,gres/gpu=8", 8, "" },
		{ "\", \"tres\": \"cpu=64,mem=128G", 0, "" },
		{ "", COUNT_UNKNOWN, "" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		read_node(&f, "[\"IDLE\"]", cases[i].gres);
		if (cases[i].gpus != f.nodes.v[0].gpus)
			fail_msg("%s: %u", cases[i].gres, f.nodes.v[0].gpus);
		assert_str(word(&f, f.nodes.v[0].model), cases[i].model);
		facts_deinit(&f);
	}
}

static void reads_sinfo_and_names_each_node_once(void **state)
{
	(void)state;
	struct facts f;
	read_good(
	        &f,
	        S("{\"sinfo\": [{\"node\": {\"state\": [\"IDLE\"]}, \"nodes\": {\"total\": 2, "
	          "\"nodes\":"
	          " [\"n1\", \"n2\"]}, \"gres\": {\"total\": \"gpu:h100:8(S:0-1)\", \"used\": "
	          "\"gpu:0\"},"
	          " \"partition\": {\"name\": \"gpu\"}},\n"
	          " {\"node\": {\"state\": [\"IDLE\"]}, \"nodes\": {\"nodes\": [\"n2\"]}, \"gres\":"
	          " {\"total\": \"gpu:h100:8\"}, \"partition\": {\"name\": \"all\"}},\n"
	          " {\"node\": {\"state\": [\"FUTURE\"]}, \"nodes\": {\"nodes\": [\"n9\"]}, "
	          "\"gres\":"
	          " {\"total\": \"gpu:h100:8\"}}], \"meta\": {\"slurm\": {}}}"));
	assert_int_equal(f.nodes.n, 3);
	assert_int_equal(f.capacity.n, 2); /* n9 does not exist yet */
	assert_int_equal(f.capacity.v[1].count, 8);
	assert_str(word(&f, f.nodes.v[1].partition), "gpu");
	assert_int_equal(f.scheduler.n, 0); /* nodes say nothing of when jobs ran */
	facts_deinit(&f);
}

static void rejects_a_node_that_says_nothing(void **state)
{
	(void)state;
	struct facts f;
	struct err err = { 0 };
	assert_int_equal(feed(&reader_slurm_json, &f,
	                      S("{\"nodes\": [{\"gres\": \"gpu:1\"},\n{\"name\": \"a\", \"state\": "
	                        "[\"XX\"]},\n"
	                        "{\"name\": \"b\", \"state\": [\"IDLE\"]}]}"),
	                      &err),
	                 ERR_OK);
	assert_int_equal(f.nodes.n, 1);
	assert_int_equal(f.rejects.n, 2);
	assert_str(word(&f, f.rejects.v[0].reason), "a node without a name");
	assert_str(word(&f, f.rejects.v[1].reason), "a: not a node's state");
	assert_int_equal(f.rejects.v[1].line, 2);
	facts_deinit(&f);
}

static void recognises_slurms_documents(void **state)
{
	(void)state;
	const struct {
		const char *head;
		int want;
	} cases[] = {
		{ json_new, 95 },
		{ json_ctld, 95 },
		{ "{\"jobs\": [{\"account\": \"x\", \"job_id\": 5", 95 },
		{ "{\"nodes\": [{\"architecture\": \"x86_64\", \"boar", 95 },
		{ "{\"jobs\": [], \"meta\": {\"Slurm\": {}}}", 95 },
		{ "{\"jobs\": [{\"id\": \"a\", \"start\": 5}]}", 0 },
		{ "{\"nodes\": [{\"id\": \"a\", \"partition\": \"p\", \"gpus\": 1, \"cpus\": 2}]}",
		  0 },
		{ "{\"kind\": \"List\", \"items\": []}", 0 },
		{ "[{\"job_id\": 5}]", 0 },
		{ "", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (reader_slurm_json.recognise(str_of(cases[i].head), NULL) != cases[i].want)
			fail_msg("not %d: %s", cases[i].want, cases[i].head);
}

static void refuses_what_says_nothing_of_gpu_time(void **state)
{
	(void)state;
	struct facts f;
	struct err err = { 0 };
	struct str doc = S("{\"partitions\": [{\"name\": \"p\"}], \"meta\": {\"Slurm\": {}}}");
	assert_int_equal(reader_slurm_json.recognise(doc, NULL), 95);
	assert_int_equal(feed(&reader_slurm_json, &f, doc, &err), ERR_INPUT);
	assert_non_null(strstr(err.text, "say nothing of GPU time"));
	facts_deinit(&f);
}

static void reads_real_answers_of_three_versions(void **state)
{
	(void)state;
	const struct {
		const char *path;
		size_t jobs, nodes, capacity;
	} cases[] = {
		{ "data/slurm-live/slurm-web/24.05_0.0.41_slurm-jobs.json", 14, 0, 0 },
		{ "data/slurm-live/slurm-web/25.11_0.0.44_slurm-jobs.json", 15, 0, 0 },
		{ "data/slurm-live/telegraf/jobs.json", 3, 0, 0 },
		{ "data/slurm-live/slurm-web/24.05_0.0.41_slurm-nodes.json", 0, 100, 0 },
		{ "data/slurm-live/slurm-web/25.11_0.0.44_slurm-nodes.json", 0, 8, 4 },
		{ "data/slurm-live/telegraf/nodes.json", 0, 3, 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char path[4096];
		auto_arena a = ARENA_NULL;
		struct facts f;
		struct str bytes = run_file(&a, run_shared(path, sizeof path, cases[i].path));
		assert_int_equal(reader_slurm_json.recognise(str_sub(bytes, 0, 65536), NULL), 95);
		read_good(&f, bytes);
		assert_int_equal(f.jobs.n, cases[i].jobs);
		assert_int_equal(f.nodes.n, cases[i].nodes);
		assert_int_equal(f.capacity.n, cases[i].capacity);
		facts_deinit(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_facts_that_sacct_gives),
		cmocka_unit_test(takes_a_state_in_every_shape),
		cmocka_unit_test(takes_unset_and_infinite_for_unknown),
		cmocka_unit_test(rejects_one_job_and_keeps_the_others),
		cmocka_unit_test(tells_what_a_nodes_state_makes_of_its_gpus),
		cmocka_unit_test(gives_the_capacity_that_scontrol_gives),
		cmocka_unit_test(rejects_a_node_that_says_nothing),
		cmocka_unit_test(counts_a_nodes_gpus),
		cmocka_unit_test(reads_sinfo_and_names_each_node_once),
		cmocka_unit_test(recognises_slurms_documents),
		cmocka_unit_test(refuses_what_says_nothing_of_gpu_time),
		cmocka_unit_test(reads_real_answers_of_three_versions),
	};
	return RUN_TESTS(tests);
}
