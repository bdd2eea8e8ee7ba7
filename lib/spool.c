/* spool.c - an input that can be read twice. */
#include "spool.h"

#include "temp.h"

#include <err.h>
#include <errno.h>
#include <unistd.h>

static void
write_all(int fd, struct str bytes)
{
	ssize_t n;

	while (bytes.len > 0) {
		n = write(fd, bytes.p, bytes.len);
		if (n < 0 && errno != EINTR)
			err(2, "a copy of the input");
		bytes = str_skip(bytes, n < 0 ? 0 : (size_t)n);
	}
}

void
spool(struct input *in)
{
	int fd = temp_open("a copy of the input");
	struct str bytes;
	uint64_t size = 0;

	while ((bytes = input_bytes(in, 1)).len > 0) {
		write_all(fd, bytes);
		size += bytes.len;
		input_take(in, bytes.len);
	}
	if (lseek(fd, 0, SEEK_SET) != 0)
		err(2, "a copy of the input");
	input_replace(in, fd, size);
}
