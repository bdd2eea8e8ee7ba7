/* plain.c - names as programmers wrote them, each demangled once. */
#include "plain.h"

#include "arena.h"
#include "demangle.h"
#include "intern.h"
#include "mem.h"

#include <stdlib.h>

struct plain {
	bool mangled;
	struct intern *names; /* that were asked for, and */
	struct str *plain;    /* what they are, by number */
	size_t cap;
	struct arena arena;
	struct buf text;
};

struct plain *
plain_new(bool mangled)
{
	struct plain *p = mem_zero(1, sizeof(*p));

	p->mangled = mangled;
	p->names = intern_new();
	return p;
}

void
plain_free(struct plain *p)
{
	intern_free(p->names);
	free(p->plain);
	arena_free(&p->arena);
	buf_free(&p->text);
	free(p);
}

struct str
plain_name(struct plain *p, struct str name)
{
	const uint32_t n = intern_size(p->names);
	uint32_t number;

	if (p->mangled)
		return name;
	number = intern_id(p->names, name);
	if (number < n)
		return p->plain[number];
	p->plain = mem_grow(p->plain, &p->cap, (size_t)n + 1,
			    sizeof(*p->plain));
	p->text.len = 0;
	p->plain[n] = demangle(&p->text, name) ?
			  arena_str(&p->arena, buf_slice(&p->text)) :
			  intern_name(p->names, n);
	return p->plain[n];
}
