/* only.c - which samples of a trace are wanted: --only. */
#include "only.h"

#include "mem.h"
#include "regex.h"

#include <stdlib.h>

enum key { TIME, CPU, PID, TID, COMM, CGROUP, KEYS };

struct condition {
	enum key key;
	uint64_t from, to; /* of numbers and of times in ns, both included */
	struct regex *regex;
};

struct only {
	struct condition *condition;
	size_t n, cap;
	unsigned keys; /* bits of those that there are */
};

struct only *
only_new(void)
{
	return mem_zero(1, sizeof(struct only));
}

void
only_free(struct only *o)
{
	size_t i;

	for (i = 0; i < o->n; i++) {
		if (o->condition[i].regex != NULL)
			regex_free(o->condition[i].regex);
	}
	free(o->condition);
	free(o);
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

/* "A-B", "A-", "-B"; of numbers also "A". */
static bool
parse_range(struct condition *c, struct str value)
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
only_add(struct only *o, struct str text, struct buf *why)
{
	static const char *const names[KEYS] = { "time", "cpu",  "pid",
						 "tid",  "comm", "cgroup" };
	struct str value = text, name = str_cut(&value, '=');
	struct condition c = { .key = TIME };
	size_t offset;

	while (c.key < KEYS && !str_eq(name, str_of(names[c.key])))
		c.key++;
	if (c.key == KEYS || value.len == 0) {
		buf_str(why, STR("it begins with time=, cpu=, pid=, tid=, "
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
	o->condition = mem_grow(o->condition, &o->cap, o->n + 1,
				sizeof(*o->condition));
	o->condition[o->n++] = c;
	o->keys |= 1u << c.key;
	return true;
}

static bool
is_within(const struct condition *c, bool known, uint64_t n)
{
	return known && n >= c->from && n <= c->to;
}

static bool
holds(const struct condition *c, const struct sample *s)
{
	switch (c->key) {
	case TIME:
		return is_within(c, s->has_time, s->time);
	case CPU:
		return is_within(c, s->cpu >= 0, (uint64_t)s->cpu);
	case PID:
		return is_within(c, s->pid >= 0, (uint64_t)s->pid);
	case TID:
		return is_within(c, s->tid >= 0, (uint64_t)s->tid);
	case COMM:
		return regex_match(c->regex, s->comm);
	default:
		return regex_match(c->regex, s->cgroup);
	}
}

bool
only_wants(const struct only *o, const struct sample *s)
{
	unsigned held = 0;
	size_t i;

	for (i = 0; i < o->n; i++) {
		if (held >> o->condition[i].key & 1)
			continue;
		if (holds(&o->condition[i], s))
			held |= 1u << o->condition[i].key;
	}
	return held == o->keys;
}
