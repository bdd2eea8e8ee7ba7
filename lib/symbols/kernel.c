/* kernel.c - the symbols of a recording's kernel. */
#include "symbols/kernel.h"

#include "base/mem.h"
#include "symbols/file_identity.h"
#include "symbols/kallsyms.h"

#include <inttypes.h>
#include <stdlib.h>

struct kernel {
	struct processes *processes;
	const char *path;
	struct kallsyms *symbols; /* NULL if there are none to use */
	bool named;               /* path is an option */
	bool checked;             /* the symbols, against the recording */
	bool hidden, other_boot;  /* why symbols is NULL */
	bool used, found; /* kernel_find() was called, and found a name */
	unsigned notes;

	/* perf's copy, for the kernel image. */
	const struct perf_features *features;
	struct kallsyms *copy; /* NULL if there is none to use */
	uint64_t image_start, image_end;
	bool copy_checked;
};

struct kernel *
kernel_new(const char *kallsyms, bool here, struct processes *processes,
	   const struct perf_features *features, struct buf *why)
{
	struct kernel *k = mem_zero(1, sizeof(*k));
	const char *reason;

	k->processes = processes;
	k->features = features;
	k->copy_checked = !here || kallsyms != NULL;
	k->named = kallsyms != NULL;
	k->path = k->named ? kallsyms : here ? "/proc/kallsyms" : NULL;
	if (k->named)
		k->symbols = kallsyms_open(k->path, &reason);
	if (k->named && k->symbols == NULL) {
		buf_printf(why, "%s: %s", k->path, reason);
		kernel_free(k);
		return NULL;
	}
	return k;
}

void
kernel_free(struct kernel *k)
{
	if (k == NULL)
		return;
	kallsyms_free(k->symbols);
	kallsyms_free(k->copy);
	free(k);
}

static const struct mapping *
mapping_at(const struct kernel *k, uint64_t address, uint64_t when)
{
	return addr_space_find(
	    process_view(k->processes, PROCESS_KERNEL, when).space, address);
}

/*
 * Whether symbols are from the same boot as the recording.  The kernel has
 * another address after each boot; perf records the address of _text as the
 * offset of the kernel's first mapping.
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
 * The build-id of the kernel; m is its mapping or NULL.  perf record
 * --buildid-mmap puts it into the mapping and writes no list of build-ids.
 */
static struct str
kernel_build_id(const struct perf_features *f, const struct mapping *m)
{
	if (f->kernel_id.len > 0)
		return f->kernel_id;
	return m == NULL ? STR("") : m->file->build_id;
}

/* Without KASLR, two kernels have the same address. */
static bool
is_same_kernel(const struct kernel *k, uint64_t when)
{
	const struct mapping *m = mapping_at(k, kallsyms_text(k->symbols),
					     when);

	return file_identity_runs(kernel_build_id(k->features, m)) &&
	       is_same_boot(k, k->symbols, when);
}

static void
check_symbols(struct kernel *k, uint64_t when)
{
	const char *why;

	k->checked = true;
	/* The kernel takes long to write /proc/kallsyms: read it on first use.
	 */
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
 * Use perf's copy if it is from the recording's kernel and boot.  Only an
 * address in the kernel image can tell; in a module the copy is not used.
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
	if (file_identity_cached(&path, kernel_build_id(k->features, m),
				 "kallsyms"))
		k->copy = kallsyms_open(path.p, &why);
	buf_free(&path);
	if (k->copy == NULL ||
	    (is_same_boot(k, k->copy, when) &&
	     kallsyms_image(k->copy, &k->image_start, &k->image_end)))
		return;
	kallsyms_free(k->copy);
	k->copy = NULL;
}

/* The symbols to use for an address, or NULL. */
static const struct kallsyms *
find_symbols(struct kernel *k, uint64_t address, uint64_t when)
{
	if (!k->copy_checked)
		check_copy(k, address, when);
	if (k->copy != NULL && address >= k->image_start &&
	    address < k->image_end)
		return k->copy;
	if (!k->checked)
		check_symbols(k, when);
	return k->symbols;
}

/* The name of code that the kernel generated: BPF programs, trampolines. */
static struct str
find_generated(const struct kernel *k, uint64_t address, uint64_t when)
{
	const struct addr_space *space =
	    process_view(k->processes, PROCESS_SYMBOLS, when).space;
	const struct mapping *m = addr_space_find(space, address);

	return m == NULL ? STR("") : m->file->path;
}

/* The module of "[kernel.kallsyms]_text" is "[kernel.kallsyms]". */
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
	const struct kallsyms *symbols = find_symbols(k, address, when);
	struct symbol symbol;
	struct str name;

	k->used = true;
	if (symbols != NULL &&
	    kallsyms_find(symbols, address, &symbol, module)) {
		k->found = true;
		return symbol.name;
	}
	name = find_generated(k, address, when);
	*module = name.len > 0 ? STR("[bpf]") : find_module(k, address, when);
	return name;
}

void
kernel_read(struct kernel *k, uint64_t address, uint64_t when)
{
	find_symbols(k, address, when);
}

bool
kernel_note(struct kernel *k, struct buf *line)
{
	if (!k->used || k->found || k->notes++ > 0)
		return false;
	if (k->hidden)
		buf_printf(line,
			   "%s hides kernel addresses, so kernel functions "
			   "have no names; see kptr_restrict in proc(5)",
			   k->path);
	else if (k->other_boot)
		buf_printf(line,
			   "not using %s, which are of another boot or kernel; "
			   "save a copy with the recording for --kallsyms",
			   k->path);
	else
		buf_printf(line, "kernel functions have no names: give the "
				 "kernel's symbols with --kallsyms");
	return true;
}
