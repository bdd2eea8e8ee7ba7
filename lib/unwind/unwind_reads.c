/* unwind_reads.c - what of a copied stack its frames depend on. */
#include "unwind/unwind_reads.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Deeper stacks are unwound each time. */
enum { MAX_WORDS = 1 << 16 };

void
unwind_reads_free(struct unwind_reads *r)
{
	free(r->word);
	*r = (struct unwind_reads){ 0 };
}

static void
add_word(struct unwind_reads *r, size_t offset, const char *bytes, size_t n)
{
	struct unwind_read_word *w;

	r->word = mem_grow(r->word, &r->cap, r->n + 1, sizeof(*r->word));
	w = &r->word[r->n++];
	*w = (struct unwind_read_word){ .offset = (uint32_t)offset,
					.n = (uint32_t)n };
	memcpy(&w->value, bytes, n);
}

void
unwind_reads_add(struct unwind_reads *r, size_t offset, const char *bytes,
		 size_t n)
{
	const size_t word = sizeof(r->word->value);
	size_t i;

	r->partial |= r->n >= MAX_WORDS || offset > UINT32_MAX - n;
	if (r->partial)
		return;
	for (i = 0; i + word <= n; i += word)
		add_word(r, offset + i, bytes + i, word);
	if (i < n)
		add_word(r, offset + i, bytes + i, n - i);
}

bool
unwind_reads_hold(const struct unwind_reads *r, struct str copy)
{
	const struct unwind_read_word *w;
	size_t i;

	if (r->partial)
		return false;
	for (i = 0; i < r->n; i++) {
		w = &r->word[i];
		if (w->offset >= copy.len || w->n > copy.len - w->offset ||
		    memcmp(copy.p + w->offset, &w->value, w->n) != 0)
			return false;
	}
	return true;
}
