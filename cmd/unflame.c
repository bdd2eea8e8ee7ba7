/* unflame - the profile back out of a picture of flamegraph's. */
#include "base64.h"
#include "cmd.h"
#include "deflate.h"
#include "foldout.h"
#include "mem.h"
#include "merge.h"
#include "svgread.h"
#include "trietext.h"

#include <err.h>
#include <stdlib.h>

/*
 * A table is compressed, and its names share their beginnings.  So few bytes
 * of a picture can be any number of bytes in memory, but those of a profile
 * are not more than this.
 */
#define UNPACKED_ALWAYS ((size_t)16 << 20)
#define UNPACKED_TIMES 256

struct job {
	int counts; /* 0 before the first picture */
	struct intern *names;
	struct trie trie;
	uint32_t *ends; /* by frame: 1 + the place of its stack's sums, or 0 */
	struct count (*sum)[2];
	uint32_t nsums;
	size_t ends_cap, sum_cap;
	uint32_t *frame; /* those of the stack at hand */
	size_t frame_cap;
	struct merge merge;
	struct foldout out;
};

static void __attribute__((noreturn))
bad(const struct input *in, const char *why)
{
	errx(CMD_ERROR, "%s: %s", in->name, why);
}

/* Whether an element, given up to the next one, is the root of a picture. */
static bool
is_picture(struct str element)
{
	return str_starts(element, STR("svg ")) &&
	       str_search(element, STR(" class=\"fg")) != NULL;
}

/* The text of an element with a table, of which *form says the form. */
static bool
is_table(struct str element, struct str *form, struct str *text)
{
	static const struct str start = STR(
	    "metadata data-fg=\"table\" data-form=\"");

	if (!str_starts(element, start))
		return false;
	*text = str_skip(element, start.len);
	*form = str_cut(text, '"');
	str_cut(text, '>');
	return true;
}

/* The sums of the stack that ends in a frame. */
static struct count *
sum_of(struct job *j, uint32_t frame)
{
	const size_t ends = j->ends_cap;

	j->ends = mem_grow(j->ends, &j->ends_cap, j->trie.n, sizeof(*j->ends));
	memset(j->ends + ends, 0, (j->ends_cap - ends) * sizeof(*j->ends));
	if (j->ends[frame] == 0) {
		j->sum = mem_grow(j->sum, &j->sum_cap, (size_t)j->nsums + 1,
				  sizeof(*j->sum));
		memset(j->sum[j->nsums], 0, sizeof(*j->sum));
		j->ends[frame] = ++j->nsums;
	}
	return j->sum[j->ends[frame] - 1];
}

static void
add_stack(struct job *j, const struct input *in, const struct svgread *r)
{
	struct count *sum;
	size_t i;
	int k;

	if (str_starts(intern_name(j->names, *r->stack), STR("#")))
		bad(in, "the table is damaged: no name");
	j->frame = mem_grow(j->frame, &j->frame_cap, r->depth,
			    sizeof(*j->frame));
	for (i = r->same; i < r->depth; i++)
		j->frame[i] = trie_child(&j->trie, i == 0 ? 0 : j->frame[i - 1],
					 r->stack[i]);
	sum = sum_of(j, j->frame[r->depth - 1]);
	for (k = 0; k < r->counts; k++) {
		if (!count_add(&sum[k], r->count[k]))
			bad(in, "counts add up to more than 64 bits");
	}
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
read_table(struct job *j, const struct input *in, struct str bytes, size_t most)
{
	const char *reason;
	struct svgread r;
	int more;

	reason = svgread_open(&r, bytes, j->names, most);
	if (reason != NULL)
		bad(in, reason);
	if (r.lossy)
		bad(in, "not the whole profile: --max-frames or --reverse");
	if (j->counts != 0 && j->counts != r.counts)
		bad(in, "a diff, or others are");
	j->counts = r.counts;
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

/* One picture's table, which may take most bytes more; those it took. */
static size_t
read_text(struct job *j, const struct input *in, struct str form,
	  struct str text, size_t most)
{
	const size_t before = intern_memory(j->names);
	struct buf packed = { 0 }, bytes = { 0 };
	size_t taken;
	bool good;

	good = base64_decode(&packed, text);
	if (good && str_eq(form, STR("deflate")))
		good = inflate_add(&bytes, buf_slice(&packed), most);
	else
		buf_str(&bytes, buf_slice(&packed));
	if (bytes.len > most)
		bad(in, "the table unpacks to too many bytes");
	if (!good)
		bad(in, "the table is damaged");
	in->tally->good++;
	read_table(j, in, buf_slice(&bytes), most);
	taken = bytes.len + intern_memory(j->names) - before;
	buf_free(&packed);
	buf_free(&bytes);
	return taken;
}

/* The pictures of a file, which may be a page, or pictures behind others. */
static void
read_pictures(struct input *in, void *arg)
{
	static const char none[] = "no picture of flamegraph's, or a static "
				   "one";
	struct str line, element, form, text;
	size_t most = UNPACKED_ALWAYS, taken;
	bool awaited = false, found = false;

	while (input_line(in, &line)) {
		while (line.len > 0) {
			element = str_cut(&line, '<');
			if (is_picture(element)) {
				if (awaited)
					bad(in, none);
				awaited = true;
			} else if (is_table(element, &form, &text)) {
				most += UNPACKED_TIMES * text.len;
				taken = read_text(arg, in, form, text, most);
				most -= taken < most ? taken : most;
				awaited = false;
				found = true;
			}
		}
	}
	if (awaited || !found)
		bad(in, none);
}

static void
write_stack(void *arg, uint32_t frame, struct str stack)
{
	struct job *j = arg;
	const size_t start = j->out.text.len;

	buf_str(&j->out.text, stack);
	foldout_line(&j->out, start, sum_of(j, frame));
}

/* Write all, behind a header, which a profile with two counts always has. */
static void
write_profile(struct job *j, bool with_meta)
{
	j->out = (struct foldout){ .out = stdout, .counts = j->counts };
	if (with_meta || j->counts == 2)
		merge_print(&j->merge, j->counts, &j->out.text);
	trietext_visit(&j->trie, j->names, j->ends, write_stack, j);
	foldout_end(&j->out);
}

static void
free_job(struct job *j)
{
	intern_free(j->names);
	trie_free(&j->trie);
	free(j->sum);
	free(j->ends);
	free(j->frame);
	merge_free(&j->merge);
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
	struct job j = { .names = intern_new() };
	bool with_meta = false;

	cmd_begin(&c, argc, argv);
	while (cmd_next(&c) == 'm')
		with_meta = true;
	trie_init(&j.trie);
	cmd_files(&c, read_pictures, &j);
	write_profile(&j, with_meta);
	free_job(&j);
	return cmd_done(&c);
}
