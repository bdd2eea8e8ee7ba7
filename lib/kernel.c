/* kernel.c - the symbols of a recording's kernel. */
#include "kernel.h"

#include "kallsyms.h"
#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

struct kernel {
	struct processes *processes;
	const char *path;
	struct kallsyms *symbols; /* NULL if there are none to be used */
	bool named;               /* the file was, on the command line */
	bool checked;             /* against the recording */
	bool hidden, other_boot, asked, found;
	unsigned notes;
};

struct kernel *
kernel_new(const char *kallsyms, bool here, struct processes *processes)
{
	struct kernel *k = mem_zero(1, sizeof(*k));
	const char *why;

	k->processes = processes;
	k->named = kallsyms != NULL;
	k->path = k->named ? kallsyms : here ? "/proc/kallsyms" : NULL;
	if (k->named)
		k->symbols = kallsyms_open(k->path, &why);
	if (k->named && k->symbols == NULL)
		errx(2, "%s: %s", k->path, why);
	return k;
}

void
kernel_free(struct kernel *k)
{
	if (k->symbols != NULL)
		kallsyms_free(k->symbols);
	free(k);
}

/*
 * Whether the symbols are of the recording's boot: each has the kernel at
 * another address.  perf notes that of _text, as if it were the offset of
 * the kernel's first mapping.
 */
static void
check(struct kernel *k, uint64_t when)
{
	const struct space *space =
	    processes_view(k->processes, PROCESS_KERNEL, when).space;
	const struct mapping *m;
	const char *why;
	uint64_t text;

	k->checked = true;
	/* To write them takes the kernel a while: only if they are needed. */
	if (k->symbols == NULL && k->path != NULL)
		k->symbols = kallsyms_open(k->path, &why);
	if (k->symbols == NULL)
		return;
	text = kallsyms_text(k->symbols);
	m = text == 0 ? NULL : space_find(space, text);
	if (kallsyms_hidden(k->symbols)) {
		k->hidden = true;
	} else if (!k->named && (m == NULL || m->offset != text)) {
		k->other_boot = true;
	} else {
		return;
	}
	kallsyms_free(k->symbols);
	k->symbols = NULL;
}

/* What the kernel said that it made: programs of BPF, trampolines. */
static struct str
find_made(const struct kernel *k, uint64_t address, uint64_t when)
{
	const struct space *space =
	    processes_view(k->processes, PROCESS_SYMBOLS, when).space;
	const struct mapping *m = space_find(space, address);

	return m == NULL ? STR("") : m->file->path;
}

/* "[kernel.kallsyms]_text" is "[kernel.kallsyms]". */
static struct str
find_module(const struct kernel *k, uint64_t address, uint64_t when)
{
	const struct space *space =
	    processes_view(k->processes, PROCESS_KERNEL, when).space;
	const struct mapping *m = space_find(space, address);
	const char *bracket;

	if (m == NULL)
		return STR("[kernel]");
	if (!str_starts(m->file->path, STR("[")))
		return m->file->path;
	bracket = str_find(m->file->path, ']');
	return bracket == NULL ? m->file->path :
				 str_range(m->file->path.p, bracket + 1);
}

struct str
kernel_find(struct kernel *k, uint64_t address, uint64_t when,
	    struct str *module)
{
	struct symbol symbol;
	struct str name;

	if (!k->checked)
		check(k, when);
	k->asked = true;
	if (k->symbols != NULL &&
	    kallsyms_find(k->symbols, address, &symbol, module)) {
		k->found = true;
		return symbol.name;
	}
	name = find_made(k, address, when);
	*module = name.len > 0 ? STR("[bpf]") : find_module(k, address, when);
	return name;
}

bool
kernel_note(struct kernel *k, struct buf *line)
{
	if (!k->asked || k->found || k->notes++ > 0)
		return false;
	if (k->hidden)
		buf_printf(line,
			   "kernel addresses hidden in %s: no names of its "
			   "functions; see kptr_restrict in proc(5)",
			   k->path);
	else if (k->other_boot)
		buf_printf(line,
			   "%s are of another boot: not used; keep a copy "
			   "beside the recording for --kallsyms",
			   k->path);
	else
		buf_printf(line, "no names of the kernel's functions: give "
				 "its symbols with --kallsyms");
	return true;
}
