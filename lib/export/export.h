/* export.h - the formats of other tools, and the profile they write. */
#ifndef EXPORT_H
#define EXPORT_H

#include "folded/meta.h"
#include "io/extsort.h"
#include "tree/tree.h"

struct export_profile;

/* How a format needs the samples of a stream. */
enum export_order {
	EXPORT_SUMS, /* summed up by stack */
	EXPORT_BY_TIME,
	EXPORT_BY_THREAD /* and by time within a thread */
};

struct export_format {
	const char *name, *summary;
	enum export_order order;
	bool has_annotations; /* a place for what suffixes of frames mean */
	void (*write)(struct export_profile *);
};

/* All formats, sorted by name; NULL ends the list. */
extern const struct export_format *const export_formats[];

/* The format with a name, or NULL. */
const struct export_format *export_find(const char *name);

struct export_thread {
	int64_t pid, tid;   /* -1 if unknown */
	uint32_t root_name; /* the root frame of its first sample */
};

/* What a format writes.  All text is printable UTF-8; utf8.h. */
struct export_profile {
	struct intern *names;
	const struct trie_frame *frame; /* a stack is the frame it ends in */
	uint32_t nframes;               /* with frame 0, the root */
	struct tree *tree; /* the frames with their totals, or NULL: a stream */
	int counts;        /* 1 or 2 */
	struct export_thread *thread;
	uint32_t nthreads; /* 0 if it is no stream */
	uint64_t start;    /* time of the earliest sample, ns */
	struct meta meta;  /* merged and decoded */
	struct str title;
	bool strip_suffixes; /* names have no suffixes */
	bool decimals;       /* some counts of the tree are not whole */
	FILE *out;

	/* The format counts these for a message to the user: */
	uint64_t rounded; /* counts that were rounded to whole numbers */
	uint64_t large;   /* numbers that JavaScript will round */

	/* Private to exportread.c. */
	struct extsort *samples;
	uint32_t next;
};

/* A stack with the sum of its counts, or one sample of a stream. */
struct export_sample {
	uint32_t stack, thread;
	struct count count[2];
	uint64_t time; /* ns; 0 if it is no stream */
};

#endif
