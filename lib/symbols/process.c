/* process.c - the processes of a recording: names and memory by time. */
#include "symbols/process.h"

#include "base/mem.h"
#include "symbols/process-internal.h"
#include "symbols/process_life.h"

#include <stdlib.h>

/* Most processes have a name and memory before exec, and after it. */
enum { FIRST_VERSIONS = 2 };

/* Bytes of a file's key before its build-id. */
enum { KEY_HEAD = 4 + 4 + 8 + 1 };

struct processes *
process_new(void)
{
	struct processes *all = mem_zero(1, sizeof(*all));

	addr_space_init(&all->spaces);
	all->names = intern_new();
	all->views = 1; /* the empty one */
	return all;
}

void
process_free_one(struct process *p)
{
	struct known_file *f, *next;

	for (f = p->files; f != NULL; f = next) {
		next = f->next;
		free(f);
	}
	free(p->memory);
	free(p->comm);
	free(p);
}

void
process_free(struct processes *all)
{
	struct process *p, *next;

	if (all == NULL)
		return;
	HASH_CLEAR(hh, all->files);
	HASH_ITER(hh, all->processes, p, next)
	{
		HASH_DEL(all->processes, p);
		process_free_one(p);
	}
	HASH_CLEAR(hh, all->cgroups);
	addr_space_free(&all->spaces);
	intern_free(all->names);
	arena_free(&all->arena);
	buf_free(&all->key);
	free(all->number);
	free(all);
}

struct processes *
process_fork(const struct processes *all)
{
	struct processes *fork = mem_alloc(sizeof(*fork));

	*fork = *all;
	fork->last_comm = fork->last_memory = NULL;
	return fork;
}

void
process_fork_free(struct processes *fork)
{
	free(fork);
}

bool
process_make_code(const struct processes *all)
{
	return all->make_code;
}

struct process *
process_find(const struct processes *all, int64_t id)
{
	struct process *p;

	HASH_FIND(hh, all->processes, &id, sizeof(id), p);
	return p;
}

struct process *
process_get(struct processes *all, int64_t id)
{
	struct process *p = process_find(all, id);

	if (p != NULL)
		return p;
	p = mem_zero(1, sizeof(*p));
	p->id = id;
	HASH_ADD(hh, all->processes, id, sizeof(p->id), p);
	return p;
}

/* As process_find(); most samples are of the same process as the one before. */
static struct process *
find_again(const struct processes *all, int64_t id, struct process **last)
{
	if (*last == NULL || (*last)->id != id)
		*last = process_find(all, id);
	return *last;
}

static void *
grow_versions(void *p, size_t *cap, size_t need, size_t size)
{
	if (*cap > 0)
		return mem_grow(p, cap, need, size);
	*cap = FIRST_VERSIONS;
	return mem_alloc(FIRST_VERSIONS * size);
}

/* Names. */

static void
set_comm(struct processes *all, struct process *p, uint32_t name, uint64_t when)
{
	struct comm_version *last = p->comms == 0 ? NULL :
						    &p->comm[p->comms - 1];

	if (last != NULL && last->when >= when) {
		last->name = name;
		return;
	}
	if (last != NULL && last->name == name)
		return;
	p->comm = grow_versions(p->comm, &p->comm_cap, p->comms + 1,
				sizeof(*p->comm));
	all->versions++;
	p->comm[p->comms++] = (struct comm_version){ when, name };
}

/* Before the first name, it is that one. */
struct str
process_comm(struct processes *all, int64_t tid, uint64_t when)
{
	struct process *p = find_again(all, tid, &all->last_comm);
	size_t low = 0, high, mid;

	if (p == NULL || p->comms == 0)
		return STR("");
	mid = atomic_load_explicit(&p->last_comm, memory_order_relaxed);
	if (p->comm[mid].when <= when &&
	    (mid + 1 == p->comms || p->comm[mid + 1].when > when))
		return intern_name(all->names, p->comm[mid].name);
	for (high = p->comms; high - low > 1;) {
		mid = low + (high - low) / 2;
		if (p->comm[mid].when <= when)
			low = mid;
		else
			high = mid;
	}
	atomic_store_explicit(&p->last_comm, low, memory_order_relaxed);
	return intern_name(all->names, p->comm[low].name);
}

/* Memory. */

static struct memory_version *
newest_memory(const struct process *p)
{
	return p->memories == 0 ? NULL : &p->memory[p->memories - 1];
}

/* The version for changes from now on, which leaves older ones unchanged. */
static struct memory_version *
add_version(struct processes *all, struct process *p, uint64_t when)
{
	struct memory_version *v = newest_memory(p);

	addr_space_keep(&all->spaces);
	if (v != NULL && v->when >= when)
		return v;
	p->memory = grow_versions(p->memory, &p->memory_cap, p->memories + 1,
				  sizeof(*p->memory));
	all->versions++;
	v = &p->memory[p->memories++];
	*v = (struct memory_version){ .when = when };
	if (p->memories > 1)
		v->view = v[-1].view;
	return v;
}

/* Whether mappings with this name are other memory in each process. */
static bool
is_private_name(struct str name)
{
	if (str_starts(name, STR("[vdso")))
		return false;
	return !str_starts(name, STR("/")) || str_starts(name, STR("//")) ||
	       str_starts(name, STR("/dev/zero")) ||
	       str_starts(name, STR("/anon_hugepage")) ||
	       str_starts(name, STR("/memfd:")) ||
	       str_starts(name, STR("/SYSV"));
}

/*
 * 32-bit programs have a vdso of their own.  The kernel gives both the same
 * name; perf calls this one "[vdso32]".
 */
static struct str
mapping_name(const struct perf_record *r)
{
	return sizeof(void *) > 4 && r->start <= UINT32_MAX &&
		       str_eq(r->name, STR("[vdso]")) ?
		   STR("[vdso32]") :
		   r->name;
}

/* Set all->key to all that the record has of the file. */
static struct str
make_key(struct processes *all, const struct perf_record *r, struct str name)
{
	struct buf *key = &all->key;

	key->len = 0;
	buf_add(key, &r->major, sizeof(r->major));
	buf_add(key, &r->minor, sizeof(r->minor));
	buf_add(key, &r->inode, sizeof(r->inode));
	buf_char(key, (char)r->build_id.len);
	buf_str(key, r->build_id);
	if (is_private_name(name))
		buf_add(key, &r->pid, sizeof(r->pid));
	buf_char(key, ' ');
	buf_str(key, name);
	return buf_slice(key);
}

static uint32_t
next_number(struct processes *all)
{
	return all->numbers > 0 ? all->number[--all->numbers] : all->nfiles++;
}

/* A new file, with its key behind it. */
static struct known_file *
add_file(struct processes *all, struct process *p, const struct perf_record *r,
	 struct str name, struct str key)
{
	const bool is_private = is_private_name(name);
	const size_t size = sizeof(struct known_file);
	const struct str id = r->build_id;
	struct known_file *f = is_private ?
				   mem_alloc(size + key.len) :
				   arena_alloc(&all->arena, size + key.len);
	char *text = (char *)(f + 1);

	memcpy(text, key.p, key.len);
	*f = (struct known_file){
		.file = { .number = next_number(all),
			  .path = { text + key.len - name.len, name.len },
			  .build_id = { text + KEY_HEAD, id.len },
			  .major = r->major,
			  .minor = r->minor,
			  .inode = r->inode,
			  .pid = r->pid },
		.is_private = is_private
	};
	HASH_ADD_KEYPTR(hh, all->files, text, key.len, f);
	if (!is_private)
		return f;
	f->next = p->files;
	p->files = f;
	return f;
}

/* The file of a mapping; records that describe it alike get the same one. */
static const struct mapped_file *
find_file(struct processes *all, struct process *p, const struct perf_record *r)
{
	const struct str name = mapping_name(r);
	const struct str key = make_key(all, r, name);
	struct known_file *f;

	HASH_FIND(hh, all->files, key.p, key.len, f);
	if (f == NULL)
		f = add_file(all, p, r, name, key);
	return &f->file;
}

/*
 * Some programs move their code onto large pages, in anonymous memory.  Map the
 * file there again, if the new mapping m is that memory or follows it.
 */
static void
restore_moved(struct processes *all, struct view *view, const struct mapping *m)
{
	const struct mapping *before =
	    m->start == 0 ? NULL : addr_space_find(view->space, m->start - 1);
	struct mapping code;

	if (addr_space_is_moved(view->space, m, &code) ||
	    (before != NULL && addr_space_is_moved(view->space, before, &code)))
		view->space = addr_space_map(&all->spaces, view->space, &code);
}

/*
 * A mapping over free addresses changes the newest version, as if it had always
 * been there: these addresses meant nothing before.  So a process that starts
 * has one version, however many libraries it loads.
 */
static void
map(struct processes *all, struct process *p, const struct perf_record *r,
    uint64_t when)
{
	struct mapping m = { .start = r->start,
			     .end = r->start + r->len,
			     .offset = r->pgoff };
	struct memory_version *v = newest_memory(p);

	if (m.end < m.start)
		m.end = UINT64_MAX;
	m.file = find_file(all, p, r);
	if (v == NULL || addr_space_overlaps(v->view.space, m.start, m.end))
		v = add_version(all, p, when);
	if (str_eq(r->name, STR("[uprobes]")))
		p->trampoline = m.start;
	p->makes_code |= addr_space_is_anonymous(m.file);
	all->make_code |= p->makes_code;
	v->view.space = addr_space_map(&all->spaces, v->view.space, &m);
	restore_moved(all, &v->view, &m);
	v->view.number = ++all->views;
}

/*
 * A new thread shares its process's memory.  For a process that existed before
 * the recording, perf also writes a FORK record, and then its mappings.
 */
static void
fork_process(struct processes *all, const struct perf_record *r, uint64_t when)
{
	const struct process *parent;
	struct process *p;
	struct view view = { .number = 1 };
	bool makes_code = false;

	if (r->pid == r->ppid || r->misc & PERF_RECORD_MISC_FORK_EXEC)
		return;
	parent = process_find(all, r->ppid);
	if (parent != NULL && parent->memories > 0)
		view = newest_memory(parent)->view;
	/* The child may put other code at the same addresses. */
	if (parent != NULL && parent->makes_code) {
		view.number = ++all->views;
		makes_code = true;
	}
	p = process_get(all, r->pid);
	p->makes_code = makes_code;
	p->trampoline = parent == NULL ? 0 : parent->trampoline;
	p->mount_ns = parent == NULL ? 0 : parent->mount_ns;
	add_version(all, p, when)->view = view;
}

/* A new thread has the name of the thread that made it. */
static void
fork_comm(struct processes *all, const struct perf_record *r, uint64_t when)
{
	const struct process *parent = process_find(all, r->ptid);
	struct process *p = process_get(all, r->tid);

	if (parent != NULL && parent->comms > 0)
		set_comm(all, p, parent->comm[parent->comms - 1].name, when);
}

static void
exec(struct processes *all, struct process *p, uint64_t when)
{
	struct memory_version *v = add_version(all, p, when);

	p->makes_code = false;
	v->view.before = v->view.space;
	v->view.space = NULL;
	v->view.number = ++all->views;
}

static void
add_map(struct processes *all, const struct perf_record *r, uint64_t when)
{
	unsigned mode = r->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (mode == PERF_RECORD_MISC_GUEST_KERNEL ||
	    mode == PERF_RECORD_MISC_GUEST_USER ||
	    r->misc & PERF_RECORD_MISC_MMAP_DATA)
		return;
	if (mode == PERF_RECORD_MISC_KERNEL || r->pid == -1)
		map(all, process_get(all, PROCESS_KERNEL), r, when);
	else
		map(all, process_get(all, r->pid), r, when);
}

struct view
process_view(struct processes *all, int64_t pid, uint64_t when)
{
	struct process *p = pid == PROCESS_SYMBOLS ?
				all->symbols :
				find_again(all, pid, &all->last_memory);
	size_t low = 0, high, mid;

	if (p == NULL || p->memories == 0)
		return (struct view){ .number = 1 };
	mid = atomic_load_explicit(&p->last_memory, memory_order_relaxed);
	if (p->memory[mid].when <= when &&
	    (mid + 1 == p->memories || p->memory[mid + 1].when > when))
		return p->memory[mid].view;
	for (high = p->memories; high - low > 1;) {
		mid = low + (high - low) / 2;
		if (p->memory[mid].when <= when)
			low = mid;
		else
			high = mid;
	}
	atomic_store_explicit(&p->last_memory, low, memory_order_relaxed);
	return p->memory[low].view;
}

uint64_t
process_trampoline(struct processes *all, int64_t pid)
{
	const struct process *p = find_again(all, pid, &all->last_memory);

	return p == NULL ? 0 : p->trampoline;
}

uint64_t
process_mount_ns(const struct processes *all, int64_t pid)
{
	const struct process *p = process_find(all, pid);

	return p == NULL ? 0 : p->mount_ns;
}

/* Control groups. */

static struct cgroup *
find_cgroup(const struct processes *all, uint64_t id)
{
	struct cgroup *c;

	HASH_FIND(hh, all->cgroups, &id, sizeof(id), c);
	return c;
}

static void
add_cgroup(struct processes *all, uint64_t id, struct str path)
{
	struct cgroup *c = find_cgroup(all, id);

	if (c == NULL) {
		c = arena_alloc(&all->arena, sizeof(*c));
		c->id = id;
		HASH_ADD(hh, all->cgroups, id, sizeof(c->id), c);
	}
	c->path = arena_str(&all->arena, path);
}

struct str
process_cgroup(const struct processes *all, uint64_t id)
{
	const struct cgroup *c = find_cgroup(all, id);

	return c == NULL ? STR("") : c->path;
}

/* Records. */

void
process_add(struct processes *all, const struct perf_record *r, uint64_t when)
{
	process_life_add(all, r, when);
	switch (r->type) {
	case PERF_RECORD_COMM:
		if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
			exec(all, process_get(all, r->pid), when);
		set_comm(all, process_get(all, r->tid),
			 intern_id(all->names, r->name), when);
		break;
	case PERF_RECORD_FORK:
		fork_process(all, r, when);
		fork_comm(all, r, when);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		add_map(all, r, when);
		break;
	case PERF_RECORD_KSYMBOL:
		/* The flag says that a symbol was unregistered. */
		if (r->symbol_flags & 1)
			break;
		all->symbols = process_get(all, PROCESS_SYMBOLS);
		map(all, all->symbols, r, when);
		break;
	case PERF_RECORD_CGROUP:
		add_cgroup(all, r->cgroup, r->name);
		break;
	case PERF_RECORD_NAMESPACES:
		process_get(all, r->pid)->mount_ns = r->mount_ns;
		break;
	default:
		break;
	}
}
