/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *skip_reason; /* of the test that is running; NULL: it has not been skipped */

_Noreturn void run_skip(const char *reason, const char *file, int line)
{
	skip_reason = reason;
	_skip(file, line); /* back to cmocka's runner */
	abort();
}

void run_assert_str(struct str got, const char *want, const char *file, int line)
{
	if (str_eq(got, str_of(want)))
		return;
	print_error("got:  \"%.*s\"\nwant: \"%s\"\n", STR_FMT(got), want);
	_fail(file, line);
}

static const char *environment(const char *name)
{
	const char *value = getenv(name);
	if (!value || !*value)
		skip_for("not run by the build: no environment");
	return value;
}

static const char *join(char *buf, size_t size, const char *folder, const char *rel)
{
	int n = snprintf(buf, size, "%s/%s", folder, rel);
	assert_true(n > 0 && (size_t)n < size);
	return buf;
}

const char *run_source(char *buf, size_t size, const char *rel)
{
	return join(buf, size, environment("TARE_SOURCE_ROOT"), rel);
}

const char *run_shared(char *buf, size_t size, const char *rel)
{
	const char *folder = getenv("TARE_SHARED");
	if (!folder || access(join(buf, size, folder, rel), R_OK) != 0)
		skip_for("the shared data are not here");
	return buf;
}

const char *run_binary(void)
{
	return environment("TARE_BINARY");
}

struct str run_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f) {
		print_error("cannot open '%s'\n", path);
		fail();
	}
	size_t n = 0, cap = 1 << 16;
	char *bytes = mem_alloc(cap);
	for (size_t got; (got = fread(bytes + n, 1, cap - n, f)) > 0;) {
		n += got;
		if (n == cap)
			bytes = mem_resize(bytes, cap *= 2);
	}
	bool broken = ferror(f) != 0;
	fclose(f);
	struct str s = { arena_dup(a, bytes, n), n };
	mem_free(bytes);
	assert_false(broken);
	return s;
}

/* 0 good, 1 failed; skip_reason tells a skip. */
static int run_one(const struct CMUnitTest *test)
{
	skip_reason = NULL;
	fflush(stdout);
	int out = dup(STDOUT_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO); /* what a test prints is not TAP */
	int failed = _cmocka_run_group_tests(test->name, test, 1, NULL, NULL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	return failed != 0;
}

int run_tests(const struct CMUnitTest *tests, size_t n)
{
	int failed = 0;
	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++) {
		int bad = run_one(&tests[i]);
		failed |= bad;
		printf("%s %zu - %s", bad ? "not ok" : "ok", i + 1, tests[i].name);
		if (skip_reason && !bad)
			printf(" # SKIP %s", skip_reason);
		printf("\n");
		fflush(stdout);
	}
	return failed;
}
