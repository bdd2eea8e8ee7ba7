/*
 * pmptree.c - the trees of calls that gdbpmp prints:
 *
 *	Thread: 2 (work) - 40 samples
 *
 *	+ 100.00% run
 *	 + 60.00% scale
 *	 |+ 60.00% leaf
 *	 + 30.00% a_name_that_is_long
 *	          er_than_the_terminal
 *
 * A share is that of the function with what it calls.
 */
#include "pmptree.h"

#include "mem.h"

#include <stdlib.h>

/* A function between its line and the end of what it calls. */
struct node {
	size_t column;      /* of its plus sign */
	size_t name_column; /* where its name begins, and goes on below */
	size_t name;        /* in tree.names, up to the next one's */
	uint64_t count;     /* with what it calls */
	uint64_t called;    /* of that, what it calls */
};

struct tree {
	struct node *node; /* from the root on */
	size_t n, cap;
	struct buf names, comm;
	uint64_t samples;
};

bool
pmptree_head(struct str line, struct str *name, uint64_t *samples)
{
	const struct str begin = STR("Thread: "), between = STR(") - ");
	const struct str end = STR(" samples");
	const char *p = str_search(line, between), *number;
	struct str rest;

	line = str_rtrim(line);
	if (!str_starts(line, begin) || !str_ends(line, end) || p == NULL)
		return false;
	number = p + between.len;
	if (number > line.p + line.len - end.len ||
	    !str_u64(str_range(number, line.p + line.len - end.len), samples))
		return false;
	rest = str_range(line.p, p);
	str_cut(&rest, '(');
	*name = rest;
	return true;
}

static void
push_stack(const struct tree *t, struct sink *out, uint64_t count)
{
	struct sample sample = SAMPLE_UNKNOWN;
	size_t i, end = t->names.len;
	struct str name;

	sample.comm = buf_slice(&t->comm);
	if (!sink_begin(out, &sample))
		return;
	for (i = t->n; i > 0; i--) {
		name = str_skip((struct str){ t->names.p, end },
				t->node[i - 1].name);
		end = t->node[i - 1].name;
		if (str_eq(name, STR("???")))
			name.len = 0;
		sink_frame(out, &(struct frame){ .name = name });
	}
	sink_end(out, count_of(count));
}

/* The functions at this column or right of it call nothing more. */
static void
close_nodes(struct tree *t, struct sink *out, size_t column)
{
	const struct node *last;

	while (t->n > 0 && t->node[t->n - 1].column >= column) {
		last = &t->node[t->n - 1];
		if (last->count > last->called)
			push_stack(t, out, last->count - last->called);
		t->names.len = last->name;
		t->n--;
	}
}

/* "60.00%" of the samples; false if it is no share. */
static bool
parse_share(const struct tree *t, struct str word, uint64_t *count)
{
	struct str whole;
	uint64_t percent, hundredths;

	if (!str_ends(word, STR("%")))
		return false;
	word.len--;
	whole = str_cut(&word, '.');
	if (!str_u64(whole, &percent) || word.len != 2 ||
	    !str_u64(word, &hundredths) || percent > 100)
		return false;
	hundredths += 100 * percent;
	*count = (hundredths * t->samples + 5000) / 10000;
	return true;
}

/* What stands left of a function, or of the rest of its name. */
static size_t
margin(struct str line)
{
	size_t n = 0;

	while (n < line.len && (line.p[n] == ' ' || line.p[n] == '|'))
		n++;
	return n;
}

/* False if the line is none of a function. */
static bool
add_node(struct tree *t, struct sink *out, struct str line)
{
	struct node node = { .column = margin(line) };
	struct str rest = str_skip(line, node.column);

	if (!str_starts(rest, STR("+ ")))
		return false;
	rest = str_skip(rest, 2);
	if (!parse_share(t, str_cut(&rest, ' '), &node.count))
		return false;
	close_nodes(t, out, node.column);
	if (t->n > 0)
		t->node[t->n - 1].called += node.count;
	node.name_column = (size_t)(rest.p - line.p);
	node.name = t->names.len;
	buf_str(&t->names, rest);
	t->node = mem_grow(t->node, &t->cap, t->n + 1, sizeof(*t->node));
	t->node[t->n++] = node;
	return true;
}

/* The name of the last function goes on; false if it does not. */
static bool
add_name(struct tree *t, struct str line)
{
	const struct node *last = t->n > 0 ? &t->node[t->n - 1] : NULL;

	if (last == NULL || margin(line) < last->name_column)
		return false;
	buf_str(&t->names, str_skip(line, last->name_column));
	return true;
}

void
pmptree_read(struct input *in, struct sink *out)
{
	/* so many that no product with a share overflows */
	const uint64_t most = UINT64_MAX / 20000;
	struct tree t = { 0 };
	struct str line, name;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		if (str_trim(line).len == 0)
			continue;
		if (pmptree_head(line, &name, &t.samples)) {
			close_nodes(&t, out, 0);
			t.comm.len = 0;
			buf_str(&t.comm, name);
			if (t.samples > most) {
				input_bad(in, "too many samples");
				t.samples = 0;
			}
		} else if (!add_node(&t, out, line) && !add_name(&t, line))
			input_bad(in, "neither a thread nor a function");
	}
	close_nodes(&t, out, 0);
	free(t.node);
	buf_free(&t.names);
	buf_free(&t.comm);
}
