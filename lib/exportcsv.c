/*
 * exportcsv.c - a table with commas, a stack a line.
 *
 * The format: RFC 4180, but with LF alone.
 */
#include "exporttext.h"

#include <stdlib.h>

/* "main;parse;read": quotes in it are doubled. */
static void
put_stack(const struct exported *e, const struct export_path *path,
	  struct buf *out)
{
	struct str name;
	size_t i, k;
	char suffix;

	buf_char(out, '"');
	for (i = 0; i < path->n; i++) {
		if (i > 0)
			buf_char(out, ';');
		name = export_name(e, path->id[i], &suffix);
		for (k = 0; k < name.len; k++) {
			if (name.p[k] == '"')
				buf_char(out, '"');
			buf_char(out, name.p[k]);
		}
	}
	buf_char(out, '"');
}

/* When, and in which process and thread; empty where that is not known. */
static void
put_place(const struct exported *e, const struct export_sample *s,
	  struct buf *out)
{
	const struct export_thread *t = &e->thread[s->thread];

	buf_u64(out, s->time / 1000000000);
	buf_printf(out, ".%09u,", (unsigned)(s->time % 1000000000));
	if (t->pid >= 0)
		buf_u64(out, (uint64_t)t->pid);
	buf_char(out, ',');
	if (t->tid >= 0)
		buf_u64(out, (uint64_t)t->tid);
	buf_char(out, ',');
}

static void
write_csv(struct exported *e)
{
	struct export_path path = { 0 };
	struct export_sample s;
	struct buf out = { 0 };
	int k;

	if (e->nthreads > 0)
		buf_str(&out, STR("time,pid,tid,"));
	buf_str(&out, e->counts == 2 ? STR("stack,before,after\n") :
				       STR("stack,count\n"));
	while (export_next(e, &s)) {
		export_path(e, s.stack, &path);
		if (e->nthreads > 0)
			put_place(e, &s, &out);
		put_stack(e, &path, &out);
		for (k = 0; k < e->counts; k++) {
			buf_char(&out, ',');
			count_print(&out, s.count[k]);
		}
		buf_char(&out, '\n');
		export_flush(e, &out);
	}
	buf_write(&out, e->out);
	buf_free(&out);
	free(path.id);
}

const struct export_format export_csv = {
	.name = "csv",
	.summary = "a table with commas, for databases and spreadsheets",
	.order = EXPORT_BY_TIME,
	.write = write_csv
};
