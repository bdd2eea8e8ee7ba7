/* cpython_text.c - texts of CPython's objects. */
#include "interp/cpython_text.h"

#include "base/peek.h"
#include "base/utf8.h"

/* Replace *text by n bytes of memory. */
static bool
read_bytes(struct interp_copy *memory, uint64_t address, size_t n,
	   struct buf *text)
{
	text->len = 0;
	buf_reserve(text, n + 1);
	if (n > 0 && !interp_copy_read(memory, address, text->p, n))
		return false;
	text->len = n;
	return true;
}

bool
cpython_text_bytes(const struct cpython_layout *l, struct interp_copy *memory,
		   uint64_t address, uint64_t max, struct buf *text)
{
	enum { LENGTH = 16 };
	char head[24];
	uint64_t length;

	text->len = 0;
	if (!interp_copy_read(memory, address, head, sizeof(head)))
		return false;
	length = peek_u64(head, LENGTH);
	return read_bytes(memory, address + l->bytes,
			  length < max ? length : max, text);
}

/* Append characters of 1, 2 or 4 bytes as UTF-8. */
static void
add_text(struct buf *out, const char *p, size_t n, size_t width)
{
	uint32_t c;
	uint16_t c2;
	size_t i;

	for (i = 0; i < n; i++) {
		c = (uint8_t)p[i * width];
		if (width == 2) {
			memcpy(&c2, p + i * 2, sizeof(c2));
			c = c2;
		} else if (width == 4) {
			c = peek_u32(p, i * 4);
		}
		utf8_put(out, c);
	}
}

void
cpython_text_read(const struct cpython_layout *l, struct interp_copy *memory,
		  uint64_t address, struct buf *text)
{
	enum { LENGTH = 16 };
	char head[CPYTHON_TEXT_MAX + 8], raw[CPYTHON_TEXT_BYTES];
	uint64_t length, data;
	uint32_t kind, state;

	text->len = 0;
	if (l->text.wide == 0) {
		cpython_text_bytes(l, memory, address, CPYTHON_TEXT_BYTES,
				   text);
		return;
	}
	if (!interp_copy_read(memory, address, head, l->text.wide + 8))
		return;
	length = peek_u64(head, LENGTH);
	state = peek_u32(head, CPYTHON_STATE);
	kind = state >> 2 & 7;
	if (kind != 1 && kind != 2 && kind != 4)
		return;
	if (length > CPYTHON_TEXT_BYTES / kind)
		length = CPYTHON_TEXT_BYTES / kind;
	if (!(state & 32)) /* not compact: a pointer to the text */
		data = peek_u64(head, l->text.wide);
	else
		data = address + (state & 64 ? l->text.ascii : l->text.wide);
	if (length > 0 && interp_copy_read(memory, data, raw, length * kind))
		add_text(text, raw, length, kind);
}
