/* guess - lib/guess as a libFuzzer target. */
#include "formats/guess.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct str begin = { (const char *)data, size };
	const char *other;

	guess_reader(begin, &other);
	guess_hint(begin);
	return 0;
}
