/* input.c - read a file or standard input, by lines or bytes. */
#include "io/input.h"

#include "base/mem.h"
#include "base/utf8.h"

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

/* Bytes for each read.  Leaves room for tables in the second level cache. */
#define CHUNK (128 * 1024)

/* Bytes to map at a time; a multiple of the page size. */
#define WINDOW ((size_t)4 << 20)

/* Bytes to read for the detection of the format. */
#define FIRST_CHUNK 4096

/* Bytes that identify a compression format. */
#define MAGIC 4

/* Limits of all inputs; 0: none. */
static uint64_t line_limit, ratio_limit;

void
input_set_limits(uint64_t line, uint64_t ratio)
{
	line_limit = line;
	ratio_limit = ratio;
}

/* End the program if a decompressor makes absurdly much of its input. */
static void
check_ratio(const struct input *in)
{
	const uint64_t enough = UINT64_C(1) << 30;

	if (ratio_limit == 0 || in->unpack.child == 0 || in->bytes <= enough ||
	    in->bytes / ratio_limit <= decompress_taken(&in->unpack))
		return;
	errx(2,
	     "%s: decompresses to more than %" PRIu64
	     " times its size, the limit of --limits ratio=",
	     in->name, ratio_limit);
}

/* End the program if the line that begins the buffer is too long. */
static void
check_line(const struct input *in)
{
	if (line_limit > 0 && in->buf.len > line_limit)
		errx(2,
		     "%s:%" PRIu64 ": a line of more than %" PRIu64
		     " bytes, the limit of --limits line=",
		     in->name, in->line + 1, line_limit);
}

/* read(2), or pread(2) in a part of a file; 0 at the end. */
static ssize_t
read_some(struct input *in, char *p, size_t size)
{
	ssize_t n;

	if (in->part_end > 0 && size > in->part_end - in->part_at)
		size = (size_t)(in->part_end - in->part_at);
	do
		n = in->part_end > 0 ?
			pread(in->fd, p, size, (off_t)in->part_at) :
			read(in->fd, p, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err(2, "%s", in->name);
	in->part_at += (uint64_t)n;
	return n;
}

/*
 * Read up to size bytes into the buffer; 0 is the default.  Sets in->eof at the
 * end.  False if wait() returned INPUT_LATER.
 */
static bool
fill(struct input *in, size_t size)
{
	enum input_wait action = INPUT_READ;
	ssize_t n;

	if (in->wait != NULL)
		action = in->wait(in->wait_arg, in->fd);
	if (action != INPUT_READ) {
		in->eof = action == INPUT_STOP;
		return in->eof;
	}
	if (size == 0)
		size = in->chunk > 0 ? in->chunk : CHUNK;
	buf_reserve(&in->buf, size + INPUT_PAD + 1);
	n = read_some(in, in->buf.p + in->buf.len, size);
	if (n == 0)
		in->eof = true;
	in->buf.len += (size_t)n;
	in->bytes += (uint64_t)n;
	check_ratio(in);
	if (in->progress != NULL)
		in->progress(in);
	return true;
}

/* Continue through "filter -dc". */
static void
decompress(struct input *in, char *filter)
{
	in->fd = decompress_begin(&in->unpack, in->name, in->fd,
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

/* Replace the folder by the file "data" in it. */
static void
open_data(struct input *in, const char *path, struct stat *st)
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

/* The program that decompresses data with this start, NULL for none. */
static char *
find_filter(struct str magic)
{
	static char gzip[] = "gzip", zstd[] = "zstd";

	return str_starts(magic, STR("\x1f\x8b"))         ? gzip :
	       str_starts(magic, STR("\x28\xb5\x2f\xfd")) ? zstd :
							    NULL;
}

/* Detect the kind of file, and whether it is compressed. */
static void
detect(struct input *in, const struct stat *st)
{
	char *filter;

	if (S_ISREG(st->st_mode) && st->st_size > 0)
		in->size = (uint64_t)st->st_size;
	if (S_ISFIFO(st->st_mode))
		fcntl(in->fd, F_SETPIPE_SZ, 1 << 20); /* fewer wakeups */
	filter = find_filter(input_peek(in, MAGIC));
	if (filter != NULL)
		decompress(in, filter);
}

bool
input_may_be_compressed(const char *path)
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
	return n < 0 || find_filter((struct str){ magic, (size_t)n }) != NULL;
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
open_path(struct input *in, const char *path, int flags, struct tally *tally)
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

	open_path(in, path, 0, tally);
	if (fstat(in->fd, &st) != 0)
		err(2, "%s", in->name);
	if (S_ISDIR(st.st_mode))
		open_data(in, path, &st);
	detect(in, &st);
}

void
input_open_live(struct input *in, const char *path, struct tally *tally)
{
	open_path(in, path, O_NONBLOCK, tally);
}

void
input_open_fd(struct input *in, const char *name, int fd, struct tally *tally)
{
	struct stat st;

	*in = (struct input){ .tally = tally, .fd = fd };
	set_name(in, str_of(name));
	if (fstat(fd, &st) != 0)
		err(2, "%s", in->name);
	detect(in, &st);
}

bool
input_can_repeat(const struct input *in)
{
	return in->size > 0 && in->wait == NULL && in->part_end == 0 &&
	       lseek(in->fd, 0, SEEK_CUR) == (off_t)in->bytes;
}

bool
input_part(struct input *part, const struct input *whole, uint64_t from,
	   uint64_t to, struct tally *tally)
{
	if (whole->size == 0 || whole->wait != NULL || to > whole->size ||
	    from >= to)
		return false;
	*part = (struct input){ .tally = tally,
				.name = whole->name,
				.fd = whole->fd,
				.part_at = from,
				.part_end = to };
	if (whole->mapped) {
		part->mapped = true;
		part->bytes = from;
		part->size = to;
	}
	return true;
}

/* Mapped files: the buffer is a window that moves over the file. */

static void
unmap(struct input *in)
{
	if (in->buf.p != NULL)
		munmap(in->buf.p, in->buf.cap);
	in->buf = (struct buf){ 0 };
}

/* The offset of the next byte in the input. */
static uint64_t
position(const struct input *in)
{
	return in->bytes - (in->buf.len - in->end);
}

/* Move the window to the next byte, with at least n bytes from there. */
static void
move_window(struct input *in, size_t n)
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

/* Another process truncated the mapped file. */
static void
on_truncated(int sig)
{
	static const char message[] =
	    "a file was truncated while it was read\n";

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
	signal(SIGBUS, on_truncated);
	buf_free(&in->buf);
	in->next = in->end = 0;
	in->mapped = true;
	in->bytes = at;
	in->eof = at >= in->size;
}

void
input_close(struct input *in)
{
	if (in->part_end == 0)
		close(in->fd);
	decompress_end(&in->unpack, in->name, in->eof);
	if (in->mapped)
		unmap(in);
	buf_free(&in->buf);
	buf_free(&in->label);
}

/* Read the next whole lines; false at the end, or if there are none yet. */
static bool
read_lines(struct input *in)
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
		check_line(in);
		searched = in->buf.len;
		if (!fill(in, 0))
			return false;
	}
	if (in->buf.len == 0)
		return false;
	buf_reserve(&in->buf, 1 + INPUT_PAD);
	in->buf.p[in->buf.len++] = '\n';
	in->end = in->buf.len;
	in->unended = true;
	return true;
}

bool
input_block(struct input *in, struct str *block)
{
	if (in->next == in->end && !read_lines(in))
		return false;
	*block = (struct str){ in->buf.p + in->next, in->end - in->next };
	in->next = in->end;
	return true;
}

bool
input_line(struct input *in, struct str *line)
{
	const char *p, *lf;

	if (in->next == in->end && !read_lines(in))
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
		return input_buffered(in);
	if (in->mapped) {
		move_window(in, n);
	} else if (in->end > 0) {
		if (left > 0)
			memmove(in->buf.p, in->buf.p + in->end, left);
		in->buf.len = left;
		in->end = in->next = 0;
	}
	while (in->buf.len - in->end < n && !in->eof && fill(in, 0))
		continue;
	return input_buffered(in);
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
