/* svgread - lib/svgread as a libFuzzer target: the table of a picture. */
#include "svgread.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct svgread r;
	size_t i, bytes = 0;
	bool good = svgread_open(&r, (struct str){ (const char *)data, size });

	while (good && svgread_next(&r) > 0 && bytes < 1 << 20) {
		for (i = 0; i < r.depth; i++)
			bytes += 1 + svgread_name(&r, r.stack[i]).len;
	}
	svgread_close(&r);
	return 0;
}
