/* v8.c - V8, which executes the JavaScript of node. */
#include "interp/v8.h"

#include "base/arena.h"
#include "base/mem.h"
#include "interp/interp_tls.h"
#include "interp/v8_walk.h"

#include <stdlib.h>

struct v8 {
	struct v8_layout layout;
	struct interp_ranges loops; /* none: frames say where they are */
	struct v8_builtins builtins;
	struct arena names; /* of builtins */
	/*
	 * A thread has the address of its isolate in a thread-local variable,
	 * at this offset, or up to V8 10 with a key of pthread_getspecific(3).
	 */
	uint64_t variable, key;
	struct v8_walker *walker;
};

static bool
may_be(struct str file)
{
	return str_starts(file, STR("node")) ||
	       str_starts(file, STR("libnode"));
}

/* Symbols. */

static void
add_builtin(struct v8 *v8, const struct interp_symbol *symbol)
{
	struct v8_builtins *b = &v8->builtins;

	if (symbol->size == 0)
		return;
	b->builtin = mem_grow(b->builtin, &b->cap, b->n + 1,
			      sizeof(*b->builtin));
	b->builtin[b->n++] = (struct v8_builtin){
		symbol->address, symbol->address + symbol->size,
		arena_str(&v8->names, str_of(symbol->name)).p
	};
}

enum { VARIABLE, KEY, SYMBOLS };

static const char *const symbol_names[SYMBOLS] = {
	[VARIABLE] = "_ZN2v88internal18g_current_isolate_E",
	[KEY] = "_ZN2v88internal7Isolate12isolate_key_E"
};

/* For interp_binary_visit(): a symbol that is not exported. */
static void
add_symbol(void *arg, const struct interp_symbol *symbol)
{
	static const char builtin[] = "Builtins_";
	struct v8 *v8 = arg;

	if (strncmp(symbol->name, builtin, sizeof(builtin) - 1) == 0)
		add_builtin(v8, symbol);
	else if (strcmp(symbol->name, symbol_names[VARIABLE]) == 0)
		v8->variable = symbol->address;
	else if (strcmp(symbol->name, symbol_names[KEY]) == 0)
		v8->key = symbol->address;
}

static int
compare(const void *a, const void *b)
{
	const struct v8_builtin *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/*
 * JSEntry() saves the stack pointer in the isolate, whose address is in r13,
 * and makes its only call: mov %rsp,...(%r13); call ...
 */
static uint64_t
find_entry_return(const struct interp_reader *reader,
		  const struct v8_builtin *entry)
{
	static const unsigned char save[] = { 0x49, 0x89, 0xa5 };
	const unsigned char call = 0xe8;
	enum { SAVE = 7, CALL = 5 };
	unsigned char code[512];
	struct interp_copy copy = { 0 };
	size_t n = (size_t)(entry->end - entry->start), i;
	bool ok;

	if (n > sizeof(code))
		n = sizeof(code);
	interp_copy_begin(&copy, reader, NULL, NULL, NULL, 0);
	ok = interp_copy_read(&copy, entry->start, code, n);
	interp_copy_free(&copy);
	for (i = 0; ok && i + SAVE + CALL <= n; i++) {
		if (memcmp(code + i, save, sizeof(save)) == 0 &&
		    code[i + SAVE] == call)
			return entry->start + i + SAVE + CALL;
	}
	return 0;
}

/* Find what is known by symbols; false if that is not enough. */
static bool
find_symbols(struct v8 *v8, const struct interp_target *target, size_t map,
	     const struct interp_reader *reader)
{
	struct interp_symbol symbol[SYMBOLS] = {
		[VARIABLE] = { symbol_names[VARIABLE], 0, 0 },
		[KEY] = { symbol_names[KEY], 0, 0 }
	};
	struct v8_builtins *b = &v8->builtins;
	size_t i;

	interp_binary_find_exported(target, map, symbol, SYMBOLS);
	v8->variable = symbol[VARIABLE].address;
	v8->key = symbol[KEY].address;
	interp_binary_visit(target, map, add_symbol, v8);
	if (b->n > 1)
		qsort(b->builtin, b->n, sizeof(*b->builtin), compare);
	for (i = 0; i < b->n; i++) {
		if (strcmp(b->builtin[i].name, "Builtins_JSEntry") == 0)
			b->entry_return = find_entry_return(reader,
							    &b->builtin[i]);
	}
	return v8->variable != 0 || v8->key != 0;
}

/* The runtime. */

static void
close_runtime(void *runtime)
{
	struct v8 *v8 = runtime;

	if (v8->walker != NULL) {
		v8_functions_free(v8->walker->functions);
		v8_walk_free(v8->walker);
		free(v8->walker);
	}
	free(v8->builtins.builtin);
	arena_free(&v8->names);
	free(v8);
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	struct v8_layout layout;
	struct v8 *v8;

	if (!v8_layout_find(&layout, target, map, reader, why))
		return NULL;
	v8 = mem_zero(1, sizeof(*v8));
	v8->layout = layout;
	if (!find_symbols(v8, target, map, reader)) {
		buf_str(why, STR("V8 without symbols; for names, run node with "
				 "--perf-basic-prof"));
		close_runtime(v8);
		return NULL;
	}
	v8->walker = mem_zero(1, sizeof(*v8->walker));
	v8->walker->l = &v8->layout;
	v8->walker->builtins = &v8->builtins;
	v8->walker->functions = v8_functions_new(&v8->layout);
	return v8;
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct v8 *v8 = runtime;

	return &v8->loops;
}

/* Threads. */

/*
 * Where glibc has the value of a key: struct pthread points to blocks of them,
 * of which the first, for the first keys, is in itself.
 */
static uint64_t
find_specific(struct interp_copy *memory, uint64_t thread_pointer,
	      uint64_t key_address)
{
	const uint64_t blocks = 0x510;
	const uint32_t keys = 32;
	uint64_t block;
	uint32_t key;

	if (!interp_copy_get(memory, key_address, &key, sizeof(key),
			     sizeof(key)) ||
	    key >= keys ||
	    !interp_copy_get(memory, thread_pointer + blocks, &block,
			     sizeof(block), sizeof(block)) ||
	    block < thread_pointer || block > thread_pointer + blocks)
		return 0;
	/* After the number of the key's use. */
	return block + key * 16 + 8;
}

static void
find_root(void *runtime, struct interp_copy *memory,
	  struct interp_listed *thread)
{
	const uint64_t thread_pointer = memory->moment.thread_pointer;
	const uint64_t program = 1;
	struct v8 *v8 = runtime;
	uint64_t isolate, block;

	if (thread_pointer == 0)
		return;
	if (v8->key != 0) {
		thread->id = find_specific(memory, thread_pointer, v8->key);
	} else {
		block = interp_tls_block(memory, thread_pointer, program);
		thread->id = block == 0 ? 0 : block + v8->variable;
	}
	if (thread->id != 0 &&
	    interp_copy_get(memory, thread->id, &isolate, sizeof(isolate),
			    sizeof(isolate)))
		thread->block = isolate;
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	const struct v8 *v8 = runtime;

	return v8_walk(v8->walker, copy, thread, s);
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct v8 *v8 = runtime;

	v8_functions_name(v8->walker->functions, reader, functions, s);
}

const struct interp_language v8_language = { .may_be = may_be,
					     .open = open_runtime,
					     .close = close_runtime,
					     .loops = loops,
					     .root = find_root,
					     .walk = walk,
					     .find_names = find_names };
