/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi.h"

#include <math.h>
#include <stdio.h>

#include "lib/whole.h"
#include "parse/when.h"

extern const struct reader reader_nvidia_smi_csv;

static struct whole read_text(const char *text)
{
	return whole_read(&reader_nvidia_smi_csv, str_of(text));
}

static const char *word(const struct whole *w, sym id)
{
	return names_word(&w->f.names, id).p;
}

static bool has_note(const struct whole *w, const char *part)
{
	for (size_t i = 0; i < w->f.notes.n; i++)
		if (strstr(word(w, w->f.notes.v[i].text), part))
			return true;
	return false;
}

static const char *reject(const struct whole *w, size_t i)
{
	assert_true(i < w->f.rejects.n);
	return word(w, w->f.rejects.v[i].reason);
}

static int64_t value(const struct sample *s, enum metric_id m)
{
	assert_true(s->known >> m & 1);
	assert_int_equal(s->why[m], WHY_KNOWN);
	return s->v[m];
}

#define T0 INT64_C(1796040000000) /* 2026-11-30T12:00:00Z */

/* One reading in the words of every driver and of other people's loggers. */
static void many_forms_of_one_row(void **state)
{
	(void)state;
	static const char *const forms[] = {
		"timestamp, uuid, utilization.gpu [%], power.draw [W], power.limit [W], "
		"clocks_event_reasons.gpu_idle\n"
		"2026/11/30 12:00:00.250, GPU-a, 7 %, 71.15 W, 700.00 W, Active\n",
		"timestamp, uuid, utilization.gpu [%], power.draw [W], power.limit [W], "
		"clocks_throttle_reasons.gpu_idle\r\n"
		"2026/11/30 12:00:00.250, GPU-a, 7, 71.15, 700.00, Active  \r\n",
		"\xef\xbb\xbf"
		"power.draw.instant [W], timestamp, enforced.power.limit [W], power.draw.average "
		"[W], power.limit [W], gpu_uuid, clocks_throttle_reasons.active, "
		"utilization.gpu [%]\n"
		"99.0 W, 1796040000.25, 700.00 W, 71.15 W, 500 W, GPU-a, 0x0000000000000001, 7 %\n",
		"timestamp, uuid, power.draw.average [W], power.draw [W], power.limit [W], "
		"enforced.power.limit [W], utilization.gpu [%], remapped_rows.pending, "
		"clocks_event_reasons.active\n"
		"1796040000.25, GPU-a, [N/A], 71.15 W, 700.00 W, N/A, 7 %, [N/A], "
		"0x00000000000000A1\n",
		"time,gpu_uuid,gpu_util_percent,power_mW,power.limit,clocks_event_reasons.active\n"
		"2026-11-30T13:00:00.25+01:00,GPU-a,7,71150,700,0x5,\n",
		"# ########\n# time, gpu uuid, gpu util %, power W, power_limit W, "
		"clocks event reasons gpu idle\n"
		"2026-11-30:12:00:00.250000,GPU-a,7.0,71.15,700,1\n",
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct whole w = read_text(forms[i]);
		assert_true(w.score >= 50 && w.code == ERR_OK);
		assert_int_equal(w.f.inputs.v[0].records, 1);
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.samples.n, 1);
		const struct sample *s = w.f.samples.v;
		assert_int_equal(s->t_ms, T0 + 250);
		assert_int_equal(s->period_ms, 0);
		assert_int_equal(s->kind, SAMPLE_POINT);
		assert_string_equal(word(&w, s->device), "GPU-a");
		assert_int_equal(value(s, METRIC_gpu_util), 7000000);
		assert_int_equal(value(s, METRIC_power), 71150);
		assert_int_equal(value(s, METRIC_power_limit), 700000);
		assert_int_equal(value(s, METRIC_idle_reason), 1);
		assert_int_equal(has_note(&w, "--tz"), i < 2 || i == 5);
		whole_drop(&w);
	}
}

/* Of the memory, any two of the three say the rest; the reserve is what they do not add up to. */
static void memory_by_what_was_asked(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t used, reserve; /* MiB; -1: not known */
	} cases[] = {
		{ "memory.used [MiB], memory.reserved [MiB], memory.free [MiB], memory.total "
		  "[MiB]\n"
		  "59 MiB, 479 MiB, 81022 MiB, 81559 MiB",
		  538, 479 },
		{ "memory.used [MiB], memory.free [MiB], memory.total [MiB]\n"
		  "59 MiB, 81022 MiB, 81559 MiB",
		  537, 478 }, /* each was rounded */
		{ "memory.free [MiB], memory.total [MiB]\n81022 MiB, 81559 MiB", 537, -1 },
		{ "memory.free [MiB], memory.total [MiB], memory.reserved [MiB]\n"
		  "81022 MiB, 81559 MiB, 479 MiB",
		  537, 479 },
		{ "memory.free [MiB], memory.total [MiB]\n9 MiB, 8 MiB", -1, -1 },
		{ "memory.free [MiB], memory.total [MiB]\n[N/A], 8 MiB", -1, -1 },
		{ "memory.used [MiB], memory.free [MiB], memory.total [MiB]\n"
		  "[N/A], 7 MiB, 8 MiB",
		  -1, -1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		auto_text t = TEXT_NULL;
		struct str text = str_of(cases[i].text);
		size_t head = str_find_byte(text, '\n');
		text_printf(&t, "timestamp, uuid, utilization.gpu [%%], %.*s\n",
		            STR_FMT(str_sub(text, 0, head)));
		text_printf(&t, "2026/11/30 12:00:00.000, GPU-a, 7 %%, %.*s\n",
		            STR_FMT(str_sub(text, head + 1, text.n)));
		text_byte(&t, '\0');
		struct whole w = read_text(t.p);
		assert_int_equal(w.f.samples.n, 1);
		const struct sample *s = w.f.samples.v;
		bool has_used = s->known & metric_bit(METRIC_mem_used);
		bool has_reserve = s->known & metric_bit(METRIC_mem_reserve);
		assert_int_equal(has_used ? s->v[METRIC_mem_used] / 1000 : -1, cases[i].used);
		assert_int_equal(has_reserve ? s->v[METRIC_mem_reserve] / 1000 : -1,
		                 cases[i].reserve);
		whole_drop(&w);
	}
}

static void power_of_an_instant_stands_beside_the_average(void **state)
{
	(void)state;
	struct whole w = read_text("timestamp, uuid, power.draw.instant [W], power.draw [W]\n"
	                           "2026/11/30 12:00:00.000, GPU-a, 99.5 W, 71.15 W\n"
	                           "2026/11/30 12:00:01.000, GPU-a, 98 W, [N/A]\n"
	                           "2026/11/30 12:00:02.000, GPU-a, [N/A], 71 W\n");
	const struct sample *s = w.f.samples.v;
	assert_int_equal(w.f.samples.n, 3);
	assert_int_equal(value(&s[0], METRIC_power), 71150);
	assert_int_equal(value(&s[0], METRIC_power_instant), 99500);
	assert_int_equal(value(&s[1], METRIC_power), 98000);
	assert_int_equal(value(&s[1], METRIC_power_instant), 98000);
	assert_int_equal(value(&s[2], METRIC_power), 71000);
	assert_int_equal(s[2].why[METRIC_power_instant], WHY_UNSUPPORTED);
	whole_drop(&w);
}

static void headers_again_and_other_ones(void **state)
{
	(void)state;
	struct whole w = read_text("index, timestamp, utilization.gpu [%]\n"
	                           "0, 2026/11/30 12:00:00.000, 1 %\n"
	                           "index, timestamp, utilization.gpu [%]\n"
	                           "0, 2026/11/30 12:00:01.000, 2 %\n"
	                           "\n"
	                           "utilization.gpu [%], timestamp, name, index\n"
	                           "3 %, 2026/11/30 12:00:02.000, NVIDIA L4, 0\n");
	assert_int_equal(w.f.inputs.v[0].records, 3);
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_int_equal(w.f.devices.n, 1);
	assert_string_equal(word(&w, w.f.devices.v[0].id), "in:0");
	assert_string_equal(word(&w, w.f.devices.v[0].model), "NVIDIA L4");
	for (int i = 0; i < 3; i++)
		assert_int_equal(value(&w.f.samples.v[i], METRIC_gpu_util), (i + 1) * 1000000);
	whole_drop(&w);
}

static void sixteen_bits(void **state)
{
	(void)state;
	static const char text[] = "timestamp, index, name, utilization.gpu [%]\r\n"
	                           "2026/11/30 12:00:00.000, 0, NVIDIA L4, 8 %\r\n";
	for (int big = 0; big < 2; big++) {
		char wide[2 * sizeof text];
		size_t n = 0;
		for (size_t i = 0; i < sizeof text; i++) {
			unsigned c = i ? (unsigned char)text[i - 1] : 0xfeff;
			wide[n++] = (char)(big ? c >> 8 : c & 255);
			wide[n++] = (char)(big ? c & 255 : c >> 8);
		}
		struct whole w = whole_read(&reader_nvidia_smi_csv, (struct str){ wide, n });
		assert_int_equal(w.score, 90);
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.samples.n, 1);
		assert_int_equal(value(w.f.samples.v, METRIC_gpu_util), 8000000);
		whole_drop(&w);
	}
	auto_text t = TEXT_NULL;
	struct str plain =
	        smi_plain(&t, S("\xff\xfe\xe9\x00\xac\x20\x3d\xd8\x00\xde\x3d\xd8\x41\x00\x41"));
	assert_str(plain, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd"
	                  "A");
}

static void rows_without_a_header(void **state)
{
	(void)state;
	struct whole w = read_text("2026/11/30 12:00:00.000, 3, NVIDIA H100 80GB HBM3, 12 %, 4 %, "
	                           "81559 MiB, 59 MiB, 71.15 W\n");
	assert_int_equal(w.score, 90);
	assert_string_equal(word(&w, w.f.devices.v[0].id), "in:3");
	assert_int_equal(value(w.f.samples.v, METRIC_gpu_util), 12000000);
	assert_int_equal(value(w.f.samples.v, METRIC_power), 71150);
	assert_false(w.f.samples.v[0].known >> METRIC_mem_used & 1);
	whole_drop(&w);
	static const char *const none[] = {
		"2026/11/30 12:00:00.000, 3, 12, 4, 81559\n", /* nounits */
		"2026/11/30 12:00:00.000, 12 %\n",
		"2026/11/30 12:00:00.000, 12 %, 3 %, 71 W\n", /* of which GPU */
		"2026-11-30 12:00:00, 3, 12 %\n",
		"",
		"a,b,c\n1,2,3\n",
		"timestamp,power\n1,2\n",
		"JobID|User\n1|a\n",
		"time,name,value\n1796040000,a,1\n",
	};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(reader_nvidia_smi_csv.recognise(str_of(none[i]), NULL), 0);
}

static void non_values_are_not_zero(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum why why;
	} rows[] = {
		{ "[N/A]", WHY_UNSUPPORTED },
		{ "N/A", WHY_UNSUPPORTED },
		{ "[n/a]", WHY_UNSUPPORTED },
		{ "[Not Supported]", WHY_UNSUPPORTED },
		{ "[Function Not Found]", WHY_UNSUPPORTED },
		{ "[Requested functionality has been deprecated]", WHY_UNSUPPORTED },
		{ "[Insufficient Permissions]", WHY_NO_PERMISSION },
		{ "[Unknown Error]", WHY_LOST },
		{ "ERR!", WHY_LOST },
		{ "[GPU requires reset]", WHY_LOST },
		{ "[A word of 2031]", WHY_ABSENT },
		{ "", WHY_ABSENT },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[300];
		snprintf(text, sizeof text,
		         "timestamp, name, utilization.gpu [%%], power.draw [W]\n"
		         "2026/11/30 12:00:00.000, X, %s, 50 W\n",
		         rows[i].text);
		struct whole w = read_text(text);
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.samples.n, 1);
		assert_int_equal(w.f.samples.v[0].why[METRIC_gpu_util], rows[i].why);
		assert_false(w.f.samples.v[0].known >> METRIC_gpu_util & 1);
		assert_int_equal(value(w.f.samples.v, METRIC_power), 50000);
		whole_drop(&w);
	}
	struct whole w = read_text("name, utilization.gpu [%], power.draw [W]\nX, [N/A], ERR!\n");
	assert_int_equal(w.score, 90);
	assert_int_equal(w.f.samples.n, 0); /* no time */
	assert_int_equal(w.f.devices.n, 1);
	assert_true(has_note(&w, "Rows without a time"));
	whole_drop(&w);
}

#define HEAD "timestamp, index, utilization.gpu [%], power.draw [W], memory.used [MiB]\n"
#define AT "2026/11/30 12:00:00.000"

static void bad_readings_and_rows_are_counted(void **state)
{
	(void)state;
	static const struct {
		const char *row, *why;
		bool is_kept;
	} rows[] = {
		{ AT ", 0, 100, 100000, 16777216", NULL, true },
		{ AT ", 0, 100.1, 1, 1",
		  "utilization.gpu '100.1' is out of range: this reading "
		  "was left out",
		  true },
		{ AT ", 0, -1, 1, 1",
		  "utilization.gpu '-1' is out of range: this reading was left "
		  "out",
		  true },
		{ AT ", 0, 4294967295, 1, 1",
		  "utilization.gpu '4294967295' is out of range: this reading was left out", true },
		{ AT ", 0, 1, 100001, 1",
		  "power.draw '100001' is out of range: this reading was left out", true },
		{ AT ", 0, 1, 1, 16777217",
		  "memory.used '16777217' is out of range: this reading was left out", true },
		{ AT ", 0, 1, 1, 18446744073709551615",
		  "memory.used '18446744073709551615' is out of range: this reading was left out",
		  true },
		{ AT ", 0, 1, 1, 17179869184 GiB",
		  "memory.used '17179869184 GiB' is out of range: this reading was left out",
		  true },
		{ AT ", 0, 0,5, 1, 1", "6 fields, 5 are expected", false },
		{ AT ", 0,\"0,5\", 1, 1",
		  "utilization.gpu '0,5' is not a number: this reading was left out", true },
		{ AT ", 0, 5 furlongs, 1, 1",
		  "utilization.gpu '5 furlongs' is not a number: this reading was left out", true },
		{ AT ", 0, 1", "3 fields, 5 are expected", false },
		{ "yesterday, 0, 1, 1, 1", "'yesterday' is not a time", false },
		{ "[N/A], 0, 1, 1, 1", "'[N/A]' is not a time", false },
		{ "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
		  "nvidia-smi failed: 'NVIDIA-SMI has failed because it couldn't communicate with "
		  "the NVIDIA driver.'",
		  false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[600];
		snprintf(text, sizeof text, "%s%s\n%s", HEAD, rows[i].row, AT ", 1, 9, 9, 9\n");
		struct whole w = read_text(text);
		assert_int_equal(w.f.inputs.v[0].records, 2);
		assert_int_equal(w.f.inputs.v[0].rejected, rows[i].why ? 1 : 0);
		assert_int_equal(w.f.samples.n, rows[i].is_kept ? 2 : 1);
		if (rows[i].why) {
			assert_string_equal(reject(&w, 0), rows[i].why);
			assert_int_equal(w.f.rejects.v[0].line, 2);
		}
		whole_drop(&w);
	}
}

static void memory_with_and_without_the_reserve(void **state)
{
	(void)state;
	static const struct {
		const char *head, *row;
		int64_t used, reserve; /* -1: not known */
	} rows[] = {
		{ "memory.total [MiB], memory.reserved [MiB], memory.used [MiB], memory.free [MiB]",
		  "81559 MiB, 479 MiB, 59 MiB, 81022 MiB", 538, 479 },
		{ "memory.used [MiB], memory.reserved [MiB]", "59 MiB, 479 MiB", 538, 479 },
		{ "memory.total, memory.reserved, memory.used, memory.free",
		  "81559, 479, 538, 81021", 538, 479 },
		{ "memory.total, memory.used, memory.free", "81559, 59, 81021", 538, 479 },
		{ "memory.total, memory.used, memory.free", "81559, 538, 81021", 538, -1 },
		{ "memory.used [MiB]", "59 MiB", 59, -1 },
		{ "memory.used [GiB]", "2", 2048, -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[400];
		snprintf(text, sizeof text, "timestamp, index, %s\n" AT ", 0, %s\n", rows[i].head,
		         rows[i].row);
		struct whole w = read_text(text);
		assert_int_equal(w.f.samples.n, 1);
		assert_int_equal(value(w.f.samples.v, METRIC_mem_used), rows[i].used * 1000);
		if (rows[i].reserve < 0)
			assert_false(w.f.samples.v[0].known >> METRIC_mem_reserve & 1);
		else
			assert_int_equal(value(w.f.samples.v, METRIC_mem_reserve),
			                 rows[i].reserve * 1000);
		whole_drop(&w);
	}
}

#define LOST                                                                                \
	"Unable to determine the device handle for GPU 0000:1A:00.0: GPU is lost.  Reboot " \
	"the system to recover this GPU\n"

static void add_tick(struct text *t, int second, int lost, bool has_pci)
{
	for (int i = 0; i < 8; i++) {
		if (i == lost) {
			text_add(t, S(LOST));
			continue;
		}
		text_printf(t, "2026/11/30 12:00:%02d.000, %d, 50 %%", second, i);
		if (has_pci)
			text_printf(t, ", 00000000:%02X:00.0", i == 2 ? 0x1a : i);
		text_add(t, S("\n"));
	}
}

static void a_lost_gpu_is_down(void **state)
{
	(void)state;
	for (int has_pci = 0; has_pci < 2; has_pci++) {
		auto_text t = TEXT_NULL;
		text_add(&t, S("timestamp, index, utilization.gpu [%]"));
		text_add(&t, has_pci ? S(", pci.bus_id\n") : S("\n"));
		for (int s = 0; s < 5; s++)
			add_tick(&t, s, s == 2 || s == 3 || (s == 4 && !has_pci) ? 2 : -1, has_pci);
		struct whole w = whole_read(&reader_nvidia_smi_csv, text_str(&t));
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.devices.n, 8);
		assert_int_equal(w.f.samples.n, has_pci ? 38 : 37);
		assert_int_equal(w.f.capacity.n, 9);
		const struct capacity *c = &w.f.capacity.v[8];
		assert_true(c->device == w.f.devices.v[2].id);
		assert_true(c->state == CAPACITY_FAILED && c->gone);
		assert_int_equal(c->from_ms, T0 + 2000);
		assert_true(c->to_ms == (has_pci ? T0 + 4000 : TIME_UNKNOWN));
		for (int i = 0; i < 8; i++)
			assert_true(w.f.capacity.v[i].state == CAPACITY_UP &&
			            w.f.capacity.v[i].from_ms == T0);
		assert_true(has_note(&w, "The driver lost a GPU"));
		assert_int_equal(has_note(&w, "whose rows stopped"), !has_pci);
		whole_drop(&w);
	}
	auto_text t = TEXT_NULL; /* one tick alone: seven GPUs, and an eighth by its address */
	text_add(&t, S("timestamp, index, utilization.gpu [%]\n"));
	add_tick(&t, 0, 2, false);
	struct whole w = whole_read(&reader_nvidia_smi_csv, text_str(&t));
	assert_int_equal(w.f.samples.n, 7);
	assert_int_equal(w.f.devices.n, 8);
	assert_string_equal(word(&w, w.f.devices.v[7].id), "in:00000000:1A:00.0");
	assert_int_equal(w.f.capacity.n, 1);
	whole_drop(&w);
}

static void names_of_any_kind(void **state)
{
	(void)state;
	char text[900], longest[301];
	memset(longest, 'x', 300);
	longest[300] = '\0';
	snprintf(text, sizeof text,
	         "timestamp, index, name, utilization.gpu [%%]\n" AT
	         ", 0, a \"quoted one, 1 %%\n" AT ", 1,\"with, comma \"\"x\"\"\", 2 %%\n" AT
	         ", 2, \xff\x1b[2J, 3 %%\n" AT ", 3,\"never closed, 4 %%\n" AT ", 4, %s, 5 %%\n",
	         longest);
	struct whole w = read_text(text);
	static const char *const names[] = { "a \"quoted one", "with, comma \"x\"", "\xff\x1b[2J",
		                             "\"never closed" };
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_int_equal(w.f.samples.n, 5);
	for (int i = 0; i < 4; i++)
		assert_string_equal(word(&w, w.f.devices.v[i].model), names[i]);
	assert_string_equal(word(&w, w.f.devices.v[4].model), longest);
	whole_drop(&w);
}

static void identity(void **state)
{
	(void)state;
	/* a uuid that goes away is still the GPU at its address; two nodes have an index 0 each */
	struct whole w =
	        read_text("timestamp, uuid, pci.bus_id, utilization.gpu [%]\n" AT
	                  ", GPU-a, 00000000:1a:00.0, 1 %\n" AT ", [N/A], 00000000:1A:00.0, 2 %\n");
	assert_int_equal(w.f.devices.n, 1);
	assert_true(w.f.samples.v[1].device == w.f.devices.v[0].id);
	whole_drop(&w);
	w = read_text("timestamp, hostname, index, utilization.gpu [%]\n" AT ", n1, 0, 1 %\n" AT
	              ", n2, 0, 1 %\n");
	assert_int_equal(w.f.devices.n, 2);
	assert_string_equal(word(&w, w.f.devices.v[1].id), "n2:0");
	assert_string_equal(word(&w, w.f.devices.v[1].node), "n2");
	whole_drop(&w);
	/* GPUs side by side */
	w = read_text("# time, 0 gpu_util %, 0 power_draw W, 1 gpu_util %, 1 power_draw W\n"
	              "1796040000,5,50,6,60\n");
	assert_int_equal(w.f.samples.n, 2);
	assert_string_equal(word(&w, w.f.samples.v[1].device), "in:1");
	assert_int_equal(value(&w.f.samples.v[1], METRIC_power), 60000);
	whole_drop(&w);
	w = read_text("timestamp, utilization.gpu [%]\n" AT ", 1 %\n");
	assert_string_equal(word(&w, w.f.samples.v[0].device), "in");
	assert_true(has_note(&w, "all are taken for one GPU"));
	whole_drop(&w);
}

static void refuses_lists_of_no_time(void **state)
{
	(void)state;
	static const char *const heads[] = {
		"timestamp, gpu_uuid, pid, gpu_utilization [%], max_memory_usage [MiB]\n",
		"gpu_uuid, gpu_bus_id, remapped_rows.pending\n",
		"timestamp, gpu_uuid, retired_pages.address, retired_pages.cause\n",
	};
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		struct whole w = read_text(heads[i]);
		assert_true(w.score > 0 && w.code == ERR_INPUT);
		assert_non_null(strstr(w.err.text, "a list of accounted processes"));
		whole_drop(&w);
	}
}

#define APPS "timestamp, gpu_name, gpu_bus_id, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"
#define APP(second, gpu, pid, name)                                                               \
	"2026/11/30 12:00:" second ", NVIDIA H100, 00000000:1A:00.0, GPU-" gpu ", " pid ", " name \
	", 370 MiB\n"

static void lists_of_processes(void **state)
{
	(void)state;
	struct whole w = read_text(APPS APP("00.100", "a", "77", "python, train.py, --lr=1") APP(
	        "00.100", "b", "79", "x") APP("00.100", "a", "78", "[Not Found]")
	                                   APP("05.100", "a", "[N/A]", "x") APP("09", "a", "x", "x")
	                                           APP("x", "a", "7", "x"));
	assert_int_equal(w.score, 90);
	assert_int_equal(w.f.inputs.v[0].records, 6);
	assert_int_equal(w.f.inputs.v[0].rejected, 2);
	assert_int_equal(w.f.samples.n, 3);
	const struct sample *s = w.f.samples.v;
	assert_string_equal(word(&w, s->device), "GPU-a");
	assert_true(s->known == 0 && s->procs_why == WHY_KNOWN && s->procs_n == 2);
	assert_string_equal(word(&w, w.f.syms.v[s->procs_at]), "pid 77");
	assert_string_equal(word(&w, w.f.syms.v[s->procs_at + 1]), "pid 78");
	assert_int_equal(s[1].procs_why, WHY_UNSUPPORTED); /* they are there, and not shown */
	assert_string_equal(word(&w, s[2].device), "GPU-b");
	assert_true(has_note(&w, "not whether it worked"));
	whole_drop(&w);
	w = read_text("pid, gpu_uuid, used_gpu_memory [MiB]\n7, GPU-a, 3 MiB\n");
	assert_true(w.f.samples.n == 0 && has_note(&w, "Processes without a time"));
	whole_drop(&w);
	w = whole_read_at(&reader_nvidia_smi_csv, S("pid, gpu_uuid\n7, GPU-a\n"), 1000);
	assert_true(w.f.samples.n == 1 && w.f.samples.v[0].t_ms == 1000);
	whole_drop(&w);
	w = read_text(APPS);
	assert_true(w.f.samples.n == 0 && has_note(&w, "it names no GPU"));
	whole_drop(&w);
}

#define UTIL(second, util)                                                     \
	"timestamp, pci.bus_id, utilization.gpu [%]\n2026/11/30 12:00:" second \
	", 00000000:1A:00.0, " util " %\n"

/* A list goes with the readings next to it, whatever names the GPU in each. */
static void lists_beside_readings(void **state)
{
	(void)state;
	struct whole w = read_text(UTIL("00.000", "70") APPS APP("00.100", "a", "77", "x") UTIL(
	        "05.000", "71") APPS APP("06.001", "a", "78", "x") UTIL("09.000", "72"));
	assert_int_equal(w.f.devices.n, 1);
	assert_string_equal(word(&w, w.f.devices.v[0].id), "GPU-a");
	assert_string_equal(word(&w, w.f.devices.v[0].model), "NVIDIA H100");
	assert_int_equal(w.f.samples.n, 4);
	for (size_t i = 0; i < w.f.samples.n; i++) {
		const struct sample *s = &w.f.samples.v[i];
		assert_true(s->device == w.f.devices.v[0].id);
		bool has_list = s->procs_why == WHY_KNOWN;
		assert_true(has_list == (i == 0 || !s->known)); /* 1.001 s apart is not of a tick */
		assert_true(!has_list || s->procs_n == 1);
	}
	assert_int_equal(value(w.f.samples.v, METRIC_gpu_util), 70000000);
	whole_drop(&w);
	w = read_text(
	        UTIL("00.000",
	             "70") "timestamp, gpu_uuid, pid, gpu_utilization [%], max_memory_usage [MiB]\n"
	                   "2026/11/30 12:00:00.5, GPU-a, 7, 3 %, 300 MiB\n");
	assert_true(w.f.samples.n == 1 && has_note(&w, "were passed over"));
	whole_drop(&w);
}

/* Plain and time-weighted mean of GPU-Util, by the ledger's gap rule. */
static void means(const struct facts *f, int64_t period_ms, double *ret_plain, double *ret_weighted,
                  double *ret_covered_s)
{
	double plain = 0, weighted = 0, covered = 0;
	for (size_t i = 0; i < f->samples.n; i++) {
		const struct sample *s = &f->samples.v[i];
		double v = (double)value(s, METRIC_gpu_util) / 1e6;
		int64_t gap = i ? s->t_ms - s[-1].t_ms : INT64_MAX / 4;
		gap = 2 * gap <= 5 * period_ms ? gap : period_ms;
		plain += v;
		weighted += v * (double)gap;
		covered += (double)gap;
	}
	*ret_plain = plain / (double)f->samples.n;
	*ret_weighted = weighted / covered;
	*ret_covered_s = covered / 1000;
}

static void what_others_measured(void **state)
{
	(void)state;
	char path[4096];
	auto_arena a = ARENA_NULL;
	struct whole w = whole_read(
	        &reader_nvidia_smi_csv,
	        run_file(&a, run_shared(path, sizeof path,
	                                "data/nvidia-smi-csv/earthquake-4h47/gpu0.log")));
	double plain, weighted, covered_s;
	assert_int_equal(w.f.inputs.v[0].rejected, 0);
	assert_int_equal(w.f.samples.n, 46198);
	means(&w.f, 343, &plain, &weighted, &covered_s);
	assert_true(fabs(plain - 6.394822) < 5e-7);
	assert_true(fabs(weighted - 5.3573) < 5e-5);
	assert_true(fabs(covered_s / 17250.129 - 0.99547) < 1e-5);
	whole_drop(&w);
	static const struct {
		const char *path;
		size_t samples, devices;
	} rows[] = { { "data/nvidia-smi-csv/miris-v100s-idle/gpu_log.csv", 107, 1 },
		     { "data/nvidia-smi-csv/gpu_glasses-h100x8-idle/nvidia_smi.csv", 43, 8 },
		     { "data/nvidia-smi-8gpu-hot/gpu_metrics.excerpt.csv", 24, 8 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct str text = run_file(&a, run_shared(path, sizeof path, rows[i].path));
		w = whole_read(&reader_nvidia_smi_csv, text);
		assert_int_equal(w.f.inputs.v[0].rejected, 0);
		assert_int_equal(w.f.samples.n, rows[i].samples);
		assert_int_equal(w.f.devices.n, rows[i].devices);
		whole_drop(&w);
	}
}

/* The text that the N-th --query-gpu printed in a capture of everything that nvidia-smi says. */
static struct str section(struct str capture, int n)
{
	struct str mark = S("# $ nvidia-smi --query-gpu=");
	for (; n >= 0; n--) {
		size_t at = str_find(capture, mark);
		capture = str_sub(capture, at + mark.n, capture.n);
	}
	capture = str_sub(capture, str_find(capture, S("\ntimestamp, ")) + 1, capture.n);
	return str_sub(capture, 0, str_find(capture, S("\n####")));
}

/* Every field of three generations of GPUs and drivers, idle and under load. */
static void captures_of_every_field(void **state)
{
	(void)state;
	static const struct {
		const char *path;
		int64_t power_mw[2], util[2]; /* -1: not told */
		int64_t idle[2];
	} rows[] = {
		{ "linux-x86_64__nvidia-h100-mig__590.48.01.txt",
		  { 71150, 433780 },
		  { -1, -1 },
		  { 1, 0 } },
		{ "linux-x86_64__nvidia-geforce-rtx-2080-super__595.71.05.txt",
		  { 39320, -2 },
		  { 0, -2 },
		  { 0, -2 } },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char path[4096], name[200];
		auto_arena a = ARENA_NULL;
		snprintf(name, sizeof name, "data/nvidia-smi-captures/%s", rows[i].path);
		struct str all = run_file(&a, run_shared(path, sizeof path, name));
		for (int load = 0; load < 2; load++) {
			struct whole w = whole_read(&reader_nvidia_smi_csv, section(all, load));
			assert_int_equal(w.score, 90);
			assert_int_equal(w.f.inputs.v[0].records, 1);
			assert_int_equal(w.f.inputs.v[0].rejected, 0);
			assert_int_equal(w.f.samples.n, 1);
			const struct sample *s = w.f.samples.v;
			assert_true(has_note(&w, "it was masked"));
			assert_true(str_starts(names_word(&w.f.names, s->device),
			                       S("in:00000000:0"))); /* its address */
			assert_true(value(s, METRIC_power_limit) >= 250000);
			assert_true(value(s, METRIC_mem_used) > value(s, METRIC_mem_reserve));
			if (rows[i].power_mw[load] >= 0)
				assert_int_equal(value(s, METRIC_power), rows[i].power_mw[load]);
			if (rows[i].idle[load] >= 0)
				assert_int_equal(value(s, METRIC_idle_reason), rows[i].idle[load]);
			if (rows[i].util[load] == -1)
				assert_int_equal(s->why[METRIC_gpu_util], WHY_UNSUPPORTED);
			else
				assert_true(value(s, METRIC_gpu_util) >= 0);
			whole_drop(&w);
		}
	}
}

/* What says how deeply, how fast and how hot, with its values that are none. */
static void clocks_memory_and_heat(void **state)
{
	(void)state;
	struct whole w = read_text(
	        "timestamp, uuid, utilization.gpu [%], utilization.memory [%], "
	        "utilization.encoder [%], utilization.decoder [%], memory.total [MiB], "
	        "clocks.current.sm [MHz], clocks.max.sm [MHz], clocks.current.memory [MHz], "
	        "clocks.max.memory [MHz], temperature.gpu, temperature.memory, fan.speed [%], "
	        "clocks_event_reasons.active\n"
	        "2026/11/30 12:00:00, GPU-a, 7 %, 3 %, 1 %, 2 %, 81559 MiB, 1410 MHz, 1980 MHz, "
	        "2619 MHz, 2620 MHz, 41, 52, 30 %, 0x0000000000000084\n"
	        "2026/11/30 12:00:01, GPU-a, 7 %, [N/A], [N/A], [N/A], 81559 MiB, 100001 MHz, "
	        "100000 MHz, 2619 MHz, 2620 MHz, 1001, N/A, [N/A], 0xFFFFFFFFFFFFFFFF\n");
	assert_int_equal(w.f.samples.n, 2);
	const struct sample *s = w.f.samples.v;
	assert_true(value(s, METRIC_mem_util) == 3000000 && value(s, METRIC_encoder) == 1000000);
	assert_true(value(s, METRIC_decoder) == 2000000 && value(s, METRIC_fan) == 30000000);
	assert_true(value(s, METRIC_mem_size) == 81559000);
	assert_true(value(s, METRIC_sm_clock) == 1410000);
	assert_true(value(s, METRIC_sm_clock_max) == 1980000);
	assert_true(value(s, METRIC_mem_clock) == 2619000);
	assert_true(value(s, METRIC_mem_clock_max) == 2620000);
	assert_true(value(s, METRIC_temperature) == 41000);
	assert_true(value(s, METRIC_mem_temperature) == 52000);
	assert_true(value(s, METRIC_throttle) == 0x84 && value(s, METRIC_idle_reason) == 0);
	s++;
	assert_int_equal(s->why[METRIC_mem_util], WHY_UNSUPPORTED);
	assert_int_equal(s->why[METRIC_sm_clock], WHY_OUT_OF_RANGE);
	assert_true(value(s, METRIC_sm_clock_max) == 100000000);
	assert_int_equal(s->why[METRIC_temperature], WHY_OUT_OF_RANGE);
	assert_int_equal(s->why[METRIC_mem_temperature], WHY_UNSUPPORTED);
	assert_int_equal(s->why[METRIC_throttle], WHY_OUT_OF_RANGE);
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	whole_drop(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_forms_of_one_row),
		cmocka_unit_test(memory_by_what_was_asked),
		cmocka_unit_test(power_of_an_instant_stands_beside_the_average),
		cmocka_unit_test(headers_again_and_other_ones),
		cmocka_unit_test(sixteen_bits),
		cmocka_unit_test(rows_without_a_header),
		cmocka_unit_test(non_values_are_not_zero),
		cmocka_unit_test(bad_readings_and_rows_are_counted),
		cmocka_unit_test(memory_with_and_without_the_reserve),
		cmocka_unit_test(a_lost_gpu_is_down),
		cmocka_unit_test(names_of_any_kind),
		cmocka_unit_test(identity),
		cmocka_unit_test(lists_of_processes),
		cmocka_unit_test(lists_beside_readings),
		cmocka_unit_test(refuses_lists_of_no_time),
		cmocka_unit_test(clocks_memory_and_heat),
		cmocka_unit_test(what_others_measured),
		cmocka_unit_test(captures_of_every_field),
	};
	return RUN_TESTS(tests);
}
