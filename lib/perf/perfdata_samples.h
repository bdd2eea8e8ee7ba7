/* perfdata_samples.h - the samples of a perf.data file, with symbols. */
#ifndef PERFDATA_SAMPLES_H
#define PERFDATA_SAMPLES_H

#include "perf/callstack.h"
#include "perfdata/perfdata.h"

/* What a sample stands for. */
enum perfdata_view {
	PERFDATA_AS_RECORDED, /* what its event counts */
	PERFDATA_OFF_CPU,     /* the waits of threads */
	PERFDATA_WALL,        /* all time of threads, on and off the CPU */
	PERFDATA_BRANCHES     /* calls that the CPU recorded as branches */
};

/*
 * A sample.  Slices and frames are valid until the next sample is read.  The
 * time of a wait is the time of its end.
 */
struct perfdata_sample {
	uint64_t time; /* ns on the recording's clock, if has_time */
	bool has_time;
	int64_t pid, tid, cpu; /* -1 if unknown */
	struct str comm;       /* ":TID" if unknown, as perf prints it */
	struct str cgroup;     /* empty if not recorded */
	struct str args;       /* fetched by a probe; empty if none */
	const struct perf_event *event;
	uint64_t period; /* 0 if unknown */
	bool is_ns;      /* the period is a time, whatever the event */
	const struct callstack_frame *frame; /* leaf first */
	size_t n;
	bool truncated; /* outer callers are missing */
	uint64_t lost;  /* records since the last sample, if sorted */
};

struct perfdata_samples_options {
	struct resolve_options resolve;
	struct jvm_stacks *jvms; /* snapshots, or NULL; the caller's */
	enum perfdata_view view;
	bool sorted; /* return samples in the order of their times */
	bool others; /* in the views of time, also return other events */
};

struct perfdata_samples;

/*
 * Start reading a perf.data file.  An input that can be read twice is: first
 * for processes and their mappings, then for samples.  NULL, with a message
 * appended to *why, if we cannot read the file.  The input and the options are
 * the caller's; the input outlives the reader.
 */
struct perfdata_samples *
perfdata_samples_open(struct input *in,
		      const struct perfdata_samples_options *options,
		      struct buf *why);
void perfdata_samples_close(struct perfdata_samples *p);

/* The next sample; false at the end and after an error. */
bool perfdata_samples_read(struct perfdata_samples *p,
			   struct perfdata_sample *sample);

/*
 * Several threads.  The cuts are those of perfdata_cuts(); NULL if one thread
 * must see all samples.  A fork reads the samples of parts, in another thread;
 * it has no notes, and p outlives it.  While there are forks, nothing else uses
 * p.  NULL if what one sample means depends on others.
 */
const struct perf_cut *perfdata_samples_cuts(const struct perfdata_samples *p,
					     size_t *n);
struct perfdata_samples *perfdata_samples_fork(const struct perfdata_samples *p,
					       struct tally *tally);
void perfdata_samples_fork_free(struct perfdata_samples *fork);

/* From now on, read the samples between two cuts; more says that some follow.
 */
void perfdata_samples_part(struct perfdata_samples *p,
			   const struct perf_cut *from,
			   const struct perf_cut *to, bool more);

/* Where a thread was when it was sampled. */
struct perfdata_leaf {
	int64_t pid;
	uint64_t when, address;
	enum resolve_mode mode;
	uint64_t file; /* equal numbers for equal files */
};

/* Of a fork: the next sample's leaf alone; false at the end. */
bool perfdata_samples_leaf(struct perfdata_samples *fork,
			   struct perfdata_leaf *leaf);

/* Read one of the two tables of a leaf's file, as resolve_read(). */
void perfdata_samples_table(struct perfdata_samples *fork,
			    const struct perfdata_leaf *leaf, unsigned table);

/* Whether the fork's samples are those that p would have read; add its notes.
 */
bool perfdata_samples_can_join(const struct perfdata_samples *p,
			       const struct perfdata_samples *fork);
void perfdata_samples_join(struct perfdata_samples *p,
			   const struct perfdata_samples *fork);

/*
 * The events of the samples in the order in which they were recorded; those of
 * a pipe may be complete only at its end.  NULL in the other views, which have
 * an event of their own.
 */
const struct perf_events *
perfdata_samples_events(const struct perfdata_samples *p);

/* Why there are no more samples; empty at the end of the recording. */
struct str perfdata_samples_error(const struct perfdata_samples *p);

/*
 * Append the next line on what was lost or not found; false if there are no
 * more.  Call it after the last sample.
 */
bool perfdata_samples_note(struct perfdata_samples *p, struct buf *line);

#endif
