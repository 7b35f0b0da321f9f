/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * span: finding one's place in stretches of time.
 *
 * The arrays are sorted and do not overlap; their elements begin with int64_t from_ms, to_ms.
 */
#include <stddef.h>
#include <stdint.h>

/* The first of N elements of SIZE bytes that ends after T; N if none does. */
uint32_t span_after(const void *spans, size_t size, uint32_t n, int64_t t_ms);
#define SPAN_AFTER(spans, n, t_ms) span_after((spans), sizeof *(spans), (n), (t_ms))

/* For qsort: times, earlier first. */
int span_time_order(const void *x, const void *y);
