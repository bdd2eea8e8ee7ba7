/* zip.c - sorted profiles of two sides, compared in one pass. */
#include "zip.h"

#include "foldout.h"
#include "mem.h"
#include "sides.h"

#include <stdlib.h>

/*
 * That much is held back: where the first lines are not sorted, which is where
 * most files that are not show it, nothing was written.
 */
#define HELD_BACK (1024 * 1024)

/* The header, of what the headers of the inputs agree on; false without. */
static bool
put_header(const struct runs *r, struct buf *text)
{
	struct sides s = { .n = r->n };
	struct meta header = { 0 };
	bool ok = true;
	size_t i;

	s.run = mem_zero(r->n, sizeof(*s.run));
	for (i = 0; i < r->n; i++)
		ok = sides_run_header(r, i, &s.run[i].meta) && ok;
	sides_check(&s);
	sides_header(&s, &header);
	meta_print(text, &header);
	meta_free(&header);
	sides_free(&s);
	return ok;
}

enum zip_result
zip_runs(struct runs *runs, struct tally *tally, FILE *out)
{
	struct foldout o = { .out = out, .counts = 2, .hold = HELD_BACK };
	enum zip_result result = ZIP_NOT_PLAIN;
	struct tally one = { 0 };
	struct count sum[2];
	size_t start;
	bool plain;

	runs->counts = 1;
	runs_open(runs, &one);
	plain = put_header(runs, &o.text);
	while (plain && (start = o.text.len, runs_next(runs, &o.text, sum)))
		foldout_line(&o, start, sum);
	plain = plain && runs->bad == NULL;
	if (plain || o.written)
		result = plain ? ZIP_DONE : ZIP_BAD;
	if (plain)
		*tally = one;
	else
		buf_free(&one.first);
	if (plain)
		foldout_end(&o);
	else
		buf_free(&o.text);
	runs_close(runs);
	return result;
}
