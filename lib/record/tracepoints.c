/* tracepoints.c - tracepoints of the kernel, described in tracefs. */
#include "record/tracepoints.h"

#include "perfdata/perfabi.h"
#include "record/uprobe.h"
#include "sampler/procfile.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
tracepoints_path(struct buf *path, const char *file)
{
	/* Where tracefs is mounted, now and on older systems. */
	const char *root[] = { getenv("TRACEFS"), "/sys/kernel/tracing",
			       "/sys/kernel/debug/tracing" };
	const size_t first = root[0] == NULL ? 1 : 0, n = first == 0 ? 1 : 3;
	size_t i;

	for (i = first; i < n; i++) {
		path->len = 0;
		buf_printf(path, "%s/%s", root[i], file);
		buf_char(path, '\0');
		/* Do not let the second root hide the first one's refusal. */
		if (access(path->p, F_OK) == 0 || errno == EACCES)
			break;
	}
	return i < n && access(path->p, F_OK) == 0;
}

/* Read a file of tracefs; false with errno set. */
static bool
read_file(struct buf *text, const char *path)
{
	struct buf full = { 0 };
	const bool ok = tracepoints_path(&full, path) &&
			procfile_read(text, full.p);

	buf_free(&full);
	return ok;
}

static bool
read_event(struct buf *text, struct str system, struct str name,
	   const char *file)
{
	struct buf path = { 0 };
	bool ok;

	buf_printf(&path, "events/%.*s/%.*s/%s", (int)system.len, system.p,
		   (int)name.len, name.p, file);
	buf_char(&path, '\0');
	ok = read_file(text, path.p);
	buf_free(&path);
	return ok;
}

/* Names become a path below tracefs. */
static bool
is_name(struct str s)
{
	return s.len > 0 && s.p[0] != '.' && str_find(s, '/') == NULL;
}

static void
explain(struct buf *why, struct str system, struct str name, int error)
{
	struct buf text = { 0 };

	buf_printf(why, "%.*s:%.*s: ", (int)system.len, system.p, (int)name.len,
		   name.p);
	if (error == EACCES || error == EPERM)
		buf_printf(why, "tracepoints need root, or the right to read "
				"/sys/kernel/tracing");
	else if (!read_file(&text, "events/header_page") && errno == ENOENT)
		buf_printf(why, "tracefs is not mounted: as root, "
				"mount -t tracefs tracefs "
				"/sys/kernel/tracing");
	else
		buf_printf(why, "unknown event");
	buf_free(&text);
}

bool
tracepoints_find(struct str system, struct str name, uint64_t *id,
		 struct buf *why)
{
	struct buf text = { 0 };
	struct str first;
	bool ok = false;

	if (is_name(system) && is_name(name)) {
		errno = 0;
		if (read_event(&text, system, name, "id")) {
			first = buf_slice(&text);
			ok = str_u64(str_cut(&first, '\n'), id);
		}
	}
	if (!ok)
		explain(why, system, name, errno);
	buf_free(&text);
	return ok;
}

static void
add_u32(struct buf *out, uint32_t n)
{
	buf_add(out, &n, sizeof(n));
}

/* A file with its size; an unreadable one is empty. */
static void
add_file(struct buf *out, const struct buf *text)
{
	const uint64_t size = text->len;

	buf_add(out, &size, sizeof(size));
	buf_str(out, buf_slice(text));
}

static void
add_header(struct buf *out, const char *name)
{
	struct buf text = { 0 }, path = { 0 };

	buf_printf(&path, "events/%s", name);
	buf_char(&path, '\0');
	if (!read_file(&text, path.p))
		text.len = 0;
	buf_add(out, name, strlen(name) + 1);
	add_file(out, &text);
	buf_free(&text);
	buf_free(&path);
}

/* One "system" for each event: readers do not demand that they differ. */
static void
add_format(struct buf *out, struct str event)
{
	struct str rest = event, system = str_cut(&rest, ':'),
		   name = str_cut(&rest, ':');
	struct buf text = { 0 };

	if (!read_event(&text, system, name, "format"))
		text.len = 0;
	buf_str(out, system);
	buf_char(out, '\0');
	add_u32(out, 1);
	add_file(out, &text);
	buf_free(&text);
}

/* A probe has a name of its own in tracefs. */
static struct str
name_of(const struct event_request *e)
{
	return e->uprobe != NULL ? e->uprobe->tracepoint : e->name;
}

/* The layout is that of trace-cmd.dat.v6(5), up to its list of processes. */
void
tracepoints_formats(struct buf *out, const struct event_requests *events)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < events->n; i++)
		n += events->event[i].type == PERF_TYPE_TRACEPOINT;
	if (n == 0)
		return;
	buf_str(out, STR("\x17\x08\x44"
			 "tracing"
			 "0.6"));
	buf_char(out, '\0');
	buf_char(out, __BYTE_ORDER == __BIG_ENDIAN);
	buf_char(out, (char)sizeof(long));
	add_u32(out, (uint32_t)sysconf(_SC_PAGESIZE));
	add_header(out, "header_page");
	add_header(out, "header_event");
	add_u32(out, 0); /* formats of ftrace itself */
	add_u32(out, n);
	for (i = 0; i < events->n; i++) {
		if (events->event[i].type == PERF_TYPE_TRACEPOINT)
			add_format(out, name_of(&events->event[i]));
	}
	add_u32(out, 0);                   /* symbols of the kernel */
	add_u32(out, 0);                   /* formats of printk */
	buf_add(out, &(uint64_t){ 0 }, 8); /* names of processes */
}
