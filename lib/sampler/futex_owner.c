/* futex_owner.c - what a thread waits for in futex(2), and which thread has it.
 *
 * Layouts: nptl/bits/struct_mutex.h, struct_rwlock.h, thread-shared-types.h and
 * stdio-lock.h of glibc 2.36; pthread_impl.h and stdio_impl.h of musl 1.2.
 */
#include "sampler/futex_owner.h"

#include <string.h>

/* Of the operation: linux/futex.h. */
enum {
	OP_WAIT = 0,
	OP_LOCK_PI = 6,
	OP_WAIT_BITSET = 9,
	OP_LOCK_PI2 = 13,
	OP_COMMAND = 127,
	OP_PRIVATE = 128,
	OP_REALTIME = 256
};

#define OWNER_BITS 0x3fffffffU /* FUTEX_TID_MASK */
#define HAS_WAITERS 0x80000000U

/* struct pthread of glibc on x86-64: its field tid. */
#define GLIBC_TID_OFFSET 720

/* What was copied: some bytes around the word. */
enum { BEFORE = 48, AFTER = 72 };

struct futex_words {
	const struct futex_target *target;
	unsigned char byte[BEFORE + AFTER];
	uint64_t address;
	uint32_t operation, value;
};

/* The 32 bits at an offset from the word that is waited for. */
static uint32_t
word(const struct futex_words *w, int offset)
{
	uint32_t n;

	memcpy(&n, w->byte + BEFORE + offset, sizeof(n));
	return n;
}

static bool
is_thread(const struct futex_words *w, uint32_t tid)
{
	return tid != 0 && tid <= OWNER_BITS &&
	       w->target->has_thread(w->target->arg, (int64_t)tid);
}

static bool
is_other(const struct futex_words *w, uint32_t tid)
{
	return (int64_t)tid != w->target->tid && is_thread(w, tid);
}

/* Mutexes with priority inheritance, robust ones, and locks of musl. */
static uint32_t
owner_in_word(const struct futex_words *w)
{
	const uint32_t command = w->operation & OP_COMMAND;
	const uint32_t marks = w->value & ~OWNER_BITS;

	if (command == OP_LOCK_PI || command == OP_LOCK_PI2)
		return word(w, 0) & OWNER_BITS;
	/* musl's stdio has the other bit. */
	if (marks == HAS_WAITERS || marks == HAS_WAITERS >> 1)
		return w->value & OWNER_BITS;
	return 0;
}

/*
 * pthread_join(3) waits for the id of the thread to become 0, with a bit set
 * that no lock has.
 */
static bool
is_join(const struct futex_words *w)
{
	return (w->operation & OP_COMMAND) == OP_WAIT_BITSET &&
	       (w->operation & (OP_PRIVATE | OP_REALTIME)) == OP_REALTIME &&
	       w->value == word(w, 0) && is_other(w, w->value);
}

/* lock, count, owner, nusers, kind. */
static uint32_t
glibc_mutex(const struct futex_words *w)
{
	const uint32_t kind = word(w, 16);

	return kind < 0x400 && (kind & 15) <= 3 && is_other(w, word(w, 8)) ?
		   word(w, 8) :
		   0;
}

/* lock, count, and a pointer to the owner's struct pthread. */
static uint32_t
glibc_stdio(const struct futex_words *w)
{
	uint32_t tid = 0;
	uint64_t owner;

	memcpy(&owner, w->byte + BEFORE + 8, sizeof(owner));
#ifdef __x86_64__
	if (w->target->read(w->target->arg, owner + GLIBC_TID_OFFSET, &tid,
			    sizeof(tid)) < sizeof(tid))
		return 0;
#endif
	return is_other(w, tid) ? tid : 0;
}

/*
 * readers, writers, wrphase, writers_futex, pad, pad, cur_writer: threads wait
 * for the third or the fourth.
 */
static void
glibc_rwlock(const struct futex_words *w, struct futex_wait *found)
{
	int base;

	for (base = -8; base >= -12; base -= 4) {
		if (is_other(w, word(w, base + 24))) {
			found->kind = FUTEX_LOCK;
			found->owner = word(w, base + 24);
			return;
		}
	}
	for (base = -8; base >= -12; base -= 4) {
		/* More readers than threads are something else. */
		if (word(w, base + 24) == 0 && word(w, base) >> 3 > 0 &&
		    word(w, base) >> 3 < 65536 && w->value == 2) {
			found->kind = FUTEX_READERS;
			return;
		}
	}
}

static bool
read_words(struct futex_words *w)
{
	const struct futex_target *t = w->target;

	/* The page before may be missing. */
	if (t->read(t->arg, w->address - BEFORE, w->byte, sizeof(w->byte)) ==
	    sizeof(w->byte))
		return true;
	memset(w->byte, 0, sizeof(w->byte));
	return t->read(t->arg, w->address, w->byte + BEFORE, AFTER) >=
	       sizeof(uint32_t);
}

static struct futex_wait
find(const struct futex_words *w)
{
	struct futex_wait found = { .kind = FUTEX_UNKNOWN };
	const uint32_t owner = owner_in_word(w);

	if (is_join(w)) {
		found.kind = FUTEX_JOIN;
		found.owner = w->value;
		return found;
	}
	if (is_other(w, owner)) {
		found.kind = FUTEX_LOCK;
		found.owner = owner;
		return found;
	}
	if (!w->target->is_glibc)
		return found;
	if (w->value == 2 && word(w, 0) == 2) {
		found.owner = glibc_mutex(w);
		if (found.owner == 0)
			found.owner = glibc_stdio(w);
		if (found.owner != 0) {
			found.kind = FUTEX_LOCK;
			return found;
		}
	}
	glibc_rwlock(w, &found);
	return found;
}

struct futex_wait
futex_owner_find(const struct futex_target *target,
		 const struct proc_call *call)
{
	struct futex_words w = { .target = target,
				 .address = call->arg[0],
				 .operation = (uint32_t)call->arg[1],
				 .value = (uint32_t)call->arg[2] };
	struct futex_wait found = { .kind = FUTEX_UNKNOWN }, again;

	if (call->arg[0] % sizeof(uint32_t) != 0 || call->arg[0] < BEFORE ||
	    !read_words(&w))
		return found;
	found = find(&w);
	if (found.kind == FUTEX_UNKNOWN)
		return found;
	/* The lock may have changed hands between two words. */
	if (!read_words(&w))
		return (struct futex_wait){ .kind = FUTEX_UNKNOWN };
	again = find(&w);
	if (again.kind != found.kind || again.owner != found.owner)
		again.owner = 0;
	return again;
}
