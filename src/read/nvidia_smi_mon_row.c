/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_mon_row.h"

#include <inttypes.h>
#include <stdio.h>

#include "read/nvidia_smi_device.h"

static void row_reject(struct smi_mon *m, const char *why)
{
	if (!m->is_rejected)
		facts_reject(m->f, m->line, "%s", why);
	m->is_rejected = true;
}

struct str smi_mon_scope(const struct smi_mon *m)
{
	const struct read_options *o = m->t->o;
	return !o ? S("gpu") : o->node.n ? o->node : o->input_name;
}

/* The GPU's place in the list of devices, from 1. */
static uint32_t device_of(struct smi_mon *m, uint64_t gpu)
{
	char index[24];
	if (!m->t->device_at) {
		snprintf(index, sizeof index, "%" PRIu64, gpu);
		struct smi_names names = { .index = str_of(index) };
		names.node = m->t->o ? m->t->o->node : STR_NULL;
		return smi_device_of(&m->devices, m->f, smi_mon_scope(m), &names);
	}
	*vec_push(&m->devices.v) = (struct smi_device){ .at = m->t->device_at(m->t->arg, m->f, gpu),
		                                        .first_ms = TIME_UNKNOWN,
		                                        .last_ms = TIME_UNKNOWN };
	return (uint32_t)m->devices.v.n;
}

static struct smi_mon_gpu *gpu_of(struct smi_mon *m, uint64_t gpu)
{
	uint32_t *place = map_at(&m->gpu_at, gpu + 1);
	if (!*place) {
		*vec_push(&m->gpus) = (struct smi_mon_gpu){ .device = device_of(m, gpu) };
		*place = (uint32_t)m->gpus.n;
	}
	return &m->gpus.v[*place - 1];
}

static sym device_id(const struct smi_mon *m, const struct smi_mon_gpu *g)
{
	return m->f->devices.v[m->devices.v.v[g->device - 1].at].id;
}

/* Dmon's '-' stands for "not supported" and for any error. It is taken for the first where the
   column never has a value for this GPU; GPM needs two samples, so that its first is not ready. */
static void reading_take_one(struct smi_mon *m, struct sample *s, uint32_t i)
{
	enum metric_id id = m->head.of[i].metric;
	struct str text = m->row.v[i];
	if (str_eq(text, S("-")))
		reading_miss(s, id,
		             m->head.of[i].role == SMI_MON_GPM ? WHY_NOT_READY : WHY_UNSUPPORTED);
	else
		reading_take(m->f, m->line, &m->is_rejected, s, id, text, m->head.of[i].unit);
}

static void dmon_row(struct smi_mon *m, struct smi_mon_gpu *g, int64_t t_ms)
{
	struct sample *s = facts_sample(m->f, device_id(m, g), t_ms);
	for (uint32_t i = 0; i < m->head.n; i++)
		if (m->head.of[i].role == SMI_MON_GPM && m->head.of[i].has_unit)
			reading_take_one(m, s, i);
	s->kind = s->known ? SAMPLE_AVERAGE : SAMPLE_POINT;
	for (uint32_t i = 0; i < m->head.n; i++)
		if (m->head.of[i].role == SMI_MON_POINT && m->head.of[i].has_unit &&
		    !(s->known >> m->head.of[i].metric & 1))
			reading_take_one(m, s, i);
	g->known |= s->known;
	g->rows++;
	m->has_dmon = true;
	smi_device_seen(&m->devices, g->device, t_ms);
}

static bool list_has(const struct smi_mon_list *l, sym word)
{
	for (size_t i = 0; i < l->words.n; i++)
		if (l->words.v[i] == word)
			return true;
	return false;
}

void smi_mon_list_end(struct smi_mon *m)
{
	struct smi_mon_list *l = &m->list;
	if (!l->is_open)
		return;
	l->is_open = false;
	struct smi_mon_gpu *g = &m->gpus.v[l->place - 1];
	struct sample *s = facts_sample(m->f, device_id(m, g), l->t_ms);
	s->kind = SAMPLE_POINT;
	s->procs_why = WHY_KNOWN;
	s->procs_at = (uint32_t)m->f->syms.n;
	s->procs_n = (uint32_t)l->words.n;
	for (size_t i = 0; i < l->words.n; i++)
		*vec_push(&m->f->syms) = l->words.v[i];
	smi_device_seen(&m->devices, g->device, l->t_ms);
}

/* The word of a process; 0: none, the row says that there is nobody. False: it is no process. */
static bool process_read(struct smi_mon *m, struct str text, sym *ret)
{
	uint64_t number;
	bool is_number = str_to_u64(text, &number) && text.n <= 20;
	*ret = 0;
	if (str_eq(text, S("-")))
		return true;
	if (!is_number && smi_word(text) == WHY_KNOWN)
		return false;
	m->key.n = 0; /* a process whose id is not for our eyes is one too */
	text_printf(&m->key, "pid %.*s", STR_FMT(is_number ? text : S("N/A")));
	*ret = facts_word(m->f, text_str(&m->key));
	return true;
}

/* Of rows without times: can the row of WORD (0: nobody) on GPU not be of the open list's sample?
 */
static bool is_next_sample(const struct smi_mon *m, uint64_t gpu, sym word)
{
	const struct smi_mon_list *l = &m->list;
	return l->is_open && l->gpu == gpu && (!word || l->is_empty || list_has(l, word));
}

/* Where one GPU alone is listed, its rows tell samples apart only while the same come again. */
static void samples_check(struct smi_mon *m)
{
	const struct smi_mon_list *l = &m->list;
	bool same = l->words.n == m->before.n;
	for (size_t i = 0; same && i < l->words.n; i++)
		same = l->words.v[i] == m->before.v[i];
	if (!same && l->words.n && m->before.n && m->clock[SMI_MON_PMON].gpus < 2) {
		m->clock[SMI_MON_PMON].is_lost = true;
		m->list.is_open = false;
	}
	m->before.n = 0;
	for (size_t i = 0; i < l->words.n; i++)
		*vec_push(&m->before) = l->words.v[i];
}

static void pmon_row(struct smi_mon *m, uint64_t gpu, sym word, int64_t t_ms)
{
	struct smi_mon_list *l = &m->list;
	if (!l->is_open || l->gpu != gpu || l->t_ms != t_ms) {
		smi_mon_list_end(m);
		gpu_of(m, gpu)->rows++;
		l->is_open = true;
		l->is_empty = false;
		l->gpu = gpu;
		l->place = *map_at(&m->gpu_at, gpu + 1);
		l->t_ms = t_ms;
		l->words.n = 0;
	}
	l->is_empty |= !word;
	if (word && !list_has(l, word))
		*vec_push(&l->words) = word;
	m->has_pmon = true;
}

static const char *const missed[SMI_MON_MISS_COUNT] = {
	[SMI_MON_NO_HEAD] = "no head stands before the row",
	[SMI_MON_BAD_TIME] = "the row's date and time are none",
	[SMI_MON_NO_TIME] = "nothing says when the row was read",
	[SMI_MON_NO_DAY] = "the row has a time of day, and no date",
	[SMI_MON_NO_HOUR] = "the row has a date, and no time of day",
	[SMI_MON_NO_DELAY] = "nothing says how long after the sample before the row was read",
	[SMI_MON_NO_SAMPLE] = "processes came or went: which rows are of one sample cannot be told",
};

static struct str field_of(const struct smi_mon *m, enum smi_mon_role role)
{
	return m->head.at[role] < 0 ? STR_NULL : m->row.v[m->head.at[role]];
}

/* When the row was read. PREFIX_MS: what somebody put before it. */
static enum smi_mon_miss time_of(struct smi_mon *m, uint64_t gpu, sym word, int64_t prefix_ms,
                                 int64_t *ret_ms)
{
	struct smi_mon_clock *clock = &m->clock[m->head.kind];
	struct str date = field_of(m, SMI_MON_DATE), time = field_of(m, SMI_MON_TIME);
	*ret_ms = prefix_ms;
	if (prefix_ms != TIME_UNKNOWN)
		return SMI_MON_PLACED;
	if (date.p || time.p)
		return smi_mon_clock_stamp(clock, date, time, ret_ms);
	bool is_again =
	        m->head.kind == SMI_MON_PMON ? is_next_sample(m, gpu, word) : gpu == clock->gpu;
	if (m->head.kind == SMI_MON_PMON && (is_again || (m->list.is_open && gpu < m->list.gpu)))
		samples_check(m);
	return smi_mon_clock_tick(clock, gpu, is_again, ret_ms);
}

static bool is_part(const struct smi_mon *m)
{
	for (uint32_t i = 0; i < m->head.n; i++)
		if (m->head.of[i].role == SMI_MON_PART && smi_word(m->row.v[i]) == WHY_KNOWN)
			return true;
	return false;
}

static void row_take(struct smi_mon *m, int64_t prefix_ms)
{
	struct str index = field_of(m, SMI_MON_GPU);
	uint64_t gpu;
	int64_t t_ms;
	sym word = 0;
	if (is_part(m)) {
		if (!m->has_parts)
			facts_note(m->f, "Rows of MIG instances were left out: what a part reads "
			                 "is not its GPU's.");
		m->has_parts = true;
		return;
	}
	if (!str_to_u64(index, &gpu) || gpu > UINT32_MAX) {
		facts_reject(m->f, m->line, "'%.*s' is not the index of a GPU",
		             STR_FMT(str_sub(index, 0, 40)));
		return;
	}
	if (m->head.kind == SMI_MON_PMON && !process_read(m, field_of(m, SMI_MON_PID), &word)) {
		facts_reject(m->f, m->line, "'%.*s' is not the id of a process",
		             STR_FMT(str_sub(field_of(m, SMI_MON_PID), 0, 40)));
		return;
	}
	enum smi_mon_miss miss = time_of(m, gpu, word, prefix_ms, &t_ms);
	m->r.missed[miss]++;
	if (miss) {
		smi_mon_list_end(m);
		row_reject(m, missed[miss]);
		return;
	}
	m->r.placed++;
	m->last_ms = t_ms;
	if (m->head.kind == SMI_MON_PMON)
		pmon_row(m, gpu, word, t_ms);
	else
		dmon_row(m, gpu_of(m, gpu), t_ms);
}

void smi_mon_row_read(struct smi_mon *m, struct str s, struct str raw, bool is_open,
                      int64_t prefix_ms)
{
	bool ends_blank = raw.n && (raw.p[raw.n - 1] == ' ' || raw.p[raw.n - 1] == '\t');
	m->f->inputs.v[m->f->inputs.n - 1].records++;
	m->r.rows++;
	m->is_rejected = false;
	if (!m->head.kind) {
		m->r.missed[SMI_MON_NO_HEAD]++;
		row_reject(m, missed[SMI_MON_NO_HEAD]);
	} else if (!smi_mon_head_cut(&m->a, &m->head, s, &m->row)) {
		facts_reject(m->f, m->line, "%u values, the head has %u", m->row.n, m->head.n);
	} else if (is_open && m->rows_end_blank && !ends_blank) {
		row_reject(m, "the line was cut short");
	} else {
		row_take(m, prefix_ms);
	}
	m->rows_end_blank = ends_blank;
}

void smi_mon_reasons_settle(struct smi_mon *m, size_t samples_at)
{
	struct map by_device = MAP_NULL;
	for (uint32_t i = 0; i < m->gpus.n; i++)
		*map_at(&by_device, device_id(m, &m->gpus.v[i])) = i + 1;
	uint64_t *seen = mem_alloc(mem_times(m->gpus.n + 1, sizeof *seen)); /* so far, by GPU */
	for (size_t i = samples_at; i < m->f->samples.n; i++) {
		struct sample *s = &m->f->samples.v[i];
		uint32_t at = *map_at(&by_device, s->device) - 1;
		const struct smi_mon_gpu *g = &m->gpus.v[at];
		for (int id = 0; id < METRIC_COUNT; id++) {
			bool is_ever = g->known >> id & 1, is_before = !(seen[at] >> id & 1);
			if (s->why[id] == WHY_UNSUPPORTED && is_ever)
				s->why[id] = WHY_ABSENT;
			if (s->why[id] == WHY_NOT_READY && (is_ever ? !is_before : g->rows > 1))
				s->why[id] = is_ever ? WHY_ABSENT : WHY_UNSUPPORTED;
		}
		seen[at] |= s->known;
		facts_complete(s);
	}
	mem_free(seen);
	map_deinit(&by_device);
}
