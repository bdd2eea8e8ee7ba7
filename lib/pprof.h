/*
 * pprof.h - the parts of a profile in the format of pprof.
 *
 * The format: https://github.com/google/pprof/blob/main/proto/profile.proto
 */
#ifndef PPROF_H
#define PPROF_H

#include "arena.h"
#include "input.h"
#include "map.h"
#include "proto.h"

/* Numbers of fields, profile.proto. */
enum {
	PPROF_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING,
	PPROF_TIME = 9,
	PPROF_DURATION,
	PPROF_PERIOD_TYPE,
	PPROF_PERIOD,
	PPROF_COMMENT,
	PPROF_DEFAULT
};
enum { PPROF_ID = 1 }; /* of a mapping, location or function */
enum { TYPE_NAME = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum { MAPPING_FILE = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum { LOCATION_MAPPING = 2, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

/* Messages of a kind, most of which others refer to by their ids. */
struct pprof_part {
	struct str *bytes;
	size_t n, cap;
	struct map by_id;
	bool out_of_order; /* ids are not 1, 2, 3 ... */
};

/* All but the samples. */
struct pprof {
	struct pprof_part types, strings, mappings, locations, functions;
	uint64_t default_type; /* a string, 0 if there is none */
	bool is_ambiguous;     /* an id stands for two messages */
	struct arena arena;    /* what the messages point into */
};

/*
 * Read the parts of a profile, which are all zero before.  Returns NULL, or
 * what is wrong with it: it is malformed or cut off, or ambiguous, as two
 * profiles one behind the other are.  Release them with pprof_free().
 */
const char *pprof_index(struct pprof *p, struct input *in);
void pprof_free(struct pprof *p);

/* Whether what begins so may be a profile. */
bool pprof_begins(struct str begin);

/* The fields of a profile; begin with all zero but the input. */
struct pprof_fields {
	struct input *in;
	struct str at_hand, rest; /* of the input, and not given yet */
};

/*
 * The next field of a profile, valid until the next call; false at the end,
 * and where it is malformed or cut off: then something is left in rest.
 */
bool pprof_next(struct pprof_fields *fields, struct proto *field);

/* A number in a message; 0, as the format has it, if it is not there. */
uint64_t pprof_number(struct str message, uint32_t field);

/* A string by its number, and a message by its id; empty if there is none. */
struct str pprof_string(const struct pprof *p, uint64_t i);
struct str pprof_message(const struct pprof_part *part, uint64_t id);

/* Where a message is among its kind; false if there is none of this id. */
static inline bool
pprof_find(const struct pprof_part *part, uint64_t id, uint32_t *i)
{
	*i = (uint32_t)(id - 1);
	return part->out_of_order ? map_get(&part->by_id, id, i) :
				    id - 1 < part->n;
}

#endif
