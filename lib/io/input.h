/* input.h - read a file or standard input, by lines or bytes. */
#ifndef INPUT_H
#define INPUT_H

#include "base/buf.h"
#include "io/decompress.h"

/* What to do before a read that may block. */
enum input_wait {
	INPUT_READ,  /* read, and perhaps block */
	INPUT_LATER, /* do not read: return the data so far */
	INPUT_STOP   /* do not read: end the input */
};

/* Statistics of all inputs of a command. */
struct tally {
	uint64_t good;        /* stacks, samples or records understood */
	uint64_t bad;         /* lines or records not understood */
	struct buf first;     /* place and reason of the first bad one */
	const char *bad_unit; /* unit of bad; NULL is "line" */
	const char *advice;   /* message if most is bad; may be NULL */
};

struct input {
	const char *name; /* for messages: "stdin" for standard input */
	uint64_t line;    /* number of the line last read, from 1 */
	struct tally *tally;
	const char *folder; /* the path, if it names a folder; else NULL */

	/* Called after each read, for progress; may be NULL. */
	void (*progress)(struct input *);
	double began, shown; /* for progress: seconds on its clock */
	size_t chunk;        /* bytes for each read; 0 is a good default */
	uint64_t size;       /* size of a regular file, 0 if unknown */
	uint64_t bytes;      /* bytes read so far, after decompression */
	bool unended;        /* the last line, already returned, had no LF */

	/* Private to input.c. */
	int fd;
	uint64_t part_at, part_end; /* of input_part(): offsets of its rest */
	struct decompress unpack;
	bool eof, mapped;
	enum input_wait (*wait)(void *arg, int fd);
	void *wait_arg;
	struct buf buf;   /* bytes read, or a window of the mapped file */
	size_t next, end; /* in buf: whole lines not yet returned */
	struct buf label;
};

/*
 * Open a file, or standard input for "-".  If the path is a folder, as "perf
 * record --threads" creates, opens the file "data" in it.  Input in gzip or
 * zstd format is read through "gzip -dc" or "zstd -dc".
 *
 * Errors of the system, here and in the functions below, end the program with
 * status 2.  The tally belongs to the caller and must outlive the input.
 * Release with input_close().
 */
void input_open(struct input *in, const char *path, struct tally *tally);

/* Like input_open(), for an open file at its start; input_close() closes fd. */
void input_open_fd(struct input *in, const char *name, int fd,
		   struct tally *tally);

/*
 * Like input_open(), for a file or FIFO that is still written, to be read with
 * input_await().  Does not block, and does not decompress.
 */
void input_open_live(struct input *in, const char *path, struct tally *tally);

/*
 * From now on, call wait() before each read, with the descriptor to read.  An
 * input that reached its end continues, because the file may grow.
 */
void input_await(struct input *in, enum input_wait (*wait)(void *arg, int fd),
		 void *arg);

/* Whether the input ended and all of it was returned. */
static inline bool
input_ended(const struct input *in)
{
	return in->eof && in->next == in->end && in->end == in->buf.len;
}

/*
 * The descriptor that the next read may block on; -1 if there are bytes in the
 * buffer, the input ended, or input_await() was not called.
 */
static inline int
input_wait_fd(const struct input *in)
{
	return in->wait == NULL || in->eof || in->end < in->buf.len ? -1 :
								      in->fd;
}

/*
 * Open the bytes from one offset to another of the file that whole reads, for
 * input_line() and input_block().  False if it is no regular file that is read
 * as it is.  The part has a position of its own, so parts can be read by
 * several threads, and ends before whole does.  Offsets are those of the file;
 * a part of a mapped file is mapped.
 */
bool input_part(struct input *part, const struct input *whole, uint64_t from,
		uint64_t to, struct tally *tally);

/*
 * Whether input_part() can read the input from its start.  For an input of
 * which nothing was returned yet.
 */
bool input_can_repeat(const struct input *in);

/*
 * Whether input_open() may run a decompressor for a file.  True also if that is
 * unknown: for a pipe, a test would block or consume data.
 */
bool input_may_be_compressed(const char *path);

/*
 * For all inputs from now on: end the program with status 2 and a message if a
 * line has more bytes, or if a decompressor makes more bytes of each one of its
 * input and 1 GiB in all.  0: no limit.
 */
void input_set_limits(uint64_t line, uint64_t ratio);

/* Close.  Ends the program with status 2 if the decompressor failed. */
void input_close(struct input *in);

/*
 * The next line without its LF (a CR stays), valid until the next call on this
 * input.  False at the end, or if wait() returned INPUT_LATER and there is no
 * whole line.  The last line may lack its LF.
 */
bool input_line(struct input *in, struct str *line);

/*
 * A block of whole lines, for readers that split it themselves and count
 * in->line.  Each line ends in LF, also the last one of a file that lacks it.
 * INPUT_PAD bytes after the block are readable, with undefined content.  Valid
 * until the next call on this input.  False like input_line().
 */
#define INPUT_PAD 64
bool input_block(struct input *in, struct str *block);

/*
 * The first bytes, up to n, without consuming them.  Only before the first line
 * or block.
 */
struct str input_peek(struct input *in, size_t n);

/* For binary formats: the bytes that are read but not consumed. */
static inline struct str
input_buffered(const struct input *in)
{
	const size_t n = in->buf.len - in->end;

	/* At the end of a file the buffer may be NULL. */
	return n == 0 ? STR("") : (struct str){ in->buf.p + in->end, n };
}

/*
 * The bytes that are not consumed: at least n, unless the input ends first.
 * Valid until the next call.  input_bytes() is the same, but faster.
 */
struct str input_more(struct input *in, size_t n);

static inline struct str
input_bytes(struct input *in, size_t n)
{
	const struct str bytes = input_buffered(in);

	return bytes.len >= n ? bytes : input_more(in, n);
}

/* Consume n of the bytes that input_bytes() returned. */
static inline void
input_take(struct input *in, size_t n)
{
	in->next = in->end += n;
}

/*
 * Go to an offset from the start of the input: forward in any input, back only
 * if in->size is known.  Returns false and does nothing if it cannot go back.
 */
bool input_seek(struct input *in, uint64_t offset);

/*
 * From now on, map the file instead of reading it, so that skipped bytes cost
 * nothing.  For binary formats; no effect unless it is a regular file.  The
 * program ends with status 2 if the file gets shorter while it is mapped.
 */
void input_map(struct input *in);

/* Continue at the start of another file of size bytes, and own its fd. */
void input_replace(struct input *in, int fd, uint64_t size);

/*
 * Count a line or record that is not understood, at in->line.  The tally stores
 * the place and reason of the first one, with control characters escaped.
 */
void input_bad(struct input *in, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
