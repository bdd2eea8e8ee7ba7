/* elfplt.c - names of the entries of procedure linkage tables (PLT). */
#include "elf/elfplt.h"

#include "arch/arch.h"
#include "base/mem.h"

#include <elf.h>
#include <stdlib.h>

/*
 * A slot of the GOT.  The dynamic linker fills it with the address of a symbol,
 * or with the result of an IFUNC resolver.
 */
struct elfplt_slot {
	uint64_t vaddr;
	uint32_t symbol;
	uint64_t resolver; /* 0: none */
};

struct elfplt {
	struct elffile *f;
	struct symtab *t;
	uint64_t got;       /* address of the GOT, 0 if there is none */
	uint32_t irelative; /* type of relocations for IFUNCs, or 0 */
	size_t dynsym;
	struct elfplt_slot *slots;   /* by address */
	struct elfplt_slot *ordered; /* as in .rela.plt */
	size_t slots_n, slots_cap, ordered_n, ordered_cap;
	struct symtab *ifuncs; /* by resolver; NULL before use */
};

static int
by_vaddr(const void *a, const void *b)
{
	const struct elfplt_slot *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static uint64_t
resolver_of(const struct elfplt *p, const struct elffile_relocation *r)
{
	return p->irelative != 0 && r->type == p->irelative ? r->addend : 0;
}

/* Read the slots that a table of relocations fills. */
static void
read_relocations(struct elfplt *p, size_t table, bool is_plt)
{
	struct elffile_relocation r;
	size_t i;

	for (i = 0; elffile_relocation(p->f, table, i, &r); i++) {
		const struct elfplt_slot slot = { r.offset, r.symbol,
						  resolver_of(p, &r) };

		if (is_plt) {
			p->ordered = mem_grow(p->ordered, &p->ordered_cap,
					      p->ordered_n + 1, sizeof(slot));
			p->ordered[p->ordered_n++] = slot;
		}
		/* Most others are data without a symbol. */
		if (slot.symbol == 0 && slot.resolver == 0)
			continue;
		p->slots = mem_grow(p->slots, &p->slots_cap, p->slots_n + 1,
				    sizeof(slot));
		p->slots[p->slots_n++] = slot;
	}
}

static void
read_slots(struct elfplt *p)
{
	const struct elffile_section *s;
	size_t n, i;

	s = elffile_sections(p->f, &n);
	/* In a static program, they may use .symtab. */
	for (i = 1; i < n; i++)
		if ((s[i].type == SHT_RELA || s[i].type == SHT_REL) &&
		    (s[i].link == p->dynsym ||
		     (p->dynsym == 0 && (s[i].flags & SHF_ALLOC))))
			read_relocations(p, i,
					 str_ends(s[i].name, STR(".plt")));
	if (p->slots_n > 0)
		qsort(p->slots, p->slots_n, sizeof(*p->slots), by_vaddr);
}

/* The symtab picks the plainest name of a resolver. */
static void
read_ifuncs(struct elfplt *p)
{
	size_t table = elffile_typed(p->f, SHT_SYMTAB), i;
	struct elffile_symbol s;
	struct str name, version;

	if (table == 0)
		table = p->dynsym;
	p->ifuncs = symtab_new(SYMTAB_BEST);
	symtab_limit(p->ifuncs, elffile_head(p->f)->size * 16);
	for (i = 1; table != 0 && elffile_symbol(p->f, table, i, &s); i++) {
		if (s.type != STT_GNU_IFUNC || s.section == SHN_UNDEF)
			continue;
		version = str_of(s.name);
		name = str_cut(&version, '@');
		symtab_add(p->ifuncs, s.value, s.value + 1, false, 0, name);
	}
	symtab_sort(p->ifuncs);
}

static struct str
name_of(struct elfplt *p, const struct elfplt_slot *slot)
{
	struct elffile_symbol s;
	struct symbol symbol;

	if (slot->symbol != 0)
		return elffile_symbol(p->f, p->dynsym, slot->symbol, &s) ?
			   str_of(s.name) :
			   (struct str){ 0 };
	if (slot->resolver == 0)
		return (struct str){ 0 };
	if (p->ifuncs == NULL)
		read_ifuncs(p);
	return symtab_find(p->ifuncs, slot->resolver, &symbol) ?
		   symbol.name :
		   (struct str){ 0 };
}

static void
add_entry(struct elfplt *p, uint64_t start, uint64_t size,
	  const struct elfplt_slot *slot)
{
	struct str name, full;
	char *text;

	if (slot == NULL)
		return;
	name = name_of(p, slot);
	if (name.len == 0)
		return;
	full.len = name.len + 4;
	text = mem_alloc(full.len);
	memcpy(text, name.p, name.len);
	memcpy(text + name.len, "@plt", 4);
	full.p = text;
	symtab_add(p->t, start, start + size, false, 15, full);
	free(text);
}

static const struct elfplt_slot *
find_slot(const struct elfplt *p, const struct arch_slot *to)
{
	const struct elfplt_slot key = { .vaddr = to->vaddr };

	if (to->by_index)
		return to->index < p->ordered_n ? &p->ordered[to->index] : NULL;
	return p->slots_n == 0 ?
		   NULL :
		   bsearch(&key, p->slots, p->slots_n, sizeof(key), by_vaddr);
}

/* Add entries whose code says where they jump. */
static void
add_decoded(struct elfplt *p, const struct arch_plt *plt, struct str code,
	    uint64_t vaddr, bool is_got)
{
	const size_t size = plt->size(code, is_got);
	struct arch_slot slot = { .by_index = false };
	struct str entry;

	for (; code.len >= size; code = str_skip(code, size), vaddr += size) {
		entry = (struct str){ code.p, size };
		if (plt->slot(entry, vaddr, p->got, &slot))
			add_entry(p, vaddr, size, find_slot(p, &slot));
	}
}

/* Add entries that are in the order of .rela.plt. */
static void
add_ordered(struct elfplt *p, const struct arch_plt *plt, struct str code,
	    uint64_t vaddr)
{
	const size_t size = plt->entry;
	size_t i;

	for (i = 0; i < p->ordered_n && plt->head + size * (i + 1) <= code.len;
	     i++)
		add_entry(p, vaddr + plt->head + size * i, size,
			  &p->ordered[i]);
}

static bool
is_plt(const struct elffile_section *s)
{
	return (s->flags & SHF_EXECINSTR) &&
	       (str_starts(s->name, STR(".plt")) ||
		str_eq(s->name, STR(".iplt")));
}

void
elfplt_add(struct elffile *f, struct symtab *t)
{
	const struct arch *arch = arch_of(elffile_head(f)->machine);
	struct elfplt p = { .f = f, .t = t };
	const struct elffile_section *s;
	size_t n, i;

	if (arch == NULL)
		return;
	p.irelative = arch->plt.irelative;
	p.dynsym = elffile_typed(f, SHT_DYNSYM);
	s = elffile_sections(f, &n);
	i = elffile_named(f, STR(".got.plt"));
	/* With -z now, linkers put the GOT of functions into .got. */
	if (i == 0)
		i = elffile_named(f, STR(".got"));
	p.got = i == 0 ? 0 : s[i].vaddr;
	read_slots(&p);
	for (i = 1; i < n; i++) {
		if (!is_plt(&s[i]))
			continue;
		if (arch->plt.entry != 0)
			add_ordered(&p, &arch->plt, elffile_bytes(f, i),
				    s[i].vaddr);
		else
			add_decoded(&p, &arch->plt, elffile_bytes(f, i),
				    s[i].vaddr,
				    str_eq(s[i].name, STR(".plt.got")));
	}
	symtab_free(p.ifuncs);
	free(p.slots);
	free(p.ordered);
}
