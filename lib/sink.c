/* sink.c - where samples become folded text. */
#include "sink.h"

#include "events.h"
#include "fold.h"
#include "folded.h"
#include "mem.h"
#include "repair.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

struct sink {
	struct sink_options opt;
	const struct reader *reader;
	struct cmd *cmd;
	struct fold *fold;
	struct intern *names;
	struct tokens *tokens;
	struct events *events;
	struct roots *roots;
	struct repair *repair; /* NULL if not asked for */
	bool all_events;
	uint32_t truncated_id;

	/* The sample between its begin and its end. */
	struct sample sample; /* without its slices, which are borrowed */
	bool is_ns;           /* its count is a time */
	const struct ids *root;
	struct ids stack; /* in the reader's order */
	struct ids line;  /* from root to leaf, */
	size_t nroots;    /* of which these are no functions */
	bool nameless, truncated;
	int flavour;

	/* Of all samples. */
	uint64_t samples, nnameless, ntruncated, nidle;
	uint64_t first_time, last_time;
	uint64_t lost; /* records, since the sample that was written last */
	bool has_time, wrote_header, mixed_units, mixed_counts;
	struct count one; /* of the first sample */
	struct buf unit;  /* of the first sample */
	struct buf event; /* in the header of a stream */
	struct buf text;  /* scratch */
};

struct sink *
sink_new(const struct sink_options *options, const struct reader *reader,
	 struct cmd *cmd)
{
	struct sink *s = mem_zero(1, sizeof(*s));
	enum root root[ROOT_MAX + 1] = { ROOT_EVENT };
	int i, n;

	s->opt = *options;
	s->reader = reader;
	s->cmd = cmd;
	s->fold = fold_new(1);
	s->names = fold_names(s->fold);
	s->truncated_id = intern_id(s->names, STR("[truncated]"));
	s->tokens = tokens_new(s->names, &options->token);
	s->events = events_new(options->mix ? "all" : options->event);
	s->all_events = options->mix || (options->event != NULL &&
					 strcmp(options->event, "all") == 0);
	/* Where events are kept apart, the event is the first frame. */
	n = s->all_events && !options->mix && !options->samples;
	for (i = 0; i < options->nroot; i++)
		root[n++] = options->root[i];
	s->roots = roots_new(s->names, root, n);
	if (options->repair)
		s->repair = repair_new();
	return s;
}

void
sink_free(struct sink *s)
{
	fold_free(s->fold);
	tokens_free(s->tokens);
	events_free(s->events);
	roots_free(s->roots);
	repair_free(s->repair);
	free(s->stack.id);
	free(s->line.id);
	buf_free(&s->unit);
	buf_free(&s->event);
	buf_free(&s->text);
	free(s);
}

int
sink_flavour(struct str comm)
{
	return str_starts(comm, STR("java"));
}

bool
sink_shows_addrs(const struct sink *s)
{
	return s->opt.token.addrs;
}

bool
sink_is_stream(const struct sink *s)
{
	return s->opt.samples;
}

bool
sink_takes_all(const struct sink *s)
{
	return s->all_events;
}

void
sink_note(struct sink *s, struct str line)
{
	cmd_note(s->cmd, "%.*s", (int)line.len, line.p);
}

void
sink_partial(struct sink *s)
{
	s->cmd->partial = true;
}

bool
sink_begin(struct sink *s, const struct sample *p)
{
	s->cmd->tally.good++;
	s->lost += p->lost;
	if (!events_see(s->events, p->event) ||
	    (s->opt.only != NULL && !only_wants(s->opt.only, p)))
		return false;
	s->root = roots_of(s->roots, p);
	s->flavour = sink_flavour(p->comm);
	s->is_ns = str_eq(p->unit, STR("ns"));
	s->sample.time = p->time;
	s->sample.has_time = p->has_time;
	s->sample.pid = p->pid;
	s->sample.tid = p->tid;
	s->sample.cpu = p->cpu;
	s->sample.args = p->args;
	s->sample.ns = p->ns;
	s->sample.n = p->n > 0 ? p->n : 1;
	if (s->samples == 0)
		buf_str(&s->unit, p->unit);
	else if (!str_eq(p->unit, buf_slice(&s->unit)))
		s->mixed_units = true;
	s->stack.n = 0;
	s->nameless = true;
	s->truncated = false;
	return true;
}

uint32_t
sink_token(struct sink *s, const struct frame *f, int flavour)
{
	return tokens_make(s->tokens, f, flavour);
}

void
sink_push(struct sink *s, const uint32_t *token, size_t n)
{
	s->nameless &= tokens_names(s->tokens, &s->stack, token, n,
				    s->reader->order == ROOT_FIRST);
}

void
sink_frame(struct sink *s, const struct frame *f)
{
	uint32_t token = sink_token(s, f, s->flavour);

	sink_push(s, &token, 1);
}

void
sink_truncated(struct sink *s)
{
	s->truncated = true;
}

/* Whether a frame is one after which callers are left out. */
static bool
is_last(const struct sink *s, uint32_t id)
{
	char suffix;
	struct str name = frame_name(intern_name(s->names, id), &suffix);
	int i;

	for (i = 0; i < s->opt.nskip; i++) {
		if (str_eq(name, str_of(s->opt.skip_after[i])))
			return true;
	}
	return false;
}

/* Leave out the callers of a --skip-after function, roots too. */
static void
skip_callers(struct sink *s)
{
	struct ids *line = &s->line;
	size_t i;

	for (i = line->n; i > s->nroots && !is_last(s, line->id[i - 1]); i--)
		continue;
	if (i == s->nroots)
		return;
	line->n -= i - 1;
	s->nroots = 0;
	memmove(line->id, line->id + i - 1, line->n * sizeof(*line->id));
}

/* Whether the thread waits for work; roots are no functions. */
static bool
is_idle(const struct sink *s)
{
	enum wait_class found = WAIT_NONE;
	const struct ids *line = &s->line;
	size_t i;

	if (s->opt.waits == NULL)
		return false;
	for (i = line->n; i > s->nroots; i--) {
		if (!waits_step(s->opt.waits,
				intern_name(s->names, line->id[i - 1]), &found))
			break;
	}
	return found == WAIT_IDLE;
}

/* Put the stack into root-first order, behind its roots. */
static void
make_line(struct sink *s)
{
	const struct ids *from = &s->stack;
	struct ids *line = &s->line;
	size_t i;
	uint32_t *to;

	s->nroots = s->root->n;
	line->n = s->nroots + s->truncated + from->n;
	line->id = mem_grow(line->id, &line->cap, line->n + 1,
			    sizeof(*line->id));
	to = line->id;
	for (i = 0; i < s->nroots; i++)
		*to++ = s->root->id[i];
	if (s->truncated)
		*to++ = s->truncated_id;
	if (s->reader->order == ROOT_FIRST) {
		for (i = 0; i < from->n; i++)
			*to++ = from->id[i];
	} else {
		for (i = from->n; i > 0; i--)
			*to++ = from->id[i - 1];
	}
	if (s->opt.nskip > 0)
		skip_callers(s);
}

static struct count
weigh(const struct sink *s, struct count count)
{
	struct str event = events_current(s->events);

	if (s->opt.count == COUNT_PERIOD)
		return count;
	if (s->opt.count == COUNT_SAMPLES)
		return count_of(s->sample.n);
	if (s->sample.ns == 0 && s->is_ns)
		return count;
	if (s->sample.ns == 0)
		errx(2,
		     "--count time: it is not known for how long a sample of "
		     "%.*s stands; record cpu-clock, or let perf script print "
		     "its --header, which has the frequency",
		     event.len > 0 ? (int)event.len : 10,
		     event.len > 0 ? event.p : "this trace");
	return count_of(s->sample.ns);
}

/* The unit of the counts, empty if they differ. */
static struct str
unit(const struct sink *s)
{
	if (s->opt.count == COUNT_SAMPLES)
		return STR("samples");
	if (s->opt.count == COUNT_TIME)
		return STR("ns");
	if (s->mixed_units)
		return STR("");
	return s->unit.len > 0 ? buf_slice(&s->unit) : STR("samples");
}

/*
 * The keys of a header.  That of a stream is written before its first sample's
 * end, so it has no more than holds for every sample to come.
 */
static void
set_header(const struct sink *s, struct meta *m)
{
	struct str event = events_counted(s->events);
	bool one_event = !s->all_events && s->samples > 0;

	meta_set(m, "fold", STR("1"));
	meta_set(m, "counts", STR("1"));
	if (unit(s).len > 0 && (one_event || s->opt.count != COUNT_PERIOD))
		meta_set(m, "unit", unit(s));
	if (s->reader->clock != NULL && (s->opt.samples || s->has_time))
		meta_set(m, "clock", str_of(s->reader->clock));
	if (one_event && event.len > 0)
		meta_set(m, "event", event);
}

static void
print_meta(struct sink *s, const struct meta *m)
{
	s->text.len = 0;
	meta_print(&s->text, m);
	buf_write(&s->text, stdout);
}

static void
print_header(struct sink *s)
{
	struct meta m = { 0 };

	set_header(s, &m);
	print_meta(s, &m);
	meta_free(&m);
	if (!s->all_events)
		buf_str(&s->event, events_counted(s->events));
	s->wrote_header = true;
}

static void
print_sample_meta(struct sink *s)
{
	const struct sample *p = &s->sample;
	struct str event = events_current(s->events);
	struct meta m = { 0 };

	if (p->has_time)
		meta_set_ns(&m, "time", p->time);
	if (p->pid >= 0)
		meta_set_u64(&m, "pid", (uint64_t)p->pid);
	if (p->tid >= 0)
		meta_set_u64(&m, "tid", (uint64_t)p->tid);
	if (p->cpu >= 0)
		meta_set_u64(&m, "cpu", (uint64_t)p->cpu);
	if (event.len > 0 && !str_eq(event, buf_slice(&s->event)))
		meta_set(&m, "event", event);
	if (s->lost > 0)
		meta_set_u64(&m, "lost", s->lost);
	s->lost = 0;
	if (p->args.len > 0)
		meta_set(&m, "args", p->args);
	print_meta(s, &m);
	meta_free(&m);
}

/* One sample of a stream. */
static void
print_sample(struct sink *s, struct count count)
{
	struct buf *out = &s->text;
	size_t i;

	if (!s->wrote_header)
		print_header(s);
	print_sample_meta(s);
	for (i = 0; i < s->line.n; i++) {
		if (i > 0)
			buf_char(out, ';');
		buf_str(out, intern_name(s->names, s->line.id[i]));
	}
	buf_char(out, ' ');
	count_print(out, count);
	buf_char(out, '\n');
	buf_write(out, stdout);
}

static void
note_time(struct sink *s)
{
	uint64_t time = s->sample.time;

	if (!s->sample.has_time)
		return;
	if (!s->has_time || time < s->first_time)
		s->first_time = time;
	if (!s->has_time || time > s->last_time)
		s->last_time = time;
	s->has_time = true;
}

void
sink_end(struct sink *s, struct count count)
{
	make_line(s);
	if (is_idle(s)) {
		s->nidle += s->sample.n;
		return;
	}
	count = weigh(s, count);
	if (s->samples == 0)
		s->one = count;
	if (s->sample.n > 1 || count_cmp(s->one, count) != 0)
		s->mixed_counts = true;
	s->samples += s->sample.n;
	note_time(s);
	if (s->truncated)
		s->ntruncated += s->sample.n;
	if (s->nameless && s->stack.n > 0)
		s->nnameless += s->sample.n;
	if (s->line.n == 0)
		return; /* neither a process nor a frame is known */
	if (s->opt.samples)
		print_sample(s, count);
	else if (s->repair == NULL || !s->truncated ||
		 !repair_add(s->repair, s->line.id, s->line.n, s->nroots,
			     count))
		fold_add(s->fold, s->line.id, s->line.n, &count);
}

/* The header of a profile, when all samples were seen. */
static void
print_profile_meta(struct sink *s)
{
	struct meta m = { 0 };

	set_header(s, &m);
	meta_set_u64(&m, "n", s->samples);
	if (s->samples > 0 && !s->mixed_counts && s->one.micro == 0)
		meta_set_u64(&m, "quantum", s->one.units);
	if (s->has_time) {
		meta_set_ns(&m, "time", s->first_time);
		meta_set_ns(&m, "dur", s->last_time - s->first_time);
	}
	if (s->ntruncated > 0)
		meta_set_u64(&m, "broken", s->ntruncated);
	print_meta(s, &m);
	meta_free(&m);
}

static void
say_share(const struct sink *s, uint64_t n, const char *what)
{
	double share = n == 0 ? 0 : 100 * (double)n / (double)s->samples;

	if (share >= 0.1)
		cmd_note(s->cmd, "%.1f %% of the stacks %s", share, what);
}

static void
repair(struct sink *s)
{
	const uint64_t completed = repair_finish(s->repair, s->fold);

	if (s->ntruncated > 0)
		cmd_note(s->cmd,
			 "%" PRIu64 " of %" PRIu64 " truncated stacks %s "
			 "completed by the only whole one that ends as they do",
			 completed, s->ntruncated,
			 str_plural(completed, "was", "were"));
	s->ntruncated -= completed;
}

void
sink_finish(struct sink *s)
{
	if (s->repair != NULL)
		repair(s);
	if (s->opt.samples) {
		if (!s->wrote_header)
			print_header(s);
	} else {
		if (!fold_fits(s->fold))
			errx(2, "the counts of a stack add up to more than "
				"64 bits");
		if (s->opt.meta)
			print_profile_meta(s);
		fold_write(s->fold, count_of(0), stdout);
	}
	events_say(s->events, s->cmd, s->samples + s->nidle > 0);
	if (s->nidle > 0)
		cmd_note(s->cmd,
			 "%" PRIu64 " of %" PRIu64 " samples %s of idle "
			 "threads, and left out",
			 s->nidle, s->samples + s->nidle,
			 str_plural(s->nidle, "is", "are"));
	say_share(s, s->ntruncated, "are truncated");
	say_share(s, s->nnameless, "have no names");
}
