/*
 * exportd3.c - the nested JSON that d3-flame-graph draws.
 *
 * The format: README of d3-flame-graph, "Input Format"; libtype and delta are
 * what its colours look at.
 */
#include "exporttext.h"

#include "svgtext.h"

/* The types that have colours of their own. */
static struct str
type_of(char suffix)
{
	switch (suffix) {
	case 'k':
		return STR("kernel");
	case 'i':
		return STR("inlined");
	case 'j':
	case '0':
	case '1':
		return STR("jit");
	}
	return STR("");
}

/* Of two counts, what is behind and how much more that is than before. */
static void
put_counts(struct exported *e, uint32_t i, struct buf *out)
{
	struct count before = tree_total(e->tree, i, 0);
	struct count after = tree_total(e->tree, i, e->counts - 1), delta;
	bool less = count_cmp(after, before) < 0;

	buf_str(out, STR(",\"value\":"));
	export_number(e, out, after, 0);
	if (e->counts == 1)
		return;
	delta = less ? count_minus(before, after) : count_minus(after, before);
	buf_str(out, less ? STR(",\"delta\":-") : STR(",\"delta\":"));
	export_number(e, out, delta, 0);
}

static void
put_frame(struct exported *e, uint32_t i, struct buf *out)
{
	struct str type;
	char suffix;

	buf_str(out, STR("{\"name\":"));
	if (i == 0) {
		svgtext_json(out, e->title);
	} else {
		svgtext_json(out, export_name(e, e->frame[i].name, &suffix));
		type = type_of(suffix);
		if (type.len > 0) {
			buf_str(out, STR(",\"libtype\":"));
			svgtext_json(out, type);
		}
	}
	put_counts(e, i, out);
}

/* Step from the frame before, which is open, to one at a depth. */
static void
step(uint32_t before, uint32_t depth, struct buf *out)
{
	if (depth > before) {
		buf_str(out, STR(",\"children\":["));
		return;
	}
	for (; before > depth; before--)
		buf_str(out, STR("}]"));
	buf_str(out, STR("},"));
}

static void
write_d3(struct exported *e)
{
	uint32_t i = 0, depth = 0, before = 0;
	struct buf out = { 0 };

	put_frame(e, 0, &out);
	while ((i = tree_next(e->tree, i, &depth)) != 0) {
		step(before, depth, &out);
		put_frame(e, i, &out);
		before = depth;
		export_flush(e, &out);
	}
	for (; before > 0; before--)
		buf_str(&out, STR("}]"));
	buf_str(&out, STR("}\n"));
	buf_write(&out, e->out);
	buf_free(&out);
}

const struct export_format export_d3 = {
	.name = "d3",
	.summary = "nested JSON, for d3-flame-graph",
	.order = EXPORT_SUMS,
	.annotates = true,
	.write = write_d3
};
