/* perfscript_reader.c - reads perf script text into a sink. */
#include "perf/perfscript_reader.h"

#include "base/mem.h"
#include "jit/jit_discover.h"
#include "jit/jitfiles.h"
#include "perf/broken_chain.h"
#include "perf/jit_inlined.h"
#include "perf/jit_report.h"
#include "perf/perfscript_expand.h"
#include "perf/perfscript_parallel.h"
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
	struct sample sample;
	struct losses losses;
	uint64_t reported;         /* of the losses, with samples so far */
	uint32_t announced;        /* events, in their order */
	bool leaves_only, callers; /* samples that have these */
	bool has_records;          /* that are no samples */
	struct perfscript_expand
	    *expand; /* NULL: do not expand inlined functions */
};

/* Give a frame its token: the one of its symbol if it needs no other. */
static uint32_t
frame_token(const struct script *t, struct sink *out,
	    const struct perfscript_sample *s, size_t i)
{
	struct frame frame = perfscript_frame(s, i);
	struct framecache_frame *f = s->frame[i];
	uint32_t *shared = &f->token[s->flavour];
	uint64_t addr;

	if (frame.line.len > 0)
		return perfscript_frame_token(t->how, out, &frame, s->flavour);
	if (!sink_shows_addrs(out))
		shared =
		    &framecache_symbol(s->cache, f, &addr)->token[s->flavour];
	if (*shared == FRAMECACHE_NO_TOKEN)
		*shared = perfscript_frame_token(t->how, out, &frame,
						 s->flavour);
	return f->token[s->flavour] = *shared;
}

static void
add_record(void *arg, struct str text)
{
	struct script *t = arg;
	struct perfline_map map;
	uint64_t lost;

	t->has_records = true;
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

/* The token of the frames of a symbol. */
static uint32_t
make_jit_token(struct script *t, struct sink *out,
	       const struct jit_symbol *symbol, int flavour)
{
	struct frame frame = { .name = symbol->name,
			       .module = symbol->module,
			       .line = symbol->line,
			       .kind = FRAME_JIT };
	struct inlined_frame *inlined = jit_inlined_frames(symbol, &frame);
	const uint32_t token = perfscript_frame_token(t->how, out, &frame,
						      flavour);

	free(inlined);
	return token;
}

static uint32_t
jit_token(struct script *t, struct sink *out, const struct jit_symbol *symbol,
	  int flavour)
{
	uint32_t **token = &t->jit_token[flavour];
	size_t old = t->jit_token_cap[flavour];

	if (symbol->number >= old) {
		*token = mem_grow(*token, &t->jit_token_cap[flavour],
				  (size_t)symbol->number + 1, sizeof(**token));
		for (; old < t->jit_token_cap[flavour]; old++)
			(*token)[old] = FRAMECACHE_NO_TOKEN;
	}
	if ((*token)[symbol->number] == FRAMECACHE_NO_TOKEN)
		(*token)[symbol->number] = make_jit_token(t, out, symbol,
							  flavour);
	return (*token)[symbol->number];
}

static bool
find_jit_symbol(struct script *t, const struct perfscript_sample *s, size_t i,
		int64_t pid, struct jit_symbol *symbol, uint64_t *address)
{
	const struct perfline_head *h = s->head;
	struct jit_place place = { .pid = pid,
				   .time = h->has_time ? h->time : JIT_LAST };
	size_t nth = 0;

	place.is_call = !t->how->exact && perfscript_frame_is_return(s, i);
	while (frame_address(t, s, i, pid, &nth, address)) {
		*address -= place.is_call && *address > 0;
		place.address = *address;
		if (jit_find(t->jit, &place, symbol))
			return true;
	}
	return false;
}

/* Set the tokens of the frames that the files of a JIT name. */
static void
name_jit(struct script *t, struct sink *out, const struct perfscript_sample *s)
{
	struct jit_symbol symbol;
	uint64_t address;
	int64_t pid;
	size_t i;

	/* As mostly: finding the process would take a tenth of the time. */
	if (jit_is_empty(t->jit))
		return;
	pid = sample_pid(t, s);
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

	while (i < s->n && i + 1 < s->n &&
	       !perfscript_frame_is_return(s, i + 1))
		i++;
	sink_push(out, s->token, i);
	t->insn.len = 0;
	if (i < s->n && find_insn(t, s, i, &t->insn)) {
		frame.name = buf_slice(&t->insn);
		token = perfscript_frame_token(t->how, out, &frame, s->flavour);
		sink_push(out, &token, 1);
	}
	sink_push(out, s->token + i, s->n - i);
}

static void
push_frames(struct script *t, struct perfscript *text, struct sink *out,
	    struct perfscript_sample *s)
{
	size_t i;

	perfscript_tokens(text, s);
	name_jit(t, out, s);
	for (i = 0; !s->complete && i < s->n; i++) {
		if (s->token[i] == FRAMECACHE_NO_TOKEN)
			s->token[i] = frame_token(t, out, s, i);
	}
	if (t->how->insns)
		push_insn(t, out, s);
	else if (t->expand != NULL)
		perfscript_expand_push(t->expand, t->how, out, s);
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

/* Set the fields of t->sample; the others stay zero. */
static void
set_sample(struct script *t, const struct perfline_head *h, uint64_t hz)
{
	struct sample *s = &t->sample;

	s->time = h->time;
	s->has_time = h->has_time;
	s->pid = h->pid;
	s->tid = h->tid;
	s->cpu = h->cpu;
	s->comm = sample_comm(t, h);
	s->event = h->event;
	s->unit = h->unit;
	s->lost = t->losses.by_kernel - t->reported;
	s->ns = hz > 0 ? 1000000000 / hz : 0;
	t->reported = t->losses.by_kernel;
}

/* The input may end inside of this sample. */
static void
note_cut(const struct input *in, struct sink *out)
{
	struct buf line = { 0 };

	sink_truncated(out);
	sink_partial(out);
	buf_printf(
	    &line,
	    "%s: no blank line after the last stack: marked it [truncated]",
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

/* Whether the names of a stack follow from its lines alone. */
static bool
depends_on_lines(const struct script *t)
{
	return !t->how->insns && t->expand == NULL && jit_is_empty(t->jit);
}

static void
push_sample(struct script *t, struct perfscript *text, struct input *in,
	    struct sink *out, struct perfscript_sample *s)
{
	const struct count count = { s->head->period > 0 ? s->head->period : 1,
				     0 };
	struct sink_memo *memo = depends_on_lines(t) ? s->memo : NULL;

	t->leaves_only |= s->in_head;
	t->callers |= s->n > s->in_head;
	if (memo != NULL && sink_end_again(out, count, memo))
		return;
	push_frames(t, text, out, s);
	if (s->cut)
		note_cut(in, out);
	if (memo != NULL)
		sink_end_memo(out, count, memo);
	else
		sink_end(out, count);
}

static void
push_samples(void *arg, struct perfscript *text, struct input *in,
	     struct sink *out)
{
	struct script *t = arg;
	struct perfscript_sample s;

	while (perfscript_read(text, in, &s)) {
		announce_events(t, text, out);
		set_sample(t, s.head, perfscript_hz(text, s.head->event));
		if (sink_begin(out, &t->sample))
			push_sample(t, text, in, out, &s);
	}
}

/* False, with a message in *why, if a file that names JIT code is none. */
static bool
script_begin(struct script *t, const struct perfscript_reader *how,
	     struct buf *why)
{
	*t = (struct script){ .how = how,
			      .jit = jitopt_open(how->jit, -1, why) };
	if (t->jit == NULL)
		return false;
	if (how->code != NULL &&
	    (t->expand = perfscript_expand_new(how->code, why)) == NULL) {
		jit_free(t->jit);
		return false;
	}
	t->maps = perfscript_maps_new();
	return true;
}

static void
script_free(struct script *t)
{
	int i;

	perfscript_maps_free(t->maps);
	jit_free(t->jit);
	for (i = 0; i < SINK_FLAVOURS; i++)
		free(t->jit_token[i]);
	buf_free(&t->insn);
	buf_free(&t->comm);
}

/* Say what all samples showed. */
static void
report(struct script *t, struct sink *out)
{
	struct buf line = { 0 };

	if (t->leaves_only && !t->callers)
		sink_note(out, BROKEN_CHAIN_NO_CALLERS);
	if (losses_note(&t->losses, &line))
		sink_note(out, buf_slice(&line));
	buf_free(&line);
	jit_report(t->jit, out);
	if (t->expand != NULL)
		perfscript_expand_free(t->expand, out);
}

/*
 * Push the samples of a part of the input, for a thread of its own.  Lines
 * about mappings and losses, and leaves without callers, are about all parts.
 */
static bool
push_part(void *arg, struct perfscript *text, struct input *in,
	  struct sink *out)
{
	const struct script *first = arg;
	struct buf why = { 0 };
	struct script t;

	if (!script_begin(&t, first->how, &why)) {
		buf_free(&why);
		return false;
	}
	perfscript_on_record(text, add_record, &t);
	push_samples(&t, text, in, out);
	script_free(&t);
	return !t.has_records && !t.leaves_only;
}

/* Threads for what a reader does; files of JIT code are read by one. */
static unsigned
threads(const struct perfscript_reader *how)
{
	return how->code == NULL && !how->with_source && !how->insns &&
		       how->change == NULL && how->jit->n == 0 ?
		   how->threads :
		   1;
}

bool
perfscript_reader_read(const struct perfscript_reader *how, struct input *in,
		       struct sink *out, struct buf *why)
{
	struct script t;
	const struct perfscript_parallel parallel = { .threads = threads(how),
						      .push = push_samples,
						      .push_part = push_part,
						      .arg = &t };
	struct perfscript *text;

	if (!script_begin(&t, how, why))
		return false;
	text = perfscript_new(how->with_source);
	perfscript_on_record(text, add_record, &t);
	perfscript_parallel_read(&parallel, text, in, out);
	push_samples(&t, text, in, out);
	perfscript_free(text);
	report(&t, out);
	script_free(&t);
	return true;
}
