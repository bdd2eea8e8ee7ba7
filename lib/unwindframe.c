/* unwindframe.c - the frame pointer of a thread whose registers are unknown. */
#include "unwindframe.h"

#include <elf.h>

/* Where functions take the room for their variables. */
#define BEGINNING 128

/* Code, which is read in words. */
static size_t
read_code(const struct unwind_thread *t, uint64_t address, uint8_t *to,
	  size_t size)
{
	uint64_t word;
	size_t n;

	for (n = 0; n + sizeof(word) <= size; n += sizeof(word)) {
		if (!unwindrow_load(t, address + n, &word))
			break;
		memcpy(to + n, &word, sizeof(word));
	}
	return n;
}

/* Whether a function begins at an address, or a jump to one of a library. */
static bool
leads_to(const struct unwind_thread *t, uint64_t address, uint64_t begin)
{
	uint8_t code[16];
	size_t i = 0, n = read_code(t, address, code, sizeof(code));

	if (address == begin)
		return true;
	if (n < sizeof(code))
		return false;
	if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0) /* endbr64 */
		i = 4;
	i += code[i] == 0xf2; /* bnd */
	return code[i] == 0xff && code[i + 1] == 0x25;
}

/* Whether a call of a function is before an address, one of any length. */
static bool
is_called_from(const struct unwind_thread *t, uint64_t begin, uint64_t address)
{
	const uint8_t length[] = { 2, 3, 4, 6, 7 };
	struct unwind_map map;
	uint8_t code[8];
	int32_t to;
	size_t i;

	if (!t->map(t->arg, address - 1, &map) ||
	    read_code(t, address - 8, code, 8) < 8)
		return false;
	memcpy(&to, code + 4, sizeof(to));
	if (code[3] == 0xe8 && leads_to(t, address + (uint64_t)to, begin))
		return true;
	/* The opcode ff is a call where the next byte's middle says 2. */
	for (i = 0; i < sizeof(length); i++) {
		if (code[8 - length[i]] == 0xff &&
		    (code[9 - length[i]] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

/* Whether this is "sub $n,%rsp". */
static bool
is_taken(const uint8_t *code, size_t size, uint32_t *n)
{
	if (size < 7 || code[0] != 0x48 || code[2] != 0xec)
		return false;
	*n = code[3];
	if (code[1] == 0x81)
		memcpy(n, code + 3, sizeof(*n));
	return *n <= INT32_MAX && (code[1] == 0x81 || code[1] == 0x83);
}

/* How much of the stack there is from the CFA to what was saved last. */
static uint64_t
saved_size(const struct cfi_row *row)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < CFI_REGISTERS; i++)
		if (row->rules[i].how == CFI_AT_CFA && row->rules[i].n < n)
			n = row->rules[i].n;
	return (uint64_t)-n;
}

bool
unwindframe_find(const struct unwind_machine *m, const struct unwind_thread *t,
		 const struct cfi_row *row, uint64_t bias,
		 struct unwind_registers *r)
{
	const uint64_t begin = row->start + bias, pc = r->value[m->pc];
	uint64_t cfa = r->value[m->sp] + saved_size(row), caller;
	uint8_t code[BEGINNING];
	uint32_t taken;
	size_t n, i;

	/* push %rbp; mov %rsp,%rbp */
	if (m->machine != EM_X86_64 || row->cfa.how != CFI_REGISTER ||
	    row->cfa_register != m->fp || row->cfa.n != 16 || pc < begin)
		return false;
	n = read_code(t, begin, code, sizeof(code));
	if (n > pc - begin)
		n = pc - begin;
	for (i = 0; i < n; i++)
		if (is_taken(code + i, n - i, &taken))
			cfa += taken;
	if (!unwindrow_load(t, cfa - 8, &caller) ||
	    !is_called_from(t, begin, caller))
		return false;
	r->value[m->fp] = cfa - 16;
	r->known |= UINT64_C(1) << m->fp;
	return true;
}
