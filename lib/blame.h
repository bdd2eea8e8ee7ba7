/* blame.h - the frames and functions that explain what changed. */
#ifndef BLAME_H
#define BLAME_H

#include "judge.h"
#include "left.h"

/*
 * Of the significant tests make the changes.  A frame is to blame if it is
 * still significant without what frames below it are to blame for; so is a
 * function without the stacks on which a rarer one is.
 */
void blame(struct judge *j);

/* Tell what moved from what came and went; the changes are explained. */
void find_moved(struct judge *j, const struct left *left);

/* Note what may have been renamed. */
void find_renamed(struct judge *j);

#endif
