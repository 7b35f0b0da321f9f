/* SPDX-License-Identifier: Apache-2.0 */
/* dcgm: names, devices and values; see dcgm.h. Fields: DCGM's dcgm_fields.h, dcgm_structs.h. */
#include "read/dcgm.h"

static const struct dcgm_metric dcgm_metrics[] = {
#define DCGM(id, part, unit, rank, new_name) { #id, new_name, DCGM_##part, DCGM_##unit, rank },
#include "read/dcgm.def"
#undef DCGM
};

/* Names of the first releases, which had no "fi". */
static const struct {
	const char *name, *now;
} first_names[] = {
	{ "dcgm_gpu_utilization", "DEV_GPU_UTIL" },
	{ "dcgm_power_usage", "DEV_POWER_USAGE" },
	{ "dcgm_fb_used", "DEV_FB_USED" },
	{ "dcgm_total_energy_consumption", "DEV_TOTAL_ENERGY_CONSUMPTION" },
};

bool dcgm_is_name(struct str name)
{
	if (str_starts_nocase(name, S("DCGM_FI_")))
		return true;
	for (size_t i = 0; i < sizeof first_names / sizeof *first_names; i++)
		if (str_eq(name, str_of(first_names[i].name)))
			return true;
	return false;
}

static const struct dcgm_metric *metric_of(struct str name)
{
	if (str_starts_nocase(name, S("DCGM_FI_")))
		name = str_sub(name, 8, name.n);
	for (size_t i = 0; i < sizeof first_names / sizeof *first_names; i++)
		if (str_eq(name, str_of(first_names[i].name)))
			name = str_of(first_names[i].now);
	for (size_t i = 0; i < sizeof dcgm_metrics / sizeof *dcgm_metrics; i++)
		if (str_eq_nocase(name, str_of(dcgm_metrics[i].name)) ||
		    (*dcgm_metrics[i].new_name &&
		     str_eq_nocase(name, str_of(dcgm_metrics[i].new_name))))
			return &dcgm_metrics[i];
	return NULL;
}

/* The first of some labels that says something. */
static struct str first_of(const struct prom_label *labels, size_t n, const char *const *names)
{
	for (; *names; names++) {
		struct str v = prom_label(labels, n, *names);
		if (v.n)
			return v;
	}
	return STR_NULL;
}

/* "1g.10gb" and "1c.3g.40gb": slices stand before the g. */
static uint32_t slices_of(struct str profile)
{
	struct str part;
	while (str_cut(&profile, '.', &part)) {
		uint64_t n;
		if (str_ends(part, S("g")) && str_to_u64(str_sub(part, 0, part.n - 1), &n) &&
		    n > 0 && n <= 16)
			return (uint32_t)n;
	}
	return 0;
}

static void device_add(struct dcgm *c, sym id, const struct prom_label *labels, size_t n,
                       struct str gpu, struct str gi)
{
	static const char *const nodes[] = { "Hostname",          "hostname", "exported_Hostname",
		                             "exported_hostname", "node",     NULL },
	                         *const models[] = { "modelName", "model_name", NULL };
	sym whole = facts_word(c->f, gpu);
	struct dcgm_device *d = vec_push(&c->devices);
	*d = (struct dcgm_device){ .id = id, .is_instance = gi.n > 0 };
	*map_at(&c->device_of, id) = (uint32_t)c->devices.n;
	uint32_t *at = map_at(&c->whole_of, whole);
	if (!*at) {
		*vec_push(&c->f->devices) =
		        (struct device){ .id = whole,
			                 .node = facts_word(c->f, first_of(labels, n, nodes)),
			                 .model = facts_word(c->f, first_of(labels, n, models)) };
		*at = (uint32_t)c->f->devices.n;
	}
	if (!gi.n)
		return;
	c->f->devices.v[*at - 1].mig = true;
	*vec_push(&c->f->instances) = (struct instance){
		.id = id,
		.device = whole,
		.slices = slices_of(prom_label(labels, n, "GPU_I_PROFILE")),
	};
}

/* The device of a series; 0: it names none. Its id is the UUID, or node and index. */
static uint32_t device_of(struct dcgm *c, const struct prom_label *labels, size_t n)
{
	static const char *const uuids[] = { "UUID", "uuid", "gpu_uuid", NULL }, *const hosts[] = {
		"Hostname", "hostname", "instance", NULL
	};
	auto_arena a = ARENA_NULL;
	struct str gpu = first_of(labels, n, uuids), index = prom_label(labels, n, "gpu");
	struct str gi = prom_label(labels, n, "GPU_I_ID"), host = first_of(labels, n, hosts);
	if (!gpu.n && !index.n)
		return 0;
	if (!gpu.n)
		gpu = str_of(arena_printf(&a, "%.*s%s%.*s", STR_FMT(host), host.n ? "/" : "gpu ",
		                          STR_FMT(index)));
	struct str id = gpu;
	if (gi.n)
		id = str_of(arena_printf(&a, "%.*s/%.*s", STR_FMT(gpu), STR_FMT(gi)));
	sym word = facts_word(c->f, id);
	uint32_t at = *map_at(&c->device_of, word);
	if (!at) {
		device_add(c, word, labels, n, gpu, gi);
		at = (uint32_t)c->devices.n;
	}
	return at;
}

void dcgm_begin(struct dcgm *c, struct facts *f)
{
	*c = (struct dcgm){ .f = f };
}

bool dcgm_series(struct dcgm *c, struct str name, const struct prom_label *labels, size_t n,
                 uint64_t line, struct dcgm_series *ret)
{
	if (!dcgm_is_name(name) || prom_label(labels, n, "vgpu").n)
		return false; /* a virtual GPU is a part of what its device reads */
	struct dcgm_series s = { .metric = metric_of(name), .name = name, .hash = str_hash(name) };
	uint32_t device = device_of(c, labels, n);
	if (!device) {
		if (s.metric)
			facts_reject(c->f, line, "no label names the GPU (UUID, gpu)");
		return false;
	}
	s.device = device - 1;
	*ret = s;
	return true;
}

enum why dcgm_blank(struct str value)
{
	/* DCGM_*_BLANK, NOT_FOUND, NOT_SUPPORTED, NOT_PERMISSIONED, in this order from the base */
	static const enum why whys[] = { WHY_NOT_READY, WHY_ABSENT, WHY_UNSUPPORTED,
		                         WHY_NO_PERMISSION };
	static const char *const texts[] = { "<<<NULL>>>", "<<<NOT_FOUND>>>", "<<<NOT_SUPPORTED>>>",
		                             "<<<NOT_PERM>>>" };
	static const int64_t bases[] = { 0x7ffffff0, INT64_C(0x7ffffffffffffff0),
		                         INT64_C(140737488355328) };
	int64_t v, tenths;
	double real;
	if (str_starts(value, S("<<<"))) {
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			if (str_eq(value, str_of(texts[i])))
				return whys[i];
		return WHY_KNOWN;
	}
	/* Prometheus keeps doubles, in which the 64-bit blanks are one number, over int64 */
	if (!str_to_fixed(value, 0, &v))
		return str_to_double(value, &real) && real >= 0x1p63 && real <= 0x1p63 ? WHY_ABSENT
		                                                                       : WHY_KNOWN;
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		if (v < bases[i] || v - bases[i] >= 4)
			continue;
		bool has_tenths = str_to_fixed(value, 1, &tenths) && tenths % 10;
		return has_tenths ? WHY_KNOWN : whys[v - bases[i]];
	}
	return WHY_KNOWN;
}

/* VALUE in the units of the part; false: not one that UNIT can have. */
static bool value_of(enum dcgm_unit unit, struct str value, int64_t *ret)
{
	static const unsigned decimals[] = {
		[DCGM_RATIO] = 8,     [DCGM_PERCENT] = 6, [DCGM_RATE] = 0,    [DCGM_WATTS] = 3,
		[DCGM_MEBIBYTES] = 3, [DCGM_MASK] = 0,    [DCGM_COUNTER] = 0,
	};
	static const int64_t percent = 100000000;
	int64_t v;
	if (!str_to_fixed(value, decimals[unit], &v) || v < 0)
		return false;
	if ((unit == DCGM_RATIO || unit == DCGM_PERCENT) && v > percent)
		return false;
	*ret = unit == DCGM_MASK ? v & 1 : v; /* nvmlClocksEventReasonGpuIdle */
	return true;
}

static void note_blank(struct facts *f, enum why why)
{
	if (why == WHY_NO_PERMISSION)
		facts_note(f, "DCGM was not permitted to read some metrics: its profiling counters "
		              "need CAP_SYS_ADMIN, or the driver's option "
		              "NVreg_RestrictProfilingToAdminUsers=0.");
	else if (why == WHY_UNSUPPORTED)
		facts_note(f, "DCGM says of some metrics that the device does not support them.");
	else
		facts_note(f, "DCGM had no value for some readings.");
}

static enum why reading_of(struct dcgm *c, const struct dcgm_series *s, struct str value,
                           uint64_t line, int64_t *ret)
{
	enum why why = dcgm_blank(value);
	if (why != WHY_KNOWN) {
		note_blank(c->f, why);
		return why;
	}
	if (value_of(s->metric->unit, value, ret))
		return WHY_KNOWN;
	enum prom_number number = prom_number(value);
	if (number == PROM_NAN)
		return WHY_ABSENT;
	if (number == PROM_NOT_A_NUMBER) {
		facts_reject(c->f, line, "%.*s: the value is not a number", STR_FMT(s->name));
		return WHY_ABSENT;
	}
	facts_reject(c->f, line, "%.*s: out of range", STR_FMT(s->name));
	return WHY_OUT_OF_RANGE;
}

static struct dcgm_row *row_at(struct dcgm *c, uint32_t device, int64_t t_ms)
{
	uint32_t *at = map_at(&c->devices.v[device].rows, (uint64_t)t_ms);
	if (!*at) {
		struct dcgm_row *r = vec_push(&c->rows);
		r->device = device;
		r->t_ms = t_ms;
		memset(r->why, WHY_ABSENT, sizeof r->why);
		*at = (uint32_t)c->rows.n;
	}
	return &c->rows.v[*at - 1];
}

void dcgm_take(struct dcgm *c, const struct dcgm_series *s, int64_t t_ms, struct str value,
               uint64_t line)
{
	int64_t v = 0;
	enum why why = s->metric ? reading_of(c, s, value, line, &v) : WHY_ABSENT;
	c->seen[s->metric ? s->metric->part : DCGM_NO_PART]++;
	if (t_ms == TIME_UNKNOWN) {
		c->untimed += s->metric != NULL;
		return;
	}
	if (c->rows.n == UINT32_MAX - 1)
		return;
	struct dcgm_row *r = row_at(c, s->device, t_ms);
	r->all += str_hash(value) * (s->hash | 1);
	if (!s->metric)
		return;
	enum dcgm_part part = s->metric->part;
	uint8_t rank = s->metric->rank;
	bool is_better = why == WHY_KNOWN ? r->why[part] != WHY_KNOWN || rank > r->rank[part] ||
	                                            (rank == r->rank[part] && v > r->v[part])
	                                  : r->why[part] == WHY_ABSENT;
	if (!is_better)
		return;
	r->v[part] = v;
	r->why[part] = (uint8_t)why;
	r->rank[part] = rank;
}
