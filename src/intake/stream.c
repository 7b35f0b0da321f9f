/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#define RAW_BYTES ((size_t)256 * 1024)

/* Whether nothing more is to be read: what was read before is still given out. */
static bool is_stopped(struct stream *s)
{
	if (!s->raw_ended && s->interrupted &&
	    atomic_load_explicit(s->interrupted, memory_order_relaxed))
		s->is_interrupted = s->raw_ended = true;
	return s->raw_ended;
}

/* As read(2), again after a signal that did not ask us to stop. 0: nothing follows. */
static size_t read_some(struct stream *s, char *buf, size_t cap)
{
	while (!is_stopped(s)) {
		ssize_t n = read(s->fd, buf, cap);
		if (n > 0) {
			s->read_bytes += (uint64_t)n;
			return (size_t)n;
		}
		if (n == 0 || errno != EINTR)
			s->raw_ended = true;
		if (n < 0 && errno != EINTR)
			err_set(&s->damage, ERR_SYSTEM, "cannot read on: %s", strerror(errno));
	}
	return 0;
}

static void raw_fill(struct stream *s)
{
	if (s->raw_at == s->raw_n)
		s->raw_at = s->raw_n = 0;
	while (s->raw_n < RAW_BYTES && !is_stopped(s))
		s->raw_n += read_some(s, s->raw + s->raw_n, RAW_BYTES - s->raw_n);
}

/* Recognises the packing from the first bytes, which stay in RAW. */
static void recognise(struct stream *s)
{
	raw_fill(s);
	pack_init(&s->pack, pack_recognise((struct str){ s->raw, s->raw_n }));
}

enum err_code stream_open(struct stream *s, const char *path, const atomic_int *interrupted,
                          struct err *err)
{
	*s = (struct stream){ .fd = STDIN_FILENO, .interrupted = interrupted };
	if (strcmp(path, "-") != 0) {
		s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (s->fd < 0)
			return err_set(err, ERR_INPUT, "cannot open '%s': %s", path,
			               strerror(errno));
		s->is_owner = true;
	}
	struct stat st;
	if (fstat(s->fd, &st) == 0) {
		if (S_ISDIR(st.st_mode)) {
			stream_close(s);
			return err_set(err, ERR_INPUT, "cannot read '%s': it is a folder", path);
		}
		if (S_ISREG(st.st_mode) && st.st_size > 0)
			s->size_bytes = (uint64_t)st.st_size;
	}
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* a hint: failure changes nothing */
	s->raw = mem_alloc(RAW_BYTES);
	recognise(s);
	return ERR_OK;
}

void stream_close(struct stream *s)
{
	pack_deinit(&s->pack);
	mem_free(s->raw);
	if (s->is_owner)
		close(s->fd);
	*s = (struct stream){ 0 };
}

/* What was read to recognise the packing, then straight to the caller's buffer. */
static size_t read_plain(struct stream *s, char *buf, size_t cap)
{
	size_t n = s->raw_n - s->raw_at < cap ? s->raw_n - s->raw_at : cap;
	if (n)
		memcpy(buf, s->raw + s->raw_at, n);
	s->raw_at += n;
	while (n < cap && !is_stopped(s))
		n += read_some(s, buf + n, cap - n);
	return n;
}

size_t stream_read(struct stream *s, char *buf, size_t cap)
{
	if (s->pack.kind == PACK_NONE)
		return read_plain(s, buf, cap);
	size_t n = 0;
	while (n < cap && !s->has_ended) {
		if (s->raw_at == s->raw_n)
			raw_fill(s);
		struct str in = { s->raw + s->raw_at, s->raw_n - s->raw_at };
		size_t got = 0;
		struct err damage = { 0 };
		enum err_code code =
		        pack_read(&s->pack, &in, s->raw_ended, buf + n, cap - n, &got, &damage);
		s->has_ended = code || (s->raw_ended && !in.n && got < cap - n);
		s->raw_at = s->raw_n - in.n;
		n += got;
		if (code && !s->is_interrupted && !s->damage.code) /* the first cause is the one */
			s->damage = damage;
	}
	return n;
}
