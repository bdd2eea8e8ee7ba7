/* stackcollapse-perf - fold the stacks of perf script text. */
#include "perftext.h"
#include "reader.h"

#include <err.h>

static bool with_source;

enum { OPT_CONTEXT = CMD_LONG, OPT_INLINE, OPT_SRCLINE };

static const struct cmd_option options[] = {
	{ "inline", OPT_INLINE, NULL,
	  "refused: perf script prints inlined frames itself", true },
	{ "context", OPT_CONTEXT, NULL, "refused, as --inline; see --srcline",
	  true },
	{ "srcline", OPT_SRCLINE, NULL,
	  "add source lines, from perf script -F +srcline", true },
	{ NULL, 0, NULL, NULL, false }
};

static bool
set_option(int value, char *arg)
{
	(void)arg;
	if (value != OPT_SRCLINE)
		errx(2, "--inline and --context need debug information, which "
			"is not read from text; perf script prints inlined "
			"frames itself, and source lines with -F +srcline");
	with_source = true;
	return true;
}

static struct frame
to_frame(const struct perftext_sample *s, size_t i)
{
	static const enum frame_kind kinds[] = {
		[PERFLINE_USER] = FRAME_USER,
		[PERFLINE_KERNEL] = FRAME_KERNEL,
		[PERFLINE_JIT] = FRAME_JIT,
		[PERFLINE_INLINE] = FRAME_INLINE
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

/* The token of a frame that has none: its symbol's, or one of its own. */
static uint32_t
token_of(struct sink *out, const struct perftext_sample *s, size_t i)
{
	struct frame frame = to_frame(s, i);
	struct cached_frame *f = s->frame[i];
	uint32_t *shared = &f->token[s->flavour];
	uint64_t addr;

	if (frame.line.len > 0)
		return sink_token(out, &frame, s->flavour);
	if (!sink_shows_addrs(out))
		shared =
		    &framecache_symbol(s->cache, f, &addr)->token[s->flavour];
	if (*shared == NO_TOKEN)
		*shared = sink_token(out, &frame, s->flavour);
	return f->token[s->flavour] = *shared;
}

static void
push_frames(struct sink *out, const struct perftext_sample *s)
{
	size_t i;

	for (i = 0; !s->complete && i < s->n; i++) {
		if (s->token[i] == NO_TOKEN)
			s->token[i] = token_of(out, s, i);
	}
	sink_push(out, s->token, s->n);
}

static struct sample
to_sample(const struct perfline_head *h, uint64_t hz)
{
	return (struct sample){ .time = h->time,
				.has_time = h->has_time,
				.pid = h->pid,
				.tid = h->tid,
				.cpu = h->cpu,
				.comm = h->comm,
				.event = h->event,
				.unit = h->unit,
				.ns = hz > 0 ? 1000000000 / hz : 0 };
}

/* The file itself, in either byte order, is not text. */
static void
refuse_data(struct input *in)
{
	struct str magic = input_peek(in, 8);

	if (str_eq(magic, STR("PERFILE2")) || str_eq(magic, STR("2ELIFREP")))
		errx(2,
		     "%s: a perf.data file; pipe it through "
		     "\"perf script -i\"",
		     in->name);
}

static void
read_perf(struct input *in, struct sink *out)
{
	struct perftext *text;
	struct perftext_sample s;
	struct sample sample;

	refuse_data(in);
	text = perftext_new(with_source);
	while (perftext_read(text, in, &s)) {
		sample = to_sample(s.head, perftext_hz(text, s.head->event));
		if (!sink_begin(out, &sample))
			continue;
		push_frames(out, &s);
		sink_end(out, (struct count){
				  s.head->period > 0 ? s.head->period : 1, 0 });
	}
	perftext_free(text);
}

int
main(int argc, char *argv[])
{
	static const struct reader perf = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold the stacks of perf script text.",
		.clock = "perf",
		.options = options,
		.setopt = set_option,
		.read = read_perf
	};

	return collapse_main(argc, argv, &perf);
}
