/*
 * burn - compute for SECONDS of CPU time, a quarter of it under one(), and the
 * rest under three().
 */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

static __attribute__((noinline)) void
leaf(unsigned long n)
{
	for (; n > 0; n--)
		sum += n;
}

static __attribute__((noinline)) void
one(void)
{
	leaf(100000);
	sum++;
}

static __attribute__((noinline)) void
three(void)
{
	leaf(300000);
	sum++;
}

int
main(int argc, char *argv[])
{
	const double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct timespec now;

	do {
		one();
		three();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < seconds);
	return 0;
}
