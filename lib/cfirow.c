/* cfirow.c - the instructions of call frame information, executed. */
#include "cfirow.h"

#include "leb.h"

/* DWARF 5, 6.4.2 and 7.24; 0x1d, 0x2d-0x2f and 0x2e are vendors'. */
enum {
	CFA_ADVANCE = 0x40, /* these three have a number in the low bits */
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_CFA_REGISTER = 0x0d,
	CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPR = 0x0f,
	CFA_EXPR = 0x10,
	CFA_OFFSET_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPR = 0x16,
	CFA_MIPS_ADVANCE8 = 0x1d,
	CFA_AARCH64_NEGATE_RA = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET = 0x2f
};

/* Compilers nest no deeper than 2. */
#define MAX_REMEMBERED 8

struct machine {
	const struct cfi_frames *frames;
	const struct cfi_function *function;
	struct cursor c;
	uint64_t location, until;
	struct cfi_row *row, *initial; /* initial: NULL while it is made */
	struct cfi_row remembered[MAX_REMEMBERED];
	unsigned depth;
};

/* A register's rule, or a place to write what does not matter. */
static struct cfi_rule *
rule_of(struct cfi_row *row, uint64_t reg)
{
	return reg < CFI_REGISTERS ? &row->rules[reg] : &row->unfollowed;
}

static void
set_rule(struct machine *m, uint64_t reg, enum cfi_how how, int64_t n)
{
	*rule_of(m->row, reg) = (struct cfi_rule){ .how = how, .n = n };
}

/* A product as the factors of offsets make it; it may wrap, if spoilt. */
static int64_t
scaled(const struct machine *m, uint64_t n)
{
	return (int64_t)(n * (uint64_t)m->function->common.data_align);
}

static struct str
read_block(struct machine *m)
{
	return cursor_bytes(&m->c, leb_unsigned(&m->c));
}

static void
restore(struct machine *m, uint64_t reg)
{
	if (m->initial == NULL) {
		m->c.bad = true;
		return;
	}
	*rule_of(m->row, reg) = *rule_of(m->initial, reg);
}

/* The row in force is pushed and popped whole, but for its place. */
static void
remember(struct machine *m)
{
	if (m->depth == MAX_REMEMBERED)
		m->c.bad = true;
	else
		m->remembered[m->depth++] = *m->row;
}

static void
restore_state(struct machine *m)
{
	if (m->depth == 0)
		m->c.bad = true;
	else
		*m->row = m->remembered[--m->depth];
}

static void
define_cfa(struct machine *m, uint64_t reg, int64_t offset)
{
	m->row->cfa = (struct cfi_rule){ .how = CFI_REGISTER, .n = offset };
	m->row->cfa_register = reg < CFI_REGISTERS ? (uint32_t)reg :
						     CFI_REGISTERS;
}

/* Go on to a later address; false if it is behind the one asked for. */
static bool
advance(struct machine *m, uint64_t delta)
{
	m->location += delta * m->function->common.code_align;
	return m->location <= m->until;
}

static void
run_cfa(struct machine *m, uint8_t op)
{
	struct cfi_row *row = m->row;
	uint64_t reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = leb_unsigned(&m->c);
		define_cfa(m, reg, (int64_t)leb_unsigned(&m->c));
		break;
	case CFA_DEF_CFA_SF:
		reg = leb_unsigned(&m->c);
		define_cfa(m, reg, scaled(m, (uint64_t)leb_signed(&m->c)));
		break;
	case CFA_DEF_CFA_REGISTER:
		define_cfa(m, leb_unsigned(&m->c), row->cfa.n);
		break;
	case CFA_DEF_CFA_OFFSET:
		row->cfa.n = (int64_t)leb_unsigned(&m->c);
		break;
	case CFA_DEF_CFA_OFFSET_SF:
		row->cfa.n = scaled(m, (uint64_t)leb_signed(&m->c));
		break;
	case CFA_DEF_CFA_EXPR:
		row->cfa = (struct cfi_rule){ .how = CFI_EXPR,
					      .expr = read_block(m) };
		break;
	default:
		m->c.bad = true;
	}
}

static void
run_rule(struct machine *m, uint8_t op)
{
	const uint64_t reg = leb_unsigned(&m->c);
	struct cfi_rule *rule = rule_of(m->row, reg);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_rule(m, reg, CFI_AT_CFA, scaled(m, leb_unsigned(&m->c)));
		break;
	case CFA_OFFSET_SF:
		set_rule(m, reg, CFI_AT_CFA,
			 scaled(m, (uint64_t)leb_signed(&m->c)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET:
		set_rule(m, reg, CFI_AT_CFA, scaled(m, -leb_unsigned(&m->c)));
		break;
	case CFA_VAL_OFFSET:
		set_rule(m, reg, CFI_CFA, scaled(m, leb_unsigned(&m->c)));
		break;
	case CFA_VAL_OFFSET_SF:
		set_rule(m, reg, CFI_CFA,
			 scaled(m, (uint64_t)leb_signed(&m->c)));
		break;
	case CFA_RESTORE_EXTENDED:
		restore(m, reg);
		break;
	case CFA_UNDEFINED:
		set_rule(m, reg, CFI_UNDEFINED, 0);
		break;
	case CFA_SAME_VALUE:
		set_rule(m, reg, CFI_SAME, 0);
		break;
	case CFA_REGISTER:
		set_rule(m, reg, CFI_REGISTER, (int64_t)leb_unsigned(&m->c));
		break;
	case CFA_EXPR:
		*rule = (struct cfi_rule){ .how = CFI_AT_EXPR,
					   .expr = read_block(m) };
		break;
	case CFA_VAL_EXPR:
		*rule = (struct cfi_rule){ .how = CFI_EXPR,
					   .expr = read_block(m) };
		break;
	default:
		m->c.bad = true;
	}
}

/* What has no register first; false if the row asked for is complete. */
static bool
run_other(struct machine *m, uint8_t op)
{
	struct cursor *c = &m->c;

	switch (op) {
	case CFA_NOP:
		return true;
	case CFA_SET_LOC:
		m->location = cfientry_pointer(
		    m->frames, c, m->function->common.encoding & 0x7f,
		    m->function->common.address_size);
		return m->location <= m->until;
	case CFA_ADVANCE1:
		return advance(m, leb_byte(c));
	case CFA_ADVANCE2:
		return advance(m, cursor_u16(c));
	case CFA_ADVANCE4:
		return advance(m, cursor_u32(c));
	case CFA_MIPS_ADVANCE8:
		return advance(m, cursor_u64(c));
	case CFA_REMEMBER:
		remember(m);
		return true;
	case CFA_RESTORE_STATE:
		restore_state(m);
		return true;
	case CFA_GNU_ARGS_SIZE:
		leb_unsigned(c);
		return true;
	case CFA_AARCH64_NEGATE_RA:
		m->row->signed_return = !m->row->signed_return;
		return true;
	}
	if ((op >= CFA_DEF_CFA && op <= CFA_DEF_CFA_EXPR) ||
	    op == CFA_DEF_CFA_SF || op == CFA_DEF_CFA_OFFSET_SF)
		run_cfa(m, op);
	else
		run_rule(m, op);
	return true;
}

/* Run to the address asked for; false if something is wrong. */
static bool
run(struct machine *m, struct str instructions)
{
	uint8_t op, low;
	bool more = true;

	m->c = cursor_of(instructions, m->frames->swap);
	while (more && cursor_left(&m->c) > 0) {
		op = leb_byte(&m->c);
		low = op & 0x3f;
		switch (op & 0xc0) {
		case CFA_ADVANCE:
			more = advance(m, low);
			break;
		case CFA_OFFSET:
			set_rule(m, low, CFI_AT_CFA,
				 scaled(m, leb_unsigned(&m->c)));
			break;
		case CFA_RESTORE:
			restore(m, low);
			break;
		default:
			more = run_other(m, op);
		}
	}
	return !m->c.bad;
}

bool
cfirow_run(const struct cfi_frames *f, const struct cfi_function *function,
	   uint64_t vaddr, struct cfi_row *row)
{
	const struct cfi_common *common = &function->common;
	struct cfi_row initial;
	struct machine m;

	/* All but the remembered rows, which would be most of the work. */
	m.frames = f;
	m.function = function;
	m.location = function->start;
	m.until = vaddr;
	m.row = row;
	m.initial = NULL;
	m.depth = 0;
	memset(row, 0, sizeof(*row));
	if (!run(&m, common->instructions))
		return false;
	initial = *row;
	m.initial = &initial;
	if (!run(&m, function->instructions))
		return false;
	row->start = function->start;
	row->end = function->end;
	row->return_column = common->return_column < CFI_REGISTERS ?
				 (uint32_t)common->return_column :
				 CFI_REGISTERS;
	row->signal = common->signal;
	return row->return_column < CFI_REGISTERS &&
	       (row->cfa.how == CFI_EXPR ||
		(row->cfa.how == CFI_REGISTER &&
		 row->cfa_register < CFI_REGISTERS));
}
