/* SPDX-License-Identifier: Apache-2.0 */
#include "read/amd.h"

#include "parse/when.h"
#include "read/nvidia_smi.h"

static const struct amd_name {
	const char *name;
	int metric; /* -1: it names the GPU, or the time */
	enum amd_id id;
	const char *unit;
	uint8_t rank;
} names[] = {
#define AMD_READING(name, metric, unit, rank) { #name, METRIC_##metric, AMD_ID_COUNT, unit, rank },
#define AMD_NAME(name, id) { #name, -1, AMD_##id, "", 0 },
#include "read/amd_names.def"
#undef AMD_READING
#undef AMD_NAME
};

struct str amd_plain_name(struct str name, char *ret)
{
	size_t n = 0;
	name = str_trim(name);
	if (str_ends(name, S("(%)")))
		name = str_sub(name, 0, name.n - 3);
	for (size_t i = 0; i < name.n && n < 95; i++) {
		char c = name.p[i];
		bool is_word =
		        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
		if (is_word)
			ret[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 0x20 : c);
		else if (n && ret[n - 1] != '_')
			ret[n++] = '_';
	}
	while (n && ret[n - 1] == '_')
		n--;
	return (struct str){ ret, n };
}

static const struct amd_name *find(struct str name)
{
	char buf[96];
	struct str plain = amd_plain_name(name, buf);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_eq(plain, str_of(names[i].name)))
			return &names[i];
	return NULL;
}

bool amd_is_known(struct str name)
{
	return find(name) != NULL;
}

void amd_open(struct amd_feed *a, struct facts *f, const struct read_options *o)
{
	*a = (struct amd_feed){ .f = f, .o = o };
}

void amd_close(struct amd_feed *a)
{
	map_deinit(&a->seen);
	text_deinit(&a->key);
}

void amd_begin(struct amd_feed *a, uint64_t line)
{
	a->line = line;
	a->is_rejected = false;
	a->s = (struct sample){ .kind = SAMPLE_POINT, .procs_why = WHY_ABSENT };
	memset(a->s.why, WHY_ABSENT, sizeof a->s.why);
	memset(a->rank, 0, sizeof a->rank);
	memset(a->id, 0, sizeof a->id);
	a->f->inputs.v[a->f->inputs.n - 1].records++;
}

/* "(300Mhz)", "39.0 W": the number, and the unit that stands behind it. */
static struct str number_of(struct str v, struct str *ret_unit)
{
	v = str_trim(v);
	if (v.n >= 2 && v.p[0] == '(' && v.p[v.n - 1] == ')')
		v = str_trim(str_sub(v, 1, v.n - 2));
	size_t n = v.n;
	while (n && ((v.p[n - 1] | 0x20) < 'a' || (v.p[n - 1] | 0x20) > 'z') && v.p[n - 1] != '%')
		n--; /* the last letter, if there is one */
	if (n != v.n || !v.n || ((v.p[0] < '0' || v.p[0] > '9') && v.p[0] != '-'))
		return v;
	while (n &&
	       (((v.p[n - 1] | 0x20) >= 'a' && (v.p[n - 1] | 0x20) <= 'z') || v.p[n - 1] == '%'))
		n--;
	*ret_unit = str_sub(v, n, v.n);
	return str_trim(str_sub(v, 0, n));
}

/* The unit that the tool states, if it says something else than the name does. */
static bool unit_of(const struct amd_name *x, struct str said, struct reading_unit *ret)
{
	enum metric_id id = (enum metric_id)x->metric;
	if (metrics[id].unit == UNIT_MEBIBYTES && (str_eq(said, S("MB")) || !said.n))
		return reading_unit_find(id, str_of(x->unit), ret);
	if (metrics[id].unit == UNIT_MEBIBYTES && str_eq(said, S("GB")))
		said = S("GiB");
	if (str_eq_nocase(said, S("MHz")))
		said = S("MHz");
	return reading_unit_find(id, said.n ? said : str_of(x->unit), ret);
}

/* All bits set, in 16, 32 or 64 of them: the firmware has no value. */
static bool is_all_ones(struct str v)
{
	return str_eq(v, S("65535")) || str_eq(v, S("4294967295")) ||
	       str_eq(v, S("18446744073709551615"));
}

void amd_take(struct amd_feed *a, struct str name, struct str value, struct str unit)
{
	const struct amd_name *x = find(name);
	struct reading_unit u;
	if (!x)
		return;
	value = str_trim(value);
	if (x->metric < 0) {
		if (smi_word(value) == WHY_KNOWN && !a->id[x->id].n)
			a->id[x->id] = value;
		return;
	}
	enum metric_id id = (enum metric_id)x->metric;
	if (a->rank[id] && a->rank[id] <= x->rank)
		return;
	struct str number = number_of(value, &unit);
	if (is_all_ones(number)) {
		reading_miss(&a->s, id, WHY_UNSUPPORTED);
		return;
	}
	if (!unit_of(x, unit, &u)) {
		if (!a->is_rejected)
			facts_reject(a->f, a->line, "'%.*s' is no unit of %s",
			             STR_FMT(str_sub(unit, 0, 20)), metrics[id].name);
		a->is_rejected = true;
		return;
	}
	reading_take(a->f, a->line, &a->is_rejected, &a->s, id, number, u);
	if (a->s.known >> id & 1)
		a->rank[id] = x->rank;
}

static bool says_nothing(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '0')
			return false;
	return true;
}

/* The strongest name of the GPU: its unique id, serial, slot within the node, number. */
static sym device_of(struct amd_feed *a)
{
	char pci[17];
	struct str scope = a->o ? a->o->input_name : S("gpu");
	if (!says_nothing(a->id[AMD_UUID]))
		return facts_word(a->f, a->id[AMD_UUID]);
	if (!says_nothing(a->id[AMD_SERIAL]))
		return facts_word(a->f, a->id[AMD_SERIAL]);
	struct str within = smi_pci(a->id[AMD_PCI], pci) ? str_of(pci) : a->id[AMD_INDEX];
	a->key.n = 0;
	text_add(&a->key, scope);
	if (within.n) {
		text_byte(&a->key, ':');
		text_add(&a->key, within);
	}
	return facts_word(a->f, text_str(&a->key));
}

/* False: the record was rejected. */
static bool time_of(struct amd_feed *a, int64_t *ret)
{
	*ret = a->o && a->o->has_at ? a->o->at_ms : TIME_UNKNOWN;
	if (!a->id[AMD_TIME].n)
		return true;
	enum when w = when_parse(a->id[AMD_TIME], a->o ? a->o->zone : NULL, ret);
	if (w == WHEN_OK || w == WHEN_GAP)
		return true;
	if (!a->is_rejected)
		facts_reject(a->f, a->line, "'%.*s' is not a time",
		             STR_FMT(str_sub(a->id[AMD_TIME], 0, 40)));
	a->is_rejected = true;
	return false;
}

void amd_end(struct amd_feed *a)
{
	int64_t t_ms;
	if (!time_of(a, &t_ms))
		return;
	sym id = device_of(a);
	uint32_t *at = map_at(&a->seen, id);
	if (!*at) {
		*vec_push(&a->f->devices) = (struct device){ .id = id };
		*at = (uint32_t)a->f->devices.n;
	}
	struct device *d = &a->f->devices.v[*at - 1];
	if (!d->model && a->id[AMD_MODEL].n)
		d->model = facts_word(a->f, a->id[AMD_MODEL]);
	if (t_ms == TIME_UNKNOWN) {
		facts_note(a->f, "What AMD's tools print of one moment does not say which: the "
		                 "GPUs are known, their readings are not used. FILE@at=TIME says "
		                 "when it was printed; amd-smi monitor -w 1 --csv writes times.");
		return;
	}
	a->s.device = id;
	a->s.t_ms = t_ms;
	*facts_sample(a->f, id, t_ms) = a->s;
}
