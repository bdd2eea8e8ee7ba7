/* hotspot_snapshot.h - snapshots of a HotSpot, foldjvm(5): frames of its
 * threads without the process. */
#ifndef HOTSPOT_SNAPSHOT_H
#define HOTSPOT_SNAPSHOT_H

#include "interp/interp_functions.h"
#include "interp/interp_stack.h"
#include "unwind/unwind.h"

/* The first line of the file. */
#define HOTSPOT_SNAPSHOT_MAGIC "foldjvm 1"

/* Magic number at the start of a moment: "MOMENT", little-endian. */
#define HOTSPOT_SNAPSHOT_MOMENT UINT64_C(0x544e454d4f4d)

/* Each page that follows is its address, known words as bits, and these. */
struct hotspot_snapshot_moment {
	uint64_t magic;
	uint64_t time;  /* ns of CLOCK_MONOTONIC */
	uint64_t pages; /* that follow */
};

struct hotspot_snapshot;

/*
 * Read a file; NULL, with a reason appended to *why, if it is no snapshot.  If
 * the file ends within a moment, or has an error there, *cut is set and the
 * moments before are used.
 */
struct hotspot_snapshot *hotspot_snapshot_read(struct str file, bool *cut,
					       struct buf *why);

/*
 * Add the moments of another file of the same process, which are later.  False,
 * with a reason appended to *why, if it is no such file.
 */
bool hotspot_snapshot_append(struct hotspot_snapshot *s, struct str file,
			     bool *cut, struct buf *why);
void hotspot_snapshot_free(struct hotspot_snapshot *s);

/* The process of a file, without reading more of it; -1 if it is no snapshot.
 */
int64_t hotspot_snapshot_pid(struct str file);

/*
 * Begin to unwind a stack of a time of CLOCK_MONOTONIC, in ns, by the first
 * moment at or after it, or else by the last one.  Code that has gone by then
 * is found at the moment before.
 */
void hotspot_snapshot_begin(struct hotspot_snapshot *s, uint64_t time);

/* Whether an address is in the code cache, at that moment. */
bool hotspot_snapshot_is_code(struct hotspot_snapshot *s, uint64_t address);

/* A step_vm() of struct unwind_thread. */
enum unwind_vm hotspot_snapshot_step(struct hotspot_snapshot *s,
				     struct unwind_vm_frame *f);

/* How a method's frame came to be. */
enum hotspot_snapshot_kind {
	HOTSPOT_SNAPSHOT_STUB, /* code that is no method */
	HOTSPOT_SNAPSHOT_INTERPRETED,
	HOTSPOT_SNAPSHOT_LOW, /* compiled by C1 */
	HOTSPOT_SNAPSHOT_TOP, /* by C2; or the wrapper of a native method */
	HOTSPOT_SNAPSHOT_INLINED
};

struct hotspot_snapshot_frame {
	struct str name; /* "java/lang/Thread.run"; valid as the snapshot */
	enum hotspot_snapshot_kind kind;
	uint32_t line; /* 0 if unknown */
};

/*
 * The methods of the stack, of which segments are in the order of the native
 * frames; the place of a segment is the stack pointer of its frame.  Valid
 * until hotspot_snapshot_begin().
 */
const struct interp_stack *
hotspot_snapshot_stack(const struct hotspot_snapshot *s);

/* Name a frame of the stack. */
struct hotspot_snapshot_frame
hotspot_snapshot_name(struct hotspot_snapshot *s,
		      const struct interp_vm_frame *f);

#endif
