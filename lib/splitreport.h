/* splitreport.h - how long calls took, and what was sampled in them. */
#ifndef SPLITREPORT_H
#define SPLITREPORT_H

#include "splitout.h"

/* Append a report for people, or as lines of a name and values with tabs. */
void splitreport_text(struct split *s, struct buf *out);
void splitreport_tsv(struct split *s, struct buf *out);

/* Append the calls that are listed, a line each, in the order they began. */
void splitreport_list(struct split *s, struct buf *out);

/*
 * Append what has to be said of the calls beside their profile, the next of
 * as many lines as there are, counted by *at from 0; false at the end.
 */
bool splitreport_note(const struct split *s, unsigned *at, struct buf *out);

#endif
