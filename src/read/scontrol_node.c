/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scontrol show node: a block a node, or one line each with -o.
 */
#include "parse/when.h"
#include "read/reader.h"
#include "read/slurm_node.h"

static const char node_head[] = "NodeName=";
static const char partition_head[] = "PartitionName=";

static struct str skip_blank(struct str s)
{
	if (str_starts(s, S("\xef\xbb\xbf")))
		s = str_sub(s, 3, s.n);
	while (s.n && (s.p[0] == '\n' || s.p[0] == '\r' || s.p[0] == ' '))
		s = str_sub(s, 1, s.n);
	return s;
}

static int scontrol_node_recognise(struct str head, const struct read_options *options)
{
	(void)options;
	head = skip_blank(head);
	if (str_starts(head, str_of(node_head)))
		return 95;
	return str_starts(head, str_of(partition_head)) ? 50 : 0; /* refused with the reason */
}

static enum err_code scontrol_node_open(struct read_run *run, struct str head, struct err *err)
{
	if (str_starts(skip_blank(head), str_of(partition_head)))
		return err_set(err, ERR_INPUT,
		               "partitions share nodes, so their GPUs would be counted twice\n"
		               "hint: scontrol show node");
	run->state = run; /* nothing to keep */
	return ERR_OK;
}

/* Where the next node begins behind the start of S, at a line's start; S.n: none. */
static size_t next_node(struct str s)
{
	for (size_t at = 1; at < s.n;) {
		size_t newline = at + str_find_byte(str_sub(s, at, s.n), '\n');
		if (newline >= s.n)
			break;
		at = newline + 1;
		if (str_starts(str_sub(s, at, s.n), str_of(node_head)))
			return at;
	}
	return s.n;
}

/* The value of "KEY=" where it stands behind white space or first, up to the next white space. */
static struct str value_of(struct str block, struct str key)
{
	for (size_t at = 0; at + key.n <= block.n; at++) {
		at += str_find(str_sub(block, at, block.n), key);
		if (at + key.n > block.n)
			break;
		if (at && (unsigned char)block.p[at - 1] > ' ')
			continue;
		size_t from = at + key.n, to = from;
		while (to < block.n && (unsigned char)block.p[to] > ' ')
			to++;
		return str_sub(block, from, to - from);
	}
	return STR_NULL;
}

/* A reason holds blanks: up to the "]" of "[root@TIME]", or the line's end. */
static struct str reason_of(struct str block)
{
	struct str v = value_of(block, S("Reason="));
	if (!v.p)
		return v;
	v.n = (size_t)(block.p + block.n - v.p);
	v = str_sub(v, 0, str_find_byte(v, '\n'));
	return str_sub(v, 0, str_find_byte(v, ']') + 1);
}

static void read_node(const struct read_run *run, struct str block, uint64_t line, struct facts *f)
{
	const char *why;
	struct slurm_node n = {
		.name = value_of(block, str_of(node_head)),
		.partition = value_of(block, S("Partitions=")),
		.gres = value_of(block, S("Gres=")),
		.state = value_of(block, S("State=")),
		.since_ms = slurm_node_since(reason_of(block), run->options->zone),
		.at_ms = TIME_UNKNOWN,
	};
	if (!n.gres.p)
		n.gres = value_of(block, S("CfgTRES="));
	slurm_node_room(&n,
	                (struct slurm_room){ .cpus = value_of(block, S("CPUTot=")),
	                                     .cpus_for_jobs = value_of(block, S("CPUEfctv=")),
	                                     .memory = value_of(block, S("RealMemory=")),
	                                     .memory_kept = value_of(block, S("MemSpecLimit=")) });
	if (!slurm_node_add(f, &n, S("scontrol"), &why))
		facts_reject(f, line, "node '%.*s': %s", STR_FMT(str_sub(n.name, 0, 60)), why);
}

static enum err_code scontrol_node_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                        struct facts *f, struct err *err)
{
	(void)err;
	f->has_scheduler = true;
	while (bytes.n) {
		size_t n = next_node(bytes);
		struct str block = str_sub(bytes, 0, n);
		struct str node = skip_blank(block);
		if (str_starts(node, str_of(node_head))) {
			f->inputs.v[f->inputs.n - 1].records++;
			read_node(run, node, line, f);
		} else if (node.n) {
			f->inputs.v[f->inputs.n - 1].records++;
			facts_reject(f, line, "text before the first NodeName=");
		}
		for (size_t i = 0; i < n; i++)
			line += bytes.p[i] == '\n';
		bytes = str_sub(bytes, n, bytes.n);
	}
	return ERR_OK;
}

const struct reader reader_scontrol_node = {
	.name = "scontrol_node",
	.help = "The GPUs of each node and its state now: scontrol show node (also with -o).",
	.cut = CUT_WHOLE,
	.recognise = scontrol_node_recognise,
	.open = scontrol_node_open,
	.feed = scontrol_node_feed,
};
