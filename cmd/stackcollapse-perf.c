/* stackcollapse-perf - fold the stacks of perf.data, or perf script text. */
#include "event.h"
#include "mem.h"
#include "perftext.h"
#include "profile.h"
#include "reader.h"

#include <err.h>
#include <stdlib.h>

static bool with_source, with_inlines, with_debuginfod;
static unsigned debuginfod_limit = 60; /* seconds */
static struct profile_options data_options;

enum {
	OPT_CALLER = CMD_LONG,
	OPT_CONTEXT,
	OPT_DEBUG_DIR,
	OPT_DEBUGINFOD,
	OPT_DEBUGINFOD_LIMIT,
	OPT_INLINE,
	OPT_KALLSYMS,
	OPT_NO_DEMANGLE,
	OPT_NO_INLINE,
	OPT_OFF_CPU,
	OPT_SRCLINE,
	OPT_SYMFS,
	OPT_WALL
};

static const struct cmd_option options[] = {
	{ "symfs", OPT_SYMFS, "DIR",
	  "find the files of perf.data below DIR, not here", false },
	{ "kallsyms", OPT_KALLSYMS, "FILE", "symbols of perf.data's kernel",
	  false },
	{ "debug-dir", OPT_DEBUG_DIR, "DIR",
	  "debug files by build-id, not those of /usr/lib/debug", false },
	{ "debuginfod", OPT_DEBUGINFOD, NULL,
	  "ask DEBUGINFOD_URLS for files that are not here", false },
	{ "debuginfod-limit", OPT_DEBUGINFOD_LIMIT, "SECONDS",
	  "for so long at most (60)", false },
	{ "no-demangle", OPT_NO_DEMANGLE, NULL,
	  "leave the names of perf.data as the compiler made them", false },
	{ "caller-address", OPT_CALLER, "WHAT",
	  "look callers up at their call (default), or exact, as perf", false },
	{ "no-inline", OPT_NO_INLINE, NULL, "no inlined frames of perf.data",
	  false },
	{ "off-cpu", OPT_OFF_CPU, NULL,
	  "of perf.data, what threads waited for, in nanoseconds", false },
	{ "wall", OPT_WALL, NULL,
	  "of perf.data, all time of threads, running and not", false },
	{ "inline", OPT_INLINE, NULL,
	  "inlined frames of perf.data, the default; text has its own", true },
	{ "context", OPT_CONTEXT, NULL,
	  "add source lines to the frames of perf.data", true },
	{ "srcline", OPT_SRCLINE, NULL,
	  "the same, and those of perf script -F +srcline", true },
	{ NULL, 0, NULL, NULL, false }
};

static bool
set_caller_address(const char *arg)
{
	data_options.resolve.exact = strcmp(arg, "exact") == 0;
	return data_options.resolve.exact || strcmp(arg, "call") == 0;
}

static bool
set_debuginfod_limit(const char *arg)
{
	uint64_t seconds;

	if (!str_u64(str_of(arg), &seconds) || seconds == 0 ||
	    seconds > UINT32_MAX)
		return false;
	debuginfod_limit = (unsigned)seconds;
	return true;
}

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_SYMFS:
		data_options.resolve.symfs = arg;
		break;
	case OPT_KALLSYMS:
		data_options.resolve.kallsyms = arg;
		break;
	case OPT_DEBUG_DIR:
		data_options.resolve.debug_dir = arg;
		break;
	case OPT_DEBUGINFOD:
		with_debuginfod = true;
		break;
	case OPT_DEBUGINFOD_LIMIT:
		return set_debuginfod_limit(arg);
	case OPT_NO_DEMANGLE:
		data_options.resolve.mangled = true;
		break;
	case OPT_CALLER:
		return set_caller_address(arg);
	case OPT_NO_INLINE:
		data_options.resolve.no_inlines = true;
		break;
	case OPT_OFF_CPU:
		data_options.what = PROFILE_OFF_CPU;
		break;
	case OPT_WALL:
		data_options.what = PROFILE_WALL;
		break;
	case OPT_SRCLINE:
		with_source = data_options.resolve.lines = true;
		break;
	case OPT_CONTEXT:
		with_inlines = data_options.resolve.lines = true;
		break;
	case OPT_INLINE:
		with_inlines = true;
		data_options.resolve.no_inlines = false;
		break;
	default:
		return false;
	}
	return true;
}

/* perf script text. */

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

static void
read_text(struct input *in, struct sink *out)
{
	struct perftext *text;
	struct perftext_sample s;
	struct sample sample;

	if (with_inlines)
		errx(2,
		     "%s: --inline and --context are for perf.data; perf "
		     "script prints inlined frames itself, and source "
		     "lines with -F +srcline",
		     in->name);
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

/* perf.data. */

/* Tokens of code, by its number; NO_TOKEN where there is none yet. */
struct code_tokens {
	uint32_t *token[SINK_FLAVOURS], *line;
	size_t n, cap[SINK_FLAVOURS], line_cap;
};

static struct frame
code_frame(const struct profile_frame *f)
{
	static const enum frame_kind kinds[] = { [CODE_USER] = FRAME_USER,
						 [CODE_KERNEL] = FRAME_KERNEL,
						 [CODE_JIT] = FRAME_JIT,
						 [CODE_INLINE] = FRAME_INLINE };

	return (struct frame){ .name = f->code->name,
			       .module = f->code->module,
			       .line = f->code->line,
			       .addr = f->address,
			       .has_addr = true,
			       .kind = kinds[f->code->kind] };
}

static void
grow_tokens(struct code_tokens *t, size_t n)
{
	int i;
	size_t old = t->n, j;

	for (i = 0; i < SINK_FLAVOURS; i++) {
		t->token[i] = mem_grow(t->token[i], &t->cap[i], n,
				       sizeof(*t->token[i]));
		t->n = t->cap[i];
		for (j = old; j < t->n; j++)
			t->token[i][j] = NO_TOKEN;
	}
}

static uint32_t
code_token(struct code_tokens *t, struct sink *out,
	   const struct profile_frame *f, int flavour)
{
	struct frame frame;
	uint32_t *token;

	if (f->code->number >= t->n)
		grow_tokens(t, f->code->number + 1);
	token = &t->token[flavour][f->code->number];
	if (*token != NO_TOKEN)
		return *token;
	frame = code_frame(f);
	if (frame.name.len == 0 && sink_shows_addrs(out))
		return sink_token(out, &frame, flavour);
	return *token = sink_token(out, &frame, flavour);
}

static void
push_codes(struct code_tokens *t, struct sink *out,
	   const struct profile_sample *s)
{
	int flavour = sink_flavour(s->comm);
	size_t i;

	t->line = mem_grow(t->line, &t->line_cap, s->n + 1, sizeof(*t->line));
	for (i = 0; i < s->n; i++)
		t->line[i] = code_token(t, out, &s->frame[i], flavour);
	sink_push(out, t->line, s->n);
	if (s->truncated)
		sink_truncated(out);
}

static struct sample
data_sample(const struct profile_sample *s)
{
	struct str unit = event_unit(s->event->name);
	uint64_t hz = s->event->hz;

	return (struct sample){ .time = s->time,
				.has_time = s->has_time,
				.pid = s->pid,
				.tid = s->tid,
				.cpu = s->cpu,
				.comm = s->comm,
				.cgroup = s->cgroup,
				.event = s->event->name,
				.unit = s->is_ns      ? STR("ns") :
					s->period > 0 ? unit :
							STR("samples"),
				.ns = hz > 0 ? 1000000000 / hz : 0 };
}

static void
read_data(struct input *in, struct sink *out)
{
	struct code_tokens tokens = { 0 };
	struct profile *profile;
	struct profile_sample s;
	struct sample sample;
	struct buf line = { 0 };
	int i;

	data_options.sorted = sink_is_stream(out);
	data_options.resolve.fetch = with_debuginfod ? debuginfod_limit : 0;
	profile = profile_open(in, &data_options);
	while (profile_read(profile, &s)) {
		sample = data_sample(&s);
		if (!sink_begin(out, &sample))
			continue;
		push_codes(&tokens, out, &s);
		sink_end(out, count_of(s.period > 0 ? s.period : 1));
	}
	for (; profile_note(profile, &line); line.len = 0)
		sink_note(out, buf_slice(&line));
	profile_close(profile);
	buf_free(&line);
	for (i = 0; i < SINK_FLAVOURS; i++)
		free(tokens.token[i]);
	free(tokens.line);
}

static void
read_perf(struct input *in, struct sink *out)
{
	if (perfdata_magic(input_peek(in, 8)))
		read_data(in, out);
	else if (data_options.what != PROFILE_SAMPLES)
		errx(2, "%s: --off-cpu and --wall need perf.data itself",
		     in->name);
	else
		read_text(in, out);
}

int
main(int argc, char *argv[])
{
	static const struct reader perf = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary =
		    "Fold the stacks of perf.data, or of perf script text.",
		.clock = "perf",
		.options = options,
		.setopt = set_option,
		.read = read_perf
	};

	return collapse_main(argc, argv, &perf);
}
