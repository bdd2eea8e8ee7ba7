/* elfinflate.h - decompress the sections of an ELF file. */
#ifndef ELFINFLATE_H
#define ELFINFLATE_H

#include "base/buf.h"
#include "elf/elffile.h"

/* Whether a file has sections that libdw cannot decompress (zstd). */
bool elfinflate_needed(struct elffile *f);

/*
 * Append the whole file, with decompressed sections.  False if it cannot be
 * read, or is not a 64-bit file in the byte order of this host.
 */
bool elfinflate(struct elffile *f, struct buf *image);

#endif
