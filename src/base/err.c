/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int exit_status, http_status;
	const char *help;
} codes[] = {
#define ERROR(code, exit, http, help) { exit, http, help },
#include "base/errors.def"
#undef ERROR
};

enum err_code err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	if (err) {
		err->code = code;
		va_list ap;
		va_start(ap, fmt);
		vsnprintf(err->text, sizeof err->text, fmt, ap);
		va_end(ap);
	}
	return code;
}

enum err_code err_wrap(struct err *err, const char *fmt, ...)
{
	if (!err)
		return ERR_SYSTEM;
	char front[sizeof err->text];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(front, sizeof front, fmt, ap);
	va_end(ap);
	size_t used = n < 0 ? 0 : (size_t)n < sizeof front ? (size_t)n : sizeof front - 1;
	size_t tail = strlen(err->text);
	if (tail > sizeof err->text - 1 - used)
		tail = sizeof err->text - 1 - used;
	memmove(err->text + used, err->text, tail);
	memcpy(err->text, front, used);
	err->text[used + tail] = '\0';
	return err->code;
}

int err_exit_status(enum err_code code)
{
	return codes[code].exit_status;
}

int err_http_status(enum err_code code)
{
	return codes[code].http_status;
}

const char *err_help(enum err_code code)
{
	return codes[code].help;
}
