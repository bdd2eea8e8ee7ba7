/*
 * cpu - run a command and print what it cost: "SECONDS KILOBYTES", the CPU
 * time of it and its children and the largest resident set.  Its output goes
 * to /dev/null; "cpu FILE COMMAND..." reads FILE as standard input.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void
become(const char *path, char *argv[])
{
	int in = open(path, O_RDONLY), out = open("/dev/null", O_WRONLY);

	if (in < 0 || out < 0)
		err(2, "%s", path);
	dup2(in, 0);
	dup2(out, 1);
	execvp(argv[0], argv);
	err(2, "%s", argv[0]);
}

static double
seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int
main(int argc, char *argv[])
{
	struct rusage used;
	int status;

	if (argc < 3)
		errx(2, "usage: cpu FILE COMMAND...");
	if (fork() == 0)
		become(argv[1], argv + 2);
	if (wait(&status) < 0)
		err(2, "wait");
	if (status != 0)
		errx(1, "%s: status %d", argv[2], status);
	getrusage(RUSAGE_CHILDREN, &used);
	printf("%.3f %ld\n", seconds(used.ru_utime) + seconds(used.ru_stime),
	       used.ru_maxrss);
	return 0;
}
