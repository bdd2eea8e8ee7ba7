/* message.c - err(3) and its kin with a limit on what a message quotes. */
#include "base/message.h"

#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_QUOTED = 200, MOST_COMPOSED = 400 };

static bool
continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t
message_cut(char *text, size_t len, size_t most)
{
	static const char dots[] = { '.', '.', '.' };
	size_t head = most / 2, tail = len - (most - head);

	if (len <= most + sizeof(dots))
		return len;
	while (head > 0 && continues_character(text[head]))
		head--;
	while (tail < len && continues_character(text[tail]))
		tail++;
	memcpy(text + head, dots, sizeof(dots));
	memmove(text + head + sizeof(dots), text + tail, len - tail);
	return head + sizeof(dots) + len - tail;
}

/* Whether a format says anything itself: two letters that are no conversion. */
static bool
has_words(const char *fmt)
{
	for (; *fmt != '\0'; fmt++) {
		if (*fmt == '%') {
			while (fmt[1] != '\0' && !isalpha((unsigned char)*fmt))
				fmt++;
		} else if (isalpha((unsigned char)fmt[0]) &&
			   isalpha((unsigned char)fmt[1]))
			return true;
	}
	return false;
}

/*
 * Print a message in one write, so that those of several processes do not mix.
 * Without memory for all of it, print its start.
 */
static void __attribute__((format(printf, 2, 0)))
print(const char *reason, const char *fmt, va_list ap)
{
	const size_t most = fmt != NULL && has_words(fmt) ?
				strlen(fmt) + MOST_QUOTED :
				MOST_COMPOSED;
	char start[MOST_COMPOSED], *all = NULL, *text = start;
	va_list again;
	int n;

	va_copy(again, ap);
	n = fmt != NULL ? vsnprintf(start, sizeof(start), fmt, ap) : 0;
	if (n >= (int)sizeof(start)) {
		all = malloc((size_t)n + 1);
		text = all != NULL ? all : start;
		if (all == NULL)
			n = sizeof(start) - 1;
		else
			vsnprintf(all, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	n = n < 0 ? 0 : (int)message_cut(text, (size_t)n, most);
	fprintf(stderr, "%s: %.*s%s%s\n", program_invocation_short_name, n,
		text, n > 0 && reason != NULL ? ": " : "",
		reason != NULL ? reason : "");
	free(all);
}

void
vwarn(const char *fmt, va_list ap)
{
	const int error = errno;

	print(strerror(error), fmt, ap);
	errno = error;
}

void
vwarnx(const char *fmt, va_list ap)
{
	print(NULL, fmt, ap);
}

void
warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarn(fmt, ap);
	va_end(ap);
}

void
warnx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarnx(fmt, ap);
	va_end(ap);
}

void
verr(int status, const char *fmt, va_list ap)
{
	vwarn(fmt, ap);
	exit(status);
}

void
verrx(int status, const char *fmt, va_list ap)
{
	vwarnx(fmt, ap);
	exit(status);
}

void
err(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarn(fmt, ap);
	va_end(ap);
	exit(status);
}

void
errx(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarnx(fmt, ap);
	va_end(ap);
	exit(status);
}
