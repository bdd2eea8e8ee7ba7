/* sample_filter.h - which samples of a trace to keep: --only. */
#ifndef SAMPLE_FILTER_H
#define SAMPLE_FILTER_H

#include "base/buf.h"
#include "reader/sink.h"

struct cmd;
struct sample_filter;

/* A filter without conditions, which keeps every sample. */
struct sample_filter *sample_filter_new(void);
void sample_filter_free(struct sample_filter *filter);

/*
 * Add a condition: time=A-B in seconds, cpu=N or N-M, pid=N, tid=N, comm=RE,
 * cgroup=RE.  A sample must meet one condition of each key that has any.
 * Returns false, with the reason appended to *why, if the text is malformed.
 */
bool sample_filter_add(struct sample_filter *filter, struct str condition,
		       struct buf *why);

/* Whether to keep a sample.  A value that is unknown meets no condition. */
bool sample_filter_wants(struct sample_filter *filter,
			 const struct sample *sample);

/* Report patterns that took too long by cmd_check_pattern(). */
void sample_filter_check(const struct sample_filter *filter, struct cmd *cmd);

/*
 * A key that has conditions and that none of the samples so far had; NULL if
 * there is none.
 */
const char *sample_filter_missing(const struct sample_filter *filter);

#endif
