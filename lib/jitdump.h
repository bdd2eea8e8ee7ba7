/* jitdump.h - the records of a jitdump, the log that a JIT keeps for perf. */
#ifndef JITDUMP_H
#define JITDUMP_H

#include "buf.h"
#include "cursor.h"
#include "trust.h"

/*
 * The format is described by jitdump-specification.txt in
 * tools/perf/Documentation of Linux.  Either byte order is read.  The file may
 * be hostile, and may still grow: nothing is believed but what lies in it.
 */
struct jitdump;

enum jitdump_id {
	JITDUMP_LOAD,
	JITDUMP_MOVE,
	JITDUMP_DEBUG,
	JITDUMP_CLOSE,
	JITDUMP_UNWIND
};

/* A record; slices are valid until the next one is read. */
struct jitdump_record {
	enum jitdump_id id;
	uint64_t offset;      /* of the record in the file */
	uint64_t time;        /* ns, or ticks where the header says so */
	int64_t pid;          /* LOAD, MOVE: in the process's name space */
	uint64_t index;       /* LOAD, MOVE: the JIT's number of the code */
	uint64_t start, size; /* LOAD, MOVE: where the code is now */
	uint64_t old_start;   /* MOVE: where it was */
	struct str name;      /* LOAD */
	/*
	 * LOAD: the code, of which there may be less than size; DEBUG: for
	 * jitdump_line(); UNWIND: .eh_frame_hdr behind .eh_frame.
	 */
	struct str bytes;
	uint64_t bytes_at; /* in the file, for jitdump_read() */
	uint64_t hdr_size; /* UNWIND: of .eh_frame_hdr, at its end */
};

/*
 * Open a file and read its header.  NULL, with a reason appended to *why, if
 * it is no jitdump that we can read, or not to be trusted (trust.h).
 */
struct jitdump *jitdump_open(const char *path, enum trust trust, uint32_t owner,
			     struct buf *why);
void jitdump_close(struct jitdump *j);

/* What the header says: the process, and whether times are its ticks. */
int64_t jitdump_pid(const struct jitdump *j);
bool jitdump_has_ticks(const struct jitdump *j);
int jitdump_machine(const struct jitdump *j); /* e_machine */
bool jitdump_swapped(const struct jitdump *j);

/*
 * The next record; false at the end.  Records that are spoilt or unknown are
 * skipped and counted; what is cut off, or says nothing of its size, is the
 * end.  LOADs whose names are spoilt are skipped.
 */
bool jitdump_next(struct jitdump *j, struct jitdump_record *r);

/* How much was not understood, and what: "offset 52: ..., offset 80: ...". */
uint64_t jitdump_bad(const struct jitdump *j);
struct str jitdump_faults(const struct jitdump *j);

/* Count what only a reader of several records can see to be wrong. */
void jitdump_fault(struct jitdump *j, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Copy n bytes at an offset of the file; false if it has fewer. */
bool jitdump_read(struct jitdump *j, uint64_t offset, void *to, size_t n);

/* A source line, in force from an address to that of the next one. */
struct jitdump_line {
	uint64_t address;
	int64_t line;
	struct str file;
};

/* A walk over the lines of a DEBUG record. */
struct jitdump_lines {
	struct cursor c;
	struct str file;      /* of the line before */
	uint64_t start, size; /* where addresses can be */
	bool lost;            /* there was something else between lines */
};

/*
 * Begin, with the code that the lines are of.  Some versions of V8 write other
 * bytes for the name of a file; then the walk goes on where the next address
 * in the code stands, and lost says that names mean nothing.  With size 0,
 * any address will do.
 */
struct jitdump_lines jitdump_lines(struct str lines, bool swapped,
				   uint64_t start, uint64_t size);

/* The next line; false at the end, or where the rest is spoilt. */
bool jitdump_line(struct jitdump_lines *l, struct jitdump_line *line);

#endif
