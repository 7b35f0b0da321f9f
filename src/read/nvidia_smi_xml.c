/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia_smi_xml: what nvidia-smi -q -x prints, once or with -l, one document after the other. Each
 * <gpu> becomes a row of nvidia-smi's CSV, so that both forms of one reading give the same facts.
 */
#include "base/limits.h"
#include "base/text.h"
#include "parse/xml.h"
#include "read/nvidia_smi.h"
#include "read/reader.h"

extern const struct reader reader_nvidia_smi_csv;

#define END_TAG "</nvidia_smi_log>"
#define PATH_BYTES_MAX 512u
#define VACANT_MEBIBYTES 100 /* as much is nobody's (ledger.md 4, rule 7) */

static const struct {
	const char *path, *column;
} columns[] = {
#define SMI_XML(path, column) { path, column },
#include "read/nvidia_smi_xml.def"
#undef SMI_XML
};
#define COLUMNS (sizeof columns / sizeof *columns)

/* The bits of NVML's clocks event reasons, by the ends of their elements' names. */
static const struct {
	const char *name;
	uint32_t bit;
} reasons[] = { { "gpu_idle", 0x1 },
	        { "applications_clocks_setting", 0x2 },
	        { "sw_power_cap", 0x4 },
	        { "hw_slowdown", 0x8 },
	        { "sync_boost", 0x10 },
	        { "sw_thermal_slowdown", 0x20 },
	        { "hw_thermal_slowdown", 0x40 },
	        { "hw_power_brake_slowdown", 0x80 },
	        { "display_clocks_setting", 0x100 } };

struct smi_xml {
	struct facts *f;
	struct arena a;
	struct text table, path, text, when, pids;
	size_t names[XML_DEPTH_MAX + 1]; /* where each element's name begins in PATH */
	unsigned depth, gpu_depth;       /* of the open elements; of <gpu>, 0: outside */
	uint64_t first_line;             /* of this document, less 1 */
	struct str values[COLUMNS];
	uint32_t mask;
	bool has_mask, mask_is_bad;
	struct str list;    /* what <processes> says beside them: "N/A" */
	uint64_t line;      /* of the <gpu> at hand */
	VEC(uint64_t) rows; /* of the table: the line of each one's <gpu> */
};

static void on_begin(void *arg, struct str name, uint64_t line)
{
	struct smi_xml *x = arg;
	x->text.n = 0;
	x->names[x->depth++] = x->path.n;
	text_byte(&x->path, '/');
	text_add(&x->path, str_sub(name, 0, PATH_BYTES_MAX / XML_DEPTH_MAX * 8));
	if (!x->gpu_depth && str_eq(name, S("gpu"))) {
		x->gpu_depth = x->depth;
		memset(x->values, 0, sizeof x->values);
		x->mask = 0;
		x->has_mask = x->mask_is_bad = false;
		x->pids.n = 0;
		x->list = STR_NULL;
		x->line = x->first_line + line;
	}
}

static void on_text(void *arg, struct str text)
{
	struct smi_xml *x = arg;
	if (x->text.n < NAME_BYTES_MAX)
		text_add(&x->text, str_sub(text, 0, NAME_BYTES_MAX - x->text.n));
}

static void reason_read(struct smi_xml *x, struct str name, struct str value)
{
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if (!str_ends(name, str_of(reasons[i].name)))
			continue;
		bool active = str_eq_nocase(value, S("Active"));
		x->has_mask = true;
		x->mask |= active ? reasons[i].bit : 0;
		x->mask_is_bad |= !active && !str_eq_nocase(value, S("Not Active"));
		return;
	}
}

/* A value of a GPU. PATH: below <gpu>. */
static void value_read(struct smi_xml *x, struct str path, struct str value)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!x->values[i].p && str_eq(path, str_of(columns[i].path)))
			x->values[i] = str_dup(&x->a, value);
	if (str_starts(path, S("clocks_event_reasons/")) ||
	    str_starts(path, S("clocks_throttle_reasons/")))
		reason_read(x, path, value);
	if (str_eq(path, S("processes/process_info/pid")))
		text_printf(&x->pids, "%s%.*s", x->pids.n ? " " : "", STR_FMT(value));
	if (str_eq(path, S("processes")))
		x->list = value.n ? str_dup(&x->a, value) : S(SMI_NOBODY);
}

/* A field of the table; a comma in it would be two. */
static void field_write(struct text *t, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		text_byte(t, s.p[i] == ',' || s.p[i] == '\n' || s.p[i] == '"' ? ' ' : s.p[i]);
}

static struct str column_value(const struct smi_xml *x, const char *column)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (str_eq(str_of(columns[i].column), str_of(column)) && x->values[i].n)
			return x->values[i];
	return STR_NULL;
}

/* Is COLUMNS[i] the first of its column's paths? */
static bool is_column(size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (str_eq(str_of(columns[k].column), str_of(columns[i].column)))
			return false;
	return true;
}

static void header_write(struct text *t)
{
	text_add(t, S("timestamp"));
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_column(i))
			text_printf(t, ",%s", columns[i].column);
	text_add(t, S(",process_ids,clocks_event_reasons.active\n"));
}

/* The list of processes as the table has it. Memory that somebody took, and nobody is listed: the
   list is not for our eyes (they run in another container, or as somebody else). */
static struct str list_value(const struct smi_xml *x)
{
	int64_t used = 0;
	bool is_bad;
	if (x->pids.n)
		return text_str(&x->pids);
	enum why why = smi_number(column_value(x, "memory.used"), 0, 3,
	                          GPU_MEBIBYTES_MAX * (int64_t)1000, &used, &is_bad);
	bool is_blind = why != WHY_KNOWN || used >= VACANT_MEBIBYTES * 1000;
	return str_eq(x->list, S(SMI_NOBODY)) && is_blind ? S("Insufficient Permissions") : x->list;
}

static void gpu_end(struct smi_xml *x)
{
	x->gpu_depth = 0;
	if (!x->when.n) {
		x->f->inputs.v[x->f->inputs.n - 1].records++;
		facts_reject(x->f, x->line, "the document has no <timestamp> before this GPU");
		return;
	}
	field_write(&x->table, text_str(&x->when));
	for (size_t i = 0; i < COLUMNS; i++)
		if (is_column(i)) {
			text_byte(&x->table, ',');
			field_write(&x->table, column_value(x, columns[i].column));
		}
	text_byte(&x->table, ',');
	field_write(&x->table, list_value(x));
	if (x->has_mask && !x->mask_is_bad)
		text_printf(&x->table, ",0x%016x\n", x->mask);
	else
		text_add(&x->table, S(",\n"));
	*vec_push(&x->rows) = x->line;
}

/* "Fri Aug  4 11:44:30 2023" as nvidia-smi's CSV has it; what has another form stays as it is. */
static void when_write(struct text *t, struct str s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct str word[5], part;
	size_t n = 0, month;
	struct str rest = s;
	t->n = 0;
	while (str_cut(&rest, ' ', &part))
		if (part.n && n++ < 5)
			word[n - 1] = part;
	if (n != 5 || word[1].n != 3 || word[2].n > 2 || word[4].n != 4 ||
	    (month = str_find(S(months), word[1])) % 3 || month >= sizeof months - 1) {
		field_write(t, s);
		return;
	}
	text_printf(t, "%.*s/%02zu/%s%.*s %.*s", STR_FMT(word[4]), month / 3 + 1,
	            word[2].n == 1 ? "0" : "", STR_FMT(word[2]), STR_FMT(word[3]));
}

static void on_end(void *arg, struct str name)
{
	struct smi_xml *x = arg;
	struct str value = str_trim(text_str(&x->text));
	if (x->gpu_depth && x->depth == x->gpu_depth) {
		gpu_end(x);
	} else if (x->gpu_depth) {
		size_t from = x->names[x->gpu_depth]; /* behind <gpu>'s own name */
		if (x->path.n < PATH_BYTES_MAX)
			value_read(x, str_sub(text_str(&x->path), from + 1, x->path.n), value);
	} else if (x->depth == 2 && str_eq(name, S("timestamp"))) {
		when_write(&x->when, value);
	}
	x->text.n = 0;
	x->path.n = x->names[--x->depth];
}

static int smi_xml_recognise(struct str head, const struct read_options *options)
{
	(void)options;
	return str_find(head, S("<nvidia_smi_log")) < head.n ? 95 : 0;
}

static enum err_code table_feed(const struct read_run *run, struct smi_xml *x, struct err *err)
{
	struct facts *f = x->f;
	struct read_run table = *run;
	struct input_info *in = &f->inputs.v[f->inputs.n - 1];
	size_t rejects_at = f->rejects.n;
	uint64_t records = in->records + x->rows.n;
	enum err_code code = reader_nvidia_smi_csv.open(&table, text_str(&x->table), err);
	if (!code)
		code = reader_nvidia_smi_csv.feed(&table, text_str(&x->table), 0, f, err);
	in->records = records;
	for (size_t i = rejects_at; i < f->rejects.n && !code; i++) {
		uint64_t row = f->rejects.v[i].line; /* the header is 0 */
		if (row && row <= x->rows.n)
			f->rejects.v[i].line = x->rows.v[row - 1];
	}
	return code;
}

static uint64_t count_lines(struct str s)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

static enum err_code smi_xml_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                  struct facts *f, struct err *err)
{
	static const struct xml_events events = { on_begin, on_text, on_end };
	struct smi_xml *x = mem_alloc(sizeof *x);
	struct err why;
	enum err_code code = ERR_OK;
	x->f = f;
	header_write(&x->table);
	while (str_trim(bytes).n) {
		size_t at = str_find(bytes, S(END_TAG));
		size_t n = at < bytes.n ? at + sizeof END_TAG - 1 : bytes.n;
		struct str one = str_sub(bytes, 0, n), trimmed = str_trim(one);
		uint64_t bad = 0,
		         before = count_lines(str_sub(one, 0, (size_t)(trimmed.p - one.p)));
		x->first_line = line + before - 1;
		x->path.n = x->text.n = x->when.n = 0;
		x->depth = x->gpu_depth = 0;
		if (xml_read(trimmed, &events, x, &bad, &why)) {
			f->inputs.v[f->inputs.n - 1].records++;
			facts_reject(f, x->first_line + bad, "%s", why.text);
		}
		line += count_lines(one);
		bytes = str_sub(bytes, n, bytes.n);
	}
	if (x->rows.n)
		code = table_feed(run, x, err);
	text_deinit(&x->table), text_deinit(&x->path), text_deinit(&x->text);
	text_deinit(&x->when), text_deinit(&x->pids);
	vec_deinit(&x->rows);
	arena_deinit(&x->a);
	mem_free(x);
	return code;
}

const struct reader reader_nvidia_smi_xml = {
	.name = "nvidia_smi_xml",
	.help = "Readings and processes of NVIDIA GPUs: nvidia-smi -q -x, or with -l 1.",
	.cut = CUT_WHOLE,
	.recognise = smi_xml_recognise,
	.open = reader_open_plain,
	.feed = smi_xml_feed,
};
