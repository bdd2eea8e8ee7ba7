/* spool.c - an input that can be read twice. */
#include "spool.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int
open_temporary(void)
{
	const char *folder = getenv("TMPDIR");
	struct buf path = { 0 };
	int fd;

	if (folder == NULL || *folder == '\0')
		folder = "/tmp";
	buf_printf(&path, "%s/foldstack.XXXXXX", folder);
	buf_char(&path, '\0');
	fd = mkostemp(path.p, O_CLOEXEC);
	if (fd < 0)
		err(2, "%s: cannot keep a copy of the input", folder);
	unlink(path.p);
	buf_free(&path);
	return fd;
}

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
	int fd = open_temporary();
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
