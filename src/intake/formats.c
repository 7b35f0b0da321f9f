/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/formats.h"

#include "base/text.h"

#define SHOWN_BYTES 48u /* of the head, in a message */

/* "a, b, c" of the readers whose score is LOW or more. */
static void text_names(struct text *t, const struct reader *const *list, struct str head,
                       const struct read_options *o, int low)
{
	bool is_first = true;
	for (; *list; list++) {
		if (low > 0 && (*list)->recognise(head, o) < low)
			continue;
		if (!is_first)
			text_add(t, S(", "));
		text_add(t, str_of((*list)->name));
		is_first = false;
	}
}

static void text_unknown(struct text *t, struct str head)
{
	struct str shown = str_sub(head, 0, SHOWN_BYTES);
	shown = str_trim(str_sub(shown, 0, str_find_byte(shown, '\n')));
	text_add(t, S("its format is not known"));
	if (str_starts(head, S("\xff\xfe")) || str_starts(head, S("\xfe\xff")))
		text_add(t, S(" (it is UTF-16 text: iconv -f UTF-16 -t UTF-8 makes it readable)"));
	else if (str_find_byte(head, '\0') < head.n)
		text_add(t, S(" (it is binary)"));
	else if (shown.n) {
		text_add(t, S(" (it begins with \""));
		text_plain(t, shown);
		text_add(t, S("\")"));
	}
}

static enum err_code find_named(const struct reader *const *list, const char *as,
                                const struct reader **ret, struct err *err)
{
	for (size_t i = 0; list[i]; i++)
		if (str_eq(str_of(list[i]->name), str_of(as))) {
			*ret = list[i];
			return ERR_OK;
		}
	auto_text t = TEXT_NULL;
	text_names(&t, list, STR_NULL, NULL, 0);
	return err_set(err, ERR_USAGE, "no format is called '%s'\nhint: formats: %.*s", as,
	               STR_FMT(text_str(&t)));
}

/* The best score above 0 and how many have it. */
static int find_best(const struct reader *const *list, struct str head,
                     const struct read_options *o, const struct reader **ret, size_t *ret_n)
{
	int best = 0;
	*ret_n = 0;
	for (size_t i = 0; list[i]; i++) {
		int score = list[i]->recognise(head, o);
		if (score > best) {
			best = score;
			*ret_n = 0;
			*ret = list[i];
		}
		*ret_n += score == best && best > 0;
	}
	return best;
}

/* Whether some reader takes HEAD because of the maps in O, and not without them. */
static bool find_by_map(const struct reader *const *list, struct str head,
                        const struct read_options *o, const struct reader **ret)
{
	struct read_options without = *o;
	without.maps_n = 0;
	for (size_t i = 0; o->maps_n && list[i]; i++)
		if (list[i]->recognise(head, o) > list[i]->recognise(head, &without)) {
			*ret = list[i];
			return true;
		}
	return false;
}

enum err_code formats_find(const struct reader *const *list, struct str head, const char *as,
                           const struct formats_maps *maps, struct read_options *o,
                           const struct reader **ret, struct err *err)
{
	o->maps = maps->own;
	o->maps_n = maps->own_n;
	if (!as && find_by_map(list, head, o, ret))
		return ERR_OK;
	o->maps = maps->all;
	o->maps_n = maps->all_n;
	if (as)
		return find_named(list, as, ret, err);
	size_t n;
	int best = find_best(list, head, o, ret, &n);
	if (n == 1)
		return ERR_OK;
	auto_text t = TEXT_NULL;
	if (n > 1) {
		text_add(&t, S("its format is not clear: "));
		text_names(&t, list, head, o, best);
		text_add(&t, S(" all take it\nhint: --as NAME says which"));
	} else {
		text_unknown(&t, head);
		text_add(&t, S("\nhint: formats: "));
		text_names(&t, list, STR_NULL, NULL, 0);
		text_add(&t, S("; --as NAME forces one, --map FILE teaches a table"));
	}
	return err_set(err, ERR_INPUT, "%.*s", STR_FMT(text_str(&t)));
}
