/* stacksample_options.h - the options of stacksample(1). */
#ifndef STACKSAMPLE_OPTIONS_H
#define STACKSAMPLE_OPTIONS_H

#include "base/regex.h"
#include "cli/cmd.h"
#include "sampler/pids.h"
#include "sampler/process_watch.h"
#include "sampler/sampler.h"
#include "sampler/thread_dump.h"

struct stacksample_options {
	struct cmd cmd;
	/* All but functions, match_name, sample, arg and events. */
	struct sampler_options sampler_options;
	bool no_ask_jvm, trust_maps, traceable, runtimes;
	bool native, no_native, srcline;
	bool folded, state, blockers, tid;
	struct thread_dump *dump; /* with --dump */
	double hz, seconds;
	double max_cpu; /* of one CPU; 0: any */
	struct regex *thread_name;
	struct pids pids; /* a command has begun, and waits */
	/* All but has, add and arg. */
	struct process_watch_options watch_options;
};

/*
 * Parse and check the command line.  Ends with a message if it is wrong, or if
 * there is no such process.  --traceable executes the command, and does not
 * return.
 */
void stacksample_options_read(struct stacksample_options *o, int argc,
			      char *argv[]);
void stacksample_options_free(struct stacksample_options *o);

#endif
