/* v8_functions.c - functions of JavaScript that were seen in a process. */
#include "interp/v8_functions.h"

#include "base/table.h"
#include "interp/v8_script.h"
#include "interp/v8_string.h"

/* A program that compiles code in a loop would fill the tables. */
enum { MAX_FUNCTIONS = 1 << 18 };

/* More variables than this are in a hash table; fields of ScopeInfo. */
enum { MAX_INLINE_NAMES = 75, SCOPE_FLAGS = 8, SCOPE_NAMES = 24 };

/* Bits of the flags of ScopeInfo. */
enum {
	SAVED_CLASS_VARIABLE = 1 << 10,
	FUNCTION_VARIABLE = 3 << 12,
	INFERRED_NAME = 1 << 14,
	KIND_SHIFT = 17,
	KIND_MASK = 31
};

/* Kinds of functions that initialise the fields of a class. */
enum { MEMBERS_INITIALIZER = 24, STATIC_INITIALIZER = 25 };

struct seen_script {
	struct v8_key key; /* literal is 0 */
	struct v8_script script;
	UT_hash_handle hh;
};

struct seen_function {
	struct v8_key key;
	uint64_t index;
	struct buf name, positions;
	struct seen_script *script; /* NULL: a builtin */
	int32_t start;              /* of its parameters, in the script */
	bool registered;
	uint32_t number; /* in struct interp_functions */
	UT_hash_handle hh;
};

struct v8_functions {
	const struct v8_layout *l;
	struct seen_script *scripts;
	struct seen_function *functions;
	struct seen_function **function; /* by number */
	size_t n, cap;
	struct interp_copy memory; /* for naming */
	struct buf text;           /* scratch */
};

struct v8_functions *
v8_functions_new(const struct v8_layout *l)
{
	struct v8_functions *all = mem_zero(1, sizeof(*all));

	all->l = l;
	return all;
}

void
v8_functions_free(struct v8_functions *all)
{
	struct seen_function *f, *next_function;
	struct seen_script *s, *next_script;

	HASH_ITER(hh, all->functions, f, next_function)
	{
		HASH_DEL(all->functions, f);
		buf_free(&f->name);
		buf_free(&f->positions);
		free(f);
	}
	HASH_ITER(hh, all->scripts, s, next_script)
	{
		HASH_DEL(all->scripts, s);
		v8_script_free(&s->script);
		free(s);
	}
	free(all->function);
	interp_copy_free(&all->memory);
	buf_free(&all->text);
	free(all);
}

uint64_t
v8_functions_find(const struct v8_functions *all, const struct v8_key *key)
{
	struct seen_function *f;

	HASH_FIND(hh, all->functions, key, sizeof(*key), f);
	return f == NULL ? V8_FUNCTIONS_NONE : f->index;
}

static struct seen_function *
add_function(struct v8_functions *all, const struct v8_key *key)
{
	struct seen_function *f = mem_zero(1, sizeof(*f));

	f->key = *key;
	f->index = all->n;
	HASH_ADD(hh, all->functions, key, sizeof(f->key), f);
	all->function = mem_grow(all->function, &all->cap, all->n + 1,
				 sizeof(*all->function));
	all->function[all->n++] = f;
	return f;
}

static struct seen_script *
find_script(struct v8_functions *all, const struct v8_key *function,
	    uint64_t object, struct interp_copy *memory)
{
	struct v8_key key = *function;
	struct seen_script *s;

	key.literal = 0;
	HASH_FIND(hh, all->scripts, &key, sizeof(key), s);
	if (s == NULL) {
		s = mem_zero(1, sizeof(*s));
		s->key = key;
		s->script.id = key.script;
		v8_string_append(memory,
				 v8_string_word(memory, object, V8_SCRIPT_NAME),
				 &s->script.name);
		HASH_ADD(hh, all->scripts, key, sizeof(s->key), s);
	}
	s->script.object = object;
	return s;
}

/* From V8 12 on these have only the inferred name of their class. */
static void
name_initializer(struct seen_function *f, uint64_t kind)
{
	if (kind != MEMBERS_INITIALIZER && kind != STATIC_INITIALIZER)
		return;
	f->name.len = 0;
	buf_str(&f->name, kind == STATIC_INITIALIZER ?
			      STR("<static_initializer>") :
			      STR("<instance_members_initializer>"));
}

/*
 * Read the name of a function and the position of its parameters, from its
 * ScopeInfo: after the names and properties of its variables.
 */
static void
read_scope(struct v8_functions *all, struct seen_function *f, uint64_t scope,
	   struct interp_copy *memory)
{
	const struct v8_layout *l = all->l;
	uint64_t flags = v8_string_word(memory, scope, SCOPE_FLAGS);
	uint64_t names, at = SCOPE_NAMES + 8, name;

	flags = l->scope.raw_flags ? (uint32_t)flags : flags >> 32;
	names = v8_string_word(memory, scope, SCOPE_NAMES) >> 32;
	if (l->scope.fixed_position) {
		f->start = v8_small(v8_string_word(memory, scope, at));
		at += 16;
	}
	at += names < MAX_INLINE_NAMES ? 16 * names : 8 * names + 8;
	if ((flags & SAVED_CLASS_VARIABLE) != 0)
		at += 8;
	if ((flags & FUNCTION_VARIABLE) != 0) {
		name = v8_string_word(memory, scope, at);
		v8_string_append(memory, name, &f->name);
		at += 16;
	}
	if ((flags & INFERRED_NAME) != 0) {
		name = v8_string_word(memory, scope, at);
		if (f->name.len == 0)
			v8_string_append(memory, name, &f->name);
		at += 8;
	}
	if (!l->scope.fixed_position)
		f->start = v8_small(v8_string_word(memory, scope, at));
	name_initializer(f, flags >> KIND_SHIFT & KIND_MASK);
}

uint64_t
v8_functions_add(struct v8_functions *all, const struct v8_key *key,
		 const struct v8_shared *shared, struct interp_copy *memory)
{
	struct seen_function *f;
	struct seen_script *script;

	if (all->n == MAX_FUNCTIONS ||
	    v8_string_type(memory, shared->script) != all->l->script.type)
		return V8_FUNCTIONS_NONE;
	script = find_script(all, key, shared->script, memory);
	f = add_function(all, key);
	f->script = script;
	f->start = -1;
	if (v8_string_type(memory, shared->name) == all->l->scope.type)
		read_scope(all, f, shared->name, memory);
	else
		v8_string_append(memory, shared->name, &f->name);
	return f->index;
}

uint64_t
v8_functions_builtin(struct v8_functions *all, const char *name)
{
	/* Symbols of one file: their addresses here are as good as names. */
	const struct v8_key key = { .isolate = (uint64_t)(uintptr_t)name };
	const uint64_t found = v8_functions_find(all, &key);
	struct seen_function *f;

	if (found != V8_FUNCTIONS_NONE || all->n == MAX_FUNCTIONS)
		return found;
	f = add_function(all, &key);
	buf_str(&f->name, str_of(name));
	return f->index;
}

struct buf *
v8_functions_positions(struct v8_functions *all, uint64_t number)
{
	return &all->function[number]->positions;
}

/* "f /a.js:2:13", as V8's own profiles have it. */
static void
append_place(struct v8_functions *all, struct seen_function *f)
{
	struct v8_script *script = &f->script->script;
	struct v8_place place;

	if (script->name.len == 0)
		return;
	buf_char(&all->text, ' ');
	buf_str(&all->text, buf_slice(&script->name));
	if (v8_script_find(script, all->l, &all->memory, f->start, &place))
		buf_printf(&all->text, ":%u:%u", place.line, place.column);
}

static void
register_function(struct v8_functions *all, struct seen_function *f,
		  struct interp_functions *functions)
{
	const struct str none = { NULL, 0 };

	all->text.len = 0;
	buf_str(&all->text,
		f->name.len > 0 ? buf_slice(&f->name) : STR("(anonymous)"));
	if (f->script != NULL)
		append_place(all, f);
	f->number = interp_functions_add(
	    functions, STR("javascript"), buf_slice(&all->text),
	    f->script == NULL ? none : buf_slice(&f->script->script.name));
	f->registered = true;
}

void
v8_functions_name(struct v8_functions *all, const struct interp_reader *reader,
		  struct interp_functions *functions, struct interp_stack *s)
{
	struct interp_vm_frame *frame;
	struct seen_function *f;
	struct v8_place place;
	size_t i;

	interp_copy_begin(&all->memory, reader, NULL, NULL, NULL, 0);
	for (i = 0; i < s->n; i++) {
		frame = &s->frame[i];
		frame->function = INTERP_STACK_HIDDEN;
		frame->line = 0;
		if (frame->code >= all->n)
			continue;
		f = all->function[frame->code];
		if (!f->registered)
			register_function(all, f, functions);
		frame->function = f->number;
		if (f->script != NULL && frame->ip >= 0 &&
		    v8_script_find(&f->script->script, all->l, &all->memory,
				   frame->ip, &place))
			frame->line = place.line;
	}
}
