/*
 * interp_memory.h - the hostile memory of a process, for targets that walk the
 * frames of an interpreter.
 */
#ifndef INTERP_MEMORY_H
#define INTERP_MEMORY_H

#include "interp/interp_merge.h"

#include <stdlib.h>

/* Addresses wrap around; holes are pages that cannot be read. */
struct interp_memory {
	const unsigned char *data;
	size_t size;
	unsigned char holes;
	size_t reads;
};

/* As process_vm_readv(2): up to the first address that cannot be read. */
static inline size_t
interp_memory_read(void *arg, const struct iovec *to, const struct iovec *from,
		   size_t n)
{
	struct interp_memory *m = arg;
	uint64_t address, end;
	size_t i, part, done = 0;
	char *p;

	m->reads++;
	for (i = 0; i < n; i++) {
		address = (uint64_t)(uintptr_t)from[i].iov_base;
		end = address + from[i].iov_len;
		for (p = to[i].iov_base; address != end;
		     address += part, p += part, done += part) {
			if (m->holes >> (address / 4096 % 8) & 1)
				return done;
			part = m->size - address % m->size;
			if (part > 4096 - address % 4096)
				part = 4096 - address % 4096;
			if (part > end - address)
				part = end - address;
			memcpy(p, m->data + address % m->size, part);
		}
	}
	return done;
}

/* Native frames whose places are in the memory, too. */
static inline void
interp_memory_merge(const struct interp_memory *m, const struct interp_stack *s)
{
	const struct interp_ranges loops = { { { 0x10, 0x80 } }, 1 };
	struct interp_entries entries = { 0 };
	struct unwind_frame native[16] = { { .pc = 0 } };
	size_t i;

	for (i = 0; i < 16 && i < m->size; i++) {
		native[i].pc = m->data[i];
		native[i].sp = i * 16;
	}
	for (i = 0; i <= 16; i += 8) {
		interp_merge(s, native, i, i > 8, &loops, &entries);
		if (entries.n != s->n && (s->complete || entries.n > s->n))
			abort();
	}
	interp_merge_free(&entries);
}

#endif
