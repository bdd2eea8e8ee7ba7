/*
 * forks.c - many processes that live at the same time, and end at the same
 * time.
 *
 *	usage: forks N
 */
#include <err.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char *argv[])
{
	int n = argc > 1 ? atoi(argv[1]) : 1, end[2];
	char byte;

	if (pipe(end) != 0)
		err(1, "pipe");
	for (; n > 0; n--) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			close(end[1]);
			_exit(read(end[0], &byte, 1) != 0);
		default:
			break;
		}
	}
	close(end[1]);
	while (wait(NULL) > 0)
		continue;
	return 0;
}
