/* interp_copy.h - parts of a process's memory, copied at one moment. */
#ifndef INTERP_COPY_H
#define INTERP_COPY_H

#include "arch/arch.h"
#include "base/buf.h"

#include <sys/uio.h>

/*
 * A virtual machine keeps a thread's frames in a few blocks, which mostly stay
 * where they are.  So the blocks of the last sample are copied together with
 * the C stack, by one system call; what lacks is read while its frames are
 * walked.  Both happen while the thread is stopped, or waits.
 */

/* Memory of a thread's process. */
struct interp_reader {
	int64_t tid;
	int64_t inner_tid; /* in the process's own pid namespace; 0: tid */
	/* The process: read where the thread has ended; 0: do not. */
	int64_t pid;
	/*
	 * Like process_vm_readv(2): returns how many bytes were copied, 0 for
	 * an error.  NULL: that call, of tid.
	 */
	size_t (*read)(void *arg, const struct iovec *to,
		       const struct iovec *from, size_t n);
	void *arg;
};

/* The id of the thread by which its own process knows it. */
static inline int64_t
interp_reader_inner(const struct interp_reader *r)
{
	return r->inner_tid != 0 ? r->inner_tid : r->tid;
}

/* What is known of a thread at the moment of a copy; 0: unknown. */
struct interp_moment {
	uint64_t sp, pc;
	uint64_t fp; /* only where the thread was stopped */
	const struct arch_registers *registers; /* the same; NULL: unknown */
	uint64_t thread_pointer; /* its thread-local storage; interp_tls.h */
	uint64_t futex; /* address of the word that it waits for in futex(2) */
};

struct interp_span {
	uint64_t address;
	uint32_t n;                  /* bytes */
	uint32_t at;                 /* where in the copied bytes */
	uint32_t used_from, used_to; /* the part that was used; empty: none */
	bool whole;                  /* copy all of it again, not this part */
};

/* All zero is empty; release with interp_copy_free_spans(). */
struct interp_spans {
	struct interp_span *span;
	size_t n, cap;
};

/* All zero is empty; release with interp_copy_free(). */
struct interp_copy {
	struct interp_reader reader;
	struct interp_moment moment;
	struct str stack; /* from moment.sp on; the caller's */
	struct interp_spans spans;
	size_t sorted; /* this many spans are sorted by their addresses */
	struct buf bytes;
	size_t reads;     /* system calls since interp_copy_begin() */
	size_t max_reads; /* interp_copy_get() fails beyond */
};

enum {
	INTERP_COPY_BYTES = 1 << 20, /* copied at most, without the stack */
	INTERP_COPY_READS = 4200,    /* the initial max_reads */
	INTERP_COPY_HELD = 256,      /* the same while a thread is stopped */
	INTERP_COPY_PREFETCH = 128   /* blocks of one interp_copy_prefetch() */
};

/*
 * Begin a copy: copy up to n bytes of the C stack, from the moment's sp on,
 * into *stack, and the spans of the last sample.  Without a stack, moment and
 * stack are NULL; last may be NULL, too.  *stack is the caller's and holds
 * still until the last interp_copy_get().
 */
void interp_copy_begin(struct interp_copy *c,
		       const struct interp_reader *reader,
		       const struct interp_spans *last,
		       const struct interp_moment *moment, struct buf *stack,
		       size_t n);

/*
 * Get n bytes at an address.  If they are not in the copy, copy a block from
 * this address on, of that many bytes if they can be read.  False if there is
 * no such memory, or a limit is reached.
 */
bool interp_copy_get(struct interp_copy *c, uint64_t address, void *to,
		     size_t n, size_t block);

/* Get the word at an address; 0 if that is 0, unaligned, or cannot be read. */
uint64_t interp_copy_word(struct interp_copy *c, uint64_t address);

/*
 * Like interp_copy_get(), for one block of a list: if it is not in the copy,
 * copy the rest of its page with it, which may have others.
 */
bool interp_copy_get_near(struct interp_copy *c, uint64_t address, void *to,
			  size_t n);

/*
 * Copy blocks at several addresses, each of this many bytes, by one call, as
 * far as the copy lacks them.  Addresses may be wrong: a block that cannot be
 * read is left out.  For lists, whose next blocks can be guessed.
 */
void interp_copy_prefetch(struct interp_copy *c, const uint64_t *address,
			  size_t n, size_t block);

/*
 * Read parts past the copy, which does not get them, by one call: as many as
 * process_vm_readv(2) takes.  Returns how many bytes were read.
 */
size_t interp_copy_read_parts(struct interp_copy *c, const struct iovec *to,
			      const struct iovec *from, size_t n);

/*
 * Drop all that was copied but the stack.  For lists of many blocks, each of
 * which is looked at once: to find a block takes the longer, the more there
 * are.
 */
void interp_copy_drop(struct interp_copy *c);

/* Read n bytes past the copy, which does not get them; counted as a read. */
bool interp_copy_read(struct interp_copy *c, uint64_t address, void *to,
		      size_t n);

/* Whether the copy has n bytes at an address. */
bool interp_copy_has(struct interp_copy *c, uint64_t address, size_t n);

/*
 * Set *last to what was used, for the next interp_copy_begin().  Neighbours
 * become one span.
 */
void interp_copy_end(const struct interp_copy *c, struct interp_spans *last);

/*
 * Add n bytes at an address, once, to what interp_copy_begin() is to copy.
 * Beyond 900 spans, what one call can take, it does nothing.
 */
void interp_copy_want(struct interp_spans *s, uint64_t address, uint32_t n);

void interp_copy_free_spans(struct interp_spans *s);
void interp_copy_free(struct interp_copy *c);

#endif
