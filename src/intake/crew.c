/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/crew.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>

#include "base/limits.h"

enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_DONE };

/* One piece on its way from the input into the joined facts. */
struct slot {
	enum slot_state state;
	uint64_t seq;
	struct piece piece;
	struct facts facts;
	struct facts_words words;
	enum err_code code;
	struct err err;
};

struct crew {
	unsigned threads;
	struct slot *slots;
	size_t slots_n;

	/* of the input */
	const struct crew_input *in;
	struct facts *f;
	struct str name, format;

	pthread_mutex_t cut_lock; /* cut, next_seq, has_ended */
	uint64_t next_seq;
	bool has_ended; /* no further piece is asked for */

	pthread_mutex_t lock; /* states of slots, join_seq, is_joining */
	pthread_cond_t is_free;
	uint64_t join_seq;
	bool is_joining;

	/* of whoever joins */
	enum err_code code;
	struct err err;
};

void crew_join(struct facts *f, struct facts *from, struct facts_words *w)
{
	assert(f->inputs.n);
	struct input_info *to = &f->inputs.v[f->inputs.n - 1];
	for (size_t i = 0; i < from->inputs.n; i++) {
		to->records += from->inputs.v[i].records;
		to->rejected += from->inputs.v[i].rejected;
		to->partial |= from->inputs.v[i].partial;
	}
	from->inputs.n = 0;
	size_t room = f->rejects.n < REJECTS_SHOWN_MAX ? REJECTS_SHOWN_MAX - f->rejects.n : 0;
	if (from->rejects.n > room)
		from->rejects.n = room;
	facts_append_again(f, from, w);
}

static void slot_read(struct crew *c, struct slot *s)
{
	struct facts *f = &s->facts;
	if (facts_has_many_words(f)) /* unique job names would stand in memory once a thread */
		facts_forget(f, &s->words);
	*vec_push(&f->inputs) = (struct input_info){ .name = facts_word(f, c->name),
		                                     .format = facts_word(f, c->format) };
	if (s->piece.long_line_bytes) {
		f->inputs.v[0].records = 1;
		bool is_item = c->in->cut->reader->cut == CUT_ITEMS;
		facts_reject(f, s->piece.line, "%s is longer than %zu bytes",
		             is_item ? "an item" : "line",
		             is_item ? JSON_ITEM_BYTES_MAX : LINE_BYTES_MAX);
		return;
	}
	struct str bytes = { s->piece.bytes.v, s->piece.bytes.n };
	s->code = c->in->cut->reader->feed(c->in->cut->run, bytes, s->piece.line, f, &s->err);
}

static void slot_join(struct crew *c, struct slot *s)
{
	if (c->code)
		return; /* after an error nothing counts */
	crew_join(c->f, &s->facts, &s->words);
	if (s->code) {
		c->code = s->code;
		c->err = s->err;
	}
}

/* Joins what is next in the order of the input, as far as it is done; called and left with the
   lock held. */
static void join_done(struct crew *c)
{
	if (c->is_joining)
		return;
	c->is_joining = true;
	for (size_t i = 0; i < c->slots_n;) {
		struct slot *s = &c->slots[i];
		if (s->state != SLOT_DONE || s->seq != c->join_seq) {
			i++;
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		slot_join(c, s);
		pthread_mutex_lock(&c->lock);
		s->state = SLOT_FREE;
		c->join_seq++;
		pthread_cond_signal(&c->is_free);
		i = 0;
	}
	c->is_joining = false;
}

static struct slot *slot_take(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	for (;;) {
		for (size_t i = 0; i < c->slots_n; i++)
			if (c->slots[i].state == SLOT_FREE) {
				c->slots[i].state = SLOT_BUSY;
				pthread_mutex_unlock(&c->lock);
				return &c->slots[i];
			}
		pthread_cond_wait(&c->is_free, &c->lock);
	}
}

static void slot_settle(struct crew *c, struct slot *s, enum slot_state state)
{
	pthread_mutex_lock(&c->lock);
	s->state = state;
	if (state == SLOT_DONE)
		join_done(c);
	else
		pthread_cond_signal(&c->is_free);
	pthread_mutex_unlock(&c->lock);
}

static bool slot_cut(struct crew *c, struct slot *s)
{
	pthread_mutex_lock(&c->cut_lock);
	bool has = !c->has_ended && cut_next(c->in->cut, &s->piece);
	if (has)
		s->seq = c->next_seq++;
	else
		c->has_ended = true;
	if (has && c->in->on_piece)
		c->in->on_piece(c->in->arg, c->in->cut->stream);
	pthread_mutex_unlock(&c->cut_lock);
	return has;
}

static void *crew_work(void *arg)
{
	struct crew *c = arg;
	for (;;) {
		struct slot *s = slot_take(c);
		s->code = ERR_OK;
		if (!slot_cut(c, s)) {
			slot_settle(c, s, SLOT_FREE);
			return NULL;
		}
		slot_read(c, s);
		if (s->code) {
			pthread_mutex_lock(&c->cut_lock);
			c->has_ended = true;
			pthread_mutex_unlock(&c->cut_lock);
		}
		slot_settle(c, s, SLOT_DONE);
	}
}

/* Starts the others and works itself. Signals are for the first thread. */
static void crew_run(struct crew *c)
{
	pthread_t others[THREADS_MAX];
	unsigned started = 0;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started + 1 < c->threads &&
	       pthread_create(&others[started], NULL, crew_work, c) == 0)
		started++; /* fewer than wanted is slower, not wrong */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	crew_work(c);
	for (unsigned i = 0; i < started; i++)
		pthread_join(others[i], NULL);
}

struct crew *crew_new(unsigned threads)
{
	assert(threads >= 1 && threads <= THREADS_MAX);
	struct crew *c = mem_alloc(sizeof *c);
	c->threads = threads;
	c->slots_n = threads == 1 ? 1 : threads * 2u;
	c->slots = mem_alloc(mem_times(c->slots_n, sizeof *c->slots));
	for (size_t i = 0; i < c->slots_n; i++)
		facts_init(&c->slots[i].facts);
	pthread_mutex_init(&c->cut_lock, NULL);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->is_free, NULL);
	return c;
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	pthread_cond_destroy(&c->is_free);
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->cut_lock);
	for (size_t i = 0; i < c->slots_n; i++) {
		vec_deinit(&c->slots[i].piece.bytes);
		facts_words_deinit(&c->slots[i].words);
		facts_deinit(&c->slots[i].facts);
	}
	mem_free(c->slots);
	mem_free(c);
}

/* Slots for an input of its own: empty, with the room that they had. */
static void slots_begin(struct crew *c)
{
	for (size_t i = 0; i < c->slots_n; i++) {
		struct slot *s = &c->slots[i];
		if (c->code) { /* what was read behind an error was not joined */
			facts_deinit(&s->facts);
			facts_init(&s->facts);
		}
		facts_forget(&s->facts, &s->words);
		s->state = SLOT_FREE;
	}
	c->next_seq = c->join_seq = 0;
	c->has_ended = false;
	c->code = ERR_OK;
}

enum err_code crew_read(struct crew *c, const struct crew_input *in, struct facts *f,
                        struct err *err)
{
	assert(f->inputs.n);
	const struct input_info *info = &f->inputs.v[f->inputs.n - 1];
	slots_begin(c);
	c->in = in;
	c->f = f;
	c->name = names_word(&f->names, info->name);
	c->format = names_word(&f->names, info->format);
	crew_run(c);
	if (c->code)
		*err = c->err;
	return c->code;
}
