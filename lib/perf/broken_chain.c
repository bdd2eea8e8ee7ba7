/* broken_chain.c - libraries that break call chains of frame pointers. */
#include "perf/broken_chain.h"

#include "base/intern.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>

/* The smallest share of stacks that is worth a note. */
#define WORTH_A_NOTE 0.01

/* What an outermost frame says of its chain; BROKEN + i: by file i. */
enum { UNKNOWN, WHOLE, BROKEN };

struct broken_chains {
	uint32_t *verdict; /* by code number */
	size_t verdict_cap;
	struct intern *files;
	uint64_t *broken; /* stacks, by file */
	size_t broken_cap;
	uint64_t stacks, leaf_only;
	bool noted;
};

struct broken_chains *
broken_chain_new(void)
{
	struct broken_chains *b = mem_zero(1, sizeof(*b));

	b->files = intern_new();
	return b;
}

void
broken_chain_free(struct broken_chains *b)
{
	intern_free(b->files);
	free(b->verdict);
	free(b->broken);
	free(b);
}

static bool
is_file(const struct code *code)
{
	return code->kind == CODE_USER && str_starts(code->module, STR("/"));
}

static bool
is_library(const struct code *code)
{
	return code->kind == CODE_USER &&
	       str_search(str_basename(code->module), STR(".so")) != NULL;
}

bool
broken_chain_is_entry_point(struct str name)
{
	static const char *const entry[] = {
		"_start",         "_start_c",     "_dlstart_c", "_dl_start",
		"_dl_start_user", "start_thread", "start",      "clone",
		"clone3",         "__clone",      "__clone3",   "__GI___clone3"
	};
	size_t i;

	if (str_starts(name, STR("__libc_start_")) ||
	    str_starts(name, STR("libc_start_main")))
		return true;
	name = str_cut(&name, '@');
	for (i = 0; i < sizeof(entry) / sizeof(*entry); i++) {
		if (str_eq(name, str_of(entry[i])))
			return true;
	}
	return false;
}

/* The outermost frame with a known module; broken chains end in garbage. */
static const struct code *
outermost_known(const struct callstack *stack)
{
	size_t i = stack->n;

	while (i > 0 && stack->frame[i - 1].code->module.len == 0)
		i--;
	return i == 0 ? NULL : stack->frame[i - 1].code;
}

/* Whether a stack has a user-mode frame outside of libraries. */
static bool
has_program(const struct callstack *stack)
{
	const struct code *code;
	size_t i;

	for (i = 0; i < stack->n; i++) {
		code = stack->frame[i].code;
		if (code->kind != CODE_KERNEL && code->module.len > 0 &&
		    !is_library(code))
			return true;
	}
	return false;
}

/* The number of a file, by its name without folders. */
static uint32_t
file_number(struct broken_chains *b, struct str name)
{
	const uint32_t n = intern_size(b->files), i = intern_id(b->files, name);

	if (i == n) {
		b->broken = mem_grow(b->broken, &b->broken_cap, (size_t)n + 1,
				     sizeof(*b->broken));
		b->broken[i] = 0;
	}
	return i;
}

static uint32_t
judge(struct broken_chains *b, const struct code *code)
{
	if (!is_file(code) || broken_chain_is_entry_point(code->name))
		return WHOLE;
	return BROKEN + file_number(b, str_basename(code->module));
}

/* The verdict of judge(), once for each code. */
static uint32_t
verdict_of(struct broken_chains *b, const struct code *code)
{
	const size_t old = b->verdict_cap;
	uint32_t *verdict;

	if (code->number >= old) {
		b->verdict = mem_grow(b->verdict, &b->verdict_cap,
				      (size_t)code->number + 1,
				      sizeof(*verdict));
		memset(b->verdict + old, 0,
		       (b->verdict_cap - old) * sizeof(*verdict));
	}
	verdict = &b->verdict[code->number];
	if (*verdict == UNKNOWN)
		*verdict = judge(b, code);
	return *verdict;
}

/* Whether the chain may be whole, although its outermost frame is no entry. */
static bool
may_be_whole(const struct callstack *stack, const struct code *outermost)
{
	if (stack->broken)
		return false;
	/* A nameless function that called the program may be an entry point. */
	return !is_library(outermost) ||
	       (outermost->name.len == 0 && has_program(stack));
}

void
broken_chain_count(struct broken_chains *b, const struct callstack *stack)
{
	const struct code *last = outermost_known(stack);
	uint32_t verdict;

	b->stacks++;
	b->leaf_only += stack->leaf_only;
	if (!stack->is_chain || (stack->truncated && !stack->broken) ||
	    last == NULL)
		return;
	verdict = verdict_of(b, last);
	if (verdict != WHOLE && !may_be_whole(stack, last))
		b->broken[verdict - BROKEN]++;
}

void
broken_chain_join(struct broken_chains *b, const struct broken_chains *more)
{
	const uint32_t n = intern_size(more->files);
	uint32_t i, at;

	for (i = 0; i < n; i++) {
		at = file_number(b, intern_name(more->files, i));
		b->broken[at] += more->broken[i];
	}
	b->stacks += more->stacks;
	b->leaf_only += more->leaf_only;
}

#define JAVA_CURE "java: add -XX:+PreserveFramePointer -XX:+DebugNonSafepoints"
#define PHP_CURE "php: add -d opcache.jit=off"

struct str
broken_chain_jit_cure(struct str process)
{
	if (str_eq(process, STR("java")))
		return STR(JAVA_CURE);
	if (str_starts(process, STR("php")))
		return STR(PHP_CURE);
	return STR("");
}

/*
 * What helps against a file without frame pointers.  The code that a JIT made
 * has no unwind tables, so copies of stacks end there as well.
 */
static struct str
cure_for(struct str file)
{
	if (str_eq(file, STR("libjvm.so")))
		return STR(JAVA_CURE);
	if (str_starts(file, STR("php")) || str_eq(file, STR("opcache.so")) ||
	    str_starts(file, STR("libphp")))
		return STR(PHP_CURE ", and record with --call-graph dwarf");
	return STR("record with --call-graph dwarf");
}

/* Choose the first name among equals: threads find files in any order. */
static bool
is_worse(const struct broken_chains *b, uint32_t file, uint32_t than)
{
	return b->broken[file] > b->broken[than] ||
	       (b->broken[file] == b->broken[than] &&
		str_cmp(intern_name(b->files, file),
			intern_name(b->files, than)) < 0);
}

bool
broken_chain_note(struct broken_chains *b, struct buf *line)
{
	uint32_t i, worst = 0, n = intern_size(b->files);
	double share;

	if (b->noted)
		return false;
	b->noted = true;
	if (b->stacks > 0 && b->leaf_only == b->stacks) {
		buf_str(line, BROKEN_CHAIN_NO_CALLERS);
		return true;
	}
	if (n == 0)
		return false;
	for (i = 1; i < n; i++) {
		if (is_worse(b, i, worst))
			worst = i;
	}
	share = (double)b->broken[worst] / (double)b->stacks;
	if (share < WORTH_A_NOTE)
		return false;
	buf_printf(line, "%.0f %% of stacks end in ", 100 * share);
	utf8_escape(line, intern_name(b->files, worst));
	buf_str(line, STR(" without frame pointers: "));
	buf_str(line, cure_for(intern_name(b->files, worst)));
	return true;
}
