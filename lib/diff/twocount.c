/* twocount.c - writes the stacks of two sides with two counts a line. */
#include "diff/twocount.h"

#include "base/mem.h"
#include "diff/scale.h"
#include "tree/trietext.h"

#include <err.h>
#include <stdlib.h>

/* A callback of trietext_visit(). */
static void
add_to_order(void *arg, uint32_t frame, struct str stack)
{
	struct twocount *p = arg;

	(void)stack;
	p->order[p->norder++] = p->comparison->pair_of[frame] - 1;
}

/* Scale in output order: of equal remainders, the first stack is rounded up. */
void
twocount_scale(struct twocount *p, enum side column, struct count total)
{
	const struct comparison *c = p->comparison;
	struct count *sorted = mem_zero(c->npair, sizeof(*sorted));
	size_t i;

	if (p->order == NULL) {
		p->order = mem_zero(c->npair, sizeof(*p->order));
		trietext_visit(&c->trie, c->names, c->pair_of, add_to_order, p);
	}
	for (i = 0; i < c->npair; i++)
		sorted[i] = c->pair[p->order[i]].count[column];
	if (!scale_counts(sorted, c->npair, total))
		errx(2, "the counts have decimals and are too large to be "
			"scaled");
	p->count[column] = mem_zero(c->npair, sizeof(*sorted));
	for (i = 0; i < c->npair; i++)
		p->count[column][p->order[i]] = sorted[i];
	free(sorted);
}

static struct count
get_count(const struct twocount *p, uint32_t i, enum side column)
{
	return p->count[column] != NULL ? p->count[column][i] :
					  p->comparison->pair[i].count[column];
}

static void
write_pair(void *arg, uint32_t frame, struct str stack)
{
	struct twocount *p = arg;
	uint32_t i = p->comparison->pair_of[frame] - 1;

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
twocount_write(struct twocount *p, FILE *out)
{
	const struct comparison *c = p->comparison;

	p->out = out;
	trietext_visit(&c->trie, c->names, c->pair_of, write_pair, p);
	buf_write(&p->text, out);
}

void
twocount_free(struct twocount *p)
{
	free(p->count[BEFORE]);
	free(p->count[AFTER]);
	free(p->order);
	buf_free(&p->text);
}
