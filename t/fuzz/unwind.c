/*
 * unwind - lib/unwind and lib/cfi as a libFuzzer target.
 *
 * One unwinder serves a batch of inputs, each in an address space of its own:
 * its tables are large, and new ones would take half of the time.  Rules are
 * kept until the end of the batch, since the tables know them by their
 * addresses.
 *
 * The first 8 bytes are the sizes of .eh_frame, .eh_frame_hdr and .debug_frame,
 * or .sframe, 2 bytes each, the machine and flags, and the first of PLACES
 * places of the program; then come registers, these sections, and a stack.
 */
#include "unwind/missing_caller.h"
#include "unwind/unwind_record.h"

#include <elf.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* Where the program, and its stack, lie in the process. */
enum { BIAS = 0x10000, CODE = 0x100000, STACK = 0x7f0000 };

/* More of them make a run slower, and find nothing that other runs do not. */
enum { PLACES = 6, STEP = 7 };

static bool
map(void *arg, uint64_t address, struct unwind_map *m)
{
	*m = (struct unwind_map){ BIAS, CODE, BIAS, arg };
	return address >= BIAS && address < CODE;
}

/* All memory but the stack has its own address in it. */
static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	(void)arg;
	memset(to, 0, n);
	memcpy(to, &address, n < sizeof(address) ? n : sizeof(address));
	return address % 3 != 0;
}

static struct str
cut(struct str *rest, size_t n)
{
	struct str s = *rest;

	if (n < s.len)
		s.len = n;
	*rest = str_skip(*rest, s.len);
	return s;
}

static size_t
size_at(const unsigned char *data)
{
	return data[0] | (size_t)data[1] << 8;
}

static bool
leads(void *arg, uint64_t stub, uint64_t function)
{
	(void)arg;
	return (stub ^ function) & 1;
}

static void
find_missing(struct unwind *u, const struct unwind_thread *t, uint64_t first)
{
	struct missing_callers *m = missing_caller_new();
	struct missing_caller_query q = { .unwind = u,
					  .thread = t,
					  .leads = leads };
	uint64_t address;
	bool several;

	for (q.leaf = first; t->read != NULL && t->arch->branch != NULL &&
			     q.leaf < first + PLACES * STEP;
	     q.leaf += STEP) {
		unwind_record(u, t, q.leaf, true);
		q.next = BIAS + 0x300 - q.leaf % 0x100;
		missing_caller_find(m, &q, &address, &several);
	}
	missing_caller_free(m);
}

/* The registers as they are, and at some places of the program. */
static void
unwind_all(struct unwind *u, struct unwind_thread *t, uint64_t first)
{
	struct unwind_frame frames[64];
	enum unwind_end end;
	uint64_t at, caller;

	unwind_stack(u, t, frames, 64, &end);
	unwind_link(t, &caller);
	for (at = first; at < first + PLACES * STEP; at += STEP) {
		t->registers.value[t->arch->pc] = at;
		unwind_stack(u, t, frames, 64, &end);
		unwind_link(t, &caller);
	}
}

static struct batch {
	struct unwind *unwind;
	struct cfi *cfi[64];
	size_t n;
	uint64_t space; /* of the last input */
} batch;

/* Begin a new batch if this one is full. */
static void
begin_batch(void)
{
	const size_t max = sizeof(batch.cfi) / sizeof(*batch.cfi);

	if (batch.unwind != NULL && batch.n < max)
		return;
	unwind_free(batch.unwind);
	while (batch.n > 0)
		cfi_free(batch.cfi[--batch.n]);
	batch.unwind = unwind_new();
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct cfi_sections s = { .swap = false };
	struct unwind_thread t = { .arch = arch_of(EM_X86_64),
				   .map = map,
				   .stack_start = STACK };
	struct str rest, registers;
	struct cfi *c;

	if (size < 8)
		return 0;
	rest = (struct str){ (const char *)data + 8, size - 8 };
	if (data[6] & 1)
		t.arch = arch_of(EM_AARCH64);
	else if (data[6] & 16)
		t.arch = arch_of(EM_RISCV);
	else if (data[6] & 32)
		t.arch = arch_of(EM_386);
	s.is_64 = !(data[6] & 2);
	s.swap = (data[6] & 4) != 0;
	t.read = data[6] & 8 ? read_memory : NULL;
	registers = cut(&rest, sizeof(t.registers.value));
	memcpy(t.registers.value, registers.p, registers.len);
	t.registers.known = (UINT64_C(1) << ARCH_REGISTERS) - 1;
	s.eh_frame.bytes = cut(&rest, size_at(data));
	s.eh_frame.vaddr = 0x1000;
	s.eh_frame_hdr.bytes = cut(&rest, size_at(data + 2));
	s.eh_frame_hdr.vaddr = 0x800;
	s.debug_frame.bytes = cut(&rest, size_at(data + 4));
	if (data[6] & 64) {
		s.sframe = (struct cfi_section){ s.debug_frame.bytes, 0x1000 };
		s.debug_frame.bytes.len = 0;
	}
	t.stack = rest;
	c = cfi_new(&s);
	begin_batch();
	batch.cfi[batch.n++] = c;
	t.space = ++batch.space;
	t.arg = c;
	unwind_all(batch.unwind, &t, BIAS + 2 * data[7]);
	find_missing(batch.unwind, &t, BIAS + 2 * data[7]);
	return 0;
}
