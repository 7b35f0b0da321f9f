/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * run: runs the tests of one file and speaks TAP on stdout.
 *
 * Tests are cmocka's (CMUnitTest, assert_*, expect_*). cmocka's own TAP prints a skip as "not ok",
 * so each test is run as a group of one, everything that it prints goes to stderr, and the TAP
 * lines are written here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/str.h"

#undef run_tests /* an old name of cmocka's */
/* Runs all of them; for `return run_tests(...)` in main. */
int run_tests(const struct CMUnitTest *tests, size_t n);
#define RUN_TESTS(tests) run_tests((tests), sizeof(tests) / sizeof *(tests))

/* Ends the test: "ok N - name # SKIP reason". */
_Noreturn void run_skip(const char *reason, const char *file, int line);
#undef skip
#define skip() run_skip("", __FILE__, __LINE__)
#define skip_for(reason) run_skip((reason), __FILE__, __LINE__)

void run_assert_str(struct str got, const char *want, const char *file, int line);
#define assert_str(got, want) run_assert_str((got), (want), __FILE__, __LINE__)

/* The path REL below the project, in BUF. */
const char *run_source(char *buf, size_t size, const char *rel);
/* The path REL below the data of others that tests may read; skips the test when it is not there.
 */
const char *run_shared(char *buf, size_t size, const char *rel);
/* The path of the built program. */
const char *run_binary(void);
/* The bytes of a file, in A, followed by a NUL; fails the test when it cannot be read. */
struct str run_file(struct arena *a, const char *path);
