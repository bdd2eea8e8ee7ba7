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
 * Where files are as a process sees them: below /proc/PID/root, if it has
 * another number for itself than we have for it.
 */
static const char *
root_of(struct jit *j, int64_t pid, char *room, size_t size)
{
	int64_t inside = jitset_inside(j, pid);

	if (inside == pid)
		inside = container_pid(pid);
	if (inside == 0 || inside == pid)
		return "";
	if (inside != jitset_inside(j, pid))
		jit_translate(j, inside, pid);
	snprintf(room, size, "/proc/%" PRId64 "/root", pid);
	return room;
}

/* The jitdump that it has mapped, which is how it tells perf of it. */
static void
search_mapped(struct jit *j, int64_t pid, const char *root)
{
	char name[64], *line = NULL;
	struct buf path = { 0 };
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
		if (slash == NULL || jitfiles_dump_pid(text) < 0)
			continue;
		path.len = 0;
		buf_printf(&path, "%s%.*s", root,
			   (int)(text.p + text.len - slash), slash);
		buf_char(&path, '\0');
		jit_add_mapped(j, pid, path.p);
		break;
	}
	outage_check(name);
	if (f != NULL)
		fclose(f);
	free(line);
	buf_free(&path);
}

static void
search_map(struct jit *j, int64_t inside, const char *root, enum trust trust)
{
	struct buf path = { 0 };

	buf_printf(&path, "%s/tmp/perf-%" PRId64 ".map", root, inside);
	buf_char(&path, '\0');
	j->why.len = 0;
	if (!jitset_open_map(j, path.p, inside, trust, &j->why) && errno == 0) {
		buf_str(&j->why, STR("; not used, see --trust-maps"));
		jitset_note(j, str_of(path.p), buf_slice(&j->why));
	}
	buf_free(&path);
}

void
jit_search(struct jit *j, int64_t pid, const char *root)
{
	enum trust trust = root == NULL ? jitset_trust(j, true) : TRUST_ANYONE;
	struct jit_process *p = jitset_get(j, jitset_inside(j, pid));
	char room[64];

	if (p->searched || p->n > 0 || pid < 0)
		return;
	if (root == NULL)
		root = root_of(j, pid, room, sizeof(room));
	search_mapped(j, pid, root);
	p = jitset_get(j, jitset_inside(j, pid));
	p->searched = true;
	search_map(j, p->pid, root, trust);
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
	char room[64];

	if (!jvm_is(pid))
		return false;
	search_mapped(j, pid, root_of(j, pid, room, sizeof(room)));
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
		jitset_use_map(j, perfmap_read(buf_slice(&map)), p->pid, name);
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
