/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/live.h"

#include "account/meter.h"
#include "intake/same.h"

void live_init(struct live *l, int64_t from_ms)
{
	*l = (struct live){ .settled_ms = from_ms, .keep_ms = TIME_UNKNOWN };
	facts_init(&l->f);
}

void live_deinit(struct live *l)
{
	ledger_deinit(&l->ledger);
	arena_deinit(&l->a);
	carry_deinit(&l->carry);
	facts_deinit(&l->f);
}

/* After the ledger of the last step was read, which names jobs by their place. */
static void trim(struct live *l)
{
	if (l->keep_ms == TIME_UNKNOWN)
		return;
	live_trim(l, l->keep_ms);
	l->keep_ms = TIME_UNKNOWN;
	if (live_words(l) > (l->words_max ? l->words_max : LIVE_WORDS_MIN)) {
		live_pack(l);
		l->words_max = 2 * live_words(l) + LIVE_WORDS_MIN;
	}
}

/* Records of one job become one; what is carried for it goes with it. */
static void join_jobs(struct live *l, size_t known)
{
	const size_t ends[2] = { known, l->f.jobs.n };
	if (!known || known == l->f.jobs.n)
		return;
	uint32_t *to = mem_alloc(mem_times(l->f.jobs.n, sizeof *to));
	same_join_to(&l->f, ends, 2, to);
	for (size_t i = 0; i < l->carry.setups.n; i++)
		l->carry.setups.v[i].job = to[l->carry.setups.v[i].job];
	mem_free(to);
}

void live_add(struct live *l, struct facts *from)
{
	trim(l);
	size_t jobs = l->f.jobs.n, n = l->f.samples.n;
	facts_append(&l->f, from);
	for (size_t i = n; i < l->f.samples.n; i++) {
		if (l->f.samples.v[i].t_ms > l->settled_ms)
			l->f.samples.v[n++] = l->f.samples.v[i];
		else
			l->late++;
	}
	l->f.samples.n = n;
	join_jobs(l, jobs);
	l->f.notes.n = l->f.inputs.n = l->f.rejects.n = 0; /* health is another's concern */
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* When the first of the stretches began that a job speaks of and that goes on (E.12); INT64_MAX:
   there is none. */
static int64_t open_since(const struct facts *f, int64_t now_ms)
{
	int64_t until = INT64_MAX;
	for (size_t i = 0; i < f->progress.n; i++) {
		const struct progress *p = &f->progress.v[i];
		if (p->t_ms <= now_ms && p->to_ms != TIME_UNKNOWN && p->to_ms > now_ms)
			until = sooner(until, p->t_ms);
	}
	return until;
}

/* Up to where time is decided at NOW. */
static int64_t decided(const struct live *l, int64_t now_ms)
{
	int64_t to_ms = now_ms - live_hold_ms(l), open_ms = open_since(&l->f, now_ms);
	if (open_ms >= to_ms)
		return to_ms;
	int64_t wait_ms = now_ms - LIVE_WAIT_MS;
	return open_ms > wait_ms ? open_ms : sooner(to_ms, wait_ms);
}

/* What is carried on: of a device that is asked for anew, the answer; else as it was. */
static void carry_on(struct carry *c)
{
	for (size_t i = 0; i < c->energies.n; i++) {
		size_t k = 0;
		while (k < c->asks.n && c->asks.v[k].device != c->energies.v[i].device)
			k++;
		if (k == c->asks.n)
			*vec_push(&c->asks) = c->energies.v[i];
	}
	c->energies.n = c->setups.n = 0;
	for (size_t i = 0; i < c->asks.n; i++)
		*vec_push(&c->energies) = c->asks.v[i];
	for (size_t i = 0; i < c->setups_after.n; i++)
		*vec_push(&c->setups) = c->setups_after.v[i];
	c->asks.n = c->setups_after.n = 0;
}

enum err_code live_step(struct live *l, int64_t now_ms, const struct ledger **ret_ledger,
                        struct err *err)
{
	struct ledger_options o = LEDGER_OPTIONS_DEFAULT;
	int64_t to_ms = decided(l, now_ms), keep_ms = to_ms - live_hold_ms(l);
	*ret_ledger = NULL;
	trim(l);
	if (to_ms <= l->settled_ms)
		return ERR_OK;
	live_ask(l, keep_ms);
	ledger_deinit(&l->ledger);
	arena_reset(&l->a);
	o.window = (struct span){ l->settled_ms, to_ms };
	o.as_of_ms = now_ms;
	o.carry = &l->carry;
	enum err_code code = ledger_build(&l->a, &l->f, &o, &l->ledger, err);
	carry_on(&l->carry);
	l->keep_ms = keep_ms;
	l->settled_ms = to_ms;
	*ret_ledger = &l->ledger;
	return code;
}
