/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/xml.h"

#include <expat.h>
#include <limits.h>

#include "base/arena.h"
#include "base/limits.h"

struct reading {
	XML_Parser parser;
	const struct xml_events *e;
	void *arg;
	unsigned depth;
	bool is_deep, has_entity;
};

static void on_begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
	struct reading *r = user;
	(void)attributes;
	if (++r->depth > XML_DEPTH_MAX) {
		r->is_deep = true;
		XML_StopParser(r->parser, XML_FALSE);
		return;
	}
	r->e->begin(r->arg, str_of(name), XML_GetCurrentLineNumber(r->parser));
}

static void on_end(void *user, const XML_Char *name)
{
	struct reading *r = user;
	r->depth--;
	r->e->end(r->arg, str_of(name));
}

static void on_text(void *user, const XML_Char *p, int n)
{
	struct reading *r = user;
	r->e->text(r->arg, (struct str){ p, (size_t)n });
}

static void on_entity(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
                      int value_n, const XML_Char *base, const XML_Char *system_id,
                      const XML_Char *public_id, const XML_Char *notation)
{
	struct reading *r = user;
	(void)name, (void)is_parameter, (void)value, (void)value_n, (void)base, (void)system_id;
	(void)public_id, (void)notation;
	r->has_entity = true;
	XML_StopParser(r->parser, XML_FALSE);
}

/* expat takes an int of bytes at a time. */
static enum XML_Status parse_all(XML_Parser parser, struct str bytes)
{
	enum XML_Status status;
	do {
		size_t n = bytes.n < INT_MAX / 2 ? bytes.n : INT_MAX / 2;
		status = XML_Parse(parser, bytes.p ? bytes.p : "", (int)n, n == bytes.n);
		bytes = str_sub(bytes, n, bytes.n);
	} while (status == XML_STATUS_OK && bytes.n);
	return status;
}

enum err_code xml_read(struct str bytes, const struct xml_events *e, void *arg, uint64_t *ret_line,
                       struct err *err)
{
	struct reading r = { .e = e, .arg = arg, .parser = XML_ParserCreate(NULL) };
	enum err_code code = ERR_OK;
	if (!r.parser)
		mem_exhausted(sizeof r);
	XML_SetUserData(r.parser, &r);
	XML_SetElementHandler(r.parser, on_begin, on_end);
	XML_SetCharacterDataHandler(r.parser, on_text);
	XML_SetEntityDeclHandler(r.parser, on_entity);
	enum XML_Status status = parse_all(r.parser, bytes);
	*ret_line = XML_GetCurrentLineNumber(r.parser);
	if (r.is_deep)
		code = err_set(err, ERR_LIMIT, "more than %u elements inside each other",
		               XML_DEPTH_MAX);
	else if (r.has_entity)
		code = err_set(err, ERR_LIMIT, "the document declares an entity of its own");
	else if (status != XML_STATUS_OK)
		code = err_set(err, ERR_INPUT, "not XML from here on: %s",
		               XML_ErrorString(XML_GetErrorCode(r.parser)));
	XML_ParserFree(r.parser);
	return code;
}
