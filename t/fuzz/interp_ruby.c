/*
 * interp_ruby - Ruby in a process whose memory is hostile, as a libFuzzer
 * target.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp/interp_merge.h"
#include "interp/ruby_names.h"
#include "interp/ruby_walk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

struct memory {
	const unsigned char *data;
	size_t size;
	unsigned char holes;
};

/* As process_vm_readv(2): up to the first address that cannot be read. */
static size_t
read_memory(void *arg, const struct iovec *to, const struct iovec *from,
	    size_t n)
{
	struct memory *m = arg;
	uint64_t address;
	size_t i, j, done = 0;
	char *p;

	for (i = 0; i < n; i++) {
		address = (uint64_t)(uintptr_t)from[i].iov_base;
		p = to[i].iov_base;
		for (j = 0; j < from[i].iov_len; j++, address++, done++) {
			if (m->holes >> (address / 4096 % 8) & 1)
				return done;
			p[j] = (char)m->data[address % m->size];
		}
	}
	return done;
}

static uint64_t
word_at(struct memory *m, uint64_t address)
{
	uint64_t word = 0;
	const struct iovec to = { &word, sizeof(word) },
			   from = { (void *)(uintptr_t)address, sizeof(word) };

	read_memory(m, &to, &from, 1);
	return word;
}

/* A thread that the memory agrees with. */
static struct interp_listed
find_thread(struct memory *m, const struct ruby_layout *l)
{
	struct interp_listed thread = { .block = 8 };
	uint64_t at = thread.block;

	if (l->thread.pthread != RUBY_NONE) {
		thread.id = word_at(m, at + l->thread.pthread);
		return thread;
	}
	if (l->thread.native != RUBY_NONE)
		at = thread.id = word_at(m, at + l->thread.native);
	thread.tid = (int64_t)(word_at(m, at + l->thread.tid) & UINT32_MAX);
	return thread;
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const unsigned versions[] = { 27, 30, 31, 32, 33, 34 };
	struct memory m = { data + 2, size - 2, 0 };
	const struct interp_reader reader = { 0, read_memory, &m };
	const struct interp_ranges loops = { { { 0x10, 0x80 } }, 1 };
	const struct unwind_frame native[] = { { .pc = 0x20 }, { .pc = 0x90 } };
	struct interp_functions *functions = interp_functions_new();
	const struct ruby_layout *l;
	struct ruby_names *names;
	struct interp_listed thread;
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	struct interp_entries entries = { 0 };
	int i;

	if (size >= 2 + 64) {
		m.holes = data[1];
		l = ruby_layout_of(versions[data[0] % 6] / 10,
				   versions[data[0] % 6] % 10);
		names = ruby_names_new(l, data[1] & 16, 64);
		thread = find_thread(&m, l);
		for (i = 0; i < 3; i++) {
			interp_stack_clear(&s);
			interp_copy_begin(&copy, &reader, &spans, NULL, NULL,
					  0);
			copy.moment.futex = 1;
			ruby_walk(l, &copy, &thread, &s);
			interp_copy_end(&copy, &spans);
			if (s.n > INTERP_STACK_DEPTH ||
			    copy.bytes.len > INTERP_COPY_BYTES ||
			    copy.reads > INTERP_COPY_READS)
				abort();
			ruby_names_find(names, &reader, functions, &s);
			interp_merge(&s, native, 2, true, &loops, &entries);
			if (entries.n > s.n)
				abort();
		}
		ruby_names_free(names);
	}
	interp_merge_free(&entries);
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(functions);
	return 0;
}
