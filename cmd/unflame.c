/* unflame - the profile back out of a picture of flamegraph's. */
#include "base64.h"
#include "cmd.h"
#include "deflate.h"
#include "fold.h"
#include "mem.h"
#include "merge.h"
#include "svgread.h"
#include "utf8.h"

#include <err.h>
#include <stdlib.h>

struct job {
	struct fold *fold; /* NULL before the first picture */
	int counts;
	uint32_t *id;
	size_t cap;
	struct merge merge;
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

/* The metadata of a picture, which are merged as foldmerge does. */
static void
begin_profile(struct job *j, const struct input *in, struct str header)
{
	struct meta m = { 0 };

	if (header.len > 0 && !meta_parse(&m, header))
		bad(in, "the table is damaged: no metadata");
	merge_begin(&j->merge, header.len > 0 ? &m : NULL);
	meta_free(&m);
}

static void
read_table(struct job *j, const struct input *in, struct str bytes)
{
	const char *reason;
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
	begin_profile(j, in, r.header);
	while ((more = svgread_next(&r)) > 0)
		add_stack(j, in, &r);
	if (more < 0)
		bad(in, "the table is damaged");
	reason = merge_end(&j->merge);
	if (reason != NULL)
		bad(in, reason);
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
	struct buf line = { 0 };

	merge_print(&j->merge, j->counts, &line);
	buf_write(&line, stdout);
	buf_free(&line);
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
	merge_free(&j.merge);
	return cmd_done(&c);
}
