/* jitcode.c - the functions of a jitdump, by address and time. */
#include "jitcode.h"

#include "cfi.h"
#include "claims.h"
#include "intern.h"
#include "jitlines.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* A near call reaches this far; no function is larger. */
#define LARGEST ((uint64_t)1 << 31)

/* A LOAD, or a MOVE. */
struct step {
	uint64_t time, offset;
	uint32_t function;                      /* of a LOAD, NONE of a MOVE */
	uint64_t index, start, old_start, size; /* of a MOVE */
};

#define NONE UINT32_MAX

struct jitcode {
	struct jitdump *dump;
	bool has_times;
	bool knows_bias;
	uint64_t bias;           /* of the addresses of lines */
	struct jitlines *source; /* the lines */
	struct jit_function *function;
	size_t n, cap;
	struct claims *claims;
	struct intern *names;

	/* While it is read. */
	struct step *step;
	size_t steps, step_cap;
	struct jitcode_bytes lines, unwind; /* for the next LOAD */
	size_t hdr_size;
	bool sorted, moves;
	struct intern *indexes;
	uint32_t *newest; /* function of an index */
	size_t newest_cap;
	uint32_t *before; /* function of the same index as a function */
	size_t before_cap;
	uint32_t *versions; /* of a name */
	size_t versions_cap;
};

static void
add_step(struct jitcode *c, const struct step *s)
{
	if (c->steps > 0 && c->step[c->steps - 1].time > s->time)
		c->sorted = false;
	c->step = mem_grow(c->step, &c->step_cap, c->steps + 1,
			   sizeof(*c->step));
	c->step[c->steps++] = *s;
}

static struct jit_function *
add_function(struct jitcode *c)
{
	struct jit_function *f;

	c->function = mem_grow(c->function, &c->cap, c->n + 1,
			       sizeof(*c->function));
	f = &c->function[c->n];
	f->number = (uint32_t)c->n++;
	return f;
}

static struct jitcode_bytes
bytes_of(const struct jitdump_record *r)
{
	return (struct jitcode_bytes){ r->bytes_at, r->bytes.len };
}

static void
take_load(struct jitcode *c, const struct jitdump_record *r, uint64_t time)
{
	struct jit_function *f = add_function(c);
	uint32_t number = f->number;

	*f = (struct jit_function){ .name = r->name,
				    .start = r->start,
				    .loaded = r->start,
				    .size = r->size,
				    .index = r->index,
				    .number = number,
				    .code = bytes_of(r),
				    .lines = c->lines,
				    .unwind = c->unwind,
				    .hdr_size = c->hdr_size };
	f->name = intern_name(c->names, intern_id(c->names, r->name));
	/* What is larger is no size; the code that came with it is. */
	if (f->size > r->bytes.len && f->size > LARGEST)
		f->size = r->bytes.len;
	c->lines = c->unwind = (struct jitcode_bytes){ 0, 0 };
	c->hdr_size = 0;
	add_step(c, &(struct step){ .time = time,
				    .offset = r->offset,
				    .function = number });
}

static void
take_record(struct jitcode *c, const struct jitdump_record *r, uint64_t time)
{
	switch (r->id) {
	case JITDUMP_LOAD:
		if (c->n < NONE)
			take_load(c, r, time);
		break;
	case JITDUMP_MOVE:
		c->moves = true;
		add_step(c, &(struct step){ .time = time,
					    .offset = r->offset,
					    .function = NONE,
					    .index = r->index,
					    .start = r->start,
					    .old_start = r->old_start,
					    .size = r->size });
		break;
	case JITDUMP_DEBUG:
		c->lines = bytes_of(r);
		break;
	case JITDUMP_UNWIND:
		c->unwind = bytes_of(r);
		c->hdr_size = (size_t)r->hdr_size;
		break;
	case JITDUMP_CLOSE:
		break; /* some go on behind it */
	}
}

/* Time. */

static uint64_t
to_ns(const void *arg, uint64_t ticks)
{
	const struct jit_clock *clock = arg;
	uint64_t whole, rest;

	if (clock->kind != JIT_CLOCK_TICKS)
		return ticks;
	whole = ticks >> clock->shift;
	rest = ticks & (((uint64_t)1 << clock->shift) - 1);
	return clock->zero + whole * clock->mult +
	       ((rest * clock->mult) >> clock->shift);
}

static int
by_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Claims. */

static uint64_t
end_of(uint64_t start, uint64_t size)
{
	uint64_t end = start + size;

	return end < start ? UINT64_MAX : end;
}

/* The functions of an index are a list, the newest first; this is its head. */
static uint32_t *
newest_of(struct jitcode *c, uint64_t index)
{
	struct str key = { (const char *)&index, sizeof(index) };
	uint32_t n = intern_size(c->indexes), i = intern_id(c->indexes, key);

	if (i == n) {
		c->newest = mem_grow(c->newest, &c->newest_cap, (size_t)n + 1,
				     sizeof(*c->newest));
		c->newest[i] = NONE;
	}
	return &c->newest[i];
}

static void
remember_index(struct jitcode *c, const struct jit_function *f)
{
	uint32_t *newest = newest_of(c, f->index);

	c->before = mem_grow(c->before, &c->before_cap, f->number + 1,
			     sizeof(*c->before));
	c->before[f->number] = *newest;
	*newest = f->number;
}

/* How many functions of one index are looked at. */
enum { SAME_INDEX = 64 };

/* The function that a MOVE means: of its index, and where it was, if any is. */
static uint32_t
find_moved(struct jitcode *c, const struct step *s)
{
	uint32_t newest = *newest_of(c, s->index), i = newest;
	int n;

	for (n = 0; i != NONE && n < SAME_INDEX; n++, i = c->before[i])
		if (c->function[i].start == s->old_start)
			return i;
	return newest;
}

static void
move(struct jitcode *c, const struct step *s)
{
	uint32_t moved = find_moved(c, s);
	const struct jit_function *old;
	struct jit_function *f;
	uint32_t number;

	if (moved == NONE) {
		jitdump_fault(c->dump, s->offset,
			      "MOVE of code that was never loaded");
		claims_add(c->claims, s->time, s->start,
			   end_of(s->start, s->size), CLAIMS_NOBODY);
		return;
	}
	f = add_function(c);
	number = f->number;
	old = &c->function[moved];
	*f = *old;
	f->number = number;
	f->start = s->start;
	if (s->size < f->size)
		f->size = s->size;
	claims_release(c->claims, s->time, old->start,
		       end_of(old->start, old->size), moved);
	claims_add(c->claims, s->time, f->start, end_of(f->start, f->size),
		   number);
	remember_index(c, f);
}

static void
load(struct jitcode *c, const struct step *s)
{
	struct jit_function *f = &c->function[s->function];
	uint32_t name = intern_id(c->names, f->name);

	f->version = ++c->versions[name];
	claims_add(c->claims, s->time, f->start, end_of(f->start, f->size),
		   f->number);
	if (c->moves)
		remember_index(c, f);
}

static void
claim(struct jitcode *c)
{
	size_t i;

	if (!c->sorted)
		qsort(c->step, c->steps, sizeof(*c->step), by_time);
	c->versions = mem_zero((size_t)intern_size(c->names) + 1,
			       sizeof(*c->versions));
	c->indexes = intern_new();
	for (i = 0; i < c->steps; i++) {
		if (c->step[i].function == NONE)
			move(c, &c->step[i]);
		else
			load(c, &c->step[i]);
	}
	claims_sort(c->claims);
	intern_free(c->indexes);
	free(c->newest);
	free(c->before);
	free(c->versions);
	free(c->step);
}

struct jitcode *
jitcode_read(struct jitdump *dump, const struct jit_clock *clock)
{
	struct jitcode *c = mem_zero(1, sizeof(*c));
	struct jitdump_record r;

	c->dump = dump;
	c->has_times = clock->kind != JIT_CLOCK_NONE &&
		       (clock->kind != JIT_CLOCK_FILE ||
			!jitdump_has_ticks(dump));
	c->source = jitlines_new(dump);
	c->claims = claims_new();
	c->names = intern_new();
	c->sorted = true;
	while (jitdump_next(dump, &r))
		take_record(c, &r, to_ns(clock, r.time));
	claim(c);
	return c;
}

void
jitcode_free(struct jitcode *c)
{
	if (c == NULL)
		return;
	jitdump_close(c->dump);
	claims_free(c->claims);
	intern_free(c->names);
	jitlines_free(c->source);
	free(c->function);
	free(c);
}

struct jitdump *
jitcode_dump(const struct jitcode *c)
{
	return c->dump;
}

bool
jitcode_has_times(const struct jitcode *c)
{
	return c->has_times;
}

void
jitcode_set_ticks(struct jitcode *c, const struct jit_clock *clock)
{
	if (c->has_times || !jitdump_has_ticks(c->dump) ||
	    clock->kind != JIT_CLOCK_TICKS)
		return;
	claims_set_times(c->claims, to_ns, clock);
	c->has_times = true;
}

size_t
jitcode_size(const struct jitcode *c)
{
	return c->n;
}

const struct jit_function *
jitcode_function(const struct jitcode *c, size_t i)
{
	return &c->function[i];
}

const struct jit_function *
jitcode_at(const struct jitcode *c, uint64_t address, uint64_t time,
	   uint64_t *since)
{
	uint32_t owner;

	if (!claims_at(c->claims, address, time, &owner, since))
		return NULL;
	return &c->function[owner];
}

const struct jit_function *
jitcode_after(const struct jitcode *c, uint64_t address, uint64_t time,
	      uint64_t *when)
{
	uint32_t owner;

	if (!claims_after(c->claims, address, time, &owner, when))
		return NULL;
	return &c->function[owner];
}

/* Lines. */

/*
 * V8 gives addresses of lines as they lie in the ELF file that perf inject
 * makes of a function, whose header has 64 bytes.  So no line is before them.
 */
static void
find_bias(struct jitcode *c)
{
	const uint64_t header = 64;
	uint64_t first;
	size_t i, n = 0;

	c->knows_bias = true;
	for (i = 0; i < c->n; i++) {
		if (!jitlines_first(c->source, &c->function[i], &first))
			continue;
		first -= c->function[i].loaded;
		n++;
		if (first < header || first > INT64_MAX)
			return;
	}
	c->bias = n > 0 ? header : 0;
}

/* "JS:*f /srv/app.js:1:13": the file where a function begins, or empty. */
static struct str
file_in_name(struct str name)
{
	const char *p = name.p + name.len, *begin;
	int i;

	for (i = 0; i < 2; i++) {
		while (p > name.p && str_isdigit(p[-1]))
			p--;
		if (p == name.p || *--p != ':')
			return STR("");
	}
	begin = memrchr(name.p, ' ', (size_t)(p - name.p));
	return begin == NULL ? STR("") : str_range(begin + 1, p);
}

bool
jitcode_line(struct jitcode *c, const struct jit_function *f, uint64_t address,
	     struct buf *out)
{
	struct jitdump_line line;

	if (!c->knows_bias)
		find_bias(c);
	if (!jitlines_find(c->source, f, c->bias, address - f->start, &line) ||
	    line.line <= 0)
		return false;
	if (line.file.p == NULL)
		line.file = file_in_name(f->name);
	line.file = str_basename(line.file);
	buf_str(out, line.file);
	buf_printf(out, "%s%" PRId64, line.file.len > 0 ? ":" : "", line.line);
	return true;
}

/* Unwinding. */

uint64_t
jitcode_changes(const struct jitcode *c, uint64_t time)
{
	return claims_changes(c->claims, time);
}

/*
 * Addresses in the rules are relative to where they lie themselves.  That is
 * behind the code, at a multiple of 8, as perf inject puts them into a file,
 * and with it the JITs that write them: first .eh_frame, then .eh_frame_hdr.
 */
struct cfi *
jitcode_cfi(struct jitcode *c, const struct jit_function *f,
	    struct arena *bytes)
{
	const size_t eh_size = f->unwind.len - f->hdr_size;
	struct cfi_sections s = { .machine = jitdump_machine(c->dump),
				  .is_64 = true,
				  .swap = jitdump_swapped(c->dump) };
	char *p;

	if (eh_size == 0)
		return NULL;
	p = arena_alloc(bytes, f->unwind.len);
	if (!jitdump_read(c->dump, f->unwind.at, p, f->unwind.len))
		return NULL;
	s.eh_frame.bytes = (struct str){ p, eh_size };
	s.eh_frame.vaddr = f->loaded + ((f->code.len + 7) & ~(uint64_t)7);
	return cfi_new(&s);
}
