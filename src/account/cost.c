/* SPDX-License-Identifier: Apache-2.0 */
#include "account/cost.h"

#include <inttypes.h>

#include "account/round.h"
#include "facts/accelerator.h"

/* ISO 4217, list one: currencies whose minor unit is not 1/100. */
unsigned cost_decimals(struct str currency)
{
	static const char none[][4] = { "BIF", "CLP", "DJF", "GNF", "ISK", "JPY",
		                        "KMF", "KRW", "PYG", "RWF", "UGX", "UYI",
		                        "VND", "VUV", "XAF", "XOF", "XPF" };
	static const char three[][4] = { "BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND" };
	static const char four[][4] = { "CLF", "UYW" };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (str_eq_nocase(currency, str_of(none[i])))
			return 0;
	for (size_t i = 0; i < sizeof three / sizeof *three; i++)
		if (str_eq_nocase(currency, str_of(three[i])))
			return 3;
	for (size_t i = 0; i < sizeof four / sizeof *four; i++)
		if (str_eq_nocase(currency, str_of(four[i])))
			return 4;
	return 2;
}

static bool span_covers(int64_t from_ms, int64_t to_ms, struct span s)
{
	return (from_ms == TIME_UNKNOWN || from_ms <= s.from_ms) &&
	       (to_ms == TIME_UNKNOWN || to_ms >= s.to_ms);
}

static bool prices_meet(const struct price *a, const struct price *b)
{
	return (a->from_ms == TIME_UNKNOWN || b->to_ms == TIME_UNKNOWN || a->from_ms < b->to_ms) &&
	       (b->from_ms == TIME_UNKNOWN || a->to_ms == TIME_UNKNOWN || b->from_ms < a->to_ms);
}

static bool word_eq(const struct facts *f, sym a, sym b)
{
	return a == b || str_eq_nocase(names_word(&f->names, a), names_word(&f->names, b));
}

static const char *word_z(const struct facts *f, sym a, const char *otherwise)
{
	return a ? names_word(&f->names, a).p : otherwise;
}

/* The same line read twice (a folder that holds the list, and --price) is one price. */
static bool price_eq(const struct price *a, const struct price *b)
{
	return a->from_ms == b->from_ms && a->to_ms == b->to_ms &&
	       (i128)a->num * b->den == (i128)b->num * a->den && a->basis == b->basis;
}

static const char *price_at(struct arena *a, const struct facts *f, const struct price *p)
{
	return arena_printf(a, "%s:%" PRIu32, word_z(f, p->source, "line"), p->line);
}

static enum err_code check_pair(const struct facts *f, const struct price *p, const struct price *q,
                                struct err *err)
{
	auto_arena a = ARENA_NULL;
	if (p->node != q->node || p->pool != q->pool || !word_eq(f, p->model, q->model) ||
	    !prices_meet(p, q) || price_eq(p, q))
		return ERR_OK;
	return err_set(err, ERR_INPUT, "two prices for %s%s overlap (%s and %s)",
	               p->node    ? "node "
	               : p->pool  ? "pool "
	               : p->model ? "model "
	                          : "",
	               word_z(f,
	                      p->node   ? p->node
	                      : p->pool ? p->pool
	                                : p->model,
	                      "anything"),
	               price_at(&a, f, q), price_at(&a, f, p));
}

static enum err_code check_currency(const struct facts *f, bool *first, struct cost *c,
                                    sym currency, struct err *err)
{
	if (!*first && currency != c->currency)
		return err_set(err, ERR_INPUT, "prices in more than one currency (%s, %s)",
		               word_z(f, c->currency, "none"), word_z(f, currency, "none"));
	c->currency = currency;
	*first = false;
	return ERR_OK;
}

static enum err_code check_prices(const struct facts *f, struct cost *c, struct err *err)
{
	bool first = true;
	enum err_code code;
	for (size_t i = 0; i < f->prices.n; i++) {
		const struct price *p = &f->prices.v[i];
		if ((code = check_currency(f, &first, c, p->currency, err)))
			return code;
		for (size_t j = 0; j < i; j++)
			if ((code = check_pair(f, p, &f->prices.v[j], err)))
				return code;
	}
	for (size_t i = 0; i < f->other_costs.n; i++)
		if ((code = check_currency(f, &first, c, f->other_costs.v[i].currency, err)))
			return code;
	return ERR_OK;
}

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/* The least common multiple of the prices' denominators, which every cell's cost is a count of. */
static enum err_code common_den(const struct facts *f, struct cost *c, struct err *err)
{
	int64_t lcm = 1;
	for (size_t i = 0; i < f->prices.n; i++) {
		int64_t num = f->prices.v[i].num, den = f->prices.v[i].den;
		den /= gcd(num < 0 ? -num : num ? num : den, den);
		if (__builtin_mul_overflow(lcm / gcd(lcm, den), den, &lcm) || lcm > 1000000000000)
			return err_set(
			        err, ERR_LIMIT,
			        "the prices' fractions have no common denominator below 10^12");
	}
	c->den = (i128)lcm * UNITS_PER_HOUR;
	return ERR_OK;
}

/* A price list's word covers a driver's name: "h100" is any, "h100-sxm" one kind of
 * "NVIDIA H100 80GB HBM3". */
static bool model_covers(const struct facts *f, sym word, sym model)
{
	return word_eq(f, word, model) ||
	       (model &&
	        accelerator_covers(names_word(&f->names, word), names_word(&f->names, model)));
}

/* A price that holds at some place, whatever the time. */
struct candidate {
	uint32_t price;
	int score; /* how specific it is */
};

/* Asked once for a place: it has a cell in every bucket, and comparing names takes long. */
static size_t price_candidates(const struct facts *f, const struct place *place,
                               struct candidate *ret)
{
	size_t n = 0;
	for (size_t i = 0; i < f->prices.n; i++) {
		const struct price *p = &f->prices.v[i];
		if ((p->node && p->node != place->node) || (p->pool && p->pool != place->pool) ||
		    (p->model && !model_covers(f, p->model, place->model)))
			continue;
		bool is_exact = p->model && accelerator_find(names_word(&f->names, p->model)) >= 0;
		int score = (p->node ? 8 : 0) + (p->pool ? 4 : 0) + (p->model ? 1 : 0) + is_exact;
		ret[n++] = (struct candidate){ (uint32_t)i, score };
	}
	return n;
}

/* The price of a cell in SPAN: the most specific one that covers it. */
static uint32_t price_find(const struct facts *f, const struct candidate *v, size_t n,
                           struct span span)
{
	uint32_t best = NONE;
	int best_score = -1;
	for (size_t i = 0; i < n; i++) {
		const struct price *p = &f->prices.v[v[i].price];
		if (v[i].score > best_score && span_covers(p->from_ms, p->to_ms, span)) {
			best_score = v[i].score;
			best = v[i].price;
		}
	}
	return best;
}

static enum err_code price_cells(struct arena *a, const struct ledger *l, const struct facts *f,
                                 struct cost *c, struct err *err)
{
	uint32_t place = NONE, bucket = NONE, price = NONE;
	const size_t n = l->cells.n;
	if (!f->prices.n && !f->other_costs.n)
		return ERR_OK;
	c->nums = ARENA_ARRAY(a, i128, n ? n : 1);
	c->price_of = ARENA_ARRAY(a, uint32_t, n ? n : 1);
	auto_arena scratch = ARENA_NULL;
	struct candidate *v = ARENA_ARRAY(&scratch, struct candidate, f->prices.n + 1);
	size_t v_n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct cell *cell = &l->cells.v[i];
		if (cell->place != place)
			v_n = price_candidates(f, &l->places.v[cell->place], v);
		if (cell->place != place || cell->bucket != bucket) {
			place = cell->place, bucket = cell->bucket;
			price = price_find(f, v, v_n, l->buckets.v[bucket]);
		}
		c->price_of[i] = price;
		if (price == NONE)
			continue;
		const struct price *p = &f->prices.v[price];
		i128 per_unit = c->den / UNITS_PER_HOUR * p->num;
		if (per_unit % p->den)
			return err_set(err, ERR_IDENTITY,
			               "a price has no share in the denominator");
		if (__builtin_mul_overflow((i128)cell->units, per_unit / p->den, &c->nums[i]))
			return err_set(err, ERR_IDENTITY, "a cost left its range");
		c->priced_units += cell->units;
	}
	return ERR_OK;
}

/* NUM / DEN money in counts of 1 / c->den, floored. */
static bool to_den(const struct cost *c, i128 num, int64_t den, i128 *ret)
{
	i128 v;
	if (__builtin_mul_overflow(num, c->den, &v))
		return false;
	*ret = v / den;
	return true;
}

/* AMOUNT (in counts of 1 / den) over the cells whose bucket lies in O's span, in proportion to
   their units. Cells are cut at other costs' edges; a bucket that is not inside takes no part. */
static i128 spread(const struct ledger *l, struct cost *c, const struct other_cost *o, i128 amount)
{
	i128 all = 0, seen = 0, given = 0;
	for (size_t i = 0; i < l->cells.n; i++)
		if (span_covers(o->from_ms, o->to_ms, l->buckets.v[l->cells.v[i].bucket]))
			all += l->cells.v[i].units;
	for (size_t i = 0; i < l->cells.n && all; i++) {
		const struct cell *cell = &l->cells.v[i];
		if (!span_covers(o->from_ms, o->to_ms, l->buckets.v[cell->bucket]))
			continue;
		seen += cell->units;
		i128 upto = round_mul_div(amount, seen, all);
		c->nums[i] += upto - given;
		given = upto;
	}
	return amount - given;
}

/* The part of an other cost that falls into the window, by time. */
static i128 part_in_window(const struct ledger *l, const struct other_cost *o, i128 amount)
{
	if (o->from_ms == TIME_UNKNOWN || o->to_ms == TIME_UNKNOWN || o->to_ms <= o->from_ms)
		return amount;
	int64_t from = o->from_ms > l->window.from_ms ? o->from_ms : l->window.from_ms;
	int64_t to = o->to_ms < l->window.to_ms ? o->to_ms : l->window.to_ms;
	if (to <= from)
		return 0;
	i128 sign = amount < 0 ? -1 : 1;
	return sign * round_mul_div(amount * sign, to - from, (i128)o->to_ms - o->from_ms);
}

enum err_code cost_build(struct arena *a, const struct ledger *l, const struct facts *f,
                         struct cost *ret_cost, struct err *err)
{
	struct cost c = { .has_price = f->prices.n > 0, .den = 1 };
	enum err_code code;
	if ((code = check_prices(f, &c, err)) || (code = common_den(f, &c, err)) ||
	    (code = price_cells(a, l, f, &c, err)))
		return code;
	c.decimals = c.currency ? cost_decimals(names_word(&f->names, c.currency)) : 2;
	for (size_t i = 0; i < f->other_costs.n; i++) {
		const struct other_cost *o = &f->other_costs.v[i];
		i128 amount;
		if (!to_den(&c, o->num, o->den, &amount))
			return err_set(err, ERR_IDENTITY, "a cost left its range");
		amount = part_in_window(l, o, amount);
		if (o->is_credit || amount < 0) {
			c.credit_num += amount > 0 ? -amount : amount;
			continue;
		}
		c.other_num += amount;
		c.unspread_num += spread(l, &c, o, amount);
	}
	*ret_cost = c;
	return ERR_OK;
}
