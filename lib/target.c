/* target.c - a process that runs: what it is, and what it has mapped. */
#include "target.h"

#include "elf.h"
#include "intern.h"
#include "mem.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

bool
target_file(struct buf *text, const char *path)
{
	const size_t room = 16384;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	text->len = 0;
	if (fd < 0)
		return false;
	do {
		buf_reserve(text, room);
		got = read(fd, text->p + text->len, room);
		text->len += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	close(fd);
	return got == 0;
}

/* Build-ids. */

struct build_ids {
	struct intern *keys; /* of files */
	struct str *id;
	size_t cap;
	struct arena arena;
	struct buf key;
};

struct build_ids *
build_ids_new(void)
{
	struct build_ids *all = mem_zero(1, sizeof(*all));

	all->keys = intern_new();
	return all;
}

void
build_ids_free(struct build_ids *all)
{
	intern_free(all->keys);
	free(all->id);
	arena_free(&all->arena);
	buf_free(&all->key);
	free(all);
}

/* The file itself, whatever lies at its path now; else what lies there. */
static struct elf *
open_map(struct build_ids *all, int64_t pid, const struct proc_map *map)
{
	const struct elf_places places = { 0 };
	const char *why;
	struct elf *e;

	all->key.len = 0;
	buf_printf(&all->key,
		   "/proc/%" PRId64 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		   map->start, map->end);
	buf_char(&all->key, '\0');
	e = elf_open(all->key.p, &places, &why);
	if (e != NULL)
		return e;
	all->key.len = 0;
	buf_printf(&all->key, "/proc/%" PRId64 "/root", pid);
	buf_str(&all->key, map->path);
	buf_char(&all->key, '\0');
	e = elf_open(all->key.p, &places, &why);
	if (e != NULL && elf_inode(e) != map->inode) {
		elf_close(e);
		e = NULL;
	}
	return e;
}

static struct str
build_id(struct build_ids *all, int64_t pid, const struct proc_map *map)
{
	const uint32_t n = intern_size(all->keys);
	struct elf *e;
	uint32_t number;

	if (map->inode == 0 || !str_starts(map->path, STR("/")))
		return STR("");
	all->key.len = 0;
	buf_printf(&all->key, "%" PRIu32 ":%" PRIu32 ":%" PRIu64 " ",
		   map->major, map->minor, map->inode);
	buf_str(&all->key, map->path);
	number = intern_id(all->keys, buf_slice(&all->key));
	if (number < n)
		return all->id[number];
	all->id = mem_grow(all->id, &all->cap, (size_t)n + 1, sizeof(*all->id));
	e = open_map(all, pid, map);
	all->id[n] = e == NULL ? STR("") :
				 arena_str(&all->arena, elf_build_id(e));
	if (e != NULL)
		elf_close(e);
	return all->id[n];
}

/* The process. */

void
target_free(struct target *t)
{
	buf_free(&t->name);
	buf_free(&t->maps.text);
	buf_free(&t->before.text);
	free(t->maps.map);
	free(t->before.map);
}

static void
tell_exec(struct target *t, struct processes *processes,
	  const struct target_news *news, uint64_t now)
{
	struct perf_record r = { .type = PERF_COMM,
				 .misc = PERF_COMM_EXEC,
				 .pid = t->pid,
				 .tid = t->pid,
				 .name = buf_slice(&t->name) };

	if (!t->begun)
		r.misc = 0;
	t->begun = true;
	t->looked = 0;
	t->maps.n = 0;
	processes_tell(processes, &r, now);
	if (news->process != NULL)
		news->process(news->arg, t);
}

bool
target_check(struct target *t, struct processes *processes,
	     const struct target_news *news, uint64_t now)
{
	struct buf text = { 0 };
	struct proc_stat stat;
	char path[64];
	bool ok, same;

	/* That of the leader alone does not add up what all threads used. */
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/stat",
		 t->pid, t->pid);
	ok = target_file(&text, path) &&
	     proctext_stat(buf_slice(&text), &stat) &&
	     (!t->begun || stat.start == t->start) &&
	     (stat.state != 'Z' || stat.threads > 1);
	/* A leader that has exited while others run has no memory there. */
	same = ok && t->begun &&
	       (stat.state == 'Z' ||
		(stat.code == t->code && stat.stack == t->stack));
	if (ok)
		t->threads = stat.threads;
	if (ok && !same) {
		t->start = stat.start;
		t->code = stat.code;
		t->stack = stat.stack;
		t->name.len = 0;
		buf_str(&t->name, stat.name);
		tell_exec(t, processes, news, now);
	}
	buf_free(&text);
	return ok;
}

/* Its memory. */

static void
parse(struct target_maps *m)
{
	struct str text = buf_slice(&m->text);
	struct proc_map map;

	m->n = 0;
	while (text.len > 0) {
		if (!proctext_map(str_cut(&text, '\n'), &map))
			continue;
		/* What changed as it was read may stand there twice. */
		if (m->n > 0 && map.start < m->map[m->n - 1].end)
			continue;
		m->map = mem_grow(m->map, &m->cap, m->n + 1, sizeof(map));
		m->map[m->n++] = map;
	}
}

/* The last mapping that begins at an address or before it, or NULL. */
static const struct proc_map *
find(const struct target_maps *m, uint64_t address)
{
	size_t low = 0, high = m->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (m->map[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 ? NULL : &m->map[low - 1];
}

const struct proc_map *
target_map(const struct target *t, uint64_t address)
{
	const struct proc_map *m = find(&t->maps, address);

	return m == NULL || address >= m->end ? NULL : m;
}

static bool
was_there(const struct target_maps *before, const struct proc_map *m)
{
	const struct proc_map *p = find(before, m->start);

	return p != NULL && p->start == m->start && p->end == m->end &&
	       p->offset == m->offset && p->inode == m->inode &&
	       proctext_is_code(p) && str_eq(p->path, m->path);
}

/* Memory without a name is perf's "//anon". */
static void
tell_map(const struct target *t, const struct proc_map *m, struct str id,
	 struct processes *processes, uint64_t now)
{
	const struct perf_record r = { .type = PERF_MMAP2,
				       .misc = PERF_MODE_USER,
				       .pid = t->pid,
				       .tid = t->pid,
				       .start = m->start,
				       .len = m->end - m->start,
				       .pgoff = m->offset,
				       .name = m->path.len > 0 ? m->path :
								 STR("//anon"),
				       .build_id = id,
				       .major = m->major,
				       .minor = m->minor,
				       .inode = m->inode };

	processes_tell(processes, &r, now);
}

void
target_look(struct target *t, int64_t tid, struct processes *processes,
	    struct build_ids *ids, const struct target_news *news, uint64_t now)
{
	const struct target_maps old = t->maps;
	const struct proc_map *m;
	struct str id;
	char path[64];
	size_t i;

	t->maps = t->before;
	t->before = old;
	t->looked = now;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task/%" PRId64 "/maps",
		 t->pid, tid);
	if (!target_file(&t->maps.text, path))
		t->maps.text.len = 0;
	parse(&t->maps);
	for (i = 0; i < t->maps.n; i++) {
		m = &t->maps.map[i];
		if (!proctext_is_code(m) || was_there(&t->before, m))
			continue;
		id = build_id(ids, t->pid, m);
		tell_map(t, m, id, processes, now);
		if (news->map != NULL)
			news->map(news->arg, t, m, id);
	}
}
