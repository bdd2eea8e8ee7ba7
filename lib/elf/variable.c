/* variable.c - where the value of a variable is, read by libdw. */
#include "elf/variable.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>

/* Chains of types are shorter, unless they are loops; so is nesting. */
enum { MOST_LINKS = 16, MOST_NESTED = 64, MOST_MEMBERS = 100000 };

/* The object that the evaluated part of an expression denotes. */
struct variable_object {
	Dwarf_Die type; /* without typedefs and qualifiers */
	/* In memory, at the value so far plus offset; else the value itself. */
	bool in_memory;
	int64_t offset;
};

struct variable_search {
	const struct variable_query *q;
	struct variable_value *v;
	struct buf *why;
	struct variable_object object;
	size_t members, depth; /* looked at, and of the one looked at */
};

static Dwarf_Die
from(const struct die *d)
{
	Dwarf_Die die;

	memcpy(&die, d, sizeof(die));
	return die;
}

static bool
refuse(struct variable_search *s, const char *reason)
{
	buf_printf(s->why, "%.*s %s", (int)s->q->expression.len,
		   s->q->expression.p, reason);
	return false;
}

/* Types. */

/* Follow typedefs and qualifiers; false at void. */
static bool
peel(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die next;
	int i;

	for (i = 0; i < MOST_LINKS; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return true;
		}
		if (dwarf_formref_die(
			dwarf_attr_integrate(type, DW_AT_type, &attribute),
			&next) == NULL)
			return false;
		*type = next;
	}
	return false;
}

static bool
type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_formref_die(
		   dwarf_attr_integrate(die, DW_AT_type, &attribute), type) !=
		   NULL &&
	       peel(type);
}

static bool
is_char(Dwarf_Die *type)
{
	Dwarf_Word encoding;
	Dwarf_Attribute attribute;

	return dwarf_tag(type) == DW_TAG_base_type &&
	       dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute),
			       &encoding) == 0 &&
	       (encoding == DW_ATE_signed_char ||
		encoding == DW_ATE_unsigned_char);
}

/* The letters, digits and '_' at the start of a text. */
static struct str
first_word(struct str text)
{
	size_t n = 0;

	while (n < text.len &&
	       (isalnum((unsigned char)text.p[n]) || text.p[n] == '_'))
		n++;
	return str_range(text.p, text.p + n);
}

/* Steps through memory. */

/* The value of the object becomes the value so far. */
static bool
load(struct variable_search *s)
{
	if (!s->object.in_memory)
		return true;
	if (s->v->steps == VARIABLE_STEPS)
		return refuse(s, "follows too many pointers");
	s->v->offset[s->v->steps++] = s->object.offset;
	s->object.in_memory = false;
	s->object.offset = 0;
	return true;
}

/* To where a pointer, a reference or an array leads. */
static bool
follow(struct variable_search *s)
{
	Dwarf_Die target;

	if (!type_of(&s->object.type, &target))
		return refuse(s, "is a pointer to an unknown type");
	if (dwarf_tag(&s->object.type) != DW_TAG_array_type) {
		if (!load(s))
			return false;
		s->object.in_memory = true;
	}
	s->object.type = target;
	return true;
}

static bool
follow_reference(struct variable_search *s)
{
	const int tag = dwarf_tag(&s->object.type);

	return (tag != DW_TAG_reference_type &&
		tag != DW_TAG_rvalue_reference_type) ||
	       follow(s);
}

/* Where a member is in its structure. */
static bool
member_offset(Dwarf_Die *member, int64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Word n = 0;

	/* The first member of a union has none. */
	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) !=
		NULL &&
	    (dwarf_formudata(&attribute, &n) != 0 || n > INT32_MAX))
		return false;
	*offset += (int64_t)n;
	return true;
}

/* Find a member, also in base classes and in members without a name. */
static bool
find_member(struct variable_search *s, Dwarf_Die *in, struct str name,
	    Dwarf_Die *found)
{
	const int64_t before = s->object.offset;
	Dwarf_Die type, child;
	const char *own;
	int tag;

	if (dwarf_child(in, &child) != 0)
		return false;
	do {
		/* Types may be loops. */
		if (++s->members > MOST_MEMBERS)
			return false;
		tag = dwarf_tag(&child);
		own = dwarf_diename(&child);
		s->object.offset = before;
		if (tag == DW_TAG_member && own != NULL &&
		    str_eq(name, str_of(own))) {
			*found = child;
			return member_offset(&child, &s->object.offset);
		}
		if ((tag == DW_TAG_inheritance ||
		     (tag == DW_TAG_member && own == NULL)) &&
		    member_offset(&child, &s->object.offset) &&
		    type_of(&child, &type) && s->depth < MOST_LINKS) {
			s->depth++;
			if (find_member(s, &type, name, found))
				return true;
			s->depth--;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool
enter_member(struct variable_search *s, struct str name)
{
	Dwarf_Die member;

	if (dwarf_tag(&s->object.type) == DW_TAG_pointer_type && !follow(s))
		return false;
	if (!s->object.in_memory)
		return refuse(s, "is a whole object in registers");
	s->depth = 0;
	if (!find_member(s, &s->object.type, name, &member)) {
		buf_printf(s->why, "no member %.*s in ", (int)name.len, name.p);
		return refuse(s, "at that place");
	}
	if (dwarf_hasattr(&member, DW_AT_bit_size))
		return refuse(s, "is a bit field");
	return (type_of(&member, &s->object.type) ||
		refuse(s, "has an unknown type")) &&
	       follow_reference(s);
}

static bool
enter_element(struct variable_search *s, struct str index)
{
	uint64_t i;
	Dwarf_Word size;
	const int tag = dwarf_tag(&s->object.type);

	if (!str_u64(index, &i) || i > INT32_MAX)
		return refuse(s, "has an index that is not a number");
	if (tag != DW_TAG_array_type && tag != DW_TAG_pointer_type)
		return refuse(s, "indexes something that is not an array");
	if (!follow(s))
		return false;
	if (!s->object.in_memory ||
	    dwarf_aggregate_size(&s->object.type, &size) != 0 ||
	    size > INT32_MAX)
		return refuse(s, "has elements of unknown size");
	s->object.offset += (int64_t)(i * size);
	return true;
}

/* "->id", ".text", "[2]" */
static bool
enter(struct variable_search *s, struct str rest)
{
	struct str word;

	while (rest.len > 0) {
		if (str_starts(rest, STR("["))) {
			rest = str_skip(rest, 1);
			word = str_cut(&rest, ']');
			if (!enter_element(s, word))
				return false;
			continue;
		}
		rest = str_skip(rest, str_starts(rest, STR("->")) ? 2 : 1);
		word = first_word(rest);
		rest = str_skip(rest, word.len);
		if (!enter_member(s, word))
			return false;
	}
	return true;
}

/* The result. */

static bool
finish_number(struct variable_search *s)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = DW_ATE_unsigned, size;
	Dwarf_Die *type = &s->object.type;
	const int tag = dwarf_tag(type);

	if (tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type &&
	    tag != DW_TAG_pointer_type)
		return refuse(s, "is not a number: name one of its members");
	if (tag == DW_TAG_base_type &&
	    dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute),
			    &encoding) != 0)
		return refuse(s, "has an unknown type");
	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
		return refuse(s, "is a floating-point number, which the kernel "
				 "cannot fetch");
	if (dwarf_aggregate_size(type, &size) != 0 || size == 0 || size > 8 ||
	    (size & (size - 1)) != 0)
		return refuse(s, "has a size that the kernel cannot fetch");
	s->v->size = (uint32_t)size;
	s->v->type = tag == DW_TAG_pointer_type ? VARIABLE_POINTER :
		     encoding == DW_ATE_signed ||
			     encoding == DW_ATE_signed_char ?
						  VARIABLE_SIGNED :
						  VARIABLE_UNSIGNED;
	return load(s);
}

static bool
finish(struct variable_search *s)
{
	Dwarf_Die target;
	const int tag = dwarf_tag(&s->object.type);
	const bool is_text = (tag == DW_TAG_pointer_type ||
			      tag == DW_TAG_array_type) &&
			     type_of(&s->object.type, &target) &&
			     is_char(&target);

	if (s->q->string && !is_text)
		return refuse(s, "is not a string");
	if (!s->q->string && tag != DW_TAG_array_type)
		return finish_number(s);
	if (!is_text)
		return refuse(s, "is an array: add an index, as in [0]");
	s->v->type = VARIABLE_STRING;
	return follow(s) && load(s);
}

/* Variables. */

static bool
is_variable(Dwarf_Die *die)
{
	const int tag = dwarf_tag(die);

	return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

/* Blocks and inlined functions with the address; the innermost one wins. */
static bool
find_variable(const struct variable_search *s, Dwarf_Die *in, struct str name,
	      Dwarf_Die *found, unsigned depth)
{
	Dwarf_Die child;
	const char *own;
	bool ok = false;
	int tag;

	if (depth == MOST_NESTED || dwarf_child(in, &child) != 0)
		return false;
	do {
		tag = dwarf_tag(&child);
		own = is_variable(&child) ? dwarf_diename(&child) : NULL;
		if (own != NULL && !ok && str_eq(name, str_of(own))) {
			*found = child;
			ok = true;
		}
		if (!s->q->at_entry &&
		    (tag == DW_TAG_lexical_block ||
		     tag == DW_TAG_inlined_subroutine) &&
		    dwarf_haspc(&child, s->q->vaddr) > 0 &&
		    find_variable(s, &child, name, found, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return ok;
}

static void
list_variables(struct buf *out, Dwarf_Die *in)
{
	const char *between = "", *own;
	Dwarf_Die child;

	if (dwarf_child(in, &child) != 0)
		return;
	do {
		own = is_variable(&child) ? dwarf_diename(&child) : NULL;
		if (own == NULL)
			continue;
		buf_printf(out, "%s%s", between, own);
		between = ", ";
	} while (dwarf_siblingof(&child, &child) == 0);
}

static bool
lacks(struct variable_search *s, struct str name, Dwarf_Die *function)
{
	struct buf names = { 0 };

	list_variables(&names, function);
	buf_printf(s->why, "no variable %.*s", (int)name.len, name.p);
	if (names.len > 0)
		buf_printf(s->why, "; it has %.*s", (int)names.len, names.p);
	buf_free(&names);
	return false;
}

/* Locations. */

/* The only operation of a location, at the address of the query. */
static bool
operation_of(struct variable_search *s, Dwarf_Attribute *location, Dwarf_Op *op)
{
	Dwarf_Op *ops;
	size_t n;

	if (location == NULL ||
	    dwarf_getlocation_addr(location, s->q->vaddr, &ops, &n, 1) != 1 ||
	    n == 0)
		return refuse(
		    s, "has no value at this address: the compiler moved it");
	if (n > 1)
		return refuse(s, "is split into several parts at this address");
	*op = ops[0];
	return true;
}

static void
at_register(struct variable_search *s, uint64_t number, int64_t offset)
{
	s->v->base = number;
	s->object.offset += offset;
}

/* Of DW_OP_fbreg: the CFA, or a register. */
static bool
add_frame_base(struct variable_search *s)
{
	Dwarf_Die function = from(&s->q->function);
	Dwarf_Attribute attribute;
	Dwarf_Op op;

	if (!operation_of(
		s,
		dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute),
		&op))
		return false;
	if (op.atom == DW_OP_call_frame_cfa && s->q->has_cfa)
		at_register(s, s->q->cfa_register, s->q->cfa_offset);
	else if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31)
		at_register(s, op.atom - DW_OP_reg0, 0);
	else if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
		at_register(s, op.atom - DW_OP_breg0, (int64_t)op.number);
	else
		return refuse(
		    s, "is in a frame whose base is unknown at this address");
	return true;
}

static bool
locate(struct variable_search *s, Dwarf_Die *variable)
{
	Dwarf_Attribute attribute;
	Dwarf_Attribute *location = dwarf_attr_integrate(
	    variable, DW_AT_location, &attribute);
	Dwarf_Op op;

	if (!operation_of(s, location, &op))
		return false;
	s->object.in_memory = true;
	if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31) {
		s->object.in_memory = false;
		at_register(s, op.atom - DW_OP_reg0, 0);
	} else if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) {
		at_register(s, op.atom - DW_OP_breg0, (int64_t)op.number);
	} else if (op.atom == DW_OP_addr) {
		s->v->absolute = true;
		s->v->base = op.number;
	} else if (op.atom == DW_OP_fbreg) {
		/* Arguments on the stack lie above the CFA from the start. */
		s->v->after_prologue = s->q->at_entry && (int64_t)op.number < 0;
		s->object.offset = (int64_t)op.number;
		return add_frame_base(s);
	} else {
		return refuse(s, "has no location that the kernel can fetch");
	}
	return true;
}

bool
variable_find(const struct variable_query *q, struct variable_value *v,
	      struct buf *why)
{
	struct variable_search s = { .q = q, .v = v, .why = why };
	Dwarf_Die function = from(&q->function), unit = from(&q->unit), found;
	const struct str name = first_word(q->expression);

	*v = (struct variable_value){ 0 };
	if (!find_variable(&s, &function, name, &found, 0) &&
	    !find_variable(&s, &unit, name, &found, MOST_NESTED - 1))
		return lacks(&s, name, &function);
	if (!type_of(&found, &s.object.type))
		return refuse(&s, "has an unknown type");
	return locate(&s, &found) && follow_reference(&s) &&
	       enter(&s, str_skip(q->expression, name.len)) && finish(&s);
}
