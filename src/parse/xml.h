/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * xml: one XML document as it is met, element by element. Nothing outside of the document is read
 * (no DTD, no entity of a file), and a document that declares entities of its own is refused: the
 * five that XML has are all that anybody needs.
 */
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Names and texts are good during the call. A text may come in several pieces. */
struct xml_events {
	void (*begin)(void *arg, struct str name, uint64_t line);
	void (*text)(void *arg, struct str text);
	void (*end)(void *arg, struct str name);
};

/* ERR_INPUT: BYTES are no XML document from the line *RET_LINE (from 1) on; what came before was
   told. ERR_LIMIT: elements inside each other, more than XML_DEPTH_MAX; or an entity. */
enum err_code xml_read(struct str bytes, const struct xml_events *e, void *arg, uint64_t *ret_line,
                       struct err *err) NODISCARD;
