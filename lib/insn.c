/* insn.c - machine instructions as text, by libcapstone if it is there. */
#include "insn.h"

#include "mem.h"

#include <dlfcn.h>
#include <stdlib.h>

/* What of the library is used, as capstone.h of version 4 has it. */
struct capstone_insn {
	unsigned id;
	uint64_t address;
	uint16_t size;
	uint8_t bytes[16];
	char mnemonic[32];
	char op_str[160];
	void *detail;
};

enum { ARCH_ARM64 = 1, ARCH_X86 = 3, MODE_LITTLE = 0, MODE_64 = 1 << 3 };

struct insn {
	void *library;
	size_t handle;
	int (*open)(int arch, int mode, size_t *handle);
	int (*close)(size_t *handle);
	size_t (*disasm)(size_t handle, const void *code, size_t size,
			 uint64_t address, size_t count,
			 struct capstone_insn **insn);
	void (*free)(struct capstone_insn *insn, size_t count);
};

/* ISO C has no cast of an object's address to a function's. */
static bool
find(void *library, const char *name, void *function)
{
	void *p = dlsym(library, name);

	memcpy(function, &p, sizeof(p));
	return p != NULL;
}

static bool
begin(struct insn *i, int machine)
{
	bool is_x86 = machine == 62;

	i->library = dlopen("libcapstone.so.4", RTLD_NOW);
	return i->library != NULL && (is_x86 || machine == 183) &&
	       find(i->library, "cs_open", &i->open) &&
	       find(i->library, "cs_close", &i->close) &&
	       find(i->library, "cs_disasm", &i->disasm) &&
	       find(i->library, "cs_free", &i->free) &&
	       i->open(is_x86 ? ARCH_X86 : ARCH_ARM64,
		       is_x86 ? MODE_64 : MODE_LITTLE, &i->handle) == 0;
}

struct insn *
insn_new(int machine)
{
	struct insn *i = mem_zero(1, sizeof(*i));

	if (begin(i, machine))
		return i;
	if (i->library != NULL)
		dlclose(i->library);
	free(i);
	return NULL;
}

void
insn_free(struct insn *i)
{
	if (i == NULL)
		return;
	i->close(&i->handle);
	dlclose(i->library);
	free(i);
}

bool
insn_print(struct insn *i, struct str code, uint64_t address, struct buf *out)
{
	struct capstone_insn *insn;
	size_t n = i->disasm(i->handle, code.p, code.len, address, 1, &insn);

	if (n == 0)
		return false;
	buf_str(out, str_of(insn->mnemonic));
	if (insn->op_str[0] != '\0')
		buf_char(out, ' ');
	buf_str(out, str_of(insn->op_str));
	i->free(insn, n);
	return true;
}
