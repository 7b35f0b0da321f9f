/* SPDX-License-Identifier: Apache-2.0 */
/* exporter: the series of one stream of pieces, and what their labels mean. */
#include "read/exporter_series.h"

struct exporter *exporter_new(void)
{
	struct exporter *e = mem_alloc(sizeof *e);
	e->last = NOT_YET;
	return e;
}

/* Forgets all: for pieces of the same input this only costs time. */
static void clear(struct exporter *e)
{
	for (size_t i = 0; i < e->devices.n; i++) {
		vec_deinit(&e->devices.v[i].rows);
		map_deinit(&e->devices.v[i].row_of);
	}
	vec_deinit(&e->series);
	vec_deinit(&e->devices);
	vec_deinit(&e->holds);
	map_deinit(&e->job_of);
	names_deinit(&e->words);
	map_deinit(&e->series_of);
	map_deinit(&e->device_of);
	map_deinit(&e->hold_of);
	arena_deinit(&e->a);
	arena_deinit(&e->scratch);
	e->last = NOT_YET;
}

void exporter_free(struct exporter *e)
{
	clear(e);
	mem_free(e);
}

void exporter_input(struct exporter *e, uint32_t input)
{
	e->input = input;
}

void exporter_begin(struct exporter *e, struct facts *f)
{
	if (e->series.n > SERIES_KEPT_MAX || e->a.taken_bytes > SERIES_BYTES_MAX ||
	    e->piece == UINT32_MAX)
		clear(e);
	e->piece++;
	e->f = f;
	e->is_untimed = false;
	memset(e->had_why, 0, sizeof e->had_why);
}

static bool is_it(const struct exporter *e, uint32_t at, struct str bytes)
{
	return at < e->series.n && str_eq(e->series.v[at].bytes, bytes);
}

/* A device's words come from whichever of its series has them, input by input. */
static void device_describe(struct exporter *e, uint32_t at, const struct exporter_series *s)
{
	struct seen_device *d = &e->devices.v[at];
	bool is_new = d->input != e->input;
	if (is_new) {
		d->input = e->input;
		d->node = d->model = d->number = STR_NULL;
		d->is_file = false;
		d->slices = 0;
	}
	if (!d->node.n && s->node.n)
		d->node = s->node, is_new = true;
	if (!d->model.n && s->model.n)
		d->model = s->model, is_new = true;
	if (s->number.n && (!d->number.n || (s->is_file && !d->is_file)))
		d->number = s->number, d->is_file = s->is_file, is_new = true;
	if (!d->slices && d->whole.n && s->slices)
		d->slices = s->slices, is_new = true;
	if (is_new)
		d->told = 0; /* the piece hears of it again */
}

static void series_describe(struct exporter *e, struct exporter_series *s)
{
	s->input = e->input;
	if (s->is_nothing)
		return;
	device_describe(e, s->whole, s);
	if (s->part != NOT_YET)
		device_describe(e, s->part, s);
}

static struct exporter_series *found(struct exporter *e, uint32_t at)
{
	struct exporter_series *s = &e->series.v[at];
	e->last = at;
	if (s->input != e->input)
		series_describe(e, s);
	return s;
}

struct exporter_series *exporter_next(struct exporter *e, struct str text, size_t *ret_n)
{
	uint32_t at = e->last < e->series.n ? e->series.v[e->last].next : NOT_YET;
	if (at >= e->series.n)
		return NULL;
	struct str bytes = e->series.v[at].bytes;
	if (text.n <= bytes.n || text.p[bytes.n] != ' ' || memcmp(text.p, bytes.p, bytes.n) != 0)
		return NULL;
	*ret_n = bytes.n;
	return found(e, at);
}

struct exporter_series *exporter_find(struct exporter *e, struct str bytes)
{
	uint32_t at = e->last < e->series.n ? e->series.v[e->last].next : NOT_YET;
	if (!is_it(e, at, bytes)) {
		const uint32_t *known = map_get(&e->series_of, str_hash(bytes));
		at = known ? *known - 1 : NOT_YET;
		if (!is_it(e, at, bytes))
			return NULL;
		if (e->last < e->series.n)
			e->series.v[e->last].next = at;
	}
	return found(e, at);
}

uint32_t exporter_device(struct exporter *e, struct str id, struct str whole)
{
	sym word = names_add(&e->words, id);
	uint32_t *at = map_at(&e->device_of, word);
	if (!*at) {
		*vec_push(&e->devices) = (struct seen_device){ .id = names_word(&e->words, word),
			                                       .whole = str_dup(&e->a, whole) };
		*at = (uint32_t)e->devices.n;
	}
	return *at - 1;
}

static uint32_t hold_place(struct exporter *e, struct exporter_job j, uint32_t device)
{
	char *key = arena_printf(&e->scratch, "%u ", device);
	size_t n = strlen(key);
	char *z = arena_bytes(&e->scratch, n + j.id.n);
	memcpy(z, key, n);
	memcpy(z + n, j.id.p, j.id.n);
	sym word = names_add(&e->words, (struct str){ z, n + j.id.n });
	uint32_t *at = map_at(&e->hold_of, word);
	if (!*at) {
		*vec_push(&e->holds) = (struct hold){ .job = { .id = str_dup(&e->a, j.id),
			                                       .user = str_dup(&e->a, j.user),
			                                       .team = str_dup(&e->a, j.team),
			                                       .queue = str_dup(&e->a, j.queue),
			                                       .name = str_dup(&e->a, j.name),
			                                       .is_slurm = j.is_slurm },
			                              .device = device };
		*at = (uint32_t)e->holds.n;
	}
	return *at - 1;
}

/* nvidia_smi_gpu_info's labels are what others say on every series. */
static void info_labels(struct exporter_labels *l, struct str name, const struct prom_label *labels,
                        size_t n)
{
	if (str_eq(name, S("nvidia_smi_gpu_info")))
		l->v[LABEL_MODEL] = prom_label(labels, n, "name");
}

static struct str word_kept(struct exporter *e, struct str word)
{
	return word.n ? names_word(&e->words, names_add(&e->words, word)) : STR_NULL;
}

/* False: the series names no GPU. */
static bool series_fill(struct exporter *e, struct exporter_series *s,
                        const struct exporter_labels *l)
{
	struct arena *a = &e->scratch;
	enum exporter_family family = s->metric                               ? s->metric->family
	                              : str_starts(s->name, S("nvidia_smi_")) ? EXPORTER_NVIDIA_SMI
	                                                                      : EXPORTER_DCGM;
	struct str whole = exporter_labels_device(l, family, a), id = whole;
	struct str part = l->v[LABEL_INSTANCE];
	if (!whole.n)
		return false;
	s->device = s->whole = exporter_device(e, whole, STR_NULL);
	s->part = NOT_YET;
	s->node = word_kept(e, l->v[LABEL_NODE]);
	s->model = word_kept(e, l->v[LABEL_MODEL]);
	s->number = word_kept(e, exporter_labels_number(l, &s->is_file));
	if (part.n) {
		id = str_of(arena_printf(a, "%.*s/%.*s", STR_FMT(whole), STR_FMT(part)));
		s->part = exporter_device(e, id, whole);
		s->slices = exporter_labels_slices(l->v[LABEL_PROFILE]);
		if (!s->metric || s->metric->is_part)
			s->device = s->part;
	}
	struct exporter_job j = exporter_labels_job(l, a);
	s->hold = j.id.n ? hold_place(e, j, part.n ? s->part : s->device) : NOT_YET;
	series_describe(e, s);
	return true;
}

/* Per process, or of an AMD partition that has no readings of its own: those are of the first. */
static bool is_left_out(const struct exporter_labels *l)
{
	return l->v[LABEL_PID].n ||
	       (l->v[LABEL_PARTITION].n && !str_eq(l->v[LABEL_PARTITION], S("0")));
}

static struct exporter_series *keep(struct exporter *e, struct exporter_series s, struct str bytes)
{
	if (!bytes.n) {
		e->once = s;
		return &e->once;
	}
	uint32_t *at = map_at(&e->series_of, str_hash(bytes));
	s.bytes = str_dup(&e->a, bytes);
	s.name = str_sub(s.bytes, str_find(s.bytes, s.name), s.name.n);
	*vec_push(&e->series) = s;
	*at = (uint32_t)e->series.n;
	if (e->last != NOT_YET)
		e->series.v[e->last].next = *at - 1;
	e->last = *at - 1;
	return &e->series.v[*at - 1];
}

struct exporter_series *exporter_series(struct exporter *e, struct str bytes, struct str name,
                                        const struct prom_label *labels, size_t n, uint64_t line)
{
	struct exporter_labels l;
	struct exporter_series s = {
		.name = name, .hold = NOT_YET, .next = NOT_YET, .input = e->input
	};
	bool is_ours = exporter_is_name(name);
	exporter_labels_read(&l, labels, n);
	info_labels(&l, name, labels, n);
	if (!is_ours || is_left_out(&l)) {
		s.is_nothing = true;
		return keep(e, s, bytes);
	}
	s.metric = exporter_metric(name, l.v[LABEL_CLOCK]);
	bool names_gpu = series_fill(e, &s, &l);
	arena_reset(&e->scratch);
	if (!names_gpu) {
		if (s.metric)
			facts_reject(e->f, line, "no label names the GPU (UUID, gpu)");
		return NULL;
	}
	return keep(e, s, bytes);
}
