/*
 * foldbox - all commands in one program.  It runs the command that it is
 * called as, or that its first argument names.
 *
 * "make foldbox" links the commands' own objects.  It renames main() and
 * execvp() in them and wraps posix_spawnp() (ld(1), --wrap), so that commands
 * which call each other stay in the box without knowing of it.
 */
#include <err.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BOX(name, function) int function(int argc, char *argv[]);
#include "foldbox.list"
#undef BOX

typedef int spawner(pid_t *pid, const char *file,
		    const posix_spawn_file_actions_t *actions,
		    const posix_spawnattr_t *attributes, char *const argv[],
		    char *const envp[]);

int foldbox_execvp(const char *file, char *const argv[]);
spawner foldbox_spawnp __asm__("__wrap_posix_spawnp");
spawner real_spawnp __asm__("__real_posix_spawnp");

struct command {
	const char *name;
	int (*run)(int argc, char *argv[]);
};

static const struct command commands[] = {
#define BOX(name, function) { name, function },
#include "foldbox.list"
#undef BOX
	{ NULL, NULL }
};

/* Find a command by path or name; NULL if there is none. */
static const struct command *
find(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	const struct command *c;

	for (c = commands; c->name != NULL; c++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

/* Called by a command that runs another one: run it out of this box. */
int
foldbox_execvp(const char *file, char *const argv[])
{
	if (find(file) == NULL)
		return execvp(file, argv);
	return execv("/proc/self/exe", argv);
}

int
foldbox_spawnp(pid_t *pid, const char *file,
	       const posix_spawn_file_actions_t *actions,
	       const posix_spawnattr_t *attributes, char *const argv[],
	       char *const envp[])
{
	return real_spawnp(pid, find(file) == NULL ? file : "/proc/self/exe",
			   actions, attributes, argv, envp);
}

static int
run(const struct command *c, int argc, char *argv[])
{
	char *slash = strrchr(argv[0], '/');

	program_invocation_name = argv[0];
	program_invocation_short_name = slash == NULL ? argv[0] : slash + 1;
	return c->run(argc, argv);
}

static void
list(FILE *out)
{
	const struct command *c;

	for (c = commands; c->name != NULL; c++)
		fprintf(out, "%s\n", c->name);
}

int
main(int argc, char *argv[])
{
	const struct command *c = argc > 0 ? find(argv[0]) : NULL;

	if (c != NULL)
		return run(c, argc, argv);
	if (argc > 1 && (c = find(argv[1])) != NULL)
		return run(c, argc - 1, argv + 1);
	if (argc > 1 && strcmp(argv[1], "--list") == 0) {
		list(stdout);
		if (fflush(stdout) != 0 || ferror(stdout))
			err(2, "stdout");
		return 0;
	}
	if (argc > 1)
		warnx("%s: no such command", argv[1]);
	fputs("usage: foldbox command [argument ...]\n"
	      "       foldbox --list\n",
	      stderr);
	return 2;
}
