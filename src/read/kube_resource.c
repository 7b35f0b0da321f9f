/* SPDX-License-Identifier: Apache-2.0 */
#include "read/kube.h"

enum match { EXACT, STARTS };

static const struct {
	const char *name;
	enum match match;
	enum kube_resource_kind kind;
	struct kube_share share;
} resources[] = {
#define KUBE_RESOURCE(name, match, kind, num, den, help) { name, match, KUBE_##kind, { num, den } },
#include "read/kube_resources.def"
#undef KUBE_RESOURCE
};

/* Slices of the whole chip by the memory of a profile: the profiles of chips that have four (A30
   and RTX PRO 6000), by NVIDIA's MIG user guide; the others have seven. */
static int64_t whole_slices(struct str profile)
{
	static const char *const of_four[] = { "1g.6gb",  "2g.12gb", "4g.24gb",
		                               "1g.24gb", "2g.48gb", "4g.96gb" };
	for (size_t i = 0; i < sizeof of_four / sizeof *of_four; i++)
		if (str_starts(profile, str_of(of_four[i])))
			return 4;
	return 7;
}

struct kube_share kube_profile(struct str profile)
{
	size_t g = str_find_byte(profile, 'g');
	struct str part = str_sub(profile, 0, g);
	uint64_t slices;
	size_t c = str_find(part, S("c.")); /* "1c.3g.20gb": a compute instance */
	part = c < part.n ? str_sub(part, 0, c) : part;
	if (g + 1 >= profile.n || profile.p[g + 1] != '.' || !str_to_u64(part, &slices))
		return (struct kube_share){ 0, 1 };
	int64_t whole = whole_slices(profile);
	if (!slices || slices > (uint64_t)whole)
		return (struct kube_share){ 0, 1 };
	return (struct kube_share){ (int64_t)slices, whole };
}

enum kube_resource_kind kube_resource(struct str name, struct kube_share *ret)
{
	for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
		struct str word = str_of(resources[i].name);
		if (resources[i].match == EXACT ? !str_eq(name, word) : !str_starts(name, word))
			continue;
		*ret = resources[i].share;
		if (resources[i].kind == KUBE_MIG)
			*ret = kube_profile(str_sub(name, word.n, name.n));
		return resources[i].kind;
	}
	return KUBE_NONE;
}

/* Of one resource: what containers want together, sidecars so far, and the most that was wanted
   while init containers ran. */
struct sum {
	struct str name; /* "cpu" and "memory" too */
	struct kube_share share;
	enum kube_resource_kind kind;
	int64_t main, side, most;
};

struct sums {
	struct sum v[KUBE_WANTS_MAX + 2];
	size_t n;
	bool is_too_many;
};

enum { SUM_CPU, SUM_MEMORY };

static struct sum *sum_of(struct sums *s, struct str name, enum kube_resource_kind kind,
                          struct kube_share share)
{
	for (size_t i = 0; i < s->n; i++)
		if (str_eq(s->v[i].name, name))
			return &s->v[i];
	if (s->n >= KUBE_WANTS_MAX + 2) {
		s->is_too_many = true;
		return NULL;
	}
	s->v[s->n] = (struct sum){ .name = name, .kind = kind, .share = share };
	return &s->v[s->n++];
}

enum role { ROLE_MAIN, ROLE_SIDECAR, ROLE_INIT };

static void sum_add(struct sum *s, int64_t v, enum role role)
{
	const int64_t most = (int64_t)GPUS_MAX * 1000;
	v = v > most ? most : v;
	if (role == ROLE_MAIN)
		s->main += v;
	else if (role == ROLE_SIDECAR)
		s->side += v;
	int64_t now = role == ROLE_INIT ? s->side + v : s->side;
	s->most = now > s->most ? now : s->most;
}

/* Requests count; what is only limited is requested as much. */
static void container_add(struct kube *k, struct sums *s, struct str container, enum role role)
{
	struct str requests = kube_at(k, container, "resources.requests");
	struct str limits = kube_at(k, container, "resources.limits"), key, value;
	struct str cpu = kube_get(k, requests, S("cpu")),
	           memory = kube_get(k, requests, S("memory"));
	int64_t milli = kube_quantity_milli(k, cpu.n ? cpu : kube_get(k, limits, S("cpu")));
	int64_t mib = kube_mebibytes(k, memory.n ? memory : kube_get(k, limits, S("memory")));
	if (milli > 0)
		sum_add(&s->v[SUM_CPU], milli, role);
	if (mib > 0)
		sum_add(&s->v[SUM_MEMORY], mib, role);
	for (int which = 0; which < 2; which++) {
		struct str from = which ? limits : requests;
		for (size_t at = 0; json_next(from, &at, &key, &value);) {
			struct kube_share share;
			struct str name = json_key_text(&k->a, key);
			enum kube_resource_kind kind = kube_resource(name, &share);
			if (kind == KUBE_NONE || (which && kube_get(k, requests, name).n))
				continue;
			int64_t count = kube_quantity(k, value);
			struct sum *one = count > 0 ? sum_of(s, name, kind, share) : NULL;
			if (one)
				sum_add(one, count, role);
		}
	}
}

static void containers_add(struct kube *k, struct sums *s, struct str list, bool is_init)
{
	struct str key, container;
	for (size_t at = 0; json_next(list, &at, &key, &container);) {
		bool stays =
		        is_init && str_eq(kube_text(k, container, "restartPolicy"), S("Always"));
		container_add(k, s, container,
		              !is_init ? ROLE_MAIN
		              : stays  ? ROLE_SIDECAR
		                       : ROLE_INIT);
	}
}

void kube_wants_read(struct kube *k, struct str spec, struct kube_wants *ret)
{
	struct sums s = { .n = 0 };
	*ret = (struct kube_wants){ .cpu_milli = -1, .memory_mib = -1 };
	(void)sum_of(&s, S("cpu"), KUBE_NONE, (struct kube_share){ 0, 1 });
	(void)sum_of(&s, S("memory"), KUBE_NONE, (struct kube_share){ 0, 1 });
	containers_add(k, &s, kube_get(k, spec, S("initContainers")), true);
	containers_add(k, &s, kube_get(k, spec, S("containers")), false);
	for (size_t i = 0; i < s.n; i++) {
		int64_t all = s.v[i].main + s.v[i].side;
		all = all > s.v[i].most ? all : s.v[i].most;
		if (i == SUM_CPU)
			ret->cpu_milli = all ? all : -1;
		else if (i == SUM_MEMORY)
			ret->memory_mib = all ? all : -1;
		else if (all)
			ret->v[ret->n++] =
			        (struct kube_want){ s.v[i].kind, s.v[i].share, s.v[i].name,
				                    (uint32_t)(all > GPUS_MAX ? GPUS_MAX : all) };
	}
	ret->is_too_many = s.is_too_many;
}
