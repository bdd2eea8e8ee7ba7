/*
 * top - what foldtop shows as a libFuzzer target: the size of a screen, a line
 * of keys, and stacks whose frames have any bytes.  Whatever these are, only
 * our own sequences may come to the terminal, and no line may be too many.
 */
#include "top/topdraw.h"
#include "top/topkeys.h"
#include "top/topsave.h"

#include "folded/stack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
add_stacks(struct topprofile *l, struct str text)
{
	const struct tallies tallies = { 0 };
	struct stack stack = { 0 };
	struct str line;
	uint64_t time = 1;

	while (text.len > 0) {
		line = str_cut(&text, '\n');
		if (line.len == 0)
			continue;
		stack_split(&stack, l->names, line);
		window_slice_add(&l->window.open,
				 trie_add(&l->trie, stack.id, stack.n),
				 count_of(line.len * line.len));
		if (line.len % 3 == 0) {
			window_end(&l->window, time, time + line.len, &tallies);
			time += line.len;
		}
	}
	window_end(&l->window, time, time + 1, &tallies);
	stack_free(&stack);
}

/* "ESC [ ? 1 ; 2 m": what stands behind it. */
static struct str
skip_sequence(struct str s)
{
	size_t i = 1;

	if (s.len < 3 || s.p[i++] != '[')
		abort();
	while (i < s.len && (str_isdigit(s.p[i]) || s.p[i] == ';'))
		i++;
	if (i == s.len || s.p[i] == '\0' || strchr("HGJKm", s.p[i]) == NULL)
		abort();
	return str_skip(s, i + 1);
}

/* It is a frame, and within it there are our sequences and lines. */
static void
check(const struct canvas *c)
{
	const struct str begin = STR("\033[?2026h"), end = STR("\033[?2026l");
	struct str s = buf_slice(&c->out);
	size_t lines = 1;

	if (!str_starts(s, begin) || !str_ends(s, end))
		abort();
	s = str_skip(s, begin.len);
	s.len -= end.len;
	while (s.len > 0) {
		if (*s.p == '\033') {
			s = skip_sequence(s);
			continue;
		}
		if (*s.p == '\n')
			lines++;
		else if ((unsigned char)*s.p < ' ' && *s.p != '\r')
			abort();
		/* C1 controls begin with this byte, and little else does. */
		if (s.len > 1 && memcmp(s.p, "\xc2\x9b", 2) == 0)
			abort();
		s = str_skip(s, 1);
	}
	if (lines > c->rows && c->rows > 4)
		abort();
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static struct waits *waits;
	static struct palette *palette;
	struct topprofile live = { .window.length = 100 };
	struct top top = { .profile = &live };
	struct str text = { (const char *)data, size }, keys;
	struct buf saved = { 0 };

	if (size < 2)
		return 0;
	if (waits == NULL) {
		waits = waits_new(NULL);
		palette = palette_new(NULL, SHADE_HASH);
	}
	topprofile_init(&live);
	top.canvas.kind = CANVAS_MONO + data[0] % 3;
	top.canvas.utf8 = data[0] & 1;
	top.canvas.rows = 1 + data[0] / 8;
	top.canvas.columns = 1 + data[1] / 2;
	text = str_skip(text, 2);
	keys = str_cut(&text, '\n');
	top_init(&top, waits, palette);
	add_stacks(&live, text);
	top_refresh(&top);
	for (; keys.len > 0; keys = str_skip(keys, 1)) {
		/* Arrows and their kin are above the bytes. */
		topkeys_press(&top, (unsigned char)*keys.p >= 0xf8 ?
					(unsigned char)*keys.p - 0xf8 + 256 :
					(unsigned char)*keys.p);
		top_refresh(&top);
		topdraw(&top);
		check(&top.canvas);
	}
	topdraw(&top);
	check(&top.canvas);
	topsave_text(&top, &saved);
	buf_free(&saved);
	top_free(&top);
	topprofile_free(&live);
	return 0;
}
