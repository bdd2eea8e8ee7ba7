/* perl.c - Perl 5. */
#include "interp/perl.h"

#include "base/mem.h"
#include "interp/interp_tls.h"
#include "interp/perl_layout.h"
#include "interp/perl_names.h"
#include "interp/perl_walk.h"

#include <stdlib.h>

struct perl {
	const struct perl_layout *layout;
	struct interp_ranges loops;
	int64_t pid;
	/* Without threads. */
	struct perl_variables variables;
	/*
	 * With threads: the key of the interpreter among a thread's data, and
	 * where glibc keeps these in its struct pthread.
	 */
	uint64_t key;
	uint32_t data;
	struct perl_names *names;
};

static bool
may_be(struct str file)
{
	return str_search(file, STR("perl")) != NULL;
}

/*
 * Where glibc has the pointers to blocks of thread-specific data, as it tells
 * debuggers: the third word of a descriptor.
 */
static uint32_t
find_data(const struct interp_target *target, struct interp_copy *memory)
{
	const uint32_t usual = 1296, most = 8192;
	struct interp_symbol symbol = { "_thread_db_pthread_specific", 0, 0 };
	struct str file;
	uint32_t word[3];
	size_t i;

	for (i = 0; i < target->n && symbol.address == 0; i++) {
		file = interp_binary_name(target->map[i].path);
		if (target->map[i].offset == 0 &&
		    (str_starts(file, STR("libc.so")) ||
		     str_starts(file, STR("libc-")) ||
		     str_starts(file, STR("libpthread"))))
			interp_binary_find(target, i, &symbol, 1, NULL, NULL);
	}
	if (symbol.address == 0 ||
	    !interp_copy_read(memory, symbol.address, word, sizeof(word)) ||
	    word[2] > most)
		return usual;
	return word[2];
}

enum {
	REVISION,
	MINOR,
	KEY,
	CURCOP,
	CURSTACKINFO,
	COMPPAD,
	PHASE,
	NEXTSTATE,
	DBSTATE,
	SYMBOLS
};

/* Read what the symbols tell; false with a reason. */
static bool
read_symbols(struct perl *p, const struct interp_target *target,
	     const struct interp_symbol *symbol, struct interp_copy *memory,
	     struct buf *why)
{
	const struct perl_statements statements = {
		.nextstate = symbol[NEXTSTATE].address,
		.dbstate = symbol[DBSTATE].address,
		.threaded = symbol[KEY].address != 0
	};
	const uint32_t keys = 1024;
	uint8_t minor;
	uint32_t key;

	if (!interp_copy_read(memory, symbol[MINOR].address, &minor,
			      sizeof(minor)))
		return false;
	p->layout = perl_layout_of(minor);
	if (p->layout == NULL) {
		buf_printf(why, "Perl 5.%u: its version is not supported",
			   minor);
		return false;
	}
	p->variables = (struct perl_variables){ symbol[CURCOP].address,
						symbol[CURSTACKINFO].address,
						symbol[COMPPAD].address,
						symbol[PHASE].address };
	if (statements.threaded) {
		if (!interp_copy_read(memory, symbol[KEY].address, &key,
				      sizeof(key)) ||
		    key >= keys)
			return false;
		p->key = key;
		p->data = find_data(target, memory);
	}
	p->names = perl_names_new(p->layout, &statements);
	return true;
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	struct interp_symbol symbol[SYMBOLS] = {
		[REVISION] = { "PL_revision", 0, 0 },
		[MINOR] = { "PL_version", 0, 0 },
		[KEY] = { "PL_thr_key", 0, 0 },
		[CURCOP] = { "PL_curcop", 0, 0 },
		[CURSTACKINFO] = { "PL_curstackinfo", 0, 0 },
		[COMPPAD] = { "PL_comppad", 0, 0 },
		[PHASE] = { "PL_phase", 0, 0 },
		[NEXTSTATE] = { "Perl_pp_nextstate", 0, 0 },
		[DBSTATE] = { "Perl_pp_dbstate", 0, 0 }
	};
	struct perl perl = { .pid = target->pid }, *found = NULL;
	struct interp_copy memory = { 0 };

	if (!interp_binary_find(target, map, symbol, SYMBOLS,
				"Perl_runops_standard", &perl.loops) ||
	    symbol[REVISION].address == 0 || symbol[MINOR].address == 0 ||
	    (symbol[KEY].address == 0 && symbol[CURSTACKINFO].address == 0))
		return NULL;
	interp_copy_begin(&memory, reader, NULL, NULL, NULL, 0);
	if (read_symbols(&perl, target, symbol, &memory, why)) {
		found = mem_zero(1, sizeof(*found));
		*found = perl;
	}
	interp_copy_free(&memory);
	return found;
}

static void
close_runtime(void *runtime)
{
	struct perl *p = runtime;

	perl_names_free(p->names);
	free(p);
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct perl *p = runtime;

	return &p->loops;
}

/* Threads. */

/*
 * The address of the pointer to a thread's interpreter, as in
 * pthread_getspecific(3); 0 if the thread has none.
 */
static uint64_t
find_interpreter(const struct perl *p, struct interp_copy *memory)
{
	const uint64_t keys = 32, size = 16, value = 8;
	const uint64_t self = memory->moment.thread_pointer;
	uint64_t block, interpreter;

	if (self == 0 ||
	    !interp_copy_read(memory, self + p->data + p->key / keys * 8,
			      &block, sizeof(block)) ||
	    block == 0)
		return 0;
	block += p->key % keys * size + value;
	return interp_copy_read(memory, block, &interpreter,
				sizeof(interpreter)) &&
		       interpreter != 0 ?
		   block :
		   0;
}

static void
root(void *runtime, struct interp_copy *memory, struct interp_listed *thread)
{
	const struct perl *p = runtime;

	if (p->data != 0)
		thread->block = find_interpreter(p, memory);
	else if (thread->tid == p->pid)
		thread->block = p->variables.curstackinfo;
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	const struct perl *p = runtime;
	const struct perl_layout *l = p->layout;
	struct perl_variables v = p->variables;
	uint64_t interpreter;

	if (p->data != 0) {
		if (!interp_copy_get(copy, thread->block, &interpreter,
				     sizeof(interpreter),
				     sizeof(interpreter)) ||
		    interpreter == 0)
			return false;
		v.curcop = interpreter + l->interpreter.curcop;
		v.curstackinfo = interpreter + l->interpreter.curstackinfo;
		v.comppad = interpreter + l->interpreter.comppad;
		v.phase = l->interpreter.phase == PERL_LAYOUT_NONE ?
			      0 :
			      interpreter + l->interpreter.phase;
	}
	perl_walk(l, copy, &v, thread->tid == p->pid, s);
	return true;
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct perl *p = runtime;

	perl_names_find(p->names, reader, functions, s);
}

const struct interp_language perl_language = { .may_be = may_be,
					       .open = open_runtime,
					       .close = close_runtime,
					       .loops = loops,
					       .root = root,
					       .walk = walk,
					       .find_names = find_names };
