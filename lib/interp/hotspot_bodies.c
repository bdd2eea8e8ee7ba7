/* hotspot_bodies.c - code of compiled methods of a HotSpot, and what describes
 * it, read as a whole. */
#include "interp/hotspot_bodies.h"

#include "base/mem.h"
#include "base/table.h"

#include <stdlib.h>

/* Limits in bytes: of a body, and of all. */
enum { MAX_BODY = 1 << 20, MAX_BODIES = 1 << 26 };

struct body_key {
	uint64_t blob;
	uint64_t compile_id;
};

struct known_body {
	struct body_key key;
	struct hotspot_body body;
	char *bytes; /* NULL: it cannot be read as a whole */
	UT_hash_handle hh;
};

void
hotspot_bodies_free(struct hotspot_bodies *all)
{
	struct known_body *k, *next;

	HASH_ITER(hh, all->known, k, next)
	{
		HASH_DEL(all->known, k);
		free(k->bytes);
		free(k);
	}
	all->bytes = 0;
}

/* Read a part to *to, which moves behind it. */
static bool
read_part(struct interp_copy *memory, uint64_t address, size_t n, char **to,
	  struct str *part)
{
	if (n > 0 && !interp_copy_read(memory, address, *to, n))
		return false;
	*part = (struct str){ *to, n };
	*to += n;
	return true;
}

static void
read_body(struct interp_copy *memory, const struct hotspot_blob *b,
	  struct known_body *k)
{
	const size_t code = (size_t)(b->code_end - b->code_begin);
	const size_t n = code + b->pcs_size + b->scopes_size + b->metadata_size;
	struct hotspot_body *body = &k->body;
	char *to;

	if (code > MAX_BODY || n > MAX_BODY)
		return;
	to = k->bytes = mem_zero(n + 1, 1);
	if (read_part(memory, b->code_begin, code, &to, &body->code) &&
	    read_part(memory, b->pcs, b->pcs_size, &to, &body->pcs) &&
	    read_part(memory, b->scopes, b->scopes_size, &to, &body->scopes) &&
	    read_part(memory, b->metadata, b->metadata_size, &to,
		      &body->metadata))
		return;
	free(k->bytes);
	k->bytes = NULL;
}

const struct hotspot_body *
hotspot_bodies_find(struct hotspot_bodies *all, struct interp_copy *memory,
		    const struct hotspot_blob *b)
{
	const struct body_key key = { b->address, (uint32_t)b->compile_id };
	struct known_body *k;

	if (b->kind != HOTSPOT_COMPILED)
		return NULL;
	HASH_FIND(hh, all->known, &key, sizeof(key), k);
	if (k == NULL) {
		if (all->bytes > MAX_BODIES)
			hotspot_bodies_free(all);
		k = mem_zero(1, sizeof(*k));
		k->key = key;
		read_body(memory, b, k);
		all->bytes += sizeof(*k) + k->body.code.len + k->body.pcs.len +
			      k->body.scopes.len + k->body.metadata.len;
		HASH_ADD(hh, all->known, key, sizeof(k->key), k);
	}
	/* Sizes that change are those of damaged memory. */
	return k->bytes == NULL ||
		       k->body.code.len != b->code_end - b->code_begin ?
		   NULL :
		   &k->body;
}
