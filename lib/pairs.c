/* pairs.c - the stacks of two sides in order, each with two counts. */
#include "pairs.h"

#include "mem.h"
#include "scale.h"
#include "trietext.h"

#include <err.h>
#include <stdlib.h>

static void
add_pair(void *arg, uint32_t i, struct str stack)
{
	struct pairs *p = arg;
	int c;

	(void)stack;
	p->frame = mem_grow(p->frame, &p->cap[2], p->n + 1, sizeof(*p->frame));
	p->frame[p->n] = i;
	for (c = 0; c < 2; c++) {
		p->count[c] = mem_grow(p->count[c], &p->cap[c], p->n + 1,
				       sizeof(*p->count[c]));
		p->count[c][p->n] = p->sides->self[c][i];
	}
	p->n++;
}

void
pairs_init(struct pairs *p, const struct sides *s)
{
	*p = (struct pairs){ .sides = s };
	trietext_visit(&s->trie, s->names, s->ends, add_pair, p);
}

struct count
pairs_total(const struct pairs *p, enum side column)
{
	return p->sides->total[column];
}

void
pairs_scale(struct pairs *p, enum side column, struct count total)
{
	if (!scale_counts(p->count[column], p->n, total))
		errx(2, "the counts have decimals and are too large to be "
			"scaled");
}

static void
write_pair(void *arg, uint32_t i, struct str stack)
{
	struct pairs *p = arg;

	(void)i;
	buf_str(&p->text, stack);
	buf_char(&p->text, ' ');
	count_print(&p->text, p->count[BEFORE][p->next]);
	buf_char(&p->text, ' ');
	count_print(&p->text, p->count[AFTER][p->next]);
	buf_char(&p->text, '\n');
	p->next++;
	if (p->text.len > 64 * 1024)
		buf_write(&p->text, p->out);
}

void
pairs_write(struct pairs *p, FILE *out)
{
	p->out = out;
	p->next = 0;
	trietext_visit(&p->sides->trie, p->sides->names, p->sides->ends,
		       write_pair, p);
	buf_write(&p->text, out);
}

void
pairs_free(struct pairs *p)
{
	free(p->frame);
	free(p->count[BEFORE]);
	free(p->count[AFTER]);
	buf_free(&p->text);
}
