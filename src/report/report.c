/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

enum { FLUSH_BYTES = 1 << 20 };

void report_flush(const struct report_input *in, struct text *t)
{
	if (in->flush && t->n >= FLUSH_BYTES)
		in->flush(in->flush_arg, t);
}

const struct report *report_find(struct str name)
{
	for (size_t i = 0; reports[i]; i++)
		if (str_eq(name, str_of(reports[i]->name)))
			return reports[i];
	return NULL;
}

const struct format *format_find(struct str name)
{
	for (size_t i = 0; formats[i]; i++)
		if (str_eq(name, str_of(formats[i]->name)))
			return formats[i];
	return NULL;
}

void report_write(const struct report *r, const struct format *f, const struct report_input *in,
                  const struct format_options *o, struct text *t)
{
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	if (f->write_data) {
		f->write_data(r, in, t);
		return;
	}
	d.draws = f->draws;
	r->document(in, &d);
	f->write(&d, o, t);
}
