/* perffeat.h - what a perf.data file says of its machine and its making. */
#ifndef PERFFEAT_H
#define PERFFEAT_H

#include "intern.h"
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
	PERF_FEAT_CPU_CAPS = 28,
	PERF_FEAT_PMU_CAPS = 31,
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
	uint32_t cpus;     /* that were online, 0 if unknown */
	uint64_t branches; /* that a CPU keeps, the last ones; 0 if unknown */
	struct perf_build_id *build_id;
	size_t nbuild_ids, build_id_cap;
	struct intern *paths; /* of files that have one, or NULL; */
	size_t *first;        /* the first build_id of each */
	size_t first_cap;
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

/*
 * Take a record of perf's own, if it tells what in a file is in sections or
 * attrs, or of threads and ticks; false if it tells of an event that is spoilt.
 */
bool perffeat_take(struct perf_features *f, struct perf_events *events,
		   const struct perf_header *h, struct cursor body);

/* The build-id of a file, the first that was noted, or empty. */
struct str perffeat_id_of(const struct perf_features *f, struct str path);

void perffeat_free(struct perf_features *f);

#endif
