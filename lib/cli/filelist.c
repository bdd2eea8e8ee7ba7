/* filelist.c - read operands from a file. */
#include "cli/filelist.h"

#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>

/* Read the whole file, and add a NUL if the last name lacks it. */
static void
read_all(const char *path, struct buf *all)
{
	struct tally tally = { 0 };
	struct input in;
	struct str part;

	input_open(&in, path, &tally);
	while ((part = input_bytes(&in, 1)).len > 0) {
		buf_str(all, part);
		input_take(&in, part.len);
	}
	input_close(&in);
	if (all->len > 0 && all->p[all->len - 1] != '\0')
		buf_char(all, '\0');
}

void
filelist_read(struct cmd *c, const char *path, struct buf *text)
{
	size_t n = 0, cap = 0;
	char **file = NULL;
	struct str rest;

	if (c->nfile > 0)
		cmd_usage(c, "--files0-from excludes file operands");
	read_all(path, text);
	rest = buf_slice(text);
	for (; rest.len > 0; n++) {
		file = mem_grow(file, &cap, n + 2, sizeof(*file));
		file[n] = text->p + (rest.p - text->p);
		str_cut(&rest, '\0');
		if (*file[n] == '\0' || n == INT_MAX - 1)
			cmd_usage(c, "%s: file name %zu is %s", path, n + 1,
				  *file[n] ? "too many" : "empty");
		file[n + 1] = NULL;
	}
	if (n == 0)
		cmd_usage(c, "%s: no file names", path);
	free(c->file);
	c->file = file;
	c->nfile = (int)n;
}
