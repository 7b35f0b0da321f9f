/* SPDX-License-Identifier: Apache-2.0 */
/* Price lists in YAML (docs/reference/prices.md): what a GPU-hour costs, and what else is paid. */
#include "read/price_amount.h"
#include "read/reader.h"

static const char *const marks[] = { "price", NULL };
static const char *const side_marks[] = { "other", "credits", NULL };
static const char *const root_keys[] = { "price", "other", "credits", "currency", NULL };

/* One list while it is read. */
struct list {
	const struct zone *zone;
	struct facts *f;
	sym currency; /* of entries that name none; then of all */
	uint32_t currency_line;
	sym source;
};

static int recognise(struct str head, const struct read_options *options)
{
	(void)options;
	int score = yaml_head_score(head, marks, root_keys);
	return score ? score : yaml_head_score(head, side_marks, root_keys) * 8 / 10;
}

/* Three capital letters; one in the whole file. */
static enum err_code take_currency(struct list *l, const struct yaml *entry, struct err *err)
{
	const struct yaml *y = yaml_get(entry, "currency");
	if (!y)
		return l->currency ? ERR_OK
		                   : yaml_fail(entry, err,
		                               "no currency; expected one like USD here or for "
		                               "the whole file");
	struct str text;
	enum err_code rc = yaml_field_text(y, "currency", &text, err);
	if (rc)
		return rc;
	bool is_code = text.n == 3;
	for (size_t i = 0; i < text.n; i++)
		is_code &= text.p[i] >= 'A' && text.p[i] <= 'Z';
	if (!is_code)
		return yaml_fail(y, err, "currency is '%.*s'; expected three letters like USD",
		                 STR_FMT(text));
	sym word = facts_word(l->f, text);
	if (l->currency && word != l->currency) {
		struct str first = names_word(&l->f->names, l->currency);
		return yaml_fail(y, err, "currency is %.*s; line %u has %.*s, and one list has one",
		                 STR_FMT(text), l->currency_line, STR_FMT(first));
	}
	l->currency = word;
	if (!l->currency_line)
		l->currency_line = y->line;
	return ERR_OK;
}

static enum err_code take_span(const struct list *l, const struct yaml *entry, int64_t *ret_from,
                               int64_t *ret_to, struct err *err)
{
	const struct yaml *from = yaml_get(entry, "from"), *to = yaml_get(entry, "to");
	*ret_from = *ret_to = TIME_UNKNOWN;
	enum err_code rc = from ? yaml_field_time(from, "from", l->zone, ret_from, err) : ERR_OK;
	if (!rc && to)
		rc = yaml_field_time(to, "to", l->zone, ret_to, err);
	if (!rc && from && to && *ret_to <= *ret_from)
		rc = yaml_fail(to, err, "to is not after from");
	return rc;
}

static enum err_code take_basis(const struct yaml *entry, enum price_basis *ret, struct err *err)
{
	static const char *const names[] = { "on_demand", "spot", "committed", "owned" };
	const struct yaml *y = yaml_get(entry, "basis");
	struct str text;
	*ret = BASIS_ON_DEMAND;
	if (!y)
		return ERR_OK;
	enum err_code rc = yaml_field_text(y, "basis", &text, err);
	for (int i = 0; i < 4 && !rc; i++)
		if (str_eq(text, str_of(names[i]))) {
			*ret = (enum price_basis)i;
			return ERR_OK;
		}
	return rc ? rc
	          : yaml_fail(y, err,
	                      "basis is '%.*s'; expected on_demand, spot, committed or owned",
	                      STR_FMT(text));
}

/* What the price is for: accelerator, node, pool; "*" is any accelerator. */
static enum err_code take_thing(struct list *l, const struct yaml *entry, struct price *p,
                                struct err *err)
{
	const struct {
		const char *key;
		sym *to;
	} things[] = { { "accelerator", &p->model }, { "node", &p->node }, { "pool", &p->pool } };
	bool has_any = false;
	for (size_t i = 0; i < 3; i++) {
		const struct yaml *y = yaml_get(entry, things[i].key);
		struct str text;
		if (!y)
			continue;
		enum err_code rc = yaml_field_word(y, things[i].key, &text, err);
		if (rc)
			return rc;
		has_any = true;
		*things[i].to = i == 0 && str_eq(text, S("*")) ? 0 : facts_word(l->f, text);
	}
	return has_any ? ERR_OK
	               : yaml_fail(entry, err, "a price without accelerator, node or pool");
}

static bool spans_meet(int64_t a_from, int64_t a_to, int64_t b_from, int64_t b_to)
{
	return (a_from == TIME_UNKNOWN || b_to == TIME_UNKNOWN || a_from < b_to) &&
	       (b_from == TIME_UNKNOWN || a_to == TIME_UNKNOWN || b_from < a_to);
}

static enum err_code check_overlap(const struct list *l, const struct yaml *entry,
                                   const struct price *p, struct err *err)
{
	for (size_t i = 0; i < l->f->prices.n; i++) {
		const struct price *q = &l->f->prices.v[i];
		if (q->model == p->model && q->node == p->node && q->pool == p->pool &&
		    spans_meet(p->from_ms, p->to_ms, q->from_ms, q->to_ms))
			return yaml_fail(entry, err,
			                 "this price and that of line %u are for the same thing at "
			                 "the same time",
			                 q->line);
	}
	return ERR_OK;
}

static enum err_code take_price(struct list *l, const struct yaml *entry, struct err *err)
{
	static const char *const rented[] = { "accelerator", "node",   "pool",    "from",
		                              "to",          "amount", "per",     "gpus",
		                              "currency",    "basis",  "comment", NULL };
	static const char *const owned[] = { "accelerator", "node",
		                             "pool",        "from",
		                             "to",          "gpus",
		                             "currency",    "basis",
		                             "purchase",    "resale",
		                             "life_years",  "power_w",
		                             "pue",         "energy_price_per_kwh",
		                             "hosting",     "maintenance",
		                             "comment",     NULL };
	struct price p = { .line = entry->line, .source = l->source };
	struct fraction rate;
	uint32_t gpus = 1;
	enum err_code rc = entry->kind != YAML_MAP ? yaml_check_keys(entry, "a price", rented, err)
	                                           : take_basis(entry, &p.basis, err);
	bool is_owned = p.basis == BASIS_OWNED;
	if (!rc)
		rc = yaml_check_keys(entry, is_owned ? "an owned price" : "a price",
		                     is_owned ? owned : rented, err);
	if (!rc)
		rc = take_thing(l, entry, &p, err);
	if (!rc)
		rc = take_currency(l, entry, err);
	if (!rc)
		rc = take_span(l, entry, &p.from_ms, &p.to_ms, err);
	const struct yaml *count = yaml_get(entry, "gpus");
	if (!rc && count)
		rc = yaml_field_count(count, "gpus", 1, &gpus, err);
	if (!rc)
		rc = is_owned ? price_amount_owned(entry, &rate, err)
		              : price_amount_rate(entry, "a price", &rate, err);
	if (!rc)
		rc = price_amount_each(entry, rate, gpus, &p.num, &p.den, err);
	if (!rc)
		rc = check_overlap(l, entry, &p, err);
	if (rc)
		return rc;
	p.currency = l->currency;
	*vec_push(&l->f->prices) = p;
	return ERR_OK;
}

/* A rate without an end runs from 2000 to 2100: the window takes its part of it (account/cost.h).
 */
#define OPEN_FROM_MS ((int64_t)946684800000)
#define OPEN_TO_MS ((int64_t)4102444800000)
/* The sums that account makes of it must stay within 128 bits. */
#define OTHER_NUM_MAX ((i128)1000000000000)

static enum err_code rate_over_span(const struct yaml *entry, struct other_cost *c,
                                    struct fraction f, struct err *err)
{
	if (c->from_ms == TIME_UNKNOWN)
		c->from_ms = OPEN_FROM_MS;
	if (c->to_ms == TIME_UNKNOWN)
		c->to_ms = OPEN_TO_MS;
	if (c->to_ms <= c->from_ms)
		return yaml_fail(entry, err, "from or to lies outside of 2000 to 2100");
	if (!fraction_mul(f, (struct fraction){ c->to_ms - c->from_ms, 3600000 }, &f))
		return yaml_fail(entry, err, "the amount is out of range");
	for (; f.num > OTHER_NUM_MAX && f.den > 1; f.den = (f.den + 9) / 10)
		f.num = f.num / f.den * ((f.den + 9) / 10) +
		        f.num % f.den * ((f.den + 9) / 10) / f.den;
	if (f.num > OTHER_NUM_MAX || f.den > INT64_MAX)
		return yaml_fail(entry, err, "the amount is out of range");
	c->num = (int64_t)f.num;
	c->den = (int64_t)f.den;
	return ERR_OK;
}

static enum err_code take_other(struct list *l, const struct yaml *entry, bool is_credit,
                                struct err *err)
{
	static const char *const keys[] = { "what", "amount",   "per",     "from",
		                            "to",   "currency", "comment", NULL };
	const char *name = is_credit ? "a credit" : "an other cost";
	struct other_cost c = { .is_credit = is_credit };
	struct str what;
	struct fraction f;
	enum err_code rc = yaml_check_keys(entry, name, keys, err);
	if (!rc && !yaml_get(entry, "what"))
		rc = yaml_fail(entry, err, "%s without 'what'", name);
	if (!rc)
		rc = yaml_field_word(yaml_get(entry, "what"), "what", &what, err);
	if (!rc)
		rc = take_currency(l, entry, err);
	if (!rc)
		rc = take_span(l, entry, &c.from_ms, &c.to_ms, err);
	const struct yaml *per = yaml_get(entry, "per"), *amount = yaml_get(entry, "amount");
	bool is_once = per && per->kind == YAML_SCALAR && str_eq(per->text, S("once"));
	if (!rc && is_once) {
		if (!amount)
			return yaml_fail(entry, err, "%s without 'amount'", name);
		if (c.from_ms == TIME_UNKNOWN || c.to_ms == TIME_UNKNOWN)
			return yaml_fail(entry, err, "per once needs from and to");
		rc = yaml_field_decimal(amount, "amount", &f, err);
		if (!rc && !fraction_mul(f, (struct fraction){ 3600000, c.to_ms - c.from_ms }, &f))
			rc = yaml_fail(entry, err, "the amount is out of range");
	} else if (!rc) {
		rc = price_amount_rate(entry, name, &f, err);
	}
	if (!rc)
		rc = rate_over_span(entry, &c, f, err);
	if (rc)
		return rc;
	c.what = facts_word(l->f, what);
	c.currency = l->currency;
	*vec_push(&l->f->other_costs) = c;
	return ERR_OK;
}

static enum err_code take_list(struct list *l, const struct yaml *y, const char *key, int kind,
                               struct err *err)
{
	if (!y)
		return ERR_OK;
	if (y->kind != YAML_LIST)
		return yaml_fail(y, err, "%s is %s; expected a list", key, yaml_kind_name(y));
	enum err_code rc = ERR_OK;
	for (const struct yaml *e = y->first; e && !rc; e = e->next) {
		rc = kind == 0 ? take_price(l, e, err) : take_other(l, e, kind == 2, err);
		if (!rc && l->f->inputs.n)
			l->f->inputs.v[l->f->inputs.n - 1].records++;
	}
	return rc;
}

static enum err_code feed(const struct read_run *run, struct str bytes, uint64_t line,
                          struct facts *f, struct err *err)
{
	(void)line;
	auto_arena a = ARENA_NULL;
	const struct yaml *root = NULL;
	struct list l = { .f = f };
	if (run->options) {
		l.zone = run->options->zone;
		l.source = facts_word(f, run->options->input_name);
	}
	enum err_code rc = yaml_parse(&a, bytes, &root, err);
	if (!rc)
		rc = yaml_check_keys(root, "a price list", root_keys, err);
	if (!rc && yaml_get(root, "currency"))
		rc = take_currency(&l, root, err);
	if (!rc)
		rc = take_list(&l, yaml_get(root, "price"), "price", 0, err);
	if (!rc)
		rc = take_list(&l, yaml_get(root, "other"), "other", 1, err);
	if (!rc)
		rc = take_list(&l, yaml_get(root, "credits"), "credits", 2, err);
	return rc;
}

const struct reader reader_prices = {
	.name = "prices",
	.help = "A price list in YAML: `price:` with amounts per hour, month or year; see "
	        "docs/reference/prices.md.",
	.cut = CUT_WHOLE,
	.recognise = recognise,
	.open = reader_open_plain,
	.feed = feed,
};
