/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/*
 * err: how a function says that it failed.
 *
 * A function that can fail returns enum err_code (zero is success) and fills the struct err that
 * its caller keeps on the stack. Absent or bad data is a value, never an error. Text: lower case,
 * no full stop, what failed first; a hint stands on its own line after "hint: ".
 */
enum err_code {
#define ERROR(code, exit, http, help) ERR_##code,
#include "base/errors.def"
#undef ERROR
};

struct err {
	enum err_code code;
	char text[512];
};

#define NODISCARD __attribute__((warn_unused_result))
#define PRINTF(a, b) __attribute__((format(printf, a, b)))

/* Sets the error and returns the code. ERR may be NULL. */
enum err_code err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF(3, 4);
/* Puts context in front of the text ("FILE:LINE: " and the like) and returns the code unchanged. */
enum err_code err_wrap(struct err *err, const char *fmt, ...) PRINTF(2, 3);
/* The exit status, HTTP status and help of a code, from errors.def. */
int err_exit_status(enum err_code code);
int err_http_status(enum err_code code);
const char *err_help(enum err_code code);
