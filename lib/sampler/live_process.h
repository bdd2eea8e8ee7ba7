/* live_process.h - a running process: which program it runs, and its memory. */
#ifndef LIVE_PROCESS_H
#define LIVE_PROCESS_H

#include "arch/arch.h"
#include "base/buf.h"
#include "os/proctext.h"
#include "sampler/build_ids.h"
#include "symbols/process.h"

/* The file "maps", parsed. */
struct live_process_maps {
	struct buf text;
	struct proc_map *map; /* sorted; slices point into text */
	size_t n, cap;
};

/*
 * Set pid and zero the rest; release with live_process_free().  Others only
 * read the fields.
 */
struct live_process {
	int64_t pid;
	struct buf name;
	const struct arch *arch; /* of its program */
	uint64_t start_time;     /* in clock ticks, as in proc(5) */
	uint64_t threads;        /* their number at the last check */
	struct live_process_maps maps, previous_maps;
	uint64_t maps_time; /* when maps was read, in ns; 0: not since exec */
	bool maps_current;  /* maps was read since the last check */
	uint64_t start_code, start_stack; /* they change when it executes */
	bool reported;
};

/* Callbacks for what is new, or NULL.  Arguments are valid during the call. */
struct live_process_events {
	/* A process that is new, or has executed another program. */
	void (*process)(void *arg, const struct live_process *p);
	/* A mapping with code. */
	void (*map)(void *arg, const struct live_process *p,
		    const struct proc_map *map, struct str build_id);
	void *arg;
};

/* Where new programs and mappings are reported. */
struct live_process_observers {
	struct processes *processes;
	struct build_ids *build_ids;
	struct live_process_events events;
};

/*
 * The machine of the program that a process runs; this host's if the program
 * cannot be read, NULL if we cannot unwind it.
 */
const struct arch *live_process_arch(int64_t pid);

/*
 * Check that this is still the same process, and report it if it is new or has
 * executed another program.  False if the process has ended, even if its parent
 * has not waited for it.  now is a time of CLOCK_MONOTONIC in ns.
 */
bool live_process_check(struct live_process *p,
			const struct live_process_observers *o, uint64_t now);

/*
 * Read the memory map through a thread that is alive, and report new mappings
 * with code.  Opens their files, for the build-ids.
 */
void live_process_read_maps(struct live_process *p, int64_t tid,
			    const struct live_process_observers *o,
			    uint64_t now);

/* The mapping at an address, or NULL; valid until the map is read again. */
const struct proc_map *live_process_find_map(const struct live_process *p,
					     uint64_t address);

/*
 * Copy up to n bytes of memory, through any thread of the process.  Returns how
 * many could be read.
 */
size_t live_process_read(int64_t tid, uint64_t address, void *to, size_t n);

void live_process_free(struct live_process *p);

#endif
