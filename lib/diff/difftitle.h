/* difftitle.h - the title of the picture of a difference. */
#ifndef DIFFTITLE_H
#define DIFFTITLE_H

#include "diff/comparison.h"

/*
 * Set the title in the header of a two-count profile to "BEFORE -> AFTER", with
 * an arrow and the names of the files, without their folders if that tells them
 * apart.  Does nothing if there is a title, or if a side has several files or
 * one without a name.
 */
void difftitle_set(const struct comparison *c, struct meta *header);

#endif
