/* topkeys.c - the keys of foldtop(1). */
#include "top/topkeys.h"

#include "cli/screen.h"

/* Control characters that terminals send. */
#define BACKSPACE '\b'
#define DELETE 0x7f
#define ESCAPE 0x1b
#define CTRL_U 0x15

static void
show(struct top *t, enum top_view view)
{
	t->view = view;
	t->cursor = t->scroll = 0;
	t->shows_help = false;
	toplist_forget(&t->list);
}

static void
show_threads(struct top *t)
{
	t->thread = TOPTHREADS_ALL;
	show(t, TOP_THREADS);
}

/* A key while a pattern is typed; the search runs at once. */
static void
type(struct top *t, int key)
{
	struct buf *p = &t->pattern;

	if (key == '\r' || key == '\n') {
		t->is_typing = false;
	} else if (key == ESCAPE || key == CTRL_U) {
		p->len = 0;
		t->is_typing = key == CTRL_U;
	} else if (key == BACKSPACE || key == DELETE) {
		/* Delete all bytes of a character. */
		while (p->len > 0 && (p->p[p->len - 1] & 0xc0) == 0x80)
			p->len--;
		p->len -= p->len > 0;
	} else if (key >= ' ' && key < 256) {
		buf_char(p, (char)key);
	}
	/* An invalid pattern may become valid with the next key. */
	top_search(t, buf_slice(p));
}

static void
walk_flame(struct top *t, int key)
{
	const struct thread_activity *a = &t->activity;

	switch (key) {
	case KEY_UP:
		topflame_walk(&t->flame, a, TOPFLAME_UP);
		break;
	case KEY_DOWN:
		topflame_walk(&t->flame, a, TOPFLAME_DOWN);
		break;
	case KEY_LEFT:
		topflame_walk(&t->flame, a, TOPFLAME_LEFT);
		break;
	case KEY_RIGHT:
		topflame_walk(&t->flame, a, TOPFLAME_RIGHT);
		break;
	case KEY_HOME:
		t->flame.cursor = t->flame.zoom;
		break;
	default:
		break;
	}
}

/* Move the cursor by a number of rows, at most to the end. */
static void
move(struct top *t, size_t rows, bool down)
{
	const size_t rows_shown = top_rows(t),
		     last = rows_shown > 0 ? rows_shown - 1 : 0;

	if (down)
		t->cursor = rows > last - t->cursor ? last : t->cursor + rows;
	else
		t->cursor = rows > t->cursor ? 0 : t->cursor - rows;
}

static void
walk_list(struct top *t, int key)
{
	switch (key) {
	case KEY_UP:
		move(t, 1, false);
		break;
	case KEY_DOWN:
		move(t, 1, true);
		break;
	case KEY_PAGE_UP:
		move(t, top_body_lines(t), false);
		break;
	case KEY_PAGE_DOWN:
		move(t, top_body_lines(t), true);
		break;
	case KEY_HOME:
		move(t, SIZE_MAX, false);
		break;
	case KEY_END:
		move(t, SIZE_MAX, true);
		break;
	default:
		break;
	}
}

/* Show details of the row or frame under the cursor. */
static void
enter(struct top *t)
{
	uint32_t what;

	if (t->view == TOP_FLAME) {
		t->flame.zoom = t->flame.cursor;
		return;
	}
	if (top_rows(t) == 0)
		return;
	if (t->view == TOP_THREADS) {
		t->thread = t->threads.row[t->cursor];
		t->has_focus = false;
		show(t, TOP_STACKS);
		return;
	}
	what = t->list.row[t->cursor].id;
	if (t->view == TOP_FUNCTIONS) {
		t->focus = what;
		t->has_focus = true;
		show(t, TOP_STACKS);
	} else {
		t->flame.zoom = 0;
		t->flame.cursor = what;
		show(t, TOP_FLAME);
	}
}

static void
go_back(struct top *t)
{
	if (t->shows_help) {
		t->shows_help = false;
	} else if (t->pattern.len > 0) {
		t->pattern.len = 0;
		top_search(t, STR(""));
	} else if (t->view == TOP_FLAME && t->flame.zoom != 0) {
		t->flame.cursor = t->flame.zoom;
		t->flame.zoom = t->activity.trie->frame[t->flame.zoom].parent;
	} else if (t->view == TOP_STACKS && t->has_focus) {
		t->has_focus = false;
		show(t, TOP_FUNCTIONS);
	} else if (t->thread != TOPTHREADS_ALL) {
		show_threads(t);
	} else {
		show(t, TOP_FUNCTIONS);
	}
}

static void
set_order(struct top *t, bool by_total)
{
	t->by_total = by_total;
	toplist_forget(&t->list);
}

static void
show_next_class(struct top *t)
{
	do {
		t->only_class++;
	} while (t->only_class < WAIT_CLASSES &&
		 !top_shows_class(t, t->only_class));
	if (t->only_class == WAIT_CLASSES)
		t->only_class = TOP_ALL;
	show(t, t->view);
}

/* Keys that change the view.  False if it is another key. */
static bool
change_view(struct top *t, int key)
{
	switch (key) {
	case 'f':
		show(t, TOP_FUNCTIONS);
		return true;
	case 'k':
		t->has_focus = false;
		show(t, TOP_STACKS);
		return true;
	case 'g':
		show(t, TOP_FLAME);
		return true;
	case 'r':
		show_threads(t);
		return true;
	case 's':
	case 't':
		set_order(t, key == 't');
		return true;
	case '\t':
		show_next_class(t);
		return true;
	case 'h':
		t->with_idle = !t->with_idle;
		return true;
	case 'w':
		t->since_start = !t->since_start;
		return true;
	default:
		return false;
	}
}

void
topkeys_press(struct top *t, int key)
{
	t->message.len = 0;
	if (t->is_typing) {
		type(t, key);
		return;
	}
	if (change_view(t, key))
		return;
	switch (key) {
	case 'q':
		t->wants_quit = true;
		break;
	case '?':
		t->shows_help = !t->shows_help;
		break;
	case 'o':
		t->wants_save = true;
		break;
	case ' ':
		t->is_frozen = !t->is_frozen;
		break;
	case '/':
		t->is_typing = true;
		t->pattern.len = 0;
		top_search(t, STR(""));
		break;
	case '\r':
	case '\n':
		enter(t);
		break;
	case ESCAPE:
	case DELETE:
	case BACKSPACE:
		go_back(t);
		break;
	default:
		if (t->view == TOP_FLAME)
			walk_flame(t, key);
		else
			walk_list(t, key);
	}
}
