/* temp.c - temporary files. */
#include "temp.h"

#include "buf.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Where files cannot be made without a name, one has it for a moment. */
static int
open_unlinked(const char *folder)
{
	struct buf path = { 0 };
	int fd;

	buf_printf(&path, "%s/foldstack.XXXXXX", folder);
	buf_char(&path, '\0');
	fd = mkostemp(path.p, O_CLOEXEC);
	if (fd >= 0)
		unlink(path.p);
	buf_free(&path);
	return fd;
}

static int
open_unnamed(const char *folder)
{
	return open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
}

const char *
temp_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder == NULL || *folder == '\0' ? "/tmp" : folder;
}

bool
temp_is_unnamed(void)
{
	int fd = open_unnamed(temp_folder());

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int
temp_open(const char *what)
{
	const char *folder = temp_folder();
	int fd = open_unnamed(folder);

	if (fd < 0)
		fd = open_unlinked(folder);
	if (fd < 0)
		err(2, "%s: cannot keep %s", folder, what);
	return fd;
}

void
temp_write(int fd, const void *bytes, size_t n, const char *what)
{
	const char *p = bytes;
	ssize_t done;

	for (; n > 0; n -= (size_t)done, p += done) {
		done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			err(2, "%s", what);
		done = done < 0 ? 0 : done;
	}
}
