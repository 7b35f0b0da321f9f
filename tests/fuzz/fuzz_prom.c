/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/text.h"
#include "parse/prom.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_quoted(struct text *t, struct str s)
{
	text_byte(t, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			text_byte(t, '\\');
		text_byte(t, s.p[i]);
	}
	text_byte(t, '"');
}

/* A line that was understood can be written again, and then says the same. */
static void read_again(struct arena *a, const struct prom_line *l)
{
	auto_text t = TEXT_NULL;
	struct prom_line *again = ARENA_NEW(a, struct prom_line);
	text_byte(&t, '{');
	write_quoted(&t, l->name);
	for (size_t i = 0; i < l->labels_n; i++) {
		text_byte(&t, ',');
		write_quoted(&t, l->labels[i].name);
		text_byte(&t, '=');
		write_quoted(&t, l->labels[i].value);
	}
	text_add(&t, S("} "));
	text_add(&t, l->value);
	text_byte(&t, ' ');
	text_add(&t, l->timestamp);
	if (prom_line_read(again, a, text_str(&t)) != PROM_SAMPLE ||
	    again->labels_n != l->labels_n || !str_eq(again->name, l->name) ||
	    !str_eq(again->value, l->value) || !str_eq(again->timestamp, l->timestamp))
		abort();
	for (size_t i = 0; i < l->labels_n; i++)
		if (!str_eq(again->labels[i].name, l->labels[i].name) ||
		    !str_eq(again->labels[i].value, l->labels[i].value))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str bytes = { (const char *)data, size }, line;
	while (str_cut_line(&bytes, &line)) {
		auto_arena a = ARENA_NULL;
		struct prom_line *l = ARENA_NEW(&a, struct prom_line);
		if (prom_line_read(l, &a, line) == PROM_SAMPLE && line.n < LINE_BYTES_MAX / 8)
			read_again(&a, l);
	}
	return 0;
}
