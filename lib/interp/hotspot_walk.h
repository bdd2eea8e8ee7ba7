/* hotspot_walk.h - frames of a HotSpot on the stack of a thread. */
#ifndef HOTSPOT_WALK_H
#define HOTSPOT_WALK_H

#include "base/intern.h"
#include "interp/hotspot_code.h"
#include "interp/hotspot_methods.h"
#include "interp/hotspot_scopes.h"
#include "interp/interp_stack.h"
#include "unwind/unwind.h"

/* All that is known of the HotSpot of a process. */
struct hotspot_walker {
	const struct hotspot_layout *l;
	struct hotspot_code *code;
	struct hotspot_methods *methods;
	struct hotspot_scope_cache scopes;
	struct intern *stubs; /* names of code that is no method */
	uint64_t call_stub;   /* where calls from C++ return to; 0: unknown */
};

/*
 * The context of a frame of struct interp_stack: the tier of a method,
 * whose address its code is, and whose ip is the index of a bytecode; or a
 * number in stubs, which is its code.
 */
enum { HOTSPOT_WALK_STUB = HOTSPOT_TIERS };

/* Name of the frame that replaces frames of a virtual thread in the heap. */
#define HOTSPOT_WALK_UNMOUNTED "[frames in the heap]"

/*
 * Step from a frame to its caller, and add its methods to a stack, leaf first,
 * as a segment whose place is the stack pointer of the frame.  The memory has
 * the code cache and the methods; the thread's stack has all else.
 *
 * HotSpot's frames: compiled code has a size by which its frames are found,
 * which need no frame pointer; the interpreter has frame pointers; and C++ that
 * calls Java is called by its callees' "call stub".
 */
enum unwind_vm hotspot_walk_step(struct hotspot_walker *w,
				 struct interp_copy *memory,
				 struct interp_stack *s,
				 struct unwind_vm_frame *f);

/*
 * Add the methods of a frame of compiled code, inlined ones first, as a
 * segment.
 */
void hotspot_walk_add_compiled(struct hotspot_walker *w,
			       struct interp_copy *memory,
			       struct interp_stack *s,
			       const struct hotspot_blob *b,
			       const struct unwind_frame *f);

/* A frame of the interpreter. */
struct hotspot_walk_interpreted {
	uint64_t sp;
	uint64_t method;
	uint64_t bcp;          /* address of a bytecode */
	uint64_t bcp_register; /* the same; 0: unknown */
};

/* Add its method as a segment; false if it has none. */
bool hotspot_walk_add_interpreted(struct hotspot_walker *w,
				  struct interp_copy *memory,
				  struct interp_stack *s,
				  const struct hotspot_walk_interpreted *f);

#endif
