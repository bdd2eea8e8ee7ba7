/* cfiexpr.c - DWARF expressions in call frame information. */
#include "unwind/cfiexpr.h"

#include "base/leb.h"

/* DWARF 5, 7.7.1. */
enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_BRA = 0x28,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_SKIP = 0x2f,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96
};

/* Expressions for a PLT have 8 operations, those for signal frames 2 or 3. */
#define MAX_STEPS 1000
#define MAX_DEPTH 32

struct cfiexpr_evaluation {
	struct str expr;
	struct cursor c;
	const struct cfiexpr_context *context;
	uint64_t stack[MAX_DEPTH];
	unsigned depth;
	bool bad;
};

/* Values have the size of an address (DWARF 5, 2.5.1.1, "generic type"). */
static void
push(struct cfiexpr_evaluation *e, uint64_t n)
{
	if (e->depth == MAX_DEPTH)
		e->bad = true;
	else
		e->stack[e->depth++] = e->context->word == 4 ? (uint32_t)n : n;
}

static int64_t
as_signed(const struct cfiexpr_evaluation *e, uint64_t n)
{
	return e->context->word == 4 ? (int32_t)n : (int64_t)n;
}

static uint64_t
pop(struct cfiexpr_evaluation *e)
{
	if (e->depth == 0) {
		e->bad = true;
		return 0;
	}
	return e->stack[--e->depth];
}

/* The value n below the top. */
static uint64_t
peek(struct cfiexpr_evaluation *e, unsigned n)
{
	if (n >= e->depth) {
		e->bad = true;
		return 0;
	}
	return e->stack[e->depth - 1 - n];
}

static void
push_register(struct cfiexpr_evaluation *e, uint64_t reg, int64_t offset)
{
	if (!arch_knows(e->context->registers, reg)) {
		e->bad = true;
		return;
	}
	push(e, e->context->registers->value[reg] + (uint64_t)offset);
}

static void
dereference(struct cfiexpr_evaluation *e, size_t size)
{
	const uint64_t address = pop(e);
	unsigned char bytes[8];
	uint64_t n = 0;
	size_t i;

	if (e->bad || size == 0 || size > 8 ||
	    !e->context->read(e->context->arg, address, bytes, size)) {
		e->bad = true;
		return;
	}
	/* All machines of lib/arch are little-endian. */
	for (i = 0; i < size; i++)
		n |= (uint64_t)bytes[i] << (8 * i);
	push(e, n);
}

static void
jump(struct cfiexpr_evaluation *e, int16_t delta, bool condition)
{
	const int64_t to = e->c.p - e->expr.p + delta;

	if (!condition)
		return;
	if (to < 0 || (uint64_t)to > e->expr.len)
		e->bad = true;
	else
		e->c.p = e->expr.p + to;
}

static void
rotate(struct cfiexpr_evaluation *e)
{
	const uint64_t a = pop(e), b = pop(e), c = pop(e);

	push(e, a);
	push(e, c);
	push(e, b);
}

static void
run_constant(struct cfiexpr_evaluation *e, uint8_t op)
{
	struct cursor *c = &e->c;

	switch (op) {
	case OP_ADDR:
		push(e,
		     (e->context->word == 4 ? cursor_u32(c) : cursor_u64(c)) +
			 e->context->bias);
		break;
	case OP_CONST1U:
		push(e, leb_byte(c));
		break;
	case OP_CONST1S:
		push(e, (uint64_t)(int8_t)leb_byte(c));
		break;
	case OP_CONST2U:
		push(e, cursor_u16(c));
		break;
	case OP_CONST2S:
		push(e, (uint64_t)(int16_t)cursor_u16(c));
		break;
	case OP_CONST4U:
		push(e, cursor_u32(c));
		break;
	case OP_CONST4S:
		push(e, (uint64_t)(int32_t)cursor_u32(c));
		break;
	case OP_CONST8U:
	case OP_CONST8S:
		push(e, cursor_u64(c));
		break;
	case OP_CONSTU:
		push(e, leb_unsigned(c));
		break;
	case OP_CONSTS:
		push(e, (uint64_t)leb_signed(c));
		break;
	}
}

/* Compute a op b.  Shifts by 64 and more give 0 or -1. */
static uint64_t
binary(struct cfiexpr_evaluation *e, uint8_t op, uint64_t a, uint64_t b)
{
	const int64_t sa = as_signed(e, a), sb = as_signed(e, b);

	switch (op) {
	case OP_AND:
		return a & b;
	case OP_DIV:
		if (b == 0 || (sa == INT64_MIN && sb == -1))
			e->bad = true;
		return e->bad ? 0 : (uint64_t)(sa / sb);
	case OP_MINUS:
		return a - b;
	case OP_MOD:
		if (b == 0)
			e->bad = true;
		return e->bad ? 0 : a % b;
	case OP_MUL:
		return a * b;
	case OP_OR:
		return a | b;
	case OP_PLUS:
		return a + b;
	case OP_SHL:
		return b < 64 ? a << b : 0;
	case OP_SHR:
		return b < 64 ? a >> b : 0;
	case OP_SHRA:
		return (uint64_t)(sa >> (b < 64 ? b : 63));
	case OP_XOR:
		return a ^ b;
	case OP_EQ:
		return sa == sb;
	case OP_GE:
		return sa >= sb;
	case OP_GT:
		return sa > sb;
	case OP_LE:
		return sa <= sb;
	case OP_LT:
		return sa < sb;
	case OP_NE:
		return sa != sb;
	}
	e->bad = true;
	return 0;
}

static void
run_stack(struct cfiexpr_evaluation *e, uint8_t op)
{
	uint64_t a, b;

	switch (op) {
	case OP_DUP:
		push(e, peek(e, 0));
		break;
	case OP_DROP:
		pop(e);
		break;
	case OP_OVER:
		push(e, peek(e, 1));
		break;
	case OP_PICK:
		push(e, peek(e, leb_byte(&e->c)));
		break;
	case OP_SWAP:
		b = pop(e);
		a = pop(e);
		push(e, b);
		push(e, a);
		break;
	case OP_ROT:
		rotate(e);
		break;
	case OP_ABS:
		a = pop(e);
		push(e, as_signed(e, a) < 0 ? -a : a);
		break;
	case OP_NEG:
		push(e, -pop(e));
		break;
	case OP_NOT:
		push(e, ~pop(e));
		break;
	case OP_PLUS_UCONST:
		a = leb_unsigned(&e->c);
		push(e, pop(e) + a);
		break;
	default:
		b = pop(e);
		a = pop(e);
		push(e, binary(e, op, a, b));
	}
}

static void
run_op(struct cfiexpr_evaluation *e, uint8_t op)
{
	struct cursor *c = &e->c;
	uint64_t reg;
	int16_t delta;

	switch (op) {
	case OP_NOP:
		break;
	case OP_DEREF:
		dereference(e, e->context->word);
		break;
	case OP_DEREF_SIZE:
		dereference(e, leb_byte(c));
		break;
	case OP_BREGX:
		reg = leb_unsigned(c);
		push_register(e, reg, leb_signed(c));
		break;
	case OP_BRA:
		delta = (int16_t)cursor_u16(c);
		jump(e, delta, pop(e) != 0);
		break;
	case OP_SKIP:
		delta = (int16_t)cursor_u16(c);
		jump(e, delta, true);
		break;
	default:
		if (op >= OP_LIT0 && op <= OP_LIT31)
			push(e, op - (uint64_t)OP_LIT0);
		else if (op >= OP_BREG0 && op <= OP_BREG31)
			push_register(e, op - (uint64_t)OP_BREG0,
				      leb_signed(c));
		else if (op == OP_ADDR || (op >= OP_CONST1U && op <= OP_CONSTS))
			run_constant(e, op);
		else
			run_stack(e, op);
	}
}

bool
cfiexpr_run(struct str expr, uint64_t first,
	    const struct cfiexpr_context *context, uint64_t *result)
{
	struct cfiexpr_evaluation e = { .expr = expr,
					.c = cursor_of(expr, context->swap),
					.context = context };
	unsigned steps;

	push(&e, first);
	for (steps = 0; cursor_left(&e.c) > 0; steps++) {
		if (e.bad || e.c.bad || steps == MAX_STEPS)
			return false;
		run_op(&e, leb_byte(&e.c));
	}
	*result = pop(&e);
	return !e.bad && !e.c.bad;
}
