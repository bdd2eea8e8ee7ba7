/* splitreport.h - reports the latencies and parts of a split stream. */
#ifndef SPLITREPORT_H
#define SPLITREPORT_H

#include "split/splitout.h"

/* Append a report for people. */
void splitreport_text(struct split *s, struct buf *out);

/* Append a report as lines of tab-separated values. */
void splitreport_tsv(struct split *s, struct buf *out);

/* Append the calls to list, one a line, in the order they began. */
void splitreport_list(struct split *s, struct buf *out);

/*
 * Replace out by the next note for the user, without LF.  *at counts the notes
 * and must be 0 for the first.  Return false at the end.
 */
bool splitreport_note(const struct split *s, unsigned *at, struct buf *out);

#endif
