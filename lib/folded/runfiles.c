/* runfiles.c - sorted runs in temporary files, merged into one profile. */
#include "folded/runfiles.h"

#include "base/mem.h"
#include "folded/sorted_runs.h"

#include <err.h>
#include <stdlib.h>
#include <unistd.h>

void
runfiles_write(struct runfiles *r, struct foldout *out)
{
	struct sorted_runs runs = { .n = r->n, .counts = r->counts };
	struct tally tally = { 0 };
	struct count sum[2];
	size_t i, start;

	runs.input = mem_zero(r->n, sizeof(*runs.input));
	for (i = 0; i < r->n; i++)
		runs.input[i] =
		    (struct sorted_runs_input){ .name = "all inputs",
						.fd = r->fd[i],
						.counts = r->counts };
	r->n = 0;
	sorted_runs_open(&runs, &tally);
	while (start = out->text.len, sorted_runs_next(&runs, &out->text, sum))
		foldout_line(out, start, sum);
	if (runs.bad != NULL || tally.bad > 0)
		errx(2, "a temporary file was changed");
	sorted_runs_close(&runs);
	free(runs.input);
}

void
runfiles_begin(struct runfiles *r, struct foldout *out)
{
	r->file.what = "what exceeds the memory";
	*out = (struct foldout){ .out = spill_stream(&r->file),
				 .counts = r->counts };
}

/* Returns a descriptor for reading the run. */
static int
finish_run(struct runfiles *r, struct foldout *out)
{
	foldout_end(out);
	return spill_detach(&r->file);
}

void
runfiles_end(struct runfiles *r, struct foldout *out)
{
	struct foldout all;
	int fd = finish_run(r, out);

	if (r->n >= sorted_runs_most()) {
		runfiles_begin(r, &all);
		runfiles_write(r, &all);
		r->fd[r->n++] = finish_run(r, &all);
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
