/* jitdump.h - reads the records of a jitdump, the code log of a JIT. */
#ifndef JITDUMP_H
#define JITDUMP_H

#include "base/buf.h"
#include "base/cursor.h"
#include "os/owner_check.h"

/*
 * jitdump-specification.txt in tools/perf/Documentation of Linux describes the
 * format.  Files of both byte orders are read.  A file may be hostile, and it
 * may grow while it is read.
 */
struct jitdump;

enum jitdump_id {
	JITDUMP_LOAD,
	JITDUMP_MOVE,
	JITDUMP_DEBUG,
	JITDUMP_CLOSE,
	JITDUMP_UNWIND
};

/* A record; slices are valid until the next call of jitdump_next(). */
struct jitdump_record {
	enum jitdump_id id;
	uint64_t offset;      /* of the record in the file */
	uint64_t time;        /* ns; ticks if jitdump_has_ticks() */
	int64_t pid;          /* LOAD, MOVE: in the process's name space */
	uint64_t index;       /* LOAD, MOVE: the JIT's number of the code */
	uint64_t start, size; /* LOAD, MOVE: where the code is now */
	uint64_t old_start;   /* MOVE: where it was */
	struct str name;      /* LOAD */
	/*
	 * LOAD: the code, which may be shorter than size.  DEBUG: lines, for
	 * jitdump_lines().  UNWIND: .eh_frame, then .eh_frame_hdr.
	 */
	struct str bytes;
	uint64_t bytes_at;  /* offset in the file, for jitdump_read() */
	struct str inlines; /* DEBUG: a table for jitinline.h, or empty */
	uint64_t inlines_at;
	uint64_t hdr_size; /* UNWIND: of .eh_frame_hdr, at the end */
};

/*
 * Open a file and read its header.  NULL, with a reason appended to *why, if it
 * is no readable jitdump or is not trusted (owner_check.h).
 */
struct jitdump *jitdump_open(const char *path, enum trust trust, uint32_t owner,
			     struct buf *why);
void jitdump_close(struct jitdump *d);

/* From the header. */
int64_t jitdump_pid(const struct jitdump *d);
bool jitdump_has_ticks(const struct jitdump *d); /* times are CPU ticks */
int jitdump_machine(const struct jitdump *d);    /* e_machine of ELF */
bool jitdump_swapped(const struct jitdump *d);   /* foreign byte order */

/*
 * Read the next record; false at the end.  Unknown and damaged records are
 * counted and skipped.  A truncated record, or one without a usable size, is
 * the end.
 */
bool jitdump_next(struct jitdump *d, struct jitdump_record *r);

/* The number of faults, and the first ones: "offset 52: ...; offset 80: ...".
 */
uint64_t jitdump_bad(const struct jitdump *d);
struct str jitdump_faults(const struct jitdump *d);

/* Add a fault that the caller found by comparing records. */
void jitdump_fault(struct jitdump *d, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Copy n bytes at an offset of the file; false if it is too short. */
bool jitdump_read(struct jitdump *d, uint64_t offset, void *to, size_t n);

/* A source line, which applies from an address to that of the next one. */
struct jitdump_line {
	uint64_t address;
	int64_t line;
	struct str file;
};

/* An iterator over the lines of a DEBUG record. */
struct jitdump_lines {
	struct cursor c;
	struct str file;      /* of the line before */
	uint64_t start, size; /* the range of plausible addresses */
	bool lost;            /* bytes between lines were skipped */
};

/*
 * Begin.  start and size are the code that the lines belong to; size 0 allows
 * any address.  Some versions of V8 write garbage in place of a file name:
 * then the iterator goes on at the next plausible address, and sets lost to
 * say that file names mean nothing.
 */
struct jitdump_lines jitdump_lines(struct str lines, bool swapped,
				   uint64_t start, uint64_t size);

/* The next line; false at the end, and if the rest is damaged. */
bool jitdump_line(struct jitdump_lines *l, struct jitdump_line *line);

#endif
