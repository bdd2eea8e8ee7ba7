/*
 * pprof.h - read profiles in the format of pprof.
 *
 * The format: https://github.com/google/pprof/blob/main/proto/profile.proto
 */
#ifndef PPROF_H
#define PPROF_H

#include "base/arena.h"
#include "base/u64map.h"
#include "codec/proto.h"
#include "io/input.h"

/* Field numbers in profile.proto. */
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
enum { PPROF_ID = 1 }; /* in a mapping, location or function */
enum { PPROF_TYPE_NAME = 1, PPROF_TYPE_UNIT };
enum { PPROF_SAMPLE_LOCATION = 1, PPROF_SAMPLE_VALUE, PPROF_SAMPLE_LABEL };
enum { PPROF_LABEL_KEY = 1, PPROF_LABEL_STRING, PPROF_LABEL_NUMBER };
enum { PPROF_MAPPING_FILE = 5, PPROF_MAPPING_HAS_FUNCTIONS = 7 };
enum {
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS,
	PPROF_LOCATION_LINE
};
enum { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE };
enum {
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME,
	PPROF_FUNCTION_FILE
};

/* All messages of a kind.  Other messages refer to most of them by id. */
struct pprof_part {
	struct str *bytes;
	size_t n, cap;
	struct u64map by_id;
	bool out_of_order; /* ids are not 1, 2, 3 ... */
};

/* A profile without its samples. */
struct pprof {
	struct pprof_part types, strings, mappings, locations, functions;
	uint64_t default_type; /* number of a string, 0 if there is none */
	bool is_ambiguous;     /* two messages have the same id */
	struct arena arena;    /* bytes of the messages */
};

/*
 * Read a profile into *p, which is all zero before.  Returns NULL, or an error:
 * the profile is malformed, cut off, or ambiguous, as if two profiles were
 * concatenated.  Release with pprof_free() in any case.
 */
const char *pprof_index(struct pprof *p, struct input *in);
void pprof_free(struct pprof *p);

/* Whether data with this start may be a profile. */
bool pprof_begins(struct str start);

/* Iterator over the fields of a profile.  Set the input, and the rest to zero.
 */
struct pprof_fields {
	struct input *in;
	struct str window, rest; /* bytes of the input, and those to parse */
};

/*
 * The next field of a profile, valid until the next call.  False at the end,
 * and if the profile is malformed or cut off: then rest is not empty.
 */
bool pprof_next(struct pprof_fields *fields, struct proto *field);

/* A number in a message; 0, the default of the format, if it is missing. */
uint64_t pprof_number(struct str message, uint32_t field);

/* A string by number, and a message by id; empty if there is none. */
struct str pprof_string(const struct pprof *p, uint64_t i);
struct str pprof_message(const struct pprof_part *part, uint64_t id);

/* Find the index of a message by its id; false if there is none. */
static inline bool
pprof_find(const struct pprof_part *part, uint64_t id, uint32_t *i)
{
	*i = (uint32_t)(id - 1);
	return part->out_of_order ? u64map_get(&part->by_id, id, i) :
				    id - 1 < part->n;
}

#endif
