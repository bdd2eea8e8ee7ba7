/* jitopt.c - options of all commands that name JIT code. */
#include "jit/jitopt.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>

bool
jitopt_is(int value)
{
	return value >= JIT_OPT_DUMP && value <= JIT_OPT_TRUST;
}

static bool
parse_clock(struct jit_clock *c, struct str s)
{
	struct str shift, mult;

	if (str_eq(s, STR("ns")) || str_eq(s, STR("none"))) {
		c->kind = s.len == 2 ? JIT_CLOCK_NS : JIT_CLOCK_NONE;
		return true;
	}
	c->kind = JIT_CLOCK_TICKS;
	shift = str_cut(&s, ':');
	mult = str_cut(&s, ':');
	return str_u64(shift, &c->shift) && c->shift < 32 &&
	       str_u64(mult, &c->mult) && str_u64(s, &c->zero);
}

static bool
parse_pids(struct str s, int64_t *inside, int64_t *host)
{
	struct str first = str_cut(&s, ':');
	uint64_t a, b;

	if (!str_u64(first, &a) || !str_u64(s, &b) || a > INT32_MAX ||
	    b > INT32_MAX)
		return false;
	*inside = (int64_t)a;
	*host = (int64_t)b;
	return true;
}

bool
jitopt_set(struct jitopt *o, int value, const char *arg)
{
	int64_t inside, host;
	uint64_t ms;

	switch (value) {
	case JIT_OPT_GRACE:
		if (!str_u64(str_of(arg), &ms) || ms > UINT32_MAX)
			return false;
		o->options.grace = ms * 1000000;
		return true;
	case JIT_OPT_CLOCK:
		return parse_clock(&o->options.clock, str_of(arg));
	case JIT_OPT_TRUST:
		o->options.trust_all = true;
		return true;
	case JIT_OPT_PID:
		if (!parse_pids(str_of(arg), &inside, &host))
			return false;
		break;
	default:
		break;
	}
	o->word = mem_grow(o->word, &o->cap, o->n + 1, sizeof(*o->word));
	o->word[o->n++] = (struct jitopt_word){ value, arg };
	return true;
}

static bool
add_file(struct jit_store *s, const struct jitopt_word *w, int64_t pid,
	 struct buf *why)
{
	bool is_map = w->value == JIT_OPT_MAP, ok;
	struct buf reason = { 0 };

	ok = is_map ? jit_store_add_map(s, w->arg, pid, &reason) :
		      jit_store_add_dump(s, w->arg, &reason);
	if (!ok) {
		utf8_escape(why, str_of(w->arg));
		buf_printf(
		    why, ": cannot read %s: ", is_map ? "perf map" : "jitdump");
		buf_str(why, buf_slice(&reason));
	}
	buf_free(&reason);
	return ok;
}

struct jit *
jitopt_open(const struct jitopt *o, int64_t pid, struct buf *why)
{
	struct jit *j = jit_new(&o->options);
	struct jit_store *s = jit_files(j);
	int64_t inside, host;
	size_t i;

	for (i = 0; i < o->n; i++)
		if (o->word[i].value == JIT_OPT_PID &&
		    parse_pids(str_of(o->word[i].arg), &inside, &host))
			jit_store_translate(s, inside, host);
	for (i = 0; i < o->n; i++) {
		if (o->word[i].value == JIT_OPT_PID)
			continue;
		if (!add_file(s, &o->word[i], pid, why)) {
			jit_free(j);
			return NULL;
		}
	}
	return j;
}

void
jitopt_free(struct jitopt *o)
{
	free(o->word);
}
