/* jit_discover.c - finds the symbol files of running and recorded processes. */
#include "jit/jit_discover.h"

#include "jit/jit_store-internal.h"
#include "jit/jitfiles.h"
#include "jit/jvm.h"
#include "os/container.h"
#include "os/sys_error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * Return the PID in the names of a process's files, and set root to the folder
 * below which they are: /proc/PID/root of a process in a container, else "".
 */
static int64_t
find_home(const struct jit_store *s, int64_t pid, char *root, size_t size)
{
	const int64_t inside = jit_store_inner_pid(s, pid),
		      own = container_pid(pid);
	struct container c = { 0 };
	bool foreign = false;

	*root = '\0';
	if (own > 0)
		container_root(&c, pid, 0, &foreign);
	if (inside != pid || foreign || (own > 0 && own != pid))
		snprintf(root, size, "/proc/%" PRId64 "/root", pid);
	return inside == pid && own > 0 ? own : inside;
}

/* Jitdumps. */

static bool
open_dump(struct jit_store *s, int64_t pid, const char *root, struct str name,
	  enum trust trust)
{
	struct buf path = { 0 };
	bool ok;

	buf_str(&path, str_of(root));
	buf_str(&path, name);
	buf_char(&path, '\0');
	s->why.len = 0;
	ok = jit_store_open_dump(s, path.p, pid, trust, &s->why);
	buf_free(&path);
	return ok;
}

static void
add_mapped(struct jit_store *s, int64_t pid, const char *root, struct str name)
{
	const enum trust trust = root == NULL ? jit_store_trust(s, true) :
						OWNER_CHECK_ANYONE;
	struct process_jit *p;
	char home[64];

	if (jitfiles_dump_pid(name) < 0)
		return;
	p = jit_store_process(s, pid);
	/* Files that the user named replace what would be found. */
	if (p->n > 0 && !p->searched)
		return;
	p->searched = true;
	if (root == NULL)
		find_home(s, pid, home, sizeof(home));
	if (root == NULL && home[0] != '\0' &&
	    open_dump(s, pid, home, name, trust))
		return;
	if (open_dump(s, pid, root == NULL ? "" : root, name, trust))
		return;
	buf_str(&s->why, STR("; see --jitdump"));
	jit_store_note(s, name, buf_slice(&s->why));
}

void
jit_discover_mapped(struct jit *j, int64_t pid, const char *root,
		    struct str name)
{
	add_mapped(jit_files(j), pid, root, name);
}

/* Add the jitdumps that a running process has mapped. */
static void
search_mapped(struct jit_store *s, int64_t pid, const char *root)
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
			add_mapped(s, pid, root,
				   str_range(slash, text.p + text.len));
	}
	sys_error_check(name);
	if (f != NULL)
		fclose(f);
	free(line);
}

/* Perf maps. */

/* A map, and its file just before it was read. */
struct found_map {
	struct perfmap *map;
	struct buf path;
	struct jit_stamp stamp;
};

/* Open root/tmp/perf-PID.map.  A map that is not trusted is noted. */
static bool
open_map(struct jit_store *s, int64_t pid, const char *root, int64_t own,
	 enum trust trust, struct found_map *m)
{
	const char *why;

	m->path.len = 0;
	buf_printf(&m->path, "%s/tmp/perf-%" PRId64 ".map", root, own);
	buf_char(&m->path, '\0');
	m->stamp = jit_store_stamp(m->path.p);
	m->map = perfmap_open(m->path.p, trust, owner_check_owner(pid), &why);
	if (m->map == NULL && errno == 0) {
		s->why.len = 0;
		buf_str(&s->why, str_of(why));
		buf_str(&s->why, STR("; not used, see --trust-maps"));
		jit_store_note(s, str_of(m->path.p), buf_slice(&s->why));
	}
	return m->map != NULL;
}

/* The map of a process in a container may also lie outside of it. */
static bool
find_map(struct jit_store *s, int64_t pid, const char *root,
	 struct found_map *m)
{
	const enum trust trust = jit_store_trust(s, true);
	const int64_t inside = jit_store_inner_pid(s, pid);
	char home[64];
	int64_t own;

	if (root != NULL)
		return open_map(s, pid, root, inside, OWNER_CHECK_ANYONE, m);
	own = find_home(s, pid, home, sizeof(home));
	return (home[0] != '\0' && open_map(s, pid, home, own, trust, m)) ||
	       open_map(s, pid, "", inside, trust, m);
}

void
jit_discover_search(struct jit *j, int64_t pid, const char *root)
{
	struct jit_store *s = jit_files(j);
	struct process_jit *p = jit_store_process(s, pid);
	struct found_map m = { 0 };

	if (p->searched || p->n > 0 || pid < 0)
		return;
	search_mapped(s, pid, root);
	p->searched = true;
	if (find_map(s, pid, root, &m))
		jit_store_use_map(s, p, m.map, m.path.p, &m.stamp);
	buf_free(&m.path);
}

const struct perfmap *
jit_discover_map(struct jit *j, int64_t pid, const char *root)
{
	struct jit_store *s = jit_files(j);
	struct process_jit *p = jit_store_process(s, pid);
	struct found_map m = { 0 };

	if (p->map_searched)
		return p->map;
	p->map_searched = true;
	if (find_map(s, pid, root, &m))
		jit_store_note_lines(s, str_of(m.path.p), m.map);
	p->map = m.map;
	buf_free(&m.path);
	return p->map;
}

bool
jit_discover_refresh(struct jit *j, int64_t pid)
{
	struct jit_store *s = jit_files(j);
	struct process_jit *p = jit_store_process(s, pid);
	bool is_new = false;
	size_t i;

	for (i = 0; i < p->n; i++)
		is_new |= jit_store_reopen(s, p, i);
	if (p->n > 0)
		return is_new;
	p->searched = false;
	jit_discover_search(j, pid, NULL);
	return jit_has_names(j, pid);
}

/* JVMs. */

/* The last maps of a JVM that are compared for doubtful names. */
enum { JVM_MAPS = 4 };

bool
jit_discover_jvm_start(struct jit *j, int64_t pid)
{
	struct jit_store *s = jit_files(j);
	struct process_jit *p;

	if (!jvm_is(pid))
		return false;
	search_mapped(s, pid, NULL);
	p = jit_store_process(s, pid);
	if (p->maps < p->n)
		return false;
	s->why.len = 0;
	if (p->request == NULL)
		p->request = jvm_map_start(pid, &s->why);
	return p->request != NULL;
}

bool
jit_discover_jvm_finish(struct jit *j, int64_t pid, bool wait)
{
	struct jit_store *s = jit_files(j);
	struct process_jit *p = jit_store_process(s, pid);
	struct buf map = { 0 };
	const struct jit_stamp none = { .inode = 0 };
	char name[64];
	bool ok;

	if (p->request == NULL || (!wait && !jvm_map_ready(p->request)))
		return false;
	snprintf(name, sizeof(name), "process %" PRId64, pid);
	s->why.len = 0;
	ok = jvm_map_finish(p->request, &map, &s->why);
	p->request = NULL;
	p->is_jvm = ok;
	if (ok)
		jit_store_use_map(s, p, perfmap_read(buf_slice(&map)), name,
				  &none);
	else
		jit_store_note(s, str_of(name), buf_slice(&s->why));
	if (p->n > JVM_MAPS)
		jit_store_drop(p, 0);
	buf_free(&map);
	return ok;
}

bool
jit_discover_jvm(struct jit *j, int64_t pid)
{
	return jit_discover_jvm_start(j, pid) &&
	       jit_discover_jvm_finish(j, pid, true);
}
