/* chainend.c - where chains of frame pointers end too early. */
#include "chainend.h"

#include "intern.h"
#include "mem.h"
#include "utf8.h"

#include <stdlib.h>

/* Fewer than this share of the stacks are not worth a line. */
#define FEW 0.01

/* Which file a stack ends in too early with a code, behind these two. */
enum { UNKNOWN, NOT_EARLY, EARLY };

struct chainends {
	uint32_t *early; /* by the numbers of codes */
	size_t early_cap;
	struct intern *files;
	uint64_t *ends; /* in each of them */
	size_t cap;
	uint64_t stacks, bare;
	bool noted;
};

struct chainends *
chainends_new(void)
{
	struct chainends *c = mem_zero(1, sizeof(*c));

	c->files = intern_new();
	return c;
}

void
chainends_free(struct chainends *c)
{
	intern_free(c->files);
	free(c->early);
	free(c->ends);
	free(c);
}

static bool
is_library(const struct code *code)
{
	return code->kind == CODE_USER &&
	       str_search(str_basename(code->module), STR(".so")) != NULL;
}

/* A function that threads begin with, of glibc or musl. */
static bool
is_first(struct str name)
{
	static const char *const first[] = {
		"_start",         "_start_c",     "_dlstart_c", "_dl_start",
		"_dl_start_user", "start_thread", "start",      "clone",
		"clone3",         "__clone",      "__clone3",   "__GI___clone3"
	};
	size_t i;

	if (str_starts(name, STR("__libc_start_")) ||
	    str_starts(name, STR("libc_start_main")))
		return true;
	name = str_cut(&name, '@');
	for (i = 0; i < sizeof(first) / sizeof(*first); i++) {
		if (str_eq(name, str_of(first[i])))
			return true;
	}
	return false;
}

/* The outermost frame whose place is known: broken chains end anywhere. */
static const struct code *
outermost(const struct callstack *stack)
{
	size_t i = stack->n;

	while (i > 0 && stack->frame[i - 1].code->module.len == 0)
		i--;
	return i == 0 ? NULL : stack->frame[i - 1].code;
}

/* Whether something else than libraries is in a stack. */
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

static uint32_t
find_early(struct chainends *c, const struct code *code)
{
	const uint32_t n = intern_size(c->files);
	uint32_t i;

	if (!is_library(code) || is_first(code->name))
		return NOT_EARLY;
	i = intern_id(c->files, str_basename(code->module));
	if (i == n) {
		c->ends = mem_grow(c->ends, &c->cap, (size_t)n + 1,
				   sizeof(*c->ends));
		c->ends[i] = 0;
	}
	return EARLY + i;
}

/* The same; each code is looked at once. */
static uint32_t
early_of(struct chainends *c, const struct code *code)
{
	const size_t old = c->early_cap;
	uint32_t *early;

	if (code->number >= old) {
		c->early = mem_grow(c->early, &c->early_cap,
				    (size_t)code->number + 1, sizeof(*early));
		memset(c->early + old, 0,
		       (c->early_cap - old) * sizeof(*early));
	}
	early = &c->early[code->number];
	if (*early == UNKNOWN)
		*early = find_early(c, code);
	return *early;
}

void
chainends_count(struct chainends *c, const struct callstack *stack)
{
	const struct code *last = outermost(stack);
	uint32_t early;

	c->stacks++;
	c->bare += stack->bare;
	if (!stack->chain || stack->truncated || last == NULL)
		return;
	early = early_of(c, last);
	/* It may be the first, without its name, if it called a program. */
	if (early == NOT_EARLY || (last->name.len == 0 && has_program(stack)))
		return;
	c->ends[early - EARLY]++;
}

bool
chainends_note(struct chainends *c, struct buf *line)
{
	uint32_t i, most = 0, n = intern_size(c->files);
	double share;

	if (c->noted)
		return false;
	c->noted = true;
	if (c->stacks > 0 && c->bare == c->stacks) {
		buf_str(line, CHAINEND_NO_CALLERS);
		return true;
	}
	if (n == 0)
		return false;
	for (i = 1; i < n; i++) {
		if (c->ends[i] > c->ends[most])
			most = i;
	}
	share = (double)c->ends[most] / (double)c->stacks;
	if (share < FEW)
		return false;
	buf_printf(line, "%.0f %% of stacks end in ", 100 * share);
	utf8_escape(line, intern_name(c->files, most));
	buf_str(line, STR(" without frame pointers: record with "
			  "--call-graph dwarf"));
	return true;
}
