/* perfscript.c - reads samples from perf script text. */
#include "perfscript/perfscript.h"

#include "base/arena.h"
#include "base/lines.h"
#include "base/mem.h"
#include "perfscript/headcache.h"
#include "perfscript/perfheader.h"

#include <stdlib.h>

struct perfscript {
	bool with_source;
	struct framecache cache;
	struct headcache *heads;

	struct str block;
	struct lines lines; /* of the block */
	size_t at;          /* the next line */
	uint32_t *slot;     /* in the cache, of each line */
	size_t slot_cap;

	bool has_head; /* a sample has begun */
	bool in_head;  /* its first frame stands in the head line */
	const struct perfline_head *head;
	int flavour;
	struct framecache_frame **frame;
	uint32_t *token;
	struct str *source;
	size_t n, frame_cap, token_cap, source_cap;
	uint32_t largest;     /* token; FRAMECACHE_NO_TOKEN if one is missing */
	struct arena sources; /* text of source */

	/* What shows whether the input was cut off. */
	struct framecache_frame *outermost; /* of the last whole sample */
	bool has_modules;                   /* frames end in "(module)" */
	bool odd;         /* the sample has a line that is not understood */
	bool after_blank; /* a blank line follows the head */
	bool cut;         /* inside a line of the sample */
	bool blank_ends;  /* a blank line ended a sample */
	bool head_ends;   /* the next head ended a sample */

	void (*on_record)(void *arg, struct str text);
	void *record_arg;

	struct perfheader header;
};

struct perfscript *
perfscript_new(bool with_source)
{
	struct perfscript *ps = mem_zero(1, sizeof(*ps));

	ps->with_source = with_source;
	framecache_init(&ps->cache);
	ps->heads = headcache_new();
	return ps;
}

void
perfscript_free(struct perfscript *ps)
{
	framecache_free(&ps->cache);
	headcache_free(ps->heads);
	lines_free(&ps->lines);
	free(ps->slot);
	free(ps->frame);
	free(ps->token);
	free(ps->source);
	arena_free(&ps->sources);
	perfheader_free(&ps->header);
	free(ps);
}

struct perfscript *
perfscript_fork(const struct perfscript *ps)
{
	struct perfscript *fork = perfscript_new(ps->with_source);

	fork->has_modules = ps->has_modules;
	return fork;
}

void
perfscript_join(struct perfscript *ps, const struct perfscript *fork)
{
	ps->has_modules |= fork->has_modules;
	ps->blank_ends |= fork->blank_ends;
	ps->head_ends |= fork->head_ends;
	framecache_join_outermost(&ps->cache, &fork->cache);
}

/* Lines. */

/* The start of line i, or the end of the block. */
static const char *
line_begin(const struct perfscript *ps, size_t i)
{
	return ps->block.p + ps->lines.begin[i];
}

/* The line without LF and CR. */
static struct str
line_text(const struct perfscript *ps, size_t i)
{
	struct str line = str_range(line_begin(ps, i),
				    line_begin(ps, i + 1) - 1);

	line = str_without_cr(line);
	return line;
}

/* Read a block of lines, and start to look up all of them in the cache. */
static bool
next_block(struct perfscript *ps, struct input *in)
{
	size_t i;

	ps->at = ps->lines.n = 0;
	if (!input_block(in, &ps->block))
		return false;
	lines_find(&ps->lines, ps->block);
	ps->slot = mem_grow(ps->slot, &ps->slot_cap, ps->lines.n,
			    sizeof(*ps->slot));
	for (i = 0; i < ps->lines.n; i++)
		ps->slot[i] = framecache_slot(&ps->cache, line_begin(ps, i));
	for (i = 0; i < ps->lines.n; i++)
		framecache_prefetch(&ps->cache, ps->slot[i]);
	return true;
}

/* The number of bytes of a line that a message shows. */
static int
shown_len(struct str line)
{
	return line.len < 80 ? (int)line.len : 80;
}

/*
 * Complain if the line, the last one of the input, is only a part of a line
 * and cannot be used.
 */
static bool
is_fragment(struct perfscript *ps, struct input *in, struct str line)
{
	if (!in->unended || !ps->has_modules)
		return false;
	input_bad(in, "the input ends inside a line: %.*s", shown_len(line),
		  line.p);
	ps->cut = true;
	return true;
}

/* Frames. */

static void
make_room(struct perfscript *ps)
{
	ps->frame = mem_grow(ps->frame, &ps->frame_cap, ps->n + 1,
			     sizeof(struct framecache_frame *));
	ps->token = mem_grow(ps->token, &ps->token_cap, ps->n + 1,
			     sizeof(*ps->token));
	ps->source = mem_grow(ps->source, &ps->source_cap, ps->n + 1,
			      sizeof(*ps->source));
}

static void
push(struct perfscript *ps, struct framecache_frame *f)
{
	uint32_t token = f->token[ps->flavour];

	if (ps->n == ps->token_cap)
		make_room(ps);
	ps->frame[ps->n] = f;
	ps->token[ps->n++] = token;
	ps->largest = token > ps->largest ? token : ps->largest;
}

/* Parse a line that is not cached and push its frame; false if it has none. */
static bool
parse_frame(struct perfscript *ps, struct input *in)
{
	struct str line = line_text(ps, ps->at), source;
	struct perfframe frame;

	if (!perfframe_read(line, ps->with_source, &frame) ||
	    perfframe_is_data(line, &frame)) {
		/* Source lines are skipped if nobody wants them. */
		if ((!perfframe_source(line, &source) || !ps->has_head) &&
		    !is_fragment(ps, in, line)) {
			input_bad(in, "not a frame: %.*s", shown_len(line),
				  line.p);
			ps->odd = true;
		}
		return false;
	}
	if (!ps->has_head)
		input_bad(in, "a frame outside of a sample");
	if (frame.module.len > 0)
		ps->has_modules = true;
	else if (is_fragment(ps, in, line))
		return false;
	push(ps, framecache_add(&ps->cache,
				str_range(line_begin(ps, ps->at),
					  line_begin(ps, ps->at + 1)),
				&frame));
	return true;
}

/* Read the source line after a frame, if there is one. */
static void
read_source(struct perfscript *ps, struct input *in)
{
	struct perfframe frame;
	struct str line, source = STR("");

	if (ps->at < ps->lines.n || next_block(ps, in)) {
		line = line_text(ps, ps->at);
		if (!perfframe_read(line, true, &frame) &&
		    perfframe_source(line, &source)) {
			in->line++;
			ps->at++;
		}
	}
	if (str_eq(source, STR("??:0")))
		source.len = 0;
	ps->source[ps->n - 1] = arena_str(&ps->sources, source);
}

static bool
is_indented(const char *p)
{
	return *p == '\t' || *p == ' ';
}

/* A head whose comm is right-aligned; frames are indented by a tab. */
static bool
is_indented_head(const struct perfscript *ps)
{
	struct perfline_head head;

	return *line_begin(ps, ps->at) == ' ' &&
	       perfline_head(line_text(ps, ps->at), &head) && head.has_time;
}

/*
 * A frame that begins in column 0, in text that was edited.  The head of the
 * next sample may look like a frame: "dd 12 cycles: 7f main (/bin/dd)".
 */
static bool
is_unindented_frame(const struct perfscript *ps)
{
	struct perfline_head head;
	struct perfframe frame;
	struct str line;

	if (!ps->has_head || *line_begin(ps, ps->at) == '\n')
		return false;
	line = line_text(ps, ps->at);
	return perfframe_read(line, true, &frame) &&
	       (!perfline_head(line, &head) ||
		(ps->head->has_time && !head.has_time));
}

/* Push the frame of a line that was not looked up, if it is cached. */
static bool
push_unindented(struct perfscript *ps)
{
	const char *p = line_begin(ps, ps->at);
	struct framecache_frame *f;

	if (is_indented(p) || ps->with_source)
		return false;
	f = framecache_find(&ps->cache, ps->slot[ps->at], p,
			    (size_t)(line_begin(ps, ps->at + 1) - p));
	if (f != NULL)
		push(ps, f);
	return f != NULL;
}

/*
 * Push frame lines as long as they are cached, up to the end of the block or of
 * the arrays.  The program spends most of its time here, so all state is in
 * locals.
 */
static void
push_cached(struct perfscript *ps)
{
	const char *block = ps->block.p, *p;
	const size_t *begin = ps->lines.begin;
	const uint32_t *slot = ps->slot;
	struct framecache_frame *f, **frame = ps->frame;
	size_t at = ps->at, n = ps->n;
	size_t lines = ps->lines.n < at + ps->token_cap - n ?
			   ps->lines.n :
			   at + ps->token_cap - n;
	uint32_t token, *tokens = ps->token, largest = ps->largest;
	int flavour = ps->flavour;

	for (; at < lines; at++) {
		p = block + begin[at];
		if (!is_indented(p))
			break;
		f = framecache_find(&ps->cache, slot[at], p,
				    begin[at + 1] - begin[at]);
		if (f == NULL)
			break;
		token = f->token[flavour];
		frame[n] = f;
		tokens[n++] = token;
		largest = token > largest ? token : largest;
	}
	ps->at = at;
	ps->n = n;
	ps->largest = largest;
}

/* Read frame lines, up to another line or the end of the block. */
static void
read_frames(struct perfscript *ps, struct input *in)
{
	size_t before = ps->at;
	bool is_frame;

	for (;;) {
		if (!ps->with_source)
			push_cached(ps);
		in->line += ps->at - before;
		if (ps->at == ps->lines.n ||
		    (!is_indented(line_begin(ps, ps->at)) &&
		     !is_unindented_frame(ps)) ||
		    is_indented_head(ps))
			return;
		in->line++;
		is_frame = push_unindented(ps) || parse_frame(ps, in);
		before = ++ps->at;
		if (ps->with_source && is_frame) {
			read_source(ps, in);
			before = ps->at;
		}
	}
}

/* Heads. */

/* Push the frame of a head like "... event: addr name (module)". */
static void
push_head_frame(struct perfscript *ps)
{
	struct perfframe frame;

	if (ps->head->rest.len == 0 || !perfframe_only(ps->head->rest, &frame))
		return;
	ps->in_head = ps->has_modules = true;
	push(ps, framecache_add(&ps->cache, STR(""), &frame));
	ps->source[ps->n - 1] = STR("");
}

/* "PERF_RECORD_MMAP2 ...", of --show-mmap-events and similar options */
static bool
is_record(const struct perfline_head *h)
{
	return str_starts(h->rest, STR("PERF_RECORD_")) ||
	       str_starts(h->event, STR("PERF_RECORD_"));
}

/* A comment of perf; but "#!x" and "# x" may be names of processes. */
static bool
is_comment(struct str line)
{
	struct perfline_head head;

	return str_eq(line, STR("#")) ||
	       (str_starts(line, STR("# ")) &&
		!(perfline_head(line, &head) && head.has_time));
}

static void
bad_line(struct input *in, struct str line)
{
	input_bad(in, "not perf script text: %.*s", shown_len(line), line.p);
}

/* Whether a head seems to be whole: it ends in "event:" or in a frame. */
static bool
has_end(const struct perfscript *ps)
{
	return ps->in_head ||
	       (ps->head->event.len > 0 && ps->head->rest.len == 0);
}

/* Begin the sample of a head. */
static void
add_head(struct perfscript *ps, struct input *in, struct str line)
{
	if (ps->head->huge)
		input_bad(in, "a period beyond 64 bits: %.*s",
			  shown_len(ps->head->period_text),
			  ps->head->period_text.p);
	ps->flavour = str_starts(ps->head->comm, STR("java"));
	push_head_frame(ps);
	ps->has_head = !in->unended || has_end(ps) ||
		       !is_fragment(ps, in, line);
}

/* Read a comment, a record, or the head of a sample. */
static void
read_head(struct perfscript *ps, struct input *in, struct str line)
{
	in->line++;
	if (is_comment(line)) {
		perfheader_read(&ps->header, line);
		return;
	}
	ps->head = headcache_read(ps->heads, line);
	if (ps->head == NULL) {
		if (!is_fragment(ps, in, line))
			bad_line(in, line);
	} else if (is_record(ps->head)) {
		if (ps->on_record != NULL)
			ps->on_record(ps->record_arg, ps->head->rest);
	} else {
		add_head(ps, in, line);
	}
}

static bool
is_head(struct str line)
{
	struct perfline_head head;

	return !is_comment(line) && perfline_head(line, &head);
}

/*
 * Whether a blank line after a head may belong to its text, so that frames may
 * follow: text written to the kernel's trace_marker ends in LF.
 */
static bool
has_open_text(const struct perfscript *ps)
{
	return ps->has_head && ps->n == 0 && ps->head->rest.len > 0;
}

/* A blank line ended the sample: remember its outermost frame. */
static void
note_whole(struct perfscript *ps)
{
	struct framecache_frame *f = ps->n > 0 ? ps->frame[ps->n - 1] : NULL;
	uint64_t addr;

	ps->blank_ends = true;
	if (f == ps->outermost) /* as most often */
		return;
	ps->outermost = f;
	if (f != NULL)
		framecache_symbol(&ps->cache, f, &addr)->outermost = true;
}

/* Whether the last sample of the input, whose end is not marked, may be cut. */
static bool
is_cut(const struct perfscript *ps)
{
	uint64_t addr;

	if (ps->cut)
		return true;
	if (!ps->blank_ends || ps->head_ends || ps->after_blank || ps->odd)
		return false;
	return ps->n == 0 ||
	       !framecache_symbol(&ps->cache, ps->frame[ps->n - 1], &addr)
		    ->outermost;
}

/*
 * Whether the sample is complete at this line.  A blank line ends it and is
 * consumed; the head of the next sample ends it and is not.  Messages of perf
 * may stand between frames.
 */
static bool
ends_sample(struct perfscript *ps, struct input *in)
{
	bool had_head = ps->has_head;
	struct str line = line_text(ps, ps->at);

	if (line.len == 0) {
		ps->at++;
		in->line++;
		ps->has_head = ps->after_blank = has_open_text(ps);
		if (!had_head || ps->has_head)
			return false;
		note_whole(ps);
		return true;
	}
	if (had_head && is_head(line)) {
		ps->has_head = false;
		ps->head_ends = true;
		return true;
	}
	ps->at++;
	if (had_head && !is_comment(line)) {
		in->line++;
		bad_line(in, line);
		ps->odd = true;
	} else {
		read_head(ps, in, line);
	}
	return false;
}

static bool
fill_sample(struct perfscript *ps, struct perfscript_sample *sample)
{
	*sample = (struct perfscript_sample){
		.head = ps->head,
		.flavour = ps->flavour,
		.n = ps->n,
		.frame = ps->frame,
		.token = ps->token,
		.complete = ps->largest != FRAMECACHE_NO_TOKEN,
		.source = ps->with_source ? ps->source : NULL,
		.cache = &ps->cache,
		.in_head = ps->in_head && ps->n < 2,
		.cut = ps->cut
	};
	/* If there is a call chain, the address in the head is of data. */
	if (ps->in_head && ps->n > 1) {
		sample->n--;
		sample->frame++;
		sample->token++;
		if (sample->source != NULL)
			sample->source++;
	}
	return true;
}

static void
begin_sample(struct perfscript *ps)
{
	if (framecache_limit(&ps->cache))
		ps->outermost = NULL;
	ps->in_head = ps->odd = ps->after_blank = ps->cut = false;
	ps->n = 0;
	ps->largest = 0;
	if (ps->with_source)
		arena_free(&ps->sources);
}

void
perfscript_on_record(struct perfscript *ps,
		     void (*on_record)(void *arg, struct str text), void *arg)
{
	ps->on_record = on_record;
	ps->record_arg = arg;
}

uint64_t
perfscript_hz(struct perfscript *ps, struct str event)
{
	return perfheader_hz(&ps->header, event);
}

bool
perfscript_read(struct perfscript *ps, struct input *in,
		struct perfscript_sample *sample)
{
	bool had_head;

	begin_sample(ps);
	while (ps->at < ps->lines.n || next_block(ps, in)) {
		read_frames(ps, in);
		if (ps->at < ps->lines.n && ends_sample(ps, in)) {
			if (!ps->head->huge)
				return fill_sample(ps, sample);
			begin_sample(ps);
		}
		if (!ps->has_head)
			ps->n = 0;
	}
	had_head = ps->has_head && !ps->head->huge;
	ps->cut = had_head && is_cut(ps);
	ps->has_head = false;
	return had_head && fill_sample(ps, sample);
}

uint32_t
perfscript_events(const struct perfscript *ps)
{
	return perfheader_events(&ps->header);
}

struct str
perfscript_event(const struct perfscript *ps, uint32_t i)
{
	return perfheader_event(&ps->header, i);
}
