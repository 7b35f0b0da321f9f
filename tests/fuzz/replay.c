/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: stands in for libFuzzer. Gives a fuzzer nothing, and then every file of its corpus, in
 * name order, one TAP test each. A crash ends the program: the build counts it.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_shown(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* One file, in a buffer of exactly its size, so that a sanitizer sees a read past its end. */
static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return -1;
	uint8_t *bytes = NULL, part[4096];
	size_t n = 0;
	for (size_t got; (got = fread(part, 1, sizeof part, f)) > 0; n += got) {
		uint8_t *more = realloc(bytes, n + got);
		if (!more)
			abort();
		bytes = more;
		memcpy(bytes + n, part, got);
	}
	int broken = ferror(f);
	fclose(f);
	if (!broken)
		LLVMFuzzerTestOneInput(bytes ? bytes : part, n);
	free(bytes);
	return broken ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct dirent **entries = NULL;
	int n = argc > 1 ? scandir(argv[1], &entries, is_shown, alphasort) : 0;
	int failed = 0;
	if (n < 0)
		n = 0; /* no corpus yet */
	printf("1..%d\n", n + 1);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	printf("ok 1 - nothing\n");
	for (int i = 0; i < n; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
		int bad = replay_file(path);
		failed |= bad;
		printf("%s %d - %s\n", bad ? "not ok" : "ok", i + 2, entries[i]->d_name);
		fflush(stdout);
		free(entries[i]);
	}
	free(entries);
	return failed ? 1 : 0;
}
