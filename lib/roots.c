/* roots.c - the frames at the root of a sample. */
#include "roots.h"

#include "mem.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct roots {
	struct intern *names;
	enum root root[ROOT_MAX];
	int n;
	struct buf host;

	/* Of the last sample; slices are of the copies below. */
	bool has_last;
	struct sample last;
	struct buf comm, cgroup, event;
	struct ids ids;
	struct buf text; /* scratch */
};

struct roots *
roots_new(struct intern *names, const enum root *root, int n)
{
	struct roots *r = mem_zero(1, sizeof(*r));
	char host[256] = "";
	int i;

	r->names = names;
	r->n = n;
	for (i = 0; i < n; i++)
		r->root[i] = root[i];
	gethostname(host, sizeof(host) - 1);
	buf_str(&r->host, str_of(host));
	return r;
}

void
roots_free(struct roots *r)
{
	buf_free(&r->host);
	buf_free(&r->comm);
	buf_free(&r->cgroup);
	buf_free(&r->event);
	buf_free(&r->text);
	free(r->ids.id);
	free(r);
}

void
roots_word(struct buf *out, struct str word)
{
	size_t i = out->len;

	utf8_escape(out, word);
	for (; i < out->len; i++) {
		if (out->p[i] == ' ')
			out->p[i] = '_';
		else if (out->p[i] == ';')
			out->p[i] = ':';
	}
}

static void
print_number(struct buf *out, int64_t n)
{
	if (n < 0)
		buf_char(out, '?');
	else
		buf_u64(out, (uint64_t)n);
}

static void
print_key(struct buf *out, const char *key, int64_t n)
{
	if (n >= 0)
		buf_printf(out, "%s-%" PRId64, key, n);
}

/* comm-PID, or comm-PID/TID */
static void
print_process(struct buf *out, const struct sample *s, bool with_tid)
{
	roots_word(out, s->comm);
	if (s->comm.len == 0 && s->pid < 0 && s->tid < 0)
		return;
	buf_char(out, '-');
	print_number(out, s->pid);
	if (with_tid) {
		buf_char(out, '/');
		print_number(out, s->tid);
	}
}

/* Append the text of a root frame; nothing if it is not known. */
static void
print_root(const struct roots *r, struct buf *out, enum root root)
{
	const struct sample *s = &r->last;

	switch (root) {
	case ROOT_COMM_PID:
		print_process(out, s, false);
		break;
	case ROOT_COMM_TID:
		print_process(out, s, true);
		break;
	case ROOT_COMM:
		roots_word(out, s->comm);
		break;
	case ROOT_PID:
		print_key(out, "pid", s->pid);
		break;
	case ROOT_TID:
		print_key(out, "tid", s->tid);
		break;
	case ROOT_CPU:
		print_key(out, "cpu", s->cpu);
		break;
	case ROOT_CGROUP:
		roots_word(out, s->cgroup);
		break;
	case ROOT_HOST:
		roots_word(out, buf_slice(&r->host));
		break;
	case ROOT_EVENT:
		roots_word(out, s->event);
		break;
	}
}

/* Whether the frame of a kind is another one for this sample. */
static bool
differs(const struct roots *r, enum root root, const struct sample *s)
{
	const struct sample *last = &r->last;

	switch (root) {
	case ROOT_COMM_PID:
	case ROOT_COMM_TID:
		return s->pid != last->pid || s->tid != last->tid ||
		       !str_eq(s->comm, last->comm);
	case ROOT_COMM:
		return !str_eq(s->comm, last->comm);
	case ROOT_PID:
		return s->pid != last->pid;
	case ROOT_TID:
		return s->tid != last->tid;
	case ROOT_CPU:
		return s->cpu != last->cpu;
	case ROOT_CGROUP:
		return !str_eq(s->cgroup, last->cgroup);
	case ROOT_HOST:
		return false;
	case ROOT_EVENT:
		return !str_eq(s->event, last->event);
	}
	return true;
}

static struct str
copy(struct buf *to, struct str s)
{
	to->len = 0;
	buf_str(to, s);
	return buf_slice(to);
}

/* A first '#' would make the line a comment. */
static void
escape_hash(struct buf *text)
{
	struct buf rest = *text;

	if (!str_starts(buf_slice(text), STR("#")))
		return;
	*text = (struct buf){ 0 };
	buf_str(text, STR("\\x23"));
	buf_str(text, str_skip(buf_slice(&rest), 1));
	buf_free(&rest);
}

static void
make(struct roots *r)
{
	int i;

	r->ids.n = 0;
	for (i = 0; i < r->n; i++) {
		r->text.len = 0;
		print_root(r, &r->text, r->root[i]);
		if (r->ids.n == 0)
			escape_hash(&r->text);
		if (r->text.len > 0)
			ids_push(&r->ids,
				 intern_id(r->names, buf_slice(&r->text)));
	}
}

const struct ids *
roots_of(struct roots *r, const struct sample *s)
{
	bool same = r->has_last;
	int i;

	for (i = 0; same && i < r->n; i++)
		same = !differs(r, r->root[i], s);
	if (same)
		return &r->ids;
	r->last = *s;
	r->last.comm = copy(&r->comm, s->comm);
	r->last.cgroup = copy(&r->cgroup, s->cgroup);
	r->last.event = copy(&r->event, s->event);
	r->has_last = true;
	make(r);
	return &r->ids;
}
