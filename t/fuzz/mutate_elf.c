/*
 * mutate_elf - a mutator of ELF files of 64 bits: changes one section, or what
 * its header says, and leaves all others where they are.
 */
#include "mutate.h"

#include <elf.h>

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	Elf64_Ehdr e;
	Elf64_Shdr *s;
	uint8_t *copy, *header;
	size_t n;

	if (size < sizeof(e) || seed % 4 == 0)
		return LLVMFuzzerMutate(data, size, max);
	memcpy(&e, data, sizeof(e));
	if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_shnum == 0 ||
	    e.e_shoff > size || (size - e.e_shoff) / sizeof(*s) < e.e_shnum)
		return LLVMFuzzerMutate(data, size, max);
	header = data + e.e_shoff + seed / 8 % e.e_shnum * sizeof(*s);
	s = malloc(sizeof(*s));
	memcpy(s, header, sizeof(*s));
	if (seed / 4 % 2 == 0) {
		LLVMFuzzerMutate((uint8_t *)s, sizeof(*s), sizeof(*s));
		memcpy(header, s, sizeof(*s));
	} else if (s->sh_type != SHT_NOBITS && s->sh_offset <= size &&
		   s->sh_size <= size - s->sh_offset && s->sh_size > 0) {
		copy = malloc(s->sh_size);
		memcpy(copy, data + s->sh_offset, s->sh_size);
		n = LLVMFuzzerMutate(copy, s->sh_size, s->sh_size);
		memcpy(data + s->sh_offset, copy, n);
		free(copy);
	}
	free(s);
	return size;
}
