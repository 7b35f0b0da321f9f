/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube_pod_times: since when a pod holds its devices, until when, and how it ended.
 *
 * The scheduler takes devices for a pod when it binds it (condition PodScheduled), before anything
 * runs. A pod that has succeeded or failed holds nothing more, whatever is still listed of it. A
 * container that is started again is another attempt in the same pod, which keeps its devices in
 * between: the wait before the new start belongs to the new attempt.
 */
#include "read/kube.h"

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b; /* TIME_UNKNOWN is the least */
}

/* When a condition last changed, if it now is STATUS. */
static int64_t condition_ms(struct kube *k, struct str status, const char *type, const char *is)
{
	struct str list = kube_get(k, status, S("conditions")), key, one;
	for (size_t at = 0; json_next(list, &at, &key, &one);)
		if (str_eq(kube_text(k, one, "type"), str_of(type)) &&
		    str_eq(kube_text(k, one, "status"), str_of(is)))
			return kube_time(k, one, "lastTransitionTime");
	return TIME_UNKNOWN;
}

static struct str condition_reason(struct kube *k, struct str status, const char *type)
{
	struct str list = kube_get(k, status, S("conditions")), key, one;
	for (size_t at = 0; json_next(list, &at, &key, &one);)
		if (str_eq(kube_text(k, one, "type"), str_of(type)) &&
		    str_eq(kube_text(k, one, "status"), S("True")))
			return kube_text(k, one, "reason");
	return STR_NULL;
}

static bool wants_gpus(struct kube *k, struct str container)
{
	static const char *const where[] = { "resources.limits", "resources.requests" };
	struct str key, value;
	struct kube_share share;
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; json_next(kube_at(k, container, where[i]), &at, &key, &value);)
			if (kube_resource(json_key_text(&k->a, key), &share) != KUBE_NONE)
				return true;
	return false;
}

/* Does the container of that name, in the pod's spec, ask for GPUs? */
static bool holds_gpus(struct kube *k, struct str pod, struct str name)
{
	static const char *const where[] = { "spec.containers", "spec.initContainers" };
	struct str key, one;
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; json_next(kube_at(k, pod, where[i]), &at, &key, &one);)
			if (str_eq(kube_text(k, one, "name"), name))
				return wants_gpus(k, one);
	return false;
}

/* What the containers say together. */
struct told {
	int64_t started_ms, finished_ms; /* of the first to start, the last to finish */
	enum outcome outcome;            /* OUTCOME_COUNT: none of them says */
	struct str restarted;            /* the GPU container that was started again last */
	int64_t restarted_ms;
};

static enum outcome ended_as(struct kube *k, struct str terminated)
{
	enum outcome o;
	int64_t code = 0;
	if (kube_end_reason(kube_text(k, terminated, "reason"), STR_NULL, &o))
		return o;
	if (!json_to_i64(kube_get(k, terminated, S("exitCode")), &code))
		return OUTCOME_ENDED;
	return code ? OUTCOME_FAILED : OUTCOME_COMPLETED;
}

/* The worse word counts: out of memory, then another failure, then an end without a reason. */
static enum outcome worse(enum outcome a, enum outcome b)
{
	static const enum outcome order[] = {
		OUTCOME_OOM,    OUTCOME_NODE_FAILED, OUTCOME_TIMEOUT,
		OUTCOME_FAILED, OUTCOME_ENDED,       OUTCOME_COMPLETED
	};
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a;
}

static void container_told(struct kube *k, struct str pod, struct str status, struct told *t)
{
	struct str ended = kube_at(k, status, "state.terminated");
	struct str last = kube_at(k, status, "lastState.terminated");
	int64_t started = later(kube_time(k, status, "state.running.startedAt"),
	                        kube_time(k, ended, "startedAt"));
	int64_t before = kube_time(k, last, "finishedAt");
	if (started != TIME_UNKNOWN && (t->started_ms == TIME_UNKNOWN || started < t->started_ms))
		t->started_ms = started;
	if (json_type(ended) == JSON_OBJECT) {
		t->finished_ms = later(t->finished_ms, kube_time(k, ended, "finishedAt"));
		t->outcome = worse(t->outcome, ended_as(k, ended));
	}
	if (before > t->restarted_ms && holds_gpus(k, pod, kube_text(k, status, "name"))) {
		t->restarted = status;
		t->restarted_ms = before;
	}
}

static struct told containers_tell(struct kube *k, struct str pod, struct str status)
{
	static const char *const where[] = { "initContainerStatuses", "containerStatuses" };
	struct told t = { TIME_UNKNOWN, TIME_UNKNOWN, OUTCOME_COUNT, STR_NULL, TIME_UNKNOWN };
	struct str key, one;
	for (int i = 0; i < 2; i++)
		for (size_t at = 0;
		     json_next(kube_get(k, status, str_of(where[i])), &at, &key, &one);)
			container_told(k, pod, one, &t);
	return t;
}

static enum outcome outcome_of(struct kube *k, struct str pod, struct str status,
                               const struct told *t, bool is_deleted)
{
	struct str reason = kube_text(k, status, "reason");
	enum outcome o;
	if (str_eq(kube_text(k, status, "phase"), S("Succeeded")))
		return OUTCOME_COMPLETED;
	if (kube_end_reason(reason, kube_text(k, status, "message"), &o) ||
	    kube_end_reason(condition_reason(k, status, "DisruptionTarget"), STR_NULL, &o))
		return o;
	if (t->outcome == OUTCOME_OOM || t->outcome == OUTCOME_TIMEOUT)
		return t->outcome;
	if (is_deleted || json_type(kube_at(k, pod, "metadata.deletionTimestamp")) == JSON_STRING)
		return t->outcome == OUTCOME_COMPLETED ? OUTCOME_COMPLETED : OUTCOME_CANCELLED;
	return t->outcome == OUTCOME_ENDED ? OUTCOME_ENDED : OUTCOME_FAILED;
}

/* Of a pod that has ended: when its last container did, else the latest time that it tells. */
static int64_t end_of(struct kube *k, struct str pod, struct str status, const struct told *t)
{
	int64_t end = t->finished_ms, changed;
	if (end != TIME_UNKNOWN)
		return end;
	end = condition_ms(k, status, "DisruptionTarget", "True");
	changed = later(condition_ms(k, status, "ContainersReady", "False"),
	                condition_ms(k, status, "Ready", "False"));
	end = later(end, changed);
	if (end != TIME_UNKNOWN)
		return end;
	end = kube_time_ahead(k, pod, "metadata.deletionTimestamp");
	return end != TIME_UNKNOWN ? end : k->object_ms;
}

static void attempt_add(struct kube_times *r, int64_t start_ms, int64_t end_ms, enum outcome o)
{
	if (end_ms != TIME_UNKNOWN && end_ms < start_ms)
		end_ms = start_ms;
	r->v[r->n++] = (struct kube_attempt){ start_ms, end_ms, o };
}

/* Attempts before the present one; returns when that begins. */
static int64_t earlier_attempts(struct kube *k, const struct told *t, int64_t start_ms,
                                struct kube_times *r)
{
	struct str last = kube_at(k, t->restarted, "lastState.terminated");
	int64_t began = kube_time(k, last, "startedAt"), restarts = 1;
	if (t->restarted_ms == TIME_UNKNOWN || t->restarted_ms <= start_ms)
		return start_ms;
	json_to_i64(kube_get(k, t->restarted, S("restartCount")), &restarts);
	if (restarts > 1 && began != TIME_UNKNOWN && began > start_ms &&
	    began <= t->restarted_ms) { /* how those before it ended, nobody says */
		attempt_add(r, start_ms, began, OUTCOME_ENDED);
		start_ms = began;
	}
	attempt_add(r, start_ms, t->restarted_ms, ended_as(k, last));
	return t->restarted_ms;
}

static int64_t start_of(struct kube *k, struct str pod, struct str status, const struct told *t)
{
	int64_t bound = condition_ms(k, status, "PodScheduled", "True");
	int64_t taken = kube_time(k, status, "startTime");
	bool has_node = kube_text(k, pod, "spec.nodeName").n > 0;
	if (bound != TIME_UNKNOWN && has_node)
		return bound;
	if (taken != TIME_UNKNOWN || !has_node)
		return has_node ? taken : TIME_UNKNOWN;
	return t->started_ms != TIME_UNKNOWN ? t->started_ms
	                                     : kube_time(k, pod, "metadata.creationTimestamp");
}

void kube_times_read(struct kube *k, struct str pod, bool is_deleted, struct kube_times *ret)
{
	struct str status = kube_get(k, pod, S("status")), phase = kube_text(k, status, "phase");
	*ret = (struct kube_times){ .created_ms = kube_time(k, pod, "metadata.creationTimestamp"),
		                    .end_ms = TIME_UNKNOWN,
		                    .outcome = OUTCOME_WAITING };
	struct told t = containers_tell(k, pod, status);
	int64_t start = start_of(k, pod, status, &t), grace = -1;
	json_to_i64(kube_at(k, pod, "metadata.deletionGracePeriodSeconds"), &grace);
	/* taken out at once: what a watch shows last of a pod that ran to its end */
	is_deleted |= grace == 0;
	ret->has_ended = is_deleted || str_eq(phase, S("Succeeded")) || str_eq(phase, S("Failed"));
	if (ret->has_ended) {
		ret->outcome = outcome_of(k, pod, status, &t, is_deleted);
		ret->end_ms = end_of(k, pod, status, &t);
	}
	if (start == TIME_UNKNOWN)
		return;
	start = earlier_attempts(k, &t, start, ret);
	attempt_add(ret, start, ret->end_ms, ret->has_ended ? ret->outcome : OUTCOME_RUNNING);
}
