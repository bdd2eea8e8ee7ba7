/* datafile.c - find the data files that are installed with the programs. */
#include "os/datafile.h"

#include <stdlib.h>
#include <unistd.h>

/* Set *path to FOLDER/SUBFOLDER/NAME; false if it cannot be read. */
static bool
try_folder(struct buf *path, struct str folder, const char *subfolder,
	   const char *name)
{
	path->len = 0;
	buf_str(path, folder);
	buf_printf(path, "%s/%s", subfolder, name);
	return folder.len > 0 && access(path->p, R_OK) == 0;
}

/* For an installation that was moved: ../share relative to the program. */
static bool
try_relative(struct buf *path, const char *name)
{
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program));
	struct str folder = { program, n > 0 ? (size_t)n : 0 };

	folder.len -= str_basename(folder).len;
	return try_folder(path, folder, "../share/foldstack", name);
}

bool
datafile_find(struct buf *path, const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const char *data = getenv("XDG_DATA_DIRS");
	struct str dirs = str_of(data != NULL && *data != '\0' ?
				     data :
				     "/usr/local/share:/usr/share");

	if (config != NULL && *config != '\0') {
		if (try_folder(path, str_of(config), "/foldstack", name))
			return true;
	} else if (home != NULL &&
		   try_folder(path, str_of(home), "/.config/foldstack", name))
		return true;
	while (dirs.len > 0) {
		if (try_folder(path, str_cut(&dirs, ':'), "/foldstack", name))
			return true;
	}
	return try_folder(path, STR(PKGDATADIR), "", name) ||
	       try_relative(path, name);
}
