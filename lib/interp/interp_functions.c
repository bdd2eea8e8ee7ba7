/* interp_functions.c - functions of interpreted languages, each one once. */
#include "interp/interp_functions.h"

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"

#include <stdlib.h>

/* A key is the sizes of the language and of the name, and all three texts. */
struct key_head {
	uint32_t language, name;
};

struct interp_functions {
	struct intern *keys;
	struct buf key; /* scratch */
};

struct interp_functions *
interp_functions_new(void)
{
	struct interp_functions *all = mem_zero(1, sizeof(*all));

	all->keys = intern_new();
	return all;
}

void
interp_functions_free(struct interp_functions *all)
{
	if (all == NULL)
		return;
	intern_free(all->keys);
	buf_free(&all->key);
	free(all);
}

uint32_t
interp_functions_add(struct interp_functions *all, struct str language,
		     struct str name, struct str file)
{
	const struct key_head head = { (uint32_t)language.len,
				       (uint32_t)name.len };

	all->key.len = 0;
	buf_add(&all->key, &head, sizeof(head));
	buf_str(&all->key, language);
	buf_str(&all->key, name);
	buf_str(&all->key, file);
	return intern_id(all->keys, buf_slice(&all->key));
}

struct interp_function
interp_functions_get(const struct interp_functions *all, uint32_t number)
{
	struct interp_function f = { .number = number };
	struct str text = intern_name(all->keys, number);
	struct key_head head;

	memcpy(&head, text.p, sizeof(head));
	text = str_skip(text, sizeof(head));
	f.language = (struct str){ text.p, head.language };
	f.name = (struct str){ text.p + head.language, head.name };
	f.file = str_skip(text, head.language + head.name);
	return f;
}
