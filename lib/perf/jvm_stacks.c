/* jvm_stacks.c - Java frames of a recording, by snapshots of its JVMs. */
#include "perf/jvm_stacks.h"

#include "base/mem.h"
#include "base/table.h"
#include "base/utf8.h"
#include "os/readfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct jvm_snapshot {
	int64_t pid;
	struct hotspot_snapshot *snapshot;
	UT_hash_handle hh;
};

struct jvm_stacks {
	struct jvm_snapshot *all; /* by pid */
	struct buf notes;         /* lines */
	size_t notes_given;       /* bytes of these */

	/* State of the current stack walk. */
	struct hotspot_snapshot *now;
	uint64_t time;
	size_t segment;               /* the next one */
	struct unwind_thread callers; /* the thread without this module */
	struct buf text;              /* scratch */
};

struct jvm_stacks *
jvm_stacks_new(void)
{
	return mem_zero(1, sizeof(struct jvm_stacks));
}

void
jvm_stacks_free(struct jvm_stacks *j)
{
	struct jvm_snapshot *s, *next;

	if (j == NULL)
		return;
	HASH_ITER(hh, j->all, s, next)
	{
		HASH_DEL(j->all, s);
		hotspot_snapshot_free(s->snapshot);
		free(s);
	}
	buf_free(&j->notes);
	buf_free(&j->text);
	free(j);
}

/* Adding files. */

static bool
read_file(const char *path, struct buf *file, struct buf *why)
{
	struct stat st;
	bool good = false;
	int fd;

	errno = 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		buf_reserve(file, (size_t)st.st_size);
		good = readfile_at(fd, file->p, (size_t)st.st_size, 0);
		file->len = good ? (size_t)st.st_size : 0;
	}
	if (!good)
		buf_str(why, errno == 0 ? STR("not a regular file") :
					  str_of(strerror(errno)));
	if (fd >= 0)
		close(fd);
	return good;
}

static struct jvm_snapshot *
find(const struct jvm_stacks *j, int64_t pid)
{
	struct jvm_snapshot *s;

	HASH_FIND(hh, j->all, &pid, sizeof(pid), s);
	return s;
}

static bool
add_file(struct jvm_stacks *j, struct str file, bool *cut, struct buf *why)
{
	const int64_t pid = hotspot_snapshot_pid(file);
	struct jvm_snapshot *s = find(j, pid);
	struct hotspot_snapshot *new;

	if (s != NULL)
		return hotspot_snapshot_append(s->snapshot, file, cut, why);
	new = hotspot_snapshot_read(file, cut, why);
	if (new == NULL)
		return false;
	s = mem_zero(1, sizeof(*s));
	s->pid = pid;
	s->snapshot = new;
	HASH_ADD(hh, j->all, pid, sizeof(s->pid), s);
	return true;
}

bool
jvm_stacks_add(struct jvm_stacks *j, const char *path, struct buf *why)
{
	struct buf file = { 0 }, reason = { 0 };
	bool cut = false, good;

	good = read_file(path, &file, &reason) &&
	       add_file(j, buf_slice(&file), &cut, &reason);
	if (!good) {
		utf8_escape(why, str_of(path));
		buf_str(why, STR(": unusable JVM snapshot: "));
		buf_str(why, buf_slice(&reason));
	} else if (cut) {
		utf8_escape(&j->notes, str_of(path));
		buf_str(&j->notes, STR(": the last snapshot is incomplete\n"));
	}
	buf_free(&file);
	buf_free(&reason);
	return good;
}

/* Stacks. */

bool
jvm_stacks_choose(struct jvm_stacks *j, int64_t pid, uint64_t time)
{
	const struct jvm_snapshot *s = find(j, pid);

	j->now = s == NULL ? NULL : s->snapshot;
	j->time = time;
	return s != NULL;
}

static bool
map(void *arg, uint64_t address, struct unwind_map *found)
{
	const struct jvm_stacks *j = arg;

	return j->callers.map(j->callers.arg, address, found);
}

static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	const struct jvm_stacks *j = arg;

	return j->callers.read(j->callers.arg, address, to, n);
}

static enum unwind_vm
step(void *arg, struct unwind_vm_frame *f)
{
	const struct jvm_stacks *j = arg;

	return hotspot_snapshot_step(j->now, f);
}

void
jvm_stacks_begin(struct jvm_stacks *j, struct unwind_thread *thread)
{
	hotspot_snapshot_begin(j->now, j->time);
	j->segment = 0;
	j->callers = *thread;
	thread->map = map;
	thread->read = read_memory;
	thread->step_vm = step;
	thread->arg = j;
}

/* Frames. */

bool
jvm_stacks_is_code(const struct jvm_stacks *j, uint64_t address)
{
	return hotspot_snapshot_is_code(j->now, address);
}

static const struct code *
add_code(struct jvm_stacks *j, struct code_table *codes,
	 const struct interp_vm_frame *f, const struct code *outer, bool lines)
{
	static const enum code_kind kinds[] = {
		[HOTSPOT_SNAPSHOT_STUB] = CODE_JIT,
		[HOTSPOT_SNAPSHOT_INTERPRETED] = CODE_INTERP,
		[HOTSPOT_SNAPSHOT_LOW] = CODE_LOWJIT,
		[HOTSPOT_SNAPSHOT_TOP] = CODE_JIT,
		[HOTSPOT_SNAPSHOT_INLINED] = CODE_INLINE
	};
	const struct hotspot_snapshot_frame named = hotspot_snapshot_name(
	    j->now, f);
	struct code code = { .kind = kinds[named.kind],
			     .name = named.name,
			     .outer = outer };

	if (lines && named.line > 0) {
		j->text.len = 0;
		buf_printf(&j->text, "%u", named.line);
		code.line = buf_slice(&j->text);
	}
	return code_intern_add(codes, &code);
}

const struct code *
jvm_stacks_code(struct jvm_stacks *j, struct code_table *codes,
		const struct unwind_frame *f, bool lines, bool inlines)
{
	const struct interp_stack *s = hotspot_snapshot_stack(j->now);
	const struct code *code = NULL;
	size_t i, begin;

	while (j->segment < s->segments && s->segment[j->segment].where < f->sp)
		j->segment++;
	if (j->segment == s->segments || s->segment[j->segment].where != f->sp)
		return NULL;
	begin = j->segment == 0 ? 0 : s->segment[j->segment - 1].end;
	for (i = s->segment[j->segment].end; i > begin; i--) {
		if (inlines || code == NULL)
			code = add_code(j, codes, &s->frame[i - 1], code,
					lines);
	}
	j->segment++;
	return code;
}

bool
jvm_stacks_note(struct jvm_stacks *j, struct buf *line)
{
	struct str rest = str_skip(buf_slice(&j->notes), j->notes_given);
	const size_t all = rest.len;

	if (rest.len == 0)
		return false;
	buf_str(line, str_cut(&rest, '\n'));
	j->notes_given += all - rest.len;
	return true;
}
