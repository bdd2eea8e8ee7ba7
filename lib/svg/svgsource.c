/* svgsource.c - lines of the source for the picture: flamegraph's --source. */
#include "svg/svgsource.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "folded/folded.h"
#include "os/source_tree.h"
#include "svg/svgtable.h"

#include <inttypes.h>
#include <stdlib.h>

/* Lines before and after a line with samples. */
#define AROUND 5

/* Larger files, and longer lines, are hardly written by hand; bytes. */
#define LARGEST ((size_t)8 << 20)
#define LONGEST 400

/* Size of the table before compression, bytes; and files looked for. */
#define TABLE ((size_t)4 << 20)
#define FILES 20000

/* A name with a line. */
struct source_name {
	uint32_t name, file, line; /* name: its place in svgnames.id */
	bool begins;               /* of another function than that before */
};

struct source_file {
	uint32_t id;
	double count;
	uint32_t place; /* in the table, or NONE */
	uint32_t *line; /* with samples */
	size_t n, cap;
};

#define NONE UINT32_MAX

struct source_work {
	struct source_name *name;
	struct source_file *file;
	size_t n, cap, nfiles, file_cap;
	struct intern *paths;
};

bool
svgsource_split(struct str name, struct str *head, struct str *file,
		uint32_t *line)
{
	struct str rest = folded_frame_name(name, &(char){ 0 }), path;
	const bool in_brackets = str_ends(rest, STR(")"));
	const char *digits, *end, *p;
	uint64_t n;

	rest.len -= in_brackets;
	end = digits = rest.p + rest.len;
	while (digits > rest.p && str_isdigit(digits[-1]))
		digits--;
	if (digits < rest.p + 2 || digits[-1] != ':' ||
	    !str_u64(str_range(digits, end), &n) || n == 0 || n > INT32_MAX)
		return false;
	*head = path = str_range(rest.p, digits - 1);
	for (p = path.p + path.len; p > path.p; p--) {
		if (in_brackets ?
			p - path.p >= 2 && memcmp(p - 2, " (", 2) == 0 :
			p[-1] == ':')
			break;
	}
	*file = str_range(p, path.p + path.len);
	*line = (uint32_t)n;
	/* "run /srv/a.js:1:1" has a line and a column. */
	return p > path.p && file->len > 0 &&
	       (str_find(*file, '.') != NULL || str_find(*file, '/') != NULL);
}

static struct source_file *
find_file(struct source_work *w, struct str path)
{
	uint32_t id = intern_id(w->paths, path);

	if (id == w->nfiles) {
		w->file = mem_grow(w->file, &w->file_cap, w->nfiles + 1,
				   sizeof(*w->file));
		w->file[w->nfiles++] = (struct source_file){ .id = id,
							     .place = NONE };
	}
	return &w->file[id];
}

static void
collect_names(struct source_work *w, const struct svgnames *names,
	      const struct tree *t)
{
	struct str head, last = { 0 }, path;
	struct source_file *file;
	uint32_t i, line;

	for (i = 0; i < names->n; i++) {
		if (!svgsource_split(intern_name(t->names, names->id[i]), &head,
				     &path, &line))
			continue;
		file = find_file(w, path);
		file->line = mem_grow(file->line, &file->cap, file->n + 1,
				      sizeof(*file->line));
		file->line[file->n++] = line;
		w->name = mem_grow(w->name, &w->cap, w->n + 1,
				   sizeof(*w->name));
		w->name[w->n++] = (struct source_name){ i, file->id, line,
							!str_eq(head, last) };
		last = head;
	}
}

/* Add to each file what its functions have of their own. */
static void
count_files(struct source_work *w, const struct svgnames *names,
	    const struct tree *t)
{
	uint32_t *file = mem_zero((size_t)names->n + 1, sizeof(*file));
	uint32_t i, depth = 0, place;
	size_t k;

	for (k = 0; k < w->n; k++)
		file[w->name[k].name] = w->name[k].file + 1;
	for (i = tree_next(t, 0, &depth); i != 0; i = tree_next(t, i, &depth)) {
		place = names->place[t->node[i].name];
		if (file[place] > 0)
			w->file[file[place] - 1].count += count_double(
			    tree_self(t, i, t->counts - 1));
	}
	free(file);
}

static int
compare_files(const void *a, const void *b)
{
	const struct source_file *x = *(const struct source_file *const *)a;
	const struct source_file *y = *(const struct source_file *const *)b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int
compare_lines(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
add_text(struct buf *out, struct str text)
{
	svgtable_number(out, text.len);
	buf_str(out, text);
}

/* Append a line: valid UTF-8, control characters but tabs as \xNN. */
static void
add_line(struct buf *out, struct str line)
{
	struct buf clean = { 0 };

	line = str_without_cr(line);
	if (line.len > LONGEST) {
		line.len = LONGEST;
		while (line.len > 0 && (line.p[line.len] & 0xc0) == 0x80)
			line.len--;
	}
	while (str_find(line, '\t') != NULL) {
		utf8_escape(&clean, str_cut(&line, '\t'));
		buf_char(&clean, '\t');
	}
	utf8_escape(&clean, line);
	add_text(out, buf_slice(&clean));
	buf_free(&clean);
}

/* The lines from one on until another, the last not; text begins at from. */
static void
add_range(struct buf *out, struct str *text, uint32_t from, uint32_t to)
{
	struct buf lines = { 0 };
	uint32_t n = 0;

	for (; from + n < to && text->len > 0; n++)
		add_line(&lines, str_cut(text, '\n'));
	svgtable_number(out, n);
	buf_str(out, buf_slice(&lines));
	buf_free(&lines);
}

/* Append the lines of a file around those with samples. */
static void
add_ranges(struct buf *out, const struct source_file *f, struct str text)
{
	struct buf ranges = { 0 };
	uint32_t at = 1, from, to, n = 0, last = 1;
	size_t k = 0;

	while (k < f->n) {
		from = f->line[k] > AROUND ? f->line[k] - AROUND : 1;
		from = from < last ? last : from;
		to = f->line[k] + AROUND + 1;
		for (k++; k < f->n && f->line[k] <= to + AROUND; k++)
			to = f->line[k] + AROUND + 1;
		for (; at < from && text.len > 0; at++)
			str_cut(&text, '\n');
		if (text.len == 0)
			break;
		svgtable_number(&ranges, from - last);
		add_range(&ranges, &text, from, to);
		at = last = to;
		n++;
	}
	svgtable_number(out, n);
	buf_str(out, buf_slice(&ranges));
	buf_free(&ranges);
}

/* Append the files, those with the largest counts first; returns their number.
 */
static uint32_t
add_files(struct svgsource *s, struct source_work *w, struct buf *out,
	  int folder)
{
	struct source_file **order = mem_zero(w->nfiles + 1,
					      sizeof(struct source_file *));
	struct buf text = { 0 };
	uint32_t n = 0;
	size_t k;

	for (k = 0; k < w->nfiles; k++)
		order[k] = &w->file[k];
	qsort(order, w->nfiles, sizeof(struct source_file *), compare_files);
	for (k = 0; k < w->nfiles; k++) {
		struct source_file *f = order[k];
		struct str path = intern_name(w->paths, f->id);

		if (k >= FILES || out->len > TABLE) {
			s->left_out++;
			continue;
		}
		text.len = 0;
		if (!source_tree_read(folder, path, &text, LARGEST)) {
			if (s->missing++ == 0)
				utf8_escape(&s->example, path);
			continue;
		}
		qsort(f->line, f->n, sizeof(*f->line), compare_lines);
		f->place = n++;
		add_text(out, path);
		add_ranges(out, f, buf_slice(&text));
	}
	buf_free(&text);
	free(order);
	return n;
}

/* Append the names whose files are in the table; returns their number. */
static uint32_t
add_names(const struct source_work *w, struct buf *out)
{
	uint32_t last = NONE, n = 0;
	bool begins = false;
	size_t k;

	for (k = 0; k < w->n; k++) {
		const struct source_name *name = &w->name[k];
		uint32_t place = w->file[name->file].place;

		begins = begins || name->begins;
		if (place == NONE)
			continue;
		svgtable_number(out, name->name - last);
		svgtable_number(out, 2 * (uint64_t)name->line + begins);
		if (begins)
			svgtable_number(out, place);
		begins = false;
		last = name->name;
		n++;
	}
	return n;
}

void
svgsource_read(struct svgsource *s, const struct svgnames *names,
	       const struct tree *t, int folder)
{
	struct source_work w = { .paths = intern_new() };
	struct buf files = { 0 }, lines = { 0 };
	uint32_t nfiles;
	size_t k;

	*s = (struct svgsource){ 0 };
	collect_names(&w, names, t);
	count_files(&w, names, t);
	nfiles = add_files(s, &w, &files, folder);
	s->lines = (uint32_t)w.n;
	s->files = (uint32_t)w.nfiles;
	if (nfiles > 0) {
		svgtable_number(&s->table, 1);
		svgtable_number(&s->table, nfiles);
		svgtable_number(&s->table, add_names(&w, &lines));
		buf_str(&s->table, buf_slice(&files));
		buf_str(&s->table, buf_slice(&lines));
	}
	for (k = 0; k < w.nfiles; k++)
		free(w.file[k].line);
	free(w.file);
	free(w.name);
	intern_free(w.paths);
	buf_free(&files);
	buf_free(&lines);
}

void
svgsource_report(const struct svgsource *s, const struct cmd *c,
		 const char *folder)
{
	if (s->lines == 0)
		cmd_note(c, "--source: no frame has a line; record with "
			    "--srcline");
	if (s->missing > 0)
		cmd_note(c,
			 "--source: %s has %" PRIu32 " of %" PRIu32
			 " files; it lacks %.*s",
			 folder, s->files - s->missing - s->left_out, s->files,
			 (int)s->example.len, s->example.p);
	if (s->left_out > 0)
		cmd_note(c,
			 "--source: dropped %" PRIu32
			 " %s, because the others fill 4 MB",
			 s->left_out, str_plural(s->left_out, "file", "files"));
}

void
svgsource_free(struct svgsource *s)
{
	buf_free(&s->table);
	buf_free(&s->example);
	*s = (struct svgsource){ 0 };
}
