/* elflines.c - source lines and inlined functions of an address. */
#include "elf/elflines.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/once.h"
#include "base/u64map.h"
#include "elf/die.h"

#include <stdlib.h>

/*
 * Debug information is read step by step, and kept in tables.  The heads of all
 * units (DWARF 5, 3.1.1) tell which unit has an address.  The first address in
 * a unit makes us find its functions; the first address in a function, what was
 * inlined into it.
 */

/* A function, or one inlined into it, with the call that was replaced. */
struct elflines_scope {
	struct str name;
	size_t outer; /* the scope it was inlined into, or NONE */
	bool has_file;
	uint32_t call_file, call_line;
};

struct elflines_function {
	struct die die;
	bool read;
	struct elflines_scope *scopes; /* the function itself is first */
	size_t scopes_n, scopes_cap;
	struct intervals ranges; /* of scopes, sorted */
};

/* A namespace, type or function, which may contain others. */
struct elflines_decl {
	uint64_t offset;
	size_t outer; /* the one that contains it, or NONE */
};

/* In the order of the file. */
struct elflines_decls {
	struct elflines_decl *p;
	size_t n, cap;
};

struct elflines_unit {
	uint64_t offset;      /* of its head */
	struct die head, top; /* top is set by reading */
	uint64_t base;        /* of the addresses below top */
	struct once read;     /* the functions, but for nested ones */
	pthread_mutex_t lock; /* of the rest and what is in functions */
	bool read_nested;
	struct elflines_function *functions;
	size_t functions_n, functions_cap;
	struct intervals ranges; /* of functions, sorted */
	struct elflines_decls decls;
};

struct elflines {
	struct die_forest *forest;
	bool is_fork;                /* units and ranges are another's */
	struct elflines_unit *units; /* shared by forks, with locks */
	size_t units_n, units_cap;
	struct intervals ranges; /* of units, sorted */
	struct arena arena;      /* qualified names */
	struct buf name;
	struct u64map body_of; /* by the address of a function's declaration */
	struct elflines_decls *bodies; /* what is in these functions */
	size_t bodies_n, bodies_cap;
	struct elf_frame *frames; /* the last result */
	size_t frames_cap;
	size_t missing; /* split units, of those that were needed */
	struct str missing_name;
};

#define NONE SIZE_MAX

/* Compilers nest blocks and inlined functions a few dozen deep. */
#define MAX_DEPTH 256

struct elflines *
elflines_open(struct elffile *f, struct elffile *shared,
	      struct dwarf_package *package, bool all)
{
	struct die_forest *forest = die_open(f, shared, package, all);
	struct elflines *l;
	struct die head;

	if (forest == NULL)
		return NULL;
	l = mem_zero(1, sizeof(*l));
	l->forest = forest;
	while (die_unit(forest, &head)) {
		l->units = mem_grow(l->units, &l->units_cap, l->units_n + 1,
				    sizeof(*l->units));
		l->units[l->units_n] = (struct elflines_unit){
			.offset = die_offset(&head), .head = head
		};
		die_extents(forest, &head, 0, &l->ranges, l->units_n++);
	}
	intervals_sort(&l->ranges);
	return l;
}

struct elflines *
elflines_fork(const struct elflines *base)
{
	struct die_forest *forest = die_fork(base->forest);
	struct elflines *l;

	if (forest == NULL)
		return NULL;
	l = mem_zero(1, sizeof(*l));
	l->forest = forest;
	l->is_fork = true;
	l->units = base->units;
	l->units_n = base->units_n;
	l->ranges = base->ranges;
	return l;
}

static void
free_unit(struct elflines_unit *u)
{
	size_t i;

	for (i = 0; i < u->functions_n; i++) {
		free(u->functions[i].scopes);
		intervals_free(&u->functions[i].ranges);
	}
	free(u->functions);
	intervals_free(&u->ranges);
	free(u->decls.p);
}

void
elflines_close(struct elflines *l)
{
	size_t i;

	if (l == NULL)
		return;
	for (i = 0; i < l->units_n && !l->is_fork; i++)
		free_unit(&l->units[i]);
	if (!l->is_fork) {
		free(l->units);
		intervals_free(&l->ranges);
	}
	for (i = 0; i < l->bodies_n; i++)
		free(l->bodies[i].p);
	free(l->bodies);
	u64map_free(&l->body_of);
	free(l->frames);
	arena_free(&l->arena);
	buf_free(&l->name);
	die_close(l->forest);
	free(l);
}

/* Functions. */

static size_t
add_decl(struct elflines_decls *decls, const struct die *d, size_t outer)
{
	decls->p = mem_grow(decls->p, &decls->cap, decls->n + 1,
			    sizeof(*decls->p));
	decls->p[decls->n] = (struct elflines_decl){ die_offset(d), outer };
	return decls->n++;
}

static void
add_function(struct elflines *l, struct elflines_unit *u, const struct die *d)
{
	const size_t before = u->ranges.n;

	die_extents(l->forest, d, u->base, &u->ranges, u->functions_n);
	if (u->ranges.n == before)
		return; /* a declaration */
	u->functions = mem_grow(u->functions, &u->functions_cap,
				u->functions_n + 1, sizeof(*u->functions));
	u->functions[u->functions_n++] =
	    (struct elflines_function){ .die = *d };
}

/* Find functions in a unit, namespace or type, but not those in functions. */
static void
find_functions(struct elflines *l, struct elflines_unit *u,
	       const struct die *in, size_t outer, unsigned depth)
{
	enum die_kind kind;
	struct die d;
	size_t decl;

	if (depth == MAX_DEPTH || !die_child(in, &d))
		return;
	do {
		kind = die_kind(&d);
		if (kind != DIE_FUNCTION && kind != DIE_NAMESPACE &&
		    kind != DIE_TYPE)
			continue;
		decl = add_decl(&u->decls, &d, outer);
		if (kind == DIE_FUNCTION)
			add_function(l, u, &d);
		else
			find_functions(l, u, &d, decl, depth + 1);
	} while (die_next(&d));
}

static void
read_unit(struct elflines *l, struct elflines_unit *u)
{
	struct die top;

	if (!once_begin(&u->read))
		return;
	if (!die_top(l->forest, &u->head, &u->top, &u->base) &&
	    l->missing++ == 0)
		l->missing_name = die_split_name(&u->head);
	top = die_in(l->forest, &u->top);
	find_functions(l, u, &top, NONE, 0);
	intervals_sort(&u->ranges);
	once_end(&u->read);
}

/* Some languages allow functions in functions. */
static void
find_nested(struct elflines *l, struct elflines_unit *u, const struct die *in,
	    unsigned depth)
{
	enum die_kind kind;
	struct die d;

	if (depth == MAX_DEPTH || !die_child(in, &d))
		return;
	do {
		kind = die_kind(&d);
		if (kind == DIE_FUNCTION)
			add_function(l, u, &d);
		if (kind == DIE_FUNCTION || kind == DIE_BLOCK)
			find_nested(l, u, &d, depth + 1);
	} while (die_next(&d));
}

static void
read_nested(struct elflines *l, struct elflines_unit *u)
{
	const size_t n = u->functions_n;
	struct die d;
	size_t i;

	if (u->read_nested)
		return;
	u->read_nested = true;
	for (i = 0; i < n; i++) {
		d = die_in(l->forest, &u->functions[i].die);
		find_nested(l, u, &d, 0);
	}
	intervals_sort(&u->ranges);
}

/* If there is a function, the unit is locked. */
static struct elflines_function *
function_of(struct elflines *l, uint64_t vaddr, struct elflines_unit **unit)
{
	size_t i = intervals_find(&l->ranges, vaddr);
	struct elflines_unit *u;

	*unit = NULL;
	if (i == NONE)
		return NULL;
	*unit = u = &l->units[i];
	read_unit(l, u);
	pthread_mutex_lock(&u->lock);
	i = intervals_find(&u->ranges, vaddr);
	if (i == NONE) {
		read_nested(l, u);
		i = intervals_find(&u->ranges, vaddr);
	}
	if (i != NONE)
		return &u->functions[i];
	pthread_mutex_unlock(&u->lock);
	return NULL;
}

/* Names. */

static bool
is_unit_of(const struct elflines *l, const struct die *unit,
	   const struct die *d)
{
	const struct die top = die_in(l->forest, unit);

	return die_same_unit(&top, d);
}

/*
 * The unit of an entry to which another unit refers; mostly that unit itself.
 * NULL if the entry is in another file.
 */
static struct elflines_unit *
unit_of(struct elflines *l, struct elflines_unit *in, const struct die *d)
{
	const uint64_t offset = die_unit_offset(d);
	size_t low = 0, high = l->units_n, mid;

	/* No unit refers to a split one. */
	if (is_unit_of(l, &in->top, d))
		return in;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (is_unit_of(l, &l->units[mid].head, d))
			return &l->units[mid];
		if (l->units[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The last one at an offset or before it, or NONE. */
static size_t
find_decl(const struct elflines_decls *decls, uint64_t offset)
{
	size_t low = 0, high = decls->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (decls->p[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low - 1;
}

/* Names for what has none, as demanglers write them. */
static struct str
anonymous_name(enum die_kind kind, struct str member)
{
	if (kind == DIE_NAMESPACE)
		return STR("(anonymous namespace)");
	return str_starts(member, STR("operator()")) ? STR("{lambda}") :
						       STR("{unnamed type}");
}

/* Prepend the name of an entry to l->name, if it is part of qualified names. */
static void
prepend(struct elflines *l, const struct die *d)
{
	const enum die_kind kind = die_kind(d);
	const struct str rest = arena_str(&l->arena, buf_slice(&l->name));
	struct str name = die_name(d);

	if (kind != DIE_NAMESPACE && kind != DIE_TYPE && kind != DIE_FUNCTION)
		return;
	/* The name is in a supplementary file that is missing. */
	if (name.len == 0 && die_is_named(d))
		return;
	l->name.len = 0;
	buf_str(&l->name, name.len > 0 ? name : anonymous_name(kind, rest));
	buf_str(&l->name, STR("::"));
	buf_str(&l->name, rest);
}

/* Prepend the names of a declaration and of all that contain it. */
static void
prepend_decls(struct elflines *l, const struct elflines_unit *u,
	      const struct elflines_decls *decls, size_t decl)
{
	const struct die top = die_in(l->forest, &u->top);
	struct die d;

	for (; decl != NONE; decl = decls->p[decl].outer) {
		if (die_at(&top, decls->p[decl].offset, &d))
			prepend(l, &d);
	}
}

/* Find what is declared in the body of a function, at any depth. */
static void
find_inner(struct elflines_decls *decls, const struct die *in, size_t outer,
	   unsigned depth)
{
	enum die_kind kind;
	struct die d;
	size_t decl;

	if (depth == MAX_DEPTH || !die_child(in, &d))
		return;
	do {
		kind = die_kind(&d);
		decl = kind == DIE_FUNCTION || kind == DIE_NAMESPACE ||
			       kind == DIE_TYPE ?
			   add_decl(decls, &d, outer) :
			   outer;
		find_inner(decls, &d, decl, depth + 1);
	} while (die_next(&d));
}

/* The declarations inside a function, looked up by its own declaration. */
static const struct elflines_decls *
body_of(struct elflines *l, const struct elflines_unit *u,
	const struct elflines_decl *function)
{
	const uint64_t key = (uintptr_t)function;
	const struct die top = die_in(l->forest, &u->top);
	struct die d;
	uint32_t i;

	if (u64map_get(&l->body_of, key, &i))
		return &l->bodies[i];
	i = (uint32_t)l->bodies_n++;
	l->bodies = mem_grow(l->bodies, &l->bodies_cap, l->bodies_n,
			     sizeof(*l->bodies));
	l->bodies[i] = (struct elflines_decls){ 0 };
	u64map_put(&l->body_of, key, i);
	if (die_at(&top, function->offset, &d))
		find_inner(&l->bodies[i], &d, NONE, 0);
	return &l->bodies[i];
}

/*
 * Qualify a name by that of the namespaces, types and functions around it, as
 * in demangled names.  Functions local to a file have no linkage name.
 */
static struct str
qualify(struct elflines *l, struct elflines_unit *in, const struct die *d,
	struct str name)
{
	const uint64_t offset = die_offset(d);
	struct elflines_unit *u = unit_of(l, in, d);
	const struct elflines_decls *body;
	size_t decl, inner;

	if (u == NULL)
		return name;
	read_unit(l, u);
	decl = find_decl(&u->decls, offset);
	if (decl == NONE)
		return name;
	l->name.len = 0;
	buf_str(&l->name, name);
	if (u->decls.p[decl].offset == offset) {
		decl = u->decls.p[decl].outer;
	} else {
		body = body_of(l, u, &u->decls.p[decl]);
		inner = find_decl(body, offset);
		if (inner == NONE || body->p[inner].offset != offset)
			return name;
		prepend_decls(l, u, body, body->p[inner].outer);
	}
	prepend_decls(l, u, &u->decls, decl);
	return l->name.len == name.len ?
		   name :
		   arena_str(&l->arena, buf_slice(&l->name));
}

/* The linkage name, or else the qualified name; may be empty. */
static struct str
name_of(struct elflines *l, struct elflines_unit *u, const struct die *d)
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
add_scope(struct elflines *l, struct elflines_unit *u,
	  struct elflines_function *f, const struct die *d, size_t outer)
{
	struct elflines_scope *s;

	f->scopes = mem_grow(f->scopes, &f->scopes_cap, f->scopes_n + 1,
			     sizeof(*f->scopes));
	s = &f->scopes[f->scopes_n];
	*s = (struct elflines_scope){ .name = name_of(l, u, d),
				      .outer = outer };
	s->has_file = die_call_file(d, &s->call_file);
	die_call_line(d, &s->call_line);
	die_extents(l->forest, d, u->base, &f->ranges, f->scopes_n++);
}

/* Find functions that were inlined into a scope and its blocks. */
static void
find_scopes(struct elflines *l, struct elflines_unit *u,
	    struct elflines_function *f, const struct die *in, size_t scope,
	    unsigned depth)
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
read_function(struct elflines *l, struct elflines_unit *u,
	      struct elflines_function *f)
{
	const struct die d = die_in(l->forest, &f->die);

	if (f->read)
		return;
	f->read = true;
	add_scope(l, u, f, &d, NONE);
	find_scopes(l, u, f, &d, 0, 0);
	intervals_sort(&f->ranges);
}

/* A split unit may have a table of files, or use that of its head. */
static struct str
call_file(const struct die *top, const struct die *head, uint32_t number)
{
	struct str file = die_file(top, number);

	return file.len > 0 ? file : die_file(head, number);
}

static void
add_lines(const struct elflines *l, const struct elflines_unit *u,
	  const struct elflines_function *f, size_t scope, uint64_t vaddr,
	  struct elf_frame *frame)
{
	const struct die top = die_in(l->forest, &u->top);
	const struct die head = die_in(l->forest, &u->head);
	const struct elflines_scope *s;

	die_line(&head, vaddr, &frame->file, &frame->line);
	/* The line of a caller is that of the call. */
	for (; f->scopes[scope].outer != NONE; scope = s->outer) {
		s = &f->scopes[scope];
		frame++;
		if (s->has_file)
			frame->file = call_file(&top, &head, s->call_file);
		frame->line = s->call_line;
	}
}

/*
 * The line of a function without entry: -gmlt leaves those out into which
 * nothing was inlined, or the file of a split unit is missing.
 */
static size_t
line_only(struct elflines *l, const struct elflines_unit *u, uint64_t vaddr,
	  const struct elf_frame **frames)
{
	const struct die head = die_in(l->forest, &u->head);
	struct elf_frame frame = { 0 };

	if (!die_line(&head, vaddr, &frame.file, &frame.line))
		return 0;
	l->frames = mem_grow(l->frames, &l->frames_cap, 1, sizeof(*l->frames));
	l->frames[0] = frame;
	*frames = l->frames;
	return 1;
}

size_t
elflines_find(struct elflines *l, uint64_t vaddr, bool lines,
	      const struct elf_frame **frames)
{
	struct elflines_unit *u;
	struct elflines_function *f = function_of(l, vaddr, &u);
	size_t scope, i, n = 0;

	*frames = NULL;
	if (f == NULL)
		return u != NULL && lines ? line_only(l, u, vaddr, frames) : 0;
	read_function(l, u, f);
	scope = intervals_find(&f->ranges, vaddr);
	for (i = scope; i != NONE; i = f->scopes[i].outer) {
		l->frames = mem_grow(l->frames, &l->frames_cap, n + 1,
				     sizeof(*l->frames));
		l->frames[n++] =
		    (struct elf_frame){ .name = f->scopes[i].name,
					.inlined = f->scopes[i].outer != NONE };
	}
	if (n > 0 && lines)
		add_lines(l, u, f, scope, vaddr, l->frames);
	pthread_mutex_unlock(&u->lock);
	*frames = l->frames;
	return n;
}

bool
elflines_function(struct elflines *l, uint64_t *vaddr, struct die *unit,
		  struct die *function)
{
	struct elflines_unit *u;
	const struct elflines_function *f = function_of(l, *vaddr, &u);

	if (f == NULL)
		return false;
	*vaddr -= u->base;
	*unit = u->top;
	*function = f->die;
	pthread_mutex_unlock(&u->lock);
	return true;
}

void
elflines_each(const struct elflines *l, uint64_t of,
	      void (*each)(void *arg, const struct elf_line *line), void *arg)
{
	size_t i, only = intervals_find(&l->ranges, of);

	for (i = 0; i < l->units_n; i++)
		if (of == ELF_ALL_UNITS || i == only)
			die_lines(&l->units[i].head, each, arg);
}

size_t
elflines_missing(const struct elflines *l, struct str *name)
{
	*name = l->missing_name;
	return l->missing;
}
