/*
 * tableless.c - functions to be compiled without unwind tables and frame
 * pointers: they push, make room, make room of a size known only when they run,
 * and branch, before the innermost one waits or runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone)) static

static volatile int zero;
static int runs;

/* What follows a call keeps it from being a jump. */
#define AFTER() __asm__ volatile("" ::: "memory")

FUNCTION void
innermost(void)
{
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		if (!runs)
			pause();
		AFTER();
	}
}

FUNCTION int
large(int n)
{
	char room[5000];

	memset(room, n, sizeof(room));
	if (room[zero] == 0)
		innermost();
	AFTER();
	return room[n];
}

FUNCTION int
sized(int n)
{
	char *room = __builtin_alloca((size_t)n * 16);

	memset(room, 0, (size_t)n * 16);
	n += large(room[zero]);
	AFTER();
	return n + room[1];
}

FUNCTION int
saving(int a, int b, int c, int d, int e, int f, int g, int h)
{
	const int n = sized(a + 3);

	AFTER();
	return n + a * b + c * d + e * f + g * h;
}

FUNCTION int
branching(int n)
{
	int sum = 0;

	while (n-- > 0) {
		if (n == 3)
			sum += saving(n, 1, 2, 3, 4, 5, 6, 7);
		else if (n == 100)
			abort();
		else
			sum -= n;
		AFTER();
	}
	return sum;
}

FUNCTION int
by_pointer(int (*volatile f)(int), int n)
{
	n = f(n) + n;
	AFTER();
	return n;
}

FUNCTION int
compare(const void *a, const void *b)
{
	const int n = by_pointer(branching, 9);

	AFTER();
	return n + (a > b);
}

int
main(int argc, char *argv[])
{
	int numbers[2] = { 1, 2 };

	runs = argc > 1 && strcmp(argv[1], "run") == 0;
	qsort(numbers, 2, sizeof(int), compare);
	return 0;
}
