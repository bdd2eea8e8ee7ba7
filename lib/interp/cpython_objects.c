/* cpython_objects.c - modules, attributes and dictionaries of CPython. */
#include "interp/cpython_objects.h"

#include "base/peek.h"

/* Bytes that are read of one table of a dictionary. */
enum { TABLE_BYTES = 1 << 20 };

/* Base classes of a class. */
enum { MAX_BASES = 32 };

/* Fields that are where they are in all versions. */
enum {
	OBJECT_TYPE = 8,
	MODULE_DICTIONARY = 16,
	TYPE_NAME = 24,
	TYPE_SIZE = 32,
	TYPE_FLAGS = 168,
	TYPE_BASE = 256,
	TYPE_DICTIONARY = 288,
	DICTIONARY_KEYS = 32,
	DICTIONARY_VALUES = 40
};

/* Bits of a type's flags. */
enum { INLINE_VALUES = 1 << 2, MANAGED = 1 << 4, HEAP_TYPE = 1 << 9 };

/* From the headers of each version. */
static const struct version {
	uint8_t major, minor;
	uint32_t modules; /* in PyInterpreterState */
	uint32_t keys;    /* ht_cached_keys in PyHeapTypeObject; 0: unused */
	uint32_t values;  /* the first one in PyDictValues */
} versions[] = { { 2, 7, 16, 0, 0 },      { 3, 6, 16, 0, 0 },
		 { 3, 7, 40, 0, 0 },      { 3, 8, 56, 0, 0 },
		 { 3, 9, 856, 0, 0 },     { 3, 10, 856, 0, 0 },
		 { 3, 11, 888, 872, 0 },  { 3, 12, 944, 880, 0 },
		 { 3, 13, 7656, 880, 8 }, { 3, 14, 7688, 880, 8 },
		 { 3, 15, 7592, 888, 8 } };

/* A dictionary: keys, and values beside them or in an array of their own. */
struct entries {
	uint64_t address, n;
	uint32_t stride, key;
	bool hashed;     /* entries begin with the hash of the key */
	uint64_t values; /* address of the array; 0: beside the keys */
};

static const struct version *
version_of(const struct cpython_layout *l)
{
	size_t i;

	for (i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		if (versions[i].major == l->major &&
		    versions[i].minor == l->minor)
			return &versions[i];
	}
	return NULL;
}

static bool
read_memory(struct cpython_objects *o, uint64_t address, void *to, size_t n)
{
	return address != 0 && interp_copy_read(o->memory, address, to, n);
}

uint64_t
cpython_objects_pointer(struct cpython_objects *o, uint64_t address)
{
	uint64_t p;

	return read_memory(o, address, &p, sizeof(p)) ? p : 0;
}

/* Dictionaries. */

/* PyDictObject of 2.7: an open hash table. */
static bool
open_table(struct cpython_objects *o, uint64_t dictionary, struct entries *e)
{
	char bytes[48];

	if (!read_memory(o, dictionary, bytes, sizeof(bytes)))
		return false;
	*e = (struct entries){ .address = peek_u64(bytes, 40),
			       .n = peek_u64(bytes, 32) + 1,
			       .stride = 24,
			       .key = 8,
			       .hashed = true };
	return true;
}

/* PyDictKeysObject up to 3.10: an index of 1, 2, 4 or 8 bytes each, entries. */
static bool
open_keys_3_6(struct cpython_objects *o, uint64_t keys, struct entries *e)
{
	enum { SIZE = 8, USED = 32, INDEX = 40 };
	char bytes[INDEX];
	uint64_t size;

	if (!read_memory(o, keys, bytes, sizeof(bytes)))
		return false;
	size = peek_u64(bytes, SIZE);
	if (size > 0xffff)
		size *= size > 0xffffffff ? 8 : 4;
	else if (size > 0xff)
		size *= 2;
	*e = (struct entries){ .address = keys + INDEX + size,
			       .n = peek_u64(bytes, USED),
			       .stride = 24,
			       .key = 8,
			       .hashed = true };
	return true;
}

/* PyDictKeysObject from 3.11 on: keys that all are str have no hash. */
static bool
open_keys_3_11(struct cpython_objects *o, uint64_t keys, struct entries *e)
{
	enum { LOG2_BYTES = 9, KIND = 10, USED = 24, INDEX = 32 };
	char bytes[INDEX];
	bool hashed;

	if (!read_memory(o, keys, bytes, sizeof(bytes)) ||
	    (uint8_t)bytes[LOG2_BYTES] > 40)
		return false;
	hashed = bytes[KIND] == 0;
	*e = (struct entries){ .address = keys + INDEX +
					  (1ULL << (uint8_t)bytes[LOG2_BYTES]),
			       .n = peek_u64(bytes, USED),
			       .stride = hashed ? 24 : 16,
			       .key = hashed ? 8 : 0,
			       .hashed = hashed };
	return true;
}

static bool
open_keys(struct cpython_objects *o, uint64_t keys, uint64_t values,
	  struct entries *e)
{
	const struct version *v = version_of(o->l);

	if (v == NULL || !(o->l->minor < 11 ? open_keys_3_6(o, keys, e) :
					      open_keys_3_11(o, keys, e)))
		return false;
	e->values = values == 0 ? 0 : values + v->values;
	return true;
}

static bool
open_dictionary(struct cpython_objects *o, uint64_t dictionary,
		struct entries *e)
{
	char bytes[48];

	if (o->l->major == 2)
		return open_table(o, dictionary, e);
	return read_memory(o, dictionary, bytes, sizeof(bytes)) &&
	       open_keys(o, peek_u64(bytes, DICTIONARY_KEYS),
			 peek_u64(bytes, DICTIONARY_VALUES), e);
}

/* Whether a str is this ASCII text. */
static bool
is_text(struct cpython_objects *o, uint64_t object, struct str want)
{
	enum { LENGTH = 16 };
	const uint32_t at = o->l->text.wide == 0 ? o->l->bytes :
						   o->l->text.ascii;
	char bytes[128];

	return at + want.len <= sizeof(bytes) &&
	       read_memory(o, object, bytes, at + want.len) &&
	       peek_u64(bytes, LENGTH) == want.len &&
	       memcmp(bytes + at, want.p, want.len) == 0;
}

/* Read the entries into the scratch space; false if there are too many. */
static bool
read_entries(struct cpython_objects *o, const struct entries *e)
{
	if (e->n > TABLE_BYTES / e->stride)
		return false;
	buf_reserve(&o->table, e->n * e->stride + 1);
	return e->n > 0 &&
	       read_memory(o, e->address, o->table.p, (size_t)e->n * e->stride);
}

static uint64_t
value_of(struct cpython_objects *o, const struct entries *e, size_t i)
{
	return e->values != 0 ?
		   cpython_objects_pointer(o, e->values + i * 8) :
		   peek_u64(o->table.p, i * e->stride + e->key + 8);
}

static uint64_t
find_text(struct cpython_objects *o, const struct entries *e, struct str want)
{
	uint64_t key;
	size_t i;

	if (!read_entries(o, e))
		return 0;
	for (i = 0; i < e->n; i++) {
		key = peek_u64(o->table.p, i * e->stride + e->key);
		if (key != 0 && is_text(o, key, want))
			return value_of(o, e, i);
	}
	return 0;
}

uint64_t
cpython_objects_find(struct cpython_objects *o, uint64_t dictionary,
		     struct str key)
{
	struct entries e;

	return open_dictionary(o, dictionary, &e) ? find_text(o, &e, key) : 0;
}

/* An int below 2^61 - 1 is its own hash. */
uint64_t
cpython_objects_find_int(struct cpython_objects *o, uint64_t dictionary,
			 uint64_t key)
{
	struct entries e;
	size_t i;

	if (!open_dictionary(o, dictionary, &e) || !e.hashed ||
	    !read_entries(o, &e))
		return 0;
	for (i = 0; i < e.n; i++) {
		if (peek_u64(o->table.p, i * e.stride) == key &&
		    peek_u64(o->table.p, i * e.stride + e.key) != 0)
			return value_of(o, &e, i);
	}
	return 0;
}

uint64_t
cpython_objects_module(struct cpython_objects *o, uint64_t interpreter,
		       struct str name)
{
	const struct version *v = version_of(o->l);
	uint64_t modules, module;

	if (v == NULL)
		return 0;
	modules = cpython_objects_pointer(o, interpreter + v->modules);
	module = cpython_objects_find(o, modules, name);
	return module == 0 ?
		   0 :
		   cpython_objects_pointer(o, module + MODULE_DICTIONARY);
}

/* Attributes. */

/*
 * Where the attributes of an object are whose dictionary the interpreter
 * manages: values without keys, which the type has, or a dictionary.
 */
static bool
open_managed(struct cpython_objects *o, uint64_t object, const char *type,
	     struct entries *e)
{
	const struct version *v = version_of(o->l);
	const uint64_t keys = peek_u64(type, v->keys);
	uint64_t dictionary = cpython_objects_pointer(o, object - 24), values;

	switch (o->l->minor) {
	case 11:
		values = cpython_objects_pointer(o, object - 32);
		break;
	case 12:
		values = dictionary & 1 ? dictionary + 1 : 0;
		break;
	default:
		values = dictionary == 0 &&
				 (peek_u32(type, TYPE_FLAGS) & INLINE_VALUES) ?
			     object + peek_u64(type, TYPE_SIZE) :
			     0;
		break;
	}
	return values != 0 ? open_keys(o, keys, values, e) :
			     open_dictionary(o, dictionary, e);
}

uint64_t
cpython_objects_attribute(struct cpython_objects *o, uint64_t object,
			  struct str name)
{
	char type[896];
	uint64_t offset;
	struct entries e;
	bool managed;

	if (version_of(o->l) == NULL ||
	    !read_memory(o, cpython_objects_pointer(o, object + OBJECT_TYPE),
			 type, sizeof(type)))
		return 0;
	managed = o->l->major == 3 && o->l->minor >= 11 &&
		  (peek_u32(type, TYPE_FLAGS) & MANAGED);
	offset = peek_u64(type, TYPE_DICTIONARY);
	if (managed ? !open_managed(o, object, type, &e) :
		      !open_dictionary(
			  o, cpython_objects_pointer(o, object + offset), &e))
		return 0;
	return find_text(o, &e, name);
}

/* Types. */

bool
cpython_objects_is(struct cpython_objects *o, uint64_t type, struct str name,
		   bool bases)
{
	char bytes[TYPE_BASE + 8], text[64];
	int i;

	if (name.len >= sizeof(text))
		return false;
	for (i = 0; i < MAX_BASES && type != 0; i++) {
		if (!read_memory(o, type, bytes, sizeof(bytes)) ||
		    (!bases && (peek_u32(bytes, TYPE_FLAGS) & HEAP_TYPE)))
			return false;
		if (read_memory(o, peek_u64(bytes, TYPE_NAME), text,
				name.len + 1) &&
		    memcmp(text, name.p, name.len) == 0 &&
		    text[name.len] == '\0')
			return true;
		if (!bases)
			return false;
		type = peek_u64(bytes, TYPE_BASE);
	}
	return false;
}
