/* live_process.c - a running process: which program it runs, and its memory. */
#include "sampler/live_process.h"

#include "base/mem.h"
#include "sampler/procfile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

void
live_process_free(struct live_process *p)
{
	buf_free(&p->name);
	buf_free(&p->maps.text);
	buf_free(&p->previous_maps.text);
	free(p->maps.map);
	free(p->previous_maps.map);
}

size_t
live_process_read(int64_t tid, uint64_t address, void *to, size_t n)
{
	struct iovec local = { to, n };
	struct iovec remote = { (void *)(uintptr_t)address, n };
	ssize_t got = process_vm_readv((pid_t)tid, &local, 1, &remote, 1, 0);

	return got < 0 ? 0 : (size_t)got;
}

/* The program. */

const struct arch *
live_process_arch(int64_t pid)
{
	const struct arch *host = arch_host(), *arch;
	char head[ARCH_ELF_HEADER], path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return host; /* a later step has a better message */
	n = read(fd, head, sizeof(head));
	close(fd);
	if (n < (ssize_t)sizeof(head))
		return host;
	arch = arch_of_header((struct str){ head, sizeof(head) });
	return arch == host || arch == host->compat ? arch : NULL;
}

static void
report_program(struct live_process *p, const struct live_process_observers *o,
	       uint64_t now)
{
	struct perf_record r = { .type = PERF_RECORD_COMM,
				 .misc = PERF_RECORD_MISC_COMM_EXEC,
				 .pid = p->pid,
				 .tid = p->pid,
				 .name = buf_slice(&p->name) };

	if (!p->reported)
		r.misc = 0;
	p->reported = true;
	p->arch = live_process_arch(p->pid);
	if (p->arch == NULL)
		p->arch = arch_host();
	p->maps_time = 0;
	p->maps.n = 0;
	process_add(o->processes, &r, now);
	if (o->events.process != NULL)
		o->events.process(o->events.arg, p);
}

bool
live_process_check(struct live_process *p,
		   const struct live_process_observers *o, uint64_t now)
{
	struct buf text = { 0 };
	struct proc_stat stat;
	bool alive, same;

	p->maps_current = false;
	/* For /proc/PID/stat the kernel adds up the times of all threads. */
	alive = procfile_read_thread(&text, p->pid, p->pid, "stat") &&
		proctext_stat(buf_slice(&text), &stat) &&
		(!p->reported || stat.start == p->start_time) &&
		(stat.state != 'Z' || stat.threads > 1);
	/*
	 * A first thread that has exited, while others run, has no addresses
	 * to compare.
	 */
	same = alive && p->reported &&
	       (stat.state == 'Z' ||
		(stat.code == p->start_code && stat.stack == p->start_stack));
	if (alive)
		p->threads = stat.threads;
	if (alive && !same) {
		p->start_time = stat.start;
		p->start_code = stat.code;
		p->start_stack = stat.stack;
		p->name.len = 0;
		buf_str(&p->name, stat.name);
		report_program(p, o, now);
	}
	buf_free(&text);
	return alive;
}

/* Its memory. */

static void
parse(struct live_process_maps *maps)
{
	struct str text = buf_slice(&maps->text);
	struct proc_map map;

	maps->n = 0;
	while (text.len > 0) {
		if (!proctext_map(str_cut(&text, '\n'), &map))
			continue;
		/* A mapping that changed during read(2) may be listed twice. */
		if (maps->n > 0 && map.start < maps->map[maps->n - 1].end)
			continue;
		maps->map = mem_grow(maps->map, &maps->cap, maps->n + 1,
				     sizeof(map));
		maps->map[maps->n++] = map;
	}
}

/* The last mapping that starts at an address or before it, or NULL. */
static const struct proc_map *
find(const struct live_process_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (maps->map[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low == 0 ? NULL : &maps->map[low - 1];
}

const struct proc_map *
live_process_find_map(const struct live_process *p, uint64_t address)
{
	const struct proc_map *m = find(&p->maps, address);

	return m == NULL || address >= m->end ? NULL : m;
}

/* Whether a mapping with code was in the maps already. */
static bool
has_code(const struct live_process_maps *maps, const struct proc_map *m)
{
	const struct proc_map *old = find(maps, m->start);

	return old != NULL && old->start == m->start && old->end == m->end &&
	       old->offset == m->offset && old->inode == m->inode &&
	       proctext_is_code(old) && str_eq(old->path, m->path);
}

/* perf names memory without a file "//anon". */
static void
report_map(const struct live_process *p, const struct proc_map *m,
	   const struct live_process_observers *o, uint64_t now)
{
	const struct str build_id = build_ids_of(o->build_ids, p->pid, m);
	const struct perf_record r = { .type = PERF_RECORD_MMAP2,
				       .misc = PERF_RECORD_MISC_USER,
				       .pid = p->pid,
				       .tid = p->pid,
				       .start = m->start,
				       .len = m->end - m->start,
				       .pgoff = m->offset,
				       .name = m->path.len > 0 ? m->path :
								 STR("//anon"),
				       .build_id = build_id,
				       .major = m->major,
				       .minor = m->minor,
				       .inode = m->inode };

	process_add(o->processes, &r, now);
	if (o->events.map != NULL)
		o->events.map(o->events.arg, p, m, build_id);
}

void
live_process_read_maps(struct live_process *p, int64_t tid,
		       const struct live_process_observers *o, uint64_t now)
{
	const struct live_process_maps last = p->maps;
	const struct proc_map *m;
	size_t i;

	p->maps = p->previous_maps;
	p->previous_maps = last;
	p->maps_time = now;
	p->maps_current = true;
	if (!procfile_read_thread(&p->maps.text, p->pid, tid, "maps"))
		p->maps.text.len = 0;
	parse(&p->maps);
	for (i = 0; i < p->maps.n; i++) {
		m = &p->maps.map[i];
		if (proctext_is_code(m) && !has_code(&p->previous_maps, m))
			report_map(p, m, o, now);
	}
}
