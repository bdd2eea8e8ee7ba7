/* hotspot_between.c - the callers of HotSpot's code that no frame describes:
 * what runs between two methods, and stubs. */
#include "interp/hotspot_between.h"

#include <string.h>

/* How many bytes of code tell that an interpreted method ends. */
enum { CODE_AFTER = 16 };

/* How many words of the stack are searched for a return address. */
enum { SEARCH_WORDS = 64 };

/*
 * The smallest frame of the interpreter, in bytes: a frame pointer that is
 * nearer belongs to code that has begun a frame.
 */
enum { INTERPRETER_FRAME = 72 };

/* Bytes that the locals of an interpreted method may have. */
enum { LARGEST_LOCALS = 1 << 16 };

/* Bytes that an adapter pushes; from JDK 21 on, it saves all registers. */
enum { LARGEST_ADAPTER = 4096 };

/* Words that it pushes at least before it calls C++: registers of both kinds.
 */
enum { ADAPTER_SAVES = 17 };

/* Bytes of the frame of a stub that C++ calls, such as the call stub. */
enum { LARGEST_STUB = 1024 };

/* What is above a return address on the stack. */
enum above {
	ABOVE_NOTHING, /* no frame of the code, so the address may be old */
	ABOVE_SAME, /* one of the same method: it, or the address, may be old */
	ABOVE_FRAME
};

/*
 * The interpreter needs a frame pointer, and compiled code another return
 * address where its frame ends.
 */
static enum above
look_above(struct hotspot_walk *k, uint64_t at)
{
	const uint8_t fp = k->f->thread->arch->fp;
	const struct hotspot_blob *b;
	uint64_t pc;

	if (!hotspot_step_load(k, at, &pc))
		return ABOVE_NOTHING;
	b = hotspot_code_find(k->w->code, k->memory, pc - 1);
	if (b == NULL)
		return ABOVE_FRAME;
	if (b->kind == HOTSPOT_INTERPRETER)
		return arch_knows(k->r, fp) && k->r->value[fp] > at &&
			       k->r->value[fp] - at < LARGEST_LOCALS ?
			   ABOVE_FRAME :
			   ABOVE_NOTHING;
	if (b->kind != HOTSPOT_COMPILED || b->frame_size < 16 ||
	    !hotspot_step_load(k, at + b->frame_size, &pc))
		return ABOVE_FRAME;
	if (pc >= b->code_begin && pc < b->code_end)
		return ABOVE_SAME;
	return hotspot_step_is_return(k, pc) ? ABOVE_FRAME : ABOVE_NOTHING;
}

/*
 * Search for the return address from a word above the stack pointer on; the
 * caller's frame pointer is still in its register.
 */
static bool
search(struct hotspot_walk *k, uint64_t from)
{
	enum above above;
	uint64_t i, pc;

	for (i = from; i < SEARCH_WORDS; i++) {
		if (!hotspot_step_load(k, k->f->frame->sp + 8 * i, &pc) ||
		    !hotspot_step_is_return(k, pc))
			continue;
		above = look_above(k, k->f->frame->sp + 8 * i);
		if (above == ABOVE_SAME)
			return false;
		if (above == ABOVE_FRAME && hotspot_step_at(k, 8 * i, false))
			return true;
	}
	return false;
}

/*
 * The address in a register if it is between the stack pointer and most bytes
 * above; 0 otherwise.
 */
static uint64_t
stack_address(const struct hotspot_walk *k, uint8_t number, uint64_t most)
{
	const uint64_t sp = k->f->frame->sp, n = k->r->value[number];

	return arch_knows(k->r, number) && n >= sp && n % 8 == 0 &&
		       n - sp <= most ?
		   n :
		   0;
}

/* Whether a register has a return address. */
static bool
has_return(struct hotspot_walk *k, uint8_t number)
{
	return arch_knows(k->r, number) &&
	       hotspot_step_is_return(k, k->r->value[number]);
}

/* Whether the thread has just popped the return address to %rax. */
static bool
has_popped(struct hotspot_walk *k)
{
	const unsigned char pop = 0x58;
	unsigned char before;

	return interp_copy_get(k->memory, k->f->frame->pc - 1, &before, 1, 1) &&
	       before == pop;
}

/*
 * The start of an interpreted method, and the adapters of compiled callers:
 * they pop the return address to %rax, and push it again below the method's
 * locals. The caller's stack pointer is in %r13; an adapter copies it there
 * after it has popped the return address.
 */
static void
step_by_rax(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	const uint64_t sp = k->f->frame->sp, pc = k->r->value[HOTSPOT_STEP_RAX];
	const uint64_t sender = stack_address(k, HOTSPOT_STEP_R13,
					      LARGEST_ADAPTER);
	uint64_t word;

	if (sender != 0 && (b->kind != HOTSPOT_ADAPTER || !has_popped(k)))
		hotspot_step_set_caller(k, sender, pc);
	else if (hotspot_step_load(k, sp, &word) && word == pc)
		hotspot_step_set_caller(k, sp + sizeof(word), pc);
	else
		hotspot_step_set_caller(k, sp, pc);
}

/*
 * A frame of the interpreter of which a part is made: the word below the frame
 * pointer is the caller's stack pointer, which is pushed from %r13.
 */
static bool
step_half_made(struct hotspot_walk *k)
{
	const uint64_t sp = k->f->frame->sp;
	const uint64_t fp = k->r->value[k->f->thread->arch->fp];
	uint64_t sender = stack_address(k, HOTSPOT_STEP_R13, LARGEST_ADAPTER);

	if (!hotspot_step_near(k, INTERPRETER_FRAME))
		return false;
	if (fp > sp && !hotspot_step_load(k, fp - 8, &sender))
		return false;
	if (sender >= fp + 16 && sender - fp < LARGEST_LOCALS &&
	    sender % 8 == 0)
		hotspot_step_set_caller(k, sender,
					k->r->value[k->f->thread->arch->pc]);
	return true;
}

/*
 * The end of an interpreted method, which has its caller's stack pointer in
 * %rbx and pops the return address to %r13; one that begins has its Method in
 * %rbx.
 */
static bool
step_end(struct hotspot_walk *k)
{
	/* mov %rbx, %rsp, just after the return address is popped */
	static const unsigned char move[] = { 0x48, 0x8b, 0xe3 };
	const uint64_t sender = stack_address(k, HOTSPOT_STEP_RBX,
					      LARGEST_LOCALS);
	unsigned char code[CODE_AFTER];
	uint64_t pc;

	if (sender == 0)
		return false;
	if (has_return(k, HOTSPOT_STEP_R13))
		pc = k->r->value[HOTSPOT_STEP_R13];
	else if (!interp_copy_get(k->memory, k->f->frame->pc, code,
				  sizeof(code), sizeof(code)) ||
		 memmem(code, sizeof(code), move, sizeof(move)) == NULL ||
		 !hotspot_step_load(k, k->f->frame->sp, &pc) ||
		 !hotspot_step_is_return(k, pc))
		return false;
	hotspot_step_set_caller(k, sender, pc);
	return true;
}

/*
 * The caller's stack pointer is unknown, and the arguments of an interpreted
 * method are below it: look for it where compiled code has a return address at
 * the end of its frame.
 */
static void
skip_arguments(struct hotspot_walk *k)
{
	const struct arch *a = k->f->thread->arch;
	const uint64_t sp = k->r->value[a->sp];
	const struct hotspot_blob *b = hotspot_code_find(
	    k->w->code, k->memory, k->r->value[a->pc] - 1);
	uint64_t i, pc;

	if (b == NULL || b->kind != HOTSPOT_COMPILED || b->frame_size < 16)
		return;
	for (i = 0; i < SEARCH_WORDS; i++) {
		if (hotspot_step_load(k, sp + 8 * i + b->frame_size - 8, &pc) &&
		    hotspot_step_is_return(k, pc)) {
			arch_set(k->r, a->sp, sp + 8 * i);
			return;
		}
	}
}

enum unwind_vm
hotspot_between_entry(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	const uint64_t sp = k->f->frame->sp;
	const uint64_t sender = stack_address(k, HOTSPOT_STEP_R13,
					      LARGEST_ADAPTER);
	const bool knows_sender = arch_knows(k->r, HOTSPOT_STEP_R13);

	if (step_half_made(k) ||
	    (b->kind == HOTSPOT_INTERPRETER && step_end(k)))
		return UNWIND_VM_HIDDEN;
	if (has_return(k, HOTSPOT_STEP_RAX)) {
		step_by_rax(k, b);
		return UNWIND_VM_HIDDEN;
	}
	if (!hotspot_step_at(k, 0, false) && !search(k, 0))
		return UNWIND_VM_LOST;
	/* An adapter that still has the return address may not have set %r13.
	 */
	if (sender > sp && b->kind == HOTSPOT_INTERPRETER)
		arch_set(k->r, k->f->thread->arch->sp, sender);
	else if (!knows_sender)
		skip_arguments(k);
	return UNWIND_VM_HIDDEN;
}

/*
 * An adapter has called C++, to let its caller call compiled code next time, or
 * for a barrier of a collector.  In the first case %r13 has the address of the
 * return address, which is still on the stack.
 */
enum unwind_vm
hotspot_between_adapter(struct hotspot_walk *k)
{
	const uint64_t sender = stack_address(k, HOTSPOT_STEP_R13,
					      LARGEST_ADAPTER);

	return (sender != 0 &&
		hotspot_step_at(k, sender - k->f->frame->sp, false)) ||
		       search(k, ADAPTER_SAVES) ?
		   UNWIND_VM_HIDDEN :
		   UNWIND_VM_LOST;
}

/*
 * A description of the virtual thread, ContinuationEntry, is above: it has no
 * return addresses, and is followed by the frame pointer and the return address
 * of its caller.
 */
enum unwind_vm
hotspot_between_mounted(struct hotspot_walk *k)
{
	uint64_t i;

	for (i = 1; i < SEARCH_WORDS; i++) {
		if (hotspot_step_at(k, 8 * i, true))
			return UNWIND_VM_CALLER;
	}
	return UNWIND_VM_LOST;
}

/*
 * Whether an indirect call of C++ ends at an address: 0xff and a ModRM byte
 * with the opcode 2, before 0 to 5 bytes of operand.
 */
static bool
follows_indirect_call(struct hotspot_walk *k, uint64_t pc)
{
	enum { LONGEST = 7, OF_REGISTER = 3 };
	const unsigned char call = 0xff, opcode = 2,
			    displacement[] = { 0, 1, 4, 0 };
	unsigned char code[LONGEST], modrm;
	size_t n, operand;

	if (!interp_copy_get(k->memory, pc - LONGEST, code, LONGEST, LONGEST))
		return false;
	for (n = 2; n <= LONGEST; n++) {
		modrm = code[LONGEST - n + 1];
		if (code[LONGEST - n] != call || ((modrm >> 3) & 7) != opcode)
			continue;
		operand = displacement[modrm >> 6];
		if (modrm >> 6 == 0 && (modrm & 7) == 5)
			operand = 4;
		else if (modrm >> 6 != OF_REGISTER && (modrm & 7) == 4)
			operand++;
		if (n == 2 + operand)
			return true;
	}
	return false;
}

/*
 * Step out of a stub that C++ has called.  The return address is distance bytes
 * above the stack pointer; with pushed, the word below it is the caller's frame
 * pointer.  Stubs keep the registers that C++ expects to be kept.
 */
static bool
step_to_native(struct hotspot_walk *k, uint64_t distance, bool pushed)
{
	const struct unwind_thread *t = k->f->thread;
	const uint64_t at = k->f->frame->sp + distance;
	struct unwind_map map;
	uint64_t pc, fp;

	if (!hotspot_step_load(k, at, &pc) || pc == 0 ||
	    hotspot_code_has(k->w->code, k->memory, pc) ||
	    !t->map(t->arg, pc - 1, &map) ||
	    (!hotspot_step_follows_call(k, pc) &&
	     !follows_indirect_call(k, pc)) ||
	    (pushed && !hotspot_step_load(k, at - 8, &fp)))
		return false;
	if (pushed)
		arch_set(k->r, t->arch->fp, fp);
	arch_set(k->r, t->arch->sp, at + 8);
	arch_set(k->r, t->arch->pc, pc);
	return true;
}

/* The same for a stub that pushes the frame pointer as it begins. */
static bool
step_to_native_by_pointer(struct hotspot_walk *k)
{
	const struct arch *a = k->f->thread->arch;
	const uint64_t sp = k->f->frame->sp, fp = k->r->value[a->fp];
	const unsigned char push = 0x55;
	unsigned char before;

	if (interp_copy_get(k->memory, k->f->frame->pc - 1, &before, 1, 1) &&
	    before == push && step_to_native(k, 8, true))
		return true;
	return arch_knows(k->r, a->fp) && fp >= sp && fp - sp < LARGEST_STUB &&
	       fp % 8 == 0 && step_to_native(k, fp + 8 - sp, true);
}

enum unwind_vm
hotspot_between_stub(struct hotspot_walk *k)
{
	if (step_to_native(k, 0, false) ||
	    hotspot_step_near(k, INTERPRETER_FRAME) ||
	    step_to_native_by_pointer(k))
		return UNWIND_VM_CALLER;
	return search(k, 0) ? UNWIND_VM_CALLER : UNWIND_VM_LOST;
}
