/* verdict.c - what folddiff found out of frames. */
#include "verdict.h"

#include "mem.h"

#include <stdlib.h>

void
verdicts_add(struct verdicts *v, const struct meta *m)
{
	struct buf stack = { 0 };

	if (str_eq(meta_get(m, "test"), STR("1")))
		v->tested = true;
	if (!meta_has(m, "node"))
		return;
	meta_decode(&stack, meta_get(m, "node"));
	v->verdict = mem_grow(v->verdict, &v->cap, v->n + 1,
			      sizeof(*v->verdict));
	v->verdict[v->n++] = (struct verdict){
		.stack = arena_str(&v->text, buf_slice(&stack)),
		.class = arena_str(&v->text, meta_get(m, "class")),
		.lo = arena_str(&v->text, meta_get(m, "lo")),
		.hi = arena_str(&v->text, meta_get(m, "hi")),
		.q = arena_str(&v->text, meta_get(m, "q")),
	};
	buf_free(&stack);
}

/* The frame a stack ends in, or 0. */
static uint32_t
find_frame(const struct tree *t, struct str stack)
{
	struct str name;
	uint32_t i = 0;

	do {
		name = str_cut(&stack, ';');
		i = t->node[i].child;
		while (i != 0 &&
		       !str_eq(intern_name(t->names, t->node[i].name), name))
			i = t->node[i].next;
	} while (i != 0 && stack.len > 0);
	return i;
}

void
verdicts_resolve(struct verdicts *v, const struct tree *t)
{
	uint32_t i;
	size_t k;

	if (!v->tested)
		return;
	v->of = mem_zero(t->n, sizeof(*v->of));
	for (k = 0; k < v->n; k++) {
		i = find_frame(t, v->verdict[k].stack);
		if (i != 0)
			v->of[i] = (uint32_t)k + 1;
	}
}

void
verdicts_free(struct verdicts *v)
{
	free(v->verdict);
	free(v->of);
	arena_free(&v->text);
}
