/* atomic_write.c - replace a file: readers see it whole or not at all. */
#include "os/atomic_write.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file to remove if the program ends before the file is complete. */
static const char *unfinished;

static void
remove_unfinished(void)
{
	if (unfinished != NULL)
		unlink(unfinished);
}

bool
atomic_write_replaces(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/*
 * O_EXCL refuses a file or link that somebody else put there.  A file that an
 * earlier process with our pid left is removed first.
 */
static FILE *
open_part(struct atomic_write *w)
{
	static bool is_registered;
	int fd;

	buf_printf(&w->part, "%s.%ld.part", w->path, (long)getpid());
	buf_char(&w->part, '\0');
	unlink(w->part.p);
	fd = open(w->part.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	unfinished = w->part.p;
	if (!is_registered)
		atexit(remove_unfinished);
	is_registered = true;
	return fdopen(fd, "w");
}

FILE *
atomic_write_begin(struct atomic_write *w)
{
	w->out = atomic_write_replaces(w->path) ? open_part(w) :
						  fopen(w->path, "we");
	if (w->out == NULL)
		err(2, "%s", w->path);
	return w->out;
}

void
atomic_write_end(struct atomic_write *w)
{
	const bool failed = ferror(w->out) != 0;

	if (fclose(w->out) != 0 || failed)
		err(2, "%s", w->path);
	if (w->part.len > 0 && rename(w->part.p, w->path) != 0)
		err(2, "%s", w->path);
	unfinished = NULL;
	buf_free(&w->part);
}
