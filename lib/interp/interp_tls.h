/* interp_tls.h - the thread-local storage of threads of a running process. */
#ifndef INTERP_TLS_H
#define INTERP_TLS_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

/*
 * Where glibc keeps the id of a thread: the offset in its struct pthread, which
 * libc describes to debuggers.
 */
uint32_t interp_tls_tid_offset(const struct interp_target *target,
			       const struct interp_reader *reader);

/*
 * Find the thread pointer of a thread without a stop: the address that it has
 * in fs on x86-64.  sp is in its stack, or 0 if that is unknown.  Returns 0 if
 * it is not found.  For glibc on machines where the thread pointer points to
 * itself, such as x86-64 and s390x; reads up to 16 MB, so keep the result.
 */
uint64_t interp_tls_find(const struct interp_target *target,
			 const struct interp_reader *reader,
			 uint32_t tid_offset, uint64_t sp);

/*
 * The block of thread-local storage that a thread has of a module, by the
 * number that the dynamic linker gave to the module, from 1 on: 1 is the
 * program.  0 if it has none.  x86-64 only.
 */
uint64_t interp_tls_block(struct interp_copy *memory, uint64_t thread_pointer,
			  uint64_t module);

/* How many modules the thread may have blocks of. */
uint64_t interp_tls_modules(struct interp_copy *memory,
			    uint64_t thread_pointer);

#endif
