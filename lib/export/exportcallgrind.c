/*
 * exportcallgrind.c - the format of valgrind's callgrind.
 *
 * "Callgrind Format Specification" in valgrind's manual describes it.  The
 * format has no stacks.  It has the own cost of each function, and the
 * inclusive cost of its calls of each other function.
 */
#include "export/exportcallgrind.h"

#include "base/mem.h"
#include "base/u64map.h"
#include "export/exporttext.h"

#include <ctype.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * A call of a function that already runs has a function of its own, "f'2", as
 * in callgrind.  So the inclusive cost of "f" is what was spent while it ran,
 * and no more.  A function's number is twice that of its name, plus one for
 * such calls.
 */
struct callgrind_function {
	bool seen;  /* in the profile */
	bool named; /* in the file */
	struct count self[2];
};

/* All calls of one function by another. */
struct callgrind_call {
	uint32_t caller, callee;
	uint32_t open; /* how often it is on the current stack */
	struct count cost[2];
};

/* A frame of the current stack, and its call. */
struct callgrind_level {
	uint32_t function, call;
};
#define NO_CALL UINT32_MAX

/*
 * by_ends is looked up for each frame of the tree.  With uthash the export of
 * 400,000 stacks took 50 % longer.
 */
struct callgrind_export {
	struct export_profile *e;
	struct buf out;
	struct callgrind_function *function;
	uint32_t nfunctions;
	struct callgrind_call *call;
	size_t ncalls, call_cap;
	struct u64map by_ends; /* calls by caller and callee */
	struct callgrind_level *level;
	size_t depth, level_cap;
	uint32_t *open; /* by name: how often it is on the current stack */
	struct intern *objects;
	uint32_t nobjects; /* named in the file */
};

/* No sum exceeds the total, which fits 64 bits. */
static void
add_costs(const struct callgrind_export *c, struct count *sum,
	  const struct count *cost)
{
	int k;

	for (k = 0; k < c->e->counts; k++)
		count_add(&sum[k], cost[k]);
}

static uint32_t
find_call(struct callgrind_export *c, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t i;

	if (u64map_get(&c->by_ends, key, &i))
		return i;
	i = (uint32_t)c->ncalls++;
	c->call = mem_grow(c->call, &c->call_cap, c->ncalls, sizeof(*c->call));
	c->call[i] = (struct callgrind_call){ .caller = caller,
					      .callee = callee };
	u64map_put(&c->by_ends, key, i);
	return i;
}

/* Count a call.  If it is open already, it has this cost. */
static uint32_t
count_call(struct callgrind_export *c, uint32_t callee,
	   const struct count *total)
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
enter(struct callgrind_export *c, uint32_t frame)
{
	uint32_t name = c->e->frame[frame].name, function;
	struct count self[2], total[2];
	struct callgrind_level level;
	int k;

	for (k = 0; k < c->e->counts; k++) {
		self[k] = tree_self(c->e->tree, frame, k);
		total[k] = tree_total(c->e->tree, frame, k);
	}
	function = 2 * name + (c->open[name]++ > 0);
	c->function[function].seen = true;
	add_costs(c, c->function[function].self, self);
	level = (struct callgrind_level){ function,
					  count_call(c, function, total) };
	c->level = mem_grow(c->level, &c->level_cap, c->depth + 1,
			    sizeof(*c->level));
	c->level[c->depth++] = level;
}

static void
leave(struct callgrind_export *c)
{
	const struct callgrind_level *level = &c->level[--c->depth];

	c->open[level->function / 2]--;
	if (level->call != NO_CALL)
		c->call[level->call].open--;
}

static void
count_all(struct callgrind_export *c)
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
	const struct callgrind_call *a = x, *b = y;

	if (a->caller != b->caller)
		return a->caller < b->caller ? -1 : 1;
	return (a->callee > b->callee) - (a->callee < b->callee);
}

/* Put the name of an event, which may have letters, digits and '_'. */
static void
put_event(struct buf *out, struct str name)
{
	size_t i;

	for (i = 0; i < name.len; i++)
		buf_char(out,
			 isalnum((unsigned char)name.p[i]) ? name.p[i] : '_');
}

static void
put_costs(struct callgrind_export *c, const struct count *cost)
{
	int k;

	for (k = 0; k < c->e->counts; k++) {
		buf_char(&c->out, ' ');
		buf_u64(&c->out, exporttext_whole(c->e, cost[k], UINT64_MAX));
	}
	buf_char(&c->out, '\n');
}

/* Put the other metadata: "desc: host: a". */
static void
put_description(struct callgrind_export *c)
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

/* Lines are unknown: all costs are in line 0 of a file without a name. */
static void
put_head(struct callgrind_export *c)
{
	struct str unit = exporttext_whole_unit(c->e);
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

/* Put "ob=(1) [kernel]" the first time, then "ob=(1)". */
static void
put_object(struct callgrind_export *c, struct str key, uint32_t object)
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
 * Put the name of a function with its suffix, for which the format has no other
 * place.  "???" is callgrind's word for a function without a name.
 */
static void
put_name(struct callgrind_export *c, struct str key, uint32_t function)
{
	struct str name;
	char suffix;

	buf_str(&c->out, key);
	buf_printf(&c->out, "=(%" PRIu32 ")", function + 1);
	if (!c->function[function].named) {
		name = exporttext_name(c->e, function / 2, &suffix);
		buf_char(&c->out, ' ');
		buf_str(&c->out, name.len > 0 ? name : STR("???"));
		if (function % 2 != 0)
			buf_str(&c->out, STR("'2"));
		c->function[function].named = true;
	}
	buf_char(&c->out, '\n');
}

static uint32_t
object_of(struct callgrind_export *c, uint32_t function)
{
	struct str object = exporttext_object(c->e, function / 2);

	return intern_id(c->objects, object.len > 0 ? object : STR("???"));
}

/* Put a function and its calls, which start at *next; step over them. */
static void
put_function(struct callgrind_export *c, uint32_t function, size_t *next)
{
	uint32_t object = object_of(c, function), other;
	const struct callgrind_call *call;

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
	exporttext_flush(c->e, &c->out);
}

static void
put_body(struct callgrind_export *c)
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
write_callgrind(struct export_profile *e)
{
	struct callgrind_export c = { .e = e };
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
	u64map_free(&c.by_ends);
	free(c.function);
	free(c.open);
	free(c.call);
	free(c.level);
}

const struct export_format exportcallgrind = {
	.name = "callgrind",
	.summary = "functions and their calls, for KCachegrind and "
		   "callgrind_annotate",
	.order = EXPORT_SUMS,
	.write = write_callgrind
};
