/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * exporter_labels: what the labels of a series say: which GPU, and whose it is.
 */
#include "read/exporter.h"

enum exporter_label {
	LABEL_UUID,
	LABEL_INDEX,
	LABEL_FILE,     /* of the device: "nvidia0" */
	LABEL_INSTANCE, /* of MIG */
	LABEL_PROFILE,
	LABEL_NODE,
	LABEL_TARGET, /* where Prometheus scraped it */
	LABEL_MODEL,
	LABEL_CLOCK,
	LABEL_POD,
	LABEL_NAMESPACE,
	LABEL_CONTAINER,
	LABEL_JOB,
	LABEL_USER,
	LABEL_QUEUE,
	LABEL_PARTITION, /* of an AMD device */
	LABEL_PID,
	LABEL_COUNT
};

struct exporter_labels {
	struct str v[LABEL_COUNT]; /* empty: not given */
};

void exporter_labels_read(struct exporter_labels *ret, const struct prom_label *labels, size_t n);

/* Who holds the GPU by its labels; an empty id: they name nobody. */
struct exporter_job {
	struct str id, user, team, queue, name;
	bool is_slurm;
};
struct exporter_job exporter_labels_job(const struct exporter_labels *l, struct arena *a);
/* The id of the device that the labels name; empty: none. */
struct str exporter_labels_device(const struct exporter_labels *l, enum exporter_family family,
                                  struct arena *a);
/* The GPU's number on its node, as a scheduler counts: that of its device file, else its index;
   empty: not said. */
struct str exporter_labels_number(const struct exporter_labels *l, bool *ret_is_file);
/* MIG slices of a profile: "1g.10gb" and "1c.3g.40gb"; 0: not said. */
uint32_t exporter_labels_slices(struct str profile);
