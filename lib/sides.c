/* sides.c - the profiles of two sides, before and after, in one trie. */
#include "sides.h"

#include "folded.h"
#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

void
sides_init(struct sides *s)
{
	s->names = intern_new();
	trie_init(&s->trie);
}

static void
add_run(struct sides *s, const struct input *in, enum side side)
{
	struct run *run;

	s->run = mem_grow(s->run, &s->run_cap, s->n + 1, sizeof(*s->run));
	run = &s->run[s->n++];
	*run = (struct run){ .side = side, .whole = true };
	run->name = strdup(in->name);
	if (run->name == NULL)
		err(2, NULL);
	if (s->with_runs)
		run->weight = mem_zero(s->cap, sizeof(*run->weight));
}

static void *
grow_zero(void *p, size_t old, size_t cap, size_t size)
{
	size_t was = old;

	p = mem_grow(p, &was, cap, size);
	memset((char *)p + old * size, 0, (cap - old) * size);
	return p;
}

/* Have room for every frame of the trie. */
static void
grow(struct sides *s)
{
	size_t i, old = s->cap;

	if (s->trie.n <= old)
		return;
	s->cap = s->trie.cap;
	for (i = 0; i < 2; i++)
		s->self[i] = grow_zero(s->self[i], old, s->cap,
				       sizeof(*s->self[i]));
	s->ends = grow_zero(s->ends, old, s->cap, sizeof(*s->ends));
	for (i = 0; i < s->n && s->with_runs; i++)
		s->run[i].weight = grow_zero(s->run[i].weight, old, s->cap,
					     sizeof(*s->run[i].weight));
}

static uint64_t
gcd(uint64_t a, uint64_t b)
{
	uint64_t rest;

	while (b != 0) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Take a count of a run in: what ends in frame i. */
static void
add_weight(struct run *run, uint32_t i, struct count c)
{
	run->whole &= c.micro == 0;
	if (run->gcd != 1 && c.units != 0)
		run->gcd = gcd(run->gcd, c.units);
	if (count_cmp(c, run->largest) > 0)
		run->largest = c;
	if (run->weight != NULL)
		run->weight[i] += count_double(c);
}

/* A stack of the run, or of both, that was begun last. */
static void
add_stack(struct sides *s, const struct input *in, const uint32_t *id, size_t n,
	  const struct count *count)
{
	struct run *run = &s->run[s->n - 1];
	struct count both[2] = { count[0], count[1] };
	uint32_t i;
	int c;

	if (!s->paired) {
		both[1 - run->side] = count_of(0);
		both[run->side] = count[0];
	}
	i = trie_add(&s->trie, id, n);
	grow(s);
	for (c = 0; c < 2; c++) {
		/* What ends in a frame does not exceed the total. */
		if (!count_add(&s->total[c], both[c]))
			errx(2,
			     "%s:%" PRIu64 ": the counts add up to more "
			     "than 64 bits",
			     in->name, in->line);
		count_add(&s->self[c][i], both[c]);
	}
	s->ends[i] = true;
	add_weight(run, i, both[run->side]);
	if (s->paired)
		add_weight(run - 1, i, both[BEFORE]);
}

/* "0x7f12" and "0xAB" become "0x...", as with difffolded.pl -s. */
static struct str
strip_hex(struct buf *out, struct str s)
{
	const char *p;

	if (str_search(s, STR("0x")) == NULL)
		return s;
	out->len = 0;
	while ((p = str_search(s, STR("0x"))) != NULL) {
		buf_str(out, str_range(s.p, p + 2));
		s = str_skip(s, (size_t)(p + 2 - s.p));
		if (s.len > 0 && str_hexdigit(*s.p) >= 0)
			buf_str(out, STR("..."));
		while (s.len > 0 && str_hexdigit(*s.p) >= 0)
			s = str_skip(s, 1);
	}
	buf_str(out, s);
	return buf_slice(out);
}

static void
read_stack(struct sides *s, const struct folded *f, const struct input *in)
{
	struct run *run = &s->run[s->n - 1];
	struct str text = f->stack;

	if (f->counts != (s->paired ? 2 : 1))
		errx(2, "%s:%" PRIu64 ": %d counts a line, not %d", in->name,
		     in->line, f->counts, s->paired ? 2 : 1);
	if (s->strip_hex)
		text = strip_hex(&s->text, text);
	stack_split(&s->stack, s->names, text);
	if (s->holds)
		held_add(&s->held, &s->stack, f->count);
	else
		add_stack(s, in, s->stack.id, s->stack.n, f->count);
	merge_stack(&run->merge, &f->own, f->count[0]);
}

/* Count what was held. */
static void
release(struct sides *s, const struct input *in)
{
	struct held_stack h;

	while (held_take(&s->held, &h))
		add_stack(s, in, h.id, h.n, h.count);
	s->holds = false;
}

static bool
is_snapshot(const struct folded *f)
{
	return meta_has(&f->header, "time") && meta_has(&f->header, "dur");
}

static void
end_profile(struct sides *s, const struct input *in)
{
	const char *reason;

	release(s, in);
	reason = merge_end(&s->run[s->n - 1].merge);
	if (reason != NULL)
		errx(2, "%s:%" PRIu64 ": cannot be added up: %s", in->name,
		     in->line, reason);
}

static void
begin_profile(struct sides *s, const struct folded *f)
{
	merge_begin(&s->run[s->n - 1].merge, &f->header);
	s->holds = s->had_snapshot && is_snapshot(f);
}

/* A stream may have been cut off behind any line. */
static void
end_input(struct sides *s, const struct input *in, bool *cut)
{
	*cut = s->holds;
	if (!s->holds) {
		end_profile(s, in);
		return;
	}
	held_drop(&s->held);
	s->holds = false;
	merge_drop(&s->run[s->n - 1].merge);
}

static void
read_lines(struct sides *s, struct input *in, bool *cut)
{
	struct folded f = { .counts = s->counts };
	enum folded_kind kind;

	s->had_snapshot = s->holds = false;
	merge_begin(&s->run[s->n - 1].merge, NULL);
	while ((kind = folded_read(&f, in)) != FOLDED_END) {
		if (kind == FOLDED_STACK) {
			read_stack(s, &f, in);
		} else if (kind == FOLDED_META && f.is_header) {
			end_profile(s, in);
			begin_profile(s, &f);
		} else if (kind == FOLDED_BLANK && is_snapshot(&f)) {
			release(s, in);
			s->had_snapshot = true;
		}
	}
	end_input(s, in, cut);
	folded_free(&f);
}

void
sides_read(struct sides *s, struct input *in, enum side side, bool *cut)
{
	add_run(s, in, side);
	read_lines(s, in, cut);
}

void
sides_read_both(struct sides *s, struct input *in, bool *cut)
{
	s->paired = true;
	add_run(s, in, BEFORE);
	add_run(s, in, AFTER);
	read_lines(s, in, cut);
}

/* Children come after their parents. */
static void
sum_up(const struct trie *t, double *weight)
{
	uint32_t i;

	for (i = t->n - 1; i > 0; i--)
		weight[t->frame[i].parent] += weight[i];
}

void
sides_finish(struct sides *s)
{
	size_t i;

	grow(s);
	for (i = 0; i < s->n && s->with_runs; i++)
		sum_up(&s->trie, s->run[i].weight);
}

void
sides_check(const struct sides *s)
{
	struct str unit = { NULL, 0 }, one;
	size_t i;

	for (i = 0; i < s->n; i++) {
		one = meta_get(&s->run[i].merge.all, "unit");
		if (unit.len > 0 && one.len > 0 && !str_eq(unit, one))
			errx(2, "counts in %.*s cannot be compared with %.*s",
			     (int)unit.len, unit.p, (int)one.len, one.p);
		unit = one.len > 0 ? one : unit;
	}
}

/* What is said of one profile and not of two. */
static bool
is_private(struct str key)
{
	static const char *const keys[] = { "n",    "time",   "dur",
					    "lost", "broken", "seq" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (str_eq(key, str_of(keys[i])))
			return true;
	}
	return false;
}

static bool
all_agree(const struct sides *s, const struct meta_entry *e)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct meta *m = &s->run[i].merge.all;

		if (!(s->paired && i == 0) &&
		    (!meta_has(m, e->key.p) ||
		     !str_eq(meta_get(m, e->key.p), e->value)))
			return false;
	}
	return true;
}

void
sides_header(const struct sides *s, struct meta *header)
{
	const struct meta *last = &s->run[s->n - 1].merge.all;
	size_t i;

	for (i = 0; i < last->n; i++) {
		const struct meta_entry *e = &last->entry[i];

		if (!is_private(e->key) && all_agree(s, e))
			meta_set_raw(header, e->key.p, e->value);
	}
	meta_set(header, "fold", STR("1"));
	meta_set_u64(header, "counts", 2);
	meta_sort(header);
}

void
sides_free(struct sides *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		free(s->run[i].name);
		free(s->run[i].weight);
		merge_free(&s->run[i].merge);
	}
	free(s->run);
	free(s->ends);
	trie_free(&s->trie);
	free(s->self[BEFORE]);
	free(s->self[AFTER]);
	intern_free(s->names);
	stack_free(&s->stack);
	held_free(&s->held);
	buf_free(&s->text);
}
