/* sink.h - where samples become folded text; for collapse.c only. */
#ifndef SINK_H
#define SINK_H

#include "only.h"
#include "roots.h"
#include "waits.h"

enum count_kind { COUNT_PERIOD, COUNT_SAMPLES, COUNT_TIME };

/* The options that all collapsers share. */
struct sink_options {
	enum root root[ROOT_MAX];
	int nroot;
	struct token_options token;
	bool meta, samples, mix, repair;
	bool follow; /* the inputs are being written */
	enum count_kind count;
	const char *event;       /* --event-filter, NULL if none */
	const char **skip_after; /* nskip function names */
	int nskip;
	struct only *only;   /* NULL if all samples are wanted */
	struct waits *waits; /* NULL if idle threads are wanted */
};

struct sink *sink_new(const struct sink_options *options,
		      const struct reader *reader, struct cmd *cmd);

/* Write what was folded, and say what has to be said. */
void sink_finish(struct sink *out);
void sink_free(struct sink *out);

#endif
