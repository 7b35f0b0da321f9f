/* SPDX-License-Identifier: Apache-2.0 */
#include "report/doc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

void doc_deinit(struct doc *d)
{
	vec_deinit(&d->blocks);
}

void doc_add_str(struct doc *d, enum doc_kind kind, struct str text)
{
	*vec_push(&d->blocks) = (struct doc_block){ .kind = kind, .text = text };
}

void doc_add(struct doc *d, enum doc_kind kind, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *z = arena_bytes(d->a, (size_t)(n > 0 ? n : 0) + 1);
	vsnprintf(z, (size_t)(n > 0 ? n : 0) + 1, fmt, again);
	va_end(again);
	doc_add_str(d, kind, str_of(z));
}

void doc_add_table(struct doc *d, const char *caption, const struct doc_column *columns, size_t n,
                   doc_next *next, void *state)
{
	assert(n <= DOC_COLUMNS_MAX);
	*vec_push(&d->blocks) = (struct doc_block){ .kind = DOC_TABLE,
		                                    .text = str_of(caption),
		                                    .columns = columns,
		                                    .columns_n = n,
		                                    .next = next,
		                                    .state = state };
}

void doc_add_fall(struct doc *d, const char *caption, const struct chart_fall *fall)
{
	*vec_push(&d->blocks) =
	        (struct doc_block){ .kind = DOC_FALL, .text = str_of(caption), .fall = fall };
}

void doc_add_stacks(struct doc *d, const char *caption, const struct chart_stacks *stacks)
{
	*vec_push(&d->blocks) =
	        (struct doc_block){ .kind = DOC_STACKS, .text = str_of(caption), .stacks = stacks };
}

void doc_add_finding(struct doc *d, struct str head, const struct str *lines, size_t n)
{
	*vec_push(&d->blocks) = (struct doc_block){
		.kind = DOC_FINDING, .text = head, .lines = lines, .lines_n = n
	};
}
