/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_box.h"

#include "read/nvidia_smi.h"

#define CELLS 3u
#define PART_CELLS 4u
#define GPUS_MAX_IN_BOX 1024u

void smi_box_deinit(struct smi_box *b)
{
	for (size_t i = 0; i < b->gpus.n; i++)
		smi_gpu_deinit(&b->gpus.v[i]);
	vec_deinit(&b->gpus);
}

bool smi_box_begins(struct str line)
{
	return str_starts(line, S("| NVIDIA-SMI "));
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_letter(s.p[i]))
			return false;
	return s.n > 0;
}

/* The next item of a cell: what has no blank, or stands in brackets, or words with one blank
   between
   ("Unknown Error"). False at the end. */
static bool next_item(struct str *cell, struct str *ret)
{
	size_t n = 0;
	*cell = str_trim(*cell);
	if (!cell->n)
		return false;
	if (cell->p[0] == '[' && (n = str_find_byte(*cell, ']')) < cell->n) {
		n++;
	} else {
		for (;;) {
			size_t from = n;
			while (n < cell->n && cell->p[n] != ' ')
				n++;
			struct str more = str_sub(*cell, n, cell->n);
			bool goes_on = more.n > 1 && more.p[0] == ' ' && is_letter(more.p[1]) &&
			               is_word(str_sub(*cell, from, n - from));
			struct str word =
			        str_sub(more, 1, str_find_byte(str_sub(more, 1, more.n), ' '));
			if (!goes_on || !is_word(word))
				break;
			n++;
		}
	}
	*ret = str_sub(*cell, 0, n);
	*cell = str_sub(*cell, n, cell->n);
	return true;
}

/* "41W / 250W" to both sides; a lone word stands for both. */
static void cut_pair(struct str cell, struct str *ret_left, struct str *ret_right)
{
	size_t at = str_find(cell, S(" / "));
	*ret_left = str_trim(str_sub(cell, 0, at));
	*ret_right = at < cell.n ? str_trim(str_sub(cell, at + 3, cell.n)) : *ret_left;
}

static void name_read(struct smi_rows *r, struct smi_gpu *g, const struct str cell[CELLS])
{
	struct str name = cell[0], index;
	if (!next_item(&name, &index))
		return;
	smi_gpu_put(r, g, "index", index);
	name = str_trim(name); /* then the persistence mode, or the driver's model: one word */
	size_t n = name.n;
	while (n && name.p[n - 1] != ' ')
		n--;
	smi_gpu_put(r, g, "name", str_trim(str_sub(name, 0, n)));
	smi_gpu_put(r, g, "pci.bus_id", cell[1]);
}

static void values_read(struct smi_rows *r, struct smi_gpu *g, const struct str cell[CELLS])
{
	static const char *const columns[] = { "fan.speed", "temperature.gpu", NULL /* Perf */,
		                               "power.draw" };
	struct str left, right, item, third = cell[2];
	size_t slash = str_find(cell[0], S(" / "));
	left = str_sub(cell[0], 0, slash);
	for (size_t i = 0; i < sizeof columns / sizeof *columns && next_item(&left, &item); i++)
		if (columns[i])
			smi_gpu_put(r, g, columns[i], item);
	if (slash < cell[0].n)
		smi_gpu_put(r, g, "enforced.power.limit",
		            str_trim(str_sub(cell[0], slash + 3, cell[0].n)));
	cut_pair(cell[1], &left, &right);
	smi_gpu_put(r, g, "memory.used", left);
	smi_gpu_put(r, g, "memory.total", right);
	if (next_item(&third, &item))
		smi_gpu_put(r, g, "utilization.gpu", item);
}

static void mode_read(struct smi_rows *r, struct smi_gpu *g, const struct str cell[CELLS])
{
	struct str mode = cell[2];
	if (str_ends(mode, S("*"))) /* another one is to come */
		mode = str_sub(mode, 0, mode.n - 1);
	smi_gpu_put(r, g, "mig.mode.current", mode);
}

static struct smi_gpu *gpu_add(struct smi_box *b, uint64_t at)
{
	if (b->gpus_n == b->gpus.n)
		vec_push(&b->gpus);
	struct smi_gpu *g = &b->gpus.v[b->gpus_n++];
	smi_gpu_begin(g, at);
	return g;
}

/* The GPU at hand is complete. */
static void gpu_close(struct smi_box *b, struct smi_rows *r)
{
	if (b->lines == 1) {
		struct smi_gpu *g = &b->gpus.v[--b->gpus_n];
		r->f->inputs.v[r->f->inputs.n - 1].records++;
		facts_reject(r->f, g->line, "the table ends in the middle of a GPU");
	}
	b->lines = 0;
}

static void gpu_line(struct smi_box *b, struct smi_rows *r, struct str line, uint64_t at)
{
	struct str cell[CELLS], rest = str_sub(line, 1, line.n - (str_ends(line, S("|")) ? 2 : 1));
	uint32_t n = 0;
	while (n < CELLS && str_cut(&rest, '|', &cell[n]))
		n++;
	if (n < CELLS || (rest.p && rest.n)) {
		if (!b->lines) {
			r->f->inputs.v[r->f->inputs.n - 1].records++;
			facts_reject(r->f, at, "this line of the table has not three cells");
		}
		return;
	}
	for (uint32_t i = 0; i < CELLS; i++)
		cell[i] = str_trim(cell[i]);
	if (!b->lines && b->gpus_n == GPUS_MAX_IN_BOX)
		return;
	struct smi_gpu *g = b->lines ? &b->gpus.v[b->gpus_n - 1] : gpu_add(b, at);
	b->lines++;
	if (b->lines == 1)
		name_read(r, g, cell);
	else if (b->lines == 2)
		values_read(r, g, cell);
	else if (b->lines == 3)
		mode_read(r, g, cell);
}

static struct smi_gpu *gpu_of(struct smi_box *b, struct str index)
{
	for (size_t i = 0; i < b->gpus_n; i++)
		if (str_eq(smi_gpu_value(&b->gpus.v[i], "index"), index))
			return &b->gpus.v[i];
	return NULL;
}

/* "|  0    2   0   0  |   26MiB / 40448MiB    | 60      0 |  3   0    3    0    3 |": the GPU and
   its instances' ids; memory; multiprocessors and errors; copy engines and others. */
static void part_line(struct smi_box *b, struct smi_rows *r, struct str line)
{
	struct str cell[PART_CELLS], rest = str_sub(line, 1, line.n), index, id, used, total, item;
	uint32_t n = 0;
	if (str_find(line, S("No MIG devices")) < line.n)
		for (size_t i = 0; i < b->gpus_n; i++)
			b->gpus.v[i].parts.is_listed = true;
	while (n < PART_CELLS && str_cut(&rest, '|', &cell[n]))
		n++;
	if (n < PART_CELLS || !next_item(&cell[0], &index) || !next_item(&cell[0], &id))
		return; /* the second line of one */
	struct smi_gpu *g = gpu_of(b, index);
	if (!g)
		return;
	struct smi_part *p = &g->parts.at_hand;
	p->v[PART_GI] = str_dup(&r->a, id);
	cut_pair(cell[1], &used, &total);
	p->v[PART_USED] = str_dup(&r->a, used);
	p->v[PART_TOTAL] = str_dup(&r->a, total);
	if (next_item(&cell[2], &item))
		p->v[PART_SMS] = str_dup(&r->a, item);
	if (next_item(&cell[3], &item))
		p->v[PART_ENGINES] = str_dup(&r->a, item);
	smi_part_end(g);
}

static void process_line(struct smi_box *b, struct smi_rows *r, struct str line, uint64_t at)
{
	struct str rest = str_trim(str_sub(line, 1, line.n - (str_ends(line, S("|")) ? 2 : 1)));
	struct str index, pid = STR_NULL, said, instance = STR_NULL;
	uint64_t number;
	if (str_starts(rest, S("No running"))) {
		b->has_list = true;
		return;
	}
	if (!next_item(&rest, &index))
		return;
	said = str_trim(rest);
	for (int i = 0; i < (b->has_instances ? 3 : 1) && next_item(&rest, &pid); i++)
		instance = i ? instance : pid;
	struct smi_gpu *g = gpu_of(b, index);
	if (g && str_to_u64(pid, &number)) {
		smi_part_put_process(g, b->has_instances ? instance : STR_NULL);
		smi_gpu_put_pid(g, pid), smi_part_put_pid(r, g, pid);
		b->has_list = true;
	} else if (g && smi_word(said) != WHY_KNOWN) { /* "Not Supported" */
		g->list = str_dup(&r->a, said);
		b->has_list = true;
	} else {
		facts_reject(r->f, at,
		             g ? "this line of the processes has no process id"
		               : "a process of a GPU that the table does not list");
		r->f->inputs.v[r->f->inputs.n - 1].records++;
	}
}

void smi_box_end(struct smi_box *b, struct smi_rows *r)
{
	bool is_whole = b->part == SMI_BOX_END;
	gpu_close(b, r);
	for (size_t i = 0; i < b->gpus_n; i++) {
		struct smi_gpu *g = &b->gpus.v[i];
		/* a table with nothing in it: there are programs whose names are not for us */
		if (!is_whole)
			g->pids.n = g->parts.pids.n = 0;
		else if (!g->list.n)
			g->list = b->has_list ? S(SMI_NOBODY) : S("Insufficient Permissions");
		smi_gpu_end(r, g);
	}
	if (b->gpus_n)
		arena_reset(&r->a);
	b->gpus_n = 0;
	b->part = SMI_BOX_NONE;
	r->when.n = 0;
}

/* A line of '=' is below a head. */
static enum smi_box_part part_below(const struct smi_box *b)
{
	enum smi_box_part part = b->part;
	return part == SMI_BOX_HEAD             ? b->is_plain ? SMI_BOX_GPUS : SMI_BOX_OTHER
	       : part == SMI_BOX_PARTS_HEAD     ? SMI_BOX_PARTS
	       : part == SMI_BOX_PROCESSES_HEAD ? SMI_BOX_PROCESSES
	                                        : part;
}

bool smi_box_line(struct smi_box *b, struct smi_rows *r, struct str line, uint64_t at)
{
	bool is_border = line.n && (line.p[0] == '+' || str_starts(line, S("|--")));
	if (smi_box_begins(line)) {
		b->part = SMI_BOX_HEAD;
		b->is_plain = b->has_list = b->has_instances = false;
		return true;
	}
	if (b->part == SMI_BOX_NONE)
		return false;
	if (line.n && !is_border && line.p[0] != '|') {
		smi_box_end(b, r);
		return false;
	}
	if (is_border || !line.n) {
		gpu_close(b, r);
		if (b->part == SMI_BOX_PROCESSES)
			b->part = SMI_BOX_END;
		else if (b->part == SMI_BOX_GPUS && !line.n)
			b->part = SMI_BOX_OTHER;
	} else if (str_starts(line, S("|="))) {
		b->part = part_below(b);
	} else if (b->part == SMI_BOX_HEAD) {
		b->is_plain |= str_find(line, S(" Memory-Usage ")) < line.n;
	} else if (str_starts(line, S("| Processes:")) ||
	           str_starts(line, S("| Compute processes:"))) {
		gpu_close(b, r);
		b->part = SMI_BOX_PROCESSES_HEAD;
	} else if (str_starts(line, S("| MIG devices:"))) {
		gpu_close(b, r);
		b->part = SMI_BOX_PARTS_HEAD;
	} else if (b->part == SMI_BOX_PROCESSES_HEAD && str_find(line, S("PID")) < line.n) {
		b->has_instances = str_find(line, S(" GI ")) < line.n;
	} else if (b->part == SMI_BOX_GPUS) {
		gpu_line(b, r, line, at);
	} else if (b->part == SMI_BOX_PARTS) {
		part_line(b, r, line);
	} else if (b->part == SMI_BOX_PROCESSES) {
		process_line(b, r, line, at);
	}
	return true;
}
