/* hiddenpython - a program with texts of CPython, but without its symbols.  It
 * says "ready" and waits. */
#include <stdio.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
	(void)argv;
	if (argc > 1)
		puts("Fatal Python error: PYTHONHASHSEED is not a number");
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
