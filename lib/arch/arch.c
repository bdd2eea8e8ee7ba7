/* arch.c - the table of machines, and conversions that it drives. */
#include "arch/arch.h"

#include "arch/arch-internal.h"
#include "arch/callnames.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>

static const struct arch *const machines[] = {
	&arch_x86_64,
	&arch_aarch64,
	&arch_i386,
	&arch_riscv64,
};

#define MACHINES (sizeof(machines) / sizeof(*machines))

const struct arch *
arch_of(int machine)
{
	size_t i;

	for (i = 0; i < MACHINES; i++)
		if (machines[i]->machine == machine)
			return machines[i];
	return NULL;
}

const struct arch *
arch_of_header(struct str header)
{
	const struct arch *a;
	Elf32_Ehdr h; /* 64-bit files have the same fields up to here */

	if (header.len < ARCH_ELF_HEADER)
		return NULL;
	memcpy(&h, header.p, ARCH_ELF_HEADER);
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
		return NULL;
	a = arch_of(h.e_machine);
	return a != NULL && h.e_ident[EI_CLASS] ==
				(a->word == 8 ? ELFCLASS64 : ELFCLASS32) ?
		   a :
		   NULL;
}

/* Linkers define this symbol: the ELF header of this program. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

const struct arch *
arch_host(void)
{
	return arch_of(__ehdr_start.e_machine);
}

static bool
has_name(const struct arch *a, struct str name)
{
	struct str rest = str_of(a->names);

	while (rest.len > 0)
		if (str_eq(str_cut(&rest, ' '), name))
			return true;
	return false;
}

const struct arch *
arch_named(struct str name)
{
	size_t i;

	if (name.len == 0)
		return arch_host();
	for (i = 0; i < MACHINES; i++)
		if (has_name(machines[i], name))
			return machines[i];
	return NULL;
}

const struct arch *
arch_of_abi(const struct arch *a, uint64_t abi)
{
	enum { ABI_32 = 1, ABI_64 = 2 };
	const uint64_t own = a->word == 8 ? ABI_64 : ABI_32;

	return abi == own ? a : abi == ABI_32 ? a->compat : NULL;
}

static void
set_word(const struct arch *a, struct arch_registers *r,
	 const struct arch_order *order, unsigned i, uint64_t value)
{
	if (i >= order->n || order->number[i] == ARCH_OTHER)
		return;
	arch_set(r, order->number[i], a->word == 4 ? (uint32_t)value : value);
}

bool
arch_perf_registers(const struct arch *a, uint64_t mask, const uint64_t *values,
		    size_t n, struct arch_registers *r)
{
	unsigned bit;
	size_t i = 0;

	*r = (struct arch_registers){ .known = 0 };
	for (bit = 0; bit < 64 && i < n; bit++)
		if (mask >> bit & 1)
			set_word(a, r, &a->perf, bit, values[i++]);
	return arch_knows(r, a->sp) && arch_knows(r, a->pc);
}

static uint64_t
word_at(const struct arch *a, const void *regset, size_t i)
{
	uint64_t wide;
	uint32_t narrow;

	if (a->word == 4) {
		memcpy(&narrow, (const char *)regset + i * 4, 4);
		return narrow;
	}
	memcpy(&wide, (const char *)regset + i * 8, 8);
	return wide;
}

/*
 * After a result of -512 to -516, the kernel restarts the call; see its
 * include/linux/errno.h.
 */
static void
find_call(struct arch_thread *t, const void *regset)
{
	const struct arch *a = t->arch;
	int64_t result;

	t->call = -1;
	if (a->call_word == 0)
		return;
	t->call = (int64_t)word_at(a, regset, a->call_word);
	result = (int64_t)word_at(a, regset, a->result_word);
	if (a->word == 4) {
		t->call = (int32_t)t->call;
		result = (int32_t)result;
	}
	if (t->call < 0)
		return;
	t->interrupted = result == -EINTR;
	t->waited = t->interrupted || (result <= -512 && result >= -516);
}

/* The machine, of those of this host, whose NT_PRSTATUS has a size. */
static const struct arch *
machine_of_size(size_t size)
{
	const struct arch *a = arch_host();

	while (a != NULL && size != (size_t)a->regset.n * a->word)
		a = a->compat;
	return a;
}

bool
arch_regset(struct arch_thread *t, const void *regset, size_t size)
{
	const struct arch *a = machine_of_size(size);
	unsigned i;

	*t = (struct arch_thread){ .arch = a, .call = -1 };
	/* Before Linux 5.11, 32-bit code of a 64-bit process looks so. */
	if (a == NULL ||
	    (a->mode_word != 0 && word_at(a, regset, a->mode_word) != a->mode))
		return false;
	for (i = 0; i < a->regset.n; i++)
		set_word(a, &t->registers, &a->regset, i,
			 word_at(a, regset, i));
	t->sp = t->registers.value[a->sp];
	t->pc = t->registers.value[a->pc];
	if (a->thread_word != 0)
		t->thread_pointer = word_at(a, regset, a->thread_word);
	find_call(t, regset);
	return true;
}

struct arch_registers
arch_registers_at(const struct arch *a, uint64_t sp, uint64_t pc,
		  const uint64_t *arguments)
{
	struct arch_registers r = { .known = 0 };
	unsigned i;

	arch_set(&r, a->sp, sp);
	arch_set(&r, a->pc, pc);
	for (i = 0; arguments != NULL && i < a->arguments.n; i++)
		set_word(a, &r, &a->arguments, i, arguments[i]);
	return r;
}

const char *
arch_call_name(const struct arch *a, int64_t number)
{
	const struct arch *host = arch_host();

	if (number < 0 || host == NULL)
		return NULL;
	if (a == host)
		return (uint64_t)number < callnames_n ? callnames[number] :
							NULL;
	return a == host->compat && (uint64_t)number < callnames_compat_n ?
		   callnames_compat[number] :
		   NULL;
}

static int
compare_name(const void *name, const void *number)
{
	return strcmp(name, callnames[*(const uint16_t *)number]);
}

int
arch_call_number(const char *name)
{
	const uint16_t *found = bsearch(name, callnames_sorted,
					callnames_sorted_n, sizeof(*found),
					compare_name);

	return found == NULL ? -1 : *found;
}
