/*
 * perfmap - lib/perfmap and symtab as a libFuzzer target: a map comes in, and
 * is asked for what is in it.
 */
#include "perfmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	struct perfmap *map;
	struct symbol s;
	const char *why;
	char path[64];
	uint64_t address;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	map = perfmap_open(path, TRUST_ANYONE, 0, &why);
	if (map == NULL || perfmap_bad(map) > perfmap_lines(map))
		abort();
	for (address = 0; address < 0x10000; address += 0x80)
		if (perfmap_find(map, address, &s) &&
		    (address < s.start || address >= s.end))
			abort();
	perfmap_free(map);
	close(fd);
	return 0;
}
