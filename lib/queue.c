/* queue.c - numbers that come back in the order they went, however many. */
#include "queue.h"

#include "mem.h"
#include "temp.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Numbers that are held in memory. */
#define HELD ((size_t)1 << 20)

static void
write_held(struct queue *q)
{
	if (!q->overflowed)
		q->fd = temp_open("samples");
	q->overflowed = true;
	temp_write(q->fd, q->number, q->held * sizeof(*q->number), "samples");
	q->held = 0;
}

void
queue_put(struct queue *q, uint32_t number)
{
	if (q->held == HELD)
		write_held(q);
	q->number = mem_grow(q->number, &q->cap, q->held + 1,
			     sizeof(*q->number));
	q->number[q->held++] = number;
	q->n++;
}

/* Read as much as can be held; the file has whole numbers. */
static void
read_held(struct queue *q)
{
	char *p = (char *)q->number;
	size_t size = HELD * sizeof(*q->number), have = 0;
	ssize_t n = 1;

	while (have < size && n != 0) {
		n = read(q->fd, p + have, size - have);
		if (n < 0 && errno != EINTR)
			err(2, "samples");
		have += n < 0 ? 0 : (size_t)n;
	}
	q->held = have / sizeof(*q->number);
	q->next = 0;
}

bool
queue_take(struct queue *q, uint32_t *number)
{
	if (!q->taking && q->overflowed) {
		write_held(q);
		if (lseek(q->fd, 0, SEEK_SET) != 0)
			err(2, "samples");
	}
	q->taking = true;
	if (q->next == q->held && q->overflowed)
		read_held(q);
	if (q->next == q->held)
		return false;
	*number = q->number[q->next++];
	return true;
}

void
queue_free(struct queue *q)
{
	if (q->overflowed)
		close(q->fd);
	free(q->number);
	*q = (struct queue){ 0 };
}
