/* replace.c - a file written anew, that readers see whole or not at all. */
#include "replace.h"

#include <err.h>
#include <sys/stat.h>

bool
replace_is_beside(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

FILE *
replace_begin(struct replace *r)
{
	const char *path = r->path;

	if (replace_is_beside(path)) {
		buf_printf(&r->part, "%s.part", path);
		buf_char(&r->part, '\0');
		path = r->part.p;
	}
	r->out = fopen(path, "we");
	if (r->out == NULL)
		err(2, "%s", path);
	return r->out;
}

void
replace_end(struct replace *r)
{
	const bool failed = ferror(r->out) != 0;

	if (fclose(r->out) != 0 || failed)
		err(2, "%s", r->path);
	if (r->part.len > 0 && rename(r->part.p, r->path) != 0)
		err(2, "%s", r->path);
	buf_free(&r->part);
	r->part = (struct buf){ 0 };
}
