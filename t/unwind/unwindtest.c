/*
 * unwindtest - unwind the threads of a process with lib/unwind, for tests.
 *
 *	unwindtest [-n times] [-l bytes] [-m] PID
 *	unwindtest -s COMMAND [ARGUMENT...]
 *
 * Each thread is a line "thread TID", then its frames, innermost first: the
 * address in hexadecimal and the function; then how the stack ended.  Of the
 * stack at most -l bytes are read; -m forgets all registers but pc and sp,
 * as where a thread is not stopped.  With -n, it is unwound so often, and
 * the time a frame took is printed.
 *
 * With -s, a command is executed instruction by instruction from its main()
 * on, and unwound after each one.  Its calls, returns and signals are watched
 * meanwhile: what they left on the stack is what must be found.
 */
#include "unwind/unwind.h"
#include "elf/elf.h"

#include <dirent.h>
#include <elf.h>
#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_MAPS = 4096, MAX_FRAMES = 4096 };

struct mapped {
	uint64_t start, end, offset;
	bool executable;
	struct elf *elf; /* shared by the maps of one file */
	char *path;
};

static struct mapped maps[MAX_MAPS];
static size_t maps_n;
static pid_t pid;

static struct elf *
vdso(uint64_t start, uint64_t end)
{
	static char image[65536];
	const size_t n = end - start;
	struct iovec to = { image, n }, from = { (void *)(uintptr_t)start, n };
	const char *why;

	if (n > sizeof(image) ||
	    process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)n)
		return NULL;
	return elf_open_memory((struct str){ image, n }, NULL, &why);
}

static void
add_map(char *line)
{
	struct mapped *m = &maps[maps_n];
	char perms[5], path[4096] = "";
	const char *why;
	size_t i;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095[^\n]",
		   &m->start, &m->end, perms, &m->offset, path) < 4)
		return;
	m->executable = perms[2] == 'x';
	m->path = strdup(path);
	m->elf = NULL;
	for (i = 0; i < maps_n; i++)
		if (strcmp(maps[i].path, path) == 0)
			m->elf = maps[i].elf;
	if (m->elf == NULL && path[0] == '/')
		m->elf = elf_open(path, NULL, &why);
	if (m->elf == NULL && strcmp(path, "[vdso]") == 0)
		m->elf = vdso(m->start, m->end);
	maps_n += maps_n + 1 < MAX_MAPS;
}

static void
read_maps(void)
{
	char path[64], *line = NULL;
	size_t cap = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	if (f == NULL)
		err(1, "%s", path);
	while (getline(&line, &cap, f) > 0)
		add_map(line);
	free(line);
	fclose(f);
}

static void
free_maps(void)
{
	size_t i, j;

	for (i = 0; i < maps_n; i++) {
		elf_close(maps[i].elf);
		free(maps[i].path);
		for (j = maps_n; j-- > i;)
			if (maps[j].elf == maps[i].elf)
				maps[j].elf = NULL;
	}
	maps_n = 0;
}

static const struct mapped *
map_at(uint64_t address)
{
	size_t i;

	for (i = 0; i < maps_n; i++)
		if (address >= maps[i].start && address < maps[i].end)
			return &maps[i];
	return NULL;
}

static bool
find_map(void *arg, uint64_t address, struct unwind_map *out)
{
	const struct mapped *m = map_at(address);
	uint64_t vaddr;

	(void)arg;
	if (m == NULL || !m->executable)
		return false;
	*out = (struct unwind_map){ .start = m->start, .end = m->end };
	if (m->elf != NULL &&
	    elf_vaddr(m->elf, address - m->start + m->offset, &vaddr)) {
		out->bias = address - vaddr;
		out->cfi = elf_cfi(m->elf);
	}
	return true;
}

static bool
read_file(void *arg, uint64_t address, void *to, size_t n)
{
	const struct mapped *m = map_at(address);
	uint64_t vaddr;

	(void)arg;
	return m != NULL && m->elf != NULL &&
	       elf_vaddr(m->elf, address - m->start + m->offset, &vaddr) &&
	       elf_read(m->elf, vaddr, to, n);
}

/* The registers of a thread that is stopped. */
static void
get_registers(pid_t tid, struct unwind_thread *t)
{
	uint64_t regset[ARCH_REGSET_SIZE / sizeof(uint64_t)];
	struct iovec io = { regset, sizeof(regset) };
	struct arch_thread stopped;

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &io) != 0)
		err(1, "PTRACE_GETREGSET");
	if (!arch_regset(&stopped, regset, io.iov_len))
		errx(1, "thread %d is of an unknown machine", (int)tid);
	t->arch = stopped.arch;
	t->registers = stopped.registers;
	t->stack_start = stopped.sp;
}

static uint64_t
sp_of(const struct unwind_thread *t)
{
	return t->registers.value[t->arch->sp];
}

static uint64_t
pc_of(const struct unwind_thread *t)
{
	return t->registers.value[t->arch->pc];
}

/* Stop a thread, copy its registers and its stack, let it go. */
static bool
snapshot(pid_t tid, struct unwind_thread *t, char *stack, size_t limit)
{
	struct iovec to, from;
	const struct mapped *m;
	uint64_t sp;
	ssize_t n;
	int status;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0) != 0 ||
	    ptrace(PTRACE_INTERRUPT, tid, 0, 0) != 0)
		return false;
	waitpid(tid, &status, __WALL);
	get_registers(tid, t);
	sp = t->stack_start;
	m = map_at(sp);
	if (m != NULL && m->end - sp < limit)
		limit = m->end - sp;
	to = (struct iovec){ stack, limit };
	from = (struct iovec){ (void *)(uintptr_t)sp, limit };
	n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	ptrace(PTRACE_DETACH, tid, 0, 0);
	t->stack = (struct str){ stack, n < 0 ? 0 : (size_t)n };
	return true;
}

static void
print_frame(const struct unwind_frame *f)
{
	const uint64_t at = f->pc - (f->exact ? 0 : 1);
	const struct mapped *m = map_at(at);
	struct symbol s;
	uint64_t vaddr;

	if (m != NULL && m->elf != NULL &&
	    elf_vaddr(m->elf, at - m->start + m->offset, &vaddr) &&
	    elf_symbol(m->elf, vaddr, &s))
		printf("%016" PRIx64 " %s\n", f->pc, s.name.p);
	else
		printf("%016" PRIx64 " ?\n", f->pc);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
measure(struct unwind *u, const struct unwind_thread *t, unsigned long times)
{
	static struct unwind_frame frames[MAX_FRAMES];
	const double begin = now();
	enum unwind_end end;
	size_t n = 0;
	unsigned long i;

	for (i = 0; i < times; i++)
		n += unwind_stack(u, t, frames, MAX_FRAMES, &end);
	printf("%zu frames, %.1f ns each\n", n,
	       (now() - begin) * 1e9 / (double)n);
}

static void
unwind_thread(struct unwind *u, struct unwind_thread *t, unsigned long times)
{
	static const char *const ends[] = {
		"complete", "truncated", "lost", "probed", "full", "truncated"
	};
	static struct unwind_frame frames[MAX_FRAMES];
	enum unwind_end end;
	size_t n, i;

	n = unwind_stack(u, t, frames, MAX_FRAMES, &end);
	for (i = 0; i < n; i++)
		print_frame(&frames[i]);
	puts(ends[end]);
	if (times > 0)
		measure(u, t, times);
}

/* A return address that was put on the stack, and where. */
struct call {
	uint64_t pc, slot;
};

static struct call calls[MAX_FRAMES];
static size_t calls_n;

static uint64_t
word_at(const struct arch *a, uint64_t address)
{
	uint64_t n = 0;
	struct iovec to = { &n, a->word };
	struct iovec from = { (void *)(uintptr_t)address, a->word };

	process_vm_readv(pid, &to, 1, &from, 1, 0);
	return n;
}

/* What an instruction, or a signal, has done to the stack. */
static void
watch(const struct unwind_thread *before, const struct unwind_thread *t,
      bool signalled)
{
	const uint64_t sp = sp_of(t), old = sp_of(before);
	const uint64_t word = t->arch->word, top = word_at(t->arch, sp);
	const uint64_t pc = pc_of(before);

	while (calls_n > 0 && calls[calls_n - 1].slot < sp)
		calls_n--;
	if (signalled)
		calls[calls_n++] = (struct call){ pc, sp + 2 * word };
	if (signalled ||
	    (sp == old - word && top > pc && top <= pc + 8 && pc_of(t) != top))
		calls[calls_n++] = (struct call){ top, sp };
}

/* Whether the stack is as it was seen to grow. */
static bool
is_as_watched(struct unwind *u, const struct unwind_thread *t, bool print)
{
	static struct unwind_frame frames[MAX_FRAMES];
	enum unwind_end end;
	size_t n = unwind_stack(u, t, frames, MAX_FRAMES, &end), i;
	bool same = n == calls_n + 1 && end == UNWIND_COMPLETE;

	for (i = 1; i < n && same; i++)
		same = frames[i].pc == calls[calls_n - i].pc;
	for (i = 0; i < n && print; i++)
		print_frame(&frames[i]);
	for (i = calls_n; i-- > 0 && print;)
		printf("should be %016" PRIx64 "\n", calls[i].pc);
	return same;
}

static void
copy_stack(struct unwind_thread *t, char *stack, size_t size)
{
	struct iovec to = { stack, size }, from;
	const struct mapped *m;
	ssize_t n;

	get_registers(pid, t);
	m = map_at(t->stack_start);
	if (m != NULL && m->end - t->stack_start < size)
		to.iov_len = m->end - t->stack_start;
	from = (struct iovec){ (void *)(uintptr_t)t->stack_start, to.iov_len };
	n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	t->stack = (struct str){ stack, n < 0 ? 0 : (size_t)n };
}

/* One instruction; false if the process is gone. */
static bool
execute(bool *signalled)
{
	int status, number = 0;

	*signalled = false;
	for (;;) {
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, number) != 0 ||
		    waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
			return false;
		if (WSTOPSIG(status) == SIGTRAP)
			return true;
		number = WSTOPSIG(status);
		*signalled = true;
	}
}

static bool
is_main(uint64_t pc)
{
	const struct mapped *m = map_at(pc);
	struct symbol s;
	uint64_t vaddr;

	return m != NULL && m->executable && m->elf != NULL &&
	       elf_vaddr(m->elf, pc - m->start + m->offset, &vaddr) &&
	       elf_symbol(m->elf, vaddr, &s) && s.start == vaddr &&
	       strcmp(s.name.p, "main") == 0;
}

/* The frames there are when main() begins. */
static void
begin_watch(struct unwind *u, const struct unwind_thread *t)
{
	static struct unwind_frame frames[MAX_FRAMES];
	enum unwind_end end;
	size_t n = unwind_stack(u, t, frames, MAX_FRAMES, &end), i;

	for (i = n; i-- > 1;)
		calls[calls_n++] = (struct call){ frames[i].pc, UINT64_MAX };
	calls[calls_n - 1].slot = sp_of(t);
}

static int
step_through(struct unwind *u, struct unwind_thread *t, char *argv[])
{
	static char stack[1 << 20];
	struct unwind_thread before;
	unsigned long steps = 0, wrong = 0;
	bool signalled, watching = false;
	int status;

	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[0], argv);
		err(1, "%s", argv[0]);
	}
	waitpid(pid, &status, 0);
	read_maps();
	while (execute(&signalled)) {
		before = *t;
		copy_stack(t, stack, watching ? sizeof(stack) : 0);
		if (watching) {
			watch(&before, t, signalled);
			steps++;
			if (!is_as_watched(u, t, false) && wrong++ < 50)
				is_as_watched(u, t, true);
			/* The end of main() is the end. */
			if (calls_n < 3)
				break;
		} else if (is_main(pc_of(t))) {
			free_maps();
			read_maps();
			copy_stack(t, stack, sizeof(stack));
			begin_watch(u, t);
			watching = true;
		}
	}
	kill(pid, SIGKILL);
	free_maps();
	unwind_free(u);
	printf("%lu steps, %lu wrong\n", steps, wrong);
	return wrong > 0 || steps == 0;
}

int
main(int argc, char *argv[])
{
	struct unwind_thread t = { .map = find_map, .read = read_file };
	struct unwind *u = unwind_new();
	unsigned long times = 0;
	size_t limit = 8 << 20;
	bool minimal = false, stepping = false;
	char path[64], *stack;
	struct dirent *d;
	DIR *dir;
	int ch;

	while ((ch = getopt(argc, argv, "+n:l:ms")) != -1) {
		if (ch == 'n')
			times = strtoul(optarg, NULL, 10);
		else if (ch == 'l')
			limit = strtoul(optarg, NULL, 10);
		else if (ch == 'm')
			minimal = true;
		else if (ch == 's')
			stepping = true;
		else
			return 2;
	}
	if (optind == argc)
		errx(2, "no process");
	if (stepping)
		return step_through(u, &t, argv + optind);
	pid = (pid_t)strtol(argv[optind], NULL, 10);
	stack = malloc(limit);
	read_maps();
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	if (dir == NULL || stack == NULL)
		err(1, "%s", path);
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		if (!snapshot((pid_t)strtol(d->d_name, NULL, 10), &t, stack,
			      limit))
			err(1, "thread %s", d->d_name);
		if (minimal)
			t.registers.known = UINT64_C(1) << t.arch->sp |
					    UINT64_C(1) << t.arch->pc;
		printf("thread %s\n", d->d_name);
		unwind_thread(u, &t, times);
	}
	closedir(dir);
	free(stack);
	free_maps();
	unwind_free(u);
	return 0;
}
