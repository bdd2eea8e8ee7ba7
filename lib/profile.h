/* profile.h - samples out of a perf.data file, with names. */
#ifndef PROFILE_H
#define PROFILE_H

#include "callstack.h"
#include "perfdata.h"

enum profile_what {
	PROFILE_SAMPLES, /* as they were recorded */
	PROFILE_OFF_CPU, /* what threads waited for */
	PROFILE_WALL     /* all time of threads, running and not */
};

/*
 * A sample; slices and frames live until the next one is read.  The time of
 * a wait is that of its end.
 */
struct profile_sample {
	uint64_t time; /* ns on the recording's clock, if has_time */
	bool has_time;
	int64_t pid, tid, cpu; /* -1 if unknown */
	struct str comm;       /* ":TID" if unknown, as perf has it */
	struct str cgroup;     /* empty if not recorded */
	struct str args;       /* that a probe fetched, or empty */
	const struct perf_event *event;
	uint64_t period; /* 0 if unknown */
	bool is_ns;      /* which is a time, whatever the event */
	const struct profile_frame *frame; /* leaf first */
	size_t n;
	bool truncated; /* callers are missing */
	uint64_t lost;  /* records since the sample before; if sorted */
};

struct profile_options {
	struct resolve_options resolve;
	enum profile_what what;
	bool sorted; /* give samples in the order of their times */
	bool others; /* of events that are no time of threads, too */
};

struct profile;

/*
 * Begin to read a perf.data file.  What can be read twice is: first for all
 * processes and what they mapped, then for the samples.  Ends the program
 * with status 2 if the file is none that we can read.
 */
struct profile *profile_open(struct input *in,
			     const struct profile_options *options);
void profile_close(struct profile *p);

/* The next sample; false at the end. */
bool profile_read(struct profile *p, struct profile_sample *s);

/*
 * Append a line on what was lost or not found: the next of as many as there
 * are; false at the end.  To be called after the last sample.
 */
bool profile_note(struct profile *p, struct buf *line);

#endif
