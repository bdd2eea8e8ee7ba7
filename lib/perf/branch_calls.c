/* branch_calls.c - the calls among the branch records of samples. */
#include "perf/branch_calls.h"

#include "base/mem.h"
#include "perf/callstack-internal.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bits of branch_sample_type: which branches a sample has. */
enum {
	SELECT_ANY_CALL = 1 << 4,
	SELECT_INDIRECT_CALL = 1 << 6,
	SELECT_CALL_STACK = 1 << 11,
	SELECT_CALL = 1 << 13,
	SELECT_CALLS = SELECT_ANY_CALL | SELECT_INDIRECT_CALL | SELECT_CALL,
	/* All bits that select branches, but those of modes (user, kernel,
	 * hypervisor), transactions, and what is recorded of a branch. */
	SELECT = 0x7 << 3 | 1 << 6 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13
};

/* Types of a branch, PERF_BR_* of linux/perf_event.h, in its flags. */
enum { TYPE_CALL = 4, TYPE_INDIRECT_CALL = 5, TYPE_CONDITIONAL_CALL = 9 };

struct branch_calls {
	struct resolver *resolver;
	struct perf_branch *call; /* of the last sample */
	size_t n, cap, at;
	struct callstack stack; /* of the last call */
	uint64_t calls, others, unknown;
};

struct branch_calls *
branch_calls_new(struct resolver *resolver)
{
	struct branch_calls *b = mem_zero(1, sizeof(*b));

	b->resolver = resolver;
	return b;
}

void
branch_calls_free(struct branch_calls *b)
{
	if (b == NULL)
		return;
	free(b->call);
	free(b->stack.frame);
	free(b);
}

static bool
is_call(struct branch_calls *b, const struct perf_branch *branch,
	uint64_t selected)
{
	const unsigned type = branch->flags >> 20 & 15;

	if (type == TYPE_CALL || type == TYPE_INDIRECT_CALL ||
	    type == TYPE_CONDITIONAL_CALL)
		return true;
	if (type == 0 && selected != 0 &&
	    (selected & ~(uint64_t)SELECT_CALLS) == 0)
		return true;
	*(type == 0 ? &b->unknown : &b->others) += 1;
	return false;
}

void
branch_calls_add(struct branch_calls *b, const struct perf_record *r)
{
	const uint64_t selected = r->event->branch_type & SELECT;
	size_t i;

	b->n = b->at = 0;
	if (selected & SELECT_CALL_STACK)
		return; /* these are calls that have not returned yet */
	/* The newest branch is the first. */
	for (i = r->nbranches; i-- > 0;) {
		/* Entries of code that may not be seen are 0. */
		if (r->branch[i].from == 0 || r->branch[i].to == 0 ||
		    !is_call(b, &r->branch[i], selected))
			continue;
		b->call = mem_grow(b->call, &b->cap, b->n + 1,
				   sizeof(*b->call));
		b->call[b->n++] = r->branch[i];
	}
	b->calls += b->n;
}

static const struct code *
code_at(struct branch_calls *b, uint64_t address)
{
	return resolve(b->resolver,
		       address >> 63 ? RESOLVE_KERNEL : RESOLVE_USER, address,
		       false);
}

const struct callstack *
branch_calls_next(struct branch_calls *b)
{
	const struct perf_branch *call;
	const struct code *callee;

	if (b->at == b->n)
		return NULL;
	call = &b->call[b->at++];
	callee = code_at(b, call->to);
	/* What is inlined at its start was not called. */
	while (callee->outer != NULL)
		callee = callee->outer;
	b->stack.n = 0;
	callstack_push_code(&b->stack, callee, call->to);
	callstack_push_code(&b->stack, code_at(b, call->from), call->from);
	return &b->stack;
}

struct str
branch_calls_error(const struct branch_calls *b)
{
	return b->calls + b->others + b->unknown > 0 ?
		   STR("") :
		   STR("the samples have no branches: record with "
		       "perf record -j any_call");
}

bool
branch_calls_note(struct branch_calls *b, struct buf *line)
{
	if (b->unknown == 0)
		return false;
	buf_printf(line,
		   "skipped %" PRIu64 " branch%s of unknown type: record with "
		   "perf record -j any_call or -j any,save_type",
		   b->unknown, b->unknown == 1 ? "" : "es");
	b->unknown = 0;
	return true;
}
