/* sframe.c - the simple table to unwind by that .sframe has. */
#include "unwind/sframe.h"

#include "base/cursor.h"

enum { MAGIC = 0xdee2, SFRAME_2 = 2, FUNCTION_SIZE = 20 };

/* Flags of the section. */
enum { SORTED = 1, RELATIVE_TO_FIELD = 4 };

/* Machines, and the DWARF numbers of their registers. */
static const struct sframe_machine {
	uint8_t id;
	uint8_t sp, fp, pc;
} machines[] = {
	{ 2, 31, 29, 30 }, /* aarch64, little-endian */
	{ 3, 7, 6, 16 }    /* x86-64 */
};

/* A function: in version 2, FUNCTION_SIZE bytes. */
struct sframe_function {
	uint64_t start;
	uint32_t size, rows_at, rows_n;
	uint8_t info, repeats;
};

/* One row of a function. */
struct sframe_row {
	uint32_t start; /* offset from the function */
	uint8_t info;
	int32_t offset[3];
	unsigned offsets;
};

bool
sframe_open(struct sframe *s, const struct cfi_section *section, bool swap)
{
	struct cursor c = cursor_of(section->bytes, swap);
	uint32_t rows_size, functions_at, rows_at;
	struct str bytes;
	uint8_t flags, more;
	size_t i;

	*s = (struct sframe){ .vaddr = section->vaddr, .swap = swap };
	if (cursor_u16(&c) != MAGIC)
		return false;
	bytes = cursor_bytes(&c, 6);
	if (bytes.len < 6 || bytes.p[0] != SFRAME_2)
		return false;
	flags = (uint8_t)bytes.p[1];
	s->fixed_fp = (int8_t)bytes.p[3];
	s->fixed_ra = (int8_t)bytes.p[4];
	more = (uint8_t)bytes.p[5];
	s->n = cursor_u32(&c);
	cursor_u32(&c); /* rows of all functions */
	rows_size = cursor_u32(&c);
	functions_at = cursor_u32(&c);
	rows_at = cursor_u32(&c);
	cursor_bytes(&c, more);
	/* Offsets are from here. */
	bytes = str_range(c.p, c.end);
	if (c.bad || functions_at > bytes.len || rows_at > bytes.len)
		return false;
	s->functions_at = (uint64_t)(c.p - section->bytes.p) + functions_at;
	s->functions = str_skip(bytes, functions_at);
	s->rows = str_skip(bytes, rows_at);
	if (s->rows.len > rows_size)
		s->rows.len = rows_size;
	if (s->n > s->functions.len / FUNCTION_SIZE)
		return false;
	s->sorted = flags & SORTED;
	s->relative = flags & RELATIVE_TO_FIELD;
	for (i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (machines[i].id == (uint8_t)section->bytes.p[4]) {
			s->machine = (uint8_t)i;
			return true;
		}
	}
	return false;
}

static struct sframe_function
read_function(const struct sframe *s, size_t i)
{
	const uint64_t at = i * FUNCTION_SIZE;
	struct cursor c = cursor_of(str_skip(s->functions, at), s->swap);
	struct sframe_function f;
	struct str bytes;

	f.start = s->vaddr + (s->relative ? s->functions_at + at : 0) +
		  (uint64_t)(int32_t)cursor_u32(&c);
	f.size = cursor_u32(&c);
	f.rows_at = cursor_u32(&c);
	f.rows_n = cursor_u32(&c);
	bytes = cursor_bytes(&c, 2);
	f.info = bytes.len == 2 ? (uint8_t)bytes.p[0] : 0;
	f.repeats = bytes.len == 2 ? (uint8_t)bytes.p[1] : 0;
	return f;
}

static bool
has(const struct sframe_function *f, uint64_t vaddr)
{
	return vaddr - f->start < f->size;
}

static bool
find_function(const struct sframe *s, uint64_t vaddr, struct sframe_function *f)
{
	size_t low = 0, high = s->n, mid;

	/* Linkers sort the table.  Object files and kernels need not. */
	for (mid = 0; !s->sorted && mid < s->n; mid++) {
		*f = read_function(s, mid);
		if (has(f, vaddr))
			return true;
	}
	while (s->sorted && low < high) {
		mid = low + (high - low) / 2;
		*f = read_function(s, mid);
		if (f->start <= vaddr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return false;
	*f = read_function(s, low - 1);
	return has(f, vaddr);
}

/* A number of 1, 2 or 4 bytes, by a code of 0, 1 or 2. */
static uint32_t
read_number(struct cursor *c, unsigned code)
{
	struct str byte;

	if (code == 1)
		return cursor_u16(c);
	if (code == 2)
		return cursor_u32(c);
	byte = cursor_bytes(c, 1);
	c->bad |= code > 2;
	return byte.len == 1 ? (uint8_t)byte.p[0] : 0;
}

static int32_t
extend(uint32_t n, unsigned code)
{
	return code == 0 ? (int8_t)n : code == 1 ? (int16_t)n : (int32_t)n;
}

static bool
read_row(struct cursor *c, const struct sframe_function *f,
	 struct sframe_row *row)
{
	struct str info;
	unsigned size, i;

	row->start = read_number(c, f->info & 15);
	info = cursor_bytes(c, 1);
	row->info = info.len == 1 ? (uint8_t)info.p[0] : 0;
	row->offsets = row->info >> 1 & 15;
	size = row->info >> 5 & 3;
	for (i = 0; i < row->offsets && i < 3; i++)
		row->offset[i] = extend(read_number(c, size), size);
	return !c->bad && row->offsets >= 1 && row->offsets <= 3;
}

/* Rows are in order: find the last one that starts at vaddr or before. */
static bool
find_row(const struct sframe *s, const struct sframe_function *f,
	 uint64_t vaddr, struct sframe_row *found)
{
	const bool repeated = f->info >> 4 & 1; /* the same code, as in a PLT */
	uint64_t offset = vaddr - f->start;
	struct sframe_row row;
	bool ok = false;
	struct cursor c;
	uint32_t i;

	if (f->rows_at > s->rows.len || (repeated && f->repeats == 0))
		return false;
	if (repeated)
		offset %= f->repeats;
	c = cursor_of(str_skip(s->rows, f->rows_at), s->swap);
	for (i = 0; i < f->rows_n; i++) {
		if (!read_row(&c, f, &row) || row.start > offset)
			break;
		*found = row;
		ok = true;
	}
	return ok;
}

static void
fill(const struct sframe *s, const struct sframe_row *from, struct cfi_row *row)
{
	const struct sframe_machine *m = &machines[s->machine];
	const int32_t *offset = from->offset, *end = offset + from->offsets;
	size_t i;

	for (i = 0; i < ARCH_REGISTERS; i++)
		row->rules[i].how = CFI_UNDEFINED;
	row->rules[m->sp].how = CFI_SAME;
	row->rules[m->fp].how = CFI_SAME;
	row->rules[m->pc].how = CFI_SAME;
	row->other.how = CFI_UNDEFINED;
	row->return_column = m->pc;
	row->signed_return = from->info >> 7;
	row->cfa_register = from->info & 1 ? m->sp : m->fp;
	row->cfa = (struct cfi_rule){ .how = CFI_REGISTER, .n = *offset++ };
	if (s->fixed_ra != 0)
		row->rules[m->pc] = (struct cfi_rule){ .how = CFI_AT_CFA,
						       .n = s->fixed_ra };
	else if (offset < end)
		row->rules[m->pc] = (struct cfi_rule){ .how = CFI_AT_CFA,
						       .n = *offset++ };
	if (s->fixed_fp != 0)
		row->rules[m->fp] = (struct cfi_rule){ .how = CFI_AT_CFA,
						       .n = s->fixed_fp };
	else if (offset < end)
		row->rules[m->fp] = (struct cfi_rule){ .how = CFI_AT_CFA,
						       .n = *offset };
}

bool
sframe_find(const struct sframe *s, uint64_t vaddr, struct cfi_row *row)
{
	struct sframe_function f;
	struct sframe_row found;

	if (!find_function(s, vaddr, &f) || !find_row(s, &f, vaddr, &found))
		return false;
	memset(row, 0, sizeof(*row));
	row->start = f.start;
	row->end = f.start + f.size;
	fill(s, &found, row);
	return true;
}
