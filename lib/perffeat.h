/* perffeat.h - what a perf.data file says of its machine and its making. */
#ifndef PERFFEAT_H
#define PERFFEAT_H

#include "perfrecord.h"
#include "tracefmt.h"

/* Numbers of features: bits in the header of a file. */
enum {
	PERF_FEAT_TRACING_DATA = 1,
	PERF_FEAT_BUILD_ID = 2,
	PERF_FEAT_HOSTNAME = 3,
	PERF_FEAT_OSRELEASE = 4,
	PERF_FEAT_ARCH = 6,
	PERF_FEAT_NRCPUS = 7,
	PERF_FEAT_CMDLINE = 11,
	PERF_FEAT_EVENT_DESC = 12,
	PERF_FEAT_DIR_FORMAT = 24,
	PERF_FEAT_COMPRESSED = 27,
	PERF_FEATURES = 256
};

/* The build-id of a file, by its path as recorded. */
struct perf_build_id {
	struct str path, id; /* id as bytes */
	bool kernel;
};

/* How ticks of the processor become ns of the recording's own clock. */
struct perf_ticks {
	uint64_t shift, mult, zero; /* perf_event_open(2), time_zero */
	bool known;
};

/* All zero is nothing known; release with perffeat_free(). */
struct perf_features {
	struct str hostname, osrelease, arch, cmdline; /* empty if unknown */
	uint32_t cpus; /* that were online, 0 if unknown */
	struct perf_build_id *build_id;
	size_t nbuild_ids, build_id_cap;
	bool directory; /* samples are in files beside this one */
	struct trace_formats formats;
	int64_t *thread; /* that were recorded from the start; -1: all */
	size_t nthreads, thread_cap;
	struct perf_ticks ticks;
	struct arena arena;
};

/*
 * Take the section of a feature, of which those that are not known are
 * skipped; names of events go to events.  False if the section is spoilt;
 * what could be read of it is kept.
 */
bool perffeat_read(struct perf_features *f, unsigned feature,
		   struct cursor section, struct perf_events *events);

/* Note the build-id of a decoded PERF_HEADER_BUILD_ID. */
void perffeat_build_id(struct perf_features *f, const struct perf_record *r);

/* Take the body of a PERF_THREAD_MAP. */
void perffeat_threads(struct perf_features *f, struct cursor body);

/* Take the body of a PERF_TIME_CONV. */
void perffeat_ticks(struct perf_features *f, struct cursor body);

void perffeat_free(struct perf_features *f);

#endif
