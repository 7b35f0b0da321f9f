/* SPDX-License-Identifier: Apache-2.0 */
#include "account/fragment.h"

const char *const fragment_names[FRAGMENT_CLASSES] = { "q1", "q2", "q3", "q4", "na", "xl", "xr" };

double fragment_units(const struct fragment *x)
{
	i128 sum = 0;
	for (int i = 0; i < FRAGMENT_CLASSES; i++)
		sum += i == FRAGMENT_USABLE ? 0 : x->classes[i];
	return x->tasks ? (double)((long double)sum / (long double)x->tasks) : 0;
}

/* On how many devices a share is free; on those without, RET_SMALL is free in all. */
static int64_t places_for(const struct fragment_node *n, int64_t share, int64_t *ret_small)
{
	bool fits_whole = n->unit >= share;
	int64_t places = fits_whole ? n->whole : 0;
	*ret_small = fits_whole ? 0 : n->whole * n->unit;
	for (size_t i = 0; i < n->parts_n; i++)
		if (n->parts[i] >= share)
			places++;
		else
			*ret_small += n->parts[i];
	return places;
}

void fragment_add(const struct fragment_node *n, const struct fragment_task *t, bool accepts,
                  int64_t weight, i128 classes[FRAGMENT_CLASSES])
{
	bool has_room = room_times(n->left, t->wants, 1) == 1;
	int64_t idle = n->whole * n->unit, small;
	for (size_t i = 0; i < n->parts_n; i++)
		idle += n->parts[i];
	if (!t->gpus || !t->share) {
		classes[has_room ? FRAGMENT_CPU_FITS : FRAGMENT_CPU_LACKS] += (i128)weight * idle;
		return;
	}
	if (!accepts) {
		classes[FRAGMENT_NO_ACCESS] += (i128)weight * idle;
		return;
	}
	bool has_gpus = places_for(n, t->share, &small) >= t->gpus;
	if (has_gpus && has_room) {
		classes[FRAGMENT_LACKS_GPU] += (i128)weight * small;
		classes[FRAGMENT_USABLE] += (i128)weight * (idle - small);
		return;
	}
	classes[has_gpus   ? FRAGMENT_LACKS_ROOM
	        : has_room ? FRAGMENT_LACKS_GPU
	                   : FRAGMENT_LACKS_BOTH] += (i128)weight * idle;
}
