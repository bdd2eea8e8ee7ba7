/* elfmini.c - the symbols of mini-debuginfo, by libdwfl. */
#include "elfmini.h"

#include "outage.h"

#include <elfutils/libdwfl.h>
#include <unistd.h>

static int
find_nothing(Dwfl_Module *module, void **data, const char *name,
	     Dwarf_Addr base, const char *path, const char *link, GElf_Word crc,
	     char **found)
{
	(void)module, (void)data, (void)name, (void)base, (void)path;
	(void)link, (void)crc, (void)found;
	return -1;
}

static void
add_symbols(Dwfl_Module *module,
	    void (*add)(void *arg, const struct elffile_symbol *), void *arg)
{
	const int n = dwfl_module_getsymtab(module);
	struct elffile_symbol symbol;
	const char *name;
	GElf_Word section;
	GElf_Sym s;
	int i;

	for (i = 1; i < n; i++) {
		/* No address is adjusted: the base is 0. */
		name = dwfl_module_getsym(module, i, &s, &section);
		if (name == NULL)
			continue;
		symbol = (struct elffile_symbol){
			.name = name,
			.value = s.st_value,
			.size = s.st_size,
			.section = s.st_shndx,
			.type = GELF_ST_TYPE(s.st_info),
			.binding = GELF_ST_BIND(s.st_info),
			.visibility = GELF_ST_VISIBILITY(s.st_other)
		};
		add(arg, &symbol);
	}
}

bool
elfmini_symbols(int fd, void (*add)(void *arg, const struct elffile_symbol *),
		void *arg)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_nothing,
		.section_address = dwfl_offline_section_address
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;
	bool found = false;

	if (dwfl == NULL)
		return false;
	dwfl_report_begin(dwfl);
	fd = dup(fd);
	if (fd < 0)
		outage_check("an ELF file");
	/* The module has the descriptor then. */
	module = dwfl_report_elf(dwfl, "", "", fd, 0, true);
	if (module == NULL)
		close(fd);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module != NULL) {
		add_symbols(module, add, arg);
		found = true;
	}
	dwfl_end(dwfl);
	return found;
}
