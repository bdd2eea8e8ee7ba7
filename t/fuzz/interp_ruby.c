/*
 * interp_ruby - Ruby in a process whose memory is hostile, as a libFuzzer
 * target.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp_memory.h"

#include "interp/ruby_names.h"
#include "interp/ruby_walk.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static uint64_t
word_at(struct interp_memory *m, uint64_t address)
{
	uint64_t word = 0;
	const struct iovec to = { &word, sizeof(word) },
			   from = { (void *)(uintptr_t)address, sizeof(word) };

	interp_memory_read(m, &to, &from, 1);
	return word;
}

/* A thread that the memory agrees with. */
static struct interp_listed
find_thread(struct interp_memory *m, const struct ruby_layout *l)
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
	struct interp_memory m = { data + 2, size - 2, 0, 0 };
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = &m };
	struct interp_functions *functions = interp_functions_new();
	const struct ruby_layout *l;
	struct ruby_names *names;
	struct interp_listed thread;
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
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
			interp_memory_merge(&m, &s);
		}
		ruby_names_free(names);
	}
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(functions);
	return 0;
}
