/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_mon.h"

#include "lib/run.h"
#include "parse/when.h"

/* Central Europe by its rule alone. */
static const struct zone europe = {
	.first_offset_s = 3600,
	.has_footer = true,
	.has_dst = true,
	.std_s = 3600,
	.dst_s = 7200,
	.dst_begins = { .kind = ZONE_WEEKDAY, .month = 3, .week = 5, .at_s = 7200 },
	.dst_ends = { .kind = ZONE_WEEKDAY, .month = 10, .week = 5, .at_s = 10800 },
};

struct read {
	struct facts f;
	struct smi_mon_result r;
	struct err err;
	enum err_code code;
};

/* AT: FILE@at=AT; NULL: not said. */
static struct read read_text(struct str text, const struct zone *zone, const char *at)
{
	struct read x = { 0 };
	struct read_options o = { .input_name = S("in"), .zone = zone, .has_at = at };
	struct smi_mon_text t = { .o = &o, .bytes = text, .line = 1 };
	if (at)
		assert_int_equal(when_parse(str_of(at), zone, &o.at_ms), WHEN_OK);
	facts_init(&x.f);
	*vec_push(&x.f.inputs) = (struct input_info){ .name = facts_word(&x.f, S("in")) };
	smi_mon_read(&x.f, &t, &x.r);
	x.code = smi_mon_judge(&x.r, &o, &x.err);
	return x;
}

/* The samples' times, in the order of the rows, are WANT's words; "" where there is none. */
static void times_are(struct str text, const struct zone *zone, const char *at, const char *want)
{
	struct read x = read_text(text, zone, at);
	auto_text got = TEXT_NULL;
	for (size_t i = 0; i < x.f.samples.n; i++) {
		if (i)
			text_byte(&got, ' ');
		when_print(&got, x.f.samples.v[i].t_ms);
	}
	assert_str(text_str(&got), want);
	facts_deinit(&x.f);
}

static void has_note(const struct facts *f, const char *part, bool want)
{
	bool has = false;
	for (size_t i = 0; i < f->notes.n; i++)
		has |= strstr(names_word(&f->names, f->notes.v[i].text).p, part) != NULL;
	assert_int_equal(has, want);
}

#define DT "#Date Time gpu sm\n"
#define T "#Time gpu sm\n"

static void test_zones(void **state)
{
	(void)state;
	times_are(S(DT "20261130 12:00:00 0 5\n"), NULL, NULL, "2026-11-30T12:00:00Z");
	times_are(S(DT "20261130 12:00:00 0 5\n"), &europe, NULL, "2026-11-30T11:00:00Z");
	times_are(S("# gpu sm\n2026-11-30 12:00:00 0 5\n2026-11-30T12:00:01Z 0 5\n"), &europe, NULL,
	          "2026-11-30T11:00:00Z 2026-11-30T12:00:01Z");
	/* spring: 02:00 to 03:00 is never shown */
	times_are(S(DT "20260329 01:59:59 0 5\n20260329 03:00:00 0 5\n"), &europe, NULL,
	          "2026-03-29T00:59:59Z 2026-03-29T01:00:00Z");
	struct read x = read_text(S(DT "20261130 12:00:00 0 5\n"), &europe, NULL);
	has_note(&x.f, "have no zone", false);
	facts_deinit(&x.f);
	x = read_text(S("# gpu sm\n2026-11-30 12:00:00 0 5\n"), NULL, NULL);
	has_note(&x.f, "have no zone", true);
	facts_deinit(&x.f);
	x = read_text(S("# gpu sm\n2026-11-30 12:00:00+01:00 0 5\n1796040000.25 0 5\n"), NULL,
	              NULL);
	has_note(&x.f, "have no zone", false);
	facts_deinit(&x.f);
}

/* The hour that comes twice: what lies before the row before is of the second time. */
static void test_autumn(void **state)
{
	(void)state;
	times_are(S(DT "20261025 02:59:59 0 5\n20261025 02:59:59 1 5\n20261025 02:00:00 0 5\n"
	               "20261025 02:00:01 0 5\n20261025 02:59:59 0 5\n20261025 03:00:00 0 5\n"),
	          &europe, NULL,
	          "2026-10-25T00:59:59Z 2026-10-25T00:59:59Z 2026-10-25T01:00:00Z "
	          "2026-10-25T01:00:01Z 2026-10-25T01:59:59Z 2026-10-25T02:00:00Z");
	times_are(S(T "02:59:59 0 5\n02:00:00 0 5\n"), &europe, "2026-10-25",
	          "2026-10-25T00:59:59Z 2026-10-25T01:00:00Z");
	struct read x =
	        read_text(S(DT "20261025 02:59:59 0 5\n20261025 02:00:00 0 5\n"), &europe, NULL);
	has_note(&x.f, "set back", false);
	facts_deinit(&x.f);
}

static void test_set_back(void **state)
{
	(void)state;
	struct str text = S(DT "20261130 12:00:05 0 5\n20261130 12:00:03 0 5\n");
	times_are(text, &europe, NULL, "2026-11-30T11:00:05Z 2026-11-30T11:00:03Z");
	struct read x = read_text(text, &europe, NULL);
	has_note(&x.f, "set back", true);
	facts_deinit(&x.f);
}

static void test_time_of_day(void **state)
{
	(void)state;
	/* the first row is of the day that is given, whenever in it */
	times_are(S(T "01:00:00 0 5\n"), NULL, "2026-11-30T23:00:00Z", "2026-11-30T01:00:00Z");
	times_are(S(T "00:30:00 0 5\n"), &europe, "2026-11-30T23:30:00Z", "2026-11-30T23:30:00Z");
	/* midnight, also across the end of a year and set back over midnight */
	times_are(S(T "23:59:59 0 5\n00:00:00 0 5\n00:00:01 0 5\n"), NULL, "2026-12-31",
	          "2026-12-31T23:59:59Z 2027-01-01T00:00:00Z 2027-01-01T00:00:01Z");
	times_are(S(T "00:00:01 0 5\n23:59:59 0 5\n"), NULL, "2026-12-31",
	          "2026-12-31T00:00:01Z 2026-12-30T23:59:59Z");
	times_are(S(T "12:00:00 0 5\n11:00:00 0 5\n"), NULL, "2026-12-31",
	          "2026-12-31T12:00:00Z 2026-12-31T11:00:00Z");
	struct read x = read_text(S(T "12:00:00 0 5\n"), NULL, NULL);
	assert_int_equal(x.code, ERR_INPUT);
	assert_non_null(strstr(x.err.text, "a time of day and no date"));
	assert_non_null(strstr(x.err.text, "-o DT"));
	assert_int_equal(x.r.missed[SMI_MON_NO_DAY], 1);
	facts_deinit(&x.f);
	x = read_text(S("#Date gpu sm\n20261130 0 5\n"), NULL, "2026-11-30");
	assert_int_equal(x.code, ERR_INPUT);
	assert_non_null(strstr(x.err.text, "a date and no time of day"));
	facts_deinit(&x.f);
}

/* Rows without times: one sample is of @at; more need the delay. */
static void test_snapshots(void **state)
{
	struct str one = S("# gpu sm\n 0 5\n 1 6\n"), two = S("# gpu sm\n 0 5\n 1 6\n 0 5\n");
	(void)state;
	struct read x = read_text(one, NULL, NULL);
	assert_int_equal(x.code, ERR_INPUT);
	assert_non_null(strstr(x.err.text, "no row says when it was read"));
	assert_non_null(strstr(x.err.text, "hint: nvidia-smi dmon -o DT"));
	assert_int_equal(x.r.missed[SMI_MON_NO_TIME], 2);
	facts_deinit(&x.f);
	x = read_text(S("# gpu pid command\n 0 - -\n"), NULL, NULL);
	assert_non_null(strstr(x.err.text, "hint: nvidia-smi pmon -o DT"));
	facts_deinit(&x.f);
	times_are(one, NULL, "2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z 2026-11-30T12:00:00Z");
	x = read_text(two, NULL, "2026-11-30T12:00:00Z");
	assert_int_equal(x.code, ERR_INPUT);
	assert_non_null(strstr(x.err.text, "nothing how far the others lie apart"));
	assert_int_equal(x.r.placed, 2);
	assert_int_equal(x.r.missed[SMI_MON_NO_DELAY], 1);
	facts_deinit(&x.f);
}

static void test_commands(void **state)
{
	static const struct {
		const char *command, *want;
	} cases[] = {
		{ "$ nvidia-smi dmon", "2026-11-30T12:00:00Z 2026-11-30T12:00:01Z" },
		{ "# nvidia-smi dmon -s u -c 2", "2026-11-30T12:00:00Z 2026-11-30T12:00:01Z" },
		{ "ann@n1:~$ nvidia-smi dmon -d 5", "2026-11-30T12:00:00Z 2026-11-30T12:00:05Z" },
		{ "# $ nvidia-smi dmon -d10", "2026-11-30T12:00:00Z 2026-11-30T12:00:10Z" },
		{ "nvidia-smi dmon --delay=2 -c 2", "2026-11-30T12:00:00Z 2026-11-30T12:00:02Z" },
		{ "nvidia-smi dmon --delay 86400", "2026-11-30T12:00:00Z 2026-12-01T12:00:00Z" },
		{ "nvidia-smi dmon --delay 86401", "2026-11-30T12:00:00Z" },
		{ "nvidia-smi dmon -d x", "2026-11-30T12:00:00Z" },
		{ "nvidia-smi dmon -d 0", "2026-11-30T12:00:00Z" },
		{ "nvidia-smi pmon", "2026-11-30T12:00:00Z" }, /* the other table's */
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		text_printf(&t, "%s\n# gpu sm\n 0 5\n# gpu sm\n 0 6\n^C\n", cases[i].command);
		times_are(text_str(&t), NULL, "2026-11-30T12:00:00Z", cases[i].want);
	}
	/* a second run begins whenever it did */
	struct read x = read_text(S("$ nvidia-smi dmon\n# gpu sm\n 0 5\n 0 6\n$ nvidia-smi dmon\n"
	                            "# gpu sm\n 0 5\n 0 6\n"),
	                          NULL, "2026-11-30T12:00:00Z");
	assert_int_equal(x.r.placed, 2);
	assert_int_equal(x.r.missed[SMI_MON_NO_TIME], 2);
	assert_int_equal(x.code, ERR_OK);
	facts_deinit(&x.f);
}

/* while sleep 10; do date -u +'# %FT%TZ'; nvidia-smi dmon -c 1; done */
static void test_comments(void **state)
{
	(void)state;
	times_are(S("# 2026-11-30T12:00:00Z\n# gpu sm\n 0 5\n 1 5\n# 2026-11-30T12:00:10Z\n"
	            "# gpu sm\n 0 6\n 1 6\n"),
	          NULL, NULL,
	          "2026-11-30T12:00:00Z 2026-11-30T12:00:00Z 2026-11-30T12:00:10Z "
	          "2026-11-30T12:00:10Z");
	struct read x = read_text(S("# 2026-11-30T12:00:00Z\n# gpu sm\n 0 5\n 0 5\n"), NULL, NULL);
	assert_int_equal(x.code, ERR_OK);
	assert_int_equal(x.r.placed, 1);
	assert_int_equal(x.f.inputs.v[0].rejected, 1);
	facts_deinit(&x.f);
}

/* pmon without times: a sample ends where what it lists begins again. */
static void test_processes(void **state)
{
#define P "$ nvidia-smi pmon -d 2\n# gpu pid command\n"
	(void)state;
	times_are(S(P " 0 - -\n 0 - -\n 0 7 x\n 0 7 x\n"), NULL, "2026-11-30T12:00:00Z",
	          "2026-11-30T12:00:00Z 2026-11-30T12:00:02Z 2026-11-30T12:00:04Z "
	          "2026-11-30T12:00:06Z");
	times_are(S(P " 0 7 x\n 0 8 x\n 1 - -\n 0 8 x\n 1 9 x\n"), NULL, "2026-11-30T12:00:00Z",
	          "2026-11-30T12:00:00Z 2026-11-30T12:00:00Z 2026-11-30T12:00:02Z "
	          "2026-11-30T12:00:02Z");
	/* one GPU, and another list: two samples of one each, or one of two? */
	struct read x = read_text(S(P " 0 7 x\n 0 7 x\n 0 8 x\n 0 8 x\n 0 8 x\n"), NULL,
	                          "2026-11-30T12:00:00Z");
	assert_int_equal(x.f.samples.n, 1);
	assert_int_equal(x.r.missed[SMI_MON_NO_SAMPLE], 2);
	assert_int_equal(x.f.inputs.v[0].rejected, 2);
	facts_deinit(&x.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zones),     cmocka_unit_test(test_autumn),
		cmocka_unit_test(test_set_back),  cmocka_unit_test(test_time_of_day),
		cmocka_unit_test(test_snapshots), cmocka_unit_test(test_commands),
		cmocka_unit_test(test_comments),  cmocka_unit_test(test_processes),
	};
	return RUN_TESTS(tests);
}
