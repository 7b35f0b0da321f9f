/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_mon.h"

#include "parse/when.h"
#include "read/nvidia_smi_apps.h"
#include "read/nvidia_smi_device.h"
#include "read/nvidia_smi_mon_row.h"
#include "read/table_line.h"

#define DELAY_S_MAX 86400

/* The delay that a command asks for, 1 s where it names none; 0: it says none that can be. */
static int64_t command_delay(struct str line, size_t at)
{
	struct str rest = str_sub(line, at + 15, line.n), word;
	uint64_t seconds = 1;
	while (table_word(&rest, &word)) {
		struct str value = STR_NULL;
		if (str_eq(word, S("-d")) || str_eq(word, S("--delay")))
			(void)table_word(&rest, &value);
		else if (str_starts(word, S("--delay=")))
			value = str_sub(word, 8, word.n);
		else if (str_starts(word, S("-d")) && word.n > 2)
			value = str_sub(word, 2, word.n);
		if (value.n && (!str_to_u64(value, &seconds) || !seconds || seconds > DELAY_S_MAX))
			return 0;
	}
	return (int64_t)seconds * 1000;
}

/* A line that shows the command: what follows is another run. */
static bool command_read(struct smi_mon *m, struct str line)
{
	size_t at = str_find(line, S("nvidia-smi dmon"));
	enum smi_mon_kind kind = at < line.n ? SMI_MON_DMON : SMI_MON_PMON;
	if (at == line.n)
		at = str_find(line, S("nvidia-smi pmon"));
	if (at == line.n)
		return false;
	smi_mon_list_end(m);
	m->before.n = 0;
	smi_mon_clock_restart(&m->clock[kind], command_delay(line, at));
	return true;
}

static void head_changes(struct smi_mon *m)
{
	smi_mon_list_end(m);
	for (uint32_t i = 0; i < m->head.n && m->head.kind == SMI_MON_DMON; i++)
		if ((m->head.of[i].role == SMI_MON_POINT || m->head.of[i].role == SMI_MON_GPM) &&
		    !m->head.of[i].has_unit)
			facts_note(m->f, "A column of dmon has a unit that is none of its metric: "
			                 "it was left out.");
}

static bool head_read(struct smi_mon *m, struct str line)
{
	struct smi_mon_head *head = ARENA_NEW(&m->a, struct smi_mon_head);
	bool is_known;
	if (line.p[0] == '#' && smi_mon_units_read(&m->a, line, &m->head, &is_known)) {
		head_changes(m);
		if (!is_known)
			facts_note(m->f, "A line of units without its head does not tell what the "
			                 "columns are: rows below it were left out.");
		return true;
	}
	if (!smi_mon_head_read(&m->a, line, head))
		return false;
	m->head = *head;
	head_changes(m);
	if (head->strange.n && head->kind == SMI_MON_DMON)
		facts_note(m->f, arena_printf(&m->a,
		                              "dmon's column '%.*s' is not known: it was left out.",
		                              STR_FMT(str_sub(head->strange, 0, 40))));
	m->head.strange = STR_NULL;
	return true;
}

/* "2026-11-30 12:00:00", without a zone. */
static bool is_local(struct str time)
{
	bool is_local = str_find_byte(time, ':') < time.n && !str_ends(time, S("Z"));
	for (size_t i = 11; i < time.n; i++)
		is_local &= time.p[i] != '+' && time.p[i] != '-';
	return is_local;
}

static void words_read(struct smi_mon *m, struct str line)
{
	char pci[17];
	if (command_read(m, line) || str_eq(line, S("^C")))
		return;
	m->f->inputs.v[m->f->inputs.n - 1].records++;
	enum smi_said said = smi_said(line, pci);
	if (said == SMI_SAID_LOST) {
		sym address = smi_scoped(m->f, smi_mon_scope(m), STR_NULL, str_of(pci));
		smi_device_lost(&m->devices, address, m->last_ms);
		facts_note(m->f, SMI_LOST_NOTE);
	} else if (said == SMI_SAID_FAILED) {
		facts_reject(m->f, m->line, "nvidia-smi failed: '%.*s'",
		             STR_FMT(str_sub(line, 0, 100)));
	} else {
		facts_reject(m->f, m->line, "neither a head nor a row of dmon or pmon");
	}
}

static void line_read(struct smi_mon *m, struct str raw, bool is_open)
{
	struct str s = str_trim(raw), from = s;
	const struct zone *zone = m->t->o ? m->t->o->zone : NULL;
	int64_t ms = TIME_UNKNOWN;
	if (s.n && s.p[0] != '#' && table_time(&s, zone, &ms)) {
		m->has_local |= is_local(str_sub(from, 0, (size_t)(s.p - from.p)));
		s = str_trim(s);
	}
	if (!s.n)
		return;
	if (s.p[0] >= '0' && s.p[0] <= '9') {
		smi_mon_row_read(m, s, raw, is_open, ms);
	} else if (head_read(m, s)) {
		return;
	} else if (s.p[0] != '#') {
		words_read(m, s);
	} else if (!command_read(m, s)) {
		struct str text = str_trim(str_sub(s, 1, s.n));
		enum when w = when_parse(text, zone, &ms);
		if (w != WHEN_OK && w != WHEN_GAP)
			return;
		smi_mon_list_end(m);
		m->has_local |= is_local(text);
		for (int i = 0; i <= SMI_MON_PMON; i++)
			smi_mon_clock_set(&m->clock[i], ms);
	}
}

static void notes_end(struct smi_mon *m)
{
	bool has_zone = m->t->o && m->t->o->zone;
	bool was_set_back = false;
	for (int i = 0; i <= SMI_MON_PMON; i++) {
		m->has_local |= m->clock[i].was_local;
		was_set_back |= m->clock[i].was_set_back;
	}
	if (m->has_local && !has_zone)
		facts_note(m->f, "The times of nvidia-smi's dmon and pmon have no zone and were "
		                 "read as UTC: --tz ZONE, or FILE@tz=ZONE, says another.");
	if (was_set_back)
		facts_note(m->f, "The clock of a log of dmon or pmon was set back: its times are "
		                 "taken as they stand.");
	if (m->has_pmon)
		facts_note(m->f, "Of pmon the lists of processes are used; what a single process "
		                 "did is not read.");
}

void smi_mon_read(struct facts *f, const struct smi_mon_text *t, struct smi_mon_result *ret)
{
	struct smi_mon *m = mem_alloc(sizeof *m);
	auto_text buf = TEXT_NULL;
	struct str bytes = smi_plain(&buf, t->bytes), line;
	const char *end = bytes.p + bytes.n;
	bool is_whole = bytes.n && end[-1] == '\n';
	size_t samples_at = f->samples.n;
	m->f = f, m->t = t, m->line = t->line;
	m->last_ms = TIME_UNKNOWN;
	for (int i = 0; i <= SMI_MON_PMON; i++)
		smi_mon_clock_begin(&m->clock[i], t->o ? t->o->zone : NULL,
		                    t->o && t->o->has_at ? t->o->at_ms : TIME_UNKNOWN);
	for (; str_cut_line(&bytes, &line); m->line++) {
		if (line.n > LINE_BYTES_MAX) {
			f->inputs.v[f->inputs.n - 1].records++;
			facts_reject(f, m->line, "line is longer than %zu bytes", LINE_BYTES_MAX);
		} else {
			line_read(m, line, !is_whole && line.p + line.n == end);
		}
		if (m->a.taken_bytes > ARENA_BLOCK_BYTES)
			arena_deinit(&m->a);
	}
	smi_mon_list_end(m);
	smi_mon_reasons_settle(m, samples_at);
	smi_devices_end(&m->devices, f);
	notes_end(m);
	m->r.kind = m->head.kind;
	m->r.has_both = m->has_dmon && m->has_pmon;
	*ret = m->r;
	smi_devices_deinit(&m->devices);
	map_deinit(&m->gpu_at);
	vec_deinit(&m->gpus), vec_deinit(&m->list.words), vec_deinit(&m->before);
	text_deinit(&m->key);
	arena_deinit(&m->a);
	mem_free(m);
}

enum err_code smi_mon_judge(const struct smi_mon_result *r, const struct read_options *o,
                            struct err *err)
{
	const char *name = r->kind == SMI_MON_PMON ? "pmon" : "dmon";
	if (r->missed[SMI_MON_NO_DELAY] && o && o->has_at)
		return err_set(err, ERR_INPUT,
		               "@at says when the first sample was taken, and nothing how far the "
		               "others lie apart (-d)\nhint: nvidia-smi %s -o DT; or put the "
		               "command before the rows, '# nvidia-smi %s -d 1'",
		               name, name);
	if (r->placed)
		return ERR_OK;
	if (r->missed[SMI_MON_NO_HEAD])
		return err_set(err, ERR_INPUT,
		               "what the columns are cannot be told: nothing that heads them was "
		               "found\nhint: run nvidia-smi dmon without noheader, or put its head "
		               "before the rows");
	if (r->missed[SMI_MON_NO_DAY])
		return err_set(
		        err, ERR_INPUT,
		        "the rows have a time of day and no date\nhint: nvidia-smi %s -o DT; "
		        "or FILE@at=2026-11-30 with the day of the first row",
		        name);
	if (r->missed[SMI_MON_NO_HOUR])
		return err_set(err, ERR_INPUT,
		               "the rows have a date and no time of day\nhint: nvidia-smi %s -o DT",
		               name);
	if (r->missed[SMI_MON_NO_TIME])
		return err_set(err, ERR_INPUT,
		               "no row says when it was read\nhint: nvidia-smi %s -o DT; or "
		               "FILE@at=TIME if it is one sample",
		               name);
	return ERR_OK;
}

/* Does TEXT show another of nvidia-smi's commands? */
static bool has_other_command(struct str text)
{
	static const size_t n = sizeof "nvidia-smi" - 1;
	for (size_t at; (at = str_find(text, S("nvidia-smi"))) < text.n;) {
		text = str_sub(text, at + n, text.n);
		if (!str_starts(text, S(" dmon")) && !str_starts(text, S(" pmon")))
			return true;
	}
	return false;
}

/* The first head in HEAD. */
static enum smi_mon_kind kind_of(struct str head, const struct read_options *o)
{
	auto_arena a = ARENA_NULL;
	struct smi_mon_head h = { 0 };
	struct str line;
	int64_t ms;
	bool is_known;
	for (int i = 0; i < SMI_HEAD_LINES && str_cut_line(&head, &line); i++) {
		line = str_trim(line);
		if (line.n && line.p[0] != '#' && table_time(&line, o ? o->zone : NULL, &ms))
			line = str_trim(line);
		if (smi_mon_head_read(&a, line, &h))
			return h.kind;
		if (line.n && line.p[0] == '#' && smi_mon_units_read(&a, line, &h, &is_known))
			return is_known ? h.kind : SMI_MON_DMON;
	}
	return SMI_MON_NONE;
}

int smi_mon_recognise(struct str head, const struct read_options *o, enum smi_mon_kind kind)
{
	auto_text buf = TEXT_NULL;
	head = smi_plain(&buf, head);
	if (kind_of(head, o) != kind)
		return 0;
	return has_other_command(head) ? 90 : 94; /* nvidia_smi_text knows them all */
}

enum err_code smi_mon_feed(const struct read_run *run, struct str bytes, uint64_t line,
                           struct facts *f, struct err *err)
{
	struct smi_mon_result r;
	struct smi_mon_text t = { .o = run->options, .bytes = bytes, .line = line };
	smi_mon_read(f, &t, &r);
	if (r.has_both)
		smi_ticks_join(f);
	return smi_mon_judge(&r, run->options, err);
}
