/* record_notes.c - what a recording tells its user. */
#include "record/record_notes.h"

#include "base/buf.h"
#include "base/duration.h"
#include "record/uprobe.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

void
record_notes_plan(const struct record_plan *plan)
{
	if (plan->no_kernel)
		warnx("kernel functions are not recorded, as "
		      "kernel.perf_event_paranoid is above 1");
	if (plan->no_wait_stacks)
		warnx("waits are recorded without stacks: these need "
		      "kernel.perf_event_paranoid at 1, or root");
	if (plan->lowered_hz > 0)
		warnx("%" PRIu64 " samples a second: the limit is "
		      "kernel.perf_event_max_sample_rate",
		      plan->lowered_hz);
}

static void
print_counts(const struct recorder_counts *c, const struct record_plan *plan)
{
	struct buf events = { 0 };
	size_t i;

	for (i = 0; i < plan->counters.n; i++) {
		buf_str(&events, i > 0 ? STR(", ") : STR(""));
		buf_str(&events, plan->names->event[i].name);
	}
	if (plan->no_cycles)
		buf_str(&events, STR(" (this machine counts no cycles)"));
	warnx("%" PRIu64 " %s of %.*s, %.1f MB; the recorder took %.2f s of "
	      "CPU, %.1f %% of one",
	      c->samples, str_plural(c->samples, "sample", "samples"),
	      (int)events.len, events.p, (double)c->bytes / 1e6, c->cpu,
	      100 * c->cpu_share);
	buf_free(&events);
}

/* What a user may want to record otherwise next time. */
static void
print_advice(const struct recorder_counts *c)
{
	if (c->times > 1)
		warnx("to use less CPU, it finally wrote one of %u samples, "
		      "with their weight",
		      c->times);
	if (c->unsampled > c->counted / 10)
		warnx("%.0f %% of the time has no stack, as %sthreads ended "
		      "before they were sampled: %srecord with a higher -F",
		      100 * (double)c->unsampled / (double)c->counted,
		      c->with_kernel ? "it was in the kernel, or " : "",
		      c->with_kernel ? "lower kernel.perf_event_paranoid, or " :
				       "");
	if (c->throttled > 0)
		warnx("the kernel paused the event %" PRIu64 " time%s: "
		      "record with a lower -F",
		      c->throttled, str_plural(c->throttled, "", "s"));
}

void
record_notes_counts(const struct recorder *r, const struct record_plan *plan,
		    bool quiet)
{
	const struct recorder_counts c = recorder_counts(r);

	if (!quiet) {
		print_counts(&c, plan);
		print_advice(&c);
	}
	if (c.lost > 0)
		warnx("%" PRIu64 " %s lost: record with a lower -F, a smaller "
		      "--stack, or to a faster output",
		      c.lost, str_plural(c.lost, "record was", "records were"));
}

void
record_notes_call(const struct call_watch *watch)
{
	struct buf took = { 0 };

	if (watch->took == 0) {
		warnx("no call took longer than the time of --until-%s",
		      watch->last ? "between" : "call");
		return;
	}
	duration_print(&took, (double)watch->took);
	warnx("a call took %.*s", (int)took.len, took.p);
	buf_free(&took);
}

void
record_notes_values(const struct recorder *r, const struct record_plan *plan)
{
	const struct event_requests *e = plan->names;
	size_t i;

	for (i = 0; i < e->n; i++)
		printf("%" PRIu64 "\t%.*s\n", recorder_value(r, i),
		       (int)e->event[i].name.len, e->event[i].name.p);
}

static void
print_place(const struct probe_place *p)
{
	printf("0x%" PRIx64 "\t0x%" PRIx64 "\t%" PRIu64 "\t%.*s\t%.*s\n",
	       p->offset, p->vaddr, p->size, (int)p->name.len, p->name.p,
	       (int)p->args.len, p->args.p);
}

void
record_notes_probes(const struct event_requests *events)
{
	const struct uprobe *u;
	size_t i, k;

	for (i = 0; i < events->n; i++) {
		u = events->event[i].uprobe;
		for (k = 0; u != NULL && k < u->places.n; k++)
			print_place(&u->places.place[k]);
	}
}
