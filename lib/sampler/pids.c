/* pids.c - the ids of the processes to sample. */
#include "sampler/pids.h"

#include "base/mem.h"
#include "cli/limits.h"
#include "sampler/procfile.h"

#include <dirent.h>
#include <err.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void
pids_add(struct pids *pids, int64_t pid)
{
	size_t i;

	for (i = 0; i < pids->n; i++) {
		if (pids->pid[i] == pid)
			return;
	}
	pids->pid = mem_grow(pids->pid, &pids->cap, pids->n + 1,
			     sizeof(*pids->pid));
	pids->pid[pids->n++] = pid;
}

void
pids_free(struct pids *pids)
{
	free(pids->pid);
}

void
pids_name(const struct pids *pids, struct buf *out)
{
	struct buf text = { 0 };
	char path[64];

	if (pids->n != 1)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/comm", pids->pid[0]);
	/* The last byte is LF. */
	if (procfile_read(&text, path) && text.len > 0)
		buf_add(out, text.p, text.len - 1);
	buf_free(&text);
}

bool
pids_has_name(int64_t pid, const char *name)
{
	const size_t longest = 15; /* TASK_COMM_LEN - 1 */
	struct str wanted = str_of(name);
	struct buf text = { 0 };
	char path[64];
	bool ok;

	if (wanted.len > longest)
		wanted.len = longest;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/comm", pid);
	ok = procfile_read(&text, path) && text.len > 0;
	if (ok) {
		/* The last byte is LF. */
		text.p[text.len - 1] = '\0';
		ok = str_eq(str_of(text.p), wanted) ||
		     fnmatch(name, text.p, 0) == 0;
	}
	buf_free(&text);
	return ok;
}

bool
pids_add_named(struct pids *pids, const char *name)
{
	const size_t before = pids->n;
	DIR *d = opendir("/proc");
	struct dirent *e;
	uint64_t pid;

	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		if (str_u64(str_of(e->d_name), &pid) &&
		    (pid_t)pid != getpid() && pids_has_name((int64_t)pid, name))
			pids_add(pids, (int64_t)pid);
	}
	closedir(d);
	return pids->n > before;
}

bool
pids_start(struct pids *pids, char *argv[])
{
	pid_t pid = fork();
	sigset_t none;

	if (pid < 0)
		return false;
	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		limits_lift();
		execvp(argv[0], argv);
		warn("%s", argv[0]);
		_exit(127);
	}
	pids->child = pid;
	pids_add(pids, pid);
	return true;
}

void
pids_exec_traceable(char *argv[])
{
	/* A kernel without Yama fails here, but needs no permission either. */
	prctl(PR_SET_PTRACER, (unsigned long)getppid(), 0, 0, 0);
	limits_lift();
	execvp(argv[0], argv);
}

/*
 * waitid(2) also reports stops of the child, which belong to ptrace_stop.c:
 * leave them.  It fails if ptrace_stop.c has already waited for the end.
 */
bool
pids_child_ended(struct pids *pids)
{
	siginfo_t info = { .si_pid = 0 };

	if (pids->child == 0)
		return false;
	if (waitid(P_PID, (id_t)pids->child, &info,
		   WEXITED | WNOHANG | WNOWAIT) == 0 &&
	    (info.si_pid == 0 || info.si_code == CLD_TRAPPED ||
	     info.si_code == CLD_STOPPED))
		return false;
	waitpid((pid_t)pids->child, NULL, WNOHANG);
	pids->child = 0;
	return true;
}
