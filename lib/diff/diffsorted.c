/* diffsorted.c - compares sorted profiles in one pass. */
#include "diff/diffsorted.h"

#include "base/mem.h"
#include "diff/comparison.h"
#include "folded/foldout.h"

#include <stdlib.h>

/*
 * Bytes of output to hold back.  Most unsorted files show within the first
 * lines that they are not sorted; then nothing is written yet.
 */
#define HELD_BACK (1024 * 1024)

/* Append what the headers agree on.  False if they cannot be merged. */
static bool
add_header(const struct sorted_runs *runs, struct buf *text)
{
	struct comparison c = { .n = runs->n };
	struct meta header = { 0 };
	bool ok = true;
	size_t i;

	c.run = mem_zero(runs->n, sizeof(*c.run));
	for (i = 0; i < runs->n; i++) {
		replicate_init(&c.run[i], runs->input[i].name,
			       (enum side)runs->input[i].column);
		ok = comparison_run_header(runs, i, &c.run[i].meta) && ok;
	}
	comparison_check(&c);
	comparison_header(&c, &header);
	meta_print(text, &header);
	meta_free(&header);
	comparison_free(&c);
	return ok;
}

enum diffsorted_result
diffsorted_runs(struct sorted_runs *runs, struct tally *tally, bool header,
		FILE *out)
{
	struct foldout o = { .out = out, .counts = 2, .buffer = HELD_BACK };
	enum diffsorted_result result = DIFFSORTED_NOT_PLAIN;
	struct tally one = { 0 };
	struct count sum[2];
	size_t start;
	bool plain;

	runs->counts = 1;
	sorted_runs_open(runs, &one);
	plain = add_header(runs, &o.text);
	if (!header)
		o.text.len = 0;
	while (plain &&
	       (start = o.text.len, sorted_runs_next(runs, &o.text, sum)))
		foldout_line(&o, start, sum);
	plain = plain && runs->bad == NULL;
	if (plain || o.written)
		result = plain ? DIFFSORTED_DONE : DIFFSORTED_BAD;
	if (plain)
		*tally = one;
	else
		buf_free(&one.first);
	if (plain)
		foldout_end(&o);
	else
		buf_free(&o.text);
	sorted_runs_close(runs);
	return result;
}
