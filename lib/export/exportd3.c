/*
 * exportd3.c - the nested JSON of d3-flame-graph.
 *
 * The README of d3-flame-graph describes it in "Input Format".  Its colours
 * depend on libtype and delta.
 */
#include "export/exportd3.h"

#include "export/exporttext.h"
#include "folded/label.h"

/* The library type, for types that have a colour of their own. */
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

/* Put the count; of two counts, put after and its difference to before. */
static void
put_counts(struct export_profile *e, uint32_t i, struct buf *out)
{
	struct count before = tree_total(e->tree, i, 0);
	struct count after = tree_total(e->tree, i, e->counts - 1), delta;
	bool less = count_cmp(after, before) < 0;

	buf_str(out, STR(",\"value\":"));
	exporttext_number(e, out, after, 0);
	if (e->counts == 1)
		return;
	delta = less ? count_sub(before, after) : count_sub(after, before);
	buf_str(out, less ? STR(",\"delta\":-") : STR(",\"delta\":"));
	exporttext_number(e, out, delta, 0);
}

static void
put_frame(struct export_profile *e, uint32_t i, struct buf *out)
{
	struct str type;
	char suffix;

	buf_str(out, STR("{\"name\":"));
	if (i == 0) {
		label_json(out, e->title);
	} else {
		label_json(out, exporttext_name(e, e->frame[i].name, &suffix));
		type = type_of(suffix);
		if (type.len > 0) {
			buf_str(out, STR(",\"libtype\":"));
			label_json(out, type);
		}
	}
	put_counts(e, i, out);
}

/* Close frames, the last of which has depth before, to open one at depth. */
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
write_d3(struct export_profile *e)
{
	uint32_t i = 0, depth = 0, before = 0;
	struct buf out = { 0 };

	put_frame(e, 0, &out);
	while ((i = tree_next(e->tree, i, &depth)) != 0) {
		step(before, depth, &out);
		put_frame(e, i, &out);
		before = depth;
		exporttext_flush(e, &out);
	}
	for (; before > 0; before--)
		buf_str(&out, STR("}]"));
	buf_str(&out, STR("}\n"));
	buf_write(&out, e->out);
	buf_free(&out);
}

const struct export_format exportd3 = {
	.name = "d3",
	.summary = "nested JSON, for d3-flame-graph",
	.order = EXPORT_SUMS,
	.has_annotations = true,
	.write = write_d3
};
