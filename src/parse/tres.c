/* SPDX-License-Identifier: Apache-2.0 */
#include "parse/tres.h"

#include "base/limits.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "8", "1K": counts may carry a binary suffix. */
static bool parse_count(struct str s, uint64_t *ret)
{
	static const char suffixes[] = "KMGTP";
	unsigned shift = 0;
	uint64_t v;
	if (s.n > 1)
		for (unsigned i = 0; suffixes[i]; i++)
			if ((s.p[s.n - 1] | 0x20) == (suffixes[i] | 0x20)) {
				shift = 10 * (i + 1);
				s.n--;
				break;
			}
	if (!str_to_u64(s, &v) || (shift && v >> (64 - shift)))
		return false;
	*ret = v << shift;
	return true;
}

/* "64G", "1280.50G", "512000M", "4T": Slurm counts memory in MiB where it writes no suffix. Parts
   of a MiB are dropped. -1: no such amount. */
static int64_t parse_memory(struct str s)
{
	static const struct {
		char suffix;
		int64_t num, den;
	} units[] = { { 'k', 1, 1024 },        { 'm', 1, 1 },       { 'g', 1024, 1 },
		      { 't', 1024 * 1024, 1 }, { 'p', 1 << 30, 1 }, { 'e', (int64_t)1 << 40, 1 } };
	int64_t thousandths, num = 1, den = 1;
	for (size_t i = 0; s.n > 1 && i < sizeof units / sizeof *units; i++)
		if ((s.p[s.n - 1] | 0x20) == units[i].suffix) {
			num = units[i].num, den = units[i].den;
			s.n--;
			break;
		}
	if (!s.n || !is_digit(s.p[0]) || !str_to_fixed(s, 3, &thousandths) || thousandths < 0 ||
	    thousandths > INT64_MAX / num)
		return -1;
	return thousandths * num / den / 1000;
}

/* "a100_1g.10gb": the compute slices of the profile, 0: no MIG profile. RET_MODEL: what stands
   before it. RET_PER_GPU: 4 for the profiles of an A30, else 7. */
static uint32_t mig_slices(struct str type, struct str *ret_model, uint32_t *ret_per_gpu)
{
	for (size_t i = 0; i + 5 < type.n; i++) {
		size_t at = i, dot, mem = 0;
		if (!is_digit(type.p[at]) || (at && is_digit(type.p[at - 1])))
			continue;
		if ((type.p[at + 1] | 0x20) != 'g' || type.p[at + 2] != '.')
			continue;
		for (dot = at + 3; dot < type.n && is_digit(type.p[dot]) && mem < 10000; dot++)
			mem = mem * 10 + (size_t)(type.p[dot] - '0');
		if (!str_starts_nocase(str_sub(type, dot, type.n), S("gb")) || dot == at + 3)
			continue;
		uint32_t g = (uint32_t)(type.p[at] - '0');
		*ret_model = str_sub(type, 0, at);
		while (ret_model->n && strchr("_-.: ", ret_model->p[ret_model->n - 1]))
			ret_model->n--;
		*ret_per_gpu = g && mem == 6 * g ? 4 : 7; /* 1g.6gb 2g.12gb 4g.24gb: A30 only */
		return g;
	}
	return 0;
}

/* What was seen so far; the sums are checked once, at the end. */
struct sums {
	uint64_t untyped, typed, per_item, assumed;
	bool has_untyped;
	uint64_t instances, slices, shards, mps;
};

static void take_model(struct tres_counts *c, struct str model)
{
	if (!model.n || str_eq(model, S("(null)")))
		return;
	if (c->model.n && !str_eq_nocase(c->model, model))
		c->has_models = true;
	c->model = model;
}

/* COUNT GPUs of TYPE (may be empty). IS_TOTAL: by TRES, where an untyped count holds the typed. */
static void take_gpus(struct tres_counts *c, struct sums *s, struct str type, uint64_t count,
                      bool is_total)
{
	struct str model = type;
	uint32_t per_gpu = 0, g = mig_slices(type, &model, &per_gpu);
	if (count)
		take_model(c, model);
	if (count > GPUS_MAX)
		count = (uint64_t)GPUS_MAX + 1;
	if (g) {
		s->instances += count;
		s->slices += count * g;
		c->slices_per_gpu = per_gpu;
		s->typed += is_total ? count : 0;
	} else if (!is_total) {
		s->per_item += count;
	} else if (type.n) {
		s->typed += count;
	} else {
		s->untyped = count > s->untyped ? count : s->untyped;
		s->has_untyped = true;
	}
}

/* "0-3,5" or "N/A". */
static void take_indexes(struct tres_counts *c, struct str list)
{
	struct str part, low;
	while (str_cut(&list, ',', &part)) {
		uint64_t a, b;
		str_cut(&part, '-', &low);
		if (!str_to_u64(low, &a) || !str_to_u64(part.p ? part : low, &b) || a > b || b > 63)
			return;
		c->indexes |= (b - a == 63 ? UINT64_MAX : ((uint64_t)1 << (b - a + 1)) - 1) << a;
		c->has_indexes = true;
	}
}

static uint32_t small(uint64_t v)
{
	return v < TRES_COUNT_UNKNOWN ? (uint32_t)v : TRES_COUNT_UNKNOWN - 1;
}

/* NAME ("gpu", "gpu:h100", "shard", "cpu") has COUNT. */
static void take_named(struct tres_counts *c, struct sums *s, struct str name, uint64_t count,
                       bool is_total)
{
	struct str kind, type = name;
	str_cut(&type, ':', &kind);
	if (!type.p)
		type = S("");
	if (str_eq(kind, S("gpu")))
		take_gpus(c, s, type, count, is_total);
	else if (str_eq(kind, S("shard")))
		s->shards += count <= GPUS_MAX ? count : 0;
	else if (str_eq(kind, S("mps")))
		s->mps += count <= GPUS_MAX ? count : 0;
	else if (str_eq(name, S("cpu")))
		c->cpus = small(count);
	else if (str_eq(name, S("node")))
		c->nodes = small(count);
}

/* Slurm's slurmdb_defs: TRES_CPU 1, MEM 2, ENERGY 3, NODE 4, BILLING 5, FS_DISK 6, VMEM 7, PAGES 8;
   what a site defines begins at 1001. */
static void take_numbered(struct tres_counts *c, struct sums *s, uint64_t id, uint64_t count,
                          const struct tres_name *names, size_t names_n)
{
	for (size_t i = 0; i < names_n; i++)
		if (names[i].id == id) {
			struct str name = names[i].name;
			if (str_starts(name, S("gres/")))
				name = str_sub(name, 5, name.n);
			take_named(c, s, name, count, true);
			return;
		}
	if (id == 1)
		c->cpus = small(count);
	else if (id == 2)
		c->memory_mib = count <= INT64_MAX ? (int64_t)count : -1;
	else if (id == 4)
		c->nodes = small(count);
	else if (!names && (id == 1001 || id == 1002)) {
		c->is_assumed = true;
		s->assumed = count > s->assumed ? count : s->assumed;
	}
}

static bool take_prefix(struct str *s, struct str head)
{
	if (!str_starts_nocase(*s, head))
		return false;
	*s = str_sub(*s, head.n, s->n);
	return true;
}

/* One item, without its brackets. */
static bool take_item(struct tres_counts *c, struct sums *s, struct str item,
                      const struct tres_name *names, size_t names_n)
{
	uint64_t count = 1, id;
	if (take_prefix(&item, S("PER_NODE:")))
		c->is_per_node = true;
	else if (take_prefix(&item, S("PER_JOB:")))
		c->is_per_node = false;
	bool is_gres = take_prefix(&item, S("gres/")) || take_prefix(&item, S("gres:"));
	size_t eq = str_find_byte(item, '=');
	if (eq < item.n) {
		struct str value = str_sub(item, eq + 1, item.n);
		struct str name = str_sub(item, 0, eq);
		bool is_known = parse_count(value, &count);
		if (str_eq(name, S("mem"))) {
			c->memory_mib = parse_memory(value);
			return true;
		}
		if (str_to_u64(name, &id)) {
			if (is_known)
				take_numbered(c, s, id, count, names, names_n);
			return is_known;
		}
		/* "mem=1280.50G", "energy=..." are not counts; a GPU count must be one */
		if (!is_known)
			return !str_starts(name, S("gpu")) || str_starts(name, S("gpumem"));
		take_named(c, s, name, count, true);
		return name.n > 0;
	}
	/* NAME[:TYPE][:no_consume][:COUNT] */
	size_t last = item.n;
	while (last && item.p[last - 1] != ':')
		last--;
	if (last && parse_count(str_sub(item, last, item.n), &count))
		item = str_sub(item, 0, last - 1);
	if (str_ends(item, S(":no_consume")))
		item.n -= sizeof(":no_consume") - 1;
	struct str kind = item, head;
	str_cut(&kind, ':', &head);
	for (size_t i = 0; i < head.n; i++)
		if ((unsigned char)head.p[i] <= ' ' || head.p[i] == '/')
			return false;
	if (!head.n || is_digit(head.p[0]) || (!is_gres && !last && !str_eq(head, S("gpu"))))
		return false; /* a lone word that is no GPU: not such a string */
	take_named(c, s, item, count, false);
	return true;
}

/* The length of the first item: up to a comma that stands outside brackets. */
static size_t item_length(struct str s, size_t *ret_bracket)
{
	size_t depth = 0, i = 0;
	*ret_bracket = SIZE_MAX;
	for (; i < s.n && (depth || s.p[i] != ','); i++) {
		if (s.p[i] == '(') {
			/* "(null)" is a type, not a remark */
			if (!depth && !str_starts(str_sub(s, i, s.n), S("(null)")))
				*ret_bracket = i;
			depth++;
		}
		if (s.p[i] == ')' && depth)
			depth--;
	}
	return i;
}

bool tres_cut_item(struct str *s, struct str *ret)
{
	size_t bracket;
	if (!s->n)
		return false;
	size_t n = item_length(*s, &bracket);
	*ret = str_sub(*s, 0, n);
	*s = str_sub(*s, n + 1, s->n);
	return true;
}

static bool says_nothing(struct str s)
{
	return !s.n || str_eq_nocase(s, S("N/A")) || str_eq_nocase(s, S("Unknown"));
}

enum tres tres_parse(struct str s, const struct tres_name *names, size_t names_n,
                     struct tres_counts *ret)
{
	struct tres_counts c = { .cpus = TRES_COUNT_UNKNOWN,
		                 .nodes = TRES_COUNT_UNKNOWN,
		                 .memory_mib = -1 };
	struct sums sums = { 0 };
	s = str_trim(s);
	if (says_nothing(s))
		return TRES_UNKNOWN;
	if (str_eq(s, S("(null)"))) {
		*ret = c;
		return TRES_OK;
	}
	while (s.n) {
		size_t bracket, n = item_length(s, &bracket);
		struct str item = str_trim(str_sub(s, 0, bracket < n ? bracket : n));
		if (bracket < n) {
			struct str remark = str_sub(s, bracket + 1, n - bracket - 1);
			size_t at = str_find(remark, S("IDX:"));
			struct str list = str_sub(remark, at + 4, remark.n);
			list.n = at < remark.n ? str_find_byte(list, ')') : 0;
			take_indexes(&c, list);
		}
		if (item.n && !take_item(&c, &sums, item, names, names_n))
			return TRES_BAD;
		s = str_sub(s, n + 1, s.n);
	}
	uint64_t total = sums.has_untyped && sums.untyped > sums.typed ? sums.untyped : sums.typed;
	/* a TRES total counts an instance as a GPU; instances of a node's GRES were never added */
	uint64_t in_total = sums.typed ? sums.instances : 0;
	total = total > in_total ? total - in_total : 0;
	total += sums.per_item + sums.assumed;
	if (total > GPUS_MAX || sums.instances > GPUS_MAX)
		return TRES_BAD;
	c.gpus = (uint32_t)total;
	c.instances = (uint32_t)sums.instances;
	c.slices = small(sums.slices);
	c.shards = small(sums.shards);
	c.mps = small(sums.mps);
	if (c.has_models)
		c.model = S("");
	*ret = c;
	return TRES_OK;
}
