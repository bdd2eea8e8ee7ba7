/* held_output.c - output that is held back while it may still be dropped. */
#include "io/held_output.h"

/* The most that is held in memory, in bytes. */
#define MEMORY ((size_t)1 << 20)

void
held_output_add(struct held_output *h, struct buf *text)
{
	if (h->memory.len > 0 && h->memory.len + text->len > MEMORY) {
		spill_write(&h->file, h->memory.p, h->memory.len);
		h->memory.len = 0;
	}
	buf_str(&h->memory, buf_slice(text));
	text->len = 0;
}

void
held_output_write(struct held_output *h, FILE *f)
{
	struct buf block = { 0 };
	uint64_t at, n;

	if (h->file.size + h->memory.len == 0)
		return;
	for (at = 0; at < h->file.size; at += n) {
		n = h->file.size - at < MEMORY ? h->file.size - at : MEMORY;
		buf_reserve(&block, n);
		spill_read(&h->file, at, block.p, n);
		block.len = n;
		buf_write(&block, f);
	}
	buf_write(&h->memory, f);
	buf_free(&block);
	held_output_drop(h);
}

void
held_output_drop(struct held_output *h)
{
	spill_free(&h->file);
	h->memory.len = 0;
}

void
held_output_free(struct held_output *h)
{
	spill_free(&h->file);
	buf_free(&h->memory);
}
