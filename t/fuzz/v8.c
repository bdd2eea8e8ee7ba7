/*
 * v8 - lib/interp as a libFuzzer target: V8 in a process whose memory is
 * hostile.
 *
 * The first byte chooses the version, the second one which pages can be read;
 * eight words of two bytes are what the isolate and the registers have.  The
 * rest is the memory, which all addresses wrap around in.
 */
#include "interp/v8_optimized.h"
#include "interp/v8_script.h"
#include "interp/v8_string.h"
#include "interp/v8_walk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { ISOLATE = 1 << 30, WORDS = 8 };

struct memory {
	const struct v8_layout *l;
	const unsigned char *data;
	size_t size;
	uint16_t word[WORDS];
	unsigned char holes;
	size_t reads;
};

static unsigned char
byte_at(const struct memory *m, uint64_t address)
{
	const uint64_t field[] = { ISOLATE + m->l->isolate.exit_frame,
				   ISOLATE + m->l->isolate.entry_frame,
				   ISOLATE + m->l->isolate.fast_call };
	size_t i;

	for (i = 0; i < 3; i++) {
		if (address - field[i] < 8)
			return (unsigned char)((uint64_t)m->word[i] >>
					       8 * (address - field[i]));
	}
	return m->data[address % m->size];
}

/* As process_vm_readv(2): up to the first address that cannot be read. */
static size_t
read_memory(void *arg, const struct iovec *to, const struct iovec *from,
	    size_t n)
{
	struct memory *m = arg;
	uint64_t address;
	size_t i, k, done = 0;

	m->reads++;
	for (i = 0; i < n; i++) {
		address = (uint64_t)(uintptr_t)from[i].iov_base;
		for (k = 0; k < from[i].iov_len; k++, done++) {
			if (m->holes >> ((address + k) / 4096 % 8) & 1)
				return done;
			((unsigned char *)to[i].iov_base)[k] = byte_at(
			    m, address + k);
		}
	}
	return done;
}

static void
walk_and_name(struct memory *m, struct v8_walker *w)
{
	const struct interp_reader reader = { .tid = 1,
					      .read = read_memory,
					      .arg = m };
	const struct interp_moment moment = { .sp = m->word[3],
					      .pc = m->word[4],
					      .fp = m->word[5] };
	struct interp_functions *functions = interp_functions_new();
	struct interp_listed thread = { .tid = 1, .id = m->word[6] };
	struct interp_spans spans = { 0 };
	struct interp_copy copy = { 0 };
	struct interp_stack s = { 0 };
	struct buf stack = { 0 };
	int i;

	for (i = 0; i < 2; i++) {
		interp_stack_clear(&s);
		interp_copy_begin(&copy, &reader, &spans, &moment, &stack, 512);
		interp_copy_get(&copy, thread.id, &thread.block,
				sizeof(thread.block), sizeof(thread.block));
		v8_walk(w, &copy, &thread, &s);
		thread.block = ISOLATE;
		interp_copy_end(&copy, &spans);
		if (s.n > INTERP_STACK_DEPTH ||
		    copy.bytes.len > INTERP_COPY_BYTES)
			abort();
		v8_functions_name(w->functions, &reader, functions, &s);
	}
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	buf_free(&stack);
	interp_functions_free(functions);
}

/* What a walk reaches only with the right addresses. */
static void
read_objects(struct memory *m, struct v8_optimized *o)
{
	const struct interp_reader reader = { .tid = 1,
					      .read = read_memory,
					      .arg = m };
	struct v8_inlined inlined[V8_INLINED_MAX];
	struct v8_script script = { .object = m->word[0] | 1U,
				    .id = m->word[1] };
	const struct v8_code code = { .start = m->word[2],
				      .size = m->word[3],
				      .deoptimization = m->word[4] | 1U,
				      .maglev = (m->word[7] & 1) != 0 };
	struct interp_copy copy = { 0 };
	struct v8_place place;
	struct buf text = { 0 };

	interp_copy_begin(&copy, &reader, NULL, NULL, NULL, 0);
	v8_string_append(&copy, m->word[5] | 1U, &text);
	v8_optimized_inlined(o, m->l, &copy, &code, code.start + m->word[6],
			     inlined);
	if (v8_script_find(&script, m->l, &copy, m->word[7], &place) &&
	    (place.line == 0 || place.column == 0))
		abort();
	v8_script_free(&script);
	interp_copy_free(&copy);
	buf_free(&text);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct v8_builtins builtins = { .entry_return = 0x1000 };
	struct v8_walker w = { .builtins = &builtins };
	struct memory m = { .reads = 0 };

	if (size < 2 + sizeof(m.word) + 64)
		return 0;
	w.l = m.l = v8_layout_known(data[0]);
	m.holes = data[1];
	memcpy(m.word, data + 2, sizeof(m.word));
	m.data = data + 2 + sizeof(m.word);
	m.size = size - 2 - sizeof(m.word);
	w.functions = v8_functions_new(w.l);
	walk_and_name(&m, &w);
	read_objects(&m, &w.optimized);
	if (m.reads > 8 * INTERP_COPY_READS)
		abort();
	v8_functions_free(w.functions);
	v8_walk_free(&w);
	return 0;
}
