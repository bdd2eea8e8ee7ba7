/* perftext.c - samples out of perf script text. */
#include "perftext.h"

#include "arena.h"
#include "headcache.h"
#include "lines.h"
#include "mem.h"
#include "perfrates.h"

#include <stdlib.h>

struct perftext {
	bool with_source;
	struct framecache cache;
	struct headcache *heads;

	struct str block;
	struct lines lines; /* of the block */
	size_t at;          /* the next of them */
	uint32_t *slot;     /* of each line in the cache */
	size_t slot_cap;

	bool has_head; /* a sample has begun */
	bool in_head;  /* its first frame stands in that line */
	const struct perfline_head *head;
	int flavour;
	struct cached_frame **frame;
	uint32_t *token;
	struct str *source;
	size_t n, frame_cap, token_cap, source_cap;
	uint32_t largest;     /* token: shows whether one is missing */
	struct arena sources; /* of the sample */

	void (*on_record)(void *arg, struct str text);
	void *record_arg;

	struct perfrates rates;
};

struct perftext *
perftext_new(bool with_source)
{
	struct perftext *t = mem_zero(1, sizeof(*t));

	t->with_source = with_source;
	framecache_init(&t->cache);
	t->heads = headcache_new();
	return t;
}

void
perftext_free(struct perftext *t)
{
	framecache_free(&t->cache);
	headcache_free(t->heads);
	lines_free(&t->lines);
	free(t->slot);
	free(t->frame);
	free(t->token);
	free(t->source);
	arena_free(&t->sources);
	perfrates_free(&t->rates);
	free(t);
}

/* Lines. */

/* Where line i begins, which may be the end of the block. */
static const char *
line_begin(const struct perftext *t, size_t i)
{
	return t->block.p + t->lines.begin[i];
}

/* The line without LF and CR. */
static struct str
line_text(const struct perftext *t, size_t i)
{
	struct str line = str_range(line_begin(t, i), line_begin(t, i + 1) - 1);

	line = str_without_cr(line);
	return line;
}

/* Get a block of lines, and begin to look all of them up. */
static bool
next_block(struct perftext *t, struct input *in)
{
	size_t i;

	t->at = t->lines.n = 0;
	if (!input_block(in, &t->block))
		return false;
	lines_find(&t->lines, t->block);
	t->slot = mem_grow(t->slot, &t->slot_cap, t->lines.n, sizeof(*t->slot));
	for (i = 0; i < t->lines.n; i++)
		t->slot[i] = framecache_slot(&t->cache, line_begin(t, i));
	for (i = 0; i < t->lines.n; i++)
		framecache_prefetch(&t->cache, t->slot[i]);
	return true;
}

/* How much of a line a message shows. */
static int
shown(struct str line)
{
	return line.len < 80 ? (int)line.len : 80;
}

/* Frames. */

static void
make_room(struct perftext *t)
{
	t->frame = mem_grow(t->frame, &t->frame_cap, t->n + 1,
			    sizeof(struct cached_frame *));
	t->token = mem_grow(t->token, &t->token_cap, t->n + 1,
			    sizeof(*t->token));
	t->source = mem_grow(t->source, &t->source_cap, t->n + 1,
			     sizeof(*t->source));
}

static void
push(struct perftext *t, struct cached_frame *f)
{
	uint32_t token = f->token[t->flavour];

	if (t->n == t->token_cap)
		make_room(t);
	t->frame[t->n] = f;
	t->token[t->n++] = token;
	t->largest = token > t->largest ? token : t->largest;
}

/* A frame line that was not seen before; false if it is none. */
static bool
new_line(struct perftext *t, struct input *in)
{
	struct str line = line_text(t, t->at), source;
	struct perfframe frame;

	if (!perfframe_read(line, t->with_source, &frame) ||
	    perfframe_is_data(line, &frame)) {
		/* Source lines that were not asked for are no trouble. */
		if (!perfframe_source(line, &source) || !t->has_head)
			input_bad(in, "no frame: %.*s", shown(line), line.p);
		return false;
	}
	if (!t->has_head)
		input_bad(in, "a frame outside of a sample");
	push(t, framecache_add(
		    &t->cache,
		    str_range(line_begin(t, t->at), line_begin(t, t->at + 1)),
		    &frame));
	return true;
}

/* The source line behind a frame, if there is one. */
static void
take_source(struct perftext *t, struct input *in)
{
	struct perfframe frame;
	struct str line, source = STR("");

	if (t->at < t->lines.n || next_block(t, in)) {
		line = line_text(t, t->at);
		if (!perfframe_read(line, true, &frame) &&
		    perfframe_source(line, &source)) {
			in->line++;
			t->at++;
		}
	}
	if (str_eq(source, STR("??:0")))
		source.len = 0;
	t->source[t->n - 1] = arena_str(&t->sources, source);
}

static bool
is_indented(const char *p)
{
	return *p == '\t' || *p == ' ';
}

/* A head whose comm is right-aligned; frames are indented by a tab. */
static bool
is_indented_head(const struct perftext *t)
{
	struct perfline_head head;

	return *line_begin(t, t->at) == ' ' &&
	       perfline_head(line_text(t, t->at), &head) && head.has_time;
}

/*
 * Take the frame lines that are known, up to another line, the end of the
 * block, or the end of the room.  This is where the time goes, so everything
 * is in locals.
 */
static void
take_known(struct perftext *t)
{
	const char *block = t->block.p, *p;
	const size_t *begin = t->lines.begin;
	const uint32_t *slot = t->slot;
	struct cached_frame *f, **frame = t->frame;
	size_t at = t->at, n = t->n;
	size_t lines = t->lines.n < at + t->token_cap - n ?
			   t->lines.n :
			   at + t->token_cap - n;
	uint32_t token, *tokens = t->token, largest = t->largest;
	int flavour = t->flavour;

	for (; at < lines; at++) {
		p = block + begin[at];
		if (!is_indented(p))
			break;
		f = framecache_find(&t->cache, slot[at], p,
				    begin[at + 1] - begin[at]);
		if (f == NULL)
			break;
		token = f->token[flavour];
		frame[n] = f;
		tokens[n++] = token;
		largest = token > largest ? token : largest;
	}
	t->at = at;
	t->n = n;
	t->largest = largest;
}

/* Take frame lines, up to another line or the end of the block. */
static void
take_frames(struct perftext *t, struct input *in)
{
	size_t before = t->at;
	bool is_frame;

	for (;;) {
		if (!t->with_source)
			take_known(t);
		in->line += t->at - before;
		if (t->at == t->lines.n || !is_indented(line_begin(t, t->at)) ||
		    is_indented_head(t))
			return;
		in->line++;
		is_frame = new_line(t, in);
		before = ++t->at;
		if (t->with_source && is_frame) {
			take_source(t, in);
			before = t->at;
		}
	}
}

/* Heads. */

/* A sample of one line, "... event: addr name (module)". */
static void
take_rest(struct perftext *t)
{
	struct perfframe frame;

	if (t->head->rest.len == 0 || !perfframe_only(t->head->rest, &frame))
		return;
	t->in_head = true;
	push(t, framecache_add(&t->cache, STR(""), &frame));
	t->source[t->n - 1] = STR("");
}

/* "PERF_RECORD_MMAP2 ...", of perf script --show-mmap-events and kin */
static bool
is_record(const struct perfline_head *h)
{
	return str_starts(h->rest, STR("PERF_RECORD_")) ||
	       str_starts(h->event, STR("PERF_RECORD_"));
}

/* perf's own comments; "#!x" and "# x" may be names of processes. */
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
	input_bad(in, "no perf script text: %.*s", shown(line), line.p);
}

/* A line that begins a sample, or is none of ours. */
static void
take_head(struct perftext *t, struct input *in, struct str line)
{
	in->line++;
	if (is_comment(line)) {
		perfrates_take(&t->rates, line);
		return;
	}
	t->head = headcache_read(t->heads, line);
	if (t->head == NULL) {
		bad_line(in, line);
	} else if (is_record(t->head)) {
		if (t->on_record != NULL)
			t->on_record(t->record_arg, t->head->rest);
	} else {
		if (t->head->huge)
			input_bad(in, "a period beyond 64 bits: %.*s",
				  shown(t->head->period_text),
				  t->head->period_text.p);
		t->has_head = true;
		t->flavour = str_starts(t->head->comm, STR("java"));
		take_rest(t);
	}
}

static bool
is_head(struct str line)
{
	struct perfline_head head;

	return !is_comment(line) && perfline_head(line, &head);
}

/*
 * Whether the blank line behind a head may be of its text, and frames may
 * follow: what is written to the kernel's trace_marker ends in LF.
 */
static bool
has_open_text(const struct perftext *t)
{
	return t->has_head && t->n == 0 && t->head->rest.len > 0;
}

/*
 * Whether a sample is complete at this line: at a blank line, which is taken,
 * or at the head of the next, which is left.  What perf says of its troubles
 * may stand between frames.
 */
static bool
ends_sample(struct perftext *t, struct input *in)
{
	bool had_head = t->has_head;
	struct str line = line_text(t, t->at);

	if (line.len == 0) {
		t->at++;
		in->line++;
		t->has_head = has_open_text(t);
		return had_head && !t->has_head;
	}
	if (had_head && is_head(line)) {
		t->has_head = false;
		return true;
	}
	t->at++;
	if (had_head && !is_comment(line)) {
		in->line++;
		bad_line(in, line);
	} else {
		take_head(t, in, line);
	}
	return false;
}

static bool
deliver(struct perftext *t, struct perftext_sample *sample)
{
	*sample = (struct perftext_sample){ .head = t->head,
					    .flavour = t->flavour,
					    .n = t->n,
					    .frame = t->frame,
					    .token = t->token,
					    .complete = t->largest != NO_TOKEN,
					    .source = t->with_source ?
							  t->source :
							  NULL,
					    .cache = &t->cache,
					    .in_head = t->in_head && t->n < 2 };
	/* Where there is a chain, the head has the address of data. */
	if (t->in_head && t->n > 1) {
		sample->n--;
		sample->frame++;
		sample->token++;
		if (sample->source != NULL)
			sample->source++;
	}
	return true;
}

static void
begin(struct perftext *t)
{
	framecache_limit(&t->cache);
	t->in_head = false;
	t->n = 0;
	t->largest = 0;
	if (t->with_source)
		arena_free(&t->sources);
}

void
perftext_on_record(struct perftext *t,
		   void (*on_record)(void *arg, struct str text), void *arg)
{
	t->on_record = on_record;
	t->record_arg = arg;
}

uint64_t
perftext_hz(struct perftext *t, struct str event)
{
	return perfrates_hz(&t->rates, event);
}

bool
perftext_read(struct perftext *t, struct input *in,
	      struct perftext_sample *sample)
{
	bool had_head;

	begin(t);
	while (t->at < t->lines.n || next_block(t, in)) {
		take_frames(t, in);
		if (t->at < t->lines.n && ends_sample(t, in)) {
			if (!t->head->huge)
				return deliver(t, sample);
			begin(t);
		}
		if (!t->has_head)
			t->n = 0;
	}
	had_head = t->has_head && !t->head->huge;
	t->has_head = false;
	return had_head && deliver(t, sample);
}
