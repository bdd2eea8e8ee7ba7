/* spill.c - a temporary file for data that does not fit into memory. */
#include "io/spill.h"

#include "os/temp.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

FILE *
spill_stream(struct spill *s)
{
	if (s->file == NULL)
		s->file = fdopen(temp_open(s->what), "w");
	if (s->file == NULL)
		err(2, "%s", s->what);
	return s->file;
}

void
spill_write(struct spill *s, const void *bytes, size_t n)
{
	if (fwrite(bytes, 1, n, spill_stream(s)) < n)
		err(2, "%s", s->what);
	s->size += n;
}

/* Bypass the stream's buffer: callers read large blocks at any offset. */
void
spill_read(struct spill *s, uint64_t offset, void *bytes, size_t n)
{
	char *p = bytes;
	ssize_t got;

	if (fflush(s->file) != 0)
		err(2, "%s", s->what);
	for (; n > 0; n -= (size_t)got, p += got, offset += (uint64_t)got) {
		got = pread(fileno(s->file), p, n, (off_t)offset);
		if (got == 0)
			errx(2, "%s: the temporary file is truncated", s->what);
		if (got < 0 && errno != EINTR)
			err(2, "%s", s->what);
		got = got < 0 ? 0 : got;
	}
}

int
spill_detach(struct spill *s)
{
	FILE *f = spill_stream(s);
	int fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
	bool failed = ferror(f) != 0;

	if (fclose(f) != 0 || failed || fd < 0 || lseek(fd, 0, SEEK_SET) != 0)
		err(2, "%s", s->what);
	s->file = NULL;
	s->size = 0;
	return fd;
}

void
spill_free(struct spill *s)
{
	if (s->file != NULL)
		fclose(s->file);
	s->file = NULL;
	s->size = 0;
}
