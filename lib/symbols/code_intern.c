/* code_intern.c - code as frames show it, each one once. */
#include "symbols/code_intern.h"

#include "base/intern.h"
#include "base/mem.h"

#include <stdlib.h>

void
code_intern_init(struct code_table *all)
{
	*all = (struct code_table){ .keys = intern_new() };
}

void
code_intern_free(struct code_table *all)
{
	intern_free(all->keys);
	free(all->code);
	arena_free(&all->arena);
	buf_free(&all->key);
}

const struct code *
code_intern_add(struct code_table *all, const struct code *like)
{
	const uint32_t n = intern_size(all->keys);
	const uint32_t outer = like->outer == NULL ? 0 :
						     like->outer->number + 1;
	uint32_t number;
	struct code *c;
	struct str key;

	all->key.len = 0;
	buf_char(&all->key, (char)like->kind);
	buf_add(&all->key, &outer, sizeof(outer));
	buf_add(&all->key, &like->module.len, sizeof(like->module.len));
	buf_add(&all->key, &like->line.len, sizeof(like->line.len));
	key.len = all->key.len;
	buf_str(&all->key, like->module);
	buf_str(&all->key, like->line);
	buf_str(&all->key, like->name);
	number = intern_id(all->keys, buf_slice(&all->key));
	if (number < n)
		return all->code[number];
	key = str_skip(intern_name(all->keys, number), key.len);
	c = arena_alloc(&all->arena, sizeof(*c));
	*c = *like;
	c->number = number;
	c->module.p = key.p;
	c->line.p = c->module.p + c->module.len;
	c->name.p = c->line.p + c->line.len;
	c->executes = c->kind == CODE_KERNEL &&
		      str_eq(c->name, STR("bprm_execve"));
	c->interrupts = c->kind == CODE_KERNEL &&
			str_starts(c->name, STR("asm_"));
	all->code = mem_grow(all->code, &all->cap, n + 1,
			     sizeof(struct code *));
	return all->code[number] = c;
}

const struct code *
code_intern_mark(struct code_table *all, struct str name)
{
	return code_intern_add(
	    all, &(struct code){ .name = name, .kind = CODE_USER });
}
