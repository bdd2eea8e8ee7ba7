/* hotspot_code.c - the code cache of a HotSpot: what code an address is in. */
#include "interp/hotspot_code.h"

#include "base/mem.h"
#include "base/table.h"

#include <stdlib.h>

/* Limits: heaps, steps through a map of segments, blobs and places cached. */
enum {
	MAX_HEAPS = 16,
	MAX_STEPS = 4096,
	MAX_BLOBS = 1 << 16,
	MAX_PLACES = 1 << 18
};

/* The heaps are looked for again if there are none, after this many misses. */
enum { RETRY = 256 };

/* One of up to three heaps, each for another kind of code. */
struct code_heap {
	uint64_t low, high, segmap, segmap_end;
	uint32_t log2;
};

struct known_blob {
	uint64_t address;
	struct hotspot_blob blob;
	UT_hash_handle hh;
};

/* The blob that a segment of a heap was in. */
struct blob_place {
	uint64_t segment; /* its address, shifted */
	uint64_t blob;
	UT_hash_handle hh;
};

struct hotspot_code {
	const struct hotspot_layout *l;
	struct code_heap heap[MAX_HEAPS];
	size_t n;
	unsigned misses;
	struct known_blob *blobs;
	struct blob_place *places;
};

struct hotspot_code *
hotspot_code_new(const struct hotspot_layout *l)
{
	struct hotspot_code *c = mem_zero(1, sizeof(*c));

	c->l = l;
	return c;
}

static void
clear_blobs(struct hotspot_code *c)
{
	struct known_blob *b, *next;

	HASH_ITER(hh, c->blobs, b, next)
	{
		HASH_DEL(c->blobs, b);
		free(b);
	}
}

static void
clear_places(struct hotspot_code *c)
{
	struct blob_place *p, *next;

	HASH_ITER(hh, c->places, p, next)
	{
		HASH_DEL(c->places, p);
		free(p);
	}
}

void
hotspot_code_free(struct hotspot_code *c)
{
	if (c == NULL)
		return;
	clear_blobs(c);
	clear_places(c);
	free(c);
}

/* Heaps. */

static bool
read_heap(const struct hotspot_layout *l, struct interp_copy *memory,
	  uint64_t address, struct code_heap *h)
{
	const uint64_t code = address + l->field[HOTSPOT_HEAP_MEMORY].offset;
	const uint64_t map = address + l->field[HOTSPOT_HEAP_SEGMAP].offset;
	const uint64_t largest = UINT64_C(1) << 32;
	uint64_t log2;

	if (!hotspot_layout_read_field(l, HOTSPOT_SPACE_LOW, memory, code,
				       &h->low) ||
	    !hotspot_layout_read_field(l, HOTSPOT_SPACE_HIGH, memory, code,
				       &h->high) ||
	    !hotspot_layout_read_field(l, HOTSPOT_SPACE_LOW, memory, map,
				       &h->segmap) ||
	    !hotspot_layout_read_field(l, HOTSPOT_SPACE_HIGH, memory, map,
				       &h->segmap_end) ||
	    !hotspot_layout_read_field(l, HOTSPOT_HEAP_LOG2, memory, address,
				       &log2))
		return false;
	h->log2 = (uint32_t)log2;
	return log2 >= 4 && log2 <= 16 && h->high > h->low &&
	       h->high - h->low <= largest && h->segmap_end > h->segmap;
}

/* Read where the heaps are; they stay there. */
static void
read_heaps(struct hotspot_code *c, struct interp_copy *memory)
{
	const struct hotspot_layout *l = c->l;
	uint64_t array, n, data, heap, i;

	c->n = 0;
	if (!interp_copy_get(memory, l->variable[HOTSPOT_CODE_HEAPS], &array,
			     sizeof(array), sizeof(array)) ||
	    !hotspot_layout_read_field(l, HOTSPOT_HEAPS_LEN, memory, array,
				       &n) ||
	    !hotspot_layout_read_field(l, HOTSPOT_HEAPS_DATA, memory, array,
				       &data))
		return;
	for (i = 0; i < n && i < MAX_HEAPS; i++) {
		if (interp_copy_get(memory, data + i * sizeof(heap), &heap,
				    sizeof(heap), sizeof(heap)) &&
		    read_heap(l, memory, heap, &c->heap[c->n]))
			c->n++;
	}
}

static const struct code_heap *
find_heap(struct hotspot_code *c, struct interp_copy *memory, uint64_t address)
{
	size_t i;

	if (c->n == 0 && c->misses++ % RETRY == 0)
		read_heaps(c, memory);
	for (i = 0; i < c->n; i++) {
		if (address >= c->heap[i].low && address < c->heap[i].high)
			return &c->heap[i];
	}
	return NULL;
}

bool
hotspot_code_has(struct hotspot_code *c, struct interp_copy *memory,
		 uint64_t address)
{
	return find_heap(c, memory, address) != NULL;
}

/* Blobs. */

/*
 * Read up to n bytes of the map, of which that of a segment is the last;
 * *begin is the segment of the first.  Snapshots may have only one.
 */
static bool
read_map(const struct code_heap *h, struct interp_copy *memory,
	 uint64_t segment, unsigned char *map, size_t n, uint64_t *begin)
{
	*begin = segment + 1 < n ? 0 : segment + 1 - n;
	if (interp_copy_read(memory, h->segmap + *begin, map,
			     (size_t)(segment + 1 - *begin)))
		return true;
	*begin = segment;
	return interp_copy_read(memory, h->segmap + segment, map, 1);
}

/*
 * The map has a byte for each segment: how far it is from the first segment of
 * its blob, or from one that is nearer to that; 0xff: it is free.  Returns the
 * number of the first segment, or false.
 */
static bool
find_segment(const struct code_heap *h, struct interp_copy *memory,
	     uint64_t segment, uint64_t *first)
{
	const unsigned char unused = 0xff;
	unsigned char map[512], back;
	uint64_t begin = UINT64_MAX; /* of the part of the map that was read */
	int i;

	for (i = 0; i < MAX_STEPS; i++) {
		if (segment >= h->segmap_end - h->segmap)
			return false;
		if (segment < begin &&
		    !read_map(h, memory, segment, map, sizeof(map), &begin))
			return false;
		back = map[segment - begin];
		if (back == unused || back > segment)
			return false;
		if (back == 0) {
			*first = segment;
			return true;
		}
		segment -= back;
	}
	return false;
}

static uint64_t
locate(struct hotspot_code *c, struct interp_copy *memory,
       const struct code_heap *h, uint64_t address)
{
	uint64_t segment;

	if (!find_segment(h, memory, (address - h->low) >> h->log2, &segment))
		return 0;
	return h->low + (segment << h->log2) + c->l->type[HOTSPOT_HEAP_BLOCK];
}

/* The header of a blob, after that of its block in the heap. */
struct blob_header {
	const struct hotspot_layout *l;
	uint64_t address;
	char bytes[HOTSPOT_OBJECT_MAX];
	size_t n;
};

static bool
read_header(const struct hotspot_code *c, struct interp_copy *memory,
	    uint64_t address, struct blob_header *h)
{
	const struct hotspot_layout *l = c->l;
	const size_t block = l->type[HOTSPOT_HEAP_BLOCK];
	const struct hotspot_field *used = &l->field[HOTSPOT_BLOCK_USED];
	char bytes[2 * HOTSPOT_OBJECT_MAX];

	h->l = l;
	h->address = address;
	h->n = l->type[HOTSPOT_NMETHOD];
	/* The last blob of a heap may be smaller than a method. */
	if (!interp_copy_get(memory, address - block, bytes, block + h->n,
			     block + h->n)) {
		h->n = l->type[HOTSPOT_CODE_BLOB];
		if (!interp_copy_get(memory, address - block, bytes,
				     block + h->n, block + h->n))
			return false;
	}
	memcpy(h->bytes, bytes + block, h->n);
	return used->size == 0 || used->offset >= block ||
	       bytes[used->offset] != 0;
}

static uint64_t
get(const struct blob_header *h, enum hotspot_field_id id)
{
	return hotspot_layout_get(h->l, id, h->bytes, h->n);
}

static uint32_t
distance(uint64_t from, uint64_t to)
{
	const uint64_t largest = 1 << 26;

	return to > from && to - from <= largest ? (uint32_t)(to - from) : 0;
}

/* Descriptions that lie after the code, up to 22. */
static void
set_near(const struct blob_header *h, struct hotspot_blob *b)
{
	b->metadata = b->address + get(h, HOTSPOT_NMETHOD_METADATA_OFFSET);
	b->scopes = get(h, HOTSPOT_NMETHOD_SCOPES_BEGIN);
	b->pcs = b->address + get(h, HOTSPOT_NMETHOD_PCS_OFFSET);
	b->pcs_size = distance(
	    b->pcs, b->address + get(h, HOTSPOT_NMETHOD_DEPENDENCIES_OFFSET));
	b->scopes_size = distance(b->scopes, b->pcs);
	b->metadata_size = distance(b->metadata, b->scopes);
	b->deopt = get(h, HOTSPOT_NMETHOD_DEOPT_BEGIN);
	b->deopt_mh = get(h, HOTSPOT_NMETHOD_DEOPT_MH_BEGIN);
}

/* Descriptions in memory of their own, from 23 on. */
static void
set_far(const struct blob_header *h, struct hotspot_blob *b)
{
	const uint64_t start = get(h, HOTSPOT_NMETHOD_IMMUTABLE);
	const int32_t deopt = (int32_t)get(h, HOTSPOT_NMETHOD_DEOPT_OFFSET);
	const int32_t mh = (int32_t)get(h, HOTSPOT_NMETHOD_DEOPT_MH_OFFSET);
	uint64_t end;

	b->pcs = start + get(h, HOTSPOT_NMETHOD_PCS_OFFSET);
	b->scopes = start + get(h, HOTSPOT_NMETHOD_SCOPES_OFFSET);
	b->pcs_size = distance(b->pcs, b->scopes);
	b->scopes_size = distance(
	    b->scopes, start + get(h, HOTSPOT_NMETHOD_IMMUTABLE_SIZE));
	if (hotspot_has(h->l, HOTSPOT_BLOB_MUTABLE_DATA)) {
		b->metadata = get(h, HOTSPOT_BLOB_MUTABLE_DATA);
		end = b->metadata + get(h, HOTSPOT_BLOB_MUTABLE_SIZE);
		b->metadata += get(h, HOTSPOT_BLOB_RELOCATION_SIZE);
	} else {
		b->metadata = b->address + get(h, HOTSPOT_BLOB_DATA_OFFSET) +
			      get(h, HOTSPOT_NMETHOD_METADATA_OFFSET);
		end = b->address + get(h, HOTSPOT_BLOB_SIZE);
	}
	b->metadata_size = distance(b->metadata, end);
	b->deopt = deopt > 0 ? b->address + (uint64_t)deopt : 0;
	b->deopt_mh = mh > 0 ? b->address + (uint64_t)mh : 0;
}

static enum hotspot_kind
kind_of(const char *name)
{
	if (strcmp(name, "nmethod") == 0)
		return HOTSPOT_COMPILED;
	if (strcmp(name, "native nmethod") == 0)
		return HOTSPOT_NATIVE;
	if (strcmp(name, "Interpreter") == 0)
		return HOTSPOT_INTERPRETER;
	if (strcmp(name, "vtable chunks") == 0)
		return HOTSPOT_VTABLE;
	return strcmp(name, "I2C/C2I adapters") == 0 ? HOTSPOT_ADAPTER :
						       HOTSPOT_STUB;
}

static void
read_text(struct interp_copy *memory, uint64_t address, char *to, size_t n)
{
	memset(to, 0, n);
	/* It may be the last string before unmapped memory. */
	while (n > 1 && !interp_copy_read(memory, address, to, n - 1))
		n /= 2;
	to[n - 1] = '\0';
}

static void
set_code(const struct blob_header *h, struct hotspot_blob *b)
{
	const uint64_t size = get(h, HOTSPOT_BLOB_SIZE);
	const int64_t words = (int64_t)get(h, HOTSPOT_BLOB_FRAME_SIZE);
	const int64_t largest = 1 << 16;

	if (hotspot_has(h->l, HOTSPOT_BLOB_CODE_BEGIN)) {
		b->code_begin = get(h, HOTSPOT_BLOB_CODE_BEGIN);
		b->code_end = get(h, HOTSPOT_BLOB_CODE_END);
	} else {
		b->code_begin = b->address + get(h, HOTSPOT_BLOB_CODE_OFFSET);
		b->code_end = b->address + get(h, HOTSPOT_BLOB_DATA_OFFSET);
	}
	if (b->code_begin - b->address > size || b->code_end < b->code_begin ||
	    b->code_end - b->address > size)
		b->code_end = b->code_begin = b->address;
	b->frame_size = words > 0 && words < largest ? 8 * (uint32_t)words : 0;
	b->frame_complete = (int32_t)get(h, HOTSPOT_BLOB_FRAME_COMPLETE);
}

static void
set_blob(const struct blob_header *h, struct interp_copy *memory,
	 struct hotspot_blob *b)
{
	*b = (struct hotspot_blob){ .address = h->address };
	read_text(memory, get(h, HOTSPOT_BLOB_NAME), b->name, sizeof(b->name));
	b->kind = kind_of(b->name);
	set_code(h, b);
	if (b->kind != HOTSPOT_COMPILED && b->kind != HOTSPOT_NATIVE)
		return;
	b->method = get(h, HOTSPOT_NMETHOD_METHOD);
	b->compile_id = (int32_t)get(h, HOTSPOT_NMETHOD_COMPILE_ID);
	b->level = (int32_t)get(h, HOTSPOT_NMETHOD_LEVEL);
	b->orig_pc = (uint32_t)get(h, HOTSPOT_NMETHOD_ORIG_PC);
	if (hotspot_has(h->l, HOTSPOT_NMETHOD_IMMUTABLE))
		set_far(h, b);
	else
		set_near(h, b);
}

/* Whether a header is that of a blob that is known. */
static bool
is_same(const struct blob_header *h, const struct hotspot_blob *b)
{
	struct hotspot_blob now = { .address = h->address };

	set_code(h, &now);
	if (now.code_begin != b->code_begin || now.code_end != b->code_end ||
	    now.frame_size != b->frame_size)
		return false;
	return (b->kind != HOTSPOT_COMPILED && b->kind != HOTSPOT_NATIVE) ||
	       ((int32_t)get(h, HOTSPOT_NMETHOD_COMPILE_ID) == b->compile_id &&
		get(h, HOTSPOT_NMETHOD_METHOD) == b->method);
}

/* The blob at an address, by the cache if it is still the same. */
static const struct hotspot_blob *
find_blob(struct hotspot_code *c, struct interp_copy *memory, uint64_t address)
{
	struct blob_header h;
	struct known_blob *k;

	if (!read_header(c, memory, address, &h))
		return NULL;
	HASH_FIND(hh, c->blobs, &address, sizeof(address), k);
	if (k != NULL && is_same(&h, &k->blob))
		return &k->blob;
	if (k == NULL) {
		if (HASH_COUNT(c->blobs) >= MAX_BLOBS)
			clear_blobs(c);
		k = mem_zero(1, sizeof(*k));
		k->address = address;
		HASH_ADD(hh, c->blobs, address, sizeof(k->address), k);
	}
	set_blob(&h, memory, &k->blob);
	return &k->blob;
}

static bool
contains(const struct hotspot_blob *b, uint64_t address)
{
	return b != NULL && address >= b->code_begin && address < b->code_end;
}

const struct hotspot_blob *
hotspot_code_find(struct hotspot_code *c, struct interp_copy *memory,
		  uint64_t address)
{
	const struct code_heap *h = find_heap(c, memory, address);
	const struct hotspot_blob *b = NULL;
	struct blob_place *p;
	uint64_t start, segment;

	if (h == NULL)
		return NULL;
	segment = address >> h->log2;
	HASH_FIND(hh, c->places, &segment, sizeof(segment), p);
	if (p != NULL)
		b = find_blob(c, memory, p->blob);
	if (contains(b, address))
		return b;
	start = locate(c, memory, h, address);
	b = start == 0 ? NULL : find_blob(c, memory, start);
	if (!contains(b, address))
		return NULL;
	if (p == NULL) {
		if (HASH_COUNT(c->places) >= MAX_PLACES)
			clear_places(c);
		p = mem_zero(1, sizeof(*p));
		p->segment = segment;
		HASH_ADD(hh, c->places, segment, sizeof(p->segment), p);
	}
	p->blob = b->address;
	return b;
}

/* Who visits all blobs. */
struct blob_visitor {
	void (*visit)(void *arg, const struct hotspot_blob *b);
	void *arg;
};

static void
visit_heap(struct hotspot_code *c, struct interp_copy *memory,
	   const struct code_heap *h, const struct blob_visitor *v)
{
	const struct interp_reader reader = memory->reader;
	const uint64_t segments = h->segmap_end - h->segmap;
	const uint64_t block = c->l->type[HOTSPOT_HEAP_BLOCK];
	const struct hotspot_blob *b;
	unsigned char back[4096];
	uint64_t i;

	for (i = 0; i < segments; i++) {
		if (i % sizeof(back) == 0 || back[i % sizeof(back)] == 0)
			interp_copy_begin(memory, &reader, NULL, NULL, NULL, 0);
		/* The rest of the map is not in use yet. */
		if (i % sizeof(back) == 0 &&
		    !interp_copy_read(memory, h->segmap + i, back,
				      segments - i < sizeof(back) ?
					  (size_t)(segments - i) :
					  sizeof(back)))
			return;
		b = back[i % sizeof(back)] == 0 ?
			find_blob(c, memory, h->low + (i << h->log2) + block) :
			NULL;
		if (b != NULL)
			v->visit(v->arg, b);
	}
}

void
hotspot_code_visit(struct hotspot_code *c, struct interp_copy *memory,
		   void (*visit)(void *arg, const struct hotspot_blob *b),
		   void *arg)
{
	const struct interp_reader reader = memory->reader;
	const struct blob_visitor v = { visit, arg };
	size_t i;

	/* A JVM that begins has none yet, or not all of them. */
	interp_copy_begin(memory, &reader, NULL, NULL, NULL, 0);
	read_heaps(c, memory);
	for (i = 0; i < c->n; i++)
		visit_heap(c, memory, &c->heap[i], &v);
}
