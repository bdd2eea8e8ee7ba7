/*
 * pages N - write to N new pages of memory, one page fault each, and print
 * how many page faults the kernel has counted for this process.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), n;
	struct rusage usage;
	char *memory;

	if (argc != 2)
		errx(2, "usage: pages N");
	n = strtoul(argv[1], NULL, 10);
	memory = mmap(NULL, n * size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(2, "mmap");
	/* A huge page would be one fault for all of it. */
	(void)madvise(memory, n * size, MADV_NOHUGEPAGE);
	while (n-- > 0)
		memory[n * size] = 1;
	if (getrusage(RUSAGE_SELF, &usage) != 0)
		err(2, "getrusage");
	printf("%ld\n", usage.ru_minflt + usage.ru_majflt);
	fflush(stdout);
	_exit(0); /* a sanitizer that looks for leaks would have more faults */
}
