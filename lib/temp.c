/* temp.c - temporary files. */
#include "temp.h"

#include "buf.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int
temp_open(const char *what)
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
		err(2, "%s: cannot keep %s", folder, what);
	unlink(path.p);
	buf_free(&path);
	return fd;
}
