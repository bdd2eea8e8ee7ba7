/* callstack.c - the frames of a sample of perf, by whatever it recorded. */
#include "callstack.h"

#include "chainfull.h"
#include "mem.h"
#include "perflink.h"
#include "probeargs.h"
#include "probes.h"
#include "unwind.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bit of branch_sample_type: the branches are the calls not returned from. */
enum { BRANCH_CALL_STACK = 1 << 11 };

/* Numbers of machines in ELF. */
enum { MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183 };

/* The registers of a sample are of a process of 32 bits. */
enum { REGISTERS_32 = 1 };

/* A record has room for somewhat less than may be asked for. */
enum { COPIED_AT_MOST = 60000 };

/* Fewer than this share of the stacks are not worth a line. */
#define FEW 0.01

/*
 * What was found last so many addresses from the root.  Most callers of a
 * sample are those of the one before, and this finds them in a few lines of
 * cache, where the addresses of a large program take all of it.
 */
struct caller {
	uint64_t address, moment;
	const struct code *code;
	enum resolve_mode mode;
	bool is_return;
};

struct callstacks {
	struct resolver *resolver;
	struct caller *callers; /* of chains, by their distance from the root */
	size_t callers_cap;
	struct chainfull full;
	const struct perf_features *features;
	struct callstack stack;
	struct unwind *unwind;
	uint64_t narrow;        /* stacks of 32 bits */
	uint64_t unwound, deep; /* all others; whose copies end too early */
	size_t copied;          /* the longest of these copies */
	int machine;
	struct unwind_frame *frames; /* room for what is unwound */
	size_t frames_cap;
	struct probes *probes;
	struct probeargs *probeargs;
	struct perflink *link;
};

struct callstacks *
callstacks_new(struct resolver *r, const struct perf_features *features)
{
	struct callstacks *c = mem_zero(1, sizeof(*c));

	c->resolver = r;
	c->features = features;
	c->probes = probes_new();
	c->probeargs = probeargs_new(&features->formats);
	c->link = perflink_new(r, features);
	return c;
}

void
callstacks_free(struct callstacks *c)
{
	if (c->unwind != NULL)
		unwind_free(c->unwind);
	probes_free(c->probes);
	probeargs_free(c->probeargs);
	perflink_free(c->link);
	free(c->stack.frame);
	free(c->frames);
	free(c->callers);
	free(c);
}

/* Push the code at an address, and behind it what it was inlined into. */
static void
push_code(struct callstack *s, const struct code *first, uint64_t address)
{
	const struct code *code;

	for (code = first; code != NULL; code = code->outer) {
		if (s->n == s->cap)
			s->frame = mem_grow(s->frame, &s->cap, s->n + 1,
					    sizeof(*s->frame));
		s->frame[s->n++] = (struct profile_frame){ code, address };
	}
}

static void
push(struct callstacks *c, enum resolve_mode mode, uint64_t address,
     bool is_return)
{
	push_code(&c->stack, resolve(c->resolver, mode, address, is_return),
		  address);
}

/* Chains. */

static enum resolve_mode
mode_of(const struct perf_record *r)
{
	switch (r->misc & PERF_MODE_MASK) {
	case PERF_MODE_USER:
		return RESOLVE_USER;
	case PERF_MODE_KERNEL:
		return RESOLVE_KERNEL;
	default:
		return RESOLVE_OTHER;
	}
}

/* The mode of what stands behind a number of a chain that is no address. */
static enum resolve_mode
mode_behind(uint64_t context)
{
	if (context == PERF_CONTEXT_USER ||
	    context == PERF_CONTEXT_USER_DEFERRED)
		return RESOLVE_USER;
	if (context == PERF_CONTEXT_KERNEL)
		return RESOLVE_KERNEL;
	return RESOLVE_OTHER;
}

/* The same for a chain; the caller is what was so far from the root last. */
static const struct code *
push_caller(struct callstacks *c, enum resolve_mode mode, uint64_t address,
	    bool is_return, struct caller *last)
{
	const uint64_t moment = resolver_moment(c->resolver);

	if (last->address != address || last->moment != moment || moment == 0 ||
	    last->mode != mode || last->is_return != is_return) {
		last->code = resolve(c->resolver, mode, address, is_return);
		/* Which this address may have ended. */
		last->moment = resolver_moment(c->resolver);
		last->address = address;
		last->mode = mode;
		last->is_return = is_return;
	}
	push_code(&c->stack, last->code, address);
	return last->code;
}

static void
reserve_callers(struct callstacks *c, size_t n)
{
	const size_t old = c->callers_cap;

	if (n <= old)
		return;
	c->callers = mem_grow(c->callers, &c->callers_cap, n,
			      sizeof(*c->callers));
	memset(c->callers + old, 0,
	       (c->callers_cap - old) * sizeof(*c->callers));
}

/*
 * The first address of each mode is where that mode was left; those behind it
 * are where calls return to, unless an interrupt came between.  Returns how
 * many addresses there are.
 */
static size_t
push_chain(struct callstacks *c, const struct perf_record *r, size_t n)
{
	enum resolve_mode mode = mode_of(r);
	const struct code *code;
	bool is_return = false;
	size_t i, pushed = 0;

	reserve_callers(c, n);
	for (i = 0; i < n; i++) {
		if (r->ips[i] == PERF_CONTEXT_USER_DEFERRED && i + 1 < n) {
			c->stack.deferred = true;
			c->stack.cookie = r->ips[++i];
			continue;
		}
		if (r->ips[i] >= PERF_CONTEXT_MAX) {
			mode = mode_behind(r->ips[i]);
			is_return = false;
			continue;
		}
		code = push_caller(c, mode, r->ips[i], is_return,
				   &c->callers[n - 1 - i]);
		is_return = mode != RESOLVE_KERNEL || !code->interrupts;
		pushed++;
	}
	return pushed;
}

/*
 * Call stacks by last branch records: the newest leads to the leaf, and each
 * came from its caller.  So it is where the calls are that is known here, not
 * where they return to.
 */
static void
push_branches(struct callstacks *c, const struct perf_record *r)
{
	size_t i;

	push_chain(c, r, perfrecord_user(r));
	push(c, RESOLVE_USER, r->branch[0].to, false);
	for (i = 0; i < r->nbranches; i++)
		push(c, RESOLVE_USER, r->branch[i].from, false);
	c->stack.truncated = chainfull_branches(&c->full, r->nbranches,
						c->features->branches);
}

/* Unwinding. */

static int
find_machine(const struct callstacks *c)
{
	struct str arch = c->features->arch;

	if (str_eq(arch, STR("x86_64")))
		return MACHINE_X86_64;
	if (str_eq(arch, STR("aarch64")))
		return MACHINE_AARCH64;
	if (arch.len > 0)
		errx(2,
		     "DWARF call graphs of %.*s cannot be unwound: record "
		     "with --call-graph fp",
		     (int)arch.len, arch.p);
#ifdef __aarch64__
	return MACHINE_AARCH64;
#else
	return MACHINE_X86_64;
#endif
}

/* The stack pointer's DWARF number; the copy begins there. */
static size_t
stack_register(int machine)
{
	return machine == MACHINE_X86_64 ? 7 : 31;
}

static size_t
pc_register(int machine)
{
	return machine == MACHINE_X86_64 ? 16 : 32;
}

static bool
begin_unwind(struct callstacks *c)
{
	if (c->unwind == NULL) {
		c->machine = find_machine(c);
		c->unwind = unwind_new(c->machine);
	}
	return c->unwind != NULL;
}

/* Where user mode was left, if that is all that can be known. */
static void
push_leaf(struct callstacks *c, const struct perf_record *r,
	  const struct unwind_registers *registers)
{
	const size_t pc = pc_register(c->machine);

	if (registers->known >> pc & 1)
		push(c, RESOLVE_USER, registers->value[pc], false);
	else if (mode_of(r) == RESOLVE_USER && r->has_ip)
		push(c, RESOLVE_USER, r->ip, false);
}

/* Registers and stack of a sample, unwound into c->frames. */
static size_t
unwind_sample(struct callstacks *c, const struct perf_record *r,
	      enum unwind_end *end)
{
	struct unwind_thread thread = { .stack = r->stack };
	/* Each frame takes the room of an address at least. */
	size_t max = r->stack.len / sizeof(uint64_t) + 2;

	*end = UNWIND_LOST;
	c->frames = mem_grow(c->frames, &c->frames_cap, max,
			     sizeof(*c->frames));
	if (!begin_unwind(c))
		return 0;
	if (!unwind_perf_registers(&thread.registers, c->machine, r->user.abi,
				   r->user.mask, r->user.reg, r->user.n)) {
		c->narrow += r->user.abi == REGISTERS_32;
		push_leaf(c, r, &thread.registers);
		return 0;
	}
	thread.stack_start = thread.registers.value[stack_register(c->machine)];
	resolver_unwind(c->resolver, &thread);
	max = unwind_stack(c->unwind, &thread, c->frames, max, end);
	c->unwound++;
	c->deep += *end == UNWIND_CUT;
	if (r->stack.len > c->copied)
		c->copied = r->stack.len;
	return max;
}

/*
 * Whether a sample may be of a probe at a function's entry; tracepoints of
 * the kernel are seen there.
 */
static bool
is_probe(const struct perf_record *r)
{
	return r->event->type == PERF_TYPE_TRACEPOINT &&
	       (r->misc & PERF_MODE_MASK) == PERF_MODE_USER;
}

/*
 * The stack pointer behind the return from a function just entered: its
 * return address is on top of the stack, or in a register.
 */
static uint64_t
returned(const struct callstacks *c, uint64_t sp)
{
	return c->machine == MACHINE_X86_64 ? sp + sizeof(uint64_t) : sp;
}

static void
tell_probes(struct callstacks *c, const struct perf_record *r,
	    const struct probes_stack *user)
{
	const uint64_t sp = c->frames[0].sp;

	if (probeargs_is_return(c->probeargs, r->event))
		probes_leave(c->probes, r->tid, sp);
	else
		probes_enter(c->probes, r->tid, returned(c, sp), user);
}

static void
push_unwound(struct callstacks *c, const struct perf_record *r)
{
	struct callstack *s = &c->stack;
	struct probes_stack user = { 0 };
	const struct unwind_frame *f = NULL;
	enum unwind_end end;
	size_t i, first = s->n, n = unwind_sample(c, r, &end);

	for (i = 0; i < n; i++) {
		f = &c->frames[i];
		user.probed = end == UNWIND_PROBED && i + 1 == n;
		/* A trampoline is in the stack only as itself. */
		if (!user.probed || f->exact)
			push(c, RESOLVE_USER, f->pc, !f->exact);
	}
	s->truncated = end != UNWIND_COMPLETE && end != UNWIND_PROBED;
	user.n = s->n - first;
	user.frame = user.n > 0 ? s->frame + first : NULL;
	user.truncated = s->truncated;
	user.sp = user.probed ? f->sp : 0;
	if (user.n > 0 && is_probe(r))
		tell_probes(c, r, &user);
	if (user.probed)
		probes_append(c->probes, r->tid, user.sp,
			      f->exact ? NULL : user.frame[user.n - 1].code, s);
}

static bool
has_user_chain(const struct perf_record *r)
{
	size_t user = perfrecord_user(r);

	/* With a stack to unwind, the kernel notes the leaf at most. */
	return user + 2 < r->nips;
}

static void
clear(struct callstack *s)
{
	s->n = 0;
	s->truncated = s->deferred = s->chain = s->bare = false;
	s->cookie = 0;
}

const struct callstack *
callstack_of(struct callstacks *c, const struct perf_record *r)
{
	struct callstack *s = &c->stack;
	const struct perf_record *whole;
	size_t n;

	clear(s);
	if (r->nbranches > 0 && r->event->branch_type & BRANCH_CALL_STACK) {
		push_branches(c, r);
	} else if (r->user.n > 0 && r->event->sample_type & PERF_STACK_USER &&
		   !has_user_chain(r)) {
		push_chain(c, r, perfrecord_user(r));
		push_unwound(c, r);
	} else if (r->has_chain) {
		s->chain = true;
		whole = perflink_add(c->link, r);
		n = push_chain(c, whole, whole->nips) - (whole != r);
		s->truncated = chainfull_chain(&c->full, r->event, n);
	} else if (r->has_ip) {
		s->bare = true;
		push(c, mode_of(r), r->ip, false);
	}
	return s;
}

const struct callstack *
callstack_deferred(struct callstacks *c, const struct perf_record *r)
{
	clear(&c->stack);
	push_chain(c, r, r->nips);
	c->stack.chain = true;
	return &c->stack;
}

static bool
note_narrow(struct callstacks *c, struct buf *line)
{
	const uint64_t n = c->narrow;

	c->narrow = 0;
	if (n > 0)
		buf_printf(line,
			   "%" PRIu64 " stack%s of 32-bit programs %s not "
			   "unwound: record with --call-graph fp",
			   n, str_plural(n, "", "s"),
			   str_plural(n, "was", "were"));
	return n > 0;
}

static bool
note_deep(struct callstacks *c, struct buf *line)
{
	const double share = (double)c->deep / (double)c->unwound;

	if (c->deep == 0 || share < FEW || c->copied > COPIED_AT_MOST)
		return false;
	c->deep = 0;
	buf_printf(line,
		   "%.0f %% of stacks are deeper than their copies of %zu "
		   "bytes: record with --call-graph dwarf,%d",
		   100 * share, c->copied, UNWIND_LARGEST_COPY);
	return true;
}

bool
callstacks_note(struct callstacks *c, struct buf *line)
{
	return note_narrow(c, line) || note_deep(c, line);
}
