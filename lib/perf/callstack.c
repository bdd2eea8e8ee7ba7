/* callstack.c - the call stack of a perf sample, with the code of each frame.
 */
#include "perf/callstack.h"

#include "base/mem.h"
#include "perf/broken_chain.h"
#include "perf/callstack_copy.h"
#include "perf/callstack_notes.h"

#include <stdlib.h>
#include <string.h>

/* Bit of branch_sample_type: the branches are the calls in progress. */
enum { BRANCH_CALL_STACK = 1 << 11 };

/* kernel.perf_event_max_stack by default. */
enum { DEFAULT_MAX_STACK = 127 };

/* Branches that older CPUs keep; others have 32. */
enum { FEW_BRANCHES = 16 };

struct callstack_builder *
callstack_new(struct resolver *resolver, const struct perf_features *features)
{
	struct callstack_builder *b = mem_zero(1, sizeof(*b));

	b->resolver = resolver;
	b->features = features;
	b->uretprobes = uretprobe_new();
	b->probeargs = probeargs_new(&features->formats);
	b->arm64_leaf = arm64_leaf_new(resolver, features);
	b->leaf_callers = leaf_caller_new(resolver);
	return b;
}

void
callstack_use_jvms(struct callstack_builder *b, struct jvm_stacks *jvms,
		   const struct resolve_options *how)
{
	b->java = (struct callstack_java){ .jvms = jvms,
					   .lines = how->lines,
					   .inlines = !how->no_inlines };
}

void
callstack_free(struct callstack_builder *b)
{
	if (b->unwind != NULL)
		unwind_free(b->unwind);
	uretprobe_free(b->uretprobes);
	probeargs_free(b->probeargs);
	arm64_leaf_free(b->arm64_leaf);
	leaf_caller_free(b->leaf_callers);
	chain_join_free(&b->join);
	free(b->stack.frame);
	free(b->unwound);
	free(b->callers);
	free(b);
}

/* Forks. */

struct callstack_builder *
callstack_fork(const struct callstack_builder *b, struct resolver *resolver)
{
	struct callstack_builder *fork;

	if (b->java.jvms != NULL)
		return NULL;
	fork = callstack_new(resolver, b->features);
	fork->longest_chain = b->longest_chain;
	fork->most_branches = b->most_branches;
	return fork;
}

/* The first process whose code ends a stack is the one that is noted. */
bool
callstack_can_join(const struct callstack_builder *b,
		   const struct callstack_builder *fork)
{
	return (fork->longest_chain > DEFAULT_MAX_STACK) ==
		   (b->longest_chain > DEFAULT_MAX_STACK) &&
	       (fork->most_branches > FEW_BRANCHES) ==
		   (b->most_branches > FEW_BRANCHES) &&
	       fork->jit_ends == 0;
}

void
callstack_join(struct callstack_builder *b,
	       const struct callstack_builder *fork)
{
	b->stacks += fork->stacks;
	b->repaired += fork->repaired;
	b->missing += fork->missing;
	b->foreign += fork->foreign;
	b->narrow += fork->narrow;
	b->copies += fork->copies;
	b->cut_off += fork->cut_off;
	if (fork->largest_copy > b->largest_copy)
		b->largest_copy = fork->largest_copy;
}

void
callstack_push_code(struct callstack *s, const struct code *innermost,
		    uint64_t address)
{
	const struct code *code;

	for (code = innermost; code != NULL; code = code->outer) {
		if (s->n == s->cap)
			s->frame = mem_grow(s->frame, &s->cap, s->n + 1,
					    sizeof(*s->frame));
		s->frame[s->n++] = (struct callstack_frame){ code, address };
	}
}

void
callstack_push(struct callstack_builder *b, enum resolve_mode mode,
	       uint64_t address, bool is_return)
{
	callstack_push_code(
	    &b->stack, resolve(b->resolver, mode, address, is_return), address);
}

/* Call chains. */

enum resolve_mode
callstack_mode(const struct perf_record *r)
{
	switch (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_USER:
		return RESOLVE_USER;
	case PERF_RECORD_MISC_KERNEL:
		return RESOLVE_KERNEL;
	default:
		return RESOLVE_OTHER;
	}
}

/* The mode of the addresses that follow a context marker of a chain. */
static enum resolve_mode
context_mode(uint64_t context)
{
	if (context == PERF_CONTEXT_USER ||
	    context == PERF_CONTEXT_USER_DEFERRED)
		return RESOLVE_USER;
	if (context == PERF_CONTEXT_KERNEL)
		return RESOLVE_KERNEL;
	return RESOLVE_OTHER;
}

static const struct code *
push_caller(struct callstack_builder *b, enum resolve_mode mode,
	    uint64_t address, bool is_return, struct cached_caller *last)
{
	const uint64_t moment = resolve_moment(b->resolver);

	if (last->address != address || last->moment != moment || moment == 0 ||
	    last->mode != mode || last->is_return != is_return) {
		last->code = resolve(b->resolver, mode, address, is_return);
		/* Resolving may have begun a new moment. */
		last->moment = resolve_moment(b->resolver);
		last->address = address;
		last->mode = mode;
		last->is_return = is_return;
	}
	callstack_push_code(&b->stack, last->code, address);
	return last->code;
}

static void
reserve_callers(struct callstack_builder *b, size_t n)
{
	const size_t old = b->callers_cap;

	if (n <= old)
		return;
	b->callers = mem_grow(b->callers, &b->callers_cap, n,
			      sizeof(*b->callers));
	memset(b->callers + old, 0,
	       (b->callers_cap - old) * sizeof(*b->callers));
}

/*
 * Whether a number of a chain is a context marker.  Behind PERF_CONTEXT_USER
 * the kernel copies whatever the stack has: without frame pointers, -1 is a
 * common value there.
 */
static bool
is_marker(uint64_t number, bool in_user_part)
{
	return number >= PERF_CONTEXT_MAX &&
	       (!in_user_part || number == PERF_CONTEXT_USER ||
		number == PERF_CONTEXT_USER_DEFERRED);
}

/* Whether a return address is in no mapping, so that nothing returns there. */
static bool
is_garbage(const struct code *code)
{
	return code->kind == CODE_USER && code->module.len == 0 &&
	       code->name.len == 0;
}

/*
 * Remove what follows the last return address of the user-mode part of a chain,
 * the frames from start on.  If nothing of it is in a mapping, the mappings are
 * missing, not the return addresses.  After the function with which the thread
 * began, nothing is lost.
 */
static void
cut_garbage(struct callstack *s, size_t start)
{
	size_t n = s->n;

	while (n > start && is_garbage(s->frame[n - 1].code))
		n--;
	if (n == s->n || n == start)
		return;
	s->n = n;
	s->broken = !broken_chain_is_entry_point(s->frame[n - 1].code->name);
}

/*
 * What the chain of a sample lacks after the user-mode leaf, which is number
 * leaf of the chain.  A probe is at a function's entry, where recent kernels
 * read the caller from the stack.
 */
static struct leaf_caller
find_leaf_caller(struct callstack_builder *b, const struct perf_record *r,
		 size_t leaf)
{
	const struct leaf_caller there = { LEAF_CALLER_THERE, 0, false };

	if (leaf >= r->nips || !callstack_copy_begin(b) ||
	    b->arch->sets_fp == NULL ||
	    (r->type == PERF_RECORD_SAMPLE && callstack_copy_is_probe(r)))
		return there;
	b->code.arch = b->arch;
	process_image_unwind(resolve_image(b->resolver), &b->code);
	return leaf_caller_find(b->leaf_callers, b->unwind, &b->code,
				r->ips + leaf, r->nips - leaf);
}

/*
 * Push the leaf's caller or a mark for it.  False if nothing that follows is
 * right.
 */
static bool
push_leaf_caller(struct callstack_builder *b, const struct leaf_caller *caller)
{
	struct callstack *s = &b->stack;
	const struct code *code;

	switch (caller->how) {
	case LEAF_CALLER_THERE:
		break;
	case LEAF_CALLER_REPAIRED:
		code = resolve(b->resolver, RESOLVE_USER, caller->address,
			       true);
		/* Other calls may be in other inlined functions. */
		while (caller->several && code->outer != NULL)
			code = code->outer;
		callstack_push_code(s, code, caller->address);
		b->repaired++;
		break;
	case LEAF_CALLER_MISSING:
		callstack_push_code(s, resolve_missing(b->resolver), 0);
		b->missing++;
		break;
	case LEAF_CALLER_NO_CHAIN:
		code = s->frame[s->n - 1].code;
		s->broken = !broken_chain_is_entry_point(code->name);
		return false;
	}
	return true;
}

/*
 * Push the first n numbers of a chain; returns how many of them are addresses.
 * The first address of each mode is where the thread left that mode.  The
 * others are return addresses, unless an interrupt came between.
 */
size_t
callstack_push_chain(struct callstack_builder *b, const struct perf_record *r,
		     size_t n)
{
	enum resolve_mode mode = callstack_mode(r);
	const struct code *code;
	bool is_return = false, in_user_part = false;
	const size_t leaf = perfrecord_user(r) + 1;
	const struct leaf_caller caller = find_leaf_caller(b, r, leaf);
	size_t i, pushed = 0, start = b->stack.n;

	reserve_callers(b, n);
	for (i = 0; i < n; i++) {
		if (r->ips[i] == PERF_CONTEXT_USER_DEFERRED && i + 1 < n) {
			b->stack.deferred = true;
			b->stack.cookie = r->ips[++i];
			continue;
		}
		if (is_marker(r->ips[i], in_user_part)) {
			mode = context_mode(r->ips[i]);
			in_user_part = mode == RESOLVE_USER;
			is_return = false;
			start = b->stack.n;
			continue;
		}
		code = push_caller(b, mode, r->ips[i], is_return,
				   &b->callers[n - 1 - i]);
		is_return = mode != RESOLVE_KERNEL || !code->interrupts;
		pushed++;
		if (i == leaf && !push_leaf_caller(b, &caller))
			return n;
	}
	cut_garbage(&b->stack, start);
	return pushed;
}

/*
 * Whether a chain of n addresses reached the limit of the recording, so that
 * outer callers are missing.  If the event does not record its limit, a chain
 * above the default shows that the limit was raised; people raise it to a power
 * of two.
 */
bool
callstack_is_full_chain(struct callstack_builder *b,
			const struct perf_event *ev, size_t n)
{
	if (ev->max_stack > 0)
		return n >= ev->max_stack;
	if (n > b->longest_chain)
		b->longest_chain = n;
	if (b->longest_chain > DEFAULT_MAX_STACK)
		return n > DEFAULT_MAX_STACK + 1 && (n & (n - 1)) == 0;
	return n == DEFAULT_MAX_STACK;
}

/* Last branch records. */

/* Whether the CPU had no room for more than n branches: the oldest are gone. */
static bool
is_full_branches(struct callstack_builder *b, size_t n)
{
	const uint64_t limit = b->features->branches;

	if (n > b->most_branches)
		b->most_branches = n;
	if (limit > 0)
		return n >= limit;
	return n == 32 ||
	       (n == FEW_BRANCHES && b->most_branches == FEW_BRANCHES);
}

/*
 * The newest branch leads to the leaf, and each branch comes from its caller.
 * So these addresses are the calls themselves, not where the calls return to.
 */
static void
push_branches(struct callstack_builder *b, const struct perf_record *r)
{
	size_t i;

	callstack_push_chain(b, r, perfrecord_user(r));
	callstack_push(b, RESOLVE_USER, r->branch[0].to, false);
	for (i = 0; i < r->nbranches; i++)
		callstack_push(b, RESOLVE_USER, r->branch[i].from, false);
	b->stack.truncated = is_full_branches(b, r->nbranches);
}

static void
clear(struct callstack *s)
{
	s->n = 0;
	s->truncated = s->broken = s->deferred = false;
	s->is_chain = s->leaf_only = false;
	s->cookie = 0;
}

const struct callstack *
callstack_build(struct callstack_builder *b, const struct perf_record *r)
{
	struct callstack *s = &b->stack;
	const struct perf_record *whole;
	size_t n;

	clear(s);
	b->stacks++;
	if (r->nbranches > 0 && r->event->branch_type & BRANCH_CALL_STACK) {
		push_branches(b, r);
	} else if (callstack_copy_is_better(b, r)) {
		callstack_copy_push(b, r);
	} else if (r->has_chain) {
		s->is_chain = true;
		whole = arm64_leaf_add(b->arm64_leaf, r);
		n = callstack_push_chain(b, whole, whole->nips) - (whole != r);
		s->truncated = callstack_is_full_chain(b, r->event, n) ||
			       s->broken;
	} else if (r->has_ip) {
		s->leaf_only = true;
		callstack_push(b, callstack_mode(r), r->ip, false);
	}
	return s;
}

void
callstack_end_thread(struct callstack_builder *b, int64_t tid)
{
	uretprobe_end(b->uretprobes, tid);
}

const struct callstack *
callstack_build_deferred(struct callstack_builder *b,
			 const struct perf_record *r)
{
	clear(&b->stack);
	callstack_push_chain(b, r, r->nips);
	b->stack.is_chain = true;
	b->stack.truncated = b->stack.broken;
	return &b->stack;
}

bool
callstack_note(struct callstack_builder *b, struct buf *line)
{
	return callstack_notes_next(b, line);
}
