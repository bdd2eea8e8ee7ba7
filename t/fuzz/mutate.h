/*
 * mutate - changes to inputs that keep their structure, for the mutators of
 * formats that are sequences of records.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer's: the mutator that a target can have, and changes of bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

struct mutate_format {
	/* Set *begin and *end to where the records are; 0 if there are none. */
	int (*find)(const uint8_t *data, size_t size, size_t *begin,
		    size_t *end);
	/* Length of the record at p, of at most n bytes; 0 if it has no end. */
	size_t (*length)(const uint8_t *p, size_t n);
	/* Change the length that a record says. */
	void (*set_length)(uint8_t *p, size_t length);
	size_t head; /* bytes of a record that hold type and length */
	/* Records from a place on, which was their end, moved by delta. */
	void (*moved)(uint8_t *data, size_t size, size_t end, ptrdiff_t delta);
};

/*
 * Remove, repeat or exchange records, or change the bytes of one and its
 * length; every other time, change any bytes.  Returns the new size.
 */
size_t mutate_records(const struct mutate_format *format, uint8_t *data,
		      size_t size, size_t max, unsigned seed);

/* Numbers of a header, in the order of bytes of this machine. */
static inline uint64_t
mutate_get(const uint8_t *p, size_t n)
{
	uint64_t value = 0;

	memcpy(&value, p, n);
	return value;
}

static inline void
mutate_put(uint8_t *p, size_t n, uint64_t value)
{
	memcpy(p, &value, n);
}

#endif
