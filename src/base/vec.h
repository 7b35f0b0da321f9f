/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * vec: a growing array of any type.
 *
 *     struct jobs { struct job *v; size_t n, cap; };        or   VEC(struct job) jobs;
 *     *vec_push(&jobs) = (struct job){ ... };     for (size_t i = 0; i < jobs.n; i++)
 * use(&jobs.v[i]);
 *
 * All zero is an empty vec. A push may move the elements: keep indexes, not pointers.
 */
#include "base/arena.h"

#define VEC(type)              \
	struct {               \
		type *v;       \
		size_t n, cap; \
	}

/* Room for MORE further elements. */
#define vec_reserve(vec, more) \
	((vec)->v = vec_grow((vec)->v, &(vec)->cap, (vec)->n, (more), sizeof *(vec)->v))
/* The address of a new element; its bytes are zero. */
#define vec_push(vec)                                                    \
	((vec)->n == (vec)->cap ? (void)vec_reserve((vec), 1) : (void)0, \
	 __builtin_memset(&(vec)->v[(vec)->n], 0, sizeof *(vec)->v), &(vec)->v[(vec)->n++])
#define vec_deinit(vec) (mem_free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)
#define vec_sort(vec, compare) \
	((vec)->n > 1 ? qsort((vec)->v, (vec)->n, sizeof *(vec)->v, (compare)) : (void)0)

void *vec_grow(void *v, size_t *cap, size_t n, size_t more, size_t size);
