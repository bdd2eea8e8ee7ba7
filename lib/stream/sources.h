/* sources.h - merge streams into one stream of snapshots. */
#ifndef SOURCES_H
#define SOURCES_H

#include "cli/cmd.h"
#include "stream/ticker.h"

struct sources_options {
	struct ticker_options tick; /* describe and arg are not used */
	int counts;                 /* per line, 0: from the metadata */
	bool with_host;             /* add the host as first frame */

	/*
	 * Inputs are still being written: wait for more, and write snapshots
	 * even if no stacks arrive.
	 */
	bool follow;
	uint64_t late; /* ns to wait for an input beyond its usual lag */

	/*
	 * Translate times to CLOCK_REALTIME.  The offset of each input's clock
	 * is the least delay from a time in the input to its arrival.
	 */
	bool realtime;
};

/*
 * Read the operands of a command, or standard input, in the order of their
 * times, and write snapshots to standard output.  SIGUSR1 writes a snapshot at
 * once; SIGTERM and SIGINT write the last one.  If an input is not a stream,
 * end the program with status 2.
 */
void sources_read(const struct sources_options *options, struct cmd *cmd);

#endif
