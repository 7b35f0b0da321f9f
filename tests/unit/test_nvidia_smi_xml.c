/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/whole.h"
#include "parse/when.h"

extern const struct reader reader_nvidia_smi_xml;

#define HEAD "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n"
#define BEGIN(when) "<nvidia_smi_log>\n<timestamp>" when "</timestamp>\n"
#define END "</nvidia_smi_log>\n"
#define GPU(uuid, util, used, processes)                                                           \
	"<gpu id=\"0\">\n<product_name>NVIDIA H100, 80GB</product_name>\n<uuid>" uuid "</uuid>\n"  \
	"<utilization><gpu_util>" util "</gpu_util><memory_util>N/A</memory_util></utilization>\n" \
	"<fb_memory_usage><total>81559 MiB</total><reserved>549 MiB</reserved><used>" used         \
	"</used><free>81009 MiB</free></fb_memory_usage>\n"                                        \
	"<gpu_power_readings><power_draw>71.50 W</power_draw>"                                     \
	"<current_power_limit>700.00 W</current_power_limit></gpu_power_readings>\n"               \
	"<clocks_event_reasons>"                                                                   \
	"<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>"                  \
	"<clocks_event_reason_sw_power_cap>Active</clocks_event_reason_sw_power_cap>"              \
	"<clocks_event_reason_hw_power_brake_slowdown>Active"                                      \
	"</clocks_event_reason_hw_power_brake_slowdown></clocks_event_reasons>\n" processes        \
	"</gpu>\n"
#define PROCESS(pid) "<process_info><pid>" pid "</pid><type>C</type></process_info>\n"

static int64_t at(const char *z)
{
	int64_t ms;
	assert_int_equal(when_parse(str_of(z), NULL, &ms), WHEN_OK);
	return ms;
}

static struct str word(const struct whole *w, sym id)
{
	return names_word(&w->f.names, id);
}

static void reads_documents_one_after_the_other(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_xml,
	        S(HEAD BEGIN("Fri Aug  4 11:44:30 2023")
	                  GPU("GPU-a", "65 %", "9184 MiB",
	                      "<processes>\n" PROCESS("77") PROCESS("4194304") "</processes>\n")
	                          GPU("GPU-b", "[N/A]", "1 MiB", "<processes>\n</processes>\n")
	                                  END HEAD BEGIN("Fri Aug 04 11:44:31 2023")
	                                          GPU("GPU-a", "3 %", "9184 MiB",
	                                              "<processes>\n</processes>\n") END));
	assert_int_equal(w.score, 95);
	assert_int_equal(w.f.rejects.n, 0);
	assert_int_equal(w.f.inputs.v[0].records, 3);
	assert_int_equal(w.f.devices.n, 2);
	assert_int_equal(w.f.samples.n, 3);
	const struct sample *s = w.f.samples.v;
	assert_str(word(&w, s->device), "GPU-a");
	assert_str(word(&w, w.f.devices.v[0].model), "NVIDIA H100  80GB");
	assert_true(s->t_ms == at("2023-08-04T11:44:30Z") && s->kind == SAMPLE_POINT);
	assert_true(s->v[METRIC_gpu_util] == 65000000 && s->v[METRIC_power] == 71500);
	assert_true(s->v[METRIC_power_limit] == 700000 && s->v[METRIC_mem_size] == 81559000);
	assert_int_equal(s->why[METRIC_mem_util], WHY_UNSUPPORTED);
	assert_true(s->why[METRIC_throttle] == WHY_KNOWN && s->v[METRIC_throttle] == 0x84);
	assert_true(s->why[METRIC_idle_reason] == WHY_KNOWN && s->v[METRIC_idle_reason] == 0);
	assert_true(s->procs_why == WHY_KNOWN && s->procs_n == 2);
	assert_str(word(&w, w.f.syms.v[s->procs_at + 1]), "pid 4194304");
	/* nothing on it, and no memory taken: known to be empty */
	assert_true(s[1].procs_why == WHY_KNOWN && s[1].procs_n == 0);
	assert_int_equal(s[1].why[METRIC_gpu_util], WHY_UNSUPPORTED);
	/* memory is taken and nobody is listed: the list is not for our eyes */
	assert_int_equal(s[2].procs_why, WHY_NO_PERMISSION);
	assert_true(s[2].t_ms == at("2023-08-04T11:44:31Z"));
	whole_drop(&w);
}

static void a_broken_document_costs_itself(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_xml,
	        S(HEAD BEGIN("Fri Aug  4 11:44:30 2023") "<gpu>\n<uuid>GPU-a</uuid>\n</"
	                                                 "nvidia_smi_log>\n" HEAD BEGIN(
	                                                         "Fri Aug  4 11:44:31 2023")
	                                                         GPU("GPU-a", "3 %", "1 MiB", "")
	                                                                 END
	          "<nvidia_smi_log>\n" GPU("GPU-a", "3 %", "1 MiB", "") END HEAD BEGIN("yesterday")
	                  GPU("GPU-a", "3 %", "1 MiB", "") END HEAD));
	assert_int_equal(w.f.samples.n, 1);
	assert_int_equal(w.f.samples.v[0].procs_why, WHY_ABSENT);
	assert_int_equal(w.f.inputs.v[0].records, 5);
	assert_int_equal(w.f.inputs.v[0].rejected, 4);
	assert_int_equal(w.f.rejects.v[0].line, 7); /* where </nvidia_smi_log> meets <gpu> */
	whole_drop(&w);
}

/* A document that is left out takes its list along. */
static void lists_stay_with_their_documents(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_nvidia_smi_xml,
	                   S(HEAD BEGIN("yesterday") GPU("GPU-a", "3 %", "900 MiB",
	                                                 "<processes>" PROCESS("1") "</processes>")
	                             END HEAD BEGIN("Fri Aug  4 11:44:31 2023")
	                                     GPU("GPU-a", "3 %", "900 MiB",
	                                         "<processes>" PROCESS("2") "</processes>")
	                                             GPU("GPU-b", "3 %", "1 MiB",
	                                                 "<processes>Insufficient Permissions"
	                                                 "</processes>") END));
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_int_equal(w.f.samples.n, 2);
	const struct sample *s = w.f.samples.v;
	assert_true(s->procs_why == WHY_KNOWN && s->procs_n == 1);
	assert_str(word(&w, w.f.syms.v[s->procs_at]), "pid 2");
	assert_int_equal(s[1].procs_why, WHY_NO_PERMISSION);
	whole_drop(&w);
}

#define DIVIDED(model, parts, processes)                                               \
	"<gpu id=\"0\">\n<product_name>" model "</product_name>\n<uuid>GPU-a</uuid>\n" \
	"<mig_mode><current_mig>Enabled</current_mig></mig_mode>\n<mig_devices>" parts \
	"</mig_devices>\n<processes>" processes "</processes>\n</gpu>\n"
#define PART(gi, ci, sms, engines, used)                                                  \
	"<mig_device><index>0</index><gpu_instance_id>" gi "</gpu_instance_id>"           \
	"<compute_instance_id>" ci "</compute_instance_id><device_attributes><shared>"    \
	"<multiprocessor_count>" sms "</multiprocessor_count><copy_engine_count>" engines \
	"</copy_engine_count></shared></device_attributes><fb_memory_usage>"              \
	"<total>19968 MiB</total><reserved>1 MiB</reserved><used>" used                   \
	"</used><free>1 MiB</free></fb_memory_usage></mig_device>\n"
#define ON(gi, pid)                                                                   \
	"<process_info><gpu_instance_id>" gi "</gpu_instance_id><pid>" pid "</pid></" \
	"process_info>\n"
#define A100 "NVIDIA A100-SXM4-80GB"

static void is_instance(const struct whole *w, size_t i, const char *id, uint32_t slices,
                        const char *from, const char *to)
{
	const struct instance *in = &w->f.instances.v[i];
	assert_str(word(w, in->id), id);
	assert_str(word(w, in->device), "GPU-a");
	assert_int_equal(in->slices, slices);
	assert_true(in->from_ms == (*from ? at(from) : TIME_UNKNOWN));
	assert_true(in->to_ms == (*to ? at(to) : TIME_UNKNOWN));
}

/* Two compute instances of one GPU instance are one; processes are of the instance they name. */
static void instances_have_readings_of_their_own(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_xml,
	        S(HEAD BEGIN("Fri Aug  4 11:44:30 2023") DIVIDED(
	                A100,
	                PART("2", "0", "14", "3", "900 MiB") PART("2", "1", "28", "3", "900 MiB")
	                        PART("5", "0", "14", "1", "12 MiB")
	                                PART("6", "0", "14", "1", "500 MiB"),
	                ON("2", "77") ON("2", "78")) END));
	assert_int_equal(w.f.rejects.n, 0);
	assert_int_equal(w.f.devices.n, 1);
	assert_true(w.f.devices.v[0].mig);
	assert_int_equal(w.f.instances.n, 3);
	is_instance(&w, 0, "GPU-a/2", 3, "", "");
	is_instance(&w, 1, "GPU-a/5", 1, "", "");
	assert_int_equal(w.f.samples.n, 4);
	const struct sample *s = w.f.samples.v;
	assert_str(word(&w, s[0].device), "GPU-a");
	assert_str(word(&w, s[1].device), "GPU-a/2");
	assert_true(s[1].v[METRIC_mem_size] == 19968000 && s[1].v[METRIC_mem_reserve] == 1000);
	assert_true(s[1].procs_why == WHY_KNOWN && s[1].procs_n == 2);
	assert_str(word(&w, w.f.syms.v[s[1].procs_at]), "pid 77");
	assert_true(s[2].procs_why == WHY_KNOWN && s[2].procs_n == 0);
	assert_int_equal(s[3].procs_why, WHY_NO_PERMISSION); /* its memory is taken */
	assert_true(!(s[1].known & metric_bit(METRIC_power)));
	whole_drop(&w);
}

static void a_process_without_an_instance_may_be_on_any(void **state)
{
	(void)state;
	struct whole w =
	        whole_read(&reader_nvidia_smi_xml,
	                   S(HEAD BEGIN("Fri Aug  4 11:44:30 2023") DIVIDED(
	                           A100, PART("2", "0", "42", "3", "9 MiB"), ON("N/A", "77")) END));
	assert_int_equal(w.f.samples.n, 2);
	assert_int_equal(w.f.samples.v[1].procs_why, WHY_ABSENT);
	assert_int_equal(w.f.samples.v[0].procs_n, 1);
	whole_drop(&w);
}

/* A reading speaks of the time since the one before it. */
static void layouts_change_between_readings(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_xml,
	        S(BEGIN("Fri Aug  4 11:44:30 2023") GPU("GPU-a", "3 %", "1 MiB",
	                                                "") END BEGIN("Fri Aug  4 11:44:31 2023")
	                  DIVIDED(A100, PART("1", "0", "42", "3", "1 MiB"), "")
	                          END BEGIN("Fri Aug  4 11:44:32 2023")
	                                  DIVIDED(A100, PART("1", "0", "14", "1", "1 MiB"), "")
	                                          END BEGIN("Fri Aug  4 11:44:33 2023")
	                                                  DIVIDED(A100, "None", "") END));
	assert_int_equal(w.f.samples.n, 6);
	assert_int_equal(w.f.devices.n, 1);
	assert_int_equal(w.f.instances.n, 3);
	is_instance(&w, 0, "GPU-a", 0, "", "2023-08-04T11:44:30Z");
	is_instance(&w, 1, "GPU-a/1", 1, "2023-08-04T11:44:31Z", "2023-08-04T11:44:32Z");
	is_instance(&w, 2, "GPU-a/1", 3, "2023-08-04T11:44:30Z", "2023-08-04T11:44:31Z");
	whole_drop(&w);
}

static void what_cannot_be_sized_or_named_is_said(void **state)
{
	(void)state;
	struct whole w = whole_read(
	        &reader_nvidia_smi_xml,
	        S(BEGIN("Fri Aug  4 11:44:30 2023")
	                  DIVIDED("NVIDIA X1", PART("1", "0", "14", "1", "1 MiB"), "")
	                          DIVIDED(A100, PART("N/A", "0", "14", "1", "1 MiB"), "") END));
	assert_int_equal(w.f.instances.n, 2);
	is_instance(&w, 0, "GPU-a/1", 0, "", "");
	is_instance(&w, 1, "GPU-a/?", 0, "", "");
	assert_int_equal(w.f.samples.n, 3);
	assert_int_equal(w.f.inputs.v[0].rejected, 1);
	assert_str(word(&w, w.f.rejects.v[0].reason),
	           "a MIG device without a GPU instance, or more than 64: how this GPU is divided "
	           "is not known");
	whole_drop(&w);
}

static struct whole read_parts(unsigned n)
{
	auto_text t = TEXT_NULL;
	text_add(&t, S(BEGIN("Fri Aug  4 11:44:30 2023") "<gpu><product_name>" A100
	                                                 "</product_name><uuid>GPU-a</"
	                                                 "uuid><mig_mode><current_mig>Enabled"
	                                                 "</current_mig></mig_mode><mig_devices>"));
	for (unsigned i = 0; i < n; i++)
		text_printf(&t, "<mig_device><gpu_instance_id>%u</gpu_instance_id></mig_device>",
		            i);
	text_add(&t, S("</mig_devices></gpu>" END));
	return whole_read(&reader_nvidia_smi_xml, text_str(&t));
}

static void lists_as_many_as_the_limit(void **state)
{
	(void)state;
	struct whole w = read_parts(MIG_PARTS_MAX);
	assert_int_equal(w.f.instances.n, MIG_PARTS_MAX);
	assert_int_equal(w.f.rejects.n, 0);
	whole_drop(&w);
	w = read_parts(MIG_PARTS_MAX + 1);
	assert_int_equal(w.f.instances.n, 1);
	assert_int_equal(w.f.rejects.n, 1);
	whole_drop(&w);
}

static void is_told_by_its_root(void **state)
{
	(void)state;
	assert_int_equal(reader_nvidia_smi_xml.recognise(S(HEAD), NULL), 0);
	assert_int_equal(reader_nvidia_smi_xml.recognise(S(HEAD "<nvidia_smi_log>"), NULL), 95);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_documents_one_after_the_other),
		cmocka_unit_test(a_broken_document_costs_itself),
		cmocka_unit_test(lists_stay_with_their_documents),
		cmocka_unit_test(instances_have_readings_of_their_own),
		cmocka_unit_test(a_process_without_an_instance_may_be_on_any),
		cmocka_unit_test(layouts_change_between_readings),
		cmocka_unit_test(what_cannot_be_sized_or_named_is_said),
		cmocka_unit_test(lists_as_many_as_the_limit),
		cmocka_unit_test(is_told_by_its_root),
	};
	return RUN_TESTS(tests);
}
