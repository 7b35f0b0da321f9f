/* SPDX-License-Identifier: Apache-2.0 */
#include "read/amd_metrics.h"

#include <stdio.h>

#include "read/reading.h"

#define HEADER_BYTES 4
#define LIST_MAJOR 1
#define LIST_MINOR 9 /* the version that is a list of attributes */

static const struct {
	uint8_t format, content;
	uint16_t bytes;
} sizes[] = {
#define AMD_SIZE(id, format, content, bytes) { format, content, bytes },
#define AMD_FIELD(...)
#define AMD_ATTRIBUTE(...)
#include "read/amd_metrics.def"
#undef AMD_SIZE
#undef AMD_FIELD
#undef AMD_ATTRIBUTE
};

static const struct {
	uint8_t format, from, to, metric;
	uint16_t at, bytes;
	struct reading_unit unit;
} amd_fields[] = {
#define AMD_SIZE(...)
#define AMD_FIELD(id, format, from, to, metric, at, bytes, num, den) \
	{ format, from, to, METRIC_##metric, at, bytes, { num, den } },
#define AMD_ATTRIBUTE(...)
#include "read/amd_metrics.def"
#undef AMD_SIZE
#undef AMD_FIELD
#undef AMD_ATTRIBUTE
};

static const struct {
	uint16_t id;
	uint8_t metric;
	struct reading_unit unit;
} attributes[] = {
#define AMD_SIZE(...)
#define AMD_FIELD(...)
#define AMD_ATTRIBUTE(id, metric, num, den) { id, METRIC_##metric, { num, den } },
#include "read/amd_metrics.def"
#undef AMD_SIZE
#undef AMD_FIELD
#undef AMD_ATTRIBUTE
};

/* Little endian; the bytes are there. */
static uint64_t value_at(struct str s, size_t at, size_t bytes)
{
	uint64_t v = 0;
	for (size_t i = bytes; i-- > 0;)
		v = v << 8 | (unsigned char)s.p[at + i];
	return v;
}

static bool is_all_ones(uint64_t v, size_t bytes)
{
	return v == (bytes == 8 ? UINT64_MAX : (UINT64_C(1) << bytes * 8) - 1);
}

static void put(struct sample *s, enum metric_id id, uint64_t v, size_t bytes,
                struct reading_unit unit)
{
	if (s->known >> id & 1)
		return;
	if (is_all_ones(v, bytes))
		reading_miss(s, id, WHY_UNSUPPORTED);
	else if (v > INT64_MAX)
		reading_miss(s, id, WHY_OUT_OF_RANGE);
	else
		reading_put(s, id, (int64_t)v, 1, unit);
}

/* APUs up to 2.3 state most shares in per cent, some in hundredths of it; a share over 100 tells.
 */
static struct reading_unit unit_of(size_t field, unsigned format, uint64_t v)
{
	if (format == 2 && amd_fields[field].metric == METRIC_gpu_util && v > 100)
		return (struct reading_unit){ 1, 100 };
	return amd_fields[field].unit;
}

static void read_fields(struct str bytes, struct sample *s)
{
	unsigned format = (unsigned char)bytes.p[2], content = (unsigned char)bytes.p[3];
	bool is_early_1_6 = format == 1 && content == 6 && value_at(bytes, 0, 2) != 1664;
	for (size_t i = 0; i < sizeof amd_fields / sizeof *amd_fields; i++) {
		if (amd_fields[i].format != format || content < amd_fields[i].from ||
		    content > amd_fields[i].to)
			continue;
		enum metric_id id = (enum metric_id)amd_fields[i].metric;
		size_t at = amd_fields[i].at, n = amd_fields[i].bytes;
		if (at + n > bytes.n || (is_early_1_6 && at >= 16))
			continue; /* an older layout is shorter: absent */
		uint64_t v = value_at(bytes, at, n);
		put(s, id, v, n, unit_of(i, format, v));
	}
	if (format == 1 && content >= 1 && content <= 3 && bytes.n >= 8 &&
	    !(s->known >> METRIC_temperature & 1)) /* no edge sensor: the hottest spot */
		put(s, METRIC_temperature, value_at(bytes, 6, 2), 2, (struct reading_unit){ 1, 1 });
}

/* Walks the attributes of 1.9; S may be NULL. False: the list does not end where the structure
   does, or is broken. */
static bool walk(struct str bytes, struct sample *s)
{
	static const uint8_t type_bytes[] = { 1, 1, 2, 2, 4, 4, 8, 8 };
	size_t size = value_at(bytes, 0, 2), at = 8;
	if (bytes.n < 8 || size > bytes.n || size < 8)
		return false;
	uint64_t count = value_at(bytes, 4, 4);
	for (uint64_t i = 0; i < count; i++) {
		if (at + 8 > size)
			return false;
		uint64_t code = value_at(bytes, at, 8);
		size_t type = code >> 20 & 15, n = code & 1023, id = code >> 10 & 1023;
		at += 8;
		if (type >= sizeof type_bytes || n * type_bytes[type] > size - at)
			return false;
		for (size_t k = 0; s && n && k < sizeof attributes / sizeof *attributes; k++)
			if (attributes[k].id == id)
				put(s, (enum metric_id)attributes[k].metric,
				    value_at(bytes, at, type_bytes[type]), type_bytes[type],
				    attributes[k].unit);
		at += n * type_bytes[type];
	}
	return at == size;
}

static bool is_list(struct str bytes)
{
	return bytes.p[2] == LIST_MAJOR && bytes.p[3] == LIST_MINOR;
}

bool amd_metrics_is(struct str bytes, size_t *ret_size)
{
	if (bytes.n < HEADER_BYTES)
		return false;
	size_t size = value_at(bytes, 0, 2);
	*ret_size = size;
	if (is_list(bytes))
		return walk(bytes, NULL);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].format == (unsigned char)bytes.p[2] &&
		    sizes[i].content == (unsigned char)bytes.p[3])
			return sizes[i].bytes == size && size <= bytes.n;
	return false;
}

void amd_metrics_version(struct str bytes, char *ret)
{
	snprintf(ret, 8, "%u.%u", (unsigned char)bytes.p[2], (unsigned char)bytes.p[3]);
}

bool amd_metrics_read(struct str bytes, struct sample *s, char *ret_why)
{
	char version[8];
	if (bytes.n < HEADER_BYTES) {
		snprintf(ret_why, 128, "gpu_metrics of %zu bytes is too short", bytes.n);
		return false;
	}
	size_t size = value_at(bytes, 0, 2);
	amd_metrics_version(bytes, version);
	if (is_list(bytes)) {
		if (walk(bytes, NULL))
			return walk(bytes, s);
		snprintf(ret_why, 128, "the attributes of gpu_metrics 1.9 are broken");
		return false;
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].format == (unsigned char)bytes.p[2] &&
		    sizes[i].content == (unsigned char)bytes.p[3]) {
			read_fields(str_sub(bytes, 0, size), s);
			return true;
		}
	snprintf(ret_why, 128, "gpu_metrics of version %s (%zu bytes) is not known", version, size);
	return false;
}
