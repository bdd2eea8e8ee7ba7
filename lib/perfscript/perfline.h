/* perfline.h - parses single lines of perf script text. */
#ifndef PERFLINE_H
#define PERFLINE_H

#include "base/str.h"

/*
 * Sources: perf-script(1), tools/perf/builtin-script.c of Linux 3.2 to 6.12
 * (fields in the order comm, pid/tid, [cpu], time:, period, event:), and
 * recordings of many versions.
 */

/* Cut the next word off *s, and the blanks before it; empty at the end. */
struct str perfline_word(struct str *s);

/* The head of a sample; slices point into the line. */
struct perfline_head {
	struct str comm, event; /* may be empty */
	int64_t pid, tid, cpu;  /* -1 if the line lacks them */
	uint64_t time;          /* ns */
	bool has_time;
	uint64_t period; /* 0 if the line lacks it */
	bool huge;       /* the period exceeds 64 bits and is unknown */
	struct str unit; /* of the period; set by headcache_read() only */
	struct str rest; /* after the event: a frame, or arguments */
	/* The parts that change from sample to sample, for headcache.c. */
	struct str time_text, period_text;
};

/*
 * Whether a head has a time, an event, and nothing of its sample's own but time
 * and period: no text after the event, and a period that is known.
 */
static inline bool
perfline_is_plain(const struct perfline_head *h)
{
	return h->has_time && h->event.len > 0 && h->rest.len == 0 && !h->huge;
}

/*
 * Parse "comm pid/tid [cpu] time: period event: rest".  False if the line is
 * no head.  A comm may contain blanks, digits and colons.
 */
bool perfline_head(struct str line, struct perfline_head *head);

/* Parse seconds with a point and up to nine decimals, as ns. */
bool perfline_time(struct str s, uint64_t *ns);

/* A mapping, as perf script --show-mmap-events prints it. */
struct perfline_map {
	int64_t pid;
	uint64_t start, size, offset;
	struct str path;
};

/*
 * Parse "PERF_RECORD_MMAP2 7/7: [0x1000(0x200) @ 0 fe:00 5 0]: r-xp path", or
 * PERF_RECORD_MMAP.  False for another record, or if the mapping is not
 * executable.
 */
bool perfline_map(struct str text, struct perfline_map *m);

/* Parse "PERF_RECORD_LOST lost 7", of perf script --show-lost-events. */
bool perfline_lost(struct str text, uint64_t *lost);

#endif
