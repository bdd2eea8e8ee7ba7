/* readfile.c - read open files. */
#include "os/readfile.h"

#include "base/buf.h"

#include <errno.h>
#include <unistd.h>

/* Bytes for each read(2). */
#define CHUNK ((size_t)1 << 18)

bool
readfile_at(int fd, void *to, size_t n, uint64_t offset)
{
	char *p = to;
	ssize_t got;

	for (; n > 0; n -= (size_t)got, p += got, offset += (uint64_t)got) {
		do
			got = pread(fd, p, n, (off_t)offset);
		while (got < 0 && errno == EINTR);
		if (got == 0)
			errno = 0;
		if (got <= 0)
			return false;
	}
	return true;
}

bool
readfile_lines(int fd, void (*block)(void *arg, struct str lines), void *arg)
{
	struct buf b = { 0 };
	const char *end;
	size_t whole; /* bytes of whole lines */
	ssize_t n;

	do {
		buf_reserve(&b, CHUNK);
		n = read(fd, b.p + b.len, CHUNK);
		if (n <= 0)
			continue;
		/* The rest of the last chunk has no LF. */
		end = memrchr(b.p + b.len, '\n', (size_t)n);
		b.len += (size_t)n;
		whole = end == NULL ? 0 : (size_t)(end + 1 - b.p);
		if (whole > 0)
			block(arg, (struct str){ b.p, whole });
		b.len -= whole;
		memmove(b.p, b.p + whole, b.len);
	} while ((n > 0 && b.len < READFILE_LINE) || (n < 0 && errno == EINTR));
	if (n >= 0 && b.len > 0)
		block(arg, buf_slice(&b));
	buf_free(&b);
	return n >= 0;
}
