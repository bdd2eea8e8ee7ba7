/* bound.c - where slow calls begin. */
#include "bound.h"

#include "count.h"
#include "duration.h"

static bool
number(struct str s, double *n)
{
	struct count c;

	if (count_parse(s, &c) != COUNT_OK)
		return false;
	*n = count_double(c);
	return true;
}

/* s without what it begins or ends in; false if it does not. */
static bool
cut_prefix(struct str *s, struct str prefix)
{
	if (!str_starts(*s, prefix))
		return false;
	*s = str_skip(*s, prefix.len);
	return true;
}

static bool
cut_suffix(struct str *s, struct str suffix)
{
	if (!str_ends(*s, suffix))
		return false;
	s->len -= suffix.len;
	return true;
}

bool
bound_parse(struct str s, struct bound *b)
{
	*b = (struct bound){ .text = s, .exact = true };
	if (str_eq(s, STR("mean"))) {
		b->kind = BOUND_MEAN;
		return true;
	}
	if (cut_prefix(&s, STR("mean+"))) {
		b->kind = BOUND_MEAN;
		b->n = 1;
		return cut_suffix(&s, STR("sd")) &&
		       (s.len == 0 || number(s, &b->n));
	}
	if (cut_suffix(&s, STR("%")) || cut_prefix(&s, STR("p"))) {
		b->kind = BOUND_PERCENT;
		return number(s, &b->n) && b->n > 0 && b->n <= 100;
	}
	b->kind = BOUND_NS;
	return duration_parse(s, &b->ns);
}

void
bound_find(struct bound *b, struct latency *l)
{
	double ns;

	if (b->kind == BOUND_NS || l->n == 0)
		return;
	b->exact = latency_is_exact(l);
	if (b->kind == BOUND_PERCENT) {
		b->ns = latency_percentile(l, b->n);
	} else if (b->kind == BOUND_LONGEST) {
		b->ns = b->n < (double)l->n ?
			    latency_nth_longest(l, (uint64_t)b->n) :
			    0;
	} else {
		ns = l->sum / (double)l->n + b->n * latency_deviation(l);
		b->ns = ns < 0x1p64 ? (uint64_t)ns : UINT64_MAX;
	}
}

void
bound_print(struct buf *out, const struct bound *b)
{
	buf_str(out, b->text);
	if (b->kind == BOUND_NS || !b->exact)
		return;
	buf_str(out, STR(" ("));
	duration_print(out, (double)b->ns);
	buf_char(out, ')');
}
