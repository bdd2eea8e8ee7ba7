/* counters.c - all open events: of each task, on each CPU. */
#include "record/counters.h"

#include "base/mem.h"
#include "base/u64map.h"
#include "perfdata/perfabi.h"
#include "sampler/procfile.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

struct open_counter {
	int fd;
	uint64_t id;
	size_t event;
	int64_t pid;
};

struct counters {
	const struct counters_plan *plan;
	int *cpu;
	struct ring *ring; /* of each CPU */
	size_t cpus, cpus_cap;
	struct open_counter *all;
	size_t n, cap;
	struct u64map by_id; /* index in all */
	bool no_ring;        /* a ring could not be mapped */
};

/* The list of CPUs is like "0-3,8". */
static void
read_cpus(struct counters *c, const char *path)
{
	struct buf text = { 0 };
	struct str rest, range, first;
	uint64_t from, to;

	if (!procfile_read(&text, path))
		err(2, "%s", path);
	rest = str_rtrim(str_without_cr(buf_slice(&text)));
	if (str_ends(rest, STR("\n")))
		rest.len--;
	while (rest.len > 0) {
		range = str_cut(&rest, ',');
		first = str_cut(&range, '-');
		if (!str_u64(first, &from) || from > INT16_MAX)
			errx(2, "%s: not a list of CPUs", path);
		if (range.len == 0 || !str_u64(range, &to) || to > INT16_MAX)
			to = from;
		for (; from <= to; from++) {
			c->cpu = mem_grow(c->cpu, &c->cpus_cap, c->cpus + 1,
					  sizeof(*c->cpu));
			c->cpu[c->cpus++] = (int)from;
		}
	}
	buf_free(&text);
}

struct counters *
counters_new(const struct counters_plan *plan)
{
	struct counters *c = mem_zero(1, sizeof(*c));
	size_t i;

	c->plan = plan;
	read_cpus(c, "/sys/devices/system/cpu/online");
	c->ring = mem_zero(c->cpus, sizeof(*c->ring));
	for (i = 0; i < c->cpus; i++)
		c->ring[i].fd = -1;
	return c;
}

void
counters_free(struct counters *c)
{
	size_t i;

	for (i = 0; i < c->cpus; i++)
		ring_unmap(&c->ring[i]);
	for (i = 0; i < c->n; i++)
		close(c->all[i].fd);
	u64map_free(&c->by_id);
	free(c->all);
	free(c->ring);
	free(c->cpu);
	free(c);
}

bool
counters_try(const struct counters *c, int64_t pid)
{
	const struct counters_plan *p = c->plan;
	size_t i, j;
	int fd;

	for (i = 0; i < c->cpus; i++) {
		for (j = 0; j < p->n; j++) {
			fd = counter_open(&p->attr[j], pid, c->cpu[i], -1);
			if (fd < 0 && errno != ENODEV)
				return false;
			if (fd >= 0)
				close(fd);
		}
	}
	return true;
}

/* Give an event the ring of its CPU, or make that ring. */
static bool
connect_ring(struct counters *c, struct ring *ring, int fd)
{
	if (ring->page != NULL)
		return counter_redirect(fd, ring->fd);
	c->no_ring = !ring_map(ring, fd, c->plan->ring);
	return !c->no_ring;
}

static bool
add(struct counters *c, struct ring *ring, int fd, size_t event, int64_t pid)
{
	uint64_t id;

	if (!connect_ring(c, ring, fd) || !counter_id(fd, &id))
		return false;
	c->all = mem_grow(c->all, &c->cap, c->n + 1, sizeof(*c->all));
	u64map_put(&c->by_id, id, (uint32_t)c->n);
	c->all[c->n++] = (struct open_counter){ fd, id, event, pid };
	return true;
}

/* On one CPU; leaders come before the members of their groups. */
static bool
open_on(struct counters *c, size_t cpu, int64_t pid, int cgroup)
{
	const struct counters_plan *p = c->plan;
	const size_t first = c->n;
	size_t i, leader;
	int fd, group, error;

	for (i = 0; i < p->n; i++) {
		leader = p->request[i].leader;
		group = leader == i ? -1 : c->all[first + leader].fd;
		fd = cgroup >= 0 ?
			 counter_open_cgroup(&p->attr[i], cgroup, c->cpu[cpu],
					     group) :
			 counter_open(&p->attr[i], pid, c->cpu[cpu], group);
		if (fd < 0)
			return errno == ENODEV && i == 0;
		if (!add(c, &c->ring[cpu], fd, i, pid)) {
			error = errno;
			close(fd);
			errno = error;
			return false;
		}
	}
	return true;
}

static bool
open_everywhere(struct counters *c, int64_t pid, int cgroup)
{
	size_t i;

	for (i = 0; i < c->cpus; i++) {
		if (!open_on(c, i, pid, cgroup))
			return false;
	}
	return true;
}

bool
counters_add(struct counters *c, int64_t pid)
{
	return open_everywhere(c, pid, -1);
}

bool
counters_add_cgroup(struct counters *c, int cgroup)
{
	return open_everywhere(c, -1, cgroup);
}

struct ring *
counters_rings(struct counters *c, size_t *n)
{
	*n = c->cpus;
	return c->ring;
}

bool
counters_lack_ring(const struct counters *c)
{
	return c->no_ring;
}

size_t
counters_width(const struct counters *c)
{
	return c->cpus * c->plan->n;
}

bool
counters_find(const struct counters *c, uint64_t id, size_t *event,
	      int64_t *pid)
{
	uint32_t i;

	if (!u64map_get(&c->by_id, id, &i))
		return false;
	*event = c->all[i].event;
	*pid = c->all[i].pid;
	return true;
}

uint64_t
counters_id(const struct counters *c, size_t event)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->all[i].event == event)
			return c->all[i].id;
	}
	return 0;
}

/* The kernel reports POLLHUP of an event when its tasks are gone. */
bool
counters_have_ended(const struct counters *c)
{
	struct pollfd p;
	size_t i;

	for (i = 0; i < c->n; i++) {
		p = (struct pollfd){ .fd = c->all[i].fd };
		if (poll(&p, 1, 0) != 1 || !(p.revents & POLLHUP))
			return false;
	}
	return true;
}

void
counters_disable(const struct counters *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		counter_disable(c->all[i].fd);
}

bool
counters_set_rate(const struct counters *c, uint64_t rate)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->plan->attr[c->all[i].event].flags & PERF_ATTR_FREQ)
			ok = counter_set_rate(c->all[i].fd, rate) && ok;
	}
	return ok;
}

uint64_t
counters_value(const struct counters *c, size_t event)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->all[i].event == event)
			sum += counter_value(c->all[i].fd);
	}
	return sum;
}

uint64_t
counters_lost(const struct counters *c, size_t event)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->all[i].event == event)
			lost += counter_lost(c->all[i].fd);
	}
	return lost;
}
