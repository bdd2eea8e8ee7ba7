/* ring.c - the ring buffer in which the kernel leaves records. */
#include "record/ring.h"

#include "perfdata/perfabi.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Fewer pages lose records even at 99 samples a second. */
enum { LEAST_PAGES = 8 };

/*
 * The end of struct perf_event_mmap_page, at offset 1024.  The kernel moves
 * head, we move tail; both only grow.
 */
struct ring_control {
	uint64_t head, tail, offset, size;
};

enum { CONTROL_OFFSET = 1024 };

bool
ring_map(struct ring *r, int fd, uint64_t size)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	void *p;

	for (;;) {
		p = mmap(NULL, (size_t)(page + size), PROT_READ | PROT_WRITE,
			 MAP_SHARED, fd, 0);
		if (p != MAP_FAILED)
			break;
		/* The limit of locked memory is EPERM. */
		if ((errno != EPERM && errno != ENOMEM) ||
		    size / 2 < LEAST_PAGES * page)
			return false;
		size /= 2;
	}
	*r = (struct ring){ fd, p, page, size };
	return true;
}

void
ring_unmap(struct ring *r)
{
	if (r->page != NULL)
		munmap(r->page, (size_t)(r->page_size + r->size));
	*r = (struct ring){ .fd = -1 };
}

/*
 * The bytes of a record, which may continue at the start of the data.  A record
 * has at most 64 KB.
 */
static const char *
record_at(const struct ring *r, uint64_t at, size_t size, char *copy)
{
	const char *data = (const char *)r->page + r->page_size;
	const uint64_t begin = at & (r->size - 1), left = r->size - begin;

	if (size <= left)
		return data + begin;
	memcpy(copy, data + begin, (size_t)left);
	memcpy(copy + left, data, size - (size_t)left);
	return copy;
}

size_t
ring_drain(struct ring *r,
	   void (*record)(void *arg, const void *bytes, size_t size), void *arg)
{
	struct ring_control *c =
	    (struct ring_control *)(void *)((char *)r->page + CONTROL_OFFSET);
	uint64_t head = __atomic_load_n(&c->head, __ATOMIC_ACQUIRE);
	uint64_t at = c->tail;
	struct perf_header h;
	char copy[1 << 16];
	size_t n;

	for (n = 0; at != head; n++) {
		/* Records are aligned to 8 bytes, so headers are whole. */
		memcpy(&h, record_at(r, at, sizeof(h), copy), sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at)
			break; /* the kernel never does that */
		record(arg, record_at(r, at, h.size, copy), h.size);
		at += h.size;
		__atomic_store_n(&c->tail, at, __ATOMIC_RELEASE);
	}
	return n;
}
