/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that is cut between its items gives the same facts wherever it is cut, and is never held as
   a whole. */
#include "intake/intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "lib/dump.h"
#include "lib/run.h"

static const char head[] = "{\"apiVersion\":\"v1\",\"items\":[\n";
static const char pod[] =
        "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"p%d\",\"creationTimestamp\":"
        "\"2026-11-30T12:00:00Z\",\"annotations\":{\"long\":\"%*s\"}},\"spec\":{\"nodeName\":"
        "\"n\",\"containers\":[{\"resources\":{\"limits\":{\"nvidia.com/gpu\":1}}}]},\"status\":"
        "{\"phase\":\"Running\"}}";

static struct str facts_of(struct arena *a, const char *path, unsigned threads, size_t chunk)
{
	struct facts f;
	struct err err = { 0 };
	struct intake_options o = { .threads = threads, .chunk_bytes = chunk };
	if (intake_read(&o, &path, 1, &f, &err))
		fail_msg("%s", err.text);
	auto_text t = TEXT_NULL;
	dump_facts(&t, &f);
	facts_deinit(&f);
	return str_dup(a, text_str(&t));
}

static void pieces_say_the_same(const char *name)
{
	char rel[256], path[4096];
	auto_arena kept = ARENA_NULL;
	snprintf(rel, sizeof rel, "tests/fuzz/corpus/kubernetes/%s", name);
	run_source(path, sizeof path, rel);
	struct str all = run_file(&kept, path), want = facts_of(&kept, path, 1, all.n + 1);
	assert_true(str_find(want, S("\njob ")) < want.n ||
	            str_find(want, S("\ncapacity ")) < want.n);
	for (size_t chunk = 1; chunk <= all.n; chunk += 1 + chunk / 40) {
		auto_arena a = ARENA_NULL;
		struct str got = facts_of(&a, path, 1 + (unsigned)chunk % 3, chunk);
		if (!str_eq(got, want)) {
			print_error("in pieces of %zu bytes\n", chunk);
			assert_str(got, want.p);
		}
	}
}

static void lists(void **state)
{
	(void)state;
	pieces_say_the_same("pods.json");
	pieces_say_the_same("nodes.json");
	pieces_say_the_same("claims.json");
	pieces_say_the_same("api.json");
}

static void rows_of_objects(void **state)
{
	(void)state;
	pieces_say_the_same("lines.json");
	pieces_say_the_same("watch.json");
}

static void a_list_that_is_cut_off(void **state)
{
	(void)state;
	pieces_say_the_same("broken.json");
}

/* Pods with annotations of so many bytes. */
static void write_pods(const char *path, const size_t *bytes, int n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	fputs(head, f);
	for (int i = 0; i < n; i++) {
		fputs(i ? ",\n" : "", f);
		fprintf(f, pod, i, (int)bytes[i], "");
	}
	fputs("\n],\"kind\":\"List\"}\n", f);
	assert_int_equal(fclose(f), 0);
}

/* An item of JSON_ITEM_BYTES_MAX is read; one that is longer is lost, and what follows it is not.
 */
static void the_largest_item(void **state)
{
	(void)state;
	char path[] = "/tmp/tare-items-XXXXXX", one[1024];
	const char *paths[] = { path };
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	size_t own = (size_t)snprintf(one, sizeof one, pod, 1, 0, "");
	const size_t sizes[] = { 10, JSON_ITEM_BYTES_MAX - own,     10, JSON_ITEM_BYTES_MAX * 2,
		                 10, JSON_ITEM_BYTES_MAX - own + 1, 10 };
	write_pods(path, sizes, 7);
	struct facts f;
	struct err err = { 0 };
	struct intake_options o = { .threads = 2 };
	assert_int_equal(intake_read(&o, paths, 1, &f, &err), ERR_OK);
	assert_int_equal(f.jobs.n, 5);
	assert_int_equal(f.inputs.v[0].records, 7);
	assert_int_equal(f.inputs.v[0].rejected, 2);
	assert_true(f.rejects.v[0].line == 5 && f.rejects.v[1].line == 7);
	assert_str(job_id(&f, &f.jobs.v[4]), "default/p6");
	facts_deinit(&f);
	unlink(path);
}

int main(void)
{
	setenv("TARE_MAPS", "", 1);
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(rows_of_objects),
		cmocka_unit_test(a_list_that_is_cut_off),
		cmocka_unit_test(the_largest_item),
	};
	return RUN_TESTS(tests);
}
