/* interp_records.h - a cache of what is known of the functions of a process. */
#ifndef INTERP_RECORDS_H
#define INTERP_RECORDS_H

#include "base/table.h"
#include "interp/interp_functions.h"
#include "interp/interp_stack.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A function may be freed, with its names, while a sample waits for them.  So
 * walking copies what tells functions apart, their identity, and gets a number
 * for it; naming reads the texts once, and fills in the rest.
 */
struct interp_record {
	uint64_t number;
	bool named;
	uint32_t function; /* its number in struct interp_functions */
	char *text;        /* of a frame that is no function, or NULL */
	uint32_t *line;    /* of each instruction; NULL: none are known */
	UT_hash_handle hh;
	uint64_t identity[]; /* the language's */
};

/* A program that compiles code in a loop would fill it: then it is emptied. */
struct interp_records;

/*
 * Make a cache for identities of that many bytes; a multiple of 8, whose
 * padding is 0.
 */
struct interp_records *interp_records_new(size_t identity);
void interp_records_free(struct interp_records *all);

/*
 * The record of an identity, which is made if there is none.  Valid until the
 * next call; text and line are freed with it.
 */
struct interp_record *interp_records_find(struct interp_records *all,
					  const void *identity);

/*
 * The record of a frame, whose code is its number.  If it was removed: NULL,
 * and the frame gets a function of the language without a name.
 */
struct interp_record *interp_records_get(struct interp_records *all,
					 struct interp_functions *functions,
					 struct str language,
					 struct interp_vm_frame *f);

#endif
