/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/map.h"
#include "codec/block_rows.h"
#include "facts/series.h"

/* A block: where its bytes are, in memory or, once there is a file, in that. */
struct ref {
	uint32_t series, bytes, rows;
	uint64_t at;
	int64_t from_ms, to_ms;
};

struct spool {
	struct series_source base;
	struct facts *f;
	size_t samples_max, bytes_max;
	VEC(struct series) series;
	VEC(size_t) starts;   /* by series: its first ref, once they are sorted */
	VEC(bool) counted;    /* by series: its doubles are in DOUBLES */
	struct map index;     /* device: 1 + series */
	VEC(struct ref) refs; /* in the order of the inputs; in the end by series and first time */
	struct text bytes;    /* what is not in the file yet */
	uint64_t in_file;
	int file; /* -1: none yet */
	uint64_t doubles;
	struct block_coder coder;
	struct series_rows *rows;
	VEC(struct series_rows *) spare;
	VEC(uint32_t) lists; /* place and length of each row's process list */
};

/* A block that is being read, as rows; ORDER: later ones count. */
struct open_block {
	struct series_rows *rows;
	uint32_t at;
	uint64_t order;
};

struct series_cursor {
	struct spool *s;
	size_t next, end; /* refs that are still to be opened */
	uint32_t series;
	uint64_t want;
	VEC(struct open_block) open;
	struct text bytes;
	struct arena a;
};

static enum err_code fail(struct err *err, const char *what)
{
	return err_set(err, ERR_SYSTEM,
	               "readings cannot be kept in a temporary file: %s: %s\nhint: TMPDIR names a "
	               "folder with more room",
	               what, strerror(errno));
}

static enum err_code file_open(struct spool *s, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	if (!folder || !*folder)
		folder = "/tmp";
	s->file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->file >= 0)
		return ERR_OK;
	auto_text t = TEXT_NULL;
	text_printf(&t, "%s/tare-XXXXXX", folder);
	if (t.n >= sizeof path)
		return err_set(err, ERR_SYSTEM, "TMPDIR is too long");
	memcpy(path, t.p, t.n);
	path[t.n] = '\0';
	s->file = mkostemp(path, O_CLOEXEC);
	if (s->file < 0)
		return fail(err, folder);
	unlink(path);
	return ERR_OK;
}

static enum err_code file_write(struct spool *s, struct err *err)
{
	enum err_code code = s->file < 0 ? file_open(s, err) : ERR_OK;
	for (size_t done = 0; !code && done < s->bytes.n;) {
		ssize_t n = write(s->file, s->bytes.p + done, s->bytes.n - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(err, "write");
		done += (size_t)n;
	}
	s->in_file += s->bytes.n;
	s->bytes.n = 0;
	return code;
}

/* A row's list is the place and the length of its list in facts.syms: two numbers. */
static void lists_out(struct spool *s)
{
	struct series_rows *r = s->rows;
	s->lists.n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		bool same = i && r->procs_n[i - 1] &&
		            s->lists.v[s->lists.n - 2] == r->procs_at[i] &&
		            s->lists.v[s->lists.n - 1] == r->procs_n[i];
		if (!r->procs_n[i]) {
			r->procs_at[i] = 0;
			continue;
		}
		if (!same) {
			*vec_push(&s->lists) = r->procs_at[i];
			*vec_push(&s->lists) = r->procs_n[i];
		}
		r->procs_at[i] = (uint32_t)s->lists.n - 2;
		r->procs_n[i] = 2;
	}
}

static enum err_code take_rows(struct spool *s, uint32_t series, struct err *err)
{
	struct series_rows *r = s->rows;
	size_t before = s->bytes.n;
	lists_out(s);
	struct block b = block_of_rows(r, s->lists.v, (uint32_t)s->lists.n);
	enum err_code code = block_put(&s->bytes, &b, &s->coder, err);
	if (code)
		return code;
	struct series *d = &s->series.v[series];
	int64_t from_ms = r->t_ms[0], to_ms = r->t_ms[r->n - 1];
	*vec_push(&s->refs) = (struct ref){ series,  (uint32_t)(s->bytes.n - before),
		                            r->n,    s->in_file + before,
		                            from_ms, to_ms };
	d->hull.from_ms = from_ms < d->hull.from_ms ? from_ms : d->hull.from_ms;
	d->hull.to_ms = to_ms > d->hull.to_ms ? to_ms : d->hull.to_ms;
	return s->bytes.n > s->bytes_max ? file_write(s, err) : ERR_OK;
}

static uint32_t series_find(struct spool *s, const struct series *d)
{
	uint32_t *at = map_at(&s->index, d->device);
	if (!*at) {
		*vec_push(&s->series) = *d;
		*vec_push(&s->counted) = false;
		*at = (uint32_t)s->series.n;
	}
	return *at - 1;
}

enum err_code spool_take(struct spool *s, bool all, struct err *err)
{
	struct facts *f = s->f;
	enum err_code code = ERR_OK;
	if (!f->samples.n || (f->samples.n < s->samples_max && !(all && s->refs.n)))
		return ERR_OK;
	struct series_source *source = series_of_samples(f);
	for (size_t i = 0; i < source->n && !code; i++) {
		uint32_t series = series_find(s, &source->v[i]);
		struct series_cursor *c = source->open(source, i, SERIES_ALL);
		while (!code && source->next(c, s->rows))
			code = take_rows(s, series, err);
		source->close(c);
	}
	s->doubles += source->doubles(source);
	source->drop(source);
	f->samples.n = 0;
	return code;
}

/* False: the file does not give them. */
static bool ref_bytes(struct series_cursor *c, const struct ref *r, struct str *ret)
{
	struct spool *s = c->s;
	if (r->at >= s->in_file) {
		*ret = (struct str){ s->bytes.p + (r->at - s->in_file), r->bytes };
		return true;
	}
	c->bytes.n = 0;
	c->bytes.p = vec_grow(c->bytes.p, &c->bytes.cap, 0, r->bytes, 1);
	while (c->bytes.n < r->bytes) {
		ssize_t n = pread(s->file, c->bytes.p + c->bytes.n, r->bytes - c->bytes.n,
		                  (off_t)(r->at + c->bytes.n));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		c->bytes.n += (size_t)n;
	}
	*ret = text_str(&c->bytes);
	return true;
}

/* Lists of rows AT and on as places in facts.syms. */
static void lists_in(const struct block *b, struct series_rows *r, uint32_t at)
{
	for (uint32_t i = at; i < r->n; i++)
		if (r->procs_n[i] == 2) {
			uint32_t list = r->procs_at[i];
			r->procs_at[i] = b->procs[list];
			r->procs_n[i] = b->procs[list + 1];
		}
}

/* The rows of a block, behind the first AT. Only our own file can fail to give them: said once all
   is read. */
static bool block_read(struct series_cursor *c, const struct ref *r, uint32_t at,
                       struct series_rows *ret)
{
	struct block_info info;
	struct str bytes;
	struct err err = { 0 };
	arena_reset(&c->a);
	if (!ref_bytes(c, r, &bytes)) {
		(void)err_set(&c->s->base.err, ERR_SYSTEM,
		              "the temporary file of readings cannot be read again");
		return false;
	}
	enum err_code code = block_peek(bytes, &info, &err);
	if (!code && info.rows != r->rows)
		code = err_set(&err, ERR_SYSTEM, "the temporary file of readings was changed");
	if (!code) {
		struct block b = block_into_rows(&info, c->want, at, ret);
		code = block_get(bytes, &b, &c->a, &c->s->coder, &err);
		if (!code)
			lists_in(&b, ret, at);
	}
	if (code)
		c->s->base.err = err;
	return !code;
}

static void block_open(struct series_cursor *c)
{
	const struct ref *r = &c->s->refs.v[c->next++];
	struct open_block o = { .order = r->at };
	o.rows = c->s->spare.n ? c->s->spare.v[--c->s->spare.n] : mem_alloc(sizeof *o.rows);
	if (!block_read(c, r, 0, o.rows)) {
		*vec_push(&c->s->spare) = o.rows;
		return;
	}
	/* in the order of the inputs, so that later ones are joined later */
	size_t at = c->open.n;
	*vec_push(&c->open) = o;
	for (; at && c->open.v[at - 1].order > o.order; at--)
		c->open.v[at] = c->open.v[at - 1];
	c->open.v[at] = o;
}

static struct series_cursor *spool_open(const struct series_source *source, size_t at,
                                        uint64_t want)
{
	struct spool *s = (struct spool *)(uintptr_t)source;
	struct series_cursor *c = mem_alloc(sizeof *c);
	*c = (struct series_cursor){ .s = s,
		                     .next = s->starts.v[at],
		                     .end = s->starts.v[at + 1],
		                     .series = (uint32_t)at,
		                     .want = want };
	return c;
}

static int64_t head_ms(const struct open_block *o)
{
	return o->rows->t_ms[o->at];
}

/* Opens what begins no later than the earliest head; that head. */
static int64_t open_until_head(struct series_cursor *c)
{
	int64_t t = INT64_MAX;
	for (size_t i = 0; i < c->open.n; i++)
		t = head_ms(&c->open.v[i]) < t ? head_ms(&c->open.v[i]) : t;
	while (c->next < c->end && (!c->open.n || c->s->refs.v[c->next].from_ms <= t)) {
		int64_t from_ms = c->s->refs.v[c->next].from_ms;
		t = from_ms < t ? from_ms : t;
		block_open(c);
	}
	return t;
}

static void block_close(struct series_cursor *c, size_t at)
{
	*vec_push(&c->s->spare) = c->open.v[at].rows;
	memmove(c->open.v + at, c->open.v + at + 1, (c->open.n - at - 1) * sizeof *c->open.v);
	c->open.n--;
}

/* Joins the open blocks' rows of time T into row AT of RET. */
static void join_heads(struct series_cursor *c, int64_t t_ms, struct series_rows *ret, uint32_t at)
{
	struct spool *s = c->s;
	struct sample one;
	bool first = true;
	for (size_t i = 0; i < c->open.n;) {
		struct open_block *o = &c->open.v[i];
		if (head_ms(o) != t_ms) {
			i++;
			continue;
		}
		series_row_get(o->rows, o->at, s->series.v[c->series].device, &one);
		if (first)
			series_row_set(ret, at, &one);
		else if (series_row_join(ret, at, &one) && !s->counted.v[c->series])
			s->doubles++;
		first = false;
		if (++o->at == o->rows->n)
			block_close(c, i);
		else
			i++;
	}
}

/* No other block meets the next one. */
static bool next_is_alone(const struct series_cursor *c)
{
	const struct ref *r = c->s->refs.v + c->next;
	return !c->open.n && c->next < c->end &&
	       (c->next + 1 == c->end || r[1].from_ms > r[0].to_ms);
}

static bool spool_next(struct series_cursor *c, struct series_rows *ret_rows)
{
	uint32_t n = 0;
	while (n < SERIES_ROWS && (c->open.n || c->next < c->end)) {
		if (next_is_alone(c)) {
			const struct ref *r = &c->s->refs.v[c->next];
			if (r->rows > SERIES_ROWS - n)
				break;
			c->next++;
			n += block_read(c, r, n, ret_rows) ? r->rows : 0;
			continue;
		}
		int64_t t = open_until_head(c);
		if (!c->open.n)
			break;
		join_heads(c, t, ret_rows, n++);
	}
	if (!n)
		c->s->counted.v[c->series] = true;
	ret_rows->n = n;
	return n > 0;
}

static void spool_close(struct series_cursor *c)
{
	while (c->open.n)
		block_close(c, c->open.n - 1);
	vec_deinit(&c->open);
	text_deinit(&c->bytes);
	arena_deinit(&c->a);
	mem_free(c);
}

static uint64_t spool_doubles(const struct series_source *source)
{
	return ((const struct spool *)source)->doubles;
}

void spool_drop(struct spool *s)
{
	if (s->file >= 0)
		close(s->file);
	vec_deinit(&s->series), vec_deinit(&s->starts), vec_deinit(&s->counted);
	vec_deinit(&s->refs), vec_deinit(&s->lists);
	map_deinit(&s->index);
	text_deinit(&s->bytes);
	block_coder_deinit(&s->coder);
	for (size_t i = 0; i < s->spare.n; i++)
		mem_free(s->spare.v[i]);
	vec_deinit(&s->spare);
	mem_free(s->rows);
	mem_free(s);
}

static void source_drop(struct series_source *source)
{
	spool_drop((struct spool *)source);
}

struct spool *spool_new(struct facts *f, const struct spool_options *o)
{
	struct spool *s = mem_alloc(sizeof *s);
	*s = (struct spool){ .f = f,
		             .file = -1,
		             .samples_max = o && o->samples ? o->samples : SPOOL_SAMPLES,
		             .bytes_max = o && o->bytes ? o->bytes : SPOOL_BYTES };
	s->coder.is_quick = s->coder.is_peeked = true;
	s->rows = mem_alloc(sizeof *s->rows);
	return s;
}

static int ref_order(const void *x, const void *y)
{
	const struct ref *a = x, *b = y;
	if (a->series != b->series)
		return a->series < b->series ? -1 : 1;
	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

static int device_order(const void *x, const void *y)
{
	const struct series *a = x, *b = y;
	return a->device < b->device ? -1 : a->device > b->device;
}

/* Devices by sym, as a source has them; refs name the new places. */
static void sort_series(struct spool *s)
{
	sym *device_of = mem_alloc(mem_times(s->series.n, sizeof *device_of));
	for (size_t i = 0; i < s->series.n; i++)
		device_of[i] = s->series.v[i].device;
	vec_sort(&s->series, device_order);
	for (size_t i = 0; i < s->series.n; i++)
		*map_at(&s->index, s->series.v[i].device) = (uint32_t)i + 1;
	for (size_t i = 0; i < s->refs.n; i++)
		s->refs.v[i].series = *map_at(&s->index, device_of[s->refs.v[i].series]) - 1;
	mem_free(device_of);
}

void spool_end(struct spool *s)
{
	if (!s->refs.n) {
		spool_drop(s);
		return;
	}
	sort_series(s);
	vec_sort(&s->refs, ref_order);
	for (size_t i = 0, at = 0; i <= s->series.n; i++) {
		while (at < s->refs.n && s->refs.v[at].series < i)
			at++;
		*vec_push(&s->starts) = at;
	}
	s->base = (struct series_source){ .v = s->series.v,
		                          .n = s->series.n,
		                          .open = spool_open,
		                          .next = spool_next,
		                          .close = spool_close,
		                          .doubles = spool_doubles,
		                          .drop = source_drop };
	vec_deinit(&s->f->samples);
	s->f->series = &s->base;
}
