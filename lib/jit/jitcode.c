/* jitcode.c - the functions of a jitdump, by address and time. */
#include "jit/jitcode.h"

#include "base/intern.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "jit/jitlines.h"
#include "jit/range_history.h"
#include "unwind/cfi.h"

#include <inttypes.h>
#include <stdlib.h>

/* A near call reaches this far; no function is larger. */
#define LARGEST ((uint64_t)1 << 31)

/* A LOAD or MOVE record. */
struct jit_change {
	uint64_t time, offset;
	uint32_t function;                      /* LOAD; NONE: a MOVE */
	uint64_t index, start, old_start, size; /* MOVE */
};

#define NONE UINT32_MAX

struct jitcode {
	struct jitdump *dump;
	bool has_times;
	bool bias_found;
	uint64_t bias; /* of the addresses of lines */
	struct jitlines *source_lines;
	struct jitinline **inlined; /* by function number, made on first use */
	struct jit_function *function;
	size_t n, cap;
	struct range_history *ranges; /* owned by function numbers */
	struct intern *names;

	/* During jitcode_read(). */
	struct jit_change *change;
	size_t changes, change_cap;
	struct jitcode_bytes lines, unwind, inlines; /* for the next LOAD */
	size_t hdr_size;
	bool sorted, moves;
	struct u64map newest; /* the last function with an index */
	uint32_t *older; /* by function: one with the same index, or NONE */
	size_t older_cap;
	uint32_t *versions; /* by name: how many functions have it */
};

static void
add_change(struct jitcode *c, const struct jit_change *change)
{
	if (c->changes > 0 && c->change[c->changes - 1].time > change->time)
		c->sorted = false;
	c->change = mem_grow(c->change, &c->change_cap, c->changes + 1,
			     sizeof(*c->change));
	c->change[c->changes++] = *change;
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
add_load(struct jitcode *c, const struct jitdump_record *r, uint64_t time)
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
				    .inlines = c->inlines,
				    .hdr_size = c->hdr_size };
	f->name = intern_name(c->names, intern_id(c->names, r->name));
	/* Such a size is wrong: use that of the code in the record. */
	if (f->size > r->bytes.len && f->size > LARGEST)
		f->size = r->bytes.len;
	c->lines = c->unwind = c->inlines = (struct jitcode_bytes){ 0, 0 };
	c->hdr_size = 0;
	add_change(c, &(struct jit_change){ .time = time,
					    .offset = r->offset,
					    .function = number });
}

static void
add_record(struct jitcode *c, const struct jitdump_record *r, uint64_t time)
{
	switch (r->id) {
	case JITDUMP_LOAD:
		if (c->n < NONE)
			add_load(c, r, time);
		break;
	case JITDUMP_MOVE:
		c->moves = true;
		add_change(c, &(struct jit_change){ .time = time,
						    .offset = r->offset,
						    .function = NONE,
						    .index = r->index,
						    .start = r->start,
						    .old_start = r->old_start,
						    .size = r->size });
		break;
	case JITDUMP_DEBUG:
		c->lines = bytes_of(r);
		c->inlines = (struct jitcode_bytes){ r->inlines_at,
						     r->inlines.len };
		break;
	case JITDUMP_UNWIND:
		c->unwind = bytes_of(r);
		c->hdr_size = (size_t)r->hdr_size;
		break;
	case JITDUMP_CLOSE:
		break; /* some JITs write more records after it */
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
	const struct jit_change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Ranges. */

static uint64_t
range_end(uint64_t start, uint64_t size)
{
	uint64_t end = start + size;

	return end < start ? UINT64_MAX : end;
}

/* Put a function at the head of the list of those with its index. */
static void
add_to_index(struct jitcode *c, const struct jit_function *f)
{
	uint32_t *older;

	c->older = mem_grow(c->older, &c->older_cap, (size_t)f->number + 1,
			    sizeof(*c->older));
	older = &c->older[f->number];
	*older = NONE;
	u64map_get(&c->newest, f->index, older);
	u64map_put(&c->newest, f->index, f->number);
}

/* How many functions with one index are searched. */
enum { SAME_INDEX = 64 };

/*
 * The function that a MOVE record means: the one with its index at the old
 * address, else the newest one with its index, else NONE.
 */
static uint32_t
find_moved(const struct jitcode *c, const struct jit_change *change)
{
	uint32_t newest = NONE, i;
	int n;

	u64map_get(&c->newest, change->index, &newest);
	for (n = 0, i = newest; i != NONE && n < SAME_INDEX; n++) {
		if (c->function[i].start == change->old_start)
			return i;
		i = c->older[i];
	}
	return newest;
}

static void
move(struct jitcode *c, const struct jit_change *change)
{
	uint32_t moved = find_moved(c, change);
	const struct jit_function *old;
	struct jit_function *f;
	uint32_t number;

	if (moved == NONE) {
		jitdump_fault(c->dump, change->offset,
			      "MOVE of code that was not loaded");
		range_history_add(c->ranges, change->time, change->start,
				  range_end(change->start, change->size),
				  RANGE_HISTORY_NOBODY);
		return;
	}
	f = add_function(c);
	number = f->number;
	old = &c->function[moved];
	*f = *old;
	f->number = number;
	f->start = change->start;
	if (change->size < f->size)
		f->size = change->size;
	range_history_release(c->ranges, change->time, old->start,
			      range_end(old->start, old->size), moved);
	range_history_add(c->ranges, change->time, f->start,
			  range_end(f->start, f->size), number);
	add_to_index(c, f);
}

static void
load(struct jitcode *c, const struct jit_change *change)
{
	struct jit_function *f = &c->function[change->function];
	uint32_t name = intern_id(c->names, f->name);

	f->version = ++c->versions[name];
	range_history_add(c->ranges, change->time, f->start,
			  range_end(f->start, f->size), f->number);
	if (c->moves)
		add_to_index(c, f);
}

/* Apply the changes in the order of their times. */
static void
apply_changes(struct jitcode *c)
{
	size_t i;

	if (!c->sorted)
		qsort(c->change, c->changes, sizeof(*c->change), by_time);
	c->versions = mem_zero((size_t)intern_size(c->names) + 1,
			       sizeof(*c->versions));
	for (i = 0; i < c->changes; i++) {
		if (c->change[i].function == NONE)
			move(c, &c->change[i]);
		else
			load(c, &c->change[i]);
	}
	range_history_sort(c->ranges);
	u64map_free(&c->newest);
	free(c->older);
	free(c->versions);
	free(c->change);
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
	c->source_lines = jitlines_new(dump);
	c->ranges = range_history_new();
	c->names = intern_new();
	c->sorted = true;
	while (jitdump_next(dump, &r))
		add_record(c, &r, to_ns(clock, r.time));
	apply_changes(c);
	return c;
}

void
jitcode_free(struct jitcode *c)
{
	size_t i;

	if (c == NULL)
		return;
	jitdump_close(c->dump);
	range_history_free(c->ranges);
	intern_free(c->names);
	jitlines_free(c->source_lines);
	for (i = 0; c->inlined != NULL && i < c->n; i++)
		jitinline_free(c->inlined[i]);
	free(c->inlined);
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
	range_history_set_times(c->ranges, to_ns, clock);
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

	if (!range_history_at(c->ranges, address, time, &owner, since))
		return NULL;
	return &c->function[owner];
}

const struct jit_function *
jitcode_after(const struct jitcode *c, uint64_t address, uint64_t time,
	      uint64_t *when)
{
	uint32_t owner;

	if (!range_history_after(c->ranges, address, time, &owner, when))
		return NULL;
	return &c->function[owner];
}

/* Lines. */

/*
 * V8 writes the addresses of lines as they are in the ELF file that perf inject
 * makes of a function.  Its header has 64 bytes, so no line is below 64.
 */
static void
find_bias(struct jitcode *c)
{
	const uint64_t header = 64;
	uint64_t first;
	size_t i, n = 0;

	c->bias_found = true;
	for (i = 0; i < c->n; i++) {
		if (!jitlines_first(c->source_lines, &c->function[i], &first))
			continue;
		first -= c->function[i].loaded;
		n++;
		if (first < header || first > INT64_MAX)
			return;
	}
	c->bias = n > 0 ? header : 0;
}

/* The file in a name like "JS:*f /srv/app.js:1:13", or empty. */
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
jitcode_is_java(const struct jit_function *f)
{
	struct str name = f->name, class = str_cut(&name, ';');

	return class.len > 1 && class.p[0] == 'L' &&
	       str_find(name, '(') != NULL;
}

/* Append "file:line". */
static void
put_line(struct str file, int64_t line, struct buf *out)
{
	file = str_basename(file);
	buf_str(out, file);
	buf_printf(out, "%s%" PRId64, file.len > 0 ? ":" : "", line);
}

bool
jitcode_line(struct jitcode *c, const struct jit_function *f, uint64_t address,
	     struct buf *out)
{
	struct jitdump_line line;

	if (!c->bias_found)
		find_bias(c);
	if (!jitlines_find(c->source_lines, f, file_in_name(f->name), c->bias,
			   address - f->start, &line) ||
	    line.line <= 0)
		return false;
	if (line.file.p == NULL)
		line.file = file_in_name(f->name);
	put_line(line.file, line.line, out);
	return true;
}

bool
jitcode_innermost_line(struct jitcode *c, const struct jit_function *f,
		       uint64_t address, struct buf *out)
{
	struct jitdump_line line;

	if (!jitlines_find_end(c->source_lines, f, address - f->start, &line) ||
	    line.line <= 0)
		return false;
	put_line(line.file, line.line, out);
	return true;
}

/* Inlined functions. */

const struct jitinline *
jitcode_inlines(struct jitcode *c, const struct jit_function *f)
{
	struct buf table = { 0 };

	if (f->inlines.len == 0)
		return NULL;
	if (c->inlined == NULL)
		c->inlined = mem_zero(c->n + 1, sizeof(*c->inlined));
	if (c->inlined[f->number] != NULL)
		return c->inlined[f->number];
	buf_reserve(&table, f->inlines.len);
	if (jitdump_read(c->dump, f->inlines.at, table.p, f->inlines.len)) {
		table.len = f->inlines.len;
		c->inlined[f->number] = jitinline_new(buf_slice(&table),
						      jitdump_swapped(c->dump));
	}
	buf_free(&table);
	return c->inlined[f->number];
}

uint64_t
jitcode_changes(const struct jitcode *c, uint64_t time)
{
	return range_history_changes(c->ranges, time);
}

/*
 * Addresses in the rules are relative to the rules' own address.  That is after
 * the code, rounded up to 8, where perf inject puts them: first .eh_frame, then
 * .eh_frame_hdr.
 */
struct cfi *
jitcode_cfi(struct jitcode *c, const struct jit_function *f,
	    struct arena *bytes)
{
	const size_t eh_size = f->unwind.len - f->hdr_size;
	struct cfi_sections s = { .is_64 = true,
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
