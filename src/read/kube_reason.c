/* SPDX-License-Identifier: Apache-2.0 */
#include "read/kube.h"

bool kube_reason(struct str message, enum kube_reason_class *ret, struct str *ret_word)
{
	static const struct {
		const char *needle;
		enum kube_reason_class class;
		const char *word;
	} reasons[] = {
#define KUBE_REASON(needle, class, word, help) { needle, KUBE_##class, word },
#include "read/kube_reasons.def"
#undef KUBE_REASON
	};
	/* what preemption would find comes behind, and counts the same nodes again */
	message = str_sub(message, 0, str_find(message, S("preemption:")));
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (str_find(message, str_of(reasons[i].needle)) < message.n) {
			*ret = reasons[i].class;
			*ret_word = str_of(reasons[i].word);
			return true;
		}
	return false;
}

bool kube_end_reason(struct str reason, struct str message, enum outcome *ret)
{
	static const struct {
		const char *word;
		enum outcome outcome;
	} ends[] = {
#define KUBE_END(word, outcome, help) { word, OUTCOME_##outcome },
#include "read/kube_ends.def"
#undef KUBE_END
	};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		if (!str_eq(reason, str_of(ends[i].word)))
			continue;
		*ret = ends[i].outcome;
		if (str_eq(reason, S("Evicted")) &&
		    str_find(message, S("resource: memory")) < message.n)
			*ret = OUTCOME_OOM;
		return true;
	}
	return false;
}
