/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_query.h"

#include "read/nvidia_smi.h"

void smi_query_deinit(struct smi_query *q)
{
	smi_gpu_deinit(&q->gpu);
	text_deinit(&q->path);
}

bool smi_query_begins(struct str line)
{
	size_t at = str_find(line, S("NVSMI LOG"));
	return at < line.n && at > 0 && line.p[at - 1] == '=';
}

static void part_close(struct smi_query *q)
{
	if (q->has_part)
		smi_part_end(&q->gpu);
	q->has_part = false;
}

static void gpu_close(struct smi_query *q, struct smi_rows *r)
{
	if (q->has_gpu) {
		part_close(q);
		smi_gpu_end(r, &q->gpu);
		arena_reset(&r->a);
	}
	q->has_gpu = false;
}

void smi_query_end(struct smi_query *q, struct smi_rows *r)
{
	if (!q->is_open)
		return;
	gpu_close(q, r);
	q->is_open = false;
	r->when.n = 0;
}

/* "    Key       : Value", or a key alone. */
static void cut_pair(struct str line, struct str *ret_key, struct str *ret_value)
{
	size_t at = str_find(line, S(" : "));
	if (at == line.n && str_ends(line, S(" :")))
		at = line.n - 2;
	*ret_key = str_trim(str_sub(line, 0, at));
	*ret_value = at < line.n ? str_trim(str_sub(line, at + 2, line.n)) : STR_NULL;
}

/* Q.PATH becomes that of KEY, which stands INDENT blanks in. False: it is too deep. */
static bool path_set(struct smi_query *q, size_t indent, struct str key)
{
	while (q->depth && q->above[q->depth - 1].indent >= indent)
		q->depth--;
	q->path.n = q->depth ? q->above[q->depth - 1].path_n : 0;
	if (q->depth == SMI_TREE_DEPTH_MAX)
		return false;
	if (q->path.n)
		text_byte(&q->path, '/');
	text_add(&q->path, str_sub(key, 0, 64));
	q->above[q->depth].indent = indent;
	q->above[q->depth++].path_n = q->path.n;
	return true;
}

/* PATH is below a MIG device. Newer drivers call its memory shared. */
static void part_value_read(struct smi_query *q, struct smi_rows *r, struct str path,
                            struct str value)
{
	if (str_starts_nocase(path, S("Shared FB ")))
		path = str_sub(path, sizeof "Shared " - 1, path.n);
	smi_part_put_path(r, &q->gpu, SMI_FORM_TEXT, path, value);
}

static void value_read(struct smi_query *q, struct smi_rows *r, struct str value)
{
	static const char part[] = "MIG Device/";
	struct str path = text_str(&q->path);
	if (q->has_part && str_starts_nocase(path, S(part))) {
		part_value_read(q, r, str_sub(path, sizeof part - 1, path.n), value);
		return;
	}
	part_close(q);
	smi_gpu_put_path(r, &q->gpu, SMI_FORM_TEXT, path, value);
	if (str_eq_nocase(path, S("MIG Device")) || str_eq_nocase(path, S("MIG Devices"))) {
		q->gpu.parts.is_listed = true;
		q->has_part = !value.n; /* "None" */
	}
	if (str_eq_nocase(path, S("Processes/GPU instance ID")))
		smi_part_put_process(&q->gpu, value);
	if (str_eq_nocase(path, S("Processes/Process ID"))) {
		smi_gpu_put_pid(&q->gpu, value), smi_part_put_pid(r, &q->gpu, value);
		q->gpu.list = S(SMI_NOBODY); /* but those that are listed */
	}
	if (str_eq_nocase(path, S("Processes")) && value.n)
		q->gpu.list =
		        str_eq_nocase(value, S("None")) ? S(SMI_NOBODY) : str_dup(&r->a, value);
}

/* A line that is not indented: of the log itself, or the head of a GPU. */
static bool top_line(struct smi_query *q, struct smi_rows *r, struct str line, uint64_t at)
{
	char pci[17];
	struct str key, value;
	if (str_starts(line, S("GPU ")) && smi_pci(line, pci)) {
		gpu_close(q, r);
		smi_gpu_begin(&q->gpu, at);
		smi_gpu_put(r, &q->gpu, "pci.bus_id", str_sub(line, 4, line.n));
		q->has_gpu = true;
		q->depth = 0;
		return true;
	}
	cut_pair(line, &key, &value);
	if (str_eq(key, S("Timestamp"))) {
		gpu_close(q, r);
		r->when.n = 0;
		(void)smi_when(&r->when, value);
		return true;
	}
	return !q->has_gpu && value.p && key.n; /* versions, and how many GPUs there are */
}

bool smi_query_line(struct smi_query *q, struct smi_rows *r, struct str line, uint64_t at)
{
	struct str key, value, text = str_trim(line);
	if (smi_query_begins(text)) {
		smi_query_end(q, r);
		q->is_open = true;
		q->depth = 0;
		q->indent = (size_t)(text.p - line.p);
		r->when_miss = "the log has no Timestamp before this GPU";
		return true;
	}
	if (!q->is_open)
		return false;
	if (!text.n)
		return true;
	size_t indent = (size_t)(text.p - line.p);
	indent = indent > q->indent ? indent - q->indent : 0;
	if (!indent && top_line(q, r, text, at))
		return true;
	if (!indent) {
		smi_query_end(q, r);
		return false;
	}
	cut_pair(text, &key, &value);
	if (q->has_gpu && path_set(q, indent, key))
		value_read(q, r, value);
	return true;
}
