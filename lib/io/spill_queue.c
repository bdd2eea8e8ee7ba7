/* spill_queue.c - a queue of numbers that may be larger than the memory. */
#include "io/spill_queue.h"

#include "base/mem.h"

#include <stdlib.h>

/* Numbers in memory. */
#define BLOCK ((size_t)1 << 20)

static void
write_block(struct spill_queue *q)
{
	q->file.what = "samples";
	spill_write(&q->file, q->block, q->block_len * sizeof(*q->block));
	q->block_len = 0;
}

void
spill_queue_add(struct spill_queue *q, uint32_t number)
{
	if (q->block_len == BLOCK)
		write_block(q);
	q->block = mem_grow(q->block, &q->cap, q->block_len + 1,
			    sizeof(*q->block));
	q->block[q->block_len++] = number;
	q->n++;
}

static void
read_block(struct spill_queue *q)
{
	uint64_t left = (q->file.size - q->offset) / sizeof(*q->block);

	q->block_len = left < BLOCK ? (size_t)left : BLOCK;
	q->block_next = 0;
	if (q->block_len == 0)
		return;
	spill_read(&q->file, q->offset, q->block,
		   q->block_len * sizeof(*q->block));
	q->offset += q->block_len * sizeof(*q->block);
}

bool
spill_queue_next(struct spill_queue *q, uint32_t *number)
{
	if (!q->is_reading && q->file.size > 0)
		write_block(q);
	q->is_reading = true;
	if (q->block_next == q->block_len && q->file.size > 0)
		read_block(q);
	if (q->block_next == q->block_len)
		return false;
	*number = q->block[q->block_next++];
	return true;
}

void
spill_queue_free(struct spill_queue *q)
{
	spill_free(&q->file);
	free(q->block);
	*q = (struct spill_queue){ 0 };
}
