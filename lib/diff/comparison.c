/* comparison.c - the profiles of two sides, before and after, in one trie. */
#include "diff/comparison.h"

#include "base/mem.h"
#include "diff/difftitle.h"
#include "folded/folded.h"
#include "folded/measure.h"
#include "folded/stack.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

void
comparison_init(struct comparison *c)
{
	c->names = intern_new();
	c->raw_names = intern_new();
	trie_init(&c->trie);
}

void
comparison_begin(struct comparison *c, const char *name, enum side side)
{
	c->run = mem_grow(c->run, &c->run_cap, c->n + 1, sizeof(*c->run));
	replicate_init(&c->run[c->n++], name, side);
}

/* The pair of the stack that ends in a frame, new if necessary. */
static struct pair *
get_pair(struct comparison *c, uint32_t frame)
{
	size_t cap = c->pair_of_cap;

	c->pair_of = mem_grow(c->pair_of, &c->pair_of_cap, (size_t)frame + 1,
			      sizeof(*c->pair_of));
	memset(c->pair_of + cap, 0,
	       (c->pair_of_cap - cap) * sizeof(*c->pair_of));
	if (c->pair_of[frame] == 0) {
		c->pair = mem_grow(c->pair, &c->pair_cap, c->npair + 1,
				   sizeof(*c->pair));
		c->pair[c->npair++] = (struct pair){ .frame = frame };
		c->pair_of[frame] = (uint32_t)c->npair;
	}
	return &c->pair[c->pair_of[frame] - 1];
}

/* Replace "0x7f12" and "0xAB" by "0x...", as difffolded.pl -s does. */
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

/* Convert a raw name to the name in the trie. */
static uint32_t
convert_name(struct comparison *c, uint32_t id)
{
	struct str name = intern_name(c->raw_names, id);
	struct buf text = { 0 };

	if (c->strip_hex) {
		strip_hex(&text, name);
		name = buf_slice(&text);
	}
	if (c->palette != NULL)
		name = palette_rename(c->palette, name);
	id = intern_id(c->names, name);
	buf_free(&text);
	return id;
}

/* Whether names need no conversion. */
static bool
has_raw_names(const struct comparison *c)
{
	return !c->strip_hex && c->palette == NULL;
}

/* Convert the names of a stack; valid until the next call. */
static const uint32_t *
convert_names(struct comparison *c, const uint32_t *id, size_t n)
{
	size_t i, cap = c->name_of_cap;

	c->name_of = mem_grow(c->name_of, &c->name_of_cap,
			      intern_size(c->raw_names), sizeof(*c->name_of));
	memset(c->name_of + cap, 0,
	       (c->name_of_cap - cap) * sizeof(*c->name_of));
	c->id = mem_grow(c->id, &c->id_cap, n, sizeof(*c->id));
	for (i = 0; i < n; i++) {
		if (c->name_of[id[i]] == 0)
			c->name_of[id[i]] = 1 + convert_name(c, id[i]);
		c->id[i] = c->name_of[id[i]] - 1;
	}
	return c->id;
}

/* The frame where a stack ends, new if necessary. */
static uint32_t
get_frame(struct comparison *c, const uint32_t *id, size_t n)
{
	return trie_add(&c->trie,
			has_raw_names(c) ? id : convert_names(c, id, n), n);
}

/* Add the count of a stack to a run.  False if a sum exceeds 64 bits. */
static bool
add_count(struct comparison *c, struct replicate *run, uint32_t frame,
	  struct count count)
{
	/* The count of a frame does not exceed the total. */
	if (!count_add(&c->total[run->side], count))
		return false;
	count_add(&get_pair(c, frame)->count[run->side], count);
	if (c->with_runs)
		replicate_add(run, frame, c->seen, count);
	return true;
}

bool
comparison_add(struct comparison *c, const uint32_t *id, size_t n,
	       const struct count *count)
{
	struct replicate *run = &c->run[c->n - 1];
	uint32_t frame = get_frame(c, id, n);

	if (!c->paired)
		return add_count(c, run, frame, count[0]);
	return add_count(c, run - 1, frame, count[BEFORE]) &&
	       add_count(c, run, frame, count[AFTER]);
}

static bool
add_stack(struct stacks *stacks, const uint32_t *id, size_t n,
	  const struct count *count)
{
	struct comparison *c = stacks->arg;

	c->seen = stacks->seen;
	return comparison_add(c, id, n, count);
}

struct intern *
comparison_names(struct comparison *c)
{
	return has_raw_names(c) ? c->names : c->raw_names;
}

static void
begin(struct stacks *stacks)
{
	struct comparison *c = stacks->arg;

	stacks->names = comparison_names(c);
	if (stacks->counts != (c->paired ? 2 : 1))
		errx(2,
		     c->paired ?
			 "%s: one profile has one side: name two files" :
			 "%s: this profile already has two sides",
		     c->run[c->n - 1].name);
}

static void
cut_off(struct stacks *stacks, const struct input *in)
{
	struct comparison *c = stacks->arg;

	c->cut_off(c, in);
}

static void
read_input(struct comparison *c, struct input *in)
{
	struct stacks stacks = { .counts_option = c->counts,
				 .timed = c->with_runs,
				 .arg = c,
				 .begin = begin,
				 .add = add_stack,
				 .cut_off = cut_off };

	stacks_read(&stacks, in);
	/* The lists of hosts and sources are not used. */
	c->run[c->n - 1].meta = stacks.merge.all;
	stacks.merge.all = (struct meta){ 0 };
	stacks_free(&stacks);
}

void
comparison_read(struct comparison *c, struct input *in, enum side side)
{
	comparison_begin(c, in->name, side);
	read_input(c, in);
}

void
comparison_read_both(struct comparison *c, struct input *in)
{
	c->paired = true;
	comparison_begin(c, in->name, BEFORE);
	comparison_begin(c, in->name, AFTER);
	read_input(c, in);
}

bool
comparison_run_header(const struct sorted_runs *runs, size_t i,
		      struct meta *header)
{
	struct meta_merge m = { 0 };
	bool ok;

	meta_merge_begin(&m, &runs->input[i].f.header);
	ok = meta_merge_end(&m) == NULL;
	*header = m.all;
	m.all = (struct meta){ 0 };
	meta_merge_free(&m);
	return ok;
}

/* Add the next stack, whose text is given, to all runs that have it. */
static void
add_next(struct comparison *c, struct sorted_runs *runs, uint32_t frame,
	 struct str text)
{
	const struct sorted_runs_input *one;

	while ((one = sorted_runs_at(runs, text)) != NULL) {
		if (!add_count(c, &c->run[one - runs->input], frame,
			       one->f.count[0]))
			errx(2, "%s:%" PRIu64 ": the sum exceeds 64 bits",
			     one->name, one->in.line);
		sorted_runs_skip(runs, text);
	}
}

bool
comparison_read_runs(struct comparison *c, struct sorted_runs *runs)
{
	struct stack stack = { 0 };
	struct buf text = { 0 };
	bool ok = true;
	size_t i;

	for (i = 0; i < runs->n; i++) {
		comparison_begin(c, runs->input[i].name,
				 runs->input[i].column == 0 ? BEFORE : AFTER);
		ok = comparison_run_header(runs, i, &c->run[i].meta) && ok;
	}
	while (ok && (text.len = 0, sorted_runs_stack(runs, &text))) {
		stack_split(&stack, comparison_names(c), buf_slice(&text));
		add_next(c, runs, get_frame(c, stack.id, stack.n),
			 buf_slice(&text));
	}
	stack_free(&stack);
	buf_free(&text);
	return ok && runs->bad == NULL;
}

/* The frames, by number, that are on stacks of the runs. */
static uint8_t *
find_used(const struct comparison *c)
{
	uint8_t *used = mem_zero(c->trie.n, sizeof(*used));
	size_t i, k;
	uint32_t f;

	for (i = 0; i < c->n; i++) {
		for (k = 0; k < c->run[i].n; k++)
			used[c->run[i].weight[k].frame] = 1;
	}
	for (f = c->trie.n; f-- > 1;)
		used[c->trie.frame[f].parent] |= used[f];
	return used;
}

void
comparison_compact(struct comparison *c)
{
	struct comparison old = *c;
	uint8_t *used = find_used(c);
	uint32_t *new_frame = mem_zero(old.trie.n, sizeof(*new_frame)), f;
	const struct trie_frame *frame = old.trie.frame;
	size_t i, k;

	*c = (struct comparison){ .with_runs = old.with_runs,
				  .strip_hex = old.strip_hex,
				  .palette = old.palette,
				  .counts = old.counts,
				  .run = old.run,
				  .n = old.n,
				  .run_cap = old.run_cap,
				  .cut_off = old.cut_off,
				  .arg = old.arg,
				  .paired = old.paired };
	comparison_init(c);
	for (f = 1; f < old.trie.n; f++) {
		if (used[f])
			new_frame[f] = trie_child(
			    &c->trie, new_frame[frame[f].parent],
			    intern_id(c->names,
				      intern_name(old.names, frame[f].name)));
	}
	for (i = 0; i < c->n; i++) {
		for (k = 0; k < c->run[i].n; k++)
			c->run[i].weight[k].frame =
			    new_frame[c->run[i].weight[k].frame];
	}
	free(used);
	free(new_frame);
	old.run = NULL;
	old.n = 0;
	comparison_free(&old);
}

const struct meta *
comparison_meta(const struct comparison *c, size_t run)
{
	return &c->run[c->paired ? c->n - 1 : run].meta;
}

/* An event without the modifiers that do not choose other samples. */
static struct str
plain_event(struct str event)
{
	const char *colon = str_find(event, ':');
	size_t len = event.len;

	while (colon != NULL && len > 0 &&
	       strchr("pPH", event.p[len - 1]) != NULL)
		len--;
	if (len > 0 && event.p[len - 1] == ':')
		len--;
	event.len = len;
	return event;
}

/*
 * The value of a key that has to be the same for all runs.  Without metadata,
 * the counts of a clock are recognised by its period.
 */
static struct str
value_of(const struct replicate *run, const char *key)
{
	const struct str value = plain_event(meta_get(&run->meta, key));

	if (value.len == 0 && strcmp(key, "unit") == 0 && run->whole &&
	    measure_is_clock(run->gcd) && !meta_has(&run->meta, "event"))
		return STR("ns");
	return value;
}

/* End the program with status 2 if two runs have other values of a key. */
static void
check_key(const struct comparison *c, const char *key, const char *verb,
	  const char *advice)
{
	struct buf text[2] = { { 0 }, { 0 } };
	const struct replicate *first = NULL, *run;
	struct str value[2] = { { NULL, 0 }, { NULL, 0 } };
	size_t i;

	for (i = 0; i < c->n; i++) {
		run = &c->run[i];
		value[1] = value_of(run, key);
		if (value[1].len == 0)
			continue;
		if (first != NULL && !str_eq(value[0], value[1])) {
			meta_decode(&text[0], value[0]);
			meta_decode(&text[1], value[1]);
			errx(2, "%s %s %.*s, and %s %s %.*s: %s", first->name,
			     verb, (int)text[0].len, text[0].p, run->name, verb,
			     (int)text[1].len, text[1].p, advice);
		}
		first = run;
		value[0] = value[1];
	}
}

void
comparison_check(const struct comparison *c)
{
	check_key(c, "unit", "counts", "they cannot be compared");
	check_key(c, "event", "has samples of",
		  "record both with the same event");
}

/* Whether a key describes one profile and does not apply to two. */
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
all_agree(const struct comparison *c, const struct meta_entry *entry)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		const struct meta *meta = &c->run[i].meta;

		if (!(c->paired && i == 0) &&
		    (!meta_has(meta, entry->key.p) ||
		     !str_eq(meta_get(meta, entry->key.p), entry->value)))
			return false;
	}
	return true;
}

void
comparison_header(const struct comparison *c, struct meta *header)
{
	const struct meta *last = &c->run[c->n - 1].meta;
	size_t i;

	for (i = 0; i < last->n; i++) {
		const struct meta_entry *entry = &last->entry[i];

		if (!is_private(entry->key) && all_agree(c, entry))
			meta_set_raw(header, entry->key.p, entry->value);
	}
	meta_set(header, "fold", STR("1"));
	meta_set_u64(header, "counts", 2);
	difftitle_set(c, header);
	meta_sort(header);
}

void
comparison_free(struct comparison *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		replicate_free(&c->run[i]);
	free(c->run);
	free(c->pair);
	free(c->pair_of);
	trie_free(&c->trie);
	intern_free(c->names);
	intern_free(c->raw_names);
	free(c->name_of);
	free(c->id);
}
