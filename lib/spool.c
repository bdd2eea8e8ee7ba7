/* spool.c - an input that can be read twice. */
#include "spool.h"

#include "temp.h"

#include <err.h>
#include <unistd.h>

void
spool(struct input *in)
{
	int fd = temp_open("a copy of the input");
	struct str bytes;
	uint64_t size = 0;

	while ((bytes = input_bytes(in, 1)).len > 0) {
		temp_write(fd, bytes.p, bytes.len, "a copy of the input");
		size += bytes.len;
		input_take(in, bytes.len);
	}
	if (lseek(fd, 0, SEEK_SET) != 0)
		err(2, "a copy of the input");
	input_replace(in, fd, size);
}
