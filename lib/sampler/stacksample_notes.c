/* stacksample_notes.c - what stacksample(1) says on standard error at its end.
 */
#include "sampler/stacksample_notes.h"

#include "base/utf8.h"

#include <err.h>
#include <inttypes.h>

/* Fewer rounds do not show at which rate they come. */
#define MIN_ROUNDS 20

static void
note_jits(const struct stacksample_notes *n)
{
	struct buf line = { 0 };

	for (; jit_note(jit_refresh_jit(n->jit), &line); line.len = 0)
		cmd_note(&n->options->cmd, "%.*s", (int)line.len, line.p);
	buf_free(&line);
}

/* Who waits for the lock of an interpreter, and who has it. */
static void
note_lock(const struct stacksample_notes *n, const struct sampler_counts *c)
{
	const struct lock_holder h = sampler_lock_holder(n->sampler);
	const double share = (double)c->lock_waits / (double)c->samples;
	struct buf name = { 0 };

	utf8_escape(&name, h.name);
	if (h.tid == 0)
		cmd_note(&n->options->cmd,
			 "%.1f %% of the samples wait for the lock of the "
			 "interpreter",
			 100 * share);
	else
		cmd_note(&n->options->cmd,
			 "%.1f %% of the samples wait for the lock of the "
			 "interpreter; thread %" PRId64 " (%.*s) holds it in "
			 "%.0f %% of the samples that do",
			 100 * share, h.tid, (int)name.len, name.p,
			 100 * h.share);
	buf_free(&name);
}

/* Print each line of text as a note, with words after it. */
static void
note_lines(const struct stacksample_notes *n, struct str text,
	   const char *after)
{
	struct str line;

	while (text.len > 0) {
		line = str_cut(&text, '\n');
		cmd_note(&n->options->cmd, "%.*s%s", (int)line.len, line.p,
			 after);
	}
}

static void
note_interpreters(const struct stacksample_notes *n,
		  const struct sampler_counts *c)
{
	note_lines(n, sampler_refusals(n->sampler),
		   "; only native frames are shown");
	if (c->has_greenlets)
		cmd_note(&n->options->cmd,
			 "greenlets that are suspended are not "
			 "shown, and not counted");
	if (c->has_virtual)
		cmd_note(&n->options->cmd,
			 "virtual threads that no thread runs are not shown, "
			 "and not counted: sample them with --tasks");
	if (c->lacks_virtual)
		cmd_note(&n->options->cmd,
			 "virtual threads that wait are not shown if no "
			 "executor started them: the JVM has no list of these, "
			 "because of its option jdk.trackAllThreads=false");
	if (c->lock_waits > 0)
		note_lock(n, c);
	if (c->unread_tasks > 0)
		cmd_note(&n->options->cmd,
			 "%" PRIu64 " time%s the stack of a task could not be "
			 "read, because the task ran",
			 c->unread_tasks, str_plural(c->unread_tasks, "", "s"));
	if (c->unmerged > 0)
		cmd_note(&n->options->cmd,
			 "%" PRIu64 " sample%s not merged: cannot match native "
			 "frames with functions of the interpreter",
			 c->unmerged, str_plural(c->unmerged, "", "s"));
	if (n->options->no_native && c->vm_samples < c->samples)
		cmd_note(
		    &n->options->cmd,
		    "%" PRIu64
		    " sample%s without frames of an interpreter, and skipped",
		    c->samples - c->vm_samples,
		    str_plural(c->samples - c->vm_samples, " is", "s are"));
}

/* Locks, debuggers and job control. */
static void
note_diagnosis(const struct stacksample_notes *n)
{
	struct buf text = { 0 };

	sampler_diagnose(n->sampler, &text);
	note_lines(n, buf_slice(&text), "");
	buf_free(&text);
}

void
stacksample_notes_print(const struct stacksample_notes *n)
{
	const struct sampler_counts c = sampler_counts(n->sampler);
	const double total = c.samples == 0 ? 1 : (double)c.samples;

	note_diagnosis(n);
	note_jits(n);
	note_interpreters(n, &c);
	if (c.no_run_count)
		cmd_note(&n->options->cmd, "this kernel does not count thread "
					   "switches: stopped all threads");
	if (n->lowest_hz < n->options->hz)
		cmd_note(&n->options->cmd,
			 "--max-cpu: down to %.3g rounds a second, not %g",
			 n->lowest_hz, n->options->hz);
	else if (n->mean_hz < 0.9 * n->options->hz && c.rounds > MIN_ROUNDS)
		cmd_note(&n->options->cmd,
			 "%.3g rounds a second, not %g: there was no time for "
			 "more",
			 n->mean_hz, n->options->hz);
	if (c.guessed > 0)
		cmd_note(&n->options->cmd,
			 "%.1f %% of the stacks have callers that were guessed "
			 "from instructions: their code has no unwind tables",
			 100 * (double)c.guessed / total);
	if (c.truncated > 0)
		cmd_note(&n->options->cmd,
			 "%.1f %% of the stacks are truncated",
			 100 * (double)c.truncated / total);
	if (c.interrupted_calls > 0)
		cmd_note(&n->options->cmd, "%" PRIu64 " %s stopped",
			 c.interrupted_calls,
			 str_plural(c.interrupted_calls,
				    "system call ended with EINTR as its "
				    "thread was",
				    "system calls ended with EINTR as their "
				    "threads were"));
	if (c.timed_out > 0)
		cmd_note(&n->options->cmd,
			 "%" PRIu64 " time%s a thread did not stop in time",
			 c.timed_out, str_plural(c.timed_out, "", "s"));
	if (c.denied > 0)
		cmd_note(&n->options->cmd,
			 "%" PRIu64 " time%s a thread could not be stopped: is "
			 "a debugger attached?",
			 c.denied, str_plural(c.denied, "", "s"));
	if (c.bits32 > 0)
		cmd_note(&n->options->cmd,
			 "%" PRIu64 " stack%s of 32 bits: dropped", c.bits32,
			 str_plural(c.bits32, " is", "s are"));
}

/*
 * Say why there is no sample.  It is no error if no thread ran, or none waited,
 * and only such threads were asked for.
 */
void
stacksample_notes_empty(const struct stacksample_options *o,
			const struct sampler_counts *c)
{
	if (c->state_mismatches > 0)
		cmd_note(&o->cmd, "no thread %s",
			 o->sampler_options.which == SAMPLER_RUNNING ?
			     "ran" :
			     "waited");
	else if (c->name_mismatches > 0)
		errx(CMD_ERROR, "no thread name matches");
	else
		errx(CMD_ERROR, "no thread could be read");
}
