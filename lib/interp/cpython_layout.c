/* cpython_layout.c - where the fields of CPython's structures are. */
#include "interp/cpython_layout.h"

#define NONE CPYTHON_NONE

/*
 * From the headers of each version, for 64-bit builds without Py_DEBUG and
 * Py_TRACE_REFS.  3.13 and later describe themselves.  What several versions
 * share stands in a macro.
 */
#define STR_DATA_48 \
	{ \
		.ascii = 48, .wide = 72 \
	}
#define STR_DATA_40 \
	{ \
		.ascii = 40, .wide = 56 \
	}

/* Frames as objects, up to 3.10. */
#define OBJECTS(ip_, size_) \
	.frames = CPYTHON_OBJECTS, .cframe = { NONE, NONE }, \
	.shim_owner = 0xff, \
	.frame = { .previous = 24, \
		   .code = 32, \
		   .ip = (ip_), \
		   .owner = NONE, \
		   .size = (size_) }

/* struct _ts without frames in chunks, up to 3.10. */
#define THREAD_OF_OBJECTS(next_, id_, frame_) \
	.interp = { .next = 0, .threads = 8, .gil = NONE }, \
	.thread = { .next = (next_), \
		    .id = (id_), \
		    .native_id = NONE, \
		    .frame = (frame_), \
		    .chunk = NONE, \
		    .size = (id_) + 8 }

/* PyCodeObject, up to 3.10: fields that follow one another. */
#define CODE_OF_OBJECTS(file_, line_, table_) \
	.code = { .file = (file_), \
		  .name = (file_) + 8, \
		  .qualname = NONE, \
		  .line = (line_), \
		  .table = (table_), \
		  .bytes = NONE, \
		  .size = (table_) + 8 }

/* PyCodeObject from 3.11 on. */
#define CODE(line_, bytes_) \
	.code = { .file = 112, \
		  .name = 120, \
		  .qualname = 128, \
		  .line = (line_), \
		  .table = 136, \
		  .bytes = (bytes_), \
		  .size = (bytes_) }

/* 3.8 to 3.10 differ in the line tables and in f_lasti. */
#define LIKE_3_8 \
	.head = 32, THREAD_OF_OBJECTS(8, 176, 24), \
	CODE_OF_OBJECTS(104, 40, 120), .text = STR_DATA_48, .bytes = 32

static const struct cpython_layout layouts[] = {
	{ .major = 2,
	  .minor = 7,
	  .lines = CPYTHON_LNOTAB_UNSIGNED,
	  .gil = NONE,
	  THREAD_OF_OBJECTS(0, 144, 16),
	  OBJECTS(120, 128),
	  CODE_OF_OBJECTS(80, 96, 104),
	  .bytes = 36 },
	{ .major = 3,
	  .minor = 6,
	  .lines = CPYTHON_LNOTAB,
	  .gil = NONE,
	  THREAD_OF_OBJECTS(8, 152, 24),
	  OBJECTS(120, 128),
	  CODE_OF_OBJECTS(96, 36, 112),
	  .text = STR_DATA_48,
	  .bytes = 32 },
	{ .major = 3,
	  .minor = 7,
	  .lines = CPYTHON_LNOTAB,
	  .head = 24,
	  .gil = 1264,
	  THREAD_OF_OBJECTS(8, 176, 24),
	  OBJECTS(104, 112),
	  CODE_OF_OBJECTS(96, 36, 112),
	  .text = STR_DATA_48,
	  .bytes = 32 },
	{ .major = 3,
	  .minor = 8,
	  .lines = CPYTHON_LNOTAB,
	  .gil = 1152,
	  OBJECTS(104, 112),
	  LIKE_3_8 },
	{ .major = 3,
	  .minor = 9,
	  .lines = CPYTHON_LNOTAB,
	  .gil = 352,
	  OBJECTS(104, 112),
	  LIKE_3_8 },
	{ .major = 3,
	  .minor = 10,
	  .lines = CPYTHON_LINETABLE,
	  .gil = 352,
	  OBJECTS(96, 104),
	  LIKE_3_8 },
	{ .major = 3,
	  .minor = 11,
	  .frames = CPYTHON_CFRAMES,
	  .lines = CPYTHON_LOCATIONS,
	  .head = 40,
	  .gil = 360,
	  .interp = { .next = 0, .threads = 16, .gil = NONE },
	  .thread = { .next = 8,
		      .id = 152,
		      .native_id = 160,
		      .frame = 56,
		      .chunk = 296,
		      .size = 360 },
	  .cframe = { .current = 8, .previous = 16 },
	  .frame = { .previous = 48,
		     .code = 32,
		     .ip = 56,
		     .owner = 69,
		     .size = 72 },
	  .shim_owner = 0xff,
	  CODE(72, 184),
	  .text = STR_DATA_48,
	  .bytes = 32 },
	{ .major = 3,
	  .minor = 12,
	  .frames = CPYTHON_CFRAMES,
	  .lines = CPYTHON_LOCATIONS,
	  .head = 40,
	  .interp = { .next = 0, .threads = 72, .gil = 384 },
	  .thread = { .next = 8,
		      .id = 136,
		      .native_id = 144,
		      .frame = 56,
		      .chunk = 232,
		      .size = 288 },
	  .cframe = { .current = 0, .previous = 8 },
	  .frame = { .previous = 8,
		     .code = 0,
		     .ip = 56,
		     .owner = 70,
		     .size = 72 },
	  .shim_owner = 3,
	  CODE(68, 192),
	  .text = STR_DATA_40,
	  .bytes = 32 },
};

const struct cpython_layout *
cpython_layout_of(unsigned major, unsigned minor)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	}
	return NULL;
}

/* Word numbers in _Py_DebugOffsets that all versions share. */
enum { VERSION_HEX = 1, FREE_THREADED = 2 };

/* And those that they do not; from pycore_debug_offsets.h of each. */
static const struct words {
	uint8_t minor;
	uint8_t head; /* runtime_state.interpreters_head */
	struct {
		uint8_t next, threads, gil;
	} interp;
	struct {
		uint8_t next, frame, id, native_id, chunk;
	} thread;
	struct {
		uint8_t previous, code, ip, owner;
	} frame;
	struct {
		uint8_t file, name, qualname, table, line, bytes;
	} code;
	uint8_t ascii; /* unicode_object.asciiobject_size */
} words[] = {
	{ .minor = 13,
	  .head = 5,
	  .interp = { .next = 8, .threads = 9, .gil = 14 },
	  .thread = { 21, .frame = 23, .id = 24, .native_id = 25, .chunk = 26 },
	  .frame = { .previous = 29, .code = 30, .ip = 31, .owner = 33 },
	  .code = { 35, 36, 37, .table = 38, .line = 39, .bytes = 43 },
	  .ascii = 70 },
	{ .minor = 14,
	  .head = 5,
	  .interp = { .next = 8, .threads = 9, .gil = 15 },
	  .thread = { 24, .frame = 26, .id = 27, .native_id = 28, .chunk = 29 },
	  .frame = { .previous = 32, .code = 33, .ip = 34, .owner = 36 },
	  .code = { 40, 41, 42, .table = 43, .line = 44, .bytes = 48 },
	  .ascii = 80 },
	{ .minor = 15,
	  .head = 5,
	  .interp = { .next = 8, .threads = 9, .gil = 15 },
	  .thread = { 24, .frame = 26, .id = 30, .native_id = 31, .chunk = 32 },
	  .frame = { .previous = 40, .code = 41, .ip = 42, .owner = 44 },
	  .code = { 48, 49, 50, .table = 51, .line = 52, .bytes = 56 },
	  .ascii = 92 },
};

static const struct words *
words_of(unsigned minor)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (words[i].minor == minor)
			return &words[i];
	}
	return NULL;
}

/* Copy an offset; false if it is larger than any such structure. */
static bool
take(const char *bytes, int word, uint32_t *offset, uint32_t limit)
{
	uint64_t value;

	memcpy(&value, bytes + word * 8, sizeof(value));
	*offset = (uint32_t)value;
	return value < limit;
}

static uint32_t
largest(const uint32_t *offset, size_t n)
{
	uint32_t most = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (offset[i] > most)
			most = offset[i];
	}
	return most;
}

static bool
take_all(struct cpython_layout *l, const char *bytes, const struct words *w)
{
	const uint32_t few = 1024, many = 1 << 20;

	return take(bytes, w->head, &l->head, many) &&
	       take(bytes, w->interp.next, &l->interp.next, many) &&
	       take(bytes, w->interp.threads, &l->interp.threads, many) &&
	       take(bytes, w->interp.gil, &l->interp.gil, many) &&
	       take(bytes, w->thread.next, &l->thread.next, few) &&
	       take(bytes, w->thread.frame, &l->thread.frame, few) &&
	       take(bytes, w->thread.id, &l->thread.id, few) &&
	       take(bytes, w->thread.native_id, &l->thread.native_id, few) &&
	       take(bytes, w->thread.chunk, &l->thread.chunk, few) &&
	       take(bytes, w->frame.previous, &l->frame.previous, few) &&
	       take(bytes, w->frame.code, &l->frame.code, few) &&
	       take(bytes, w->frame.ip, &l->frame.ip, few) &&
	       take(bytes, w->frame.owner, &l->frame.owner, few) &&
	       take(bytes, w->code.file, &l->code.file, few) &&
	       take(bytes, w->code.name, &l->code.name, few) &&
	       take(bytes, w->code.qualname, &l->code.qualname, few) &&
	       take(bytes, w->code.table, &l->code.table, few) &&
	       take(bytes, w->code.line, &l->code.line, few) &&
	       take(bytes, w->code.bytes, &l->code.bytes, few) &&
	       take(bytes, w->ascii, &l->text.ascii, few);
}

bool
cpython_layout_read(struct cpython_layout *l, const char *bytes, unsigned major,
		    unsigned minor, const char **why)
{
	uint64_t version, free_threaded;
	/* What PyCompactUnicodeObject has beyond PyASCIIObject. */
	const uint32_t wide = 16;
	const struct words *w;

	memcpy(&version, bytes + VERSION_HEX * 8, sizeof(version));
	memcpy(&free_threaded, bytes + FREE_THREADED * 8,
	       sizeof(free_threaded));
	*why = "its _Py_DebugOffsets are invalid";
	if (memcmp(bytes, "xdebugpy", 8) != 0 || version >> 24 != major ||
	    (version >> 16 & 0xff) != minor)
		return false;
	*why = "it is a free-threaded build";
	if (free_threaded != 0)
		return false;
	*why = "its version is too new";
	w = major == 3 ? words_of(minor) : NULL;
	if (w == NULL)
		return false;
	*why = "its _Py_DebugOffsets are invalid";
	*l = (struct cpython_layout){ .major = (uint8_t)major,
				      .minor = (uint8_t)minor,
				      .frames = CPYTHON_SHIMS,
				      .lines = CPYTHON_LOCATIONS,
				      .cframe = { NONE, NONE },
				      .shim_owner = 3,
				      .bytes = 32 };
	if (!take_all(l, bytes, w) || l->text.ascii < CPYTHON_STATE + 8 ||
	    l->text.ascii > CPYTHON_TEXT_MAX - wide)
		return false;
	l->text.wide = l->text.ascii + wide;
	l->thread.size = largest((uint32_t[]){ l->thread.next, l->thread.id,
					       l->thread.native_id,
					       l->thread.frame,
					       l->thread.chunk },
				 5) +
			 8;
	l->frame.size = largest((uint32_t[]){ l->frame.previous, l->frame.code,
					      l->frame.ip, l->frame.owner },
				4) +
			8;
	l->code.size = largest((uint32_t[]){ l->code.file, l->code.name,
					     l->code.qualname, l->code.table,
					     l->code.line },
			       5) +
		       8;
	return true;
}
