/* perftext.c - samples out of perf script text. */
#include "perftext.h"

#include "arena.h"
#include "event.h"
#include "headcache.h"
#include "mem.h"

#include <stdlib.h>

struct rate {
	struct str event;
	uint64_t hz;
};

struct perftext {
	bool with_source;
	struct framecache *cache;
	struct headcache *heads;

	struct str block; /* what is left of it */
	bool has_head;    /* a sample has begun */
	struct perfline_head head;
	int flavour;

	struct cached_frames stack;
	struct str *source;
	size_t source_cap;
	struct arena sources; /* of the sample */

	struct rate *rate;
	size_t nrate, rate_cap;
	struct arena events;
};

struct perftext *
perftext_new(bool with_source)
{
	struct perftext *t = mem_zero(1, sizeof(*t));

	t->with_source = with_source;
	t->cache = framecache_new();
	t->heads = headcache_new();
	return t;
}

void
perftext_free(struct perftext *t)
{
	framecache_free(t->cache);
	headcache_free(t->heads);
	free(t->stack.line);
	free(t->stack.token);
	free(t->source);
	arena_free(&t->sources);
	free(t->rate);
	arena_free(&t->events);
	free(t);
}

/* The block's first line, without LF and CR. */
static struct str
first_line(const struct perftext *t)
{
	struct str line = t->block;

	line.len = (size_t)((const char *)memchr(line.p, '\n', line.len) -
			    line.p);
	if (str_ends(line, STR("\r")))
		line.len--;
	return line;
}

static void
skip_line(struct perftext *t)
{
	str_cut(&t->block, '\n');
}

/* How much of a line a message shows. */
static int
shown(struct str line)
{
	return line.len < 80 ? (int)line.len : 80;
}

/* Frames. */

/* The source line behind a frame, if there is one. */
static void
take_source(struct perftext *t, struct input *in)
{
	struct perfline_frame frame;
	struct str line, source = STR("");

	if (t->block.len > 0 || input_block(in, &t->block)) {
		line = first_line(t);
		if (!perfline_frame(line, true, &frame) &&
		    perfline_source(line, &source)) {
			in->line++;
			skip_line(t);
		}
	}
	if (str_eq(source, STR("??:0")))
		source.len = 0;
	t->source = mem_grow(t->source, &t->source_cap, t->stack.n,
			     sizeof(*t->source));
	t->source[t->stack.n - 1] = arena_str(&t->sources, source);
}

/* A frame line that was not seen before. */
static void
new_line(struct perftext *t, struct input *in)
{
	struct str line = first_line(t), text = t->block, source;
	struct perfline_frame frame;

	in->line++;
	skip_line(t);
	text.len = (size_t)(t->block.p - text.p);
	if (!perfline_frame(line, t->with_source, &frame)) {
		/* Source lines that were not asked for are no trouble. */
		if (!perfline_source(line, &source) || !t->has_head)
			input_bad(in, "no frame: %.*s", shown(line), line.p);
		return;
	}
	if (!t->has_head)
		input_bad(in, "a frame outside of a sample");
	framecache_add(t->cache, &t->stack, t->flavour, text, &frame);
	if (t->with_source)
		take_source(t, in);
}

/* Take frame lines at the start of the block, up to one that is new. */
static bool
take_frames(struct perftext *t, struct input *in)
{
	const char *p = t->block.p, *end = p + t->block.len;
	size_t before = t->stack.n;

	/* A line with its source is new each time: it may have another. */
	if (!t->with_source)
		p = framecache_take(t->cache, &t->stack, t->flavour, p, end);
	in->line += t->stack.n - before;
	t->block = str_range(p, end);
	if (p == end || (*p != '\t' && *p != ' '))
		return false;
	new_line(t, in);
	return t->block.len > 0;
}

/* Heads. */

/* A sample of one line, "... event: addr name (module)". */
static void
take_rest(struct perftext *t)
{
	struct str rest = t->head.rest;
	struct perfline_frame frame;

	if (rest.len == 0 || !perfline_frame(rest, true, &frame))
		return;
	framecache_add(t->cache, &t->stack, t->flavour, rest, &frame);
}

/* "# event : name = cycles, ... { sample_period, sample_freq } = 99, ..." */
static void
take_rate(struct perftext *t, struct str line)
{
	struct str field, rest = str_skip(line, strlen("# event : name = "));
	struct str event = str_cut(&rest, ',');
	const char *p = str_search(rest, STR("sample_freq"));
	uint64_t hz;

	if (p == NULL || str_search(rest, STR("freq = 1")) == NULL)
		return;
	field = str_range(p, rest.p + rest.len);
	str_cut(&field, '=');
	if (!str_u64(str_trim(str_cut(&field, ',')), &hz))
		return;
	t->rate = mem_grow(t->rate, &t->rate_cap, t->nrate + 1,
			   sizeof(*t->rate));
	t->rate[t->nrate++] =
		(struct rate){ arena_str(&t->events, event), hz };
}

uint64_t
perftext_hz(const struct perftext *t, struct str event)
{
	size_t i;

	for (i = 0; i < t->nrate; i++) {
		if (event_same(t->rate[i].event, event))
			return t->rate[i].hz;
	}
	return 0;
}

/* "PERF_RECORD_MMAP2 ...", of perf script --show-mmap-events and kin */
static bool
is_record(const struct perfline_head *h)
{
	return str_starts(h->rest, STR("PERF_RECORD_")) ||
	       str_starts(h->event, STR("PERF_RECORD_"));
}

/* A line that begins a sample, or is none of ours. */
static void
take_head(struct perftext *t, struct input *in, struct str line)
{
	in->line++;
	if (str_starts(line, STR("#"))) {
		if (str_starts(line, STR("# event : name = ")))
			take_rate(t, line);
	} else if (!headcache_read(t->heads, line, &t->head)) {
		input_bad(in, "no perf script text: %.*s", shown(line),
			  line.p);
	} else if (!is_record(&t->head)) {
		t->has_head = true;
		t->flavour = str_starts(t->head.comm, STR("java"));
		take_rest(t);
	}
	t->block = str_skip(t->block, line.len);
	skip_line(t);
}

/*
 * Whether a sample is complete at this line: at a blank line, which is taken,
 * or at the head of the next, which is left.
 */
static bool
ends_sample(struct perftext *t, struct input *in)
{
	bool had_head = t->has_head;
	struct str line = first_line(t);

	if (line.len == 0) {
		in->line++;
		skip_line(t);
		t->has_head = false;
		return had_head;
	}
	if (!had_head || *line.p == '#') {
		take_head(t, in, line);
		return false;
	}
	t->has_head = false;
	return true;
}

static void
begin(struct perftext *t)
{
	framecache_limit(t->cache);
	t->stack.n = 0;
	t->stack.largest = 0;
	if (t->with_source)
		arena_free(&t->sources);
}

static bool
deliver(struct perftext *t, struct perftext_sample *sample)
{
	*sample = (struct perftext_sample){
		.head = t->head,
		.flavour = t->flavour,
		.n = t->stack.n,
		.line = t->stack.line,
		.token = t->stack.token,
		.complete = t->stack.largest != NO_TOKEN,
		.source = t->with_source ? t->source : NULL,
		.cache = t->cache
	};
	return true;
}

bool
perftext_read(struct perftext *t, struct input *in,
	      struct perftext_sample *sample)
{
	bool had_head;

	begin(t);
	for (;;) {
		if (t->block.len == 0 && !input_block(in, &t->block))
			break;
		while (take_frames(t, in))
			continue;
		if (t->block.len > 0 && ends_sample(t, in))
			return deliver(t, sample);
		if (!t->has_head)
			t->stack.n = 0;
	}
	had_head = t->has_head;
	t->has_head = false;
	t->block = (struct str){ NULL, 0 };
	return had_head && deliver(t, sample);
}
