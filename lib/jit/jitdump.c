/* jitdump.c - reads the records of a jitdump, the code log of a JIT. */
#include "jit/jitdump.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "jit/jitinline.h"
#include "os/readfile.h"
#include "os/sys_error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 40, PREFIX = 16 };
#define MAGIC 0x4a695444u
#define ARCH_TIMESTAMP 1u

/* Bytes that are read at a time. */
#define CHUNK ((size_t)1 << 18)

/* A record holds one function.  Larger ones are damaged, and cost memory. */
#define LARGEST ((uint32_t)1 << 26)

/* How many faults are described. */
#define DESCRIBED 4

struct jitdump {
	int fd;
	uint64_t size, at;  /* of the file; offset of the next record */
	struct buf window;  /* a part of the file, */
	uint64_t window_at; /* from this offset */
	bool swap;
	int machine;
	int64_t pid;
	uint64_t flags;
	uint64_t bad;
	struct buf faults;
};

void
jitdump_fault(struct jitdump *d, uint64_t offset, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (d->bad++ >= DESCRIBED)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_printf(&d->faults, "%soffset %" PRIu64 ": ", d->bad > 1 ? "; " : "",
		   offset);
	utf8_escape(&d->faults, str_of(text));
}

bool
jitdump_read(struct jitdump *d, uint64_t offset, void *to, size_t n)
{
	if (readfile_at(d->fd, to, n, offset))
		return true;
	sys_error_check_fd(d->fd);
	return false;
}

/*
 * n bytes at an offset, within the size that the file had.  NULL if it has
 * become shorter.
 */
static const char *
bytes_at(struct jitdump *d, uint64_t offset, size_t n)
{
	struct buf *w = &d->window;
	uint64_t rest = d->size - offset;
	size_t want = n > CHUNK ? n : CHUNK;

	if (offset >= d->window_at && offset - d->window_at <= w->len &&
	    w->len - (offset - d->window_at) >= n)
		return w->p + (offset - d->window_at);
	if (want > rest)
		want = (size_t)rest;
	w->len = 0;
	buf_reserve(w, want + 1);
	if (!jitdump_read(d, offset, w->p, want))
		return NULL;
	w->len = want;
	d->window_at = offset;
	return w->p;
}

/* The header. */

static bool
check_header(struct jitdump *d, uint32_t version, uint32_t total,
	     struct buf *why)
{
	if (version != 1)
		buf_printf(why, "version %" PRIu32, version);
	else if (total < HEADER || total > d->size)
		buf_printf(why, "header size %" PRIu32, total);
	else if (d->flags & ~(uint64_t)ARCH_TIMESTAMP)
		buf_printf(why, "unknown flags 0x%" PRIx64, d->flags);
	else
		return true;
	return false;
}

static bool
read_header(struct jitdump *d, struct buf *why)
{
	const char *p = d->size < HEADER ? NULL : bytes_at(d, 0, HEADER);
	struct cursor c;
	uint32_t magic, version, total;

	if (p == NULL) {
		buf_printf(why, "short header (%" PRIu64 " bytes)", d->size);
		return false;
	}
	c = cursor_of((struct str){ p, HEADER }, false);
	magic = cursor_u32(&c);
	c.swap = d->swap = magic == __builtin_bswap32(MAGIC);
	if (magic != MAGIC && !d->swap) {
		buf_printf(why, "bad magic 0x%08" PRIx32, magic);
		return false;
	}
	version = cursor_u32(&c);
	total = cursor_u32(&c);
	d->machine = (int)(cursor_u32(&c) & 0xffff);
	cursor_u32(&c); /* padding */
	d->pid = cursor_u32(&c);
	cursor_u64(&c); /* time of creation */
	d->flags = cursor_u64(&c);
	d->at = total;
	return check_header(d, version, total, why);
}

struct jitdump *
jitdump_open(const char *path, enum trust trust, uint32_t owner,
	     struct buf *why)
{
	const char *reason = NULL;
	int fd = owner_check_open(path, trust, owner, &reason);
	struct jitdump *d;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		buf_str(why, str_of(reason == NULL ? strerror(errno) : reason));
		return NULL;
	}
	d = mem_zero(1, sizeof(*d));
	d->fd = fd;
	d->size = (uint64_t)st.st_size;
	if (read_header(d, why))
		return d;
	jitdump_close(d);
	return NULL;
}

void
jitdump_close(struct jitdump *d)
{
	close(d->fd);
	buf_free(&d->window);
	buf_free(&d->faults);
	free(d);
}

int64_t
jitdump_pid(const struct jitdump *d)
{
	return d->pid;
}

bool
jitdump_has_ticks(const struct jitdump *d)
{
	return (d->flags & ARCH_TIMESTAMP) != 0;
}

int
jitdump_machine(const struct jitdump *d)
{
	return d->machine;
}

bool
jitdump_swapped(const struct jitdump *d)
{
	return d->swap;
}

uint64_t
jitdump_bad(const struct jitdump *d)
{
	return d->bad;
}

struct str
jitdump_faults(const struct jitdump *d)
{
	return buf_slice(&d->faults);
}

/* Lines. */

/*
 * V8 adds the size of an ELF header to addresses.  Erlang has lines a few bytes
 * before the code.
 */
enum { SLACK = 64 };

struct jitdump_lines
jitdump_lines(struct str lines, bool swapped, uint64_t start, uint64_t size)
{
	return (struct jitdump_lines){ .c = cursor_of(lines, swapped),
				       .start = start - SLACK,
				       .size = size == 0 ? 0 :
							   size + 2 * SLACK };
}

/* Skip to the next plausible address. */
static void
find_address(struct jitdump_lines *l)
{
	struct cursor c = l->c;

	while (l->size > 0 && cursor_left(&c) >= sizeof(uint64_t)) {
		if (cursor_u64(&c) - l->start < l->size) {
			l->c.p = c.p - sizeof(uint64_t);
			return;
		}
		c.p -= sizeof(uint64_t) - 1;
		l->lost = true;
	}
	if (l->size > 0)
		l->c.p = l->c.end;
}

/* Text up to a NUL; bad if there is none. */
static struct str
cut_text(struct cursor *c)
{
	struct str rest = { c->p, cursor_left(c) };
	const char *nul = str_find(rest, '\0');

	if (nul == NULL) {
		c->bad = true;
		c->p = c->end;
		return STR("");
	}
	c->p = nul + 1;
	return str_range(rest.p, nul);
}

bool
jitdump_line(struct jitdump_lines *l, struct jitdump_line *line)
{
	struct str file;

	if (cursor_left(&l->c) == 0)
		return false;
	find_address(l);
	line->address = cursor_u64(&l->c);
	line->line = (int32_t)cursor_u32(&l->c);
	cursor_u32(&l->c); /* the discriminator */
	file = cut_text(&l->c);
	if (l->c.bad)
		return false;
	/* "\xff" is short for the name before. */
	if (!str_eq(file, STR("\xff")))
		l->file = file;
	line->file = l->file;
	return true;
}

/* Records. */

static const char *
id_name(uint32_t id)
{
	static const char *const names[] = { "LOAD", "MOVE", "DEBUG_INFO",
					     "CLOSE", "UNWINDING_INFO" };

	return id <= JITDUMP_UNWIND ? names[id] : "unknown id";
}

static bool
read_load(struct jitdump *d, struct cursor *c, struct jitdump_record *r)
{
	r->pid = cursor_u32(c);
	cursor_u32(c); /* thread */
	cursor_u64(c); /* vma: the address again */
	r->start = cursor_u64(c);
	r->size = cursor_u64(c);
	r->index = cursor_u64(c);
	if (!c->bad)
		r->name = cut_text(c);
	if (c->bad) {
		jitdump_fault(d, r->offset, "LOAD name not terminated");
		return false;
	}
	r->bytes = (struct str){ c->p, cursor_left(c) };
	if (r->size > r->bytes.len)
		jitdump_fault(d, r->offset,
			      "code_size %" PRIu64
			      " > %zu bytes of code in record",
			      r->size, r->bytes.len);
	else
		r->bytes.len = (size_t)r->size;
	return true;
}

static bool
read_move(struct jitdump *d, struct cursor *c, struct jitdump_record *r)
{
	r->pid = cursor_u32(c);
	cursor_u32(c); /* thread */
	cursor_u64(c); /* vma */
	r->old_start = cursor_u64(c);
	r->start = cursor_u64(c);
	r->size = cursor_u64(c);
	r->index = cursor_u64(c);
	if (c->bad)
		jitdump_fault(d, r->offset, "MOVE is too short");
	return !c->bad;
}

/* The table of inlined functions may follow the lines. */
static void
read_inlines(struct jitdump *d, struct str table, struct jitdump_record *r)
{
	struct jitinline *t;

	if (!str_starts(table, STR(JITINLINE_MAGIC)))
		return;
	r->bytes.len = (size_t)(table.p - r->bytes.p);
	t = jitinline_new(table, d->swap);
	if (t != NULL)
		r->inlines = table;
	else
		jitdump_fault(d, r->offset,
			      "DEBUG_INFO has a damaged table of inlined "
			      "functions");
	jitinline_free(t);
}

/* Read all lines to check their number. */
static bool
read_debug(struct jitdump *d, struct cursor *c, struct jitdump_record *r)
{
	uint64_t claimed, n = 0;
	struct jitdump_lines lines;
	struct jitdump_line line;
	const char *begin;

	cursor_u64(c); /* about the address of the next LOAD */
	claimed = cursor_u64(c);
	if (c->bad) {
		jitdump_fault(d, r->offset, "DEBUG_INFO is too short");
		return false;
	}
	begin = c->p;
	r->bytes = (struct str){ begin, cursor_left(c) };
	lines = jitdump_lines(r->bytes, d->swap, 0, 0);
	while (n < claimed && jitdump_line(&lines, &line))
		n++;
	if (n < claimed)
		jitdump_fault(d, r->offset,
			      "DEBUG_INFO entry %" PRIu64 " of %" PRIu64
			      " runs over",
			      n, claimed);
	else
		read_inlines(
		    d, (struct str){ lines.c.p, cursor_left(&lines.c) }, r);
	return true;
}

static bool
read_unwind(struct jitdump *d, struct cursor *c, struct jitdump_record *r)
{
	uint64_t size = cursor_u64(c);

	r->hdr_size = cursor_u64(c);
	cursor_u64(c); /* how much of it the JIT has mapped */
	r->bytes = cursor_bytes(c, size);
	if (c->bad || r->hdr_size > size) {
		jitdump_fault(d, r->offset,
			      "UNWINDING_INFO of %" PRIu64 " bytes runs over",
			      size);
		return false;
	}
	return true;
}

/* Read what follows the prefix; false to skip the record. */
static bool
read_payload(struct jitdump *d, struct cursor *c, uint32_t id,
	     struct jitdump_record *r)
{
	switch (id) {
	case JITDUMP_LOAD:
		return read_load(d, c, r);
	case JITDUMP_MOVE:
		return read_move(d, c, r);
	case JITDUMP_DEBUG:
		return read_debug(d, c, r);
	case JITDUMP_UNWIND:
		return read_unwind(d, c, r);
	case JITDUMP_CLOSE:
		return true;
	default:
		jitdump_fault(d, r->offset,
			      "unknown record id %" PRIu32 ", skipped", id);
		return false;
	}
}

/* The id and size of the next record; false at the end. */
static bool
next_prefix(struct jitdump *d, uint32_t *id, uint32_t *total)
{
	uint64_t rest = d->size - d->at;
	const char *p;
	struct cursor c;

	if (rest == 0)
		return false;
	p = rest < PREFIX ? NULL : bytes_at(d, d->at, PREFIX);
	if (p == NULL) {
		jitdump_fault(d, d->at, "truncated record header");
		return false;
	}
	c = cursor_of((struct str){ p, PREFIX }, d->swap);
	*id = cursor_u32(&c);
	*total = cursor_u32(&c);
	if (*total < PREFIX)
		jitdump_fault(d, d->at, "record size %" PRIu32 " < 16", *total);
	return *total >= PREFIX;
}

/* The bytes of the next record; empty at the end. */
static struct str
next_bytes(struct jitdump *d)
{
	uint32_t id, total;
	const char *p;

	while (next_prefix(d, &id, &total)) {
		if (total > LARGEST && total <= d->size - d->at) {
			jitdump_fault(d, d->at,
				      "record %s of %" PRIu32 " bytes, skipped",
				      id_name(id), total);
			d->at += total;
			continue;
		}
		p = total > d->size - d->at ? NULL : bytes_at(d, d->at, total);
		if (p != NULL)
			return (struct str){ p, total };
		jitdump_fault(d, d->at,
			      "record %s says %" PRIu32 " bytes, %" PRIu64
			      " left: truncated",
			      id_name(id), total, d->size - d->at);
		break;
	}
	return STR("");
}

bool
jitdump_next(struct jitdump *d, struct jitdump_record *r)
{
	struct str bytes;
	struct cursor c;
	uint32_t id;

	while ((bytes = next_bytes(d)).len > 0) {
		c = cursor_of(bytes, d->swap);
		id = cursor_u32(&c);
		cursor_u32(&c); /* its size */
		*r = (struct jitdump_record){ .offset = d->at };
		r->time = cursor_u64(&c);
		d->at += bytes.len;
		if (!read_payload(d, &c, id, r))
			continue;
		if (r->bytes.len > 0)
			r->bytes_at = r->offset +
				      (uint64_t)(r->bytes.p - bytes.p);
		if (r->inlines.len > 0)
			r->inlines_at = r->offset +
					(uint64_t)(r->inlines.p - bytes.p);
		r->id = (enum jitdump_id)id;
		return true;
	}
	d->at = d->size; /* no record can be found after a damaged one */
	return false;
}
