/*
 * pmptree.c - reads the trees of calls that gdbpmp prints:
 *
 *	Thread: 2 (work) - 40 samples
 *
 *	+ 100.00% run
 *	 + 60.00% scale
 *	 |+ 60.00% leaf
 *	 + 30.00% a_name_that_is_long
 *	          er_than_the_terminal
 *
 * A share includes the calls of the function.
 */
#include "formats/pmptree.h"

#include "base/mem.h"

#include <stdlib.h>

/* A function whose calls are being read. */
struct pmptree_node {
	size_t column;      /* of its plus sign */
	size_t name_column; /* of its name, and of the rest of it below */
	size_t name;        /* in names, up to that of the next node */
	uint64_t count;     /* including its calls */
	uint64_t called;    /* of its calls alone */
};

struct pmptree {
	struct pmptree_node *node; /* root first */
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
push_stack(const struct pmptree *t, struct sink *out, uint64_t count)
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

/* End the functions at this column or right of it. */
static void
close_nodes(struct pmptree *t, struct sink *out, size_t column)
{
	const struct pmptree_node *last;

	while (t->n > 0 && t->node[t->n - 1].column >= column) {
		last = &t->node[t->n - 1];
		if (last->count > last->called)
			push_stack(t, out, last->count - last->called);
		t->names.len = last->name;
		t->n--;
	}
}

/* Convert "60.00%" to samples; false if the word is no share. */
static bool
parse_share(const struct pmptree *t, struct str word, uint64_t *count)
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

/* The width of the blanks and bars at the start of a line. */
static size_t
margin(struct str line)
{
	size_t n = 0;

	while (n < line.len && (line.p[n] == ' ' || line.p[n] == '|'))
		n++;
	return n;
}

/* Read the line of a function; false if it is none. */
static bool
add_node(struct pmptree *t, struct sink *out, struct str line)
{
	struct pmptree_node node = { .column = margin(line) };
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

/* Append to the name of the last function; false if the line is no part of it.
 */
static bool
add_name(struct pmptree *t, struct str line)
{
	const struct pmptree_node *last = t->n > 0 ? &t->node[t->n - 1] : NULL;

	if (last == NULL || margin(line) < last->name_column)
		return false;
	buf_str(&t->names, str_skip(line, last->name_column));
	return true;
}

void
pmptree_read(struct input *in, struct sink *out)
{
	/* so that no product with a share overflows */
	const uint64_t max_samples = UINT64_MAX / 20000;
	struct pmptree t = { 0 };
	struct str line, name;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		if (str_trim(line).len == 0)
			continue;
		if (pmptree_head(line, &name, &t.samples)) {
			close_nodes(&t, out, 0);
			t.comm.len = 0;
			buf_str(&t.comm, name);
			if (t.samples > max_samples) {
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
