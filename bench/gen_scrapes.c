/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_scrapes: what a dcgm-exporter on each of many nodes answers, scrape after scrape in one file,
 * for speed measurements. Seeded; the same on every machine.
 *
 *     gen_scrapes SCRAPES [GPUS [SEED [FIRST]]] > FILE         prometheus text
 *     gen_scrapes --csv SCRAPES [GPUS [SEED [FIRST]]] > FILE   the same data, a reading a row
 *
 * A scrape every 30 s, of six families: GPU-Util, power, memory used, and the SM, tensor and DRAM
 * activity. Three of four GPUs are held by a pod; a pod holds eight GPUs of a node and works in
 * stretches of some minutes.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MS INT64_C(1790812800000)
#define STEP_MS 30000

static const char *const families[] = {
	"DCGM_FI_DEV_GPU_UTIL",   "DCGM_FI_DEV_POWER_USAGE",         "DCGM_FI_DEV_FB_USED",
	"DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_DRAM_ACTIVE"
};
enum { FAMILIES = sizeof families / sizeof *families, NODE_GPUS = 8, OUT_BYTES = 1 << 20 };

static uint64_t mix(uint64_t z)
{
	z += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

/* A number that depends on what it is for alone. */
static uint32_t chance(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	return (uint32_t)(mix(mix(mix(seed ^ a) ^ b) ^ c) >> 32);
}

static bool is_held(uint64_t seed, unsigned gpu, unsigned scrape)
{
	return chance(seed, gpu / NODE_GPUS, scrape / 400, 1) % 4 != 0;
}

static bool is_busy(uint64_t seed, unsigned gpu, unsigned scrape)
{
	return is_held(seed, gpu, scrape) && chance(seed, gpu / NODE_GPUS, scrape / 20, 2) % 5 != 0;
}

static void put_value(uint64_t seed, unsigned gpu, unsigned scrape, int family)
{
	uint32_t r = chance(seed, gpu, scrape, 16 + (uint64_t)family);
	bool busy = is_busy(seed, gpu, scrape), held = is_held(seed, gpu, scrape);
	if (family == 0)
		printf("%u", busy ? 90 + r % 11 : 0);
	else if (family == 1)
		printf("%u.%03u000", (busy ? 450 : 70) + r % 200, r / 200 % 1000);
	else if (family == 2)
		printf("%u", held ? 40000 + r % 30000 : 0);
	else
		printf("0.%06u", busy ? 300000 + r % 600000 : r % 300);
}

static void put_labels(uint64_t seed, unsigned gpu, unsigned scrape)
{
	unsigned index = gpu % NODE_GPUS, node = gpu / NODE_GPUS;
	uint64_t a = mix(seed ^ gpu), b = mix(a);
	printf("{gpu=\"%u\",UUID=\"GPU-%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64
	       "-%012" PRIx64 "\",pci_bus_id=\"00000000:%02X:00.0\",device=\"nvidia%u\","
	       "modelName=\"NVIDIA H100 80GB HBM3\",Hostname=\"gpu-node-%u\","
	       "DCGM_FI_DRIVER_VERSION=\"580.105.08\"",
	       index, a >> 32, a >> 16 & 0xffff, a & 0xffff, b >> 48, b & 0xffffffffffff,
	       0x53 + index * 0x11, index, node);
	if (is_held(seed, gpu, scrape))
		printf(",container=\"main\",namespace=\"team-%u\",pod=\"train-%u-%u-worker-0\"",
		       node % 7, node, scrape / 400);
	printf("}");
}

/* The same labels as columns. */
static void put_columns(uint64_t seed, unsigned gpu, unsigned scrape)
{
	unsigned index = gpu % NODE_GPUS, node = gpu / NODE_GPUS;
	uint64_t a = mix(seed ^ gpu), b = mix(a);
	printf("%u,GPU-%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64
	       ",00000000:%02X:00.0,nvidia%u,NVIDIA H100 80GB HBM3,gpu-node-%u,580.105.08,",
	       index, a >> 32, a >> 16 & 0xffff, a & 0xffff, b >> 48, b & 0xffffffffffff,
	       0x53 + index * 0x11, index, node);
	if (is_held(seed, gpu, scrape))
		printf("main,team-%u,train-%u-%u-worker-0,", node % 7, node, scrape / 400);
	else
		printf(",,,");
}

static void put_scrape(uint64_t seed, unsigned gpus, unsigned scrape, bool is_csv)
{
	if (!is_csv)
		printf("# %" PRId64 "\n", FIRST_MS / 1000 + (int64_t)scrape * STEP_MS / 1000);
	for (int k = 0; k < FAMILIES; k++) {
		if (!is_csv)
			printf("# HELP %s of the GPU\n# TYPE %s gauge\n", families[k], families[k]);
		for (unsigned g = 0; g < gpus; g++) {
			if (is_csv) {
				printf("%" PRId64 ",%s,", FIRST_MS + (int64_t)scrape * STEP_MS,
				       families[k]);
				put_columns(seed, g, scrape);
			} else {
				fputs(families[k], stdout);
				put_labels(seed, g, scrape);
				putchar(' ');
			}
			put_value(seed, g, scrape, k);
			putchar('\n');
		}
	}
}

int main(int argc, char **argv)
{
	bool is_csv = argc > 1 && strcmp(argv[1], "--csv") == 0;
	argv += is_csv, argc -= is_csv;
	if (argc < 2) {
		fprintf(stderr, "usage: gen_scrapes [--csv] SCRAPES [GPUS [SEED [FIRST]]]\n");
		return 2;
	}
	unsigned scrapes = (unsigned)strtoul(argv[1], NULL, 10);
	unsigned gpus = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	unsigned first = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
	setvbuf(stdout, NULL, _IOFBF, OUT_BYTES);
	if (is_csv)
		puts("t_ms,metric,gpu,uuid,pci_bus_id,device,model,hostname,driver,container,"
		     "namespace,pod,value");
	for (unsigned i = first; i < first + scrapes; i++)
		put_scrape(seed, gpus, i, is_csv);
	return ferror(stdout) || fclose(stdout) ? 1 : 0;
}
