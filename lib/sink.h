/* sink.h - where samples become folded text; for collapse.c only. */
#ifndef SINK_H
#define SINK_H

#include "fold.h"
#include "reader.h"

enum count_kind { COUNT_PERIOD, COUNT_SAMPLES, COUNT_TIME };

/* A root frame, in the order of --root. */
enum root {
	ROOT_COMM,
	ROOT_PID,
	ROOT_TID,
	ROOT_CPU,
	ROOT_CGROUP,
	ROOT_HOST,
	ROOT_COMM_PID, /* comm-PID, as FlameGraph's --pid */
	ROOT_COMM_TID  /* comm-PID/TID, as FlameGraph's --tid */
};
#define ROOT_MAX 8

/* The options that all collapsers share. */
struct sink_options {
	enum root root[ROOT_MAX];
	int nroot;
	bool kernel, jit, addrs, args, meta, samples, mix;
	enum count_kind count;
	const char *event;       /* --event-filter, NULL if none */
	const char **skip_after; /* nskip function names */
	int nskip;
};

struct sink *sink_new(const struct sink_options *options,
		      const struct reader *reader, struct cmd *cmd);

/* Write what was folded, and say what has to be said. */
void sink_finish(struct sink *out);
void sink_free(struct sink *out);

#endif
