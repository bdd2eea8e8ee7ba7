/* sink_fork.h - sinks for several threads that read parts of one input. */
#ifndef SINK_FORK_H
#define SINK_FORK_H

#include "reader/sink.h"

/*
 * A sink for later samples of the input, which another thread can fill.  NULL
 * if the order of samples matters: before the event that counts is certain, or
 * for options that need all samples in one place.  Tokens of one sink mean
 * nothing to another.
 */
struct sink *sink_fork(const struct sink *out);

/*
 * Whether the result is the same as if out had got the samples of the fork in
 * their order.
 */
bool sink_fork_can_join(const struct sink *out, const struct sink *fork);

/* Add what the fork counted, and free the fork: its stacks may be many. */
void sink_fork_join(struct sink *out, struct sink *fork);

/* Free a fork; it may be NULL. */
void sink_fork_free(struct sink *fork);

#endif
