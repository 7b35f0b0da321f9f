/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * dice: numbers by chance that are the same on every run.
 */
#include <stdint.h>

static inline uint64_t dice_next(uint64_t *s)
{
	uint64_t z = *s += 0x9E3779B97F4A7C15u; /* splitmix64 */
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static inline uint64_t dice_below(uint64_t *s, uint64_t n)
{
	return dice_next(s) % n;
}
