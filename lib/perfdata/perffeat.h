/* perffeat.h - the features of a perf.data file: machine, command, build-ids.
 */
#ifndef PERFFEAT_H
#define PERFFEAT_H

#include "perfdata/perfrecord.h"
#include "perfdata/tracefmt.h"

/* Numbers of features: bits in the file header. */
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

/* How ticks of the CPU become nanoseconds of the recording's clock. */
struct perf_ticks {
	uint64_t shift, mult, zero; /* perf_event_open(2), time_zero */
	bool known;
};

/* All zero is nothing known; release with perffeat_free(). */
struct perf_features {
	struct str hostname, osrelease, arch, cmdline; /* empty if unknown */
	uint32_t cpus;        /* online; 0 if unknown */
	uint64_t branches;    /* last branches of a CPU; 0: unknown */
	struct str kernel_id; /* build-id as bytes; empty: unknown */
	struct perf_build_id *build_ids; /* of files, by path */
	bool directory;                  /* the samples are in other files */
	struct trace_formats formats;
	int64_t *thread; /* recorded from the start; -1: all of the machine */
	size_t nthreads, thread_cap;
	struct perf_ticks ticks;
	struct arena arena;
};

/*
 * Read the section of a feature; unknown features are skipped.  Names of events
 * go to events.  False if the section is broken; what could be read is used.
 */
bool perffeat_read(struct perf_features *f, unsigned feature,
		   struct cursor section, struct perf_events *events);

/*
 * Read a record of perf's own that describes features, events, threads or
 * ticks; others are ignored.  False if an event is broken.
 */
bool perffeat_add(struct perf_features *f, struct perf_events *events,
		  const struct perf_header *h, struct cursor body);

/* The build-id of a file, by its path as recorded; empty if unknown. */
struct str perffeat_build_id(const struct perf_features *f, struct str path);

void perffeat_free(struct perf_features *f);

#endif
