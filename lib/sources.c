/* sources.c - streams read side by side, into one stream of snapshots. */
#include "sources.h"

#include "follow.h"
#include "mem.h"
#include "source.h"

#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

#define SECOND 1000000000

/* By when things would have come, at the latest, by the soonest source. */
static uint64_t
latest(const struct sources *all)
{
	const uint64_t here = sources_now(all);
	int64_t lag = lag_least(&all->lag);

	if (lag < 0 && all->clock_id == CLOCK_REALTIME)
		lag = 0;
	lag += (int64_t)all->options->late;
	return lag > 0 && (uint64_t)lag > here ? 0 : here - (uint64_t)lag;
}

/* The headers of all, but hosts of those that had something from a time on. */
static void
describe(void *arg, uint64_t from, struct merge *m)
{
	const struct sources *all = arg;
	const struct source *s;
	const char *reason;

	for (s = all->source; s < all->source + all->n; s++) {
		if (!s->begun)
			continue;
		merge_begin(m, &s->stream.f.header);
		if (s->had <= from)
			meta_unset(&m->one, "host");
		else if (s->host.len > 0)
			meta_set(&m->one, "host", buf_slice(&s->host));
		reason = merge_end(m);
		if (reason != NULL)
			errx(CMD_ERROR, "%s: this stream cannot be merged: %s",
			     s->in.name, reason);
	}
	if (all->clock.len > 0)
		meta_set_raw(&m->all, "clock", buf_slice(&all->clock));
}

/* Write what no source will add to. */
static void
write_due(struct sources *all)
{
	const struct source *s;
	uint64_t until = UINT64_MAX, time = 0;
	bool alive = false;

	if (all->options->follow && all->lag.known)
		time = latest(all);
	for (s = all->source; s < all->source + all->n; s++) {
		if (s->ended || (s->idle && !s->begun))
			continue;
		alive = true;
		if (s->mark < until)
			until = s->idle && s->mark < time ? time : s->mark;
	}
	if (alive)
		ticker_until(all->ticker, until);
}

void
sources_answer(struct sources *all)
{
	if (follow_was_asked())
		ticker_now(all->ticker);
}

/* The source that is most behind, of those that may have more at hand. */
static struct source *
next_source(struct sources *all)
{
	struct source *s, *next = NULL;

	for (s = all->source; s < all->source + all->n; s++) {
		if (s->ended || s->idle)
			continue;
		if (next == NULL || !s->begun ||
		    (next->begun && s->mark < next->mark))
			next = s;
	}
	return next;
}

/* For how many ms to wait at most: something may be due then; -1 for ever. */
static int
patience(const struct sources *all)
{
	uint64_t end, time;

	if (!all->options->follow || !all->lag.known ||
	    !ticker_next(all->ticker, &end))
		return -1;
	time = latest(all);
	if (time >= end)
		return 1;
	return end - time > SECOND ? 1000 : (int)((end - time) / 1000000) + 1;
}

/* Wait until a source has more; false if none ever will. */
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
		follow_wait(fd, ready, n, patience(all));
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

	while (!follow_is_over()) {
		s = next_source(all);
		if (s != NULL) {
			if (!ticker_next(all->ticker, &end))
				end = 0;
			source_read(s, end);
		} else if (!wait_for_more(all)) {
			break;
		}
		write_due(all);
		sources_answer(all);
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
	/* To open a FIFO may take long, and then there is nothing to show. */
	signal(SIGUSR1, SIG_IGN);
	for (i = 0; i < all.n; i++)
		source_open(&all.source[i], &all,
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
		source_close(&all.source[i]);
	free(all.source);
	buf_free(&all.clock);
	buf_free(&all.unit);
	ticker_free(all.ticker);
}
