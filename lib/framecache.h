/* framecache.h - frame lines of perf script text, recognised when they recur. */
#ifndef FRAMECACHE_H
#define FRAMECACHE_H

#include "perfline.h"

/*
 * A profile repeats a few ten thousand lines millions of times.  So a line is
 * understood once and kept, behind the line it followed.  Mostly the same
 * follows again: then one comparison of text with text takes many lines at
 * once.  Where another follows, the line knows which one that was the last
 * time; and a table indexed by the first bytes of a line knows them all.
 */

#define NO_TOKEN UINT32_MAX

/* A function in a module, kept as long as the cache. */
struct symbol {
	struct str name, module; /* empty if missing */
	enum perfline_kind kind;
	uint32_t token[2]; /* the caller's, NO_TOKEN at first */
};

/* A line, kept until framecache_limit() is true. */
struct cached_line {
	uint32_t text;     /* where it begins in the cache's text */
	uint32_t next;     /* the line that followed it last, 0 if none */
	uint32_t token[2]; /* the caller's, NO_TOKEN at first */
};

/* Frames of one sample; all zero at the start. */
struct cached_frames {
	uint32_t *line;  /* their numbers */
	uint32_t *token; /* and tokens, of one flavour */
	size_t n, cap;
	uint32_t largest; /* of the tokens: shows whether one is missing */
};

struct framecache;

struct framecache *framecache_new(void);
void framecache_free(struct framecache *c);

/* Forget the lines when they take too much room; symbols stay. */
void framecache_limit(struct framecache *c);

/*
 * Take the known lines at the start of what lies between p and end, and
 * append them to the frames, with tokens of a flavour.  Returns what follows
 * them; at most INPUT_PAD bytes behind end are read.
 */
const char *framecache_take(struct framecache *c, struct cached_frames *frames,
			    int flavour, const char *p, const char *end);

/* Add a line, with its LF, as understood, and append it to the frames. */
void framecache_add(struct framecache *c, struct cached_frames *frames,
		    int flavour, struct str text,
		    const struct perfline_frame *f);

/* What a line of the cache means. */
struct cached_line *framecache_line(struct framecache *c, uint32_t line);
struct symbol *framecache_symbol(const struct framecache *c, uint32_t line,
				 uint64_t *addr);

#endif
