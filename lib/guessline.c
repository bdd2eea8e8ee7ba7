/* guessline.c - formats that are told by what stands in each of their lines. */
#include "guessline.h"

#include "foldline.h"

struct str
guessline_first(struct str *s)
{
	struct str line;

	do {
		line = str_rtrim(str_without_cr(str_cut(s, '\n')));
	} while (s->len > 0 && (line.len == 0 || *line.p == '#'));
	return line;
}

/* "Thread 7f;f (a.py);L12 42", "P12;T34;a.py:f:12 42" */
bool
guessline_austin(struct str s)
{
	struct str line = guessline_first(&s), process = line;
	uint64_t n;

	if (line.len == 0 || !str_isdigit(line.p[line.len - 1]))
		return false;
	process = str_cut(&line, ';');
	return str_starts(process, STR("Thread ")) ||
	       str_starts(process, STR("Process ")) ||
	       (str_starts(process, STR("P")) &&
		str_u64(str_skip(process, 1), &n) &&
		str_starts(line, STR("T")));
}

/* "84%  f < main"; what -jp=G prints is folded text. */
static bool
is_luajit_jp(struct str s)
{
	struct str line = guessline_first(&s), number = str_trim(line);
	bool any = str_find(line, '%') != NULL;
	uint64_t n;

	return any && str_u64(str_cut(&number, '%'), &n) && n <= 100 &&
	       str_starts(number, STR("  "));
}

/*
 * "   84  f < main", as -jp=r prints, those lines first that have the most;
 * "  <-    12  g" is a part of the line above it.  The last may be cut.
 */
static bool
is_luajit_raw(struct str s)
{
	uint64_t n, last = UINT64_MAX;
	struct str line, number;
	int lines;

	for (lines = 0; str_find(s, '\n') != NULL && lines < 100; lines++) {
		line = guessline_first(&s);
		number = str_trim(line);
		if (lines > 0 &&
		    (line.len == 0 || str_starts(line, STR("  <-")) ||
		     str_starts(line, STR("  ->")) ||
		     str_starts(line, STR("  --"))))
			continue;
		if (!str_u64(str_cut(&number, ' '), &n) || n > last ||
		    number.p - line.p <= (ptrdiff_t)strlen("   84") ||
		    number.len < 2 || number.p[0] != ' ' || number.p[1] == ' ')
			return false;
		last = n;
	}
	return lines > 0;
}

/* -jp, or -jp=r */
bool
guessline_luajit(struct str s)
{
	return is_luajit_jp(s) || is_luajit_raw(s);
}

/* "main;parse;read 42", line after line; some are of one frame. */
static bool
is_folded(struct str s)
{
	struct str line;
	const char *blank;
	uint64_t n;
	bool any = false;
	int lines;

	for (lines = 0; s.len > 0 && lines < 100; lines++) {
		/* the last line may be cut */
		if (lines > 0 && str_find(s, '\n') == NULL)
			break;
		line = guessline_first(&s);
		blank = line.len == 0 ? NULL : memrchr(line.p, ' ', line.len);
		if (blank == NULL)
			return false;
		if (!str_u64(str_range(blank + 1, line.p + line.len), &n))
			return false;
		any |= str_find(line, ';') != NULL;
	}
	return any;
}

/* "name.verb/2", perhaps with " (JIT)"; "module:function/2" is of Erlang. */
static bool
is_typhon_frame(struct str s)
{
	struct str name;
	uint64_t n;

	if (str_ends(s, STR(" (JIT)")))
		s.len -= strlen(" (JIT)");
	name = str_cut(&s, '/');
	return str_u64(s, &n) && str_find(name, '.') != NULL &&
	       str_find(name, ':') == NULL;
}

bool
guessline_typhon(struct str s)
{
	bool is = is_folded(s);
	struct str stack = guessline_first(&s);

	foldline_word(&stack);
	while (is && stack.len > 0)
		is = is_typhon_frame(str_cut(&stack, ';'));
	return is;
}

/* Folded text, or a header alone; but what readers of their own know better. */
bool
guessline_folded(struct str s)
{
	return (is_folded(s) || str_starts(s, STR("#fold="))) &&
	       !guessline_typhon(s) && !guessline_austin(s);
}
