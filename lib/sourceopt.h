/* sourceopt.h - the options of streams that become snapshots. */
#ifndef SOURCEOPT_H
#define SOURCEOPT_H

#include "sources.h"

/* What the options say; --every is 0 where none is asked for. */
struct sourceopt {
	struct sources_options sources;

	/* Below here is sourceopt.c's own. */
	int kinds;        /* of snapshots that were asked for */
	bool needs_every; /* what else was asked for does */
};

/* For cmd_begin(). */
extern const struct cmd_option sourceopt_table[];

void sourceopt_init(struct sourceopt *o);

/*
 * Take what cmd_next() returned; false if it is no option of these.  A bad
 * value ends the program.
 */
bool sourceopt_set(struct sourceopt *o, const struct cmd *cmd, int option);

/* End the program if the options do not go together. */
void sourceopt_check(const struct sourceopt *o, const struct cmd *cmd);

#endif
