/* hotspot_top.c - the callers of compiled code of a HotSpot whose frame is not
 * complete: the thread was stopped in it, or it calls a function of C++. */
#include "interp/hotspot_top.h"

#include <string.h>

/* The smallest frame of the interpreter, in bytes. */
enum { INTERPRETER_FRAME = 72 };

/* Registers that compiled code may push before such a call, in bytes. */
enum { MAX_PUSHED = 128 };

/* Bytes of code before and after the pc that show how much of a frame exists.
 */
enum { CODE_BEFORE = 24, CODE_AFTER = 32 };

struct nearby_code {
	unsigned char byte[CODE_BEFORE + CODE_AFTER]; /* the pc is in between */
	size_t before, after;                         /* bytes of it */
};

static void
read_nearby(struct hotspot_walk *k, const struct hotspot_blob *b,
	    struct nearby_code *code)
{
	const uint64_t pc = k->f->frame->pc;
	const struct hotspot_body *body = hotspot_bodies_find(
	    &k->w->scopes.bodies, k->memory, b);
	unsigned char *at = code->byte + CODE_BEFORE;

	code->before = pc - b->code_begin < CODE_BEFORE ?
			   (size_t)(pc - b->code_begin) :
			   CODE_BEFORE;
	code->after = b->code_end - pc < CODE_AFTER ?
			  (size_t)(b->code_end - pc) :
			  CODE_AFTER;
	if (body != NULL)
		memcpy(at - code->before,
		       body->code.p + (pc - b->code_begin) - code->before,
		       code->before + code->after);
	else if (!interp_copy_read(k->memory, pc - code->before,
				   at - code->before,
				   code->before + code->after))
		code->before = code->after = 0;
}

/* Return addresses. */
/* The end of a sequence of code at p if it is there; NULL otherwise. */
static const unsigned char *
skip_code(const unsigned char *p, const unsigned char *end, const char *bytes,
	  size_t n, size_t operand)
{
	return (size_t)(end - p) >= n + operand && memcmp(p, bytes, n) == 0 ?
		   p + n + operand :
		   NULL;
}

/*
 * Whether the code at the pc returns from a method, whose frame is released but
 * for the frame pointer.  *pops: the frame pointer is still on the stack.
 */
static bool
is_epilogue(const struct nearby_code *code, bool *pops)
{
	static const struct {
		const char *bytes;
		size_t n, operand;
	} skipped[] = {
		{ "\x5d", 1, 0 },         /* pop %rbp */
		{ "\xc5\xf8\x77", 3, 0 }, /* vzeroupper */
		{ "\x4d\x8b\x57", 3, 1 }, /* mov d8(%r15), %r10 */
		{ "\x4d\x8b\x97", 3, 4 }, /* mov d32(%r15), %r10 */
		{ "\x41\x85\x02", 3, 0 }, /* test %eax, (%r10) */
		{ "\x49\x3b\x67", 3, 1 }, /* cmp d8(%r15), %rsp */
		{ "\x49\x3b\xa7", 3, 4 }, /* cmp d32(%r15), %rsp */
		{ "\x0f\x87", 2, 4 },     /* ja */
		{ "\x49\x81\x7f", 3, 5 }, /* cmp $n, d8(%r15) */
		{ "\x49\x83\x7f", 3, 2 }, /* the same with a byte */
		{ "\x0f\x85", 2, 4 },     /* jne */
	};
	const unsigned char ret = 0xc3;
	const unsigned char *p = code->byte + CODE_BEFORE, *next;
	const unsigned char *const end = p + code->after;
	size_t i;

	*pops = false;
	for (i = 0; i < sizeof(skipped) / sizeof(*skipped); i++) {
		next = skip_code(p, end, skipped[i].bytes, skipped[i].n,
				 skipped[i].operand);
		if (next == NULL)
			continue;
		*pops |= i == 0;
		p = next;
	}
	return p < end && *p == ret;
}

/*
 * How much of its frame a method has made, by the code before the pc: nothing,
 * the pushed frame pointer, or all.
 */
enum prologue { PROLOGUE_NONE, PROLOGUE_PUSHED, PROLOGUE_ALL };

static enum prologue
prologue_of(const struct nearby_code *code, bool *pushed)
{
	const unsigned char push = 0x55;
	const unsigned char *p = code->byte + CODE_BEFORE;
	size_t back;

	*pushed = false;
	for (back = 4; back <= code->before; back++) {
		/* sub $n, %rsp, with a number of 1 or 4 bytes */
		if (p[-(long)back] != 0x48 || p[1 - (long)back] > 0x83 ||
		    p[1 - (long)back] < 0x81 || p[2 - (long)back] != 0xec ||
		    (p[1 - (long)back] == 0x81 && back < 7))
			continue;
		*pushed = back < code->before && p[-(long)back - 1] == push;
		return PROLOGUE_ALL;
	}
	return code->before > 0 && p[-1] == push ? PROLOGUE_PUSHED :
						   PROLOGUE_NONE;
}

/* Step out of the start of a function. */
static enum unwind_vm
step_prologue(struct hotspot_walk *k, const struct hotspot_blob *b,
	      const struct nearby_code *code)
{
	bool pushed;

	switch (prologue_of(code, &pushed)) {
	case PROLOGUE_ALL:
		if (b->frame_size >= 16 &&
		    hotspot_step_at(k, b->frame_size - 8, pushed))
			return UNWIND_VM_CALLER;
		break;
	case PROLOGUE_PUSHED:
		if (hotspot_step_at(k, 8, true))
			return UNWIND_VM_CALLER;
		break;
	case PROLOGUE_NONE:
		break;
	}
	return hotspot_step_at(k, 0, false) ? UNWIND_VM_CALLER :
					      UNWIND_VM_OTHER;
}
/*
 * Step out of the deoptimization handler at the end of a method, to which
 * callees return if HotSpot is about to interpret the method.  The handler
 * pushes its own address below the frame: that is not the caller.
 */
static bool
step_deoptimizing(struct hotspot_walk *k, const struct hotspot_blob *b,
		  const struct nearby_code *code)
{
	const uint64_t pc = k->f->frame->pc;
	/* C1's push %r10, which C2 does by a call. */
	const bool pushes = code->after > 1 && code->byte[CODE_BEFORE] == 0x41;
	const bool pushed = pc != b->deopt && pc != b->deopt_mh && !pushes;

	return b->frame_size >= 16 &&
	       hotspot_step_at(k, b->frame_size - (pushed ? 0 : 8), true);
}

static bool
is_deoptimizing(const struct hotspot_blob *b, uint64_t pc)
{
	const uint64_t size = 17;

	return (b->deopt != 0 && pc - b->deopt < size) ||
	       (b->deopt_mh != 0 && pc - b->deopt_mh < size);
}

/*
 * Whether the pc is in the code for a return while a safepoint waits, after the
 * method: lea x(%rip), %r10; mov %r10, d32(%r15); jmp.  The frame is released.
 */
static bool
is_polled(const struct nearby_code *code)
{
	static const unsigned char lea[] = { 0x4c, 0x8d, 0x15 },
				   move[] = { 0x4d, 0x89, 0x97 };
	const size_t move_size = 7;
	const unsigned char *p = code->byte + CODE_BEFORE;

	return (code->after >= sizeof(lea) &&
		memcmp(p, lea, sizeof(lea)) == 0) ||
	       (code->after >= sizeof(move) &&
		memcmp(p, move, sizeof(move)) == 0) ||
	       (code->before >= move_size &&
		memcmp(p - move_size, move, sizeof(move)) == 0);
}

/*
 * A method calls an interpreted one by code of its own, after the method, which
 * passes it the Method: the return address is pushed already.
 */
static bool
step_calling(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	const uint64_t sp = k->f->frame->sp;
	uint64_t pc;

	if (b->kind != HOTSPOT_COMPILED || !hotspot_step_load(k, sp, &pc) ||
	    pc < b->code_begin || pc >= b->code_end ||
	    !hotspot_scopes_has(&k->w->scopes, k->w->l, k->memory, b, pc))
		return false;
	hotspot_step_set_caller(k, sp + sizeof(pc), pc);
	return true;
}

enum unwind_vm
hotspot_top_compiled(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	const uint64_t offset = k->f->frame->pc - b->code_begin;
	struct nearby_code code = { 0 };
	bool pops;

	read_nearby(k, b, &code);
	if (is_epilogue(&code, &pops) && hotspot_step_at(k, pops ? 8 : 0, pops))
		return UNWIND_VM_CALLER;
	if (b->frame_complete > 0 && offset < (uint64_t)b->frame_complete)
		return step_prologue(k, b, &code);
	/* Stubs do not say where they have made their frames. */
	if (b->kind == HOTSPOT_STUB && offset <= 1 &&
	    step_prologue(k, b, &code) == UNWIND_VM_CALLER)
		return UNWIND_VM_CALLER;
	if (is_polled(&code) && hotspot_step_at(k, 0, false))
		return UNWIND_VM_CALLER;
	if (is_deoptimizing(b, k->f->frame->pc))
		return step_deoptimizing(k, b, &code) ? UNWIND_VM_CALLER :
							UNWIND_VM_LOST;
	if (b->frame_size >= 16 && hotspot_step_at(k, b->frame_size - 8, true))
		return UNWIND_VM_CALLER;
	if (step_calling(k, b))
		return UNWIND_VM_HIDDEN;
	/* A return address at the stack pointer may be an old one. */
	if (b->kind != HOTSPOT_STUB)
		return UNWIND_VM_LOST;
	return hotspot_step_near(k, INTERPRETER_FRAME) ||
		       hotspot_step_at(k, 0, false) ||
		       hotspot_step_near(k, b->frame_size) ?
		   UNWIND_VM_CALLER :
		   UNWIND_VM_OTHER;
}

enum unwind_vm
hotspot_top_caller(struct hotspot_walk *k, const struct hotspot_blob *b)
{
	/* Where HotSpot may stop, nothing is below the frame. */
	const uint64_t most = hotspot_scopes_has(&k->w->scopes, k->w->l,
						 k->memory, b,
						 k->f->frame->pc) ?
				  0 :
				  MAX_PUSHED;
	uint64_t pushed;

	for (pushed = 0; b->frame_size >= 16 && pushed <= most; pushed += 8) {
		if (hotspot_step_at(k, pushed + b->frame_size - 8, true))
			return UNWIND_VM_CALLER;
	}
	return UNWIND_VM_OTHER;
}
