/* spill.h - a temporary file for data that does not fit into memory. */
#ifndef SPILL_H
#define SPILL_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Data is first written, then read back.  A file is created by the first write,
 * in TMPDIR or /tmp, and has no name: it vanishes when it is closed, or when
 * the program ends in any way.
 *
 * All functions end the program with status 2 if the file cannot be created,
 * written or read.
 */
struct spill {
	const char *what; /* name of the data in messages: "events" */
	uint64_t size;    /* bytes written by spill_write() */
	FILE *file;       /* private to spill.c; NULL before the first write */
};

/* Append n bytes. */
void spill_write(struct spill *s, const void *bytes, size_t n);

/* The file as a stream to write to, valid until spill_detach() or _free(). */
FILE *spill_stream(struct spill *s);

/* Read n bytes, which must have been written, at an offset in the file. */
void spill_read(struct spill *s, uint64_t offset, void *bytes, size_t n);

/*
 * Turn the file into a descriptor for reading, at the start of the file.  The
 * caller closes the descriptor.  The spill is empty afterwards.
 */
int spill_detach(struct spill *s);

/* Delete the file.  The spill is empty afterwards. */
void spill_free(struct spill *s);

#endif
