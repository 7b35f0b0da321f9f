/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_mon_head.h"

#include "read/nvidia_smi.h"
#include "read/table_line.h"

static const struct column {
	const char *word;
	enum smi_mon_role role;
	enum metric_id metric;
	const char *unit;
} columns[] = {
#define MON_READING(word, role, metric, unit, help) { word, SMI_MON_##role, METRIC_##metric, unit },
#define MON_OTHER(word, role, help) { word, SMI_MON_##role, METRIC_COUNT, "" },
#include "read/nvidia_smi_mon.def"
#undef MON_READING
#undef MON_OTHER
};

static const struct column *column_find(struct str word)
{
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		if (str_eq_nocase(word, str_of(columns[i].word)))
			return &columns[i];
	return NULL;
}

static void line_cut(struct arena *a, struct str line, bool is_csv, struct smi_row *ret)
{
	struct str word;
	if (is_csv) {
		smi_cut(a, line, ret);
		if (ret->n && ret->n <= FIELDS_MAX && !ret->v[ret->n - 1].n)
			ret->n--; /* a comma at the end */
		return;
	}
	for (ret->n = 0; table_word(&line, &word); ret->n++)
		if (ret->n < FIELDS_MAX)
			ret->v[ret->n] = word;
}

/* "MB" of dmon are bytes / 1048576; "GPM:" says where the reading is from. */
static bool unit_read(enum metric_id metric, struct str name, struct reading_unit *ret)
{
	if (str_starts_nocase(name, S("GPM:")))
		name = str_sub(name, 4, name.n);
	if (metrics[metric].unit == UNIT_MEBIBYTES && str_eq(name, S("MB")))
		name = S("MiB");
	return name.n && reading_unit_find(metric, name, ret);
}

static void column_put(struct smi_mon_head *h, uint32_t i, const struct column *c)
{
	h->of[i].role = c->role;
	if (h->at[c->role] < 0)
		h->at[c->role] = (int)i;
	if (c->role != SMI_MON_POINT && c->role != SMI_MON_GPM)
		return;
	h->of[i].metric = c->metric;
	h->of[i].has_unit = unit_read(c->metric, str_of(c->unit), &h->of[i].unit);
	if (c->role == SMI_MON_GPM)
		h->gpm |= metric_bit(c->metric);
}

static void head_begin(struct smi_mon_head *h, uint32_t n, bool is_csv)
{
	*h = (struct smi_mon_head){ .n = n, .is_csv = is_csv };
	memset(h->at, -1, sizeof h->at);
}

static struct str without_hash(struct str line)
{
	line = str_trim(line);
	while (line.n && line.p[0] == '#')
		line = str_trim(str_sub(line, 1, line.n));
	return line;
}

bool smi_mon_head_read(struct arena *a, struct str line, struct smi_mon_head *ret)
{
	struct smi_row *row = ARENA_NEW(a, struct smi_row);
	uint32_t found = 0;
	line = without_hash(line);
	bool is_csv = str_find_byte(line, ',') < line.n;
	line_cut(a, line, is_csv, row);
	const struct str *v = row->v;
	uint32_t n = row->n;
	const struct column *first = n ? column_find(v[0]) : NULL;
	if (!first || n > FIELDS_MAX ||
	    (first->role != SMI_MON_GPU && first->role != SMI_MON_DATE &&
	     first->role != SMI_MON_TIME))
		return false;
	head_begin(ret, n, is_csv);
	for (uint32_t i = 0; i < n; i++) {
		const struct column *c = column_find(v[i]);
		found += c && c->role != SMI_MON_GPU && c->role != SMI_MON_DATE &&
		         c->role != SMI_MON_TIME;
		if (c)
			column_put(ret, i, c);
		else if (!ret->strange.n)
			ret->strange = v[i];
	}
	ret->kind = ret->at[SMI_MON_PID] >= 0 ? SMI_MON_PMON : SMI_MON_DMON;
	return ret->at[SMI_MON_GPU] >= 0 && found;
}

/* Columns that one letter of dmon's -s stands for, in the order in which they are printed, by their
   units; of one letter the newest driver's first. */
static const struct group {
	const char *units, *words;
} groups[] = {
	{ "W C C", "pwr gtemp mtemp" },
	{ "W C", "pwr temp" },
	{ "% bool", "pviol tviol" },
	{ "% % % % % %", "sm mem enc dec jpg ofa" },
	{ "% % % %", "sm mem enc dec" },
	{ "MHz MHz", "mclk pclk" },
	{ "MB MB MB", "fb bar1 ccpm" },
	{ "MB MB", "fb bar1" },
	{ "MB", "fb" },
	{ "errs errs errs", "sbecc dbecc pci" },
	{ "MB/s MB/s", "rxpci txpci" },
	{ "YYYYMMDD", "Date" },
	{ "HH:MM:SS", "Time" },
	{ "Idx", "gpu" },
	{ "#", "pid" },
	{ "C/G", "type" },
	{ "name", "command" },
};

/* How many of V's N units are G's; 0: they are others. */
static uint32_t group_match(const struct group *g, const struct str *v, uint32_t n)
{
	struct str units = str_of(g->units), unit;
	uint32_t i = 0;
	for (; table_word(&units, &unit); i++)
		if (i == n || !str_eq_nocase(v[i], unit))
			return 0;
	/* "% % % % % % bool" ends with the next group's first */
	return str_eq(v[0], S("%")) && i < n && str_eq(v[i], S("bool")) ? 0 : i;
}

static bool is_gpm(struct str unit)
{
	return str_starts_nocase(unit, S("GPM:"));
}

/* The columns that have these units. */
static bool head_guess(const struct str *v, uint32_t n, bool is_csv, struct smi_mon_head *h)
{
	head_begin(h, n, is_csv);
	for (uint32_t at = 0, taken; at < n; at += taken) {
		const struct group *g = groups, *end = groups + sizeof groups / sizeof *groups;
		for (taken = 0; !taken && g < end; g++)
			taken = group_match(g, v + at, n - at);
		if (!taken && !is_gpm(v[at]))
			return false;
		if (!taken) { /* whichever of GPM's it is */
			taken = 1;
			continue;
		}
		struct str words = str_of(g[-1].words), word;
		for (uint32_t i = at; table_word(&words, &word); i++)
			column_put(h, i, column_find(word));
	}
	h->kind = h->at[SMI_MON_PID] >= 0 ? SMI_MON_PMON : SMI_MON_DMON;
	return h->at[SMI_MON_GPU] >= 0;
}

static bool is_units(const struct str *v, uint32_t n)
{
	for (uint32_t i = 0; i < n && i < 3; i++) /* behind date and time */
		if (str_eq_nocase(v[i], S("Idx")))
			return true;
	return false;
}

bool smi_mon_units_read(struct arena *a, struct str line, struct smi_mon_head *head,
                        bool *ret_known)
{
	struct smi_row *row = ARENA_NEW(a, struct smi_row);
	struct smi_mon_head *told = ARENA_NEW(a, struct smi_mon_head);
	/* one '#' only: the other is pmon's unit of a process */
	line = str_trim(line);
	line = str_trim(str_sub(line, line.n && line.p[0] == '#', line.n));
	bool is_csv = str_find_byte(line, ',') < line.n;
	line_cut(a, line, is_csv, row);
	const struct str *v = row->v;
	uint32_t n = row->n;
	if (n > FIELDS_MAX || !is_units(v, n))
		return false;
	*ret_known = true;
	if (head->kind && head->n == n) {
		for (uint32_t i = 0; i < n; i++)
			if (head->of[i].role == SMI_MON_POINT || head->of[i].role == SMI_MON_GPM)
				head->of[i].has_unit =
				        unit_read(head->of[i].metric, v[i], &head->of[i].unit);
		return true;
	}
	*ret_known = head_guess(v, n, is_csv, told);
	if (*ret_known)
		*head = *told;
	else
		head->kind = SMI_MON_NONE;
	return true;
}

bool smi_mon_head_cut(struct arena *a, const struct smi_mon_head *head, struct str line,
                      struct smi_row *ret)
{
	line_cut(a, line, head->is_csv, ret);
	bool has_command = head->at[SMI_MON_COMMAND] == (int)head->n - 1;
	return ret->n == head->n || (ret->n > head->n && has_command);
}
