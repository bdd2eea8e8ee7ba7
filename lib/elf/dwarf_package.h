/* dwarf_package.h - split debug information in a package (.dwp). */
#ifndef DWARF_PACKAGE_H
#define DWARF_PACKAGE_H

#include "elf/elffile.h"

/*
 * Format: DWARF 5, 7.3.5; its predecessor for DWARF 4, "DebugFission DWP" of
 * GCC.  A package has the .dwo sections of many units, one after another, and
 * an index of the parts of each unit.  libdw 0.188 does not read packages.
 */
struct dwarf_package;

/*
 * Use a file, which then belongs to the package.  If it has no index, or
 * another byte order than this host, close it and return NULL.
 */
struct dwarf_package *dwarf_package_new(struct elffile *f);
void dwarf_package_free(struct dwarf_package *p);

/* The parts of the file with the code that a split unit refers to. */
struct dwarf_package_main {
	struct str addresses; /* .debug_addr, from DW_AT_addr_base */
	struct str ranges;    /* DWARF 4: .debug_ranges, from the base */
	uint8_t address_size;
	uint64_t base; /* DW_AT_low_pc of the skeleton */
	int machine;   /* e_machine */
};

/*
 * Append an ELF file with the sections of the unit of an id (DW_AT_dwo_id), and
 * those of the main file.  The addresses in it are relative to the base,
 * because some ranges in the unit are.  False if the package lacks the unit.
 */
bool dwarf_package_unit(struct dwarf_package *p, uint64_t id,
			const struct dwarf_package_main *m, struct buf *image);

#endif
