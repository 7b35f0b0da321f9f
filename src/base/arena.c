/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"

struct arena_block {
	struct arena_block *next;
	size_t size_bytes;
	char bytes[];
};

void mem_exhausted(size_t n)
{
	/* tidy: prints, because there is no memory to return an error with */
	fprintf(stderr, "tare: out of memory (asked for %zu bytes)\n", n);
	abort();
}

void mem_init(void)
{
	(void)mallopt(M_MMAP_THRESHOLD, MMAP_BYTES_MIN);
}

void *mem_alloc(size_t n)
{
	void *p = calloc(1, n ? n : 1);
	if (!p)
		mem_exhausted(n);
	return p;
}

void *mem_resize(void *p, size_t n)
{
	void *q = realloc(p, n ? n : 1);
	if (!q)
		mem_exhausted(n);
	return q;
}

void mem_free(void *p)
{
	free(p);
}

size_t mem_times(size_t a, size_t b)
{
	size_t n;
	if (__builtin_mul_overflow(a, b, &n))
		mem_exhausted(SIZE_MAX);
	return n;
}

static void arena_grow(struct arena *a, size_t n)
{
	size_t want = n + 16 > ARENA_BLOCK_BYTES ? n + 16 : ARENA_BLOCK_BYTES;
	struct arena_block *b = mem_resize(NULL, sizeof *b + want);
	b->next = a->blocks;
	b->size_bytes = want;
	a->blocks = b;
	a->at = b->bytes;
	a->end = b->bytes + want;
	a->taken_bytes += want;
}

char *arena_bytes(struct arena *a, size_t n)
{
	if (!a->at || (size_t)(a->end - a->at) < n)
		arena_grow(a, n);
	char *p = a->at;
	a->at += n;
	return p;
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t pad = a->at ? (size_t)(-(uintptr_t)a->at & 15u) : 0;
	if (!a->at || (size_t)(a->end - a->at) < n + pad) {
		arena_grow(a, n);
		pad = (size_t)(-(uintptr_t)a->at & 15u);
	}
	char *p = a->at + pad;
	a->at = p + n;
	memset(p, 0, n);
	return p;
}

char *arena_dup(struct arena *a, const char *p, size_t n)
{
	char *q = arena_bytes(a, n + 1);
	if (n)
		memcpy(q, p, n);
	q[n] = '\0';
	return q;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	size_t size = n < 0 ? 1 : (size_t)n + 1;
	char *p = arena_bytes(a, size);
	if (n < 0)
		*p = '\0';
	else
		vsnprintf(p, size, fmt, again);
	va_end(again);
	return p;
}

void arena_adopt(struct arena *a, struct arena *from)
{
	if (!from->blocks)
		return;
	struct arena_block *last = from->blocks;
	while (last->next)
		last = last->next;
	if (a->blocks) { /* behind A's current block, which goes on being filled */
		last->next = a->blocks->next;
		a->blocks->next = from->blocks;
	} else {
		a->blocks = from->blocks;
		a->at = from->at;
		a->end = from->end;
	}
	a->taken_bytes += from->taken_bytes;
	*from = ARENA_NULL;
}

void arena_reset(struct arena *a)
{
	if (!a->blocks)
		return;
	struct arena older = { .blocks = a->blocks->next };
	arena_deinit(&older);
	a->blocks->next = NULL;
	a->at = a->blocks->bytes;
	a->taken_bytes = a->blocks->size_bytes;
}

void arena_deinit(struct arena *a)
{
	for (struct arena_block *b = a->blocks; b;) {
		struct arena_block *next = b->next;
		free(b);
		b = next;
	}
	*a = ARENA_NULL;
}
