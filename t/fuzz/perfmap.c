/*
 * perfmap - lib/perfmap and symtab as a libFuzzer target: a map comes in, and
 * is asked for what is in it.
 */
#include "jit/perfmap.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct perfmap *map = perfmap_read(
	    (struct str){ (const char *)data, size });
	struct symbol s;
	uint64_t address;

	if (perfmap_bad(map) > perfmap_lines(map))
		abort();
	for (address = 0; address < 0x10000; address += 0x80)
		if (perfmap_find(map, address, &s) &&
		    (address < s.start || address >= s.end))
			abort();
	perfmap_free(map);
	return 0;
}
