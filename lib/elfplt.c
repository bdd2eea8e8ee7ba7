/* elfplt.c - the entries of procedure linkage tables. */
#include "elfplt.h"

#include "mem.h"

#include <elf.h>
#include <stdlib.h>

/*
 * A place that the dynamic linker fills with the address of a symbol, or with
 * what the function at chooser returns.
 */
struct slot {
	uint64_t vaddr;
	uint32_t symbol;
	uint64_t chooser; /* 0: none */
};

struct plt {
	struct elffile *f;
	struct symtab *t;
	size_t dynsym;
	struct slot *slots, *ordered; /* by address; as in .rela.plt */
	size_t slots_n, slots_cap, ordered_n, ordered_cap;
	struct symtab *choosers; /* names by them */
};

static int
by_vaddr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static uint64_t
chooser_of(const struct plt *p, const struct elffile_relocation *r)
{
	return elffile_head(p->f)->machine == EM_X86_64 &&
		       r->type == R_X86_64_IRELATIVE ?
		   r->addend :
		   0;
}

/* What a table of relocations fills; in the order of .rela.plt too. */
static void
read_relocations(struct plt *p, size_t table, bool is_plt)
{
	struct elffile_relocation r;
	size_t i;

	for (i = 0; elffile_relocation(p->f, table, i, &r); i++) {
		const struct slot slot = { r.offset, r.symbol,
					   chooser_of(p, &r) };

		if (is_plt) {
			p->ordered = mem_grow(p->ordered, &p->ordered_cap,
					      p->ordered_n + 1, sizeof(slot));
			p->ordered[p->ordered_n++] = slot;
		}
		/* Most of the others are data, and have no symbol. */
		if (slot.symbol == 0 && slot.chooser == 0)
			continue;
		p->slots = mem_grow(p->slots, &p->slots_cap, p->slots_n + 1,
				    sizeof(slot));
		p->slots[p->slots_n++] = slot;
	}
}

static void
read_slots(struct plt *p)
{
	const struct elffile_section *s;
	size_t n, i;

	s = elffile_sections(p->f, &n);
	/* Of a static program they may be of its other symbols. */
	for (i = 1; i < n; i++)
		if ((s[i].type == SHT_RELA || s[i].type == SHT_REL) &&
		    (s[i].link == p->dynsym ||
		     (p->dynsym == 0 && (s[i].flags & SHF_ALLOC))))
			read_relocations(p, i,
					 str_ends(s[i].name, STR(".plt")));
	if (p->slots_n > 0)
		qsort(p->slots, p->slots_n, sizeof(*p->slots), by_vaddr);
}

/* Of several names that one function chooses for, the plainest is taken. */
static void
read_choosers(struct plt *p)
{
	size_t table = elffile_typed(p->f, SHT_SYMTAB), i;
	struct elffile_symbol s;
	struct str name, version;

	if (table == 0)
		table = p->dynsym;
	p->choosers = symtab_new(SYMTAB_BEST);
	symtab_limit(p->choosers, elffile_head(p->f)->size * 16);
	for (i = 1; table != 0 && elffile_symbol(p->f, table, i, &s); i++) {
		if (s.type != STT_GNU_IFUNC || s.section == SHN_UNDEF)
			continue;
		version = str_of(s.name);
		name = str_cut(&version, '@');
		symtab_add(p->choosers, s.value, s.value + 1, false, 0, name);
	}
	symtab_sort(p->choosers);
}

static struct str
name_of(struct plt *p, const struct slot *slot)
{
	struct elffile_symbol s;
	struct symbol chosen;

	if (slot->symbol != 0)
		return elffile_symbol(p->f, p->dynsym, slot->symbol, &s) ?
			   str_of(s.name) :
			   (struct str){ 0 };
	if (slot->chooser == 0)
		return (struct str){ 0 };
	if (p->choosers == NULL)
		read_choosers(p);
	return symtab_find(p->choosers, slot->chooser, &chosen) ?
		   chosen.name :
		   (struct str){ 0 };
}

static void
add_entry(struct plt *p, uint64_t start, uint64_t size, const struct slot *slot)
{
	struct str name, whole;
	char *text;

	if (slot == NULL)
		return;
	name = name_of(p, slot);
	if (name.len == 0)
		return;
	whole.len = name.len + 4;
	text = mem_alloc(whole.len);
	memcpy(text, name.p, name.len);
	memcpy(text + name.len, "@plt", 4);
	whole.p = text;
	symtab_add(p->t, start, start + size, false, 15, whole);
	free(text);
}

static uint32_t
little_u32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
}

/*
 * The slot an entry of x86-64 jumps through; NULL if it is not clear.  It has
 * "jmp *slot(%rip)", first or behind endbr64 and bnd, or behind mold's "mov
 * $i,%r11d"; or, with .plt.sec, which has those, .plt only "push $i", i in the
 * order of .rela.plt.
 */
static const struct slot *
x86_slot(const struct plt *p, struct str code, uint64_t vaddr)
{
	struct slot key = { 0 };
	uint32_t i;
	size_t at = 0;

	if (str_starts(code, STR("\xf3\x0f\x1e\xfa")))
		at = 4;
	if (at + 5 <= code.len && code.p[at] == '\x68') {
		i = little_u32(code.p + at + 1);
		return i < p->ordered_n ? &p->ordered[i] : NULL;
	}
	if (at < code.len && code.p[at] == '\xf2')
		at++;
	if (at + 6 <= code.len &&
	    str_starts(str_skip(code, at), STR("\x41\xbb")))
		at += 6;
	if (p->slots_n == 0 || at + 6 > code.len ||
	    !str_starts(str_skip(code, at), STR("\xff\x25")))
		return NULL;
	key.vaddr = vaddr + at + 6 +
		    (uint64_t)(int32_t)little_u32(code.p + at + 2);
	return bsearch(&key, p->slots, p->slots_n, sizeof(key), by_vaddr);
}

/*
 * Entries have 16 bytes, but those that only jump, of .plt.got and of static
 * programs, 8 if there is no endbr64.
 */
static size_t
x86_size(struct str code, bool is_got)
{
	if (str_starts(code, STR("\xf3\x0f\x1e\xfa")))
		return 16;
	if (str_starts(code, STR("\xff\x25")) &&
	    str_starts(str_skip(code, 6), STR("\x66\x90")))
		return 8;
	return is_got ? 8 : 16;
}

static void
add_x86(struct plt *p, struct str code, uint64_t vaddr, bool is_got)
{
	const size_t size = x86_size(code, is_got);
	struct str entry;

	for (; code.len >= size; code = str_skip(code, size), vaddr += size) {
		entry = (struct str){ code.p, size };
		add_entry(p, vaddr, size, x86_slot(p, entry, vaddr));
	}
}

/* ABI of aarch64: a head of 32 bytes, then 16 for each, in order. */
static void
add_aarch64(struct plt *p, struct str code, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < p->ordered_n && 32 + 16 * (i + 1) <= code.len; i++)
		add_entry(p, vaddr + 32 + 16 * i, 16, &p->ordered[i]);
}

void
elfplt_add(struct elffile *f, struct symtab *t)
{
	struct plt p = { .f = f,
			 .t = t,
			 .dynsym = elffile_typed(f, SHT_DYNSYM) };
	const int machine = elffile_head(f)->machine;
	const struct elffile_section *s;
	size_t n, i;

	read_slots(&p);
	s = elffile_sections(f, &n);
	for (i = 1; i < n; i++) {
		if (!(s[i].flags & SHF_EXECINSTR) ||
		    (!str_starts(s[i].name, STR(".plt")) &&
		     !str_eq(s[i].name, STR(".iplt"))))
			continue;
		if (machine == EM_X86_64)
			add_x86(&p, elffile_bytes(f, i), s[i].vaddr,
				str_eq(s[i].name, STR(".plt.got")));
		else if (machine == EM_AARCH64)
			add_aarch64(&p, elffile_bytes(f, i), s[i].vaddr);
	}
	symtab_free(p.choosers);
	free(p.slots);
	free(p.ordered);
}
