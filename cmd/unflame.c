/* unflame - read the profile back out of a picture of flamegraph(1). */
#include "base/mem.h"
#include "cli/cmd.h"
#include "codec/base64.h"
#include "codec/deflate.h"
#include "folded/foldout.h"
#include "folded/meta_merge.h"
#include "svg/svgread.h"
#include "tree/trietext.h"

#include <err.h>
#include <stdlib.h>

/*
 * Limit against decompression bombs: a table is compressed, and its names
 * share prefixes, so few bytes of a hostile picture could fill the memory.
 */
#define UNPACKED_ALWAYS ((size_t)16 << 20)
#define UNPACKED_TIMES 256

struct unflame {
	int counts; /* per line; 0 before the first picture */
	struct intern *names;
	struct trie trie;
	uint32_t *ends; /* by frame: 1 + index of its stack's sums, or 0 */
	struct count (*sum)[2];
	uint32_t nsums;
	size_t ends_cap, sum_cap;
	uint32_t *frame; /* the current stack */
	size_t frame_cap;
	struct meta_merge merge;
	struct foldout out;
};

static void __attribute__((noreturn))
bad(const struct input *in, const char *why)
{
	errx(CMD_ERROR, "%s: %s", in->name, why);
}

/* True if an element, given with the text up to the next one, is a root <svg>.
 */
static bool
is_picture(struct str element)
{
	return str_starts(element, STR("svg ")) &&
	       str_search(element, STR(" class=\"fg")) != NULL;
}

/* The text of an element that holds a table; sets *form to its encoding. */
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

/* The sums of the stack that ends in a frame; adds it if new. */
static struct count *
sum_of(struct unflame *j, uint32_t frame)
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
add_stack(struct unflame *j, const struct input *in, const struct svgread *r)
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

/* Merge the metadata of a picture, as foldmerge(1) does. */
static void
begin_profile(struct unflame *j, const struct input *in, struct str header)
{
	struct meta m = { 0 };

	if (header.len > 0 && !meta_parse(&m, header))
		bad(in, "the table is damaged: no metadata");
	meta_merge_begin(&j->merge, header.len > 0 ? &m : NULL);
	meta_free(&m);
}

static void
read_table(struct unflame *j, const struct input *in, struct str bytes,
	   size_t most)
{
	const char *reason;
	struct svgread r;
	int more;

	reason = svgread_open(&r, bytes, j->names, most);
	if (reason != NULL)
		bad(in, reason);
	if (r.lossy)
		bad(in, "not the whole profile: drawn with --max-frames or "
			"--reverse");
	if (j->counts != 0 && j->counts != r.counts)
		bad(in, "a diff, or other inputs are");
	j->counts = r.counts;
	begin_profile(j, in, r.header);
	while ((more = svgread_next(&r)) > 0)
		add_stack(j, in, &r);
	if (more < 0)
		bad(in, "the table is damaged");
	reason = meta_merge_end(&j->merge);
	if (reason != NULL)
		bad(in, reason);
	svgread_close(&r);
}

/* Read one table into at most `most` bytes; returns the bytes used. */
static size_t
read_text(struct unflame *j, const struct input *in, struct str form,
	  struct str text, size_t most)
{
	const size_t before = intern_memory(j->names);
	struct buf packed = { 0 }, bytes = { 0 };
	size_t taken;
	bool good;

	good = base64_decode(&packed, text);
	if (good && str_eq(form, STR("deflate")))
		good = deflate_inflate(&bytes, buf_slice(&packed), most);
	else
		buf_str(&bytes, buf_slice(&packed));
	if (bytes.len > most)
		bad(in, "the table decompresses to too many bytes");
	if (!good)
		bad(in, "the table is damaged");
	in->tally->good++;
	read_table(j, in, buf_slice(&bytes), most);
	taken = bytes.len + intern_memory(j->names) - before;
	buf_free(&packed);
	buf_free(&bytes);
	return taken;
}

/* Read all pictures of a file, which may be a page or several pictures. */
static void
read_pictures(struct input *in, void *arg)
{
	static const char none[] =
	    "not a flame graph that flamegraph drew, or drawn with --static";
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
	struct unflame *j = arg;
	const size_t start = j->out.text.len;

	buf_str(&j->out.text, stack);
	foldout_line(&j->out, start, sum_of(j, frame));
}

/* Write the header, which two counts always need, and all stacks. */
static void
write_profile(struct unflame *j, bool with_meta)
{
	j->out = (struct foldout){ .out = stdout, .counts = j->counts };
	if (with_meta || j->counts == 2)
		meta_merge_print(&j->merge, j->counts, &j->out.text);
	trietext_visit(&j->trie, j->names, j->ends, write_stack, j);
	foldout_end(&j->out);
}

static void
free_job(struct unflame *j)
{
	intern_free(j->names);
	trie_free(&j->trie);
	free(j->sum);
	free(j->ends);
	free(j->frame);
	meta_merge_free(&j->merge);
}

int
main(int argc, char *argv[])
{
	static const struct cmd_option options[] = {
		{ "meta", 'm', NULL, "begin the output with metadata", false },
		{ NULL, 0, NULL, NULL, false }
	};
	struct cmd c = { .synopsis = "[options] [file ...]",
			 .summary = "Extract folded stacks from a flame graph.",
			 .options = options };
	struct unflame j = { .names = intern_new() };
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
