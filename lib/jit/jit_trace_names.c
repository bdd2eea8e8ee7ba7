/* jit_trace_names.c - names of JIT code that the trace itself reports. */
#include "jit/jit_trace_names.h"

#include "base/mem.h"
#include "jit/range_history.h"

#include <stdlib.h>

struct jit_trace_names {
	struct range_history *ranges;
	struct symbol *code; /* by the owner numbers of its ranges */
	size_t n, cap;
	bool sorted;
};

struct jit_trace_names *
jit_trace_names_new(void)
{
	struct jit_trace_names *t = mem_zero(1, sizeof(*t));

	t->ranges = range_history_new();
	return t;
}

void
jit_trace_names_free(struct jit_trace_names *t)
{
	if (t == NULL)
		return;
	range_history_free(t->ranges);
	free(t->code);
	free(t);
}

void
jit_trace_names_add(struct jit_trace_names *t, uint64_t time, uint64_t start,
		    uint64_t end, struct str name)
{
	range_history_add(t->ranges, time, start, end, (uint32_t)t->n);
	t->code = mem_grow(t->code, &t->cap, t->n + 1, sizeof(*t->code));
	t->code[t->n++] = (struct symbol){ start, end, name };
	t->sorted = false;
}

bool
jit_trace_names_find(struct jit_trace_names *t, uint64_t time, uint64_t address,
		     struct symbol *found)
{
	uint64_t when;
	uint32_t owner;

	if (!t->sorted)
		range_history_sort(t->ranges);
	t->sorted = true;
	if ((!range_history_at(t->ranges, address, time, &owner, &when) ||
	     t->code[owner].name.len == 0) &&
	    !range_history_after(t->ranges, address, time, &owner, &when))
		return false;
	*found = t->code[owner];
	return found->name.len > 0;
}
