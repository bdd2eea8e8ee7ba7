/* cfientry.c - one entry of call frame information. */
#include "cfientry.h"

#include "leb.h"

/* Encodings of pointers, LSB Core 5.0, 10.5.1. */
enum {
	PE_ABSOLUTE = 0x00,
	PE_ULEB = 0x01,
	PE_U16 = 0x02,
	PE_U32 = 0x03,
	PE_U64 = 0x04,
	PE_SLEB = 0x09,
	PE_S16 = 0x0a,
	PE_S32 = 0x0b,
	PE_S64 = 0x0c,
	PE_FORM = 0x0f,
	PE_PCREL = 0x10,
	PE_RELATIVE = 0x70,
	PE_OMIT = 0xff
};

/* Where the cursor is, in the file's addresses. */
static uint64_t
place_of(const struct cfi_frames *f, const struct cursor *c)
{
	return f->section.vaddr + (uint64_t)(c->p - f->section.bytes.p);
}

static uint64_t
read_form(struct cursor *c, uint8_t form, uint8_t address_size)
{
	switch (form) {
	case PE_ABSOLUTE:
		return address_size == 8 ? cursor_u64(c) : cursor_u32(c);
	case PE_ULEB:
		return leb_unsigned(c);
	case PE_U16:
		return cursor_u16(c);
	case PE_U32:
		return cursor_u32(c);
	case PE_U64:
	case PE_S64:
		return cursor_u64(c);
	case PE_SLEB:
		return (uint64_t)leb_signed(c);
	case PE_S16:
		return (uint64_t)(int16_t)cursor_u16(c);
	case PE_S32:
		return (uint64_t)(int32_t)cursor_u32(c);
	}
	c->bad = true;
	return 0;
}

uint64_t
cfientry_pointer(const struct cfi_frames *f, struct cursor *c, uint8_t encoding,
		 uint8_t address_size)
{
	const uint64_t place = place_of(f, c);
	uint64_t n;

	if (encoding == PE_OMIT)
		return 0;
	n = read_form(c, encoding & PE_FORM, address_size);
	switch (encoding & PE_RELATIVE) {
	case 0:
		break;
	case PE_PCREL:
		n += place;
		break;
	default:
		/* Relative to what no linker of ours uses. */
		c->bad = true;
	}
	return address_size == 4 ? (uint32_t)n : n;
}

/*
 * The body of the entry at an offset, behind its length; where, the offset
 * of the next one.  Empty if it leaves the section, or ends it: entries of
 * length 0 do, but there may be more behind them where a linker joined
 * sections.
 */
static struct cursor
body_at(const struct cfi_frames *f, uint64_t offset, uint64_t *next,
	bool *is_64)
{
	struct cursor c = cursor_of(f->section.bytes, f->swap);
	uint64_t length;

	*next = f->section.bytes.len;
	cursor_bytes(&c, offset);
	length = cursor_u32(&c);
	*is_64 = length == 0xffffffff;
	if (*is_64)
		length = cursor_u64(&c);
	if (length > cursor_left(&c))
		c.bad = true;
	if (c.bad)
		return c;
	c.end = c.p + length;
	*next = (uint64_t)(c.end - f->section.bytes.p);
	return c;
}

/*
 * The data that an augmentation beginning with "z" describes, letter by
 * letter; unknown letters end it, as its length is known.
 */
static bool
read_augmentation(const struct cfi_frames *f, struct cursor *c,
		  struct str letters, struct cfi_common *common)
{
	struct cursor data;
	size_t i;

	if (letters.len == 0)
		return true;
	/* "eh" of gcc 2 and others without a length. */
	if (letters.p[0] != 'z')
		return false;
	data = cursor_of(cursor_bytes(c, leb_unsigned(c)), c->swap);
	common->augmented = true;
	for (i = 1; i < letters.len; i++) {
		switch (letters.p[i]) {
		case 'R':
			common->encoding = leb_byte(&data);
			break;
		case 'P':
			/* What is behind the pointer does not matter here. */
			cfientry_pointer(f, &data, leb_byte(&data) & 0x7f,
					 common->address_size);
			break;
		case 'L':
			leb_byte(&data);
			break;
		case 'S':
			common->signal = true;
			break;
		case 'B': /* aarch64: the other key signs addresses */
		case 'G': /* aarch64: tagged stack */
			break;
		default:
			return !c->bad;
		}
	}
	return !c->bad && !data.bad;
}

/* The common entry at an offset. */
static bool
read_common(const struct cfi_frames *f, uint64_t offset,
	    struct cfi_common *common)
{
	uint64_t next, id;
	uint8_t version;
	struct str letters;
	bool is_64;
	struct cursor c = body_at(f, offset, &next, &is_64);

	*common = (struct cfi_common){ .address_size = f->address_size };
	id = is_64 && !f->eh ? cursor_u64(&c) : cursor_u32(&c);
	if (id != (f->eh ? 0 : is_64 ? UINT64_MAX : UINT32_MAX))
		return false;
	version = leb_byte(&c);
	letters = cursor_text(&c, cursor_left(&c));
	/* cursor_text() took all there is. */
	c.p = letters.p + letters.len;
	leb_byte(&c);
	if (version == 4) {
		common->address_size = leb_byte(&c);
		if (leb_byte(&c) != 0)
			return false; /* segments */
	} else if (version != 1 && version != 3) {
		return false;
	}
	common->code_align = leb_unsigned(&c);
	common->data_align = leb_signed(&c);
	common->return_column = version == 1 ? leb_byte(&c) : leb_unsigned(&c);
	if (!read_augmentation(f, &c, letters, common) || c.bad)
		return false;
	common->instructions = str_range(c.p, c.end);
	return common->address_size == 4 || common->address_size == 8;
}

/* Where the common entry of a function is; false if it is none. */
static bool
common_offset(const struct cfi_frames *f, struct cursor *c, bool is_64,
	      uint64_t *offset)
{
	const uint64_t here = (uint64_t)(c->p - f->section.bytes.p);
	uint64_t id;

	id = is_64 && !f->eh ? cursor_u64(c) : cursor_u32(c);
	if (c->bad)
		return false;
	if (!f->eh) {
		*offset = id;
		return id != (is_64 ? UINT64_MAX : UINT32_MAX);
	}
	*offset = here - id;
	return id != 0 && id <= here;
}

static bool
read_function(const struct cfi_frames *f, struct cursor *c, bool is_64,
	      struct cfi_function *function)
{
	struct cfi_common *common = &function->common;
	uint64_t offset, size;
	uint8_t encoding;

	if (!common_offset(f, c, is_64, &offset) ||
	    !read_common(f, offset, common))
		return false;
	encoding = common->encoding & 0x7f;
	function->start = cfientry_pointer(f, c, encoding,
					   common->address_size);
	/* A size, in the form of an address. */
	size = read_form(c, encoding & PE_FORM, common->address_size);
	if (common->augmented)
		cursor_bytes(c, leb_unsigned(c));
	if (c->bad || size == 0 || size > UINT64_MAX - function->start)
		return false;
	function->end = function->start + size;
	function->instructions = str_range(c->p, c->end);
	return true;
}

bool
cfientry_next(const struct cfi_frames *f, uint64_t *offset,
	      struct cfi_function *function)
{
	struct cursor c;
	bool is_64;

	if (*offset >= f->section.bytes.len)
		return false;
	c = body_at(f, *offset, offset, &is_64);
	if (c.bad)
		return false;
	if (!read_function(f, &c, is_64, function))
		function->start = function->end = 0;
	return true;
}
