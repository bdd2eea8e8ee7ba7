/* tracethreads.c - the threads of trace events, and the names of processes. */
#include "formats/tracethreads.h"

#include "base/table.h"

/* A process with a name. */
struct tracethreads_process {
	int64_t pid;
	struct str comm;
	UT_hash_handle hh;
};

void
tracethreads_init(struct tracethreads *t)
{
	*t = (struct tracethreads){ .words = intern_new(),
				    .threads = intern_new() };
}

void
tracethreads_free(struct tracethreads *t)
{
	intern_free(t->words);
	intern_free(t->threads);
	HASH_CLEAR(hh, t->processes);
	arena_free(&t->arena);
}

void
tracethreads_id(struct tracethreads *t, struct json *j, int64_t *id)
{
	struct str s;
	uint64_t n;

	if (json_peek(j) != '"')
		json_integer(j, id);
	else if (!json_string(j, &s))
		return;
	else if (str_u64(s, &n) && n <= INT64_MAX)
		*id = (int64_t)n;
	else
		*id = -2 - (int64_t)intern_id(t->words, s);
}

static struct tracethreads_process *
find_process(const struct tracethreads *t, int64_t pid)
{
	struct tracethreads_process *process;

	HASH_FIND(hh, t->processes, &pid, sizeof(pid), process);
	return process;
}

void
tracethreads_name(struct tracethreads *t, int64_t pid, struct str name)
{
	struct tracethreads_process *process = find_process(t, pid);

	if (process == NULL) {
		process = arena_alloc(&t->arena, sizeof(*process));
		process->pid = pid;
		HASH_ADD(hh, t->processes, pid, sizeof(pid), process);
	}
	process->comm = arena_str(&t->arena, name);
}

uint32_t
tracethreads_number(struct tracethreads *t, int64_t pid, int64_t tid)
{
	const int64_t ids[2] = { pid, tid };

	return intern_id(t->threads,
			 (struct str){ (const char *)ids, sizeof(ids) });
}

struct sample
tracethreads_sample(const struct tracethreads *t, uint32_t thread)
{
	const struct tracethreads_process *process;
	struct sample sample = SAMPLE_UNKNOWN;
	int64_t ids[2];

	memcpy(ids, intern_name(t->threads, thread).p, sizeof(ids));
	sample.pid = ids[0] >= 0 ? ids[0] : -1;
	sample.tid = ids[1] >= 0 ? ids[1] : -1;
	process = find_process(t, ids[0]);
	if (process != NULL)
		sample.comm = process->comm;
	return sample;
}
