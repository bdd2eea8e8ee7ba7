/* perfline.h - single lines of perf script text. */
#ifndef PERFLINE_H
#define PERFLINE_H

#include "str.h"

/*
 * The source of what is known here: perf-script(1), tools/perf/builtin-script.c
 * of Linux 3.2 to 6.12 (fields in the order comm, pid/tid, [cpu], time:,
 * period, event:), and recordings of many versions.
 */

/* The next word of *s, and what follows it; empty at the end. */
struct str perfline_word(struct str *s);

/* The head of a sample; slices point into the line. */
struct perfline_head {
	struct str comm, event; /* may be empty */
	int64_t pid, tid, cpu;  /* -1 if the line lacks them */
	uint64_t time;          /* ns */
	bool has_time;
	uint64_t period; /* 0 if the line lacks it */
	bool huge;       /* the period is beyond 64 bits, so not known */
	struct str unit; /* of the period; set by headcache_read() only */
	struct str rest; /* behind the event: a frame, or arguments */
	/* Where its changing parts are, for a cache of heads. */
	struct str time_text, period_text;
};

/*
 * Read "comm pid/tid [cpu] time: period event: rest".  False if the line is
 * no head.  A comm may hold blanks, digits and colons.
 */
bool perfline_head(struct str line, struct perfline_head *head);

/* Seconds with a point and up to nine decimals, in ns. */
bool perfline_time(struct str s, uint64_t *ns);

/* A mapping, as perf script --show-mmap-events has it. */
struct perfline_map {
	int64_t pid;
	uint64_t start, size, offset;
	struct str path;
};

/*
 * Read "PERF_RECORD_MMAP2 7/7: [0x1000(0x200) @ 0 fe:00 5 0]: r-xp path", or
 * that of MMAP.  False if it is none, or not executable.
 */
bool perfline_map(struct str text, struct perfline_map *m);

/* Read "PERF_RECORD_LOST lost 7", of perf script --show-lost-events. */
bool perfline_lost(struct str text, uint64_t *lost);

#endif
