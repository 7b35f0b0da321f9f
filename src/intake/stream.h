/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * stream: the unpacked bytes of one file or pipe, from front to back. What ends it early (a read
 * error, a damaged or cut packed stream, the interrupt flag) is kept as a value: the bytes before
 * it are good.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "pack/pack.h"

struct stream {
	int fd;
	bool is_owner; /* closes fd */
	struct pack pack;
	char *raw; /* packed bytes that were read and are not unpacked yet: raw[raw_at, raw_n) */
	size_t raw_at, raw_n;
	bool raw_ended;      /* nothing follows raw[raw_n) */
	uint64_t size_bytes; /* of a regular file, as stored; 0: not known */
	uint64_t read_bytes; /* as stored, so far */
	const atomic_int *interrupted;
	bool has_ended; /* packed: nothing more can be unpacked */
	bool is_interrupted;
	struct err damage; /* code != ERR_OK: why it ended early */
};

/* PATH "-" is standard input. ERR_INPUT: no such file, a folder, no permission. */
enum err_code stream_open(struct stream *s, const char *path, const atomic_int *interrupted,
                          struct err *err) NODISCARD;
void stream_close(struct stream *s); /* the zero value is closed */
/* The next bytes, CAP of them unless the stream ends there. */
size_t stream_read(struct stream *s, char *buf, size_t cap);
