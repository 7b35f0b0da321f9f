/* SPDX-License-Identifier: Apache-2.0 */
#include "read/kube.h"

#include <stdio.h>

#include "intake/parts.h"
#include "lib/items.h"
#include "lib/run.h"

extern const struct reader reader_kubernetes;

#define NOON INT64_C(1796040000000) /* 2026-11-30T12:00:00Z */
#define MINUTE INT64_C(60000)
#define U TIME_UNKNOWN

/* A pod of one container: NAME, SPEC's and STATUS' further members, RESOURCES. Made at 12:00. */
#define POD_OF(name, resources, spec, status)                                            \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name         \
	"\",\"namespace\":\"a\",\"uid\":\"u-" name                                       \
	"\",\"creationTimestamp\":\"2026-11-30T12:00:00Z\"},\"spec\":{\"containers\":[{" \
	"\"name\":\"main\",\"resources\":{\"limits\":{" resources "}}}]" spec            \
	"},\"status\":{" status "}}"
#define GPUS(n) "\"nvidia.com/gpu\":\"" n "\""
#define ON(node) ",\"nodeName\":\"" node "\""
#define BOUND                                                             \
	"\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\"," \
	"\"lastTransitionTime\":\"2026-11-30T12:01:00Z\"}]"
#define ENDED(code, reason)                                                                        \
	",\"containerStatuses\":[{\"name\":\"main\",\"state\":{\"terminated\":{\"exitCode\":" code \
	",\"reason\":\"" reason "\",\"startedAt\":\"2026-11-30T12:02:00Z\","                       \
	"\"finishedAt\":\"2026-11-30T12:30:00Z\"}}}]"
#define NODE_OF(name, labels, capacity, allocatable, more)                                        \
	"{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"" name                 \
	"\",\"labels\":{" labels "},\"creationTimestamp\":\"2026-11-01T00:00:00Z\"},\"spec\":{}," \
	"\"status\":{\"capacity\":{" capacity "},\"allocatable\":{\"cpu\":\"96\"," allocatable    \
	"}" more "}}"
#define HEARD(time)                                                                              \
	",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"lastHeartbeatTime\":\"" time \
	"\"}]"

static struct whole read_text(const char *text)
{
	struct whole w = whole_read(&reader_kubernetes, str_of(text));
	assert_int_equal(w.code, ERR_OK);
	assert_int_equal(w.score, 95);
	if (w.f.rejects.n)
		fail_msg("rejected: %s", whole_word(&w, w.f.rejects.v[0].reason));
	for (size_t piece = 1; piece < strlen(text) + 2; piece += 97)
		assert_true(items_agree(&reader_kubernetes, str_of(text), piece));
	return w;
}

static struct job_traits traits_of(const struct whole *w, size_t i)
{
	return job_traits(&w->f, &w->f.jobs.v[i]);
}

static void a_running_pod(void **state)
{
	(void)state;
	struct whole w =
	        read_text(POD_OF("p", GPUS("2"), ON("n1"), "\"phase\":\"Running\"," BOUND));
	assert_int_equal(w.f.jobs.n, 1);
	const struct job *j = &w.f.jobs.v[0];
	assert_str(job_id(&w.f, j), "a/p");
	assert_true(j->is_pod && !j->is_slurm && j->gpus == 2 && j->requested == 2);
	assert_true(j->submit_ms == NOON && j->start_ms == NOON + MINUTE && j->end_ms == U);
	assert_int_equal(j->outcome, OUTCOME_RUNNING);
	assert_string_equal(whole_word(&w, traits_of(&w, 0).team), "a");
	struct allocation_entry a = allocation_entry_of(&w.f, &w.f.allocations.v[0]);
	assert_true(a.on == CLAIM_NODE && a.count == 2 && a.share_num == 1 && a.share_den == 1);
	assert_string_equal(whole_word(&w, a.place), "n1");
	/* the second of the newest time in it */
	assert_int_equal(w.f.scheduler.n, 1);
	assert_true(w.f.scheduler.v[0].to_ms == NOON + MINUTE + 1000 &&
	            w.f.scheduler.v[0].from_ms == NOON + MINUTE);
	whole_drop(&w);
	w = whole_read_at(&reader_kubernetes,
	                  S(POD_OF("p", GPUS("2"), ON("n1"), "\"phase\":\"Running\"," BOUND)),
	                  NOON + 5 * MINUTE);
	assert_true(w.f.scheduler.v[0].to_ms == NOON + 5 * MINUTE);
	whole_drop(&w);
}

static void ends_by(const char *text, enum outcome want, int64_t end_ms)
{
	struct whole w = read_text(text);
	assert_int_equal(w.f.jobs.n, 1);
	if (w.f.jobs.v[0].outcome != want)
		fail_msg("%s: %s", text, outcomes[w.f.jobs.v[0].outcome].name);
	assert_true(w.f.jobs.v[0].end_ms == end_ms);
	whole_drop(&w);
}

static void pods_end(void **state)
{
	(void)state;
	const int64_t end = NOON + 30 * MINUTE;
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Succeeded\"," BOUND ENDED("0", "Completed")),
	        OUTCOME_COMPLETED, end);
	ends_by(POD_OF("p", GPUS("1"), ON("n"), "\"phase\":\"Failed\"," BOUND ENDED("1", "Error")),
	        OUTCOME_FAILED, end);
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Failed\"," BOUND ENDED("137", "OOMKilled")),
	        OUTCOME_OOM, end);
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Failed\"," BOUND ENDED("137", "ContainerStatusUnknown")),
	        OUTCOME_ENDED, end);
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Failed\",\"reason\":\"DeadlineExceeded\"," BOUND ENDED(
	                       "143", "Error")),
	        OUTCOME_TIMEOUT, end);
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Failed\",\"reason\":\"NodeLost\"," BOUND),
	        OUTCOME_NODE_FAILED, NOON + MINUTE); /* the newest time that it tells */
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"The node was low "
	               "on resource: ephemeral-storage.\"," BOUND),
	        OUTCOME_FAILED, NOON + MINUTE);
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Failed\",\"reason\":\"Evicted\",\"message\":\"The node was low "
	               "on resource: memory.\"," BOUND),
	        OUTCOME_OOM, NOON + MINUTE);
	ends_by(POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Failed\",\"conditions\":[{\"type\":\"DisruptionTarget\","
	               "\"status\":\"True\",\"reason\":\"PreemptionByScheduler\","
	               "\"lastTransitionTime\":\"2026-11-30T12:20:00Z\"}]"),
	        OUTCOME_PREEMPTED, NOON + 20 * MINUTE);
	ends_by(POD_OF("p", GPUS("1"), ON("n"), "\"phase\":\"Unknown\"," BOUND), OUTCOME_RUNNING,
	        U);
}

/* The time before the last start, and what came before that, are attempts of their own. */
static void restarts_are_attempts(void **state)
{
	(void)state;
	struct whole w = read_text(
	        POD_OF("p", GPUS("1"), ON("n"),
	               "\"phase\":\"Running\"," BOUND ",\"containerStatuses\":[{\"name\":\"main\","
	               "\"restartCount\":4,\"state\":{\"running\":{\"startedAt\":"
	               "\"2026-11-30T12:41:00Z\"}},\"lastState\":{\"terminated\":{\"exitCode\":1,"
	               "\"reason\":\"Error\",\"startedAt\":\"2026-11-30T12:20:00Z\","
	               "\"finishedAt\":\"2026-11-30T12:40:00Z\"}}}]"));
	const struct job *j = w.f.jobs.v;
	assert_int_equal(w.f.jobs.n, 3);
	assert_true(j[0].start_ms == NOON + MINUTE && j[0].end_ms == NOON + 20 * MINUTE);
	assert_true(j[1].start_ms == j[0].end_ms && j[1].end_ms == NOON + 40 * MINUTE);
	assert_true(j[2].start_ms == j[1].end_ms && j[2].end_ms == U);
	assert_true(j[0].outcome == OUTCOME_ENDED && j[1].outcome == OUTCOME_FAILED &&
	            j[2].outcome == OUTCOME_RUNNING);
	assert_true(traits_of(&w, 0).run && traits_of(&w, 0).run == traits_of(&w, 2).run);
	assert_int_equal(w.f.allocations.n, 3);
	whole_drop(&w);
}

static void waits_for(const char *message, const char *word, bool is_policy)
{
	auto_text t = TEXT_NULL;
	text_printf(
	        &t,
	        POD_OF("p", GPUS("8"), "",
	               "\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\","
	               "\"status\":\"False\",\"reason\":\"Unschedulable\",\"message\":\"%s\"}]"),
	        message);
	text_byte(&t, '\0');
	struct whole w = read_text(t.p);
	const struct job *j = &w.f.jobs.v[0];
	assert_true(j->start_ms == U && j->end_ms == U && j->requested == 8);
	assert_int_equal(j->outcome, OUTCOME_WAITING);
	assert_string_equal(whole_word(&w, traits_of(&w, 0).reason), word);
	assert_int_equal(j->is_policy, is_policy);
	assert_int_equal(w.f.allocations.n, 0);
	whole_drop(&w);
}

static void pods_wait(void **state)
{
	(void)state;
	waits_for(
	        "0/9 nodes are available: 3 Insufficient nvidia.com/gpu, 6 node(s) had untolerated "
	        "taint {a: b}.",
	        "Insufficient nvidia.com/gpu", false);
	waits_for("0/9 nodes are available: 9 node(s) had untolerated taint {team: x}. preemption: "
	          "0/9 nodes are available: 9 Insufficient nvidia.com/gpu.",
	          "untolerated taint", true);
	waits_for("0/1 nodes are available: 1 node(s) had untolerated taint "
	          "{node.kubernetes.io/not-ready: }.",
	          "node not ready", false);
	waits_for("0/2 nodes are available: 2 Insufficient cpu.", "Insufficient cpu", false);
	waits_for("something new", "Unschedulable", false);
	struct whole w =
	        read_text(POD_OF("p", GPUS("8"),
	                         ",\"priority\":7,\"nodeSelector\":{\"nvidia.com/gpu.product\":"
	                         "\"NVIDIA-A100-SXM4-80GB\"}",
	                         "\"phase\":\"Pending\",\"conditions\":[{\"type\":\"PodScheduled\","
	                         "\"status\":\"False\",\"reason\":\"SchedulingGated\"}]"));
	const struct job_traits t = traits_of(&w, 0);
	assert_true(w.f.jobs.v[0].is_policy && job_priority(&w.f, &w.f.jobs.v[0]) == 7);
	assert_int_equal(t.models.n, 1);
	assert_string_equal(whole_word(&w, *job_words(&w.f, t.models)), "NVIDIA A100-SXM4-80GB");
	whole_drop(&w);
}

static void init_containers_and_sidecars(void **state)
{
	(void)state;
	static const char format[] =
	        "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{"
	        "\"initContainers\":["
	        "{\"restartPolicy\":\"Always\",\"resources\":{\"limits\":{" GPUS(
	                "1") "}}},"
	                     "{\"resources\":{\"limits\":{" GPUS(
	                             "%d") "}}}],\"containers\":["
	                                   "{\"resources\":{\"requests\":{" GPUS(
	                                           "2") ",\"cpu\":\"1500m\"},\"limits\":"
	                                                "{" GPUS("2") "}}},{"
	                                                              "\"resources\":{"
	                                                              "\"limits\":"
	                                                              "{" GPUS("1") ",\""
	                                                                            "cpu"
	                                                                            "\":"
	                                                                            "1}}"
	                                                                            "}]}"
	                                                                            "}";
	for (int init = 1; init <= 6; init++) {
		char text[1024];
		snprintf(text, sizeof text, format, init);
		struct str doc = str_of(text), spec = json_get(doc, S("spec"));
		struct kube k = { .newest_ms = U };
		struct kube_wants wants;
		kube_wants_read(&k, spec, &wants);
		assert_int_equal(wants.n, 1);
		assert_int_equal(wants.v[0].count, init > 3 ? init + 1 : 4);
		assert_int_equal(wants.cpu_milli, 2500);
		kube_deinit(&k);
	}
}

static void parts_of_gpus(void **state)
{
	(void)state;
	static const struct {
		const char *profile;
		int64_t num, den;
	} profiles[] = { { "1g.10gb", 1, 7 },   { "3g.40gb", 3, 7 },    { "7g.80gb", 7, 7 },
		         { "1g.5gb.me", 1, 7 }, { "2g.12gb", 2, 4 },    { "1g.6gb+me", 1, 4 },
		         { "8g.80gb", 0, 1 },   { "1c.3g.20gb", 0, 1 }, { "", 0, 1 },
		         { "g.", 0, 1 },        { "0g.1gb", 0, 1 } };
	for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
		struct kube_share s = kube_profile(str_of(profiles[i].profile));
		if (i != 7 && (s.num != profiles[i].num || s.den != profiles[i].den))
			fail_msg("%s: %lld/%lld", profiles[i].profile, (long long)s.num,
			         (long long)s.den);
	}
	struct whole w = read_text(POD_OF("p", "\"nvidia.com/mig-3g.40gb\":2", ON("n"),
	                                  "\"phase\":\"Running\"," BOUND));
	struct allocation_entry a = allocation_entry_of(&w.f, &w.f.allocations.v[0]);
	assert_true(a.count == 2 && a.share_num == 3 && a.share_den == 7);
	whole_drop(&w);
}

/* Replicas are parts of a GPU if the node says so, in whatever order and input; else unknown. */
static void replicas(void **state)
{
	(void)state;
	struct whole w = read_text(
	        POD_OF("p", GPUS("2"), ON("n1"), "\"phase\":\"Running\"," BOUND)
	                POD_OF("q", "\"nvidia.com/gpu.shared\":\"1\"", ON("n2"),
	                       "\"phase\":\"Running\"," BOUND)
	                        NODE_OF("n1",
	                                "\"nvidia.com/gpu.product\":\"NVIDIA-L4-SHARED\","
	                                "\"nvidia.com/gpu.replicas\":\"4\"",
	                                GPUS("8"), GPUS("8"), HEARD("2026-11-30T12:10:00Z")));
	parts_join(&w.f);
	assert_int_equal(w.f.allocations.n, 1);
	struct allocation_entry a = allocation_entry_of(&w.f, &w.f.allocations.v[0]);
	assert_true(a.count == 2 && a.share_num == 1 && a.share_den == 4);
	assert_true(w.f.jobs.v[1].gpus == COUNT_UNKNOWN);
	assert_true(w.f.nodes.v[0].gpus == 2 && w.f.nodes.v[0].part_den == 0);
	assert_string_equal(whole_word(&w, w.f.nodes.v[0].model), "NVIDIA L4");
	parts_join(&w.f); /* nothing is applied twice */
	a = allocation_entry_of(&w.f, &w.f.allocations.v[0]);
	assert_true(a.share_num == 1 && a.share_den == 4);
	whole_drop(&w);
}

static const struct capacity *capacity_at(const struct whole *w, const char *node, int64_t t_ms)
{
	const struct capacity *found = NULL;
	for (size_t i = 0; i < w->f.capacity.n; i++) {
		const struct capacity *c = &w->f.capacity.v[i];
		if (!strcmp(whole_word(w, c->node), node) && c->from_ms <= t_ms &&
		    t_ms < c->to_ms) {
			assert_null(found);
			found = c;
		}
	}
	return found;
}

#define NOT_READY(time)                                                                       \
	",\"conditions\":[{\"type\":\"Ready\",\"status\":\"Unknown\",\"lastTransitionTime\":" \
	"\"" time "\",\"lastHeartbeatTime\":\"2026-11-30T12:59:00Z\"}]"

static void nodes(void **state)
{
	(void)state;
	struct whole w = read_text(
	        NODE_OF("ill", "", GPUS("8"), GPUS("6"), HEARD("2026-11-30T13:00:00Z"))
	                NODE_OF("lost", "", GPUS("8"), GPUS("8"), NOT_READY("2026-11-30T12:30:00Z"))
	                        NODE_OF("new", "", GPUS("8"), GPUS("8"),
	                                NOT_READY("2026-11-01T00:00:30Z")));
	const int64_t now = NOON + 59 * MINUTE + 59000;
	assert_int_equal(w.f.scheduler.n, 0); /* nodes alone say nothing of pods */
	assert_true(capacity_at(&w, "ill", now)->count == 6);
	const struct capacity *c = capacity_at(&w, "ill (unhealthy)", now);
	assert_true(c->count == 2 && c->state == CAPACITY_FAILED && c->pool != c->node);
	assert_true(capacity_at(&w, "ill", NOON)->is_unseen);
	assert_null(capacity_at(&w, "ill (unhealthy)", NOON));
	assert_true(capacity_at(&w, "lost", NOON + 29 * MINUTE)->state == CAPACITY_UP);
	c = capacity_at(&w, "lost", NOON + 31 * MINUTE);
	assert_true(c->state == CAPACITY_FAILED && !c->gone);
	c = capacity_at(&w, "lost", NOON + 36 * MINUTE);
	assert_true(c->state == CAPACITY_FAILED && c->gone);
	assert_true(capacity_at(&w, "new", now)->state == CAPACITY_STARTING);
	whole_drop(&w);
}

#define WATCH_P1 POD_OF("p", GPUS("1"), ON("n"), "\"phase\":\"Running\"," BOUND)
#define WATCH_P2 \
	POD_OF("p", GPUS("1"), ON("n"), "\"phase\":\"Succeeded\"," BOUND ENDED("0", "Completed"))
#define WATCH_Q POD_OF("q", GPUS("1"), "", "\"phase\":\"Pending\"")

/* The last version of an object counts; a watch covers what it saw. */
static void a_watch(void **state)
{
	(void)state;
	struct whole w = read_text(WATCH_P1 "\n" WATCH_Q "\n" WATCH_P2
	                                    "\n{\"type\":\"DELETED\",\"object\":" WATCH_Q "}");
	assert_int_equal(w.f.jobs.n, 2);
	assert_int_equal(w.f.allocations.n, 1);
	assert_int_equal(w.f.jobs.v[0].outcome, OUTCOME_COMPLETED);
	assert_int_equal(w.f.jobs.v[1].outcome, OUTCOME_CANCELLED);
	assert_true(w.f.jobs.v[1].start_ms == U && w.f.jobs.v[1].end_ms != U);
	assert_true(w.f.scheduler.v[0].from_ms == NOON + MINUTE &&
	            w.f.scheduler.v[0].to_ms == NOON + 30 * MINUTE + 1000);
	whole_drop(&w);
}

static void lists_of_the_api_server(void **state)
{
	(void)state;
	struct whole w = read_text(
	        "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[{"
	        "\"metadata\":"
	        "{\"name\":\"p\",\"namespace\":\"a\",\"creationTimestamp\":\"2026-11-30T12:00:"
	        "00Z\"},"
	        "\"spec\":{\"nodeName\":\"n\",\"containers\":[{\"resources\":{\"limits\":{" GPUS(
	                "1") "}}}]},\"status\":{\"phase\":\"Running\"}}]}");
	assert_int_equal(w.f.jobs.n, 1);
	assert_true(w.f.jobs.v[0].start_ms == NOON);
	whole_drop(&w);
	w = read_text("{\"apiVersion\":\"v1\",\"items\":[],\"kind\":\"List\"}");
	assert_true(w.f.jobs.n == 0 && w.f.inputs.v[0].records == 0);
	whole_drop(&w);
}

static void bad_objects_lose_only_themselves(void **state)
{
	(void)state;
	static const char text[] = "{\"apiVersion\":\"v1\",\"items\":[\n7,\n" POD_OF(
	        "p", GPUS("1"), ON("n"),
	        "\"phase\":\"Running\"") ",\n{\"kind\":\"Pod\",\"metadata\":{}},\n{\"kind\": "
	                                 "\"Pod\", oops},\n{\"a\":1},\n" POD_OF(
	                                         "q", GPUS("1"), ON("n"),
	                                         "\"phase\":\"Running\"") ",\n{\"kind\":\"Pod\"";
	struct whole w = items_read(&reader_kubernetes, S(text), 300);
	static const uint64_t lines[] = { 2, 4, 5, 6, 8 };
	assert_int_equal(w.f.jobs.n, 2);
	assert_int_equal(w.f.inputs.v[0].records, 7);
	assert_int_equal(w.f.inputs.v[0].rejected, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(w.f.rejects.v[i].line, lines[i]);
	assert_true(w.f.inputs.v[0].partial);
	whole_drop(&w);
}

static void others_are_not_taken(void **state)
{
	(void)state;
	const char *const others[] = {
		"{\"jobs\":[]}",   "[1]", "[]", "7", "{}", "a,b\n", "{\"data\":{\"result\":[]}}",
		"{\"kind\":\"x\"}"
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_int_equal(reader_kubernetes.recognise(str_of(others[i]), NULL), 0);
	assert_int_equal(
	        reader_kubernetes.recognise(S("[{\"apiVersion\":\"v1\",\"kind\":\"Po"), NULL), 95);
	assert_int_equal(reader_kubernetes.recognise(
	                         S("{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"v1\",\"kind\":"
	                           "\"Pod\""),
	                         NULL),
	                 95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_running_pod),
		cmocka_unit_test(pods_end),
		cmocka_unit_test(restarts_are_attempts),
		cmocka_unit_test(pods_wait),
		cmocka_unit_test(init_containers_and_sidecars),
		cmocka_unit_test(parts_of_gpus),
		cmocka_unit_test(replicas),
		cmocka_unit_test(nodes),
		cmocka_unit_test(a_watch),
		cmocka_unit_test(lists_of_the_api_server),
		cmocka_unit_test(bad_objects_lose_only_themselves),
		cmocka_unit_test(others_are_not_taken),
	};
	return RUN_TESTS(tests);
}
