/* SPDX-License-Identifier: Apache-2.0 */
#include "intake/cut.h"

#include <string.h>

#include "base/limits.h"

void cut_init(struct cut *c, struct stream *s, const struct reader *r, const struct read_run *run,
              size_t chunk_bytes, size_t chunk_bytes_max, struct str head, uint64_t line)
{
	*c = (struct cut){ .stream = s,
		           .reader = r,
		           .run = run,
		           .chunk_bytes = chunk_bytes,
		           .chunk_bytes_max = chunk_bytes_max,
		           .line = line };
	vec_reserve(&c->carry, head.n);
	if (head.n)
		memcpy(c->carry.v, head.p, head.n);
	c->carry.n = head.n;
}

void cut_deinit(struct cut *c)
{
	vec_deinit(&c->carry);
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

static bytes16 load16(const char *p)
{
	bytes16 b;
	memcpy(&b, p, sizeof b);
	return b;
}

uint64_t cut_count_lines(struct str s)
{
	const bytes16 newline = (bytes16){ 0 } + '\n';
	uint64_t count = 0;
	size_t at = 0;
	while (s.n - at >= 32) {
		bytes16 one = { 0 }, two = { 0 }; /* a lane holds 255 at most */
		size_t rounds = (s.n - at) / 32 < 255 ? (s.n - at) / 32 : 255;
		for (size_t i = 0; i < rounds; i++, at += 32) {
			one -= (bytes16)(load16(s.p + at) == newline);
			two -= (bytes16)(load16(s.p + at + 16) == newline);
		}
		for (int lane = 0; lane < 16; lane++)
			count += (uint64_t)one[lane] + two[lane];
	}
	for (; at < s.n; at++)
		count += s.p[at] == '\n';
	return count;
}

/* Start and length of the first line in S over the limit; S.n and 0 where there is none. Such a
   line covers at least one aligned half of the limit, so only these are looked at. A line whose end
   is not in S counts with what is there. */
static size_t long_line(struct str s, size_t *ret_n)
{
	const size_t step = LINE_BYTES_MAX / 2;
	*ret_n = 0;
	for (size_t at = 0; at + step <= s.n; at += step) {
		if (memchr(s.p + at, '\n', step))
			continue;
		const char *before = at ? memrchr(s.p, '\n', at) : NULL;
		const char *after = memchr(s.p + at, '\n', s.n - at);
		size_t from = before ? (size_t)(before - s.p) + 1 : 0;
		size_t to = after ? (size_t)(after - s.p) : s.n;
		if (to > from && s.p[to - 1] == '\r')
			to--;
		if (to - from > LINE_BYTES_MAX) {
			*ret_n = to - from;
			return from;
		}
	}
	return s.n;
}

/* Where the piece that begins at BYTES ends, at a record's start; 0: within it there is none. */
static size_t piece_end(const struct cut *c, struct str bytes)
{
	const char *newline = bytes.n ? memrchr(bytes.p, '\n', bytes.n) : NULL;
	if (!newline)
		return 0;
	size_t end = (size_t)(newline - bytes.p) + 1;
	return c->reader->record_start ? c->reader->record_start(c->run, bytes, end) : end;
}

static void fill(struct cut *c, struct piece *p, size_t want)
{
	if (p->bytes.n >= want)
		return;
	vec_reserve(&p->bytes, want - p->bytes.n);
	p->bytes.n += stream_read(c->stream, p->bytes.v + p->bytes.n, want - p->bytes.n);
}

/* Gives out the first N bytes of P; the rest is carried over. */
static void give(struct cut *c, struct piece *p, size_t n)
{
	size_t rest = p->bytes.n - n;
	vec_reserve(&c->carry, rest);
	if (rest)
		memcpy(c->carry.v, p->bytes.v + n, rest);
	c->carry.n = rest;
	p->bytes.n = n;
	p->line = c->line;
	c->line += cut_count_lines((struct str){ p->bytes.v, n });
}

/* The line that begins here is too long: reads past it without keeping it. */
static void skip_long_line(struct cut *c, struct piece *p)
{
	uint64_t length = 0;
	for (;;) {
		struct str s = { p->bytes.v, p->bytes.n };
		size_t at = str_find_byte(s, '\n');
		length += at;
		if (at < s.n) {
			give(c, p, at + 1);
			break;
		}
		p->bytes.n = 0;
		fill(c, p, c->chunk_bytes);
		if (!p->bytes.n) {
			give(c, p, 0);
			break;
		}
	}
	p->bytes.n = 0;
	p->long_line_bytes = length;
}

/* The end of the stream. Half a record is not read where the stream broke off: its last number may
   be half a number. */
static bool give_last(struct cut *c, struct piece *p)
{
	bool is_broken = c->stream->is_interrupted || c->stream->damage.code;
	size_t end = p->bytes.n;
	if (is_broken)
		end = piece_end(c, (struct str){ p->bytes.v, p->bytes.n });
	give(c, p, end);
	c->carry.n = 0;
	return end > 0;
}

/* A record took WANT bytes: pieces of one record each cost more than they hold. */
static void grow(struct cut *c, size_t want)
{
	size_t more = want * 4 < c->chunk_bytes_max ? want * 4 : c->chunk_bytes_max;
	if (more > c->chunk_bytes)
		c->chunk_bytes = more;
}

/* The first N bytes of P, and no more than blanks of an item that is too large. */
static bool give_items(struct cut *c, struct piece *p, size_t n)
{
	json_cut_shift(&c->items, n);
	give(c, p, n);
	return true;
}

/* Reads past an item that is too large without keeping it. */
static bool skip_long_item(struct cut *c, struct piece *p)
{
	uint64_t length = p->bytes.n;
	uint64_t line = c->line + cut_count_lines((struct str){ p->bytes.v, c->items.item_at });
	json_cut_drop(&c->items, p->bytes.v);
	while (c->items.is_dropping) {
		give_items(c, p, c->items.end);
		memcpy(p->bytes.v, c->carry.v, c->carry.n);
		p->bytes.n = c->carry.n;
		c->carry.n = 0;
		size_t before = p->bytes.n;
		fill(c, p, c->chunk_bytes);
		if (p->bytes.n == before)
			break;
		json_cut_pass(&c->items, p->bytes.v, p->bytes.n);
		length += p->bytes.n - before;
	}
	give_items(c, p, c->items.end);
	p->line = line;
	p->bytes.n = 0;
	p->long_line_bytes = length;
	return true;
}

/* The end of the stream, or of what is JSON in it. */
static bool give_last_items(struct cut *c, struct piece *p)
{
	bool is_broken = c->stream->is_interrupted || c->stream->damage.code;
	size_t end = is_broken && !c->items.is_broken ? c->items.end : p->bytes.n;
	c->has_ended = true;
	give(c, p, end);
	c->carry.n = 0;
	return end > 0;
}

static bool items_next(struct cut *c, struct piece *p)
{
	size_t want = c->chunk_bytes;
	for (;;) {
		fill(c, p, want);
		json_cut_pass(&c->items, p->bytes.v, p->bytes.n);
		if (p->bytes.n < want || c->items.is_broken)
			return give_last_items(c, p);
		if (c->items.end)
			return give_items(c, p, c->items.end);
		if (c->items.place == JSON_CUT_ITEM &&
		    c->items.at - c->items.item_at > JSON_ITEM_BYTES_MAX)
			return skip_long_item(c, p);
		want = p->bytes.n + (p->bytes.n < CHUNK_BYTES_MAX ? p->bytes.n : CHUNK_BYTES_MAX);
	}
}

bool cut_next(struct cut *c, struct piece *p)
{
	p->bytes.n = 0;
	p->long_line_bytes = 0;
	if (c->has_ended)
		return false;
	vec_reserve(&p->bytes, c->carry.n);
	if (c->carry.n)
		memcpy(p->bytes.v, c->carry.v, c->carry.n);
	p->bytes.n = c->carry.n;
	c->carry.n = 0;
	if (c->reader->cut == CUT_ITEMS)
		return items_next(c, p);

	size_t want = c->chunk_bytes;
	for (;;) {
		fill(c, p, want);
		struct str bytes = { p->bytes.v, p->bytes.n };
		if (!bytes.n)
			return false;
		size_t long_bytes, long_at = long_line(bytes, &long_bytes);
		if (long_bytes && !long_at) {
			skip_long_line(c, p);
			return true;
		}
		if (long_bytes) { /* ends what is before it, in whatever record it stands */
			give(c, p, long_at);
			return true;
		}
		if (bytes.n < want)
			return give_last(c, p);
		size_t end = piece_end(c, bytes);
		if (!end && want >= CHUNK_BYTES_MAX) { /* an endless record: its reader says so */
			const char *newline = memrchr(bytes.p, '\n', bytes.n);
			end = newline ? (size_t)(newline - bytes.p) + 1 : bytes.n;
		}
		if (end) {
			if (want > c->chunk_bytes)
				grow(c, want);
			give(c, p, end);
			return true;
		}
		want = want > bytes.n ? want * 2 : bytes.n * 2;
	}
}
