/* svgread - lib/svgread as a libFuzzer target: the table of a picture. */
#include "svg/svgread.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const struct str bytes = { (const char *)data, size };
	struct intern *names = intern_new();
	struct svgread r;
	size_t i, sum = 0;
	bool good = svgread_open(&r, bytes, names, 1 << 20) == NULL;

	while (good && svgread_next(&r) > 0 && sum < 1 << 20) {
		for (i = 0; i < r.depth; i++)
			sum += 1 + intern_name(names, r.stack[i]).len;
	}
	svgread_close(&r);
	intern_free(names);
	return 0;
}
