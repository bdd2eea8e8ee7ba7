/* kernel.c - the symbols of a recording's kernel. */
#include "kernel.h"

#include "identity.h"
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

	/* perf's copy, for addresses of the kernel's own code. */
	const struct perf_features *features;
	struct kallsyms *copy; /* NULL if there is none to be used */
	uint64_t image_start, image_end;
	bool copy_checked;
};

struct kernel *
kernel_new(const char *kallsyms, bool here, struct processes *processes,
	   const struct perf_features *features)
{
	struct kernel *k = mem_zero(1, sizeof(*k));
	const char *why;

	k->processes = processes;
	k->features = features;
	k->copy_checked = !here || kallsyms != NULL;
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
	if (k->copy != NULL)
		kallsyms_free(k->copy);
	free(k);
}

static const struct mapping *
mapping_at(const struct kernel *k, uint64_t address, uint64_t when)
{
	return space_find(
	    processes_view(k->processes, PROCESS_KERNEL, when).space, address);
}

/*
 * Whether symbols are of the recording's boot: each has the kernel at another
 * address.  perf notes that of _text, as if it were the offset of the kernel's
 * first mapping.
 */
static bool
is_same_boot(const struct kernel *k, const struct kallsyms *symbols,
	     uint64_t when)
{
	const uint64_t text = kallsyms_text(symbols);
	const struct mapping *m = text == 0 ? NULL : mapping_at(k, text, when);

	return m != NULL && m->offset == text;
}

/*
 * The build-id of the kernel, whose mapping m is, or NULL: perf record
 * --buildid-mmap has it there, and has no list of them.
 */
static struct str
kernel_build_id(const struct perf_features *f, const struct mapping *m)
{
	size_t i;

	for (i = 0; i < f->nbuild_ids; i++) {
		if (f->build_id[i].kernel &&
		    str_starts(f->build_id[i].path, STR("[kernel")))
			return f->build_id[i].id;
	}
	return m == NULL ? STR("") : m->file->build_id;
}

/* Two kernels are at one address where none is moved at boot. */
static bool
is_same_kernel(const struct kernel *k, uint64_t when)
{
	const struct mapping *m = mapping_at(k, kallsyms_text(k->symbols),
					     when);

	return identity_runs(kernel_build_id(k->features, m)) &&
	       is_same_boot(k, k->symbols, when);
}

static void
check(struct kernel *k, uint64_t when)
{
	const char *why;

	k->checked = true;
	/* To write them takes the kernel a while: only if they are needed. */
	if (k->symbols == NULL && k->path != NULL)
		k->symbols = kallsyms_open(k->path, &why);
	if (k->symbols == NULL)
		return;
	k->hidden = kallsyms_hidden(k->symbols);
	k->other_boot = !k->hidden && !k->named && !is_same_kernel(k, when);
	if (k->hidden || k->other_boot) {
		kallsyms_free(k->symbols);
		k->symbols = NULL;
	}
}

/*
 * It may be of an earlier boot; then modules were elsewhere.  An address of a
 * module does not need it, and does not tell which kernel it is.
 */
static void
check_copy(struct kernel *k, uint64_t address, uint64_t when)
{
	const struct mapping *m = mapping_at(k, address, when);
	struct buf path = { 0 };
	const char *why;

	if (m == NULL || !str_starts(m->file->path, STR("[kernel")))
		return;
	k->copy_checked = true;
	if (identity_cached(&path, kernel_build_id(k->features, m), "kallsyms"))
		k->copy = kallsyms_open(path.p, &why);
	buf_free(&path);
	if (k->copy == NULL ||
	    (is_same_boot(k, k->copy, when) &&
	     kallsyms_image(k->copy, &k->image_start, &k->image_end)))
		return;
	kallsyms_free(k->copy);
	k->copy = NULL;
}

/* The symbols that have an address, NULL if there are none. */
static const struct kallsyms *
symbols_of(struct kernel *k, uint64_t address, uint64_t when)
{
	if (!k->copy_checked)
		check_copy(k, address, when);
	if (k->copy != NULL && address >= k->image_start &&
	    address < k->image_end)
		return k->copy;
	if (!k->checked)
		check(k, when);
	return k->symbols;
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
	const struct mapping *m = mapping_at(k, address, when);
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
	const struct kallsyms *symbols = symbols_of(k, address, when);
	struct symbol symbol;
	struct str name;

	k->asked = true;
	if (symbols != NULL &&
	    kallsyms_find(symbols, address, &symbol, module)) {
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
			   "%s are of another boot or kernel: not used; "
			   "keep a copy beside the recording for --kallsyms",
			   k->path);
	else
		buf_printf(line, "no names of the kernel's functions: give "
				 "its symbols with --kallsyms");
	return true;
}
