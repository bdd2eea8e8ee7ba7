/* elflines.c - lines and inlined functions. */
#include "elflines.h"

#include "arena.h"
#include "buf.h"
#include "die.h"
#include "mem.h"

#include <stdlib.h>

/*
 * Debug information is read as far as it is asked for: which unit (DWARF 5,
 * 3.1.1) has an address, from the heads of all units; of a unit that is hit,
 * where its functions are; of a function that is hit, what was inlined where.
 * What would have to be read again for each question is kept in tables.
 */

/* A function, or another one inlined into it, and where that was called. */
struct scope {
	struct str name;
	size_t outer; /* into which it was inlined, or NONE */
	bool has_file;
	uint32_t call_file, call_line;
};

struct function {
	struct die die;
	bool read;
	struct scope *scopes; /* the function itself first */
	size_t scopes_n, scopes_cap;
	struct extents extents; /* of scopes, sorted */
};

/* A name space, type or function, in which others may be. */
struct place {
	uint64_t offset;
	size_t outer; /* the place it is in, or NONE: the unit */
};

struct unit {
	uint64_t offset; /* of its head, in the file */
	struct die top;
	bool read, read_nested;
	struct function *functions;
	size_t functions_n, functions_cap;
	struct extents extents; /* of functions, sorted */
	struct place *places;   /* as they follow each other */
	size_t places_n, places_cap;
};

struct elflines {
	struct dies *dies;
	struct unit *units;
	size_t units_n, units_cap;
	struct extents extents; /* of units, sorted */
	struct arena arena;     /* names that are made of several */
	struct buf name;
	struct elf_frame *frames; /* the last answer */
	size_t frames_cap;
};

#define NONE SIZE_MAX

/* Compilers nest blocks and inlined functions some dozens deep. */
#define MAX_DEPTH 256

struct elflines *
elflines_open(struct elffile *f, struct elffile *shared)
{
	struct dies *dies = dies_open(f, shared);
	struct elflines *l;
	struct die head, top;

	if (dies == NULL)
		return NULL;
	l = mem_zero(1, sizeof(*l));
	l->dies = dies;
	while (dies_unit(dies, &head, &top)) {
		l->units = mem_grow(l->units, &l->units_cap, l->units_n + 1,
				    sizeof(*l->units));
		l->units[l->units_n] =
		    (struct unit){ .offset = die_offset(&head), .top = top };
		die_extents(&head, &l->extents, l->units_n++);
	}
	extents_sort(&l->extents);
	return l;
}

static void
free_unit(struct unit *u)
{
	size_t i;

	for (i = 0; i < u->functions_n; i++) {
		free(u->functions[i].scopes);
		free(u->functions[i].extents.p);
	}
	free(u->functions);
	free(u->extents.p);
	free(u->places);
}

void
elflines_close(struct elflines *l)
{
	size_t i;

	if (l == NULL)
		return;
	for (i = 0; i < l->units_n; i++)
		free_unit(&l->units[i]);
	free(l->units);
	free(l->extents.p);
	free(l->frames);
	arena_free(&l->arena);
	buf_free(&l->name);
	dies_close(l->dies);
	free(l);
}

/* Functions. */

static size_t
add_place(struct unit *u, const struct die *d, size_t outer)
{
	u->places = mem_grow(u->places, &u->places_cap, u->places_n + 1,
			     sizeof(*u->places));
	u->places[u->places_n] = (struct place){ die_offset(d), outer };
	return u->places_n++;
}

static void
add_function(struct unit *u, const struct die *d)
{
	const size_t before = u->extents.n;

	die_extents(d, &u->extents, u->functions_n);
	if (u->extents.n == before)
		return; /* a declaration */
	u->functions = mem_grow(u->functions, &u->functions_cap,
				u->functions_n + 1, sizeof(*u->functions));
	u->functions[u->functions_n++] = (struct function){ .die = *d };
}

/* Functions lie in units and in what groups names; bodies are left out. */
static void
find_functions(struct unit *u, const struct die *in, size_t outer,
	       unsigned depth)
{
	enum die_kind kind;
	struct die d;
	size_t place;

	if (depth == MAX_DEPTH || !die_child(in, &d))
		return;
	do {
		kind = die_kind(&d);
		if (kind != DIE_FUNCTION && kind != DIE_NAMESPACE &&
		    kind != DIE_TYPE)
			continue;
		place = add_place(u, &d, outer);
		if (kind == DIE_FUNCTION)
			add_function(u, &d);
		else
			find_functions(u, &d, place, depth + 1);
	} while (die_next(&d));
}

static void
read_unit(struct unit *u)
{
	if (u->read)
		return;
	u->read = true;
	find_functions(u, &u->top, NONE, 0);
	extents_sort(&u->extents);
}

/* Some languages have functions in functions. */
static void
find_nested(struct unit *u, const struct die *in, unsigned depth)
{
	enum die_kind kind;
	struct die d;

	if (depth == MAX_DEPTH || !die_child(in, &d))
		return;
	do {
		kind = die_kind(&d);
		if (kind == DIE_FUNCTION)
			add_function(u, &d);
		if (kind == DIE_FUNCTION || kind == DIE_BLOCK)
			find_nested(u, &d, depth + 1);
	} while (die_next(&d));
}

static void
read_nested(struct unit *u)
{
	const size_t n = u->functions_n;
	struct die d;
	size_t i;

	if (u->read_nested)
		return;
	u->read_nested = true;
	for (i = 0; i < n; i++) {
		d = u->functions[i].die;
		find_nested(u, &d, 0);
	}
	extents_sort(&u->extents);
}

static struct function *
function_of(struct elflines *l, uint64_t vaddr, struct unit **unit)
{
	size_t i = extents_find(&l->extents, vaddr);
	struct unit *u;

	if (i == NONE)
		return NULL;
	*unit = u = &l->units[i];
	read_unit(u);
	i = extents_find(&u->extents, vaddr);
	if (i == NONE) {
		read_nested(u);
		i = extents_find(&u->extents, vaddr);
	}
	return i == NONE ? NULL : &u->functions[i];
}

/* Names. */

/*
 * The unit of an entry that is named in a unit, and mostly of it; NULL if it
 * is of another file.
 */
static struct unit *
unit_of(struct elflines *l, struct unit *in, const struct die *d)
{
	const uint64_t offset = die_unit_offset(d);
	size_t low = 0, high = l->units_n, mid;

	if (die_same_unit(&in->top, d))
		return in;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (die_same_unit(&l->units[mid].top, d))
			return &l->units[mid];
		if (l->units[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The last place of a unit that does not begin behind an offset, or NONE. */
static size_t
find_place(const struct unit *u, uint64_t offset)
{
	size_t low = 0, high = u->places_n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (u->places[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low - 1;
}

/* What has no name is called as it is in names that are demangled. */
static struct str
nameless(enum die_kind kind, struct str member)
{
	if (kind == DIE_NAMESPACE)
		return STR("(anonymous namespace)");
	return str_starts(member, STR("operator()")) ? STR("{lambda}") :
						       STR("{unnamed type}");
}

/* Put what an entry is called before the names there are, if it has to be. */
static void
put_before(struct elflines *l, const struct die *d)
{
	const enum die_kind kind = die_kind(d);
	const struct str rest = arena_str(&l->arena, buf_slice(&l->name));
	struct str name = die_name(d);

	if (kind != DIE_NAMESPACE && kind != DIE_TYPE && kind != DIE_FUNCTION)
		return;
	/* The name is in a file that is not here. */
	if (name.len == 0 && die_is_named(d))
		return;
	l->name.len = 0;
	buf_str(&l->name, name.len > 0 ? name : nameless(kind, rest));
	buf_str(&l->name, STR("::"));
	buf_str(&l->name, rest);
}

/* Put all places around a place before the names there are. */
static void
put_places(struct elflines *l, const struct unit *u, size_t place)
{
	struct die d;

	for (; place != NONE; place = u->places[place].outer) {
		if (die_at(&u->top, u->places[place].offset, &d))
			put_before(l, &d);
	}
}

/* The same for what is around an offset in the body of a function. */
static bool
put_inner(struct elflines *l, const struct die *in, uint64_t offset,
	  unsigned depth)
{
	struct die d, last;

	if (depth == MAX_DEPTH || !die_child(in, &d) || die_offset(&d) > offset)
		return false;
	do {
		last = d;
	} while (die_next(&d) && die_offset(&d) <= offset);
	if (die_offset(&last) == offset)
		return true;
	if (!put_inner(l, &last, offset, depth + 1))
		return false;
	put_before(l, &last);
	return true;
}

/*
 * A function that no linker knows, as it is of one file alone, has no name
 * but its own: that of what it is declared in is put before it, as it is in
 * names that are demangled.
 */
static struct str
qualify(struct elflines *l, struct unit *in, const struct die *d,
	struct str name)
{
	const uint64_t offset = die_offset(d);
	struct unit *u = unit_of(l, in, d);
	struct die around;
	size_t place;

	if (u == NULL)
		return name;
	read_unit(u);
	place = find_place(u, offset);
	if (place == NONE)
		return name;
	l->name.len = 0;
	buf_str(&l->name, name);
	if (u->places[place].offset == offset)
		place = u->places[place].outer;
	else if (!die_at(&u->top, u->places[place].offset, &around) ||
		 !put_inner(l, &around, offset, 0))
		return name;
	put_places(l, u, place);
	return l->name.len == name.len ?
		   name :
		   arena_str(&l->arena, buf_slice(&l->name));
}

/* The name a linker would know, or one made of the plain ones; or empty. */
static struct str
name_of(struct elflines *l, struct unit *u, const struct die *d)
{
	struct str name = die_linkage_name(d);
	struct die declared = *d;

	if (name.len > 0)
		return name;
	name = die_name(d);
	die_declaration(&declared);
	return name.len > 0 ? qualify(l, u, &declared, name) : name;
}

/* Scopes. */

static void
add_scope(struct elflines *l, struct unit *u, struct function *f,
	  const struct die *d, size_t outer)
{
	struct scope *s;

	f->scopes = mem_grow(f->scopes, &f->scopes_cap, f->scopes_n + 1,
			     sizeof(*f->scopes));
	s = &f->scopes[f->scopes_n];
	*s = (struct scope){ .name = name_of(l, u, d), .outer = outer };
	s->has_file = die_call_file(d, &s->call_file);
	die_call_line(d, &s->call_line);
	die_extents(d, &f->extents, f->scopes_n++);
}

/* What was inlined in a scope, and in blocks of it. */
static void
find_scopes(struct elflines *l, struct unit *u, struct function *f,
	    const struct die *in, size_t scope, unsigned depth)
{
	enum die_kind kind;
	struct die d;

	if (depth == MAX_DEPTH || !die_child(in, &d))
		return;
	do {
		kind = die_kind(&d);
		if (kind == DIE_INLINED) {
			add_scope(l, u, f, &d, scope);
			find_scopes(l, u, f, &d, f->scopes_n - 1, depth + 1);
		} else if (kind == DIE_BLOCK) {
			find_scopes(l, u, f, &d, scope, depth + 1);
		}
	} while (die_next(&d));
}

static void
read_function(struct elflines *l, struct unit *u, struct function *f)
{
	if (f->read)
		return;
	f->read = true;
	add_scope(l, u, f, &f->die, NONE);
	find_scopes(l, u, f, &f->die, 0, 0);
	extents_sort(&f->extents);
}

static void
add_lines(const struct unit *u, const struct function *f, size_t scope,
	  uint64_t vaddr, struct elf_frame *frame)
{
	const struct scope *s;

	die_line(&u->top, vaddr, &frame->file, &frame->line);
	/* Where it was called is where its caller is. */
	for (; f->scopes[scope].outer != NONE; scope = s->outer) {
		s = &f->scopes[scope];
		frame++;
		if (s->has_file)
			frame->file = die_file(&u->top, s->call_file);
		frame->line = s->call_line;
	}
}

size_t
elflines_find(struct elflines *l, uint64_t vaddr, bool lines,
	      const struct elf_frame **frames)
{
	struct unit *u;
	struct function *f = function_of(l, vaddr, &u);
	size_t scope, i, n = 0;

	if (f == NULL)
		return 0;
	read_function(l, u, f);
	scope = extents_find(&f->extents, vaddr);
	for (i = scope; i != NONE; i = f->scopes[i].outer) {
		l->frames = mem_grow(l->frames, &l->frames_cap, n + 1,
				     sizeof(*l->frames));
		l->frames[n++] =
		    (struct elf_frame){ .name = f->scopes[i].name,
					.inlined = f->scopes[i].outer != NONE };
	}
	if (n > 0 && lines)
		add_lines(u, f, scope, vaddr, l->frames);
	*frames = l->frames;
	return n;
}
