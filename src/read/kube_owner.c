/* SPDX-License-Identifier: Apache-2.0 */
#include "read/kube.h"

static const struct {
	const char *word;
	enum job_kind kind;
	bool is_run;
} owners[] = {
#define KUBE_OWNER(word, kind, is_run, help) { word, KIND_##kind, is_run },
#include "read/kube_owners.def"
#undef KUBE_OWNER
};

static struct str controller_of(struct kube *k, struct str meta)
{
	struct str list = kube_get(k, meta, S("ownerReferences")), key, one, first = STR_NULL;
	for (size_t at = 0; json_next(list, &at, &key, &one);) {
		bool controls = false;
		json_to_bool(kube_get(k, one, S("controller")), &controls);
		if (controls)
			return one;
		if (!first.n)
			first = one;
	}
	(void)k;
	return first;
}

/* "web-5d4f8c7b9" of a ReplicaSet is the Deployment "web", if that is the hash. */
static struct str without_hash(struct str name, struct str hash)
{
	if (hash.n && name.n > hash.n + 1 && str_ends(name, hash) &&
	    name.p[name.n - hash.n - 1] == '-')
		return str_sub(name, 0, name.n - hash.n - 1);
	return STR_NULL;
}

/* kubectl run -it, kubectl debug: somebody sits before it. */
static bool has_terminal(const struct kube *k, struct str pod)
{
	struct str list = kube_at(k, pod, "spec.containers"), key, one;
	for (size_t at = 0; json_next(list, &at, &key, &one);) {
		bool in = false, tty = false;
		json_to_bool(kube_get(k, one, S("stdin")), &in);
		json_to_bool(kube_get(k, one, S("tty")), &tty);
		if (in && tty)
			return true;
	}
	return false;
}

static void kind_by_labels(struct kube *k, struct str meta, struct kube_owner *o)
{
	static const struct {
		enum kube_label label;
		enum job_kind kind;
	} order[] = { { KUBE_LABEL_CI, KIND_CI },
		      { KUBE_LABEL_INTERACTIVE, KIND_INTERACTIVE },
		      { KUBE_LABEL_BATCH, KIND_BATCH },
		      { KUBE_LABEL_SERVICE, KIND_SERVICE } };
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (kube_label(k, meta, order[i].label).n) {
			o->kind = order[i].kind;
			o->kind_known = true;
			return;
		}
}

/* What its attempts share: the owner of a batch, with the member's number where it has one; else
   the pod, whose containers may be started again. */
static sym run_of(struct kube *k, struct str meta, struct str owner, bool is_run)
{
	struct str uid = kube_text(k, owner, "uid"), index = STR_NULL;
	if (!is_run || !uid.n)
		uid = kube_text(k, meta, "uid");
	else
		index = kube_label(k, meta, KUBE_LABEL_INDEX);
	if (!uid.n)
		return 0;
	if (index.n) {
		struct str role = STR_NULL;
		json_to_text(&k->a,
		             kube_get(k, kube_get(k, meta, S("labels")),
		                      S("training.kubeflow.org/replica-type")),
		             &role);
		uid = str_of(arena_printf(&k->a, "%.*s/%.*s%.*s", STR_FMT(uid), STR_FMT(role),
		                          STR_FMT(index)));
	}
	return facts_word(k->f, uid);
}

struct kube_owner kube_owner_of(struct kube *k, struct str pod)
{
	struct str meta = kube_get(k, pod, S("metadata")), owner = controller_of(k, meta);
	struct str kind = kube_text(k, owner, "kind"), name = kube_text(k, owner, "name");
	struct str hash = kube_text(k, kube_get(k, meta, S("labels")), "pod-template-hash");
	struct str workload = kube_label(k, meta, KUBE_LABEL_JOB);
	struct kube_owner o = { .kind = KIND_BATCH };
	bool is_run = false;
	if (str_eq(kind, S("Node"))) /* a static pod's mirror */
		kind = name = STR_NULL;
	for (size_t i = 0; kind.n && i < sizeof owners / sizeof *owners; i++)
		if (str_eq(kind, str_of(owners[i].word))) {
			o.kind = owners[i].kind;
			is_run = owners[i].is_run;
			o.kind_known = true;
		}
	if (str_eq(kind, S("ReplicaSet")) && without_hash(name, hash).n) {
		name = without_hash(name, hash);
		kind = S("Deployment");
	}
	if (!kind.n && has_terminal(k, pod)) {
		o.kind = KIND_INTERACTIVE;
		o.kind_known = true;
	}
	kind_by_labels(k, meta, &o);
	if (!name.n)
		name = kube_text(k, meta, "name");
	o.name = facts_word(k->f, workload.n ? workload : name);
	o.label = facts_word(k->f, kind);
	o.run = run_of(k, meta, owner, is_run);
	o.is_shared = is_run;
	return o;
}
