/* reader.h - the description of a trace format, from which a command is made.
 */
#ifndef READER_H
#define READER_H

#include "cli/cmd.h"
#include "reader/sink.h"

/*
 * A reader pulls lines or records from an input and pushes samples into a
 * sink.  main() of a collapser fills in this description and passes it to
 * collapse_main(), collapse.h.
 */
struct reader {
	enum { LEAF_FIRST, ROOT_FIRST } order; /* of frames in the trace */
	const char *synopsis;                  /* as the manual has it */
	const char *summary;                   /* one sentence for --help */
	const char *most_used;                 /* as in struct cmd */
	bool marks_jit;                        /* --jit is always on */
	const char *clock; /* of sample times, folded(5); NULL if none */
	bool in_order;     /* --samples may have samples without times */
	const struct sandbox *may;        /* rights to keep, as in struct cmd */
	const struct cmd_option *options; /* the format's own, or NULL */

	/* Apply one of the options; false if its argument is bad. */
	bool (*setopt)(int value, char *arg);

	/* Read an input to its end and push its samples. */
	void (*read)(struct input *in, struct sink *out);
};

#endif
