/* runfiles.c - sorted runs in temporary files, which become one profile. */
#include "runfiles.h"

#include "mem.h"
#include "runs.h"
#include "temp.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void
runfiles_write(struct runfiles *r, struct foldout *out)
{
	struct runs runs = { .n = r->n, .counts = r->counts };
	struct tally tally = { 0 };
	struct count sum[2];
	size_t i, start;

	runs.input = mem_zero(r->n, sizeof(*runs.input));
	for (i = 0; i < r->n; i++)
		runs.input[i] = (struct runs_input){ .name = "all inputs",
						     .fd = r->fd[i],
						     .counts = r->counts };
	r->n = 0;
	runs_open(&runs, &tally);
	while (start = out->text.len, runs_next(&runs, &out->text, sum))
		foldout_line(out, start, sum);
	if (runs.bad != NULL || tally.bad > 0)
		errx(2, "a temporary file was changed");
	runs_close(&runs);
	free(runs.input);
}

void
runfiles_begin(struct runfiles *r, struct foldout *out)
{
	int fd = temp_open("what exceeds the memory");
	FILE *f = fdopen(fd, "w");

	if (f == NULL)
		err(2, "a temporary file");
	*out = (struct foldout){ .out = f, .counts = r->counts };
}

/* Write and close, but keep a descriptor, at the start of the file. */
static int
finish(struct foldout *out)
{
	int fd = fcntl(fileno(out->out), F_DUPFD_CLOEXEC, 3);
	bool failed;

	foldout_end(out);
	failed = ferror(out->out) != 0;
	if (fclose(out->out) != 0 || failed || fd < 0 ||
	    lseek(fd, 0, SEEK_SET) != 0)
		err(2, "a temporary file");
	return fd;
}

void
runfiles_end(struct runfiles *r, struct foldout *out)
{
	struct foldout all;
	int fd = finish(out);

	if (r->n >= runs_most()) {
		runfiles_begin(r, &all);
		runfiles_write(r, &all);
		r->fd[r->n++] = finish(&all);
	}
	r->fd = mem_grow(r->fd, &r->cap, r->n + 1, sizeof(*r->fd));
	r->fd[r->n++] = fd;
}

void
runfiles_free(struct runfiles *r)
{
	while (r->n > 0)
		close(r->fd[--r->n]);
	free(r->fd);
}
