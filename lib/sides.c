/* sides.c - the profiles of two sides, before and after, in one trie. */
#include "sides.h"

#include "folded.h"
#include "mem.h"
#include "stack.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

void
sides_init(struct sides *s)
{
	s->names = intern_new();
	s->read = intern_new();
	trie_init(&s->trie);
}

void
sides_begin(struct sides *s, const char *name, enum side side)
{
	s->run = mem_grow(s->run, &s->run_cap, s->n + 1, sizeof(*s->run));
	run_init(&s->run[s->n++], name, side);
}

/* The stack that ends in a frame. */
static struct pair *
get_pair(struct sides *s, uint32_t frame)
{
	size_t cap = s->pair_of_cap;

	s->pair_of = mem_grow(s->pair_of, &s->pair_of_cap, (size_t)frame + 1,
			      sizeof(*s->pair_of));
	memset(s->pair_of + cap, 0,
	       (s->pair_of_cap - cap) * sizeof(*s->pair_of));
	if (s->pair_of[frame] == 0) {
		s->pair = mem_grow(s->pair, &s->pair_cap, s->npair + 1,
				   sizeof(*s->pair));
		s->pair[s->npair++] = (struct pair){ .frame = frame };
		s->pair_of[frame] = (uint32_t)s->npair;
	}
	return &s->pair[s->pair_of[frame] - 1];
}

/* "0x7f12" and "0xAB" become "0x...", as with difffolded.pl -s. */
static void
strip_hex(struct buf *out, struct str s)
{
	const char *p;

	while ((p = str_search(s, STR("0x"))) != NULL) {
		buf_str(out, str_range(s.p, p + 2));
		s = str_skip(s, (size_t)(p + 2 - s.p));
		if (s.len > 0 && str_hexdigit(*s.p) >= 0)
			buf_str(out, STR("..."));
		while (s.len > 0 && str_hexdigit(*s.p) >= 0)
			s = str_skip(s, 1);
	}
	buf_str(out, s);
}

/* The name that is kept for one that was read. */
static uint32_t
change_name(struct sides *s, uint32_t id)
{
	struct str name = intern_name(s->read, id);
	struct buf text = { 0 };

	if (s->strip_hex) {
		strip_hex(&text, name);
		name = buf_slice(&text);
	}
	if (s->palette != NULL)
		name = palette_rename(s->palette, name);
	id = intern_id(s->names, name);
	buf_free(&text);
	return id;
}

/* Whether names are kept as they are read. */
static bool
keeps_names(const struct sides *s)
{
	return !s->strip_hex && s->palette == NULL;
}

/* The names of a stack as they are kept. */
static const uint32_t *
keep_names(struct sides *s, const uint32_t *id, size_t n)
{
	size_t i, cap = s->kept_cap;

	s->kept = mem_grow(s->kept, &s->kept_cap, intern_size(s->read),
			   sizeof(*s->kept));
	memset(s->kept + cap, 0, (s->kept_cap - cap) * sizeof(*s->kept));
	s->id = mem_grow(s->id, &s->id_cap, n, sizeof(*s->id));
	for (i = 0; i < n; i++) {
		if (s->kept[id[i]] == 0)
			s->kept[id[i]] = 1 + change_name(s, id[i]);
		s->id[i] = s->kept[id[i]] - 1;
	}
	return s->id;
}

/* The frame in which a stack ends. */
static uint32_t
get_frame(struct sides *s, const uint32_t *id, size_t n)
{
	return trie_add(&s->trie, keeps_names(s) ? id : keep_names(s, id, n),
			n);
}

/* Take in a run's count of a stack; false if a sum exceeds 64 bits. */
static bool
add_count(struct sides *s, struct run *run, uint32_t frame, struct count c)
{
	/* What ends in a frame does not exceed the total. */
	if (!count_add(&s->total[run->side], c))
		return false;
	count_add(&get_pair(s, frame)->count[run->side], c);
	if (s->with_runs)
		run_add(run, frame, s->second, c);
	return true;
}

/* Take in a stack of the run, or of both, that was begun last. */
bool
sides_add(struct sides *s, const uint32_t *id, size_t n,
	  const struct count *count)
{
	struct run *run = &s->run[s->n - 1];
	uint32_t frame = get_frame(s, id, n);

	if (!s->paired)
		return add_count(s, run, frame, count[0]);
	return add_count(s, run - 1, frame, count[BEFORE]) &&
	       add_count(s, run, frame, count[AFTER]);
}

static bool
add_stack(struct stacks *stacks, const uint32_t *id, size_t n,
	  const struct count *count)
{
	struct sides *s = stacks->arg;

	s->second = (uint32_t)(stacks->seen.time / 1000000000);
	return sides_add(s, id, n, count);
}

struct intern *
sides_names(struct sides *s)
{
	return keeps_names(s) ? s->names : s->read;
}

static void
begin(struct stacks *stacks)
{
	struct sides *s = stacks->arg;

	stacks->names = sides_names(s);
	if (stacks->counts != (s->paired ? 2 : 1))
		errx(2,
		     s->paired ? "%s: one profile has one side: name two" :
				 "%s: it has two sides by itself",
		     s->run[s->n - 1].name);
}

static void
cut_off(struct stacks *stacks, const struct input *in)
{
	struct sides *s = stacks->arg;

	s->cut_off(s, in);
}

static void
read_input(struct sides *s, struct input *in)
{
	struct stacks stacks = { .asked = s->counts,
				 .timed = s->with_runs,
				 .arg = s,
				 .begin = begin,
				 .add = add_stack,
				 .cut_off = cut_off };

	stacks_read(&stacks, in);
	/* Its lists, of hosts and sources, are of no use here. */
	s->run[s->n - 1].meta = stacks.merge.all;
	stacks.merge.all = (struct meta){ 0 };
	stacks_free(&stacks);
}

void
sides_read(struct sides *s, struct input *in, enum side side)
{
	sides_begin(s, in->name, side);
	read_input(s, in);
}

void
sides_read_both(struct sides *s, struct input *in)
{
	s->paired = true;
	sides_begin(s, in->name, BEFORE);
	sides_begin(s, in->name, AFTER);
	read_input(s, in);
}

bool
sides_run_header(const struct runs *r, size_t i, struct meta *header)
{
	struct merge m = { 0 };
	bool ok;

	merge_begin(&m, &r->input[i].f.header);
	ok = merge_end(&m) == NULL;
	*header = m.all;
	m.all = (struct meta){ 0 };
	merge_free(&m);
	return ok;
}

/* Take in the next stack, whose text is given, in all runs that have it. */
static void
add_next(struct sides *s, struct runs *r, uint32_t frame, struct str text)
{
	const struct runs_input *one;

	while ((one = runs_at(r, text)) != NULL) {
		if (!add_count(s, &s->run[one - r->input], frame,
			       one->f.count[0]))
			errx(2, "%s:%" PRIu64 ": the sum exceeds 64 bits",
			     one->name, one->in.line);
		runs_skip(r, text);
	}
}

bool
sides_read_runs(struct sides *s, struct runs *r)
{
	struct stack stack = { 0 };
	struct buf text = { 0 };
	bool ok = true;
	size_t i;

	for (i = 0; i < r->n; i++) {
		sides_begin(s, r->input[i].name,
			    r->input[i].column == 0 ? BEFORE : AFTER);
		ok = sides_run_header(r, i, &s->run[i].meta) && ok;
	}
	while (ok && (text.len = 0, runs_stack(r, &text))) {
		stack_split(&stack, sides_names(s), buf_slice(&text));
		add_next(s, r, get_frame(s, stack.id, stack.n),
			 buf_slice(&text));
	}
	stack_free(&stack);
	buf_free(&text);
	return ok && r->bad == NULL;
}

/* Frames of the trie, by number, that runs have, or that call such. */
static uint8_t *
find_used(const struct sides *s)
{
	uint8_t *used = mem_zero(s->trie.n, sizeof(*used));
	size_t i, k;
	uint32_t f;

	for (i = 0; i < s->n; i++) {
		for (k = 0; k < s->run[i].n; k++)
			used[s->run[i].weight[k].frame] = 1;
	}
	for (f = s->trie.n; f-- > 1;)
		used[s->trie.frame[f].parent] |= used[f];
	return used;
}

void
sides_renew(struct sides *s)
{
	struct sides old = *s;
	uint8_t *used = find_used(s);
	uint32_t *place = mem_zero(old.trie.n, sizeof(*place)), f;
	const struct trie_frame *frame = old.trie.frame;
	size_t i, k;

	*s = (struct sides){ .with_runs = old.with_runs,
			     .strip_hex = old.strip_hex,
			     .palette = old.palette,
			     .counts = old.counts,
			     .run = old.run,
			     .n = old.n,
			     .run_cap = old.run_cap,
			     .cut_off = old.cut_off,
			     .arg = old.arg,
			     .paired = old.paired };
	sides_init(s);
	for (f = 1; f < old.trie.n; f++) {
		if (used[f])
			place[f] = trie_child(
			    &s->trie, place[frame[f].parent],
			    intern_id(s->names,
				      intern_name(old.names, frame[f].name)));
	}
	for (i = 0; i < s->n; i++) {
		for (k = 0; k < s->run[i].n; k++)
			s->run[i].weight[k].frame =
			    place[s->run[i].weight[k].frame];
	}
	free(used);
	free(place);
	old.run = NULL;
	old.n = 0;
	sides_free(&old);
}

void
sides_check(const struct sides *s)
{
	struct str unit = { NULL, 0 }, one;
	size_t i;

	for (i = 0; i < s->n; i++) {
		one = meta_get(&s->run[i].meta, "unit");
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
					    "lost", "broken", "seq",
					    "part", "took",   "exposure" };
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
		const struct meta *m = &s->run[i].meta;

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
	const struct meta *last = &s->run[s->n - 1].meta;
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

	for (i = 0; i < s->n; i++)
		run_free(&s->run[i]);
	free(s->run);
	free(s->pair);
	free(s->pair_of);
	trie_free(&s->trie);
	intern_free(s->names);
	intern_free(s->read);
	free(s->kept);
	free(s->id);
}
