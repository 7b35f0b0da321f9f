/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia_smi_xml: what nvidia-smi -q -x prints, once or with -l, one document after the other. Each
 * <gpu> becomes a row of nvidia-smi's CSV, so that both forms of one reading give the same facts.
 */
#include "base/limits.h"
#include "parse/xml.h"
#include "read/nvidia_smi.h"
#include "read/nvidia_smi_rows.h"

#define END_TAG "</nvidia_smi_log>"
#define PATH_BYTES_MAX 512u
#define WHEN_BYTES_MAX 64u /* of a time in a form of its own */

struct smi_xml {
	struct smi_rows *rows;
	struct smi_gpu gpu; /* at hand */
	struct text path, text;
	size_t names[XML_DEPTH_MAX + 1]; /* where each element's name begins in PATH */
	unsigned depth, gpu_depth;       /* of the open elements; of <gpu>, 0: outside */
	uint64_t first_line;             /* of this document, less 1 */
};

static void on_begin(void *arg, struct str name, uint64_t line)
{
	struct smi_xml *x = arg;
	x->text.n = 0;
	x->names[x->depth++] = x->path.n;
	text_byte(&x->path, '/');
	text_add(&x->path, str_sub(name, 0, PATH_BYTES_MAX / XML_DEPTH_MAX * 8));
	if (!x->gpu_depth && str_eq(name, S("gpu"))) {
		x->gpu_depth = x->depth;
		smi_gpu_begin(&x->gpu, x->first_line + line);
	}
}

static void on_text(void *arg, struct str text)
{
	struct smi_xml *x = arg;
	if (x->text.n < NAME_BYTES_MAX)
		text_add(&x->text, str_sub(text, 0, NAME_BYTES_MAX - x->text.n));
}

/* A value of a GPU. PATH: below <gpu>. */
static void value_read(struct smi_xml *x, struct str path, struct str value)
{
	smi_gpu_put_path(x->rows, &x->gpu, SMI_FORM_XML, path, value);
	if (str_starts(path, S("mig_devices/mig_device/")))
		smi_part_put_path(x->rows, &x->gpu, SMI_FORM_XML,
		                  str_sub(path, sizeof "mig_devices/mig_device/" - 1, path.n),
		                  value);
	if (str_eq(path, S("mig_devices/mig_device")))
		smi_part_end(&x->gpu);
	if (str_eq(path, S("mig_devices")))
		x->gpu.parts.is_listed = true;
	if (str_eq(path, S("processes/process_info/gpu_instance_id")))
		smi_part_put_process(&x->gpu, value);
	if (str_eq(path, S("processes/process_info/pid")))
		smi_gpu_put_pid(&x->gpu, value), smi_part_put_pid(x->rows, &x->gpu, value);
	if (str_eq(path, S("processes")))
		x->gpu.list = value.n ? str_dup(&x->rows->a, value) : S(SMI_NOBODY);
}

static void on_end(void *arg, struct str name)
{
	struct smi_xml *x = arg;
	struct str value = str_trim(text_str(&x->text));
	if (x->gpu_depth && x->depth == x->gpu_depth) {
		x->gpu_depth = 0;
		smi_gpu_end(x->rows, &x->gpu);
		arena_reset(&x->rows->a);
	} else if (x->gpu_depth) {
		size_t from = x->names[x->gpu_depth]; /* behind <gpu>'s own name */
		if (x->path.n < PATH_BYTES_MAX)
			value_read(x, str_sub(text_str(&x->path), from + 1, x->path.n), value);
	} else if (x->depth == 2 && str_eq(name, S("timestamp"))) {
		x->rows->when.n = 0;
		if (!smi_when(&x->rows->when, value))
			text_add(&x->rows->when, str_sub(value, 0, WHEN_BYTES_MAX));
	}
	x->text.n = 0;
	x->path.n = x->names[--x->depth];
}

static int smi_xml_recognise(struct str head, const struct read_options *options)
{
	(void)options;
	return str_find(head, S("<nvidia_smi_log")) < head.n ? 95 : 0;
}

static uint64_t count_lines(struct str s)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

void smi_xml_rows(struct smi_rows *r, struct str bytes, uint64_t line)
{
	static const struct xml_events events = { on_begin, on_text, on_end };
	struct smi_xml *x = mem_alloc(sizeof *x);
	struct err why;
	x->rows = r;
	r->when_miss = "the document has no <timestamp> before this GPU";
	while (str_trim(bytes).n) {
		size_t at = str_find(bytes, S(END_TAG));
		size_t n = at < bytes.n ? at + sizeof END_TAG - 1 : bytes.n;
		struct str one = str_sub(bytes, 0, n), trimmed = str_trim(one);
		uint64_t bad = 0,
		         before = count_lines(str_sub(one, 0, (size_t)(trimmed.p - one.p)));
		x->first_line = line + before - 1;
		x->path.n = x->text.n = r->when.n = 0;
		x->depth = x->gpu_depth = 0;
		if (xml_read(trimmed, &events, x, &bad, &why)) {
			r->f->inputs.v[r->f->inputs.n - 1].records++;
			facts_reject(r->f, x->first_line + bad, "%s", why.text);
		}
		line += count_lines(one);
		bytes = str_sub(bytes, n, bytes.n);
	}
	text_deinit(&x->path), text_deinit(&x->text);
	smi_gpu_deinit(&x->gpu);
	mem_free(x);
}

static enum err_code smi_xml_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                  struct facts *f, struct err *err)
{
	struct smi_rows r = { .run = run, .f = f };
	struct smi_devices devices = { 0 };
	(void)err;
	smi_xml_rows(&r, bytes, line);
	smi_rows_read(&r, &devices);
	smi_rows_settle(&r, &devices);
	smi_devices_deinit(&devices);
	smi_rows_deinit(&r);
	return ERR_OK;
}

const struct reader reader_nvidia_smi_xml = {
	.name = "nvidia_smi_xml",
	.help = "Readings and processes of NVIDIA GPUs: nvidia-smi -q -x, or with -l 1.",
	.cut = CUT_WHOLE,
	.recognise = smi_xml_recognise,
	.open = reader_open_plain,
	.feed = smi_xml_feed,
};
