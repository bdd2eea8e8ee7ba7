/* registers.h - the registers of this machine's threads. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "unwind.h"

/* What is known of no other machine: all of it is in registers.c. */

/* ELF's number of the machine, for unwind_new(). */
int registers_machine(void);

/* Room for NT_PRSTATUS of ptrace(2), of any process of this machine. */
#define REGISTERS_SIZE 512

struct registers {
	struct unwind_registers unwind;
	uint64_t sp, pc;
	int64_t call;     /* number of the system call it is in, or -1 */
	bool waited;      /* and the call was waiting as it was interrupted */
	bool interrupted; /* which its caller will see, by EINTR */
};

/* False if they are of another kind of process, as one of 32 bits. */
bool registers_read(struct registers *r, const void *regset, size_t size);

/*
 * Those of a thread of which no more is known: but for its arguments, six of
 * them, if it waits in a system call, else NULL.
 */
struct unwind_registers registers_at(uint64_t sp, uint64_t pc,
				     const uint64_t *arg);

#endif
