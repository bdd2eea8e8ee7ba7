/* perfscript_reader.c - reads perf script text into a sink. */
#include "perf/perfscript_reader.h"

#include "base/intern.h"
#include "base/mem.h"
#include "jit/jit_discover.h"
#include "jit/jitfiles.h"
#include "perf/broken_chain.h"
#include "perf/jit_report.h"
#include "perfdata/losses.h"
#include "perfscript/perfscript.h"
#include "perfscript/perfscript_maps.h"

#include <inttypes.h>
#include <stdlib.h>

/* The state of reading one input. */
struct script {
	const struct perfscript_reader *how;
	struct jit *jit;
	struct perfscript_maps *maps;
	uint32_t *jit_token[SINK_FLAVOURS]; /* by symbol number */
	size_t jit_token_cap[SINK_FLAVOURS];
	struct buf insn, comm; /* scratch */
	struct losses losses;
	uint64_t reported;       /* of the losses, with samples so far */
	uint32_t announced;      /* events, in their order */
	struct inlines *inlines; /* NULL: do not expand inlined functions */
};

/* Tokens in struct inlines, leaf first; none for a frame as perf printed it. */
struct token_run {
	size_t first, n;
};

/* The expansion of each place into tokens, made once. */
struct inlines {
	struct perfscript_inline *code;
	struct intern *places;
	struct token_run *run; /* by place number */
	size_t run_cap;
	uint32_t *token; /* of all runs */
	size_t token_n, token_cap;
	uint32_t *stack; /* the sample's tokens */
	size_t stack_n, stack_cap;
};

static struct frame
to_frame(const struct perfscript_sample *s, size_t i)
{
	static const enum frame_kind kinds[] = {
		[PERFFRAME_USER] = FRAME_USER,
		[PERFFRAME_KERNEL] = FRAME_KERNEL,
		[PERFFRAME_JIT] = FRAME_JIT,
		[PERFFRAME_INLINE] = FRAME_INLINE
	};
	struct frame frame = { .has_addr = true };
	const struct framecache_symbol *symbol;

	symbol = framecache_symbol(s->cache, s->frame[i], &frame.addr);
	frame.name = symbol->name;
	frame.module = symbol->module;
	frame.kind = kinds[symbol->kind];
	if (s->source != NULL)
		frame.line = s->source[i];
	return frame;
}

static uint32_t
make_token(const struct script *t, struct sink *out, struct frame *frame,
	   int flavour)
{
	if (t->how->change != NULL)
		t->how->change(t->how->arg, frame);
	return sink_token(out, frame, flavour);
}

/* Give a frame its token: the one of its symbol if it needs no other. */
static uint32_t
frame_token(const struct script *t, struct sink *out,
	    const struct perfscript_sample *s, size_t i)
{
	struct frame frame = to_frame(s, i);
	struct framecache_frame *f = s->frame[i];
	uint32_t *shared = &f->token[s->flavour];
	uint64_t addr;

	if (frame.line.len > 0)
		return make_token(t, out, &frame, s->flavour);
	if (!sink_shows_addrs(out))
		shared =
		    &framecache_symbol(s->cache, f, &addr)->token[s->flavour];
	if (*shared == FRAMECACHE_NO_TOKEN)
		*shared = make_token(t, out, &frame, s->flavour);
	return f->token[s->flavour] = *shared;
}

static void
add_record(void *arg, struct str text)
{
	struct script *t = arg;
	struct perfline_map map;
	uint64_t lost;

	if (perfline_map(text, &map)) {
		perfscript_maps_add(t->maps, &map);
		jit_discover_mapped(t->jit, map.pid, NULL, map.path);
	} else if (perfline_lost(text, &lost)) {
		t->losses.by_kernel += lost;
	}
}

/*
 * The process of a sample, -1 if unknown.  perf script prints only the thread
 * by default, but the name of a perf map has the process.
 */
static int64_t
sample_pid(struct script *t, const struct perfscript_sample *s)
{
	const struct framecache_symbol *symbol;
	uint64_t addr;
	int64_t pid;
	size_t i;

	if (s->head->pid >= 0 || jit_has_names(t->jit, s->head->tid))
		return s->head->pid >= 0 ? s->head->pid : s->head->tid;
	for (i = 0; i < s->n; i++) {
		symbol = framecache_symbol(s->cache, s->frame[i], &addr);
		pid = jitfiles_map_pid(symbol->module);
		if (pid >= 0)
			return pid;
	}
	return jit_store_only(jit_files(t->jit));
}

/*
 * The address of a frame in its process.  There may be several candidates;
 * begin with an *nth of 0 and call again for the next one.  False if there are
 * no more, or if the frame cannot be JIT code.
 */
static bool
frame_address(struct script *t, const struct perfscript_sample *s, size_t i,
	      int64_t pid, size_t *nth, uint64_t *address)
{
	const struct framecache_symbol *symbol;

	symbol = framecache_symbol(s->cache, s->frame[i], address);
	if (symbol->kind == PERFFRAME_USER &&
	    str_starts(symbol->module, STR("/")) &&
	    !str_starts(symbol->module, STR("//")))
		return perfscript_maps_address(t->maps, pid, symbol->module,
					       *address, nth, address);
	if ((*nth)++ > 0)
		return false;
	if (symbol->kind == PERFFRAME_JIT)
		return jitfiles_map_pid(symbol->module) >= 0;
	return symbol->kind == PERFFRAME_USER &&
	       (symbol->name.len == 0 ||
		str_eq(symbol->name, STR("[unknown]")));
}

/*
 * Whether a frame's address is a return address: all are but the leaf's and the
 * one where the kernel interrupted user mode.
 */
static bool
is_return(const struct perfscript_sample *s, size_t i)
{
	uint64_t addr;

	return i > 0 &&
	       framecache_symbol(s->cache, s->frame[i - 1], &addr)->kind !=
		   PERFFRAME_KERNEL;
}

static uint32_t
jit_token(struct script *t, struct sink *out, const struct jit_symbol *symbol,
	  int flavour)
{
	uint32_t **token = &t->jit_token[flavour];
	size_t old = t->jit_token_cap[flavour];
	struct frame frame = { .name = symbol->name,
			       .module = symbol->module,
			       .line = symbol->line,
			       .kind = FRAME_JIT };

	if (symbol->number >= old) {
		*token = mem_grow(*token, &t->jit_token_cap[flavour],
				  (size_t)symbol->number + 1, sizeof(**token));
		for (; old < t->jit_token_cap[flavour]; old++)
			(*token)[old] = FRAMECACHE_NO_TOKEN;
	}
	if ((*token)[symbol->number] == FRAMECACHE_NO_TOKEN)
		(*token)[symbol->number] = make_token(t, out, &frame, flavour);
	return (*token)[symbol->number];
}

static bool
find_jit_symbol(struct script *t, const struct perfscript_sample *s, size_t i,
		int64_t pid, struct jit_symbol *symbol, uint64_t *address)
{
	const struct perfline_head *h = s->head;
	uint64_t time = h->has_time ? h->time : JIT_LAST;
	bool before = !t->how->exact && is_return(s, i);
	size_t nth = 0;

	while (frame_address(t, s, i, pid, &nth, address)) {
		*address -= before && *address > 0;
		if (jit_find(t->jit, pid, time, *address, symbol))
			return true;
	}
	return false;
}

/* Set the tokens of the frames that the files of a JIT name. */
static void
name_jit(struct script *t, struct sink *out, const struct perfscript_sample *s)
{
	int64_t pid = sample_pid(t, s);
	struct jit_symbol symbol;
	uint64_t address;
	size_t i;

	if (!jit_has_names(t->jit, pid))
		return;
	for (i = 0; i < s->n; i++)
		if (find_jit_symbol(t, s, i, pid, &symbol, &address))
			s->token[i] = jit_token(t, out, &symbol, s->flavour);
}

/*
 * Append the instruction at which a frame of JIT code is.  For code that perf
 * named, append only its offset in the function.
 */
static bool
find_insn(struct script *t, const struct perfscript_sample *s, size_t i,
	  struct buf *insn)
{
	const uint64_t offset = framecache_offset(s->cache, s->frame[i]);
	int64_t pid = sample_pid(t, s);
	struct jit_symbol symbol;
	uint64_t address;

	if (jit_has_names(t->jit, pid) &&
	    find_jit_symbol(t, s, i, pid, &symbol, &address))
		return jit_insn(t->jit, &symbol, address, insn);
	if (framecache_symbol(s->cache, s->frame[i], &address)->kind !=
		PERFFRAME_JIT ||
	    offset == PERFFRAME_NO_OFFSET)
		return false;
	buf_char(insn, '+');
	buf_hex(insn, offset);
	return true;
}

/* Push the frames and, as a leaf, the instruction of the user-mode leaf. */
static void
push_insn(struct script *t, struct sink *out, const struct perfscript_sample *s)
{
	struct frame frame = { .kind = FRAME_JIT };
	uint32_t token;
	size_t i = 0;

	while (i < s->n && i + 1 < s->n && !is_return(s, i + 1))
		i++;
	sink_push(out, s->token, i);
	t->insn.len = 0;
	if (i < s->n && find_insn(t, s, i, &t->insn)) {
		frame.name = buf_slice(&t->insn);
		token = make_token(t, out, &frame, s->flavour);
		sink_push(out, &token, 1);
	}
	sink_push(out, s->token + i, s->n - i);
}

/* Inlined functions. */

static struct inlines *
inlines_new(const struct perfscript_inline_options *options, struct buf *why)
{
	struct perfscript_inline *code = perfscript_inline_new(options, why);
	struct inlines *in;

	if (code == NULL)
		return NULL;
	in = mem_zero(1, sizeof(*in));
	in->code = code;
	in->places = intern_new();
	return in;
}

static void
inlines_free(struct inlines *in, struct sink *out)
{
	struct buf line = { 0 };

	for (; perfscript_inline_note(in->code, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	buf_free(&line);
	perfscript_inline_free(in->code);
	intern_free(in->places);
	free(in->run);
	free(in->token);
	free(in->stack);
	free(in);
}

/* Whether perf itself printed inlined functions, just before this frame. */
static bool
is_expanded(const struct perfscript_sample *s, size_t i)
{
	uint64_t addr, inlined;

	if (i == 0 ||
	    framecache_symbol(s->cache, s->frame[i - 1], &inlined)->kind !=
		PERFFRAME_INLINE)
		return false;
	framecache_symbol(s->cache, s->frame[i], &addr);
	return addr == inlined;
}

static struct token_run
expand(struct script *t, struct sink *out, const struct perfscript_sample *s,
       size_t i, const struct perfscript_inline_place *place)
{
	const struct perfscript_inline_frame *found;
	struct inlines *in = t->inlines;
	struct token_run run = { in->token_n, 0 };
	struct frame frame;

	run.n = perfscript_inline_find(in->code, place, &found);
	in->token = mem_grow(in->token, &in->token_cap, in->token_n + run.n,
			     sizeof(*in->token));
	for (; in->token_n < run.first + run.n; found++) {
		frame = to_frame(s, i);
		frame.line = found->line;
		if (in->token_n + 1 < run.first + run.n) {
			frame.name = found->name;
			frame.kind = FRAME_INLINE;
		}
		in->token[in->token_n++] = make_token(t, out, &frame,
						      s->flavour);
	}
	return run;
}

/* A frame with the functions inlined at its address, from the cache. */
static struct token_run
frame_run(struct script *t, struct sink *out, const struct perfscript_sample *s,
	  size_t i)
{
	struct inlines *in = t->inlines;
	const uint32_t n = intern_size(in->places);
	struct perfscript_inline_place place = { .is_return = !t->how->exact &&
							      is_return(s, i) };
	const struct framecache_symbol *symbol = framecache_symbol(
	    s->cache, s->frame[i], &place.address);
	const uint64_t key[] = { (uintptr_t)symbol, place.address,
				 (unsigned)s->flavour, place.is_return };
	uint32_t number;

	if (symbol->kind == PERFFRAME_JIT || symbol->kind == PERFFRAME_INLINE ||
	    is_expanded(s, i))
		return (struct token_run){ 0, 0 };
	number = intern_id(in->places,
			   (struct str){ (const char *)key, sizeof(key) });
	if (number < n)
		return in->run[number];
	place.name = symbol->name;
	place.module = symbol->module;
	place.offset = framecache_offset(s->cache, s->frame[i]);
	place.has_offset = place.offset != PERFFRAME_NO_OFFSET;
	in->run = mem_grow(in->run, &in->run_cap, (size_t)n + 1,
			   sizeof(*in->run));
	return in->run[number] = expand(t, out, s, i, &place);
}

static void
push_inlines(struct script *t, struct sink *out,
	     const struct perfscript_sample *s)
{
	struct inlines *in = t->inlines;
	struct token_run run;
	size_t i;

	in->stack_n = 0;
	for (i = 0; i < s->n; i++) {
		run = frame_run(t, out, s, i);
		in->stack = mem_grow(in->stack, &in->stack_cap,
				     in->stack_n + run.n + 1,
				     sizeof(*in->stack));
		if (run.n > 0)
			memcpy(in->stack + in->stack_n, in->token + run.first,
			       run.n * sizeof(*in->stack));
		else
			in->stack[in->stack_n++] = s->token[i];
		in->stack_n += run.n;
	}
	sink_push(out, in->stack, in->stack_n);
}

static void
push_frames(struct script *t, struct sink *out,
	    const struct perfscript_sample *s)
{
	size_t i;

	name_jit(t, out, s);
	for (i = 0; !s->complete && i < s->n; i++) {
		if (s->token[i] == FRAMECACHE_NO_TOKEN)
			s->token[i] = frame_token(t, out, s, i);
	}
	if (t->how->insns)
		push_insn(t, out, s);
	else if (t->inlines != NULL)
		push_inlines(t, out, s);
	else
		sink_push(out, s->token, s->n);
}

/* A thread without a name is called ":TID", as in perfdata_samples.c. */
static struct str
sample_comm(struct script *t, const struct perfline_head *h)
{
	if (h->comm.len > 0)
		return h->comm;
	t->comm.len = 0;
	buf_printf(&t->comm, ":%" PRId64, h->tid);
	return buf_slice(&t->comm);
}

static struct sample
to_sample(struct script *t, const struct perfline_head *h, uint64_t hz)
{
	const uint64_t lost = t->losses.by_kernel - t->reported;

	t->reported = t->losses.by_kernel;
	return (struct sample){ .time = h->time,
				.has_time = h->has_time,
				.pid = h->pid,
				.tid = h->tid,
				.cpu = h->cpu,
				.comm = sample_comm(t, h),
				.event = h->event,
				.unit = h->unit,
				.lost = lost,
				.ns = hz > 0 ? 1000000000 / hz : 0 };
}

/* The input may end inside of this sample. */
static void
note_cut(const struct input *in, struct sink *out)
{
	struct buf line = { 0 };

	sink_truncated(out);
	sink_partial(out);
	buf_printf(&line,
		   "%s: the last stack may be cut off, no blank line ends it: "
		   "it is marked [truncated]",
		   in->name);
	sink_note(out, buf_slice(&line));
	buf_free(&line);
}

/* Announce the events of header lines that are new. */
static void
announce_events(struct script *t, const struct perfscript *text,
		struct sink *out)
{
	for (; t->announced < perfscript_events(text); t->announced++)
		sink_announce_event(out, perfscript_event(text, t->announced));
}

static void
push_samples(struct script *t, struct perfscript *text, struct input *in,
	     struct sink *out)
{
	struct perfscript_sample s;
	struct sample sample;
	bool leaves_only = false, callers = false;

	while (perfscript_read(text, in, &s)) {
		announce_events(t, text, out);
		sample = to_sample(t, s.head,
				   perfscript_hz(text, s.head->event));
		if (!sink_begin(out, &sample))
			continue;
		leaves_only |= s.in_head;
		callers |= s.n > s.in_head;
		push_frames(t, out, &s);
		if (s.cut)
			note_cut(in, out);
		sink_end(out, (struct count){
				  s.head->period > 0 ? s.head->period : 1, 0 });
	}
	if (leaves_only && !callers)
		sink_note(out, BROKEN_CHAIN_NO_CALLERS);
}

bool
perfscript_reader_read(const struct perfscript_reader *how, struct input *in,
		       struct sink *out, struct buf *why)
{
	struct script t = { .how = how, .jit = jitopt_open(how->jit, -1, why) };
	struct perfscript *text;
	struct buf line = { 0 };
	int i;

	if (t.jit == NULL)
		return false;
	if (how->code != NULL &&
	    (t.inlines = inlines_new(how->code, why)) == NULL) {
		jit_free(t.jit);
		return false;
	}
	t.maps = perfscript_maps_new();
	text = perfscript_new(how->with_source);
	perfscript_on_record(text, add_record, &t);
	push_samples(&t, text, in, out);
	if (losses_note(&t.losses, &line))
		sink_note(out, buf_slice(&line));
	buf_free(&line);
	perfscript_free(text);
	perfscript_maps_free(t.maps);
	jit_report(t.jit, out);
	jit_free(t.jit);
	if (t.inlines != NULL)
		inlines_free(t.inlines, out);
	for (i = 0; i < SINK_FLAVOURS; i++)
		free(t.jit_token[i]);
	buf_free(&t.insn);
	buf_free(&t.comm);
	return true;
}
