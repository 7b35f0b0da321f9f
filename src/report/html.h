/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * html: what a page is written of. Anybody's words become text of HTML and nothing else; charts
 * become SVG between it.
 *
 * An SVG here has no view box: its lengths are per cent of the room that it gets, so a page of any
 * width is sharp and hatching keeps its angle. Words stand in HTML beside it, since text in a
 * picture that shrinks cannot be read.
 */
#include "base/text.h"
#include "report/chart.h"

/* A word of anybody's as text or as an attribute's value between double quotes. Bytes that are not
   UTF-8, controls, and marks that turn the direction of what follows become U+FFFD; the end of a
   line and a tab a blank. */
void html_word(struct text *t, struct str s);
/* SHARE of 1 as "12.34%"; the same, rounded as it is written. */
void html_share(struct text *t, double share);
double html_rounded(double share);
/* [0, low] solid and [low, high] as a band, of 1; in the colour of an ACCOUNT, or -1. */
void html_bar(struct text *t, int account, double low, double high);
/* The colour of an account, as a small square. */
void html_swatch(struct text *t, enum account a);
void html_fall(struct text *t, const struct chart_fall *fall);
void html_stacks(struct text *t, struct str caption, const struct chart_stacks *stacks);
/* html_style.c: what a style sheet says, with the colours of the accounts; patterns of hatching. */
void html_style(struct text *t);
void html_patterns(struct text *t);
