/* debuginfod.c - fetches files from debuginfod servers by their build-ids. */
#include "symbols/debuginfod.h"

#include "base/mem.h"
#include "base/message.h"
#include "base/utf8.h"
#include "os/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Functions of the library, as in debuginfod_find_debuginfo(3). */
struct debuginfod_client;

struct debuginfod_library {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *);
	int (*find[2])(struct debuginfod_client *, const unsigned char *, int,
		       char **); /* by enum debuginfod_kind */
	void (*set_progressfn)(struct debuginfod_client *,
			       int (*)(struct debuginfod_client *, long, long));
};

struct debuginfod {
	struct debuginfod_library library;
	struct debuginfod_client *client;
	unsigned seconds;
	double left;    /* of the seconds */
	double started; /* when the running request began */
	bool terminal;
	int error; /* after it no more requests; ETIME: time is over */
	uint64_t files;
	unsigned notes;
	struct buf name; /* of the requested file, with a NUL */
};

/* The running request, because progress() gets no argument of ours. */
static struct debuginfod *running;

/* False, with a message appended to *why, if the library is not usable. */
static bool
load(struct debuginfod_library *l, struct buf *why)
{
	const struct {
		const char *name;
		void *function;
	} wanted[] = {
		{ "debuginfod_begin", &l->begin },
		{ "debuginfod_end", &l->end },
		{ "debuginfod_find_executable", &l->find[DEBUGINFOD_PROGRAM] },
		{ "debuginfod_find_debuginfo", &l->find[DEBUGINFOD_DEBUG] },
		{ "debuginfod_set_progressfn", &l->set_progressfn }
	};
	void *h = dlopen("libdebuginfod.so.1", RTLD_NOW), *found = h;
	size_t i;

	for (i = 0; found != NULL && i < sizeof(wanted) / sizeof(*wanted);
	     i++) {
		found = dlsym(h, wanted[i].name);
		memcpy(wanted[i].function, &found, sizeof(found));
	}
	if (found == NULL)
		buf_printf(why, "--debuginfod: %s", dlerror());
	return found != NULL;
}

/*
 * The library calls this about once a second, and more often during transfers.
 * total is 0 until it is known.  A result other than 0 cancels the request.
 */
static int
progress(struct debuginfod_client *client, long done, long total)
{
	struct debuginfod *d = running;

	(void)client;
	if (d->terminal && total > 0)
		fprintf(stderr, "\r%s: %.1f of %.1f MB\033[K", d->name.p,
			(double)done / 1e6, (double)total / 1e6);
	else if (d->terminal)
		fprintf(stderr, "\r%s: querying debuginfod\033[K", d->name.p);
	if (clock_seconds(CLOCK_MONOTONIC) - d->started < d->left)
		return 0;
	d->error = ETIME;
	return 1;
}

struct debuginfod *
debuginfod_new(unsigned seconds, struct buf *why)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct debuginfod_library library;
	struct debuginfod_client *client;
	struct debuginfod *d;

	if (urls == NULL || *urls == '\0') {
		buf_str(why,
			STR("--debuginfod: DEBUGINFOD_URLS names no server"));
		return NULL;
	}
	if (!load(&library, why))
		return NULL;
	client = library.begin();
	if (client == NULL) {
		buf_str(why, STR("--debuginfod: libdebuginfod does not start"));
		return NULL;
	}
	library.set_progressfn(client, progress);
	d = mem_zero(1, sizeof(*d));
	d->library = library;
	d->client = client;
	d->seconds = seconds;
	d->left = seconds;
	d->terminal = isatty(2);
	return d;
}

void
debuginfod_free(struct debuginfod *d)
{
	if (d == NULL)
		return;
	/* No dlclose(): the libraries below this one would leak memory. */
	d->library.end(d->client);
	buf_free(&d->name);
	free(d);
}

int
debuginfod_file(struct debuginfod *d, enum debuginfod_kind kind,
		struct str build_id, struct str name)
{
	const unsigned char *id = (const unsigned char *)build_id.p;
	int fd;

	if (d->error != 0 || build_id.len == 0 || build_id.len > 64)
		return -1;
	d->name.len = 0;
	utf8_escape(&d->name, name);
	d->name.len = message_cut(d->name.p, d->name.len, 200);
	buf_char(&d->name, '\0');
	d->started = clock_seconds(CLOCK_MONOTONIC);
	running = d;
	fd = d->library.find[kind](d->client, id, (int)build_id.len, NULL);
	running = NULL;
	d->left -= clock_seconds(CLOCK_MONOTONIC) - d->started;
	if (d->terminal)
		fputs("\r\033[K", stderr);
	if (fd >= 0)
		d->files++;
	else if (fd != -ENOENT && d->error == 0)
		d->error = -fd;
	return fd;
}

bool
debuginfod_note(struct debuginfod *d, struct buf *line)
{
	const unsigned note = d->notes++;

	if (note > 1 || (note == 1 && d->error == 0))
		return false;
	if (note == 0)
		buf_printf(line,
			   "downloaded %" PRIu64 " file%s from debuginfod",
			   d->files, str_plural(d->files, "", "s"));
	else if (d->error == ETIME)
		buf_printf(line,
			   "stopped downloading from debuginfod after %u s; "
			   "see --debuginfod-limit",
			   d->seconds);
	else
		buf_printf(line, "stopped downloading from debuginfod: %s",
			   strerror(d->error));
	return true;
}
