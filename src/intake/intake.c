/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/intake.h"

#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "intake/crew.h"
#include "intake/cut.h"
#include "intake/formats.h"
#include "intake/listing.h"
#include "intake/maps.h"
#include "intake/named.h"
#include "intake/parts.h"
#include "intake/pods.h"
#include "intake/same.h"
#include "intake/sited.h"
#include "intake/spool.h"
#include "intake/stream.h"
#include "intake/taken.h"
#include "parse/when.h"
#include "read/reader.h"

/* All that is the same for every input of one call. */
struct intake {
	const struct intake_options *o;
	const struct reader *const *readers;
	struct read_kept **kept; /* of each reader; NULL: not used yet */
	size_t chunk_bytes, whole_bytes_max;
	unsigned threads;
	struct formats_maps maps;
	struct listing listing;
	uint64_t done_bytes; /* of the inputs before this one */
	const char *path;    /* of this one */
	struct crew *crew;
	struct facts one; /* what this input says; words are those of ONE in F */
	struct facts_words words;
	struct facts *f;
	struct spool *spool; /* where F's samples go when they are many */
	VEC(size_t) ends;    /* how many jobs there were after each input */
};

static unsigned count_cores(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) < 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n < 1 ? 1 : (unsigned)n;
}

static bool is_interrupted(const struct intake_options *o)
{
	return o->interrupted && atomic_load(o->interrupted);
}

static void say_progress(void *arg, const struct stream *s)
{
	const struct intake *in = arg;
	if (!in->o->on_progress)
		return;
	double share = -1;
	if (!in->listing.has_unsized && in->listing.bytes) {
		uint64_t done = in->done_bytes + s->read_bytes;
		share = (double)done / (double)in->listing.bytes;
		share = share > 1 ? 1 : share; /* a file that grows while it is read */
	}
	in->o->on_progress(in->o->arg, share, in->path);
}

/* Everything that is left, behind what is in BUF already, up to MAX bytes in all. */
static enum err_code read_rest(struct stream *s, size_t max, struct text *buf,
                               void (*on_piece)(void *, const struct stream *), void *arg,
                               struct err *err)
{
	for (;;) {
		size_t want = buf->n < CHUNK_BYTES ? CHUNK_BYTES : buf->n / 2;
		if (want > CHUNK_BYTES * 16)
			want = CHUNK_BYTES * 16;
		if (want > max + 1 - buf->n)
			want = max + 1 - buf->n;
		buf->p = vec_grow(buf->p, &buf->cap, buf->n, want, 1);
		size_t got = stream_read(s, buf->p + buf->n, want);
		buf->n += got;
		if (buf->n > max)
			return err_set(err, ERR_LIMIT, "it is larger than %zu bytes", max);
		if (on_piece)
			on_piece(arg, s);
		if (got < want)
			return ERR_OK;
	}
}

static enum err_code feed_whole(struct intake *in, struct stream *s, const struct reader *r,
                                const struct read_run *run, struct str head, struct facts *f,
                                struct err *err)
{
	auto_text buf = TEXT_NULL;
	text_add(&buf, str_sub(head, run->body_at, head.n));
	enum err_code code = read_rest(s, in->whole_bytes_max, &buf, say_progress, in, err);
	if (code || s->is_interrupted)
		return code;
	return r->feed(run, text_str(&buf), run->body_line, f, err);
}

static enum err_code feed_pieces(struct intake *in, struct stream *s, const struct reader *r,
                                 const struct read_run *run, struct str head, struct facts *f,
                                 struct err *err)
{
	struct cut cut;
	size_t chunk_bytes = in->chunk_bytes, items = CHUNKS_ITEMS_BYTES / in->threads;
	items = items < CHUNK_ITEMS_BYTES ? items : CHUNK_ITEMS_BYTES;
	if (r->cut == CUT_ITEMS && chunk_bytes > items)
		chunk_bytes = items;
	cut_init(&cut, s, r, run, chunk_bytes, CHUNKS_BYTES / in->threads,
	         str_sub(head, run->body_at, head.n), run->body_line);
	struct crew_input ci = { .cut = &cut, .on_piece = say_progress, .arg = in };
	enum err_code code = crew_read(in->crew, &ci, f, err);
	cut_deinit(&cut);
	return code;
}

static struct read_kept *kept_of(struct intake *in, const struct reader *r)
{
	size_t i = 0;
	while (in->readers[i] && in->readers[i] != r)
		i++;
	if (!in->readers[i] || !r->forget)
		return NULL;
	if (!in->kept[i])
		in->kept[i] = mem_alloc(sizeof *in->kept[i]);
	return in->kept[i];
}

static void kept_drop(struct intake *in)
{
	for (size_t i = 0; in->readers[i]; i++) {
		if (in->kept[i])
			read_kept_drop(in->kept[i], in->readers[i]->forget);
		mem_free(in->kept[i]);
	}
}

/* Reads S with R into F, whose last input it is. */
static enum err_code read_with(struct intake *in, struct stream *s, const struct reader *r,
                               const struct read_options *ro, struct str head, struct facts *f,
                               struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct read_run run = { .options = ro, .a = &a, .kept = kept_of(in, r), .body_line = 1 };
	enum err_code code = r->open(&run, head, err);
	if (!code && run.body_at > head.n)
		run.body_at = head.n;
	if (!code && r->cut == CUT_WHOLE)
		code = feed_whole(in, s, r, &run, head, f, err);
	else if (!code)
		code = feed_pieces(in, s, r, &run, head, f, err);
	if (!code && r->end)
		code = r->end(&run, f, err);
	return code;
}

/* How the reading ended goes into the input's own line. A damage stands before what it may have
   caused. */
static void note_end(struct facts *f, const struct stream *s)
{
	struct input_info *info = &f->inputs.v[f->inputs.n - 1];
	info->bytes = s->read_bytes;
	info->partial |= s->is_interrupted || s->damage.code;
	if (!s->damage.code)
		return;
	if (f->rejects.n >= REJECTS_SHOWN_MAX)
		f->rejects.n = REJECTS_SHOWN_MAX - 1;
	facts_reject(f, 0, "%s; what came before it was read", s->damage.text);
	struct reject why = f->rejects.v[f->rejects.n - 1];
	memmove(f->rejects.v + 1, f->rejects.v, (f->rejects.n - 1) * sizeof why);
	f->rejects.v[0] = why;
}

static void skip_unread(struct facts *f, const struct listed *l)
{
	*vec_push(&f->inputs) =
	        (struct input_info){ .name = facts_word(f, str_of(l->path)), .partial = true };
}

/* FILE@at=TIME: a snapshot without a time was taken then. */
static enum err_code taken_at(const struct listed *l, struct read_options *ro, struct err *err)
{
	if (!l->at)
		return ERR_OK;
	enum when w = when_parse(str_of(l->at), ro->zone, &ro->at_ms);
	if (w != WHEN_OK && w != WHEN_GAP)
		return err_set(err, ERR_USAGE,
		               "@at=%s is not a time; expected one like 2026-11-30T12:00:00Z",
		               l->at);
	ro->has_at = true;
	return ERR_OK;
}

/* What this input says becomes part of all, unless it is dropped. What is small keeps its room and
   its words for the next one. */
static void join_one(struct intake *in, bool is_dropped)
{
	struct facts *one = &in->one;
	if (!is_dropped && in->f->inputs.n)
		facts_append_again(in->f, one, &in->words);
	else if (!is_dropped)
		facts_append(in->f, one); /* moves it */
	if (!is_dropped && facts_room_bytes(one) <= FACTS_KEPT_BYTES_MAX &&
	    !facts_has_many_words(one))
		return;
	facts_deinit(one);
	facts_init(one);
	facts_words_deinit(&in->words);
}

static enum err_code read_stream(struct intake *in, struct stream *s, const struct listed *l,
                                 struct err *err)
{
	auto_text head = TEXT_NULL;
	head.p = vec_grow(NULL, &head.cap, 0, HEAD_BYTES, 1);
	head.n = stream_read(s, head.p, HEAD_BYTES);
	if (!head.n && s->is_interrupted) {
		skip_unread(in->f, l);
		return ERR_OK;
	}
	if (!head.n)
		return s->damage.code ? err_set(err, ERR_INPUT, "%s", s->damage.text)
		                      : err_set(err, ERR_INPUT, "it is empty");
	struct read_options ro = {
		.zone = l->has_zone ? l->zone : in->o->zone,
		.run_key = in->o->run_key,
		.input_name = str_of(l->path),
		.node = str_of(l->node),
	};
	const struct reader *r = NULL;
	enum err_code code = taken_at(l, &ro, err);
	if (!code)
		code = formats_find(in->readers, text_str(&head), in->o->as, &in->maps, &ro, &r,
		                    err);
	if (code && s->is_interrupted) { /* too little of it was read to tell */
		skip_unread(in->f, l);
		return ERR_OK;
	}
	if (code)
		return code;
	struct facts *one = &in->one; /* end() sees this input's facts alone */
	*vec_push(&one->inputs) = (struct input_info){ .name = facts_word(one, ro.input_name),
		                                       .format = facts_word(one, str_of(r->name)) };
	code = read_with(in, s, r, &ro, text_str(&head), one, err);
	if (!code)
		note_end(one, s);
	join_one(in, code != ERR_OK);
	return code ? code : spool_take(in->spool, false, err);
}

/* A file of a folder that could not be used: one reject of an input without a format. */
static void skip_file(struct facts *f, const struct listed *l, const struct err *why)
{
	struct facts one;
	facts_init(&one);
	*vec_push(&one.inputs) =
	        (struct input_info){ .name = facts_word(&one, str_of(l->path)), .records = 1 };
	struct str text = str_of(why->text); /* a hint is for whoever named the file */
	facts_reject(&one, 0, "left out: %.*s",
	             STR_FMT(str_sub(text, 0, str_find_byte(text, '\n'))));
	facts_append(f, &one);
	facts_deinit(&one);
}

static enum err_code read_listed(struct intake *in, const struct listed *l, struct err *err)
{
	struct stream s;
	in->path = l->path;
	enum err_code code = stream_open(&s, l->path, in->o->interrupted, err);
	if (!code) {
		code = read_stream(in, &s, l, err);
		in->done_bytes += s.read_bytes;
		stream_close(&s);
		if (code && !l->folder)
			err_wrap(err, "%s: ", l->path);
	}
	if (code && l->folder && (code == ERR_INPUT || code == ERR_LIMIT)) {
		skip_file(in->f, l, err);
		code = ERR_OK;
	}
	return code;
}

/* A named folder of which nothing could be read is an error like a named file. */
static enum err_code check_folders(const struct intake *in, struct err *err)
{
	for (size_t i = 0; i < in->listing.files.n; i++) {
		const char *folder = in->listing.files.v[i].folder;
		if (!folder || (i && in->listing.files.v[i - 1].folder == folder))
			continue;
		bool has_format = false;
		for (size_t k = i; k < in->f->inputs.n && k < in->listing.files.n; k++)
			if (in->listing.files.v[k].folder == folder)
				has_format |=
				        in->f->inputs.v[k].format || in->f->inputs.v[k].partial;
		if (!has_format)
			return err_set(err, ERR_INPUT, "%s: no file in it is of a known format",
			               folder);
	}
	return ERR_OK;
}

static void note_left_out(const struct intake *in)
{
	for (uint32_t i = 0; i < in->listing.hidden; i++)
		facts_note(in->f, "Hidden files in folders were left out.");
	for (uint32_t i = 0; i < in->listing.deeper; i++)
		facts_note(in->f, "Folders more than one level down were not looked into.");
}

static enum err_code load_maps(struct intake *in, struct arena *a, struct maps *maps,
                               struct err *err)
{
	for (size_t i = 0; i < in->o->maps_n; i++) {
		enum err_code code = maps_add(a, in->o->maps[i], maps, err);
		if (code)
			return code;
	}
	size_t own_n = maps->n;
	uint32_t broken;
	maps_add_installed(a, maps, &broken);
	for (uint32_t i = 0; i < broken; i++)
		facts_note(in->f, "An installed mapping file cannot be used.");
	in->maps = (struct formats_maps){ maps->v, own_n, maps->v, maps->n };
	return ERR_OK;
}

static enum err_code read_all(struct intake *in, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < in->listing.files.n && !code; i++) {
		if (is_interrupted(in->o))
			skip_unread(in->f, &in->listing.files.v[i]);
		else
			code = read_listed(in, &in->listing.files.v[i], err);
		*vec_push(&in->ends) = in->f->jobs.n;
	}
	if (!code)
		code = check_folders(in, err);
	if (!code)
		code = spool_take(in->spool, true, err);
	if (!code) {
		spool_end(in->spool);
		in->spool = NULL;
		pods_end(in->f, in->ends.v, in->ends.n);
		same_join(in->f, in->ends.v, in->ends.n);
		if (in->ends.n > 1)
			pods_clip(in->f);
		parts_join(in->f);
		taken_join(in->f);
		if (in->ends.n > 1) {
			named_join(in->f);
			facts_join_samples(in->f, false); /* a file a metric */
		}
		sited_join(in->f, in->ends.n > 1);
		note_left_out(in);
	}
	return code;
}

enum err_code intake_read(const struct intake_options *o, const char *const *inputs, size_t n,
                          struct facts *ret_facts, struct err *err)
{
	auto_arena a = ARENA_NULL;
	struct intake in = {
		.o = o,
		.readers = o->readers ? o->readers : readers,
		.chunk_bytes = o->chunk_bytes ? o->chunk_bytes : CHUNK_BYTES,
		.whole_bytes_max = o->whole_bytes_max ? o->whole_bytes_max : WHOLE_BYTES_MAX,
		.threads = o->threads ? o->threads : count_cores(),
		.f = ret_facts,
	};
	if (in.threads > THREADS_MAX)
		in.threads = THREADS_MAX;
	size_t readers_n = 0;
	while (in.readers[readers_n])
		readers_n++;
	in.kept = ARENA_ARRAY(&a, struct read_kept *, readers_n);
	facts_init(&in.one);
	facts_init(ret_facts);
	in.crew = crew_new(in.threads);
	in.spool = spool_new(ret_facts, &o->spool);
	struct maps maps = { 0 };
	enum err_code code = load_maps(&in, &a, &maps, err);
	if (!code)
		code = listing_build(&a, inputs, n, &in.listing, err);
	if (!code)
		code = read_all(&in, err);
	crew_free(in.crew);
	facts_words_deinit(&in.words);
	facts_deinit(&in.one);
	kept_drop(&in);
	maps_deinit(&maps);
	listing_deinit(&in.listing);
	vec_deinit(&in.ends);
	if (in.spool)
		spool_drop(in.spool);
	if (code)
		facts_deinit(ret_facts);
	return code;
}

enum err_code intake_status(const struct facts *f, bool strict, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < f->inputs.n; i++) {
		const struct input_info *in = &f->inputs.v[i];
		struct str name = names_word(&f->names, in->name);
		if (strict && in->rejected)
			return err_set(err, ERR_INPUT, "%.*s: %" PRIu64 " rejected", STR_FMT(name),
			               in->rejected);
		if (code || !in->format)
			continue;
		if (in->partial)
			code = err_set(err, ERR_REJECTS, "%.*s: read in part", STR_FMT(name));
		else if (in->rejected && in->rejected * 100 >= in->records)
			code = err_set(err, ERR_REJECTS,
			               "%.*s: %" PRIu64 " of %" PRIu64 " records rejected",
			               STR_FMT(name), in->rejected, in->records);
	}
	return code;
}

enum err_code intake_slurp(struct arena *a, const char *path, size_t max_bytes, struct str *ret,
                           struct err *err)
{
	struct stream s;
	enum err_code code = stream_open(&s, path, NULL, err);
	if (code)
		return code;
	auto_text buf = TEXT_NULL;
	code = read_rest(&s, max_bytes, &buf, NULL, NULL, err);
	if (!code && s.damage.code)
		code = err_set(err, ERR_INPUT, "%s", s.damage.text);
	if (!code)
		*ret = str_dup(a, text_str(&buf));
	stream_close(&s);
	return code ? err_wrap(err, "%s: ", path) : ERR_OK;
}
