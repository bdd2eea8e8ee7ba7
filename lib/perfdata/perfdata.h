/* perfdata.h - reads the records of perf.data, from a file or a pipe. */
#ifndef PERFDATA_H
#define PERFDATA_H

#include "io/input.h"
#include "perfdata/perffeat.h"

/*
 * Linux describes the format in tools/perf/Documentation/perf.data-file-format;
 * perf_event_open(2) describes the records of the kernel.
 *
 * The input is a file, a pipe, a file that comes through a pipe, or a folder of
 * "perf record --threads", of either byte order, with or without records
 * compressed by zstd.  Unknown records are skipped.
 */
struct perfdata;

/* Whether bytes, at least 8, are the start of a perf.data file. */
bool perfdata_magic(struct str bytes);

/*
 * Begin to read.  NULL, with a reason in *why, if we cannot read the input. The
 * input is the caller's and outlives the reader.  A file that comes through a
 * pipe is first copied to a temporary file, as event names are at its end.
 */
struct perfdata *perfdata_open(struct input *in, const char **why);
void perfdata_close(struct perfdata *p);

/* Whether there can be a second pass. */
bool perfdata_can_rewind(const struct perfdata *p);

/* Which records of the kernel to return. */
enum perf_want {
	PERF_WANT_ALL,
	PERF_WANT_TASKS,  /* all but samples */
	PERF_WANT_SAMPLES /* and deferred chains */
};

/*
 * Begin a pass over all records.  A second pass needs perfdata_can_rewind().
 * sorted asks for the order of their times.
 */
void perfdata_pass(struct perfdata *p, enum perf_want want, bool sorted);

/*
 * The next record of the kernel, valid until the next call; false at the end.
 * A sample of a group is returned once for each event whose count has grown.
 * input_bad() counts broken records, which are skipped.  If the data is cut
 * off, the whole records before that are returned.
 */
bool perfdata_next(struct perfdata *p, struct perf_record *r);

/*
 * Parts of a recording, for several threads.  After a pass over all records,
 * perfdata_cuts() returns the places where one can begin, some megabyte apart;
 * the first is the start, the last is the end.  NULL if what a record means
 * depends on those before it.
 */
struct perf_cut {
	uint64_t at;     /* offset in the file */
	uint64_t number; /* of records before it */
};
const struct perf_cut *perfdata_cuts(const struct perfdata *p, size_t *n);

/*
 * The samples of the same recording for another thread, which has a position
 * and a tally of its own.  p outlives it.
 */
struct perfdata *perfdata_fork(const struct perfdata *p, struct tally *tally);
void perfdata_fork_free(struct perfdata *fork);

/* Instead of perfdata_pass(): only the samples between two cuts. */
void perfdata_part(struct perfdata *p, const struct perf_cut *from,
		   const struct perf_cut *to);

/*
 * For prefetching: some bytes after the last record, where the next sample
 * likely has its chain.  Empty if they are not in memory.
 */
struct str perfdata_ahead(const struct perfdata *p);

/* The most bytes of records that were in memory at a time, to be sorted. */
size_t perfdata_buffered(const struct perfdata *p);

/* Whether the recording has traces of CPUs, which we do not decode. */
bool perfdata_has_traces(const struct perfdata *p);

/*
 * Features and events.  Those of a pipe may be complete only at its end.
 */
const struct perf_features *perfdata_features(const struct perfdata *p);
const struct perf_events *perfdata_events(const struct perfdata *p);

#endif
