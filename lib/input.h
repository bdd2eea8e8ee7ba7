/* input.h - one named input: a file or standard input, by lines. */
#ifndef INPUT_H
#define INPUT_H

#include "buf.h"
#include "unpack.h"

/* What to do instead of a read that may have to wait. */
enum input_wait {
	INPUT_READ,  /* read, after all */
	INPUT_LATER, /* nothing for now: there is no more at hand */
	INPUT_STOP   /* nothing any more: make an end of the input here */
};

/* What was read of all inputs of a command, and what was not understood. */
struct tally {
	uint64_t good;        /* stacks, samples or records understood */
	uint64_t bad;         /* lines or records not understood */
	struct buf first;     /* place and reason of the first of them */
	const char *bad_unit; /* what is counted in bad, "line" if NULL */
	const char *advice;   /* where most is bad, what to do; may be NULL */
};

struct input {
	const char *name; /* for messages: "stdin" for standard input */
	uint64_t line;    /* number of the line last read, from 1 */
	struct tally *tally;
	const char *folder; /* that was named, and holds it; else NULL */

	/* Called after each read, for progress; may be NULL. */
	void (*progress)(struct input *);
	double began, shown; /* its own: seconds on its clock */
	size_t chunk;        /* bytes a read, 0 for what is fastest */
	uint64_t size;       /* of a regular file, 0 if unknown */
	uint64_t bytes;      /* read, after decompression */

	/* Below here is input.c's own. */
	int fd;
	struct unpack unpack;
	bool eof, mapped;
	enum input_wait (*wait)(void *arg, int fd);
	void *wait_arg;
	struct buf buf;   /* what was read, or a part of the mapped file */
	size_t next, end; /* whole lines not yet given out */
	struct buf label;
};

/*
 * Open a file, or standard input for "-"; of a folder, as "perf record
 * --threads" makes them, the file "data" in it.  What begins with the magic of
 * gzip or zstd is read through "gzip -dc" or "zstd -dc".  Ends the program
 * with status 2 if the file cannot be opened.  The tally is the caller's and
 * outlives the input.
 */
void input_open(struct input *in, const char *path, struct tally *tally);

/* The same for a file that is open, at its start, which is taken. */
void input_open_fd(struct input *in, const char *name, int fd,
		   struct tally *tally);

/*
 * The same for a file that others write, as a FIFO, to be read with
 * input_await(): it waits for nothing.  What is compressed stays so.
 */
void input_open_live(struct input *in, const char *path, struct tally *tally);

/*
 * Have wait called before each read from now on, with the descriptor that
 * will be read.  What came to its end is read on, in case it is a file that
 * grows.
 */
void input_await(struct input *in, enum input_wait (*wait)(void *arg, int fd),
		 void *arg);

/* Whether all was given, and there will be no more. */
static inline bool
input_ended(const struct input *in)
{
	return in->eof && in->next == in->end && in->end == in->buf.len;
}

/*
 * What the next read of such an input will have to wait for; -1 if there are
 * bytes at hand, or none to come.
 */
static inline int
input_waits_for(const struct input *in)
{
	return in->wait == NULL || in->eof || in->end < in->buf.len ? -1 :
								      in->fd;
}

/*
 * Whether input_open() may have to run a decompressor for a file: it needs one,
 * or it cannot be told without waiting or reading what will be missed.
 */
bool input_may_be_packed(const char *path);

/* Close; ends the program with status 2 if the decompressor failed. */
void input_close(struct input *in);

/*
 * The next line without its LF (a CR stays), valid until the next call on
 * this input.  False at the end, or if no whole one is at hand.  A last line
 * without LF is a line.
 */
bool input_line(struct input *in, struct str *line);

/*
 * Many whole lines at once, for a reader that finds their ends itself: each
 * ends in LF, also the last of a file that lacks it.  The reader counts
 * in->line.  INPUT_PAD bytes behind the block can be read, though they mean
 * nothing.  Valid until the next call on this input; false at the end.
 */
#define INPUT_PAD 64
bool input_block(struct input *in, struct str *block);

/*
 * The first bytes, as many as there are up to n, without taking them.
 * Only before the first line or block.
 */
struct str input_peek(struct input *in, size_t n);

/* For binary formats: what was read but not taken. */
static inline struct str
input_left(const struct input *in)
{
	const size_t left = in->buf.len - in->end;

	/* At the end of a file there may be no memory. */
	return left == 0 ? STR("") : (struct str){ in->buf.p + in->end, left };
}

/*
 * The same, at least n bytes unless the input ends first.  They are not taken,
 * and valid until the next call.
 */
struct str input_more(struct input *in, size_t n);

static inline struct str
input_bytes(struct input *in, size_t n)
{
	const struct str left = input_left(in);

	return left.len >= n ? left : input_more(in, n);
}

/* Take n of the bytes that input_bytes() gave. */
static inline void
input_take(struct input *in, size_t n)
{
	in->next = in->end += n;
}

/*
 * Go to an offset from the start of the input: back only where in->size is
 * known, forward anywhere.  False, and nothing done, if it cannot go back.
 */
bool input_seek(struct input *in, uint64_t offset);

/*
 * From now on, map a regular file instead of reading it: bytes that are passed
 * over cost nothing.  For binary formats; nothing for what is no file.  If the
 * file is made shorter meanwhile, the program ends with status 2.
 */
void input_map(struct input *in);

/* Read on from the start of another file of size bytes, which is taken. */
void input_replace(struct input *in, int fd, uint64_t size);

/*
 * Count something that was not understood, at in->line.  The first one's
 * place and reason are kept; bytes of the input in them are escaped.
 */
void input_bad(struct input *in, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
