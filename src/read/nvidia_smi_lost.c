/* SPDX-License-Identifier: Apache-2.0 */
#include "read/nvidia_smi_lost.h"

#include "read/nvidia_smi.h"

enum smi_said smi_said(struct str line, char ret_pci[17])
{
	bool is_row = str_find_byte(line, ',') < line.n; /* it may have these words in a field */
	bool is_lost =
	        !is_row && (str_find(line, S("Unable to determine the device handle")) < line.n ||
	                    str_find(line, S("GPU is lost")) < line.n);
	if (is_lost && smi_pci(line, ret_pci))
		return SMI_SAID_LOST;
	return is_lost || str_starts(line, S("NVIDIA-SMI has failed")) ||
	                       str_starts(line, S("Failed to initialize NVML")) ||
	                       str_starts(line, S("No devices were found"))
	               ? SMI_SAID_FAILED
	               : SMI_SAID_NOTHING;
}

void smi_devices_deinit(struct smi_devices *d)
{
	map_deinit(&d->by_key);
	vec_deinit(&d->v);
	vec_deinit(&d->losses);
}

void smi_device_seen(struct smi_devices *d, uint32_t device, int64_t t_ms)
{
	struct smi_device *s = &d->v.v[device - 1];
	/* what was said before the first row */
	for (size_t i = 0; i < d->losses.n && d->losses.v[i].from_ms == TIME_UNKNOWN; i++)
		d->losses.v[i].from_ms = t_ms;
	if (s->first_ms == TIME_UNKNOWN || t_ms < s->first_ms)
		s->first_ms = t_ms;
	if (s->last_ms == TIME_UNKNOWN || t_ms > s->last_ms)
		s->last_ms = t_ms;
	if (s->loss && t_ms > d->losses.v[s->loss - 1].from_ms) {
		d->losses.v[s->loss - 1].to_ms = t_ms;
		s->loss = 0;
	}
}

void smi_device_lost(struct smi_devices *d, sym address, int64_t t_ms)
{
	const uint32_t *known = map_get(&d->by_key, address);
	uint32_t device = known ? *known : 0;
	if (device && d->v.v[device - 1].loss)
		return; /* said at every tick */
	for (size_t i = 0; !device && i < d->losses.n; i++)
		if (d->losses.v[i].address == address)
			return;
	*vec_push(&d->losses) = (struct smi_loss){
		.device = device, .address = address, .from_ms = t_ms, .to_ms = TIME_UNKNOWN
	};
	if (device)
		d->v.v[device - 1].loss = (uint32_t)d->losses.n;
}

/* The only device whose rows stopped before the loss, where no row gives an address; 0: none or
   several. */
static uint32_t device_that_stopped(const struct smi_devices *d, const struct smi_loss *l)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < d->v.n; i++) {
		if (d->v.v[i].last_ms >= l->from_ms || d->v.v[i].loss || d->v.v[i].is_of)
			continue;
		if (found)
			return 0;
		found = i + 1;
	}
	return found;
}

static void capacity_add(struct facts *f, sym device, int64_t from_ms, int64_t to_ms,
                         enum capacity_state state)
{
	*vec_push(&f->capacity) = (struct capacity){ .device = device,
		                                     .count = 1,
		                                     .source = facts_word(f, S("nvidia-smi")),
		                                     .from_ms = from_ms,
		                                     .to_ms = to_ms,
		                                     .at_ms = from_ms,
		                                     .state = state,
		                                     .gone = state == CAPACITY_FAILED };
}

static void losses_settle(struct smi_devices *d, struct facts *f)
{
	for (size_t i = 0; i < d->losses.n; i++) {
		struct smi_loss *l = &d->losses.v[i];
		if (l->device || l->from_ms == TIME_UNKNOWN)
			continue;
		const uint32_t *late = map_get(&d->by_key, l->address);
		l->device = late ? *late : device_that_stopped(d, l);
		if (late && d->v.v[*late - 1].last_ms > l->from_ms)
			l->to_ms = d->v.v[*late - 1].first_ms > l->from_ms
			                   ? d->v.v[*late - 1].first_ms
			                   : d->v.v[*late - 1].last_ms;
		if (l->device && !late) {
			d->v.v[l->device - 1].loss = (uint32_t)i + 1;
			facts_note(f, "A lost GPU is known by its address, and no row gives "
			              "addresses: it was taken to be the one whose rows stopped.");
		}
	}
}

void smi_devices_end(struct smi_devices *d, struct facts *f)
{
	int64_t last_ms = TIME_UNKNOWN;
	if (!d->losses.n)
		return;
	losses_settle(d, f);
	for (size_t i = 0; i < d->v.n; i++)
		last_ms = d->v.v[i].last_ms > last_ms ? d->v.v[i].last_ms : last_ms;
	for (size_t i = 0; i < d->v.n; i++)
		if (!d->v.v[i].is_of && d->v.v[i].first_ms != TIME_UNKNOWN &&
		    d->v.v[i].first_ms < last_ms)
			capacity_add(f, f->devices.v[d->v.v[i].at].id, d->v.v[i].first_ms, last_ms,
			             CAPACITY_UP);
	for (size_t i = 0; i < d->losses.n; i++) {
		const struct smi_loss *l = &d->losses.v[i];
		sym id = l->device ? f->devices.v[d->v.v[l->device - 1].at].id : l->address;
		if (!l->device)
			*vec_push(&f->devices) = (struct device){ .id = id };
		if (l->from_ms != TIME_UNKNOWN)
			capacity_add(f, id, l->from_ms, l->to_ms, CAPACITY_FAILED);
	}
}
