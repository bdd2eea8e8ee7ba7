/* splitout.c - writes the parts of a split stream as folded text. */
#include "split/splitout.h"

#include "base/duration.h"
#include "base/min_samples.h"
#include "folded/meta.h"

#include <inttypes.h>

/* Name a band "handle > p50 (1 ms) <= p95". */
static void
name_band(struct split *s, size_t band)
{
	const struct latency_threshold *t = s->opt.threshold;
	struct buf *name = &s->parts.part[SPLIT_BANDS + band].name;

	name->len = 0;
	buf_str(name, str_of(s->opt.name));
	if (band > 0 && s->opt.longest > 0) {
		buf_str(name, STR(", the longest"));
	} else if (band > 0) {
		buf_str(name, STR(" > "));
		latency_threshold_print(name, &t[band - 1]);
	}
	if (band < s->opt.nthresholds) {
		buf_str(name, STR(" <= "));
		buf_str(name, t[band].text);
	}
}

/* Name calls "1. handle 3.48 ms at 2711.820698081 in 29599", by rank. */
static void
name_longest(struct split *s)
{
	const struct backlog_call *call;
	const struct backlog_detail *d;
	struct buf *name;
	uint64_t i, rank, n = s->backlog.n;
	int width = snprintf(NULL, 0, "%" PRIu64, s->opt.longest);

	for (i = 0; i < n; i++) {
		call = &s->backlog.call[i];
		d = &s->backlog.detail[i];
		if (call->part <= splitout_slow(s))
			continue;
		rank = 1 + latency_between(&s->latency, call->ns, UINT64_MAX);
		name = &s->parts.part[call->part].name;
		name->len = 0;
		buf_printf(name, "%0*" PRIu64 ". %s ", width, rank,
			   s->opt.name);
		duration_print(name, (double)call->ns);
		buf_printf(name, " at %" PRIu64 ".%09" PRIu64,
			   d->begin / 1000000000, d->begin % 1000000000);
		if (d->tid >= 0)
			buf_printf(name, " in %" PRId64, d->tid);
	}
}

void
splitout_name(struct split *s)
{
	struct buf *name = &s->parts.part[SPLIT_UNFINISHED].name;
	size_t i;

	splitby_name(&s->opt.by, &s->parts);
	if (!split_has_calls(s))
		return;
	for (i = 0; i <= s->opt.nthresholds; i++)
		name_band(s, i);
	if (s->opt.longest > 0)
		name_longest(s);
	name->len = 0;
	buf_printf(name, "%s, not whole", s->opt.name);
}

void
splitout_thin(const struct profile_part *p, struct buf *out)
{
	if (min_samples_missing((double)p->calls, (double)p->samples))
		min_samples_describe(out, (double)p->calls, (double)p->samples);
}

static void
begin_header(const struct split *s, struct meta *m, const char *counts)
{
	meta_set(m, "fold", STR("1"));
	meta_set(m, "counts", str_of(counts));
	if (s->roles.unit.len > 0)
		meta_set(m, "unit", buf_slice(&s->roles.unit));
	if (s->roles.event.len > 0)
		meta_set(m, "event", s->roles.event);
}

static void
print(struct meta *m, FILE *out)
{
	struct buf line = { 0 };

	meta_print(&line, m);
	buf_write(&line, out);
	buf_free(&line);
	meta_free(m);
}

static void
set_part(struct meta *m, const char *kind)
{
	struct buf part = { 0 };

	buf_printf(&part, "%s calls", kind);
	meta_set(m, "part", buf_slice(&part));
	buf_free(&part);
}

/* Set a key to the numbers of both sides. */
static void
set_pair(struct meta *m, const char *key, uint64_t before, uint64_t after)
{
	struct buf value = { 0 };

	buf_printf(&value, "%" PRIu64 ",%" PRIu64, before, after);
	meta_set(m, key, buf_slice(&value));
	buf_free(&value);
}

/* Convert the nanoseconds of all calls, which may exceed 64 bits. */
static uint64_t
whole(double ns)
{
	return ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
}

static void
set_title(struct meta *m, const struct profile_part *p)
{
	struct buf thin = { 0 }, title = { 0 };

	splitout_thin(p, &thin);
	buf_str(&title, buf_slice(&p->name));
	if (thin.len > 0)
		buf_str(&title, STR(", "));
	buf_str(&title, buf_slice(&thin));
	meta_set(m, "title", buf_slice(&title));
	buf_free(&title);
	buf_free(&thin);
}

void
splitout_all(const struct split *s, FILE *out)
{
	struct meta m = { 0 };

	begin_header(s, &m, "1");
	print(&m, out);
	partition_write(&s->parts, s->samples.stacks, out);
}

void
splitout_one(const struct split *s, uint32_t part, FILE *out)
{
	const struct profile_part *p = &s->parts.part[part];
	uint64_t quantum = partition_quantum(&s->parts, part);
	struct meta m = { 0 };

	begin_header(s, &m, "1");
	meta_set_u64(&m, "n", p->samples);
	if (quantum > 0)
		meta_set_u64(&m, "quantum", quantum);
	if (part >= SPLIT_BANDS) {
		set_part(&m, part == splitout_slow(s) ? "slow" : "fast");
		meta_set_u64(&m, "exposure", p->calls);
		meta_set_u64(&m, "took", whole(p->ns));
		set_title(&m, p);
	}
	print(&m, out);
	partition_write_one(&s->parts, s->samples.stacks, part, out);
}

void
splitout_two(const struct split *s, FILE *out)
{
	const struct profile_part *fast = &s->parts.part[splitout_fast()],
				  *slow = &s->parts.part[splitout_slow(s)];
	uint64_t quantum = partition_quantum(&s->parts, splitout_fast());
	struct meta m = { 0 };

	begin_header(s, &m, "2");
	if (quantum > 0 &&
	    quantum == partition_quantum(&s->parts, splitout_slow(s)))
		meta_set_u64(&m, "quantum", quantum);
	set_part(&m, "slow");
	set_pair(&m, "n", fast->samples, slow->samples);
	set_pair(&m, "exposure", fast->calls, slow->calls);
	set_pair(&m, "took", whole(fast->ns), whole(slow->ns));
	set_title(&m, slow);
	print(&m, out);
	partition_write_two(&s->parts, s->samples.stacks, splitout_fast(),
			    splitout_slow(s), out);
}
