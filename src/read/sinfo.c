/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sinfo: tables with a header, or without one when the first row's words say what they are (a GRES,
 * a node's state); -N or grouped; cut by a delimiter (-o "%N|%G|%T") or by blanks (-O, default).
 */
#include "base/hostlist.h"
#include "base/map.h"
#include "parse/when.h"
#include "read/reader.h"
#include "read/slurm_node.h"

enum sinfo_column {
	SINFO_NODES,
	SINFO_GRES,
	SINFO_STATE,
	SINFO_PARTITION,
	SINFO_CPUS,
	SINFO_MEMORY,
	SINFO_REASON
};
#define SINFO_COLUMNS (SINFO_REASON + 1)
#define SINFO_FIELDS_MAX 64

static const struct {
	const char *head;
	enum sinfo_column column;
} heads[] = {
	{ "NODELIST", SINFO_NODES },
	{ "NODE_NAME", SINFO_NODES },
	{ "HOSTNAMES", SINFO_NODES },
	{ "NODEHOST", SINFO_NODES },
	{ "GRES", SINFO_GRES },
	{ "STATE", SINFO_STATE },
	{ "STATECOMPACT", SINFO_STATE },
	{ "STATELONG", SINFO_STATE },
	{ "STATECOMPLETE", SINFO_STATE },
	{ "PARTITION", SINFO_PARTITION },
	{ "PARTITIONNAME", SINFO_PARTITION },
	{ "CPUS", SINFO_CPUS },
	{ "MEMORY", SINFO_MEMORY },
	{ "REASON", SINFO_REASON },
};

struct sinfo {
	char delimiter; /* ' ': any number of blanks */
	size_t fields;
	int field[SINFO_COLUMNS]; /* -1: not there */
	int64_t at_ms;            /* sinfo -l prints the time first */
	size_t body_at;
	uint64_t body_line;
};

/* Cuts LINE; returns how many fields there are (more than SINFO_FIELDS_MAX are not kept). */
static size_t cut_fields(struct str line, char delimiter, struct str *ret)
{
	size_t n = 0;
	struct str field;
	if (delimiter != ' ') {
		while (str_cut(&line, delimiter, &field)) {
			if (n < SINFO_FIELDS_MAX)
				ret[n] = str_trim(field);
			n++;
		}
		return n;
	}
	for (size_t i = 0; i < line.n;) {
		size_t from = i;
		while (i < line.n && (unsigned char)line.p[i] > ' ')
			i++;
		if (i > from) {
			if (n < SINFO_FIELDS_MAX)
				ret[n] = str_sub(line, from, i - from);
			n++;
		}
		while (i < line.n && (unsigned char)line.p[i] <= ' ')
			i++;
	}
	return n;
}

static char delimiter_of(struct str line)
{
	static const char delimiters[] = "|;\t";
	for (size_t i = 0; delimiters[i]; i++)
		if (str_find_byte(line, delimiters[i]) < line.n)
			return delimiters[i];
	/* a comma stands in lists of nodes and GRES too: only where no blank cuts */
	line = str_trim(line);
	return str_find_byte(line, ' ') == line.n && str_find_byte(line, ',') < line.n ? ',' : ' ';
}

/* "Mon Nov 30 12:00:00 2026", in the input's zone. */
static int64_t parse_ctime(struct str line, const struct zone *zone)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct str w[SINFO_FIELDS_MAX];
	int64_t ms;
	if (cut_fields(line, ' ', w) != 5 || w[1].n != 3 || w[2].n > 2 || w[3].n != 8 ||
	    w[4].n != 4)
		return TIME_UNKNOWN;
	size_t month = str_find(S(months), w[1]);
	if (month >= sizeof months - 1 || month % 3)
		return TIME_UNKNOWN;
	auto_text t = TEXT_NULL;
	text_printf(&t, "%.*s-%02zu-%s%.*s %.*s", STR_FMT(w[4]), month / 3 + 1,
	            w[2].n == 1 ? "0" : "", STR_FMT(w[2]), STR_FMT(w[3]));
	return when_parse(text_str(&t), zone, &ms) == WHEN_OK ? ms : TIME_UNKNOWN;
}

static bool read_header(struct sinfo *t, struct str line)
{
	struct str w[SINFO_FIELDS_MAX];
	t->delimiter = delimiter_of(line);
	t->fields = cut_fields(line, t->delimiter, w);
	memset(t->field, -1, sizeof t->field);
	if (t->fields > SINFO_FIELDS_MAX)
		return false;
	for (size_t i = 0; i < t->fields; i++)
		for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
			if (str_eq_nocase(w[i], str_of(heads[k].head)) &&
			    t->field[heads[k].column] < 0)
				t->field[heads[k].column] = (int)i;
	return t->field[SINFO_NODES] >= 0 && t->field[SINFO_STATE] >= 0;
}

/* Without a header: nodes first, then a node's state and a GRES by their look. */
static bool guess_columns(struct sinfo *t, struct str line)
{
	struct str w[SINFO_FIELDS_MAX];
	enum slurm_node_class class;
	uint32_t count;
	t->delimiter = delimiter_of(line);
	t->fields = cut_fields(line, t->delimiter, w);
	memset(t->field, -1, sizeof t->field);
	if (t->fields < 2 || t->fields > SINFO_FIELDS_MAX || !w[0].n || !w[0].p ||
	    (w[0].p[0] >= '0' && w[0].p[0] <= '9') || hostlist_count(w[0], &count) != HOSTLIST_OK)
		return false;
	t->field[SINFO_NODES] = 0;
	for (size_t i = 1; i < t->fields; i++) {
		if (t->field[SINFO_STATE] < 0 && slurm_node_state(w[i], &class))
			t->field[SINFO_STATE] = (int)i;
		else if (t->field[SINFO_GRES] < 0 && str_starts(w[i], S("gpu:")))
			t->field[SINFO_GRES] = (int)i;
	}
	return t->field[SINFO_STATE] >= 0;
}

static bool read_head(struct sinfo *t, struct str head, const struct zone *zone)
{
	struct str rest = head, line;
	if (str_starts(rest, S("\xef\xbb\xbf")))
		rest = str_sub(rest, 3, rest.n);
	t->at_ms = TIME_UNKNOWN;
	t->body_line = 1;
	for (int i = 0; i < 8; i++) {
		size_t at = (size_t)(rest.p - head.p);
		if (!str_cut_line(&rest, &line))
			return false;
		t->body_at = rest.p ? (size_t)(rest.p - head.p) : head.n;
		if (str_trim(line).n && t->at_ms == TIME_UNKNOWN)
			t->at_ms = parse_ctime(line, zone);
		if (!str_trim(line).n || (t->at_ms != TIME_UNKNOWN && i == 0)) {
			t->body_line++;
			continue;
		}
		if (read_header(t, line)) {
			t->body_line++;
			return true;
		}
		t->body_at = at;
		return guess_columns(t, line);
	}
	return false;
}

static int sinfo_recognise(struct str head, const struct read_options *options)
{
	struct sinfo t;
	(void)options;
	if (!read_head(&t, head, NULL))
		return 0;
	return t.field[SINFO_PARTITION] >= 0 || t.field[SINFO_GRES] >= 0 ? 85 : 40;
}

static enum err_code sinfo_open(struct read_run *run, struct str head, struct err *err)
{
	struct sinfo *t = ARENA_NEW(run->a, struct sinfo);
	if (!read_head(t, head, run->options->zone))
		return err_set(
		        err, ERR_INPUT,
		        "no table of nodes and states\nhint: sinfo -N -o '%%N|%%G|%%T|%%P|%%E'");
	run->state = t;
	run->body_at = t->body_at;
	run->body_line = t->body_line;
	return ERR_OK;
}

struct sinfo_feed {
	struct facts *f;
	struct map seen; /* nodes: one stands in a row for each of its partitions */
	struct slurm_node node;
	const char *why; /* NULL: all are good */
};

static void add_node(void *context, struct str name)
{
	struct sinfo_feed *s = context;
	uint32_t *seen = map_at(&s->seen, facts_word(s->f, name));
	if ((*seen)++)
		return;
	s->node.name = name;
	const char *why;
	if (!slurm_node_add(s->f, &s->node, S("sinfo"), &why))
		s->why = why;
}

/* Blanks in the reason move what stands behind it: those are counted from the end. */
static struct str field_of(const struct sinfo *t, const struct str *w, size_t n,
                           enum sinfo_column c)
{
	int k = t->field[c], reason = t->field[SINFO_REASON];
	if (k < 0)
		return STR_NULL;
	size_t at = (size_t)k;
	if (t->delimiter == ' ' && reason >= 0 && k > reason && n > t->fields)
		at += n - t->fields;
	return at < n && at < SINFO_FIELDS_MAX ? w[at] : STR_NULL;
}

static void read_row(const struct read_run *run, struct sinfo_feed *s, struct str line,
                     uint64_t number)
{
	const struct sinfo *t = run->state;
	struct str w[SINFO_FIELDS_MAX];
	size_t n = cut_fields(line, t->delimiter, w);
	bool has_reason = t->delimiter == ' ' && t->field[SINFO_REASON] >= 0;
	if (n < t->fields || (n > t->fields && !has_reason) || n > SINFO_FIELDS_MAX) {
		facts_reject(s->f, number, "%zu fields, %zu are expected", n, t->fields);
		return;
	}
	s->why = NULL;
	s->node = (struct slurm_node){ .partition = field_of(t, w, n, SINFO_PARTITION),
		                       .gres = field_of(t, w, n, SINFO_GRES),
		                       .state = field_of(t, w, n, SINFO_STATE),
		                       .since_ms = slurm_node_since(field_of(t, w, n, SINFO_REASON),
		                                                    run->options->zone),
		                       .at_ms = t->at_ms };
	struct str memory = field_of(t, w, n, SINFO_MEMORY);
	if (str_ends(memory, S("+"))) /* the least of several nodes */
		memory.n--;
	slurm_node_room(&s->node, (struct slurm_room){ .cpus = field_of(t, w, n, SINFO_CPUS),
	                                               .memory = memory });
	struct str nodes = field_of(t, w, n, SINFO_NODES);
	if (hostlist_each(nodes, add_node, s) != HOSTLIST_OK)
		s->why = "not a list of nodes";
	if (s->why)
		facts_reject(s->f, number, "'%.*s': %s", STR_FMT(str_sub(nodes, 0, 60)), s->why);
}

static enum err_code sinfo_feed(const struct read_run *run, struct str bytes, uint64_t line,
                                struct facts *f, struct err *err)
{
	const struct sinfo *t = run->state;
	struct sinfo_feed s = { .f = f };
	struct str row;
	(void)err;
	f->has_scheduler = true;
	if (t->field[SINFO_GRES] < 0)
		facts_note(f, "This sinfo names no GRES: how many GPUs the nodes have is unknown. "
		              "Ask for sinfo -N -o '%N|%G|%T|%P|%E'.");
	for (; str_cut_line(&bytes, &row); line++) {
		if (!str_trim(row).n)
			continue;
		f->inputs.v[f->inputs.n - 1].records++;
		read_row(run, &s, row, line);
	}
	map_deinit(&s.seen);
	return ERR_OK;
}

const struct reader reader_sinfo = {
	.name = "sinfo",
	.help = "The GPUs of each node and its state now: sinfo -N -o '%N|%G|%T|%P|%E'.",
	.cut = CUT_WHOLE,
	.recognise = sinfo_recognise,
	.open = sinfo_open,
	.feed = sinfo_feed,
};
