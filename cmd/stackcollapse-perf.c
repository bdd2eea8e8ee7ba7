/* stackcollapse-perf - fold the stacks of perf script text. */
#include "event.h"
#include "perftext.h"
#include "reader.h"

static bool with_source;

enum { OPT_SRCLINE = CMD_LONG };

static const struct cmd_option options[] = {
	{ "srcline", OPT_SRCLINE, NULL,
	  "add source lines, from perf script -F +srcline", true },
	{ NULL, 0, NULL, NULL, false }
};

static bool
set_option(int value, char *arg)
{
	(void)arg;
	with_source = value == OPT_SRCLINE;
	return true;
}

static struct frame
to_frame(const struct perftext_frame *f)
{
	static const enum frame_kind kinds[] = {
		[PERFLINE_USER] = FRAME_USER,
		[PERFLINE_KERNEL] = FRAME_KERNEL,
		[PERFLINE_JIT] = FRAME_JIT,
		[PERFLINE_INLINE] = FRAME_INLINE
	};

	return (struct frame){ .name = f->symbol->name,
			       .module = f->symbol->module,
			       .line = f->source,
			       .addr = f->addr,
			       .has_addr = true,
			       .kind = kinds[f->symbol->kind] };
}

/* The frame's token: its symbol's, or one of its own. */
static uint32_t
token_of(struct sink *out, struct perftext_frame *f, int flavour)
{
	struct frame frame = to_frame(f);
	uint32_t *shared = &f->symbol->token[flavour];

	if (f->source.len > 0 || sink_shows_addrs(out))
		return sink_token(out, &frame, flavour);
	if (*shared == PERFTEXT_NO_TOKEN)
		*shared = sink_token(out, &frame, flavour);
	return *shared;
}

static void
push_frames(struct sink *out, const struct perftext_sample *s)
{
	uint32_t token;
	size_t i;

	for (i = 0; !s->complete && i < s->n; i++) {
		if (s->token[i] != PERFTEXT_NO_TOKEN)
			continue;
		token = token_of(out, s->frame[i], s->flavour);
		s->frame[i]->token[s->flavour] = token;
		s->token[i] = token;
	}
	sink_push(out, s->token, s->n);
}

static struct sample
to_sample(const struct perfline_head *h, uint64_t hz)
{
	struct str unit = event_unit(h->event);

	return (struct sample){ .time = h->time,
				.has_time = h->has_time,
				.pid = h->pid,
				.tid = h->tid,
				.cpu = h->cpu,
				.comm = h->comm,
				.event = h->event,
				.unit = h->period > 0 ? unit : STR("samples"),
				.ns = hz > 0 ? 1000000000 / hz : 0 };
}

static void
read_perf(struct input *in, struct sink *out)
{
	struct perftext *text = perftext_new(with_source);
	struct perftext_sample s;
	struct sample sample;

	while (perftext_read(text, in, &s)) {
		sample = to_sample(&s.head, perftext_hz(text, s.head.event));
		if (!sink_begin(out, &sample))
			continue;
		push_frames(out, &s);
		sink_end(out, (struct count){
				      s.head.period > 0 ? s.head.period : 1,
				      0 });
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
