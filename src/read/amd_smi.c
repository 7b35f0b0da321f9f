/* SPDX-License-Identifier: Apache-2.0 */
/*
 * amd_smi: what `amd-smi metric` and `amd-smi monitor` print with --json or --csv, once or with -w.
 *
 * Their CSV has up to over a hundred columns, lists of Python's inside quotes, N/A in most fields
 * and a blank line between ticks; with -w some versions print the header again. In JSON a value is
 * a number, a word, or {"value": 41, "unit": "W"}; a list of GPUs may stand alone or under
 * gpu_data.
 */
#include "parse/csv.h"
#include "parse/json.h"
#include "read/amd.h"
#include "read/json_ending.h"

#define HEAD_LINES 16 /* in which the JSON or the header begins: warnings stand before it */
#define GROUPS_DEEP 3 /* objects inside each other on the way to a value */

static const struct csv_dialect dialect = { .delimiter = { ",", 1 }, .quote = '"' };

/* The columns of a header line. */
struct columns {
	bool is_csv, is_monitor, has_reading;
	struct csv_record r;
};

static bool columns_read(struct arena *a, struct str line, struct columns *c)
{
	c->is_csv = c->is_monitor = c->has_reading = false;
	if (!csv_cut_record(&dialect, &line, &c->r) || c->r.n > FIELDS_MAX)
		return false;
	for (uint32_t i = 0; i < c->r.n; i++) {
		struct str name = str_trim(csv_field(a, &dialect, &c->r, i));
		c->is_csv |= str_eq(name, S("gpu"));
		c->is_monitor |= str_eq(name, S("power_usage")) || str_eq(name, S("vram_used")) ||
		                 str_eq(name, S("hotspot_temperature")) ||
		                 str_eq(name, S("gfx_clock"));
		c->has_reading |=
		        str_eq(name, S("gfx_activity")) || str_eq(name, S("socket_power")) ||
		        str_eq(name, S("power_usage")) || str_eq(name, S("gfx_0_clk")) ||
		        str_eq(name, S("used_vram")) || str_eq(name, S("vram_used")) ||
		        str_eq(name, S("hotspot")) || str_eq(name, S("hotspot_temperature")) ||
		        str_eq(name, S("total_energy_consumption"));
	}
	return c->is_csv && c->has_reading;
}

static bool is_gpu(struct str value)
{
	return json_type(json_get(value, S("gpu"))) == JSON_NUMBER &&
	       (json_get(value, S("usage")).n || json_get(value, S("power")).n ||
	        json_get(value, S("mem_usage")).n || json_get(value, S("power_usage")).n ||
	        json_get(value, S("clock")).n || json_get(value, S("temperature")).n);
}

static bool json_is_ours(struct str body)
{
	struct str key, value;
	size_t at = 0;
	if (json_type(body) == JSON_OBJECT)
		body = json_get(body, S("gpu_data"));
	return json_type(body) == JSON_LIST && json_next(body, &at, &key, &value) && is_gpu(value);
}

/* From the first line that begins a JSON document or is a header. */
static struct str body_of(struct str text, uint64_t *ret_lines)
{
	struct str line, rest = text;
	*ret_lines = 0;
	for (int i = 0; i < HEAD_LINES; i++) {
		auto_arena a = ARENA_NULL;
		struct columns *c = ARENA_NEW(&a, struct columns);
		struct str at = rest;
		if (!str_cut_line(&rest, &line))
			break;
		if (str_starts(str_trim(line), S("{")) || str_starts(str_trim(line), S("[")) ||
		    columns_read(&a, line, c))
			return at;
		++*ret_lines;
	}
	return STR_NULL;
}

static int amd_smi_recognise(struct str head, const struct read_options *options)
{
	uint64_t lines;
	struct str body = str_trim(body_of(head, &lines));
	(void)options;
	if (!body.n)
		return 0;
	return body.p[0] != '{' && body.p[0] != '[' ? 90 : json_is_ours(body) ? 90 : 0;
}

/* An object on the way to a value. */
struct level {
	struct str object;
	size_t at, name_n;
};

static void take_value(struct amd_feed *a, struct arena *scratch, struct str name, struct str value)
{
	struct str text = value, unit = STR_NULL;
	if (json_type(value) == JSON_OBJECT) {
		json_to_text(scratch, json_get(value, S("unit")), &unit);
		text = json_get(value, S("value"));
	}
	if (json_type(text) == JSON_STRING && !json_to_text(scratch, text, &text))
		return;
	if (json_type(text) == JSON_NULL)
		text = STR_NULL;
	amd_take(a, name, text, unit);
}

/* Every value of a GPU by the keys on the way to it. */
static void walk(struct amd_feed *a, struct arena *scratch, struct str gpu)
{
	struct level levels[GROUPS_DEEP + 1] = { { .object = gpu } };
	auto_text name = TEXT_NULL;
	int depth = 0;
	while (depth >= 0) {
		struct level *l = &levels[depth];
		struct str key, value;
		name.n = l->name_n;
		if (!json_next(l->object, &l->at, &key, &value)) {
			depth--;
			continue;
		}
		if (name.n)
			text_byte(&name, '_');
		text_add(&name, json_key_text(scratch, key));
		bool is_group = json_type(value) == JSON_OBJECT && !json_get(value, S("value")).n;
		if (is_group && depth < GROUPS_DEEP)
			levels[++depth] = (struct level){ .object = value, .name_n = name.n };
		else if (!is_group)
			take_value(a, scratch, text_str(&name), value);
	}
}

static enum err_code feed_json(struct amd_feed *a, struct str body, uint64_t line, struct err *err)
{
	struct json_scan scan = json_scan_of(body, line);
	struct json_item item;
	bool is_any = false;
	for (; json_scan_next(&scan, &item); is_any = true) {
		auto_arena scratch = ARENA_NULL;
		if (!item.in_list || (item.key.n && !json_key_is(item.key, S("gpu_data"))))
			continue;
		amd_begin(a, item.line);
		if (item.is_too_long || json_type(item.value) != JSON_OBJECT) {
			facts_reject(a->f, item.line, "a GPU is not an object");
			continue;
		}
		walk(a, &scratch, item.value);
		amd_end(a);
	}
	return json_ending(&scan, is_any, a->f, err);
}

static void take_row(struct amd_feed *a, const struct columns *c, const struct csv_record *r)
{
	auto_arena scratch = ARENA_NULL;
	for (uint32_t i = 0; i < r->n; i++) {
		struct str name = str_trim(csv_field(&scratch, &dialect, &c->r, i));
		if (c->is_monitor && str_eq(name, S("gfx")))
			name = S("monitor_gfx");
		if (c->is_monitor && str_eq(name, S("mem")))
			name = S("monitor_mem");
		amd_take(a, name, csv_field(&scratch, &dialect, r, i), STR_NULL);
	}
	amd_end(a);
}

static void feed_csv(struct amd_feed *a, struct str body, uint64_t line)
{
	auto_arena keep = ARENA_NULL;
	struct columns *c = ARENA_NEW(&keep, struct columns),
	               *again = ARENA_NEW(&keep, struct columns);
	struct csv_record *r = ARENA_NEW(&keep, struct csv_record);
	struct str row;
	for (; str_cut_line(&body, &row); line++) {
		auto_arena scratch = ARENA_NULL;
		struct str rest = row;
		if (!str_trim(row).n)
			continue;
		bool may_be_head = row.p[0] < '0' || row.p[0] > '9';
		if (may_be_head && row.n <= LINE_BYTES_MAX && columns_read(&scratch, row, again)) {
			*c = *again;
			continue;
		}
		amd_begin(a, line);
		if (row.n > LINE_BYTES_MAX)
			facts_reject(a->f, line, "line is longer than %zu bytes", LINE_BYTES_MAX);
		else if (!csv_cut_record(&dialect, &rest, r) || r->n != c->r.n || r->is_bad ||
		         r->is_open)
			facts_reject(a->f, line, "%u fields, %u are expected", r->n, c->r.n);
		else
			take_row(a, c, r);
	}
}

static enum err_code amd_smi_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                  struct facts *f, struct err *err)
{
	struct amd_feed *a = mem_alloc(sizeof *a);
	enum err_code code = ERR_OK;
	uint64_t lines;
	struct str body = body_of(bytes, &lines), trimmed = str_trim(body);
	amd_open(a, f, run->options);
	if (!trimmed.n || trimmed.p[0] == '{' || trimmed.p[0] == '[')
		code = feed_json(a, body.p ? body : bytes, body.p ? line + lines : line, err);
	else
		feed_csv(a, body, line + lines);
	amd_close(a);
	mem_free(a);
	return code;
}

const struct reader reader_amd_smi = {
	.name = "amd_smi",
	.help = "Readings of AMD GPUs: amd-smi metric -w 1 --csv, amd-smi monitor -w 1 --csv, or "
	        "either "
	        "with --json; where no time is printed, FILE@at=TIME says when it was run.",
	.cut = CUT_WHOLE,
	.recognise = amd_smi_recognise,
	.open = reader_open_plain,
	.feed = amd_smi_feed,
};
