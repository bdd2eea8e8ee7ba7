/* replace.c - a file written anew, that readers see whole or not at all. */
#include "replace.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is to be removed if the program ends before it is whole. */
static const char *unfinished;

static void
remove_unfinished(void)
{
	if (unfinished != NULL)
		unlink(unfinished);
}

bool
replace_is_beside(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/*
 * A file that nobody else writes, nor has put there as a link to another: what
 * is left of a process that had this number is removed.
 */
static FILE *
open_part(struct replace *r)
{
	static bool is_registered;
	int fd;

	buf_printf(&r->part, "%s.%ld.part", r->path, (long)getpid());
	buf_char(&r->part, '\0');
	unlink(r->part.p);
	fd = open(r->part.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return NULL;
	unfinished = r->part.p;
	if (!is_registered)
		atexit(remove_unfinished);
	is_registered = true;
	return fdopen(fd, "w");
}

FILE *
replace_begin(struct replace *r)
{
	r->out = replace_is_beside(r->path) ? open_part(r) :
					      fopen(r->path, "we");
	if (r->out == NULL)
		err(2, "%s", r->path);
	return r->out;
}

void
replace_end(struct replace *r)
{
	const bool failed = ferror(r->out) != 0;

	if (fclose(r->out) != 0 || failed)
		err(2, "%s", r->path);
	if (r->part.len > 0 && rename(r->part.p, r->path) != 0)
		err(2, "%s", r->path);
	unfinished = NULL;
	buf_free(&r->part);
	r->part = (struct buf){ 0 };
}
