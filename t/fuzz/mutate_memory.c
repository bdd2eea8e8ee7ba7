/*
 * mutate_memory - a mutator of the memory of a process that the targets of
 * lib/interp read: two bytes, then memory, whose words are often addresses of
 * other words.
 */
#include "mutate.h"

enum { HEAD = 2, WORD = 8 };

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t words = size < HEAD ? 0 : (size - HEAD) / WORD, from, to;
	uint64_t value;

	if (words == 0 || seed % 2 == 0)
		return LLVMFuzzerMutate(data, size, max);
	seed /= 2;
	from = seed / 4 % words;
	to = seed / 4 / words % words;
	value = mutate_get(data + HEAD + from * WORD, WORD);
	switch (seed % 4) {
	case 0: /* the address of a word, */
	case 1:
		value = to * WORD;
		break;
	case 2: /* the word that is there, */
		value = mutate_get(data + HEAD + to * WORD, WORD);
		break;
	default: /* or one near */
		value += WORD;
		break;
	}
	mutate_put(data + HEAD + from * WORD, WORD, value);
	return size;
}
