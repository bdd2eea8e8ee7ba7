/* hotspot_layout.c - where HotSpot keeps what its frames need. */
#include "interp/hotspot_layout.h"

#include "interp/hotspot_fields.h"

#include <string.h>

/* Limits: entries of a table, their size, the length of a name. */
enum { MAX_ENTRIES = 8192, MAX_STRIDE = 256, NAME = 96, MAX_READS = 4000 };

/* Sizes and signs of C++ types; all others are pointers. */
static const struct {
	const char *name;
	uint8_t size;
	bool is_signed;
} numbers[] = { { "int", 4, true },
		{ "jint", 4, true },
		{ "int32_t", 4, true },
		{ "unsigned int", 4, false },
		{ "uint", 4, false },
		{ "const uint", 4, false },
		{ "u4", 4, false },
		{ "uint32_t", 4, false },
		{ "pid_t", 4, true },
		{ "OSThread::thread_id_t", 4, true },
		{ "short", 2, true },
		{ "int16_t", 2, true },
		{ "u2", 2, false },
		{ "uint16_t", 2, false },
		{ "unsigned short", 2, false },
		{ "u1", 1, false },
		{ "bool", 1, false },
		{ "CompLevel", 1, true },
		{ "InstanceKlass::ClassState", 1, false } };

/* Reading the tables. */

struct table_reader {
	struct hotspot_layout *l;
	struct interp_copy memory;
};

/* Where a table is, and where its entries have what, by symbols. */
enum { TABLE, STRIDE, FIRST, TABLE_SYMBOLS = 8 };

static bool
read_word(struct table_reader *t, uint64_t address, uint64_t *value)
{
	return address != 0 &&
	       interp_copy_get_near(&t->memory, address, value, sizeof(*value));
}

/* Read a name, of which all but the first bytes may be on another page. */
static bool
read_name(struct table_reader *t, uint64_t address, char name[NAME])
{
	const size_t page = 4096;
	const size_t n = page - address % page < NAME ?
			     (size_t)(page - address % page) :
			     NAME;

	memset(name, 0, NAME);
	if (address == 0 || !interp_copy_get_near(&t->memory, address, name, n))
		return false;
	if (n < NAME && memchr(name, 0, n) == NULL)
		interp_copy_get_near(&t->memory, address + n, name + n,
				     NAME - n);
	name[NAME - 1] = '\0';
	return true;
}

static void
set_field(struct hotspot_field *f, const char *type, uint64_t offset)
{
	size_t i;

	if (offset >= 1 << 16)
		return;
	*f = (struct hotspot_field){ (uint32_t)offset, 8, false };
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (strcmp(type, numbers[i].name) == 0) {
			f->size = numbers[i].size;
			f->is_signed = numbers[i].is_signed;
		}
	}
}

/* An entry of gHotSpotVMStructs. */
enum {
	STRUCT_TYPE,
	STRUCT_FIELD,
	STRUCT_KIND,
	STRUCT_STATIC,
	STRUCT_OFFSET,
	STRUCT_ADDRESS
};

static bool
add_struct(struct table_reader *t, const uint64_t *value)
{
	char type[NAME], field[NAME], kind[NAME];
	size_t i;

	if (!read_name(t, value[STRUCT_TYPE], type) ||
	    !read_name(t, value[STRUCT_FIELD], field))
		return false;
	for (i = 0; i < hotspot_fields_statics; i++) {
		if ((uint32_t)value[STRUCT_STATIC] != 0 &&
		    strcmp(type, hotspot_fields_static[i].type) == 0 &&
		    strcmp(field, hotspot_fields_static[i].name) == 0)
			t->l->variable[hotspot_fields_static[i].id] =
			    value[STRUCT_ADDRESS];
	}
	for (i = 0; i < hotspot_fields_n; i++) {
		if ((uint32_t)value[STRUCT_STATIC] != 0 ||
		    strcmp(type, hotspot_fields[i].type) != 0 ||
		    strcmp(field, hotspot_fields[i].name) != 0)
			continue;
		read_name(t, value[STRUCT_KIND], kind);
		set_field(&t->l->field[hotspot_fields[i].id], kind,
			  value[STRUCT_OFFSET]);
	}
	return true;
}

/* An entry of gHotSpotVMTypes. */
static bool
add_type(struct table_reader *t, const uint64_t *value)
{
	char name[NAME];
	size_t i;

	if (!read_name(t, value[0], name))
		return false;
	for (i = 0; i < HOTSPOT_TYPES; i++) {
		if (strcmp(name, hotspot_fields_type[i]) == 0 &&
		    value[1] <= HOTSPOT_OBJECT_MAX)
			t->l->type[i] = (uint32_t)value[1];
	}
	return true;
}

/* Read a table by the addresses of its symbols. */
static bool
read_table(struct table_reader *t, const struct interp_symbol *symbol, size_t n,
	   bool (*add)(struct table_reader *t, const uint64_t *value))
{
	uint64_t entry, stride, offset[TABLE_SYMBOLS], value[TABLE_SYMBOLS];
	size_t i, k;

	if (!read_word(t, symbol[TABLE].address, &entry) ||
	    !read_word(t, symbol[STRIDE].address, &stride) || stride == 0 ||
	    stride > MAX_STRIDE)
		return false;
	for (k = FIRST; k < n; k++) {
		if (!read_word(t, symbol[k].address, &offset[k]) ||
		    offset[k] > stride)
			return false;
	}
	for (i = 0; i < MAX_ENTRIES; i++, entry += stride) {
		for (k = FIRST; k < n; k++) {
			if (!read_word(t, entry + offset[k], &value[k - FIRST]))
				return false;
		}
		if (value[0] == 0)
			return true;
		if (!add(t, value))
			return false;
	}
	return false;
}

#define PREFIX "gHotSpotVM"

static bool
read_tables(struct table_reader *t, const struct interp_target *target,
	    size_t map)
{
	struct interp_symbol structs[] = {
		{ PREFIX "Structs", 0, 0 },
		{ PREFIX "StructEntryArrayStride", 0, 0 },
		{ PREFIX "StructEntryTypeNameOffset", 0, 0 },
		{ PREFIX "StructEntryFieldNameOffset", 0, 0 },
		{ PREFIX "StructEntryTypeStringOffset", 0, 0 },
		{ PREFIX "StructEntryIsStaticOffset", 0, 0 },
		{ PREFIX "StructEntryOffsetOffset", 0, 0 },
		{ PREFIX "StructEntryAddressOffset", 0, 0 }
	};
	struct interp_symbol sizes[] = {
		{ PREFIX "Types", 0, 0 },
		{ PREFIX "TypeEntryArrayStride", 0, 0 },
		{ PREFIX "TypeEntryTypeNameOffset", 0, 0 },
		{ PREFIX "TypeEntrySizeOffset", 0, 0 }
	};
	const size_t n = sizeof(structs) / sizeof(*structs);
	const size_t m = sizeof(sizes) / sizeof(*sizes);

	return interp_binary_find(target, map, structs, n, NULL, NULL) &&
	       interp_binary_find(target, map, sizes, m, NULL, NULL) &&
	       read_table(t, structs, n, add_struct) &&
	       read_table(t, sizes, m, add_type);
}

/* Whether the fields are there that all known versions have. */
bool
hotspot_layout_is_complete(const struct hotspot_layout *l)
{
	static const enum hotspot_field_id needed[] = {
		HOTSPOT_HEAPS_LEN,       HOTSPOT_HEAPS_DATA,
		HOTSPOT_HEAP_MEMORY,     HOTSPOT_HEAP_SEGMAP,
		HOTSPOT_HEAP_LOG2,       HOTSPOT_SPACE_LOW,
		HOTSPOT_SPACE_HIGH,      HOTSPOT_BLOB_NAME,
		HOTSPOT_BLOB_SIZE,       HOTSPOT_BLOB_FRAME_SIZE,
		HOTSPOT_NMETHOD_METHOD,  HOTSPOT_BLOB_FRAME_COMPLETE,
		HOTSPOT_NMETHOD_LEVEL,   HOTSPOT_NMETHOD_COMPILE_ID,
		HOTSPOT_NMETHOD_ORIG_PC, HOTSPOT_NMETHOD_PCS_OFFSET,
		HOTSPOT_PC_OFFSET,       HOTSPOT_PC_SCOPE,
		HOTSPOT_METHOD_CONST,    HOTSPOT_CONST_POOL,
		HOTSPOT_CONST_FLAGS,     HOTSPOT_CONST_CODE_SIZE,
		HOTSPOT_CONST_NAME,      HOTSPOT_CONST_SIZE,
		HOTSPOT_POOL_HOLDER,     HOTSPOT_POOL_LENGTH,
		HOTSPOT_KLASS_NAME,      HOTSPOT_SYMBOL_LENGTH,
		HOTSPOT_SYMBOL_BODY
	};
	size_t i;

	for (i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		if (!hotspot_has(l, needed[i]))
			return false;
	}
	for (i = 0; i < HOTSPOT_NEEDED_STATICS; i++) {
		if (l->variable[i] == 0)
			return false;
	}
	for (i = 0; i < HOTSPOT_TYPES; i++) {
		if (l->type[i] == 0)
			return false;
	}
	return (hotspot_has(l, HOTSPOT_BLOB_CODE_BEGIN) ||
		hotspot_has(l, HOTSPOT_BLOB_CODE_OFFSET)) &&
	       (hotspot_has(l, HOTSPOT_NMETHOD_SCOPES_BEGIN) ||
		hotspot_has(l, HOTSPOT_NMETHOD_IMMUTABLE));
}

bool
hotspot_layout_read(struct hotspot_layout *l,
		    const struct interp_target *target, size_t map,
		    const struct interp_reader *reader, struct buf *why)
{
	struct table_reader t = { .l = l };
	bool found;

	memset(l, 0, sizeof(*l));
	interp_copy_begin(&t.memory, reader, NULL, NULL, NULL, 0);
	t.memory.max_reads = MAX_READS;
	found = read_tables(&t, target, map);
	if (found && l->variable[HOTSPOT_VERSION] != 0)
		interp_copy_read(&t.memory, l->variable[HOTSPOT_VERSION],
				 &l->version, sizeof(l->version));
	interp_copy_free(&t.memory);
	if (found && hotspot_layout_is_complete(l))
		return true;
	/* The VM of JDK 8 has the number 25; later ones have that of the JDK.
	 */
	if (found)
		buf_printf(why, "a Java VM of JDK %u, which is not supported",
			   l->variable[HOTSPOT_CODE_HEAPS] == 0 ? 8 :
								  l->version);
	return false;
}

/* As text. */

void
hotspot_layout_print(const struct hotspot_layout *l, struct buf *out)
{
	const struct hotspot_field *f;
	bool done[HOTSPOT_FIELDS] = { false };
	size_t i;

	buf_printf(out, "version %u\n", l->version);
	for (i = 0; i < hotspot_fields_n; i++) {
		f = &l->field[hotspot_fields[i].id];
		if (f->size > 0 && !done[hotspot_fields[i].id])
			buf_printf(out, "field %s::%s %u %u %c\n",
				   hotspot_fields[i].type,
				   hotspot_fields[i].name, f->offset, f->size,
				   f->is_signed ? 's' : 'u');
		done[hotspot_fields[i].id] = true;
	}
	for (i = 0; i < hotspot_fields_statics; i++)
		buf_printf(out, "static %s::%s %llx\n",
			   hotspot_fields_static[i].type,
			   hotspot_fields_static[i].name,
			   (unsigned long long)
			       l->variable[hotspot_fields_static[i].id]);
	for (i = 0; i < HOTSPOT_TYPES; i++)
		buf_printf(out, "type %s %u\n", hotspot_fields_type[i],
			   l->type[i]);
}

/* Whether a text is "TYPE::NAME". */
static bool
is_member(struct str s, const char *type, const char *name)
{
	const size_t n = strlen(type);

	return s.len > n + 2 && memcmp(s.p, type, n) == 0 && s.p[n] == ':' &&
	       s.p[n + 1] == ':' && str_eq(str_skip(s, n + 2), str_of(name));
}

static bool
parse_field(struct hotspot_layout *l, struct str name, struct str rest)
{
	uint64_t offset, size;
	size_t i;

	if (!str_u64(str_cut(&rest, ' '), &offset) || offset >= 1 << 16 ||
	    !str_u64(str_cut(&rest, ' '), &size) || size == 0 || size > 8 ||
	    (size & (size - 1)) != 0)
		return false;
	for (i = 0; i < hotspot_fields_n; i++) {
		if (is_member(name, hotspot_fields[i].type,
			      hotspot_fields[i].name))
			l->field[hotspot_fields[i].id] = (struct hotspot_field){
				(uint32_t)offset, (uint8_t)size,
				str_eq(rest, STR("s"))
			};
	}
	return true;
}

static bool
parse_static(struct hotspot_layout *l, struct str name, struct str rest)
{
	uint64_t address;
	size_t i;

	if (!str_hex(rest, &address))
		return false;
	for (i = 0; i < hotspot_fields_statics; i++) {
		if (is_member(name, hotspot_fields_static[i].type,
			      hotspot_fields_static[i].name))
			l->variable[hotspot_fields_static[i].id] = address;
	}
	return true;
}

static bool
parse_type(struct hotspot_layout *l, struct str name, struct str rest)
{
	uint64_t size;
	size_t i;

	if (!str_u64(rest, &size) || size > HOTSPOT_OBJECT_MAX)
		return false;
	for (i = 0; i < HOTSPOT_TYPES; i++) {
		if (str_eq(name, str_of(hotspot_fields_type[i])))
			l->type[i] = (uint32_t)size;
	}
	return true;
}

bool
hotspot_layout_parse(struct hotspot_layout *l, struct str line)
{
	const struct str kind = str_cut(&line, ' ');
	const struct str name = str_cut(&line, ' ');
	uint64_t version;

	if (str_eq(kind, STR("field")))
		return parse_field(l, name, line);
	if (str_eq(kind, STR("static")))
		return parse_static(l, name, line);
	if (str_eq(kind, STR("type")))
		return parse_type(l, name, line);
	if (!str_eq(kind, STR("version")) || !str_u64(name, &version) ||
	    version > UINT32_MAX)
		return false;
	l->version = (uint32_t)version;
	return true;
}

/* Values. */

/* The value of a field that begins at p. */
static uint64_t
value_of(const struct hotspot_field *f, const char *p)
{
	uint64_t n = 0;
	const unsigned unused = 64 - 8U * f->size;

	memcpy(&n, p, f->size);
	/* Machines that HotSpot's frames are known for are little-endian. */
	if (f->is_signed)
		n = (uint64_t)((int64_t)(n << unused) >> unused);
	return n;
}

uint64_t
hotspot_layout_get(const struct hotspot_layout *l, enum hotspot_field_id id,
		   const char *bytes, size_t n)
{
	const struct hotspot_field *f = &l->field[id];

	return f->size == 0 || f->offset > n || f->size > n - f->offset ?
		   0 :
		   value_of(f, bytes + f->offset);
}

bool
hotspot_layout_read_field(const struct hotspot_layout *l,
			  enum hotspot_field_id id, struct interp_copy *memory,
			  uint64_t object, uint64_t *value)
{
	const struct hotspot_field *f = &l->field[id];
	char bytes[8];

	if (f->size == 0 || object == 0 ||
	    !interp_copy_get(memory, object + f->offset, bytes, f->size,
			     f->size))
		return false;
	*value = value_of(f, bytes);
	return true;
}
