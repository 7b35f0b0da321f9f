/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * arena: memory that is given back all at once.
 *
 * The caller names the arena; what a function returns lives as long as that arena. Allocation never
 * returns NULL: when memory is out the process says so and aborts (every input has a limit, so
 * memory is bounded before it is asked for). Not for use by several threads at once.
 */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	char *at, *end;
	size_t taken_bytes; /* what the blocks hold in all */
};

#define ARENA_NULL ((struct arena){ 0 })

void arena_deinit(struct arena *a);
/* What was given out is no more; the newest block stays, to be filled again. */
void arena_reset(struct arena *a);
#define auto_arena __attribute__((cleanup(arena_deinit))) struct arena
/* N bytes, zeroed, aligned to 16. */
void *arena_alloc(struct arena *a, size_t n);
/* N bytes, not zeroed, not aligned: for text. */
char *arena_bytes(struct arena *a, size_t n);
/* A NUL-terminated copy of N bytes. */
char *arena_dup(struct arena *a, const char *p, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);
/* Moves every block of FROM into A; FROM is empty afterwards. Pointers stay good. */
void arena_adopt(struct arena *a, struct arena *from);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), mem_times(sizeof(type), (n))))

/* Large blocks go back to the system when they are freed. By itself malloc soon keeps them, and
   what one pass no longer needs stands beside what the next one takes. Before any thread starts. */
void mem_init(void);
/* The only doors to malloc: zeroed / resized memory, or the process ends with a message. */
void *mem_alloc(size_t n);
void *mem_resize(void *p, size_t n);
void mem_free(void *p);
/* Ends the process with a message, for N bytes that no room was left for. */
_Noreturn void mem_exhausted(size_t n);
/* a * b, or the process ends with a message. */
size_t mem_times(size_t a, size_t b);
