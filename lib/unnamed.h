/* unnamed.h - frames without a name in folded text, whose code a JIT made. */
#ifndef UNNAMED_H
#define UNNAMED_H

#include "str.h"

/* Such a frame, "[perf-123.map <7f12ab>]_[j]"; slices point into it. */
struct unnamed {
	struct str module;
	uint64_t address;
	bool has_address;
	char suffix; /* 'j', or 0 */
};

/*
 * Take a frame apart.  False if it has a name, or lies in a module that is a
 * file: there perf script prints addresses of the file.
 */
bool unnamed_parse(struct str frame, struct unnamed *u);

/* The number in a first frame "comm-PID" or "comm-PID/TID"; -1 without. */
int64_t unnamed_root_pid(struct str root);

/* The number in a module "perf-PID.map"; -1 if it is another. */
int64_t unnamed_module_pid(struct str module);

#endif
