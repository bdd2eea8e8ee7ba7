/* sink-internal.h - making and finishing a sink; for collapse.c. */
#ifndef SINK_INTERNAL_H
#define SINK_INTERNAL_H

#include "folded/event_ratio.h"
#include "folded/waits.h"
#include "reader/reader.h"
#include "reader/roots.h"
#include "reader/sample_filter.h"

/* What a stack is counted in. */
enum sink_count { SINK_COUNT_PERIOD, SINK_COUNT_SAMPLES, SINK_COUNT_TIME };

/* The values of the options that all collapsers share. */
struct sink_options {
	enum root root[ROOT_MAX];
	int nroot;
	bool with_roots; /* the root frames are chosen by an option */
	struct token_options token;
	bool meta, samples, mix, repair;
	bool follow; /* the inputs are still being written */
	enum sink_count count;
	const char *event;        /* --event-filter, NULL if not given */
	struct event_ratio ratio; /* --ratio, empty if not given */
	const char **skip_after;  /* nskip function names */
	int nskip;
	struct sample_filter *filter; /* --only; NULL keeps every sample */
	struct waits *waits;          /* --drop-idle; NULL keeps idle threads */
};

/* Options, reader and cmd must outlive the sink. */
struct sink *sink_new(const struct sink_options *options,
		      const struct reader *reader, struct cmd *cmd);
void sink_free(struct sink *out);

/*
 * Write the merged stacks to standard output, and the notes about idle,
 * truncated and nameless stacks to standard error.
 */
void sink_finish(struct sink *out);

#endif
