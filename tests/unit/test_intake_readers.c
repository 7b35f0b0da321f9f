/* SPDX-License-Identifier: Apache-2.0 */
/* Every reader whose inputs are cut into pieces gives the same facts wherever they are cut. */
#include "intake/intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "lib/dump.h"
#include "lib/run.h"

#define SMALL_BYTES 4000u /* of a file that is cut at every byte */

static const char pods_map[] =
        "map: pods\n"
        "recognise: {header: [pod, gpus, phase]}\n"
        "time: {since: 2023-01-01T00:00:00Z, unit: s}\n"
        "jobs:\n"
        "  id: pod\n"
        "  user: owner\n"
        "  start: from\n"
        "  end: to\n"
        "  gpus: gpus\n"
        "  outcome: {column: phase, values: {ok: completed, bad: failed}, else: reject}\n";

static const char pods[] = "pod,owner,from,to,gpus,phase\n"
                           "a,ann,0,100,1,ok\n"
                           "b,\"bob, the\n\"\"second\"\"\",10,20,2,bad\n"
                           "c,cid,10,20,2,odd\n"
                           "d,\"\n\n\n\",5,6,1,ok\r\n"
                           "e,eve,5\n"
                           "\"f\n,1,2\",fay,5,7,3,ok\n"
                           "g,\"never closed,1,2\nh,hal,5,7,3,ok\n";

static const char table[] = "JobID             User              Submit               Start        "
                            "         End      State "
                            "                 AllocTRES \n"
                            "------------ --------- ------------------- ------------------- "
                            "------------------- ---------- "
                            "-------------------------- \n"
                            "1                  ann 2026-11-30T22:39:41 2026-11-30T22:39:44 "
                            "2026-11-30T22:41:11    TIMEOUT "
                            "billing=1,cpu=1,gres/gpu=1 \n"
                            "1.batch                2026-11-30T22:39:44 2026-11-30T22:39:44 "
                            "2026-11-30T22:41:12  CANCELLED "
                            "        cpu=1,gres/gpu=1,m \n"
                            "2                  bob 2026-11-30T22:39:41 2026-11-30T22:39:44 "
                            "2026-11-30T22:39:47 NODE_FAIL "
                            "billing=1,cpu=1,gres/gpu=2 \n"
                            "3                  bob 2026-11-30T22:39:46 not-a-time          "
                            "2026-11-30T22:40:09  COMPLETED "
                            "billing=1,cpu=1,gres/gpu=2 \n"
                            "4                  eve 2026-11-30T22:39:46 2026-11-30T22:39:58 "
                            "2026-11-30T22:40:02  COMPLETED "
                            "billing=1,cpu=1,gres/gpu=1 \n";

static const char database[] =
        "account\tid_job\tid_user\tjob_name\tstate\tnodelist\ttime_submit\ttime_eligible\ttime_"
        "start\t"
        "time_end\ttres_alloc\ttres_req\texit_code\tjob_type\n"
        "red\t1\t0\tone\t3\tn1\t1796078381\t1796078381\t1796078384\t1796078471\t1=1,4=1,1001=1\t1="
        "1\t0\t0\n"
        "red\t2\t0\ttwo\t5\tn[1-2]\t1796078381\t1796078381\t1796078384\t1796078471\t1=1,4=1,1001="
        "2\t1=1\t"
        "0\t0\n"
        "red\tshort\n"
        "red\t3\t0\tthree\\nlines\t1\tn1\t1796078381\t1796078381\t1796078384\t0\t1=1,4=1,1001=1\t1="
        "1\t0\t0\n";

/* What an input of these bytes gives; fails the test where it cannot be read. */
static struct str facts_of(struct arena *a, const char *path, const char *map, unsigned threads,
                           size_t chunk)
{
	struct facts f;
	struct err err = { 0 };
	struct intake_options o = {
		.threads = threads, .chunk_bytes = chunk, .maps = &map, .maps_n = map ? 1 : 0
	};
	if (intake_read(&o, &path, 1, &f, &err))
		fail_msg("%s", err.text);
	auto_text t = TEXT_NULL;
	dump_facts(&t, &f);
	facts_deinit(&f);
	return str_dup(a, text_str(&t));
}

static void write_file(const char *path, struct str bytes)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes.p, 1, bytes.n, f), bytes.n);
	assert_int_equal(fclose(f), 0);
}

/* The file at PATH, in pieces from STEP bytes on to its whole, against one piece. */
static void compare_cuts(const char *path, const char *map, size_t n, size_t step)
{
	auto_arena kept = ARENA_NULL;
	struct str want = facts_of(&kept, path, map, 1, n + 1);
	assert_true(str_find(want, S("\njob ")) < want.n ||
	            str_find(want, S("\nreject ")) < want.n);
	for (size_t chunk = step; chunk <= n; chunk += step) {
		auto_arena a = ARENA_NULL;
		struct str got = facts_of(&a, path, map, 1 + (unsigned)(chunk / step) % 3, chunk);
		if (!str_eq(got, want)) {
			print_error("in pieces of %zu bytes\n", chunk);
			assert_str(got, want.p);
		}
	}
}

static void compare_bytes(struct str bytes, const char *map)
{
	char path[] = "/tmp/tare-readers-XXXXXX", map_path[] = "/tmp/tare-map-XXXXXX";
	int fd = mkstemp(path), map_fd = mkstemp(map_path);
	assert_true(fd >= 0 && map_fd >= 0);
	close(fd), close(map_fd);
	write_file(path, bytes);
	if (map)
		write_file(map_path, str_of(map));
	compare_cuts(path, map ? map_path : NULL, bytes.n, 1);
	unlink(path), unlink(map_path);
}

/* The first lines of a file at every byte, all of it in a few sizes. */
static void compare_file(const char *path)
{
	auto_arena a = ARENA_NULL;
	struct str all = run_file(&a, path);
	struct str head = str_sub(all, 0, SMALL_BYTES);
	while (head.n && head.p[head.n - 1] != '\n')
		head.n--;
	compare_bytes(head, NULL);
	compare_cuts(path, NULL, all.n, all.n / 7 + 1);
}

static void reads_sacct(void **state)
{
	(void)state;
	char path[4096];
	compare_file(run_source(path, sizeof path, "examples/cluster-month/sacct.txt"));
}

static void reads_sacct_with_bad_rows_of_others(void **state)
{
	(void)state;
	char path[4096];
	compare_file(run_shared(path, sizeof path,
	                        "data/slurm-live/gcm/sample-sacct-output-with-invalid-lines.txt"));
}

static void reads_tables(void **state)
{
	(void)state;
	compare_bytes(str_of(table), NULL);
}

static void reads_a_database(void **state)
{
	(void)state;
	compare_bytes(str_of(database), NULL);
}

static void reads_quoted_lines_through_a_map(void **state)
{
	(void)state;
	compare_bytes(str_of(pods), pods_map);
}

int main(void)
{
	setenv("TARE_MAPS", "", 1);
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_sacct),
		cmocka_unit_test(reads_sacct_with_bad_rows_of_others),
		cmocka_unit_test(reads_tables),
		cmocka_unit_test(reads_a_database),
		cmocka_unit_test(reads_quoted_lines_through_a_map),
	};
	return RUN_TESTS(tests);
}
