/* elfinflate.h - an ELF file without compressed sections. */
#ifndef ELFINFLATE_H
#define ELFINFLATE_H

#include "buf.h"
#include "elffile.h"

/* Whether a file has sections that only we can decompress (zstd). */
bool elfinflate_needed(struct elffile *f);

/*
 * Append the whole file, its compressed sections decompressed.  False, if it
 * cannot be read or is of another class or byte order than this machine's.
 */
bool elfinflate(struct elffile *f, struct buf *image);

#endif
