/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lib/whole.h"
#include "parse/when.h"

extern const struct reader reader_nvidia_smi_text;

/* The layout since 2023. */
#define EDGE                                                                                       \
	"+-----------------------------------------+------------------------+--------------------" \
	"--+\n"
#define TOP                                                                                        \
	"+---------------------------------------------------------------------------------------" \
	"--+\n"                                                                                    \
	"| NVIDIA-SMI 555.10.01              Driver Version: 555.10.01      CUDA Version: 12.5   " \
	"  |\n" EDGE "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | "       \
	"Volatile Uncorr. ECC |\n"                                                                 \
	"| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute "  \
	"M. |\n"                                                                                   \
	"|                                         |                        |               MIG "  \
	"M. |\n"                                                                                   \
	"|=========================================+========================+====================" \
	"==|\n"
#define GPU(i, bus, used, util, mig)                                                            \
	"|   " i "  NVIDIA H100 80GB HBM3          On  |   00000000:" bus                       \
	":00.0 Off |                    0 |\n"                                                  \
	"| N/A   42C    P0             98W /  700W |   " used "MiB /  81559MiB |    " util      \
	"      Default |\n"                                                                     \
	"|                                         |                        |             " mig \
	" |\n" EDGE
#define PROCESSES                                                                                  \
	"                                                                                        " \
	" \n"                                                                                      \
	"+---------------------------------------------------------------------------------------" \
	"--+\n"                                                                                    \
	"| Processes:                                                                            " \
	"  |\n"                                                                                    \
	"|  GPU   GI   CI              PID   Type   Process name                        GPU "      \
	"Memory |\n"                                                                               \
	"|        ID   ID                                                               Usage    " \
	"  |\n"                                                                                    \
	"|=======================================================================================" \
	"==|\n"
#define PROCESS(gpu, gi, pid)                           \
	"|    " gpu "   " gi "  " gi "            " pid \
	"      C   python, a|b                         11MiB |\n"
#define NOBODY                                                                                     \
	"|  No running processes found                                                           " \
	"  |\n"
#define BOTTOM                                                                                     \
	"+---------------------------------------------------------------------------------------" \
	"--+\n"

static int64_t at(const char *z)
{
	int64_t ms;
	assert_int_equal(when_parse(str_of(z), NULL, &ms), WHEN_OK);
	return ms;
}

static struct whole read_text(const char *text)
{
	return whole_read(&reader_nvidia_smi_text, str_of(text));
}

static bool has_note(const struct whole *w, const char *part)
{
	for (size_t i = 0; i < w->f.notes.n; i++)
		if (strstr(whole_word(w, w->f.notes.v[i].text), part))
			return true;
	return false;
}

static void a_box(void **state)
{
	(void)state;
	struct whole w = read_text("Tue Dec  1 05:57:49 2026       \n" TOP GPU(
	        "0", "1A", "12345", " 77%", "Disabled") GPU("1", "2B", "   59", " N/A", " Enabled")
	                                   GPU("2", "3C", "  900", "100%", "    N/A")
	                                           PROCESSES PROCESS("0", "N/A", "4077")
	                                                   PROCESS("0", "N/A", "78") BOTTOM);
	assert_int_equal(w.score, 92);
	assert_int_equal(w.f.rejects.n, 0);
	assert_int_equal(w.f.inputs.v[0].records, 3);
	assert_int_equal(w.f.samples.n, 3);
	const struct sample *s = w.f.samples.v;
	assert_string_equal(whole_word(&w, s->device), "in:00000000:1A:00.0");
	assert_string_equal(whole_word(&w, w.f.devices.v[0].model), "NVIDIA H100 80GB HBM3");
	assert_true(s->t_ms == at("2026-12-01T05:57:49Z") && s->kind == SAMPLE_POINT);
	whole_reads(&w, 0, METRIC_gpu_util, 77000000);
	whole_reads(&w, 0, METRIC_power, 98000);
	whole_reads(&w, 0, METRIC_power_limit, 700000);
	whole_reads(&w, 0, METRIC_mem_used, 12345000);
	whole_reads(&w, 0, METRIC_mem_size, 81559000);
	whole_reads(&w, 0, METRIC_temperature, 42000);
	assert_int_equal(s->why[METRIC_fan], WHY_UNSUPPORTED);
	assert_true(s->procs_why == WHY_KNOWN && s->procs_n == 2);
	assert_string_equal(whole_word(&w, w.f.syms.v[s->procs_at]), "pid 4077");
	/* nobody is on it, and its memory is free: known to be empty */
	assert_int_equal(s[1].why[METRIC_gpu_util], WHY_UNSUPPORTED);
	assert_true(s[1].procs_why == WHY_KNOWN && s[1].procs_n == 0);
	/* somebody has its memory: the list is not for our eyes */
	assert_int_equal(s[2].procs_why, WHY_NO_PERMISSION);
	assert_true(has_note(&w, "in MIG mode") && has_note(&w, "read as UTC"));
	whole_drop(&w);
}

#define OLD_BOX                                                                               \
	"Mon Nov 30 23:59:59 2026\r\n"                                                        \
	"+-----------------------------------------------------------------------------+\r\n" \
	"| NVIDIA-SMI 418.56       Driver Version: 418.56       CUDA Version: 10.1     |\r\n" \
	"|-------------------------------+----------------------+----------------------+\r\n" \
	"| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\r\n" \
	"| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\r\n" \
	"|===============================+======================+======================|\r\n" \
	"|   0  Tesla V100-PCIE...  Off  | 00000000:05:00.0 Off |                    0 |\r\n" \
	"| 37%   37C    P0    41W / 250W |   1538MiB / 32480MiB |     77%   E. Process |\r\n" \
	"+-------------------------------+----------------------+----------------------+\r\n" \
	"|   1  ERR!                ERR! | 00000000:08:00.0 ERR!|                 ERR! |\r\n" \
	"|ERR!  ERR! ERR!    ERR! / ERR! |   GPU is lost        |     ERR!        ERR! |\r\n" \
	"+-------------------------------+----------------------+----------------------+\r\n" \
	"|   2  NVIDIA GB10         Off  | 0000000F:01:00.0 Off |                  N/A |\r\n" \
	"| N/A   39C    P8 Unknown Error / N/A | [Not Found]    |      0%      Default |\r\n" \
	"+-------------------------------+----------------------+----------------------+\r\n" \
	"\r\n"                                                                                \
	"+-----------------------------------------------------------------------------+\r\n" \
	"| Processes:                                                       GPU Memory |\r\n" \
	"|  GPU       PID   Type   Process name                             Usage      |\r\n" \
	"|=============================================================================|\r\n" \
	"|    0                    Not Supported                                       |\r\n" \
	"|    2      3121      C   python                                     1528MiB  |\r\n" \
	"+-----------------------------------------------------------------------------+\r\n"

/* As drivers 300 to 440 printed it, and what stands for values. */
static void old_boxes_and_words(void **state)
{
	(void)state;
	struct whole w = read_text(OLD_BOX);
	assert_int_equal(w.f.samples.n, 3);
	assert_int_equal(w.f.rejects.n, 0);
	const struct sample *s = w.f.samples.v;
	assert_string_equal(whole_word(&w, w.f.devices.v[0].model), "Tesla V100-PCIE-32GB");
	assert_true(has_note(
	        &w, "Tesla V100-PCIE... with 32480 MiB was taken for Tesla V100-PCIE-32GB."));
	assert_int_equal(w.f.devices.v[1].model, 0);
	whole_reads(&w, 0, METRIC_fan, 37000000);
	whole_reads(&w, 0, METRIC_power, 41000);
	whole_reads(&w, 0, METRIC_power_limit, 250000);
	whole_reads(&w, 0, METRIC_gpu_util, 77000000);
	assert_int_equal(s->procs_why, WHY_UNSUPPORTED);
	static const enum metric_id lost[] = { METRIC_gpu_util,    METRIC_power,
		                               METRIC_power_limit, METRIC_temperature,
		                               METRIC_mem_used,    METRIC_mem_size,
		                               METRIC_fan };
	for (size_t i = 0; i < sizeof lost / sizeof *lost; i++)
		assert_int_equal(s[1].why[lost[i]], WHY_LOST);
	assert_int_equal(s[2].why[METRIC_power], WHY_LOST);
	assert_int_equal(s[2].why[METRIC_power_limit], WHY_UNSUPPORTED);
	assert_int_equal(s[2].why[METRIC_mem_used], WHY_ABSENT);
	assert_true(s[2].procs_why == WHY_KNOWN && s[2].procs_n == 1);
	whole_drop(&w);
}

#define MIG_DEVICES                                                                                \
	"\n" BOTTOM "| MIG devices:                                                              " \
	"              |\n"                                                                        \
	"+------------------+----------------------------------+-----------+---------------------" \
	"--+\n"                                                                                    \
	"| GPU  GI  CI  MIG |              Shared Memory-Usage |        Vol|        Shared       " \
	"  |\n"                                                                                    \
	"|      ID  ID  Dev |                Shared BAR1-Usage | SM     Unc| CE ENC  DEC  OFA  "   \
	"JPG |\n"                                                                                  \
	"|==================+==================================+===========+=====================" \
	"==|\n"                                                                                    \
	"|  0    2   0   0  |              26MiB / 40448MiB    | 60      0 |  3   0    3    0    " \
	"3 |\n"                                                                                    \
	"|                  |               0MiB / 24739MiB    |           |                     " \
	"  |\n"                                                                                    \
	"+------------------+----------------------------------+-----------+---------------------" \
	"--+\n"                                                                                    \
	"|  0    9   0   1  |               9MiB /  9984MiB    | 16      0 |  1   0    1    0    " \
	"1 "                                                                                       \
	"|\n"

static void a_box_with_instances(void **state)
{
	(void)state;
	struct whole w = read_text(
	        "Tue Dec  1 05:57:49 2026\n" TOP GPU("0", "1A", "11125", " N/A", "Enabled*")
	                MIG_DEVICES PROCESSES PROCESS("0", " 2 ", "31") BOTTOM);
	assert_true(w.f.samples.n == 3 && w.f.devices.n == 1 && !w.f.rejects.n);
	whole_reads(&w, 0, METRIC_mem_used, 11125000);
	assert_int_equal(w.f.samples.v[0].procs_n, 1);
	assert_string_equal(whole_word(&w, w.f.syms.v[w.f.samples.v[0].procs_at]), "pid 31");
	/* each instance has its own memory and processes */
	assert_int_equal(w.f.instances.n, 2);
	assert_string_equal(whole_word(&w, w.f.instances.v[0].id), "in:00000000:1A:00.0/2");
	assert_true(w.f.instances.v[0].device == w.f.devices.v[0].id);
	assert_int_equal(w.f.instances.v[0].slices, 3);
	const struct sample *s = w.f.samples.v + 1;
	assert_string_equal(whole_word(&w, s->device), "in:00000000:1A:00.0/2");
	whole_reads(&w, 1, METRIC_mem_used, 26000);
	whole_reads(&w, 1, METRIC_mem_size, 40448000);
	assert_true(s->procs_why == WHY_KNOWN && s->procs_n == 1);
	assert_true(s[1].procs_why == WHY_KNOWN && s[1].procs_n == 0);
	assert_true(has_note(&w, "in MIG mode"));
	whole_drop(&w);
}

/* Only a whole table of processes says that a GPU has none. */
static void lists_that_are_not_whole(void **state)
{
	(void)state;
	static const struct {
		const char *processes;
		enum why why;
	} rows[] = {
		{ "", WHY_ABSENT },
		{ PROCESSES, WHY_ABSENT },
		{ PROCESSES NOBODY, WHY_ABSENT },
		{ PROCESSES PROCESS("0", "N/A", "77"), WHY_ABSENT },
		{ PROCESSES BOTTOM, WHY_NO_PERMISSION }, /* as containers show it */
		{ PROCESSES NOBODY BOTTOM, WHY_KNOWN },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[8192];
		snprintf(text, sizeof text, "%s%s",
		         "Tue Dec  1 05:57:49 2026\n" TOP GPU("0", "1A", "   59", "  0%",
		                                              "Disabled"),
		         rows[i].processes);
		struct whole w = read_text(text);
		assert_int_equal(w.f.samples.n, 1);
		assert_int_equal(w.f.samples.v[0].procs_why, rows[i].why);
		whole_drop(&w);
	}
}

static void boxes_one_after_the_other(void **state)
{
	(void)state;
	struct whole w = read_text(
	        "Every 2.0s: nvidia-smi  n1: Tue Dec  1 05:57:49 2026\n\n"
	        "Tue Dec  1 05:57:49 2026\n" TOP GPU("0", "1A", "12345", " 77%", "Disabled")
	                PROCESSES NOBODY BOTTOM "Tue Dec  1 05:57:54 2026\n" TOP GPU(
	                        "0", "1A", "12345", "  0%",
	                        "Disabled") "Tue Dec  1 05:57:59 2026\n"
	                                    "Unable to determine the device handle for "
	                                    "GPU0000:1A:00.0: Unknown Error\n"
	                                    "Tue Dec  1 05:58:04 2026\n" TOP GPU(
	                                            "0", "1A", "12345", "  5%",
	                                            "Disabled") "|   1  NVIDIA H100 80GB HBM3      "
	                                                        "    On  |   00000000:2B:00.0 Off "
	                                                        "|                    0 |\n");
	assert_int_equal(w.f.samples.n, 3);
	assert_int_equal(w.f.devices.n, 1);
	assert_true(w.f.samples.v[1].t_ms - w.f.samples.v[0].t_ms == 5000);
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_non_null(strstr(whole_word(&w, w.f.rejects.v[0].reason), "in the middle of a GPU"));
	assert_true(has_note(&w, "lost a GPU"));
	size_t failed = 0;
	for (size_t i = 0; i < w.f.capacity.n; i++)
		failed += w.f.capacity.v[i].state == CAPACITY_FAILED;
	assert_int_equal(failed, 1);
	whole_drop(&w);
}

static void boxes_without_a_time(void **state)
{
	(void)state;
	const char *text = TOP GPU("0", "1A", "12345", " 77%", "Disabled") "\nand again\n" TOP GPU(
	        "0", "1A", "12345", " 78%", "Disabled");
	struct whole w = read_text(text);
	assert_true(w.f.samples.n == 0 && w.f.inputs.v[0].rejected == 2);
	assert_non_null(strstr(whole_word(&w, w.f.rejects.v[0].reason), "FILE@at=TIME"));
	assert_int_equal(w.f.rejects.v[0].line, 8);
	assert_true(has_note(&w, "no output of nvidia-smi"));
	whole_drop(&w);
	/* a time of something else is none of a box's */
	char after[4096];
	snprintf(after, sizeof after, "Tue Dec  1 05:57:49 2026\nepoch 1\n%s", text);
	w = read_text(after);
	assert_true(w.f.samples.n == 0 && w.f.inputs.v[0].rejected == 2);
	whole_drop(&w);
	int64_t when = at("2026-12-01T05:57:49.250Z");
	w = whole_read_at(&reader_nvidia_smi_text, str_of(text), when);
	assert_true(w.f.samples.n == 1 && w.f.samples.v[0].t_ms == when);
	assert_int_equal(w.f.inputs.v[0].rejected, 1); /* the second is of another time */
	whole_reads(&w, 0, METRIC_gpu_util, 77000000);
	whole_drop(&w);
}

#define LOG "==============NVSMI LOG==============\n\n"
#define STAMP(when)                                         \
	"Timestamp                                 : " when \
	"\nDriver Version                            : 555.10\n"
#define HEAD "Attached GPUs                             : 1\nGPU 00000000:1A:00.0\n"

/* A GPU of whose values the tree has many, and one of which it has few. */
static void tree_add(struct text *t)
{
	static const char *const lines[] = {
		LOG,
		STAMP("Tue Dec  1 05:57:49 2026"),
		"A New Version : 3\n",
		HEAD,
		"    Product Name : NVIDIA H100, 80GB\n",
		"    MIG Mode\n",
		"        Current : Disabled\n",
		"    GPU UUID : GPU-a\n",
		"    PCI\n",
		"        Bus : 0x1A\n",
		"        Bus Id : 00000000:1A:00.0\n",
		"    Fan Speed : 31 %\n",
		"    Clocks Event Reasons\n",
		"        Idle : Not Active\n",
		"        HW Slowdown : Not Active\n",
		"            HW Thermal Slowdown : Active\n",
		"            HW Power Brake Slowdown : Not Active\n",
		"        SW Power Cap : Active\n",
		"    Clocks Event Reasons Counters\n",
		"        Sync Boost : 0 us\n",
		"    FB Memory Usage\n",
		"        Total : 81559 MiB\n",
		"        Reserved : 479 MiB\n",
		"        Used : 59 MiB\n",
		"        Free : 81022 MiB\n",
		"    BAR1 Memory Usage\n",
		"        Used : 1 MiB\n",
		"    Utilization\n",
		"        Gpu : 12 %\n",
		"        Memory : N/A\n",
		"    Temperature\n",
		"        GPU Current Temp : 42 C\n",
		"        Memory Current Temp : 48 C\n",
		"    GPU Power Readings\n",
		"        Average Power Draw : N/A\n",
		"        Instantaneous Power Draw : 72.63 W\n",
		"        GPU Ceiling Power Limit\n",
		"            Current Power Limit : 700.00 W\n",
		"    Module Power Readings\n",
		"        Average Power Draw : 900.00 W\n",
		"    Clocks\n",
		"        SM : 345 MHz\n",
		"    Max Clocks\n",
		"        SM : 1980 MHz\n",
		"    Processes\n",
		"        GPU instance ID : N/A\n",
		"        Process ID : 4077\n",
		"            Type : C\n",
		"            Name : GPU : 1\n",
		"        Process ID : 78\n",
		"    Capabilities\n",
		"        EGM : disabled\n",
		"GPU 00000000:2B:00.0\n",
		"    FB Memory Usage\n",
		"        Used : 59 MiB\n",
		"    Processes : None\n",
		"\n",
		"\n",
		"something else\n",
		"    Fan Speed : 99 %\n",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		text_add(t, str_of(lines[i]));
}

static void the_tree_of_q(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	tree_add(&t);
	struct whole w = whole_read(&reader_nvidia_smi_text, text_str(&t));
	assert_int_equal(w.score, 92);
	assert_int_equal(w.f.rejects.n, 0);
	assert_int_equal(w.f.samples.n, 2);
	const struct sample *s = w.f.samples.v;
	assert_string_equal(whole_word(&w, s->device), "GPU-a");
	assert_true(s->t_ms == at("2026-12-01T05:57:49Z"));
	whole_reads(&w, 0, METRIC_fan, 31000000);
	whole_reads(&w, 0, METRIC_gpu_util, 12000000);
	whole_reads(&w, 0, METRIC_mem_used, 538000);
	whole_reads(&w, 0, METRIC_mem_reserve, 479000);
	whole_reads(&w, 0, METRIC_power, 72630);
	whole_reads(&w, 0, METRIC_power_limit, 700000);
	whole_reads(&w, 0, METRIC_temperature, 42000);
	whole_reads(&w, 0, METRIC_mem_temperature, 48000);
	whole_reads(&w, 0, METRIC_sm_clock, 345000);
	whole_reads(&w, 0, METRIC_sm_clock_max, 1980000);
	whole_reads(&w, 0, METRIC_throttle, 0x44);
	whole_reads(&w, 0, METRIC_idle_reason, 0);
	assert_int_equal(s->why[METRIC_mem_util], WHY_UNSUPPORTED);
	assert_true(s->procs_why == WHY_KNOWN && s->procs_n == 2);
	assert_string_equal(whole_word(&w, s[1].device), "in:00000000:2B:00.0");
	assert_int_equal(s[1].why[METRIC_fan], WHY_ABSENT);
	assert_true(s[1].procs_why == WHY_KNOWN && s[1].procs_n == 0);
	whole_drop(&w);
}

static void parts_of_q(void **state)
{
	(void)state;
	struct whole w = read_text(
	        "    " LOG "    Timestamp  : Tue Dec  1 05:57:49 2026\n    GPU 0000:1A:00.0\n"
	        "        Utilization\n            Gpu : 3 %\n"
	        "        GPU Utilization Samples\n            Max : 100 %\n"
	        "        Power Readings\n            Power Draw : 41.50 W\n            Power Limit "
	        ": 250.00 W\n" LOG "Timestamp : Tue Dec  1 05:57:54 2026\nGPU 0000:1A:00.0\n    "
	        "Utilization\n        Gpu : 4 %\n" LOG
	        "GPU 0000:1A:00.0\n    Utilization\n        Gpu : 5 %\n");
	assert_true(w.f.samples.n == 2 && w.f.devices.n == 1);
	whole_reads(&w, 0, METRIC_gpu_util, 3000000);
	whole_reads(&w, 0, METRIC_power, 41500);
	whole_reads(&w, 0, METRIC_power_limit, 250000);
	whole_reads(&w, 1, METRIC_gpu_util, 4000000);
	assert_int_equal(w.f.samples.v[0].procs_why, WHY_ABSENT);
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_non_null(strstr(whole_word(&w, w.f.rejects.v[0].reason), "no Timestamp"));
	whole_drop(&w);
}

/* MIG devices below their GPU, with the processes that run on them; the UUID was masked. */
static void instances_of_q(void **state)
{
	(void)state;
	static const char part[] = "        Device Attributes\n            Shared\n"
	                           "                Multiprocessor count : 60\n"
	                           "                Copy Engine count : 3\n";
	auto_text t = TEXT_NULL;
	text_printf(&t,
	            "%s%s%s    Product Name : NVIDIA H100 80GB HBM3\n"
	            "    MIG Mode\n        Current : Enabled\n"
	            "    MIG Device\n        GPU Instance ID : 2\n%s"
	            "        Shared FB Memory Usage\n            Used : 26 MiB\n"
	            "    MIG Device\n        GPU Instance ID : 1\n%s"
	            "        FB Memory Usage\n            Used : 17 MiB\n"
	            "    GPU UUID : GPU-00000000-0000-0000-0000-000000000000\n"
	            "    FB Memory Usage\n        Used : 59 MiB\n"
	            "    Processes\n        GPU instance ID : 2\n        Process ID : 31\n",
	            LOG, STAMP("Tue Dec  1 05:57:49 2026"), HEAD, part, part);
	struct whole w = whole_read(&reader_nvidia_smi_text, text_str(&t));
	assert_true(w.f.samples.n == 3 && w.f.devices.n == 1 && w.f.instances.n == 2);
	assert_true(w.f.devices.v[0].mig && !w.f.rejects.n);
	assert_string_equal(whole_word(&w, w.f.devices.v[0].id), "in:00000000:1A:00.0");
	assert_string_equal(whole_word(&w, w.f.samples.v[1].device), "in:00000000:1A:00.0/2");
	whole_reads(&w, 0, METRIC_mem_used, 59000);
	whole_reads(&w, 1, METRIC_mem_used, 26000);
	whole_reads(&w, 2, METRIC_mem_used, 17000);
	assert_int_equal(w.f.samples.v[1].procs_n, 1);
	assert_true(w.f.samples.v[2].procs_why == WHY_KNOWN && !w.f.samples.v[2].procs_n);
	assert_true(w.f.instances.v[0].slices == 3 && w.f.instances.v[1].slices == 3);
	assert_true(has_note(&w, "of its instances") && !has_note(&w, "as a whole"));
	whole_drop(&w);
}

/* Lines 16 keys deep are read, and what is deeper is not; nothing is lost after it. */
static void a_deep_tree(void **state)
{
	(void)state;
	auto_text t = TEXT_NULL;
	text_add(&t, S(LOG STAMP("Tue Dec  1 05:57:49 2026") HEAD));
	for (size_t i = 1; i < 40; i++) {
		text_repeat(&t, ' ', i);
		text_add(&t, S("Key\n"));
	}
	text_add(&t, S("  Fan Speed : 7 %\n Fan Speed : 8 %\n"));
	struct whole w = whole_read(&reader_nvidia_smi_text, text_str(&t));
	assert_true(w.f.samples.n == 1 && !w.f.rejects.n);
	whole_reads(&w, 0, METRIC_fan, 8000000);
	whole_drop(&w);
}

#define XML                                                                           \
	"<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<timestamp>Tue Dec  1 05:57:55 " \
	"2026</timestamp>\n"                                                          \
	"<gpu id=\"0\"><uuid>GPU-a</uuid><utilization><gpu_util>3 "                   \
	"%</gpu_util></utilization></gpu>\n</nvidia_smi_log>\n"

/* Outputs of several commands, of one GPU that each names in its own way. */
static void files_of_several_commands(void **state)
{
	(void)state;
	struct whole w = read_text(
	        "collected: today\n"
	        "# $ nvidia-smi -L\nGPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-a)\n\n"
	        "me@n1:~$ nvidia-smi\n"
	        "Tue Dec  1 05:57:49 2026\n" TOP GPU("0", "1A", "12345", " 77%", "Disabled")
	                PROCESSES NOBODY BOTTOM
	        "# $ nvidia-smi topo -m\n  GPU0 X\n"
	        "# $ nvidia-smi -q\n" LOG STAMP("Tue Dec  1 05:57:49 2026") HEAD
	        "    GPU UUID : GPU-a\n    Product Name : NVIDIA H100 80GB HBM3\n    Fan Speed : "
	        "31 %\n"
	        "    Utilization\n        Gpu : 78 %\n\n"
	        "# $ nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv\n"
	        "timestamp, index, utilization.gpu [%]\n2026/12/01 05:57:50.000, 0, x\n"
	        "2026/12/01 05:57:50.500, 0, 79 %\n\n"
	        "# $ nvidia-smi --query-compute-apps=timestamp,gpu_uuid,pid --format=csv\n"
	        "timestamp, gpu_uuid, pid\n2026/12/01 05:57:50.700, GPU-a, 4077\n\n"
	        "# $ nvidia-smi --query-retired-pages=gpu_uuid,retired_pages.cause --format=csv\n"
	        "gpu_uuid, retired_pages.cause\nGPU-a, Single Bit ECC\n\n"
	        "# $ nvidia-smi -q -x\n" XML "# $ nvidia-smi topo -m\n  GPU0 X\n");
	assert_int_equal(w.score, 96);
	assert_int_equal(w.f.devices.n, 1);
	assert_string_equal(whole_word(&w, w.f.devices.v[0].id), "GPU-a");
	assert_int_equal(w.f.samples.n, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(w.f.samples.v[i].device == w.f.devices.v[0].id);
	/* two outputs of one second are one reading; of what both say the later counts */
	whole_reads(&w, 0, METRIC_gpu_util, 78000000);
	whole_reads(&w, 0, METRIC_fan, 31000000);
	whole_reads(&w, 0, METRIC_temperature, 42000);
	assert_int_equal(w.f.samples.v[1].why[METRIC_gpu_util], WHY_ABSENT);
	assert_true(w.f.samples.v[2].procs_n == 1);
	whole_reads(&w, 3, METRIC_gpu_util, 3000000);
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_int_equal(w.f.rejects.v[0].line, 43);
	assert_true(has_note(&w, "passed over: nvidia-smi -L, topo -m, --query-retired-pages."));
	whole_drop(&w);
}

#define DMON_HEAD "# gpu    pwr     sm\n# Idx      W      %\n"
#define PMON_HEAD "#Date       Time        gpu         pid   type    command\n"

/* Tables of dmon and pmon among the others: those that say when are read, of the same GPU. */
static void tables_that_scroll(void **state)
{
	(void)state;
	struct whole w = read_text("n1$ nvidia-smi -q\n" LOG STAMP("Tue Dec  1 05:57:49 2026") HEAD
	                           "    GPU UUID : GPU-a\n"
	                           "n1$ nvidia-smi dmon -c 1\n" DMON_HEAD "    0     41     50\n"
	                           "n1$ nvidia-smi dmon\n" DMON_HEAD
	                           "2026-12-01T05:57:50Z    0     42     51\n\n"
	                           "n1$ nvidia-smi pmon -o DT\n" PMON_HEAD
	                           " 20261201   05:57:50      0       4077     C    python\n"
	                           "n1$ nvidia-smi topo -m\n    0 1\n");
	assert_true(w.f.devices.n == 1 && w.f.samples.n == 2 && !w.f.rejects.n);
	assert_string_equal(whole_word(&w, w.f.samples.v[1].device), "GPU-a");
	whole_reads(&w, 1, METRIC_gpu_util, 51000000);
	assert_int_equal(w.f.samples.v[1].procs_n, 1);
	assert_true(has_note(&w, "passed over: nvidia-smi dmon -c 1, topo -m."));
	whole_drop(&w);
	/* a number is that of the box; one of no box is another GPU */
	w = read_text("Tue Dec  1 05:57:49 2026\n" TOP GPU(
	        "1", "1A", "12345", " 77%",
	        "Disabled") "\n" DMON_HEAD "2026-12-01T05:57:50Z    1     42     "
	                    "51\n2026-12-01T05:57:50Z    2     42     51\n");
	assert_true(w.f.devices.n == 2 && w.f.samples.n == 3 && !w.f.rejects.n);
	assert_string_equal(whole_word(&w, w.f.samples.v[1].device), "in:00000000:1A:00.0");
	assert_string_equal(whole_word(&w, w.f.samples.v[2].device), "in:2");
	whole_drop(&w);
	w = read_text("Tue Dec  1 05:57:49 2026\n" TOP GPU(
	        "1", "1A", "12345", " 77%", "Disabled") "\n" DMON_HEAD "    1     42     51\n");
	assert_true(w.f.samples.n == 1 && !w.f.rejects.n &&
	            has_note(&w, "dmon or pmon without times"));
	whole_drop(&w);
}

static void is_told_by_what_it_prints(void **state)
{
	(void)state;
	static const struct {
		const char *head;
		int score;
	} rows[] = {
		{ "", 0 },
		{ "timestamp, index, utilization.gpu [%]\n", 0 },
		{ TOP, 92 },
		{ LOG, 92 },
		{ "n1$ nvidia-smi -q\n", 92 },
		{ "NVIDIA-SMI has failed because\n# $ nvidia-smi\n", 92 },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n" TOP, 60 }, /* the log of something else */
		{ "timestamp, index, utilization.gpu [%]\n4\n5\n6\n7\n8\n9\n10\n11\n" TOP, 92 },
		{ TOP "<nvidia_smi_log>", 96 },
		{ "<nvidia_smi_log>", 0 },
		{ "I ran nvidia-smi and it was fine\n", 0 },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n$ nvidia-smi\n$ nvidia-smi -q\n", 0 },
		{ "1\n2\n3\n4\n5\n6\n7\n8\n$ nvidia-smi -h\n$ nvidia-smi -L\n$ nvidia-smi -q\n",
		  40 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(reader_nvidia_smi_text.recognise(str_of(rows[i].head), NULL),
		                 rows[i].score);
}

static void odd_boxes(void **state)
{
	(void)state;
	struct whole w = read_text("Tue Dec  1 05:57:49 2026\n" TOP
	                           "| a | b |\n" GPU("0", "1A", "12345", " 77%", "Disabled")
	                                   PROCESSES "|    7   N/A  N/A            4077      C   x "
	                                             "                                    11MiB |\n"
	                                             "|    0   N/A  N/A            x077      C   x "
	                                             "                                    11MiB |\n"
	                                             "|\n" BOTTOM);
	assert_int_equal(w.f.samples.n, 1);
	assert_int_equal(w.f.inputs.v[0].rejected, 3);
	assert_int_equal(w.f.inputs.v[0].records, 4);
	whole_drop(&w);
	/* of virtual GPUs: another table */
	w = read_text(
	        "Tue Dec  1 05:57:49 2026\n"
	        "| NVIDIA-SMI 450.55                 Driver Version: 450.55                    |\n"
	        "| GPU  Name                       | Bus-Id                       | GPU-Util   |\n"
	        "|      vGPU ID     Name           | VM ID     VM Name            | vGPU-Util  |\n"
	        "|=================================+==============================+============|\n"
	        "|   0  Tesla M10                  | 00000000:3D:00.0             |  12%       |\n"
	        "|      11924       GRID M10-2Q    | 3         a                  |      6%    "
	        "|\n");
	assert_true(w.f.samples.n == 0 && w.f.rejects.n == 0);
	whole_drop(&w);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_box),
		cmocka_unit_test(old_boxes_and_words),
		cmocka_unit_test(a_box_with_instances),
		cmocka_unit_test(lists_that_are_not_whole),
		cmocka_unit_test(boxes_one_after_the_other),
		cmocka_unit_test(boxes_without_a_time),
		cmocka_unit_test(odd_boxes),
		cmocka_unit_test(the_tree_of_q),
		cmocka_unit_test(parts_of_q),
		cmocka_unit_test(instances_of_q),
		cmocka_unit_test(a_deep_tree),
		cmocka_unit_test(files_of_several_commands),
		cmocka_unit_test(tables_that_scroll),
		cmocka_unit_test(is_told_by_what_it_prints),
	};
	return RUN_TESTS(tests);
}
