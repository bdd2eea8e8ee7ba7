/*
 * atomic_write.c - replace a file: readers see it whole or not at all.
 *
 * A sandbox could restrict the right to replace a file to a folder, but not to
 * a file in it.  So a parser that an input takes over, and that writes to a
 * home folder, could write all files there.  It has only a descriptor instead.
 */
#include "os/atomic_write.h"

#include "base/buf.h"
#include "os/fd_pass.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Requests; the answer is an errno, with a descriptor if a file is opened. */
enum { OPEN = 'o', RENAME = 'r' };

/* The file, in the helper. */
struct atomic_file {
	const char *path;
	struct buf part; /* name of the new file */
	bool in_place;   /* a device or a pipe */
	bool unfinished; /* the new file is there */
};

/*
 * O_EXCL refuses a file or link that somebody else put there.  A file that an
 * earlier process with our pid left is removed first.
 */
static int
open_part(struct atomic_file *f)
{
	struct stat st;
	int fd;

	f->in_place = stat(f->path, &st) == 0 && !S_ISREG(st.st_mode);
	if (f->in_place)
		return open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			    0666);
	unlink(f->part.p);
	fd = open(f->part.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	f->unfinished = fd >= 0;
	return fd;
}

static int
rename_part(struct atomic_file *f)
{
	if (!f->in_place && rename(f->part.p, f->path) != 0)
		return errno;
	f->unfinished = false;
	return 0;
}

/* The helper: answer requests until the program ends. */
static void
serve(void *arg, int socket)
{
	struct atomic_file *f = arg;
	int error, fd;
	char request;

	while (fd_pass_receive(socket, &request, 1, NULL, 0)) {
		if (request == OPEN) {
			fd = open_part(f);
			error = fd < 0 ? errno : 0;
			fd_pass_send(socket, &error, sizeof(error), &fd,
				     fd >= 0);
			if (fd >= 0)
				close(fd);
		} else {
			error = rename_part(f);
			fd_pass_send(socket, &error, sizeof(error), NULL, 0);
		}
	}
	/* A signal ended the program. */
	if (f->unfinished)
		unlink(f->part.p);
}

void
atomic_write_start(struct atomic_write *w)
{
	struct atomic_file f = { .path = w->path };

	buf_printf(&f.part, "%s.%ld.part", w->path, (long)getpid());
	buf_char(&f.part, '\0');
	helper_start(&w->helper, serve, &f, w->path);
	buf_free(&f.part);
}

void
atomic_write_stop(struct atomic_write *w)
{
	helper_stop(&w->helper);
}

/* Ask for something; ends the program with the helper's errno. */
static void
request(const struct atomic_write *w, char what, int *fd, size_t nfd)
{
	int error = EPIPE;

	if (fd_pass_send(w->helper.socket, &what, 1, NULL, 0) &&
	    fd_pass_receive(w->helper.socket, &error, sizeof(error), fd, nfd) &&
	    error == 0)
		return;
	errno = error;
	err(2, "%s", w->path);
}

FILE *
atomic_write_begin(struct atomic_write *w)
{
	int fd;

	request(w, OPEN, &fd, 1);
	w->out = fdopen(fd, "w");
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
	request(w, RENAME, NULL, 0);
}
