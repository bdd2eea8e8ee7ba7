/* sources.h - streams read side by side, into one stream of snapshots. */
#ifndef SOURCES_H
#define SOURCES_H

#include "cmd.h"
#include "ticker.h"

struct sources_options {
	struct ticker_options tick; /* but for describe and arg */
	int counts;                 /* a line, where no metadata says so */
	bool with_host;             /* as the first frame */

	/*
	 * Inputs are files that others write: wait for what comes, and let time
	 * go on where nothing does.
	 */
	bool follow;
	uint64_t late; /* ns that an input may be later than it is at best */

	/*
	 * Times become those of CLOCK_REALTIME.  A clock's distance from that
	 * is told by what arrives soonest after its time.
	 */
	bool realtime;
};

/*
 * Read the files of a command, or standard input, by the times in them, and
 * write snapshots to standard output.  SIGUSR1 asks for one at once, SIGTERM
 * or SIGINT for the last.  What are no streams ends the program with status 2.
 */
void sources_read(const struct sources_options *options, struct cmd *cmd);

#endif
