/*
 * stackcollapse-gperftools - fold a CPU profile of gperftools.
 *
 * The file has machine words, with the addresses of each stack from the leaf,
 * and then the mappings as text.  Source: "CPU Profiler Binary Data File
 * Format" of gperftools.
 */
#include "base/mem.h"
#include "base/u64map.h"
#include "demangle/demangle.h"
#include "elf/elf.h"
#include "reader/collapse.h"

#include <stdlib.h>

enum { OPT_SYMFS = CMD_LONG };

static const struct cmd_option options[] = {
	{ "symfs", OPT_SYMFS, "DIR", "find binaries below DIR", false },
	{ NULL, 0, NULL, NULL, false }
};

static struct elf_paths places;

static bool
set_option(int value, char *arg)
{
	if (value == OPT_SYMFS)
		places.symfs = arg;
	return value == OPT_SYMFS;
}

/* A line of the mappings. */
struct file_mapping {
	uint64_t start, end, offset, inode;
	struct str path;
	struct elf *elf; /* opened at its first use */
	bool tried;
};

struct gperf_profile {
	struct input *in;
	struct sink *out;
	struct str rest;
	unsigned word;   /* size in bytes */
	uint64_t period; /* us */
	struct file_mapping *mapping;
	size_t n, cap;
	struct u64map leaves, callers; /* tokens by address */
	uint32_t *stack;
	size_t stack_cap;
	struct buf name;
};

static bool
cut_word(struct gperf_profile *p, uint64_t *n)
{
	unsigned i;

	if (p->rest.len < p->word)
		return false;
	*n = 0;
	for (i = p->word; i > 0; i--)
		*n = *n << 8 | (unsigned char)p->rest.p[i - 1];
	p->rest = str_skip(p->rest, p->word);
	return true;
}

/* The words 0, 3, 0, the period, 0 */
static bool
read_head(struct gperf_profile *p)
{
	static const char zeros[8];
	uint64_t word[5];
	int i;

	p->word = p->rest.len >= 8 && memcmp(p->rest.p, zeros, 8) == 0 ? 8 : 4;
	for (i = 0; i < 5; i++) {
		if (!cut_word(p, &word[i]))
			return false;
	}
	p->period = word[3];
	return word[0] == 0 && word[1] == 3 && word[2] == 0 && word[4] == 0 &&
	       p->period < UINT32_MAX;
}

/* "7f98f6f30000-7f98f6fa4000 r-xp 00010000 00:00 333211   /lib/libm.so.6" */
static void
read_mapping(struct gperf_profile *p, struct str line)
{
	struct file_mapping m = { 0 };
	struct str range = str_cut(&line, ' ');

	if (!str_hex(str_cut(&range, '-'), &m.start) ||
	    !str_hex(range, &m.end) || m.end <= m.start)
		return; /* "build=..." and other lines */
	str_cut(&line, ' ');
	if (!str_hex(str_cut(&line, ' '), &m.offset))
		return;
	str_cut(&line, ' ');
	if (!str_u64(str_cut(&line, ' '), &m.inode))
		return;
	m.path = str_trim(line);
	p->mapping = mem_grow(p->mapping, &p->cap, p->n + 1, sizeof(m));
	p->mapping[p->n++] = m;
}

static int
compare_starts(const void *a, const void *b)
{
	const struct file_mapping *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The mappings are sorted and do not overlap. */
static struct file_mapping *
find_mapping(struct gperf_profile *p, uint64_t address)
{
	size_t low = 0, high = p->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->mapping[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->n && p->mapping[low].start <= address ?
		   &p->mapping[low] :
		   NULL;
}

/* The mapped file; NULL if another file has its path now. */
static struct elf *
open_elf(struct gperf_profile *p, struct file_mapping *m)
{
	const char *why;

	if (m->tried || m->path.len == 0 || *m->path.p != '/')
		return m->elf;
	m->tried = true;
	p->name.len = 0;
	buf_str(&p->name, m->path);
	buf_char(&p->name, '\0');
	m->elf = elf_open(p->name.p, &places, &why);
	if (m->elf != NULL && places.symfs == NULL &&
	    elf_inode(m->elf) != m->inode) {
		elf_close(m->elf);
		m->elf = NULL;
	}
	return m->elf;
}

/* A caller's address follows the call: look up the byte before it. */
static uint32_t
make_token(struct gperf_profile *p, uint64_t address, bool is_leaf)
{
	struct frame frame = { .addr = address, .has_addr = true };
	uint64_t at = address - !is_leaf, vaddr;
	struct file_mapping *m = find_mapping(p, at);
	struct symbol symbol;
	struct elf *elf;

	if (m == NULL)
		return sink_token(p->out, &frame, 0);
	frame.module = m->path;
	elf = open_elf(p, m);
	p->name.len = 0;
	if (elf != NULL && elf_vaddr(elf, at - m->start + m->offset, &vaddr) &&
	    elf_symbol(elf, vaddr, &symbol)) {
		if (!demangle(&p->name, symbol.name))
			buf_str(&p->name, symbol.name);
		frame.name = buf_slice(&p->name);
	}
	return sink_token(p->out, &frame, 0);
}

static uint32_t
token_of(struct gperf_profile *p, uint64_t address, bool is_leaf)
{
	struct u64map *tokens = is_leaf ? &p->leaves : &p->callers;
	uint32_t token;

	if (!u64map_get(tokens, address, &token)) {
		token = make_token(p, address, is_leaf);
		u64map_put(tokens, address, token);
	}
	return token;
}

/*
 * Read records of count, depth and addresses; 0, 1, 0 ends them.  The first
 * pass, without push, only finds the end.  Returns what is wrong, or NULL.
 */
static const char *
read_samples(struct gperf_profile *p, bool push)
{
	struct sample sample = SAMPLE_UNKNOWN;
	uint64_t count, depth, address = 0, i;

	while (cut_word(p, &count) && cut_word(p, &depth)) {
		if (depth > p->rest.len / p->word)
			return "a stack is truncated";
		if (count == 0) {
			p->rest = str_skip(p->rest, (size_t)depth * p->word);
			return NULL;
		}
		p->in->line += push;
		p->stack = mem_grow(p->stack, &p->stack_cap, (size_t)depth + 1,
				    sizeof(*p->stack));
		for (i = 0; i < depth; i++) {
			cut_word(p, &address);
			if (push)
				p->stack[i] = token_of(p, address, i == 0);
		}
		sample_repeat(&sample, count, p->period * 1000);
		if (!push || !sink_begin(p->out, &sample))
			continue;
		sink_push(p->out, p->stack, (size_t)depth);
		sink_end(p->out, count_of(count));
	}
	return "the file is truncated";
}

static void
read_all(struct gperf_profile *p)
{
	struct str samples = p->rest, maps;
	const char *wrong = read_samples(p, false);

	if (wrong == NULL) {
		maps = p->rest;
		while (maps.len > 0)
			read_mapping(p, str_trim(str_cut(&maps, '\n')));
		if (p->n > 0)
			qsort(p->mapping, p->n, sizeof(*p->mapping),
			      compare_starts);
	}
	p->rest = samples;
	read_samples(p, true);
	if (wrong != NULL)
		input_bad(p->in, "%s", wrong);
}

static void
read_gperftools(struct input *in, struct sink *out)
{
	struct gperf_profile p = { .in = in, .out = out };
	size_t i;

	p.rest = input_bytes(in, SIZE_MAX);
	if (p.rest.len == 0)
		return;
	in->tally->bad_unit = "record";
	if (read_head(&p))
		read_all(&p);
	else
		input_bad(in, "not a gperftools CPU profile");
	for (i = 0; i < p.n; i++) {
		if (p.mapping[i].elf != NULL)
			elf_close(p.mapping[i].elf);
	}
	free(p.mapping);
	free(p.stack);
	u64map_free(&p.leaves);
	u64map_free(&p.callers);
	buf_free(&p.name);
}

int
main(int argc, char *argv[])
{
	static const struct sandbox may = { .reads_all = true };
	static const struct reader gperftools = {
		.order = LEAF_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a CPU profile of gperftools.",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_gperftools
	};

	return collapse_main(argc, argv, &gperftools);
}
