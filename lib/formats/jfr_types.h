/*
 * jfr_types.h - types of a JDK Flight Recorder chunk.
 *
 * A chunk describes the layout of all its events and constants.  Layouts differ
 * between JDKs, so nothing here assumes one: a caller asks for fields by name.
 *
 * Source: the writer and the parser of OpenJDK (jfrChunkWriter.cpp,
 * jdk.jfr.internal.consumer), and files of JDK 17, 21, 25 and async-profiler.
 */
#ifndef JFR_TYPES_H
#define JFR_TYPES_H

#include "base/buf.h"
#include "base/u64map.h"

/* What a number of an event is, by the annotations of its field. */
enum jfr_unit {
	JFR_PLAIN,
	JFR_BYTES,
	JFR_TICKS, /* of the chunk's clock */
	JFR_NANOSECONDS,
	JFR_MILLISECONDS
};

struct jfr_field {
	struct str name;
	uint64_t type_id;
	uint32_t type; /* its index; JFR_NO_TYPE if it is not described */
	bool is_pool;  /* the value is the id of a constant */
	bool is_array;
	enum jfr_unit unit;
};

#define JFR_NO_TYPE UINT32_MAX

enum jfr_kind {
	JFR_STRUCT,
	JFR_INTEGER, /* variable length */
	JFR_BYTE,
	JFR_FLOAT,
	JFR_DOUBLE,
	JFR_STRING
};

struct jfr_type {
	struct str name;
	uint64_t id;
	bool is_event;
	enum jfr_kind kind;
	size_t first, n; /* its fields */
};

/* Slices belong to the metadata.  All zero is empty; free with
 * jfr_types_free(). */
struct jfr_types {
	struct jfr_type *type;
	struct jfr_field *field;
	size_t n, cap, nfields, fields_cap;
	struct u64map by_id;
	struct str *string;
	size_t nstrings, strings_cap;
	struct buf text; /* strings that were not UTF-8 */
};

/*
 * Read the metadata event of a chunk, whose bytes must outlive the types.
 * Returns what is wrong with it, or NULL.
 */
const char *jfr_types_read(struct jfr_types *t, struct str event);
void jfr_types_free(struct jfr_types *t);

/* The type of an id or a name; NULL if it is not described. */
const struct jfr_type *jfr_types_by_id(const struct jfr_types *t, uint64_t id);
const struct jfr_type *jfr_types_by_name(const struct jfr_types *t,
					 struct str name);

/* The field of a type by its name; NULL if it has none. */
const struct jfr_field *jfr_types_field(const struct jfr_types *t,
					const struct jfr_type *type,
					struct str name);

#endif
