/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * depth_terms: what samples say of a depth (depth.def), for depth.c.
 */
#include "account/meter.h"

#define READING_MAX INT64_C(10000000000000) /* no reading is above, in any unit: sums fit */
#define CLOCK_MAX 100000000                 /* kHz */
#define PERCENT 1000000

/* What the chip can do; 0: not known. */
struct chip {
	int64_t peak_clock_khz, tenth_gigabytes; /* tensor peak clock; memory GB/s x 10 */
};

/* One sample: it counts num / den, and its reading is one of a least and a most. */
struct term {
	i128 num, den;
	int64_t reading;
};

/* A * B / D, in 64 bits where they are enough: the wide division is a call. */
static inline int64_t ratio_of(int64_t a, int64_t b, int64_t d)
{
	int64_t product;
	if (!__builtin_mul_overflow(a, b, &product))
		return product / d;
	return (int64_t)((i128)a * b / d);
}

/* By A and B, readings of the two metrics of D; false: they say nothing. */
static inline bool term_from(const struct chip *chip, const struct depth_info *d, int64_t a,
                             int64_t b, struct term *t)
{
	if (a < 0 || a > READING_MAX || b < 0 || b > READING_MAX)
		return false;
	switch (d->kind) {
	case DEPTH_MEAN:
		*t = (struct term){ a, 1, a };
		return true;
	case DEPTH_SHARE:
		if (!b)
			return false;
		*t = (struct term){ a, b, ratio_of(a, 1000000, b) };
		return true;
	case DEPTH_BANDWIDTH:
		if (!chip->tenth_gigabytes)
			return false;
		*t = (struct term){ (i128)a * chip->tenth_gigabytes, 1, a * chip->tenth_gigabytes };
		return true;
	case DEPTH_OFU:
		if (!chip->peak_clock_khz || b > CLOCK_MAX)
			return false;
		*t = (struct term){ (i128)a * b, (i128)chip->peak_clock_khz * 100000000,
			            ratio_of(a, b, chip->peak_clock_khz * 100) };
		return true;
	}
	return false;
}

/* X over MS of time. */
static inline void term_add(struct depth_sum *s, const struct term *x, int64_t ms)
{
	if (!s->units || x->reading < s->min)
		s->min = x->reading;
	if (!s->units || x->reading > s->max)
		s->max = x->reading;
	s->num += x->num * ms;
	s->den += x->den * ms;
	s->units += ms;
}

/* All of N rows that stand side by side in a batch, C[0] the first, each over what it covers: to
   SUMS, by depth. 10 to 30 instructions a row and depth. */
void terms_add(const struct chip *chip, const struct cover *c, uint32_t n, struct depth_sum *sums);
