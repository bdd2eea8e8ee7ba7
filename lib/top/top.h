/* top.h - the state of foldtop(1): what it shows, and what keys change. */
#ifndef TOP_H
#define TOP_H

#include "base/regex.h"
#include "top/topflame.h"
#include "top/toplist.h"
#include "top/topprofile.h"
#include "top/topthreads.h"

enum top_view { TOP_FUNCTIONS, TOP_STACKS, TOP_FLAME, TOP_THREADS };

/* All classes together. */
#define TOP_ALL (-1)

/*
 * The caller sets the options, the rest is zero; top_init(), then top_free().
 */
struct top {
	/* Options: */
	struct topprofile *profile; /* borrowed */
	struct canvas canvas;
	enum top_view view;
	bool by_total, since_start, with_idle;
	size_t rows;        /* of a table in a file */
	bool has_ended;     /* the input has ended */
	bool wants_quit;    /* a key asked for it */
	bool wants_save;    /* the same; the caller resets it */
	struct buf message; /* for the last line, until the next key */

	/* What is shown; set by top_refresh(). */
	struct thread_activity activity;
	struct toplist list;
	struct topflame flame;
	struct topthreads threads;
	struct window_total total;
	struct count *count; /* by frame of the profile; ncount of them */
	uint32_t ncount;
	double samples;                  /* number of samples shown */
	double weight;                   /* their weight */
	size_t class_rows[WAIT_CLASSES]; /* rows of a class, shown or not */

	/* Set by keys. */
	int only_class; /* or TOP_ALL */
	bool is_frozen, shows_help, is_typing, has_focus;
	uint32_t focus;  /* show only stacks with this function */
	uint32_t thread; /* show only this thread, or TOPTHREADS_ALL */
	size_t cursor, scroll;
	struct buf pattern; /* to search for, or empty */
	struct regex *regex;
	bool gave_up;  /* a search for it was aborted: matches may lack */
	bool *matches; /* by function, or NULL: no search */
};

/* The arguments are borrowed. */
void top_init(struct top *t, const struct waits *waits,
	      struct palette *palette);
void top_free(struct top *t);

/* Search for a pattern.  Return false and change nothing if it is invalid. */
bool top_search(struct top *t, struct str pattern);

/* Sum up what was read, unless frozen, and lay out what is shown. */
void top_refresh(struct top *t);

/* The mean number of threads that had this weight, 0 if unknown. */
double top_threads(const struct top *t, double weight);

/* Whether a class is named: the common ones, and those of any thread. */
bool top_shows_class(const struct top *t, int class);

/* Whether threads wait: then rows are grouped by class. */
bool top_has_classes(const struct top *t);

/* Whether the classes have headings; else each row has its class. */
bool top_has_headings(const struct top *t);

/* The number of rows that the cursor walks over, but in the flame graph. */
size_t top_rows(const struct top *t);

/* The number of screen lines between the title lines and the last line. */
size_t top_body_lines(const struct top *t);

#endif
