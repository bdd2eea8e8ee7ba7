/* diffreport.h - what was found to have changed, for people and programs. */
#ifndef DIFFREPORT_H
#define DIFFREPORT_H

#include "arena.h"
#include "judge.h"

enum report { REPORT_NONE, REPORT_TEXT, REPORT_TSV, REPORT_JSON };

/* Append a report on what was judged, or why it was not. */
void diffreport(const struct judge *j, enum report kind, struct buf *out);

/*
 * Append a line of such a text for a change: class, ratio, interval, shares,
 * and what it is.
 */
void diffreport_line(const struct judge *j, const struct change *c,
		     struct buf *out);

/*
 * Append the metadata that pictures show, a line for each frame to blame, and
 * for those of a function where none is; folded(5), "test".
 */
void diffreport_verdicts(const struct judge *j, struct buf *out);

/*
 * The frames that pictures show as changed: by frame 1 + its change, or 0.
 * Release with free(3).
 */
uint32_t *diffreport_places(const struct judge *j);

/*
 * The smallest change that would have been found 8 times in 10, as a ratio, of
 * what had a share of the samples of both sides.
 */
double diffreport_least(const struct judge *j, double share);

/* Append "+12.3%", "-5%", "new" or "gone". */
void diffreport_change(struct buf *out, double ratio);

/* The name of a class, and of a row: a stack or a function. */
const char *diffreport_class(const struct change *c);
void diffreport_row(const struct judge *j, uint32_t row, struct buf *out);

#endif
