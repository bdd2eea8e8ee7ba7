/* jitset.c - the symbol files of JITs, by process. */
#include "jitset.h"

#include "cfi.h"
#include "jitfiles.h"
#include "jvm.h"
#include "mem.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

static void
free_source(struct jit_source *s)
{
	size_t i;

	for (i = 0; s->cfi != NULL && i < jitcode_size(s->code); i++)
		cfi_free(s->cfi[i].cfi);
	free(s->cfi);
	if (s->dump != NULL)
		jitdump_close(s->dump);
	jitcode_free(s->code);
	perfmap_free(s->map);
	free(s->number);
}

static void
free_process(struct jit_process *p)
{
	struct buf nowhere = { 0 };
	size_t i;

	if (p->question != NULL)
		jvm_answer(p->question, &nowhere, &nowhere);
	buf_free(&nowhere);
	for (i = 0; i < p->n; i++)
		free_source(&p->source[i]);
	jittold_free(p->told);
	perfmap_free(p->left);
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

/* A line about a file; once, though it be found to be so again. */
void
jitset_note(struct jit *j, struct str path, struct str text)
{
	const size_t start = j->notes.len;

	utf8_escape(&j->notes, path);
	buf_str(&j->notes, STR(": "));
	buf_str(&j->notes, text);
	buf_char(&j->notes, '\n');
	if (memmem(j->notes.p, start, j->notes.p + start,
		   j->notes.len - start) != NULL)
		j->notes.len = start;
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
		   str_plural(bad, "", "s"));
	buf_str(&j->why, jitdump_faults(dump));
	jitset_note(j, s->path, buf_slice(&j->why));
}

void
jitset_note_lines(struct jit *j, struct str path, const struct perfmap *map)
{
	uint64_t bad = perfmap_bad(map);

	if (bad == 0)
		return;
	j->bad += bad;
	j->why.len = 0;
	buf_printf(&j->why, "%" PRIu64 " of %" PRIu64 " lines not understood",
		   bad, perfmap_lines(map));
	jitset_note(j, path, buf_slice(&j->why));
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

struct jit_process *
jitset_get(struct jit *j, int64_t pid)
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

int64_t
jitset_inside(const struct jit *j, int64_t pid)
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
	return find_process(j, jitset_inside(j, pid));
}

/* Files. */

struct jit_stamp
jitset_stamp(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return (struct jit_stamp){ .inode = 0 };
	return (struct jit_stamp){ st.st_dev, st.st_ino, (uint64_t)st.st_size,
				   st.st_uid };
}

static struct jit_source *
add_source(struct jit *j, int64_t pid, struct str path)
{
	struct jit_process *p = jitset_get(j, pid);

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

enum trust
jitset_trust(const struct jit *j, bool shared)
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
	jitcode_set_ticks(s->code, &j->ticks);
}

void
jit_set_ticks(struct jit *j, const struct jit_clock *ticks)
{
	size_t i, k;

	if (j->options.clock.kind != JIT_CLOCK_FILE)
		return;
	j->ticks = *ticks;
	for (i = 0; i < j->n; i++)
		for (k = 0; k < j->process[i]->n; k++)
			if (j->process[i]->source[k].code != NULL)
				jitcode_set_ticks(j->process[i]->source[k].code,
						  ticks);
}

void
jitset_note_clocks(struct jit *j)
{
	const struct jit_source *s;
	size_t i, k;

	if (j->options.clock.kind != JIT_CLOCK_FILE)
		return;
	for (i = 0; i < j->n; i++) {
		for (k = 0; k < j->process[i]->n; k++) {
			s = &j->process[i]->source[k];
			if (s->code != NULL && !jitcode_has_times(s->code))
				jitset_note(
				    j, s->path,
				    STR("its times are the processor's "
					"ticks: of code that lay at one "
					"address, the last gives the name; "
					"see --clock"));
		}
	}
}

/* A file that was found, and was not named, does no harm if it is none. */
static void
found_dump(void *arg, const char *path, bool shared)
{
	struct jit *j = arg;
	enum trust trust = jitset_trust(j, shared);
	uint32_t owner = trust_owner(jitfiles_dump_pid(str_of(path)));
	struct jitdump *dump;
	struct jit_source *s;

	j->why.len = 0;
	dump = jitdump_open(path, trust, owner, &j->why);
	if (dump == NULL) {
		buf_str(&j->why, STR("; not used"));
		jitset_note(j, str_of(path), buf_slice(&j->why));
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
set_map(struct jit *j, struct jit_source *s, struct perfmap *map)
{
	s->map = map;
	s->number = new_numbers(perfmap_size(map));
	jitset_note_lines(j, s->path, map);
}

void
jitset_use_map(struct jit *j, struct perfmap *map, int64_t inside,
	       const char *name, const struct jit_stamp *stamp)
{
	struct jit_source *s = add_source(j, inside, str_of(name));

	s->stamp = *stamp;
	set_map(j, s, map);
	jitset_get(j, inside)->maps++;
}

bool
jit_add_map(struct jit *j, const char *path, int64_t pid, struct buf *why)
{
	const struct jit_stamp none = { .inode = 0 };
	int64_t named = jitfiles_map_pid(str_of(path));
	const char *reason;
	struct perfmap *map = perfmap_open(path, TRUST_ANYONE, 0, &reason);

	if (map == NULL)
		buf_str(why, str_of(reason));
	else
		jitset_use_map(j, map, named >= 0 ? named : pid, path, &none);
	return map != NULL;
}

bool
jitset_open_dump(struct jit *j, const char *path, int64_t pid, enum trust trust,
		 struct buf *why)
{
	const int64_t inside = jitset_inside(j, pid);
	const struct jit_stamp stamp = jitset_stamp(path);
	struct jitdump *dump;
	struct jit_source *s;

	if (has_source(j, inside, str_of(path)))
		return true;
	dump = jitdump_open(path, trust, trust_owner(pid), why);
	if (dump == NULL)
		return false;
	s = add_source(j, inside, str_of(path));
	s->dump = dump;
	s->stamp = stamp;
	read_dump(j, s);
	return true;
}

/*
 * The same file of the same owner, whose process may be gone by now, is trusted
 * as before.  What its last lines lack will come: no more is said of it.
 */
bool
jitset_reopen(struct jit *j, struct jit_process *p, size_t i)
{
	const struct jit_source old = p->source[i];
	const struct jit_stamp stamp = jitset_stamp(old.path.p);
	struct jit_source s = { .path = old.path, .stamp = stamp };
	const enum trust trust = jitset_trust(j, true);
	const size_t notes = j->notes.len;
	const uint64_t bad = j->bad;
	struct perfmap *map;
	const char *why;

	if (old.stamp.inode == 0 || stamp.inode != old.stamp.inode ||
	    stamp.device != old.stamp.device || stamp.size == old.stamp.size)
		return false;
	if (old.map != NULL) {
		map = perfmap_open(old.path.p, trust, stamp.owner, &why);
		if (map == NULL)
			return false;
		set_map(j, &s, map);
	} else {
		s.dump = jitdump_open(old.path.p, trust, stamp.owner, &j->why);
		if (s.dump == NULL)
			return false;
		read_dump(j, &s);
	}
	j->notes.len = notes;
	j->bad = bad;
	free_source(&p->source[i]);
	p->source[i] = s;
	return true;
}

void
jitset_drop(struct jit_process *p, size_t i)
{
	p->maps -= p->source[i].map != NULL;
	free_source(&p->source[i]);
	p->n--;
	memmove(&p->source[i], &p->source[i + 1],
		(p->n - i) * sizeof(*p->source));
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
