/* latency_threshold.c - the latency above which a call is slow. */
#include "split/latency_threshold.h"

#include "base/count.h"
#include "base/duration.h"

static bool
parse_number(struct str s, double *n)
{
	struct count c;

	if (count_parse(s, &c) != COUNT_OK)
		return false;
	*n = count_double(c);
	return true;
}

/* Cut a prefix off s.  False if s does not start with it. */
static bool
cut_prefix(struct str *s, struct str prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	*s = str_skip(*s, prefix.len);
	return true;
}

/* Cut a suffix off s.  False if s does not end in it. */
static bool
cut_suffix(struct str *s, struct str suffix)
{
	if (!str_ends(*s, suffix))
		return false;
	s->len -= suffix.len;
	return true;
}

bool
latency_threshold_parse(struct str s, struct latency_threshold *t)
{
	*t = (struct latency_threshold){ .text = s, .exact = true };
	if (str_eq(s, STR("mean"))) {
		t->kind = LATENCY_THRESHOLD_MEAN;
		return true;
	}
	if (cut_prefix(&s, STR("mean+"))) {
		t->kind = LATENCY_THRESHOLD_MEAN;
		t->n = 1;
		return cut_suffix(&s, STR("sd")) &&
		       (s.len == 0 || parse_number(s, &t->n));
	}
	if (cut_suffix(&s, STR("%")) || cut_prefix(&s, STR("p"))) {
		t->kind = LATENCY_THRESHOLD_PERCENT;
		return parse_number(s, &t->n) && t->n > 0 && t->n <= 100;
	}
	t->kind = LATENCY_THRESHOLD_NS;
	return duration_parse(s, &t->ns);
}

void
latency_threshold_find(struct latency_threshold *t, struct latency *l)
{
	double ns;

	if (t->kind == LATENCY_THRESHOLD_NS || l->n == 0)
		return;
	t->exact = latency_is_exact(l);
	if (t->kind == LATENCY_THRESHOLD_PERCENT) {
		t->ns = latency_percentile(l, t->n);
	} else if (t->kind == LATENCY_THRESHOLD_LONGEST) {
		t->ns = t->n < (double)l->n ?
			    latency_nth_longest(l, (uint64_t)t->n) :
			    0;
	} else {
		ns = l->sum / (double)l->n + t->n * latency_deviation(l);
		t->ns = ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
	}
}

void
latency_threshold_print(struct buf *out, const struct latency_threshold *t)
{
	buf_str(out, t->text);
	if (t->kind == LATENCY_THRESHOLD_NS || !t->exact)
		return;
	buf_str(out, STR(" ("));
	duration_print(out, (double)t->ns);
	buf_char(out, ')');
}
