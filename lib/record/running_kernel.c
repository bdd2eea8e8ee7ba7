/* running_kernel.c - which kernel runs, and where. */
#include "record/running_kernel.h"

#include "elf/elffile.h"
#include "sampler/procfile.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>

static bool
read_id(struct buf *id, const char *path)
{
	struct buf notes = { 0 };
	struct str found = { 0 };

	if (procfile_read(&notes, path))
		found = elffile_noted_id(buf_slice(&notes));
	buf_str(id, found);
	buf_free(&notes);
	return found.len > 0;
}

bool
running_kernel_id(struct buf *id)
{
	return read_id(id, "/sys/kernel/notes");
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

/* "ext4 983040 2 - Live 0xffffffffc0a00000", and letters that taint. */
bool
running_kernel_module(struct str *text, struct running_kernel_module *m)
{
	struct str line, address;
	int i;

	while (text->len > 0) {
		line = str_cut(text, '\n');
		m->name = str_cut(&line, ' ');
		if (!str_u64(str_cut(&line, ' '), &m->size))
			continue;
		for (i = 0; i < 3; i++) /* users, who they are, state */
			str_cut(&line, ' ');
		address = str_cut(&line, ' ');
		if (str_starts(address, STR("0x")) &&
		    str_hex(str_skip(address, 2), &m->address) &&
		    m->address != 0 && m->size > 0)
			return true;
	}
	return false;
}

bool
running_kernel_module_id(struct buf *id, struct str name)
{
	struct buf path = { 0 };
	bool found;

	buf_printf(&path, "/sys/module/%.*s/notes/.note.gnu.build-id",
		   (int)name.len, name.p);
	buf_char(&path, '\0');
	found = read_id(id, path.p);
	buf_free(&path);
	return found;
}
