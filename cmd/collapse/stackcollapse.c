/* stackcollapse - guess the format of a trace and run the command for it. */
#include "base/mem.h"
#include "formats/guess.h"
#include "reader/collapse.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPT_WHICH = CMD_LONG, OPT_FORMAT };

static const struct cmd_option options[] = {
	{ "format", OPT_FORMAT, "NAME",
	  "the format, such as jfr; do not detect it", false },
	{ "which", OPT_WHICH, NULL,
	  "print the name of the command, fold nothing", false },
	{ NULL, 0, NULL, NULL, false }
};

/* The parts of the command line that do not depend on the reader. */
struct command_line {
	bool which;
	const char *format;  /* or NULL: detect it */
	const char *unknown; /* an option that only the reader may know */
	char **file;
	int nfile;
};

/* Whether a shared option of this name has the next word as argument. */
static bool
takes_word(const char *name)
{
	const struct cmd_option *o;
	size_t len = strlen(name);

	for (o = collapse_options; o->name != NULL; o++) {
		if (strncmp(o->name, name, len) == 0 && len > 0)
			return cmd_takes_word(o);
	}
	return strcmp(name, "limits") == 0;
}

static bool
is_known(const char *name)
{
	static const char *const all[] = { "q",    "quiet",   "strict",    "h",
					   "help", "version", "no-sandbox" };
	const struct cmd_option *o;
	size_t i, len = strcspn(name, "=");

	for (o = collapse_options; o->name != NULL; o++) {
		if (strncmp(o->name, name, len) == 0)
			return true;
	}
	for (i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(all[i], name) == 0)
			return true;
	}
	return len == strlen("limits") && strncmp(name, "limits", len) == 0;
}

/*
 * Whether word i of the command line is an option of ours, which no reader
 * knows; *i moves to its last word.
 */
static bool
is_own(struct command_line *l, int *i, char *argv[])
{
	if (strcmp(argv[*i], "--which") == 0) {
		l->which = true;
		return true;
	}
	if (strncmp(argv[*i], "--format=", 9) == 0) {
		l->format = argv[*i] + 9;
		return true;
	}
	if (strcmp(argv[*i], "--format") == 0 && argv[*i + 1] != NULL) {
		l->format = argv[++*i];
		return true;
	}
	return false;
}

/* Find the files, and remove our own options from the words before "--". */
static void
parse(struct command_line *l, int *argc, char *argv[])
{
	int i, n = 1;
	bool no_more = false;
	const char *name;

	l->file = mem_zero((size_t)*argc + 1, sizeof(*l->file));
	for (i = 1; i < *argc; i++) {
		name = argv[i] + strspn(argv[i], "-");
		if (!no_more && is_own(l, &i, argv))
			continue;
		argv[n++] = argv[i];
		if (no_more || *argv[i] != '-' || argv[i][1] == '\0') {
			l->file[l->nfile++] = argv[i];
			continue;
		}
		if (strcmp(argv[i], "--") == 0) {
			no_more = true;
			continue;
		}
		if (!is_known(name))
			l->unknown = argv[i];
		if (takes_word(name) && i + 1 < *argc)
			argv[n++] = argv[++i];
	}
	argv[n] = NULL;
	*argc = n;
}

__attribute__((noreturn)) static void
refuse(const struct input *in, struct str begin)
{
	const char *hint = guess_hint(begin);

	if (hint != NULL)
		errx(2, "%s: unknown format; it looks like %s", in->name, hint);
	errx(2, "%s: unknown format", in->name);
}

/*
 * Guess the command for an input from its first n bytes, and close the input.
 * NULL if it is empty: any command reads that.
 */
static const char *
guess(struct input *in, size_t n)
{
	const struct str begin = input_peek(in, n);
	const char *reader = NULL, *other = NULL;

	if (begin.len > 0)
		reader = guess_reader(begin, &other);
	if (begin.len > 0 && reader == NULL && other != NULL)
		errx(2,
		     "%s: it may be for %s or another command; choose one "
		     "with --format",
		     in->name, other);
	if (begin.len > 0 && reader == NULL)
		refuse(in, begin);
	input_close(in);
	return reader;
}

static const char *
guess_file(const char *path)
{
	struct tally tally = { 0 };
	struct input in;

	input_open(&in, path, &tally);
	return guess(&in, GUESS_BYTES);
}

/*
 * Guess from a copy of the first n bytes of standard input.  If there is more,
 * compressed data in the copy has no end: only a part of it is read, and the
 * decompressor, which may be ahead, has no standard error to complain on.
 */
static const char *
guess_copy(int fd, size_t n)
{
	const bool is_cut = n == GUESS_BYTES;
	struct tally tally = { 0 };
	struct input in;

	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0)
		err(2, "a copy of the input");
	if (is_cut)
		fcntl(2, F_SETFD, FD_CLOEXEC);
	input_open_fd(&in, "stdin", fd, &tally);
	if (is_cut)
		fcntl(2, F_SETFD, 0);
	return guess(&in, is_cut ? GUESS_BYTES / 2 : GUESS_BYTES);
}

static bool
write_all(int to, const char *p, size_t n)
{
	ssize_t done;

	for (; n > 0; n -= (size_t)done, p += done) {
		done = write(to, p, n);
		if (done < 0 && errno != EINTR)
			return false;
		done = done < 0 ? 0 : done;
	}
	return true;
}

/* Read n bytes of standard input, or up to its end; -1 if it fails. */
static ssize_t
read_some(char *p, size_t n)
{
	size_t have = 0;
	ssize_t done;

	do {
		done = read(0, p + have, n - have);
		have += done > 0 ? (size_t)done : 0;
	} while (have < n && (done > 0 || (done < 0 && errno == EINTR)));
	return done < 0 ? -1 : (ssize_t)have;
}

/* Write n bytes, then the rest of standard input through the same buffer. */
static bool
pass_on(int to, char *p, size_t n)
{
	ssize_t more;

	do {
		if (!write_all(to, p, n))
			return errno == EPIPE; /* the reader needs no more */
		more = read_some(p, GUESS_BYTES);
		n = (size_t)more;
	} while (more > 0);
	return more == 0;
}

/* End as the child ends, but with status 2 if it did not get all input. */
__attribute__((noreturn)) static void
end_as(pid_t child, bool good)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			err(2, "waitpid");
	}
	if (WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	exit(good && WIFEXITED(status) ? WEXITSTATUS(status) : 2);
}

/*
 * Return in a child whose standard input is the n bytes and the rest of ours.
 * The parent feeds it, reports errors of reading and never returns.
 */
static void
feed(char *begin, size_t n)
{
	int fds[2];
	pid_t child;
	bool good;

	if (pipe2(fds, O_CLOEXEC) != 0)
		err(2, "pipe");
	child = fork();
	if (child < 0)
		err(2, "fork");
	if (child == 0) {
		dup2(fds[0], 0);
		close(fds[0]);
		close(fds[1]);
		return;
	}
	close(fds[0]);
	signal(SIGPIPE, SIG_IGN);
	good = pass_on(fds[1], begin, n);
	if (!good)
		warn("stdin");
	close(fds[1]);
	end_as(child, good);
}

/* Guess from standard input, which can be read from its start afterwards. */
static const char *
guess_stdin(void)
{
	char *begin = mem_alloc(GUESS_BYTES);
	ssize_t n = read_some(begin, GUESS_BYTES);
	int fd = memfd_create("stdin", MFD_CLOEXEC);
	const char *reader;

	if (n < 0)
		err(2, "stdin");
	if (fd < 0 || !write_all(fd, begin, (size_t)n))
		err(2, "a copy of the input");
	reader = guess_copy(fd, (size_t)n);
	if (n == GUESS_BYTES) {
		feed(begin, (size_t)n);
	} else {
		lseek(fd, 0, SEEK_SET);
		dup2(fd, 0);
	}
	close(fd);
	free(begin);
	return reader;
}

static const char *
guess_all(const struct command_line *l)
{
	const char *reader = NULL, *one;
	int i;

	if (l->nfile == 0)
		return guess_stdin();
	for (i = 0; i < l->nfile; i++) {
		one = strcmp(l->file[i], "-") == 0 ? guess_stdin() :
						     guess_file(l->file[i]);
		if (reader != NULL && one != NULL && strcmp(one, reader) != 0)
			errx(2,
			     "%s is for %s, but the file before it is for %s",
			     l->file[i], one, reader);
		if (one != NULL)
			reader = one;
	}
	return reader;
}

/* Run the command in folder/more; returns only if it is not there. */
static void
run_in(struct str folder, const char *more, const char *reader, char *argv[])
{
	struct buf path = { 0 };

	buf_str(&path, folder);
	buf_str(&path, str_of(more));
	buf_add(&path, reader, strlen(reader) + 1);
	argv[0] = path.p;
	execvp(path.p, argv);
	if (errno != ENOENT && errno != ENOTDIR)
		err(2, "%s", path.p);
	buf_free(&path);
}

/*
 * Run the command beside this one, as in a tree that is not installed, or from
 * libexec, also if the installation was moved, or else from the PATH.  Returns
 * if there is none.
 */
static void
run(const char *reader, char *argv[])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	const char *slash = n < 0 ? NULL : memrchr(self, '/', (size_t)n);
	struct str folder;

	if (slash != NULL) {
		folder = str_range(self, slash + 1);
		run_in(folder, "", reader, argv);
		run_in(folder, "../libexec/foldstack/", reader, argv);
	}
	run_in(STR(PKGLIBEXECDIR), "/", reader, argv);
	run_in(STR(""), "", reader, argv);
}

/* The command for a format that --format names; name has room for it. */
static const char *
reader_of(const char *format, struct buf *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

	if (strcmp(format, "folded") == 0)
		return "foldmerge";
	if (*format == '\0' || format[strspn(format, letters)] != '\0')
		errx(2, "--format %s: unknown format", format);
	buf_str(name, STR("stackcollapse-"));
	buf_add(name, format, strlen(format) + 1);
	return name->p;
}

int
main(int argc, char *argv[])
{
	char *none[] = { argv[0], NULL };
	struct cmd cmd = {
		.synopsis = "[--format name] [--which] [options] [file ...]",
		.most_used = "format which root pid tid event-filter only "
			     "count drop-idle skip-after kernel "
			     "jit samples follow meta quiet",
		.summary = "Detect the format of a trace and fold its stacks.",
		.options = options,
		.more = collapse_options
	};
	struct command_line line = { 0 };
	struct buf name = { 0 };
	const char *reader;
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "-h") == 0 ||
		    strcmp(argv[i], "--help") == 0 ||
		    strcmp(argv[i], "--help=all") == 0 ||
		    strcmp(argv[i], "--version") == 0) {
			cmd_begin(&cmd, 2, (char *[]){ argv[0], argv[i] });
			cmd_next(&cmd);
		}
	}
	parse(&line, &argc, argv);
	cmd_begin(&cmd, 1, none);
	reader = line.format == NULL ? guess_all(&line) :
				       reader_of(line.format, &name);
	if (reader == NULL && line.unknown != NULL)
		cmd_usage(
		    &cmd,
		    "%s: cannot choose a command for this option without input",
		    line.unknown);
	if (reader != NULL && !line.which)
		run(reader, argv);
	if (reader != NULL && !line.which && line.format != NULL)
		errx(2, "--format %s: unknown format", line.format);
	if (reader != NULL && !line.which)
		errx(2, "cannot find the command %s", reader);
	if (reader != NULL)
		puts(reader);
	free(line.file);
	buf_free(&name);
	return cmd_done(&cmd);
}
