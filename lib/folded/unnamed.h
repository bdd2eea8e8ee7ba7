/* unnamed.h - parse frames without a name, in code that a JIT compiler made. */
#ifndef UNNAMED_H
#define UNNAMED_H

#include "base/str.h"

/* The parts of a frame such as "[perf-123.map <7f12ab>]_[j]". */
struct unnamed {
	struct str module; /* points into the frame */
	uint64_t address;
	bool has_address;
	char suffix; /* 'j', or 0 */
};

/*
 * Parse a frame.  False if it has a name.  False also if its module is a file:
 * for files perf script prints addresses relative to the file, which a JIT does
 * not know.
 */
bool unnamed_parse(struct str frame, struct unnamed *u);

/* The PID in a first frame "comm-PID" or "comm-PID/TID"; -1 if none. */
int64_t unnamed_root_pid(struct str root);

/* The PID in a module "perf-PID.map"; -1 if it is another module. */
int64_t unnamed_module_pid(struct str module);

#endif
