/* jitframe.c - tiers, versions and source lines of JIT frames. */
#include "formats/jitframe.h"

#include "base/table.h"

/* Tiers. */

/* How compilers mark the tier of a function in its name. */
static const struct tier_mark {
	const char *text;
	enum { AT_START, AT_END, ALL } where;
	enum frame_kind kind;
} marks[] = {
	{ "Interpreter", ALL, FRAME_INTERP },           /* HotSpot */
	{ "BytecodeHandler:", AT_START, FRAME_INTERP }, /* V8 */
	{ "Builtin:InterpreterEntryTrampoline", AT_START, FRAME_INTERP },
	{ "Builtin:InterpreterPushArgs", AT_START, FRAME_INTERP },
	{ "Builtin:BaselineOrInterpreter", AT_START, FRAME_INTERP },
	{ "JSC-Baseline: ", AT_START, FRAME_LOWJIT }, /* JavaScriptCore */
	{ "Baseline: ", AT_START, FRAME_LOWJIT },     /* SpiderMonkey */
	{ "BaselineInterpreter: ", AT_START, FRAME_INTERP },
	{ "[Tier0]", AT_END, FRAME_LOWJIT }, /* .NET */
	{ "[MinOptJitted]", AT_END, FRAME_LOWJIT },
	{ "[QuickJitted]", AT_END, FRAME_LOWJIT },
};

static bool
has_mark(struct str name, const struct tier_mark *m)
{
	struct str text = str_of(m->text);

	switch (m->where) {
	case AT_START:
		return str_starts(name, text);
	case AT_END:
		return str_ends(name, text);
	case ALL:
		return str_eq(name, text);
	}
	return false;
}

enum frame_kind
jitframe_v8_tier(char mark)
{
	switch (mark) {
	case '~':
		return FRAME_INTERP;
	case '^':
	case '+':
		return FRAME_LOWJIT;
	case '*':
		return FRAME_JIT;
	default:
		return FRAME_USER;
	}
}

/*
 * The tier by V8's mark in "JS:~f", "LazyCompile:*f" or "JS:o+f" (replaced
 * while it ran), and the offset of the mark.  FRAME_USER if there is none.
 */
static enum frame_kind
v8_mark(struct str name, size_t *at)
{
	static const char *const classes[] = { "JS:", "LazyCompile:", "Eval:",
					       "Function:", "Script:" };
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (str_starts(name, str_of(classes[i])))
			break;
	if (i == sizeof(classes) / sizeof(*classes))
		return FRAME_USER;
	*at = strlen(classes[i]);
	name = str_skip(name, *at);
	if (name.len > 1 && *name.p == 'o' &&
	    (name.p[1] == '+' || name.p[1] == '*')) {
		name = str_skip(name, 1);
		++*at;
	}
	return jitframe_v8_tier(name.len > 0 ? *name.p : '\0');
}

/* Set the kind to the tier, and remove V8's mark of the tier from the name. */
static void
set_tier(struct jitframe *j, struct frame *frame)
{
	enum frame_kind kind;
	size_t i, at = 0;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (has_mark(frame->name, &marks[i]))
			frame->kind = marks[i].kind;
	kind = v8_mark(frame->name, &at);
	if (kind == FRAME_USER)
		return;
	frame->kind = kind;
	j->name.len = 0;
	buf_str(&j->name, (struct str){ frame->name.p, at });
	if (j->name.p[at - 1] == 'o')
		j->name.len--;
	buf_str(&j->name, str_skip(frame->name, at + 1));
	frame->name = buf_slice(&j->name);
}

/* Versions. */

/* "jitted-PID-VERSION.so", as lib/jit names it; injected code has a path. */
static bool
module_version(struct str module, unsigned *version)
{
	uint64_t n;

	if (str_find(module, '/') != NULL)
		return false;
	str_cut(&module, '-');
	str_cut(&module, '-');
	if (!str_ends(module, STR(".so")))
		return false;
	module.len -= 3;
	if (!str_u64(module, &n) || n > UINT32_MAX)
		return false;
	*version = (unsigned)n;
	return true;
}

/* A name, and how many versions of it there are. */
struct jitframe_function {
	uint32_t versions;
	UT_hash_handle hh;
	char name[];
};

/* A function of a module; the key is the length of its name, and both. */
struct jitframe_version {
	uint32_t version;
	UT_hash_handle hh;
	char key[];
};

static struct jitframe_function *
find_function(struct jitframe *j, struct str name)
{
	struct jitframe_function *f;

	HASH_FIND(hh, j->function, name.p, name.len, f);
	if (f != NULL)
		return f;
	f = arena_alloc(&j->arena, sizeof(*f) + name.len);
	f->versions = 0;
	memcpy(f->name, name.p, name.len);
	HASH_ADD_KEYPTR(hh, j->function, f->name, name.len, f);
	return f;
}

static uint32_t
count_versions(struct jitframe *j, const struct frame *frame)
{
	struct jitframe_version *v;

	j->key.len = 0;
	buf_add(&j->key, &frame->name.len, sizeof(frame->name.len));
	buf_str(&j->key, frame->name);
	buf_str(&j->key, frame->module);
	HASH_FIND(hh, j->version, j->key.p, j->key.len, v);
	if (v == NULL) {
		v = arena_alloc(&j->arena, sizeof(*v) + j->key.len);
		v->version = ++find_function(j, frame->name)->versions;
		memcpy(v->key, j->key.p, j->key.len);
		HASH_ADD_KEYPTR(hh, j->version, v->key, j->key.len, v);
	}
	return v->version;
}

static bool
is_jitted(struct str module)
{
	return str_starts(str_basename(module), STR("jitted-"));
}

/* A module, and the file of the last line in it. */
struct jitframe_module {
	struct str file;
	UT_hash_handle hh;
	char name[];
};

static struct jitframe_module *
find_module(struct jitframe *j, struct str name)
{
	struct jitframe_module *m;

	HASH_FIND(hh, j->module, name.p, name.len, m);
	if (m != NULL)
		return m;
	m = arena_alloc(&j->arena, sizeof(*m) + name.len);
	m->file = STR("");
	memcpy(m->name, name.p, name.len);
	HASH_ADD_KEYPTR(hh, j->module, m->name, name.len, m);
	return m;
}

/*
 * In injected code a file named "\xff" means the previous file of the module.
 * perf script prints that name as it is.
 */
static void
set_file(struct jitframe *j, struct frame *frame)
{
	struct jitframe_module *m = find_module(j, frame->module);
	struct str rest = frame->line, file = str_cut(&rest, ':');

	if (!str_eq(file, STR("\xff"))) {
		if (!str_eq(m->file, file))
			m->file = arena_str(&j->arena, file);
		return;
	}
	j->line.len = 0;
	if (m->file.len > 0) {
		buf_str(&j->line, m->file);
		buf_char(&j->line, ':');
	}
	buf_str(&j->line, rest);
	frame->line = buf_slice(&j->line);
}

void
jitframe_change(void *jitframe, struct frame *frame)
{
	struct jitframe *j = jitframe;

	if (frame->kind != FRAME_JIT || frame->name.len == 0 ||
	    str_eq(frame->name, STR("[unknown]"))) {
		frame->line = STR("");
		return;
	}
	if (j->versions && is_jitted(frame->module) &&
	    !module_version(frame->module, &frame->version))
		frame->version = count_versions(j, frame);
	if (!j->lines)
		frame->line = STR("");
	if (frame->line.len > 0 && is_jitted(frame->module))
		set_file(j, frame);
	if (j->tiers)
		set_tier(j, frame);
}

void
jitframe_free(struct jitframe *j)
{
	HASH_CLEAR(hh, j->function);
	HASH_CLEAR(hh, j->version);
	HASH_CLEAR(hh, j->module);
	arena_free(&j->arena);
	buf_free(&j->line);
	buf_free(&j->name);
	buf_free(&j->key);
}
