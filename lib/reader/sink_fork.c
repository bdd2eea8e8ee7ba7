/* sink_fork.c - sinks for several threads that read parts of one input. */
#include "reader/sink_fork.h"

#include "base/mem.h"
#include "reader/sink_state.h"

#include <stdlib.h>

/* Whether the sink has options for which one thread must see all samples. */
static bool
needs_order(const struct sink_options *opt)
{
	return opt->samples || opt->repair || opt->filter != NULL ||
	       opt->waits != NULL || opt->count == SINK_COUNT_TIME;
}

struct sink *
sink_fork(const struct sink *out)
{
	struct sink *fork;
	struct cmd *cmd;

	if (needs_order(&out->opt) || out->samples == 0 ||
	    !event_choice_is_final(out->events))
		return NULL;
	cmd = mem_zero(1, sizeof(*cmd));
	cmd->quiet = true;
	fork = sink_new(&out->opt, out->reader, cmd);
	event_choice_free(fork->events);
	fork->events = event_choice_fork(out->events);
	/* A first sample sets the unit and the one count: out has had it. */
	fork->samples = 1;
	fork->one = out->one;
	buf_str(&fork->unit, buf_slice(&out->unit));
	return fork;
}

bool
sink_fork_can_join(const struct sink *out, const struct sink *fork)
{
	return !fork->cmd->partial && fork->cmd->tally.bad == 0 &&
	       fold_fits(fork->fold) &&
	       event_choice_can_join(out->events, fork->events);
}

void
sink_fork_free(struct sink *fork)
{
	struct cmd *cmd;

	if (fork == NULL)
		return;
	cmd = fork->cmd;
	sink_free(fork);
	buf_free(&cmd->tally.first);
	free(cmd);
}

static void
join_times(struct sink *out, const struct sink *fork)
{
	if (!fork->has_time)
		return;
	if (!out->has_time || fork->first_time < out->first_time)
		out->first_time = fork->first_time;
	if (!out->has_time || fork->last_time > out->last_time)
		out->last_time = fork->last_time;
	out->has_time = true;
}

void
sink_fork_join(struct sink *out, struct sink *fork)
{
	out->joined++;
	join_times(out, fork);
	event_choice_join(out->events, fork->events);
	roots_join(out->roots, fork->roots);
	out->cmd->tally.good += fork->cmd->tally.good;
	out->samples += fork->samples - 1;
	out->over += fork->over;
	out->nnameless += fork->nnameless;
	out->ntruncated += fork->ntruncated;
	out->nidle += fork->nidle;
	out->lost += fork->lost;
	out->has_event |= fork->has_event;
	out->mixed_units |= fork->mixed_units;
	out->mixed_counts |= fork->mixed_counts;
	fold_join(out->fold, fork->fold);
	fork->fold = NULL;
	sink_fork_free(fork);
}
