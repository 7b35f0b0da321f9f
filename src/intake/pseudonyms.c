/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/pseudonyms.h"

#include <string.h>

#include "base/hostlist.h"
#include "base/text.h"
#include "facts/series.h"
#include "pack/keyed.h"

/* What a word is, the first that applies. OURS: no name, whoever is called like it. */
enum role {
	ROLE_NONE,
	ROLE_OURS,
	ROLE_USER,
	ROLE_NODE,
	ROLE_NODES,
	ROLE_GPU,
	ROLE_JOB,
	ROLE_INPUT
};
static const char *const prefixes[] = {
	"", "", "user-", "node-", "node-", "gpu-", "job-", "input-"
};

#define CHARACTERS 12 /* of 5 bits */

struct hider {
	struct facts *f;
	struct str key;
	uint8_t *roles; /* by sym: enum role */
	size_t words_n; /* those that inputs said */
};

static void is(struct hider *h, sym word, enum role role)
{
	uint8_t *r = &h->roles[word];
	if (word && (*r == ROLE_NONE || role < (enum role) * r))
		*r = (uint8_t)role;
}

/* Crockford's letters: none is taken for another one. */
static void write_pseudonym(struct text *t, struct str key, enum role role, struct str name)
{
	static const char letters[] = "0123456789abcdefghjkmnpqrstvwxyz";
	uint8_t hash[KEYED_BYTES];
	uint64_t bits = 0;
	keyed_hash(key, name, hash);
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | hash[i];
	text_add(t, str_of(prefixes[role]));
	for (int i = 0; i < CHARACTERS; i++, bits <<= 5)
		text_byte(t, letters[bits >> 59]);
}

static void roles_of_kinds(struct hider *h)
{
	const struct facts *f = h->f;
	for (size_t i = 0; i < f->devices.n; i++)
		is(h, f->devices.v[i].model, ROLE_OURS);
	for (size_t i = 0; i < f->nodes.n; i++)
		is(h, f->nodes.v[i].model, ROLE_OURS);
	for (size_t i = 0; i < f->capacity.n; i++)
		is(h, f->capacity.v[i].model, ROLE_OURS);
	for (size_t i = 0; i < f->allocations.n; i++)
		is(h, f->allocations.v[i].model, ROLE_OURS);
	for (size_t i = 0; i < f->prices.n; i++)
		is(h, f->prices.v[i].currency, ROLE_OURS);
	for (size_t i = 0; i < f->inputs.n; i++)
		is(h, f->inputs.v[i].format, ROLE_OURS);
}

static void roles_of_places(struct hider *h)
{
	const struct facts *f = h->f;
	for (size_t i = 0; i < f->devices.n; i++)
		is(h, f->devices.v[i].id, ROLE_GPU), is(h, f->devices.v[i].node, ROLE_NODE);
	for (size_t i = 0; i < f->instances.n; i++)
		is(h, f->instances.v[i].id, ROLE_GPU), is(h, f->instances.v[i].device, ROLE_GPU);
	for (size_t i = 0; i < f->capacity.n; i++)
		is(h, f->capacity.v[i].device, ROLE_GPU), is(h, f->capacity.v[i].node, ROLE_NODE);
	for (size_t i = 0; i < f->nodes.n; i++)
		is(h, f->nodes.v[i].id, ROLE_NODE);
	for (size_t i = 0; i < f->prices.n; i++)
		is(h, f->prices.v[i].node, ROLE_NODE);
	for (size_t i = 0; i < f->node_power.n; i++)
		is(h, f->node_power.v[i].node, ROLE_NODE);
	for (size_t i = 0; i < f->samples.n; i++)
		is(h, f->samples.v[i].device, ROLE_GPU);
	for (size_t i = 0; f->series && i < f->series->n; i++)
		is(h, f->series->v[i].device, ROLE_GPU);
	for (size_t i = 0; i < f->allocations.n; i++) {
		const struct allocation *a = &f->allocations.v[i];
		if (a->on == CLAIM_NODE || a->on == CLAIM_NODES)
			is(h, a->place, a->on == CLAIM_NODE ? ROLE_NODE : ROLE_NODES);
		else if (a->on != CLAIM_POOL)
			is(h, a->place, ROLE_GPU);
	}
}

static void roles_of_jobs(struct hider *h)
{
	const struct facts *f = h->f;
	for (size_t i = 0; i < f->traits.owners.n; i++)
		is(h, f->traits.owners.v[i].user, ROLE_USER),
		        is(h, f->traits.owners.v[i].run, ROLE_JOB);
	for (size_t i = 0; i < f->jobs.n; i++)
		is(h, f->jobs.v[i].name, ROLE_JOB), is(h, f->jobs.v[i].node_names, ROLE_NODES);
	for (size_t i = 0; i < f->progress.n; i++)
		is(h, f->progress.v[i].job, ROLE_JOB);
	for (size_t i = 0; i < f->services.n; i++)
		is(h, f->services.v[i].job, ROLE_JOB);
	for (size_t i = 0; i < f->headrooms.n; i++)
		is(h, f->headrooms.v[i].job, ROLE_JOB);
	for (size_t i = 0; i < f->syms.n; i++) /* jobs with a process, jobs of reservations */
		is(h, f->syms.v[i], ROLE_JOB);
	for (size_t i = 0; i < f->ignores.n; i++) {
		const struct ignore *x = &f->ignores.v[i];
		is(h, x->word,
		   x->what == IGNORE_NODES   ? ROLE_NODE
		   : x->what == IGNORE_JOBS  ? ROLE_JOB
		   : x->what == IGNORE_USERS ? ROLE_USER
		                             : ROLE_NONE);
	}
	for (size_t i = 0; i < f->inputs.n; i++)
		is(h, f->inputs.v[i].name, ROLE_INPUT);
	for (size_t i = 0; i < f->jobs.n; i++) { /* ids stand beside the words: remarks name some */
		struct str id = job_id(f, &f->jobs.v[i]);
		size_t digits = 0;
		while (digits < id.n && id.p[digits] >= '0' && id.p[digits] <= '9')
			digits++;
		if (digits < id.n)
			is(h, names_find(&f->names, id), ROLE_JOB);
	}
}

struct list_of_names {
	struct text *t;
	struct str key;
	size_t n;
};

static void write_host(void *context, struct str name)
{
	struct list_of_names *l = context;
	if (l->n++)
		text_byte(l->t, ',');
	write_pseudonym(l->t, l->key, ROLE_NODE, name);
}

/* NODE/NUMBER: how much of WORD is the node; 0: it is no such name. */
static size_t node_part(const struct hider *h, struct str word)
{
	size_t n = word.n;
	while (n && word.p[n - 1] >= '0' && word.p[n - 1] <= '9')
		n--;
	if (n < 2 || n == word.n || word.p[n - 1] != '/')
		return 0;
	sym node = names_find(&h->f->names, str_sub(word, 0, n - 1));
	return node && node < h->words_n && h->roles[node] == ROLE_NODE ? n - 1 : 0;
}

static void write_hidden(const struct hider *h, struct text *t, enum role role, struct str word)
{
	struct list_of_names list = { t, h->key, 0 };
	size_t before = t->n, node = role == ROLE_GPU ? node_part(h, word) : 0;
	if (role == ROLE_NODES && hostlist_each(word, write_host, &list) == HOSTLIST_OK)
		return;
	t->n = before;
	if (!node) {
		write_pseudonym(t, h->key, role, word);
		return;
	}
	write_pseudonym(t, h->key, ROLE_NODE, str_sub(word, 0, node));
	text_add(t, str_sub(word, node, word.n));
}

static bool is_in_name(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80 || memchr("._-/@:[]", c, 8);
}

/* A remark or a reason: names become pseudonyms, what is quoted of an input is left out. */
static void write_sentence(const struct hider *h, struct text *t, struct str s)
{
	for (size_t i = 0, end; i < s.n; i = end) {
		end = i + 1;
		bool opens = s.p[i] == '"' || (s.p[i] == '\'' && (!i || !is_in_name(s.p[i - 1])));
		if (opens) {
			while (end < s.n && s.p[end] != s.p[i])
				end++;
			end += end < s.n;
			text_add(t, S("\"...\""));
			continue;
		}
		if (!is_in_name(s.p[i])) {
			text_byte(t, s.p[i]);
			continue;
		}
		while (end < s.n && is_in_name(s.p[end]))
			end++;
		struct str word = str_sub(s, i, end);
		while (word.n > 1 && memchr(".:", word.p[word.n - 1], 2)) /* of the sentence */
			word.n--;
		sym id = names_find(&h->f->names, word);
		enum role role = id && id < h->words_n ? (enum role)h->roles[id] : ROLE_NONE;
		end = i + word.n;
		if (role <= ROLE_OURS)
			text_add(t, word);
		else
			write_hidden(h, t, role, word);
	}
}

/* New words are made while the old ones can still be found; then they take their places. */
static void hide_words(struct hider *h)
{
	struct names *names = &h->f->names;
	struct str *words = mem_alloc(mem_times(h->words_n, sizeof *words));
	auto_text t = TEXT_NULL;
	for (size_t i = 0; i < h->f->notes.n; i++)
		words[h->f->notes.v[i].text].p = "";
	for (size_t i = 0; i < h->f->rejects.n; i++)
		words[h->f->rejects.v[i].reason].p = "";
	for (size_t i = 1; i < h->words_n; i++) {
		bool is_sentence = words[i].p != NULL;
		if (!is_sentence && h->roles[i] <= ROLE_OURS)
			continue;
		t.n = 0;
		if (is_sentence)
			write_sentence(h, &t, names->words.v[i]);
		else
			write_hidden(h, &t, (enum role)h->roles[i], names->words.v[i]);
		words[i] = (struct str){ arena_dup(&names->text, t.p ? t.p : "", t.n), t.n };
	}
	for (size_t i = 1; i < h->words_n; i++)
		if (words[i].p)
			names->words.v[i] = words[i];
	mem_free(words);
}

/* A device's number is no name, and may be the word of a job's id. */
static void keep_numbers(const struct hider *h, const struct str *numbers)
{
	struct facts *f = h->f;
	for (size_t i = 0; i < f->devices.n; i++)
		if (numbers[i].n && h->roles[f->devices.v[i].number] > ROLE_OURS)
			f->devices.v[i].number = facts_word(f, numbers[i]);
}

/* Ids of jobs are texts of their own. */
static void hide_ids(struct hider *h)
{
	struct facts *f = h->f;
	struct facts ids;
	auto_text t = TEXT_NULL;
	facts_init(&ids);
	for (size_t i = 0; i < f->jobs.n; i++) {
		t.n = 0;
		write_pseudonym(&t, h->key, ROLE_JOB, job_id(f, &f->jobs.v[i]));
		f->jobs.v[i].id_at = facts_job(&ids, text_str(&t))->id_at;
		ids.jobs.n = 0;
	}
	vec_deinit(&f->ids);
	vec_reserve(&f->ids, ids.ids.n);
	if (ids.ids.n)
		memcpy(f->ids.v, ids.ids.v, ids.ids.n);
	f->ids.n = ids.ids.n;
	facts_deinit(&ids);
}

void pseudonyms_apply(struct facts *f, struct str key)
{
	struct hider h = { .f = f, .key = key, .words_n = f->names.words.n };
	h.roles = mem_alloc(h.words_n + 1);
	roles_of_kinds(&h);
	roles_of_places(&h);
	roles_of_jobs(&h);
	struct str *numbers = mem_alloc(mem_times(f->devices.n + 1, sizeof *numbers));
	for (size_t i = 0; i < f->devices.n; i++)
		numbers[i] = names_word(&f->names, f->devices.v[i].number);
	hide_words(&h);
	keep_numbers(&h, numbers);
	mem_free(numbers);
	hide_ids(&h);
	mem_free(h.roles);
}
