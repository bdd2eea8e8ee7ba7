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

/* Word numbers in _Py_DebugOffsets of 3.13. */
enum {
	VERSION_HEX = 1,
	FREE_THREADED = 2,
	INTERPRETERS_HEAD = 5,
	INTERP_NEXT = 8,
	INTERP_THREADS = 9,
	INTERP_GIL = 14, /* ceval.gil */
	THREAD_SIZE = 19,
	THREAD_NEXT = 21,
	THREAD_FRAME = 23,
	THREAD_ID = 24,
	THREAD_NATIVE_ID = 25,
	THREAD_CHUNK = 26,
	FRAME_PREVIOUS = 29,
	FRAME_CODE = 30,
	FRAME_IP = 31,
	FRAME_OWNER = 33,
	CODE_FILE = 35,
	CODE_NAME = 36,
	CODE_QUALNAME = 37,
	CODE_TABLE = 38,
	CODE_LINE = 39,
	CODE_BYTES = 43,
	TEXT_ASCII = 70
};

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
take_all(struct cpython_layout *l, const char *bytes)
{
	const uint32_t few = 1024, many = 1 << 20;

	return take(bytes, INTERPRETERS_HEAD, &l->head, many) &&
	       take(bytes, INTERP_NEXT, &l->interp.next, many) &&
	       take(bytes, INTERP_THREADS, &l->interp.threads, many) &&
	       take(bytes, INTERP_GIL, &l->interp.gil, many) &&
	       take(bytes, THREAD_NEXT, &l->thread.next, few) &&
	       take(bytes, THREAD_FRAME, &l->thread.frame, few) &&
	       take(bytes, THREAD_ID, &l->thread.id, few) &&
	       take(bytes, THREAD_NATIVE_ID, &l->thread.native_id, few) &&
	       take(bytes, THREAD_CHUNK, &l->thread.chunk, few) &&
	       take(bytes, FRAME_PREVIOUS, &l->frame.previous, few) &&
	       take(bytes, FRAME_CODE, &l->frame.code, few) &&
	       take(bytes, FRAME_IP, &l->frame.ip, few) &&
	       take(bytes, FRAME_OWNER, &l->frame.owner, few) &&
	       take(bytes, CODE_FILE, &l->code.file, few) &&
	       take(bytes, CODE_NAME, &l->code.name, few) &&
	       take(bytes, CODE_QUALNAME, &l->code.qualname, few) &&
	       take(bytes, CODE_TABLE, &l->code.table, few) &&
	       take(bytes, CODE_LINE, &l->code.line, few) &&
	       take(bytes, CODE_BYTES, &l->code.bytes, few) &&
	       take(bytes, TEXT_ASCII, &l->text.ascii, few);
}

bool
cpython_layout_read(struct cpython_layout *l, const char *bytes, unsigned major,
		    unsigned minor, const char **why)
{
	uint64_t version, free_threaded;
	/* What PyCompactUnicodeObject has beyond PyASCIIObject. */
	const uint32_t wide = 16;

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
	if (major != 3 || minor != 13)
		return false;
	*why = "its _Py_DebugOffsets are invalid";
	*l = (struct cpython_layout){ .major = (uint8_t)major,
				      .minor = (uint8_t)minor,
				      .frames = CPYTHON_SHIMS,
				      .lines = CPYTHON_LOCATIONS,
				      .cframe = { NONE, NONE },
				      .shim_owner = 3,
				      .bytes = 32 };
	if (!take_all(l, bytes))
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
