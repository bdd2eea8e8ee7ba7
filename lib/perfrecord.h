/* perfrecord.h - one record of a perf.data file, decoded. */
#ifndef PERFRECORD_H
#define PERFRECORD_H

#include "perfattr.h"
#include "perftype.h"

struct perf_branch {
	uint64_t from, to, flags;
};

struct perf_regs {
	uint64_t abi;  /* 0 none, 1 of 32 bits, 2 of 64 bits */
	uint64_t mask; /* which registers */
	size_t n;      /* of bits in mask, 0 if abi is */
	uint64_t *reg; /* in the order of the bits */
};

/*
 * A record; what its type does not have is zero.  Slices and arrays live
 * until the next record.
 */
struct perf_record {
	enum perf_type type;
	uint16_t misc;
	uint64_t number; /* in the file, from 1 */
	uint64_t time;   /* ns on the recording's clock, if has_time */
	bool has_time;
	int64_t pid, tid, cpu;          /* -1 if unknown */
	const struct perf_event *event; /* of samples */

	uint64_t ip, period, cgroup, id;
	uint64_t *ips; /* the chain, leaf first; PERF_CALLCHAIN_DEFERRED too */
	size_t nips;
	bool has_ip, has_chain, has_period;
	struct str readings; /* counts of a group, each with its id */
	struct str raw;
	struct perf_branch *branch;
	size_t nbranches;
	struct perf_regs user;
	struct str stack; /* user's, from its stack pointer; valid bytes */
	bool has_stack;
	uint64_t cookie; /* of a deferred chain */

	uint64_t start, len, pgoff; /* MMAP*, KSYMBOL */
	struct str name;            /* MMAP*, COMM, KSYMBOL, CGROUP_PATH */
	struct str build_id;        /* MMAP2, HEADER_BUILD_ID */
	uint32_t major, minor;
	uint64_t inode;
	uint32_t prot;
	int64_t ppid, ptid; /* FORK, EXIT */
	uint64_t lost;
	uint16_t symbol_flags;     /* KSYMBOL; 1 says that it goes */
	uint64_t mount_ns, pid_ns; /* NAMESPACES, inodes */
};

/* Where arrays of records are kept; all zero is empty. */
struct perf_space {
	uint64_t *number;
	size_t cap;
	struct perf_branch *branch;
	size_t branch_cap;
};

void perfrecord_free(struct perf_space *space);

/* Take a header; the cursor is bad if there is none. */
struct perf_header perfrecord_header(struct cursor *c);

/*
 * Decode the body of a record, the bytes behind its header, of the kernel's
 * types and PERF_HEADER_BUILD_ID.  False if it is too short for what it says
 * that it holds.
 */
bool perfrecord_decode(const struct perf_header *h, struct cursor body,
		       const struct perf_events *events,
		       struct perf_space *space, struct perf_record *r);

/* Where in a sample's chain user mode begins; its end if it does not. */
size_t perfrecord_user(const struct perf_record *r);

#endif
