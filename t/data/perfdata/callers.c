/*
 * callers - a leaf function that two others call: parse() for a quarter of its
 * time, render() for three quarters.  gcc -O2 -fno-omit-frame-pointer makes no
 * frame for it.
 */
#include <stdint.h>

enum { BYTES = 4096, TIMES = 20000 };

static unsigned char text[BYTES];
static volatile uint32_t sink;

__attribute__((noinline)) static uint32_t
leaf_hash(const unsigned char *p, int n)
{
	uint32_t hash = 5381;

	while (n-- > 0)
		hash = hash * 33 + *p++;
	return hash;
}

__attribute__((noinline)) static void
parse(void)
{
	sink += leaf_hash(text, BYTES / 4);
}

__attribute__((noinline)) static void
render(void)
{
	sink += leaf_hash(text, BYTES / 4 * 3);
}

int
main(void)
{
	int i;

	for (i = 0; i < TIMES; i++) {
		parse();
		render();
	}
	return 0;
}
