/* datafile.h - find the data files that are installed with the programs. */
#ifndef DATAFILE_H
#define DATAFILE_H

#include "base/buf.h"

/*
 * Find a readable file, such as "palettes/hot.palette".  Searches in this
 *order:
 *
 *	$XDG_CONFIG_HOME/foldstack, or ~/.config/foldstack if it is not set
 *	foldstack in each folder of $XDG_DATA_DIRS
 *	the folder where foldstack was installed
 *	../share/foldstack, relative to the program
 *
 * Sets *path to the path, with a NUL at its end.  False if there is no such
 * file.
 */
bool datafile_find(struct buf *path, const char *name);

#endif
