/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rocm_smi: what rocm-smi prints with --json ({"card0": {"GPU use (%)": "0", ...}, "system": ...})
 * or --csv (device,GPU use (%),...).
 */
#include "parse/csv.h"
#include "parse/json.h"
#include "read/amd.h"
#include "read/json_ending.h"

#define HEAD_LINES 16 /* in which the JSON or the header begins: warnings stand before it */

static bool is_card(struct str key)
{
	uint64_t n;
	return str_starts(key, S("card")) && str_to_u64(str_sub(key, 4, key.n), &n);
}

/* From the first line that begins a JSON document, or the CSV's header. RET_LINES: those before. */
static struct str body_of(struct str text, uint64_t *ret_lines)
{
	struct str line, rest = text;
	*ret_lines = 0;
	for (int i = 0; i < HEAD_LINES; i++) {
		struct str at = rest;
		if (!str_cut_line(&rest, &line))
			break;
		line = str_trim(line);
		if (str_starts(line, S("{")) || str_starts(line, S("device,")))
			return at;
		++*ret_lines;
	}
	return STR_NULL;
}

static int rocm_smi_recognise(struct str head, const struct read_options *options)
{
	uint64_t lines;
	size_t at = 0;
	struct str key, value, body = body_of(head, &lines), line;
	(void)options;
	if (str_starts(str_trim(body), S("device,")))
		return str_cut_line(&body, &line) && (str_find(line, S(" (%)")) < line.n ||
		                                      str_find(line, S(" (W)")) < line.n ||
		                                      str_find(line, S(" (B)")) < line.n)
		               ? 90
		               : 0;
	while (json_next(str_trim(body), &at, &key, &value))
		if (is_card(str_sub(key, 0, key.n)) && json_type(value) == JSON_OBJECT)
			return 90;
	return 0;
}

static void read_card(struct amd_feed *a, struct arena *scratch, const struct json_item *item)
{
	struct str key, value, text;
	size_t at = 0;
	amd_begin(a, item->line);
	if (json_type(item->value) != JSON_OBJECT) {
		facts_reject(a->f, item->line, "a card is not an object");
		return;
	}
	while (json_next(item->value, &at, &key, &value)) {
		text = value;
		if (json_type(value) == JSON_STRING && !json_to_text(scratch, value, &text))
			continue;
		if (json_type(value) == JSON_NULL)
			text = STR_NULL;
		amd_take(a, json_key_text(scratch, key), text, STR_NULL);
	}
	if (!a->id[AMD_INDEX].n)
		a->id[AMD_INDEX] = json_key_text(scratch, item->key);
	amd_end(a);
}

static enum err_code feed_json(struct amd_feed *a, struct str body, uint64_t line, struct err *err)
{
	struct json_scan scan = json_scan_of(body, line);
	struct json_item item;
	bool is_any = false;
	for (; json_scan_next(&scan, &item); is_any = true) {
		auto_arena scratch = ARENA_NULL;
		if (is_card(item.key) && !item.in_list)
			read_card(a, &scratch, &item);
	}
	return json_ending(&scan, is_any, a->f, err);
}

static void feed_csv(struct amd_feed *a, struct str body, uint64_t line)
{
	struct csv_dialect dialect = { .delimiter = S(","), .quote = '"' };
	auto_arena scratch = ARENA_NULL;
	struct csv_record *head = ARENA_NEW(&scratch, struct csv_record);
	struct csv_record *r = ARENA_NEW(&scratch, struct csv_record);
	csv_cut_record(&dialect, &body, head);
	for (line += head->lines; csv_cut_record(&dialect, &body, r); line += r->lines) {
		auto_arena fields = ARENA_NULL;
		if (r->is_blank)
			continue;
		amd_begin(a, line);
		if (r->n != head->n || r->is_bad || r->is_open || r->n > FIELDS_MAX) {
			facts_reject(a->f, line, "%u fields, %u are expected", r->n, head->n);
			continue;
		}
		for (uint32_t i = 0; i < r->n; i++)
			amd_take(a, csv_field(&fields, &dialect, head, i),
			         csv_field(&fields, &dialect, r, i), STR_NULL);
		amd_end(a);
	}
}

static enum err_code rocm_smi_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                   struct facts *f, struct err *err)
{
	struct amd_feed *a = mem_alloc(sizeof *a);
	enum err_code code = ERR_OK;
	uint64_t lines;
	struct str body = body_of(bytes, &lines);
	amd_open(a, f, run->options);
	if (str_starts(str_trim(body), S("device,")))
		feed_csv(a, body, line + lines);
	else
		code = feed_json(a, body.p ? body : bytes, body.p ? line + lines : line, err);
	amd_close(a);
	mem_free(a);
	return code;
}

const struct reader reader_rocm_smi = {
	.name = "rocm_smi",
	.help = "Readings of AMD GPUs: rocm-smi -a --json, or --csv. It prints no time: "
	        "FILE@at=TIME "
	        "says when it was run.",
	.cut = CUT_WHOLE,
	.recognise = rocm_smi_recognise,
	.open = reader_open_plain,
	.feed = rocm_smi_feed,
};
