/* callstack_copy.c - frames of perf samples by the copies of their stacks. */
#include "perf/callstack_copy.h"

#include "base/mem.h"
#include "perf/broken_chain.h"

/* PERF_SAMPLE_REGS_ABI_32: the registers of a 32-bit process. */
enum { REGISTERS_32 = 1 };

bool
callstack_copy_begin(struct callstack_builder *b)
{
	if (b->unwind == NULL) {
		b->arch = arch_named(b->features->arch);
		if (b->arch != NULL)
			b->unwind = unwind_new();
	}
	return b->unwind != NULL;
}

bool
callstack_copy_is_probe(const struct perf_record *r)
{
	return r->event->type == PERF_TYPE_TRACEPOINT &&
	       (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		   PERF_RECORD_MISC_USER;
}

/* Push where the thread left user mode: all that is known of that part. */
static void
push_leaf(struct callstack_builder *b, const struct perf_record *r,
	  const struct arch *arch, const struct arch_registers *registers)
{
	if (arch_knows(registers, arch->pc))
		callstack_push(b, RESOLVE_USER, registers->value[arch->pc],
			       false);
	else if (callstack_mode(r) == RESOLVE_USER && r->has_ip)
		callstack_push(b, RESOLVE_USER, r->ip, false);
}

/* Whether there is a snapshot for a sample. */
static bool
choose_jvm(const struct callstack_builder *b, const struct perf_record *r)
{
	return b->java.jvms != NULL &&
	       jvm_stacks_choose(
		   b->java.jvms, r->pid,
		   r->has_time && r->event->monotonic ? r->time : UINT64_MAX);
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
	b->java.may_be = false;
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
	b->java.may_be = choose_jvm(b, r);
	if (b->java.may_be)
		jvm_stacks_begin(b->java.jvms, thread);
	return unwind_stack(b->unwind, thread, b->unwound, max, end);
}

/* Push the code of an unwound frame, the next one of the stack. */
static void
push_frame(struct callstack_builder *b, const struct unwind_frame *f)
{
	const struct code *code = NULL;

	if (b->java.may_be)
		code = jvm_stacks_code(b->java.jvms, resolve_codes(b->resolver),
				       f, b->java.lines, b->java.inlines);
	if (code != NULL)
		callstack_push_code(&b->stack, code, f->pc);
	else
		callstack_push(b, RESOLVE_USER, f->pc, !f->exact);
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
		b->jit_cure = broken_chain_jit_cure(process_comm(
		    resolve_image(b->resolver)->processes, r->pid, r->time));
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
			push_frame(b, f);
	}
	s->truncated = end != UNWIND_COMPLETE && end != UNWIND_PROBED;
	user.n = s->n - first;
	user.frame = user.n > 0 ? s->frame + first : NULL;
	user.truncated = s->truncated;
	user.sp = user.probed ? f->sp : 0;
	if (n > 0 && callstack_copy_is_probe(r))
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
		callstack_push(b, RESOLVE_USER, b->unwound[i].pc,
			       !b->unwound[i].exact);
	for (i = join->first; i < join->end; i++)
		callstack_push(b, RESOLVE_USER, r->ips[leaf + i], true);
	s->truncated = join->end + leaf == r->nips ?
			   callstack_is_full_chain(b, r->event, r->nips) :
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

/*
 * Whether the rest of a chain has Java's code, which mostly has no frame
 * pointers: the snapshot would have led there.
 */
static bool
leads_to_java(const struct callstack_builder *b, const uint64_t *chain,
	      const struct chain_join_stack *join)
{
	size_t i;

	for (i = join->first; b->java.may_be && i < join->end; i++) {
		if (jvm_stacks_is_code(b->java.jvms, chain[i]))
			return true;
	}
	return false;
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
	if (join.joined && !leads_to_java(b, r->ips + leaf, &join))
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
	callstack_push_chain(b, r, r->nips);
	if (perfrecord_user(r) + 1 >= r->nips &&
	    callstack_mode(r) == RESOLVE_USER && r->has_ip)
		callstack_push(b, RESOLVE_USER, r->ip, false);
	b->stack.truncated = true;
}

void
callstack_copy_push(struct callstack_builder *b, const struct perf_record *r)
{
	if (callstack_copy_begin(b)) {
		callstack_push_chain(b, r, perfrecord_user(r));
		push_user(b, r);
	} else {
		push_foreign(b, r);
	}
}

bool
callstack_copy_is_better(struct callstack_builder *b,
			 const struct perf_record *r)
{
	if (r->user.n == 0 || !(r->event->sample_type & PERF_SAMPLE_STACK_USER))
		return false;
	return !has_user_chain(r) ||
	       (callstack_copy_begin(b) && b->arch->sets_fp != NULL &&
		arch_of_abi(b->arch, r->user.abi) == b->arch);
}
