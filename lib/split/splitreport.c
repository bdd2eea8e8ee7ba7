/* splitreport.c - reports the latencies and parts of a split stream. */
#include "split/splitreport.h"

#include "base/duration.h"
#include "base/utf8.h"
#include "folded/meta.h"

#include <inttypes.h>

static void
add_ns(struct buf *out, const char *name, uint64_t ns)
{
	buf_printf(out, "%s ", name);
	duration_print(out, (double)ns);
}

static const double percents[] = { 50, 90, 95, 99, 99.9 };
#define PERCENTS (sizeof(percents) / sizeof(*percents))

/* "800 calls of handle: p50 212 us, ..., longest 3.48 ms" */
static void
text_head(struct split *s, struct buf *out)
{
	char name[16];
	size_t i;

	if (!split_has_calls(s))
		return;
	buf_printf(out, "%" PRIu64 " call%s of %s", s->latency.n,
		   str_plural(s->latency.n, "", "s"), s->opt.name);
	for (i = 0; s->latency.n > 0 && i < PERCENTS; i++) {
		snprintf(name, sizeof(name), "%s p%g", i > 0 ? "," : ":",
			 percents[i]);
		add_ns(out, name, latency_percentile(&s->latency, percents[i]));
	}
	if (s->latency.n > 0)
		add_ns(out, ", longest", s->latency.max);
	buf_char(out, '\n');
	if (s->opt.frame != NULL)
		buf_str(out, STR("over calls that were hit, not over all "
				 "calls\n"));
	if (!latency_is_exact(&s->latency))
		buf_printf(out, "percentiles are up to %.1f %% too large\n",
			   100 * LATENCY_ERROR);
	buf_char(out, '\n');
}

#define BAR 40

/* The histogram ends here, at 31 years. */
#define MAX_NS UINT64_C(1000000000000000000)

static void
text_bar(struct buf *out, uint64_t from, uint64_t to, uint64_t n, uint64_t most)
{
	struct buf range = { 0 };
	uint64_t i;

	duration_print(&range, (double)from);
	buf_str(&range, STR(" .. "));
	duration_print(&range, (double)to);
	buf_printf(out, "%20.*s %8" PRIu64 " ", (int)range.len, range.p, n);
	for (i = 0; i < (n * BAR + most - 1) / most; i++)
		buf_char(out, '#');
	buf_char(out, '\n');
	buf_free(&range);
}

/* The next of 1, 2, 5, 10, 20, 50 ... */
static uint64_t
next_step(uint64_t ns)
{
	uint64_t power = 1;

	while (ns / power >= 10)
		power *= 10;
	return ns == 2 * power ? 5 * power : 2 * ns;
}

static bool
has_bar(const struct latency *l, uint64_t first, uint64_t from)
{
	return from < MAX_NS && (from == first || from < l->max);
}

/* The first bar also has the calls that took less. */
static uint64_t
calls_of_bar(const struct latency *l, bool is_first, uint64_t from, uint64_t to)
{
	return is_first ? l->n - latency_between(l, to, UINT64_MAX) :
			  latency_between(l, from, to);
}

static void
text_histogram(const struct split *s, struct buf *out)
{
	const struct latency *l = &s->latency;
	uint64_t from, to, first = 1, n, most = 0;

	if (l->n == 0)
		return;
	while (first < MAX_NS && next_step(first) < l->min)
		first = next_step(first);
	for (from = first; has_bar(l, first, from); from = to) {
		to = next_step(from);
		n = calls_of_bar(l, from == first, from, to);
		most = n > most ? n : most;
	}
	buf_printf(out, "%20s %8s\n", "took", "calls");
	for (from = first; most > 0 && has_bar(l, first, from); from = to) {
		to = next_step(from);
		text_bar(out, from, to,
			 calls_of_bar(l, from == first, from, to), most);
	}
	buf_char(out, '\n');
}

/* The weight of all parts. */
static double
all_weight(const struct split *s)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < s->parts.n; i++) {
		if (s->parts.part[i].target == i)
			sum += s->parts.part[i].weight;
	}
	return sum;
}

/* Append a weight, with its unit if it is a time. */
static void
add_weight(const struct split *s, struct buf *out, double weight)
{
	if (s->roles.is_ns)
		duration_print(out, weight);
	else
		buf_printf(out, "%.3g", weight);
}

static void
text_part(const struct split *s, const struct profile_part *p, double all,
	  struct buf *out)
{
	struct buf took = { 0 }, sampled = { 0 };

	if (p->calls > 0) {
		duration_print(&took, p->ns / (double)p->calls);
		add_weight(s, &sampled, p->weight / (double)p->calls);
	}
	buf_printf(out, "%8" PRIu64 " %8" PRIu64 " %6.1f%% %9.*s %9.*s  ",
		   p->calls, p->samples, all > 0 ? 100 * p->weight / all : 0,
		   (int)took.len, took.p == NULL ? "" : took.p,
		   (int)sampled.len, sampled.p == NULL ? "" : sampled.p);
	utf8_escape(out, buf_slice(&p->name));
	buf_char(out, '\n');
	buf_free(&took);
	buf_free(&sampled);
}

/* Whether the slow calls are one part. */
static bool
has_slow_part(const struct split *s)
{
	return s->opt.nthresholds > 0 &&
	       (s->opt.longest == 0 || s->opt.join_longest);
}

static void
text_parts(const struct split *s, struct buf *out)
{
	const struct partition *p = &s->parts;
	double all = all_weight(s);
	size_t i;

	buf_printf(out, "%8s %8s %7s %9s %9s\n", "", "", "share of", "took",
		   "sampled");
	buf_printf(out, "%8s %8s %7s %9s %9s\n", "calls", "samples", "samples",
		   "a call", "a call");
	for (i = splitout_slow(s); i >= SPLIT_BANDS; i--) {
		if (s->opt.nthresholds > 0 &&
		    (i < splitout_slow(s) || has_slow_part(s)))
			text_part(s, &p->part[i], all, out);
	}
	for (i = splitout_slow(s) + 1; i < p->n; i++) {
		if (p->part[i].target == i)
			text_part(s, &p->part[i], all, out);
	}
	for (i = 0; i < SPLIT_BANDS; i++) {
		if (p->part[i].samples > 0)
			text_part(s, &p->part[i], all, out);
	}
}

static const char *const end_text[CALL_ENDS] = {
	[CALL_BEFORE] = "had begun before the recording",
	[CALL_ABANDONED] = "never returned: another began instead",
	[CALL_OPEN] = "had not returned at the end, or when the thread ended",
	[CALL_LOST] = "may be several, because records were lost"
};

static const char *const end_name[CALL_ENDS] = { [CALL_RETURNED] = "returned",
						 [CALL_BEFORE] = "before",
						 [CALL_ABANDONED] = "left",
						 [CALL_OPEN] = "open",
						 [CALL_LOST] = "lost" };

bool
splitreport_note(const struct split *s, unsigned *at, struct buf *out)
{
	unsigned i;

	out->len = 0;
	while (out->len == 0 && *at <= CALL_ENDS + 2) {
		i = (*at)++;
		if (i == 0 && s->latency.n > 0 && has_slow_part(s)) {
			splitout_thin(&s->parts.part[splitout_slow(s)], out);
			if (out->len > 0)
				buf_str(out, s->opt.longest > 0 ?
						 STR(" in the longest calls") :
						 STR(" in slow calls"));
		} else if (i < CALL_ENDS && end_text[i] != NULL &&
			   s->ended[i] > 0) {
			buf_printf(out, "%" PRIu64 " call%s %s: not whole",
				   s->ended[i],
				   str_plural(s->ended[i], "", "s"),
				   end_text[i]);
		} else if (i == CALL_ENDS && s->calls.stray > 0) {
			buf_printf(out, "%" PRIu64 " %s not seen to begin",
				   s->calls.stray,
				   str_plural(s->calls.stray,
					      "return from a call that was",
					      "returns from calls that were"));
		} else if (i == CALL_ENDS + 1 && s->lost > 0) {
			buf_printf(out, "%" PRIu64 " record%s lost", s->lost,
				   str_plural(s->lost, " was", "s were"));
		} else if (i == CALL_ENDS + 2 && s->calls.out_of_order > 0) {
			buf_printf(
			    out,
			    "%" PRIu64
			    " %s out of order in time: latencies are wrong",
			    s->calls.out_of_order,
			    str_plural(s->calls.out_of_order,
				       "entry or return is",
				       "entries and returns are"));
		}
	}
	return out->len > 0;
}

void
splitreport_text(struct split *s, struct buf *out)
{
	struct buf note = { 0 };
	unsigned at = 0;

	text_head(s, out);
	text_histogram(s, out);
	text_parts(s, out);
	buf_char(out, '\n');
	if (s->calls.nested > 0)
		buf_printf(out, "%" PRIu64 " %s\n", s->calls.nested,
			   str_plural(s->calls.nested,
				      "call within another, which is counted "
				      "as a part of that",
				      "calls within others, which are counted "
				      "as parts of these"));
	while (splitreport_note(s, &at, &note)) {
		buf_str(out, buf_slice(&note));
		buf_char(out, '\n');
	}
	buf_free(&note);
}

void
splitreport_tsv(struct split *s, struct buf *out)
{
	const struct profile_part *p;
	uint32_t i;

	buf_printf(out, "calls\t%" PRIu64 "\nnested\t%" PRIu64 "\n",
		   s->latency.n, s->calls.nested);
	for (i = CALL_BEFORE; i < CALL_ENDS; i++)
		buf_printf(out, "%s\t%" PRIu64 "\n", end_name[i], s->ended[i]);
	buf_printf(out, "stray\t%" PRIu64 "\nrecords_lost\t%" PRIu64 "\n",
		   s->calls.stray, s->lost);
	for (i = 0; s->latency.n > 0 && i < PERCENTS; i++)
		buf_printf(out, "p%g\t%" PRIu64 "\n", percents[i],
			   latency_percentile(&s->latency, percents[i]));
	buf_printf(out, "longest\t%" PRIu64 "\n", s->latency.max);
	for (i = 0; i < s->opt.nthresholds; i++)
		buf_printf(out, "bound\t%" PRIu64 "\t%.*s\n",
			   s->opt.threshold[i].ns,
			   (int)s->opt.threshold[i].text.len,
			   s->opt.threshold[i].text.p);
	buf_str(out, STR("part\tcalls\tsamples\tweight\tns\n"));
	for (i = 0; i < s->parts.n; i++) {
		p = &s->parts.part[i];
		if (p->target != i)
			continue;
		utf8_escape(out, buf_slice(&p->name));
		buf_printf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%.0f\t%.0f\n",
			   p->calls, p->samples, p->weight, p->ns);
	}
}

/* Cut the leaf off a stack and return it. */
static struct str
cut_leaf(struct str *stack)
{
	const char *p = memrchr(stack->p, ';', stack->len);
	struct str leaf = *stack;

	if (p != NULL)
		leaf = str_range(p + 1, stack->p + stack->len);
	stack->len -= leaf.len + (p != NULL);
	return leaf;
}

/* Whether a frame is the called function; entry is the stack of the entry. */
static bool
is_called(const struct split *s, struct str frame, struct str entry)
{
	if (s->opt.frame != NULL)
		return regex_match(s->opt.frame, frame);
	return str_eq(frame, str_of(s->opt.name)) ||
	       str_eq(frame, cut_leaf(&entry));
}

/*
 * Append what a thread waited for and which callee of the call led to it:
 * "state:futex under pthread_mutex_lock".
 */
static void
add_wait(const struct split *s, struct buf *out, const struct backlog_detail *d)
{
	struct str text = intern_name(s->samples.stacks, d->wait_stack);
	struct str entry = intern_name(s->samples.stacks, d->entry_stack);
	struct str leaf = cut_leaf(&text), rest = text, under, frame;

	under = cut_leaf(&text);
	while (rest.len > 0) {
		frame = cut_leaf(&rest);
		if (is_called(s, frame, entry))
			break;
		under = rest.len > 0 ? frame : under;
	}
	buf_str(out, STR(" in "));
	utf8_escape(out, leaf);
	buf_str(out, STR(" under "));
	utf8_escape(out, under);
}

void
splitreport_list(struct split *s, struct buf *out)
{
	struct buf args = { 0 };
	const struct backlog_call *call;
	const struct backlog_detail *d;
	size_t i;

	call_backlog_sort(&s->backlog);
	buf_str(out, STR("begin\ttid\tns\tpart\targs\twaited\n"));
	for (i = 0; i < s->backlog.n; i++) {
		d = &s->backlog.detail[i];
		call = &s->backlog.call[d->call];
		if (!split_lists(s, call->part))
			continue;
		buf_printf(out,
			   "%" PRIu64 ".%09" PRIu64 "\t%" PRId64 "\t%" PRIu64
			   "\t",
			   d->begin / 1000000000, d->begin % 1000000000, d->tid,
			   call->ns);
		utf8_escape(out, buf_slice(&s->parts.part[call->part].name));
		buf_char(out, '\t');
		args.len = 0;
		meta_decode(&args, call_backlog_args(&s->backlog, d));
		utf8_escape(out, buf_slice(&args));
		buf_char(out, '\t');
		if (d->longest_wait > 0) {
			duration_print(out, (double)d->longest_wait);
			add_wait(s, out, d);
		}
		buf_char(out, '\n');
	}
	buf_free(&args);
}
