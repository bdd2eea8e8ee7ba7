/* palfind.c - where a palette is that is given by name. */
#include "palfind.h"

#include "datafile.h"

#include <unistd.h>

/* Look a name up in the folders of palette(5). */
static bool
search(struct buf *path, const char *name)
{
	struct buf file = { 0 };
	bool found;

	path->len = 0;
	buf_printf(path, "./%s.palette", name);
	if (access(path->p, R_OK) == 0)
		return true;
	buf_printf(&file, "palettes/%s.palette", name);
	found = datafile_find(path, file.p);
	buf_free(&file);
	return found;
}

bool
palfind(struct buf *path, const char *name)
{
	if (strchr(name, '/') == NULL &&
	    !str_ends(str_of(name), STR(".palette")))
		return search(path, name);
	path->len = 0;
	buf_str(path, str_of(name));
	buf_char(path, '\0');
	path->len--;
	return true;
}
