/* hotspot_scopes.c - which methods compiled code executes at an address. */
#include "interp/hotspot_scopes.h"

#include "base/mem.h"
#include "base/peek.h"
#include "base/table.h"

#include <stdlib.h>

/* Limits: the description of addresses, places cached. */
enum { MAX_PCS = 1 << 22, MAX_KNOWN = 1 << 16 };

/* Numbers of UNSIGNED5: digits of 6 bits, the last of which is small. */
enum { DIGIT_BITS = 6, LARGE = 192, DIGITS = 5 };

/* Three numbers begin the description of a scope. */
enum { SCOPE_BYTES = 3 * DIGITS };

struct inlining_place {
	uint64_t pc, blob;
	int32_t compile_id;
	uint32_t exact;
};

struct hotspot_inlining {
	struct inlining_place key;
	struct hotspot_scope *scope;
	size_t n;
	bool was_found;
	UT_hash_handle hh;
};

static void
clear(struct hotspot_scope_cache *c)
{
	struct hotspot_inlining *i, *next;

	HASH_ITER(hh, c->known, i, next)
	{
		HASH_DEL(c->known, i);
		free(i->scope);
		free(i);
	}
}

void
hotspot_scopes_free(struct hotspot_scope_cache *c)
{
	clear(c);
	hotspot_bodies_free(&c->bodies);
	buf_free(&c->pcs);
}

bool
hotspot_scopes_number(const char **p, const char *end, unsigned excess,
		      uint32_t *n)
{
	unsigned digit, i;

	*n = 0;
	for (i = 0; i < DIGITS && *p < end; i++) {
		digit = (unsigned char)*(*p)++;
		if (digit < excess)
			return false;
		*n += (digit - excess) << (DIGIT_BITS * i);
		if (digit < LARGE || i + 1 == DIGITS)
			return true;
	}
	return false;
}

/* A blob while its scopes are read. */
struct scope_reader {
	const struct hotspot_layout *l;
	struct interp_copy *memory;
	const struct hotspot_blob *b;
	const struct hotspot_body *body; /* NULL: to be read piece by piece */
};

/* Read n bytes at an offset of a part, which begins at an address. */
static bool
read_piece(const struct scope_reader *r, const struct str *part, uint64_t start,
	   uint32_t offset, void *to, size_t n)
{
	if (part == NULL)
		return interp_copy_read(r->memory, start + offset, to, n);
	if (offset > part->len || n > part->len - offset)
		return false;
	memcpy(to, part->p + offset, n);
	return true;
}

/* Read the scope at an offset, and that of its caller, which is 0 at the end.
 */
static bool
read_scope(const struct scope_reader *r, uint32_t *offset,
	   struct hotspot_scope *scope)
{
	const unsigned excess = hotspot_scopes_excess(r->l);
	const struct hotspot_body *body = r->body;
	char bytes[SCOPE_BYTES];
	const char *p = bytes;
	uint32_t caller, method, bci1;
	size_t n = sizeof(bytes);

	if (*offset >= r->b->scopes_size)
		return false;
	if (n > r->b->scopes_size - *offset)
		n = r->b->scopes_size - *offset;
	if (!read_piece(r, body == NULL ? NULL : &body->scopes, r->b->scopes,
			*offset, bytes, n) ||
	    !hotspot_scopes_number(&p, bytes + n, excess, &caller) ||
	    !hotspot_scopes_number(&p, bytes + n, excess, &method) ||
	    !hotspot_scopes_number(&p, bytes + n, excess, &bci1) ||
	    method == 0 || method > r->b->metadata_size / 8 ||
	    !read_piece(r, body == NULL ? NULL : &body->metadata,
			r->b->metadata, 8 * (method - 1), &scope->method,
			sizeof(scope->method)))
		return false;
	scope->bci = (int32_t)bci1 - 1;
	/* A caller is described before what it inlines. */
	if (caller >= *offset)
		return false;
	*offset = caller;
	return true;
}

/* Read the scopes from an offset on, leaf first; returns their number. */
static size_t
read_scopes(const struct scope_reader *r, uint32_t offset,
	    struct hotspot_scope *scope)
{
	size_t n = 0;

	while (offset != 0 && n < HOTSPOT_SCOPES_MAX) {
		if (!read_scope(r, &offset, &scope[n]))
			return 0;
		n++;
	}
	return n;
}

/* Keep the outer scopes that two descriptions have in common. */
static size_t
keep_common(struct hotspot_scope *scope, size_t n,
	    const struct hotspot_scope *other, size_t m)
{
	size_t common = 0;

	while (common < n && common < m &&
	       scope[n - 1 - common].method == other[m - 1 - common].method) {
		common++;
		/* Another call inlines another method. */
		if (scope[n - common].bci != other[m - common].bci)
			break;
	}
	memmove(scope, scope + (n - common), common * sizeof(*scope));
	return common;
}

/* The offset in the code that an element of c->pcs describes. */
static int32_t
pc_offset(const struct hotspot_layout *l, struct str pcs, size_t i)
{
	const size_t size = l->type[HOTSPOT_PC_DESC];

	return (int32_t)hotspot_layout_get(l, HOTSPOT_PC_OFFSET,
					   pcs.p + i * size, size);
}

static uint32_t
pc_scope(const struct hotspot_layout *l, struct str pcs, size_t i)
{
	const size_t size = l->type[HOTSPOT_PC_DESC];

	return (uint32_t)hotspot_layout_get(l, HOTSPOT_PC_SCOPE,
					    pcs.p + i * size, size);
}

/* All descriptions of addresses; empty if they cannot be read. */
static struct str
read_pcs(struct hotspot_scope_cache *c, const struct scope_reader *r)
{
	const size_t n = r->b->pcs_size;
	const struct str none = { NULL, 0 };

	if (r->body != NULL)
		return r->body->pcs;
	c->pcs.len = 0;
	if (n == 0 || n > MAX_PCS)
		return none;
	buf_reserve(&c->pcs, n);
	if (!interp_copy_read(r->memory, r->b->pcs, c->pcs.p, n))
		return none;
	c->pcs.len = n;
	return buf_slice(&c->pcs);
}

/* The number of the first description after an offset; they are sorted. */
static size_t
find_after(const struct hotspot_layout *l, struct str pcs, size_t n,
	   int32_t offset)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (pc_offset(l, pcs, mid) <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The first and the last description are only limits. */
static bool
is_limit(size_t i, size_t n)
{
	return i == 0 || i + 1 >= n;
}

static size_t
find_scopes(struct hotspot_scope_cache *c, const struct scope_reader *r,
	    const struct inlining_place *at, struct hotspot_scope *scope)
{
	struct hotspot_scope other[HOTSPOT_SCOPES_MAX];
	const int32_t offset = (int32_t)(at->pc - r->b->code_begin);
	const struct str all = read_pcs(c, r);
	const size_t pcs = all.len / r->l->type[HOTSPOT_PC_DESC];
	const size_t after = find_after(r->l, all, pcs, offset);
	size_t n, m;

	if (!at->exact)
		return is_limit(after - 1, pcs) || after == 0 ||
			       pc_offset(r->l, all, after - 1) != offset ?
			   0 :
			   read_scopes(r, pc_scope(r->l, all, after - 1),
				       scope);
	if (after == 0 || is_limit(after, pcs) || is_limit(after - 1, pcs))
		return 0;
	n = read_scopes(r, pc_scope(r->l, all, after), scope);
	m = read_scopes(r, pc_scope(r->l, all, after - 1), other);
	return keep_common(scope, n, other, m);
}

static struct hotspot_inlining *
find(struct hotspot_scope_cache *c, struct scope_reader *r, uint64_t pc,
     bool exact)
{
	struct hotspot_scope scope[HOTSPOT_SCOPES_MAX];
	const struct inlining_place key = { pc, r->b->address, r->b->compile_id,
					    exact };
	struct hotspot_inlining *i;

	HASH_FIND(hh, c->known, &key, sizeof(key), i);
	if (i != NULL)
		return i;
	if (HASH_COUNT(c->known) >= MAX_KNOWN)
		clear(c);
	i = mem_zero(1, sizeof(*i));
	i->key = key;
	r->body = hotspot_bodies_find(&c->bodies, r->memory, r->b);
	i->n = find_scopes(c, r, &key, scope);
	i->scope = mem_zero(i->n + 1, sizeof(*scope));
	if (i->n > 0)
		memcpy(i->scope, scope, i->n * sizeof(*scope));
	HASH_ADD(hh, c->known, key, sizeof(i->key), i);
	return i;
}

struct hotspot_scopes
hotspot_scopes_find(struct hotspot_scope_cache *c,
		    const struct hotspot_layout *l, struct interp_copy *memory,
		    const struct hotspot_blob *b, uint64_t pc, bool exact)
{
	struct scope_reader r = { l, memory, b, NULL };
	struct hotspot_inlining *i = find(c, &r, pc, exact);
	const bool is_new = !i->was_found;

	i->was_found = true;
	return (struct hotspot_scopes){ i->scope, i->n, is_new };
}

bool
hotspot_scopes_has(struct hotspot_scope_cache *c,
		   const struct hotspot_layout *l, struct interp_copy *memory,
		   const struct hotspot_blob *b, uint64_t pc)
{
	struct scope_reader r = { l, memory, b, NULL };

	return b->pcs_size > 0 && find(c, &r, pc, false)->n > 0;
}
