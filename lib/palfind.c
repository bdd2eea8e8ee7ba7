/* palfind.c - where a palette is that is given by name. */
#include "palfind.h"

#include <stdlib.h>
#include <unistd.h>

/* Whether folder/tail/NAME.palette can be read; if so, it is in *path. */
static bool
try_folder(struct buf *path, struct str folder, const char *tail,
	   const char *name)
{
	path->len = 0;
	buf_str(path, folder);
	buf_printf(path, "%s/%s.palette", tail, name);
	return folder.len > 0 && access(path->p, R_OK) == 0;
}

/* The folder of an installation that was moved: ../share of the program. */
static bool
try_beside(struct buf *path, const char *name)
{
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program));
	struct str folder = { program, n > 0 ? (size_t)n : 0 };

	folder.len -= str_basename(folder).len;
	return try_folder(path, folder, "../share/foldstack/palettes", name);
}

/* Look a name up in the folders of palette(5). */
static bool
search(struct buf *path, const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const char *data = getenv("XDG_DATA_DIRS");
	struct str dirs = str_of(data != NULL && *data != '\0' ?
				     data :
				     "/usr/local/share:/usr/share");

	if (try_folder(path, STR("."), "", name))
		return true;
	if (config != NULL && *config != '\0') {
		if (try_folder(path, str_of(config), "/foldstack/palettes",
			       name))
			return true;
	} else if (home != NULL &&
		   try_folder(path, str_of(home), "/.config/foldstack/palettes",
			      name))
		return true;
	while (dirs.len > 0) {
		if (try_folder(path, str_cut(&dirs, ':'), "/foldstack/palettes",
			       name))
			return true;
	}
	return try_folder(path, STR(PKGDATADIR), "/palettes", name) ||
	       try_beside(path, name);
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
