/* knowncode.c - unwind tables of code that comes without any. */
#include "unwind/knowncode.h"

bool
knowncode_is_python(struct str name)
{
	return str_starts(name, STR("py::"));
}

static struct cfi *
make(const struct arch *a, struct str table)
{
	struct cfi_sections s = { .is_64 = a->word == 8 };

	/* All machines of lib/arch are little-endian. */
	s.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	s.eh_frame.bytes = table;
	return cfi_new(&s);
}

struct cfi *
knowncode_python(const struct arch *a)
{
	return a == NULL ? NULL : make(a, a->python);
}

bool
knowncode_is_call(const struct arch *a, uint64_t address)
{
	return address % 16 == a->vdso_call_at;
}

struct cfi *
knowncode_call(const struct arch *a)
{
	return make(a, a->vdso_call);
}
