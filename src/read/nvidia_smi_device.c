/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_device.h"

#include <inttypes.h>

#include "base/text.h"
#include "facts/accelerator.h"
#include "read/nvidia_smi.h"

/* Strongest first. */
struct smi_keys {
	sym v[4];
	int n;
};

static bool is_zeros(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '0' && s.p[i] != '-')
			return false;
	return true;
}

/* People who show their outputs to others write zeros over what names their GPUs. */
static bool is_uuid(struct facts *f, struct str s)
{
	if (smi_word(s) != WHY_KNOWN)
		return false;
	if (!is_zeros(str_starts(s, S("GPU-")) ? str_sub(s, 4, s.n) : s))
		return true;
	facts_note(f,
	           "A UUID is all zeros: it was masked, and the GPU goes by what else names it.");
	return false;
}

sym smi_scoped(struct facts *f, struct str input, struct str node, struct str name)
{
	auto_text t = TEXT_NULL;
	text_add(&t, node.n ? node : input);
	text_byte(&t, ':');
	text_add(&t, name);
	return facts_word(f, text_str(&t));
}

static void keys_add(struct smi_keys *k, sym key)
{
	k->v[k->n++] = key;
}

/* Empties the words of S that are no names. */
static struct smi_keys keys_of(struct facts *f, struct str input, struct smi_names *s)
{
	struct smi_keys k = { 0 };
	char pci[17];
	uint64_t number;
	if (smi_word(s->node) != WHY_KNOWN)
		s->node = STR_NULL;
	if (smi_word(s->model) != WHY_KNOWN)
		s->model = STR_NULL;
	if (is_uuid(f, s->uuid))
		keys_add(&k, facts_word(f, s->uuid));
	if (smi_word(s->serial) == WHY_KNOWN && !is_zeros(s->serial))
		keys_add(&k, facts_word(f, s->serial));
	if (smi_pci(s->pci, pci))
		keys_add(&k, smi_scoped(f, input, s->node, str_of(pci)));
	if (smi_word(s->index) == WHY_KNOWN && !str_to_u64(s->index, &number) && !s->model.n)
		s->model = s->index; /* a logger's column `gpu` with names in it */
	else if (smi_word(s->index) == WHY_KNOWN)
		keys_add(&k, smi_scoped(f, input, s->node, s->index));
	return k;
}

sym smi_device_id(struct facts *f, struct str input, const struct smi_names *names)
{
	struct smi_names s = *names;
	return keys_of(f, input, &s).v[0];
}

/* The boxes cut long names: "NVIDIA GeForce RTX 2080 ...". */
static bool is_cut(struct str model)
{
	return str_ends(model, S("..."));
}

static void model_set(struct facts *f, struct device *d, struct str model)
{
	if (model.n && (!d->model || (is_cut(names_word(&f->names, d->model)) && !is_cut(model))))
		d->model = facts_word(f, model);
}

/* A scheduler counts a node's device files, /dev/nvidiaN, whose N is the minor number; the index is
   by PCI address, and mostly the same. */
static void number_set(struct facts *f, struct device *d, const struct smi_names *s)
{
	uint64_t number;
	if (str_to_u64(s->minor, &number))
		d->number = facts_word(f, s->minor);
	else if (!d->number && str_to_u64(s->index, &number))
		d->number = facts_word(f, s->index);
}

uint32_t smi_device_of(struct smi_devices *d, struct facts *f, struct str input,
                       const struct smi_names *names)
{
	struct smi_names s = *names;
	struct smi_keys k = keys_of(f, input, &s);
	if (!k.n) {
		facts_note(f, "Rows without uuid, pci.bus_id or index: all are taken for one GPU.");
		keys_add(&k, facts_word(f, s.node.n ? s.node : input));
	}
	const uint32_t *known = map_get(&d->by_key, k.v[0]);
	uint32_t at = known ? *known : 0;
	if (!at) {
		*vec_push(&d->v) = (struct smi_device){ .at = (uint32_t)f->devices.n,
			                                .first_ms = TIME_UNKNOWN,
			                                .last_ms = TIME_UNKNOWN };
		*vec_push(&f->devices) =
		        (struct device){ .id = k.v[0], .node = facts_word(f, s.node) };
		at = (uint32_t)d->v.n;
	}
	model_set(f, &f->devices.v[d->v.v[at - 1].at], s.model);
	number_set(f, &f->devices.v[d->v.v[at - 1].at], &s);
	for (int i = 0; i < k.n; i++)
		*map_at(&d->by_key, k.v[i]) = at;
	return at;
}

/* FROM's rows were TO's. */
static void device_merge(struct smi_devices *d, struct facts *f, uint32_t from, uint32_t to)
{
	struct smi_device *a = &d->v.v[from - 1], *b = &d->v.v[to - 1];
	struct device *gone = &f->devices.v[a->at];
	if (gone->model)
		model_set(f, &f->devices.v[b->at], names_word(&f->names, gone->model));
	if (!f->devices.v[b->at].number)
		f->devices.v[b->at].number = gone->number;
	if (a->first_ms != TIME_UNKNOWN &&
	    (b->first_ms == TIME_UNKNOWN || a->first_ms < b->first_ms))
		b->first_ms = a->first_ms;
	if (a->last_ms > b->last_ms)
		b->last_ms = a->last_ms;
	for (size_t i = 0; i < d->losses.n; i++)
		if (d->losses.v[i].device == from)
			d->losses.v[i].device = to;
	b->loss = b->loss ? b->loss : a->loss;
	a->is_of = to;
}

/* What DEVICE is in the end; each is one that was met later. */
static uint32_t last_of(const struct smi_devices *d, uint32_t device)
{
	while (d->v.v[device - 1].is_of)
		device = d->v.v[device - 1].is_of;
	return device;
}

/* The memory of DEVICE, as its first reading of it says; 0: none does. */
static uint64_t mebibytes_of(const struct facts *f, sym device)
{
	for (size_t i = 0; i < f->samples.n; i++) {
		const struct sample *s = &f->samples.v[i];
		if (s->device == device && s->known & metric_bit(METRIC_mem_size))
			return (uint64_t)s->v[METRIC_mem_size] / 1000;
	}
	return 0;
}

static void models_complete(struct facts *f)
{
	for (size_t i = 0; i < f->devices.n; i++) {
		struct device *d = &f->devices.v[i];
		struct str model = names_word(&f->names, d->model), whole;
		if (!is_cut(model))
			continue;
		uint64_t size = mebibytes_of(f, d->id);
		auto_text t = TEXT_NULL;
		if (!accelerator_complete(str_trim(str_sub(model, 0, model.n - 3)), size, &whole))
			continue;
		text_printf(&t,
		            "A box cuts the names of its GPUs: %.*s with %" PRIu64
		            " MiB was taken for %.*s.%c",
		            STR_FMT(model), size, STR_FMT(whole), '\0');
		facts_note(f, t.p);
		d->model = facts_word(f, whole);
	}
}

void smi_devices_settle(struct smi_devices *d, struct facts *f)
{
	struct map renamed = { 0 }; /* id to the place of the device that it is, from 1 */
	uint32_t kept = 0;
	for (uint32_t i = 1; i <= d->v.n; i++) {
		sym id = f->devices.v[d->v.v[i - 1].at].id;
		const uint32_t *now = map_get(&d->by_key, id);
		if (now && *now != i) {
			device_merge(d, f, i, *now);
			*map_at(&renamed, id) = *now;
		}
	}
	for (size_t i = 0; i < f->samples.n && renamed.n; i++) {
		const uint32_t *to = map_get(&renamed, f->samples.v[i].device);
		if (to)
			f->samples.v[i].device = f->devices.v[d->v.v[last_of(d, *to) - 1].at].id;
	}
	for (uint32_t i = 0; i < d->v.n;
	     i++) /* a device that is left stands where it was, or before */
		if (!d->v.v[i].is_of) {
			f->devices.v[kept] = f->devices.v[d->v.v[i].at];
			d->v.v[i].at = kept++;
		}
	f->devices.n = kept;
	models_complete(f);
	map_deinit(&renamed);
}

uint32_t smi_device_by_index(struct smi_devices *d, struct facts *f, const struct read_options *o,
                             uint64_t index, uint32_t only)
{
	auto_text t = TEXT_NULL;
	text_printf(&t, "%" PRIu64, index);
	sym key = smi_scoped(f, o->input_name, o->node, text_str(&t));
	if (!index && only && !map_get(&d->by_key, key))
		*map_at(&d->by_key, key) = only;
	struct smi_names names = { .node = o->node, .index = text_str(&t) };
	return last_of(d, smi_device_of(d, f, o->input_name, &names));
}
