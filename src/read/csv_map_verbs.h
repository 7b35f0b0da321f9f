/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * csv_map_verbs: the verbs that say how a property is made from a column. For csv_map_parse alone.
 */
#include "read/csv_map.h"
#include "read/yaml_field.h"

/* One map while it is read. */
struct csv_reading {
	struct arena *a;
	struct csv_map *map;
	struct csv_time time; /* of columns that state none themselves */
};

/* A name of the header, or, in a file without one, a number from 1. */
NODISCARD enum err_code csv_verb_column(const struct csv_map *map, const struct yaml *y,
                                        struct csv_column *ret, struct err *err);
NODISCARD enum err_code csv_verb_time(struct csv_reading *r, const struct yaml *y,
                                      struct csv_time *t, struct err *err);
/* Sets r->map->values[prop]. */
NODISCARD enum err_code csv_verb_value(struct csv_reading *r, const struct yaml *y,
                                       enum csv_prop prop, struct err *err);
