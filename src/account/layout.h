/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * layout: how GPUs in MIG mode were divided, and when (B.1). What several inputs say of one
 * instance is one; a layout change ends and starts instances.
 */
#include "base/map.h"
#include "facts/facts.h"

/* Of one device: an instance over a stretch of time, or (no INSTANCE) what the instances leave. An
   instance with the device's own id is the whole device, which was not in MIG mode then. */
struct layout_part {
	sym instance;
	uint32_t weight;    /* units of 1/21,000 GPU */
	struct span exists; /* INT64_MIN, INT64_MAX: since ever, for ever */
};

struct layout {
	VEC(struct layout_part) v;
};

/* Is what EXISTS is of there at any time in [FROM, TO)? */
static inline bool layout_exists(struct span exists, int64_t from_ms, int64_t to_ms)
{
	return exists.from_ms < to_ms && exists.to_ms > from_ms;
}

/* All instances, joined, by device, id and time. */
struct layouts {
	VEC(struct instance) v;
	struct map first; /* of a device: 1 + the place of its first */
};

void layouts_build(struct layouts *l, const struct facts *f);
void layouts_deinit(struct layouts *l);
/* The parts of DEVICE, a GPU of SLICES, into RET (emptied first). False: its shares are unknown:
   the size of an instance is, or they are more than there are. */
bool layout_of(const struct layouts *l, sym device, uint32_t slices, struct layout *ret);
