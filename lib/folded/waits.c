/* waits.c - whether a thread runs or waits, and for what. */
#include "folded/waits.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "cli/assets.h"
#include "folded/folded.h"
#include "io/input.h"
#include "os/datafile.h"

#include <ctype.h>
#include <err.h>
#include <stdlib.h>

/* The class of a function in the list, in the order of class_names. */
enum listed {
	LISTED_LOCK,
	LISTED_IO,
	LISTED_IDLE,
	LISTED_CALL,    /* idle, unless a sampler has said more */
	LISTED_WAITING, /* unknown, unless a sampler has said more */
	LISTED_PASS,    /* between a function that waits and its callers */
	LISTED_CPU,
	LISTED_STOPPED,
	LISTED_RUN,
	UNLISTED
};

static const char *const class_names[] = { "lock", "io",      "idle",
					   "call", "waiting", "pass",
					   "cpu",  "stopped", "run" };

static const enum wait_class class_of_listed[] = {
	[LISTED_LOCK] = WAIT_LOCK,       [LISTED_IO] = WAIT_IO,
	[LISTED_IDLE] = WAIT_IDLE,       [LISTED_CALL] = WAIT_IDLE,
	[LISTED_WAITING] = WAIT_UNKNOWN, [LISTED_PASS] = WAIT_NONE,
	[LISTED_CPU] = WAIT_CPU,         [LISTED_STOPPED] = WAIT_STOPPED
};

/* A name that ends in '*'; the first prefix that matches counts. */
struct waits_prefix {
	struct str name;
	enum listed listed;
};

struct waits {
	struct intern *names; /* those that do not end in '*' */
	enum listed *listed;  /* by number of the name */
	size_t listed_cap;
	struct waits_prefix *prefix;
	size_t nprefix, prefix_cap;
	struct arena text;
};

/* Skip what libraries and kernels put before the name of a call. */
static struct str
skip_prefixes(struct str name)
{
	static const char *const before[] = { "_",         "GI_",
					      "libc_",     "new_",
					      "x64_sys_",  "arm64_sys_",
					      "ia32_sys_", "ia32_compat_sys_",
					      "se_sys_",   "do_sys_" };
	const size_t n = sizeof(before) / sizeof(*before);
	size_t i = 0;

	while (i < n) {
		if (str_starts(name, str_of(before[i]))) {
			name = str_skip(name, strlen(before[i]));
			i = 0;
		} else
			i++;
	}
	return name;
}

/*
 * The function of a script: "Queue.get (/usr/lib/queue.py)" is "Queue.get
 * (queue.py)", with the file's last part.  False if it is none; otherwise *out
 * has the name.
 */
static bool
script_name(struct buf *out, struct str name)
{
	const char *open = str_search(name, STR(" ("));
	struct str file;

	if (open == NULL || !str_ends(name, STR(".py)")))
		return false;
	file = str_range(open + 2, name.p + name.len);
	out->len = 0;
	buf_str(out, str_range(name.p, open + 2));
	buf_str(out, str_basename(file));
	return true;
}

/* "__GI___libc_read", "read@@GLIBC_2.2.5" and "read.part.0" are "read". */
static struct str
plain_name(struct str name)
{
	static const char *const after[] = { "@", ".constprop.", ".isra.",
					     ".part." };
	const char *end;
	size_t i;

	name = skip_prefixes(name);
	for (i = 0; i < sizeof(after) / sizeof(*after); i++) {
		end = str_search(name, str_of(after[i]));
		if (end != NULL && end > name.p)
			name = str_range(name.p, end);
	}
	return name;
}

/* "read:unistd.h:42" and "Queue.take:435" with lines are "read", "Queue.take".
 */
static struct str
without_line(struct str name)
{
	size_t end = name.len, at;

	while (end > 0 && isdigit((unsigned char)name.p[end - 1]))
		end--;
	if (end < 2 || end == name.len || name.p[end - 1] != ':')
		return name;
	name.len = at = end - 1;
	while (at > 0 && name.p[at - 1] != ':')
		at--;
	/* "::" is of C++, and no file's. */
	if (at > 1 && name.p[at - 2] != ':')
		name.len = at - 1;
	return name;
}

/* "java/lang/Thread.sleep" is "java.lang.Thread.sleep". */
static struct str
with_dots(struct buf *out, struct str name)
{
	size_t i;

	if (memchr(name.p, '/', name.len) == NULL)
		return name;
	out->len = 0;
	buf_str(out, name);
	for (i = 0; i < out->len; i++)
		if (out->p[i] == '/')
			out->p[i] = '.';
	return buf_slice(out);
}

/* Reading. */

static bool
parse_class(struct str word, enum listed *listed)
{
	unsigned i;

	for (i = 0; i < sizeof(class_names) / sizeof(*class_names); i++) {
		if (str_eq(word, str_of(class_names[i]))) {
			*listed = (enum listed)i;
			return true;
		}
	}
	return false;
}

static void
add_prefix(struct waits *w, struct str name, enum listed listed)
{
	w->prefix = mem_grow(w->prefix, &w->prefix_cap, w->nprefix + 1,
			     sizeof(*w->prefix));
	w->prefix[w->nprefix++] =
	    (struct waits_prefix){ arena_str(&w->text, name), listed };
}

/* If a name has several lines, the last one counts. */
static void
add_name(struct waits *w, struct str name, enum listed listed)
{
	uint32_t id = intern_id(w->names, name);

	w->listed = mem_grow(w->listed, &w->listed_cap, id + 1,
			     sizeof(*w->listed));
	w->listed[id] = listed;
}

/* "CLASS NAME", or a comment; false if it is neither. */
static bool
parse_line(struct waits *w, struct str line)
{
	struct str name = str_trim(line), class;
	struct buf dotted = { 0 };
	enum listed listed;
	bool ok;

	if (name.len == 0 || *name.p == '#')
		return true;
	class = str_cut(&name, ' ');
	name = str_trim(name);
	if (!str_ends(name, STR(".py)")))
		name = with_dots(&dotted, plain_name(name));
	ok = parse_class(class, &listed) && name.len > 0;
	if (ok && !str_ends(name, STR("*")))
		add_name(w, name, listed);
	else if (ok)
		add_prefix(w, (struct str){ name.p, name.len - 1 }, listed);
	buf_free(&dotted);
	return ok;
}

static void
read_file(struct waits *w, const char *path)
{
	struct tally tally = { 0 };
	struct input in;
	struct str line;

	input_open(&in, path, &tally);
	while (input_line(&in, &line)) {
		line = str_without_cr(line);
		if (!parse_line(w, line))
			errx(2,
			     "%s:%llu: not a class, such as lock, io or idle, "
			     "and a name",
			     path, (unsigned long long)in.line);
	}
	input_close(&in);
}

static void
read_builtin(struct waits *w)
{
	struct str text = asset_waits;

	while (text.len > 0)
		parse_line(w, str_cut(&text, '\n'));
}

struct waits *
waits_new(const char *path)
{
	struct waits *w = mem_zero(1, sizeof(*w));
	struct buf found = { 0 };

	w->names = intern_new();
	if (path != NULL)
		read_file(w, path);
	else if (datafile_find(&found, "waits"))
		read_file(w, found.p);
	else
		read_builtin(w);
	buf_free(&found);
	return w;
}

void
waits_free(struct waits *w)
{
	if (w == NULL)
		return;
	intern_free(w->names);
	free(w->listed);
	free(w->prefix);
	arena_free(&w->text);
	free(w);
}

/* Lookup. */

static enum listed
find_prefix(const struct waits *w, struct str name)
{
	size_t i;

	for (i = 0; i < w->nprefix; i++) {
		if (str_starts(name, w->prefix[i].name))
			return w->prefix[i].listed;
	}
	return UNLISTED;
}

static enum listed
find_name(const struct waits *w, struct str name)
{
	struct buf text = { 0 };
	enum listed listed = UNLISTED;
	bool of_script = script_name(&text, name);
	uint32_t id;

	name = of_script ? buf_slice(&text) :
			   with_dots(&text, plain_name(without_line(name)));
	if (intern_find(w->names, name, &id))
		listed = w->listed[id];
	else if (!of_script)
		listed = find_prefix(w, name);
	buf_free(&text);
	return listed;
}

/*
 * "state:read" has the class of "read", unless it is in the list itself: then
 * *own is set.
 */
static enum listed
find_frame(const struct waits *w, struct str name, bool *own)
{
	const struct str state = STR("state:");
	enum listed listed = UNLISTED;
	uint32_t id;

	*own = false;
	if (str_starts(name, state)) {
		*own = intern_find(w->names, name, &id);
		if (!*own)
			listed = find_name(w, str_skip(name, state.len));
	}
	return listed == UNLISTED ? find_name(w, name) : listed;
}

/* Whether a function further from the leaf says better what a thread does. */
static bool
says_more(const struct wait_walk *walk, enum listed listed)
{
	if (listed >= LISTED_RUN || listed == LISTED_PASS)
		return false;
	return !walk->proven ||
	       (walk->class == WAIT_UNKNOWN && listed != LISTED_CALL &&
		listed != LISTED_WAITING);
}

bool
waits_step(const struct waits *w, struct str frame, struct wait_walk *walk)
{
	char suffix;
	bool own;
	struct str name = folded_frame_name(frame, &suffix);
	enum listed listed = find_frame(w, name, &own);

	/* A call waits through many functions of the kernel. */
	if (listed == UNLISTED && suffix == 'k' && walk->class != WAIT_NONE)
		return true;
	if (says_more(walk, listed))
		walk->class = class_of_listed[listed];
	walk->proven |= own;
	return listed < LISTED_CPU;
}
