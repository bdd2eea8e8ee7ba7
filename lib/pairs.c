/* pairs.c - the stacks of two sides in order, each with two counts. */
#include "pairs.h"

#include "mem.h"
#include "scale.h"
#include "trietext.h"

#include <err.h>
#include <stdlib.h>

static void
note_order(void *arg, uint32_t frame, struct str stack)
{
	struct pairs *p = arg;

	(void)stack;
	p->order[p->norder++] = p->sides->pair_of[frame] - 1;
}

/* Of equal remainders the first stack's counts: the order has to be known. */
void
pairs_scale(struct pairs *p, enum side column, struct count total)
{
	const struct sides *s = p->sides;
	struct count *sorted = mem_zero(s->npair, sizeof(*sorted));
	size_t i;

	if (p->order == NULL) {
		p->order = mem_zero(s->npair, sizeof(*p->order));
		trietext_visit(&s->trie, s->names, s->pair_of, note_order, p);
	}
	for (i = 0; i < s->npair; i++)
		sorted[i] = s->pair[p->order[i]].count[column];
	if (!scale_counts(sorted, s->npair, total))
		errx(2, "the counts have decimals and are too large to be "
			"scaled");
	p->count[column] = mem_zero(s->npair, sizeof(*sorted));
	for (i = 0; i < s->npair; i++)
		p->count[column][p->order[i]] = sorted[i];
	free(sorted);
}

static struct count
get_count(const struct pairs *p, uint32_t i, enum side column)
{
	return p->count[column] != NULL ? p->count[column][i] :
					  p->sides->pair[i].count[column];
}

static void
write_pair(void *arg, uint32_t frame, struct str stack)
{
	struct pairs *p = arg;
	uint32_t i = p->sides->pair_of[frame] - 1;

	buf_str(&p->text, stack);
	buf_char(&p->text, ' ');
	count_print(&p->text, get_count(p, i, BEFORE));
	buf_char(&p->text, ' ');
	count_print(&p->text, get_count(p, i, AFTER));
	buf_char(&p->text, '\n');
	if (p->text.len > 64 * 1024)
		buf_write(&p->text, p->out);
}

void
pairs_write(struct pairs *p, FILE *out)
{
	const struct sides *s = p->sides;

	p->out = out;
	trietext_visit(&s->trie, s->names, s->pair_of, write_pair, p);
	buf_write(&p->text, out);
}

void
pairs_free(struct pairs *p)
{
	free(p->count[BEFORE]);
	free(p->count[AFTER]);
	free(p->order);
	buf_free(&p->text);
}
