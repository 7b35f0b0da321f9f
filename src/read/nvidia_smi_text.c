/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia_smi_text: what nvidia-smi prints as people paste it. Its boxed tables, the text of -q, and
 * its other forms one after the other, as in a file that has the outputs of several commands. What
 * is known becomes rows of nvidia-smi's CSV; what is between is passed over, and said.
 */
#include "parse/when.h"
#include "read/nvidia_smi.h"
#include "read/nvidia_smi_apps.h"
#include "read/nvidia_smi_box.h"
#include "read/nvidia_smi_commands.h"
#include "read/nvidia_smi_mon.h"
#include "read/nvidia_smi_query.h"
#include "read/nvidia_smi_rows.h"
#include "read/table_line.h"

extern const struct reader reader_nvidia_smi_csv;

#define XML_END "</nvidia_smi_log>"
#define COMMANDS_MIN 3
/* A table of dmon or pmon. */
struct smi_scroll {
	struct str bytes;
	uint64_t line;
	bool is_open, has_time;
};

struct smi_text {
	const struct read_options *o;
	struct smi_rows rows;
	struct smi_box box;
	struct smi_query query;
	struct smi_commands commands;
	struct text when;   /* of the last line that was a time alone */
	struct str command; /* the newest line that was one, and where it stood */
	uint64_t command_line;
	struct smi_scroll scroll;       /* that is being read */
	VEC(struct smi_scroll) scrolls; /* those that say when */
	struct smi_devices devices;
	bool in_csv, has_other, is_at_used, has_timeless;
	struct arena a; /* of a header's fields */
};

/* A box whose own time is not there has that of FILE@at, once: a second one would be of another
   time. */
static void box_when(struct smi_text *x)
{
	struct text *when = &x->rows.when;
	when->n = 0;
	x->rows.when_miss = "this table has no time: keep the line above it, or say FILE@at=TIME";
	if (x->when.n) {
		text_add(when, text_str(&x->when));
	} else if (x->o->has_at && !x->is_at_used) {
		when_print(when, x->o->at_ms);
		x->is_at_used = true;
	} else if (x->o->has_at) {
		x->rows.when_miss = "this table has no time, and FILE@at=TIME is that of the first "
		                    "one: keep the lines above them";
	}
	x->when.n = 0;
}

static bool is_csv_head(struct smi_text *x, struct str line, enum smi_kind *ret)
{
	struct smi_table t;
	if (str_find_byte(line, ',') == line.n || !smi_header(&x->a, line, &t))
		return false;
	const int *at = t.groups[0].field;
	*ret = smi_kind_of(&t);
	return *ret != SMI_GPUS || (t.is_own && (at[SMI_TIME] >= 0 || at[SMI_UUID] >= 0 ||
	                                         at[SMI_PCI] >= 0 || at[SMI_INDEX] >= 0));
}

/* A line of dmon or pmon ends before END. */
static void scroll_end(struct smi_text *x, const char *end)
{
	if (!x->scroll.is_open)
		return;
	x->scroll.is_open = false;
	x->scroll.bytes.n = (size_t)(end - x->scroll.bytes.p);
	if (x->scroll.has_time) {
		*vec_push(&x->scrolls) = x->scroll;
		x->commands.has_output = true;
	} else if (!x->commands.is_open) {
		x->has_timeless = true;
	}
}

/* LINE, which begins with '#', as the head of dmon or pmon. */
static bool scroll_begin(struct smi_text *x, struct str line, uint64_t at)
{
	struct smi_mon_head *head = ARENA_NEW(&x->a, struct smi_mon_head);
	if (!smi_mon_head_read(&x->a, line, head))
		return false;
	bool has_command = x->commands.is_open && (str_starts(x->commands.now, S("dmon")) ||
	                                           str_starts(x->commands.now, S("pmon")));
	x->scroll = (struct smi_scroll){ .is_open = true,
		                         .bytes = has_command ? x->command : line,
		                         .line = has_command ? x->command_line : at };
	x->scroll.has_time =
	        x->o->has_at || (head->at[SMI_MON_DATE] >= 0 && head->at[SMI_MON_TIME] >= 0);
	return true;
}

/* Does LINE go on with the table of dmon or pmon that is open, or begin one? */
static bool scroll_line(struct smi_text *x, struct str line, uint64_t at)
{
	struct str arguments, row = line;
	int64_t ms;
	bool is_comment = line.p[0] == '#' && !smi_command_of(line, &arguments);
	bool is_row = line.p[0] >= '0' && line.p[0] <= '9';
	if (x->scroll.is_open && (is_comment || is_row)) {
		x->scroll.has_time |= is_row && table_time(&row, x->o->zone, &ms);
		return true;
	}
	scroll_end(x, line.p);
	return is_comment && scroll_begin(x, line, at);
}

/* The only GPU that the rows name, from 1; 0: there is none, or several. */
static uint32_t only_gpu(const struct smi_text *x, const struct facts *f)
{
	uint32_t only = 0;
	for (uint32_t i = 0; i < x->devices.v.n; i++) {
		sym id = f->devices.v[x->devices.v.v[i].at].id;
		bool is_gpu = !x->devices.v.v[i].is_of;
		for (size_t k = 0; k < x->rows.parts.n && is_gpu; k++)
			is_gpu = x->rows.parts.v[k].id != id;
		if (is_gpu && only)
			return 0;
		only = is_gpu ? i + 1 : only;
	}
	return only;
}

static uint32_t device_at(void *arg, struct facts *f, uint64_t gpu)
{
	struct smi_text *x = arg;
	uint32_t only = gpu ? 0 : only_gpu(x, f);
	uint32_t at = smi_device_by_index(&x->devices, f, x->o, gpu, only);
	return x->devices.v.v[at - 1].at;
}

/* After the rows, which may say more of the GPUs than a number. */
static void scrolls_read(struct smi_text *x, struct facts *f)
{
	for (size_t i = 0; i < x->scrolls.n; i++) {
		struct smi_mon_result r;
		struct read_options o = *x->o;
		struct smi_mon_text t = { .o = &o,
			                  .bytes = x->scrolls.v[i].bytes,
			                  .line = x->scrolls.v[i].line,
			                  .device_at = device_at,
			                  .arg = x };
		o.has_at = o.has_at && !x->is_at_used;
		smi_mon_read(f, &t, &r);
	}
	if (x->has_timeless)
		facts_note(f, "Rows of dmon or pmon without times were passed over: nvidia-smi "
		              "dmon -o DT prints them.");
}

/* A line of none of the formats that was open. */
static void other_line(struct smi_text *x, struct str line, uint64_t at)
{
	enum smi_kind kind;
	struct str arguments;
	char pci[17];
	if (smi_when(&x->when, line)) {
		x->in_csv = false;
		return;
	}
	if (smi_command_of(line, &arguments)) {
		smi_command_begin(&x->commands, arguments);
		x->command = line;
		x->command_line = at;
		x->in_csv = false;
	} else if (smi_said(line, pci) != SMI_SAID_NOTHING) {
		smi_rows_raw(&x->rows, line, at);
		x->commands.has_output = true;
	} else if (is_csv_head(x, line, &kind)) {
		x->in_csv = kind != SMI_NO_READINGS;
		if (x->in_csv) {
			smi_rows_raw(&x->rows, line, at);
			x->rows.has_header = false;
			x->commands.has_output = true;
		}
	} else if (x->in_csv) {
		smi_rows_raw(&x->rows, line, at);
	} else {
		x->when.n = 0; /* of something else */
		x->has_other |= !x->commands.is_open && line.p[0] != '#';
	}
}

static void read_line(struct smi_text *x, struct str raw, uint64_t at)
{
	struct str line = str_trim(raw);
	if (line.n ? scroll_line(x, line, at) : x->scroll.is_open) {
		x->in_csv = false;
		if (!line.n)
			scroll_end(x, raw.p);
		return;
	}
	if (smi_query_line(&x->query, &x->rows, raw, at)) {
		x->in_csv = false;
		x->commands.has_output = true;
		return;
	}
	if (smi_box_begins(line)) {
		smi_box_end(&x->box, &x->rows);
		box_when(x);
	}
	if (smi_box_line(&x->box, &x->rows, line, at)) {
		x->in_csv = false;
		x->commands.has_output = true;
	} else if (!line.n) {
		x->in_csv = false;
	} else if (line.p[0] != '+') { /* the border above a box */
		other_line(x, line, at);
	}
	if (x->a.taken_bytes > ARENA_BLOCK_BYTES)
		arena_deinit(&x->a);
}

static bool is_xml_begin(struct str line)
{
	line = str_trim(line);
	return str_starts(line, S("<?xml")) || str_starts(line, S("<nvidia_smi_log"));
}

static void close_all(struct smi_text *x, const char *end)
{
	scroll_end(x, end);
	smi_query_end(&x->query, &x->rows);
	smi_box_end(&x->box, &x->rows);
}

/* The document at the start of BYTES; returns how many bytes it has. */
static size_t read_xml(struct smi_text *x, struct str bytes, uint64_t at)
{
	size_t end = str_find(bytes, S(XML_END));
	size_t n = end < bytes.n ? end + sizeof XML_END - 1 : bytes.n;
	close_all(x, bytes.p);
	smi_xml_rows(&x->rows, str_sub(bytes, 0, n), at);
	x->rows.when.n = 0;
	x->commands.has_output = true;
	x->in_csv = false;
	return n;
}

static void read_lines(struct smi_text *x, struct str bytes, uint64_t at)
{
	struct str line, rest = bytes;
	for (; str_cut_line(&rest, &line); at++) {
		if (is_xml_begin(line)) {
			struct str document = { line.p, (size_t)(bytes.p + bytes.n - line.p) };
			size_t n = read_xml(x, document, at);
			for (size_t i = 0; i < n; i++)
				at += document.p[i] == '\n';
			rest = str_sub(document, n, document.n);
			at--;
		} else if (line.n > LINE_BYTES_MAX) {
			x->rows.f->inputs.v[x->rows.f->inputs.n - 1].records++;
			facts_reject(x->rows.f, at, "line is longer than %zu bytes",
			             LINE_BYTES_MAX);
		} else {
			read_line(x, line, at);
		}
	}
	close_all(x, bytes.p + bytes.n);
	smi_command_end(&x->commands);
}

static enum err_code smi_text_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                   struct facts *f, struct err *err)
{
	struct smi_text *x = mem_alloc(sizeof *x);
	auto_text buf = TEXT_NULL;
	(void)err;
	x->o = run->options;
	x->rows.f = f;
	x->rows.run = run;
	read_lines(x, smi_plain(&buf, bytes), line);
	smi_rows_read(&x->rows, &x->devices);
	scrolls_read(x, f);
	smi_rows_settle(&x->rows, &x->devices);
	smi_ticks_join(f);
	smi_commands_say(&x->commands, f);
	if (x->has_other)
		facts_note(f, "Lines that are no output of nvidia-smi were passed over.");
	smi_box_deinit(&x->box);
	smi_query_deinit(&x->query);
	smi_rows_deinit(&x->rows);
	text_deinit(&x->when);
	vec_deinit(&x->scrolls);
	smi_devices_deinit(&x->devices);
	arena_deinit(&x->a);
	mem_free(x);
	return ERR_OK;
}

/* Does HEAD begin as the output of nvidia-smi, or of a command that is nvidia-smi? */
static bool begins(struct str head)
{
	auto_text when = TEXT_NULL;
	struct str line, arguments;
	char pci[17];
	for (int i = 0; i < 8 && str_cut_line(&head, &line); i++) {
		line = str_trim(line);
		if (smi_box_begins(line) || smi_query_begins(line) || smi_when(&when, line) ||
		    smi_said(line, pci) != SMI_SAID_NOTHING || smi_command_of(line, &arguments) ||
		    str_starts(line, S("+---")))
			return true;
	}
	return false;
}

/* As many commands as make a file one of outputs: a page about nvidia-smi may show one or two. */
static bool has_commands(struct str head)
{
	static const char command[] = "$ nvidia-smi";
	int n = 0;
	for (size_t at; n < COMMANDS_MIN && (at = str_find(head, S(command))) < head.n; n++)
		head = str_sub(head, at + sizeof command - 1, head.n);
	return n == COMMANDS_MIN;
}

static int smi_text_recognise(struct str head, const struct read_options *options)
{
	auto_text buf = TEXT_NULL;
	head = smi_plain(&buf, head);
	bool has_box = str_find(head, S("| NVIDIA-SMI ")) < head.n ||
	               str_find(head, S("=NVSMI LOG=")) < head.n;
	bool has_command = str_find(head, S("$ nvidia-smi")) < head.n;
	if (!has_box && !(has_command && begins(head)) && !has_commands(head))
		return 0;
	if (str_find(head, S("<nvidia_smi_log")) < head.n)
		return 96;
	if (begins(head) || reader_nvidia_smi_csv.recognise(head, options) >= 90)
		return 92;
	return has_box ? 60 : 40;
}

const struct reader reader_nvidia_smi_text = {
	.name = "nvidia_smi_text",
	.help = "Readings and processes of NVIDIA GPUs as pasted: nvidia-smi, or -q, or with -l 1; "
	        "also files with the outputs of several of its commands.",
	.cut = CUT_WHOLE,
	.recognise = smi_text_recognise,
	.open = reader_open_plain,
	.feed = smi_text_feed,
};
