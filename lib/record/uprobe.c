/* uprobe.c - parse the probe of a function of a program or library. */
#include "record/uprobe.h"

#include "base/mem.h"
#include "record/probe_args.h"
#include "record/probe_lines.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Cut the kind of a probe off; what follows is "/TERMS/:" or ":". */
static bool
cut_kind(struct str *text, bool *of_return)
{
	*of_return = str_starts(*text, STR("uret"));
	if (!*of_return && !str_starts(*text, STR("uprobe")))
		return false;
	*text = str_skip(*text, strlen(*of_return ? "uretprobe" : "uprobe"));
	return str_starts(*text, STR(":")) || str_starts(*text, STR("/"));
}

/* A PMU "uprobe" has no ":" and path after its terms. */
bool
uprobe_is(struct str text)
{
	bool of_return;

	if (!str_starts(text, STR("uprobe")) &&
	    !str_starts(text, STR("uretprobe")))
		return false;
	if (!cut_kind(&text, &of_return))
		return false;
	if (str_starts(text, STR(":")))
		return true;
	text = str_skip(text, 1);
	str_cut(&text, '/');
	return str_starts(text, STR(":"));
}

/* "name=f", "stack=4096", "args=id=%di:s32" */
static bool
add_term(struct str term, struct event_request *e, struct arena *names)
{
	struct str value = term, key = str_cut(&value, '=');
	uint64_t n;

	if (value.len == 0)
		return false;
	if (str_eq(key, STR("name")))
		e->name = arena_str(names, value);
	else if (str_eq(key, STR("args")))
		e->uprobe->args = arena_str(names, value);
	else if (str_eq(key, STR("vars")))
		e->uprobe->vars = arena_str(names, value);
	else if (str_eq(key, STR("stack")) && str_u64(value, &n) &&
		 n <= 60 << 10) {
		e->uprobe->stack = (uint32_t)(n + 7) & ~UINT32_C(7);
		e->uprobe->has_stack = true;
	} else
		return false;
	return true;
}

static bool
is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/*
 * Split "PATH:WHERE".  Paths may have colons, and C++ has "::", so the path is
 * the shortest one that names a file.
 */
static bool
split_path(struct str text, struct uprobe *u, struct str *where,
	   struct arena *names, struct buf *why)
{
	struct buf path = { 0 };
	bool found = false;
	size_t i;

	for (i = 1; !found && i + 1 < text.len; i++) {
		if (text.p[i] != ':')
			continue;
		path.len = 0;
		/* Debug files are searched beside it, in its folder. */
		if (memchr(text.p, '/', i) == NULL)
			buf_str(&path, STR("./"));
		buf_add(&path, text.p, i);
		buf_char(&path, '\0');
		found = is_file(path.p);
		u->path = str_of(path.p);
		*where = str_skip(text, i + 1);
	}
	u->path = arena_str(names, u->path);
	buf_free(&path);
	if (found)
		return true;
	buf_printf(
	    why,
	    "%.*s: a probe must be uprobe:PATH:FUNCTION, where PATH is a file",
	    (int)text.len, text.p);
	return false;
}

/* "+0x1139,+0x1150" */
static bool
add_offsets(struct str where, struct uprobe *u, struct buf *why)
{
	struct str word;
	uint64_t offset;

	do {
		word = str_cut(&where, ',');
		if (!str_starts(word, STR("+0x")) ||
		    !str_hex(str_skip(word, 3), &offset)) {
			buf_printf(why, "%.*s: an offset must be like +0x1139",
				   (int)word.len, word.p);
			return false;
		}
		probe_places_add(&u->places, offset);
	} while (where.len > 0);
	return true;
}

/* "file.c:12" */
static bool
is_line(struct str where)
{
	const char *colon = memrchr(where.p, ':', where.len);
	uint64_t n;

	return colon != NULL && colon > where.p &&
	       str_u64(str_range(colon + 1, where.p + where.len), &n);
}

static bool
find_places(struct uprobe *u, struct str where, struct buf *why)
{
	if (str_starts(where, STR("+")))
		return add_offsets(where, u, why);
	if (is_line(where))
		return probe_lines_find(&u->places, u->path.p, where, why);
	return probe_places_find(&u->places, u->path.p, where, why);
}

static bool
parse(struct str text, struct event_request *e, struct arena *names,
      struct buf *why)
{
	struct uprobe *u = e->uprobe;
	struct str terms = { 0 }, term, where;

	cut_kind(&text, &u->of_return);
	if (str_starts(text, STR("/"))) {
		text = str_skip(text, 1);
		terms = str_cut(&text, '/');
	}
	while (terms.len > 0) {
		term = str_cut(&terms, ',');
		if (add_term(term, e, names))
			continue;
		buf_printf(why, "unknown term of a probe: %.*s", (int)term.len,
			   term.p);
		return false;
	}
	if (!split_path(str_skip(text, 1), u, &where, names, why))
		return false;
	return find_places(u, where, why) &&
	       (u->vars.len == 0 ||
		probe_args_find(&u->places, u->path.p, u->vars, why));
}

bool
uprobe_find(struct str text, struct event_request *e, struct arena *names,
	    struct buf *why)
{
	e->uprobe = mem_zero(1, sizeof(*e->uprobe));
	if (parse(text, e, names, why))
		return true;
	uprobe_free(e->uprobe);
	return false;
}

void
uprobe_free(struct uprobe *u)
{
	if (u == NULL)
		return;
	probe_places_free(&u->places);
	free(u);
}
