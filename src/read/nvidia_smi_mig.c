/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_mig.h"

#include <stdlib.h>

#include "base/limits.h"
#include "facts/accelerator.h"
#include "parse/when.h"
#include "read/exporter_labels.h"
#include "read/nvidia_smi.h"
#include "read/nvidia_smi_rows.h"

static const char *const paths[PART_VALUES][2] = {
#define SMI_PART(text, xml, id) { xml, text }, /* by enum smi_form */
#include "read/nvidia_smi_mig.def"
#undef SMI_PART
};

/* The compute instances of one GPU instance. */
struct merged {
	uint64_t id, sms;
	const struct smi_part *part; /* the first of them */
};

void smi_parts_begin(struct smi_parts *p)
{
	struct smi_parts empty = { .v = { p->v.v, 0, p->v.cap },
		                   .pids = { p->pids.v, 0, p->pids.cap } };
	empty.instance = UINT64_MAX;
	*p = empty;
}

void smi_parts_deinit(struct smi_parts *p)
{
	vec_deinit(&p->v);
	vec_deinit(&p->pids);
}

void smi_part_put_path(struct smi_rows *r, struct smi_gpu *g, enum smi_form form, struct str path,
                       struct str value)
{
	struct smi_part *p = &g->parts.at_hand;
	for (size_t i = 0; i < PART_VALUES; i++)
		if (!p->v[i].p && str_eq_nocase(path, str_of(paths[i][form])))
			p->v[i] = str_dup(&r->a, value);
}

void smi_part_end(struct smi_gpu *g)
{
	struct smi_parts *p = &g->parts;
	p->is_listed = true;
	if (p->v.n < MIG_PARTS_MAX)
		*vec_push(&p->v) = p->at_hand;
	else
		p->has_more = true;
	p->at_hand = (struct smi_part){ 0 };
}

void smi_part_put_process(struct smi_gpu *g, struct str instance)
{
	uint64_t id;
	g->parts.instance = str_to_u64(instance, &id) ? id : UINT64_MAX;
}

void smi_part_put_pid(struct smi_rows *r, struct smi_gpu *g, struct str pid)
{
	*vec_push(&g->parts.pids) = (struct smi_part_pid){ g->parts.instance, str_dup(&r->a, pid) };
	g->parts.instance = UINT64_MAX;
}

static uint64_t number_of(struct str s)
{
	uint64_t n;
	return str_to_u64(s, &n) ? n : 0;
}

/* The instances of P by their ids; false: one has none. */
static bool parts_merge(const struct smi_parts *p, struct merged ret[MIG_PARTS_MAX], size_t *ret_n)
{
	*ret_n = 0;
	for (size_t i = 0; i < p->v.n; i++) {
		const struct smi_part *part = &p->v.v[i];
		size_t k = 0;
		uint64_t id;
		if (!str_to_u64(part->v[PART_GI], &id))
			return false;
		while (k < *ret_n && ret[k].id != id)
			k++;
		if (k == *ret_n)
			ret[(*ret_n)++] = (struct merged){ .id = id, .part = part };
		uint64_t sms = number_of(part->v[PART_SMS]);
		if (__builtin_add_overflow(ret[k].sms, sms, &ret[k].sms))
			ret[k].sms = UINT64_MAX;
	}
	return true;
}

static uint32_t slices_of(struct smi_rows *r, struct str model, const struct merged *m)
{
	uint32_t n = exporter_labels_slices(m->part->v[PART_PROFILE]);
	if (!n)
		n = accelerator_mig_part(model, number_of(m->part->v[PART_ENGINES]), m->sms);
	if (!n)
		facts_note(r->f, "The size of a MIG instance is not known (its GPU's kind is none "
		                 "whose profiles are), so no share of that GPU is.");
	return n;
}

/* The processes of an instance. Those that do not say where they run may be on any. */
static void part_list(const struct smi_gpu *g, uint64_t id, struct smi_gpu *ret)
{
	bool is_loose = false;
	ret->list = g->list;
	for (size_t i = 0; i < g->parts.pids.n; i++) {
		const struct smi_part_pid *p = &g->parts.pids.v[i];
		is_loose |= p->instance == UINT64_MAX;
		if (p->instance == id)
			smi_gpu_put_pid(ret, p->pid);
	}
	if (is_loose && !ret->pids.n)
		ret->list = STR_NULL;
}

static void part_row(struct smi_rows *r, const struct smi_gpu *g, struct str uuid,
                     const struct merged *m)
{
	static const struct {
		enum smi_part_value value;
		const char *column;
	} memory[] = { { PART_TOTAL, "memory.total" },
		       { PART_RESERVED, "memory.reserved" },
		       { PART_USED, "memory.used" },
		       { PART_FREE, "memory.free" } };
	struct smi_gpu *one = mem_alloc(sizeof *one);
	struct str id =
	        str_of(arena_printf(&r->a, "%.*s/%llu", STR_FMT(uuid), (unsigned long long)m->id));
	smi_gpu_begin(one, g->line);
	smi_gpu_put(r, one, "uuid", id);
	for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
		smi_gpu_put(r, one, memory[i].column, m->part->v[memory[i].value]);
	part_list(g, m->id, one);
	*vec_push(&r->parts) =
	        (struct smi_part_row){ .at = r->table.n,
		                       .device = facts_word(r->f, uuid),
		                       .id = facts_word(r->f, id),
		                       .slices = slices_of(r, smi_gpu_value(g, "name"), m),
		                       .is_divided = true };
	smi_rows_put(r, one);
	smi_gpu_deinit(one);
	mem_free(one);
}

void smi_parts_end(struct smi_rows *r, struct smi_gpu *g, size_t at)
{
	struct merged m[MIG_PARTS_MAX];
	size_t n = 0;
	struct str uuid = names_word(&r->f->names, smi_gpu_device(r, g));
	bool is_on = g->parts.is_on;
	if (!uuid.n || (is_on && !g->parts.is_listed))
		return;
	bool is_good = !is_on || (parts_merge(&g->parts, m, &n) && !g->parts.has_more);
	*vec_push(&r->parts) = (struct smi_part_row){ .at = at,
		                                      .device = facts_word(r->f, uuid),
		                                      .is_divided = is_on };
	if (!is_good) {
		struct str id = str_of(arena_printf(&r->a, "%.*s/?", STR_FMT(uuid)));
		facts_reject(r->f, g->line,
		             "a MIG device without a GPU instance, or more than %u: how this GPU "
		             "is divided is not known",
		             MIG_PARTS_MAX);
		*vec_push(&r->parts) = (struct smi_part_row){ .at = at,
			                                      .device = facts_word(r->f, uuid),
			                                      .id = facts_word(r->f, id),
			                                      .is_divided = true };
	}
	for (size_t i = 0; i < n && is_good && is_on; i++)
		part_row(r, g, uuid, &m[i]);
}

/* A reading with its time. */
struct seen {
	sym device, id;
	int64_t t_ms;
	uint32_t slices;
	bool is_divided;
};

struct settle {
	struct facts *f;
	VEC(struct seen) v;
	VEC(int64_t) times; /* of the device at hand */
	struct map divided; /* devices with parts */
	struct map is_part; /* ids */
};

/* By device, id (its own first), size and time. */
static int seen_order(const void *x, const void *y)
{
	const struct seen *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->slices != b->slices)
		return a->slices < b->slices ? -1 : 1;
	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

static size_t time_place(const struct settle *s, int64_t t_ms)
{
	size_t lo = 0, hi = s->times.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (s->times.v[mid] < t_ms)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* PART is there from reading FIRST to reading LAST. A reading speaks of the time since the one
   before it. */
static void part_add(struct settle *s, const struct seen *part, size_t first, size_t last)
{
	bool is_own = !part->id; /* out of MIG mode */
	*vec_push(&s->f->instances) = (struct instance){
		.id = is_own ? part->device : part->id,
		.device = part->device,
		.slices = part->slices,
		.from_ms = first ? s->times.v[first - 1] : TIME_UNKNOWN,
		.to_ms = last + 1 < s->times.n ? s->times.v[last] : TIME_UNKNOWN,
	};
}

/* [I, END) are the readings of one device and its parts. */
static void device_settle(struct settle *s, size_t i, size_t end)
{
	bool is_any = false;
	s->times.n = 0;
	for (size_t k = i; k < end; k++) {
		is_any |= s->v.v[k].is_divided;
		if (!s->v.v[k].id && (!s->times.n || s->times.v[s->times.n - 1] != s->v.v[k].t_ms))
			*vec_push(&s->times) = s->v.v[k].t_ms;
	}
	if (!is_any)
		return;
	*map_at(&s->divided, s->v.v[i].device) = 1;
	for (size_t first = 0, last = 0, k = i, from = end; k < end; k++) {
		const struct seen *x = &s->v.v[k];
		bool is_there = x->id || !x->is_divided;
		size_t at = time_place(s, x->t_ms);
		if (is_there && from == end)
			from = k, first = last = at;
		bool goes_on = is_there && x->id == s->v.v[from].id &&
		               x->slices == s->v.v[from].slices && at <= last + 1;
		if (!goes_on && from != end) {
			part_add(s, &s->v.v[from], first, last);
			from = is_there ? k : end;
			first = at;
		}
		last = at;
		if (from != end && k + 1 == end)
			part_add(s, &s->v.v[from], first, last);
	}
}

/* Parts stood among the devices while they were rows. */
static void devices_settle(struct settle *s)
{
	struct facts *f = s->f;
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < f->devices.n; i++) {
		struct device d = f->devices.v[i];
		d.mig |= map_get(&s->divided, d.id) != NULL;
		if (!map_get(&s->is_part, d.id))
			f->devices.v[n++] = d;
	}
	f->devices.n = n;
	for (size_t i = 0; i < f->capacity.n; i++)
		if (!map_get(&s->is_part, f->capacity.v[i].device))
			f->capacity.v[kept++] = f->capacity.v[i];
	f->capacity.n = kept;
}

bool smi_parts_settle(struct smi_rows *r)
{
	struct settle s = { .f = r->f };
	for (size_t i = 0; i < r->parts.n; i++) {
		const struct smi_part_row *p = &r->parts.v[i];
		struct str row = str_sub(text_str(&r->table), p->at, r->table.n);
		int64_t t_ms;
		enum when w = when_parse(str_sub(row, 0, str_find_byte(row, ',')),
		                         r->run->options->zone, &t_ms);
		if (p->id)
			*map_at(&s.is_part, p->id) = 1;
		if (w == WHEN_OK || w == WHEN_GAP)
			*vec_push(&s.v) =
			        (struct seen){ p->device, p->id, t_ms, p->slices, p->is_divided };
	}
	vec_sort(&s.v, seen_order);
	for (size_t i = 0, end; i < s.v.n; i = end) {
		for (end = i; end < s.v.n && s.v.v[end].device == s.v.v[i].device;)
			end++;
		device_settle(&s, i, end);
	}
	devices_settle(&s);
	bool is_any = s.divided.n;
	if (is_any)
		facts_note(r->f, "A GPU is in MIG mode: nvidia-smi gives memory and processes of "
		                 "its instances, and of nothing in them how busy it is; DCGM's "
		                 "profiling counters do.");
	vec_deinit(&s.v), vec_deinit(&s.times);
	map_deinit(&s.divided), map_deinit(&s.is_part);
	return is_any;
}
