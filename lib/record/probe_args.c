/* probe_args.c - fetch variables of a program where it is probed. */
#include "record/probe_args.h"

#include "arch/arch.h"
#include "elf/elf.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct args_search {
	struct elf *elf;
	const struct probe_place *place;
	uint64_t
	    vaddr;     /* where the place is or, behind the prologue, will be */
	uint64_t next; /* the first statement behind the one at vaddr */
	struct buf *why;
};

/* The name of a register in tracefs; false if it has none there. */
static bool
add_register(struct buf *out, uint64_t number)
{
	const struct arch *a = arch_host();
	struct str rest, name = { 0 };
	uint64_t i;

	rest = str_of(a == NULL ? "" : a->probe_registers);
	for (i = 0; i <= number && rest.len > 0; i++)
		name = str_cut(&rest, ' ');
	if (i <= number || name.len == 0)
		return false;
	buf_printf(out, "%%%.*s", (int)name.len, name.p);
	return true;
}

/* "%di", "+8(%bp)", "@+0x2010" */
static bool
add_value(struct buf *out, const struct args_search *s,
	  const struct variable_value *v)
{
	size_t i = v->steps;

	while (i-- > (v->absolute ? 1 : 0))
		buf_printf(out, "%+" PRId64 "(", v->offset[i]);
	/* The kernel adds what lies between the file and the memory. */
	if (v->absolute)
		buf_printf(out, "@+0x%" PRIx64,
			   v->base + (uint64_t)v->offset[0] - s->place->vaddr +
			       s->place->offset);
	else if (!add_register(out, v->base))
		return false;
	for (i = v->absolute ? 1 : 0; i < v->steps; i++)
		buf_char(out, ')');
	return true;
}

static void
add_type(struct buf *out, const struct variable_value *v, struct str wanted)
{
	if (v->type == VARIABLE_STRING)
		buf_str(out, STR(":string"));
	else if (wanted.len > 0)
		buf_printf(out, ":%.*s", (int)wanted.len, wanted.p);
	else
		buf_printf(out, ":%c%" PRIu32,
			   v->type == VARIABLE_SIGNED  ? 's' :
			   v->type == VARIABLE_POINTER ? 'x' :
							 'u',
			   8 * v->size);
}

/* The kernel takes names as those of C: "req->id" becomes "req_id". */
static void
add_name(struct buf *out, struct str expression)
{
	bool gap = false;
	size_t i;

	for (i = 0; i < expression.len; i++) {
		if (!isalnum((unsigned char)expression.p[i])) {
			gap = true;
			continue;
		}
		if (gap)
			buf_char(out, '_');
		gap = false;
		buf_char(out, expression.p[i]);
	}
}

/* "string", or as "x32". */
static bool
is_type(struct str type)
{
	uint64_t bits;

	if (type.len == 0 || str_eq(type, STR("string")))
		return true;
	return strchr("sux", *type.p) != NULL &&
	       str_u64(str_skip(type, 1), &bits) &&
	       (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

/* Append what fetches one variable; *moves if that is behind the prologue. */
static bool
add_variable(struct args_search *s, struct str word, struct buf *out,
	     bool *moves)
{
	struct str type = word, expression = str_cut(&type, ':');
	struct variable_value v;

	if (expression.len == 0 || !is_type(type)) {
		buf_printf(s->why,
			   "%.*s: a variable must be like id, path:string or "
			   "req->id:x32",
			   (int)word.len, word.p);
		return false;
	}
	if (!elf_variable(s->elf, s->vaddr,
			  s->vaddr == s->place->vaddr && s->place->begins,
			  expression, str_eq(type, STR("string")), &v, s->why))
		return false;
	*moves = *moves || v.after_prologue;
	buf_char(out, ' ');
	add_name(out, expression);
	buf_char(out, '=');
	if (!add_value(out, s, &v)) {
		buf_printf(s->why,
			   "%.*s is in a register that the kernel "
			   "cannot fetch",
			   (int)expression.len, expression.p);
		return false;
	}
	add_type(out, &v, type);
	return true;
}

static bool
add_variables(struct args_search *s, struct str variables, struct buf *out,
	      bool *moves)
{
	struct str word;

	out->len = 0;
	while (variables.len > 0) {
		word = str_cut(&variables, ' ');
		if (word.len > 0 && !add_variable(s, word, out, moves))
			return false;
	}
	return true;
}

static void
note_next(void *arg, const struct elf_line *line)
{
	struct args_search *s = arg;

	if (line->vaddr > s->vaddr && line->vaddr < s->next)
		s->next = line->vaddr;
}

/* Debuggers take the second statement of a function for its first. */
static bool
skip_prologue(struct args_search *s)
{
	const uint64_t end = s->vaddr + s->place->size;

	s->next = end;
	elf_lines(s->elf, s->vaddr, note_next, s);
	s->vaddr = s->next;
	return s->vaddr < end;
}

static bool
find(struct args_search *s, struct probe_places *all, struct probe_place *p,
     struct str variables)
{
	struct buf text = { 0 };
	bool moves = false, ok;

	if (p->vaddr == 0)
		elf_vaddr(s->elf, p->offset, &p->vaddr);
	s->place = p;
	s->vaddr = p->vaddr;
	ok = add_variables(s, variables, &text, &moves);
	if (ok && moves && skip_prologue(s))
		ok = add_variables(s, variables, &text, &moves);
	if (ok) {
		p->args = arena_str(&all->names, str_skip(buf_slice(&text), 1));
		p->offset += s->vaddr - p->vaddr;
		p->vaddr = s->vaddr;
	}
	buf_free(&text);
	return ok;
}

bool
probe_args_find(struct probe_places *all, const char *path,
		struct str variables, struct buf *why)
{
	struct args_search s = { .why = why };
	const char *reason = NULL;
	bool ok = true;
	size_t i;

	s.elf = elf_open(path, NULL, &reason);
	if (s.elf == NULL) {
		buf_printf(why, "%s: %s", path, reason);
		return false;
	}
	for (i = 0; ok && i < all->n; i++)
		ok = find(&s, all, &all->place[i], variables);
	elf_close(s.elf);
	return ok;
}
