/* mem.c - memory allocation that does not fail. */
#include "base/mem.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* The limit in force, for the message; 0: none of ours. */
static uint64_t limit;

void
mem_set_limit(uint64_t bytes)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_DATA, &r) != 0 || bytes >= r.rlim_cur)
		return;
	r.rlim_cur = (rlim_t)bytes;
	if (setrlimit(RLIMIT_DATA, &r) == 0)
		limit = bytes;
}

static void __attribute__((noreturn)) exhausted(void)
{
	if (limit > 0)
		errx(2,
		     "the input needs more than the %" PRIu64
		     " bytes that --limits memory= allows",
		     limit);
	errno = ENOMEM;
	err(2, NULL);
}

void
mem_map_large(void)
{
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

/* Arrays of this size have no place in the caches of address translation. */
#define LARGE ((size_t)16 << 20)

/*
 * Ask for huge pages for a large array: a table that is read at random places,
 * as that of the names of a profile, costs a tenth less with them.
 *
 * The advice covers all pages of the array.  Advice for some of them would
 * split their mapping, and mremap(2), which realloc(3) calls, fails for a split
 * mapping.  realloc(3) would then copy the array instead of moving its pages.
 */
static void
advise(void *p, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	const uintptr_t begin = (uintptr_t)p & ~page;

	if (size >= LARGE)
		madvise((void *)begin,
			(uintptr_t)p + malloc_usable_size(p) - begin,
			MADV_HUGEPAGE);
}

void *
mem_alloc(size_t size)
{
	void *p = malloc(size > 0 ? size : 1);

	if (p == NULL)
		exhausted();
	advise(p, size);
	return p;
}

void *
mem_zero(size_t n, size_t size)
{
	void *p = calloc(n > 0 ? n : 1, size);

	if (p == NULL)
		exhausted();
	advise(p, n * size); /* calloc() has checked it */
	return p;
}

void *
mem_regrow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap, bytes;

	n = n < 8 ? 8 : n > SIZE_MAX / 2 ? need : 2 * n;
	if (n < need)
		n = need;
	if (__builtin_mul_overflow(n, size, &bytes))
		exhausted();
	p = realloc(p, bytes);
	if (p == NULL)
		exhausted();
	advise(p, bytes);
	*cap = n;
	return p;
}

void *
mem_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		exhausted();
	madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void
mem_unmap(void *p, size_t size)
{
	munmap(p, size);
}
