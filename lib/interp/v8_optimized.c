/* v8_optimized.c - functions that are inlined in optimised code of V8. */
#include "interp/v8_optimized.h"

#include "base/peek.h"
#include "base/table.h"
#include "interp/v8_string.h"

/* Limits: bytes of code to search, of tables, and operations to decode. */
enum {
	MAX_CODE = 1 << 18,
	MAX_SAFEPOINTS = 1 << 16,
	MAX_TRANSLATION = 1 << 18,
	MAX_OPERATIONS = 4096,
	MAX_PLACES = 1 << 16
};

/* Instructions begin at multiples of this. */
enum { ALIGNMENT = 64 };

/* Code from V8 11 on. */
enum { CODE_START = 40, CODE_BYTES = 64, KIND = 15 };

/* Elements that each entry of DeoptimizationData has. */
enum { ENTRY_WORDS = 3, ENTRY_TRANSLATION = 1 };

struct v8_code_place {
	uint64_t pc, start; /* 0: it is in no code */
	UT_hash_handle hh;
};

static void
clear(struct v8_optimized *o)
{
	struct v8_code_place *p, *next;

	HASH_ITER(hh, o->places, p, next)
	{
		HASH_DEL(o->places, p);
		free(p);
	}
}

void
v8_optimized_free(struct v8_optimized *o)
{
	clear(o);
	buf_free(&o->bytes);
}

static bool
get(struct interp_copy *copy, uint64_t address, char *to, size_t n)
{
	return interp_copy_get(copy, address, to, n, n);
}

/* Finding code. */

/* Whether code begins at an address, and has the pc. */
static bool
read_code(struct v8_optimized *o, const struct v8_layout *l,
	  struct interp_copy *copy, uint64_t start, uint64_t pc,
	  struct v8_code *code)
{
	const bool points = l->code.before < CODE_BYTES;
	char head[CODE_BYTES], bytes[CODE_BYTES];
	uint64_t object;
	uint32_t kind;

	if (!get(copy, start - l->code.before, head,
		 points ? 2 * sizeof(uint64_t) : sizeof(head)) ||
	    peek_u64(head, 0) != o->map)
		return false;
	memcpy(bytes, head, sizeof(bytes));
	if (points) {
		object = peek_u64(head, sizeof(uint64_t));
		if (!v8_is_object(object) ||
		    !get(copy, object - 1, bytes, sizeof(bytes)) ||
		    peek_u64(bytes, CODE_START) != start)
			return false;
	}
	code->start = start;
	code->size = peek_u32(bytes, l->code.instruction_bytes);
	code->deoptimization = 0;
	kind = peek_u32(bytes, l->code.flags) & KIND;
	code->maglev = kind == l->code.baseline + 1U;
	if (kind > l->code.baseline)
		code->deoptimization = peek_u64(bytes, l->code.deoptimization);
	return pc > start && pc - start <= code->size;
}

/* Whether a word may be the map that lies before instructions. */
static bool
is_map(struct v8_optimized *o, const struct v8_layout *l,
       struct interp_copy *copy, uint64_t word)
{
	uint16_t type;

	if (o->map != 0 || !v8_is_object(word) || word >> 47 != 0 ||
	    !interp_copy_read(copy, word - 1 + V8_MAP_TYPE, &type,
			      sizeof(type)) ||
	    type != l->code.type)
		return word == o->map && word != 0;
	/* It is in memory that never moves. */
	o->map = word;
	return true;
}

/*
 * Search code backwards from a pc for its start; 0 if it is not found.  Large
 * blocks may reach beyond the memory of code.
 */
static uint64_t
search_start(struct v8_optimized *o, const struct v8_layout *l,
	     struct interp_copy *copy, uint64_t pc)
{
	enum { BLOCK = 4096, SMALL_BLOCK = 256 };
	char bytes[BLOCK];
	const uint64_t before = l->code.before;
	struct v8_code code;
	uint64_t start = pc / ALIGNMENT * ALIGNMENT, low;
	size_t block = BLOCK;

	while (pc - start < MAX_CODE && start > BLOCK) {
		/* It has the words before the starts above low. */
		low = start - block;
		if (!interp_copy_read(copy, low + ALIGNMENT - before, bytes,
				      block)) {
			if (block == SMALL_BLOCK)
				return 0;
			block = SMALL_BLOCK;
			continue;
		}
		for (; start > low; start -= ALIGNMENT) {
			if (is_map(o, l, copy,
				   peek_u64(bytes, start - low - ALIGNMENT)) &&
			    read_code(o, l, copy, start, pc, &code))
				return start;
		}
	}
	return 0;
}

bool
v8_optimized_code(struct v8_optimized *o, const struct v8_layout *l,
		  struct interp_copy *copy, uint64_t pc, struct v8_code *code)
{
	struct v8_code_place *p;
	char word[sizeof(uint64_t)];

	HASH_FIND(hh, o->places, &pc, sizeof(pc), p);
	if (p == NULL ||
	    (p->start != 0 && !read_code(o, l, copy, p->start, pc, code))) {
		if (p == NULL) {
			if (HASH_COUNT(o->places) >= MAX_PLACES)
				clear(o);
			p = mem_zero(1, sizeof(*p));
			p->pc = pc;
			HASH_ADD(hh, o->places, pc, sizeof(p->pc), p);
		}
		p->start = search_start(o, l, copy, pc);
	}
	if (p->start == 0 || !read_code(o, l, copy, p->start, pc, code) ||
	    !v8_is_object(code->deoptimization) ||
	    !get(copy,
		 code->deoptimization - 1 + V8_ARRAY_DATA +
		     sizeof(uint64_t) * l->deoptimization.optimization,
		 word, sizeof(word)))
		return false;
	code->optimization = v8_small(peek_u64(word, 0));
	return true;
}

/* Translations. */

/* A translation while it is decoded. */
struct translation {
	const struct v8_opcodes *codes;
	const char *bytes;
	size_t n, at;
	size_t earlier;  /* where the translation is that this one repeats */
	uint32_t repeat; /* operations that are still those of the earlier one
			  */
	uint32_t passed; /* operations since the place in the earlier one */
	bool bad;
};

/* A number in groups of seven bits, the lowest first. */
static uint32_t
decode(struct translation *t, size_t *at)
{
	uint32_t value = 0, byte = 0x80;
	int shift;

	for (shift = 0; (byte & 0x80) != 0; shift += 7) {
		if (*at >= t->n || shift > 28) {
			t->bad = true;
			return 0;
		}
		byte = (unsigned char)t->bytes[(*at)++];
		value |= (byte & 0x7f) << shift;
	}
	return value;
}

static uint32_t
next_operand(struct translation *t)
{
	return decode(t, t->repeat > 0 ? &t->earlier : &t->at);
}

/* The lowest bit is the sign. */
static int32_t
next_signed(struct translation *t)
{
	const uint32_t n = next_operand(t);

	return (n & 1) != 0 ? -(int32_t)(n >> 1) : (int32_t)(n >> 1);
}

static int
operands_of(struct translation *t, uint32_t opcode)
{
	if (opcode >= strlen(t->codes->operands)) {
		t->bad = true;
		return 0;
	}
	return t->codes->operands[opcode] - '0';
}

static void
skip_earlier(struct translation *t)
{
	int n = operands_of(t, decode(t, &t->earlier));

	while (n-- > 0)
		decode(t, &t->earlier);
}

/* Numbers beyond the opcodes say how much to repeat. */
static uint32_t
next_opcode(struct translation *t)
{
	const uint32_t opcodes = (uint32_t)strlen(t->codes->operands);
	uint32_t opcode;

	if (t->repeat > 0)
		t->repeat--;
	if (t->repeat > 0)
		return decode(t, &t->earlier);
	if (t->codes->is_signed)
		return decode(t, &t->at) >> 1;
	if (t->at >= t->n) {
		t->bad = true;
		return 0;
	}
	opcode = (unsigned char)t->bytes[t->at++];
	if (opcode != t->codes->repeat && opcode < opcodes) {
		t->passed++;
		return opcode;
	}
	if (opcode == t->codes->repeat)
		t->repeat = decode(t, &t->at);
	else
		t->repeat = opcode - opcodes;
	for (; t->passed > 0 && !t->bad; t->passed--)
		skip_earlier(t);
	t->bad |= t->earlier >= t->at;
	return decode(t, &t->earlier);
}

/* Pass the operation that begins it; the number of functions. */
static uint32_t
begin(struct translation *t)
{
	const size_t start = t->at;
	const uint32_t opcode = next_opcode(t);
	uint32_t distance;
	int32_t functions;

	if (opcode != t->codes->begin[0] && opcode != t->codes->begin[1]) {
		t->bad = true;
		return 0;
	}
	if (!t->codes->is_signed) {
		distance = next_operand(t);
		t->bad |= distance > start;
		t->earlier = start - distance;
	}
	next_operand(t);
	functions = next_signed(t);
	if (t->codes->is_signed)
		next_operand(t);
	t->bad |= functions < 0;
	return (uint32_t)functions;
}

struct translated {
	int32_t literal, offset;
};

/*
 * Decode the functions, outermost first; other operations say where their
 * variables are.
 */
static size_t
translate(struct translation *t, struct translated *to)
{
	const struct v8_opcodes *c = t->codes;
	uint32_t opcode, functions = begin(t);
	size_t n = 0;
	int operands, i;

	for (i = 0; i < MAX_OPERATIONS && !t->bad && functions > 0; i++) {
		opcode = next_opcode(t);
		operands = operands_of(t, opcode);
		if (opcode >= c->function[0] && opcode <= c->function[1])
			functions--;
		if (opcode >= c->function[0] && opcode <= c->interpreted) {
			if (n == V8_INLINED_MAX)
				return 0;
			to[n].offset = next_signed(t);
			to[n++].literal = next_signed(t);
			operands -= 2;
		}
		while (operands-- > 0)
			next_operand(t);
	}
	return n;
}

/* Numbers of so many bytes, the lowest first. */
static int64_t
bytes_at(const char *p, size_t n)
{
	int64_t value = 0;

	while (n-- > 0)
		value = value << 8 | (unsigned char)p[n];
	return value;
}

/*
 * The number of the deoptimisation at a return address, by the safepoints that
 * follow the instructions; -1 if there is none.
 */
static int64_t
find_deoptimization(struct v8_optimized *o, const struct v8_layout *l,
		    struct interp_copy *copy, const struct v8_code *code,
		    uint64_t pc)
{
	const uint64_t table = code->start + code->size;
	/* Maglev has a word more, and a byte more for each address. */
	const size_t header = l->safepoint_header + (code->maglev ? 4U : 0U);
	char head[16];
	uint32_t configuration, entries, i;
	size_t registers, address, index, entry;

	if (!interp_copy_read(copy, table, head, header))
		return -1;
	entries = peek_u32(head, l->safepoint_header - 8U);
	configuration = peek_u32(head, l->safepoint_header - 4U);
	registers = configuration >> 1 & 7;
	address = configuration >> 4 & 7;
	index = configuration >> 7 & 7;
	entry = registers + 2 * address + index + code->maglev;
	if ((configuration & 1) == 0 || entries > MAX_SAFEPOINTS ||
	    entry * entries > MAX_SAFEPOINTS)
		return -1;
	o->bytes.len = 0;
	buf_reserve(&o->bytes, entry * entries + 1);
	if (!interp_copy_read(copy, table + header, o->bytes.p,
			      entry * entries))
		return -1;
	for (i = 0; i < entries; i++) {
		if (bytes_at(o->bytes.p + i * entry, address) ==
		    (int64_t)(pc - code->start))
			return bytes_at(o->bytes.p + i * entry + address,
					index) -
			       1;
	}
	return -1;
}

/* Element i of an array; 0 if there is none. */
static uint64_t
element(struct interp_copy *copy, uint64_t array, uint64_t i)
{
	const int32_t n = v8_small(
	    v8_string_word(copy, array, V8_ARRAY_LENGTH));

	return n > 0 && i < (uint64_t)n ?
		   v8_string_word(copy, array,
				  V8_ARRAY_DATA + sizeof(uint64_t) * i) :
		   0;
}

/* Read the bytes of translations up to the end of one. */
static bool
read_translations(struct v8_optimized *o, struct interp_copy *copy,
		  uint64_t array)
{
	const int32_t n = v8_small(
	    v8_string_word(copy, array, V8_ARRAY_LENGTH));

	if (n <= 0 || n > MAX_TRANSLATION)
		return false;
	o->bytes.len = 0;
	buf_reserve(&o->bytes, (size_t)n);
	o->bytes.len = (size_t)n;
	return interp_copy_read(copy, array - 1 + V8_ARRAY_DATA, o->bytes.p,
				(size_t)n);
}

size_t
v8_optimized_inlined(struct v8_optimized *o, const struct v8_layout *l,
		     struct interp_copy *copy, const struct v8_code *code,
		     uint64_t pc, struct v8_inlined *inlined)
{
	const uint64_t data = code->deoptimization, weak = 2;
	const int64_t index = find_deoptimization(o, l, copy, code, pc);
	struct translation t = { .codes = l->opcodes };
	struct translated found[V8_INLINED_MAX];
	uint64_t literals, at;
	size_t n, i;

	if (index < 0 || !read_translations(o, copy, element(copy, data, 0)))
		return 0;
	at = l->deoptimization.entries + (uint64_t)index * ENTRY_WORDS;
	t.bytes = o->bytes.p;
	t.n = o->bytes.len;
	t.at = (uint32_t)v8_small(element(copy, data, at + ENTRY_TRANSLATION));
	n = translate(&t, found);
	if (t.bad)
		return 0;
	literals = element(copy, data, l->deoptimization.literals);
	for (i = 0; i < n; i++) {
		inlined[i].offset = found[i].offset;
		inlined[i].shared =
		    element(copy, literals, (uint32_t)found[i].literal) & ~weak;
	}
	return n;
}
