/* synthesis.c - records of processes that run already, from /proc. */
#include "record/synthesis.h"

#include "base/mem.h"
#include "sampler/build_ids.h"
#include "sampler/procfile.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

struct synthesis {
	struct perf_stream *stream;
	uint64_t id;
	struct build_ids *build_ids;
	struct buf text; /* of a file of /proc */
};

struct synthesis *
synthesis_new(struct perf_stream *stream, uint64_t id)
{
	struct synthesis *s = mem_zero(1, sizeof(*s));

	s->stream = stream;
	s->id = id;
	s->build_ids = build_ids_new();
	return s;
}

void
synthesis_free(struct synthesis *s)
{
	build_ids_free(s->build_ids);
	buf_free(&s->text);
	free(s);
}

/* In the order of PERF_RECORD_NAMESPACES. */
static void
add_namespaces(struct synthesis *s, int64_t pid)
{
	static const char *const names[PERF_STREAM_NAMESPACES] = {
		"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"
	};
	uint64_t ns[PERF_STREAM_NAMESPACES][2] = { 0 };
	char path[64];
	struct stat st;
	bool any = false;
	int i;

	for (i = 0; i < PERF_STREAM_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "/proc/%" PRId64 "/ns/%s", pid,
			 names[i]);
		if (stat(path, &st) != 0)
			continue;
		ns[i][0] = st.st_dev;
		ns[i][1] = st.st_ino;
		any = true;
	}
	if (any)
		perf_stream_namespaces(s->stream, pid, ns, s->id);
}

static void
add_thread(struct synthesis *s, int64_t pid, int64_t tid)
{
	struct str comm;

	if (!procfile_read_thread(&s->text, pid, tid, "comm"))
		return;
	comm = buf_slice(&s->text);
	if (str_ends(comm, STR("\n")))
		comm.len--;
	perf_stream_comm(s->stream, pid, tid, comm, s->id);
}

static bool
add_threads(struct synthesis *s, int64_t pid)
{
	char path[64];
	struct dirent *e;
	uint64_t tid;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/task", pid);
	d = opendir(path);
	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		if (str_u64(str_of(e->d_name), &tid))
			add_thread(s, pid, (int64_t)tid);
	}
	closedir(d);
	return true;
}

/* All code, and the other parts of files: perf unwinds by them. */
static void
add_maps(struct synthesis *s, int64_t pid)
{
	struct str rest = buf_slice(&s->text);
	struct proc_map map;

	while (rest.len > 0) {
		if (proctext_map(str_cut(&rest, '\n'), &map) &&
		    (proctext_is_code(&map) || map.inode != 0))
			perf_stream_map(s->stream, pid, &map,
					build_ids_of(s->build_ids, pid, &map),
					s->id);
	}
}

bool
synthesis_process(struct synthesis *s, int64_t pid)
{
	char path[64];

	if (!add_threads(s, pid))
		return false;
	add_namespaces(s, pid);
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/maps", pid);
	if (!procfile_read(&s->text, path))
		return false;
	add_maps(s, pid);
	return true;
}

bool
synthesis_machine(struct synthesis *s, void (*drain)(void *arg), void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	uint64_t pid;

	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		if (!str_u64(str_of(e->d_name), &pid))
			continue;
		synthesis_process(s, (int64_t)pid);
		drain(arg);
	}
	closedir(d);
	return true;
}
