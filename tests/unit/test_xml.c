/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/xml.h"

#include "base/limits.h"
#include "base/text.h"
#include "lib/run.h"

static void on_begin(void *arg, struct str name, uint64_t line)
{
	text_printf(arg, "<%.*s:%llu>", STR_FMT(name), (unsigned long long)line);
}

static void on_text(void *arg, struct str text)
{
	text_add(arg, text);
}

static void on_end(void *arg, struct str name)
{
	text_printf(arg, "</%.*s>", STR_FMT(name));
}

static const struct xml_events events = { on_begin, on_text, on_end };

static enum err_code read_all(const char *z, struct text *ret, uint64_t *ret_line, struct err *err)
{
	*err = (struct err){ 0 };
	return xml_read(str_of(z), &events, ret, ret_line, err);
}

static void tells_elements_and_texts(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	struct err err;
	uint64_t line;
	const char *z = "<?xml version=\"1.0\" ?>\n<!DOCTYPE a SYSTEM \"not-there.dtd\">\n"
	                "<a x=\"1\">\n<b>1 &lt; &#50;</b><!-- c --><c/><![CDATA[<d>]]></a>\n";
	if (read_all(z, &t, &line, &err))
		fail_msg("%s", err.text);
	assert_str(text_str(&t), "<a:3>\n<b:4>1 < 2</b><c:4></c><d></a>");
}

static void says_where_it_stops_being_xml(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	struct err err;
	uint64_t line;
	assert_int_equal(read_all("<a>\n<b>1</b>\n<c>\n</a>\n", &t, &line, &err), ERR_INPUT);
	assert_int_equal(line, 4);
	assert_str(text_str(&t), "<a:1>\n<b:2>1</b>\n<c:3>\n");
	assert_int_equal(read_all("", &t, &line, &err), ERR_INPUT);
	assert_int_equal(read_all("no", &t, &line, &err), ERR_INPUT);
	assert_int_equal(read_all("<a>", &t, &line, &err), ERR_INPUT);
}

/* Laughter costs memory and says nothing. */
static void refuses_entities(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	struct err err;
	uint64_t line;
	assert_int_equal(read_all("<!DOCTYPE a [<!ENTITY l \"ha\">]><a>&l;</a>", &t, &line, &err),
	                 ERR_LIMIT);
	assert_int_equal(read_all("<!DOCTYPE a [<!ENTITY l SYSTEM \"/etc/hostname\">]><a>&l;</a>",
	                          &t, &line, &err),
	                 ERR_LIMIT);
	assert_int_equal(t.n, 0);
}

static void limits_depth(void **state)
{
	(void)state;
	auto_text in = TEXT_NULL, out = TEXT_NULL;
	struct err err;
	uint64_t line;
	for (unsigned i = 0; i < XML_DEPTH_MAX; i++)
		text_add(&in, S("<a>"));
	for (unsigned i = 0; i < XML_DEPTH_MAX; i++)
		text_add(&in, S("</a>"));
	assert_int_equal(xml_read(text_str(&in), &events, &out, &line, &err), ERR_OK);
	in.n = 0;
	for (unsigned i = 0; i <= XML_DEPTH_MAX; i++)
		text_add(&in, S("<a>"));
	assert_int_equal(xml_read(text_str(&in), &events, &out, &line, &err), ERR_LIMIT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_elements_and_texts),
		cmocka_unit_test(says_where_it_stops_being_xml),
		cmocka_unit_test(refuses_entities),
		cmocka_unit_test(limits_depth),
	};
	return RUN_TESTS(tests);
}
