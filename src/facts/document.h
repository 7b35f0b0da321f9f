/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * document: facts as a JSON document, the one that the reader `facts` reads. Everything that
 * fields.def knows is written, in the order of the facts; what is unknown is left out. Reading it
 * again gives the same facts. Rejects, inputs and notes are not facts and are not written.
 */
#include "base/text.h"
#include "facts/facts.h"

void document_write(struct text *t, const struct facts *f);
