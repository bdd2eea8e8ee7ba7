/* jitframe.c - what the frame of JIT code says besides its name. */
#include "jitframe.h"

#include "intern.h"
#include "mem.h"

#include <stdlib.h>

/* Tiers. */

/* How compilers say which of their tiers made a function. */
static const struct mark {
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
has_mark(struct str name, const struct mark *m)
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
 * V8: "JS:~f", "LazyCompile:*f", "JS:o+f" (entered while it ran); the kind,
 * and where the mark is; FRAME_USER if there is none.
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

/* The tier as the kind; V8's mark goes, which says the same. */
static void
set_tier(struct jitframe *j, struct frame *f)
{
	enum frame_kind kind;
	size_t i, at = 0;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (has_mark(f->name, &marks[i]))
			f->kind = marks[i].kind;
	kind = v8_mark(f->name, &at);
	if (kind == FRAME_USER)
		return;
	f->kind = kind;
	j->name.len = 0;
	buf_str(&j->name, (struct str){ f->name.p, at });
	if (j->name.p[at - 1] == 'o')
		j->name.len--;
	buf_str(&j->name, str_skip(f->name, at + 1));
	f->name = buf_slice(&j->name);
}

/* Versions. */

/* "jitted-PID-VERSION.so", as lib/jit has it; injected code has a path. */
static bool
known_version(struct str module, unsigned *version)
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

static uint32_t
count_versions(struct jitframe *j, const struct frame *f)
{
	uint32_t n, name, key;

	if (j->names == NULL) {
		j->names = intern_new();
		j->modules = intern_new();
	}
	n = intern_size(j->names);
	name = intern_id(j->names, f->name);
	if (name == n) {
		j->versions_of = mem_grow(j->versions_of, &j->cap,
					  (size_t)n + 1,
					  sizeof(*j->versions_of));
		j->versions_of[n] = 0;
	}
	j->key.len = 0;
	buf_add(&j->key, &name, sizeof(name));
	buf_str(&j->key, f->module);
	n = intern_size(j->modules);
	key = intern_id(j->modules, buf_slice(&j->key));
	if (key == n) {
		j->version_of = mem_grow(j->version_of, &j->version_cap,
					 (size_t)n + 1, sizeof(*j->version_of));
		j->version_of[n] = ++j->versions_of[name];
	}
	return j->version_of[key];
}

static bool
is_jitted(struct str module)
{
	return str_starts(str_basename(module), STR("jitted-"));
}

/*
 * In injected code a file named "\xff" is the one before it in the module,
 * which perf script does not see through.
 */
static void
set_file(struct jitframe *j, struct frame *f)
{
	struct str rest = f->line, file = str_cut(&rest, ':');
	uint32_t n, i;

	if (j->lined == NULL)
		j->lined = intern_new();
	n = intern_size(j->lined);
	i = intern_id(j->lined, f->module);
	if (i == n) {
		j->file = mem_grow(j->file, &j->file_cap, (size_t)n + 1,
				   sizeof(*j->file));
		j->file[i] = STR("");
	}
	if (!str_eq(file, STR("\xff"))) {
		if (!str_eq(j->file[i], file))
			j->file[i] = arena_str(&j->arena, file);
		return;
	}
	j->line.len = 0;
	if (j->file[i].len > 0) {
		buf_str(&j->line, j->file[i]);
		buf_char(&j->line, ':');
	}
	buf_str(&j->line, rest);
	f->line = buf_slice(&j->line);
}

void
jitframe_change(void *jitframe, struct frame *f)
{
	struct jitframe *j = jitframe;

	if (f->kind != FRAME_JIT || f->name.len == 0 ||
	    str_eq(f->name, STR("[unknown]"))) {
		f->line = STR("");
		return;
	}
	if (j->versions && is_jitted(f->module) &&
	    !known_version(f->module, &f->version))
		f->version = count_versions(j, f);
	if (!j->lines)
		f->line = STR("");
	if (f->line.len > 0 && is_jitted(f->module))
		set_file(j, f);
	if (j->tiers)
		set_tier(j, f);
}

void
jitframe_free(struct jitframe *j)
{
	if (j->names != NULL) {
		intern_free(j->names);
		intern_free(j->modules);
	}
	free(j->versions_of);
	free(j->version_of);
	if (j->lined != NULL)
		intern_free(j->lined);
	free(j->file);
	arena_free(&j->arena);
	buf_free(&j->line);
	buf_free(&j->name);
	buf_free(&j->key);
}
