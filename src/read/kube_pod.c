/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube_pod: a pod that asks for GPUs to a job (one for each attempt of its containers), with the id
 * that exporters' labels give it: namespace/name.
 */
#include "read/kube.h"

/* A pod with what is the same for all of its attempts. */
struct pod {
	struct kube *k;
	struct str raw, meta, spec, status;
	struct str id;
	struct kube_wants wants;
	struct kube_times times;
	struct job_traits traits;
	struct kube_owner owner;
	int64_t priority;
	sym node;
	uint32_t gpus; /* COUNT_UNKNOWN */
	bool is_policy, uses_claims;
};

/* KAI and Run:ai give parts of devices by annotation. */
static void fraction_read(struct pod *p)
{
	struct str notes = kube_get(p->k, p->meta, S("annotations")), text = STR_NULL;
	struct kube_want w = { .kind = KUBE_PART, .name = S("gpu-fraction"), .count = 1 };
	uint64_t count;
	json_to_text(&p->k->a, kube_get(p->k, notes, S("gpu-fraction")), &text);
	if (!text.n || p->wants.n || !str_to_fraction(text, &w.share.num, &w.share.den) ||
	    w.share.num <= 0 || w.share.num > w.share.den)
		return;
	text = STR_NULL;
	json_to_text(&p->k->a, kube_get(p->k, notes, S("gpu-fraction-num-devices")), &text);
	if (str_to_u64(text, &count) && count && count <= GPUS_MAX)
		w.count = (uint32_t)count;
	p->wants.v[p->wants.n++] = w;
}

static void count_gpus(struct pod *p)
{
	uint64_t all = 0;
	bool is_known = !p->uses_claims && !p->wants.is_too_many;
	for (size_t i = 0; i < p->wants.n; i++) {
		all += p->wants.v[i].count;
		is_known &= p->wants.v[i].share.num > 0;
	}
	p->gpus = is_known && all <= GPUS_MAX ? (uint32_t)all : COUNT_UNKNOWN;
	if (p->wants.is_too_many)
		facts_note(p->k->f, "A pod asks for more kinds of GPU than are told apart: how "
		                    "many it has is not known.");
}

/* What a waiting pod wants of each of its GPUs: one share, where all are alike. */
static void want_share(struct pod *p)
{
	const struct kube_share *s = &p->wants.v[0].share;
	if (p->wants.n == 1 && s->num > 0 && s->num < s->den) {
		p->traits.share_num = s->num;
		p->traits.share_den = s->den;
	}
}

/* Kinds that a node selector, or the only term of a required affinity, allows. */
static void models_read(struct pod *p)
{
	struct kube *k = p->k;
	VEC(sym) models = { 0 };
	struct str key, value, list, terms, text;
	size_t at = 0, t = 0;
	while (json_next(kube_get(k, p->spec, S("nodeSelector")), &at, &key, &value))
		if (kube_label_is(json_key_text(&k->a, key), KUBE_LABEL_MODEL) &&
		    json_to_text(&k->a, value, &text))
			*vec_push(&models) = facts_word(k->f, kube_model(k, text, NULL));
	terms = kube_at(k, p->spec,
	                "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecut"
	                "ion.nodeSelectorTerms");
	list = STR_NULL;
	at = 0;
	if (json_next(terms, &at, &key, &value) && !json_next(terms, &at, &key, &text))
		list = kube_get(k, value, S("matchExpressions"));
	for (at = 0; json_next(list, &at, &key, &value);) {
		if (!kube_label_is(kube_text(k, value, "key"), KUBE_LABEL_MODEL) ||
		    !str_eq(kube_text(k, value, "operator"), S("In")))
			continue;
		struct str words = kube_get(k, value, S("values"));
		for (t = 0; json_next(words, &t, &key, &value);)
			if (json_to_text(&k->a, value, &text))
				*vec_push(&models) = facts_word(k->f, kube_model(k, text, NULL));
	}
	p->traits.models = traits_list(&k->f->traits, models.v, (uint32_t)models.n);
	vec_deinit(&models);
}

/* Why a pod that is not bound waits. */
static void reason_read(struct pod *p)
{
	struct kube *k = p->k;
	struct str list = kube_get(k, p->status, S("conditions")), key, one;
	for (size_t at = 0; json_next(list, &at, &key, &one);) {
		enum kube_reason_class class = KUBE_RESOURCES;
		struct str word = kube_text(k, one, "reason");
		if (!str_eq(kube_text(k, one, "type"), S("PodScheduled")) ||
		    !str_eq(kube_text(k, one, "status"), S("False")))
			continue;
		if (str_eq(word, S("SchedulingGated")))
			class = KUBE_POLICY;
		else
			kube_reason(kube_text(k, one, "message"), &class, &word);
		p->traits.reason = facts_word(k->f, word);
		p->is_policy = class == KUBE_POLICY;
	}
}

static void words_read(struct pod *p)
{
	struct kube *k = p->k;
	struct facts *f = k->f;
	struct str space = kube_text(k, p->meta, "namespace");
	struct str class = kube_text(k, p->spec, "priorityClassName");
	struct str queue = kube_label(k, p->meta, KUBE_LABEL_QUEUE);
	sym pairs[4];
	uint32_t n = 0;
	p->owner = kube_owner_of(k, p->raw);
	p->traits.team = facts_word(f, space.n ? space : S("default"));
	p->traits.user = facts_word(f, kube_label(k, p->meta, KUBE_LABEL_USER));
	p->traits.queue = facts_word(f, queue.n ? queue : class);
	/* of a pod by itself each is a run of its own, so no word is kept for it */
	p->traits.run = p->owner.is_shared || p->times.n > 1 ? p->owner.run : 0;
	if (p->owner.label) {
		pairs[n++] = facts_word(f, S("owner"));
		pairs[n++] = p->owner.label;
	}
	if (class.n) {
		pairs[n++] = facts_word(f, S("priority_class"));
		pairs[n++] = facts_word(f, class);
	}
	p->traits.labels = (struct word_list){ traits_list(&f->traits, pairs, n).at, n / 2 };
	json_to_i64(kube_get(k, p->spec, S("priority")), &p->priority);
	p->node = facts_word(f, kube_text(k, p->spec, "nodeName"));
	p->traits.node_count = 1;
	p->traits.cpu_milli = p->wants.cpu_milli;
	p->traits.memory_mib = p->wants.memory_mib;
	p->traits.per_node = p->gpus;
}

static void allocate(const struct pod *p, uint32_t job)
{
	for (size_t i = 0; i < p->wants.n; i++) {
		const struct kube_want *w = &p->wants.v[i];
		struct allocation_entry a = { .job = job,
			                      .on = CLAIM_NODE,
			                      .place = p->node,
			                      .count = w->count,
			                      .share_num = w->share.num,
			                      .share_den = w->share.den,
			                      .from_ms = TIME_UNKNOWN,
			                      .to_ms = TIME_UNKNOWN };
		facts_add_allocation(p->k->f, &a);
	}
}

static void job_add(const struct pod *p, const struct kube_attempt *t)
{
	struct facts *f = p->k->f;
	uint32_t at = (uint32_t)f->jobs.n;
	struct job *j = facts_job(f, p->id);
	j->is_pod = true;
	j->submit_ms = j->eligible_ms = p->times.created_ms;
	j->start_ms = t->start_ms;
	j->end_ms = t->end_ms;
	j->outcome = (uint8_t)t->outcome;
	j->kind = (uint8_t)p->owner.kind;
	j->kind_known = p->owner.kind_known;
	j->requested = p->gpus;
	j->gpus = t->start_ms != TIME_UNKNOWN ? p->gpus : COUNT_UNKNOWN;
	j->name = p->owner.name;
	j->node_names = p->node;
	j->is_policy = p->is_policy;
	job_set_traits(f, j, &p->traits);
	job_set_priority(f, j, p->priority);
	if (t->start_ms != TIME_UNKNOWN && p->node)
		allocate(p, at);
}

/* Which resource claims it uses, for the end of the input. */
static void claims_read(struct pod *p)
{
	struct kube *k = p->k;
	struct str space = kube_text(k, p->meta, "namespace"), key, one;
	struct str lists[] = { kube_get(k, p->status, S("resourceClaimStatuses")),
		               kube_get(k, p->spec, S("resourceClaims")) };
	int64_t own = 0;
	for (size_t i = 0; i < p->wants.n; i++)
		own += p->wants.v[i].count;
	for (int i = 0; i < 2; i++)
		for (size_t at = 0; json_next(lists[i], &at, &key, &one);) {
			struct str name = kube_text(k, one, "resourceClaimName");
			if (!name.n)
				continue;
			name = str_of(arena_printf(&k->a, "%.*s/%.*s",
			                           STR_FMT(space.n ? space : S("default")),
			                           STR_FMT(name)));
			kube_row_add(k->f, KUBE_USES,
			             &(struct kube_row){ .id = facts_word(k->f, p->id),
			                                 .word = facts_word(k->f, name),
			                                 .number = own,
			                                 .time_ms = p->times.created_ms });
		}
}

/* A pod without GPUs takes CPU and memory that GPUs may then lack. */
static void side_add(struct pod *p)
{
	struct kube *k = p->k;
	struct str name = kube_text(k, p->spec, "nodeName");
	if (!name.n || p->times.has_ended)
		return;
	sym node = facts_word(k->f, name);
	uint32_t *at = map_at(&k->side_of, node);
	if (!*at) {
		*vec_push(&k->sides) = (struct kube_side){ .node = node };
		*at = (uint32_t)k->sides.n;
	}
	struct kube_side *s = &k->sides.v[*at - 1];
	s->cpu_milli += p->wants.cpu_milli > 0 ? p->wants.cpu_milli : 0;
	s->memory_mib += p->wants.memory_mib > 0 ? p->wants.memory_mib : 0;
}

void kube_pod_read(struct kube *k, struct str pod, bool is_deleted, uint64_t line)
{
	struct pod p = { .k = k,
		         .raw = pod,
		         .meta = kube_get(k, pod, S("metadata")),
		         .spec = kube_get(k, pod, S("spec")),
		         .status = kube_get(k, pod, S("status")),
		         .traits = JOB_TRAITS_UNKNOWN };
	k->has_pods = true;
	p.id = kube_id(k, p.meta);
	if (!p.id.n) {
		facts_reject(k->f, line, "a pod without a name");
		return;
	}
	struct str space = kube_text(k, p.meta, "namespace");
	sym in = k->spaces[1] ? 0 : facts_word(k->f, space.n ? space : S("default"));
	if (in && in != k->spaces[0])
		k->spaces[k->spaces[0] != 0] = in;
	kube_wants_read(k, p.spec, &p.wants);
	fraction_read(&p);
	struct str claims = kube_get(k, p.spec, S("resourceClaims")), key, one;
	size_t at = 0;
	p.uses_claims = json_next(claims, &at, &key, &one);
	kube_times_read(k, pod, is_deleted, &p.times);
	if (!p.wants.n && !p.uses_claims) {
		side_add(&p);
		return;
	}
	count_gpus(&p);
	words_read(&p);
	models_read(&p);
	want_share(&p);
	if (p.uses_claims)
		claims_read(&p);
	if (!p.times.n) {
		const struct kube_attempt waits = { TIME_UNKNOWN, p.times.end_ms, p.times.outcome };
		if (!p.times.has_ended)
			reason_read(&p);
		job_add(&p, &waits);
	}
	for (size_t i = 0; i < p.times.n; i++) {
		job_add(&p, &p.times.v[i]);
		if (i) /* started in the same place: it waited for no device */
			k->f->jobs.v[k->f->jobs.n - 1].eligible_ms = p.times.v[i].start_ms;
	}
}
