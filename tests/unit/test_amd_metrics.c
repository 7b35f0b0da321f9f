/* SPDX-License-Identifier: Apache-2.0 */
/* Every version of gpu_metrics, byte by byte; offsets stand here a second time, by hand. */
#include "read/amd_metrics.h"

#include "lib/run.h"

struct blob {
	unsigned char v[4096];
	size_t size;
};

static void set(struct blob *b, size_t at, size_t bytes, uint64_t v)
{
	for (size_t i = 0; i < bytes; i++)
		b->v[at + i] = (unsigned char)(v >> 8 * i);
}

/* All bits set, as the driver leaves what it has no value for. */
static struct blob blob_of(unsigned format, unsigned content, size_t size)
{
	struct blob b = { .size = size };
	memset(b.v, 0xff, size);
	set(&b, 0, 2, size);
	set(&b, 2, 1, format);
	set(&b, 3, 1, content);
	return b;
}

static struct str bytes_of(const struct blob *b)
{
	return (struct str){ (const char *)b->v, b->size };
}

static struct sample read_all(struct str bytes)
{
	struct sample s = { .procs_why = WHY_ABSENT };
	char why[128] = "";
	memset(s.why, WHY_ABSENT, sizeof s.why);
	if (!amd_metrics_read(bytes, &s, why))
		fail_msg("%s", why);
	return s;
}

static void is(const struct sample *s, enum metric_id m, int64_t want)
{
	if (!(s->known >> m & 1))
		fail_msg("%s is not known (%s)", metrics[m].name, why_names[s->why[m]]);
	assert_int_equal(s->v[m], want);
}

/* Where each version keeps what (0: it has none), and its unit: 1, or 100 or 1000 to one. */
static const struct version {
	unsigned format, content;
	size_t size, temperature, mem_temperature, busy, mem_busy, power, power_bytes, energy,
	        clock, mem_clock, pcie;
	int64_t temperature_den, busy_den, power_den;
} versions[] = {
	{ 1, 0, 80, 16, 20, 28, 30, 34, 2, 0, 0, 0, 0, 1, 1, 1 },
	{ 1, 1, 96, 4, 8, 16, 18, 22, 2, 24, 54, 58, 0, 1, 1, 1 },
	{ 1, 2, 104, 4, 8, 16, 18, 22, 2, 24, 54, 58, 0, 1, 1, 1 },
	{ 1, 3, 120, 4, 8, 16, 18, 22, 2, 24, 54, 58, 0, 1, 1, 1 },
	{ 1, 4, 288, 4, 6, 12, 14, 10, 2, 24, 240, 280, 72, 1, 1, 1 },
	{ 1, 5, 360, 4, 6, 12, 14, 10, 2, 88, 312, 352, 136, 1, 1, 1 },
	{ 1, 6, 1664, 4, 6, 12, 14, 10, 2, 16, 264, 304, 88, 1, 1, 1 },
	{ 1, 7, 2208, 4, 6, 12, 14, 10, 2, 24, 296, 336, 96, 1, 1, 1 },
	{ 1, 8, 3872, 4, 6, 12, 14, 10, 2, 24, 296, 336, 96, 1, 1, 1 },
	{ 2, 0, 120, 16, 0, 40, 0, 44, 2, 0, 80, 84, 0, 100, 1, 1000 },
	{ 2, 1, 120, 4, 0, 28, 0, 40, 2, 0, 76, 80, 0, 100, 1, 1000 },
	{ 2, 2, 128, 4, 0, 28, 0, 40, 2, 0, 76, 80, 0, 100, 1, 1000 },
	{ 2, 3, 152, 4, 0, 28, 0, 40, 2, 0, 76, 80, 0, 100, 1, 1000 },
	{ 2, 4, 168, 4, 0, 28, 0, 40, 2, 0, 76, 80, 0, 100, 100, 1000 },
	{ 3, 0, 264, 4, 0, 42, 0, 112, 4, 0, 174, 0, 0, 100, 100, 1000 },
};

static void every_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		const struct version *v = &versions[i];
		struct blob b = blob_of(v->format, v->content, v->size);
		size_t size = 0;
		assert_true(amd_metrics_is(bytes_of(&b), &size));
		assert_int_equal(size, v->size);
		struct sample none = read_all(bytes_of(&b));
		assert_true(none.known == 0); /* all ones say nothing, with a reason */
		assert_int_equal(none.why[METRIC_power], WHY_UNSUPPORTED);
		assert_int_equal(none.why[METRIC_mem_used], WHY_ABSENT);
		set(&b, v->temperature, 2, v->temperature_den == 1 ? 56 : 5600);
		set(&b, v->busy, 2, (uint64_t)(42 * v->busy_den));
		set(&b, v->power, v->power_bytes, v->power_den == 1 ? 36 : 36500);
		if (v->clock)
			set(&b, v->clock, 2, 2100);
		if (v->mem_temperature)
			set(&b, v->mem_temperature, 2, 54);
		if (v->mem_busy)
			set(&b, v->mem_busy, 2, 9);
		if (v->mem_clock)
			set(&b, v->mem_clock, 2, 900);
		if (v->energy)
			set(&b, v->energy, 8, 65536 * UINT64_C(1000) + 32768);
		if (v->pcie)
			set(&b, v->pcie, 8, 12);
		struct sample s = read_all(bytes_of(&b));
		is(&s, METRIC_temperature, 56000);
		is(&s, METRIC_gpu_util, 42000000);
		is(&s, METRIC_power, v->power_den == 1 ? 36000 : 36500);
		uint64_t want = metric_bit(METRIC_temperature) | metric_bit(METRIC_gpu_util) |
		                metric_bit(METRIC_power);
		if (v->clock)
			is(&s, METRIC_sm_clock, 2100000), want |= metric_bit(METRIC_sm_clock);
		if (v->mem_temperature)
			is(&s, METRIC_mem_temperature, 54000),
			        want |= metric_bit(METRIC_mem_temperature);
		if (v->mem_busy)
			is(&s, METRIC_mem_util, 9000000), want |= metric_bit(METRIC_mem_util);
		if (v->mem_clock)
			is(&s, METRIC_mem_clock, 900000), want |= metric_bit(METRIC_mem_clock);
		if (v->energy)
			is(&s, METRIC_energy, 1000500), want |= metric_bit(METRIC_energy);
		if (v->pcie)
			is(&s, METRIC_pcie, 12000000000), want |= metric_bit(METRIC_pcie);
		assert_true(s.known == want);
	}
}

/* An older kernel's file is shorter, a copy of a page longer; another length is another layout. */
static void lengths(void **state)
{
	(void)state;
	struct blob b = blob_of(1, 3, 120);
	size_t size;
	set(&b, 16, 2, 7);
	set(&b, 54, 2, 500);
	b.size = 50;
	assert_false(amd_metrics_is(bytes_of(&b), &size));
	struct sample s = read_all(bytes_of(&b));
	is(&s, METRIC_gpu_util, 7000000);
	assert_int_equal(s.why[METRIC_sm_clock], WHY_ABSENT);
	b.size = 4096;
	assert_true(amd_metrics_is(bytes_of(&b), &size));

	b = blob_of(1, 6, 1600); /* the layout that had 1.6 before */
	set(&b, 12, 2, 7);
	set(&b, 16, 8, 65536);
	s = read_all(bytes_of(&b));
	is(&s, METRIC_gpu_util, 7000000);
	assert_int_equal(s.why[METRIC_energy], WHY_ABSENT);

	char why[128];
	b = blob_of(1, 10, 200);
	assert_false(amd_metrics_read(bytes_of(&b), &s, why));
	assert_string_equal(why, "gpu_metrics of version 1.10 (200 bytes) is not known");
	assert_false(amd_metrics_read(S("\x78"), &s, why));
}

/* An APU's share over 100 is in hundredths. */
static void shares_of_apus(void **state)
{
	(void)state;
	struct blob b = blob_of(2, 2, 128);
	set(&b, 28, 2, 4250);
	struct sample s = read_all(bytes_of(&b));
	is(&s, METRIC_gpu_util, 42500000);
}

static size_t attribute(struct blob *b, size_t at, unsigned id, unsigned type, unsigned n,
                        size_t bytes, uint64_t v)
{
	set(b, at, 8, (uint64_t)type << 20 | (uint64_t)id << 10 | n);
	for (unsigned i = 0; i < n; i++)
		set(b, at + 8 + i * bytes, bytes, v + i);
	return at + 8 + n * bytes;
}

/* Version 1.9: attributes one after the other, packed; unknown ones are stepped over. */
static void list_of_attributes(void **state)
{
	(void)state;
	struct blob b = { 0 };
	size_t at = 8, size;
	at = attribute(&b, at, 0, 2, 1, 2, 61);
	at = attribute(&b, at, 900, 7, 3, 8, 5);
	at = attribute(&b, at, 3, 4, 1, 4, 542);
	at = attribute(&b, at, 4, 0, 1, 1, 87);
	at = attribute(&b, at, 5, 2, 1, 2, 0xffff);
	at = attribute(&b, at, 7, 6, 1, 8, 65536 * 7);
	at = attribute(&b, at, 33, 2, 8, 2, 2100);
	at = attribute(&b, at, 23, 6, 0, 8, 0);
	set(&b, 0, 2, at);
	set(&b, 2, 1, 1);
	set(&b, 3, 1, 9);
	set(&b, 4, 4, 8);
	b.size = at;
	assert_true(amd_metrics_is(bytes_of(&b), &size));
	struct sample s = read_all(bytes_of(&b));
	is(&s, METRIC_temperature, 61000);
	is(&s, METRIC_power, 542000);
	is(&s, METRIC_gpu_util, 87000000);
	is(&s, METRIC_energy, 7000);
	is(&s, METRIC_sm_clock, 2100000); /* the first of its values */
	assert_int_equal(s.why[METRIC_mem_util], WHY_UNSUPPORTED);
	assert_int_equal(s.why[METRIC_pcie], WHY_ABSENT);
	char why[128];
	struct sample broken = { 0 };
	for (size_t cut = 8; cut < at; cut++) { /* a step past the end is refused */
		set(&b, 0, 2, cut);
		assert_false(amd_metrics_read(bytes_of(&b), &broken, why));
		assert_true(broken.known == 0);
	}
	assert_string_equal(why, "the attributes of gpu_metrics 1.9 are broken");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_version),
		cmocka_unit_test(lengths),
		cmocka_unit_test(shares_of_apus),
		cmocka_unit_test(list_of_attributes),
	};
	return RUN_TESTS(tests);
}
