/*
 * futex_owner - lib/sampler/futex_owner as a libFuzzer target.
 *
 * The first bytes are the operation, the value and flags; then comes the memory
 * around the word, once as it is read first and once as it is read later.
 */
#include "sampler/futex_owner.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Threads have the ids 1 to 255; one of them waits. */
enum { LAST_THREAD = 255, HEADER = 12, WORD = 0x10000 };

struct memory {
	const unsigned char *byte;
	size_t size;
	bool changes; /* the next reads see what comes later */
	bool no_page_before;
	size_t reads;
};

static size_t
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	struct memory *m = arg;
	const size_t half = m->size / 2;
	const unsigned char *from = m->byte;
	unsigned char *p = to;
	size_t i;

	if (m->reads++ > 0 && m->changes)
		from += half;
	if (half == 0 || (m->no_page_before && address < WORD))
		return 0;
	for (i = 0; i < n; i++)
		p[i] = from[(address + i) % half];
	return n;
}

static bool
has_thread(void *arg, int64_t tid)
{
	(void)arg;
	return tid > 0 && tid <= LAST_THREAD;
}

/* An owner is a thread, and never the one that waits. */
static void
check(const struct futex_target *target, struct futex_wait wait)
{
	if (wait.owner != 0 &&
	    (!has_thread(NULL, wait.owner) || wait.owner == target->tid))
		abort();
	if (wait.owner != 0 && wait.kind != FUTEX_LOCK &&
	    wait.kind != FUTEX_JOIN)
		abort();
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct memory m = { 0 };
	struct futex_target target = { .read = read_memory,
				       .has_thread = has_thread,
				       .arg = &m };
	struct proc_call call = { 0 };
	uint32_t operation, value;

	if (size < HEADER)
		return 0;
	memcpy(&operation, data, sizeof(operation));
	memcpy(&value, data + 4, sizeof(value));
	target.tid = data[8];
	target.is_glibc = data[9] & 1;
	m.changes = data[9] & 2;
	m.no_page_before = data[9] & 4;
	call.arg[0] = WORD + data[10];
	call.arg[1] = operation;
	call.arg[2] = value;
	m.byte = data + HEADER;
	m.size = size - HEADER;
	check(&target, futex_owner_find(&target, &call));
	return 0;
}
