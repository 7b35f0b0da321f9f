/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubernetes: `kubectl get pods,nodes,events -A -o json`, the API server's own lists, objects one
 * after the other (JSON lines, `--watch`), one object.
 */
#include "parse/json_cut.h"
#include "read/kube.h"

/* Elements of an API server's list do not say of what kind they are: by what only such have. */
static struct str kind_by_shape(const struct kube *k, struct str object)
{
	if (json_type(kube_at(k, object, "spec.containers")) == JSON_LIST)
		return S("Pod");
	if (json_type(kube_at(k, object, "status.nodeInfo")) == JSON_OBJECT)
		return S("Node");
	if (kube_get(k, object, S("involvedObject")).n || kube_get(k, object, S("regarding")).n)
		return S("Event");
	if (json_type(kube_at(k, object, "spec.devices")) == JSON_OBJECT)
		return S("ResourceClaim");
	return json_type(kube_get(k, object, S("metadata"))) == JSON_OBJECT ? S("other") : STR_NULL;
}

static void managed_times(struct kube *k, struct str meta)
{
	struct str list = kube_get(k, meta, S("managedFields")), key, one;
	for (size_t at = 0; json_next(list, &at, &key, &one);)
		kube_time(k, one, "time");
}

static void one_read(struct kube *k, struct str object, struct str kind, bool is_deleted,
                     uint64_t line)
{
	kube_begin(k, object);
	k->records++;
	managed_times(k, kube_get(k, object, S("metadata")));
	if (str_eq(kind, S("Pod")))
		kube_pod_read(k, object, is_deleted, line);
	else if (str_eq(kind, S("Node")))
		kube_node_read(k, object, is_deleted, line);
	else if (str_eq(kind, S("Event")))
		kube_event_read(k, object);
	else if (str_eq(kind, S("ResourceClaim")))
		kube_claim_read(k, object);
	else if (str_eq(kind, S("Status")))
		facts_reject(k->f, line, "the API server's answer is an error: %.*s",
		             STR_FMT(str_sub(kube_text(k, object, "message"), 0, 120)));
	else if (!kind.n)
		facts_reject(k->f, line, "an object that does not say of what kind it is");
	else
		k->others++;
	if (k->object_ms > k->newest_ms)
		k->newest_ms = k->object_ms;
}

/* LINE: of its begin, or of its list's. */
static void object_read(struct kube *k, struct str object, uint64_t line)
{
	bool is_deleted = false;
	kube_begin(k, object);
	struct str event = kube_get(k, object, S("object")), type = kube_text(k, object, "type");
	struct str own = kube_text(k, object, "kind");
	if (json_type(object) != JSON_OBJECT) {
		k->records++;
		facts_reject(k->f, line, "expected an object");
		return;
	}
	if (json_type(event) == JSON_OBJECT && !own.n && type.n) { /* of a watch */
		if (str_eq(type, S("BOOKMARK")))
			return;
		object = event;
		own = kube_text(k, object, "kind");
		is_deleted = str_eq(type, S("DELETED"));
	}
	one_read(k, object, own.n ? own : kind_by_shape(k, object), is_deleted, line);
}

static void list_read(struct kube *k, struct str items, uint64_t line)
{
	struct str key, one;
	for (size_t at = 0; json_next(items, &at, &key, &one);)
		object_read(k, one, line);
}

/* An object, or a list of them. */
static void item_read(struct kube *k, struct str item, uint64_t line)
{
	kube_begin(k, item);
	struct str items = kube_get(k, item, S("items"));
	if (json_type(items) == JSON_LIST)
		list_read(k, items, line);
	else if (!str_ends(kube_text(k, item, "kind"), S("List")))
		object_read(k, item, line);
}

static uint64_t lines_in(const char *from, const char *to)
{
	uint64_t n = 0;
	while (from < to && (from = memchr(from, '\n', (size_t)(to - from)))) {
		n++;
		from++;
	}
	return n;
}

/* One document. A list whose bounds are still there holds what json_cut makes documents of. */
static void document_read(struct kube *k, struct str doc, uint64_t line)
{
	struct str items, key, one;
	kube_begin(k, doc);
	items = json_type(doc) == JSON_LIST ? doc : kube_get(k, doc, S("items"));
	if (json_type(items) == JSON_LIST) {
		for (size_t at = 0; json_next(items, &at, &key, &one);)
			item_read(k, one, line);
	} else {
		item_read(k, doc, line);
	}
	arena_reset(&k->a);
}

static void broken(struct kube *k, bool is_whole, uint64_t line)
{
	k->records++;
	if (is_whole) {
		facts_reject(k->f, line, "an item that is not JSON");
		return;
	}
	facts_reject(k->f, line, "not JSON from here on, or cut off");
	if (k->f->inputs.n)
		k->f->inputs.v[k->f->inputs.n - 1].partial = true;
}

static enum err_code kubernetes_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                     struct facts *f, struct err *err)
{
	struct kube k = { .f = f, .o = run->options, .newest_ms = TIME_UNKNOWN };
	struct str doc;
	bool is_whole = true;
	const char *counted = bytes.p;
	(void)err;
	while (is_whole && json_cut_next(&bytes, &doc, &is_whole)) {
		line += lines_in(counted, doc.p);
		counted = doc.p;
		if (is_whole && doc.n > JSON_ITEM_BYTES_MAX) {
			k.records++;
			facts_reject(f, line, "an item is longer than %zu bytes",
			             JSON_ITEM_BYTES_MAX);
			continue;
		}
		bool is_good = json_is_valid(doc); /* a number, say, is no object, but whole */
		is_whole |= is_good;
		if (is_good)
			document_read(&k, doc, line);
		else
			broken(&k, is_whole, line);
	}
	for (size_t i = 0; i < k.sides.n; i++)
		kube_row_add(f, KUBE_SIDE,
		             &(struct kube_row){ .id = k.sides.v[i].node,
		                                 .number = k.sides.v[i].cpu_milli,
		                                 .time_ms = k.sides.v[i].memory_mib });
	for (size_t i = 0; i < 2 && k.spaces[i]; i++)
		kube_row_add(f, KUBE_SPACE, &(struct kube_row){ .id = k.spaces[i] });
	kube_deinit(&k);
	f->inputs.v[f->inputs.n - 1].records += k.records;
	struct kube_row seen = { .id = facts_word(f, k.has_claims ? S("claims") : STR_NULL),
		                 .word = facts_word(f, k.others ? S("others") : STR_NULL),
		                 .number = k.has_pods,
		                 .time_ms = k.newest_ms };
	kube_row_add(f, KUBE_SEEN, &seen);
	f->has_scheduler = true;
	return ERR_OK;
}

static enum err_code kubernetes_end(const struct read_run *run, struct facts *f, struct err *err)
{
	(void)err;
	kube_finish(run->options, f);
	return ERR_OK;
}

/* Is this, which may be cut off, an object of Kubernetes? */
static bool is_object(struct str s)
{
	struct str key, value;
	bool has_version = false, has_more = false;
	for (size_t at = 0; json_next(s, &at, &key, &value);) {
		has_version |= json_key_is(key, S("apiVersion")) && json_type(value) == JSON_STRING;
		has_more |= json_key_is(key, S("kind")) || json_key_is(key, S("items")) ||
		            json_key_is(key, S("metadata")) ||
		            json_key_is(key, S("involvedObject"));
	}
	return has_version && has_more;
}

static int kubernetes_recognise(struct str head, const struct read_options *options)
{
	struct str key, value;
	size_t at = 0;
	(void)options;
	if (str_starts(head, S("\xef\xbb\xbf")))
		head = str_sub(head, 3, head.n);
	head = str_trim(head);
	if (json_type(head) == JSON_LIST)
		return json_next(head, &at, &key, &value) && is_object(value) ? 95 : 0;
	if (json_type(head) != JSON_OBJECT)
		return 0;
	return is_object(head) || is_object(json_get(head, S("object"))) ? 95 : 0;
}

static enum err_code kubernetes_open(struct read_run *run, struct str head, struct err *err)
{
	enum err_code code = reader_open_plain(run, head, err);
	run->body_at = str_starts(head, S("\xef\xbb\xbf")) ? 3 : 0;
	return code;
}

const struct reader reader_kubernetes = {
	.name = "kubernetes",
	.help = "Pods, nodes, events and resource claims: `kubectl get pods,nodes,events -A -o "
	        "json`, also with --watch, or the API server's lists.",
	.cut = CUT_ITEMS,
	.recognise = kubernetes_recognise,
	.open = kubernetes_open,
	.feed = kubernetes_feed,
	.end = kubernetes_end,
};
