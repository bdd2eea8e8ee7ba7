/* unflame - the profile back out of a picture of flamegraph's. */
#include "base64.h"
#include "cmd.h"
#include "deflate.h"
#include "fold.h"
#include "mem.h"
#include "meta.h"
#include "svgread.h"
#include "utf8.h"

#include <err.h>
#include <stdlib.h>

struct job {
	struct fold *fold; /* NULL before the first picture */
	int counts;
	uint32_t *id;
	size_t cap;
	struct buf header;
	int pictures;
};

static void __attribute__((noreturn))
bad(const struct input *in, const char *why)
{
	errx(CMD_ERROR, "%s: %s", in->name, why);
}

/* The text of the element with the table, of which *form says the form. */
static struct str
find_table(struct str line, struct str *form)
{
	static const struct str start = STR(
	    "<metadata data-fg=\"table\" data-form=\"");
	const char *p = str_search(line, start);

	if (p == NULL)
		return (struct str){ NULL, 0 };
	line = str_skip(line, (size_t)(p - line.p) + start.len);
	*form = str_cut(&line, '"');
	str_cut(&line, '>');
	return str_cut(&line, '<');
}

static void
add_stack(struct job *j, const struct input *in, const struct svgread *r)
{
	struct intern *names = fold_names(j->fold);
	struct str name;
	size_t i;

	j->id = mem_grow(j->id, &j->cap, r->depth, sizeof(*j->id));
	for (i = 0; i < r->depth; i++) {
		name = svgread_name(r, r->stack[i]);
		if (!utf8_isclean(name) || str_find(name, ';') != NULL ||
		    (i == 0 && str_starts(name, STR("#"))))
			bad(in, "the table is damaged: no name");
		j->id[i] = intern_id(names, name);
	}
	fold_add(j->fold, j->id, r->depth, r->count);
}

static void
read_table(struct job *j, const struct input *in, struct str bytes)
{
	struct svgread r;
	int more;

	if (!svgread_open(&r, bytes))
		bad(in, "the table is damaged");
	if (r.lossy)
		bad(in, "not the whole profile: --max-frames or --reverse");
	if (j->fold == NULL)
		j->fold = fold_new(j->counts = r.counts);
	if (j->counts != r.counts)
		bad(in, "a diff, or others are");
	while ((more = svgread_next(&r)) > 0)
		add_stack(j, in, &r);
	if (more < 0)
		bad(in, "the table is damaged");
	j->header.len = 0;
	if (++j->pictures == 1)
		buf_str(&j->header, r.header);
	svgread_close(&r);
}

static void
read_picture(struct input *in, void *arg)
{
	struct str line, text, form = { NULL, 0 };
	struct buf packed = { 0 }, bytes = { 0 };
	bool good;

	do {
		if (!input_line(in, &line))
			bad(in, "no picture of flamegraph's, or a static one");
		text = find_table(line, &form);
	} while (text.p == NULL);
	good = base64_decode(&packed, text);
	if (good && str_eq(form, STR("deflate")))
		good = inflate_add(&bytes, buf_slice(&packed));
	else
		buf_str(&bytes, buf_slice(&packed));
	if (!good)
		bad(in, "the table is damaged");
	in->tally->good++;
	read_table(arg, in, buf_slice(&bytes));
	buf_free(&packed);
	buf_free(&bytes);
}

/* The header, which a profile with two counts always has. */
static void
write_header(const struct job *j)
{
	struct meta m = { 0 };
	struct buf line = { 0 };

	if (j->header.len > 0)
		meta_parse(&m, buf_slice(&j->header));
	meta_set(&m, "fold", STR("1"));
	meta_set_u64(&m, "counts", (uint64_t)j->counts);
	meta_sort(&m);
	meta_print(&line, &m);
	buf_write(&line, stdout);
	buf_free(&line);
	meta_free(&m);
}

int
main(int argc, char *argv[])
{
	static const struct cmd_option options[] = {
		{ "meta", 'm', NULL, "begin with a line of metadata", false },
		{ NULL, 0, NULL, NULL, false }
	};
	struct cmd c = { .synopsis = "[options] [file ...]",
			 .summary = "Write the folded stacks that are in a "
				    "picture of flamegraph's.",
			 .options = options };
	struct job j = { .counts = 1 };
	bool with_meta = false;

	cmd_begin(&c, argc, argv);
	while (cmd_next(&c) == 'm')
		with_meta = true;
	cmd_files(&c, read_picture, &j);
	if (!fold_fits(j.fold))
		errx(CMD_ERROR, "counts add up to more than 64 bits");
	if (with_meta || j.counts == 2)
		write_header(&j);
	fold_write(j.fold, count_of(0), stdout);
	fold_free(j.fold);
	free(j.id);
	buf_free(&j.header);
	return cmd_done(&c);
}
