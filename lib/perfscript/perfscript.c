/* perfscript.c - reads samples from perf script text. */
#include "perfscript/perfscript.h"

#include "base/arena.h"
#include "base/lines.h"
#include "base/mem.h"
#include "base/paragraph.h"
#include "perfscript/headcache.h"
#include "perfscript/perfheader.h"
#include "perfscript/stackcache.h"

#include <stdlib.h>

/* At most this many sections are looked up together. */
#define SECTIONS 256

/*
 * It pays to look for whole stacks if PAYS percent of them are found.  If fewer
 * are found in a trial of TRIAL samples, the next blocks look up lines only.
 */
#define PAYS 62
#define TRIAL 4096
#define PAUSE 10 /* times the blocks of the trial */

/*
 * A sample with the blank line that ends it, or the rest of a block that has no
 * blank line.
 */
struct section {
	struct str text, first; /* first: its first line */
	bool is_sample;         /* seems to be a sample: a head and frames */
	struct paragraph frames;
	struct stackcache_stack *stack; /* the cached one, or NULL */
	size_t line, lines;             /* in struct lines; 0: not found */
};

struct perfscript {
	bool with_source;
	struct framecache cache;
	struct headcache *heads;
	struct stackcache *stacks;

	struct str rest;      /* of the block, after the last section */
	struct section *part; /* of the block */
	size_t nparts, next;
	struct lines lines; /* of all sections; end, at: of the section */
	uint32_t *slot;     /* in the cache, of each line */
	size_t slot_cap;
	uint64_t generation; /* of the cached stacks */
	/* Stacks that this trial looked up, and found; the blocks it read. */
	size_t looked, found, blocks;
	size_t pause; /* blocks without looking for whole stacks */
	bool is_warm; /* the cache had a trial to fill */

	struct section *section;
	size_t at, end; /* its next line, and the one after its last */
	struct stackcache_stack *stack; /* the cached one of the sample */
	bool may_keep;                  /* the sample is the section */

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
	ps->stacks = stackcache_new();
	ps->part = mem_zero(SECTIONS, sizeof(*ps->part));
	return ps;
}

void
perfscript_free(struct perfscript *ps)
{
	framecache_free(&ps->cache);
	headcache_free(ps->heads);
	stackcache_free(ps->stacks);
	free(ps->part);
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

/* The start of line i, or the end of the section. */
static const char *
line_begin(const struct perfscript *ps, size_t i)
{
	return ps->section->text.p + ps->lines.begin[i];
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

/* Sections.  Each step of looking up begins to load what the next one needs. */

static bool
is_indented(const char *p)
{
	return *p == '\t' || *p == ' ';
}

/* Cut the next section off the block. */
static void
cut_section(struct perfscript *ps, struct section *s)
{
	struct str after = ps->rest;

	s->first = str_cut(&after, '\n');
	s->text = ps->rest;
	s->stack = NULL;
	s->lines = 0;
	s->is_sample = paragraph_find(&s->frames, after);
	if (s->is_sample)
		s->text.len = (size_t)(s->frames.text.p + s->frames.text.len +
				       1 - s->text.p);
	s->is_sample &= s->frames.text.len > 0 && s->first.len > 0 &&
			*s->first.p != '#' && !is_indented(s->first.p) &&
			!ps->with_source;
	ps->rest = str_skip(ps->rest, s->text.len);
}

/* Find the lines of a section, and their slots. */
static void
find_lines(struct perfscript *ps, struct section *s)
{
	size_t i;

	s->line = ps->lines.n;
	s->lines = lines_add(&ps->lines, s->text);
	ps->slot = mem_grow(ps->slot, &ps->slot_cap, ps->lines.n,
			    sizeof(*ps->slot));
	for (i = s->line; i < s->line + s->lines; i++)
		ps->slot[i] = framecache_slot(&ps->cache,
					      s->text.p + ps->lines.begin[i]);
}

/* The flavour of the sample: the line begins with the name of the process. */
static int
flavour_of(const struct section *s)
{
	return str_starts(s->first, STR("java"));
}

/* Look up the stacks of all sections, and the lines of those not found. */
static void
look_up(struct perfscript *ps)
{
	struct section *s, *end = ps->part + ps->nparts;
	size_t i;

	for (s = ps->part; s < end; s++) {
		if (s->is_sample)
			stackcache_prefetch(ps->stacks, &s->frames);
	}
	for (s = ps->part; s < end; s++) {
		if (s->is_sample)
			s->stack = stackcache_find(ps->stacks, &s->frames,
						   flavour_of(s));
		if (s->stack == NULL)
			find_lines(ps, s);
	}
	ps->generation = stackcache_generation(ps->stacks);
	for (s = ps->part; s < end; s++) {
		for (i = s->line; i < s->line + s->lines; i++)
			framecache_prefetch(&ps->cache, ps->slot[i]);
	}
}

/* After enough samples, judge whether looking for their stacks pays. */
static void
judge_trial(struct perfscript *ps)
{
	size_t i;

	for (i = 0; i < ps->nparts; i++) {
		ps->looked += ps->part[i].is_sample;
		ps->found += ps->part[i].stack != NULL;
	}
	if (ps->looked < TRIAL)
		return;
	if (ps->is_warm && 100 * ps->found < PAYS * ps->looked)
		ps->pause = PAUSE * ps->blocks;
	ps->is_warm = true;
	ps->looked = ps->found = ps->blocks = 0;
}

/* The rest of the block, as one section. */
static void
take_block(struct perfscript *ps)
{
	ps->part[0] = (struct section){ .text = ps->rest };
	ps->rest.len = 0;
	ps->nparts = 1;
	ps->pause--;
}

/* Cut the next part of the input into sections; false at its end. */
static bool
find_sections(struct perfscript *ps, struct input *in)
{
	if (ps->rest.len == 0) {
		if (!input_block(in, &ps->rest))
			return false;
		ps->blocks++;
	}
	ps->lines.n = ps->nparts = ps->next = 0;
	if (ps->pause > 0)
		take_block(ps);
	while (ps->rest.len > 0 && ps->nparts < SECTIONS) {
		cut_section(ps, &ps->part[ps->nparts]);
		if (ps->part[ps->nparts].is_sample)
			stackcache_touch(ps->stacks,
					 &ps->part[ps->nparts].frames);
		ps->nparts++;
	}
	look_up(ps);
	if (ps->pause == 0)
		judge_trial(ps);
	return true;
}

/* Go on to the next section. */
static bool
next_section(struct perfscript *ps, struct input *in)
{
	ps->at = ps->end = 0;
	if (ps->next == ps->nparts && !find_sections(ps, in))
		return false;
	ps->section = &ps->part[ps->next++];
	/* Stacks are forgotten where their places are needed for others. */
	if (ps->generation != stackcache_generation(ps->stacks))
		ps->section->stack = NULL;
	return true;
}

/* Begin with the lines of the section. */
static void
begin_lines(struct perfscript *ps)
{
	if (ps->section->lines == 0)
		find_lines(ps, ps->section);
	ps->at = ps->section->line;
	ps->end = ps->at + ps->section->lines;
}

/* Read the lines of the next section. */
static bool
next_lines(struct perfscript *ps, struct input *in)
{
	if (!next_section(ps, in))
		return false;
	begin_lines(ps);
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

	if (ps->at < ps->end || next_lines(ps, in)) {
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
 * Push frame lines as long as they are cached, up to the end of the section or
 * of the arrays.  The program spends most of its time here, so all state is in
 * locals.
 */
static void
push_cached(struct perfscript *ps)
{
	const char *section = ps->section->text.p, *p;
	const size_t *begin = ps->lines.begin;
	const uint32_t *slot = ps->slot;
	struct framecache_frame *f, **frame = ps->frame;
	size_t at = ps->at, n = ps->n;
	size_t lines = ps->end < at + ps->token_cap - n ?
			   ps->end :
			   at + ps->token_cap - n;
	uint32_t token, *tokens = ps->token, largest = ps->largest;
	int flavour = ps->flavour;

	for (; at < lines; at++) {
		p = section + begin[at];
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

/* Read frame lines, up to another line or the end of the section. */
static void
read_frames(struct perfscript *ps, struct input *in)
{
	size_t before = ps->at;
	bool is_frame;

	for (;;) {
		/* Outside of a sample, each frame is reported. */
		if (!ps->with_source && ps->has_head)
			push_cached(ps);
		in->line += ps->at - before;
		if (ps->at == ps->end ||
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

/* Samples as a whole. */

/*
 * Begin the sample that is the section, if it is one.  If its stack is cached,
 * the sample is complete.
 */
static bool
begin_whole(struct perfscript *ps, struct input *in)
{
	const struct section *s = ps->section;
	const struct perfline_head *h;

	if (!s->is_sample || ps->has_head)
		return false;
	h = headcache_read(ps->heads, str_without_cr(s->first));
	if (h == NULL || !perfline_is_plain(h) || is_record(h))
		return false;
	ps->head = h;
	ps->flavour = flavour_of(s);
	ps->stack = s->stack;
	if (s->stack == NULL)
		return true;
	in->line += s->stack->n + 2;
	ps->blank_ends = true;
	return true;
}

/* Keep the stack of a sample that is the section and has nothing but frames. */
static void
keep_whole(struct perfscript *ps)
{
	if (ps->may_keep && ps->n + 2 == ps->section->lines &&
	    ps->at == ps->end && !ps->in_head)
		stackcache_add(ps->stacks, &ps->section->frames, ps->flavour,
			       ps->frame, ps->n);
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

/* The same for a cached stack. */
static bool
fill_cached(struct perfscript *ps, struct perfscript_sample *sample)
{
	struct stackcache_stack *stack = ps->stack;

	/* One by one: gcc would write zeros first, which takes long. */
	sample->head = ps->head;
	sample->flavour = ps->flavour;
	sample->n = stack->n;
	sample->frame = stack->frame;
	sample->token = NULL;
	sample->complete = sample->in_head = sample->cut = false;
	sample->source = NULL;
	sample->cache = &ps->cache;
	sample->memo = &stack->memo;
	return true;
}

void
perfscript_tokens(struct perfscript *ps, struct perfscript_sample *sample)
{
	size_t i;

	if (sample->token != NULL)
		return;
	ps->n = 0;
	for (i = 0; i < sample->n; i++)
		push(ps, sample->frame[i]);
	sample->token = ps->token;
	sample->complete = ps->largest != FRAMECACHE_NO_TOKEN;
}

static void
begin_sample(struct perfscript *ps)
{
	if (framecache_limit(&ps->cache)) {
		ps->outermost = NULL;
		stackcache_clear(ps->stacks);
	}
	ps->in_head = ps->odd = ps->after_blank = ps->cut = false;
	ps->n = 0;
	ps->largest = 0;
	ps->stack = NULL;
	ps->may_keep = false;
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

/* Go on to the next lines; false at the end of the input. */
static bool
read_on(struct perfscript *ps, struct input *in)
{
	if (ps->at < ps->end)
		return true;
	if (!next_section(ps, in))
		return false;
	ps->may_keep = begin_whole(ps, in);
	if (ps->stack != NULL)
		return true;
	begin_lines(ps);
	if (ps->may_keep) {
		ps->has_head = true;
		ps->at++;
		in->line++;
	}
	return true;
}

bool
perfscript_read(struct perfscript *ps, struct input *in,
		struct perfscript_sample *sample)
{
	bool had_head;

	begin_sample(ps);
	while (read_on(ps, in)) {
		if (ps->stack != NULL)
			return fill_cached(ps, sample);
		read_frames(ps, in);
		if (ps->at < ps->end && ends_sample(ps, in)) {
			if (!ps->head->huge) {
				keep_whole(ps);
				return fill_sample(ps, sample);
			}
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
