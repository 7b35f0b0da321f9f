/* SPDX-License-Identifier: Apache-2.0 */
#include "facts/accelerator.h"
#include "parse/when.h"
#include "read/kube.h"

void kube_begin(struct kube *k, struct str object)
{
	static const char *const parts[] = { "metadata", "spec", "status" };
	k->object_ms = TIME_UNKNOWN;
	if (object.p == k->part[0].raw.p && object.n == k->part[0].raw.n)
		return;
	k->part[0].raw = object;
	json_members_read(&k->part[0].members, object);
	for (size_t i = 1; i < KUBE_PARTS; i++) {
		struct str raw = json_member(&k->part[0].members, str_of(parts[i - 1]));
		k->part[i].raw = raw;
		json_members_read(&k->part[i].members, raw);
	}
}

void kube_deinit(struct kube *k)
{
	for (size_t i = 0; i < KUBE_PARTS; i++)
		json_members_deinit(&k->part[i].members);
	arena_deinit(&k->a);
	map_deinit(&k->side_of);
	vec_deinit(&k->sides);
}

struct str kube_get(const struct kube *k, struct str object, struct str key)
{
	for (size_t i = 0; i < KUBE_PARTS; i++)
		if (object.n && object.p == k->part[i].raw.p && object.n == k->part[i].raw.n)
			return json_member(&k->part[i].members, key);
	return json_get(object, key);
}

struct str kube_at(const struct kube *k, struct str object, const char *path)
{
	struct str rest = str_of(path), key;
	while (object.n && str_cut(&rest, '.', &key))
		object = kube_get(k, object, key);
	return object;
}

struct str kube_text(struct kube *k, struct str object, const char *path)
{
	struct str text = STR_NULL;
	json_to_text(&k->a, kube_at(k, object, path), &text);
	return text;
}

int64_t kube_time_ahead(struct kube *k, struct str object, const char *path)
{
	struct str raw = kube_at(k, object, path);
	int64_t ms;
	(void)k;
	if (json_type(raw) != JSON_STRING || raw.n < 2 ||
	    when_parse(str_sub(raw, 1, raw.n - 2), NULL, &ms) != WHEN_OK)
		return TIME_UNKNOWN;
	return ms;
}

int64_t kube_time(struct kube *k, struct str object, const char *path)
{
	int64_t ms = kube_time_ahead(k, object, path);
	if (ms != TIME_UNKNOWN && ms > k->object_ms)
		k->object_ms = ms;
	return ms;
}

int64_t kube_quantity_milli(struct kube *k, struct str raw)
{
	static const struct {
		const char *suffix;
		int64_t milli;
	} units[] = { { "m", 1 },
		      { "k", 1000000 },
		      { "M", 1000000000 },
		      { "Ki", 1024000 },
		      { "Mi", 1048576000 },
		      { "G", 1000000000000 },
		      { "Gi", 1073741824000 },
		      { "T", 1000000000000000 },
		      { "Ti", 1099511627776000 } };
	struct str s = raw;
	int64_t v, milli = 1000;
	if (json_type(raw) == JSON_STRING && !json_to_text(&k->a, raw, &s))
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (str_ends(s, str_of(units[i].suffix))) {
			milli = units[i].milli;
			s.n -= strlen(units[i].suffix);
		}
	if (!str_to_fixed(s, milli > 1 ? 3 : 0, &v) || v < 0 ||
	    __builtin_mul_overflow(v, milli > 1 ? milli / 1000 : 1, &v))
		return -1;
	return v;
}

int64_t kube_quantity(struct kube *k, struct str raw)
{
	int64_t milli = kube_quantity_milli(k, raw);
	return milli < 0 ? -1 : milli / 1000;
}

int64_t kube_mebibytes(struct kube *k, struct str raw)
{
	int64_t bytes = kube_quantity(k, raw);
	return bytes < 0 ? -1 : bytes >> 20;
}

struct str kube_id(struct kube *k, struct str meta)
{
	struct str name = kube_text(k, meta, "name"), space = kube_text(k, meta, "namespace");
	if (!name.n)
		return name;
	if (!space.n)
		space = S("default");
	return str_of(arena_printf(&k->a, "%.*s/%.*s", STR_FMT(space), STR_FMT(name)));
}

static const struct {
	enum kube_label what;
	const char *key, *value;
} labels[] = {
#define KUBE_LABEL(line, what, key, value, help) { KUBE_LABEL_##what, key, value },
#include "read/kube_labels.def"
#undef KUBE_LABEL
};
#define LABELS (sizeof labels / sizeof *labels)

static struct str label_in(struct kube *k, struct str words, size_t i)
{
	struct str text = STR_NULL;
	if (!json_to_text(&k->a, kube_get(k, words, str_of(labels[i].key)), &text) ||
	    (labels[i].value && !str_eq(text, str_of(labels[i].value))))
		return STR_NULL;
	return text;
}

struct str kube_label(struct kube *k, struct str meta, enum kube_label what)
{
	struct str places[] = { kube_get(k, meta, S("labels")),
		                kube_get(k, meta, S("annotations")) };
	for (size_t i = 0; i < LABELS; i++)
		for (size_t p = 0; labels[i].what == what && p < 2; p++) {
			struct str text = label_in(k, places[p], i);
			if (text.n)
				return text;
		}
	return STR_NULL;
}

bool kube_label_is(struct str key, enum kube_label what)
{
	for (size_t i = 0; i < LABELS; i++)
		if (labels[i].what == what && str_eq(key, str_of(labels[i].key)))
			return true;
	return false;
}

struct str kube_model(struct kube *k, struct str text, struct str *ret_profile)
{
	static const char *const ends[] = { "-SHARED", "_OAM", "-OAM" };
	size_t mig = str_find(text, S("-MIG-"));
	if (ret_profile)
		*ret_profile = str_sub(text, mig + 5, text.n);
	text = str_sub(text, 0, mig);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (str_ends(text, str_of(ends[i])))
			text.n -= strlen(ends[i]);
	if (accelerator_find(text) < 0 &&
	    (str_starts(text, S("Max_")) || str_starts(text, S("Flex_")))) {
		struct str full =
		        str_of(arena_printf(&k->a, "Intel(R) Data Center GPU %.*s", STR_FMT(text)));
		if (accelerator_find(full) >= 0)
			text = full;
	}
	if (accelerator_find(text) < 0 && str_starts(text, S("nvidia-"))) { /* Google's words */
		text = str_sub(text, str_starts(text, S("nvidia-tesla-")) ? 13 : 7, text.n);
		text = str_sub(text, 0, str_find_byte(text, '-'));
	}
	return accelerator_spelled(text);
}

/* Rows: five words each. Numbers and times as text. */
enum { ROW_WORDS = 5 };

static sym number_word(struct facts *f, int64_t v)
{
	auto_text t = TEXT_NULL;
	text_printf(&t, "%lld", (long long)v);
	return facts_word(f, text_str(&t));
}

void kube_row_add(struct facts *f, enum kube_row_kind kind, const struct kube_row *r)
{
	*vec_push(&f->syms) = number_word(f, kind);
	*vec_push(&f->syms) = r->id;
	*vec_push(&f->syms) = r->word;
	*vec_push(&f->syms) = number_word(f, r->number);
	*vec_push(&f->syms) = number_word(f, r->time_ms);
}

bool kube_row_get(const struct facts *f, size_t i, struct kube_row *ret)
{
	int64_t kind = -1;
	*ret = (struct kube_row){ 0 };
	if (i >= f->syms.n / ROW_WORDS)
		return false;
	const sym *v = f->syms.v + i * ROW_WORDS;
	str_to_i64(names_word(&f->names, v[0]), &kind);
	str_to_i64(names_word(&f->names, v[3]), &ret->number);
	str_to_i64(names_word(&f->names, v[4]), &ret->time_ms);
	ret->kind = (sym)kind;
	ret->id = v[1];
	ret->word = v[2];
	return true;
}
