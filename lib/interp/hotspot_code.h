/* hotspot_code.h - the code cache of a HotSpot: what code an address is in. */
#ifndef HOTSPOT_CODE_H
#define HOTSPOT_CODE_H

#include "interp/hotspot_layout.h"

enum hotspot_kind {
	HOTSPOT_COMPILED,    /* a method that C1 or C2 compiled */
	HOTSPOT_NATIVE,      /* the wrapper of a native method */
	HOTSPOT_INTERPRETER, /* the template interpreter */
	HOTSPOT_VTABLE,      /* jumps to a virtual method: without a frame */
	HOTSPOT_ADAPTER,     /* between compiled and interpreted methods */
	HOTSPOT_STUB         /* all other code */
};

enum { HOTSPOT_BLOB_TEXT = 48 };

/* A piece of the code cache, which HotSpot calls a blob. */
struct hotspot_blob {
	enum hotspot_kind kind;
	char name[HOTSPOT_BLOB_TEXT];
	uint64_t address;
	uint64_t code_begin, code_end;
	uint32_t frame_size;    /* in bytes, with the return address; or 0 */
	int32_t frame_complete; /* offset in the code: the frame is made */
	/* Of methods: */
	int32_t compile_id, level;
	uint64_t method; /* Method* */
	/* Where frames return to that are to be interpreted; 0 if nowhere. */
	uint64_t deopt, deopt_mh;
	uint32_t orig_pc; /* offset from sp of the address they came from */
	/* Addresses and sizes of the descriptions of inlined methods. */
	uint64_t pcs, scopes, metadata;
	uint32_t pcs_size, scopes_size, metadata_size;
};

struct hotspot_code;

struct hotspot_code *hotspot_code_new(const struct hotspot_layout *l);
void hotspot_code_free(struct hotspot_code *c);

/* Whether an address is in the code cache, as far as it is reserved. */
bool hotspot_code_has(struct hotspot_code *c, struct interp_copy *memory,
		      uint64_t address);

/*
 * Find the blob at an address; NULL if there is none.  For a return address,
 * pass the byte before.  Valid until the next call.
 *
 * Blobs are cached.  As code comes and goes, each new copy of memory compares
 * the header of a cached blob with that in memory.
 */
const struct hotspot_blob *hotspot_code_find(struct hotspot_code *c,
					     struct interp_copy *memory,
					     uint64_t address);

/*
 * Call visit() for all blobs; each is valid during the call.  The memory begins
 * anew for each of them.
 */
void hotspot_code_visit(struct hotspot_code *c, struct interp_copy *memory,
			void (*visit)(void *arg, const struct hotspot_blob *b),
			void *arg);

#endif
