/* hotspot_objects.c - fields of Java objects in the heap of a HotSpot. */
#include "interp/hotspot_objects.h"

#include "base/utf8.h"
#include "interp/hotspot_scopes.h"

#include <string.h>

/*
 * Limits: fields of a class, bytes of their description, of names,
 * superclasses, objects of one call.
 */
enum {
	MAX_FIELDS = 512,
	MAX_STREAM = 1 << 14,
	MAX_NAME = 64,
	MAX_TEXT = 1024,
	MAX_SUPER = 64,
	MAX_PARTS = 128,
	MAX_UNREAD = 8
};

/* Bytes before an object's fields; the first JDK with elements at any word. */
enum { MAX_HEADER = 16, UNALIGNED_ARRAYS = 23 };

/* An Array<T> of small T: a length of 4 bytes, then the elements. */
enum { ARRAY_DATA = 4 };

/* Up to JDK 20, a field is six numbers of 2 bytes, fieldInfo.hpp. */
enum {
	FIELD_NAME = 1,
	FIELD_TYPE = 2,
	FIELD_LOW = 4,
	FIELD_HIGH = 5,
	FIELD_WORDS = 6
};

/* Bits of the low number that say what kind of offset it has. */
enum { TAG_BITS = 2 };

/* From JDK 21 on, it is a stream of numbers; these flags add another one. */
enum { FLAG_INITIALIZED = 1, FLAG_GENERIC = 4, FLAG_CONTENDED = 16 };

/* A class while its fields are read. */
struct field_reader {
	const struct hotspot_layout *l;
	struct interp_copy *memory;
	uint64_t pool;
	uint64_t pool_size;
	/* Called for each field, with its name and the first letter of its
	 * type. */
	void (*field)(void *arg, const char *name, char type, uint32_t offset);
	void *arg;
};

/* Read a symbol of the constant pool; false if it is none. */
static bool
read_symbol(const struct field_reader *r, uint32_t index, char text[MAX_NAME])
{
	const struct hotspot_layout *l = r->l;
	const uint64_t slot = r->pool + l->type[HOTSPOT_CONSTANT_POOL] +
			      8 * (uint64_t)index;
	uint64_t symbol, n;

	memset(text, 0, MAX_NAME);
	if (index == 0 || index >= r->pool_size ||
	    !interp_copy_get(r->memory, slot, &symbol, sizeof(symbol),
			     sizeof(symbol)))
		return false;
	symbol &= ~UINT64_C(3);
	return hotspot_layout_read_field(l, HOTSPOT_SYMBOL_LENGTH, r->memory,
					 symbol, &n) &&
	       n > 0 && n < UINT16_MAX &&
	       interp_copy_get(r->memory,
			       symbol + l->field[HOTSPOT_SYMBOL_BODY].offset,
			       text, n < MAX_NAME ? n : MAX_NAME - 1,
			       n < MAX_NAME ? n : MAX_NAME - 1);
}

static void
add_field(const struct field_reader *r, uint32_t name_index,
	  uint32_t type_index, uint32_t offset)
{
	char name[MAX_NAME], type[MAX_NAME];

	if (read_symbol(r, name_index, name) &&
	    read_symbol(r, type_index, type))
		r->field(r->arg, name, type[0], offset);
}

/* Fields up to JDK 20. */
static bool
read_array(const struct field_reader *r, uint64_t array, uint64_t n)
{
	uint16_t word[FIELD_WORDS];
	uint64_t i;

	for (i = 0; i < n && i < MAX_FIELDS; i++) {
		if (!interp_copy_get(r->memory,
				     array + ARRAY_DATA + i * sizeof(word),
				     word, sizeof(word), sizeof(word)))
			return false;
		add_field(
		    r, word[FIELD_NAME], word[FIELD_TYPE],
		    ((uint32_t)word[FIELD_HIGH] << 16 | word[FIELD_LOW]) >>
			TAG_BITS);
	}
	return true;
}

/* The numbers of a field in a stream that has no other number before them. */
enum { NAME, TYPE, OFFSET, ACCESS, FLAGS, NUMBERS };

/* Fields from JDK 21 on. */
static bool
read_stream(const struct field_reader *r, uint64_t array)
{
	const unsigned excess = hotspot_scopes_excess(r->l);
	uint32_t size, n, injected, i, k, number[NUMBERS], unused;
	char bytes[MAX_STREAM];
	const char *p = bytes, *end;

	if (!interp_copy_get(r->memory, array, &size, sizeof(size),
			     sizeof(size)) ||
	    size > sizeof(bytes) ||
	    !interp_copy_get(r->memory, array + ARRAY_DATA, bytes, size, size))
		return false;
	end = bytes + size;
	if (!hotspot_scopes_number(&p, end, excess, &n) ||
	    !hotspot_scopes_number(&p, end, excess, &injected))
		return false;
	for (i = 0; i < n && i < MAX_FIELDS; i++) {
		for (k = 0; k < NUMBERS; k++) {
			if (!hotspot_scopes_number(&p, end, excess, &number[k]))
				return false;
		}
		for (k = FLAG_INITIALIZED; k <= FLAG_CONTENDED; k <<= 1) {
			if ((number[FLAGS] & k &
			     (FLAG_INITIALIZED | FLAG_GENERIC |
			      FLAG_CONTENDED)) != 0 &&
			    !hotspot_scopes_number(&p, end, excess, &unused))
				return false;
		}
		add_field(r, number[NAME], number[TYPE], number[OFFSET]);
	}
	return true;
}

/* Read the fields of a class. */
static bool
read_class(struct field_reader *r, uint64_t klass)
{
	const struct hotspot_layout *l = r->l;
	uint64_t fields, n;

	if (!hotspot_layout_read_field(l, HOTSPOT_KLASS_CONSTANTS, r->memory,
				       klass, &r->pool) ||
	    !hotspot_layout_read_field(l, HOTSPOT_POOL_LENGTH, r->memory,
				       r->pool, &r->pool_size))
		return false;
	if (hotspot_layout_read_field(l, HOTSPOT_KLASS_FIELD_STREAM, r->memory,
				      klass, &fields))
		return read_stream(r, fields);
	return hotspot_layout_read_field(l, HOTSPOT_KLASS_FIELDS, r->memory,
					 klass, &fields) &&
	       hotspot_layout_read_field(l, HOTSPOT_KLASS_FIELD_COUNT,
					 r->memory, klass, &n) &&
	       read_array(r, fields, n);
}

/* The same of the class that a variable has, by the variable's address. */
static bool
read_fields(struct field_reader *r, uint64_t variable)
{
	uint64_t klass;

	return variable != 0 &&
	       interp_copy_get(r->memory, variable, &klass, sizeof(klass),
			       sizeof(klass)) &&
	       read_class(r, klass);
}

static void
thread_field(void *arg, const char *name, char type, uint32_t offset)
{
	struct hotspot_objects *o = arg;

	if (strcmp(name, "name") == 0)
		o->thread_name = offset;
	else if (strcmp(name, "parkBlocker") == 0)
		o->thread_blocker = offset;
	else if (strcmp(name, "eetop") == 0)
		o->thread_block = offset;
	/* A reference that is not at a multiple of 8 has 4 bytes. */
	if ((type == 'L' || type == '[') && offset % 8 == 4)
		o->reference = 4;
}

static void
string_field(void *arg, const char *name, char type, uint32_t offset)
{
	struct hotspot_objects *o = arg;

	if (strcmp(name, "value") == 0 && type == '[')
		o->string_value = offset;
	else if (strcmp(name, "coder") == 0)
		o->string_coder = offset;
	/* Arrays have their length where objects have the first field. */
	if (offset < o->length)
		o->length = offset;
}

/* A field that is searched. */
struct wanted_field {
	const char *name;
	uint32_t offset;
};

static void
wanted_field(void *arg, const char *name, char type, uint32_t offset)
{
	struct wanted_field *w = arg;

	(void)type;
	if (strcmp(name, w->name) == 0)
		w->offset = offset;
}

uint32_t
hotspot_objects_field(const struct hotspot_layout *l,
		      struct interp_copy *memory, uint64_t klass,
		      const char *name)
{
	struct wanted_field wanted = { name, 0 };
	struct field_reader r = { l, memory, 0, 0, wanted_field, &wanted };

	read_class(&r, klass);
	return wanted.offset;
}

uint32_t
hotspot_objects_member(const struct hotspot_layout *l,
		       struct interp_copy *memory, uint64_t klass,
		       const char *name)
{
	uint32_t offset = 0;
	int i;

	for (i = 0; i < MAX_SUPER && klass != 0 && offset == 0; i++) {
		offset = hotspot_objects_field(l, memory, klass, name);
		if (!hotspot_layout_read_field(l, HOTSPOT_KLASS_SUPER, memory,
					       klass, &klass))
			break;
	}
	return offset;
}

/* The symbol of a class's name, and its length; 0 if it cannot be read. */
static uint64_t
name_symbol(const struct hotspot_layout *l, struct interp_copy *memory,
	    uint64_t klass, uint64_t *n)
{
	uint64_t symbol;

	return hotspot_layout_read_field(l, HOTSPOT_KLASS_NAME, memory, klass,
					 &symbol) &&
		       hotspot_layout_read_field(l, HOTSPOT_SYMBOL_LENGTH,
						 memory, symbol, n) ?
		   symbol :
		   0;
}

bool
hotspot_objects_is(const struct hotspot_layout *l, struct interp_copy *memory,
		   uint64_t klass, struct str name)
{
	char text[MAX_NAME];
	uint64_t n, symbol = name_symbol(l, memory, klass, &n);

	return symbol != 0 && n == name.len && n <= sizeof(text) &&
	       interp_copy_read(memory,
				symbol + l->field[HOTSPOT_SYMBOL_BODY].offset,
				text, (size_t)n) &&
	       memcmp(text, name.p, name.len) == 0;
}

void
hotspot_objects_class_name(const struct hotspot_layout *l,
			   struct interp_copy *memory, uint64_t klass,
			   struct buf *name)
{
	uint64_t n, symbol = name_symbol(l, memory, klass, &n);

	if (symbol == 0 || n == 0 || n > MAX_TEXT)
		return;
	buf_reserve(name, n);
	if (interp_copy_read(memory,
			     symbol + l->field[HOTSPOT_SYMBOL_BODY].offset,
			     name->p + name->len, (size_t)n))
		name->len += (size_t)n;
}

void
hotspot_objects_read_all(struct interp_copy *memory, const uint64_t *object,
			 size_t count, size_t n, char *to)
{
	struct iovec local[MAX_PARTS], remote[MAX_PARTS];
	size_t i = 0, parts, done, unread = 0;

	memset(to, 0, count * n);
	/* MAX_UNREAD failures in a row: the process has probably ended. */
	while (i < count && unread < MAX_UNREAD &&
	       memory->reads < memory->max_reads) {
		for (parts = 0; parts < MAX_PARTS && i + parts < count;
		     parts++) {
			local[parts] = (struct iovec){ to + (i + parts) * n,
						       n };
			remote[parts] = (struct iovec){
				(void *)(uintptr_t)object[i + parts], n
			};
		}
		done = interp_copy_read_parts(memory, local, remote, parts) / n;
		i += done;
		unread = done > 0 ? 0 : unread + 1;
		/* This one cannot be read, or only in part. */
		if (done < parts)
			memset(to + i++ * n, 0, n);
	}
}

/* How references to classes are made, but for those of 8 bytes. */
static void
read_class_base(struct hotspot_objects *o, const struct hotspot_layout *l,
		struct interp_copy *memory)
{
	if (!interp_copy_get(memory, l->variable[HOTSPOT_KLASS_BASE],
			     &o->class_base, sizeof(o->class_base),
			     sizeof(o->class_base)) ||
	    !interp_copy_get(memory, l->variable[HOTSPOT_KLASS_SHIFT],
			     &o->class_shift, sizeof(o->class_shift),
			     sizeof(o->class_shift)) ||
	    o->class_shift > 16)
		o->class_base = o->class_shift = 0;
}

bool
hotspot_objects_read(struct hotspot_objects *o, const struct hotspot_layout *l,
		     struct interp_copy *memory)
{
	struct field_reader threads = { l, memory, 0, 0, thread_field, o };
	struct field_reader strings = { l, memory, 0, 0, string_field, o };

	*o = (struct hotspot_objects){ .reference = 8, .length = UINT32_MAX };
	if (!read_fields(&threads, l->variable[HOTSPOT_CLASS_THREAD]) ||
	    !read_fields(&strings, l->variable[HOTSPOT_CLASS_STRING]) ||
	    o->length > MAX_HEADER)
		return false;
	read_class_base(o, l, memory);
	o->elements = o->length + 4;
	if (l->version < UNALIGNED_ARRAYS)
		o->elements = (o->elements + 7) & ~7U;
	return o->thread_name != 0 && o->string_value != 0 &&
	       o->string_coder != 0 &&
	       interp_copy_get(memory, l->variable[HOTSPOT_OOP_BASE], &o->base,
			       sizeof(o->base), sizeof(o->base)) &&
	       interp_copy_get(memory, l->variable[HOTSPOT_OOP_SHIFT],
			       &o->shift, sizeof(o->shift), sizeof(o->shift)) &&
	       o->shift < 8;
}

/* Text. */

/*
 * The generational ZGC has its heap above 2^42, and shifts addresses by one
 * more than the highest of the four bits from 12 on that is set, zAddress.hpp.
 * The lowest 16 bits of null are not all 0 there.
 */
uint64_t
hotspot_objects_plain(uint64_t reference)
{
	enum { USER_BITS = 47, FIRST = 12, COLORS = 15, LOW_BITS = 16 };
	const unsigned color = (unsigned)(reference >> FIRST) & COLORS;

	if (reference >> LOW_BITS == 0)
		return 0;
	return reference >> USER_BITS == 0 || color == 0 ?
		   reference :
		   reference >> (FIRST + 32 - __builtin_clz(color));
}

bool
hotspot_objects_reference(const struct hotspot_objects *o,
			  struct interp_copy *memory, uint64_t address,
			  uint64_t *object)
{
	*object = 0;
	if (!interp_copy_read(memory, address, object, o->reference) ||
	    *object == 0)
		return false;
	if (o->reference == 4)
		*object = o->base + (*object << o->shift);
	else
		*object = hotspot_objects_plain(*object);
	return *object != 0 && *object % 8 == 0;
}

/*
 * The header of an object: 8 bytes that have other things, then the class, in 4
 * bytes or 8; or 8 bytes of which the highest 22 bits are the class.  What
 * follows begins where arrays have their length.
 */
enum { COMPACT = 8, SHORT = 12, COMPACT_SHIFT = 42 };

uint64_t
hotspot_objects_class_of(const struct hotspot_objects *o, uint64_t first,
			 uint64_t second)
{
	uint64_t number;

	if (o->length != COMPACT && o->length != SHORT)
		return second;
	number = o->length == COMPACT ? first >> COMPACT_SHIFT :
					(uint32_t)second;
	return number == 0 ? 0 : o->class_base + (number << o->class_shift);
}

uint64_t
hotspot_objects_class(const struct hotspot_objects *o,
		      struct interp_copy *memory, uint64_t object)
{
	uint64_t word[2] = { 0 };

	return interp_copy_read(memory, object, word,
				o->length == COMPACT ? 8 : sizeof(word)) ?
		   hotspot_objects_class_of(o, word[0], word[1]) :
		   0;
}

/* A number of two bytes, which HotSpot's machines have in this order. */
static uint32_t
get_u16(const char *bytes, size_t i)
{
	return (unsigned char)bytes[i] | (uint32_t)(unsigned char)bytes[i + 1]
					     << 8;
}

/* Append n characters of 1 byte, or of 2 if they are wide: UTF-16. */
static void
append_text(struct buf *out, const char *bytes, size_t n, bool wide)
{
	uint32_t c, next;
	size_t i;

	for (i = 0; i < n; i++) {
		c = wide ? get_u16(bytes, 2 * i) : (unsigned char)bytes[i];
		next = wide && i + 1 < n ? get_u16(bytes, 2 * i + 2) : 0;
		if ((c & 0xfc00) == 0xd800 && (next & 0xfc00) == 0xdc00) {
			c = 0x10000 + ((c & 0x3ff) << 10) + (next & 0x3ff);
			i++;
		} else if ((c & 0xf800) == 0xd800) {
			c = '?';
		}
		utf8_put(out, c);
	}
}

static bool
append_array(const struct hotspot_objects *o, struct interp_copy *memory,
	     uint64_t array, bool wide, struct buf *out)
{
	char bytes[MAX_TEXT];
	uint32_t n;

	if (!interp_copy_read(memory, array + o->length, &n, sizeof(n)) ||
	    n == 0 || n > sizeof(bytes) || (wide && n % 2 != 0) ||
	    !interp_copy_read(memory, array + o->elements, bytes, n))
		return false;
	append_text(out, bytes, wide ? n / 2 : n, wide);
	return true;
}

bool
hotspot_objects_thread_name(const struct hotspot_objects *o,
			    struct interp_copy *memory, uint64_t thread,
			    struct buf *name)
{
	uint64_t string, array;
	uint8_t coder;

	return thread != 0 &&
	       hotspot_objects_reference(o, memory, thread + o->thread_name,
					 &string) &&
	       hotspot_objects_reference(o, memory, string + o->string_value,
					 &array) &&
	       interp_copy_read(memory, string + o->string_coder, &coder, 1) &&
	       coder <= 1 && append_array(o, memory, array, coder == 1, name);
}
