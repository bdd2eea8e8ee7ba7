/* jitlive.c - what processes that run have of JITs. */
#include "container.h"
#include "jitfiles.h"
#include "jitset.h"
#include "jvm.h"
#include "outage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * What a process calls itself in the names of its files, and the root below
 * which they are: "", or that of a process with files or numbers of its own.
 */
static int64_t
find_home(const struct jit *j, int64_t pid, char *root, size_t size)
{
	const int64_t inside = jitset_inside(j, pid), own = container_pid(pid);
	struct container c = { 0 };
	bool foreign = false;

	*root = '\0';
	if (own > 0)
		container_root(&c, pid, 0, &foreign);
	if (inside != pid || foreign || (own > 0 && own != pid))
		snprintf(root, size, "/proc/%" PRId64 "/root", pid);
	return inside == pid && own > 0 ? own : inside;
}

static bool
open_dump(struct jit *j, int64_t pid, const char *root, struct str name,
	  enum trust trust)
{
	struct buf path = { 0 };
	bool ok;

	buf_str(&path, str_of(root));
	buf_str(&path, name);
	buf_char(&path, '\0');
	j->why.len = 0;
	ok = jitset_open_dump(j, path.p, pid, trust, &j->why);
	buf_free(&path);
	return ok;
}

void
jit_add_mapped(struct jit *j, int64_t pid, const char *root, struct str name)
{
	const enum trust trust = root == NULL ? jitset_trust(j, true) :
						TRUST_ANYONE;
	struct jit_process *p;
	char home[64];

	if (jitfiles_dump_pid(name) < 0)
		return;
	p = jitset_get(j, jitset_inside(j, pid));
	/* Files that were named are all there are. */
	if (p->n > 0 && !p->searched)
		return;
	p->searched = true;
	if (root == NULL)
		find_home(j, pid, home, sizeof(home));
	if (root == NULL && home[0] != '\0' &&
	    open_dump(j, pid, home, name, trust))
		return;
	if (open_dump(j, pid, root == NULL ? "" : root, name, trust))
		return;
	buf_str(&j->why, STR("; see --jitdump"));
	jitset_note(j, name, buf_slice(&j->why));
}

/* The jitdumps that it has mapped, which is how it tells perf of them. */
static void
search_mapped(struct jit *j, int64_t pid, const char *root)
{
	char name[64], *line = NULL;
	struct str text;
	const char *slash;
	size_t cap = 0;
	ssize_t n;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%" PRId64 "/maps", pid);
	errno = 0;
	f = fopen(name, "re");
	while (f != NULL && (n = getline(&line, &cap, f)) > 0) {
		text = str_rtrim((struct str){ line, (size_t)n - 1 });
		slash = str_find(text, '/');
		if (slash != NULL)
			jit_add_mapped(j, pid, root,
				       str_range(slash, text.p + text.len));
	}
	outage_check(name);
	if (f != NULL)
		fclose(f);
	free(line);
}

/* A map that was found, and its file as it was before that was read. */
struct found {
	struct perfmap *map;
	struct buf path;
	struct jit_stamp stamp;
};

/* What is there and cannot be believed is noted. */
static bool
try_map(struct jit *j, int64_t pid, const char *root, int64_t own,
	enum trust trust, struct found *f)
{
	const char *why;

	f->path.len = 0;
	buf_printf(&f->path, "%s/tmp/perf-%" PRId64 ".map", root, own);
	buf_char(&f->path, '\0');
	f->stamp = jitset_stamp(f->path.p);
	f->map = perfmap_open(f->path.p, trust, trust_owner(pid), &why);
	if (f->map == NULL && errno == 0) {
		j->why.len = 0;
		buf_str(&j->why, str_of(why));
		buf_str(&j->why, STR("; not used, see --trust-maps"));
		jitset_note(j, str_of(f->path.p), buf_slice(&j->why));
	}
	return f->map != NULL;
}

/* Its own map; that of a process in a container may lie out here, too. */
static bool
find_map(struct jit *j, int64_t pid, const char *root, struct found *f)
{
	const enum trust trust = jitset_trust(j, true);
	const int64_t inside = jitset_inside(j, pid);
	char home[64];
	int64_t own;

	if (root != NULL)
		return try_map(j, pid, root, inside, TRUST_ANYONE, f);
	own = find_home(j, pid, home, sizeof(home));
	return (home[0] != '\0' && try_map(j, pid, home, own, trust, f)) ||
	       try_map(j, pid, "", inside, trust, f);
}

void
jit_search(struct jit *j, int64_t pid, const char *root)
{
	struct jit_process *p = jitset_get(j, jitset_inside(j, pid));
	struct found f = { 0 };

	if (p->searched || p->n > 0 || pid < 0)
		return;
	search_mapped(j, pid, root);
	p->searched = true;
	if (find_map(j, pid, root, &f))
		jitset_use_map(j, f.map, p->pid, f.path.p, &f.stamp);
	buf_free(&f.path);
}

const struct perfmap *
jit_left_map(struct jit *j, int64_t pid, const char *root)
{
	struct jit_process *p = jitset_get(j, jitset_inside(j, pid));
	struct found f = { 0 };

	if (p->looked)
		return p->left;
	p->looked = true;
	if (find_map(j, pid, root, &f))
		jitset_note_lines(j, str_of(f.path.p), f.map);
	p->left = f.map;
	buf_free(&f.path);
	return p->left;
}

bool
jit_look_again(struct jit *j, int64_t pid)
{
	struct jit_process *p = jitset_get(j, jitset_inside(j, pid));
	bool news = false;
	size_t i;

	for (i = 0; i < p->n; i++)
		news |= jitset_reopen(j, p, i);
	if (p->n > 0)
		return news;
	p->searched = false;
	jit_search(j, pid, NULL);
	return jit_knows(j, pid);
}

bool
jit_begin_jvm(struct jit *j, int64_t pid)
{
	struct jit_process *p;

	if (!jvm_is(pid))
		return false;
	search_mapped(j, pid, NULL);
	p = jitset_get(j, jitset_inside(j, pid));
	if (p->maps < p->n)
		return false;
	j->why.len = 0;
	if (p->question == NULL)
		p->question = jvm_ask(pid, &j->why);
	return p->question != NULL;
}

/* Of many answers to one question, some of the last. */
static void
keep_some(struct jit_process *p)
{
	const size_t some = 4;

	if (p->n <= some)
		return;
	jitset_drop(p, 0);
}

bool
jit_end_jvm(struct jit *j, int64_t pid, bool wait)
{
	struct jit_process *p = jitset_get(j, jitset_inside(j, pid));
	struct buf map = { 0 };
	const struct jit_stamp none = { .inode = 0 };
	char name[64];
	bool ok;

	if (p->question == NULL || (!wait && !jvm_is_answered(p->question)))
		return false;
	snprintf(name, sizeof(name), "process %" PRId64, pid);
	j->why.len = 0;
	ok = jvm_answer(p->question, &map, &j->why);
	p->question = NULL;
	p->is_live = ok;
	if (ok)
		jitset_use_map(j, perfmap_read(buf_slice(&map)), p->pid, name,
			       &none);
	else
		jitset_note(j, str_of(name), buf_slice(&j->why));
	keep_some(p);
	buf_free(&map);
	return ok;
}

bool
jit_ask_jvm(struct jit *j, int64_t pid)
{
	return jit_begin_jvm(j, pid) && jit_end_jvm(j, pid, true);
}
