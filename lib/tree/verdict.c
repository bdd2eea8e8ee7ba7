/* verdict.c - which frames folddiff found to have changed. */
#include "tree/verdict.h"

#include "base/mem.h"

#include <stdlib.h>

void
verdict_add(struct verdicts *v, const struct meta *m)
{
	struct buf stack = { 0 };

	struct str test = meta_get(m, "test");

	v->any_tested |= str_eq(test, STR("1"));
	v->tested |= v->any_tested || str_eq(test, STR("0"));
	if (v->tested && meta_has(m, "assumed"))
		v->assumed = arena_str(&v->text, meta_get(m, "assumed"));
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

/* Add a tested stack; 0 if the tree has no frame with one of its names. */
static uint32_t
add_stack(struct trie *tested, const struct intern *names, struct str stack)
{
	uint32_t at = 0, name;

	do {
		if (!intern_find(names, str_cut(&stack, ';'), &name))
			return 0;
		at = trie_child(tested, at, name);
	} while (stack.len > 0);
	return at;
}

/* For each frame of the tree its number in the trie of tested stacks, or 0. */
static uint32_t *
find_places(const struct trie *tested, const struct tree *t)
{
	uint32_t *at = mem_zero(t->n, sizeof(*at)), i, parent;

	for (i = 1; i < t->n; i++) {
		parent = t->node[i].parent;
		if (parent == 0 || at[parent] != 0)
			at[i] = trie_find(tested, at[parent], t->node[i].name);
	}
	return at;
}

void
verdict_resolve(struct verdicts *v, const struct tree *t)
{
	struct trie tested;
	uint32_t *place, *of, *at, i;
	size_t k;

	if (!v->tested)
		return;
	trie_init(&tested);
	place = mem_zero(v->n, sizeof(*place));
	for (k = 0; k < v->n; k++)
		place[k] = add_stack(&tested, t->names, v->verdict[k].stack);
	of = mem_zero(tested.n, sizeof(*of));
	for (k = 0; k < v->n; k++)
		of[place[k]] = (uint32_t)k + 1;
	of[0] = 0;
	at = find_places(&tested, t);
	free(v->of);
	v->of = mem_zero(t->n, sizeof(*v->of));
	for (i = 1; i < t->n; i++)
		v->of[i] = of[at[i]];
	free(place);
	free(of);
	free(at);
	trie_free(&tested);
}

void
verdict_free(struct verdicts *v)
{
	free(v->verdict);
	free(v->of);
	arena_free(&v->text);
}
