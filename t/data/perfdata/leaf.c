/* leaf - a function that calls nothing, and one that is called by a PLT. */
#include <stdlib.h>

static volatile int sink;

__attribute__((noinline)) void
leaf(int n)
{
	unsigned sum = 0;

	while (n-- > 0)
		sum = sum * 31 + (unsigned)(n + sink);
	sink = (int)sum;
}

__attribute__((noinline)) void
caller(int n)
{
	leaf(n);
	while (n-- > 0)
		sink += abs(sink / 2);
}

int
main(void)
{
	int i;

	for (i = 0; i < 700; i++)
		caller(10000);
	return 0;
}
