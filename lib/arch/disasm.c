/* disasm.c - disassemble machine instructions, if libcapstone is installed. */
#include "arch/disasm.h"

#include "arch/arch.h"
#include "base/mem.h"

#include <dlfcn.h>
#include <stdlib.h>

/* cs_insn of capstone.h, version 4. */
struct disasm_insn {
	unsigned id;
	uint64_t address;
	uint16_t size;
	uint8_t bytes[16];
	char mnemonic[32];
	char op_str[160];
	void *detail;
};

struct disasm {
	void *library;
	size_t handle;
	int (*open)(int arch, int mode, size_t *handle);
	int (*close)(size_t *handle);
	size_t (*disasm)(size_t handle, const void *code, size_t size,
			 uint64_t address, size_t count,
			 struct disasm_insn **insn);
	void (*free)(struct disasm_insn *insn, size_t count);
};

/* ISO C cannot cast the address of an object to that of a function. */
static bool
find_function(void *library, const char *name, void *function)
{
	void *p = dlsym(library, name);

	memcpy(function, &p, sizeof(p));
	return p != NULL;
}

static bool
load(struct disasm *d, int machine)
{
	const struct arch *a = arch_of(machine);

	if (a == NULL || a->capstone < 0)
		return false;
	d->library = dlopen("libcapstone.so.4", RTLD_NOW);
	return d->library != NULL &&
	       find_function(d->library, "cs_open", &d->open) &&
	       find_function(d->library, "cs_close", &d->close) &&
	       find_function(d->library, "cs_disasm", &d->disasm) &&
	       find_function(d->library, "cs_free", &d->free) &&
	       d->open(a->capstone, a->capstone_mode, &d->handle) == 0;
}

struct disasm *
disasm_new(int machine)
{
	struct disasm *d = mem_zero(1, sizeof(*d));

	if (load(d, machine))
		return d;
	if (d->library != NULL)
		dlclose(d->library);
	free(d);
	return NULL;
}

void
disasm_free(struct disasm *d)
{
	if (d == NULL)
		return;
	d->close(&d->handle);
	dlclose(d->library);
	free(d);
}

bool
disasm_print(struct disasm *d, struct str code, uint64_t address,
	     struct buf *out)
{
	struct disasm_insn *insn;
	size_t n = d->disasm(d->handle, code.p, code.len, address, 1, &insn);

	if (n == 0)
		return false;
	buf_str(out, str_of(insn->mnemonic));
	if (insn->op_str[0] != '\0')
		buf_char(out, ' ');
	buf_str(out, str_of(insn->op_str));
	d->free(insn, n);
	return true;
}
