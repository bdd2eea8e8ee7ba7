/* sample_filter.c - which samples of a trace to keep: --only. */
#include "reader/sample_filter.h"

#include "base/mem.h"
#include "base/regex.h"
#include "cli/cmd.h"

#include <stdlib.h>

enum filter_key { TIME, CPU, PID, TID, COMM, CGROUP, KEYS };

struct filter_condition {
	enum filter_key key;
	uint64_t from, to;   /* both included; times in ns */
	struct regex *regex; /* for COMM and CGROUP */
};

struct sample_filter {
	struct filter_condition *condition;
	size_t n, cap;
	unsigned keys; /* bit set of the keys that have conditions */
	unsigned seen; /* bit set of these that a sample had */
};

static const char *const key_names[KEYS] = { "time", "cpu",  "pid",
					     "tid",  "comm", "cgroup" };

struct sample_filter *
sample_filter_new(void)
{
	return mem_zero(1, sizeof(struct sample_filter));
}

void
sample_filter_free(struct sample_filter *filter)
{
	size_t i;

	for (i = 0; i < filter->n; i++) {
		if (filter->condition[i].regex != NULL)
			regex_free(filter->condition[i].regex);
	}
	free(filter->condition);
	free(filter);
}

/* Seconds with up to nine decimals. */
static bool
parse_time(struct str s, uint64_t *ns)
{
	struct str rest = s, whole = str_cut(&rest, '.');
	uint64_t seconds = 0, decimals = 0;
	size_t i;

	if (!str_u64(whole, &seconds) || seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	if (rest.len > 9 || (rest.len > 0 && !str_u64(rest, &decimals)))
		return false;
	for (i = rest.len; i < 9; i++)
		decimals *= 10;
	*ns = seconds * 1000000000 + decimals;
	return true;
}

/* "A-B", "A-", "-B"; except for times also "A". */
static bool
parse_range(struct filter_condition *c, struct str value)
{
	bool (*parse)(struct str, uint64_t *) = c->key == TIME ? parse_time :
								 str_u64;
	struct str to = value, from = str_cut(&to, '-');

	c->from = 0;
	c->to = UINT64_MAX;
	if (str_find(value, '-') == NULL) {
		c->to = c->from;
		return c->key != TIME && parse(value, &c->from) &&
		       parse(value, &c->to);
	}
	return (from.len == 0 || parse(from, &c->from)) &&
	       (to.len == 0 || parse(to, &c->to)) && value.len > 1;
}

bool
sample_filter_add(struct sample_filter *filter, struct str text,
		  struct buf *why)
{
	struct str value = text, name = str_cut(&value, '=');
	struct filter_condition c = { .key = TIME };
	size_t offset;

	while (c.key < KEYS && !str_eq(name, str_of(key_names[c.key])))
		c.key++;
	if (c.key == KEYS || value.len == 0) {
		buf_str(why, STR("it must begin with time=, cpu=, pid=, tid=, "
				 "comm= or cgroup="));
		return false;
	}
	if (c.key == COMM || c.key == CGROUP) {
		c.regex = regex_new(value, false, why, &offset);
		if (c.regex == NULL) {
			buf_printf(why, " at offset %zu", offset);
			return false;
		}
	} else if (!parse_range(&c, value)) {
		buf_str(why, c.key == TIME ? STR("seconds are A-B") :
					     STR("not a number, nor N-M"));
		return false;
	}
	filter->condition = mem_grow(filter->condition, &filter->cap,
				     filter->n + 1, sizeof(*filter->condition));
	filter->condition[filter->n++] = c;
	filter->keys |= 1u << c.key;
	return true;
}

static bool
is_within(const struct filter_condition *c, bool has_value, uint64_t n)
{
	return has_value && n >= c->from && n <= c->to;
}

static bool
is_met(const struct filter_condition *c, const struct sample *sample)
{
	switch (c->key) {
	case TIME:
		return is_within(c, sample->has_time, sample->time);
	case CPU:
		return is_within(c, sample->cpu >= 0, (uint64_t)sample->cpu);
	case PID:
		return is_within(c, sample->pid >= 0, (uint64_t)sample->pid);
	case TID:
		return is_within(c, sample->tid >= 0, (uint64_t)sample->tid);
	case COMM:
		return regex_match(c->regex, sample->comm);
	default:
		return regex_match(c->regex, sample->cgroup);
	}
}

static bool
has_key(const struct sample *sample, enum filter_key key)
{
	switch (key) {
	case TIME:
		return sample->has_time;
	case CPU:
		return sample->cpu >= 0;
	case PID:
		return sample->pid >= 0;
	case TID:
		return sample->tid >= 0;
	case COMM:
		return sample->comm.len > 0;
	default:
		return sample->cgroup.len > 0;
	}
}

static void
note_keys(struct sample_filter *filter, const struct sample *sample)
{
	enum filter_key key;

	for (key = TIME; key < KEYS; key++) {
		if (has_key(sample, key))
			filter->seen |= 1u << key;
	}
}

const char *
sample_filter_missing(const struct sample_filter *filter)
{
	enum filter_key key;

	for (key = TIME; key < KEYS; key++) {
		if ((filter->keys & ~filter->seen) >> key & 1)
			return key_names[key];
	}
	return NULL;
}

bool
sample_filter_wants(struct sample_filter *filter, const struct sample *sample)
{
	unsigned met = 0;
	size_t i;

	if ((filter->keys & ~filter->seen) != 0)
		note_keys(filter, sample);
	for (i = 0; i < filter->n; i++) {
		if (met >> filter->condition[i].key & 1)
			continue;
		if (is_met(&filter->condition[i], sample))
			met |= 1u << filter->condition[i].key;
	}
	return met == filter->keys;
}

void
sample_filter_check(const struct sample_filter *filter, struct cmd *cmd)
{
	size_t i;

	for (i = 0; i < filter->n; i++)
		cmd_check_pattern(cmd, "only", filter->condition[i].regex);
}
