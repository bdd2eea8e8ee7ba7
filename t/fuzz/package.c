/*
 * package - lib/elf/dwarf_package as a libFuzzer target: a .dwp file comes in,
 * and is asked for the units of its own index and for others.
 */
#include "base/cursor.h"
#include "elf/dwarf_package.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

/* The ids that the index of the file has, or what is in their place. */
static struct str
ids_of(struct elffile *f)
{
	struct str index = elffile_bytes(
	    f, elffile_named(f, STR(".debug_cu_index")));

	return str_skip(index, index.len < 16 ? index.len : 16);
}

static void
ask(struct dwarf_package *p, struct str ids)
{
	struct dwarf_package_main m = { .addresses = STR("0123456789abcdef"),
					.ranges = STR("0123456789abcdef"),
					.base = 0x1000,
					.machine = 62 };
	struct buf image = { 0 };
	uint64_t id;
	size_t i;

	for (i = 0; i < 64 && ids.len >= sizeof(id); i++) {
		memcpy(&id, ids.p, sizeof(id));
		ids = str_skip(ids, sizeof(id));
		m.address_size = (uint8_t)(i % 3 * 4);
		dwarf_package_unit(p, id, &m, &image);
		image.len = 0;
	}
	buf_free(&image);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	const struct str image = { (const char *)data, size };
	struct dwarf_package *p;
	struct elffile *f;
	struct buf ids = { 0 };
	const char *why;

	f = elffile_open_memory(image, &why);
	if (f == NULL)
		return 0;
	buf_str(&ids, ids_of(f));
	p = dwarf_package_new(f);
	if (p != NULL)
		ask(p, buf_slice(&ids));
	dwarf_package_free(p);
	buf_free(&ids);
	return 0;
}
