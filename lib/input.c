/* input.c - one named input: a file or standard input, by lines. */
#include "input.h"

#include "mem.h"
#include "utf8.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Fits the second level cache beside the reader's tables. */
#define CHUNK (128 * 1024)

/* How much of a file is mapped at a time; a multiple of the page. */
#define WINDOW ((size_t)4 << 20)

/* How much is looked at before it is known what it is. */
#define FIRST_CHUNK 4096

/* Bytes that say how a file is compressed. */
#define MAGIC 4

/*
 * Read once, up to size bytes, 0 for the usual number, into the buffer; notes
 * the end of the input.  False if there is nothing for now.
 */
static bool
fill(struct input *in, size_t size)
{
	enum input_wait what = INPUT_READ;
	ssize_t n;

	if (in->wait != NULL)
		what = in->wait(in->wait_arg, in->fd);
	if (what != INPUT_READ) {
		in->eof = what == INPUT_STOP;
		return in->eof;
	}
	if (size == 0)
		size = in->chunk > 0 ? in->chunk : CHUNK;
	buf_reserve(&in->buf, size + INPUT_PAD + 1);
	do
		n = read(in->fd, in->buf.p + in->buf.len, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err(2, "%s", in->name);
	if (n == 0)
		in->eof = true;
	in->buf.len += (size_t)n;
	in->bytes += (uint64_t)n;
	if (in->progress != NULL)
		in->progress(in);
	return true;
}

/* Read on through "filter -dc". */
static void
decompress(struct input *in, char *filter)
{
	in->fd = unpack_begin(&in->unpack, in->name, in->fd,
			      buf_slice(&in->buf), filter);
	in->eof = false;
	in->size = 0;
	in->bytes = in->buf.len = 0;
}

struct str
input_peek(struct input *in, size_t n)
{
	while (!in->eof && in->buf.len < n &&
	       fill(in, n < FIRST_CHUNK ? FIRST_CHUNK : n))
		continue;
	return (struct str){ in->buf.p, in->buf.len < n ? in->buf.len : n };
}

/* Go on with the file "data" of a folder. */
static void
enter(struct input *in, const char *path, struct stat *st)
{
	int fd = openat(in->fd, "data", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, st) != 0) {
		errno = EISDIR;
		err(2, "%s", in->name);
	}
	close(in->fd);
	in->fd = fd;
	in->folder = path;
}

static void
set_name(struct input *in, struct str name)
{
	utf8_escape(&in->label, name);
	buf_char(&in->label, '\0');
	in->name = in->label.p;
}

/* The program that decompresses what begins so, NULL for none. */
static char *
filter_of(struct str magic)
{
	static char gzip[] = "gzip", zstd[] = "zstd";

	return str_starts(magic, STR("\x1f\x8b"))         ? gzip :
	       str_starts(magic, STR("\x28\xb5\x2f\xfd")) ? zstd :
							    NULL;
}

/* What kind of file it is, and whether it is compressed. */
static void
look(struct input *in, const struct stat *st)
{
	char *filter;

	if (S_ISREG(st->st_mode) && st->st_size > 0)
		in->size = (uint64_t)st->st_size;
	if (S_ISFIFO(st->st_mode))
		fcntl(in->fd, F_SETPIPE_SZ, 1 << 20); /* fewer switches */
	filter = filter_of(input_peek(in, MAGIC));
	if (filter != NULL)
		decompress(in, filter);
}

bool
input_may_be_packed(const char *path)
{
	char magic[MAGIC];
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, magic, sizeof(magic));
	if (fd >= 0)
		close(fd);
	return n < 0 || filter_of((struct str){ magic, (size_t)n }) != NULL;
}

void
input_await(struct input *in, enum input_wait (*wait)(void *arg, int fd),
	    void *arg)
{
	in->wait = wait;
	in->wait_arg = arg;
	in->eof = false;
}

/* Open a file, or standard input. */
static void
begin(struct input *in, const char *path, int flags, struct tally *tally)
{
	const bool standard = strcmp(path, "-") == 0;

	*in = (struct input){ .tally = tally };
	set_name(in, standard ? STR("stdin") : str_of(path));
	in->fd = standard ? fcntl(0, F_DUPFD_CLOEXEC, 3) :
			    open(path, O_RDONLY | O_CLOEXEC | flags);
	if (in->fd < 0)
		err(2, "%s", in->name);
}

void
input_open(struct input *in, const char *path, struct tally *tally)
{
	struct stat st;

	begin(in, path, 0, tally);
	if (fstat(in->fd, &st) != 0)
		err(2, "%s", in->name);
	if (S_ISDIR(st.st_mode))
		enter(in, path, &st);
	look(in, &st);
}

void
input_open_live(struct input *in, const char *path, struct tally *tally)
{
	begin(in, path, O_NONBLOCK, tally);
}

void
input_open_fd(struct input *in, const char *name, int fd, struct tally *tally)
{
	struct stat st;

	*in = (struct input){ .tally = tally, .fd = fd };
	set_name(in, str_of(name));
	if (fstat(fd, &st) != 0)
		err(2, "%s", in->name);
	look(in, &st);
}

/* Mapped files.  The buffer is a window that slides over the file. */

static void
unmap(struct input *in)
{
	if (in->buf.p != NULL)
		munmap(in->buf.p, in->buf.cap);
	in->buf = (struct buf){ 0 };
}

/* Where in the file the next byte is. */
static uint64_t
position(const struct input *in)
{
	return in->bytes - (in->buf.len - in->end);
}

/* Move the window to the next byte, and make it n bytes long at least. */
static void
slide(struct input *in, size_t n)
{
	const uint64_t at = position(in), start = at - at % WINDOW;
	const uint64_t left = in->size - start;
	size_t size = WINDOW;

	while (size < left && size - (at - start) < n)
		size += WINDOW;
	if (size > left)
		size = (size_t)left;
	unmap(in);
	in->buf.p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, in->fd,
			 (off_t)start);
	if (in->buf.p == MAP_FAILED)
		err(2, "%s", in->name);
	in->buf.len = in->buf.cap = size;
	in->next = in->end = (size_t)(at - start);
	in->bytes = start + size;
	in->eof = in->bytes == in->size;
	if (in->progress != NULL)
		in->progress(in);
}

/* Someone made the file shorter: what was there cannot be read any more. */
static void
cut_off(int sig)
{
	static const char message[] = "a file was cut off while it was read\n";

	(void)sig;
	if (write(2, message, sizeof(message) - 1) >= 0)
		_exit(2);
	_exit(2);
}

void
input_map(struct input *in)
{
	const uint64_t at = position(in);

	if (in->size == 0 || lseek(in->fd, 0, SEEK_CUR) != (off_t)in->bytes)
		return;
	signal(SIGBUS, cut_off);
	buf_free(&in->buf);
	in->next = in->end = 0;
	in->mapped = true;
	in->bytes = at;
	in->eof = at >= in->size;
}

void
input_close(struct input *in)
{
	close(in->fd);
	unpack_end(&in->unpack, in->name, in->eof);
	if (in->mapped)
		unmap(in);
	buf_free(&in->buf);
	buf_free(&in->label);
}

/* Find whole lines behind what was given out; false if there are none. */
static bool
more_lines(struct input *in)
{
	char *lf;
	size_t tail = in->buf.len - in->end, searched = 0;

	if (tail > 0 && in->end > 0)
		memmove(in->buf.p, in->buf.p + in->end, tail);
	in->buf.len = tail;
	in->next = in->end = 0;
	for (;;) {
		lf = in->buf.len == searched ?
			 NULL :
			 memrchr(in->buf.p + searched, '\n',
				 in->buf.len - searched);
		if (lf != NULL) {
			in->end = (size_t)(lf + 1 - in->buf.p);
			return true;
		}
		if (in->eof)
			break;
		searched = in->buf.len;
		if (!fill(in, 0))
			return false;
	}
	if (in->buf.len == 0)
		return false;
	buf_reserve(&in->buf, 1 + INPUT_PAD);
	in->buf.p[in->buf.len++] = '\n';
	in->end = in->buf.len;
	return true;
}

bool
input_block(struct input *in, struct str *block)
{
	if (in->next == in->end && !more_lines(in))
		return false;
	*block = (struct str){ in->buf.p + in->next, in->end - in->next };
	in->next = in->end;
	return true;
}

bool
input_line(struct input *in, struct str *line)
{
	const char *p, *lf;

	if (in->next == in->end && !more_lines(in))
		return false;
	p = in->buf.p + in->next;
	lf = memchr(p, '\n', in->end - in->next);
	*line = str_range(p, lf);
	in->next += line->len + 1;
	in->line++;
	return true;
}

struct str
input_more(struct input *in, size_t n)
{
	size_t left = in->buf.len - in->end;

	if (in->eof)
		return input_left(in);
	if (in->mapped) {
		slide(in, n);
	} else if (in->end > 0) {
		if (left > 0)
			memmove(in->buf.p, in->buf.p + in->end, left);
		in->buf.len = left;
		in->end = in->next = 0;
	}
	while (in->buf.len - in->end < n && !in->eof && fill(in, 0))
		continue;
	return input_left(in);
}

bool
input_seek(struct input *in, uint64_t offset)
{
	uint64_t at = position(in), first;
	struct str bytes;

	first = in->bytes - in->buf.len; /* offset of the buffer */
	if (offset >= first && offset <= in->bytes) {
		in->next = in->end = (size_t)(offset - first);
		return true;
	}
	if (in->mapped) {
		unmap(in);
		in->bytes = offset;
		in->end = in->next = 0;
		in->eof = offset >= in->size;
		return true;
	}
	if (in->size > 0 &&
	    lseek(in->fd, (off_t)(offset - in->bytes), SEEK_CUR) >= 0) {
		in->bytes = offset;
		in->buf.len = in->end = in->next = 0;
		in->eof = false;
		return true;
	}
	if (offset < at)
		return false;
	while (at < offset && (bytes = input_bytes(in, 1)).len > 0) {
		if (bytes.len > offset - at)
			bytes.len = (size_t)(offset - at);
		input_take(in, bytes.len);
		at += bytes.len;
	}
	return true;
}

void
input_replace(struct input *in, int fd, uint64_t size)
{
	if (in->mapped)
		unmap(in);
	in->mapped = false;
	close(in->fd);
	in->fd = fd;
	in->size = size;
	in->bytes = 0;
	in->buf.len = in->end = in->next = 0;
	in->eof = false;
}

void
input_bad(struct input *in, const char *fmt, ...)
{
	char *reason;
	va_list ap;
	int n;

	if (in->tally->bad++ > 0)
		return;
	va_start(ap, fmt);
	n = vasprintf(&reason, fmt, ap);
	va_end(ap);
	if (n < 0)
		err(2, NULL);
	buf_printf(&in->tally->first, "%s:%" PRIu64 ": ", in->name, in->line);
	utf8_escape(&in->tally->first, str_of(reason));
	free(reason);
}
