/*
 * perfdata - lib/perfdata as a libFuzzer target: all records of a perf.data
 * file or pipe, in the order of the file and in that of their times, and again
 * in parts.
 *
 * The command stackcollapse-perf is a target, too; this one is fifty times as
 * fast.
 */
#include "perfdata/perfdata.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static volatile unsigned char sum; /* so that nothing is optimised away */

static void
touch(struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		sum = (unsigned char)(sum + (unsigned char)s.p[i]);
}

/* Read all that a record points to. */
static void
look(const struct perf_record *r)
{
	size_t i;

	touch(r->readings);
	touch(r->raw);
	touch(r->stack);
	touch(r->name);
	touch(r->build_id);
	for (i = 0; i < r->nips; i++)
		sum = (unsigned char)(sum + r->ips[i]);
	for (i = 0; i < r->nbranches; i++)
		sum = (unsigned char)(sum + r->branch[i].from);
	for (i = 0; i < r->user.n; i++)
		sum = (unsigned char)(sum + r->user.reg[i]);
	if (r->event != NULL)
		touch(r->event->name);
}

/* The number of records until the end. */
static uint64_t
read_all(struct perfdata *p)
{
	struct perf_record r;
	uint64_t n = 0;

	while (perfdata_next(p, &r)) {
		look(&r);
		touch(perfdata_ahead(p));
		n++;
	}
	return n;
}

/* The parts of a file have the same samples as the whole. */
static void
read_parts(struct perfdata *p, uint64_t samples)
{
	size_t n, i;
	uint64_t found = 0;
	const struct perf_cut *cut = perfdata_cuts(p, &n);
	struct tally tally = { 0 };
	struct perfdata *fork;

	if (cut == NULL)
		return;
	fork = perfdata_fork(p, &tally);
	for (i = 0; i + 1 < n; i++) {
		perfdata_part(fork, &cut[i], &cut[i + 1]);
		found += read_all(fork);
	}
	if (found != samples)
		abort();
	perfdata_fork_free(fork);
	buf_free(&tally.first);
}

/* Groups return a record for each count that grew, which depends on order. */
static void
read_passes(struct perfdata *p)
{
	perfdata_pass(p, PERF_WANT_ALL, false);
	read_all(p);
	if (!perfdata_can_rewind(p))
		return;
	perfdata_pass(p, PERF_WANT_ALL, true);
	read_all(p);
	perfdata_pass(p, PERF_WANT_SAMPLES, false);
	read_parts(p, read_all(p));
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static int fd = -1; /* one for all runs: making one is slow */
	struct tally tally = { 0 };
	struct input in;
	struct perfdata *p;
	const char *why;

	/* Anything else may be compressed, for another program to read. */
	if (size < 8 || !perfdata_magic((struct str){ (const char *)data, 8 }))
		return 0;
	if (fd < 0)
		fd = memfd_create("perf.data", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) != 0 ||
	    pwrite(fd, data, size, 0) != (ssize_t)size ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	input_open_fd(&in, "perf.data", dup(fd), &tally);
	p = perfdata_open(&in, &why);
	if (p != NULL) {
		read_passes(p);
		perfdata_close(p);
	}
	input_close(&in);
	buf_free(&tally.first);
	return 0;
}
