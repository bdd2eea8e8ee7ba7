/* jitset.c - the symbol files of JITs, by process. */
#include "jitset.h"

#include "cfi.h"
#include "container.h"
#include "jitfiles.h"
#include "jvm.h"
#include "mem.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

static void
free_process(struct jit_process *p)
{
	const struct jit_source *s;
	size_t i, k;

	for (i = 0; i < p->n; i++) {
		s = &p->source[i];
		for (k = 0; s->cfi != NULL && k < jitcode_size(s->code); k++)
			cfi_free(s->cfi[k].cfi);
		free(s->cfi);
		if (p->source[i].dump != NULL)
			jitdump_close(p->source[i].dump);
		jitcode_free(p->source[i].code);
		perfmap_free(p->source[i].map);
		free(p->source[i].number);
	}
	free(p->source);
	free(p);
}

void
jitset_free(struct jit *j)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		free_process(j->process[i]);
	free(j->process);
	free(j->translation);
	arena_free(&j->arena);
	buf_free(&j->why);
	buf_free(&j->notes);
}

/* Notes. */

/* A line about a file. */
static void
note(struct jit *j, struct str path, struct str text)
{
	utf8_escape(&j->notes, path);
	buf_str(&j->notes, STR(": "));
	buf_str(&j->notes, text);
	buf_char(&j->notes, '\n');
}

static void
note_faults(struct jit *j, const struct jit_source *s)
{
	const struct jitdump *dump = jitcode_dump(s->code);
	uint64_t bad = jitdump_bad(dump);

	if (bad == 0)
		return;
	j->bad += bad;
	j->why.len = 0;
	buf_printf(&j->why, "%" PRIu64 " record%s not understood: ", bad,
		   bad == 1 ? "" : "s");
	buf_str(&j->why, jitdump_faults(dump));
	note(j, s->path, buf_slice(&j->why));
}

static void
note_lines(struct jit *j, const struct jit_source *s)
{
	uint64_t bad = perfmap_bad(s->map);

	if (bad == 0)
		return;
	j->bad += bad;
	j->why.len = 0;
	buf_printf(&j->why, "%" PRIu64 " of %" PRIu64 " lines not understood",
		   bad, perfmap_lines(s->map));
	note(j, s->path, buf_slice(&j->why));
}

/* Processes. */

/* A process is known as host outside, where its files call it inside. */
struct jit_translation {
	int64_t inside, host;
};

/* Where a process is, or would be. */
static size_t
place(const struct jit *j, int64_t pid)
{
	size_t low = 0, high = j->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (j->process[mid]->pid < pid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct jit_process *
find_process(const struct jit *j, int64_t pid)
{
	size_t i = place(j, pid);

	return i < j->n && j->process[i]->pid == pid ? j->process[i] : NULL;
}

static struct jit_process *
get_process(struct jit *j, int64_t pid)
{
	size_t i = place(j, pid);
	struct jit_process *p;

	if (i < j->n && j->process[i]->pid == pid)
		return j->process[i];
	j->process = mem_grow(j->process, &j->cap, j->n + 1,
			      sizeof(struct jit_process *));
	memmove(&j->process[i + 1], &j->process[i],
		(j->n - i) * sizeof(struct jit_process *));
	j->n++;
	p = mem_zero(1, sizeof(*p));
	p->pid = pid;
	return j->process[i] = p;
}

void
jit_translate(struct jit *j, int64_t inside, int64_t host)
{
	j->translation = mem_grow(j->translation, &j->translation_cap,
				  j->translations + 1, sizeof(*j->translation));
	j->translation[j->translations++] = (struct jit_translation){ inside,
								      host };
}

static int64_t
to_inside(const struct jit *j, int64_t pid)
{
	size_t i;

	for (i = 0; i < j->translations; i++)
		if (j->translation[i].host == pid)
			return j->translation[i].inside;
	return pid;
}

struct jit_process *
jitset_find(const struct jit *j, int64_t pid)
{
	return find_process(j, to_inside(j, pid));
}

/* Files. */

static struct jit_source *
add_source(struct jit *j, int64_t pid, struct str path)
{
	struct jit_process *p = get_process(j, pid);

	p->source = mem_grow(p->source, &p->cap, p->n + 1, sizeof(*p->source));
	p->source[p->n] = (struct jit_source){ .path = arena_str(&j->arena,
								 path) };
	return &p->source[p->n++];
}

static bool
has_source(const struct jit *j, int64_t pid, struct str path)
{
	const struct jit_process *p = find_process(j, pid);
	size_t i;

	for (i = 0; p != NULL && i < p->n; i++)
		if (str_eq(p->source[i].path, path))
			return true;
	return false;
}

static enum trust
trust_of(const struct jit *j, bool shared)
{
	return shared && !j->options.trust_all ? TRUST_OWNER : TRUST_ANYONE;
}

/* Numbers of n symbols that nobody asked for yet. */
static uint32_t *
new_numbers(size_t n)
{
	uint32_t *number = mem_alloc((n + 1) * sizeof(*number));
	size_t i;

	for (i = 0; i < n; i++)
		number[i] = JIT_NONE;
	return number;
}

static void
read_dump(struct jit *j, struct jit_source *s)
{
	s->code = jitcode_read(s->dump, &j->options.clock);
	s->dump = NULL;
	s->number = new_numbers(jitcode_size(s->code));
	note_faults(j, s);
	if (!jitcode_has_times(s->code) &&
	    j->options.clock.kind == JIT_CLOCK_FILE)
		note(j, s->path,
		     STR("its times are the processor's ticks: of code that "
			 "lay at one address, the last gives the name; see "
			 "--clock"));
}

/* A file that was found, and was not named, does no harm if it is none. */
static void
found_dump(void *arg, const char *path, bool shared)
{
	struct jit *j = arg;
	enum trust trust = trust_of(j, shared);
	uint32_t owner = trust_owner(jitfiles_dump_pid(str_of(path)));
	struct jitdump *dump;
	struct jit_source *s;

	j->why.len = 0;
	dump = jitdump_open(path, trust, owner, &j->why);
	if (dump == NULL) {
		buf_str(&j->why, STR("; not used"));
		note(j, str_of(path), buf_slice(&j->why));
		j->bad++;
		return;
	}
	if (!has_source(j, jitdump_pid(dump), str_of(path))) {
		s = add_source(j, jitdump_pid(dump), str_of(path));
		s->found = true;
		s->trust = trust;
	}
	/* There may be more of them than files that can be open. */
	jitdump_close(dump);
}

/* The functions of a file, NULL if it has none. */
struct jitcode *
jitset_code(struct jit *j, const struct jit_process *p, struct jit_source *s)
{
	if (!s->found)
		return s->code;
	s->found = false;
	j->why.len = 0;
	s->dump = jitdump_open(s->path.p, s->trust, trust_owner(p->pid),
			       &j->why);
	if (s->dump != NULL)
		read_dump(j, s);
	return s->code;
}

bool
jit_add_dump(struct jit *j, const char *path, struct buf *why)
{
	struct jitdump *dump;
	struct jit_source *s;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (jitfiles_search(path, found_dump, j))
			return true;
		buf_str(why, str_of(strerror(errno)));
		return false;
	}
	dump = jitdump_open(path, TRUST_ANYONE, 0, why);
	if (dump == NULL)
		return false;
	s = add_source(j, jitdump_pid(dump), str_of(path));
	s->dump = dump;
	read_dump(j, s);
	return true;
}

static void
use_map(struct jit *j, struct perfmap *map, int64_t pid, const char *name)
{
	struct jit_source *s = add_source(j, pid, str_of(name));

	s->map = map;
	s->number = new_numbers(perfmap_size(map));
	get_process(j, pid)->maps++;
	note_lines(j, s);
}

static bool
add_map(struct jit *j, const char *path, int64_t pid, enum trust trust,
	struct buf *why)
{
	const char *reason;
	struct perfmap *map = perfmap_open(path, trust, trust_owner(pid),
					   &reason);

	if (map == NULL)
		buf_str(why, str_of(reason));
	else
		use_map(j, map, pid, path);
	return map != NULL;
}

bool
jit_add_map(struct jit *j, const char *path, int64_t pid, struct buf *why)
{
	int64_t named = jitfiles_map_pid(str_of(path));

	return add_map(j, path, named >= 0 ? named : pid, TRUST_ANYONE, why);
}

void
jit_add_mapped(struct jit *j, int64_t pid, const char *path)
{
	int64_t inside = to_inside(j, pid);
	struct jit_process *p = get_process(j, inside);
	struct jitdump *dump;
	struct jit_source *s;

	if (p->n > 0 || p->searched)
		return;
	p->searched = true;
	j->why.len = 0;
	dump = jitdump_open(path, trust_of(j, true), trust_owner(pid), &j->why);
	if (dump == NULL) {
		buf_str(&j->why, STR("; see --jitdump"));
		note(j, str_of(path), buf_slice(&j->why));
		return;
	}
	s = add_source(j, inside, str_of(path));
	s->dump = dump;
	read_dump(j, s);
}

/* What a running process has. */

/*
 * Where files are as a process sees them: below /proc/PID/root, if it has
 * another number for itself than we have for it.
 */
static const char *
root_of(struct jit *j, int64_t pid, char *room, size_t size)
{
	int64_t inside = to_inside(j, pid);

	if (inside == pid)
		inside = container_pid(pid);
	if (inside == 0 || inside == pid)
		return "";
	if (inside != to_inside(j, pid))
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
	if (!add_map(j, path.p, inside, trust, &j->why) && errno == 0) {
		buf_str(&j->why, STR("; not used, see --trust-maps"));
		note(j, str_of(path.p), buf_slice(&j->why));
	}
	buf_free(&path);
}

void
jit_search(struct jit *j, int64_t pid, const char *root)
{
	enum trust trust = root == NULL ? trust_of(j, true) : TRUST_ANYONE;
	struct jit_process *p = get_process(j, to_inside(j, pid));
	char room[64];

	if (p->searched || p->n > 0 || pid < 0)
		return;
	if (root == NULL)
		root = root_of(j, pid, room, sizeof(room));
	search_mapped(j, pid, root);
	p = get_process(j, to_inside(j, pid));
	p->searched = true;
	search_map(j, p->pid, root, trust);
}

bool
jit_ask_jvm(struct jit *j, int64_t pid)
{
	struct buf map = { 0 };
	struct jit_process *p;
	char room[64];
	bool ok;

	if (!jvm_is(pid))
		return false;
	search_mapped(j, pid, root_of(j, pid, room, sizeof(room)));
	p = get_process(j, to_inside(j, pid));
	if (p->maps < p->n)
		return false;
	snprintf(room, sizeof(room), "process %" PRId64, pid);
	j->why.len = 0;
	ok = jvm_map(pid, &map, &j->why);
	p->is_live = ok;
	if (ok)
		use_map(j, perfmap_read(buf_slice(&map)), p->pid, room);
	else
		note(j, str_of(room), buf_slice(&j->why));
	buf_free(&map);
	return ok;
}

int64_t
jit_only(const struct jit *j)
{
	int64_t only = -1;
	size_t i, n = 0;

	for (i = 0; i < j->n; i++) {
		if (j->process[i]->n > 0 && n++ == 0)
			only = j->process[i]->pid;
	}
	if (n != 1)
		return -1;
	for (i = 0; i < j->translations; i++)
		if (j->translation[i].inside == only)
			return j->translation[i].host;
	return only;
}
