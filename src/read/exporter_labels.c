/* SPDX-License-Identifier: Apache-2.0 */
#include "read/exporter_labels.h"

/* Names of one label, the one that counts first. Prometheus renames what its own labels hide:
   with exported_pod there, pod is the exporter's. */
static const struct {
	const char *name;
	enum exporter_label label;
} names[] = {
	{ "UUID", LABEL_UUID },
	{ "uuid", LABEL_UUID },
	{ "gpu_uuid", LABEL_UUID },
	{ "gpu", LABEL_INDEX },
	{ "gpu_id", LABEL_INDEX },
	{ "index", LABEL_INDEX },
	{ "device", LABEL_FILE },
	{ "GPU_I_ID", LABEL_INSTANCE },
	{ "gpu_instance_id", LABEL_INSTANCE },
	{ "GPU_I_PROFILE", LABEL_PROFILE },
	{ "profile", LABEL_PROFILE },
	{ "Hostname", LABEL_NODE },
	{ "hostname", LABEL_NODE },
	{ "exported_Hostname", LABEL_NODE },
	{ "exported_hostname", LABEL_NODE },
	{ "node", LABEL_NODE },
	{ "instance", LABEL_TARGET },
	{ "modelName", LABEL_MODEL },
	{ "model_name", LABEL_MODEL },
	{ "devicename", LABEL_MODEL },
	{ "card_series", LABEL_MODEL },
	{ "card_model", LABEL_MODEL },
	{ "clock_type", LABEL_CLOCK },
	{ "exported_pod", LABEL_POD },
	{ "pod", LABEL_POD },
	{ "pod_name", LABEL_POD },
	{ "exported_namespace", LABEL_NAMESPACE },
	{ "namespace", LABEL_NAMESPACE },
	{ "pod_namespace", LABEL_NAMESPACE },
	{ "exported_container", LABEL_CONTAINER },
	{ "container", LABEL_CONTAINER },
	{ "container_name", LABEL_CONTAINER },
	{ "hpc_job", LABEL_JOB },
	{ "job_id", LABEL_JOB },
	{ "job_user", LABEL_USER },
	{ "job_partition", LABEL_QUEUE },
	{ "gpu_partition_id", LABEL_PARTITION },
	{ "pid", LABEL_PID },
};

void exporter_labels_read(struct exporter_labels *ret, const struct prom_label *labels, size_t n)
{
	uint8_t rank[LABEL_COUNT];
	*ret = (struct exporter_labels){ 0 };
	memset(rank, UINT8_MAX, sizeof rank);
	for (size_t i = 0; i < n; i++) {
		if (!labels[i].value.n)
			continue;
		for (uint8_t k = 0; k < sizeof names / sizeof *names; k++) {
			enum exporter_label label = names[k].label;
			if (k < rank[label] && str_eq(labels[i].name, str_of(names[k].name))) {
				ret->v[label] = labels[i].value;
				rank[label] = k;
			}
		}
	}
}

static bool has(struct str s, const char *part)
{
	return str_find(s, str_of(part)) < s.n;
}

/* The exporter's own pod: where Prometheus puts its target's labels on every series, a GPU that
   nobody holds carries them too. */
static bool is_own_pod(const struct exporter_labels *l)
{
	static const char *const parts[] = { "dcgm-exporter", "metrics-exporter", "gpu-exporter",
		                             "gpu_exporter", "nvitop-exporter" };
	if (!l->v[LABEL_TARGET].n)
		return false;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (has(l->v[LABEL_POD], parts[i]) || has(l->v[LABEL_CONTAINER], parts[i]))
			return true;
	return false;
}

struct exporter_job exporter_labels_job(const struct exporter_labels *l, struct arena *a)
{
	struct str pod = l->v[LABEL_POD], space = l->v[LABEL_NAMESPACE];
	if (l->v[LABEL_JOB].n)
		return (struct exporter_job){ .id = l->v[LABEL_JOB],
			                      .user = l->v[LABEL_USER],
			                      .queue = l->v[LABEL_QUEUE],
			                      .is_slurm = true };
	if (!pod.n || is_own_pod(l))
		return (struct exporter_job){ 0 };
	struct exporter_job j = { .id = pod, .team = space, .name = pod };
	if (space.n)
		j.id = str_of(arena_printf(a, "%.*s/%.*s", STR_FMT(space), STR_FMT(pod)));
	return j;
}

struct str exporter_labels_device(const struct exporter_labels *l, enum exporter_family family,
                                  struct arena *a)
{
	struct str id = l->v[LABEL_UUID], index = l->v[LABEL_INDEX];
	struct str host = l->v[LABEL_NODE].n ? l->v[LABEL_NODE] : l->v[LABEL_TARGET];
	if (!id.n && !index.n)
		return STR_NULL;
	if (!id.n)
		return str_of(arena_printf(a, "%.*s%s%.*s", STR_FMT(host), host.n ? "/" : "gpu ",
		                           STR_FMT(index)));
	/* it leaves the word out that all others keep */
	if (family == EXPORTER_NVIDIA_SMI && !str_starts_nocase(id, S("GPU-")) &&
	    !str_starts_nocase(id, S("MIG-")))
		return str_of(arena_printf(a, "GPU-%.*s", STR_FMT(id)));
	return id;
}

struct str exporter_labels_number(const struct exporter_labels *l, bool *ret_is_file)
{
	static const char head[] = "nvidia";
	struct str file = l->v[LABEL_FILE], index = l->v[LABEL_INDEX];
	uint64_t n;
	*ret_is_file = str_starts(file, str_of(head));
	if (*ret_is_file)
		index = str_sub(file, sizeof head - 1, file.n);
	return str_to_u64(index, &n) ? index : STR_NULL;
}

uint32_t exporter_labels_slices(struct str profile)
{
	struct str part;
	while (str_cut(&profile, '.', &part)) {
		uint64_t n;
		if (str_ends(part, S("g")) && str_to_u64(str_sub(part, 0, part.n - 1), &n) &&
		    n > 0 && n <= 16)
			return (uint32_t)n;
	}
	return 0;
}
