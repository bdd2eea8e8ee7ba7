/*
 * kallsyms - lib/kallsyms as a libFuzzer target: a file of symbols comes in,
 * and is asked for some of its addresses.
 */
#include "symbols/kallsyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
ask(const struct kallsyms *k)
{
	uint64_t start, end, address;
	struct symbol s;
	struct str module;

	kallsyms_text(k);
	if (!kallsyms_image(k, &start, &end))
		start = 0;
	for (address = start; address < start + 0x100000; address += 0xff0) {
		if (kallsyms_find(k, address, &s, &module) &&
		    (address < s.start || address >= s.end))
			abort();
	}
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const char *why;
	char path[64];
	struct kallsyms *k;
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	k = kallsyms_open(path, &why);
	if (k != NULL) {
		ask(k);
		kallsyms_free(k);
	}
	close(fd);
	return 0;
}
