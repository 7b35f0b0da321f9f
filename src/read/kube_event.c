/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube_event: events that change what pods and nodes say of themselves; and resource claims (DRA).
 * Both are kept as rows until the end of the input.
 */
#include "read/kube.h"

static int64_t event_ms(struct kube *k, struct str event)
{
	static const char *const places[] = {
		"series.lastObservedTime", "lastTimestamp",
		"deprecatedLastTimestamp", "eventTime",
		"firstTimestamp",          "metadata.creationTimestamp"
	};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		int64_t ms = kube_time(k, event, places[i]);
		if (ms != TIME_UNKNOWN)
			return ms;
	}
	return TIME_UNKNOWN;
}

static void of_pod(struct kube *k, struct str event, struct str pod)
{
	struct facts *f = k->f;
	struct str reason = kube_text(k, event, "reason"), message = kube_text(k, event, "message");
	enum outcome outcome;
	enum kube_reason_class class = KUBE_RESOURCES;
	struct kube_row r = { .id = facts_word(f, kube_id(k, pod)), .time_ms = event_ms(k, event) };
	if (!message.n)
		message = kube_text(k, event, "note");
	if (str_eq(reason, S("FailedScheduling"))) {
		struct str word = reason;
		kube_reason(message, &class, &word);
		r.word = facts_word(f, word);
		r.number = class == KUBE_POLICY;
		kube_row_add(f, KUBE_WAIT_OF, &r);
	} else if (kube_end_reason(reason, message, &outcome)) {
		r.number = outcome;
		kube_row_add(f, KUBE_END_OF, &r);
	}
}

void kube_event_read(struct kube *k, struct str event)
{
	struct str about = kube_get(k, event, S("involvedObject"));
	if (!about.n)
		about = kube_get(k, event, S("regarding"));
	struct str kind = kube_text(k, about, "kind"), reason = kube_text(k, event, "reason");
	if (str_eq(kind, S("Pod")))
		of_pod(k, event, about);
	else if (str_eq(kind, S("Node")) &&
	         (str_eq(reason, S("NodeNotReady")) || str_eq(reason, S("NodeReady")))) {
		struct kube_row r = { .id = facts_word(k->f, kube_text(k, about, "name")),
			              .number = str_eq(reason, S("NodeReady")),
			              .time_ms = event_ms(k, event) };
		if (r.id && r.time_ms != TIME_UNKNOWN)
			kube_row_add(k->f, KUBE_NODE_AT, &r);
	}
}

static bool is_gpu_driver(struct str driver)
{
	return str_eq(driver, S("gpu.nvidia.com")) || str_eq(driver, S("gpu.amd.com")) ||
	       str_eq(driver, S("gpu.intel.com"));
}

/* Devices that the claim was given; -1: parts of devices among them. */
static int64_t devices_given(struct kube *k, struct str results)
{
	struct str key, one;
	int64_t n = 0;
	bool has_parts = false;
	for (size_t at = 0; json_next(results, &at, &key, &one);) {
		bool looks_only = false;
		struct str device = kube_text(k, one, "device");
		json_to_bool(kube_get(k, one, S("adminAccess")), &looks_only);
		if (looks_only || !is_gpu_driver(kube_text(k, one, "driver")))
			continue;
		has_parts |= str_find(device, S("mig")) < device.n;
		n++;
	}
	return has_parts ? -1 : n;
}

/* Devices that the claim asks for; -1: parts of devices among them. */
static int64_t devices_wanted(struct kube *k, struct str requests)
{
	struct str key, one;
	int64_t n = 0;
	bool has_parts = false;
	for (size_t at = 0; json_next(requests, &at, &key, &one);) {
		struct str exactly = kube_get(k, one, S("exactly"));
		exactly = exactly.n ? exactly : one;
		struct str class = kube_text(k, exactly, "deviceClassName");
		int64_t count = 1;
		json_to_i64(kube_get(k, exactly, S("count")), &count);
		has_parts |= str_starts(class, S("mig."));
		if (is_gpu_driver(class) && count > 0 && count <= GPUS_MAX && n <= GPUS_MAX)
			n += count;
	}
	return has_parts ? -1 : n;
}

void kube_claim_read(struct kube *k, struct str claim)
{
	struct str results = kube_at(k, claim, "status.allocation.devices.results"), key, one;
	struct kube_row r = { .time_ms = 0 };
	k->has_claims = true;
	r.id = facts_word(k->f, kube_id(k, kube_get(k, claim, S("metadata"))));
	r.number = json_type(results) == JSON_LIST
	                   ? devices_given(k, results)
	                   : devices_wanted(k, kube_at(k, claim, "spec.devices.requests"));
	struct str users = kube_at(k, claim, "status.reservedFor");
	for (size_t at = 0; json_next(users, &at, &key, &one);)
		r.time_ms++; /* how many pods share it */
	kube_time(k, claim, "metadata.creationTimestamp");
	kube_row_add(k->f, KUBE_CLAIM, &r);
}
