/* elfinflate.h - decompress the sections of an ELF file. */
#ifndef ELFINFLATE_H
#define ELFINFLATE_H

#include "base/buf.h"
#include "elf/elffile.h"

/* Whether a file has compressed sections. */
bool elfinflate_compressed(const struct elffile *f);

/*
 * Set *image, which is empty, to the file with decompressed sections.  If
 * wanted() is not NULL, compressed sections for which it is false are made
 * empty.  False if the file cannot be read, or is not a 64-bit file in the byte
 * order of this host.
 */
bool elfinflate(const struct elffile *f, bool (*wanted)(struct str section),
		struct buf *image);

#endif
