/* vdso.c - the code that this machine's kernel maps into each process. */
#include "vdso.h"

#include "outage.h"
#include "proctext.h"
#include "readfile.h"

#include <fcntl.h>
#include <unistd.h>

static void
find(void *arg, struct str lines)
{
	struct str *image = arg;
	struct proc_map map;

	while (lines.len > 0) {
		if (proctext_map(str_cut(&lines, '\n'), &map) &&
		    str_eq(map.path, STR("[vdso]")))
			*image =
			    (struct str){ (const char *)(uintptr_t)map.start,
					  (size_t)(map.end - map.start) };
	}
}

struct str
vdso_image(void)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct str image = { NULL, 0 };

	if (fd < 0 || !readfile_lines(fd, find, &image))
		outage_check("/proc/self/maps");
	if (fd >= 0)
		close(fd);
	return image;
}
