/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * prom: one line of the text in which Prometheus' exporters answer, also of OpenMetrics.
 *
 *     name{label="value",...} value [timestamp] [# exemplar]
 *     {"quoted name",label="value"} value
 *     # TYPE name gauge     # HELP name text     # UNIT name unit     # EOF     # any comment
 *
 * Names and numbers keep their text. A label's value is a slice of the line unless it has escapes.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"

enum prom_kind {
	PROM_BLANK,
	PROM_SAMPLE,
	PROM_TYPE,
	PROM_HELP,
	PROM_UNIT,
	PROM_EOF,
	PROM_COMMENT, /* text: what stands after "#" */
	PROM_BAD,     /* why says what is wrong */
};

struct prom_label {
	struct str name, value;
};

struct prom_line {
	enum prom_kind kind;
	struct str name;
	struct str value; /* as written: a number, NaN, +Inf; a word that is neither is kept too */
	struct str timestamp; /* as written; empty: none */
	struct str text;      /* of HELP, TYPE, UNIT, a comment */
	size_t labels_n;
	struct prom_label labels[PROM_LABELS_MAX];
	const char *why;
};

/* Escapes are resolved into A. */
enum prom_kind prom_line_read(struct prom_line *l, struct arena *a, struct str line);
/* The value of a label; the empty slice if there is none. */
struct str prom_label(const struct prom_label *labels, size_t n, const char *name);

enum prom_number { PROM_NOT_A_NUMBER, PROM_FINITE, PROM_NAN, PROM_INFINITE };
enum prom_number prom_number(struct str value);
