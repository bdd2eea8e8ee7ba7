/* sourceopt.h - command-line options that turn streams into snapshots. */
#ifndef SOURCEOPT_H
#define SOURCEOPT_H

#include "stream/sources.h"

/* The parsed options; sources.tick.every is 0 without --every. */
struct sourceopt {
	struct sources_options sources;

	/* Private. */
	int kinds;        /* options given that choose the kind of snapshot */
	bool needs_every; /* an option was given that needs --every */
};

/* For cmd_begin(). */
extern const struct cmd_option sourceopt_table[];

void sourceopt_init(struct sourceopt *o);

/*
 * Set an option that cmd_next() returned; false if it is not in the table.  A
 * malformed value ends the program.
 */
bool sourceopt_set(struct sourceopt *o, const struct cmd *cmd, int option);

/* End the program if the options exclude each other or lack --every. */
void sourceopt_check(const struct sourceopt *o, const struct cmd *cmd);

#endif
