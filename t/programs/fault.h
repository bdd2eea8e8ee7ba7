/*
 * fault.h - what is to fail, in memory that faults.c shares with a command, and
 * what was called.
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdint.h>

enum fault_kind {
	FAULT_ALLOC,
	FAULT_READ,
	FAULT_WRITE,
	FAULT_OPEN,
	FAULT_CLOSE,
	FAULT_FORK,
	FAULT_KINDS
};

enum fault_how {
	FAULT_ERROR, /* the nth call fails */
	FAULT_EINTR, /* each other read and write is interrupted */
	FAULT_SHORT  /* each of them does some bytes only */
};

struct fault {
	enum fault_kind kind;
	enum fault_how how;
	uint32_t n; /* from 1; 0 for none */
	int error;
	uint32_t calls[FAULT_KINDS]; /* that were made */
};

/* The environment says which descriptor has it. */
#define FAULT_FD "FAULT_FD"

/* The status of a command for which there can be no faults here. */
#define FAULT_IMPOSSIBLE 77

#endif
