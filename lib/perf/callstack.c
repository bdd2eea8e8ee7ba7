/* callstack.c - the call stack of a perf sample, with the code of each frame.
 */
#include "perf/callstack.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "perf/arm64_leaf.h"
#include "perf/broken_chain.h"
#include "perf/chain_join.h"
#include "perf/leaf_caller.h"
#include "perf/probeargs.h"
#include "perf/uretprobe.h"
#include "unwind/unwind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bit of branch_sample_type: the branches are the calls in progress. */
enum { BRANCH_CALL_STACK = 1 << 11 };

/* PERF_SAMPLE_REGS_ABI_32: the registers of a 32-bit process. */
enum { REGISTERS_32 = 1 };

/* kernel.perf_event_max_stack by default. */
enum { DEFAULT_MAX_STACK = 127 };

/* A record is at most 64 KB, so a larger copy than this has hardly any room. */
enum { LARGE_COPY = 60000 };

/* The smallest share of stacks that is worth a note. */
#define WORTH_A_NOTE 0.01

/*
 * The last result at one distance from the root.  Most callers of a sample are
 * those of the sample before.  This cache finds them in a few cache lines,
 * while a table of addresses of a large program fills the whole cache.
 */
struct cached_caller {
	uint64_t address, moment;
	const struct code *code;
	enum resolve_mode mode;
	bool is_return;
};

struct callstack_builder {
	struct resolver *resolver;
	const struct perf_features *features;
	struct callstack stack;
	struct cached_caller *callers; /* of chains, by distance from root */
	size_t callers_cap;

	/* To guess the limits that a recording does not state. */
	size_t longest_chain;
	size_t most_branches;

	struct unwind *unwind;        /* NULL: not needed yet */
	const struct arch *arch;      /* of the recording, if unwind is */
	struct unwind_frame *unwound; /* frames of the last stack */
	size_t unwound_cap;
	struct uretprobes *uretprobes;
	struct probeargs *probeargs;
	struct arm64_leaf *arm64_leaf;
	struct leaf_callers *leaf_callers;
	struct unwind_thread code; /* without registers and stack, for these */
	struct chain_join join;

	/* Counts of stacks, for the notes. */
	uint64_t stacks;
	uint64_t repaired; /* the leaf's caller was missing, and found */
	uint64_t missing;  /* and not found */
	uint64_t foreign;  /* of a machine that we cannot unwind */
	uint64_t narrow;   /* of 32-bit processes */
	uint64_t copies;   /* unwound */
	uint64_t cut_off;  /* of these, deeper than the copy */
	uint64_t jit_ends; /* or left in code of a JIT, which has no rules */
	int64_t jit_pid;   /* the first of these processes, at that time */
	uint64_t jit_time;
	size_t largest_copy; /* bytes */
};

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

/* Push the code at an address and the functions that it is inlined into. */
static void
push_code(struct callstack *s, const struct code *innermost, uint64_t address)
{
	const struct code *code;

	for (code = innermost; code != NULL; code = code->outer) {
		if (s->n == s->cap)
			s->frame = mem_grow(s->frame, &s->cap, s->n + 1,
					    sizeof(*s->frame));
		s->frame[s->n++] = (struct callstack_frame){ code, address };
	}
}

static void
push(struct callstack_builder *b, enum resolve_mode mode, uint64_t address,
     bool is_return)
{
	push_code(&b->stack, resolve(b->resolver, mode, address, is_return),
		  address);
}

/* False if the recording is of a machine that we cannot unwind. */
static bool
begin_unwind(struct callstack_builder *b)
{
	if (b->unwind == NULL) {
		b->arch = arch_named(b->features->arch);
		if (b->arch != NULL)
			b->unwind = unwind_new();
	}
	return b->unwind != NULL;
}

/*
 * Whether a sample may be of a probe at a function's entry or return.  Kernel
 * tracepoints are sampled in kernel mode.
 */
static bool
is_probe(const struct perf_record *r)
{
	return r->event->type == PERF_TYPE_TRACEPOINT &&
	       (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		   PERF_RECORD_MISC_USER;
}

/* Call chains. */

static enum resolve_mode
sample_mode(const struct perf_record *r)
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
	push_code(&b->stack, last->code, address);
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

	if (leaf >= r->nips || !begin_unwind(b) || b->arch->sets_fp == NULL ||
	    (r->type == PERF_RECORD_SAMPLE && is_probe(r)))
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
		push_code(s, code, caller->address);
		b->repaired++;
		break;
	case LEAF_CALLER_MISSING:
		push_code(s,
			  code_intern_mark(resolve_codes(b->resolver),
					   STR("[missing]")),
			  0);
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
static size_t
push_chain(struct callstack_builder *b, const struct perf_record *r, size_t n)
{
	enum resolve_mode mode = sample_mode(r);
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
static bool
is_full_chain(struct callstack_builder *b, const struct perf_event *ev,
	      size_t n)
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
	return n == 32 || (n == 16 && b->most_branches == 16);
}

/*
 * The newest branch leads to the leaf, and each branch comes from its caller.
 * So these addresses are the calls themselves, not where the calls return to.
 */
static void
push_branches(struct callstack_builder *b, const struct perf_record *r)
{
	size_t i;

	push_chain(b, r, perfrecord_user(r));
	push(b, RESOLVE_USER, r->branch[0].to, false);
	for (i = 0; i < r->nbranches; i++)
		push(b, RESOLVE_USER, r->branch[i].from, false);
	b->stack.truncated = is_full_branches(b, r->nbranches);
}

/* Stack copies to unwind. */

/* Push where the thread left user mode: all that is known of that part. */
static void
push_leaf(struct callstack_builder *b, const struct perf_record *r,
	  const struct arch *arch, const struct arch_registers *registers)
{
	if (arch_knows(registers, arch->pc))
		push(b, RESOLVE_USER, registers->value[arch->pc], false);
	else if (sample_mode(r) == RESOLVE_USER && r->has_ip)
		push(b, RESOLVE_USER, r->ip, false);
}

/* Unwind the stack copy into b->unwound; returns the number of frames. */
static size_t
unwind_sample(struct callstack_builder *b, const struct perf_record *r,
	      struct unwind_thread *thread, enum unwind_end *end)
{
	const struct arch *arch = arch_of_abi(b->arch, r->user.abi);
	size_t max;
	bool complete;

	*end = UNWIND_LOST;
	thread->stack = r->stack;
	thread->arch = arch != NULL ? arch : b->arch;
	complete = arch_perf_registers(thread->arch, r->user.mask, r->user.reg,
				       r->user.n, &thread->registers);
	if (!complete || arch == NULL) {
		b->narrow += arch == NULL && r->user.abi == REGISTERS_32;
		push_leaf(b, r, thread->arch, &thread->registers);
		return 0;
	}
	/* Each frame takes up at least an address of the stack. */
	max = r->stack.len / arch->word + 2;
	b->unwound = mem_grow(b->unwound, &b->unwound_cap, max,
			      sizeof(*b->unwound));
	thread->stack_start = thread->registers.value[arch->sp];
	process_image_unwind(resolve_image(b->resolver), thread);
	return unwind_stack(b->unwind, thread, b->unwound, max, end);
}

/* Whether a frame is in memory that is no file's: code made at run time. */
static bool
is_made_code(struct callstack_builder *b, const struct unwind_frame *frame)
{
	const struct mapping *m = process_image_find(resolve_image(b->resolver),
						     frame->pc);

	return m != NULL && addr_space_is_anonymous(m->file);
}

/* Count a copy of which n frames were unwound, and how it ended. */
static void
count_copy(struct callstack_builder *b, const struct perf_record *r, size_t n,
	   enum unwind_end end)
{
	b->copies++;
	if (b->stack.truncated && end == UNWIND_CUT)
		b->cut_off++;
	else if (b->stack.truncated && is_made_code(b, &b->unwound[n - 1]) &&
		 b->jit_ends++ == 0) {
		b->jit_pid = r->pid;
		b->jit_time = r->time;
	}
	if (r->stack.len > b->largest_copy)
		b->largest_copy = r->stack.len;
}

/*
 * The stack pointer after the return from a function just entered.  The return
 * address is on top of the stack, or in the link register if there is one.
 */
static uint64_t
sp_after_return(const struct arch *arch, uint64_t sp)
{
	return arch->link == arch->pc ? sp + arch->word : sp;
}

static void
note_probe(struct callstack_builder *b, const struct perf_record *r,
	   const struct uretprobe_stack *user)
{
	const uint64_t sp = b->unwound[0].sp;

	if (probeargs_is_return(b->probeargs, r->event))
		uretprobe_leave(b->uretprobes, r->tid, sp);
	else
		uretprobe_enter(
		    b->uretprobes, r->tid,
		    sp_after_return(arch_of_abi(b->arch, r->user.abi), sp),
		    user);
}

/* Push unwound frames; user says which of the stack are user-mode frames. */
static void
push_unwound(struct callstack_builder *b, const struct perf_record *r, size_t n,
	     enum unwind_end end)
{
	struct callstack *s = &b->stack;
	struct uretprobe_stack user = { 0 };
	const struct unwind_frame *f = NULL;
	size_t i, first = s->n;

	for (i = 0; i < n; i++) {
		f = &b->unwound[i];
		user.probed = end == UNWIND_PROBED && i + 1 == n;
		/* Push a trampoline only if the thread runs in it. */
		if (!user.probed || f->exact)
			push(b, RESOLVE_USER, f->pc, !f->exact);
	}
	s->truncated = end != UNWIND_COMPLETE && end != UNWIND_PROBED;
	user.n = s->n - first;
	user.frame = user.n > 0 ? s->frame + first : NULL;
	user.truncated = s->truncated;
	user.sp = user.probed ? f->sp : 0;
	if (n > 0 && is_probe(r))
		note_probe(b, r, &user);
	if (user.probed)
		uretprobe_append(b->uretprobes, r->tid, user.sp,
				 f->exact ? NULL : user.frame[user.n - 1].code,
				 s);
}

/* Push unwound frames and the chain that goes on where they end. */
static void
push_joined(struct callstack_builder *b, const struct perf_record *r,
	    const struct chain_join_stack *join)
{
	struct callstack *s = &b->stack;
	const size_t leaf = perfrecord_user(r) + 1;
	size_t i;

	for (i = 0; i < join->keep; i++)
		push(b, RESOLVE_USER, b->unwound[i].pc, !b->unwound[i].exact);
	for (i = join->first; i < join->end; i++)
		push(b, RESOLVE_USER, r->ips[leaf + i], true);
	s->truncated = join->end + leaf == r->nips ?
			   is_full_chain(b, r->event, r->nips) :
			   join->truncated;
}

static bool
has_user_chain(const struct perf_record *r)
{
	size_t user = perfrecord_user(r);

	/* With a stack copy alone, perf records at most the leaf. */
	return user + 2 < r->nips;
}

static bool
ends_in_entry_point(const struct callstack *s)
{
	return s->n > 0 &&
	       broken_chain_is_entry_point(s->frame[s->n - 1].code->name);
}

/* Push what the copy and the chain, if there is one, have of the stack. */
static void
push_user(struct callstack_builder *b, const struct perf_record *r)
{
	struct unwind_thread thread = { 0 };
	enum unwind_end end;
	const size_t n = unwind_sample(b, r, &thread, &end);
	const size_t leaf = perfrecord_user(r) + 1;
	struct chain_join_stack join = { 0 };

	if (n > 0 && leaf < r->nips && thread.arch->sets_fp != NULL &&
	    end != UNWIND_COMPLETE && end != UNWIND_PROBED)
		join = chain_join(&b->join, b->unwind, &thread, b->unwound, n,
				  r->ips + leaf, r->nips - leaf);
	if (join.joined)
		push_joined(b, r, &join);
	else
		push_unwound(b, r, n, end);
	/* Beyond it a chain has nothing, so both together are whole. */
	if (has_user_chain(r) && ends_in_entry_point(&b->stack))
		b->stack.truncated = false;
	if (n > 0)
		count_copy(b, r, n, end);
}

/* Push the call chain instead of the stack copy, which we cannot unwind. */
static void
push_foreign(struct callstack_builder *b, const struct perf_record *r)
{
	b->foreign++;
	push_chain(b, r, r->nips);
	if (perfrecord_user(r) + 1 >= r->nips &&
	    sample_mode(r) == RESOLVE_USER && r->has_ip)
		push(b, RESOLVE_USER, r->ip, false);
	b->stack.truncated = true;
}

static void
push_copy(struct callstack_builder *b, const struct perf_record *r)
{
	if (begin_unwind(b)) {
		push_chain(b, r, perfrecord_user(r));
		push_user(b, r);
	} else {
		push_foreign(b, r);
	}
}

/* Whether the copy of the stack says more than the chain. */
static bool
prefers_copy(struct callstack_builder *b, const struct perf_record *r)
{
	if (r->user.n == 0 || !(r->event->sample_type & PERF_SAMPLE_STACK_USER))
		return false;
	return !has_user_chain(r) ||
	       (begin_unwind(b) && b->arch->sets_fp != NULL &&
		arch_of_abi(b->arch, r->user.abi) == b->arch);
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
	} else if (prefers_copy(b, r)) {
		push_copy(b, r);
	} else if (r->has_chain) {
		s->is_chain = true;
		whole = arm64_leaf_add(b->arm64_leaf, r);
		n = push_chain(b, whole, whole->nips) - (whole != r);
		s->truncated = is_full_chain(b, r->event, n) || s->broken;
	} else if (r->has_ip) {
		s->leaf_only = true;
		push(b, sample_mode(r), r->ip, false);
	}
	return s;
}

const struct callstack *
callstack_build_deferred(struct callstack_builder *b,
			 const struct perf_record *r)
{
	clear(&b->stack);
	push_chain(b, r, r->nips);
	b->stack.is_chain = true;
	b->stack.truncated = b->stack.broken;
	return &b->stack;
}

/* Notes. */

static void
print_not_unwound(struct buf *line, uint64_t n, struct str whose)
{
	buf_printf(line, "%" PRIu64 " stack%s of ", n, str_plural(n, "", "s"));
	utf8_escape(line, whose);
	buf_printf(line, " %s not unwound: record with --call-graph fp",
		   str_plural(n, "was", "were"));
}

static bool
note_foreign(struct callstack_builder *b, struct buf *line)
{
	const uint64_t n = b->foreign;

	b->foreign = 0;
	if (n > 0)
		print_not_unwound(line, n, b->features->arch);
	return n > 0;
}

static bool
note_narrow(struct callstack_builder *b, struct buf *line)
{
	const uint64_t n = b->narrow;

	b->narrow = 0;
	if (n > 0)
		print_not_unwound(line, n, STR("32-bit programs"));
	return n > 0;
}

static bool
note_cut_off(struct callstack_builder *b, struct buf *line)
{
	const double share = (double)b->cut_off / (double)b->copies;

	if (b->cut_off == 0 || share < WORTH_A_NOTE ||
	    b->largest_copy > LARGE_COPY)
		return false;
	b->cut_off = 0;
	buf_printf(line,
		   "%.0f %% of stacks are deeper than their copies of %zu "
		   "bytes: record with --call-graph dwarf,%d, or with "
		   "stackrecord --stack 60K",
		   100 * share, b->largest_copy, UNWIND_LARGEST_COPY);
	return true;
}

static bool
note_jit_ends(struct callstack_builder *b, struct buf *line)
{
	const double share = (double)b->jit_ends / (double)b->copies;
	struct str cure;

	if (b->jit_ends == 0 || share < WORTH_A_NOTE)
		return false;
	b->jit_ends = 0;
	cure = broken_chain_jit_cure(process_comm(
	    resolve_image(b->resolver)->processes, b->jit_pid, b->jit_time));
	buf_printf(line,
		   "%.0f %% of stacks end in code made at run time, without "
		   "frame pointers%s",
		   100 * share, cure.len > 0 ? ": " : "");
	buf_str(line, cure);
	return true;
}

/* The share of stacks; 0 if it is not worth a note. */
static double
noted_share(const struct callstack_builder *b, uint64_t n)
{
	const double share = n == 0 ? 0 : (double)n / (double)b->stacks;

	return share < WORTH_A_NOTE ? 0 : 100 * share;
}

static bool
note_missing(struct callstack_builder *b, struct buf *line)
{
	const double share = noted_share(b, b->missing);

	b->missing = 0;
	if (share > 0)
		buf_printf(line,
			   "callers of %.0f %% of the stacks are missing, "
			   "[missing]: record with --call-graph dwarf",
			   share);
	return share > 0;
}

static bool
note_repaired(struct callstack_builder *b, struct buf *line)
{
	const double share = noted_share(b, b->repaired);

	b->repaired = 0;
	if (share > 0)
		buf_printf(line,
			   "%.0f %% of the stacks were repaired: the code "
			   "admits one caller of a function without a frame",
			   share);
	return share > 0;
}

bool
callstack_note(struct callstack_builder *b, struct buf *line)
{
	return note_foreign(b, line) || note_narrow(b, line) ||
	       note_cut_off(b, line) || note_jit_ends(b, line) ||
	       note_missing(b, line) || note_repaired(b, line);
}
