/*
 * interp_memory.h - the hostile memory of a process, for targets that walk the
 * frames of an interpreter.
 */
#ifndef INTERP_MEMORY_H
#define INTERP_MEMORY_H

#include "interp/interp_copy.h"
#include "interp/interp_functions.h"
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
	size_t i, shown = 0;

	for (i = 0; i < 16 && i < m->size; i++) {
		native[i].pc = m->data[i];
		native[i].sp = i * 16;
	}
	for (i = 0; i < s->n; i++)
		shown += s->frame[i].function != INTERP_STACK_HIDDEN;
	for (i = 0; i <= 16; i += 8) {
		interp_merge(s, native, i, i > 8, &loops, &entries);
		/* Coroutines without native frames are another thread's. */
		if (entries.n == 0 && s->levels > 0)
			continue;
		if (entries.n != shown && (s->complete || entries.n > shown))
			abort();
	}
	interp_merge_free(&entries);
}

/* What a target does with a thread: walk while it is held, then name. */
struct memory_walk {
	void (*walk)(void *arg, struct interp_copy *copy,
		     struct interp_stack *s);
	void (*name)(void *arg, const struct interp_reader *reader,
		     struct interp_functions *names, struct interp_stack *s);
	void *arg;
};

/* Three samples of a thread: the later ones know what the first one read. */
static inline void
interp_memory_sample(struct interp_memory *m, const struct memory_walk *t)
{
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = m };
	struct interp_functions *names = interp_functions_new();
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	int i;

	for (i = 0; i < 3; i++) {
		interp_stack_clear(&s);
		interp_copy_begin(&copy, &reader, &spans, NULL, NULL, 0);
		t->walk(t->arg, &copy, &s);
		interp_copy_end(&copy, &spans);
		if (s.n > INTERP_STACK_DEPTH ||
		    copy.bytes.len > INTERP_COPY_BYTES ||
		    copy.reads > INTERP_COPY_READS)
			abort();
		t->name(t->arg, &reader, names, &s);
		interp_memory_merge(m, &s);
	}
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(names);
}

/*
 * The second byte of an input chooses the holes; what follows is the memory.
 * False if that is too little.
 */
static inline bool
interp_memory_begin(struct interp_memory *m, const unsigned char *data,
		    size_t size)
{
	if (size < 2 + 64)
		return false;
	*m = (struct interp_memory){ data + 2, size - 2, data[1], 0 };
	return true;
}

#endif
