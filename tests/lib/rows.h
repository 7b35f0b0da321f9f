/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * rows: two readers that belong to the tests of intake/. `rows` takes "#rows" and then "id,user"
 * lines, each a job with an allocation, a label, a note; a row "!" is rejected, a row "fail" stops
 * the reading. A row in which a double quote opens goes on to the line where it closes.
 * `rows_whole` takes "#whole" and the same rows in one piece.
 */
#include "read/reader.h"

extern const struct reader rows_reader, rows_whole_reader;
extern const struct reader *const rows_readers[];
