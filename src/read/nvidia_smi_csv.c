/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia_smi_csv: what nvidia-smi --query-gpu=... --format=csv prints, once or with -l, and what
 * people's own loggers write of the same columns. One row is one reading of one GPU.
 *
 * GPU-Util and power are averages over at most a second (1/6 s to 1 s by product): the samples are
 * points, which a gap of up to 5 s makes no difference to (ledger.md 9.3). The period is not
 * stated.
 */
#include "parse/when.h"
#include "read/nvidia_smi.h"
#include "read/nvidia_smi_apps.h"
#include "read/nvidia_smi_device.h"
#include "read/reader.h"
#include "read/reading.h"

struct smi {
	struct smi_table t;
	bool has_table;
};

static bool find_table(struct arena *a, struct str head, struct smi_table *ret)
{
	struct str line, text = head;
	for (int i = 0; i < SMI_HEAD_LINES && str_cut_line(&text, &line); i++)
		if (smi_header(a, line, ret))
			return true;
	for (int i = 0; i < SMI_HEAD_LINES && str_cut_line(&head, &line); i++)
		if (smi_guess(a, line, ret))
			return true;
	return false;
}

static int table_score(const struct smi_table *t)
{
	const int *at = t->groups[0].field;
	bool has_id = at[SMI_UUID] >= 0 || at[SMI_PCI] >= 0 || at[SMI_SERIAL] >= 0 ||
	              at[SMI_INDEX] >= 0 || at[SMI_MODEL] >= 0;
	if (t->is_own)
		return at[SMI_TIME] >= 0 || has_id ? 90 : 0;
	return at[SMI_TIME] >= 0 && (at[SMI_UTIL] >= 0 || (has_id && at[SMI_POWER] >= 0)) ? 50 : 0;
}

static int smi_recognise(struct str head, const struct read_options *options)
{
	(void)options;
	auto_arena a = ARENA_NULL;
	auto_text buf = TEXT_NULL;
	struct smi_table t;
	return find_table(&a, smi_plain(&buf, head), &t) ? table_score(&t) : 0;
}

static enum err_code smi_open(struct read_run *run, struct str head, struct err *err)
{
	struct smi *t = ARENA_NEW(run->a, struct smi);
	auto_text buf = TEXT_NULL;
	if (!find_table(run->a, smi_plain(&buf, head), &t->t))
		return err_set(err, ERR_INPUT,
		               "no header of nvidia-smi, and the columns cannot be told from the "
		               "rows\nhint: --format=csv, without noheader");
	if (smi_kind_of(&t->t) == SMI_NO_READINGS)
		return err_set(err, ERR_INPUT,
		               "a list of accounted processes or of memory pages, which says "
		               "nothing of whether a GPU worked at a time\nhint: nvidia-smi "
		               "--query-gpu=...");
	run->state = t;
	run->body_at = 0;
	run->body_line = 1;
	return ERR_OK;
}

struct smi_feed {
	const struct read_options *o;
	struct facts *f;
	struct smi_table t;
	bool has_table, has_zone_note;
	struct arena a; /* of the fields of a few lines */
	struct smi_row row;
	enum smi_kind kind;
	struct smi_devices *devices;
	struct smi_apps apps;
	int64_t tick_ms; /* of the last row */
	uint64_t line;
	bool is_rejected; /* the row at hand was counted already */
};

static struct str field_of(const struct smi_feed *c, const struct smi_group *g, enum smi_column id)
{
	return g->field[id] < 0 ? STR_NULL : c->row.v[g->field[id]];
}

/* One bad reading is one reject of the row, which is kept. */
static void reading_bad(struct smi_feed *c, const char *name, struct str s, const char *why)
{
	if (!c->is_rejected)
		facts_reject(c->f, c->line, "%s '%.*s' %s: this reading was left out", name,
		             STR_FMT(str_sub(s, 0, 40)), why);
	c->is_rejected = true;
}

static const struct smi_metric {
	enum smi_column from, to; /* columns in the order in which they are asked */
	enum metric_id metric;
	const char *name, *note;
} metrics_of[] = {
#define SMI_METRIC(from, to, metric, name) \
	{ SMI_##from, SMI_##to, METRIC_##metric, name, name " was out of range: left out." },
#include "read/nvidia_smi_metrics.def"
#undef SMI_METRIC
};

/* The first of M's columns that has a value; else what the first that says something says. */
static void metric_read(struct smi_feed *c, const struct smi_group *g, const struct smi_metric *m,
                        struct sample *s)
{
	unsigned decimals = metrics[m->metric].decimals;
	int64_t scale = decimals == 6 ? 1000000 : 1000, min, max;
	reading_range(metrics[m->metric].unit, &min, &max);
	for (int i = (int)m->from; i <= (int)m->to; i++) {
		int64_t v = 0;
		bool is_bad;
		if (g->field[i] < 0)
			continue;
		struct str text = c->row.v[g->field[i]];
		enum why why = smi_number(text, g->unit[i], decimals, max * scale, &v, &is_bad);
		if (why == WHY_KNOWN || s->why[m->metric] == WHY_ABSENT)
			s->why[m->metric] = (uint8_t)why;
		if (is_bad)
			reading_bad(c, m->name, text, "is not a number");
		if (why == WHY_OUT_OF_RANGE) {
			facts_note(c->f, m->note);
			reading_bad(c, m->name, text, "is out of range");
		}
		if (why == WHY_KNOWN) {
			sample_know(s, m->metric, v);
			return;
		}
	}
}

/* Newer drivers do not count their own reserve as used, older ones do, and only the sum tells: as
   used counts what includes the reserve, so that used - reserve is the same from both. Where used
   was not asked for, it is what is not free, the reserve included. */
static void memory_settle(struct sample *s)
{
	const uint64_t sum = metric_bit(METRIC_mem_size) | metric_bit(METRIC_mem_free);
	bool has_sum = (s->known & sum) == sum;
	bool has_reserve = s->known & metric_bit(METRIC_mem_reserve);
	int64_t taken = has_sum ? s->v[METRIC_mem_size] - s->v[METRIC_mem_free] : 0;
	if (!(s->known & metric_bit(METRIC_mem_used))) {
		if (has_sum && taken >= 0 && s->why[METRIC_mem_used] == WHY_ABSENT)
			sample_know(s, METRIC_mem_used, taken);
		return;
	}
	int64_t *used = &s->v[METRIC_mem_used], rest = has_sum ? taken - *used : 0;
	if (has_sum && !has_reserve && rest > 2000) { /* each is rounded to a MiB */
		sample_know(s, METRIC_mem_reserve, rest);
		has_reserve = true;
	}
	if (has_reserve && (!has_sum || rest > 2000))
		*used += s->v[METRIC_mem_reserve];
}

static void idle_read(struct smi_feed *c, const struct smi_group *g, struct sample *s)
{
	int64_t v = 0;
	bool is_bad;
	struct str text = field_of(c, g, SMI_IDLE);
	enum why why = smi_idle(text, false, &v, &is_bad);
	if (why != WHY_KNOWN && !is_bad && g->field[SMI_REASONS] >= 0) {
		text = field_of(c, g, SMI_REASONS);
		why = smi_idle(text, true, &v, &is_bad);
	}
	if (is_bad)
		reading_bad(c, "clocks_event_reasons", text, "is neither Active nor Not Active");
	s->why[METRIC_idle_reason] = (uint8_t)why;
	if (why == WHY_KNOWN)
		sample_know(s, METRIC_idle_reason, v);
}

static void throttle_read(struct smi_feed *c, const struct smi_group *g, struct sample *s)
{
	int64_t v = 0;
	bool is_bad;
	if (g->field[SMI_REASONS] < 0)
		return;
	struct str text = field_of(c, g, SMI_REASONS);
	enum why why = smi_mask(text, &v, &is_bad);
	if (is_bad)
		reading_bad(c, "clocks_event_reasons.active", text, "is no mask");
	s->why[METRIC_throttle] = (uint8_t)why;
	if (why == WHY_KNOWN)
		sample_know(s, METRIC_throttle, v);
}

/* The GPU of a row, from 1; a new one becomes a device. */
static uint32_t device_of(struct smi_feed *c, const struct smi_group *g)
{
	struct smi_names names = { .node = field_of(c, g, SMI_NODE),
		                   .model = field_of(c, g, SMI_MODEL),
		                   .uuid = field_of(c, g, SMI_UUID),
		                   .serial = field_of(c, g, SMI_SERIAL),
		                   .pci = field_of(c, g, SMI_PCI),
		                   .index = field_of(c, g, SMI_INDEX),
		                   .minor = field_of(c, g, SMI_MINOR) };
	if (g->field[SMI_INDEX] < 0 && g->number[0])
		names.index = str_of(g->number);
	if (smi_word(names.node) != WHY_KNOWN)
		names.node = c->o->node;
	return smi_device_of(c->devices, c->f, c->o->input_name, &names);
}

/* "2022-05-22:16:54:15.76" too, as some loggers write it. */
static enum when time_read(struct smi_feed *c, struct str s, int64_t *ret)
{
	char buf[40];
	bool is_local = s.n > 11 && !str_ends(s, S("Z")) && !str_ends(s, S("UTC"));
	if (s.n > 10 && s.n < sizeof buf && s.p[10] == ':' && str_find_byte(s, '-') == 4) {
		memcpy(buf, s.p, s.n);
		buf[10] = 'T';
		s = (struct str){ buf, s.n };
	}
	for (size_t i = 11; i < s.n; i++)
		is_local &= s.p[i] != '+' && s.p[i] != '-';
	is_local &= str_find_byte(s, ':') < s.n;
	enum when w = when_parse(s, c->o->zone, ret);
	if ((w == WHEN_OK || w == WHEN_GAP) && is_local && !c->o->zone && !c->has_zone_note) {
		facts_note(c->f, "nvidia-smi's times have no zone and were read as UTC: --tz ZONE, "
		                 "or FILE@tz=ZONE, says another.");
		c->has_zone_note = true;
	}
	return w;
}

/* TIME_UNKNOWN: no column says it. False: what it says is no time, which was counted. */
static bool row_time(struct smi_feed *c, const struct smi_group *g, int64_t *ret)
{
	struct str when = field_of(c, g, SMI_TIME);
	*ret = TIME_UNKNOWN;
	if (g->field[SMI_TIME] < 0)
		return true;
	enum when w = time_read(c, when, ret);
	if (w == WHEN_OK || w == WHEN_GAP)
		return true;
	if (!c->is_rejected)
		facts_reject(c->f, c->line, "'%.*s' is not a time", STR_FMT(str_sub(when, 0, 40)));
	c->is_rejected = true;
	return false;
}

/* A process of a GPU. Nobody quotes the commas in its name. */
static void read_app(struct smi_feed *c)
{
	const struct smi_group *g = &c->t.groups[0];
	int64_t t_ms;
	uint64_t number;
	if (!row_time(c, g, &t_ms))
		return;
	struct str pid = field_of(c, g, SMI_PID);
	if (smi_word(pid) == WHY_KNOWN && !str_to_u64(pid, &number)) {
		facts_reject(c->f, c->line, "'%.*s' is not a process id",
		             STR_FMT(str_sub(pid, 0, 40)));
		return;
	}
	if (t_ms == TIME_UNKNOWN && c->o->has_at)
		t_ms = c->o->at_ms;
	uint32_t device = device_of(c, g);
	if (t_ms == TIME_UNKNOWN) {
		facts_note(c->f, "Processes without a time name GPUs, but say nothing of any "
		                 "second: ask for --query-compute-apps=timestamp,..., or say "
		                 "FILE@at=TIME.");
		return;
	}
	c->tick_ms = t_ms;
	smi_device_seen(c->devices, device, t_ms);
	smi_apps_add(&c->apps, c->f, c->f->devices.v[c->devices->v.v[device - 1].at].id, t_ms, pid);
}

static void read_gpu(struct smi_feed *c, const struct smi_group *g)
{
	int64_t t_ms;
	if (!row_time(c, g, &t_ms))
		return;
	uint32_t device = device_of(c, g);
	c->devices->has_mig |= str_eq_nocase(field_of(c, g, SMI_MIG), S("Enabled"));
	struct sample s = { .device = c->f->devices.v[c->devices->v.v[device - 1].at].id,
		            .t_ms = t_ms,
		            .kind = SAMPLE_POINT,
		            .procs_why = WHY_ABSENT };
	memset(s.why, WHY_ABSENT, sizeof s.why);
	for (size_t i = 0; i < sizeof metrics_of / sizeof *metrics_of; i++)
		metric_read(c, g, &metrics_of[i], &s);
	memory_settle(&s);
	idle_read(c, g, &s);
	throttle_read(c, g, &s);
	if (g->field[SMI_PROCESSES] >= 0)
		smi_processes(c->f, field_of(c, g, SMI_PROCESSES), &s);
	if (t_ms == TIME_UNKNOWN) {
		facts_note(c->f,
		           "Rows without a time name GPUs, but say nothing of any second: ask "
		           "for --query-gpu=timestamp,...");
		return;
	}
	c->tick_ms = t_ms;
	smi_device_seen(c->devices, device, t_ms);
	*vec_push(&c->f->samples) = s;
}

/* What nvidia-smi says in words when it cannot read a GPU, or any. */
static bool read_text(struct smi_feed *c, struct str line)
{
	char pci[17];
	enum smi_said said = smi_said(line, pci);
	if (said == SMI_SAID_LOST) {
		smi_device_lost(c->devices,
		                smi_scoped(c->f, c->o->input_name, c->o->node, str_of(pci)),
		                c->tick_ms);
		facts_note(c->f, SMI_LOST_NOTE);
	} else if (said == SMI_SAID_FAILED) {
		facts_reject(c->f, c->line, "nvidia-smi failed: '%.*s'",
		             STR_FMT(str_sub(line, 0, 100)));
	}
	return said != SMI_SAID_NOTHING;
}

/* Commas in a name are part of it: what is more than the header's fields is the name's. */
static uint32_t name_join(struct smi_feed *c, uint32_t n)
{
	int name = c->t.groups[0].field[SMI_PROCESS_NAME];
	uint32_t more = n - c->t.fields;
	if (c->kind != SMI_APPS || name < 0 || n <= c->t.fields || n > FIELDS_MAX)
		return n;
	for (uint32_t i = (uint32_t)name + 1; i < c->t.fields; i++)
		c->row.v[i] = c->row.v[i + more];
	return c->t.fields;
}

static void read_line(struct smi_feed *c, struct str line)
{
	struct smi_table other;
	bool starts_with_digit = line.p[0] >= '0' && line.p[0] <= '9';
	if ((!starts_with_digit || !c->has_table) && smi_header(&c->a, line, &other)) {
		c->t = other;
		c->kind = smi_kind_of(&other);
		c->has_table = true;
		if (other.has_two_ids)
			facts_note(c->f, "Two columns number the GPUs: the logger's own was used.");
		return;
	}
	if (line.p[0] == '#')
		return;
	c->f->inputs.v[c->f->inputs.n - 1].records++;
	if (read_text(c, line))
		return;
	if (c->kind == SMI_NO_READINGS) {
		facts_note(c->f, "Lists of accounted processes and of memory pages say nothing of "
		                 "a time: their rows were passed over.");
		return;
	}
	smi_cut(&c->a, line, &c->row);
	uint32_t n = c->row.n;
	if (n == c->t.fields + 1 && n <= FIELDS_MAX && !c->row.v[n - 1].n)
		n--; /* a comma at the end */
	n = name_join(c, n);
	if (n != c->t.fields || n > FIELDS_MAX) {
		facts_reject(c->f, c->line, "%u fields, %u are expected", n, c->t.fields);
		return;
	}
	c->is_rejected = false;
	if (c->kind == SMI_APPS) {
		read_app(c);
		return;
	}
	for (uint32_t i = 0; i < c->t.groups_n; i++)
		read_gpu(c, &c->t.groups[i]);
}

static void smi_csv_feed(struct smi_feed *c, struct str bytes, uint64_t line)
{
	struct facts *f = c->f;
	struct str row;
	c->tick_ms = TIME_UNKNOWN;
	for (c->line = line; str_cut_line(&bytes, &row); c->line++) {
		row = str_trim(row);
		if (row.n > LINE_BYTES_MAX) {
			f->inputs.v[f->inputs.n - 1].records++;
			facts_reject(f, c->line, "line is longer than %zu bytes", LINE_BYTES_MAX);
		} else if (row.n) {
			read_line(c, row);
		}
		if (c->a.taken_bytes > ARENA_BLOCK_BYTES)
			arena_deinit(&c->a);
	}
	if (c->kind == SMI_APPS && !c->devices->v.n)
		facts_note(f, "A list of processes is empty: it names no GPU, so it says nothing "
		              "of any.");
	smi_apps_end(&c->apps, f);
	smi_devices_settle(c->devices, f);
	if (c->apps.v.n)
		smi_ticks_join(f);
	smi_devices_end(c->devices, f);
	smi_apps_deinit(&c->apps);
	arena_deinit(&c->a);
}

void smi_csv_read(struct facts *f, const struct read_options *o, struct str bytes, uint64_t line,
                  struct smi_devices *devices)
{
	struct smi_feed *c = mem_alloc(sizeof *c);
	c->o = o, c->f = f, c->devices = devices;
	smi_csv_feed(c, bytes, line);
	mem_free(c);
}

static enum err_code smi_feed(const struct read_run *run, struct str bytes, uint64_t line,
                              struct facts *f, struct err *err)
{
	const struct smi *t = run->state;
	struct smi_devices devices = { 0 };
	struct smi_feed *c = mem_alloc(sizeof *c);
	auto_text buf = TEXT_NULL;
	(void)err;
	c->o = run->options, c->f = f, c->devices = &devices;
	c->t = t->t, c->kind = smi_kind_of(&t->t);
	smi_csv_feed(c, smi_plain(&buf, bytes), line);
	if (devices.has_mig)
		facts_note(f, SMI_MIG_NOTE);
	smi_devices_deinit(&devices);
	mem_free(c);
	return ERR_OK;
}

const struct reader reader_nvidia_smi_csv = {
	.name = "nvidia_smi_csv",
	.help = "Readings of NVIDIA GPUs: nvidia-smi "
	        "--query-gpu=timestamp,uuid,index,name,utilization.gpu,power.draw,enforced.power."
	        "limit,"
	        "memory.used,memory.reserved,clocks_event_reasons.gpu_idle --format=csv -l 1; and "
	        "who is on them: "
	        "--query-compute-apps=timestamp,gpu_uuid,pid.",
	.cut = CUT_WHOLE,
	.recognise = smi_recognise,
	.open = smi_open,
	.feed = smi_feed,
};
