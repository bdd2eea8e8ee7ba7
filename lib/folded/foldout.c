/* foldout.c - writer of folded text, or of the same as a table. */
#include "folded/foldout.h"

#include "base/hash.h"

#define BUFFER (64 * 1024)
/* Insert a column with the hash of the stack before it. */
static void
put_hash(struct buf *text, size_t start)
{
	size_t len = text->len - start;
	struct buf column = { 0 };

	buf_u64(&column, hash_xxh64(text->p + start, len));
	buf_char(&column, '\t');
	buf_reserve(text, column.len);
	memmove(text->p + start + column.len, text->p + start, len);
	memcpy(text->p + start, column.p, column.len);
	text->len += column.len;
	buf_free(&column);
}

void
foldout_line(struct foldout *o, size_t start, const struct count *count)
{
	int k;

	if (count_cmp(count[0], o->min) < 0 &&
	    count_cmp(count[o->counts - 1], o->min) < 0) {
		o->text.len = start;
		return;
	}
	if (o->hash)
		put_hash(&o->text, start);
	for (k = 0; k < o->counts; k++) {
		buf_char(&o->text, o->tsv ? '\t' : ' ');
		count_print(&o->text, count[k]);
	}
	buf_char(&o->text, '\n');
	if (o->text.len > (o->buffer > 0 ? o->buffer : BUFFER)) {
		buf_write(&o->text, o->out);
		o->written = true;
	}
}

void
foldout_end(struct foldout *o)
{
	buf_write(&o->text, o->out);
	buf_free(&o->text);
}
