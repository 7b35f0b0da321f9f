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
#include "read/nvidia_smi_query.h"
#include "read/nvidia_smi_rows.h"

extern const struct reader reader_nvidia_smi_csv;

#define XML_END "</nvidia_smi_log>"
#define NAMED_BYTES_MAX 48u /* of a command in a note */
#define NAMED_MAX 24u       /* commands that a note names */

/* The command whose output is being read, and those that gave nothing. */
struct smi_commands {
	struct str now; /* its arguments */
	bool is_open, has_output;
	struct str skipped[NAMED_MAX];
	size_t skipped_n;
};

struct smi_text {
	const struct read_options *o;
	struct smi_rows rows;
	struct smi_box box;
	struct smi_query query;
	struct smi_commands commands;
	struct text when; /* of the last line that was a time alone */
	bool in_csv, has_other, is_at_used;
	struct arena a; /* of a header's fields */
};

/* What stands behind "$ nvidia-smi" or another prompt; false: LINE gives no command. */
static bool command_of(struct str line, struct str *ret_arguments)
{
	static const char *const prompts[] = { "$", "#", ">", "%", "+" };
	size_t at = str_find(line, S("nvidia-smi"));
	struct str rest = str_sub(line, at, line.n);
	struct str before = str_trim(str_sub(line, 0, at));
	if (at == line.n || (rest.n > 10 && rest.p[10] != ' '))
		return false;
	*ret_arguments = str_trim(str_sub(rest, 10, rest.n));
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
		if (str_ends(before, str_of(prompts[i])))
			return true;
	return false;
}

static void command_close(struct smi_commands *c)
{
	if (c->is_open && !c->has_output) {
		struct str name = str_sub(c->now, 0, str_find_byte(c->now, '='));
		size_t i = 0;
		while (i < c->skipped_n && !str_eq(c->skipped[i], name))
			i++;
		if (i == c->skipped_n && i < NAMED_MAX)
			c->skipped[c->skipped_n++] = name;
	}
	c->is_open = c->has_output = false;
}

static void commands_say(const struct smi_commands *c, struct facts *f)
{
	auto_text t = TEXT_NULL;
	if (!c->skipped_n)
		return;
	text_add(&t, S("These commands' outputs hold no reading of a GPU at a known time and were "
	               "passed over: nvidia-smi "));
	for (size_t i = 0; i < c->skipped_n; i++) {
		text_add(&t, i ? S(", ") : S(""));
		text_plain(&t, str_sub(c->skipped[i], 0, NAMED_BYTES_MAX));
	}
	text_add(&t, S("."));
	text_byte(&t, '\0');
	facts_note(f, t.p);
}

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

/* What nvidia-smi says in words, which the CSV's reader understands. */
static bool is_said(struct str line)
{
	static const char *const words[] = { "Unable to determine the device handle",
		                             "NVIDIA-SMI has failed", "Failed to initialize NVML",
		                             "No devices were found" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_starts(line, str_of(words[i])))
			return true;
	return str_find(line, S("GPU is lost")) < line.n;
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

/* A line of none of the formats that was open. */
static void other_line(struct smi_text *x, struct str line, uint64_t at)
{
	enum smi_kind kind;
	struct str arguments;
	if (smi_when(&x->when, line)) {
		x->in_csv = false;
		return;
	}
	if (command_of(line, &arguments)) {
		command_close(&x->commands);
		x->commands.now = arguments;
		x->commands.is_open = true;
		x->in_csv = false;
	} else if (is_said(line)) {
		x->rows.has_header &= x->rows.lines.n > 0;
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
	} else if (!x->commands.is_open && line.p[0] != '#') {
		x->has_other = true;
	}
}

static void read_line(struct smi_text *x, struct str raw, uint64_t at)
{
	struct str line = str_trim(raw);
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

static void close_all(struct smi_text *x)
{
	smi_query_end(&x->query, &x->rows);
	smi_box_end(&x->box, &x->rows);
}

/* The document at the start of BYTES; returns how many bytes it has. */
static size_t read_xml(struct smi_text *x, struct str bytes, uint64_t at)
{
	size_t end = str_find(bytes, S(XML_END));
	size_t n = end < bytes.n ? end + sizeof XML_END - 1 : bytes.n;
	close_all(x);
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
	close_all(x);
	command_close(&x->commands);
}

static enum err_code smi_text_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                   struct facts *f, struct err *err)
{
	struct smi_text *x = mem_alloc(sizeof *x);
	auto_text buf = TEXT_NULL;
	x->o = run->options;
	x->rows.f = f;
	read_lines(x, smi_plain(&buf, bytes), line);
	enum err_code code = smi_rows_feed(run, &x->rows, err);
	if (!code)
		smi_ticks_join(f);
	commands_say(&x->commands, f);
	if (x->has_other)
		facts_note(f, "Lines that are no output of nvidia-smi were passed over.");
	smi_box_deinit(&x->box);
	smi_query_deinit(&x->query);
	smi_rows_deinit(&x->rows);
	text_deinit(&x->when);
	arena_deinit(&x->a);
	mem_free(x);
	return code;
}

/* Does HEAD begin as the output of nvidia-smi, or of a command that is nvidia-smi? */
static bool begins(struct str head)
{
	auto_text when = TEXT_NULL;
	struct str line, arguments;
	for (int i = 0; i < 8 && str_cut_line(&head, &line); i++) {
		line = str_trim(line);
		if (smi_box_begins(line) || smi_query_begins(line) || smi_when(&when, line) ||
		    is_said(line) || command_of(line, &arguments) || str_starts(line, S("+---")))
			return true;
	}
	return false;
}

static int smi_text_recognise(struct str head, const struct read_options *options)
{
	auto_text buf = TEXT_NULL;
	head = smi_plain(&buf, head);
	bool has_box = str_find(head, S("| NVIDIA-SMI ")) < head.n ||
	               str_find(head, S("=NVSMI LOG=")) < head.n;
	bool has_commands = str_find(head, S("$ nvidia-smi")) < head.n;
	if (!has_box && !has_commands)
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
