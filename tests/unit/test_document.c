/* SPDX-License-Identifier: Apache-2.0 */
/* The reader `facts` and the writer of its documents, against each other and by hand. */
#include "facts/document.h"

#include <dirent.h>
#include <stdio.h>

#include "facts/fields.h"
#include "lib/run.h"
#include "read/reader.h"

extern const struct reader reader_facts;

static enum err_code feed(struct facts *f, struct str bytes, struct err *err)
{
	struct read_options options = { .input_name = S("test") };
	struct read_run run = { .options = &options };
	facts_init(f);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, S("test")) };
	assert_int_equal(reader_facts.open(&run, bytes, err), ERR_OK);
	return reader_facts.feed(&run, bytes, 1, f, err);
}

static void read_good(struct facts *f, struct str bytes)
{
	struct err err = { 0 };
	assert_int_equal(feed(f, bytes, &err), ERR_OK);
	if (f->rejects.n)
		fail_msg("rejected: %s", names_word(&f->names, f->rejects.v[0].reason).p);
}

static struct str word(const struct facts *f, sym id)
{
	return names_word(&f->names, id);
}

/* The one reject of a document and its line. */
static void refuses(const char *doc, uint64_t line, const char *want)
{
	struct facts f;
	struct err err = { 0 };
	assert_int_equal(feed(&f, str_of(doc), &err), ERR_OK);
	if (f.rejects.n != 1)
		fail_msg("%zu rejects instead of: %s", f.rejects.n, want);
	assert_str(word(&f, f.rejects.v[0].reason), want);
	assert_int_equal(f.rejects.v[0].line, line);
	assert_int_equal(f.inputs.v[0].rejected, 1);
	facts_deinit(&f);
}

/* Every key of the table. */
static const char whole[] =
        "{\"options\": {\"setup_max\": 300000, \"skew\": 2000, \"kept\": \"saved\","
        " \"count\": {\"timeout\": \"lost\"}}, \"window\": [1000, 9000], \"as_of\": 9500,\n"
        "\"devices\": [{\"id\": \"g0\", \"node\": \"n0\", \"model\": \"NVIDIA H100\", \"slices\": "
        "7,"
        " \"mig\": [{\"id\": \"m0\", \"slices\": 3, \"from\": 5, \"to\": 7}, {\"id\": \"m1\"}]}, "
        "{\"id\": \"g1\"}],\n"
        "\"capacity\": [{\"device\": \"g0\", \"from\": 0, \"to\": 9000, \"state\": \"down.failed\","
        " \"gone\": true, \"at\": 5, \"source\": \"s\"},"
        " {\"pool\": \"p\", \"count\": 12, \"model\": \"A100\", \"from\": 0}],\n"
        "\"node_power\": [{\"node\": \"n0\", \"t\": 7, \"milliwatts\": 10400000}],\n"
        "\"scheduler\": [[0, 4000], [5000, 9000]],\n"
        "\"nodes\": [{\"id\": \"n0\", \"exhausted\": [[1, 2], [3, 4]], \"gpus\": 8}],\n"
        "\"jobs\": [{\"id\": \"j1\", \"run\": \"r\", \"user\": \"u\\u00e9\", \"team\": \"t\","
        " \"queue\": \"q\", \"label\": {\"proj\": \"x\", \"b\": \"y\"}, \"kind\": \"service\","
        " \"outcome\": \"preempted\", \"priority\": -5, \"submit\": 1, \"eligible\": 2, \"start\": "
        "3,"
        " \"end\": 4, \"gpus\": 8, \"requested\": 6, \"per_node\": 4, \"models\": [\"H100\", "
        "\"A100\"],"
        " \"pools\": [\"p\"], \"reason\": \"policy\"},\n"
        " {\"id\": 7, \"outcome\": null}],\n"
        "\"allocations\": [{\"job\": \"j1\", \"device\": \"g0\", \"share\": \"2/6\", \"from\": 1, "
        "\"to\": 2},"
        " {\"job\": 7, \"instance\": \"m0\"}, {\"job\": \"j1\", \"node\": \"n0\", \"count\": 3},"
        " {\"job\": \"j1\", \"pool\": \"p\", \"share\": 0.45}],\n"
        "\"samples\": [{\"device\": \"g0\", \"t\": 10, \"period\": 5, \"kind\": \"point\","
        " \"procs\": [\"j1\", 7], \"r\": {\"sm\": 0.1, \"tensor\": 33.33333349, \"nvlink\": "
        "1.0000000001,"
        " \"power\": \"no_permission\", \"dram\": {\"why\": \"not_ready\"}, \"fp64\": null,"
        " \"gr\": 100.5, \"idle_reason\": true}},"
        " {\"device\": \"g1\", \"t\": 11, \"procs\": \"no_permission\", \"r\": {}}, {\"device\": "
        "\"g1\", \"t\": 12}],\n"
        "\"progress\": [{\"job\": \"j1\", \"t\": 10, \"to\": 12, \"type\": \"save\", \"step\": 3},"
        " {\"job\": \"j1\", \"t\": 13, \"type\": \"ready\"}],\n"
        "\"services\": [{\"job\": \"j1\", \"from\": 0, \"to\": 5, \"ok\": 1, \"bad\": 2, "
        "\"tokens_ok\": 3,"
        " \"tokens_bad\": 4, \"running\": 5}, {\"job\": \"j1\", \"from\": 5, \"to\": 6}],\n"
        "\"prices\": [{\"from\": 0, \"to\": 5, \"model\": \"H100\", \"per_gpu_hour\": \"2.10\","
        " \"currency\": \"EUR\"}, {\"per_gpu_hour\": 1.1}],\n"
        "\"policy\": {\"reserve\": [{\"gpus\": 2, \"model\": \"H100\", \"pool\": \"p\", \"from\": "
        "0, \"to\": 9}],"
        " \"headroom\": {\"j1\": 1}}}\n";

static void reads_times_places_and_options(void **state)
{
	(void)state;
	struct facts f;
	read_good(&f, str_of(whole));
	assert_int_equal(f.notes.n, 0);
	assert_int_equal(f.options.setup_max_ms, 300000);
	assert_int_equal(f.options.skew_ms, 2000);
	assert_int_equal(f.options.kept_saved, 1);
	assert_int_equal(f.options.count[FATE_TIMEOUT], FATE_LOST);
	assert_int_equal(f.options.count[FATE_LOST], -1);
	assert_int_equal(f.window.from_ms, 1000);
	assert_int_equal(f.window.to_ms, 9000);
	assert_int_equal(f.as_of_ms, 9500);
	assert_int_equal(f.devices.n, 2);
	assert_str(word(&f, f.devices.v[0].model), "NVIDIA H100");
	assert_true(f.devices.v[0].mig && !f.devices.v[1].mig);
	assert_int_equal(f.devices.v[0].slices, 7);
	assert_int_equal(f.instances.n, 2);
	assert_int_equal(f.instances.v[0].slices, 3);
	assert_int_equal(f.instances.v[0].device, f.devices.v[0].id);
	assert_int_equal(f.capacity.v[0].state, CAPACITY_FAILED);
	assert_true(f.capacity.v[0].gone && f.capacity.v[0].count == 1);
	assert_int_equal(f.capacity.v[0].at_ms, 5);
	assert_int_equal(f.capacity.v[1].at_ms, 0); /* its from */
	assert_true(f.capacity.v[1].to_ms == TIME_UNKNOWN);
	assert_int_equal(f.capacity.v[1].count, 12);
	assert_int_equal(f.scheduler.n, 2);
	assert_true(f.has_scheduler);
	assert_int_equal(f.nodes.v[0].exhausted_n, 2);
	assert_int_equal(f.spans.v[f.nodes.v[0].exhausted_at + 1].from_ms, 3);
	assert_int_equal(f.nodes.v[0].gpus, 8);
	assert_true(f.nodes.v[0].cpus == COUNT_UNKNOWN);
	facts_deinit(&f);
}

static void reads_jobs_and_what_they_hold(void **state)
{
	(void)state;
	struct facts f;
	read_good(&f, str_of(whole));
	assert_int_equal(f.jobs.n, 2);
	const struct job_entry j[] = { job_entry_of(&f, &f.jobs.v[0]),
		                       job_entry_of(&f, &f.jobs.v[1]) };
	assert_str(j[0].id, "j1");
	assert_str(word(&f, j[0].user), "u\xc3\xa9");
	assert_int_equal(j[0].labels_n, 2);
	assert_str(word(&f, f.traits.lists.v[j[0].labels_at + 2]), "b");
	assert_int_equal(j[0].kind, KIND_SERVICE);
	assert_true(j[0].kind_known && !j[1].kind_known && j[0].is_policy && !j[1].is_policy);
	assert_int_equal(j[0].outcome, OUTCOME_PREEMPTED);
	assert_int_equal(j[0].priority, -5);
	assert_int_equal(j[0].models_n, 2);
	assert_int_equal(j[0].pools_n, 1);
	assert_str(j[1].id, "7");
	assert_int_equal(j[1].outcome, OUTCOME_WAITING);
	assert_true(j[1].start_ms == TIME_UNKNOWN && j[1].gpus == COUNT_UNKNOWN);
	assert_int_equal(f.allocations.n, 4);
	struct allocation_entry a[4];
	for (int i = 0; i < 4; i++)
		a[i] = allocation_entry_of(&f, &f.allocations.v[i]);
	assert_true(a[0].share_num == 1 && a[0].share_den == 3 && a[0].count == 1);
	assert_true(a[1].job == 1 && a[1].on == CLAIM_INSTANCE && a[1].from_ms == TIME_UNKNOWN);
	assert_true(a[2].on == CLAIM_NODE && a[2].count == 3 && a[2].share_num == 1);
	assert_true(a[3].on == CLAIM_POOL && a[3].count == 8); /* the job's gpus */
	assert_true(a[3].share_num == 9 && a[3].share_den == 20);
	facts_deinit(&f);
}

static void reads_readings_exactly_and_floors_them(void **state)
{
	(void)state;
	struct facts f;
	read_good(&f, str_of(whole));
	const struct sample *s = f.samples.v;
	assert_int_equal(f.samples.n, 3);
	assert_true(s[0].v[METRIC_sm] == 100000 && s[0].kind == SAMPLE_POINT);
	assert_true(s[0].v[METRIC_tensor] == 33333333);
	assert_true(s[0].v[METRIC_nvlink] == 1000000000);
	assert_true(s[0].v[METRIC_idle_reason] == 1);
	assert_int_equal(s[0].known, metric_bit(METRIC_sm) | metric_bit(METRIC_tensor) |
	                                     metric_bit(METRIC_nvlink) |
	                                     metric_bit(METRIC_idle_reason));
	assert_int_equal(s[0].why[METRIC_power], WHY_NO_PERMISSION);
	assert_int_equal(s[0].why[METRIC_dram], WHY_NOT_READY);
	assert_int_equal(s[0].why[METRIC_gr], WHY_OUT_OF_RANGE);
	assert_int_equal(s[0].why[METRIC_fp64], WHY_ABSENT);
	assert_int_equal(s[0].why[METRIC_pcie], WHY_ABSENT);
	assert_int_equal(s[0].procs_why, WHY_KNOWN);
	assert_int_equal(s[0].procs_n, 2);
	assert_int_equal(s[1].procs_why, WHY_NO_PERMISSION);
	assert_int_equal(s[2].procs_why, WHY_ABSENT);
	assert_true(f.progress.v[1].step == -1 && f.progress.v[1].to_ms == TIME_UNKNOWN);
	assert_true(f.services.v[0].running == 5 && f.services.v[1].ok == -1);
	assert_true(f.prices.v[0].num == 21 && f.prices.v[0].den == 10);
	assert_str(word(&f, f.prices.v[0].currency), "EUR");
	assert_true(f.prices.v[1].num == 11 && f.prices.v[1].den == 10 && !f.prices.v[1].currency);
	assert_true(f.prices.v[1].from_ms == TIME_UNKNOWN);
	assert_true(f.has_policy && f.reserves.v[0].gpus == 2 && f.headrooms.v[0].gpus == 1);
	assert_int_equal(f.inputs.v[0].records, 2 + 2 + 1 + 1 + 2 + 4 + 3 + 2 + 2 + 2);
	facts_deinit(&f);
}

static void keeps_the_rest_of_what_it_refuses(void **state)
{
	(void)state;
	struct facts f;
	struct err err = { 0 };
	const char *doc = "{\"jobs\": [{\"id\": \"a\"},\n{\"id\": \"b\", \"start\": 1.5},\n"
	                  "{\"id\": \"c\"}]}";
	assert_int_equal(feed(&f, str_of(doc), &err), ERR_OK);
	assert_int_equal(f.jobs.n, 2);
	assert_str(job_id(&f, &f.jobs.v[1]), "c");
	assert_int_equal(f.inputs.v[0].records, 3);
	facts_deinit(&f);
	refuses(doc, 2, "jobs[1].start: expected a time, whole milliseconds");
	refuses("{\"jobs\": [{\"id\": \"a\"}, {\"id\": \"a\"}]}", 1,
	        "jobs[1].id: a job of this id stands further up");
	refuses("{\"jobs\": [{\"id\": \"a\", \"start\": 5, \"end\": 4}]}", 1,
	        "jobs[0].end: before start");
	refuses("{\"jobs\": [{\"start\": 5}]}", 1, "jobs[0].id: missing");
	refuses("{\"jobs\": [{\"id\": \"a\", \"label\": {\"x\": 1}}]}", 1,
	        "jobs[0].label: expected an object of texts");
	refuses("{\"jobs\": [{\"id\": \"a\", \"outcome\": \"done\"}]}", 1,
	        "jobs[0].outcome: unknown word");
	refuses("{\"jobs\": {\"id\": \"a\"}}", 1, "jobs: expected a list");
	refuses("{\"jobs\": [5]}", 1, "jobs[0]: expected an object");
}

static void says_what_is_wrong_with_each_kind_of_entry(void **state)
{
	(void)state;
	refuses("{\"allocations\": [{\"job\": \"x\", \"device\": \"g\"}]}", 1,
	        "allocations[0].job: no such job");
	refuses("{\"jobs\": [{\"id\": \"a\"}],\n\"allocations\": [{\"job\": \"a\"}]}", 2,
	        "allocations[0]: expected a device, an instance, a node or a pool");
	refuses("{\"jobs\": [{\"id\": \"a\"}], \"allocations\": [{\"job\": \"a\", \"device\": "
	        "\"g\", \"pool\": \"p\"}]}",
	        1, "allocations[0]: expected one of device, instance, node, pool, as text");
	refuses("{\"jobs\": [{\"id\": \"a\"}], \"allocations\": [{\"job\": \"a\", \"node\": "
	        "\"n\"}]}",
	        1, "allocations[0].count: missing");
	refuses("{\"jobs\": [{\"id\": \"a\"}], \"allocations\": [{\"job\": \"a\", \"device\": "
	        "\"n\", \"share\": \"4/3\"}]}",
	        1, "allocations[0].share: expected a share over 0, at most 1");
	refuses("{\"samples\": [{\"device\": \"g\", \"t\": 1, \"r\": {\"sm\": \"busy\"}}]}", 1,
	        "samples[0].r.sm: expected a number, or text that says why not");
	refuses("{\"samples\": [{\"device\": \"g\", \"t\": 1, \"procs\": 5}]}", 1,
	        "samples[0].procs: expected a list of job ids");
	refuses("{\"capacity\": [{\"device\": \"g\", \"pool\": \"p\", \"from\": 1}]}", 1,
	        "capacity[0]: expected either a device or a pool");
	refuses("{\"capacity\": [{\"device\": \"g\", \"from\": 1, \"to\": 0}]}", 1,
	        "capacity[0].to: before from");
	refuses("{\"capacity\": [{\"device\": \"g\"}]}", 1, "capacity[0].from: missing");
	refuses("{\"capacity\": [{\"pool\": \"g\", \"from\": 1}]}", 1,
	        "capacity[0].count: missing");
	refuses("{\"devices\": [{\"id\": \"g\", \"mig\": [{}]}]}", 1,
	        "devices[0].mig: expected a list of {id, slices, from, to}");
	refuses("{\"devices\": [{\"id\": \"g\", \"mig\": [{\"id\": 1, \"from\": 3, \"to\": 2}]}]}",
	        1, "devices[0].mig: expected a list of {id, slices, from, to}");
	refuses("{\"scheduler\": [[0, 5], [7, 6]]}", 1,
	        "scheduler[1]: expected a list of [from, to]");
	refuses("{\"window\": [5, 4]}", 0, "window: expected [from, to], from not after to");
	refuses("{\"window\": [5]}", 0, "window: expected [from, to], from not after to");
	refuses("{\"as_of\": \"now\"}", 1, "as_of: expected a time, whole milliseconds");
	refuses("{\"options\": {\"kept\": \"all\"}}", 1,
	        "options.kept: expected restored or saved");
	refuses("{\"options\": {\"count\": {\"timeout\": \"gone\"}}}", 1,
	        "options.count: expected {fate: fate}");
	refuses("{\"prices\": [{\"per_gpu_hour\": \"1,5\"}]}", 1,
	        "prices[0].per_gpu_hour: expected an amount");
	refuses("{\"prices\": [{\"per_gpu_hour\": -1}]}", 1, "prices[0].per_gpu_hour: below 0");
	refuses("{\"policy\": {\"reserve\": [{}]}}", 1, "policy.reserve[0].gpus: missing");
	refuses("{\"policy\": {\"headroom\": {\"j\": -1}}}", 1,
	        "policy.headroom: expected a count of GPUs");
	refuses("{\"progress\": [{\"job\": \"j\", \"t\": 1, \"type\": \"step\", \"step\": -2}]}", 1,
	        "progress[0].step: expected a whole number, 0 or more");
}

static void counts_on_both_sides_of_the_limit(void **state)
{
	(void)state;
	struct facts f;
	read_good(&f, S("{\"jobs\": [{\"id\": \"a\", \"gpus\": 100000000, \"start\": "
	                "253402300800000}]}"));
	assert_int_equal(f.jobs.v[0].gpus, GPUS_MAX);
	assert_true(f.jobs.v[0].start_ms == TIME_MS_MAX);
	facts_deinit(&f);
	refuses("{\"jobs\": [{\"id\": \"a\", \"gpus\": 100000001}]}", 1,
	        "jobs[0].gpus: expected a whole number from 0 to 10^8");
	refuses("{\"jobs\": [{\"id\": \"a\", \"start\": 253402300800001}]}", 1,
	        "jobs[0].start: expected a time, whole milliseconds");
}

static void rejects_an_entry_over_the_limit_and_no_other(void **state)
{
	(void)state;
	for (size_t extra = 0; extra < 2; extra++) {
		struct facts f;
		struct err err = { 0 };
		auto_text t = TEXT_NULL;
		text_add(&t, S("{\"jobs\": [{\"id\": 1, \"name\": \""));
		text_repeat(&t, 'x',
		            JSON_ITEM_BYTES_MAX - sizeof "{'id': 1, 'name': ''}" + 1 + extra);
		text_add(&t, S("\"}, {\"id\": 2}]}"));
		assert_int_equal(feed(&f, text_str(&t), &err), ERR_OK);
		assert_int_equal(f.jobs.n, 2 - extra);
		assert_str(job_id(&f, &f.jobs.v[1 - extra]), "2");
		assert_int_equal(f.inputs.v[0].rejected, extra);
		assert_int_equal(f.inputs.v[0].records, 2);
		if (extra)
			assert_str(word(&f, f.rejects.v[0].reason), "jobs[0]: longer than 64 MiB");
		facts_deinit(&f);
	}
}

static void takes_what_came_before_a_broken_end(void **state)
{
	(void)state;
	struct facts f;
	struct err err = { 0 };
	assert_int_equal(
	        feed(&f, S("{\"name\": 1, \"facts\": {\"jobs\": [{\"id\": \"a\"},\n{\"id\""), &err),
	        ERR_OK);
	assert_int_equal(f.jobs.n, 1);
	assert_true(f.inputs.v[0].partial);
	assert_str(word(&f, f.rejects.v[0].reason),
	           "not JSON from here on: ends in the middle of a value");
	assert_int_equal(f.rejects.v[0].line, 2);
	facts_deinit(&f);
	assert_int_equal(feed(&f, S("no"), &err), ERR_INPUT);
	assert_string_equal(err.text, "line 1: not JSON: expected an object or a list");
	facts_deinit(&f);
}

static void notes_unknown_keys_a_limited_number_of_times(void **state)
{
	(void)state;
	struct facts f;
	auto_text t = TEXT_NULL;
	text_add(&t, S("{\"colour\": 1, \"jobs\": [{\"id\": 0, \"x\": 1}, {\"id\": 1, \"x\": 1}"));
	for (int i = 2; i < 100; i++)
		text_printf(&t, ", {\"id\": %d, \"k%d\": 1}", i, i);
	text_add(&t, S("]}"));
	read_good(&f, text_str(&t));
	assert_int_equal(f.jobs.n, 100);
	assert_int_equal(f.notes.n, 17);
	assert_str(word(&f, f.notes.v[1].text),
	           "The key 'x' in jobs is not known and was ignored.");
	assert_int_equal(f.notes.v[1].count, 2);
	facts_deinit(&f);
}

static void knows_when_the_scheduler_spoke(void **state)
{
	(void)state;
	const struct {
		const char *doc;
		bool want;
	} cases[] = {
		{ "{\"scheduler\": [[0, 1]]}", true },
		{ "{\"scheduler\": [], \"jobs\": [{\"id\": 1}]}", true },
		{ "{\"jobs\": [{\"id\": 1}]}", false },
		{ "{\"scheduler\": []}", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct facts f;
		read_good(&f, str_of(cases[i].doc));
		assert_int_equal(f.has_scheduler, cases[i].want);
		facts_deinit(&f);
	}
}

static void recognises_its_documents_and_no_others(void **state)
{
	(void)state;
	const struct {
		const char *head;
		int want;
	} cases[] = {
		{ whole, 95 },
		{ "{\"name\": \"x\", \"expect\": {\"paid\": 1}, \"facts\": {\"devices\": [", 95 },
		{ "{\"samples\": [{\"device\": \"g0\", \"t\"", 95 },
		{ "{\"scheduler\": [[0,1]], \"hue\": 1}", 60 },
		{ "{\"jobs\": [{\"account\": \"x\", \"job_id\": 5}], \"meta\": {}}", 0 },
		{ "{\"jobs\": [{\"account\": \"x\", \"job_id\": 5", 0 },
		{ "{\"kind\": \"List\", \"items\": []}", 0 },
		{ "[1]", 0 },
		{ "{}", 0 },
		{ "jobs,nodes\n", 0 },
		{ "", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int got = reader_facts.recognise(str_of(cases[i].head), NULL);
		if (got != cases[i].want)
			fail_msg("%d instead of %d: %s", got, cases[i].want, cases[i].head);
	}
}

/* Writing what was read and reading it again gives the same facts: the two texts are the same, no
   array lost an entry, and nothing was rejected. */
static void goes_around(struct str doc)
{
	struct facts a, b;
	struct read_options options = { .input_name = S("test") };
	auto_text first = TEXT_NULL, second = TEXT_NULL;
	read_good(&a, doc);
	document_write(&first, &a);
	read_good(&b, text_str(&first));
	document_write(&second, &b);
	assert_true(str_eq(text_str(&first), text_str(&second)));
	for (size_t i = 0; readers[i]; i++) /* nobody else takes it for his */
		if (readers[i] != &reader_facts &&
		    readers[i]->recognise(text_str(&first), &options))
			fail_msg("%s takes it", readers[i]->name);
	a.notes.n = 0;
#define EACH_VEC(vec) assert_int_equal(a.vec.n, b.vec.n);
#include "facts/vectors.def"
#undef EACH_VEC
	assert_memory_equal(&a.options, &b.options, sizeof a.options);
	assert_memory_equal(&a.window, &b.window, sizeof a.window);
	assert_true(a.as_of_ms == b.as_of_ms && a.has_policy == b.has_policy);
	assert_int_equal(a.has_scheduler, b.has_scheduler);
	for (size_t i = 0; i < a.samples.n; i++) {
		const struct sample *x = &a.samples.v[i], *y = &b.samples.v[i];
		assert_int_equal(x->known, y->known);
		assert_memory_equal(x->v, y->v, sizeof x->v);
		assert_memory_equal(x->why, y->why, sizeof x->why);
		assert_true(x->t_ms == y->t_ms && x->procs_why == y->procs_why);
	}
	for (size_t i = 0; i < a.allocations.n; i++)
		assert_int_equal(a.allocations.v[i].job, b.allocations.v[i].job);
	for (size_t i = 0; i < a.jobs.n; i++) {
		const struct job *x = &a.jobs.v[i], *y = &b.jobs.v[i];
		assert_true(str_eq(job_id(&a, x), job_id(&b, y)) && x->outcome == y->outcome);
		assert_true(x->start_ms == y->start_ms && x->end_ms == y->end_ms);
	}
	facts_deinit(&a);
	facts_deinit(&b);
}

static void writes_what_it_reads(void **state)
{
	(void)state;
	goes_around(str_of(whole));
	goes_around(S("{}"));
	/* two attempts of one id, as a scheduler lists them, and which of them held the device */
	struct facts f;
	struct str twice =
	        S("{\"jobs\": [{\"id\": 5}, {\"id\": 5, \"attempt\": 1}], \"allocations\":"
	          " [{\"job\": 5, \"attempt\": 1, \"device\": \"g\"}]}");
	goes_around(twice);
	read_good(&f, twice);
	assert_int_equal(f.jobs.n, 2);
	assert_int_equal(f.allocations.v[0].job, 1);
	facts_deinit(&f);
	/* a snapshot may say since when, and not when it was taken */
	read_good(&f, S("{\"capacity\": [{\"pool\": \"n\", \"count\": 1, \"from\": 5, "
	                "\"snapshot\": true}]}"));
	assert_true(f.capacity.v[0].at_ms == TIME_UNKNOWN);
	facts_deinit(&f);
	/* a device that is listed twice, and a pool without a name */
	goes_around(S("{\"devices\": [{\"id\": \"g\", \"mig\": [{\"id\": \"a\"}]},"
	              " {\"id\": \"g\", \"mig\": [{\"id\": \"b\"}]}], \"jobs\": [{\"id\": 1}],"
	              " \"allocations\": [{\"job\": 1, \"pool\": \"\", \"count\": 2}]}"));
	/* our own keys, which other inputs fill */
	goes_around(S(
	        "{\"scheduler\": [], \"capacity\": [{\"pool\": \"p\", \"count\": 2,"
	        " \"node\": \"n\", \"snapshot\": true}], \"nodes\": [{\"id\": \"n\", \"cpus\": 64,"
	        " \"cpu_milli\": 63500, \"memory_mib\": 1031000, \"model\": \"H\", \"partition\": "
	        "\"x\"}], \"jobs\": [{\"id\": \"1\", \"slurm\": "
	        "true,"
	        " \"reason\": \"QOSMaxJobs\", \"policy\": true, \"cluster\": \"c\", \"name\": "
	        "\"\\u0001\","
	        " \"node_names\": \"n[1-2]\", \"cpus\": 9, \"cpu_milli\": 8500,"
	        " \"memory_mib\": 0, \"node_count\": 2, \"restarts\": 1,"
	        " \"gpus\": 4}], \"allocations\": [{\"job\": \"1\", \"nodes\": \"n[1-2]\","
	        " \"model\": \"h100\"}], \"instances\": [{\"id\": \"i\", \"device\": \"d\", "
	        "\"slices\": 2}],"
	        " \"other_costs\": [{\"what\": \"disk\", \"amount\": \"-3/7\", \"credit\": true}],"
	        " \"totals\": [{\"from\": 0, \"to\": 1, \"pool\": \"p\", \"gpus\": 5, "
	        "\"gpu_jobs_pending\": 1}],"
	        " \"policy\": {\"reserve\": [{\"gpus\": 0, \"name\": \"r\", \"reservation\": true,"
	        " \"jobs\": [\"1\"]}]}}"));
}

static void writes_every_key_of_the_document(void **state)
{
	(void)state;
	struct facts f;
	auto_text t = TEXT_NULL;
	read_good(&f, str_of(whole));
	document_write(&t, &f);
	const char *want[] = { "\"share\": \"1/3\"",
		               "\"sm\": 0.1",
		               "\"tensor\": 33.333333",
		               "\"power\": \"no_permission\"",
		               "\"label\": {\"proj\": \"x\", \"b\": \"y\"}",
		               "\"procs\": [\"j1\", \"7\"]",
		               "\"exhausted\": [[1, 2], [3, 4]]",
		               ("\"mig\": [{\"id\": \"m0\", \"slices\": 3, \"from\": 5, \"to\": "
		                "7}, {\"id\": \"m1\"}]"),
		               "\"per_gpu_hour\": \"21/10\"",
		               "\"headroom\": {\"j1\": 1}",
		               "\"count\": {\"timeout\": \"lost\"}",
		               "\"window\": [1000, 9000]",
		               "\"state\": \"down.failed\", \"gone\": true",
		               "\"kind\": \"service\"",
		               "\"outcome\": \"preempted\"",
		               "\"tokens_bad\": 4",
		               "\"type\": \"save\"" };
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		if (str_find(text_str(&t), str_of(want[i])) == t.n)
			fail_msg("not written: %s\n%.*s", want[i], STR_FMT(text_str(&t)));
	facts_deinit(&f);
}

static void goes_around_with_every_scenario(void **state)
{
	(void)state;
	char folder[4096], path[8192];
	run_shared(folder, sizeof folder, "cases/scenarios");
	auto_arena a = ARENA_NULL;
	DIR *dir = opendir(folder);
	int n = 0;
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));) {
		if (!str_ends(str_of(e->d_name), S(".json")))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		struct str bytes = run_file(&a, path);
		assert_int_equal(reader_facts.recognise(bytes, NULL), 95);
		goes_around(bytes);
		n++;
	}
	closedir(dir);
	assert_true(n >= 14);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_times_places_and_options),
		cmocka_unit_test(reads_jobs_and_what_they_hold),
		cmocka_unit_test(reads_readings_exactly_and_floors_them),
		cmocka_unit_test(keeps_the_rest_of_what_it_refuses),
		cmocka_unit_test(says_what_is_wrong_with_each_kind_of_entry),
		cmocka_unit_test(counts_on_both_sides_of_the_limit),
		cmocka_unit_test(rejects_an_entry_over_the_limit_and_no_other),
		cmocka_unit_test(takes_what_came_before_a_broken_end),
		cmocka_unit_test(notes_unknown_keys_a_limited_number_of_times),
		cmocka_unit_test(knows_when_the_scheduler_spoke),
		cmocka_unit_test(recognises_its_documents_and_no_others),
		cmocka_unit_test(writes_what_it_reads),
		cmocka_unit_test(writes_every_key_of_the_document),
		cmocka_unit_test(goes_around_with_every_scenario),
	};
	return RUN_TESTS(tests);
}
