/* cfi.c - call frame information: the entry of an address. */
#include "cfi.h"

#include "cfirow.h"
#include "mem.h"

#include <stdlib.h>

/* A function of a section: where it starts, and where its entry is. */
struct place {
	uint64_t start, offset;
};

/* The functions of a section, sorted, where no one sorted them for us. */
struct index {
	bool built;
	struct place *places;
	size_t n, cap;
};

struct cfi {
	struct cfi_frames eh, debug;
	struct index eh_index, debug_index;
	struct cursor table; /* of .eh_frame_hdr; empty: not usable */
	uint64_t table_vaddr;
};

/* An entry of the table: two offsets of 4 bytes from .eh_frame_hdr. */
#define TABLE_ENTRY 8

/*
 * The table of .eh_frame_hdr, LSB Core 5.0, 10.6.2, in the one form that
 * linkers write: the number of entries as udata4, offsets from its begin as
 * datarel | sdata4.
 */
static void
open_table(struct cfi *c, const struct cfi_section *hdr)
{
	struct cursor table = cursor_of(hdr->bytes, c->eh.swap);
	struct str head = cursor_bytes(&table, 4);
	struct cfi_frames f = c->eh;
	uint64_t n;

	if (head.len < 4 || head.p[0] != 1 || (uint8_t)head.p[2] != 0x03 ||
	    (uint8_t)head.p[3] != 0x3b)
		return;
	f.section = *hdr;
	cfientry_pointer(&f, &table, (uint8_t)head.p[1], f.address_size);
	n = cursor_u32(&table);
	if (table.bad)
		return;
	if (n > cursor_left(&table) / TABLE_ENTRY)
		n = cursor_left(&table) / TABLE_ENTRY;
	table.end = table.p + n * TABLE_ENTRY;
	c->table = table;
	c->table_vaddr = hdr->vaddr;
}

bool
cfi_eh_frame_vaddr(const struct cfi_sections *s, uint64_t *vaddr)
{
	const struct cfi_frames f = { .section = s->eh_frame_hdr };
	struct cursor c;

	if (s->eh_frame_hdr.bytes.len < 4 || s->eh_frame_hdr.bytes.p[0] != 1)
		return false;
	c = cursor_of(str_skip(s->eh_frame_hdr.bytes, 4), s->swap);
	*vaddr = cfientry_pointer(&f, &c, (uint8_t)s->eh_frame_hdr.bytes.p[1],
				  s->is_64 ? 8 : 4);
	return !c.bad;
}

struct cfi *
cfi_new(const struct cfi_sections *s)
{
	const uint8_t address_size = s->is_64 ? 8 : 4;
	struct cfi *c;

	if (s->eh_frame.bytes.len == 0 && s->debug_frame.bytes.len == 0)
		return NULL;
	c = mem_zero(1, sizeof(*c));
	c->eh = (struct cfi_frames){ s->eh_frame, true, s->swap, address_size,
				     s->machine };
	c->debug = (struct cfi_frames){ s->debug_frame, false, s->swap,
					address_size, s->machine };
	if (s->eh_frame.bytes.len > 0 && s->eh_frame_hdr.bytes.len > 0)
		open_table(c, &s->eh_frame_hdr);
	return c;
}

void
cfi_free(struct cfi *c)
{
	if (c == NULL)
		return;
	free(c->eh_index.places);
	free(c->debug_index.places);
	free(c);
}

static int
by_start(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void
build_index(const struct cfi_frames *f, struct index *index)
{
	struct cfi_function function;
	uint64_t offset = 0, before = 0;

	index->built = true;
	for (; cfientry_next(f, &offset, &function); before = offset) {
		if (function.start == function.end)
			continue;
		index->places = mem_grow(index->places, &index->cap,
					 index->n + 1, sizeof(struct place));
		index->places[index->n++] = (struct place){ function.start,
							    before };
	}
	if (index->n > 0)
		qsort(index->places, index->n, sizeof(struct place), by_start);
}

/* The place of the entry, by an index; false if none starts before. */
static bool
place_by_index(const struct cfi_frames *f, struct index *index, uint64_t vaddr,
	       uint64_t *offset)
{
	size_t low = 0, high, mid;

	if (!index->built)
		build_index(f, index);
	for (high = index->n; low < high;) {
		mid = low + (high - low) / 2;
		if (index->places[mid].start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*offset = index->places[low - 1].offset;
	return true;
}

static int64_t
table_value(const struct cursor *table, size_t entry, size_t which)
{
	struct cursor c = *table;

	c.p += entry * TABLE_ENTRY + which * 4;
	return (int32_t)cursor_u32(&c);
}

static bool
place_by_table(const struct cfi *c, uint64_t vaddr, uint64_t *offset)
{
	const int64_t wanted = (int64_t)(vaddr - c->table_vaddr);
	size_t low = 0, high = cursor_left(&c->table) / TABLE_ENTRY, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (table_value(&c->table, mid, 0) <= wanted)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*offset = c->table_vaddr - c->eh.section.vaddr +
		  (uint64_t)table_value(&c->table, low - 1, 1);
	return true;
}

/* The rules, if the entry at an offset is that of the address. */
static bool
run_entry(const struct cfi_frames *f, uint64_t offset, uint64_t vaddr,
	  struct cfi_row *row)
{
	struct cfi_function function;

	return cfientry_next(f, &offset, &function) &&
	       vaddr >= function.start && vaddr < function.end &&
	       cfirow_run(f, &function, vaddr, row);
}

bool
cfi_find(struct cfi *c, uint64_t vaddr, struct cfi_row *row)
{
	uint64_t offset;
	bool found;

	if (cursor_left(&c->table) > 0)
		found = place_by_table(c, vaddr, &offset);
	else
		found = place_by_index(&c->eh, &c->eh_index, vaddr, &offset);
	if (found && run_entry(&c->eh, offset, vaddr, row))
		return true;
	return place_by_index(&c->debug, &c->debug_index, vaddr, &offset) &&
	       run_entry(&c->debug, offset, vaddr, row);
}
