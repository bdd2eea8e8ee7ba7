/* sample_layout.h - samples and other records, as they go to the file. */
#ifndef SAMPLE_LAYOUT_H
#define SAMPLE_LAYOUT_H

#include "base/buf.h"
#include "perfdata/perfabi.h"

/*
 * The fields of all samples, in this order, of which an event may lack the
 * period; then those of PERF_SAMPLE_RAW if
 * the event is a tracepoint, and those of SAMPLE_LAYOUT_COPY.
 */
enum {
	SAMPLE_LAYOUT = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
			PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
	SAMPLE_LAYOUT_COPY = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER
};

/* What sample_layout_read() finds in a record of the kernel. */
struct sample_ids {
	uint64_t id; /* of the event */
	int64_t pid, tid;
	uint64_t time; /* ns */
};

/*
 * Read the ids of a record whose event has SAMPLE_LAYOUT and
 * PERF_ATTR_SAMPLE_ID_ALL; false if the record is too short.
 */
bool sample_layout_read(const void *record, size_t size, struct sample_ids *r);

/* The period of a sample of an event with PERF_SAMPLE_PERIOD, else 0. */
uint64_t sample_layout_period(const void *record, size_t size,
			      uint64_t sample_type);

/* How samples of an event are, and are to be. */
struct sample_layout {
	uint64_t sample_type;
	uint64_t regs; /* mask of registers */
	/*
	 * How many bytes of a stack to write if a chain of frame pointers goes
	 * on where they end.  Otherwise all are written.
	 */
	uint32_t usual_stack;
	uint32_t times; /* each sample stands for so many; 1 changes nothing */
};

/*
 * Append a record of the kernel as the file has it, with another id of its
 * event.  Samples with a copy of the stack get shorter: only its valid bytes
 * are written, and the chain of frame pointers follows them, see
 * PERF_STACK_CHAIN.  Mappings without a file or code are left out: no reader
 * needs them.
 */
void sample_layout_write(struct buf *out, const void *record, size_t size,
			 uint64_t id, const struct sample_layout *layout);

/* Append a sample without a stack, of these units of an event. */
void sample_layout_add_bare(struct buf *out, const struct sample_ids *ids,
			    uint64_t units, uint64_t sample_type);

#endif
