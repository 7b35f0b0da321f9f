/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "codec/column.h"
#include "codec/planes.h"
#include "codec/wire.h"

/* The fields in front of the words. */
struct front {
	enum column_shape shape;
	enum column_packing packing;
	bool is_share, is_sparse;
	uint64_t base, step;
	struct share share;
	uint64_t first, centre;
};

static enum err_code short_of(const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT, "column ends within its %s", what);
}

static enum err_code get_share(struct str *in, struct front *f, struct err *err)
{
	if (!wire_take_varint(in, &f->base) || !wire_take_byte(in, &f->share.decimals) ||
	    !wire_take_byte(in, &f->share.den))
		return short_of("head", err);
	if (!f->share.decimals || f->share.decimals > SHARE_DECIMALS_MAX || f->share.den < 2 ||
	    f->share.den > SHARE_DEN_MAX)
		return err_set(err, ERR_INPUT, "column has shares of 10^%u / %u", f->share.decimals,
		               f->share.den);
	return ERR_OK;
}

static enum err_code get_front(struct str *in, struct front *f, struct err *err)
{
	unsigned head;
	if (!wire_take_byte(in, &head))
		return short_of("head", err);
	f->shape = head & 3;
	f->is_share = head >> 2 & 1;
	f->is_sparse = head >> 3 & 1;
	f->packing = head >> 4 & 3;
	bool can_be_sparse = f->packing == PACKING_PLANES || f->packing == PACKING_BITS;
	if (head >> 6 || f->shape == SHAPE_COUNT || (f->is_sparse && !can_be_sparse))
		return err_set(err, ERR_INPUT, "column has head %u, which is none", head);
	if (f->is_share) {
		f->step = 1;
		enum err_code rc = get_share(in, f, err);
		if (rc)
			return rc;
	} else if (!wire_take_varint(in, &f->base) || !wire_take_varint(in, &f->step)) {
		return short_of("head", err);
	} else {
		f->base = wire_unzigzag(f->base);
	}
	if (f->shape == SHAPE_PLAIN)
		return ERR_OK;
	if (!wire_take_varint(in, &f->first) || !wire_take_varint(in, &f->centre))
		return short_of("head", err);
	f->centre = wire_unzigzag(f->centre);
	return ERR_OK;
}

static enum err_code get_runs(struct str *in, uint64_t *w, size_t n, uint64_t *lengths,
                              struct err *err)
{
	uint64_t runs, rows = 0;
	if (!wire_take_varint(in, &runs))
		return short_of("runs", err);
	if (!runs || runs > n)
		return err_set(err, ERR_INPUT, "column of %zu values has %llu runs", n,
		               (unsigned long long)runs);
	for (size_t i = 0; i < runs; i++) {
		if (!wire_take_varint(in, &lengths[i]))
			return short_of("runs", err);
		if (lengths[i] >= n - rows)
			return err_set(err, ERR_INPUT,
			               "the runs of a column have more values than it has");
		rows += lengths[i] + 1;
	}
	if (rows != n)
		return err_set(err, ERR_INPUT, "the runs of a column have %llu values, not %zu",
		               (unsigned long long)rows, n);
	for (size_t i = 0; i < runs; i++) {
		uint64_t word;
		if (!wire_take_varint(in, &word))
			return short_of("runs", err);
		for (uint64_t *end = w + lengths[i] + 1; w < end;)
			*w++ = word;
	}
	return ERR_OK;
}

/* Planes or bits, to W, or to KEPT and from there to W. */
static enum err_code get_packed(struct str *in, const struct front *f, uint64_t *w, size_t n,
                                uint64_t *kept, struct err *err)
{
	unsigned width;
	struct str map = STR_NULL, bytes;
	bool in_bits = f->packing == PACKING_BITS;
	if (!wire_take_byte(in, &width))
		return short_of("words", err);
	if (!width || width > (in_bits ? BITS_WIDTH_MAX : PLANES_WIDTH_MAX))
		return err_set(err, ERR_INPUT, "column has words of width %u", width);
	if (f->is_sparse && !wire_take(in, bits_bytes(n, 1), &map))
		return short_of("map", err);
	size_t m = f->is_sparse ? sparse_count(map, n) : n;
	if (!wire_take(in, in_bits ? bits_bytes(m, width) : m * width, &bytes))
		return short_of("words", err);
	uint64_t *to = f->is_sparse ? kept : w;
	if (in_bits)
		bits_get(to, m, width, bytes);
	else
		planes_get(to, m, width, bytes.p);
	if (f->is_sparse) {
		kept[m] = 0;
		sparse_get(w, n, map, kept);
	}
	return ERR_OK;
}

/* Words that are all zero: a constant, or the same step from row to row. */
static void get_zeros(const struct front *f, uint64_t *w, size_t n)
{
	uint64_t at = f->base, slope = 0;
	if (f->shape != SHAPE_PLAIN) {
		at += f->first * f->step;
		slope = f->centre * f->step;
	}
	for (size_t i = 0; i < n; i++)
		w[i] = at + i * slope;
}

/* Words to values, or to the k of a share: one pass, the step taken in. */
static void undo_shape(const struct front *f, uint64_t *w, size_t n)
{
	uint64_t step = f->step, at = f->base + f->first * step, slope = f->centre * step;
	if (f->shape == SHAPE_DELTA) {
		w[0] = at;
		for (size_t i = 1; i < n; i++)
			w[i] = at += wire_unzigzag(w[i]) * step + slope;
	} else if (f->shape == SHAPE_DELTA2) {
		w[0] = at;
		if (n > 1)
			w[1] = at += slope;
		for (size_t i = 2; i < n; i++) {
			slope += wire_unzigzag(w[i]) * step;
			w[i] = at += slope;
		}
	} else if (step != 1) {
		for (size_t i = 0; i < n; i++)
			w[i] = f->base + w[i] * step;
	} else if (f->base) {
		for (size_t i = 0; i < n; i++)
			w[i] += f->base;
	}
}

static enum err_code add_rests(struct str *in, int64_t *v, size_t n, struct err *err)
{
	uint64_t rests, at = 0, skip, more;
	if (!wire_take_varint(in, &rests))
		return short_of("rests", err);
	for (uint64_t i = 0; i < rests; i++) {
		if (!wire_take_varint(in, &skip) || !wire_take_varint(in, &more))
			return short_of("rests", err);
		if (skip >= n - at)
			return err_set(err, ERR_INPUT, "column has a rest past its end");
		at += skip;
		v[at] = (int64_t)((uint64_t)v[at] + more);
	}
	return ERR_OK;
}

enum err_code column_get(struct str in, int64_t *v, size_t n, struct column_room *room,
                         struct err *err)
{
	assert(n);
	column_room_reserve(room, n);
	struct front f = { 0 };
	uint64_t *w = (uint64_t *)v;
	enum err_code rc = get_front(&in, &f, err);
	if (rc)
		return rc;
	if (f.packing == PACKING_ZERO)
		get_zeros(&f, w, n);
	else if (f.packing == PACKING_RUNS)
		rc = get_runs(&in, w, n, room->words[SHAPE_COUNT], err);
	else
		rc = get_packed(&in, &f, w, n, room->words[SHAPE_COUNT], err);
	if (rc)
		return rc;
	if (f.packing != PACKING_ZERO)
		undo_shape(&f, w, n);
	if (f.is_share) {
		share_join(&f.share, w, n);
		rc = add_rests(&in, v, n, err);
	}
	if (!rc && in.n)
		return err_set(err, ERR_INPUT, "column is followed by %zu bytes", in.n);
	return rc;
}
