/* sources.c - merge streams into one stream of snapshots. */
#include "stream/sources.h"

#include "base/mem.h"
#include "folded/name.h"
#include "io/follow.h"
#include "os/clock.h"
#include "stream/clock_lag.h"
#include "stream/stream.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND 1000000000

struct source {
	struct sources *all;
	struct input in;
	struct stream stream;
	int fd;
	struct buf file_host;  /* host by the name of the file */
	struct buf host;       /* first frame of stacks, may be empty */
	struct slice snapshot; /* incomplete */
	bool begun;            /* reached is set */
	bool idle;             /* nothing to read for now */
	bool ended, had_snapshot, is_ahead;
	uint64_t reached;     /* all stacks before this time have arrived */
	uint64_t last_end;    /* end of the last sample or snapshot */
	struct clock_lag lag; /* for --clock realtime */
};

struct sources {
	const struct sources_options *options;
	struct cmd *cmd;
	struct ticker *ticker;
	struct source *source;
	size_t n;
	clockid_t clock_id; /* our clock, to measure lags */
	struct buf clock;   /* of the streams, from the first header */
	bool has_clock;
	struct buf unit;      /* of the streams, empty if unknown */
	struct clock_lag lag; /* the least of all sources */
};

/* Write a snapshot if SIGUSR1 has come. */
static void
answer_signal(struct sources *all)
{
	if (follow_report_requested())
		ticker_now(all->ticker);
}

/* Translate a time to our clock if --clock realtime asks for it. */
static uint64_t
translate(const struct source *s, uint64_t time)
{
	const int64_t lag = clock_lag_least(&s->lag);

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

/*
 * Report a clock that is ahead of ours.  Times alone do not show whether it is
 * ahead or the other clocks are behind.
 */
static void
check_ahead(struct source *s, uint64_t now, uint64_t time)
{
	const struct sources *all = s->all;

	if (all->clock_id != CLOCK_REALTIME || s->is_ahead ||
	    time <= now + all->options->late)
		return;
	s->is_ahead = true;
	cmd_note(all->cmd, "%s: its clock is ahead of this machine's by %.3f s",
		 s->in.name, (double)(time - now) / SECOND);
}

/* Note that all stacks of a source up to a time have arrived. */
static void
reach(struct source *s, uint64_t time)
{
	struct sources *all = s->all;
	const uint64_t now = clock_ns(all->clock_id);

	if (is_translated(s)) {
		clock_lag_note(&s->lag, now, time);
		time = translate(s, time);
	} else if (all->options->follow) {
		check_ahead(s, now, time);
	}
	clock_lag_note(&all->lag, now, time);
	if (!s->begun || time > s->reached)
		s->reached = time;
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
		     "%s:%" PRIu64 ": its clock is %.*s, but another input has "
		     "%.*s: see --clock",
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
		     "%s:%" PRIu64
		     ": its unit is %.*s, but another input has %.*s",
		     s->in.name, s->in.line, (int)unit.len, unit.p,
		     (int)known->len, known->p);
}

/* Set the first frame of stacks.  A '#' would make the line a comment. */
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
	name_word(&s->host, buf_slice(&name));
	buf_free(&name);
}

/* Discard a snapshot that is cut off. */
static void
drop_snapshot(struct source *s)
{
	if (s->snapshot.n > 0)
		cmd_note(s->all->cmd,
			 "%s: dropped the last snapshot, which is truncated",
			 s->in.name);
	window_slice_free(&s->snapshot);
}

static void
begin_profile(struct source *s)
{
	drop_snapshot(s);
	if (s->stream.supersedes)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": this profile cannot be merged: only "
		     "deltas can be added up, and it is not one",
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
	struct tallies one = { .samples = 1 };
	uint64_t time, lost;

	if (meta_u64(&s->stream.f.own, "lost", &lost))
		one.lost = (double)lost;
	reach(s, s->stream.time);
	time = translate(s, s->stream.time);
	ticker_add(t, time, stack, count, count_double(count));
	ticker_tally(t, time, &one);
	s->last_end = time + 1;
}

static void
add_stack(struct source *s)
{
	const struct folded *f = &s->stream.f;
	uint32_t stack;

	if (f->counts == 2)
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": two counts per line: --every needs one",
		     s->in.name, s->in.line);
	stack = ticker_stack(s->all->ticker, buf_slice(&s->host), f->stack);
	if (s->stream.is_sample)
		add_sample(s, stack, f->count[0]);
	else if (s->stream.kind == STREAM_SNAPSHOT)
		window_slice_add(&s->snapshot, stack, f->count[0]);
	else
		errx(CMD_ERROR,
		     "%s:%" PRIu64 ": a stack without a time: --every needs a "
		     "stream of samples or snapshots",
		     s->in.name, s->in.line);
}

/* Add a snapshot that is complete, all of it at the time of its end. */
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
	/* A snapshot that ends with an interval belongs to it: - 1 ns. */
	for (i = 0; i < s->snapshot.n; i++) {
		weight += count_double(s->snapshot.cell[i].count);
		ticker_add(t, end - (end > begin), s->snapshot.cell[i].stack,
			   s->snapshot.cell[i].count, quantum);
	}
	/* NAN: if one number is unknown, the sum is unknown. */
	if (tallies.samples == 0 && weight > 0)
		tallies.samples = quantum > 0 ? weight / quantum : NAN;
	ticker_tally(t, end - (end > begin), &tallies);
	window_slice_free(&s->snapshot);
	s->had_snapshot = true;
	s->last_end = end;
}

static void
end_source(struct source *s)
{
	/* A single profile may lack the blank line at its end. */
	if (s->snapshot.n > 0 && !s->had_snapshot)
		end_snapshot(s);
	drop_snapshot(s);
	s->ended = true;
}

static void
read_source(struct source *s, uint64_t until)
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
	} while (event != STREAM_NOTHING && (!s->begun || s->reached < until));
	if (event != STREAM_NOTHING)
		return;
	s->idle = true;
	if (input_ended(&s->in))
		end_source(s);
}

/* For input_await(): --follow reads only what is available. */
static enum input_wait
before_read(void *arg, int fd)
{
	struct source *s = arg;
	bool ready = false;

	s->fd = fd;
	if (s->all->options->follow)
		return follow_is_ready(fd) ? INPUT_READ : INPUT_LATER;
	while (!ready && !follow_stop_requested()) {
		/* A file is always ready: only let signals in. */
		follow_wait(&fd, &ready, 1, follow_is_file(fd) ? 0 : -1);
		ready |= follow_is_file(fd);
		answer_signal(s->all);
	}
	return ready ? INPUT_READ : INPUT_STOP;
}

/* Name the host by the file, "web1.folded"; standard input is this host. */
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

static void
open_source(struct source *s, struct sources *all, const char *path)
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
	ticker_register(all->ticker, &s->snapshot);
}

static void
close_source(struct source *s)
{
	drop_snapshot(s);
	stream_free(&s->stream);
	input_close(&s->in);
	buf_free(&s->file_host);
	buf_free(&s->host);
}

/*
 * All stacks up to this time should have arrived, by the lag of the fastest
 * source and --late.
 */
static uint64_t
expected_until(const struct sources *all)
{
	const uint64_t now = clock_ns(all->clock_id);
	int64_t lag = clock_lag_least(&all->lag);

	if (lag < 0 && all->clock_id == CLOCK_REALTIME)
		lag = 0;
	lag += (int64_t)all->options->late;
	return lag > 0 && (uint64_t)lag > now ? 0 : now - (uint64_t)lag;
}

/* For ticker_options: merge the headers of all sources. */
static void
describe(void *arg, uint64_t from, struct meta_merge *merge)
{
	const struct sources *all = arg;
	const struct source *s;
	const char *reason;

	for (s = all->source; s < all->source + all->n; s++) {
		if (!s->begun)
			continue;
		meta_merge_begin(merge, &s->stream.f.header);
		if (s->last_end <= from)
			meta_unset(&merge->one, "host");
		else if (s->host.len > 0)
			meta_set(&merge->one, "host", buf_slice(&s->host));
		reason = meta_merge_end(merge);
		if (reason != NULL)
			errx(CMD_ERROR, "%s: this stream cannot be merged: %s",
			     s->in.name, reason);
	}
	if (all->clock.len > 0)
		meta_set_raw(&merge->all, "clock", buf_slice(&all->clock));
}

/* Write the snapshots to which no source will add. */
static void
write_due(struct sources *all)
{
	const struct source *s;
	uint64_t until = UINT64_MAX, time = 0;
	bool alive = false;

	if (all->options->follow && all->lag.known)
		time = expected_until(all);
	for (s = all->source; s < all->source + all->n; s++) {
		if (s->ended || (s->idle && !s->begun))
			continue;
		alive = true;
		if (s->reached < until)
			until = s->idle && s->reached < time ? time :
							       s->reached;
	}
	if (alive)
		ticker_until(all->ticker, until);
}

/* The source that is furthest behind and may have more to read. */
static struct source *
next_source(struct sources *all)
{
	struct source *s, *next = NULL;

	for (s = all->source; s < all->source + all->n; s++) {
		if (s->ended || s->idle)
			continue;
		if (next == NULL || !s->begun ||
		    (next->begun && s->reached < next->reached))
			next = s;
	}
	return next;
}

/* The longest wait in ms before a snapshot may be due; -1 for ever. */
static int
wait_ms(const struct sources *all)
{
	uint64_t end, time;

	if (!all->options->follow || !all->lag.known ||
	    !ticker_next(all->ticker, &end))
		return -1;
	time = expected_until(all);
	if (time >= end)
		return 1;
	return end - time > SECOND ? 1000 : (int)((end - time) / 1000000) + 1;
}

/* Wait until a source has more; false if all have ended. */
static bool
wait_for_more(struct sources *all)
{
	int *fd = mem_zero(all->n, sizeof(*fd));
	struct source **waits = mem_zero(all->n, sizeof(struct source *));
	bool *ready = mem_zero(all->n, sizeof(*ready));
	size_t i, n = 0;

	for (i = 0; i < all->n; i++) {
		if (all->source[i].ended)
			continue;
		waits[n] = &all->source[i];
		fd[n++] = all->source[i].fd;
	}
	if (n > 0)
		follow_wait(fd, ready, n, wait_ms(all));
	for (i = 0; i < n; i++)
		waits[i]->idle = !ready[i];
	free(fd);
	free(waits);
	free(ready);
	return n > 0;
}

static void
read_all(struct sources *all)
{
	struct source *s;
	uint64_t end;

	while (!follow_stop_requested()) {
		s = next_source(all);
		if (s != NULL) {
			if (!ticker_next(all->ticker, &end))
				end = 0;
			read_source(s, end);
		} else if (!wait_for_more(all)) {
			break;
		}
		write_due(all);
		answer_signal(all);
	}
}

void
sources_read(const struct sources_options *options, struct cmd *cmd)
{
	struct ticker_options tick = options->tick;
	struct sources all = { .options = options,
			       .cmd = cmd,
			       .clock_id = options->realtime ?
					       CLOCK_REALTIME :
					       CLOCK_MONOTONIC };
	size_t i;

	tick.describe = describe;
	tick.arg = &all;
	all.ticker = ticker_new(&tick);
	all.n = cmd->nfile > 0 ? (size_t)cmd->nfile : 1;
	all.source = mem_zero(all.n, sizeof(*all.source));
	/* Opening a FIFO may block, and then there is no snapshot to write. */
	signal(SIGUSR1, SIG_IGN);
	for (i = 0; i < all.n; i++)
		open_source(&all.source[i], &all,
			    cmd->nfile > 0 ? cmd->file[i] : "-");
	cmd_confine(cmd, cmd->nfile);
	follow_signals();
	read_all(&all);
	ticker_end(all.ticker);
	if (ticker_late(all.ticker) > 0)
		cmd_note(cmd, "%" PRIu64 " %s in the next",
			 ticker_late(all.ticker),
			 str_plural(ticker_late(all.ticker),
				    "stack came after its interval was "
				    "written, and is",
				    "stacks came after their interval was "
				    "written, and are"));
	for (i = 0; i < all.n; i++)
		close_source(&all.source[i]);
	free(all.source);
	buf_free(&all.clock);
	buf_free(&all.unit);
	ticker_free(all.ticker);
}
