/* fetched.c - arguments of many sorts, for probes that fetch them. */
__attribute__((noinline)) void
take(signed char small, unsigned short half, int number, unsigned long big,
     const char *text)
{
	__asm__ volatile("" : : "r"(text + small + half + number + big));
}

int
main(void)
{
	take(-1, 65535, -2147483647 - 1, ~0ul, "a;b=c 100%");
	take(127, 0, 7, 1, "");
	return 0;
}
