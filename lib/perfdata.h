/* perfdata.h - the container of perf record: perf.data as file and pipe. */
#ifndef PERFDATA_H
#define PERFDATA_H

#include "input.h"
#include "perffeat.h"

/*
 * The format is described by tools/perf/Documentation/perf.data-file-format
 * of Linux, the kernel's records by perf_event_open(2).
 *
 * Read are files, pipes, and files that come through a pipe, in either byte
 * order, with records compressed by zstd or not, and the folders of "perf
 * record --threads".  What is skipped is skipped by the size it states.
 */
struct perfdata;

/* Whether these first bytes, at least 8, are those of a perf.data file. */
bool perfdata_magic(struct str bytes);

/*
 * Begin to read.  NULL, with a reason in *why, if it is no recording that we
 * can read; in is the caller's and outlives it.  A file that comes through a
 * pipe is first copied to a temporary one, for the names of its events stand
 * at its end.
 */
struct perfdata *perfdata_open(struct input *in, const char **why);
void perfdata_close(struct perfdata *p);

/* Whether there can be a second pass. */
bool perfdata_can_rewind(const struct perfdata *p);

/* Which records of the kernel are wanted. */
enum perf_want {
	PERF_WANT_ALL,
	PERF_WANT_TASKS,  /* all but samples */
	PERF_WANT_SAMPLES /* and the chains that come behind them */
};

/*
 * Begin a pass over the records, from the first one; a second time only
 * where perfdata_can_rewind().  sorted asks for the order of their times.
 */
void perfdata_pass(struct perfdata *p, enum perf_want want, bool sorted);

/*
 * The next record of the kernel, valid until the next call; false at the
 * end.  A sample of a group of events is given once for each.  Records that
 * are spoilt are skipped and counted by input_bad(); where the data is cut off,
 * what is whole was given before.
 */
bool perfdata_next(struct perfdata *p, struct perf_record *r);

/*
 * A hint: some bytes of what comes behind the record that was given last, where
 * a sample has its chain; empty where that is not at hand.
 */
struct str perfdata_ahead(const struct perfdata *p);

/* How many bytes of records waited at a time, to be put in order. */
size_t perfdata_held(const struct perfdata *p);

/* Whether CPUs traced what they did, of which nothing is read here. */
bool perfdata_has_traces(const struct perfdata *p);

/*
 * What is known of the recording.  Of a pipe it may be complete only at its
 * end.
 */
const struct perf_features *perfdata_features(const struct perfdata *p);
const struct perf_events *perfdata_events(const struct perfdata *p);

#endif
