/* hotspot_snapshot.c - snapshots of a HotSpot, foldjvm(5): frames of its
 * threads without the process. */
#include "interp/hotspot_snapshot.h"

#include "base/mem.h"
#include "interp/hotspot_walk.h"
#include "interp/memory_image.h"

#include <stdlib.h>

/* Limit: lines of the head. */
enum { MAX_LINES = 1024 };

struct snapshot_head {
	struct hotspot_layout layout;
	int64_t pid;
};

struct hotspot_snapshot {
	struct snapshot_head head;
	struct hotspot_walker walker;
	struct interp_functions *functions;
	struct memory_image *image;
	uint64_t *time; /* of each moment */
	size_t n, cap;
	/* State of the current stack walk. */
	size_t moment;
	struct interp_copy memory;
	struct interp_stack stack;
};

/* Memory. */

/* A struct interp_reader's read(). */
static size_t
read_parts(void *arg, const struct iovec *to, const struct iovec *from,
	   size_t n)
{
	const struct hotspot_snapshot *s = arg;
	size_t i, got = 0;

	for (i = 0; i < n; i++) {
		if (!memory_image_read(s->image, s->moment,
				       (uint64_t)(uintptr_t)from[i].iov_base,
				       to[i].iov_base, from[i].iov_len))
			return got;
		got += from[i].iov_len;
	}
	return got;
}

static void
begin_reads(struct hotspot_snapshot *s)
{
	const struct interp_reader reader = { .read = read_parts, .arg = s };

	interp_copy_begin(&s->memory, &reader, NULL, NULL, NULL, 0);
}

bool
hotspot_snapshot_is_code(struct hotspot_snapshot *s, uint64_t address)
{
	return hotspot_code_has(s->walker.code, &s->memory, address);
}

/* Reading a file. */

/* Parse a line; NULL, or what is wrong. */
static const char *
parse_line(struct snapshot_head *h, struct str line)
{
	uint64_t pid;

	if (str_starts(line, STR("arch ")))
		return str_eq(line, STR("arch x86_64")) ?
			   NULL :
			   "it is not from an x86-64 machine";
	if (!str_starts(line, STR("pid ")))
		return hotspot_layout_parse(&h->layout, line) ?
			   NULL :
			   "its header has an unknown line";
	if (!str_u64(str_skip(line, 4), &pid) || pid == 0 || pid > INT32_MAX)
		return "its header has no process id";
	h->pid = (int64_t)pid;
	return NULL;
}

/* Parse the lines up to an empty one; NULL, or what is wrong. */
static const char *
parse_head(struct snapshot_head *h, struct str *file)
{
	const char *wrong = NULL;
	struct str line;
	size_t i;

	memset(h, 0, sizeof(*h));
	if (!str_eq(str_cut(file, '\n'), STR(HOTSPOT_SNAPSHOT_MAGIC)))
		return "it is not a JVM snapshot, or one of a later version";
	for (i = 0; wrong == NULL && i < MAX_LINES; i++) {
		line = str_cut(file, '\n');
		if (line.len == 0)
			break;
		wrong = parse_line(h, line);
	}
	if (wrong != NULL)
		return wrong;
	return h->pid == 0 || !hotspot_layout_is_complete(&h->layout) ?
		   "its header is incomplete" :
		   NULL;
}

/* Take n bytes off a text; false if there are not that many. */
static bool
take(struct str *file, void *to, size_t n)
{
	if (file->len < n)
		return false;
	memcpy(to, file->p, n);
	*file = str_skip(*file, n);
	return true;
}

static bool
read_page(struct str *file, struct memory_image_page *p)
{
	size_t i;

	if (!take(file, &p->address, sizeof(p->address)) ||
	    p->address % MEMORY_IMAGE_PAGE != 0 ||
	    !take(file, p->known, sizeof(p->known)))
		return false;
	for (i = 0; i < MEMORY_IMAGE_WORDS; i++) {
		if (memory_image_knows(p, i) &&
		    !take(file, &p->word[i], sizeof(p->word[i])))
			return false;
	}
	return true;
}

/* Read a moment; false if it is not whole. */
static bool
read_moment(struct hotspot_snapshot *s, struct str *file)
{
	struct hotspot_snapshot_moment m;
	struct memory_image_page p;
	uint64_t i;

	if (!take(file, &m, sizeof(m)) || m.magic != HOTSPOT_SNAPSHOT_MOMENT ||
	    (s->n > 0 && m.time < s->time[s->n - 1]))
		return false;
	memory_image_begin(s->image);
	for (i = 0; i < m.pages; i++) {
		if (!read_page(file, &p) || !memory_image_add(s->image, &p))
			return false;
	}
	s->time = mem_grow(s->time, &s->cap, s->n + 1, sizeof(*s->time));
	s->time[s->n++] = m.time;
	return true;
}

static void
read_moments(struct hotspot_snapshot *s, struct str file, bool *cut)
{
	*cut = false;
	while (file.len > 0 && !*cut)
		*cut = !read_moment(s, &file);
	/* Where code is by now: a JVM that began had no code. */
	if (s->n == 0)
		return;
	s->moment = s->n - 1;
	begin_reads(s);
	hotspot_snapshot_is_code(s, 0);
}

struct hotspot_snapshot *
hotspot_snapshot_read(struct str file, bool *cut, struct buf *why)
{
	struct snapshot_head head;
	const char *wrong = parse_head(&head, &file);
	struct hotspot_snapshot *s;

	if (wrong != NULL) {
		buf_str(why, str_of(wrong));
		return NULL;
	}
	s = mem_zero(1, sizeof(*s));
	s->head = head;
	s->image = memory_image_new();
	s->functions = interp_functions_new();
	s->walker.l = &s->head.layout;
	s->walker.code = hotspot_code_new(s->walker.l);
	s->walker.methods = hotspot_methods_new(s->walker.l);
	s->walker.stubs = intern_new();
	read_moments(s, file, cut);
	if (s->n > 0)
		return s;
	buf_str(why, STR("it has no complete snapshot"));
	hotspot_snapshot_free(s);
	return NULL;
}

bool
hotspot_snapshot_append(struct hotspot_snapshot *s, struct str file, bool *cut,
			struct buf *why)
{
	struct snapshot_head head;
	const char *wrong = parse_head(&head, &file);
	const size_t before = s->n;

	if (wrong == NULL && memcmp(&head, &s->head, sizeof(head)) != 0)
		wrong = "it is from another process with the same id";
	if (wrong == NULL) {
		read_moments(s, file, cut);
		if (s->n == before)
			wrong = "it has no snapshot later than the file before";
	}
	if (wrong != NULL)
		buf_str(why, str_of(wrong));
	return wrong == NULL;
}

int64_t
hotspot_snapshot_pid(struct str file)
{
	struct snapshot_head head;

	return parse_head(&head, &file) == NULL ? head.pid : -1;
}

void
hotspot_snapshot_free(struct hotspot_snapshot *s)
{
	if (s == NULL)
		return;
	hotspot_code_free(s->walker.code);
	hotspot_methods_free(s->walker.methods);
	hotspot_scopes_free(&s->walker.scopes);
	intern_free(s->walker.stubs);
	interp_functions_free(s->functions);
	interp_stack_free(&s->stack);
	interp_copy_free(&s->memory);
	memory_image_free(s->image);
	free(s->time);
	free(s);
}

/* Stacks. */

void
hotspot_snapshot_begin(struct hotspot_snapshot *s, uint64_t time)
{
	size_t low = 0, high = s->n - 1, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (s->time[mid] < time)
			low = mid + 1;
		else
			high = mid;
	}
	s->moment = low;
	begin_reads(s);
	interp_stack_clear(&s->stack);
}

/* Whether code is known at the moment, in the code cache or elsewhere. */
static bool
knows(struct hotspot_snapshot *s, const struct unwind_frame *f)
{
	return !hotspot_snapshot_is_code(s, f->pc) ||
	       hotspot_code_find(s->walker.code, &s->memory,
				 f->pc - !f->exact) != NULL;
}

enum unwind_vm
hotspot_snapshot_step(struct hotspot_snapshot *s, struct unwind_vm_frame *f)
{
	const bool before = s->moment > 0 && !knows(s, f->frame);
	enum unwind_vm result;

	if (before) {
		s->moment--;
		begin_reads(s);
	}
	result = hotspot_walk_step(&s->walker, &s->memory, &s->stack, f);
	if (before) {
		s->moment++;
		begin_reads(s);
	}
	return result;
}

const struct interp_stack *
hotspot_snapshot_stack(const struct hotspot_snapshot *s)
{
	return &s->stack;
}

static void
name_method(struct hotspot_snapshot *s, const struct interp_vm_frame *f,
	    struct hotspot_snapshot_frame *named)
{
	const uint32_t function = hotspot_methods_function(
	    s->walker.methods, &s->memory, s->functions, f->code,
	    HOTSPOT_TIER_NONE);

	named->name = interp_functions_get(s->functions, function).name;
	named->line = hotspot_methods_line(s->walker.methods, &s->memory,
					   f->code, f->ip);
}

struct hotspot_snapshot_frame
hotspot_snapshot_name(struct hotspot_snapshot *s,
		      const struct interp_vm_frame *f)
{
	static const enum hotspot_snapshot_kind kinds[] = {
		[HOTSPOT_TIER_NONE] = HOTSPOT_SNAPSHOT_STUB,
		[HOTSPOT_TIER_INTERPRETED] = HOTSPOT_SNAPSHOT_INTERPRETED,
		[HOTSPOT_TIER_LOW] = HOTSPOT_SNAPSHOT_LOW,
		[HOTSPOT_TIER_TOP] = HOTSPOT_SNAPSHOT_TOP,
		[HOTSPOT_TIER_INLINED] = HOTSPOT_SNAPSHOT_INLINED
	};
	struct hotspot_snapshot_frame named = { .kind = HOTSPOT_SNAPSHOT_STUB };

	if (f->context >= HOTSPOT_TIERS) {
		named.name = intern_name(s->walker.stubs, (uint32_t)f->code);
		return named;
	}
	begin_reads(s);
	name_method(s, f, &named);
	if (str_eq(named.name, STR("[unknown]")) && s->moment > 0) {
		s->moment--;
		begin_reads(s);
		name_method(s, f, &named);
		s->moment++;
	}
	named.kind = kinds[f->context];
	return named;
}
