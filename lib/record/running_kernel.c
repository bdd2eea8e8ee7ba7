/* running_kernel.c - which kernel runs, and where. */
#include "record/running_kernel.h"

#include "elf/elffile.h"
#include "sampler/procfile.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

bool
running_kernel_id(struct buf *id)
{
	struct buf notes = { 0 };
	struct str found = { 0 };

	if (procfile_read(&notes, "/sys/kernel/notes"))
		found = elffile_noted_id(buf_slice(&notes));
	buf_str(id, found);
	buf_free(&notes);
	return found.len > 0;
}

/*
 * The symbols are sorted by address, and those before _text are few.  All of
 * them have megabytes, which take the kernel 30 ms to print.
 */
uint64_t
running_kernel_text(void)
{
	enum { MOST_LINES = 5000 };
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[1024], *end;
	uint64_t address = 0;
	int i;

	for (i = 0; f != NULL && i < MOST_LINES &&
		    fgets(line, sizeof(line), f) != NULL;
	     i++) {
		address = strtoul(line, &end, 16);
		if (strcmp(end, " T _text\n") == 0 ||
		    strcmp(end, " t _text\n") == 0)
			break;
		address = 0;
	}
	if (f != NULL)
		fclose(f);
	return address;
}
