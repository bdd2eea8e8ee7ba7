/* hotspot_survey.c - takes snapshots of a running HotSpot, foldjvm(5). */
#include "interp/hotspot_survey.h"

#include "base/mem.h"
#include "base/table.h"
#include "interp/hotspot_code.h"
#include "interp/hotspot_methods.h"
#include "interp/hotspot_snapshot.h"
#include "interp/interp_functions.h"
#include "interp/memory_image.h"
#include "os/clock.h"

#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Limits: pages read, classes and their loaders, methods of a class; and the
 * pages that are read by one call.
 */
enum {
	MAX_PAGES = 1 << 18,
	MAX_LOADERS = 1 << 20,
	MAX_CLASSES = 1 << 20,
	MAX_METHODS = 1 << 16,
	AT_ONCE = 16
};

/* Methods run only in classes whose InstanceKlass::_init_state is at least
 * this.
 */
enum { LINKED = 2 };

/* Code may be compared up to this many bytes after a blob. */
enum { AFTER_CODE = 32 };

/*
 * A page of the process.  Its known words are those that somebody has read: who
 * reads a snapshot reads the same.
 */
struct survey_page {
	struct memory_image_page bytes;
	bool is_mapped;
	UT_hash_handle hh;
};

struct hotspot_survey {
	int64_t pid;
	struct hotspot_layout layout;
	struct hotspot_code *code;
	struct hotspot_methods *methods;
	struct interp_functions *functions;
	struct interp_reader reader; /* through the pages */
	struct interp_copy memory;
	struct survey_page *pages;  /* of this moment */
	struct memory_image *image; /* of the moments before */
	uint64_t code_hash;         /* of the blobs at the last moment */
	bool full;
};

/* Pages. */

static struct survey_page *
add_page(struct hotspot_survey *s, uint64_t address)
{
	struct survey_page *p = mem_zero(1, sizeof(*p));

	p->bytes.address = address;
	HASH_ADD(hh, s->pages, bytes.address, sizeof(p->bytes.address), p);
	return p;
}

static struct survey_page *
find_page(struct hotspot_survey *s, uint64_t address)
{
	struct survey_page *p;

	HASH_FIND(hh, s->pages, &address, sizeof(address), p);
	return p;
}

/* Read a page, and others after it that were not read yet. */
static struct survey_page *
read_pages(struct hotspot_survey *s, uint64_t address)
{
	struct survey_page *page[AT_ONCE];
	struct iovec to[AT_ONCE], from[AT_ONCE];
	const size_t size = MEMORY_IMAGE_PAGE;
	size_t n = 0, i;
	ssize_t got;

	if (HASH_COUNT(s->pages) + AT_ONCE > MAX_PAGES) {
		s->full = true;
		return NULL;
	}
	do {
		page[n] = add_page(s, address + n * size);
		to[n] = (struct iovec){ page[n]->bytes.word, size };
		from[n] = (struct iovec){
			(void *)(uintptr_t)page[n]->bytes.address, size
		};
		n++;
	} while (n < AT_ONCE && address + n * size != 0 &&
		 find_page(s, address + n * size) == NULL);
	got = process_vm_readv((pid_t)s->pid, to, n, from, n, 0);
	for (i = 0; i < n; i++) {
		page[i]->is_mapped = got >= (ssize_t)((i + 1) * size);
		/* It may be mapped, after one that is not. */
		if (!page[i]->is_mapped && i > 0) {
			HASH_DEL(s->pages, page[i]);
			free(page[i]);
		}
	}
	return page[0];
}

/* The page of an address; NULL if it cannot be read. */
static struct survey_page *
get_page(struct hotspot_survey *s, uint64_t address)
{
	struct survey_page *p;

	address -= address % MEMORY_IMAGE_PAGE;
	p = find_page(s, address);
	if (p == NULL)
		p = read_pages(s, address);
	return p == NULL || !p->is_mapped ? NULL : p;
}

/* Copy n bytes, or if to is NULL, only note that they are read. */
static bool
copy(struct hotspot_survey *s, uint64_t address, char *to, size_t n)
{
	struct survey_page *p;
	size_t offset, part, i;

	for (; n > 0; n -= part, address += part) {
		p = get_page(s, address);
		if (p == NULL)
			return false;
		offset = (size_t)(address % MEMORY_IMAGE_PAGE);
		part = MEMORY_IMAGE_PAGE - offset;
		if (part > n)
			part = n;
		for (i = offset / 8; i <= (offset + part - 1) / 8; i++)
			memory_image_know(&p->bytes, i);
		if (to == NULL)
			continue;
		memcpy(to, (const char *)p->bytes.word + offset, part);
		to += part;
	}
	return true;
}

/* A struct interp_reader's read(). */
static size_t
read_parts(void *arg, const struct iovec *to, const struct iovec *from,
	   size_t n)
{
	size_t i, got = 0;

	for (i = 0; i < n; i++) {
		if (!copy(arg, (uint64_t)(uintptr_t)from[i].iov_base,
			  to[i].iov_base, from[i].iov_len))
			return got;
		got += from[i].iov_len;
	}
	return got;
}

static void
clear_pages(struct hotspot_survey *s)
{
	struct survey_page *p, *next;

	HASH_ITER(hh, s->pages, p, next)
	{
		HASH_DEL(s->pages, p);
		free(p);
	}
}

/* Reads of the process. */

static void
begin_reads(struct hotspot_survey *s)
{
	interp_copy_begin(&s->memory, &s->reader, NULL, NULL, NULL, 0);
}

static void
add_method(struct hotspot_survey *s, uint64_t method)
{
	begin_reads(s);
	hotspot_methods_function(s->methods, &s->memory, s->functions, method,
				 HOTSPOT_TIER_NONE);
	hotspot_methods_line(s->methods, &s->memory, method, 0);
}

static void
add_blob(void *arg, const struct hotspot_blob *b)
{
	struct hotspot_survey *s = arg;
	const uint64_t code = b->code_end - b->code_begin;

	copy(s, b->code_begin, NULL, (size_t)code);
	copy(s, b->code_end, NULL, AFTER_CODE);
	if (b->kind != HOTSPOT_COMPILED && b->kind != HOTSPOT_NATIVE)
		return;
	copy(s, b->pcs, NULL, b->pcs_size);
	copy(s, b->scopes, NULL, b->scopes_size);
	copy(s, b->metadata, NULL, b->metadata_size);
	add_method(s, b->method);
}

static bool
get(struct hotspot_survey *s, enum hotspot_field_id id, uint64_t object,
    uint64_t *value)
{
	begin_reads(s);
	return hotspot_layout_read_field(&s->layout, id, &s->memory, object,
					 value);
}

static void
add_methods(struct hotspot_survey *s, uint64_t klass)
{
	uint64_t array, n, i, method;

	if (!get(s, HOTSPOT_CLASS_METHODS, klass, &array) || array == 0 ||
	    !get(s, HOTSPOT_METHODS_LENGTH, array, &n))
		return;
	array += s->layout.field[HOTSPOT_METHODS_DATA].offset;
	for (i = 0; i < n && i < MAX_METHODS; i++) {
		begin_reads(s);
		if (!interp_copy_read(&s->memory, array + 8 * i, &method,
				      sizeof(method)))
			return;
		add_method(s, method);
	}
}

/* The classes of a loader; arrays are among them, whose shape is negative. */
static void
add_classes(struct hotspot_survey *s, uint64_t klass, size_t *classes)
{
	uint64_t shape, state;

	while (klass != 0 && *classes < MAX_CLASSES && !s->full) {
		++*classes;
		if (get(s, HOTSPOT_KLASS_SHAPE, klass, &shape) &&
		    (int64_t)shape >= 0 &&
		    get(s, HOTSPOT_CLASS_STATE, klass, &state) &&
		    state >= LINKED)
			add_methods(s, klass);
		if (!get(s, HOTSPOT_KLASS_NEXT, klass, &klass))
			return;
	}
}

static void
add_loaders(struct hotspot_survey *s)
{
	uint64_t loader, klass;
	size_t classes = 0, n;

	begin_reads(s);
	if (!interp_copy_read(&s->memory, s->layout.variable[HOTSPOT_LOADERS],
			      &loader, sizeof(loader)))
		return;
	for (n = 0; loader != 0 && n < MAX_LOADERS && !s->full; n++) {
		if (get(s, HOTSPOT_LOADER_CLASSES, loader, &klass))
			add_classes(s, klass, &classes);
		if (!get(s, HOTSPOT_LOADER_NEXT, loader, &loader))
			return;
	}
}

static void
hash_blob(void *arg, const struct hotspot_blob *b)
{
	uint64_t *hash = arg;
	const uint64_t key[] = { *hash, b->code_begin, b->code_end,
				 (uint64_t)b->compile_id, b->method };

	*hash = hash_bytes(key, sizeof(key));
}

/* Whether code has come or gone since the last moment. */
static bool
has_new_code(struct hotspot_survey *s)
{
	uint64_t hash = 0;

	begin_reads(s);
	hotspot_code_visit(s->code, &s->memory, hash_blob, &hash);
	if (hash == s->code_hash)
		return false;
	s->code_hash = hash;
	return true;
}

static void
add_all(struct hotspot_survey *s)
{
	uint64_t word;

	begin_reads(s);
	interp_copy_read(&s->memory,
			 s->layout.variable[HOTSPOT_CALL_STUB_RETURN], &word,
			 sizeof(word));
	hotspot_code_visit(s->code, &s->memory, add_blob, s);
	add_loaders(s);
}

/* The interface. */

/* The memory map of a process. */
struct survey_maps {
	struct buf text;
	struct proc_map *map;
	size_t n, cap;
};

static bool
read_maps(int64_t pid, struct survey_maps *maps)
{
	char path[64];
	struct str rest;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%" PRId64 "/maps", pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	do {
		buf_reserve(&maps->text, 1 << 16);
		n = fread(maps->text.p + maps->text.len, 1, 1 << 16, f);
		maps->text.len += n;
	} while (n > 0);
	fclose(f);
	for (rest = buf_slice(&maps->text); rest.len > 0;) {
		maps->map = mem_grow(maps->map, &maps->cap, maps->n + 1,
				     sizeof(*maps->map));
		if (proctext_map(str_cut(&rest, '\n'), &maps->map[maps->n]))
			maps->n++;
	}
	return maps->n > 0;
}

static bool
read_layout(struct hotspot_layout *l, int64_t pid,
	    const struct survey_maps *maps, struct buf *why)
{
	const struct interp_reader reader = { .tid = pid };
	const struct interp_target target = { pid, maps->map, maps->n, false };
	size_t i;

	for (i = 0; i < maps->n && why->len == 0; i++) {
		if (maps->map[i].offset == 0 &&
		    str_eq(interp_binary_name(maps->map[i].path),
			   STR("libjvm.so")) &&
		    hotspot_layout_read(l, &target, i, &reader, why))
			return true;
	}
	if (why->len == 0)
		buf_str(why, STR("it is not a supported Java VM, or its memory "
				 "cannot be read"));
	return false;
}

struct hotspot_survey *
hotspot_survey_new(int64_t pid, struct buf *why)
{
	struct survey_maps maps = { 0 };
	struct hotspot_survey *s = NULL;
	struct hotspot_layout l;
	bool good = false;

	if (arch_host() == NULL || arch_host()->machine != EM_X86_64)
		buf_str(why, STR("Java frames are supported on x86-64 only"));
	else if (!read_maps(pid, &maps))
		buf_str(why, STR("its memory map cannot be read"));
	else
		good = read_layout(&l, pid, &maps, why);
	if (good) {
		s = mem_zero(1, sizeof(*s));
		s->pid = pid;
		s->layout = l;
		s->code = hotspot_code_new(&s->layout);
		s->methods = hotspot_methods_new(&s->layout);
		s->functions = interp_functions_new();
		s->image = memory_image_new();
		s->reader = (struct interp_reader){ .tid = pid,
						    .read = read_parts,
						    .arg = s };
	}
	buf_free(&maps.text);
	free(maps.map);
	return s;
}

void
hotspot_survey_free(struct hotspot_survey *s)
{
	if (s == NULL)
		return;
	clear_pages(s);
	hotspot_code_free(s->code);
	hotspot_methods_free(s->methods);
	interp_functions_free(s->functions);
	memory_image_free(s->image);
	interp_copy_free(&s->memory);
	free(s);
}

void
hotspot_survey_head(const struct hotspot_survey *s, struct buf *out)
{
	buf_str(out, STR(HOTSPOT_SNAPSHOT_MAGIC));
	buf_printf(out, "\narch x86_64\npid %" PRId64 "\n", s->pid);
	hotspot_layout_print(&s->layout, out);
	buf_char(out, '\n');
}

/* Append a page, without the words that are not known. */
static void
write_page(const struct memory_image_page *p, struct buf *out)
{
	size_t i;

	buf_add(out, &p->address, sizeof(p->address));
	buf_add(out, p->known, sizeof(p->known));
	for (i = 0; i < MEMORY_IMAGE_WORDS; i++) {
		if (memory_image_knows(p, i))
			buf_add(out, &p->word[i], sizeof(p->word[i]));
	}
}

/* Append a moment with what has changed; nothing if nothing has. */
static bool
write_moment(struct hotspot_survey *s, uint64_t time, struct buf *out)
{
	struct hotspot_snapshot_moment moment = { HOTSPOT_SNAPSHOT_MOMENT, time,
						  0 };
	const size_t start = out->len;
	struct survey_page *p, *next;

	buf_add(out, &moment, sizeof(moment));
	memory_image_begin(s->image);
	HASH_ITER(hh, s->pages, p, next)
	{
		if (!memory_image_reduce(s->image, &p->bytes))
			continue;
		if (!memory_image_add(s->image, &p->bytes))
			return false;
		write_page(&p->bytes, out);
		moment.pages++;
	}
	if (moment.pages == 0)
		out->len = start;
	else
		memcpy(out->p + start, &moment, sizeof(moment));
	return true;
}

/* The sandbox refuses signals, also the one that only asks. */
static bool
exists(int64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRId64, pid);
	return access(path, F_OK) == 0;
}

bool
hotspot_survey_take(struct hotspot_survey *s, bool all, struct buf *out,
		    struct buf *why)
{
	const uint64_t time = clock_ns(CLOCK_MONOTONIC);

	/* A JVM that has ended has no code either. */
	if (has_new_code(s) || all) {
		add_all(s);
		if (s->pages == NULL || !exists(s->pid))
			buf_str(why, STR("it has ended"));
		else if (s->full || !write_moment(s, time, out))
			buf_str(why,
				STR("it has more than 1 GiB of code to read"));
	}
	clear_pages(s);
	return why->len == 0;
}
