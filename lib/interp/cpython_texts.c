/* cpython_texts.c - recognises CPython in a program without symbols. */
#include "interp/cpython_texts.h"

#include "base/mem.h"

enum { BLOCK = 1 << 20, MAX_BLOCKS = 64 };

/*
 * A message of Python/pylifecycle.c and a variable of the help text, in all
 * versions.  They are in parts, so that our own programs do not have them.
 */
static const char *const texts[][2] = { { "Fatal Python", " error: " },
					{ "PYTHON", "HASHSEED" } };

enum { TEXTS = sizeof(texts) / sizeof(*texts) };

struct text_search {
	struct interp_copy memory;
	struct buf block;
	char text[TEXTS][32];
	bool found[TEXTS];
	int blocks;
};

/* Search a mapping; blocks overlap, because a text may be in two. */
static void
search_map(struct text_search *s, const struct proc_map *m)
{
	const uint64_t step = BLOCK - sizeof(*s->text);
	uint64_t at;
	size_t n, i;

	for (at = m->start; at < m->end && s->blocks < MAX_BLOCKS; at += step) {
		s->blocks++;
		n = m->end - at < BLOCK ? (size_t)(m->end - at) : BLOCK;
		if (!interp_copy_read(&s->memory, at, s->block.p, n))
			return;
		for (i = 0; i < TEXTS; i++)
			s->found[i] |= memmem(s->block.p, n, s->text[i],
					      strlen(s->text[i])) != NULL;
	}
}

bool
cpython_texts_in(const struct interp_target *target, size_t map,
		 const struct interp_reader *reader)
{
	const struct str path = target->map[map].path;
	struct text_search s = { .blocks = 0 };
	const struct proc_map *m;
	size_t i;

	for (i = 0; i < TEXTS; i++)
		snprintf(s.text[i], sizeof(s.text[i]), "%s%s", texts[i][0],
			 texts[i][1]);
	buf_reserve(&s.block, BLOCK);
	interp_copy_begin(&s.memory, reader, NULL, NULL, NULL, 0);
	for (i = map; i < target->n && str_eq(target->map[i].path, path); i++) {
		m = &target->map[i];
		if (m->prot.p[0] == 'r' && m->prot.p[1] != 'w')
			search_map(&s, m);
	}
	interp_copy_free(&s.memory);
	buf_free(&s.block);
	return s.found[0] && s.found[1];
}
