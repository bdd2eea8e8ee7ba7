/* fetch.c - files from a debuginfod server, by their build-ids. */
#include "fetch.h"

#include "mem.h"
#include "utf8.h"

#include <dlfcn.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* What of the library is used, as debuginfod_find_debuginfo(3) has it. */
struct debuginfod_client;

struct library {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *);
	int (*find[2])(struct debuginfod_client *, const unsigned char *, int,
		       char **); /* by enum fetch_what */
	void (*set_progressfn)(struct debuginfod_client *,
			       int (*)(struct debuginfod_client *, long, long));
};

struct fetch {
	struct library library;
	struct debuginfod_client *client;
	unsigned seconds;
	double left;    /* of the seconds, */
	double started; /* when the request that runs began */
	bool terminal;
	int error; /* after which nothing more is asked for; ETIME: over time */
	uint64_t files;
	unsigned notes;
	struct buf name; /* of the file on its way */
};

/* The request that runs: what calls progress() gives it nothing of ours. */
static struct fetch *running;

static void *
function(void *library, const char *name)
{
	void *found = dlsym(library, name);

	if (found == NULL)
		errx(2, "--debuginfod: %s", dlerror());
	return found;
}

static void
load(struct library *l)
{
	void *h = dlopen("libdebuginfod.so.1", RTLD_NOW);

	if (h == NULL)
		errx(2, "--debuginfod: %s", dlerror());
	l->begin = function(h, "debuginfod_begin");
	l->end = function(h, "debuginfod_end");
	l->find[FETCH_PROGRAM] = function(h, "debuginfod_find_executable");
	l->find[FETCH_DEBUG] = function(h, "debuginfod_find_debuginfo");
	l->set_progressfn = function(h, "debuginfod_set_progressfn");
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/*
 * Called about each second, and more often while bytes come; total is 0 as
 * long as it is not known.  What is not 0 ends the request.
 */
static int
progress(struct debuginfod_client *client, long done, long total)
{
	struct fetch *f = running;

	(void)client;
	if (f->terminal && total > 0)
		fprintf(stderr, "\r%s: %.1f of %.1f MB\033[K", f->name.p,
			(double)done / 1e6, (double)total / 1e6);
	else if (f->terminal)
		fprintf(stderr, "\r%s: asking debuginfod\033[K", f->name.p);
	if (now() - f->started < f->left)
		return 0;
	f->error = ETIME;
	return 1;
}

struct fetch *
fetch_new(unsigned seconds)
{
	struct fetch *f = mem_zero(1, sizeof(*f));
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (urls == NULL || *urls == '\0')
		errx(2, "--debuginfod: DEBUGINFOD_URLS names no server");
	load(&f->library);
	f->client = f->library.begin();
	if (f->client == NULL)
		errx(2, "--debuginfod: libdebuginfod does not start");
	f->library.set_progressfn(f->client, progress);
	f->seconds = seconds;
	f->left = seconds;
	f->terminal = isatty(2);
	return f;
}

void
fetch_free(struct fetch *f)
{
	if (f == NULL)
		return;
	/* The library stays: what it needs keeps memory from here to there. */
	f->library.end(f->client);
	buf_free(&f->name);
	free(f);
}

int
fetch_file(struct fetch *f, enum fetch_what what, struct str build_id,
	   struct str name)
{
	const unsigned char *id = (const unsigned char *)build_id.p;
	int fd;

	if (f->error != 0 || build_id.len == 0 || build_id.len > 64)
		return -1;
	f->name.len = 0;
	utf8_escape(&f->name, name);
	buf_char(&f->name, '\0');
	f->started = now();
	running = f;
	fd = f->library.find[what](f->client, id, (int)build_id.len, NULL);
	running = NULL;
	f->left -= now() - f->started;
	if (f->terminal)
		fputs("\r\033[K", stderr);
	if (fd >= 0)
		f->files++;
	else if (fd != -ENOENT && f->error == 0)
		f->error = -fd;
	return fd;
}

bool
fetch_note(struct fetch *f, struct buf *line)
{
	const unsigned note = f->notes++;

	if (note > 1 || (note == 1 && f->error == 0))
		return false;
	if (note == 0)
		buf_printf(line, "debuginfod gave %" PRIu64 " file%s", f->files,
			   str_plural(f->files, "", "s"));
	else if (f->error == ETIME)
		buf_printf(line,
			   "debuginfod took longer than %u s and was not asked "
			   "for more: see --debuginfod-limit",
			   f->seconds);
	else
		buf_printf(line, "debuginfod was not asked for more: %s",
			   strerror(f->error));
	return true;
}
