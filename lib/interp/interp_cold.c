/* interp_cold.c - parts of functions that a compiler split off, by their code.
 */
#include "interp/interp_cold.h"

#include "unwind/cfi.h"

#include <elf.h>

/* The largest function to search, and how many functions it may jump to. */
enum { MOST_CODE = 1 << 20, MOST_TARGETS = 64 };

/* The largest section to search for its largest function. */
enum { MOST_TEXT = 16 << 20 };

/* How many functions one may call, with those that these call. */
enum { MOST_CALLED = 512 };

/* Fewer jumps may be other bytes that look like some. */
enum { FEWEST_JUMPS = 3 };

/* Functions into whose middle jumps lead. */
struct cold_targets {
	struct {
		uint64_t start, end;
		unsigned jumps;
	} target[MOST_TARGETS];
	size_t n;
};

static struct cfi_section
find_section(struct elffile *f, struct str name)
{
	const size_t i = elffile_named(f, name);
	const struct elffile_section *s;
	size_t n;

	if (i == 0)
		return (struct cfi_section){ STR(""), 0 };
	s = elffile_sections(f, &n);
	return (struct cfi_section){ elffile_bytes(f, i), s[i].vaddr };
}

static bool
read_code(const struct elffile *f, uint64_t vaddr, size_t size,
	  struct buf *code)
{
	const struct elffile_segment *s;
	size_t i, n;

	s = elffile_segments(f, &n);
	for (i = 0; i < n; i++) {
		if (!s[i].executable || vaddr < s[i].vaddr ||
		    vaddr - s[i].vaddr > s[i].file_size ||
		    size > s[i].file_size - (vaddr - s[i].vaddr))
			continue;
		buf_reserve(code, size);
		code->len = size;
		return elffile_read(f, s[i].offset + (vaddr - s[i].vaddr),
				    code->p, size);
	}
	return false;
}

/* Count a jump to an address, unless a function begins there. */
static void
count(struct cold_targets *t, struct cfi *cfi, uint64_t address)
{
	struct cfi_row row;
	size_t i;

	if (!cfi_find(cfi, address, &row) || row.start == address)
		return;
	for (i = 0; i < t->n; i++) {
		if (t->target[i].start == row.start) {
			t->target[i].jumps++;
			return;
		}
	}
	if (t->n == MOST_TARGETS)
		return;
	t->target[t->n].start = row.start;
	t->target[t->n].end = row.end;
	t->target[t->n++].jumps = 1;
}

/* Count the jumps out of a function: jmp, and jcc, with 32 bits of offset. */
static void
count_jumps(struct cold_targets *t, struct cfi *cfi, struct str code,
	    uint64_t start)
{
	enum { JMP = 0xe9, TWO_BYTES = 0x0f, JCC = 0x80 };
	const unsigned char *p = (const unsigned char *)code.p;
	int32_t offset;
	uint64_t to;
	size_t i;

	for (i = 1; i + 1 + sizeof(offset) <= code.len; i++) {
		if (p[i] != JMP &&
		    !((p[i] & 0xf0) == JCC && p[i - 1] == TWO_BYTES))
			continue;
		memcpy(&offset, p + i + 1, sizeof(offset));
		to = start + i + 1 + sizeof(offset) + (uint64_t)(int64_t)offset;
		if (to - start >= code.len)
			count(t, cfi, to);
	}
}

static uint64_t
most_jumps(const struct cold_targets *t, uint64_t *end)
{
	size_t i, best = 0;

	for (i = 1; i < t->n; i++) {
		if (t->target[i].jumps > t->target[best].jumps)
			best = i;
	}
	if (t->n == 0 || t->target[best].jumps < FEWEST_JUMPS)
		return 0;
	*end = t->target[best].end;
	return t->target[best].start;
}

uint64_t
interp_cold_find(struct elffile *f, uint64_t start, uint64_t size,
		 uint64_t *end)
{
	const struct elffile_head *head = elffile_head(f);
	struct cfi_sections s = { .is_64 = true };
	struct cold_targets targets = { .n = 0 };
	struct buf code = { 0 };
	struct cfi *cfi;

	if (head->machine != EM_X86_64 || size > MOST_CODE)
		return 0;
	s.eh_frame = find_section(f, STR(".eh_frame"));
	s.eh_frame_hdr = find_section(f, STR(".eh_frame_hdr"));
	cfi = cfi_new(&s);
	if (cfi != NULL && read_code(f, start, size, &code))
		count_jumps(&targets, cfi, buf_slice(&code), start);
	cfi_free(cfi);
	buf_free(&code);
	return most_jumps(&targets, end);
}

/* Whether the function that begins at an address has a frame from then on. */
static bool
begins_with(struct cfi *cfi, uint64_t start, unsigned frame)
{
	struct cfi_row row;

	return cfi_find(cfi, start, &row) && row.cfa.how == CFI_REGISTER &&
	       row.cfa.n == frame;
}

uint64_t
interp_cold_find_largest(struct elffile *f, unsigned frame, uint64_t *end)
{
	const uint64_t alignment = 16;
	const size_t text = elffile_named(f, STR(".text"));
	const struct elffile_section *sections;
	struct cfi_sections s = { .is_64 = true };
	struct cfi_row row;
	struct cfi *cfi;
	uint64_t at, last, largest = 0;
	size_t n;

	sections = elffile_sections(f, &n);
	s.eh_frame = find_section(f, STR(".eh_frame"));
	s.eh_frame_hdr = find_section(f, STR(".eh_frame_hdr"));
	cfi = cfi_new(&s);
	*end = 0;
	at = sections[text].vaddr;
	last = at;
	if (text != 0 && cfi != NULL && sections[text].size <= MOST_TEXT)
		last += sections[text].size;
	while (at < last) {
		if (!cfi_find(cfi, at, &row) || row.end <= at) {
			at = (at / alignment + 1) * alignment;
			continue;
		}
		if (row.end - row.start > *end - largest &&
		    (frame == 0 || begins_with(cfi, row.start, frame))) {
			largest = row.start;
			*end = row.end;
		}
		at = row.end;
	}
	cfi_free(cfi);
	return largest;
}

/* Functions that are called, and how many. */
struct cold_called {
	struct cold_function {
		uint64_t start, end;
	} function[MOST_CALLED];
	size_t n;
};

static void
add_called(struct cold_called *called, struct cfi *cfi, uint64_t start)
{
	struct cfi_row row;
	size_t i;

	for (i = 0; i < called->n && called->function[i].start != start; i++)
		;
	if (i < called->n || i == MOST_CALLED || !cfi_find(cfi, start, &row) ||
	    row.start != start)
		return;
	called->function[called->n++] = (struct cold_function){ start,
								row.end };
}

/* Add what a function calls or jumps to, with 32 bits of offset. */
static void
add_calls(struct cold_called *called, const struct elffile *f, struct cfi *cfi,
	  struct cold_function caller, struct buf *code)
{
	enum { CALL = 0xe8, JMP = 0xe9 };
	const uint64_t size = caller.end - caller.start;
	const unsigned char *p;
	int32_t offset;
	uint64_t i;

	code->len = 0;
	if (size > MOST_CODE || !read_code(f, caller.start, size, code))
		return;
	p = (const unsigned char *)code->p;
	for (i = 0; i + 1 + sizeof(offset) <= size; i++) {
		if (p[i] != CALL && p[i] != JMP)
			continue;
		memcpy(&offset, p + i + 1, sizeof(offset));
		add_called(called, cfi,
			   caller.start + i + 1 + sizeof(offset) +
			       (uint64_t)(int64_t)offset);
	}
}

uint64_t
interp_cold_find_called(struct elffile *f, uint64_t function, uint64_t *end)
{
	enum { DEEP = 3 };
	struct cfi_sections s = { .is_64 = true };
	struct cold_called called = { .n = 0 };
	struct buf code = { 0 };
	struct cfi *cfi;
	uint64_t largest = 0;
	size_t i = 0, n;
	int depth;

	s.eh_frame = find_section(f, STR(".eh_frame"));
	s.eh_frame_hdr = find_section(f, STR(".eh_frame_hdr"));
	cfi = cfi_new(&s);
	*end = 0;
	if (cfi != NULL)
		add_called(&called, cfi, function);
	for (depth = 0; depth < DEEP; depth++) {
		for (n = called.n; i < n; i++)
			add_calls(&called, f, cfi, called.function[i], &code);
	}
	for (i = 1; i < called.n; i++) {
		if (called.function[i].end - called.function[i].start >
		    *end - largest) {
			largest = called.function[i].start;
			*end = called.function[i].end;
		}
	}
	cfi_free(cfi);
	buf_free(&code);
	return largest;
}
