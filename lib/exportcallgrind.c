/*
 * exportcallgrind.c - a profile of valgrind's callgrind.
 *
 * The format: "Callgrind Format Specification" in valgrind's manual.  It has
 * no stacks: what each function cost itself, and what each of its calls to
 * another did, with all that these called.
 */
#include "exporttext.h"

#include "map.h"
#include "mem.h"

#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * A function that is called while it runs is another one, "f'2", as callgrind
 * has it: what the first of them cost with all that it called is then what
 * was spent while it ran, and no more.  Its number is that of its name times
 * two, plus one for such calls.
 */
struct function {
	bool seen, named; /* in the profile; in the file */
	struct count self[2];
};

/* All calls of one function by another. */
struct call {
	uint32_t caller, callee;
	uint32_t open; /* how often it is in the stack at hand */
	struct count cost[2];
};

/* A frame of the stack at hand, and the call that it comes from. */
struct level {
	uint32_t function, call;
};
#define NO_CALL UINT32_MAX

struct callgrind {
	struct exported *e;
	struct buf out;
	struct function *function;
	uint32_t nfunctions;
	struct call *call;
	size_t ncalls, call_cap;
	struct map by_ends; /* of calls, by caller and callee */
	struct level *level;
	size_t depth, level_cap;
	uint32_t *open; /* by name: how often it is in the stack at hand */
	struct intern *objects;
	uint32_t nobjects; /* that were named in the file */
};

/* No sum exceeds that of all, which fits. */
static void
add_costs(const struct callgrind *c, struct count *sum,
	  const struct count *cost)
{
	int k;

	for (k = 0; k < c->e->counts; k++)
		count_add(&sum[k], cost[k]);
}

static uint32_t
find_call(struct callgrind *c, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t i;

	if (map_get(&c->by_ends, key, &i))
		return i;
	i = (uint32_t)c->ncalls++;
	c->call = mem_grow(c->call, &c->call_cap, c->ncalls, sizeof(*c->call));
	c->call[i] = (struct call){ .caller = caller, .callee = callee };
	map_put(&c->by_ends, key, i);
	return i;
}

/* A call that is open has this cost already. */
static uint32_t
count_call(struct callgrind *c, uint32_t callee, const struct count *total)
{
	uint32_t i;

	if (c->depth == 0)
		return NO_CALL;
	i = find_call(c, c->level[c->depth - 1].function, callee);
	if (c->call[i].open++ == 0)
		add_costs(c, c->call[i].cost, total);
	return i;
}

static void
enter(struct callgrind *c, uint32_t frame)
{
	uint32_t name = c->e->frame[frame].name, function;
	struct count self[2], total[2];
	struct level level;
	int k;

	for (k = 0; k < c->e->counts; k++) {
		self[k] = tree_self(c->e->tree, frame, k);
		total[k] = tree_total(c->e->tree, frame, k);
	}
	function = 2 * name + (c->open[name]++ > 0);
	c->function[function].seen = true;
	add_costs(c, c->function[function].self, self);
	level = (struct level){ function, count_call(c, function, total) };
	c->level = mem_grow(c->level, &c->level_cap, c->depth + 1,
			    sizeof(*c->level));
	c->level[c->depth++] = level;
}

static void
leave(struct callgrind *c)
{
	const struct level *level = &c->level[--c->depth];

	c->open[level->function / 2]--;
	if (level->call != NO_CALL)
		c->call[level->call].open--;
}

static void
count_all(struct callgrind *c)
{
	uint32_t i = 0, depth = 0;

	while ((i = tree_next(c->e->tree, i, &depth)) != 0) {
		while (c->depth >= depth)
			leave(c);
		enter(c, i);
	}
}

static int
by_caller(const void *x, const void *y)
{
	const struct call *a = x, *b = y;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

/* An event is letters, digits and '_'. */
static void
put_event(struct buf *out, struct str name)
{
	size_t i;

	for (i = 0; i < name.len; i++)
		buf_char(out,
			 isalnum((unsigned char)name.p[i]) ? name.p[i] : '_');
}

static void
put_costs(struct callgrind *c, const struct count *cost)
{
	int k;

	for (k = 0; k < c->e->counts; k++) {
		buf_char(&c->out, ' ');
		buf_u64(&c->out, export_whole(c->e, cost[k], UINT64_MAX));
	}
	buf_char(&c->out, '\n');
}

/* "desc: host: a" for what is not said elsewhere. */
static void
put_description(struct callgrind *c)
{
	const struct meta *meta = &c->e->meta;
	size_t i;

	for (i = 0; i < meta->n; i++) {
		buf_str(&c->out, STR("desc: "));
		buf_str(&c->out, meta->entry[i].key);
		buf_str(&c->out, STR(": "));
		buf_str(&c->out, meta->entry[i].value);
		buf_char(&c->out, '\n');
	}
}

/* No lines are known: all is in line 0 of a file without a name. */
static void
put_head(struct callgrind *c)
{
	struct str unit = export_whole_unit(c->e);
	struct count total[2];
	int k;

	buf_str(&c->out, STR("# callgrind format\nversion: 1\n"
			     "creator: foldstack " PACKAGE_VERSION "\ncmd: "));
	buf_str(&c->out, c->e->title);
	buf_char(&c->out, '\n');
	put_description(c);
	buf_str(&c->out, STR("positions: line\n"));
	if (c->e->counts == 2) {
		buf_str(&c->out, STR("event: before : before, "));
		buf_str(&c->out, unit);
		buf_str(&c->out, STR("\nevent: after : after, "));
		buf_str(&c->out, unit);
		buf_str(&c->out, STR("\nevents: before after"));
	} else {
		buf_str(&c->out, STR("events: "));
		put_event(&c->out, unit);
	}
	for (k = 0; k < c->e->counts; k++)
		total[k] = tree_total(c->e->tree, 0, k);
	buf_str(&c->out, STR("\nsummary:"));
	put_costs(c, total);
	buf_str(&c->out, STR("\nfl=(1) ???\n"));
}

/* "ob=(1) [kernel]": a name only the first time. */
static void
put_object(struct callgrind *c, struct str key, uint32_t object)
{
	buf_str(&c->out, key);
	buf_printf(&c->out, "=(%" PRIu32 ")", object + 1);
	if (object == c->nobjects) {
		buf_char(&c->out, ' ');
		buf_str(&c->out, intern_name(c->objects, object));
		c->nobjects++;
	}
	buf_char(&c->out, '\n');
}

/*
 * Its suffix stays in the name: functions have no other place for it.  One
 * without a name is what callgrind calls such.
 */
static void
put_name(struct callgrind *c, struct str key, uint32_t function)
{
	struct str name;
	char suffix;

	buf_str(&c->out, key);
	buf_printf(&c->out, "=(%" PRIu32 ")", function + 1);
	if (!c->function[function].named) {
		name = export_name(c->e, function / 2, &suffix);
		buf_char(&c->out, ' ');
		buf_str(&c->out, name.len > 0 ? name : STR("???"));
		if (function % 2 != 0)
			buf_str(&c->out, STR("'2"));
		c->function[function].named = true;
	}
	buf_char(&c->out, '\n');
}

static uint32_t
object_of(struct callgrind *c, uint32_t function)
{
	struct str object = export_object(c->e, function / 2);

	return intern_id(c->objects, object.len > 0 ? object : STR("???"));
}

/* A function, and its calls, which are those from *next on. */
static void
put_function(struct callgrind *c, uint32_t function, size_t *next)
{
	uint32_t object = object_of(c, function), other;
	const struct call *call;

	put_object(c, STR("ob"), object);
	put_name(c, STR("fn"), function);
	buf_char(&c->out, '0');
	put_costs(c, c->function[function].self);
	for (; *next < c->ncalls; ++*next) {
		call = &c->call[*next];
		if (call->caller != function)
			break;
		other = object_of(c, call->callee);
		if (other != object)
			put_object(c, STR("cob"), other);
		put_name(c, STR("cfn"), call->callee);
		buf_str(&c->out, STR("calls=1 0\n0"));
		put_costs(c, call->cost);
	}
	export_flush(c->e, &c->out);
}

static void
put_body(struct callgrind *c)
{
	size_t next = 0;
	uint32_t i;

	if (c->ncalls > 0)
		qsort(c->call, c->ncalls, sizeof(*c->call), by_caller);
	for (i = 0; i < c->nfunctions; i++) {
		if (c->function[i].seen)
			put_function(c, i, &next);
	}
}

static void
write_callgrind(struct exported *e)
{
	struct callgrind c = { .e = e };
	size_t names = intern_size(e->names);

	if (names > UINT32_MAX / 2)
		errx(2, "more than %" PRIu32 " functions", UINT32_MAX / 2);
	c.nfunctions = (uint32_t)(2 * names);
	c.function = mem_zero(2 * names + 1, sizeof(*c.function));
	c.open = mem_zero(names + 1, sizeof(*c.open));
	c.objects = intern_new();
	count_all(&c);
	put_head(&c);
	put_body(&c);
	buf_write(&c.out, e->out);
	buf_free(&c.out);
	intern_free(c.objects);
	map_free(&c.by_ends);
	free(c.function);
	free(c.open);
	free(c.call);
	free(c.level);
}

const struct export_format export_callgrind = {
	.name = "callgrind",
	.summary = "functions and their calls, for KCachegrind and "
		   "callgrind_annotate",
	.order = EXPORT_SUMS,
	.write = write_callgrind
};
