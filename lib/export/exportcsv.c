/*
 * exportcsv.c - comma-separated values, a stack a line.
 *
 * The format is RFC 4180, but lines end with LF only.
 */
#include "export/exportcsv.h"

#include "export/exportread.h"
#include "export/exporttext.h"

#include <stdlib.h>

/* Put "main;parse;read" in quotes; quotes in names are doubled. */
static void
put_stack(const struct export_profile *e, const struct exporttext_path *path,
	  struct buf *out)
{
	struct str name;
	size_t i, k;
	char suffix;

	buf_char(out, '"');
	for (i = 0; i < path->n; i++) {
		if (i > 0)
			buf_char(out, ';');
		name = exporttext_name(e, path->id[i], &suffix);
		for (k = 0; k < name.len; k++) {
			if (name.p[k] == '"')
				buf_char(out, '"');
			buf_char(out, name.p[k]);
		}
	}
	buf_char(out, '"');
}

/* Put time, process and thread; unknown ones are empty. */
static void
put_origin(const struct export_profile *e, const struct export_sample *sample,
	   struct buf *out)
{
	const struct export_thread *t = &e->thread[sample->thread];

	buf_u64(out, sample->time / 1000000000);
	buf_printf(out, ".%09u,", (unsigned)(sample->time % 1000000000));
	if (t->pid >= 0)
		buf_u64(out, (uint64_t)t->pid);
	buf_char(out, ',');
	if (t->tid >= 0)
		buf_u64(out, (uint64_t)t->tid);
	buf_char(out, ',');
}

static void
write_csv(struct export_profile *e)
{
	struct exporttext_path path = { 0 };
	struct export_sample sample;
	struct buf out = { 0 };
	int k;

	if (e->nthreads > 0)
		buf_str(&out, STR("time,pid,tid,"));
	buf_str(&out, e->counts == 2 ? STR("stack,before,after\n") :
				       STR("stack,count\n"));
	while (exportread_next(e, &sample)) {
		exporttext_path(e, sample.stack, &path);
		if (e->nthreads > 0)
			put_origin(e, &sample, &out);
		put_stack(e, &path, &out);
		for (k = 0; k < e->counts; k++) {
			buf_char(&out, ',');
			count_print(&out, sample.count[k]);
		}
		buf_char(&out, '\n');
		exporttext_flush(e, &out);
	}
	buf_write(&out, e->out);
	buf_free(&out);
	free(path.id);
}

const struct export_format exportcsv = {
	.name = "csv",
	.summary = "a table with commas, for databases and spreadsheets",
	.order = EXPORT_BY_TIME,
	.write = write_csv
};
