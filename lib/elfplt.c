/* elfplt.c - the entries of procedure linkage tables. */
#include "elfplt.h"

#include "mem.h"

#include <elf.h>
#include <stdlib.h>

/* A place that the dynamic linker fills with the address of a symbol. */
struct slot {
	uint64_t vaddr;
	uint32_t symbol;
};

struct plt {
	struct elffile *f;
	struct symtab *t;
	size_t dynsym;
	struct slot *slots, *ordered; /* by address; as in .rela.plt */
	size_t slots_n, slots_cap, ordered_n, ordered_cap;
};

static int
by_vaddr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

/* What a table of relocations fills; in the order of .rela.plt too. */
static void
read_relocations(struct plt *p, size_t table, bool is_plt)
{
	struct elffile_relocation r;
	size_t i;

	for (i = 0; elffile_relocation(p->f, table, i, &r); i++) {
		const struct slot slot = { r.offset, r.symbol };

		if (is_plt) {
			p->ordered = mem_grow(p->ordered, &p->ordered_cap,
					      p->ordered_n + 1, sizeof(slot));
			p->ordered[p->ordered_n++] = slot;
		}
		/* Most of the others are data, and have no symbol. */
		if (r.symbol == 0)
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
	for (i = 1; i < n; i++)
		if ((s[i].type == SHT_RELA || s[i].type == SHT_REL) &&
		    s[i].link == p->dynsym)
			read_relocations(p, i,
					 str_ends(s[i].name, STR(".plt")));
	if (p->slots_n > 0)
		qsort(p->slots, p->slots_n, sizeof(*p->slots), by_vaddr);
}

static void
add_entry(struct plt *p, uint64_t start, uint64_t size, uint32_t symbol)
{
	struct elffile_symbol s;
	char *name;
	struct str whole;

	if (symbol == 0 || !elffile_symbol(p->f, p->dynsym, symbol, &s) ||
	    s.name[0] == '\0')
		return;
	whole.len = strlen(s.name) + 4;
	name = mem_alloc(whole.len);
	memcpy(name, s.name, whole.len - 4);
	memcpy(name + whole.len - 4, "@plt", 4);
	whole.p = name;
	symtab_add(p->t, start, start + size, false, 15, whole);
	free(name);
}

static uint32_t
little_u32(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
	       (uint32_t)b[3] << 24;
}

/*
 * The symbol an entry of x86-64 jumps to; 0 if it is not clear.  It has "jmp
 * *slot(%rip)", first or behind endbr64 and bnd; or, with .plt.sec, which has
 * those, .plt only "push $i", i in the order of .rela.plt.
 */
static uint32_t
x86_target(const struct plt *p, struct str code, uint64_t vaddr)
{
	const struct slot *found;
	struct slot key = { 0 };
	uint32_t i;
	size_t at = 0;

	if (str_starts(code, STR("\xf3\x0f\x1e\xfa")))
		at = 4;
	if (at + 5 <= code.len && code.p[at] == '\x68') {
		i = little_u32(code.p + at + 1);
		return i < p->ordered_n ? p->ordered[i].symbol : 0;
	}
	if (at < code.len && code.p[at] == '\xf2')
		at++;
	if (p->slots_n == 0 || at + 6 > code.len ||
	    !str_starts(str_skip(code, at), STR("\xff\x25")))
		return 0;
	key.vaddr = vaddr + at + 6 +
		    (uint64_t)(int32_t)little_u32(code.p + at + 2);
	found = bsearch(&key, p->slots, p->slots_n, sizeof(key), by_vaddr);
	return found != NULL ? found->symbol : 0;
}

/* Entries of .plt.got have 8 bytes, or, with endbr64, 16. */
static void
add_x86(struct plt *p, struct str code, uint64_t vaddr, bool is_got)
{
	const bool short_entries = is_got &&
				   !str_starts(code, STR("\xf3\x0f\x1e\xfa"));
	const size_t size = short_entries ? 8 : 16;
	struct str entry;

	for (; code.len >= size; code = str_skip(code, size), vaddr += size) {
		entry = (struct str){ code.p, size };
		add_entry(p, vaddr, size, x86_target(p, entry, vaddr));
	}
}

/* ABI of aarch64: a head of 32 bytes, then 16 for each, in order. */
static void
add_aarch64(struct plt *p, struct str code, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < p->ordered_n && 32 + 16 * (i + 1) <= code.len; i++)
		add_entry(p, vaddr + 32 + 16 * i, 16, p->ordered[i].symbol);
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

	if (p.dynsym == 0)
		return;
	read_slots(&p);
	s = elffile_sections(f, &n);
	for (i = 1; i < n; i++) {
		if (!(s[i].flags & SHF_EXECINSTR) ||
		    !str_starts(s[i].name, STR(".plt")))
			continue;
		if (machine == EM_X86_64)
			add_x86(&p, elffile_bytes(f, i), s[i].vaddr,
				str_eq(s[i].name, STR(".plt.got")));
		else if (machine == EM_AARCH64)
			add_aarch64(&p, elffile_bytes(f, i), s[i].vaddr);
	}
	free(p.slots);
	free(p.ordered);
}
