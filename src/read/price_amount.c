/* SPDX-License-Identifier: Apache-2.0 */
#include "read/price_amount.h"

#include <stdint.h>

enum { MONTH_HOURS = 730, YEAR_HOURS = 8760 };
#define EXACT_DEN ((i128)219 * 1000000000) /* 219 = 3 x 73, of 730 and 8,760 */
#define FLOOR_DEN ((i128)1000000000)

static struct fraction reduced(struct fraction f)
{
	i128 a = f.num < 0 ? -f.num : f.num, b = f.den;
	while (b) {
		i128 r = a % b;
		a = b;
		b = r;
	}
	return a > 1 ? (struct fraction){ f.num / a, f.den / a } : f;
}

bool fraction_mul(struct fraction a, struct fraction b, struct fraction *ret)
{
	struct fraction f;
	a = reduced(a);
	b = reduced(b);
	if (__builtin_mul_overflow(a.num, b.num, &f.num) ||
	    __builtin_mul_overflow(a.den, b.den, &f.den))
		return false;
	*ret = reduced(f);
	return true;
}

static bool fraction_add(struct fraction a, struct fraction b, struct fraction *ret)
{
	struct fraction f;
	i128 x, y;
	a = reduced(a);
	b = reduced(b);
	if (__builtin_mul_overflow(a.num, b.den, &x) || __builtin_mul_overflow(b.num, a.den, &y) ||
	    __builtin_add_overflow(x, y, &f.num) || __builtin_mul_overflow(a.den, b.den, &f.den))
		return false;
	*ret = reduced(f);
	return true;
}

static enum err_code too_large(const struct yaml *entry, struct err *err)
{
	return yaml_fail(entry, err, "the amount is out of range");
}

enum err_code price_amount_hours(const struct yaml *entry, const char *what, int64_t *ret_hours,
                                 struct err *err)
{
	const struct yaml *per = yaml_get(entry, "per");
	if (!per)
		return yaml_fail(entry, err, "%s without 'per'; expected hour, month or year",
		                 what);
	struct str text;
	enum err_code rc = yaml_field_text(per, "per", &text, err);
	if (rc)
		return rc;
	*ret_hours = str_eq(text, S("hour"))    ? 1
	             : str_eq(text, S("month")) ? MONTH_HOURS
	             : str_eq(text, S("year"))  ? YEAR_HOURS
	                                        : 0;
	return *ret_hours ? ERR_OK
	                  : yaml_fail(per, err, "per is '%.*s'; expected hour, month or year",
	                              STR_FMT(text));
}

enum err_code price_amount_rate(const struct yaml *entry, const char *what, struct fraction *ret,
                                struct err *err)
{
	const struct yaml *amount = yaml_get(entry, "amount");
	int64_t hours;
	if (!amount)
		return yaml_fail(entry, err, "%s without 'amount'", what);
	struct fraction f;
	enum err_code rc = yaml_field_decimal(amount, "amount", &f, err);
	if (!rc)
		rc = price_amount_hours(entry, what, &hours, err);
	if (rc)
		return rc;
	return fraction_mul(f, (struct fraction){ 1, hours }, ret) ? ERR_OK : too_large(entry, err);
}

/* A decimal member, or OTHERWISE when it is not there. */
static enum err_code member(const struct yaml *entry, const char *key, struct fraction otherwise,
                            struct fraction *ret, struct err *err)
{
	const struct yaml *y = yaml_get(entry, key);
	*ret = otherwise;
	return y ? yaml_field_decimal(y, key, ret, err) : ERR_OK;
}

/* `hosting: {amount, per}` and the like. */
static enum err_code side_cost(const struct yaml *entry, const char *key, struct fraction *sum,
                               struct err *err)
{
	static const char *const keys[] = { "amount", "per", NULL };
	const struct yaml *y = yaml_get(entry, key);
	struct fraction rate;
	if (!y)
		return ERR_OK;
	enum err_code rc = yaml_check_keys(y, key, keys, err);
	if (!rc)
		rc = price_amount_rate(y, key, &rate, err);
	if (rc)
		return rc;
	return fraction_add(*sum, rate, sum) ? ERR_OK : too_large(y, err);
}

/* Watts and what they cost: power_w / 1000 x pue x energy_price_per_kwh. */
static enum err_code energy_cost(const struct yaml *entry, struct fraction *sum, struct err *err)
{
	const struct fraction zero = { 0, 1 }, one = { 1, 1 };
	struct fraction watts, pue, price, cost;
	if (!yaml_get(entry, "power_w") != !yaml_get(entry, "energy_price_per_kwh"))
		return yaml_fail(entry, err,
		                 "power_w and energy_price_per_kwh; expected both or none");
	enum err_code rc = member(entry, "power_w", zero, &watts, err);
	if (!rc)
		rc = member(entry, "pue", one, &pue, err);
	if (!rc)
		rc = member(entry, "energy_price_per_kwh", zero, &price, err);
	if (rc)
		return rc;
	if (pue.num < pue.den)
		return yaml_fail(yaml_get(entry, "pue"), err, "pue is below 1; expected 1 or more");
	if (!fraction_mul(watts, (struct fraction){ 1, 1000 }, &cost) ||
	    !fraction_mul(cost, pue, &cost) || !fraction_mul(cost, price, &cost) ||
	    !fraction_add(*sum, cost, sum))
		return too_large(entry, err);
	return ERR_OK;
}

enum err_code price_amount_owned(const struct yaml *entry, struct fraction *ret, struct err *err)
{
	const struct yaml *life = yaml_get(entry, "life_years");
	struct fraction purchase, resale, years, sum;
	if (!yaml_get(entry, "purchase") || !life)
		return yaml_fail(entry, err, "basis owned needs purchase and life_years");
	enum err_code rc = member(entry, "purchase", (struct fraction){ 0, 1 }, &purchase, err);
	if (!rc)
		rc = member(entry, "resale", (struct fraction){ 0, 1 }, &resale, err);
	if (!rc)
		rc = member(entry, "life_years", (struct fraction){ 0, 1 }, &years, err);
	if (rc)
		return rc;
	if (years.num == 0)
		return yaml_fail(life, err, "life_years is 0; expected more");
	resale.num = -resale.num;
	if (!fraction_add(purchase, resale, &sum))
		return too_large(entry, err);
	if (sum.num < 0)
		return yaml_fail(yaml_get(entry, "resale"), err, "resale is above purchase");
	if (!fraction_mul(sum, (struct fraction){ years.den, years.num }, &sum) ||
	    !fraction_mul(sum, (struct fraction){ 1, YEAR_HOURS }, &sum))
		return too_large(entry, err);
	rc = energy_cost(entry, &sum, err);
	if (!rc)
		rc = side_cost(entry, "hosting", &sum, err);
	if (!rc)
		rc = side_cost(entry, "maintenance", &sum, err);
	*ret = sum;
	return rc;
}

enum err_code price_amount_each(const struct yaml *entry, struct fraction f, uint32_t n,
                                int64_t *ret_num, int64_t *ret_den, struct err *err)
{
	if (!fraction_mul(f, (struct fraction){ 1, n }, &f))
		return too_large(entry, err);
	if (EXACT_DEN % f.den != 0 || f.num > INT64_MAX) {
		i128 whole = f.num / f.den, rest = f.num % f.den, nano;
		if (whole > INT64_MAX / FLOOR_DEN || __builtin_mul_overflow(rest, FLOOR_DEN, &nano))
			return too_large(entry, err);
		f = reduced((struct fraction){ whole * FLOOR_DEN + nano / f.den, FLOOR_DEN });
	}
	*ret_num = (int64_t)f.num;
	*ret_den = (int64_t)f.den;
	return ERR_OK;
}
