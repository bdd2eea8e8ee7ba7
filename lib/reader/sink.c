/* sink.c - turns samples into folded text. */
#include "reader/sink.h"

#include "base/mem.h"
#include "folded/folded.h"
#include "reader/sink_state.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

struct sink *
sink_new(const struct sink_options *options, const struct reader *reader,
	 struct cmd *cmd)
{
	struct sink *out = mem_zero(1, sizeof(*out));
	enum root root[ROOT_MAX + 1] = { ROOT_EVENT };
	const char *event = options->event;
	int i, n;

	out->opt = *options;
	out->reader = reader;
	out->cmd = cmd;
	out->has_ratio = options->ratio.over.len > 0;
	out->fold = fold_new(out->has_ratio ? 2 : 1);
	out->names = fold_names(out->fold);
	out->truncated_id = intern_id(out->names, STR("[truncated]"));
	out->tokens = tokens_new(out->names, &options->token);
	if (options->mix || out->has_ratio)
		event = "all";
	out->events = event_choice_new(event);
	out->all_events = event != NULL && strcmp(event, "all") == 0;
	/* Events that are counted apart have the event as root frame. */
	n = out->all_events && !options->mix && !options->samples &&
	    !out->has_ratio;
	for (i = 0; i < options->nroot; i++)
		root[n++] = options->root[i];
	out->roots = roots_new(out->names, root, n);
	if (options->repair)
		out->stitch = stitch_new();
	out->held.file.what = "samples";
	/* Someone waits for the lines, or there is no place to hold them. */
	if (options->samples &&
	    (options->follow || reader->may == NULL || !reader->may->spills))
		event_choice_at_once(out->events);
	return out;
}

void
sink_free(struct sink *out)
{
	fold_free(out->fold);
	tokens_free(out->tokens);
	event_choice_free(out->events);
	roots_free(out->roots);
	stitch_free(out->stitch);
	held_output_free(&out->held);
	free(out->stack.id);
	free(out->line.id);
	buf_free(&out->unit);
	buf_free(&out->event);
	buf_free(&out->text);
	free(out);
}

int
sink_flavour(struct str comm)
{
	return str_starts(comm, STR("java"));
}

bool
sink_shows_addrs(const struct sink *out)
{
	return out->opt.token.addrs;
}

bool
sink_is_stream(const struct sink *out)
{
	return out->opt.samples;
}

bool
sink_all_events(const struct sink *out)
{
	return out->all_events;
}

void
sink_note(struct sink *out, struct str line)
{
	cmd_note(out->cmd, "%.*s", (int)line.len, line.p);
}

void
sink_partial(struct sink *out)
{
	out->cmd->partial = true;
}

void
sink_announce_event(struct sink *out, struct str event)
{
	event_choice_announce(out->events, event);
}

bool
sink_may_count(const struct sink *out, struct str event)
{
	return event_choice_may_count(out->events, event);
}

/* Drop all samples so far: an event comes first that had no samples yet. */
static void
restart(struct sink *out)
{
	fold_clear(out->fold);
	roots_renew(out->roots);
	if (out->stitch != NULL) {
		stitch_free(out->stitch);
		out->stitch = stitch_new();
	}
	out->samples = out->nnameless = out->ntruncated = out->nidle = 0;
	out->has_time = out->mixed_units = out->mixed_counts = false;
	out->unit.len = 0;
	held_output_drop(&out->held);
	out->lost += out->held_lost;
	out->held_lost = 0;
	out->wrote_header = false;
	out->event.len = 0;
}

/* Note the event of a sample; false if the sample does not count. */
static bool
choose(struct sink *out, struct str event, uint64_t n)
{
	switch (event_choice_add(out->events, event, n)) {
	case EVENT_SKIPPED:
		return false;
	case EVENT_REPLACES:
		restart(out);
		break;
	case EVENT_COUNTS:
		break;
	}
	return true;
}

/* Whether the sample is one of the first event of --ratio. */
static bool
is_over(const struct sink *out)
{
	return out->has_ratio && out->column == RATIO_OVER;
}

static void
note_unit(struct sink *out, struct str unit)
{
	if (out->samples == 0)
		buf_str(&out->unit, unit);
	else if (!str_eq(unit, buf_slice(&out->unit)))
		out->mixed_units = true;
}

bool
sink_begin(struct sink *out, const struct sample *sample)
{
	out->cmd->tally.good++;
	out->lost += sample->lost;
	out->has_event |= sample->event.len > 0;
	if (!choose(out, sample->event, sample->n > 0 ? sample->n : 1) ||
	    (out->opt.filter != NULL &&
	     !sample_filter_wants(out->opt.filter, sample)))
		return false;
	if (out->has_ratio &&
	    (out->column = event_ratio_column(&out->opt.ratio,
					      sample->event)) == RATIO_NEITHER)
		return false;
	out->root = roots_of(out->roots, sample);
	out->flavour = sink_flavour(sample->comm);
	out->is_ns = str_eq(sample->unit, STR("ns"));
	out->sample.time = sample->time;
	out->sample.has_time = sample->has_time;
	out->sample.pid = sample->pid;
	out->sample.tid = sample->tid;
	out->sample.cpu = sample->cpu;
	out->sample.args = sample->args;
	out->sample.ns = sample->ns;
	out->sample.n = sample->n > 0 ? sample->n : 1;
	if (!is_over(out))
		note_unit(out, sample->unit);
	out->stack.n = 0;
	out->nameless = true;
	out->truncated = false;
	return true;
}

uint32_t
sink_token(struct sink *out, const struct frame *frame, int flavour)
{
	return tokens_make(out->tokens, frame, flavour);
}

void
sink_push(struct sink *out, const uint32_t *token, size_t n)
{
	out->nameless &= tokens_names(out->tokens, &out->stack, token, n,
				      out->reader->order == ROOT_FIRST);
}

void
sink_frame(struct sink *out, const struct frame *frame)
{
	uint32_t token = sink_token(out, frame, out->flavour);

	sink_push(out, &token, 1);
}

void
sink_truncated(struct sink *out)
{
	out->truncated = true;
}

/* Whether a frame is a function of --skip-after. */
static bool
is_skip_after(const struct sink *out, uint32_t id)
{
	char suffix;
	struct str name = folded_frame_name(intern_name(out->names, id),
					    &suffix);
	int i;

	for (i = 0; i < out->opt.nskip; i++) {
		if (str_eq(name, str_of(out->opt.skip_after[i])))
			return true;
	}
	return false;
}

/* Remove the callers of the innermost --skip-after function, and the roots. */
static void
skip_callers(struct sink *out)
{
	struct ids *line = &out->line;
	size_t i;

	for (i = line->n;
	     i > out->nroots && !is_skip_after(out, line->id[i - 1]); i--)
		continue;
	if (i == out->nroots)
		return;
	line->n -= i - 1;
	out->nroots = 0;
	memmove(line->id, line->id + i - 1, line->n * sizeof(*line->id));
}

/* Whether the thread waits for work, judged by its functions. */
static bool
is_idle(const struct sink *out)
{
	struct wait_walk walk = { 0 };
	const struct ids *line = &out->line;
	size_t i;

	if (out->opt.waits == NULL)
		return false;
	for (i = line->n; i > out->nroots; i--) {
		if (!waits_step(out->opt.waits,
				intern_name(out->names, line->id[i - 1]),
				&walk))
			break;
	}
	return walk.class == WAIT_IDLE;
}

/* Build the whole stack: the roots, then the frames from root to leaf. */
static void
make_line(struct sink *out)
{
	const struct ids *from = &out->stack;
	struct ids *line = &out->line;
	size_t i;
	uint32_t *to;

	out->nroots = out->root->ids.n;
	line->n = out->nroots + out->truncated + from->n;
	line->id = mem_grow(line->id, &line->cap, line->n + 1,
			    sizeof(*line->id));
	to = line->id;
	for (i = 0; i < out->nroots; i++)
		*to++ = out->root->ids.id[i];
	if (out->truncated)
		*to++ = out->truncated_id;
	if (out->reader->order == ROOT_FIRST) {
		for (i = 0; i < from->n; i++)
			*to++ = from->id[i];
	} else {
		for (i = from->n; i > 0; i--)
			*to++ = from->id[i - 1];
	}
	if (out->opt.nskip > 0)
		skip_callers(out);
}

/* What the sample counts, by --count. */
static struct count
weigh(const struct sink *out, struct count count)
{
	struct str event = event_choice_current(out->events);

	if (out->opt.count == SINK_COUNT_PERIOD)
		return count;
	if (out->opt.count == SINK_COUNT_SAMPLES)
		return count_of(out->sample.n);
	if (out->sample.ns == 0 && out->is_ns)
		return count;
	if (out->sample.ns == 0)
		errx(2,
		     "--count time: unknown time per sample of %.*s; record "
		     "cpu-clock, or print the frequency with perf script "
		     "--header",
		     event.len > 0 ? (int)event.len : 10,
		     event.len > 0 ? event.p : "this trace");
	return count_of(out->sample.ns);
}

/* The unit of the counts; empty if the samples have several. */
static struct str
unit(const struct sink *out)
{
	if (out->opt.count == SINK_COUNT_SAMPLES)
		return STR("samples");
	if (out->opt.count == SINK_COUNT_TIME)
		return STR("ns");
	if (out->mixed_units)
		return STR("");
	return out->unit.len > 0 ? buf_slice(&out->unit) : STR("samples");
}

/*
 * The keys of a header.  A stream's header is written before the first sample,
 * so it has only keys that hold for every later sample too.
 */
static void
set_header(const struct sink *out, struct meta *m)
{
	struct str event = event_choice_counted(out->events);
	bool one_event = !out->all_events && out->samples > 0;

	if (out->has_ratio) {
		event = out->opt.ratio.under;
		one_event = out->samples > 0;
	}
	meta_set(m, "fold", STR("1"));
	meta_set(m, "counts", out->has_ratio ? STR("2") : STR("1"));
	if (unit(out).len > 0 &&
	    (one_event || out->opt.count != SINK_COUNT_PERIOD))
		meta_set(m, "unit", unit(out));
	if (out->reader->clock != NULL && (out->opt.samples || out->has_time))
		meta_set(m, "clock", str_of(out->reader->clock));
	if (one_event && event.len > 0)
		meta_set(m, "event", event);
}

/* Write the text of a stream, or hold it back while it may be dropped. */
static void
write_text(struct sink *out)
{
	if (!event_choice_is_final(out->events)) {
		held_output_add(&out->held, &out->text);
		return;
	}
	held_output_write(&out->held, stdout);
	buf_write(&out->text, stdout);
}

static void
print_header(struct sink *out)
{
	struct meta m = { 0 };

	set_header(out, &m);
	meta_print(&out->text, &m);
	meta_free(&m);
	if (!out->all_events)
		buf_str(&out->event, event_choice_counted(out->events));
	out->wrote_header = true;
}

static void
print_sample_meta(struct sink *out)
{
	const struct sample *sample = &out->sample;
	struct str event = event_choice_current(out->events);
	struct meta m = { 0 };

	if (sample->has_time)
		meta_set_ns(&m, "time", sample->time);
	if (sample->pid >= 0)
		meta_set_u64(&m, "pid", (uint64_t)sample->pid);
	if (sample->tid >= 0)
		meta_set_u64(&m, "tid", (uint64_t)sample->tid);
	if (sample->cpu >= 0)
		meta_set_u64(&m, "cpu", (uint64_t)sample->cpu);
	if (event.len > 0 && !str_eq(event, buf_slice(&out->event)))
		meta_set(&m, "event", event);
	if (out->lost > 0)
		meta_set_u64(&m, "lost", out->lost);
	out->held_lost += out->lost;
	out->lost = 0;
	if (sample->args.len > 0)
		meta_set(&m, "args", sample->args);
	meta_print(&out->text, &m);
	meta_free(&m);
}

/* One sample of a stream. */
static void
print_sample(struct sink *out, struct count count)
{
	struct buf *text = &out->text;
	size_t i;

	if (!out->sample.has_time && !out->reader->in_order)
		errx(2, "--samples: the samples of this trace have no times");
	if (!out->wrote_header)
		print_header(out);
	print_sample_meta(out);
	for (i = 0; i < out->line.n; i++) {
		if (i > 0)
			buf_char(text, ';');
		buf_str(text, intern_name(out->names, out->line.id[i]));
	}
	buf_char(text, ' ');
	count_print(text, count);
	buf_char(text, '\n');
	write_text(out);
}

static void
note_time(struct sink *out)
{
	uint64_t time = out->sample.time;

	if (!out->sample.has_time)
		return;
	if (!out->has_time || time < out->first_time)
		out->first_time = time;
	if (!out->has_time || time > out->last_time)
		out->last_time = time;
	out->has_time = true;
}

/* Add the counts of the sample's stack. */
static void
add_line(struct sink *out, struct count count)
{
	struct count columns[2] = { 0 };

	columns[is_over(out) || !out->has_ratio ? 0 : 1] = count;
	fold_add(out->fold, out->line.id, out->line.n, columns);
}

/* Add the sample to the totals of all samples that count. */
static void
note_counted(struct sink *out, struct count count)
{
	if (out->samples == 0)
		out->one = count;
	if (out->sample.n > 1 || count_cmp(out->one, count) != 0)
		out->mixed_counts = true;
	out->samples += out->sample.n;
	note_time(out);
}

void
sink_end(struct sink *out, struct count count)
{
	make_line(out);
	if (is_idle(out)) {
		out->nidle += out->sample.n;
		return;
	}
	count = weigh(out, count);
	if (is_over(out)) {
		out->over += out->sample.n;
		if (out->line.n > 0)
			add_line(out, count);
		return;
	}
	note_counted(out, count);
	if (out->truncated)
		out->ntruncated += out->sample.n;
	if (out->nameless && out->stack.n > 0)
		out->nnameless += out->sample.n;
	if (out->line.n == 0)
		return; /* neither a root nor a frame */
	if (out->opt.samples)
		print_sample(out, count);
	else if (out->stitch == NULL || !out->truncated ||
		 !stitch_add(out->stitch, out->line.id, out->line.n,
			     out->nroots, count))
		add_line(out, count);
}

void
sink_end_memo(struct sink *out, struct count count, struct sink_memo *memo)
{
	const struct sink_options *opt = &out->opt;

	if (opt->samples || opt->waits != NULL || out->has_ratio ||
	    out->stitch != NULL || out->truncated || out->nameless) {
		sink_end(out, count);
		return;
	}
	make_line(out);
	count = weigh(out, count);
	note_counted(out, count);
	if (out->line.n == 0)
		return;
	memo->known[memo->next].roots = out->root->serial;
	memo->known[memo->next].place = fold_add_now(out->fold, out->line.id,
						     out->line.n, &count);
	memo->next = (memo->next + 1) % SINK_MEMO_PLACES;
}

bool
sink_end_again(struct sink *out, struct count count,
	       const struct sink_memo *memo)
{
	unsigned i = 0;

	while (memo->known[i].roots != out->root->serial) {
		if (++i == SINK_MEMO_PLACES)
			return false;
	}
	count = weigh(out, count);
	note_counted(out, count);
	fold_add_at(out->fold, memo->known[i].place, &count);
	return true;
}

/* The header of a profile, after all samples. */
static void
print_profile_meta(struct sink *out)
{
	struct meta m = { 0 };

	set_header(out, &m);
	if (out->has_ratio)
		meta_set(&m, "ratio", out->opt.ratio.text);
	meta_set_u64(&m, "n", out->samples);
	if (out->samples > 0 && !out->mixed_counts && out->one.micro == 0)
		meta_set_u64(&m, "quantum", out->one.units);
	if (out->has_time) {
		meta_set_ns(&m, "time", out->first_time);
		meta_set_ns(&m, "dur", out->last_time - out->first_time);
	}
	if (out->ntruncated > 0)
		meta_set_u64(&m, "broken", out->ntruncated);
	meta_print(&out->text, &m);
	buf_write(&out->text, stdout);
	meta_free(&m);
}

static void
note_share(const struct sink *out, uint64_t n, const char *what)
{
	double share = n == 0 ? 0 : 100 * (double)n / (double)out->samples;

	if (share >= 0.1)
		cmd_note(out->cmd, "%.1f %% of the stacks %s", share, what);
}

static void
repair(struct sink *out)
{
	const uint64_t completed = stitch_finish(out->stitch, out->fold);

	if (out->ntruncated > 0)
		cmd_note(out->cmd,
			 "%" PRIu64 " of %" PRIu64
			 " truncated stacks %s completed by the only whole "
			 "stack that matches",
			 completed, out->ntruncated,
			 str_plural(completed, "was", "were"));
	out->ntruncated -= completed;
}

/* Say which event of --ratio has no samples. */
static void
report_ratio(const struct sink *out)
{
	const struct event_ratio *ratio = &out->opt.ratio;
	struct str event = out->samples == 0 ? ratio->under : ratio->over;

	if (out->cmd->tally.good > 0 && (out->samples == 0 || out->over == 0))
		cmd_note(out->cmd, "--ratio: no samples of event %.*s",
			 (int)event.len, event.p);
	else if (str_eq(unit(out), STR("samples")))
		cmd_note(
		    out->cmd,
		    "--ratio: the samples have no periods: counting samples "
		    "instead; perf script -F +period prints periods");
}

/*
 * Refuse options about what no sample of the trace has.  Without samples,
 * nothing is known.
 */
static void
refuse_options(const struct sink *out)
{
	const struct sink_options *opt = &out->opt;
	const char *key;

	if (out->cmd->tally.good == 0)
		return;
	if (opt->filter != NULL &&
	    (key = sample_filter_missing(opt->filter)) != NULL)
		errx(2, "--only %s=: no sample of this trace has a %s", key,
		     key);
	if (opt->event != NULL && strcmp(opt->event, "all") != 0 &&
	    !out->has_event)
		errx(2, "--event-filter: the samples of this trace have no "
			"event");
	if (opt->with_roots && out->samples > 0 &&
	    (key = roots_missing(out->roots)) != NULL)
		errx(2, "no sample of this trace has a %s for a root frame",
		     key);
}

void
sink_finish(struct sink *out)
{
	refuse_options(out);
	if (out->stitch != NULL)
		repair(out);
	if (out->opt.samples) {
		if (!out->wrote_header)
			print_header(out);
		held_output_write(&out->held, stdout);
		buf_write(&out->text, stdout);
	} else {
		if (!fold_fits(out->fold))
			errx(2, "the counts of a stack add up to more than "
				"64 bits");
		if (out->opt.meta || out->has_ratio)
			print_profile_meta(out);
		fold_threads(out->fold, out->joined);
		fold_write(out->fold, count_of(0), stdout);
	}
	if (out->has_ratio)
		report_ratio(out);
	event_choice_report(out->events, out->cmd,
			    out->samples + out->nidle > 0);
	if (out->nidle > 0)
		cmd_note(out->cmd,
			 "dropped %" PRIu64 " of %" PRIu64
			 " samples, which %s of idle threads",
			 out->nidle, out->samples + out->nidle,
			 str_plural(out->nidle, "is", "are"));
	note_share(out, out->ntruncated, "are truncated");
	note_share(out, out->nnameless, "have no names");
}
