/* hotspot_layout.h - where HotSpot keeps what its frames need. */
#ifndef HOTSPOT_LAYOUT_H
#define HOTSPOT_LAYOUT_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

/*
 * HotSpot describes itself to debuggers: libjvm.so exports tables of types,
 * fields and constants, gHotSpotVMStructs and others, which the sources of
 * OpenJDK fill in vmStructs.cpp.  So no version needs offsets of our own.
 */

/* Fields, by the name of their type without what versions change. */
enum hotspot_field_id {
	HOTSPOT_HEAPS_LEN,
	HOTSPOT_HEAPS_DATA,
	HOTSPOT_HEAP_MEMORY,
	HOTSPOT_HEAP_SEGMAP,
	HOTSPOT_HEAP_LOG2,
	HOTSPOT_SPACE_LOW,
	HOTSPOT_SPACE_HIGH,
	HOTSPOT_BLOCK_LENGTH,
	HOTSPOT_BLOCK_USED,
	HOTSPOT_BLOB_NAME,
	HOTSPOT_BLOB_SIZE,
	HOTSPOT_BLOB_FRAME_SIZE,
	HOTSPOT_BLOB_FRAME_COMPLETE,
	HOTSPOT_BLOB_CODE_BEGIN, /* up to 22 */
	HOTSPOT_BLOB_CODE_END,
	HOTSPOT_BLOB_CODE_OFFSET, /* from 23 on */
	HOTSPOT_BLOB_DATA_OFFSET,
	HOTSPOT_BLOB_RELOCATION_SIZE,
	HOTSPOT_BLOB_MUTABLE_DATA, /* from 25 on */
	HOTSPOT_BLOB_MUTABLE_SIZE,
	HOTSPOT_NMETHOD_METHOD,
	HOTSPOT_NMETHOD_LEVEL,
	HOTSPOT_NMETHOD_COMPILE_ID,
	HOTSPOT_NMETHOD_ORIG_PC,
	HOTSPOT_NMETHOD_DEOPT_BEGIN, /* up to 22 */
	HOTSPOT_NMETHOD_DEOPT_MH_BEGIN,
	HOTSPOT_NMETHOD_DEOPT_OFFSET, /* from 23 on */
	HOTSPOT_NMETHOD_DEOPT_MH_OFFSET,
	HOTSPOT_NMETHOD_SCOPES_BEGIN, /* up to 22 */
	HOTSPOT_NMETHOD_SCOPES_OFFSET,
	HOTSPOT_NMETHOD_PCS_OFFSET,
	HOTSPOT_NMETHOD_DEPENDENCIES_OFFSET,
	HOTSPOT_NMETHOD_METADATA_OFFSET,
	HOTSPOT_NMETHOD_IMMUTABLE, /* from 23 on */
	HOTSPOT_NMETHOD_IMMUTABLE_SIZE,
	HOTSPOT_PC_OFFSET,
	HOTSPOT_PC_SCOPE,
	HOTSPOT_METHOD_CONST,
	HOTSPOT_CONST_POOL,
	HOTSPOT_CONST_FLAGS,
	HOTSPOT_CONST_CODE_SIZE,
	HOTSPOT_CONST_NAME,
	HOTSPOT_CONST_SIZE,
	HOTSPOT_POOL_HOLDER,
	HOTSPOT_POOL_LENGTH,
	HOTSPOT_KLASS_NAME,
	HOTSPOT_SYMBOL_LENGTH,
	HOTSPOT_SYMBOL_BODY,
	/* To find all classes: */
	HOTSPOT_LOADER_NEXT,
	HOTSPOT_LOADER_CLASSES,
	HOTSPOT_KLASS_NEXT,
	HOTSPOT_KLASS_SHAPE,
	HOTSPOT_CLASS_METHODS,
	HOTSPOT_CLASS_STATE,
	HOTSPOT_METHODS_LENGTH,
	HOTSPOT_METHODS_DATA,
	/* For names of threads, which frames do not need: */
	HOTSPOT_THREADS_LENGTH,
	HOTSPOT_THREADS_ARRAY,
	HOTSPOT_THREAD_NEXT, /* up to 11 */
	HOTSPOT_THREAD_OBJECT,
	HOTSPOT_THREAD_OS,
	HOTSPOT_OS_THREAD_ID,
	HOTSPOT_KLASS_CONSTANTS,
	HOTSPOT_KLASS_FIELDS,      /* up to 20 */
	HOTSPOT_KLASS_FIELD_COUNT, /* the same */
	HOTSPOT_KLASS_FIELD_STREAM,
	/* For what threads wait for: */
	HOTSPOT_THREAD_PENDING,
	HOTSPOT_THREAD_WAITING,
	HOTSPOT_THREAD_STACK_BASE,
	HOTSPOT_THREAD_STACK_SIZE,
	HOTSPOT_THREAD_LOCKS,    /* from 21 on */
	HOTSPOT_THREAD_OWNER_ID, /* from 25 on */
	HOTSPOT_LOCKS_TOP,
	HOTSPOT_LOCKS_FIRST,
	HOTSPOT_MONITOR_OBJECT,
	HOTSPOT_MONITOR_OWNER,
	HOTSPOT_KLASS_SUPER,
	HOTSPOT_KLASS_MIRROR, /* for static fields */
	HOTSPOT_FIELDS
};

/* Static variables. */
enum hotspot_static_id {
	HOTSPOT_CODE_HEAPS,
	HOTSPOT_CALL_STUB_RETURN,
	HOTSPOT_VERSION,
	HOTSPOT_NEEDED_STATICS,
	HOTSPOT_LOADERS = HOTSPOT_NEEDED_STATICS,
	HOTSPOT_THREAD_LIST,
	HOTSPOT_FIRST_THREAD, /* up to 11 */
	HOTSPOT_CLASS_THREAD,
	HOTSPOT_CLASS_STRING,
	HOTSPOT_OOP_BASE,
	HOTSPOT_OOP_SHIFT,
	HOTSPOT_KLASS_BASE,
	HOTSPOT_KLASS_SHIFT,
	HOTSPOT_STATICS
};

enum hotspot_type_id {
	HOTSPOT_HEAP_BLOCK,
	HOTSPOT_CODE_BLOB,
	HOTSPOT_NMETHOD,
	HOTSPOT_PC_DESC,
	HOTSPOT_CONST_METHOD,
	HOTSPOT_CONSTANT_POOL,
	HOTSPOT_TYPES
};

struct hotspot_field {
	uint32_t offset;
	uint8_t size; /* in bytes; 0: there is no such field */
	bool is_signed;
};

struct hotspot_layout {
	struct hotspot_field field[HOTSPOT_FIELDS];
	uint64_t variable[HOTSPOT_STATICS]; /* addresses */
	uint32_t type[HOTSPOT_TYPES];       /* sizes */
	uint32_t version;                   /* 17 */
};

/* Size of the largest object that is read as a whole. */
enum { HOTSPOT_OBJECT_MAX = 512 };

/*
 * Read the tables of the libjvm.so that mapping number map begins.  Returns
 * false if they are missing or lack something; then a reason is appended to
 * *why if there is a HotSpot.
 */
bool hotspot_layout_read(struct hotspot_layout *l,
			 const struct interp_target *target, size_t map,
			 const struct interp_reader *reader, struct buf *why);

/*
 * Append the layout as text: a line for each field, static variable and type,
 * as foldjvm(5) has it.
 */
void hotspot_layout_print(const struct hotspot_layout *l, struct buf *out);

/*
 * Set what a line of that text says; unknown names are ignored.  False if it is
 * no such line.  After the last line, hotspot_layout_is_complete() says whether
 * the layout can be used.
 */
bool hotspot_layout_parse(struct hotspot_layout *l, struct str line);
bool hotspot_layout_is_complete(const struct hotspot_layout *l);

static inline bool
hotspot_has(const struct hotspot_layout *l, enum hotspot_field_id id)
{
	return l->field[id].size != 0;
}

/* The end of a field in its object. */
static inline size_t
hotspot_end(const struct hotspot_layout *l, enum hotspot_field_id id)
{
	return l->field[id].offset + (size_t)l->field[id].size;
}

/*
 * The value of a field of an object, of which bytes has n; 0 if that lacks the
 * field.
 */
uint64_t hotspot_layout_get(const struct hotspot_layout *l,
			    enum hotspot_field_id id, const char *bytes,
			    size_t n);

/* Read a field of an object at an address; false if it cannot be read. */
bool hotspot_layout_read_field(const struct hotspot_layout *l,
			       enum hotspot_field_id id,
			       struct interp_copy *memory, uint64_t object,
			       uint64_t *value);

#endif
