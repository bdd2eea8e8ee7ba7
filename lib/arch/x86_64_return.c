/* x86_64_return.c - how code of x86-64 gets back to its caller. */
#include "arch/x86_64_return.h"

#include "arch/x86_64_decode.h"

/*
 * Code without unwind tables is followed to a return, along jumps.  On the way
 * pops and additions say how far the return address is from the stack pointer,
 * and where registers were saved.  This needs neither the start of a function
 * nor its end: a jump to another function returns to the same caller.
 */

enum {
	BLOCK = 64,
	MAX_PATHS = 256,
	MAX_INSTRUCTIONS = 4000,
	VISITED = 1024, /* a power of 2 */
	DWARF_RBP = 6,
	DWARF_RSP = 7
};

/* DWARF numbers of rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi. */
static const uint8_t dwarf[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

/* rbx, rbp, r12 to r15: a function gives them back as they were. */
enum { SAVED = 1 << 3 | 1 << DWARF_RBP | 0xf << 12 };

/* Paths. */

/* A place on a path, and what the way to it has done. */
struct x86_path {
	uint64_t pc;
	struct arch_return found; /* with pc_at as the stack pointer so far */
	bool lost;                /* the stack pointer is unknown by now */
};

struct x86_search {
	const struct arch_code_reader *code;
	struct x86_path path[MAX_PATHS];
	size_t paths;
	uint64_t visited[VISITED];
	unsigned instructions;
	uint64_t stop;   /* end where this address is reached; 0: at a return */
	bool incomplete; /* some jump may lead anywhere */
	char block[BLOCK];
	uint64_t block_start;
	size_t block_size;
};

/* The code at an address, as much of an instruction as there is. */
static struct str
code_at(struct x86_search *s, uint64_t address)
{
	uint64_t offset = address - s->block_start;

	if (offset >= s->block_size ||
	    s->block_size - offset < X86_64_LONGEST) {
		s->block_start = address;
		s->block_size = s->code->read(s->code->arg, address, s->block,
					      BLOCK);
		offset = 0;
	}
	return (struct str){ s->block + offset, s->block_size - offset };
}

/* Whether an address was visited; it is now. */
static bool
visit(struct x86_search *s, uint64_t address)
{
	uint64_t *slot = &s->visited[address & (VISITED - 1)];
	const bool visited = *slot == address;

	*slot = address;
	return visited;
}

static void
pop(struct arch_return *r, uint8_t number)
{
	if (SAVED >> number & 1) {
		r->saved |= UINT64_C(1) << number;
		r->saved_at[number] = (int32_t)r->pc_at;
	}
	r->pc_at += 8;
}

/* mov %rbp,%rsp, as in leave, and lea n(%rbp),%rsp */
static void
use_fp(struct arch_return *r, int64_t at)
{
	r->by_fp = true;
	r->saved = 0;
	r->pc_at = at;
}

/* Apply a lea instruction whose destination is rsp. */
static bool
run_lea(struct str code, const struct x86_instruction *x, struct arch_return *r)
{
	const uint8_t mod = x->modrm >> 6, rm = x->modrm & 7;
	const size_t size = mod == 1 ? 1 : 4;

	if ((x->modrm >> 3 & 7) != 4 || x->rex & 4)
		return true;
	if (mod != 1 && mod != 2)
		return false;
	if (rm == 5 && !(x->rex & 1)) {
		use_fp(r, x86_64_decode_number(code, x->modrm_at + 1, size));
		return true;
	}
	if (rm != 4 || x86_64_decode_byte(code, x->modrm_at + 1) != 0x24 ||
	    x->rex & 1)
		return false;
	r->pc_at += x86_64_decode_number(code, x->modrm_at + 2, size);
	return true;
}

/* Apply an arithmetic instruction with an immediate, if it changes rsp. */
static bool
run_sum(struct str code, const struct x86_instruction *x, struct arch_return *r)
{
	const uint8_t what = x->modrm >> 3 & 7;
	const int64_t n = x86_64_decode_number(
	    code, x->length - (x->opcode == 0x83 ? 1 : 4),
	    x->opcode == 0x83 ? 1 : 4);
	const bool compares = what == 7;

	if (x->modrm >> 6 != 3 || (x->modrm & 7) != 4 || x->rex & 1 || compares)
		return true;
	if (what != 0 && what != 5)
		return false;
	r->pc_at += what == 0 ? n : -n;
	return true;
}

/* Whether an instruction sets the stack pointer from what is not known. */
static bool
sets_sp(const struct x86_instruction *x)
{
	const uint8_t op = x->opcode;
	const bool to_rm = op == 0x89 || op == 0x29 || op == 0x01 || op == 0x21;
	const bool to_reg = op == 0x8b || op == 0x2b || op == 0x03 ||
			    op == 0x23;

	return (to_rm && (x->modrm & 0xc7) == 0xc4 && !(x->rex & 1)) ||
	       (to_reg && (x->modrm & 0x38) == 0x20 && !(x->rex & 4));
}

static void
run_stack(struct str code, const struct x86_instruction *x, struct x86_path *p)
{
	struct arch_return *r = &p->found;
	const uint8_t op = x->opcode, what = x->modrm >> 3 & 7;
	uint8_t number = dwarf[op & 7];

	if (x->rex & 1)
		number = (uint8_t)(8 + (op & 7));
	if (x->map != 0)
		return;
	if (op >> 3 == 0x50 >> 3 || op == 0x68 || op == 0x6a || op == 0x9c ||
	    (op == 0xff && what == 6))
		r->pc_at -= 8;
	else if (op >> 3 == 0x58 >> 3)
		pop(r, number);
	else if (op == 0x8f || op == 0x9d)
		r->pc_at += 8;
	else if (op == 0x81 || op == 0x83)
		p->lost |= !run_sum(code, x, r);
	else if (op == 0x8d && (x->modrm & 0x38) == 0x20 && !(x->rex & 4))
		p->lost = !run_lea(code, x, r) || (p->lost && !r->by_fp);
	else if (op == 0xc9 || (op == 0x89 && x->modrm == 0xec) ||
		 (op == 0x8b && x->modrm == 0xe5)) {
		use_fp(r, 0);
		p->lost = false;
		if (op == 0xc9)
			pop(r, DWARF_RBP);
	} else if (sets_sp(x))
		p->lost = true;
}

static void
add_path(struct x86_search *s, const struct x86_path *p, uint64_t pc)
{
	if (s->paths == MAX_PATHS) {
		s->incomplete = true;
		return;
	}
	s->path[s->paths] = *p;
	s->path[s->paths++].pc = pc;
}

/* Follow a path to a return; false if it has none, or was followed already. */
static bool
follow(struct x86_search *s, struct x86_path *p)
{
	struct x86_instruction x;
	struct str code;
	uint64_t target;
	bool conditional, jumps;

	while (s->instructions++ < MAX_INSTRUCTIONS && !visit(s, p->pc)) {
		if (s->stop != 0 && p->pc == s->stop)
			return true;
		code = code_at(s, p->pc);
		x86_64_decode(code, &x);
		s->incomplete |= x.length == 0 ||
				 x86_64_decode_jumps_anywhere(&x);
		if (x.length == 0 || x86_64_decode_ends(&x) ||
		    x86_64_decode_jumps_anywhere(&x))
			return false;
		if (x86_64_decode_returns(&x))
			return s->stop == 0 && !p->lost;
		jumps = x86_64_decode_jump(code, &x, p->pc + x.length, &target,
					   &conditional);
		if (jumps && conditional)
			add_path(s, p, target);
		run_stack(code, &x, p);
		p->pc = target != 0 && !conditional ? target : p->pc + x.length;
	}
	return false;
}

bool
x86_64_return_find(const struct arch_code_reader *code, uint64_t pc,
		   struct arch_return *r)
{
	struct x86_search s = { .code = code, .paths = 1 };
	struct x86_path p;
	size_t i;

	s.path[0].pc = pc;
	for (i = 0; i < s.paths; i++) {
		p = s.path[i];
		if (follow(&s, &p) && (p.found.by_fp || p.found.pc_at >= 0)) {
			*r = p.found;
			return true;
		}
	}
	return false;
}

enum arch_reach
x86_64_return_reaches(const struct arch_code_reader *code, uint64_t start,
		      uint64_t pc, int64_t *depth)
{
	const uint64_t largest = 65536;
	struct x86_search s = { .code = code, .paths = 1, .stop = pc };
	struct x86_path p;
	size_t i;

	s.path[0].pc = start;
	for (i = 0; i < s.paths; i++) {
		p = s.path[i];
		if (follow(&s, &p)) {
			*depth = p.lost || p.found.by_fp ? -1 : -p.found.pc_at;
			return ARCH_REACH_YES;
		}
	}
	*depth = -1;
	return (s.incomplete || s.instructions >= MAX_INSTRUCTIONS) &&
		       pc - start < largest ?
		   ARCH_REACH_UNKNOWN :
		   ARCH_REACH_NO;
}

size_t
x86_64_return_reach(struct str code)
{
	enum { NEAR = 128, MAX_REACH = 65536 };
	struct x86_instruction x;
	uint64_t target, reach = 0, at = 0;
	bool conditional;
	int steps;

	/* Loops and branches go on: only the end of the last one counts. */
	for (steps = 0; steps < MAX_INSTRUCTIONS && at < MAX_REACH; steps++) {
		x86_64_decode(str_skip(code, (size_t)at), &x);
		if (x.length == 0 || x86_64_decode_jumps_anywhere(&x))
			return 0;
		at += x.length;
		if (x86_64_decode_jump(str_skip(code, (size_t)at - x.length),
				       &x, at, &target, &conditional)) {
			/* A long jump that is always taken may be a call. */
			if (target > reach && target < code.len &&
			    (conditional || target - at < NEAR))
				reach = target;
			if (conditional)
				continue;
		} else if (!x86_64_decode_returns(&x) &&
			   !x86_64_decode_ends(&x)) {
			continue;
		}
		if (reach < at)
			return (size_t)at;
	}
	return 0;
}
