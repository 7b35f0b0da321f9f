/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "facts/series.h"

/* Nothing said of itself. */
static void init_options(struct facts *f)
{
	f->has_scheduler = f->has_policy = false;
	f->window = (struct span){ TIME_UNKNOWN, TIME_UNKNOWN };
	f->as_of_ms = TIME_UNKNOWN;
	f->options = (struct facts_options){ .setup_max_ms = -1, .skew_ms = -1, .kept_saved = -1 };
	memset(f->options.count, -1, sizeof f->options.count);
}

void facts_init(struct facts *f)
{
	*f = (struct facts){ 0 };
	init_options(f);
}

void facts_deinit(struct facts *f)
{
	if (f->series)
		f->series->drop(f->series);
	names_deinit(&f->names);
	traits_deinit(&f->traits);
#define EACH_VEC(vec) vec_deinit(&f->vec);
#include "facts/vectors.def"
#undef EACH_VEC
	*f = (struct facts){ 0 };
}

sym facts_word(struct facts *f, struct str word)
{
	return names_add(&f->names, word);
}

void facts_note(struct facts *f, const char *text)
{
	sym id = facts_word(f, str_of(text));
	for (size_t i = 0; i < f->notes.n; i++)
		if (f->notes.v[i].text == id) {
			f->notes.v[i].count++;
			return;
		}
	*vec_push(&f->notes) = (struct note){ .text = id, .count = 1 };
}

void facts_reject(struct facts *f, uint64_t line, const char *fmt, ...)
{
	struct input_info *in = f->inputs.n ? &f->inputs.v[f->inputs.n - 1] : NULL;
	if (in)
		in->rejected++;
	if (f->rejects.n >= REJECTS_SHOWN_MAX)
		return;
	char z[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(z, sizeof z, fmt, ap);
	va_end(ap);
	*vec_push(&f->rejects) = (struct reject){ .input = in ? in->name : 0,
		                                  .reason = facts_word(f, str_of(z)),
		                                  .line = line,
		                                  .count = 1 };
}

struct sample *facts_sample(struct facts *f, sym device, int64_t t_ms)
{
	struct sample *s = vec_push(&f->samples);
	s->device = device;
	s->t_ms = t_ms;
	s->procs_why = WHY_ABSENT;
	memset(s->why, WHY_ABSENT, sizeof s->why);
	return s;
}

/* Where FROM's words and pools come to stand in F. */
struct shift {
	const sym *words;
	const struct traits *from_traits;
	struct traits *traits;
	const uint32_t *owners, *shapes;
	uint32_t syms, spans, jobs, ids, portions;
};

#define W(field) ((field) = s->words[field])

static void shift_places(struct facts *from, const struct shift *s)
{
	for (size_t i = 0; i < from->devices.n; i++) {
		struct device *d = &from->devices.v[i];
		W(d->id), W(d->node), W(d->model), W(d->number);
	}
	for (size_t i = 0; i < from->instances.n; i++)
		W(from->instances.v[i].id), W(from->instances.v[i].device);
	for (size_t i = 0; i < from->capacity.n; i++) {
		struct capacity *c = &from->capacity.v[i];
		W(c->device), W(c->pool), W(c->node), W(c->model), W(c->source);
	}
	for (size_t i = 0; i < from->nodes.n; i++) {
		struct node *n = &from->nodes.v[i];
		W(n->id), W(n->model), W(n->partition);
		n->exhausted_at += s->spans;
	}
}

static void shift_jobs(struct facts *from, const struct shift *s)
{
	for (size_t i = 0; i < from->jobs.n; i++) {
		struct job *j = &from->jobs.v[i];
		j->id_at += s->ids;
		if (j->traits) {
			struct traits_pair p = traits_pair(s->from_traits, j->traits);
			p = (struct traits_pair){ s->owners[p.owner], s->shapes[p.shape] };
			j->traits = traits_number(s->traits, p);
		}
		W(j->name), W(j->node_names);
	}
	for (size_t i = 0; i < from->allocations.n; i++) {
		struct allocation *a = &from->allocations.v[i];
		a->job += s->jobs;
		if (a->portion)
			a->portion = (a->portion + s->portions) & PORTIONS_MAX;
		W(a->place), W(a->model);
	}
}

static void shift_series(struct facts *from, const struct shift *s)
{
	for (size_t i = 0; i < from->samples.n; i++) {
		W(from->samples.v[i].device);
		from->samples.v[i].procs_at += s->syms;
	}
	for (size_t i = 0; i < from->node_power.n; i++)
		W(from->node_power.v[i].node);
	for (size_t i = 0; i < from->progress.n; i++)
		W(from->progress.v[i].job);
	for (size_t i = 0; i < from->services.n; i++)
		W(from->services.v[i].job);
	for (size_t i = 0; i < from->totals.n; i++)
		W(from->totals.v[i].pool), W(from->totals.v[i].source),
		        W(from->totals.v[i].cluster);
}

static void shift_money(struct facts *from, const struct shift *s)
{
	for (size_t i = 0; i < from->prices.n; i++) {
		struct price *p = &from->prices.v[i];
		W(p->model), W(p->node), W(p->pool), W(p->currency), W(p->source);
	}
	for (size_t i = 0; i < from->other_costs.n; i++)
		W(from->other_costs.v[i].what), W(from->other_costs.v[i].currency);
	for (size_t i = 0; i < from->reserves.n; i++) {
		struct reserve *r = &from->reserves.v[i];
		W(r->model), W(r->pool), W(r->name);
		r->jobs_at += s->syms;
	}
	for (size_t i = 0; i < from->headrooms.n; i++)
		W(from->headrooms.v[i].job);
	for (size_t i = 0; i < from->ignores.n; i++)
		W(from->ignores.v[i].word);
}

static void shift_reading(struct facts *from, const struct shift *s)
{
	for (size_t i = 0; i < from->rejects.n; i++)
		W(from->rejects.v[i].input), W(from->rejects.v[i].reason);
	for (size_t i = 0; i < from->inputs.n; i++)
		W(from->inputs.v[i].name), W(from->inputs.v[i].format);
	for (size_t i = 0; i < from->notes.n; i++)
		W(from->notes.v[i].text);
	for (size_t i = 0; i < from->syms.n; i++)
		W(from->syms.v[i]);
}

static void append_bytes(void *v, size_t *n, const void *from, size_t from_n, size_t size)
{
	if (from_n)
		memcpy((char *)v + *n * size, from, from_n * size);
	*n += from_n;
}

static void append_notes(struct facts *f, const struct facts *from)
{
	for (size_t i = 0; i < from->notes.n; i++) {
		size_t at = 0;
		while (at < f->notes.n && f->notes.v[at].text != from->notes.v[i].text)
			at++;
		if (at < f->notes.n)
			f->notes.v[at].count += from->notes.v[i].count;
		else
			*vec_push(&f->notes) = from->notes.v[i];
	}
}

static void append_options(struct facts *f, const struct facts *from)
{
	if (from->window.from_ms != TIME_UNKNOWN)
		f->window = from->window;
	if (from->as_of_ms != TIME_UNKNOWN)
		f->as_of_ms = from->as_of_ms;
	f->has_scheduler |= from->has_scheduler;
	f->has_policy |= from->has_policy;
	const struct facts_options *o = &from->options;
	if (o->setup_max_ms >= 0)
		f->options.setup_max_ms = o->setup_max_ms;
	if (o->skew_ms >= 0)
		f->options.skew_ms = o->skew_ms;
	if (o->kept_saved >= 0)
		f->options.kept_saved = o->kept_saved;
	for (int i = 0; i < FATE_COUNT; i++)
		if (o->count[i] >= 0)
			f->options.count[i] = o->count[i];
}

/* The words of FROM that W has not seen yet, in the order in which they came up. */
static void append_words(struct facts *f, const struct facts *from, struct facts_words *w)
{
	size_t n = from->names.words.n;
	if (!w->n) { /* 0 is no word */
		vec_reserve(w, 1);
		w->v[w->n++] = 0;
	}
	if (w->n >= n)
		return;
	vec_reserve(w, n - w->n);
	for (; w->n < n; w->n++)
		w->v[w->n] = names_add(&f->names, from->names.words.v[w->n]);
}

static struct word_list append_list(struct traits *t, const struct traits *from, struct word_list l,
                                    uint32_t width, const sym *words)
{
	VEC(sym) to = { 0 };
	for (uint32_t i = 0; i < l.n * width; i++)
		*vec_push(&to) = words[from->lists.v[l.at + i]];
	struct word_list ret = traits_list(t, to.v, (uint32_t)to.n);
	ret.n = l.n;
	vec_deinit(&to);
	return ret;
}

/* The same of traits. */
static void append_traits(struct facts *f, const struct facts *from, struct facts_words *w)
{
	const struct traits *t = &from->traits;
	while (w->owners.n < t->owners.n) {
		struct job_owner o = t->owners.v[w->owners.n];
		o.run = w->v[o.run], o.user = w->v[o.user], o.team = w->v[o.team];
		o.queue = w->v[o.queue], o.cluster = w->v[o.cluster], o.reason = w->v[o.reason];
		o.labels = append_list(&f->traits, t, o.labels, 2, w->v);
		*vec_push(&w->owners) = traits_add_owner(&f->traits, &o);
	}
	while (w->shapes.n < t->shapes.n) {
		struct job_shape s = t->shapes.v[w->shapes.n];
		s.models = append_list(&f->traits, t, s.models, 1, w->v);
		s.pools = append_list(&f->traits, t, s.pools, 1, w->v);
		*vec_push(&w->shapes) = traits_add_shape(&f->traits, &s);
	}
}

void facts_words_deinit(struct facts_words *w)
{
	mem_free(w->v);
	vec_deinit(&w->owners), vec_deinit(&w->shapes);
	*w = (struct facts_words){ 0 };
}

void facts_forget(struct facts *f, struct facts_words *w)
{
	names_deinit(&f->names);
	traits_deinit(&f->traits);
	w->n = w->owners.n = w->shapes.n = 0;
}

bool facts_has_many_words(const struct facts *f)
{
	return f->names.words.n > FACTS_KEPT_WORDS_MAX ||
	       f->traits.owners.n > FACTS_KEPT_WORDS_MAX ||
	       f->traits.shapes.n > FACTS_KEPT_WORDS_MAX;
}

void facts_append_again(struct facts *f, struct facts *from, struct facts_words *w)
{
	append_words(f, from, w);
	append_traits(f, from, w);
	struct shift s = {
		.words = w->v,
		.from_traits = &from->traits,
		.traits = &f->traits,
		.owners = w->owners.v,
		.shapes = w->shapes.v,
		.syms = (uint32_t)f->syms.n,
		.spans = (uint32_t)f->spans.n,
		.jobs = (uint32_t)f->jobs.n,
		.ids = (uint32_t)f->ids.n,
		.portions = (uint32_t)f->portions.n,
	};
	if (f->portions.n + from->portions.n > PORTIONS_MAX || f->ids.n + from->ids.n > UINT32_MAX)
		mem_exhausted(SIZE_MAX); /* what numbers them has so many bits */
	shift_places(from, &s);
	shift_jobs(from, &s);
	shift_series(from, &s);
	shift_money(from, &s);
	shift_reading(from, &s);
	append_notes(f, from);
	from->notes.n = from->traits.pairs.n = 0;
#define EACH_VEC(vec)                                                                  \
	vec_reserve(&f->vec, from->vec.n);                                             \
	append_bytes(f->vec.v, &f->vec.n, from->vec.v, from->vec.n, sizeof *f->vec.v); \
	from->vec.n = 0;
#include "facts/vectors.def"
#undef EACH_VEC
	append_options(f, from);
	init_options(from);
}

size_t facts_room_bytes(const struct facts *f)
{
	size_t n = 0;
#define EACH_VEC(vec) n += f->vec.cap * sizeof *f->vec.v;
#include "facts/vectors.def"
#undef EACH_VEC
	return n;
}

/* Whether nothing was ever put into F, so that FROM can be moved as it is. */
static bool is_untouched(const struct facts *f)
{
	size_t n = f->names.words.n + f->traits.owners.n;
#define EACH_VEC(vec) n += f->vec.n;
#include "facts/vectors.def"
#undef EACH_VEC
	return n == 0 && !f->series;
}

static void move_all(struct facts *f, struct facts *from)
{
	struct facts head = *f; /* what F was told, under what FROM says */
	append_options(&head, from);
	facts_deinit(f);
	*f = *from;
	f->window = head.window;
	f->as_of_ms = head.as_of_ms;
	f->has_scheduler = head.has_scheduler;
	f->has_policy = head.has_policy;
	f->options = head.options;
	facts_init(from);
}

void facts_append(struct facts *f, struct facts *from)
{
	if (is_untouched(f)) {
		move_all(f, from);
		return;
	}
	struct facts_words w = { 0 };
	facts_append_again(f, from, &w);
	facts_words_deinit(&w);
	facts_deinit(from);
	facts_init(from);
}
