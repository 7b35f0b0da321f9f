/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * slurm_json: the shapes that values take in Slurm's JSON, versions v0.0.36 to v0.0.44. Part of the
 * reader `slurm_json`.
 */
#include "base/arena.h"
#include "facts/facts.h"
#include "parse/json.h"
#include "read/reader.h"

/* 5, {"set": true, "infinite": false, "number": 5}: the number as written. Unset, infinite, null
   and Slurm's NO_VAL: the empty slice. */
struct str slurm_json_number(struct str raw);
/* "x", 5; a list of them joined by commas; else the empty slice. In A or RAW. */
struct str slurm_json_text(struct arena *a, struct str raw);
/* The text of a key of OBJECT. */
struct str slurm_json_get(struct arena *a, struct str object, const char *key);
/* tres.allocated: a list of {type, name, id, count} as Slurm's text ("cpu=4,gres/gpu=2"); text
   stays. */
struct str slurm_json_tres(struct arena *a, struct str raw);

/* Nodes of one document. */
struct slurm_nodes {
	struct facts *f;
	struct arena *a;
	struct map seen; /* names, as syms */
	size_t capacity_at;
};
/* One node of `scontrol show node --json`, slurmrestd or `sinfo --json`. */
void slurm_nodes_read(struct slurm_nodes *n, struct str node, uint64_t line);
/* AT_MS: when the document was made, TIME_UNKNOWN if it does not say. */
void slurm_nodes_end(struct slurm_nodes *n, int64_t at_ms);
