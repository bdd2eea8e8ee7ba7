/* perfrecord.h - decodes one record of a perf.data file. */
#ifndef PERFRECORD_H
#define PERFRECORD_H

#include "perfdata/perfabi.h"
#include "perfdata/perfattr.h"

struct perf_branch {
	uint64_t from, to, flags;
};

struct perf_regs {
	uint64_t abi;  /* 0 none, 1 of 32 bits, 2 of 64 bits */
	uint64_t mask; /* which registers */
	size_t n;      /* bits in mask, 0 if abi is */
	uint64_t *reg; /* in the order of the bits */
};

/*
 * A record.  Fields that its type lacks are zero.  Slices and arrays are valid
 * until the next record is decoded.
 */
struct perf_record {
	enum perf_record_type type;
	uint16_t misc;
	uint64_t number; /* in the file, from 1 */
	uint64_t time;   /* ns on the recording's clock, if has_time */
	bool has_time;
	int64_t pid, tid, cpu;          /* -1 if unknown */
	const struct perf_event *event; /* of samples */

	/* PERF_RECORD_SAMPLE; PERF_RECORD_CALLCHAIN_DEFERRED has ips and
	 * cookie. */
	uint64_t ip, period, cgroup, id;
	uint64_t *ips; /* the call chain, leaf first */
	size_t nips;
	bool has_ip, has_chain, has_period;
	struct str readings; /* of a group: each count with its id */
	struct str raw;
	struct perf_branch *branch;
	size_t nbranches;
	struct perf_regs user;
	struct str stack; /* user-mode, from the stack pointer on */
	bool has_stack;
	uint64_t cookie; /* of a deferred chain */

	uint64_t start, len, pgoff; /* MMAP*, KSYMBOL */
	struct str name;            /* MMAP*, COMM, KSYMBOL, CGROUP */
	struct str build_id;        /* MMAP2, HEADER_BUILD_ID */
	uint32_t major, minor;      /* MMAP2 */
	uint64_t inode;
	uint32_t prot;
	int64_t ppid, ptid;        /* FORK, EXIT */
	uint64_t lost;             /* LOST, LOST_SAMPLES */
	uint16_t symbol_flags;     /* KSYMBOL; 1 if the symbol is removed */
	uint64_t mount_ns, pid_ns; /* NAMESPACES: inodes */
};

/* Memory for the arrays of a record; all zero is empty. */
struct perf_space {
	uint64_t *number;
	size_t cap;
	struct perf_branch *branch;
	size_t branch_cap;
};

void perfrecord_free(struct perf_space *space);

/* Read a header; the cursor is bad if there is none. */
struct perf_header perfrecord_header(struct cursor *c);

/*
 * Decode the body of a record, the bytes after its header.  False if it is
 * shorter than its contents.  The types are those of the kernel and
 * PERF_RECORD_HEADER_BUILD_ID.
 */
bool perfrecord_decode(const struct perf_header *h, struct cursor body,
		       struct perf_events *events, struct perf_space *space,
		       struct perf_record *r);

/* Index of PERF_CONTEXT_USER in a sample's chain; nips if there is none. */
size_t perfrecord_user(const struct perf_record *r);

#endif
