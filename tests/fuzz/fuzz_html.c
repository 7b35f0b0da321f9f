/* SPDX-License-Identifier: Apache-2.0 */
/* Words of anybody in a page of HTML: the page keeps its marks, whatever they are, and is UTF-8. */
#include <assert.h>

#include "report/report.h"
#include "report/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct marks {
	size_t n[128];
};

/* WORD at every place of a document that words of inputs come to. */
static struct marks page_of(struct str word)
{
	static const struct doc_column columns[] = { { "", DOC_LEFT, 0 }, { "n", DOC_RIGHT, 0 } };
	static const struct format_options o = { 80, false, false };
	auto_arena a = ARENA_NULL;
	auto_doc d = DOC_NEW(&a);
	auto_text t = TEXT_NULL;
	struct marks ret = { 0 };
	struct rows *r = rows_new(&d, 2);
	doc_add_str(&d, DOC_TITLE, word);
	doc_add_str(&d, DOC_HEADING, word);
	doc_add_str(&d, DOC_NOTE, word);
	rows_add(r, 0, word);
	rows_add(r, 1, word);
	rows_finish(r, &d, "table", columns);
	format_find(S("html"))->write(&d, &o, &t);
	for (size_t i = 0, n; i < t.n; i += n) {
		n = utf8_length(str_sub(text_str(&t), i, t.n));
		assert(n > 0);
		if (n == 1)
			ret.n[(unsigned char)t.p[i]]++;
	}
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct marks none = page_of(S("x")), m = page_of((struct str){ (const char *)data, size });
	bool empty = !size; /* a heading without words has no marks either */
	for (int c = 0; c < 0x20; c++)
		assert(m.n[c] <= none.n[c]);
	assert(empty || (m.n['<'] == none.n['<'] && m.n['>'] == none.n['>']));
	assert(m.n['"'] <= none.n['"'] && m.n['\''] == none.n['\''] && m.n[0x7f] == 0);
	return 0;
}
