/* export.h - a profile that was read, on its way to another tool's format. */
#ifndef EXPORT_H
#define EXPORT_H

#include "meta.h"
#include "sorter.h"
#include "tree.h"

struct exported;

/* What becomes of the samples of a stream. */
enum export_order {
	EXPORT_SUMS, /* they are added up */
	EXPORT_BY_TIME,
	EXPORT_BY_THREAD /* and by time */
};

/* A format: a file of its own, and a word in the list below. */
struct export_format {
	const char *name, *summary;
	enum export_order order;
	bool annotates; /* it has a place for what suffixes of frames say */
	void (*write)(struct exported *);
};

#define EXPORT_FORMATS(FORMAT) \
	FORMAT(callgrind) \
	FORMAT(csv) \
	FORMAT(d3) \
	FORMAT(firefox) \
	FORMAT(pprof) \
	FORMAT(speedscope)

#define DECLARE(name) extern const struct export_format export_##name;
EXPORT_FORMATS(DECLARE)
#undef DECLARE

struct export_thread {
	int64_t pid, tid;   /* -1 if unknown */
	uint32_t root_name; /* the root frame of its first sample */
};

/* What a format has to write; names are clean text, utf8.h. */
struct exported {
	struct intern *names;
	const struct trie_frame *frame; /* a stack by the frame it ends in */
	uint32_t nframes;               /* with number 0, which is none */
	struct tree *tree; /* the same with its totals; NULL of a stream */
	int counts;        /* 1 or 2 */
	struct export_thread *thread;
	uint32_t nthreads; /* 0 if it is no stream */
	uint64_t start;    /* the earliest sample, ns */
	struct meta meta;  /* merged; decoded, and clean */
	struct str title;  /* clean */
	bool annotates;    /* what suffixes say is not to be in names */
	bool decimals;     /* some counts of the tree are not whole */
	FILE *out;

	uint64_t rounded; /* counts that had to be made whole */
	uint64_t large;   /* numbers that JavaScript will round */

	/* Below here is for export_next(). */
	struct sorter *samples;
	uint32_t next;
};

/* A stack with the sum of its counts, or one sample of a stream. */
struct export_sample {
	uint32_t stack, thread;
	struct count count[2];
	uint64_t time; /* of a stream, ns */
};

/*
 * The next sample, in the order of the format; of sums those that are not
 * zero, callers before callees.  False at the end; then sums begin anew.
 */
bool export_next(struct exported *e, struct export_sample *s);

#endif
