/* cpython_layout.h - where the fields of CPython's structures are. */
#ifndef CPYTHON_LAYOUT_H
#define CPYTHON_LAYOUT_H

#include "base/str.h"

/* How a code object maps instructions to lines. */
enum cpython_lines {
	CPYTHON_LNOTAB_UNSIGNED, /* up to 3.5 */
	CPYTHON_LNOTAB,          /* 3.6 to 3.9 */
	CPYTHON_LINETABLE,       /* 3.10, PEP 626 */
	CPYTHON_LOCATIONS        /* 3.11 on, Objects/locations.md */
};

/* How a thread's frames are found. */
enum cpython_frames {
	CPYTHON_OBJECTS, /* f_back, an object each; up to 3.10 */
	CPYTHON_CFRAMES, /* a _PyCFrame on the C stack for each loop; 3.11, 12
			  */
	CPYTHON_SHIMS    /* a frame on the C stack begins each loop; 3.13 on */
};

/* Offsets in bytes of 64-bit builds; CPYTHON_NONE: there is no such field. */
enum { CPYTHON_NONE = 0xffffffff };

/* Py_TAG_BITS: bits of a reference from 3.14 on that are no address. */
#define CPYTHON_TAG_BITS UINT64_C(3)

/* The parts of a lock: condition variables and mutexes. */
enum { CPYTHON_WAITS = 4 };

/* A str has its state before its text, which begins at most here. */
enum { CPYTHON_STATE = 32, CPYTHON_TEXT_MAX = 72 };

struct cpython_layout {
	uint8_t major, minor;
	enum cpython_frames frames;
	enum cpython_lines lines;
	uint32_t head; /* _PyRuntimeState: interpreters.head; up to 3.6: 0 */
	struct {
		uint32_t next, threads;
		/* ceval.gil, the address of the GIL; NONE up to 3.11 */
		uint32_t gil;
	} interp;
	/*
	 * _PyRuntimeState: ceval.gil, up to 3.11; NONE up to 3.6, whose GIL is
	 * in variables of its own; later, 0.
	 */
	uint32_t gil;
	/* Those variables in the process; 0 if they are unknown. */
	uint64_t waits[CPYTHON_WAITS];
	struct {
		uint32_t next, id, native_id, frame, chunk;
		uint32_t size; /* enough to have all that is needed */
	} thread;
	struct {
		uint32_t current, previous;
	} cframe;
	struct {
		uint32_t previous, code, ip, owner;
		uint32_t size;
	} frame;
	uint8_t shim_owner; /* the owner of a frame on the C stack */
	struct {
		uint32_t file, name, qualname, line, table, bytes;
		uint32_t size;
	} code;
	/*
	 * Text: of compact ASCII strings, and of other compact ones.  0: names
	 * are bytes.
	 */
	struct {
		uint32_t ascii, wide;
	} text;
	uint32_t bytes; /* text of bytes objects */
};

/* The layout of a version, by tables; NULL if there is none. */
const struct cpython_layout *cpython_layout_of(unsigned major, unsigned minor);

/* Bytes of _PyRuntime that cpython_layout_read() needs. */
enum { CPYTHON_LAYOUT_BYTES = 744 };

/*
 * From 3.13 on, _PyRuntime begins with _Py_DebugOffsets.  Set *layout by these
 * bytes; false, with a reason in *why, if they are not what they should be, or
 * of a build that is not supported.
 */
bool cpython_layout_read(struct cpython_layout *layout, const char *bytes,
			 unsigned major, unsigned minor, const char **why);

#endif
