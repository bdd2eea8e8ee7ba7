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

struct ruby {
	const struct ruby_layout *layout;
	struct ruby_names *names;
	struct interp_listed thread;
};

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

static void
walk(void *arg, struct interp_copy *copy, struct interp_stack *s)
{
	const struct ruby *ruby = arg;

	copy->moment.futex = 1;
	ruby_walk(ruby->layout, copy, &ruby->thread, s);
}

static void
name(void *arg, const struct interp_reader *reader,
     struct interp_functions *names, struct interp_stack *s)
{
	const struct ruby *ruby = arg;

	ruby_names_find(ruby->names, reader, names, s);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static const unsigned versions[] = { 27, 30, 31, 32, 33, 34 };
	struct ruby ruby;
	const struct memory_walk steps = { walk, name, &ruby };
	struct interp_memory m;
	unsigned version;

	if (!interp_memory_begin(&m, data, size))
		return 0;
	version = versions[data[0] % 6];
	ruby.layout = ruby_layout_of(version / 10, version % 10);
	ruby.names = ruby_names_new(ruby.layout, data[1] & 16, 64);
	ruby.thread = find_thread(&m, ruby.layout);
	interp_memory_sample(&m, &steps);
	ruby_names_free(ruby.names);
	return 0;
}
