/* recorder.h - a recording, from its first event to its last. */
#ifndef RECORDER_H
#define RECORDER_H

#include "record/call_watch.h"
#include "record/launch.h"
#include "record/record_plan.h"

struct recorder;

struct recorder_counts {
	uint64_t samples;
	uint64_t lost;      /* records that found no room in a ring */
	uint64_t throttled; /* times that the kernel paused an event */
	uint64_t counted;   /* units of the first event; 0 if unknown */
	uint64_t unsampled; /* of these, units that no sample stands for */
	bool with_kernel;   /* counted has the kernel's, which had no samples */
	uint64_t bytes;     /* written */
	uint32_t times;     /* at the end, one sample stood for so many */
	double cpu;         /* seconds that the recorder took */
	double cpu_share;   /* of one CPU */
};

/* Why recorder_run() ended. */
enum recorder_end {
	RECORDER_DONE,   /* the command or all processes ended, or the time */
	RECORDER_SIGNAL, /* SIGINT, SIGTERM or SIGHUP */
	RECORDER_FAILED  /* a write failed: recorder_error() */
};

/*
 * Raises the limit of descriptors, and blocks SIGINT, SIGTERM and SIGHUP, which
 * recorder_run() handles.  The plan has to live as long.  If the recorder takes
 * more than the share max_cpu of one CPU, fewer samples are written; 0 is no
 * limit.
 */
struct recorder *recorder_new(struct record_plan *plan, double max_cpu);
void recorder_free(struct recorder *r);

/*
 * Before the recording begins: keep only the newest samples and switches, of so
 * many bytes, in memory, and write them when the recording ends.
 */
void recorder_keep_newest(struct recorder *r, uint64_t bytes);

/*
 * End the recording when a call takes long.  False if no event has one of the
 * names.  The watch has to live as long as the recorder.
 */
bool recorder_watch(struct recorder *r, struct call_watch *watch);

/*
 * Write the head of the recording to a descriptor, and what is known of the
 * processes that were added.  argv is our command line.
 */
void recorder_begin(struct recorder *r, int fd, bool compress,
		    char *const argv[]);

/*
 * Record until the command ends, or all processes have ended if there is no
 * command, or a number of seconds is over, if that is not 0.
 */
enum recorder_end recorder_run(struct recorder *r, struct launch *command,
			       double seconds);

struct recorder_counts recorder_counts(const struct recorder *r);

/* What the kernel counted of an event of the plan, with or without samples. */
uint64_t recorder_value(const struct recorder *r, size_t event);

/* The errno of the failed write; 0 if there was none. */
int recorder_error(const struct recorder *r);

#endif
