/* temp.c - create temporary files. */
#include "os/temp.h"

#include "base/buf.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* File systems without O_TMPFILE: create a file and remove its name. */
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
		err(2, "%s: cannot store %s", folder, what);
	return fd;
}
