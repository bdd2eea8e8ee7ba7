/* elfgo.c - the function table of Go programs. */
#include "elf/elfgo.h"

#include "arch/arch.h"
#include "base/leb.h"

/* Go, src/runtime/symtab.go: pcHeader, functab, _func and step(). */
#define MAGIC_1_16 UINT32_C(0xfffffffa)
#define MAGIC_1_18 UINT32_C(0xfffffff0)
#define MAGIC_1_20 UINT32_C(0xfffffff1)

struct elfgo_table {
	struct str names, steps, functions; /* funcnametab, pctab, pclntable */
	uint32_t magic;
	uint8_t quantum; /* the unit of code sizes */
	bool swap;
	uint64_t text;    /* base of function addresses */
	uint64_t text_at; /* where the table has that base */
	uint64_t n;
};

struct elfgo_function {
	uint64_t start, end;
	struct str name;
	struct str steps; /* of the stack pointer; ends with 0 */
	bool outermost;
};

/* In a position-independent program, the value is in a relocation. */
static uint64_t
relocated(struct elffile *f, uint64_t vaddr, uint64_t n)
{
	const size_t section = elffile_named(f, STR(".rela.dyn"));
	struct cursor c = cursor_of(elffile_bytes(f, section),
				    elffile_head(f)->swap);
	uint64_t entry[3];

	while (cursor_left(&c) >= sizeof(entry) && cursor_u64s(&c, entry, 3))
		if (entry[0] == vaddr)
			return entry[2];
	return n;
}

/* Read pcHeader: the number of functions, and where the parts are. */
static bool
read_head(struct str bytes, uint64_t vaddr, bool swap, struct elfgo_table *t)
{
	struct cursor c = cursor_of(bytes, swap);
	uint64_t offset[5]; /* names, units, files, steps, functions */

	*t = (struct elfgo_table){ .magic = cursor_u32(&c), .swap = swap };
	cursor_bytes(&c, 2);
	t->quantum = leb_byte(&c);
	if (leb_byte(&c) != sizeof(uint64_t))
		return false;
	t->n = cursor_u64(&c);
	cursor_bytes(&c, sizeof(uint64_t));
	t->text_at = vaddr + (uint64_t)(c.p - bytes.p);
	if (t->magic != MAGIC_1_16)
		t->text = cursor_u64(&c);
	if (!cursor_u64s(&c, offset, 5))
		return false;
	t->names = str_skip(bytes, offset[0]);
	t->steps = str_skip(bytes, offset[3]);
	t->functions = str_skip(bytes, offset[4]);
	return t->functions.len > 0 &&
	       (t->magic == MAGIC_1_16 || t->magic == MAGIC_1_18 ||
		t->magic == MAGIC_1_20);
}

/* Search for the table: other linkers than Go's merge it with other data. */
static bool
search_head(struct str bytes, uint64_t vaddr, bool swap, struct elfgo_table *t)
{
	struct str rest = str_skip(bytes, 1);
	const char *found;
	size_t n;

	while ((found = str_search(rest, STR("\xff\xff\xff\0\0"))) != NULL) {
		n = (size_t)(found - bytes.p) - 1;
		if (n % sizeof(uint64_t) == 0 &&
		    read_head(str_skip(bytes, n), vaddr + n, swap, t))
			return true;
		rest = str_skip(bytes, n + 2);
	}
	return false;
}

bool
elfgo_is(const struct elffile *f)
{
	return elffile_named(f, STR(".go.buildinfo")) != 0;
}

static bool
open_table(struct elffile *f, struct elfgo_table *t)
{
	const bool swap = elffile_head(f)->swap;
	size_t section = elffile_named(f, STR(".gopclntab")), n;
	struct str bytes;
	uint64_t vaddr;

	if (section == 0)
		section = elffile_named(f, STR(".data.rel.ro.gopclntab"));
	if (section == 0)
		section = elffile_named(f, STR(".data.rel.ro"));
	if (!elfgo_is(f) || section == 0)
		return false;
	bytes = elffile_bytes(f, section);
	vaddr = elffile_sections(f, &n)[section].vaddr;
	if (!read_head(bytes, vaddr, swap, t) &&
	    !search_head(bytes, vaddr, swap, t))
		return false;
	t->text = relocated(f, t->text_at, t->text);
	return true;
}

static struct cursor
cursor_at(const struct elfgo_table *t, uint64_t offset)
{
	return cursor_of(str_skip(t->functions, offset), t->swap);
}

static uint64_t
address(const struct elfgo_table *t, struct cursor *c)
{
	return t->magic == MAGIC_1_16 ? cursor_u64(c) : t->text + cursor_u32(c);
}

/* Read the fields of _func after the address. */
static bool
read_function(const struct elfgo_table *t, struct cursor *c,
	      struct elfgo_function *to)
{
	const size_t between = t->magic == MAGIC_1_20 ? 21 : 17;
	uint32_t name;

	name = cursor_u32(c);
	cursor_bytes(c, 8);
	to->steps = str_skip(t->steps, cursor_u32(c));
	cursor_bytes(c, between);
	to->outermost = leb_byte(c) & 1;
	*c = cursor_of(str_skip(t->names, name), t->swap);
	to->name = cursor_text(c, cursor_left(c));
	return to->name.len > 0;
}

/* Get function i; false after the last. */
static bool
next_function(const struct elfgo_table *t, uint64_t i,
	      struct elfgo_function *to)
{
	const bool wide = t->magic == MAGIC_1_16;
	struct cursor c, entry;

	if (i >= t->n || i >= t->functions.len)
		return false;
	c = cursor_at(t, i * (wide ? 16 : 8));
	to->start = address(t, &c);
	entry = cursor_at(t, wide ? cursor_u64(&c) : cursor_u32(&c));
	to->end = address(t, &c);
	address(t, &entry);
	if (!read_function(t, &entry, to))
		to->end = to->start;
	return !c.bad;
}

/*
 * A limit to what is made of a table, which is usually 6 % of its file.  It is
 * only exceeded if functions share names or steps, in an invalid file.
 */
static uint64_t
output_limit(const struct elffile *f)
{
	return elffile_head(f)->size;
}

void
elfgo_add(struct elffile *f, struct symtab *symtab)
{
	uint64_t i, added = 0;
	struct elfgo_function function;
	struct elfgo_table t;

	if (!open_table(f, &t))
		return;
	for (i = 0; added < output_limit(f) && next_function(&t, i, &function);
	     i++) {
		symtab_add(symtab, function.start, function.end, false, 0,
			   function.name);
		added += function.name.len;
	}
}

/* Unwind tables. */

enum {
	/* DWARF 5, 7.24. */
	CFA_ADVANCE_LOC4 = 0x04,
	CFA_UNDEFINED = 0x07,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_OFFSET = 0x80 /* and a register */
};

static void
add_u32(struct buf *to, uint32_t n)
{
	const char bytes[] = { (char)n, (char)(n >> 8), (char)(n >> 16),
			       (char)(n >> 24) };

	buf_add(to, bytes, sizeof(bytes));
}

static void
add_u64(struct buf *to, uint64_t n)
{
	add_u32(to, (uint32_t)n);
	add_u32(to, (uint32_t)(n >> 32));
}

static void
add_uleb(struct buf *to, uint32_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_char(to, (char)(n | 0x80));
	buf_char(to, (char)n);
}

/*
 * The steps are pairs: the change of the distance to the return address, which
 * starts as -1, and the size of the code to which it applies.
 */
static void
add_steps(const struct elfgo_table *t, const struct elfgo_function *function,
	  struct buf *to)
{
	struct cursor c = cursor_of(function->steps, t->swap);
	uint64_t at = function->start, n;
	uint32_t depth = UINT32_MAX, zigzag;

	while (at < function->end && !c.bad) {
		zigzag = (uint32_t)leb_unsigned(&c);
		if (zigzag == 0 && at > function->start)
			break;
		depth += zigzag & 1 ? ~(zigzag >> 1) : zigzag >> 1;
		buf_char(to, CFA_DEF_CFA_OFFSET);
		add_uleb(to, depth + 8);
		n = leb_unsigned(&c) * t->quantum;
		if (n == 0 || n >= function->end - at)
			break;
		buf_char(to, CFA_ADVANCE_LOC4);
		add_u32(to, (uint32_t)n);
		at += n;
	}
}

/* Set the length of an entry, which is its first field. */
static void
end_entry(struct buf *to, size_t begin)
{
	const uint32_t length = (uint32_t)(to->len - begin - 4);
	size_t i;

	for (i = 0; i < 4; i++)
		to->p[begin + i] = (char)(length >> i * 8);
}

/*
 * Functions that run on a thread's own stack, g0, which the caller has left:
 * what lies above their frames is left over from other calls.
 */
static bool
switches_stack(struct str name)
{
	static const char *const names[] = { "asmcgocall", "mcall",
					     "morestack",  "mstart",
					     "rt0_go",     "systemstack" };
	size_t i;

	if (!str_starts(name, STR("runtime.")))
		return false;
	name = str_skip(name, STR("runtime.").len);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_eq(name, str_of(names[i])))
			return true;
	return false;
}

static void
add_entry(const struct elfgo_table *t, const struct arch *arch,
	  const struct elfgo_function *function, struct buf *to)
{
	const size_t begin = to->len;

	add_u64(to, 0); /* the length, and the offset of the CIE */
	add_u64(to, function->start);
	add_u64(to, function->end - function->start);
	if (function->outermost || switches_stack(function->name)) {
		buf_char(to, CFA_UNDEFINED);
		buf_char(to, (char)arch->pc);
	}
	add_steps(t, function, to);
	end_entry(to, begin);
}

/* CIE: alignments 1 and -8, CFA sp+8, return address at CFA-8. */
static void
add_common(const struct arch *arch, struct buf *to)
{
	const char rest[] = { 3,
			      0,
			      1,
			      0x78,
			      (char)arch->pc, /* version 3 */
			      CFA_DEF_CFA,
			      (char)arch->sp,
			      8,
			      (char)(CFA_OFFSET | arch->pc),
			      1,
			      0,
			      0 };

	add_u32(to, sizeof(rest) + 4);
	add_u32(to, UINT32_MAX);
	buf_add(to, rest, sizeof(rest));
}

void
elfgo_frames(struct elffile *f, struct buf *to)
{
	const struct arch *arch = arch_of(elffile_head(f)->machine);
	struct elfgo_function function;
	struct elfgo_table t;
	uint64_t i;

	/* The distance is only that if calls push the return address. */
	if (arch == NULL || arch->link != arch->pc || !open_table(f, &t))
		return;
	add_common(arch, to);
	for (i = 0;
	     to->len < output_limit(f) && next_function(&t, i, &function); i++)
		if (function.end > function.start)
			add_entry(&t, arch, &function, to);
}
