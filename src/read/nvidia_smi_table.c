/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/accelerator.h"
#include "parse/csv.h"
#include "read/nvidia_smi.h"

#define NAME_BYTES 64u /* of a column's name that are compared */

static const struct {
	enum smi_column id;
	const char *name;
	bool is_own;
} columns[] = {
#define SMI_COLUMN(name, id, is_own) { SMI_##id, #name, is_own },
#include "read/nvidia_smi_columns.def"
#undef SMI_COLUMN
};

void smi_cut(struct arena *a, struct str line, struct smi_row *ret)
{
	/* nvidia-smi quotes nothing: a quote that does not close is a part of a name. */
	struct csv_dialect d = { .delimiter = S(","), .quote = '"' };
	struct csv_record r;
	struct str rest = line;
	ret->n = 0;
	if (!csv_cut_record(&d, &rest, &r) || r.is_open || r.is_bad || rest.n) {
		d.quote = '\0';
		rest = line;
		if (!csv_cut_record(&d, &rest, &r))
			return;
	}
	ret->n = r.n;
	for (uint32_t i = 0; i < r.n && i < FIELDS_MAX; i++)
		ret->v[i] = str_trim(csv_field(a, &d, &r, i));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "Utilization.GPU [%]" to "utilization_gpu"; the length, 0 when it is too long. */
static size_t plain_name(struct str s, char ret[NAME_BYTES])
{
	size_t n = 0, end = str_find_byte(s, '[');
	s = str_sub(s, 0, end);
	s = str_trim(str_sub(s, 0, str_find_byte(s, '(')));
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (n == NAME_BYTES)
			return 0;
		if (is_letter(c))
			ret[n++] = (char)(c | 0x20);
		else if (is_digit(c))
			ret[n++] = c;
		else if (n && ret[n - 1] != '_')
			ret[n++] = '_';
	}
	while (n && ret[n - 1] == '_')
		n--;
	return n;
}

/* Takes the unit off the end of a name: "power_w" becomes "power". */
static struct str without_unit(struct str name, char *ret_unit)
{
	static const struct {
		const char *end;
		char unit;
	} units[] = { { "_percent", 0 }, { "_pct", 0 },  { "_w", 0 },  { "_watts", 0 },
		      { "_mw", 'm' },    { "_mib", 0 },  { "_mb", 0 }, { "_gib", 'G' },
		      { "_gb", 'G' },    { "_kib", 'k' } };
	*ret_unit = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (str_ends(name, str_of(units[i].end))) {
			*ret_unit = units[i].unit;
			return str_sub(name, 0, name.n - strlen(units[i].end));
		}
	return name;
}

static char unit_of_head(struct str s)
{
	if (str_find(s, S("[mW]")) < s.n)
		return 'm';
	if (str_find(s, S("[GiB]")) < s.n)
		return 'G';
	return str_find(s, S("[KiB]")) < s.n ? 'k' : '\0';
}

/* The column that NAME heads, as an index into `columns`; -1: none. */
static int column_find(struct str name, char *ret_unit)
{
	char buf[NAME_BYTES];
	struct str plain = { buf, plain_name(name, buf) };
	for (int try = 0; try < 2; try++) {
		for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
			if (str_eq(plain, str_of(columns[i].name))) {
				*ret_unit = try && *ret_unit ? *ret_unit : unit_of_head(name);
				return (int)i;
			}
		plain = without_unit(plain, ret_unit);
	}
	return -1;
}

static struct smi_group *group_of(struct smi_table *t, struct str number)
{
	for (uint32_t i = 0; i < t->groups_n; i++)
		if (str_eq(str_of(t->groups[i].number), number))
			return &t->groups[i];
	if (t->groups_n == SMI_GROUPS_MAX || number.n >= sizeof t->groups[0].number)
		return NULL;
	struct smi_group *g = &t->groups[t->groups_n++];
	*g = (struct smi_group){ 0 };
	memset(g->field, -1, sizeof g->field);
	memcpy(g->number, number.p ? number.p : "", number.n);
	return g;
}

static void column_put(struct smi_table *t, struct smi_group *g, int column, uint32_t field,
                       char unit)
{
	enum smi_column id = columns[column].id;
	t->is_own |= columns[column].is_own && id >= SMI_UTIL;
	if (g->field[id] >= 0) {
		t->has_two_ids |= id == SMI_INDEX;
		if (g->rank[id] <= column)
			return;
	}
	g->field[id] = (int)field;
	g->rank[id] = (uint8_t)column;
	g->unit[id] = unit;
}

/* What stands once in a row counts for every GPU in it. */
static void groups_share(struct smi_table *t)
{
	const struct smi_group *all = NULL;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < t->groups_n; i++)
		if (!t->groups[i].number[0])
			all = &t->groups[i];
	if (!all || t->groups_n < 2)
		return;
	struct smi_group common = *all;
	for (uint32_t i = 0; i < t->groups_n; i++) {
		struct smi_group g = t->groups[i];
		if (!g.number[0])
			continue;
		for (int c = 0; c < SMI_COLUMN_COUNT; c++)
			if (g.field[c] < 0) {
				g.field[c] = common.field[c];
				g.unit[c] = common.unit[c];
			}
		t->groups[kept++] = g;
	}
	t->groups_n = kept;
}

bool smi_header(struct arena *a, struct str line, struct smi_table *ret)
{
	struct smi_row row;
	*ret = (struct smi_table){ 0 };
	line = str_trim(line);
	while (line.n && line.p[0] == '#')
		line = str_trim(str_sub(line, 1, line.n));
	smi_cut(a, line, &row);
	for (uint32_t i = 0; i < row.n && i < FIELDS_MAX; i++) {
		struct str name = row.v[i];
		size_t digits = 0;
		char unit = 0;
		while (digits < name.n && is_digit(name.p[digits]))
			digits++;
		bool is_numbered = digits && digits < name.n && name.p[digits] == ' ';
		int c = column_find(is_numbered ? str_sub(name, digits, name.n) : name, &unit);
		struct smi_group *g =
		        c < 0 ? NULL : group_of(ret, str_sub(name, 0, is_numbered ? digits : 0));
		if (g)
			column_put(ret, g, c, i, unit);
	}
	ret->fields = row.n;
	groups_share(ret);
	uint32_t n = 0;
	for (int c = 0; ret->groups_n && c < SMI_COLUMN_COUNT; c++)
		n += ret->groups[0].field[c] >= 0;
	return n >= 2 && row.n <= FIELDS_MAX;
}

enum smi_kind smi_kind_of(const struct smi_table *t)
{
	const int *at = t->groups[0].field;
	bool is_busy = at[SMI_UTIL] >= 0 || at[SMI_MEM_UTIL] >= 0;
	bool has_reading = is_busy || at[SMI_POWER_AVERAGE] >= 0 || at[SMI_POWER] >= 0 ||
	                   at[SMI_POWER_INSTANT] >= 0 || at[SMI_USED] >= 0 || at[SMI_FREE] >= 0;
	if (at[SMI_PID] >= 0) /* with shares: over a process' whole life */
		return is_busy || at[SMI_OTHER] >= 0 ? SMI_NO_READINGS : SMI_APPS;
	return at[SMI_OTHER] >= 0 && !has_reading ? SMI_NO_READINGS : SMI_GPUS;
}

/* "2026/11/30 12:00:00.000": nvidia-smi's own form of a time. */
static bool is_own_time(struct str s)
{
	static const char form[] = "dddd/dd/dd dd:dd:dd.ddd";
	if (s.n != sizeof form - 1)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (form[i] == 'd' ? !is_digit(s.p[i]) : s.p[i] != form[i])
			return false;
	return true;
}

static bool is_value(struct str s, struct str unit)
{
	int64_t v;
	return str_ends(s, unit) && str_to_fixed(str_trim(str_sub(s, 0, s.n - unit.n)), 3, &v);
}

static void guess_put(struct smi_group *g, enum smi_column c, uint32_t i)
{
	if (g->field[c] < 0)
		g->field[c] = (int)i;
}

bool smi_guess(struct arena *a, struct str line, struct smi_table *ret)
{
	struct smi_row row;
	uint64_t index;
	uint32_t percent = 0, watts = 0;
	int watts_at = -1;
	char pci[17];
	*ret = (struct smi_table){ 0 };
	smi_cut(a, line, &row);
	if (row.n < 3 || row.n > FIELDS_MAX || !is_own_time(row.v[0]))
		return false;
	struct smi_group *g = group_of(ret, STR_NULL);
	g->field[SMI_TIME] = 0;
	for (uint32_t i = 1; i < row.n; i++) {
		struct str s = row.v[i];
		if (str_starts(s, S("GPU-")) && s.n == 40)
			guess_put(g, SMI_UUID, i);
		else if ((s.n == 12 || s.n == 16) && smi_pci(s, pci))
			guess_put(g, SMI_PCI, i);
		else if (i == 1 && s.n < 4 && str_to_u64(s, &index))
			guess_put(g, SMI_INDEX, i);
		else if (accelerator_find(s) >= 0 || str_starts(s, S("NVIDIA ")))
			guess_put(g, SMI_MODEL, i);
		else if (is_value(s, S(" %")) && !percent++)
			guess_put(g, SMI_UTIL, i);
		else if (is_value(s, S(" W")) && !watts++)
			watts_at = (int)i;
		else if (is_value(s, S(" W")))
			watts++;
	}
	if (watts == 1) /* of several, one is the limit */
		g->field[SMI_POWER] = watts_at;
	ret->fields = row.n;
	ret->is_own = true;
	bool has_id = g->field[SMI_UUID] >= 0 || g->field[SMI_PCI] >= 0 ||
	              g->field[SMI_INDEX] >= 0 || g->field[SMI_MODEL] >= 0;
	return has_id && g->field[SMI_UTIL] >= 0;
}
