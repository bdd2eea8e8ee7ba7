/* jitdump.c - the records of a jitdump, the log that a JIT keeps for perf. */
#include "jitdump.h"

#include "mem.h"
#include "outage.h"
#include "readfile.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 40, PREFIX = 16 };
#define MAGIC 0x4a695444u
#define ARCH_TIMESTAMP 1u

/* What is read of the file at a time. */
#define CHUNK ((size_t)1 << 18)

/* A record holds one function; a larger one costs memory and is none. */
#define MOST ((uint32_t)1 << 26)

/* How many faults are told one by one. */
#define TOLD 4

struct jitdump {
	int fd;
	uint64_t size, at; /* of the file, and of the next record in it */
	struct buf window;
	uint64_t window_at; /* where the window begins in the file */
	bool swap;
	int machine;
	int64_t pid;
	uint64_t flags;
	uint64_t bad;
	struct buf faults;
};

void
jitdump_fault(struct jitdump *j, uint64_t offset, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (j->bad++ >= TOLD)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	buf_printf(&j->faults, "%soffset %" PRIu64 ": ", j->bad > 1 ? "; " : "",
		   offset);
	utf8_escape(&j->faults, str_of(text));
}

bool
jitdump_read(struct jitdump *j, uint64_t offset, void *to, size_t n)
{
	if (readfile_at(j->fd, to, n, offset))
		return true;
	outage_check_fd(j->fd);
	return false;
}

/*
 * The n bytes at an offset, which the size of the file allows; NULL if they
 * are not there, for the file may have become shorter.
 */
static const char *
bytes_at(struct jitdump *j, uint64_t offset, size_t n)
{
	struct buf *w = &j->window;
	uint64_t left = j->size - offset;
	size_t want = n > CHUNK ? n : CHUNK;

	if (offset >= j->window_at && offset - j->window_at <= w->len &&
	    w->len - (offset - j->window_at) >= n)
		return w->p + (offset - j->window_at);
	if (want > left)
		want = (size_t)left;
	w->len = 0;
	buf_reserve(w, want + 1);
	if (!jitdump_read(j, offset, w->p, want))
		return NULL;
	w->len = want;
	j->window_at = offset;
	return w->p;
}

/* The header. */

static bool
check_header(struct jitdump *j, uint32_t version, uint32_t total,
	     struct buf *why)
{
	if (version != 1)
		buf_printf(why, "version %" PRIu32, version);
	else if (total < HEADER || total > j->size)
		buf_printf(why, "header size %" PRIu32, total);
	else if (j->flags & ~(uint64_t)ARCH_TIMESTAMP)
		buf_printf(why, "unknown flags 0x%" PRIx64, j->flags);
	else
		return true;
	return false;
}

static bool
read_header(struct jitdump *j, struct buf *why)
{
	const char *p = j->size < HEADER ? NULL : bytes_at(j, 0, HEADER);
	struct cursor c;
	uint32_t magic, version, total;

	if (p == NULL) {
		buf_printf(why, "short header (%" PRIu64 " bytes)", j->size);
		return false;
	}
	c = cursor_of((struct str){ p, HEADER }, false);
	magic = cursor_u32(&c);
	c.swap = j->swap = magic == __builtin_bswap32(MAGIC);
	if (magic != MAGIC && !j->swap) {
		buf_printf(why, "bad magic 0x%08" PRIx32, magic);
		return false;
	}
	version = cursor_u32(&c);
	total = cursor_u32(&c);
	j->machine = (int)(cursor_u32(&c) & 0xffff);
	cursor_u32(&c); /* padding */
	j->pid = cursor_u32(&c);
	cursor_u64(&c); /* when it began */
	j->flags = cursor_u64(&c);
	j->at = total;
	return check_header(j, version, total, why);
}

struct jitdump *
jitdump_open(const char *path, enum trust trust, uint32_t owner,
	     struct buf *why)
{
	const char *reason = NULL;
	int fd = trust_open(path, trust, owner, &reason);
	struct jitdump *j;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		buf_str(why, str_of(reason == NULL ? strerror(errno) : reason));
		return NULL;
	}
	j = mem_zero(1, sizeof(*j));
	j->fd = fd;
	j->size = (uint64_t)st.st_size;
	if (read_header(j, why))
		return j;
	jitdump_close(j);
	return NULL;
}

void
jitdump_close(struct jitdump *j)
{
	close(j->fd);
	buf_free(&j->window);
	buf_free(&j->faults);
	free(j);
}

int64_t
jitdump_pid(const struct jitdump *j)
{
	return j->pid;
}

bool
jitdump_has_ticks(const struct jitdump *j)
{
	return (j->flags & ARCH_TIMESTAMP) != 0;
}

int
jitdump_machine(const struct jitdump *j)
{
	return j->machine;
}

bool
jitdump_swapped(const struct jitdump *j)
{
	return j->swap;
}

uint64_t
jitdump_bad(const struct jitdump *j)
{
	return j->bad;
}

struct str
jitdump_faults(const struct jitdump *j)
{
	return buf_slice(&j->faults);
}

/* Lines. */

/*
 * Addresses are as far off as the header of an ELF file in V8, and by a few
 * bytes before the code with Erlang.
 */
enum { OFF = 64 };

struct jitdump_lines
jitdump_lines(struct str lines, bool swapped, uint64_t start, uint64_t size)
{
	return (struct jitdump_lines){ .c = cursor_of(lines, swapped),
				       .start = start - OFF,
				       .size = size == 0 ? 0 : size + 2 * OFF };
}

/* Go on to where an address in the code stands. */
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
	/* "\xff" alone is short for the name before. */
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

	return id <= JITDUMP_UNWIND ? names[id] : "of an unknown id";
}

static bool
read_load(struct jitdump *j, struct cursor *c, struct jitdump_record *r)
{
	r->pid = cursor_u32(c);
	cursor_u32(c); /* thread */
	cursor_u64(c); /* where the linker thinks it is */
	r->start = cursor_u64(c);
	r->size = cursor_u64(c);
	r->index = cursor_u64(c);
	if (!c->bad)
		r->name = cut_text(c);
	if (c->bad) {
		jitdump_fault(j, r->offset, "LOAD name not terminated");
		return false;
	}
	r->bytes = (struct str){ c->p, cursor_left(c) };
	if (r->size > r->bytes.len)
		jitdump_fault(j, r->offset,
			      "code_size %" PRIu64
			      " > %zu bytes of code in record",
			      r->size, r->bytes.len);
	else
		r->bytes.len = (size_t)r->size;
	return true;
}

static bool
read_move(struct jitdump *j, struct cursor *c, struct jitdump_record *r)
{
	r->pid = cursor_u32(c);
	cursor_u32(c); /* thread */
	cursor_u64(c); /* as in LOAD */
	r->old_start = cursor_u64(c);
	r->start = cursor_u64(c);
	r->size = cursor_u64(c);
	r->index = cursor_u64(c);
	if (c->bad)
		jitdump_fault(j, r->offset, "MOVE is too short");
	return !c->bad;
}

/* The lines are walked, for their number cannot be believed. */
static bool
read_debug(struct jitdump *j, struct cursor *c, struct jitdump_record *r)
{
	uint64_t claimed, n = 0;
	struct jitdump_lines lines;
	struct jitdump_line line;
	const char *begin;

	cursor_u64(c); /* that of the LOAD behind it, or about there */
	claimed = cursor_u64(c);
	if (c->bad) {
		jitdump_fault(j, r->offset, "DEBUG_INFO is too short");
		return false;
	}
	begin = c->p;
	r->bytes = (struct str){ begin, cursor_left(c) };
	lines = jitdump_lines(r->bytes, j->swap, 0, 0);
	while (n < claimed && jitdump_line(&lines, &line))
		n++;
	if (n < claimed)
		jitdump_fault(j, r->offset,
			      "DEBUG_INFO entry %" PRIu64 " of %" PRIu64
			      " runs over",
			      n, claimed);
	return true;
}

static bool
read_unwind(struct jitdump *j, struct cursor *c, struct jitdump_record *r)
{
	uint64_t size = cursor_u64(c);

	r->hdr_size = cursor_u64(c);
	cursor_u64(c); /* what of it the JIT has mapped */
	r->bytes = cursor_bytes(c, size);
	if (c->bad || r->hdr_size > size) {
		jitdump_fault(j, r->offset,
			      "UNWINDING_INFO of %" PRIu64 " bytes runs over",
			      size);
		return false;
	}
	return true;
}

/* What stands behind the prefix; false if the record is to be skipped. */
static bool
read_payload(struct jitdump *j, struct cursor *c, uint32_t id,
	     struct jitdump_record *r)
{
	switch (id) {
	case JITDUMP_LOAD:
		return read_load(j, c, r);
	case JITDUMP_MOVE:
		return read_move(j, c, r);
	case JITDUMP_DEBUG:
		return read_debug(j, c, r);
	case JITDUMP_UNWIND:
		return read_unwind(j, c, r);
	case JITDUMP_CLOSE:
		return true;
	default:
		jitdump_fault(j, r->offset,
			      "unknown record id %" PRIu32 ", skipped", id);
		return false;
	}
}

/* What the next record says it is; false at the end. */
static bool
next_head(struct jitdump *j, uint32_t *id, uint32_t *total)
{
	uint64_t left = j->size - j->at;
	const char *p;
	struct cursor c;

	if (left == 0)
		return false;
	p = left < PREFIX ? NULL : bytes_at(j, j->at, PREFIX);
	if (p == NULL) {
		jitdump_fault(j, j->at, "truncated record header");
		return false;
	}
	c = cursor_of((struct str){ p, PREFIX }, j->swap);
	*id = cursor_u32(&c);
	*total = cursor_u32(&c);
	if (*total < PREFIX)
		jitdump_fault(j, j->at, "record size %" PRIu32 " < 16", *total);
	return *total >= PREFIX;
}

/* The next record as it lies there; empty at the end. */
static struct str
next_bytes(struct jitdump *j)
{
	uint32_t id, total;
	const char *p;

	while (next_head(j, &id, &total)) {
		if (total > MOST && total <= j->size - j->at) {
			jitdump_fault(j, j->at,
				      "record %s of %" PRIu32 " bytes, skipped",
				      id_name(id), total);
			j->at += total;
			continue;
		}
		p = total > j->size - j->at ? NULL : bytes_at(j, j->at, total);
		if (p != NULL)
			return (struct str){ p, total };
		jitdump_fault(j, j->at,
			      "record %s says %" PRIu32 " bytes, %" PRIu64
			      " left: truncated",
			      id_name(id), total, j->size - j->at);
		break;
	}
	return STR("");
}

bool
jitdump_next(struct jitdump *j, struct jitdump_record *r)
{
	struct str bytes;
	struct cursor c;
	uint32_t id;

	while ((bytes = next_bytes(j)).len > 0) {
		c = cursor_of(bytes, j->swap);
		id = cursor_u32(&c);
		cursor_u32(&c); /* its size */
		*r = (struct jitdump_record){ .offset = j->at };
		r->time = cursor_u64(&c);
		j->at += bytes.len;
		if (!read_payload(j, &c, id, r))
			continue;
		if (r->bytes.len > 0)
			r->bytes_at = r->offset +
				      (uint64_t)(r->bytes.p - bytes.p);
		r->id = (enum jitdump_id)id;
		return true;
	}
	j->at = j->size; /* nothing can be found behind what is spoilt */
	return false;
}
