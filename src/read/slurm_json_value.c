/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "read/slurm_json.h"

/* slurm.h: NO_VAL, INFINITE and their 64-bit kin stand for "none". */
static bool is_no_value(struct str number)
{
	static const char *const none[] = { "4294967294", "4294967295", "18446744073709551614",
		                            "18446744073709551615", "-1" };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (str_eq(number, str_of(none[i])))
			return true;
	return false;
}

struct str slurm_json_number(struct str raw)
{
	bool flag;
	if (json_type(raw) == JSON_OBJECT) {
		if (json_to_bool(json_get(raw, S("set")), &flag) && !flag)
			return STR_NULL;
		if (json_to_bool(json_get(raw, S("infinite")), &flag) && flag)
			return STR_NULL;
		raw = json_get(raw, S("number"));
	}
	if (json_type(raw) != JSON_NUMBER || is_no_value(raw))
		return STR_NULL;
	return raw;
}

struct str slurm_json_text(struct arena *a, struct str raw)
{
	struct str text, key, value;
	size_t at = 0, n = 0;
	if (json_to_text(a, raw, &text))
		return text;
	if (json_type(raw) != JSON_LIST)
		return slurm_json_number(raw);
	auto_text joined = TEXT_NULL;
	for (; json_next(raw, &at, &key, &value); n++) {
		struct str one = STR_NULL;
		if (!json_to_text(a, value, &one))
			one = slurm_json_number(value);
		text_add(&joined, n ? S(",") : STR_NULL);
		text_add(&joined, one);
	}
	return n ? str_dup(a, text_str(&joined)) : STR_NULL;
}

struct str slurm_json_get(struct arena *a, struct str object, const char *key)
{
	return slurm_json_text(a, json_get(object, str_of(key)));
}

struct str slurm_json_tres(struct arena *a, struct str raw)
{
	struct str key, value;
	size_t at = 0;
	if (json_type(raw) != JSON_LIST)
		return slurm_json_text(a, raw);
	auto_text t = TEXT_NULL;
	while (json_next(raw, &at, &key, &value)) {
		struct str type = slurm_json_get(a, value, "type");
		struct str name = slurm_json_get(a, value, "name");
		struct str count = slurm_json_number(json_get(value, S("count")));
		bool is_memory = str_eq(type, S("mem"));
		if (!count.n || !(str_eq(type, S("gres")) || str_eq(type, S("cpu")) || is_memory ||
		                  str_eq(type, S("node"))))
			continue; /* energy and billing hold nothing of a node */
		text_add(&t, t.n ? S(",") : STR_NULL);
		text_add(&t, type);
		if (name.n) {
			text_byte(&t, '/');
			text_add(&t, name);
		}
		text_byte(&t, '=');
		text_add(&t, count);
		text_add(&t, is_memory ? S("M") : STR_NULL);
	}
	return str_dup(a, text_str(&t));
}
