/* cfi.c - call frame information: entries, their instructions, an index. */
#include "unwind/cfi.h"

#include "base/cursor.h"
#include "base/leb.h"
#include "base/mem.h"
#include "base/once.h"
#include "unwind/sframe.h"

#include <stdlib.h>

/* A section of entries. */
struct cfi_frames {
	struct cfi_section section;
	bool eh;   /* .eh_frame; else .debug_frame */
	bool swap; /* not in the byte order of this host */
	uint8_t address_size;
};

/* CIE: what functions have in common. */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_column;
	struct str instructions;
	uint8_t encoding; /* of addresses, DW_EH_PE_* */
	uint8_t address_size;
	bool augmented; /* functions have augmentation data */
	bool signal;
};

/* FDE: one function. */
struct cfi_function {
	uint64_t start, end;
	struct str instructions;
	struct cfi_common common;
};

/* Entries. */

/* Encodings of pointers, LSB Core 5.0, 10.5.1. */
enum {
	PE_ABSOLUTE = 0x00,
	PE_ULEB = 0x01,
	PE_U16 = 0x02,
	PE_U32 = 0x03,
	PE_U64 = 0x04,
	PE_SLEB = 0x09,
	PE_S16 = 0x0a,
	PE_S32 = 0x0b,
	PE_S64 = 0x0c,
	PE_FORM = 0x0f,
	PE_PCREL = 0x10,
	PE_RELATIVE = 0x70,
	PE_OMIT = 0xff
};

/* The address of what the cursor points at. */
static uint64_t
cursor_address(const struct cfi_frames *f, const struct cursor *c)
{
	return f->section.vaddr + (uint64_t)(c->p - f->section.bytes.p);
}

static uint64_t
read_form(struct cursor *c, uint8_t form, uint8_t address_size)
{
	switch (form) {
	case PE_ABSOLUTE:
		return address_size == 8 ? cursor_u64(c) : cursor_u32(c);
	case PE_ULEB:
		return leb_unsigned(c);
	case PE_U16:
		return cursor_u16(c);
	case PE_U32:
		return cursor_u32(c);
	case PE_U64:
	case PE_S64:
		return cursor_u64(c);
	case PE_SLEB:
		return (uint64_t)leb_signed(c);
	case PE_S16:
		return (uint64_t)(int16_t)cursor_u16(c);
	case PE_S32:
		return (uint64_t)(int32_t)cursor_u32(c);
	}
	c->bad = true;
	return 0;
}

/* Read a pointer of an encoding; on failure, the cursor is bad. */
static uint64_t
read_pointer(const struct cfi_frames *f, struct cursor *c, uint8_t encoding,
	     uint8_t address_size)
{
	const uint64_t place = cursor_address(f, c);
	uint64_t n;

	if (encoding == PE_OMIT)
		return 0;
	n = read_form(c, encoding & PE_FORM, address_size);
	switch (encoding & PE_RELATIVE) {
	case 0:
		break;
	case PE_PCREL:
		n += place;
		break;
	default:
		/* Linkers do not use the other bases. */
		c->bad = true;
	}
	return address_size == 4 ? (uint32_t)n : n;
}

/*
 * The body of the entry at an offset, after its length, and in *next the offset
 * of the next entry.  The cursor is bad if the entry exceeds the section.  An
 * entry of length 0 ends a section, but linkers may have joined several.
 */
static struct cursor
entry_body(const struct cfi_frames *f, uint64_t offset, uint64_t *next,
	   bool *is_64)
{
	struct cursor c = cursor_of(f->section.bytes, f->swap);
	uint64_t length;

	*next = f->section.bytes.len;
	cursor_bytes(&c, offset);
	length = cursor_u32(&c);
	*is_64 = length == 0xffffffff;
	if (*is_64)
		length = cursor_u64(&c);
	if (length > cursor_left(&c))
		c.bad = true;
	if (c.bad)
		return c;
	c.end = c.p + length;
	*next = (uint64_t)(c.end - f->section.bytes.p);
	return c;
}

/*
 * Read the data of an augmentation that begins with "z": an item for each
 * letter.  An unknown letter ends it; the length of the data is known.
 */
static bool
read_augmentation(const struct cfi_frames *f, struct cursor *c,
		  struct str letters, struct cfi_common *common)
{
	struct cursor data;
	size_t i;

	if (letters.len == 0)
		return true;
	/* Other augmentations, as "eh" of gcc 2, have no length. */
	if (letters.p[0] != 'z')
		return false;
	data = cursor_of(cursor_bytes(c, leb_unsigned(c)), c->swap);
	common->augmented = true;
	for (i = 1; i < letters.len; i++) {
		switch (letters.p[i]) {
		case 'R':
			common->encoding = leb_byte(&data);
			break;
		case 'P':
			/* The personality routine, maybe indirect: skip. */
			read_pointer(f, &data, leb_byte(&data) & 0x7f,
				     common->address_size);
			break;
		case 'L':
			leb_byte(&data);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B': /* aarch64: key B signs return addresses */
		case 'G': /* aarch64: tagged stack */
			break;
		default:
			return !c->bad;
		}
	}
	return !c->bad && !data.bad;
}

/* Read the CIE at an offset. */
static bool
read_common(const struct cfi_frames *f, uint64_t offset,
	    struct cfi_common *common)
{
	uint64_t next, id;
	uint8_t version;
	struct str letters;
	bool is_64;
	struct cursor c = entry_body(f, offset, &next, &is_64);

	*common = (struct cfi_common){ .address_size = f->address_size };
	id = is_64 && !f->eh ? cursor_u64(&c) : cursor_u32(&c);
	if (id != (f->eh ? 0 : is_64 ? UINT64_MAX : UINT32_MAX))
		return false;
	version = leb_byte(&c);
	letters = cursor_text(&c, cursor_left(&c));
	/* cursor_text() has moved to the end. */
	c.p = letters.p + letters.len;
	leb_byte(&c);
	if (version == 4) {
		common->address_size = leb_byte(&c);
		if (leb_byte(&c) != 0)
			return false; /* segments */
	} else if (version != 1 && version != 3) {
		return false;
	}
	common->code_align = leb_unsigned(&c);
	common->data_align = leb_signed(&c);
	common->return_column = version == 1 ? leb_byte(&c) : leb_unsigned(&c);
	if (!read_augmentation(f, &c, letters, common) || c.bad)
		return false;
	common->instructions = str_range(c.p, c.end);
	return common->address_size == 4 || common->address_size == 8;
}

/* Find the CIE of an FDE; false if the entry is no FDE. */
static bool
common_offset(const struct cfi_frames *f, struct cursor *c, bool is_64,
	      uint64_t *offset)
{
	const uint64_t at = (uint64_t)(c->p - f->section.bytes.p);
	uint64_t id;

	id = is_64 && !f->eh ? cursor_u64(c) : cursor_u32(c);
	if (c->bad)
		return false;
	if (!f->eh) {
		*offset = id;
		return id != (is_64 ? UINT64_MAX : UINT32_MAX);
	}
	*offset = at - id;
	return id != 0 && id <= at;
}

static bool
read_function(const struct cfi_frames *f, struct cursor *c, bool is_64,
	      struct cfi_function *function)
{
	struct cfi_common *common = &function->common;
	uint64_t offset, size;
	uint8_t encoding;

	if (!common_offset(f, c, is_64, &offset) ||
	    !read_common(f, offset, common))
		return false;
	encoding = common->encoding & 0x7f;
	function->start = read_pointer(f, c, encoding, common->address_size);
	/* The size has the form of the address, but is never relative. */
	size = read_form(c, encoding & PE_FORM, common->address_size);
	if (common->augmented)
		cursor_bytes(c, leb_unsigned(c));
	if (c->bad || size == 0 || size > UINT64_MAX - function->start)
		return false;
	function->end = function->start + size;
	function->instructions = str_range(c->p, c->end);
	return true;
}

/*
 * Read the entry at *offset and advance to the next.  False at the end of the
 * section, or if no entry is possible there.  For a function, start < end; for
 * a CIE or an invalid entry, both are 0.
 */
static bool
next_entry(const struct cfi_frames *f, uint64_t *offset,
	   struct cfi_function *function)
{
	struct cursor c;
	bool is_64;

	if (*offset >= f->section.bytes.len)
		return false;
	c = entry_body(f, *offset, offset, &is_64);
	if (c.bad)
		return false;
	if (!read_function(f, &c, is_64, function))
		function->start = function->end = 0;
	return true;
}

/* Instructions. */

/* DWARF 5, 6.4.2 and 7.24; the last four are vendor extensions. */
enum {
	CFA_ADVANCE = 0x40, /* these three have an operand in the low bits */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPR = 0x0f,
	CFA_EXPR = 0x10,
	CFA_OFFSET_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPR = 0x16,
	CFA_MIPS_ADVANCE8 = 0x1d,
	CFA_AARCH64_NEGATE_RA = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET = 0x2f
};

/* Compilers nest no deeper than 2. */
#define MAX_REMEMBERED 8

/* Executes the instructions of a function, up to an address. */
struct cfi_run {
	const struct cfi_frames *frames;
	const struct cfi_function *function;
	struct cursor c;
	uint64_t location, until;
	struct cfi_row *row;
	struct cfi_row *initial; /* after the CIE; NULL before */
	struct cfi_row remembered[MAX_REMEMBERED];
	unsigned depth;
};

/* The rule of a register, or of all those that are not tracked. */
static struct cfi_rule *
rule_of(struct cfi_row *row, uint64_t reg)
{
	return reg < ARCH_REGISTERS ? &row->rules[reg] : &row->other;
}

static void
set_rule(struct cfi_run *r, uint64_t reg, enum cfi_how how, int64_t n)
{
	*rule_of(r->row, reg) = (struct cfi_rule){ .how = how, .n = n };
}

/* A factored offset; an invalid one may wrap. */
static int64_t
scaled(const struct cfi_run *r, uint64_t n)
{
	return (int64_t)(n * (uint64_t)r->function->common.data_align);
}

static struct str
read_block(struct cfi_run *r)
{
	return cursor_bytes(&r->c, leb_unsigned(&r->c));
}

static void
restore(struct cfi_run *r, uint64_t reg)
{
	if (r->initial == NULL) {
		r->c.bad = true;
		return;
	}
	*rule_of(r->row, reg) = *rule_of(r->initial, reg);
}

static void
remember(struct cfi_run *r)
{
	if (r->depth == MAX_REMEMBERED)
		r->c.bad = true;
	else
		r->remembered[r->depth++] = *r->row;
}

static void
restore_state(struct cfi_run *r)
{
	if (r->depth == 0)
		r->c.bad = true;
	else
		*r->row = r->remembered[--r->depth];
}

static void
define_cfa(struct cfi_run *r, uint64_t reg, int64_t offset)
{
	r->row->cfa = (struct cfi_rule){ .how = CFI_REGISTER, .n = offset };
	r->row->cfa_register = reg < ARCH_REGISTERS ? (uint32_t)reg :
						      ARCH_REGISTERS;
}

/* Move to a later address; false once that is after the wanted one. */
static bool
advance(struct cfi_run *r, uint64_t delta)
{
	r->location += delta * r->function->common.code_align;
	return r->location <= r->until;
}

static void
run_cfa(struct cfi_run *r, uint8_t op)
{
	struct cfi_row *row = r->row;
	uint64_t reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = leb_unsigned(&r->c);
		define_cfa(r, reg, (int64_t)leb_unsigned(&r->c));
		break;
	case CFA_DEF_CFA_SF:
		reg = leb_unsigned(&r->c);
		define_cfa(r, reg, scaled(r, (uint64_t)leb_signed(&r->c)));
		break;
	case CFA_DEF_CFA_REGISTER:
		define_cfa(r, leb_unsigned(&r->c), row->cfa.n);
		break;
	case CFA_DEF_CFA_OFFSET:
		row->cfa.n = (int64_t)leb_unsigned(&r->c);
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		row->cfa.n = scaled(r, (uint64_t)leb_signed(&r->c));
		break;
	case CFA_DEF_CFA_EXPR:
		row->cfa = (struct cfi_rule){ .how = CFI_EXPR,
					      .expr = read_block(r) };
		break;
	default:
		r->c.bad = true;
	}
}

static void
run_rule(struct cfi_run *r, uint8_t op)
{
	const uint64_t reg = leb_unsigned(&r->c);
	struct cfi_rule *rule = rule_of(r->row, reg);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(r, reg, CFI_AT_CFA, scaled(r, leb_unsigned(&r->c)));
		break;
	case CFA_OFFSET_SF:
		set_rule(r, reg, CFI_AT_CFA,
			 scaled(r, (uint64_t)leb_signed(&r->c)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET:
		set_rule(r, reg, CFI_AT_CFA, scaled(r, -leb_unsigned(&r->c)));
		break;
	case CFA_VAL_OFFSET:
		set_rule(r, reg, CFI_CFA, scaled(r, leb_unsigned(&r->c)));
		break;
	case CFA_VAL_OFFSET_SF:
		set_rule(r, reg, CFI_CFA,
			 scaled(r, (uint64_t)leb_signed(&r->c)));
		break;
	case CFA_RESTORE_EXTENDED:
		restore(r, reg);
		break;
	case CFA_UNDEFINED:
		set_rule(r, reg, CFI_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_rule(r, reg, CFI_SAME, 0);
		break;
	case CFA_REGISTER:
		set_rule(r, reg, CFI_REGISTER, (int64_t)leb_unsigned(&r->c));
		break;
	case CFA_EXPR:
		*rule = (struct cfi_rule){ .how = CFI_AT_EXPR,
					   .expr = read_block(r) };
		break;
	case CFA_VAL_EXPR:
		*rule = (struct cfi_rule){ .how = CFI_EXPR,
					   .expr = read_block(r) };
		break;
	default:
		r->c.bad = true;
	}
}

/* Instructions without an operand in the opcode; false as advance(). */
static bool
run_other(struct cfi_run *r, uint8_t op)
{
	struct cursor *c = &r->c;

	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_SET_LOC:
		r->location = read_pointer(r->frames, c,
					   r->function->common.encoding & 0x7f,
					   r->function->common.address_size);
		return r->location <= r->until;
	case CFA_ADVANCE1:
		return advance(r, leb_byte(c));
	case CFA_ADVANCE2:
		return advance(r, cursor_u16(c));
	case CFA_ADVANCE4:
		return advance(r, cursor_u32(c));
	case CFA_MIPS_ADVANCE8:
		return advance(r, cursor_u64(c));
	case CFA_REMEMBER:
		remember(r);
		return true;
	case CFA_RESTORE_STATE:
		restore_state(r);
		return true;
	case CFA_GNU_ARGS_SIZE:
		leb_unsigned(c);
		return true;
	case CFA_AARCH64_NEGATE_RA:
		r->row->signed_return = !r->row->signed_return;
		return true;
	}
	if ((op >= CFA_DEF_CFA && op <= CFA_DEF_CFA_EXPR) ||
	    op == CFA_DEF_CFA_SF || op == CFA_DEF_CFA_OFFSET_SF)
		run_cfa(r, op);
	else
		run_rule(r, op);
	return true;
}

/* Run up to the wanted address; false if an instruction is invalid. */
static bool
run(struct cfi_run *r, struct str instructions)
{
	uint8_t op, low;
	bool more = true;

	r->c = cursor_of(instructions, r->frames->swap);
	while (more && cursor_left(&r->c) > 0) {
		op = leb_byte(&r->c);
		low = op & 0x3f;
		switch (op & 0xc0) {
		case CFA_ADVANCE:
			more = advance(r, low);
			break;
		case CFA_OFFSET:
			set_rule(r, low, CFI_AT_CFA,
				 scaled(r, leb_unsigned(&r->c)));
			break;
		case CFA_RESTORE:
			restore(r, low);
			break;
		default:
			more = run_other(r, op);
		}
	}
	return !r->c.bad;
}

/*
 * Compute the rules of a function at one of its addresses.  False if the
 * instructions are invalid or unknown.
 */
static bool
run_function(const struct cfi_frames *f, const struct cfi_function *function,
	     uint64_t vaddr, struct cfi_row *row)
{
	const struct cfi_common *common = &function->common;
	struct cfi_row initial;
	struct cfi_run r;

	/* Clearing the remembered rows would be most of the work. */
	r.frames = f;
	r.function = function;
	r.location = function->start;
	r.until = vaddr;
	r.row = row;
	r.initial = NULL;
	r.depth = 0;
	memset(row, 0, sizeof(*row));
	if (!run(&r, common->instructions))
		return false;
	initial = *row;
	r.initial = &initial;
	if (!run(&r, function->instructions))
		return false;
	row->start = function->start;
	row->end = function->end;
	row->return_column = common->return_column < ARCH_REGISTERS ?
				 (uint32_t)common->return_column :
				 ARCH_REGISTERS;
	row->signal = common->signal;
	return row->return_column < ARCH_REGISTERS &&
	       (row->cfa.how == CFI_EXPR ||
		(row->cfa.how == CFI_REGISTER &&
		 row->cfa_register < ARCH_REGISTERS));
}

/* The index. */

/* A function, and the offset of its FDE. */
struct cfi_place {
	uint64_t start, offset;
};

/* The functions of a section, sorted; for sections without .eh_frame_hdr. */
struct cfi_index {
	struct once built;
	struct cfi_place *places;
	size_t n, cap;
};

struct cfi {
	struct cfi_frames eh, debug;
	struct cfi_index eh_index, debug_index;
	struct cursor table; /* of .eh_frame_hdr; empty: unusable */
	uint64_t table_vaddr;
	struct sframe sframe;
	bool has_sframe;
};

/* The table has two 4-byte offsets from .eh_frame_hdr for each function. */
#define TABLE_ENTRY 8

/*
 * Open the table of .eh_frame_hdr, LSB Core 5.0, 10.6.2, in the only form that
 * linkers write: the count as udata4, the entries as datarel | sdata4.
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
	read_pointer(&f, &table, (uint8_t)head.p[1], f.address_size);
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
	*vaddr = read_pointer(&f, &c, (uint8_t)s->eh_frame_hdr.bytes.p[1],
			      s->is_64 ? 8 : 4);
	return !c.bad;
}

struct cfi *
cfi_new(const struct cfi_sections *s)
{
	const uint8_t address_size = s->is_64 ? 8 : 4;
	struct sframe sframe;
	const bool has_sframe = sframe_open(&sframe, &s->sframe, s->swap);
	struct cfi *c;

	if (s->eh_frame.bytes.len == 0 && s->debug_frame.bytes.len == 0 &&
	    !has_sframe)
		return NULL;
	c = mem_zero(1, sizeof(*c));
	c->sframe = sframe;
	c->has_sframe = has_sframe;
	c->eh = (struct cfi_frames){ s->eh_frame, true, s->swap, address_size };
	c->debug = (struct cfi_frames){ s->debug_frame, false, s->swap,
					address_size };
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
	const struct cfi_place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static void
build_index(const struct cfi_frames *f, struct cfi_index *index)
{
	struct cfi_function function;
	uint64_t offset = 0, before = 0;

	for (; next_entry(f, &offset, &function); before = offset) {
		if (function.start == function.end)
			continue;
		index->places = mem_grow(index->places, &index->cap,
					 index->n + 1,
					 sizeof(struct cfi_place));
		index->places[index->n++] = (struct cfi_place){ function.start,
								before };
	}
	if (index->n > 0)
		qsort(index->places, index->n, sizeof(struct cfi_place),
		      by_start);
}

/* Find the last function that starts at vaddr or before; false if none does. */
static bool
find_by_index(const struct cfi_frames *f, struct cfi_index *index,
	      uint64_t vaddr, uint64_t *offset)
{
	size_t low = 0, high, mid;

	if (once_begin(&index->built)) {
		build_index(f, index);
		once_end(&index->built);
	}
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
find_by_table(const struct cfi *c, uint64_t vaddr, uint64_t *offset)
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

/* Compute the rules if the entry at an offset covers the address. */
static bool
run_entry(const struct cfi_frames *f, uint64_t offset, uint64_t vaddr,
	  struct cfi_row *row)
{
	struct cfi_function function;

	return next_entry(f, &offset, &function) && vaddr >= function.start &&
	       vaddr < function.end && run_function(f, &function, vaddr, row);
}

bool
cfi_find(struct cfi *c, uint64_t vaddr, struct cfi_row *row)
{
	uint64_t offset;
	bool found;

	if (cursor_left(&c->table) > 0)
		found = find_by_table(c, vaddr, &offset);
	else
		found = find_by_index(&c->eh, &c->eh_index, vaddr, &offset);
	if (found && run_entry(&c->eh, offset, vaddr, row))
		return true;
	if (find_by_index(&c->debug, &c->debug_index, vaddr, &offset) &&
	    run_entry(&c->debug, offset, vaddr, row))
		return true;
	return c->has_sframe && sframe_find(&c->sframe, vaddr, row);
}
