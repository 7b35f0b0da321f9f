/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_rows.h"

#include "base/limits.h"
#include "read/nvidia_smi.h"

#define VACANT_MEBIBYTES 100 /* as much is nobody's (ledger.md 4, rule 7) */

static const struct {
	const char *path[2], *column; /* by enum smi_form */
} paths[] = {
#define SMI_XML(text, xml, column) { { xml, text }, column },
#include "read/nvidia_smi_xml.def"
#undef SMI_XML
};
#define PATHS (sizeof paths / sizeof *paths)
_Static_assert(PATHS <= SMI_PATHS_MAX, "a GPU has room for all");

/* The bits of NVML's clocks event reasons, by the ends of their elements' names in XML, and by
   their names in text. */
static const struct {
	const char *xml, *text;
	uint32_t bit;
} reasons[] = { { "gpu_idle", "Idle", 0x1 },
	        { "applications_clocks_setting", "Applications Clocks Setting", 0x2 },
	        { "sw_power_cap", "SW Power Cap", 0x4 },
	        { "hw_slowdown", "HW Slowdown", 0x8 },
	        { "sync_boost", "Sync Boost", 0x10 },
	        { "sw_thermal_slowdown", "SW Thermal Slowdown", 0x20 },
	        { "hw_thermal_slowdown", "HW Thermal Slowdown", 0x40 },
	        { "hw_power_brake_slowdown", "HW Power Brake Slowdown", 0x80 },
	        { "display_clocks_setting", "Display Clock Setting", 0x100 } };

void smi_rows_deinit(struct smi_rows *r)
{
	arena_deinit(&r->a);
	text_deinit(&r->table);
	text_deinit(&r->when);
	vec_deinit(&r->lines);
	vec_deinit(&r->parts);
}

void smi_gpu_begin(struct smi_gpu *g, uint64_t line)
{
	struct text pids = g->pids;
	struct smi_parts parts = g->parts;
	pids.n = 0;
	smi_parts_begin(&parts);
	*g = (struct smi_gpu){ .line = line, .pids = pids, .parts = parts };
}

void smi_gpu_deinit(struct smi_gpu *g)
{
	text_deinit(&g->pids);
	smi_parts_deinit(&g->parts);
}

static void put(struct smi_rows *r, struct smi_gpu *g, size_t i, struct str value)
{
	if (!g->values[i].p)
		g->values[i] = str_dup(&r->a, value);
}

void smi_gpu_put(struct smi_rows *r, struct smi_gpu *g, const char *column, struct str value)
{
	for (size_t i = 0; i < PATHS; i++)
		if (str_eq(str_of(paths[i].column), str_of(column))) {
			put(r, g, i, value);
			return;
		}
}

static void drop(struct smi_gpu *g, const char *column)
{
	for (size_t i = 0; i < PATHS; i++)
		if (str_eq(str_of(paths[i].column), str_of(column)))
			g->values[i] = STR_NULL;
}

static void reason_read(struct smi_gpu *g, enum smi_form form, struct str name, struct str value)
{
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if (form == SMI_FORM_XML ? !str_ends(name, str_of(reasons[i].xml))
		                         : !str_eq_nocase(name, str_of(reasons[i].text)))
			continue;
		bool active = str_eq_nocase(value, S("Active"));
		g->has_mask = true;
		g->mask |= active ? reasons[i].bit : 0;
		g->mask_is_bad |= !active && !str_eq_nocase(value, S("Not Active"));
		return;
	}
}

/* What stands behind the last '/'. */
static struct str last_name(struct str path)
{
	size_t at = path.n;
	while (at && path.p[at - 1] != '/')
		at--;
	return str_sub(path, at, path.n);
}

void smi_gpu_put_path(struct smi_rows *r, struct smi_gpu *g, enum smi_form form, struct str path,
                      struct str value)
{
	static const char *const heads[2][2] = {
		{ "clocks_event_reasons/", "clocks_throttle_reasons/" },
		{ "Clocks Event Reasons/", "Clocks Throttle Reasons/" },
	};
	/* the text's names have changed their capitals from driver to driver */
	for (size_t i = 0; i < PATHS; i++)
		if (str_eq_nocase(path, str_of(paths[i].path[form])))
			put(r, g, i, value);
	if (str_starts_nocase(path, str_of(heads[form][0])) ||
	    str_starts_nocase(path, str_of(heads[form][1])))
		reason_read(g, form, last_name(path), value);
}

struct str smi_gpu_value(const struct smi_gpu *g, const char *column)
{
	for (size_t i = 0; i < PATHS; i++)
		if (str_eq(str_of(paths[i].column), str_of(column)) && g->values[i].n)
			return g->values[i];
	return STR_NULL;
}

void smi_gpu_put_pid(struct smi_gpu *g, struct str pid)
{
	text_printf(&g->pids, "%s%.*s", g->pids.n ? " " : "", STR_FMT(pid));
}

/* A field of the table; a comma in it would be two. */
static void field_write(struct text *t, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		text_byte(t, s.p[i] == ',' || s.p[i] == '\n' || s.p[i] == '"' ? ' ' : s.p[i]);
}

/* Which path of each path's column stands first. */
static void columns_find(struct smi_rows *r)
{
	for (size_t i = 0; i < PATHS && !r->has_columns; i++) {
		size_t k = 0;
		while (!str_eq(str_of(paths[k].column), str_of(paths[i].column)))
			k++;
		r->first[i] = (uint8_t)k;
	}
	r->has_columns = true;
}

/* The value of the column whose first path is PATHS[i]. */
static struct str value_at(const struct smi_rows *r, const struct smi_gpu *g, size_t i)
{
	for (size_t k = i; k < PATHS; k++)
		if (r->first[k] == i && g->values[k].n)
			return g->values[k];
	return STR_NULL;
}

static void header_write(struct smi_rows *r, uint64_t line)
{
	struct text *t = &r->table;
	columns_find(r);
	text_add(t, S("timestamp"));
	for (size_t i = 0; i < PATHS; i++)
		if (r->first[i] == i)
			text_printf(t, ",%s", paths[i].column);
	text_add(t, S(",process_ids,clocks_event_reasons.active\n"));
	*vec_push(&r->lines) = line;
	r->has_header = true;
}

/* The list of processes as the table has it. Memory that somebody took, and nobody is listed: the
   list is not for our eyes (they run in another container, or as somebody else). */
static struct str list_value(const struct smi_gpu *g)
{
	int64_t used = 0;
	bool is_bad;
	if (g->pids.n)
		return text_str(&g->pids);
	enum why why = smi_number(smi_gpu_value(g, "memory.used"), 0, 3,
	                          GPU_MEBIBYTES_MAX * (int64_t)1000, &used, &is_bad);
	bool is_blind = why != WHY_KNOWN || used >= VACANT_MEBIBYTES * 1000;
	return str_eq(g->list, S(SMI_NOBODY)) && is_blind ? S("Insufficient Permissions") : g->list;
}

void smi_rows_put(struct smi_rows *r, struct smi_gpu *g)
{
	struct text *t = &r->table;
	field_write(t, text_str(&r->when));
	for (size_t i = 0; i < PATHS; i++)
		if (r->first[i] == i) {
			text_byte(t, ',');
			field_write(t, value_at(r, g, i));
		}
	text_byte(t, ',');
	field_write(t, list_value(g));
	if (g->has_mask && !g->mask_is_bad)
		text_printf(t, ",0x%016x\n", g->mask);
	else
		text_add(t, S(",\n"));
	*vec_push(&r->lines) = g->line;
}

void smi_gpu_end(struct smi_rows *r, struct smi_gpu *g)
{
	if (!r->when.n) {
		r->f->inputs.v[r->f->inputs.n - 1].records++;
		facts_reject(r->f, g->line, "%s", r->when_miss);
		return;
	}
	if (!r->has_header)
		header_write(r, g->line);
	size_t at = r->table.n;
	g->parts.is_on = str_eq_nocase(smi_gpu_value(g, "mig.mode.current"), S("Enabled"));
	if (g->parts.is_listed) /* else the row says it: nothing is known of the parts */
		drop(g, "mig.mode.current");
	smi_rows_put(r, g);
	smi_parts_end(r, g, at);
}

void smi_rows_raw(struct smi_rows *r, struct str line, uint64_t at)
{
	if (!r->lines.n)
		header_write(r, at); /* by which the table is known */
	text_add(&r->table, line);
	text_byte(&r->table, '\n');
	*vec_push(&r->lines) = at;
}

bool smi_when(struct text *ret, struct str s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct str word[5], part;
	size_t n = 0, month;
	while (str_cut(&s, ' ', &part))
		if (part.n && n++ < 5)
			word[n - 1] = part;
	if (n != 5 || word[0].n != 3 || word[1].n != 3 || word[2].n > 2 || word[4].n != 4 ||
	    (month = str_find(S(months), word[1])) % 3 || month >= sizeof months - 1)
		return false;
	ret->n = 0;
	text_printf(ret, "%.*s/%02zu/%s%.*s %.*s", STR_FMT(word[4]), month / 3 + 1,
	            word[2].n == 1 ? "0" : "", STR_FMT(word[2]), STR_FMT(word[3]));
	return true;
}

void smi_rows_read(struct smi_rows *r, struct smi_devices *devices)
{
	struct facts *f = r->f;
	size_t rejects_at = f->rejects.n;
	smi_csv_read(f, r->run->options, text_str(&r->table), 0, devices);
	for (size_t i = rejects_at; i < f->rejects.n; i++)
		if (f->rejects.v[i].line < r->lines.n)
			f->rejects.v[i].line = r->lines.v[f->rejects.v[i].line];
}

void smi_rows_settle(struct smi_rows *r, const struct smi_devices *devices)
{
	if (!smi_parts_settle(r) && devices->has_mig)
		facts_note(r->f, SMI_MIG_NOTE);
}

sym smi_gpu_device(struct smi_rows *r, const struct smi_gpu *g)
{
	const struct read_options *o = r->run->options;
	struct smi_names names = { .node = o->node,
		                   .uuid = smi_gpu_value(g, "uuid"),
		                   .pci = smi_gpu_value(g, "pci.bus_id") };
	return smi_device_id(r->f, o->input_name, &names);
}
