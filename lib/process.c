/* process.c - the processes of a recording: names and memory by time. */
#include "process.h"

#include "buf.h"
#include "hash.h"
#include "intern.h"
#include "mem.h"

#include <stdlib.h>

/* Memory from a time on. */
struct version {
	uint64_t when;
	struct view view;
};

struct naming {
	uint64_t when;
	uint32_t name; /* in names */
};

/* A process and a thread of the same number are one entry. */
struct entry {
	int64_t id;
	bool used;
	struct version *version;
	struct naming *naming;
	size_t nversions, version_cap, last_version;
	size_t nnamings, naming_cap, last_naming;
	uint64_t mount_ns;
	uint64_t trampoline; /* the start of "[uprobes]" */
	bool makes_code;     /* it maps memory that no file describes */
};

struct processes {
	struct entry *entry; /* a hash table, at most half full */
	size_t n, size;
	struct entry *last[2]; /* asked for: their names, their memory */
	bool has_symbols;      /* PROCESS_SYMBOLS is not empty */
	struct spaces spaces;
	struct intern *names;
	struct intern *keys; /* of files */
	struct mapped **file;
	size_t file_cap;
	struct intern *cgroups; /* ids, whose paths are: */
	struct str *cgroup;
	size_t cgroup_cap;
	struct arena arena;
	uint32_t views; /* number of the newest */
	struct buf key;
};

struct processes *
processes_new(void)
{
	struct processes *all = mem_zero(1, sizeof(*all));

	spaces_init(&all->spaces);
	all->names = intern_new();
	all->keys = intern_new();
	all->cgroups = intern_new();
	all->size = 256;
	all->entry = mem_zero(all->size, sizeof(*all->entry));
	all->views = 1; /* the empty one */
	return all;
}

void
processes_free(struct processes *all)
{
	size_t i;

	if (all == NULL)
		return;
	for (i = 0; i < all->size; i++) {
		free(all->entry[i].version);
		free(all->entry[i].naming);
	}
	free(all->entry);
	free(all->file);
	spaces_free(&all->spaces);
	intern_free(all->names);
	intern_free(all->keys);
	intern_free(all->cgroups);
	free(all->cgroup);
	arena_free(&all->arena);
	buf_free(&all->key);
	free(all);
}

/* The table. */

static struct entry *
slot(const struct processes *all, int64_t id)
{
	size_t i = (size_t)hash_bytes(&id, sizeof(id)) & (all->size - 1);

	while (all->entry[i].used && all->entry[i].id != id)
		i = (i + 1) & (all->size - 1);
	return &all->entry[i];
}

enum question { NAME, MEMORY };

static struct entry *
find(struct processes *all, int64_t id, enum question question)
{
	struct entry *e = all->last[question];

	if (e == NULL || e->id != id)
		e = slot(all, id);
	if (!e->used)
		return NULL;
	return all->last[question] = e;
}

static void
grow(struct processes *all)
{
	struct entry *old = all->entry;
	size_t i, n = all->size;

	all->last[NAME] = all->last[MEMORY] = NULL;
	all->size = 2 * n;
	all->entry = mem_zero(all->size, sizeof(*all->entry));
	for (i = 0; i < n; i++) {
		if (old[i].used)
			*slot(all, old[i].id) = old[i];
	}
	free(old);
}

static struct entry *
get(struct processes *all, int64_t id)
{
	struct entry *e;

	if (2 * all->n >= all->size)
		grow(all);
	e = slot(all, id);
	if (!e->used) {
		*e = (struct entry){ .id = id, .used = true };
		all->n++;
	}
	return e;
}

/* Names. */

static void
set_name(struct entry *e, uint32_t name, uint64_t when)
{
	struct naming *last = e->nnamings == 0 ? NULL :
						 &e->naming[e->nnamings - 1];

	if (last != NULL && last->when >= when) {
		last->name = name;
		return;
	}
	if (last != NULL && last->name == name)
		return;
	e->naming = mem_grow(e->naming, &e->naming_cap, e->nnamings + 1,
			     sizeof(*e->naming));
	e->naming[e->nnamings++] = (struct naming){ when, name };
}

struct str
processes_comm(struct processes *all, int64_t tid, uint64_t when)
{
	struct entry *e = find(all, tid, NAME);
	size_t low = 0, high, mid;

	if (e == NULL || e->nnamings == 0)
		return STR("");
	mid = e->last_naming;
	if (e->naming[mid].when <= when &&
	    (mid + 1 == e->nnamings || e->naming[mid + 1].when > when))
		return intern_name(all->names, e->naming[mid].name);
	/* The last that is not later; before all of them, the first. */
	for (high = e->nnamings; high - low > 1;) {
		mid = low + (high - low) / 2;
		if (e->naming[mid].when <= when)
			low = mid;
		else
			high = mid;
	}
	e->last_naming = low;
	return intern_name(all->names, e->naming[low].name);
}

/* Memory. */

static struct version *
current(const struct entry *e)
{
	return e->nversions == 0 ? NULL : &e->version[e->nversions - 1];
}

/* What is true from now on; what was true before is kept. */
static struct version *
add_version(struct processes *all, struct entry *e, uint64_t when)
{
	struct version *v = current(e);

	spaces_keep(&all->spaces);
	if (v != NULL && v->when >= when)
		return v;
	e->version = mem_grow(e->version, &e->version_cap, e->nversions + 1,
			      sizeof(*e->version));
	v = &e->version[e->nversions++];
	*v = (struct version){ .when = when };
	if (e->nversions > 1)
		v->view = v[-1].view;
	return v;
}

/* Whether what is mapped under a name is something else in each process. */
static bool
is_private(struct str name)
{
	if (str_starts(name, STR("[vdso")))
		return false;
	return !str_starts(name, STR("/")) || str_starts(name, STR("//")) ||
	       str_starts(name, STR("/dev/zero")) ||
	       str_starts(name, STR("/memfd:")) ||
	       str_starts(name, STR("/SYSV"));
}

/*
 * Programs of 32 bits have a vdso of their own, which the kernel calls by the
 * same name; perf calls it so, too.
 */
static struct str
name_of(const struct perf_record *r)
{
	return sizeof(void *) > 4 && r->start <= UINT32_MAX &&
		       str_eq(r->name, STR("[vdso]")) ?
		   STR("[vdso32]") :
		   r->name;
}

/* The file of a mapping; the same if all that is recorded is the same. */
static const struct mapped *
intern_file(struct processes *all, const struct perf_record *r)
{
	struct mapped m = { .major = r->major,
			    .minor = r->minor,
			    .inode = r->inode,
			    .pid = r->pid };
	const struct str name = name_of(r);
	struct mapped *file;
	uint32_t files = intern_size(all->keys);

	all->key.len = 0;
	buf_add(&all->key, &m.major, sizeof(m.major));
	buf_add(&all->key, &m.minor, sizeof(m.minor));
	buf_add(&all->key, &m.inode, sizeof(m.inode));
	buf_char(&all->key, (char)r->build_id.len);
	buf_str(&all->key, r->build_id);
	if (is_private(name))
		buf_add(&all->key, &m.pid, sizeof(m.pid));
	buf_char(&all->key, ' ');
	buf_str(&all->key, name);
	m.number = intern_id(all->keys, buf_slice(&all->key));
	if (m.number < files)
		return all->file[m.number];
	m.path = arena_str(&all->arena, name);
	m.build_id = arena_str(&all->arena, r->build_id);
	file = arena_alloc(&all->arena, sizeof(*file));
	*file = m;
	all->file = mem_grow(all->file, &all->file_cap, files + 1,
			     sizeof(struct mapped *));
	return all->file[m.number] = file;
}

/*
 * Put a file where its program moved the code onto large pages, which the
 * mapping just made may be, or what is behind them.
 */
static void
put_back(struct processes *all, struct view *view, const struct mapping *m)
{
	const struct mapping *before = m->start == 0 ? NULL :
						       space_find(view->space,
								  m->start - 1);
	struct mapping code;

	if (space_is_moved(view->space, m, &code) ||
	    (before != NULL && space_is_moved(view->space, before, &code)))
		view->space = space_map(&all->spaces, view->space, &code);
}

/*
 * A mapping where nothing was before is put into the version that there is,
 * as if it had always been: no address there meant anything else.  So a
 * process that begins has one version, however many libraries it loads.
 */
static void
map(struct processes *all, int64_t pid, const struct perf_record *r,
    uint64_t when)
{
	struct mapping m = { .start = r->start,
			     .end = r->start + r->len,
			     .offset = r->pgoff };
	struct entry *e = get(all, pid);
	struct version *v = current(e);

	if (m.end < m.start)
		m.end = UINT64_MAX;
	m.file = intern_file(all, r);
	if (v == NULL || space_overlaps(v->view.space, m.start, m.end))
		v = add_version(all, e, when);
	if (str_eq(r->name, STR("[uprobes]")))
		e->trampoline = m.start;
	e->makes_code |= mapped_is_anonymous(m.file);
	v->view.space = space_map(&all->spaces, v->view.space, &m);
	put_back(all, &v->view, &m);
	v->view.number = ++all->views;
}

static void
fork_process(struct processes *all, const struct perf_record *r, uint64_t when)
{
	const struct version *parent;
	struct entry *e, *from;
	struct version *v;
	struct view view = { .number = 1 };

	/* A thread; or a process that perf found, and tells what it maps. */
	if (r->pid == r->ppid || r->misc & PERF_FORK_EXISTED)
		return;
	get(all, r->ppid);
	e = get(all, r->pid);
	from = slot(all, r->ppid);
	parent = from->nversions == 0 ? NULL : current(from);
	if (parent != NULL)
		view = parent->view;
	/* What it puts there now is its own. */
	if (from->makes_code)
		view.number = ++all->views;
	e->makes_code = from->makes_code;
	e->trampoline = from->trampoline;
	e->mount_ns = from->mount_ns;
	v = add_version(all, e, when);
	v->view = view;
}

static void
name_fork(struct processes *all, const struct perf_record *r, uint64_t when)
{
	const struct entry *parent;
	struct entry *e;
	uint32_t name;

	get(all, r->ptid);
	e = get(all, r->tid);
	parent = slot(all, r->ptid);
	if (parent->nnamings == 0)
		return;
	name = parent->naming[parent->nnamings - 1].name;
	set_name(e, name, when);
}

static void
exec(struct processes *all, int64_t pid, uint64_t when)
{
	struct entry *e = get(all, pid);
	struct version *v = add_version(all, e, when);

	e->makes_code = false;
	v->view.before = v->view.space;
	v->view.space = NULL;
	v->view.number = ++all->views;
}

/* The path of a control group, to be read or set. */
static struct str *
cgroup_slot(struct processes *all, uint64_t id)
{
	struct str key = { (const char *)&id, sizeof(id) };
	uint32_t n = intern_size(all->cgroups), i;

	i = intern_id(all->cgroups, key);
	if (i == n) {
		all->cgroup = mem_grow(all->cgroup, &all->cgroup_cap,
				       (size_t)n + 1, sizeof(*all->cgroup));
		all->cgroup[i] = STR("");
	}
	return &all->cgroup[i];
}

struct str
processes_cgroup(struct processes *all, uint64_t id)
{
	return *cgroup_slot(all, id);
}

static void
tell_map(struct processes *all, const struct perf_record *r, uint64_t when)
{
	unsigned mode = r->misc & PERF_MODE_MASK;

	if (mode == PERF_MODE_GUEST_KERNEL || mode == PERF_MODE_GUEST_USER ||
	    r->misc & PERF_MMAP_DATA)
		return;
	if (mode == PERF_MODE_KERNEL || r->pid == -1)
		map(all, PROCESS_KERNEL, r, when);
	else
		map(all, r->pid, r, when);
}

void
processes_tell(struct processes *all, const struct perf_record *r,
	       uint64_t when)
{
	switch (r->type) {
	case PERF_COMM:
		if (r->misc & PERF_COMM_EXEC)
			exec(all, r->pid, when);
		set_name(get(all, r->tid), intern_id(all->names, r->name),
			 when);
		break;
	case PERF_FORK:
		fork_process(all, r, when);
		name_fork(all, r, when);
		break;
	case PERF_MMAP:
	case PERF_MMAP2:
		tell_map(all, r, when);
		break;
	case PERF_KSYMBOL:
		if (r->symbol_flags & 1)
			break;
		all->has_symbols = true;
		map(all, PROCESS_SYMBOLS, r, when);
		break;
	case PERF_CGROUP_PATH:
		*cgroup_slot(all, r->cgroup) = arena_str(&all->arena, r->name);
		break;
	case PERF_NAMESPACES:
		get(all, r->pid)->mount_ns = r->mount_ns;
		break;
	default:
		break;
	}
}

struct view
processes_view(struct processes *all, int64_t pid, uint64_t when)
{
	struct entry *e = NULL;
	size_t low = 0, high, mid;

	if (pid != PROCESS_SYMBOLS || all->has_symbols)
		e = find(all, pid, MEMORY);
	if (e == NULL || e->nversions == 0)
		return (struct view){ .number = 1 };
	mid = e->last_version;
	if (e->version[mid].when <= when &&
	    (mid + 1 == e->nversions || e->version[mid + 1].when > when))
		return e->version[mid].view;
	for (high = e->nversions; high - low > 1;) {
		mid = low + (high - low) / 2;
		if (e->version[mid].when <= when)
			low = mid;
		else
			high = mid;
	}
	e->last_version = low;
	return e->version[low].view;
}

uint64_t
processes_trampoline(struct processes *all, int64_t pid)
{
	const struct entry *e = find(all, pid, MEMORY);

	return e == NULL ? 0 : e->trampoline;
}

uint64_t
processes_mount_ns(const struct processes *all, int64_t pid)
{
	const struct entry *e = slot(all, pid);

	return e->used ? e->mount_ns : 0;
}
