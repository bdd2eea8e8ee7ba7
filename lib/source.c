/* source.c - one of the streams that sources.c reads side by side. */
#include "source.h"

#include "follow.h"
#include "roots.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

uint64_t
sources_now(const struct sources *all)
{
	struct timespec t;

	clock_gettime(all->clock_id, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* A time of a source as it is written; lag says where clocks are translated. */
static uint64_t
translate(const struct source *s, uint64_t time)
{
	const int64_t lag = lag_least(&s->lag);

	if (!s->lag.known || (lag < 0 && (uint64_t)-lag > time))
		return time;
	return time + (uint64_t)lag;
}

static bool
is_translated(const struct source *s)
{
	return s->all->options->realtime &&
	       !str_eq(meta_get(&s->stream.f.header, "clock"), STR("realtime"));
}

/* A clock that is ahead cannot be told from others that are behind; say so. */
static void
check_ahead(struct source *s, uint64_t here, uint64_t time)
{
	const struct sources *all = s->all;

	if (all->clock_id != CLOCK_REALTIME || s->is_ahead ||
	    time <= here + all->options->late)
		return;
	s->is_ahead = true;
	cmd_note(all->cmd, "%s: its clock is ahead of ours by %.3f s",
		 s->in.name, (double)(time - here) / SECOND);
}

/* A source has told all that was up to a time. */
static void
reach(struct source *s, uint64_t time)
{
	struct sources *all = s->all;
	const uint64_t here = sources_now(all);

	if (is_translated(s)) {
		lag_note(&s->lag, here, time);
		time = translate(s, time);
	} else if (all->options->follow) {
		check_ahead(s, here, time);
	}
	lag_note(&all->lag, here, time);
	if (!s->begun || time > s->mark)
		s->mark = time;
	s->begun = true;
	ticker_reach(all->ticker, time);
}

static void
check_clock(struct source *s)
{
	struct sources *all = s->all;
	const struct str clock = all->options->realtime ?
				     STR("realtime") :
				     meta_get(&s->stream.f.header, "clock");

	if (!all->has_clock) {
		all->has_clock = true;
		buf_str(&all->clock, clock);
		if (str_eq(clock, STR("realtime")))
			all->clock_id = CLOCK_REALTIME;
	} else if (!str_eq(clock, buf_slice(&all->clock))) {
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": its clock is %.*s, another's is %.*s: "
		     "see --clock",
		     s->in.name, s->in.line, (int)clock.len, clock.p,
		     (int)all->clock.len, all->clock.p);
	}
}

static void
check_unit(struct source *s)
{
	struct buf *known = &s->all->unit;
	const struct str unit = meta_get(&s->stream.f.header, "unit");

	if (known->len == 0)
		buf_str(known, unit);
	else if (unit.len > 0 && !str_eq(unit, buf_slice(known)))
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": its unit is %.*s, another's is %.*s",
		     s->in.name, s->in.line, (int)unit.len, unit.p,
		     (int)known->len, known->p);
}

/* The name of a host as the first frame of stacks: never a comment. */
static void
set_host(struct source *s)
{
	struct buf name = { 0 };

	meta_decode(&name, meta_get(&s->stream.f.header, "host"));
	if (name.len == 0)
		buf_str(&name, buf_slice(&s->file_host));
	s->host.len = 0;
	if (name.len > 0 && *name.p == '#')
		buf_char(&s->host, '_');
	roots_word(&s->host, buf_slice(&name));
	buf_free(&name);
}

/* A snapshot that has no end does not count. */
static void
drop(struct source *s)
{
	if (s->held.n > 0)
		cmd_note(s->all->cmd,
			 "%s: the last snapshot is cut off, and left out",
			 s->in.name);
	slice_free(&s->held);
}

static void
begin_profile(struct source *s)
{
	drop(s);
	if (s->stream.supersedes)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": this profile cannot be merged: it is no "
		     "delta, and only deltas may be added up",
		     s->in.name, s->in.line);
	check_clock(s);
	check_unit(s);
	if (s->all->options->with_host)
		set_host(s);
}

static void
add_sample(struct source *s, uint32_t stack, struct count count)
{
	struct ticker *t = s->all->ticker;
	struct tallies one = { 1, 0, 0 };
	uint64_t time, lost;

	if (meta_u64(&s->stream.f.own, "lost", &lost))
		one.lost = (double)lost;
	reach(s, s->stream.time);
	time = translate(s, s->stream.time);
	ticker_add(t, time, stack, count, count_double(count));
	ticker_tally(t, time, &one);
	s->had = time + 1;
}

static void
add_stack(struct source *s)
{
	const struct folded *f = &s->stream.f;
	uint32_t stack;

	if (f->counts == 2)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": two counts a line: --every takes streams "
		     "of one",
		     s->in.name, s->in.line);
	stack = ticker_stack(s->all->ticker, buf_slice(&s->host), f->stack);
	if (s->stream.is_sample)
		add_sample(s, stack, f->count[0]);
	else if (s->stream.kind == STREAM_SNAPSHOT)
		slice_add(&s->held, stack, f->count[0]);
	else
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": a stack without a time: --every takes "
		     "streams of samples or snapshots",
		     s->in.name, s->in.line);
}

/* A snapshot is whole: all of it is of the time at which it ends. */
static void
end_snapshot(struct source *s)
{
	struct ticker *t = s->all->ticker;
	struct tallies tallies = stream_tallies(&s->stream);
	const double quantum = stream_number(&s->stream, "quantum");
	double weight = 0;
	uint64_t begin, end;
	size_t i;

	reach(s, s->stream.end);
	begin = translate(s, s->stream.begin);
	end = translate(s, s->stream.end);
	ticker_begin(t, begin);
	/* What ends with an interval belongs to it. */
	for (i = 0; i < s->held.n; i++) {
		weight += count_double(s->held.cell[i].count);
		ticker_add(t, end - (end > begin), s->held.cell[i].stack,
			   s->held.cell[i].count, quantum);
	}
	/* What is not known of one is not known of the sum. */
	if (tallies.samples == 0 && weight > 0)
		tallies.samples = quantum > 0 ? weight / quantum : NAN;
	ticker_tally(t, end - (end > begin), &tallies);
	slice_free(&s->held);
	s->had_snapshot = true;
	s->had = end;
}

static void
end_source(struct source *s)
{
	/* A profile that is all there is may lack the blank line. */
	if (s->held.n > 0 && !s->had_snapshot)
		end_snapshot(s);
	drop(s);
	s->ended = true;
}

void
source_read(struct source *s, uint64_t until)
{
	enum stream_event event;

	do {
		event = stream_next(&s->stream, &s->in);
		if (event == STREAM_HEADER)
			begin_profile(s);
		else if (event == STREAM_STACK)
			add_stack(s);
		else if (event == STREAM_END)
			end_snapshot(s);
	} while (event != STREAM_NOTHING && (!s->begun || s->mark < until));
	if (event != STREAM_NOTHING)
		return;
	s->idle = true;
	if (input_ended(&s->in))
		end_source(s);
}

/* Before an input is read: of a stream that is followed only what is there. */
static enum input_wait
before_read(void *arg, int fd)
{
	struct source *s = arg;
	bool ready = false;

	s->fd = fd;
	if (s->all->options->follow)
		return follow_is_ready(fd) ? INPUT_READ : INPUT_LATER;
	while (!ready && !follow_is_over()) {
		/* Of a file it is a look only, in which signals come. */
		follow_wait(&fd, &ready, 1, follow_is_file(fd) ? 0 : -1);
		ready |= follow_is_file(fd);
		sources_answer(s->all);
	}
	return ready ? INPUT_READ : INPUT_STOP;
}

/* A host by the name of a file, "web1.folded"; or this one. */
static void
name_host(struct source *s, const char *path)
{
	char host[256] = "";
	struct str name = str_basename(str_of(path));

	if (strcmp(path, "-") == 0) {
		gethostname(host, sizeof(host) - 1);
		buf_str(&s->file_host, str_of(host));
	} else {
		buf_str(&s->file_host, str_cut(&name, '.'));
	}
}

void
source_open(struct source *s, struct sources *all, const char *path)
{
	*s = (struct source){ .all = all,
			      .stream.f.counts = all->options->counts };
	if (all->options->follow)
		input_open_live(&s->in, path, &all->cmd->tally);
	else
		input_open(&s->in, path, &all->cmd->tally);
	input_await(&s->in, before_read, s);
	name_host(s, path);
	if (all->options->with_host)
		set_host(s);
	ticker_hold(all->ticker, &s->held);
}

void
source_close(struct source *s)
{
	drop(s);
	stream_free(&s->stream);
	input_close(&s->in);
	buf_free(&s->file_host);
	buf_free(&s->host);
}
