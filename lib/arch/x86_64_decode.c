/* x86_64_decode.c - instructions of x86-64: lengths and jumps. */
#include "arch/x86_64_decode.h"

#include "arch/arch-internal.h"

/* Opcodes of one byte: M has a ModRM, 1, 2, 4 bytes follow, - is invalid. */
static const char one_byte[256 + 1] =
    "MMMM14--MMMM14--MMMM14--MMMM14--" /* 00: 0f is no opcode */
    "MMMM14--MMMM14--MMMM14--MMMM14--" /* 20 */
    "----------------................" /* 40: REX, push, pop */
    "---M----4i1b....1111111111111111" /* 60 */
    "bi-bMMMMMMMMMMMM..........-....." /* 80 */
    "oooo....14......11111111vvvvvvvv" /* a0 */
    "bb2.--bi3.2..1-.MMMM---.MMMMMMMM" /* c0 */
    "1111111144-1....-.--..MM......MM" /* e0 */;

/* Find the operands of a one-byte opcode by its letter in the table. */
static bool
find_operands(const struct x86_instruction *x, char letter, bool *modrm,
	      size_t *immediate)
{
	const size_t word = x->operand16 ? 2 : 4;

	*modrm = strchr("Mbi", letter) != NULL;
	*immediate = 0;
	switch (letter) {
	case '-':
		return false;
	case '1':
	case 'b':
		*immediate = 1;
		break;
	case '2':
		*immediate = 2;
		break;
	case '3':
		*immediate = 3;
		break;
	case '4':
	case 'i':
		*immediate = word;
		break;
	case 'v': /* mov to a register */
		*immediate = x->opcode < 0xb8 ? 1 : x->wide ? 8 : word;
		break;
	case 'o':
		*immediate = 8;
		break;
	}
	return true;
}

/* The same for two bytes. */
static bool
find_operands_0f(const struct x86_instruction *x, bool *modrm,
		 size_t *immediate)
{
	const uint8_t op = x->opcode;

	*immediate = (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac ||
			     op == 0xba || op == 0xc2 ||
			     (op >= 0xc4 && op <= 0xc6) ?
			 1 :
		     op >= 0x80 && op <= 0x8f ? 4 :
						0;
	*modrm = !(op < 0x0d || op == 0x0e || (op >= 0x30 && op <= 0x37) ||
		   op == 0x77 || (op >= 0x80 && op <= 0x8f) ||
		   (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) ||
		   (op >= 0xc8 && op <= 0xcf)) ||
		 op <= 3;
	return op != 0x04 && op != 0x0a && op != 0x0c;
}

/* The bytes of a ModRM, with what its address takes. */
static size_t
modrm_length(struct str code)
{
	const uint8_t modrm = code.len > 0 ? (uint8_t)code.p[0] : 0;
	const uint8_t mod = modrm >> 6, rm = modrm & 7;
	const size_t sib = mod != 3 && rm == 4;
	const bool no_base = sib && code.len > 1 && (code.p[1] & 7) == 5;

	return 1 + sib +
	       (mod == 1                         ? 1 :
		mod == 2                         ? 4 :
		mod == 0 && (rm == 5 || no_base) ? 4 :
						   0);
}

/* Read prefixes; returns where the opcode begins. */
static size_t
read_prefixes(struct str code, struct x86_instruction *x)
{
	size_t at = 0;
	uint8_t b;

	for (b = x86_64_decode_byte(code, at);
	     b == 0x66 || b == 0x67 || b == 0xf0 || b == 0xf2 || b == 0xf3 ||
	     b == 0x2e || b == 0x36 || b == 0x3e || b == 0x26 || b == 0x64 ||
	     b == 0x65;
	     b = x86_64_decode_byte(code, ++at))
		x->operand16 |= b == 0x66;
	if (b >> 4 == 4) {
		x->rex = b;
		x->wide = b >> 3 & 1;
		at++;
	}
	return at;
}

/* Vectors: VEX of 2 and 3 bytes, EVEX; returns where the opcode is, or 0. */
static size_t
read_vector(struct str code, size_t at, struct x86_instruction *x)
{
	const uint8_t b = x86_64_decode_byte(code, at),
		      map = x86_64_decode_byte(code, at + 1);

	if (x->rex != 0 || (b != 0xc5 && b != 0xc4 && b != 0x62))
		return 0;
	x->map = b == 0xc5 || (map & 3) == 1 ? 0x0f :
		 (map & 3) == 2              ? 0x38 :
					       0x3a;
	return at + (b == 0xc5 ? 2 : b == 0xc4 ? 3 : 4);
}

static bool
read_opcode(struct str code, size_t *at, struct x86_instruction *x)
{
	const size_t vector = read_vector(code, *at, x);

	if (vector > 0) {
		*at = vector;
	} else if (x86_64_decode_byte(code, *at) == 0x0f) {
		x->map = 0x0f;
		++*at;
		if (x86_64_decode_byte(code, *at) == 0x38 ||
		    x86_64_decode_byte(code, *at) == 0x3a)
			x->map = x86_64_decode_byte(code, (*at)++);
	}
	x->opcode = x86_64_decode_byte(code, (*at)++);
	return *at <= code.len;
}

void
x86_64_decode(struct str code, struct x86_instruction *x)
{
	bool modrm = true;
	size_t immediate = 0, at;

	*x = (struct x86_instruction){ 0 };
	at = read_prefixes(code, x);
	if (!read_opcode(code, &at, x))
		return;
	if (x->map == 0x3a)
		immediate = 1;
	else if ((x->map == 0x0f && !find_operands_0f(x, &modrm, &immediate)) ||
		 (x->map == 0 &&
		  !find_operands(x, one_byte[x->opcode], &modrm, &immediate)))
		return;
	if (modrm) {
		x->modrm_at = at;
		x->modrm = x86_64_decode_byte(code, at);
		at += modrm_length(str_skip(code, at));
	}
	/* test has a number, the others of its group have none. */
	if (x->map == 0 && (x->opcode == 0xf6 || x->opcode == 0xf7) &&
	    (x->modrm >> 3 & 7) < 2)
		immediate = x->opcode == 0xf6 ? 1 : x->operand16 ? 2 : 4;
	x->length = at + immediate <= code.len ? at + immediate : 0;
}

int64_t
x86_64_decode_number(struct str code, size_t at, size_t size)
{
	return size == 1          ? (int8_t)x86_64_decode_byte(code, at) :
	       at + 4 <= code.len ? (int32_t)arch_code_u32(code.p + at) :
				    0;
}

bool
x86_64_decode_jump(struct str code, const struct x86_instruction *x,
		   uint64_t next, uint64_t *target, bool *conditional)
{
	const uint8_t op = x->opcode;
	const bool narrow = x->map == 0 && (op >> 4 == 7 || op == 0xeb ||
					    (op >= 0xe0 && op <= 0xe3));
	const bool always = x->map == 0 && (op == 0xeb || op == 0xe9);
	const size_t size = narrow ? 1 : 4;

	*conditional = !always;
	if (!narrow && !always && !(x->map == 0x0f && op >> 4 == 8))
		return false;
	*target = next +
		  (uint64_t)x86_64_decode_number(code, x->length - size, size);
	return true;
}

bool
x86_64_decode_returns(const struct x86_instruction *x)
{
	return x->map == 0 && (x->opcode == 0xc3 || x->opcode == 0xc2);
}

bool
x86_64_decode_jumps_anywhere(const struct x86_instruction *x)
{
	const uint8_t what = x->modrm >> 3 & 7;

	return x->map == 0 && x->opcode == 0xff && (what == 4 || what == 5);
}

/* hlt, int3, ud2 */
bool
x86_64_decode_ends(const struct x86_instruction *x)
{
	return (x->map == 0 && (x->opcode == 0xf4 || x->opcode == 0xcc)) ||
	       (x->map == 0x0f && x->opcode == 0x0b);
}
