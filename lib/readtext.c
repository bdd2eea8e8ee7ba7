/* readtext.c - perf script text, read into a sink. */
#include "readtext.h"

#include "chainend.h"
#include "intern.h"
#include "jitfiles.h"
#include "losses.h"
#include "mem.h"
#include "perftext.h"
#include "readjit.h"
#include "textmaps.h"

#include <inttypes.h>
#include <stdlib.h>

/* What is known of the JITs of an input, and where files are. */
struct text {
	const struct readtext *how;
	struct jit *jit;
	struct textmaps *maps;
	uint32_t *token[SINK_FLAVOURS]; /* by the numbers of symbols */
	size_t cap[SINK_FLAVOURS];
	struct buf insn, comm;
	struct losses losses;
	uint64_t said;           /* of them, by samples */
	struct inlines *inlines; /* NULL: not looked for */
};

/* What places hold that were looked up; tokens one behind the other. */
struct inlines {
	struct textcode *code;
	struct intern *places;
	struct run {
		size_t first, n; /* tokens, leaf first; none: as printed */
	} * run;                 /* by the numbers of places */
	size_t run_cap;
	uint32_t *token;
	size_t token_n, token_cap;
	uint32_t *stack; /* the sample's tokens */
	size_t stack_n, stack_cap;
};

static struct frame
to_frame(const struct perftext_sample *s, size_t i)
{
	static const enum frame_kind kinds[] = {
		[PERFFRAME_USER] = FRAME_USER,
		[PERFFRAME_KERNEL] = FRAME_KERNEL,
		[PERFFRAME_JIT] = FRAME_JIT,
		[PERFFRAME_INLINE] = FRAME_INLINE
	};
	struct frame frame = { .has_addr = true };
	const struct symbol *symbol;

	symbol = framecache_symbol(s->cache, s->frame[i], &frame.addr);
	frame.name = symbol->name;
	frame.module = symbol->module;
	frame.kind = kinds[symbol->kind];
	if (s->source != NULL)
		frame.line = s->source[i];
	return frame;
}

static uint32_t
make_token(const struct text *t, struct sink *out, struct frame *frame,
	   int flavour)
{
	if (t->how->change != NULL)
		t->how->change(t->how->arg, frame);
	return sink_token(out, frame, flavour);
}

/* The token of a frame that has none: its symbol's, or one of its own. */
static uint32_t
token_of(const struct text *t, struct sink *out,
	 const struct perftext_sample *s, size_t i)
{
	struct frame frame = to_frame(s, i);
	struct cached_frame *f = s->frame[i];
	uint32_t *shared = &f->token[s->flavour];
	uint64_t addr;

	if (frame.line.len > 0)
		return make_token(t, out, &frame, s->flavour);
	if (!sink_shows_addrs(out))
		shared =
		    &framecache_symbol(s->cache, f, &addr)->token[s->flavour];
	if (*shared == NO_TOKEN)
		*shared = make_token(t, out, &frame, s->flavour);
	return f->token[s->flavour] = *shared;
}

static void
take_record(void *arg, struct str text)
{
	struct text *t = arg;
	struct perfline_map map;
	uint64_t lost;

	if (perfline_map(text, &map)) {
		textmaps_add(t->maps, &map);
		jit_add_mapped(t->jit, map.pid, NULL, map.path);
	} else if (perfline_lost(text, &lost)) {
		t->losses.told += lost;
	}
}

/*
 * The process of a sample; perf script prints only the thread unless it is
 * asked, but the name of a map has it.
 */
static int64_t
text_pid(struct text *t, const struct perftext_sample *s)
{
	const struct symbol *symbol;
	uint64_t addr;
	int64_t pid;
	size_t i;

	if (s->head->pid >= 0 || jit_knows(t->jit, s->head->tid))
		return s->head->pid >= 0 ? s->head->pid : s->head->tid;
	for (i = 0; i < s->n; i++) {
		symbol = framecache_symbol(s->cache, s->frame[i], &addr);
		pid = jitfiles_map_pid(symbol->module);
		if (pid >= 0)
			return pid;
	}
	return jit_only(t->jit);
}

/*
 * The address of a frame in its process, the next of as many as it may be, of
 * which *nth is 0 at first; false if it is not known, or cannot be a JIT's.
 */
static bool
text_address(struct text *t, const struct perftext_sample *s, size_t i,
	     int64_t pid, size_t *nth, uint64_t *address)
{
	const struct symbol *symbol;

	symbol = framecache_symbol(s->cache, s->frame[i], address);
	if (symbol->kind == PERFFRAME_USER &&
	    str_starts(symbol->module, STR("/")) &&
	    !str_starts(symbol->module, STR("//")))
		return textmaps_address(t->maps, pid, symbol->module, *address,
					nth, address);
	if ((*nth)++ > 0)
		return false;
	if (symbol->kind == PERFFRAME_JIT)
		return jitfiles_map_pid(symbol->module) >= 0;
	return symbol->kind == PERFFRAME_USER &&
	       (symbol->name.len == 0 ||
		str_eq(symbol->name, STR("[unknown]")));
}

/* Where calls return to, but for the leaf and what the kernel interrupted. */
static bool
text_is_return(const struct perftext_sample *s, size_t i)
{
	uint64_t addr;

	return i > 0 &&
	       framecache_symbol(s->cache, s->frame[i - 1], &addr)->kind !=
		   PERFFRAME_KERNEL;
}

static uint32_t
symbol_token(struct text *t, struct sink *out, const struct jit_symbol *symbol,
	     int flavour)
{
	uint32_t **token = &t->token[flavour];
	size_t old = t->cap[flavour];
	struct frame frame = { .name = symbol->name,
			       .module = symbol->module,
			       .line = symbol->line,
			       .kind = FRAME_JIT };

	if (symbol->number >= old) {
		*token = mem_grow(*token, &t->cap[flavour],
				  (size_t)symbol->number + 1, sizeof(**token));
		for (; old < t->cap[flavour]; old++)
			(*token)[old] = NO_TOKEN;
	}
	if ((*token)[symbol->number] == NO_TOKEN)
		(*token)[symbol->number] = make_token(t, out, &frame, flavour);
	return (*token)[symbol->number];
}

static bool
find_symbol(struct text *t, const struct perftext_sample *s, size_t i,
	    int64_t pid, struct jit_symbol *symbol, uint64_t *address)
{
	const struct perfline_head *h = s->head;
	uint64_t time = h->has_time ? h->time : JIT_LAST;
	bool before = !t->how->exact && text_is_return(s, i);
	size_t nth = 0;

	while (text_address(t, s, i, pid, &nth, address)) {
		*address -= before && *address > 0;
		if (jit_find(t->jit, pid, time, *address, symbol))
			return true;
	}
	return false;
}

/* Give the frames that a JIT's files know their tokens. */
static void
name_jit(struct text *t, struct sink *out, const struct perftext_sample *s)
{
	int64_t pid = text_pid(t, s);
	struct jit_symbol symbol;
	uint64_t address;
	size_t i;

	if (!jit_knows(t->jit, pid))
		return;
	for (i = 0; i < s->n; i++)
		if (find_symbol(t, s, i, pid, &symbol, &address))
			s->token[i] = symbol_token(t, out, &symbol, s->flavour);
}

/*
 * Append the instruction that a frame of JIT code was at; of code that perf
 * named, where that is in its function.
 */
static bool
find_insn(struct text *t, const struct perftext_sample *s, size_t i,
	  struct buf *insn)
{
	const uint64_t offset = framecache_offset(s->cache, s->frame[i]);
	int64_t pid = text_pid(t, s);
	struct jit_symbol symbol;
	uint64_t address;

	if (jit_knows(t->jit, pid) &&
	    find_symbol(t, s, i, pid, &symbol, &address))
		return jit_insn(t->jit, &symbol, address, insn);
	if (framecache_symbol(s->cache, s->frame[i], &address)->kind !=
		PERFFRAME_JIT ||
	    offset == NO_OFFSET)
		return false;
	buf_char(insn, '+');
	buf_hex(insn, offset);
	return true;
}

/* The frames, and the instruction of the innermost that is not the kernel's. */
static void
push_insn(struct text *t, struct sink *out, const struct perftext_sample *s)
{
	struct frame frame = { .kind = FRAME_JIT };
	uint32_t token;
	size_t i = 0;

	while (i < s->n && i + 1 < s->n && !text_is_return(s, i + 1))
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
inlines_new(const struct textcode_options *options)
{
	struct inlines *in = mem_zero(1, sizeof(*in));

	in->code = textcode_new(options);
	in->places = intern_new();
	return in;
}

static void
inlines_free(struct inlines *in, struct sink *out)
{
	struct buf line = { 0 };

	for (; textcode_note(in->code, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	buf_free(&line);
	textcode_free(in->code);
	intern_free(in->places);
	free(in->run);
	free(in->token);
	free(in->stack);
	free(in);
}

/* perf printed what was inlined before the frame that it is inlined into. */
static bool
is_expanded(const struct perftext_sample *s, size_t i)
{
	uint64_t addr, inlined;

	if (i == 0 ||
	    framecache_symbol(s->cache, s->frame[i - 1], &inlined)->kind !=
		PERFFRAME_INLINE)
		return false;
	framecache_symbol(s->cache, s->frame[i], &addr);
	return addr == inlined;
}

static struct run
look_up(struct text *t, struct sink *out, const struct perftext_sample *s,
	size_t i, const struct textcode_place *place)
{
	const struct textcode_frame *found;
	struct inlines *in = t->inlines;
	struct run run = { in->token_n, 0 };
	struct frame frame;

	run.n = textcode_find(in->code, place, &found);
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

/* What a frame is when functions that were inlined there are frames, too. */
static struct run
run_of(struct text *t, struct sink *out, const struct perftext_sample *s,
       size_t i)
{
	struct inlines *in = t->inlines;
	const uint32_t n = intern_size(in->places);
	struct textcode_place place = { .is_return = !t->how->exact &&
						     text_is_return(s, i) };
	const struct symbol *symbol = framecache_symbol(s->cache, s->frame[i],
							&place.address);
	const uint64_t key[] = { (uintptr_t)symbol, place.address,
				 (unsigned)s->flavour, place.is_return };
	uint32_t number;

	if (symbol->kind == PERFFRAME_JIT || symbol->kind == PERFFRAME_INLINE ||
	    is_expanded(s, i))
		return (struct run){ 0, 0 };
	number = intern_id(in->places,
			   (struct str){ (const char *)key, sizeof(key) });
	if (number < n)
		return in->run[number];
	place.name = symbol->name;
	place.module = symbol->module;
	place.offset = framecache_offset(s->cache, s->frame[i]);
	place.has_offset = place.offset != NO_OFFSET;
	in->run = mem_grow(in->run, &in->run_cap, (size_t)n + 1,
			   sizeof(*in->run));
	return in->run[number] = look_up(t, out, s, i, &place);
}

static void
push_inlines(struct text *t, struct sink *out, const struct perftext_sample *s)
{
	struct inlines *in = t->inlines;
	struct run run;
	size_t i;

	in->stack_n = 0;
	for (i = 0; i < s->n; i++) {
		run = run_of(t, out, s, i);
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
push_frames(struct text *t, struct sink *out, const struct perftext_sample *s)
{
	size_t i;

	name_jit(t, out, s);
	for (i = 0; !s->complete && i < s->n; i++) {
		if (s->token[i] == NO_TOKEN)
			s->token[i] = token_of(t, out, s, i);
	}
	if (t->how->insns)
		push_insn(t, out, s);
	else if (t->inlines != NULL)
		push_inlines(t, out, s);
	else
		sink_push(out, s->token, s->n);
}

/* A thread without a name is called by its number, as in profile.c. */
static struct str
comm_of(struct text *t, const struct perfline_head *h)
{
	if (h->comm.len > 0)
		return h->comm;
	t->comm.len = 0;
	buf_printf(&t->comm, ":%" PRId64, h->tid);
	return buf_slice(&t->comm);
}

static struct sample
to_sample(struct text *t, const struct perfline_head *h, uint64_t hz)
{
	const uint64_t lost = t->losses.told - t->said;

	t->said = t->losses.told;
	return (struct sample){ .time = h->time,
				.has_time = h->has_time,
				.pid = h->pid,
				.tid = h->tid,
				.cpu = h->cpu,
				.comm = comm_of(t, h),
				.event = h->event,
				.unit = h->unit,
				.lost = lost,
				.ns = hz > 0 ? 1000000000 / hz : 0 };
}

void
readtext(const struct readtext *how, struct input *in, struct sink *out)
{
	struct text t = { how, .maps = textmaps_new() };
	struct perftext *text = perftext_new(how->with_source);
	struct perftext_sample s;
	struct sample sample;
	struct buf line = { 0 };
	bool bare = false, callers = false;
	int i;

	t.jit = readjit_open(how->jit);
	if (how->code != NULL)
		t.inlines = inlines_new(how->code);
	perftext_on_record(text, take_record, &t);
	while (perftext_read(text, in, &s)) {
		sample = to_sample(&t, s.head,
				   perftext_hz(text, s.head->event));
		if (!sink_begin(out, &sample))
			continue;
		bare |= s.in_head;
		callers |= s.n > s.in_head;
		push_frames(&t, out, &s);
		sink_end(out, (struct count){
				  s.head->period > 0 ? s.head->period : 1, 0 });
	}
	if (bare && !callers)
		sink_note(out, CHAINEND_NO_CALLERS);
	if (losses_note(&t.losses, &line))
		sink_note(out, buf_slice(&line));
	buf_free(&line);
	perftext_free(text);
	textmaps_free(t.maps);
	readjit_close(t.jit, out);
	if (t.inlines != NULL)
		inlines_free(t.inlines, out);
	for (i = 0; i < SINK_FLAVOURS; i++)
		free(t.token[i]);
	buf_free(&t.insn);
	buf_free(&t.comm);
}
