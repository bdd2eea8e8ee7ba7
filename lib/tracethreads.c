/* tracethreads.c - the threads of trace events, and the names of processes. */
#include "tracethreads.h"

#include "mem.h"

#include <stdlib.h>
#include <string.h>

void
tracethreads_init(struct tracethreads *t)
{
	*t = (struct tracethreads){ .words = intern_new(),
				    .threads = intern_new(),
				    .comms = intern_new() };
}

void
tracethreads_free(struct tracethreads *t)
{
	intern_free(t->words);
	intern_free(t->threads);
	intern_free(t->comms);
	arena_free(&t->names);
	free(t->comm);
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

static struct str
pid_bytes(const int64_t *pid)
{
	return (struct str){ (const char *)pid, sizeof(*pid) };
}

void
tracethreads_name(struct tracethreads *t, int64_t pid, struct str name)
{
	uint32_t id = intern_id(t->comms, pid_bytes(&pid));

	t->comm = mem_grow(t->comm, &t->comm_cap, id + 1, sizeof(*t->comm));
	t->comm[id] = arena_str(&t->names, name);
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
	struct sample sample = SAMPLE_UNKNOWN;
	int64_t ids[2];
	uint32_t id;

	memcpy(ids, intern_name(t->threads, thread).p, sizeof(ids));
	sample.pid = ids[0] >= 0 ? ids[0] : -1;
	sample.tid = ids[1] >= 0 ? ids[1] : -1;
	if (intern_find(t->comms, pid_bytes(&ids[0]), &id))
		sample.comm = t->comm[id];
	return sample;
}
