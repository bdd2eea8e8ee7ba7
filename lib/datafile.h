/* datafile.h - where the files of data are that come with the programs. */
#ifndef DATAFILE_H
#define DATAFILE_H

#include "buf.h"

/*
 * Look for a file, "palettes/hot.palette", in $XDG_CONFIG_HOME/foldstack or
 * ~/.config/foldstack, in the folders "foldstack" of XDG_DATA_DIRS, where
 * foldstack was installed, and in ../share/foldstack of the program.  True if
 * one can be read; its path, NUL behind it, is in *path.
 */
bool datafile_find(struct buf *path, const char *name);

#endif
