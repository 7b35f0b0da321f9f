/* SPDX-License-Identifier: Apache-2.0 */
#include "account/layout.h"

#include <stdlib.h>

#include "account/meter.h"

/* By device, id, size and time. */
static int instance_order(const void *x, const void *y)
{
	const struct instance *a = x, *b = y;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->slices != b->slices)
		return a->slices < b->slices ? -1 : 1;
	return a->from_ms < b->from_ms ? -1 : a->from_ms > b->from_ms;
}

void layouts_build(struct layouts *l, const struct facts *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->instances.n; i++) {
		struct instance *in = vec_push(&l->v);
		*in = f->instances.v[i];
		in->from_ms = in->from_ms == TIME_UNKNOWN ? INT64_MIN : in->from_ms;
		in->to_ms = in->to_ms == TIME_UNKNOWN ? INT64_MAX : in->to_ms;
	}
	vec_sort(&l->v, instance_order);
	for (size_t i = 0; i < l->v.n; i++) {
		struct instance in = l->v.v[i], *last = n ? &l->v.v[n - 1] : NULL;
		bool is_same = last && last->device == in.device && last->id == in.id;
		if (is_same && !last->slices)
			*last = in; /* who knows its size counts */
		else if (is_same && last->slices == in.slices && last->to_ms >= in.from_ms)
			last->to_ms = in.to_ms > last->to_ms ? in.to_ms : last->to_ms;
		else
			l->v.v[n++] = in;
	}
	l->v.n = n;
	for (size_t i = n; i-- > 0;)
		*map_at(&l->first, l->v.v[i].device) = (uint32_t)i + 1;
}

void layouts_deinit(struct layouts *l)
{
	vec_deinit(&l->v);
	map_deinit(&l->first);
}

/* What PARTS, the N instances, leave of the device from time to time. False: they are too many. */
static bool rests_add(struct layout *ret, size_t n)
{
	VEC(int64_t) times = { 0 };
	bool fits = true;
	*vec_push(&times) = INT64_MIN;
	*vec_push(&times) = INT64_MAX;
	for (size_t i = 0; i < n; i++) {
		*vec_push(&times) = ret->v.v[i].exists.from_ms;
		*vec_push(&times) = ret->v.v[i].exists.to_ms;
	}
	vec_sort(&times, span_time_order);
	for (size_t k = 0; k + 1 < times.n && fits; k++) {
		struct span at = { times.v[k], times.v[k + 1] };
		int64_t rest = GRID;
		for (size_t i = 0; i < n; i++) {
			const struct layout_part *p = &ret->v.v[i];
			if (p->exists.from_ms <= at.from_ms && p->exists.to_ms > at.from_ms)
				rest -= p->weight;
		}
		struct layout_part *last = ret->v.n > n ? &ret->v.v[ret->v.n - 1] : NULL;
		fits = rest >= 0;
		if (!fits || at.from_ms == at.to_ms || !rest)
			continue;
		if (last && last->weight == rest && last->exists.to_ms == at.from_ms)
			last->exists.to_ms = at.to_ms;
		else
			*vec_push(&ret->v) =
			        (struct layout_part){ .weight = (uint32_t)rest, .exists = at };
	}
	vec_deinit(&times);
	return fits;
}

bool layout_of(const struct layouts *l, sym device, uint32_t slices, struct layout *ret)
{
	const uint32_t *first = map_get(&l->first, device);
	ret->v.n = 0;
	if (!slices)
		return false;
	for (size_t i = first ? *first - 1 : l->v.n; i < l->v.n && l->v.v[i].device == device;
	     i++) {
		const struct instance *in = &l->v.v[i];
		uint64_t weight = in->id == device ? GRID : (uint64_t)GRID * in->slices / slices;
		if ((!in->slices && in->id != device) || weight > GRID)
			return false;
		*vec_push(&ret->v) = (struct layout_part){ in->id,
			                                   (uint32_t)weight,
			                                   { in->from_ms, in->to_ms } };
	}
	return rests_add(ret, ret->v.n);
}
