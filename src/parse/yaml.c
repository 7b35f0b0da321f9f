/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/yaml.h"

#include <stdarg.h>
#include <stdio.h>

#include <libfyaml.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"

/* One list or map that is still open. */
struct frame {
	struct yaml *node, *last;
	struct map seen; /* hashes of its keys */
	struct str key;  /* of a map: read, its value still to come */
	struct fy_mark key_mark;
	bool has_key;
};

struct build {
	struct arena *a;
	struct frame frames[YAML_DEPTH_MAX];
	size_t depth;
	const struct yaml *root;
	bool has_root;
};

static enum err_code fail_at(const struct fy_mark *m, struct err *err, const char *text)
{
	return err_set(err, ERR_INPUT, "%d:%d: %s", m ? m->line + 1 : 1, m ? m->column + 1 : 1,
	               text);
}

static bool is_null_word(struct str s)
{
	return s.n == 0 || str_eq(s, S("~")) || str_eq(s, S("null")) || str_eq(s, S("Null")) ||
	       str_eq(s, S("NULL"));
}

static bool map_has_key(const struct frame *f, struct str key)
{
	for (const struct yaml *y = f->node->first; y; y = y->next)
		if (str_eq(y->key, key))
			return true;
	return false;
}

/* Hangs NODE under the innermost open list or map. */
static enum err_code build_place(struct build *b, struct yaml *node, const struct fy_mark *mark,
                                 struct err *err)
{
	node->line = mark ? (uint32_t)mark->line + 1 : 1;
	node->column = mark ? (uint32_t)mark->column + 1 : 1;
	if (b->depth == 0) {
		if (b->has_root)
			return fail_at(mark, err, "a second document; one file holds one");
		b->has_root = true;
		b->root = node;
		return ERR_OK;
	}
	struct frame *f = &b->frames[b->depth - 1];
	if (f->node->kind == YAML_MAP) {
		node->key = f->key;
		node->line = (uint32_t)f->key_mark.line + 1;
		node->column = (uint32_t)f->key_mark.column + 1;
		f->has_key = false;
	}
	if (f->last)
		f->last->next = node;
	else
		f->node->first = node;
	f->last = node;
	f->node->n++;
	return ERR_OK;
}

static bool build_wants_key(const struct build *b)
{
	return b->depth && b->frames[b->depth - 1].node->kind == YAML_MAP &&
	       !b->frames[b->depth - 1].has_key;
}

static enum err_code build_key(struct build *b, struct str key, const struct fy_mark *mark,
                               struct err *err)
{
	struct frame *f = &b->frames[b->depth - 1];
	uint32_t *seen = map_at(&f->seen, str_hash(key));
	if (*seen && map_has_key(f, key))
		return err_set(err, ERR_INPUT, "%d:%d: key '%.*s' stands twice in one map",
		               mark ? mark->line + 1 : 1, mark ? mark->column + 1 : 1,
		               STR_FMT(key));
	*seen = 1;
	f->key = key;
	f->key_mark = mark ? *mark : (struct fy_mark){ 0 };
	f->has_key = true;
	return ERR_OK;
}

/* A scalar's text. Read piece by piece: fy_token_get_text of libfyaml 0.7.12 leaks where a quoted
   scalar has many escapes. */
static struct str token_text(struct arena *a, struct fy_token *token)
{
	auto_text t = TEXT_NULL;
	struct fy_token_iter *it = token ? fy_token_iter_create(token) : NULL;
	const struct fy_iter_chunk *piece = NULL;
	int failed = 0;
	while (it && (piece = fy_token_iter_chunk_next(it, piece, &failed)))
		text_add(&t, (struct str){ piece->str, piece->len });
	fy_token_iter_destroy(it);
	return (struct str){ arena_dup(a, t.n ? t.p : "", t.n), t.n };
}

static enum err_code build_scalar(struct build *b, struct fy_event *e, const struct fy_mark *mark,
                                  struct err *err)
{
	struct str text = token_text(b->a, e->scalar.value);
	if (build_wants_key(b))
		return build_key(b, text, mark, err);
	struct yaml *node = ARENA_NEW(b->a, struct yaml);
	node->kind = YAML_SCALAR;
	node->text = text;
	node->is_quoted = e->scalar.value &&
	                  fy_scalar_token_get_style(e->scalar.value) != FYSS_PLAIN &&
	                  fy_scalar_token_get_style(e->scalar.value) != FYSS_ANY;
	node->is_null = !node->is_quoted && is_null_word(text);
	return build_place(b, node, mark, err);
}

static enum err_code build_open(struct build *b, enum yaml_kind kind, const struct fy_mark *mark,
                                struct err *err)
{
	if (build_wants_key(b))
		return fail_at(mark, err, "a key is a list or a map; expected a word");
	if (b->depth == YAML_DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "%d:%d: nested deeper than %u",
		               mark ? mark->line + 1 : 1, mark ? mark->column + 1 : 1,
		               YAML_DEPTH_MAX);
	struct yaml *node = ARENA_NEW(b->a, struct yaml);
	node->kind = kind;
	enum err_code rc = build_place(b, node, mark, err);
	if (rc)
		return rc;
	b->frames[b->depth++] = (struct frame){ .node = node };
	return ERR_OK;
}

static enum err_code build_event(struct build *b, struct fy_event *e, struct err *err)
{
	const struct fy_mark *mark = fy_event_start_mark(e);
	switch (e->type) {
	case FYET_SCALAR:
		if (e->scalar.tag)
			return fail_at(mark, err, "tags are not read");
		return build_scalar(b, e, mark, err);
	case FYET_MAPPING_START:
		if (e->mapping_start.tag)
			return fail_at(mark, err, "tags are not read");
		return build_open(b, YAML_MAP, mark, err);
	case FYET_SEQUENCE_START:
		if (e->sequence_start.tag)
			return fail_at(mark, err, "tags are not read");
		return build_open(b, YAML_LIST, mark, err);
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		if (b->depth)
			map_deinit(&b->frames[--b->depth].seen);
		return ERR_OK;
	case FYET_ALIAS:
		return fail_at(mark, err, "aliases are not read; write the value out");
	default:
		return ERR_OK;
	}
}

static void swallow(struct fy_diag *diag, void *user, const char *buf, size_t n)
{
	(void)diag, (void)user, (void)buf, (void)n;
}

/* What the library found wrong, in its own words. */
static enum err_code library_error(struct fy_diag *diag, struct err *err)
{
	void *at = NULL;
	const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &at);
	if (!e)
		return err_set(err, ERR_INPUT, "1:1: not YAML");
	return err_set(err, ERR_INPUT, "%d:%d: %s", e->line > 0 ? e->line : 1,
	               e->column > 0 ? e->column : 1, e->msg ? e->msg : "not YAML");
}

static enum err_code build_run(struct build *b, struct fy_parser *p, struct fy_diag *diag,
                               struct err *err)
{
	for (;;) {
		struct fy_event *e = fy_parser_parse(p);
		if (!e)
			return fy_diag_got_error(diag) ? library_error(diag, err) : ERR_OK;
		bool is_end = e->type == FYET_STREAM_END;
		enum err_code rc = build_event(b, e, err);
		fy_parser_event_free(p, e);
		if (rc || is_end)
			return rc;
	}
}

/* What the library need not see: too much, or bytes that no YAML file holds. */
static enum err_code check_bytes(struct str text, struct err *err)
{
	if (text.n > YAML_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "1:1: %zu bytes; at most %zu are read", text.n,
		               YAML_BYTES_MAX);
	unsigned line = 1;
	size_t line_at = 0;
	for (size_t i = 0; i < text.n;) {
		unsigned char c = (unsigned char)text.p[i];
		size_t n = utf8_length(str_sub(text, i, 4));
		if (n == 0 || (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
			return err_set(err, ERR_INPUT, "%u:%zu: a byte (0x%02x) that is not text",
			               line, i - line_at + 1, c);
		i += n;
		if (c == '\n') {
			line++;
			line_at = i;
		}
	}
	return ERR_OK;
}

enum err_code yaml_parse(struct arena *a, struct str text, const struct yaml **ret, struct err *err)
{
	if (str_starts(text, S("\xef\xbb\xbf")))
		text = str_sub(text, 3, text.n);
	enum err_code rc = check_bytes(text, err);
	if (rc)
		return rc;
	struct build b = { .a = a };
	if (str_trim(text).n) {
		struct fy_diag_cfg dc;
		fy_diag_cfg_default(&dc);
		dc.fp = NULL;
		dc.output_fn = swallow;
		dc.colorize = false;
		struct fy_diag *diag = fy_diag_create(&dc);
		if (!diag)
			return err_set(err, ERR_SYSTEM, "cannot start the YAML parser");
		fy_diag_set_collect_errors(diag, true);
		struct fy_parse_cfg pc = { .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG,
			                   .diag = diag };
		struct fy_parser *p = fy_parser_create(&pc);
		rc = p && fy_parser_set_string(p, text.p, text.n) == 0
		             ? build_run(&b, p, diag, err)
		             : err_set(err, ERR_SYSTEM, "cannot start the YAML parser");
		while (b.depth)
			map_deinit(&b.frames[--b.depth].seen);
		fy_parser_destroy(p);
		fy_diag_destroy(diag);
	}
	if (rc)
		return rc;
	if (!b.has_root) {
		struct yaml *none = ARENA_NEW(a, struct yaml);
		*none = (struct yaml){ .is_null = true, .line = 1, .column = 1, .text = S("") };
		b.root = none;
	}
	*ret = b.root;
	return ERR_OK;
}

const struct yaml *yaml_get(const struct yaml *map, const char *key)
{
	if (!map || map->kind != YAML_MAP)
		return NULL;
	for (const struct yaml *y = map->first; y; y = y->next)
		if (str_eq(y->key, str_of(key)))
			return y;
	return NULL;
}

enum err_code yaml_fail(const struct yaml *at, struct err *err, const char *fmt, ...)
{
	char z[sizeof err->text];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(z, sizeof z, fmt, ap);
	va_end(ap);
	return err_set(err, ERR_INPUT, "%u:%u: %s", at ? at->line : 1, at ? at->column : 1, z);
}

enum err_code yaml_check_keys(const struct yaml *map, const char *what, const char *const *keys,
                              struct err *err)
{
	if (map->kind != YAML_MAP)
		return yaml_fail(map, err, "%s is %s; expected a map", what, yaml_kind_name(map));
	for (const struct yaml *y = map->first; y; y = y->next) {
		size_t i = 0;
		while (keys[i] && !str_eq(y->key, str_of(keys[i])))
			i++;
		if (keys[i])
			continue;
		auto_text all = TEXT_NULL;
		for (i = 0; keys[i]; i++)
			text_printf(&all, "%s%s", i ? ", " : "", keys[i]);
		return yaml_fail(y, err, "unknown key '%.*s' in %s; expected one of: %.*s",
		                 STR_FMT(y->key), what, STR_FMT(text_str(&all)));
	}
	return ERR_OK;
}

const char *yaml_kind_name(const struct yaml *y)
{
	if (y->kind == YAML_SCALAR)
		return y->is_null ? "empty" : "a word";
	return y->kind == YAML_LIST ? "a list" : "a map";
}
