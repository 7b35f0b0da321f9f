/* SPDX-License-Identifier: Apache-2.0 */
#include "read/sysfs_card.h"

#include <stdio.h>

#include "read/amd_metrics.h"
#include "read/nvidia_smi.h"
#include "read/reading.h"

struct card {
	const struct sysfs_card *c;
	struct facts *f;
	struct sample s;
	struct str hwmon; /* "device/hwmon/hwmon5/", empty: none */
	bool is_rejected;
};

static const struct sysfs_file *file_of(const struct card *k, struct str folder, const char *name)
{
	char path[256];
	int n = snprintf(path, sizeof path, "%.*s%s", STR_FMT(folder), name);
	if (n < 0 || (size_t)n >= sizeof path)
		return NULL;
	struct str want = { path, (size_t)n };
	for (size_t i = 0; i < k->c->files.n; i++)
		if (str_eq(k->c->files.v[i].name, want))
			return &k->c->files.v[i];
	return NULL;
}

/* The text of a file; empty: there is none. Copies are filled up to a page with zeros. */
static struct str text_of(const struct card *k, struct str folder, const char *name)
{
	const struct sysfs_file *x = file_of(k, folder, name);
	return x ? str_trim(str_sub(x->bytes, 0, str_find_byte(x->bytes, '\0'))) : STR_NULL;
}

static void take(struct card *k, enum metric_id id, struct str text, const char *unit)
{
	struct reading_unit u;
	if ((k->s.known >> id & 1) || !text.n || !reading_unit_find(id, str_of(unit), &u))
		return;
	reading_take(k->f, 0, &k->is_rejected, &k->s, id, text, u);
}

static void take_file(struct card *k, enum metric_id id, const char *name, const char *unit)
{
	take(k, id, text_of(k, STR_NULL, name), unit);
}

static void take_hwmon(struct card *k, enum metric_id id, const char *name, const char *unit)
{
	if (k->hwmon.n)
		take(k, id, text_of(k, k->hwmon, name), unit);
}

/* The folder of the driver's own sensors. */
static void find_hwmon(struct card *k)
{
	static const char *const drivers[] = { "amdgpu", "i915", "xe" };
	for (size_t i = 0; i < k->c->files.n; i++) {
		struct str name = k->c->files.v[i].name;
		if (!str_starts(name, S("device/hwmon/")) || !str_ends(name, S("/name")))
			continue;
		struct str folder = str_sub(name, 0, name.n - 4);
		struct str driver = text_of(k, folder, "name");
		for (size_t d = 0; d < 3; d++)
			if (str_eq(driver, str_of(drivers[d])))
				k->hwmon = folder;
	}
}

/* The sensor with this label. */
static struct str labelled(struct card *k, const char *kind, const char *label)
{
	for (int i = 1; i <= 8 && k->hwmon.n; i++) {
		char name[32];
		snprintf(name, sizeof name, "%s%d_label", kind, i);
		if (!str_eq(text_of(k, k->hwmon, name), str_of(label)))
			continue;
		snprintf(name, sizeof name, "%s%d_input", kind, i);
		return text_of(k, k->hwmon, name);
	}
	return STR_NULL;
}

/* The highest of "0: 500Mhz *" lines. */
static void take_levels(struct card *k, enum metric_id id, const char *name)
{
	struct str lines = text_of(k, STR_NULL, name), line, last = STR_NULL;
	while (str_cut_line(&lines, &line))
		if (str_find(line, S("Mhz")) < line.n)
			last = line;
	size_t from = str_find_byte(last, ':');
	if (from < last.n)
		take(k, id, str_trim(str_sub(last, from + 1, str_find(last, S("Mhz")) - from - 1)),
		     "MHz");
}

/* "RX TX SIZE": packets in the last second, and the largest size of one in bytes. */
static void take_pcie(struct card *k)
{
	struct str text = text_of(k, STR_NULL, "device/pcie_bw"), part;
	uint64_t v[3];
	for (int i = 0; i < 3; i++)
		if (!str_cut(&text, ' ', &part) || !str_to_u64(part, &v[i]) || v[i] > UINT32_MAX)
			return;
	struct reading_unit bytes = { 1, 1000000000 };
	if (v[2] > 65536)
		return;
	int64_t rx = (int64_t)(v[0] * v[2]), tx = (int64_t)(v[1] * v[2]);
	reading_put(&k->s, METRIC_pcie_rx, rx, 1, bytes);
	reading_put(&k->s, METRIC_pcie_tx, tx, 1, bytes);
	if ((k->s.known >> METRIC_pcie_rx & 1) && (k->s.known >> METRIC_pcie_tx & 1))
		reading_put(&k->s, METRIC_pcie, rx + tx, 1, bytes);
}

static void take_fan(struct card *k)
{
	uint64_t pwm, max;
	if (k->hwmon.n && str_to_u64(text_of(k, k->hwmon, "pwm1"), &pwm) &&
	    str_to_u64(text_of(k, k->hwmon, "pwm1_max"), &max) && max && pwm <= 65535 &&
	    max <= 65535)
		reading_put(&k->s, METRIC_fan, (int64_t)pwm * 100, (int64_t)max,
		            (struct reading_unit){ 1, 1 });
}

/* Text first: a person reads the same; gpu_metrics has what no file says. */
static void read_amd(struct card *k)
{
	take_file(k, METRIC_gpu_util, "device/gpu_busy_percent", "");
	take_file(k, METRIC_mem_util, "device/mem_busy_percent", "");
	take_file(k, METRIC_mem_size, "device/mem_info_vram_total", "bytes");
	take_file(k, METRIC_mem_used, "device/mem_info_vram_used", "bytes");
	take_hwmon(k, METRIC_power, "power1_average", "uW");
	take_hwmon(k, k->s.known >> METRIC_power & 1 ? METRIC_power_instant : METRIC_power,
	           "power1_input", "uW");
	take_hwmon(k, METRIC_power_limit, "power1_cap", "uW");
	take(k, METRIC_temperature, labelled(k, "temp", "edge"), "mC");
	take(k, METRIC_temperature, labelled(k, "temp", "junction"), "mC");
	take(k, METRIC_mem_temperature, labelled(k, "temp", "mem"), "mC");
	take(k, METRIC_sm_clock, labelled(k, "freq", "sclk"), "Hz");
	take(k, METRIC_mem_clock, labelled(k, "freq", "mclk"), "Hz");
	take_levels(k, METRIC_sm_clock_max, "device/pp_dpm_sclk");
	take_levels(k, METRIC_mem_clock_max, "device/pp_dpm_mclk");
	take_pcie(k);
	take_fan(k);
	const struct sysfs_file *binary = file_of(k, STR_NULL, "device/gpu_metrics");
	char why[128];
	if (binary && !amd_metrics_read(binary->bytes, &k->s, why) && !k->is_rejected) {
		facts_reject(k->f, 0, "%.*s: %s", STR_FMT(k->c->path), why);
		k->is_rejected = true;
	}
}

/* gtN: graphics stand in gt0, media in gt1; the GPU rests when all of them do. */
static void take_xe_idle(struct card *k)
{
	bool any = false, all = true;
	for (size_t i = 0; i < k->c->files.n; i++) {
		struct str name = k->c->files.v[i].name;
		if (!str_starts(name, S("device/tile")) ||
		    !str_ends(name, S("/gtidle/idle_status")))
			continue;
		any = true;
		all &= str_eq(text_of(k, name, ""), S("gt-c6"));
	}
	if (any)
		reading_put(&k->s, METRIC_idle_reason, all, 1, (struct reading_unit){ 1, 1 });
}

static void read_intel(struct card *k)
{
	struct str card = labelled(k, "energy", "card"), package = labelled(k, "energy", "pkg");
	take(k, METRIC_energy, str_eq(card, S("0")) ? STR_NULL : card, "uJ");
	take(k, METRIC_energy, package, "uJ");
	if (!card.n && !package.n)
		take_hwmon(k, METRIC_energy, "energy1_input", "uJ");
	take_hwmon(k, METRIC_power_limit, "power1_max", "uW");
	take(k, METRIC_temperature, labelled(k, "temp", "pkg"), "mC");
	take_hwmon(k, METRIC_temperature, "temp1_input", "mC");
	take(k, METRIC_mem_temperature, labelled(k, "temp", "vram"), "mC");
	take_file(k, METRIC_sm_clock, "gt_act_freq_mhz", "MHz");
	take_file(k, METRIC_sm_clock_max, "gt_max_freq_mhz", "MHz");
	take_file(k, METRIC_sm_clock, "device/tile0/gt0/freq0/act_freq", "MHz");
	take_file(k, METRIC_sm_clock_max, "device/tile0/gt0/freq0/max_freq", "MHz");
	take_xe_idle(k);
}

/* "KEY=VALUE" of a file of such lines. */
static struct str value_of(struct str lines, struct str key)
{
	struct str line;
	while (str_cut_line(&lines, &line))
		if (str_starts(line, key))
			return str_trim(str_sub(line, key.n, line.n));
	return STR_NULL;
}

static sym device_of(struct card *k, struct facts *f, const struct read_options *o)
{
	auto_text t = TEXT_NULL;
	char pci[17];
	struct str unique = text_of(k, STR_NULL, "device/unique_id");
	if (unique.n)
		return facts_word(f, unique);
	struct str slot = value_of(text_of(k, STR_NULL, "device/uevent"), S("PCI_SLOT_NAME="));
	text_add(&t, o ? o->input_name : S("sysfs"));
	text_byte(&t, ':');
	text_add(&t, smi_pci(slot, pci) ? str_of(pci) : k->c->path);
	return facts_word(f, text_str(&t));
}

/* When the files were copied, as the archive says; what is said with the input comes first. */
static int64_t time_of(const struct card *k, const struct read_options *o)
{
	int64_t t_ms = TIME_UNKNOWN;
	if (o && o->has_at)
		return o->at_ms;
	for (size_t i = 0; i < k->c->files.n; i++)
		if (k->c->files.v[i].mtime_ms > 0 && k->c->files.v[i].mtime_ms > t_ms)
			t_ms = k->c->files.v[i].mtime_ms;
	return t_ms;
}

void sysfs_card_facts(const struct sysfs_card *c, struct facts *f, const struct read_options *o)
{
	struct card k = { .c = c, .f = f };
	struct str vendor = text_of(&k, STR_NULL, "device/vendor");
	bool is_amd = str_eq(vendor, S("0x1002")), is_intel = str_eq(vendor, S("0x8086"));
	f->inputs.v[f->inputs.n - 1].records++;
	if (!is_amd && !is_intel) {
		facts_note(f,
		           "Cards that are neither AMD's nor Intel's were left out: their files in "
		           "/sys hold no readings.");
		return;
	}
	int64_t t_ms = time_of(&k, o);
	k.s = (struct sample){ .kind = SAMPLE_POINT, .procs_why = WHY_ABSENT };
	memset(k.s.why, WHY_ABSENT, sizeof k.s.why);
	find_hwmon(&k);
	if (str_eq(text_of(&k, STR_NULL, "device/power/runtime_status"), S("suspended")))
		reading_put(&k.s, METRIC_idle_reason, 1, 1, (struct reading_unit){ 1, 1 });
	else if (is_amd)
		read_amd(&k);
	else
		read_intel(&k);
	sym id = device_of(&k, f, o),
	    model = facts_word(f, text_of(&k, STR_NULL, "device/product_name"));
	*vec_push(&f->devices) = (struct device){ .id = id, .model = model };
	if (t_ms == TIME_UNKNOWN) {
		facts_note(f, "The archive says no time: FILE@at=TIME says when it was made.");
		return;
	}
	if (!o || !o->has_at)
		facts_note(f,
		           "The time of readings from /sys is that of the archive's newest file: "
		           "FILE@at=TIME says another.");
	k.s.device = id;
	k.s.t_ms = t_ms;
	*facts_sample(f, id, t_ms) = k.s;
}
