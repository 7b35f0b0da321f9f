/* SPDX-License-Identifier: Apache-2.0 */
#include "report/emit.h"

#include <assert.h>
#include <math.h>

#include "facts/facts.h"
#include "parse/when.h"

void emit_begin(struct emit *j, struct text *t, unsigned lines)
{
	*j = (struct emit){ .t = t, .lines = lines };
}

static void new_line(struct emit *j)
{
	text_byte(j->t, '\n');
	text_repeat(j->t, ' ', (size_t)2 * j->depth);
}

/* What stands before a value or a key: nothing, a comma, a line break. */
static void before(struct emit *j)
{
	if (j->after_key) {
		j->after_key = false;
		return;
	}
	if (!j->depth)
		return;
	if (j->has_member[j->depth])
		text_byte(j->t, ',');
	if (j->depth <= j->lines)
		new_line(j);
	else if (j->has_member[j->depth])
		text_byte(j->t, ' ');
	j->has_member[j->depth] = true;
}

void emit_open(struct emit *j, char bracket)
{
	before(j);
	text_byte(j->t, bracket);
	assert(j->depth + 1 < EMIT_LEVELS_MAX);
	j->has_member[++j->depth] = false;
}

void emit_close(struct emit *j, char bracket)
{
	bool lines = j->depth <= j->lines && j->has_member[j->depth];
	j->depth--;
	if (lines)
		new_line(j);
	text_byte(j->t, bracket);
	if (!j->depth)
		text_byte(j->t, '\n');
}

void emit_key_str(struct emit *j, struct str key)
{
	before(j);
	text_json(j->t, key);
	text_add(j->t, S(": "));
	j->after_key = true;
}

void emit_key(struct emit *j, const char *key)
{
	emit_key_str(j, str_of(key));
}

void emit_str(struct emit *j, struct str s)
{
	before(j);
	text_json(j->t, s);
}

void emit_word(struct emit *j, const char *z)
{
	if (z)
		emit_str(j, str_of(z));
	else
		emit_null(j);
}

void emit_fixed(struct emit *j, i128 v, unsigned decimals)
{
	before(j);
	text_fixed(j->t, v, decimals);
}

void emit_int(struct emit *j, i128 v)
{
	emit_fixed(j, v, 0);
}

void emit_double(struct emit *j, double v)
{
	if (!isfinite(v)) {
		emit_null(j);
		return;
	}
	before(j);
	text_printf(j->t, "%.12g", v == 0 ? 0.0 : v); /* no -0 */
}

void emit_bool(struct emit *j, bool v)
{
	before(j);
	text_add(j->t, v ? S("true") : S("false"));
}

void emit_null(struct emit *j)
{
	before(j);
	text_add(j->t, S("null"));
}

void emit_time(struct emit *j, int64_t ms)
{
	if (ms == TIME_UNKNOWN) {
		emit_null(j);
		return;
	}
	before(j);
	text_byte(j->t, '"');
	when_print(j->t, ms);
	text_byte(j->t, '"');
}
