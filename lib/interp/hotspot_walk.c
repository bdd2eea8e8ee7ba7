/* hotspot_walk.c - frames of a HotSpot on the stack of a thread. */
#include "interp/hotspot_walk.h"

#include "base/peek.h"
#include "interp/hotspot_between.h"
#include "interp/hotspot_top.h"

/*
 * Words of a frame of the interpreter, from its frame pointer; since JDK 9,
 * cpu/x86/frame_x86.hpp.
 */
enum {
	FRAME_BELOW = 72, /* where its operands begin */
	FRAME_BCP = -64,
	FRAME_METHOD = -24,
	FRAME_LAST_SP = -16,
	FRAME_SENDER_SP = -8,
	FRAME_LINK = 0,
	FRAME_RETURN = 8,
	FRAME_BYTES = FRAME_BELOW + 16
};

/* The registers that the call stub saves, from its frame pointer; Linux. */
static const struct {
	uint8_t number; /* of DWARF */
	int8_t at;
} call_stub_saves[] = {
	{ 15, -88 }, { 14, -80 }, { 13, -72 }, { 12, -64 }, { 3, -56 }
};

enum { REGISTER_R13 = 13 };

/* Adding frames. */

static bool
add_method(struct interp_stack *s, uint64_t method, int64_t bci,
	   enum hotspot_tier tier)
{
	if (!interp_stack_add(s, method, bci))
		return false;
	s->frame[s->n - 1].context = tier;
	return true;
}

static void
add_stub(struct hotspot_walk *k, struct str name)
{
	const uint32_t number = intern_id(k->w->stubs, name);

	if (interp_stack_add(k->s, number, -1))
		k->s->frame[k->s->n - 1].context = HOTSPOT_WALK_STUB;
	interp_stack_end_segment(k->s, k->f->frame->sp);
}

/* Find a method as it is now; its memory may have been another's. */
static void
check_method(struct hotspot_walker *w, struct interp_copy *memory,
	     uint64_t method)
{
	uint64_t code;
	uint32_t size;

	hotspot_methods_has(w->methods, memory, method, &code, &size);
}

/* They stay where they are for as long as the code does. */
void
hotspot_walk_add_compiled(struct hotspot_walker *w, struct interp_copy *memory,
			  struct interp_stack *s, const struct hotspot_blob *b,
			  const struct unwind_frame *f)
{
	const int tier_full = 4;
	const enum hotspot_tier tier = b->kind == HOTSPOT_COMPILED &&
					       b->level < tier_full ?
					   HOTSPOT_TIER_LOW :
					   HOTSPOT_TIER_TOP;
	struct hotspot_scopes found = { NULL, 0, false };
	size_t i;

	if (!f->exact)
		found = hotspot_scopes_find(&w->scopes, w->l, memory, b, f->pc,
					    false);
	/* Calls of leaf functions are not described. */
	if (found.n == 0)
		found = hotspot_scopes_find(&w->scopes, w->l, memory, b, f->pc,
					    true);
	for (i = 0; i < found.n; i++) {
		if (found.is_new)
			check_method(w, memory, found.scope[i].method);
		add_method(s, found.scope[i].method, found.scope[i].bci,
			   i + 1 < found.n ? HOTSPOT_TIER_INLINED : tier);
	}
	if (found.n == 0) {
		check_method(w, memory, b->method);
		add_method(s, b->method, -1, tier);
	}
	interp_stack_end_segment(s, f->sp);
}

bool
hotspot_walk_add_interpreted(struct hotspot_walker *w,
			     struct interp_copy *memory, struct interp_stack *s,
			     const struct hotspot_walk_interpreted *f)
{
	uint64_t code, bcp = f->bcp;
	uint32_t size;

	if (!hotspot_methods_has(w->methods, memory, f->method, &code, &size))
		return false;
	if (f->bcp_register - code < size)
		bcp = f->bcp_register;
	add_method(s, f->method, bcp - code < size ? (int64_t)(bcp - code) : -1,
		   HOTSPOT_TIER_INTERPRETED);
	interp_stack_end_segment(s, f->sp);
	return true;
}

/* Stepping. */

/* Read n bytes of the stack; UNWIND_VM_CALLER if there are that many. */
static enum unwind_vm
read_stack(struct hotspot_walk *k, uint64_t address, void *to, size_t n)
{
	if (unwind_read(k->f->thread, address, to, n))
		return UNWIND_VM_CALLER;
	k->f->missing = address;
	return UNWIND_VM_MISSING;
}

static void
set_caller(struct hotspot_walk *k, uint64_t sp, uint64_t pc)
{
	const struct arch *a = k->f->thread->arch;

	arch_set(k->r, a->sp, sp);
	arch_set(k->r, a->pc, pc);
}

/* Forget all registers but the frame pointer: Java's callees save none. */
static void
forget_others(struct hotspot_walk *k)
{
	k->r->known &= UINT64_C(1) << k->f->thread->arch->fp;
}

/* A frame of a known size, of which the return address is the last word. */
static enum unwind_vm
step_by_size(struct hotspot_walk *k, uint32_t size)
{
	const uint64_t end = k->f->frame->sp + size;
	uint64_t word[2];
	const enum unwind_vm result = read_stack(k, end - sizeof(word), word,
						 sizeof(word));

	if (result != UNWIND_VM_CALLER)
		return result;
	forget_others(k);
	arch_set(k->r, k->f->thread->arch->fp, word[0]);
	set_caller(k, end, word[1]);
	return UNWIND_VM_CALLER;
}

/* A frame with a frame pointer. */
static enum unwind_vm
step_by_pointer(struct hotspot_walk *k)
{
	const struct arch *a = k->f->thread->arch;
	const uint64_t fp = k->r->value[a->fp];
	uint64_t word[2];
	enum unwind_vm result;

	if (!arch_knows(k->r, a->fp) || fp < k->f->frame->sp || fp % 8 != 0)
		return UNWIND_VM_LOST;
	result = read_stack(k, fp, word, sizeof(word));
	if (result != UNWIND_VM_CALLER)
		return result;
	forget_others(k);
	arch_set(k->r, a->fp, word[0]);
	set_caller(k, fp + sizeof(word), word[1]);
	return UNWIND_VM_CALLER;
}

/* Java was called by C++, whose registers the call stub has saved. */
static enum unwind_vm
step_from_call_stub(struct hotspot_walk *k)
{
	const struct arch *a = k->f->thread->arch;
	const uint64_t fp = k->r->value[a->fp];
	const enum unwind_vm result = step_by_pointer(k);
	uint64_t value;
	size_t i;

	if (result != UNWIND_VM_CALLER)
		return result;
	for (i = 0; i < sizeof(call_stub_saves) / sizeof(*call_stub_saves);
	     i++) {
		if (unwind_read(k->f->thread,
				fp + (uint64_t)(int64_t)call_stub_saves[i].at,
				&value, sizeof(value)))
			arch_set(k->r, call_stub_saves[i].number, value);
	}
	return UNWIND_VM_HIDDEN;
}

/* A method that is to be interpreted when its callee returns. */
static enum unwind_vm
correct_deoptimized(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	struct unwind_frame *f = k->f->frame;
	uint64_t pc;
	enum unwind_vm result;

	if (f->exact || (f->pc != b->deopt && f->pc != b->deopt_mh) ||
	    b->orig_pc == 0 || b->orig_pc >= b->frame_size)
		return UNWIND_VM_CALLER;
	result = read_stack(k, f->sp + b->orig_pc, &pc, sizeof(pc));
	if (result == UNWIND_VM_CALLER && pc >= b->code_begin &&
	    pc < b->code_end)
		f->pc = pc;
	return result;
}

static enum unwind_vm
step_compiled(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	enum unwind_vm result = correct_deoptimized(k, b);

	if (result != UNWIND_VM_CALLER)
		return result;
	result = k->f->frame->exact ? hotspot_top_compiled(k, b) :
				      hotspot_top_caller(k, b);
	if (result == UNWIND_VM_OTHER)
		result = step_by_size(k, b->frame_size);
	if (result != UNWIND_VM_HIDDEN)
		hotspot_walk_add_compiled(k->w, k->memory, k->s, b,
					  k->f->frame);
	return result;
}

/* Interpreted frames. */

/* Add the method that the interpreter executes in a frame; false if none is. */
static bool
add_interpreted(struct hotspot_walk *k, const char *below_fp)
{
	const char *fp = below_fp + FRAME_BELOW;
	struct hotspot_walk_interpreted frame = {
		.sp = k->f->frame->sp,
		.method = peek_u64(fp + FRAME_METHOD, 0),
		.bcp = peek_u64(fp + FRAME_BCP, 0)
	};

	/* It is kept in a register while bytecodes run. */
	if (k->f->frame->exact && arch_knows(k->r, REGISTER_R13))
		frame.bcp_register = k->r->value[REGISTER_R13];
	return hotspot_walk_add_interpreted(k->w, k->memory, k->s, &frame);
}

/* A frame that has been made, or is a caller's. */
static enum unwind_vm
step_interpreted(struct hotspot_walk *k)
{
	const struct arch *a = k->f->thread->arch;
	const uint64_t fp = k->r->value[a->fp];
	char bytes[FRAME_BYTES];
	const char *at_fp = bytes + FRAME_BELOW;
	enum unwind_vm result;
	uint64_t sender;
	bool hidden;

	if (!arch_knows(k->r, a->fp) || fp % 8 != 0 ||
	    fp < k->f->frame->sp + FRAME_BELOW)
		return UNWIND_VM_LOST;
	result = read_stack(k, fp - FRAME_BELOW, bytes, sizeof(bytes));
	if (result != UNWIND_VM_CALLER)
		return result;
	/* It calls, so the code at the pc is that of another method. */
	if (k->f->frame->exact && peek_u64(at_fp + FRAME_LAST_SP, 0) != 0 &&
	    !hotspot_step_resumes(k, k->f->frame->pc))
		return UNWIND_VM_OTHER;
	/* The VM has made it for compiled code, and has yet to fill it in. */
	hidden = !add_interpreted(k, bytes);
	if (hidden &&
	    (k->f->frame->exact ||
	     !hotspot_step_is_return(k, peek_u64(at_fp + FRAME_RETURN, 0))))
		return UNWIND_VM_LOST;
	forget_others(k);
	/* An adapter of a compiled caller has moved the stack pointer. */
	sender = peek_u64(at_fp + FRAME_SENDER_SP, 0);
	if (sender < fp + 16 || sender % 8 != 0 || sender - fp > 1 << 16)
		sender = fp + 16;
	arch_set(k->r, a->fp, peek_u64(at_fp + FRAME_LINK, 0));
	set_caller(k, sender, peek_u64(at_fp + FRAME_RETURN, 0));
	return hidden ? UNWIND_VM_HIDDEN : UNWIND_VM_CALLER;
}

static enum unwind_vm
step_interpreter(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	enum unwind_vm result = step_interpreted(k);

	if (k->f->frame->exact &&
	    (result == UNWIND_VM_OTHER || result == UNWIND_VM_LOST))
		result = hotspot_between_entry(k, b);
	return result;
}

/*
 * Step out of a stub with a frame pointer that has called C++.  One that
 * methods call as they begin has a cookie before its return address.
 */
static enum unwind_vm
step_calling_stub(struct hotspot_walk *k)
{
	const struct arch *a = k->f->thread->arch;
	const uint64_t cookie = UINT64_MAX;
	const enum unwind_vm result = step_by_pointer(k);
	const uint64_t sp = k->r->value[a->sp];
	uint64_t pc;

	if (result == UNWIND_VM_CALLER && k->r->value[a->pc] == cookie &&
	    unwind_read(k->f->thread, sp, &pc, sizeof(pc)))
		set_caller(k, sp + sizeof(pc), pc);
	return result;
}

static enum unwind_vm
step_stub(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	enum unwind_vm result;

	if (!k->f->frame->exact &&
	    hotspot_step_is_barrier(k, b, k->f->frame->pc)) {
		result = hotspot_between_mounted(k);
		add_stub(k, STR(HOTSPOT_WALK_UNMOUNTED));
		return result;
	}

	if (b->frame_size > 0) {
		result = k->f->frame->exact ? hotspot_top_compiled(k, b) :
					      UNWIND_VM_OTHER;
		if (result == UNWIND_VM_OTHER)
			result = step_by_size(k, b->frame_size);
	} else {
		result = k->f->frame->exact ? hotspot_between_stub(k) :
					      step_calling_stub(k);
	}
	add_stub(k, str_of(b->name));
	return result;
}

enum unwind_vm
hotspot_walk_step(struct hotspot_walker *w, struct interp_copy *memory,
		  struct interp_stack *s, struct unwind_vm_frame *f)
{
	struct hotspot_walk k = { w, memory, s, f, f->registers };
	const uint64_t pc = f->frame->pc;
	const struct hotspot_blob *found;
	struct hotspot_blob b;

	if (!hotspot_code_has(w->code, memory, pc))
		return UNWIND_VM_OTHER;
	if (w->call_stub == 0)
		interp_copy_read(memory,
				 w->l->variable[HOTSPOT_CALL_STUB_RETURN],
				 &w->call_stub, sizeof(w->call_stub));
	if (pc == w->call_stub && !f->frame->exact)
		return step_from_call_stub(&k);
	found = hotspot_code_find(w->code, memory, pc - !f->frame->exact);
	if (found == NULL)
		return UNWIND_VM_LOST;
	b = *found;
	switch (b.kind) {
	case HOTSPOT_COMPILED:
	case HOTSPOT_NATIVE:
		return step_compiled(&k, &b);
	case HOTSPOT_INTERPRETER:
		return step_interpreter(&k, &b);
	case HOTSPOT_VTABLE:
	case HOTSPOT_ADAPTER:
		return f->frame->exact ? hotspot_between_entry(&k, &b) :
					 hotspot_between_adapter(&k);
	case HOTSPOT_STUB:
		break;
	}
	return step_stub(&k, &b);
}
