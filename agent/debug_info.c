/* debug_info.c - lines and inlined methods of compiled code, for a jitdump. */
#include "debug_info.h"

#include <jvmticmlr.h>
#include <stdlib.h>
#include <string.h>

/* A method that the code inlines, or is. */
struct method {
	jmethodID id;
	uint32_t next;     /* with the same hash, plus 1 */
	size_t name, file; /* in text */
	jvmtiLineNumberEntry *line;
	jint lines;
};

/* A place in a method that was inlined at a place, or in the code's own. */
struct scope {
	uint32_t parent; /* plus 1; 0 of the code's own method */
	uint32_t method;
	jint bci, line;
	uint32_t next; /* with the same hash, plus 1 */
};

/* The code up to an offset is at a scope. */
struct place {
	uint32_t offset, scope;
};

enum { BUCKETS = 1024 };

/* What is known of one piece of code. */
struct description {
	jvmtiEnv *jvmti;
	struct bytes text; /* strings */
	struct method *method;
	struct scope *scope;
	struct place *place;
	size_t methods, scopes, places;
	size_t method_cap, scope_cap, place_cap;
	uint32_t method_with[BUCKETS], scope_with[BUCKETS]; /* plus 1 */
};

static void
release(jvmtiEnv *jvmti, void *p)
{
	if (p != NULL)
		(*jvmti)->Deallocate(jvmti, p);
}

static uint32_t
hash(uint64_t n)
{
	return (uint32_t)(n * 0x9e3779b97f4a7c15u >> 54) % BUCKETS;
}

/* Methods. */

/* The signature of the class of a method, or NULL. */
static char *
class_of(jvmtiEnv *jvmti, jmethodID method, jclass *class)
{
	char *signature = NULL;

	*class = NULL;
	if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, class) !=
		JVMTI_ERROR_NONE ||
	    (*jvmti)->GetClassSignature(jvmti, *class, &signature, NULL) !=
		JVMTI_ERROR_NONE)
		return NULL;
	return signature;
}

static bool
add_name(jvmtiEnv *jvmti, jmethodID method, const char *class,
	 struct bytes *out)
{
	char *name = NULL, *signature = NULL;

	if (class == NULL ||
	    (*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL) !=
		JVMTI_ERROR_NONE)
		return false;
	bytes_add(out, class, strlen(class));
	bytes_add(out, name, strlen(name));
	bytes_text(out, signature);
	release(jvmti, name);
	release(jvmti, signature);
	return true;
}

/*
 * Append the file's name with the folders of the class's package, "a/b/C.java",
 * or "".
 */
static void
add_file(jvmtiEnv *jvmti, jclass class, const char *signature,
	 struct bytes *out)
{
	const char *slash = signature == NULL ? NULL : strrchr(signature, '/');
	char *file = NULL;

	if (class != NULL && (*jvmti)->GetSourceFileName(jvmti, class, &file) ==
				 JVMTI_ERROR_NONE) {
		if (slash != NULL && signature[0] == 'L')
			bytes_add(out, signature + 1,
				  (size_t)(slash - signature));
		bytes_text(out, file);
		release(jvmti, file);
	} else {
		bytes_text(out, "");
	}
}

bool
debug_info_name(jvmtiEnv *jvmti, jmethodID method, struct bytes *out)
{
	jclass class;
	char *signature = class_of(jvmti, method, &class);
	const bool ok = add_name(jvmti, method, signature, out);

	release(jvmti, signature);
	return ok;
}

static void
describe_method(struct description *d, struct method *m)
{
	jvmtiEnv *jvmti = d->jvmti;
	jclass class = NULL;
	char *signature = m->id == NULL ? NULL : class_of(jvmti, m->id, &class);

	m->name = d->text.len;
	if (!add_name(jvmti, m->id, signature, &d->text))
		bytes_text(&d->text, "");
	m->file = d->text.len;
	add_file(jvmti, class, signature, &d->text);
	release(jvmti, signature);
	if (m->id == NULL ||
	    (*jvmti)->GetLineNumberTable(jvmti, m->id, &m->lines, &m->line) !=
		JVMTI_ERROR_NONE) {
		m->line = NULL;
		m->lines = 0;
	}
}

/* The number of a method, or UINT32_MAX without memory. */
static uint32_t
find_method(struct description *d, jmethodID id)
{
	uint32_t *head = &d->method_with[hash((uintptr_t)id)], i;
	void *grown = d->method;
	struct method *m;

	for (i = *head; i > 0; i = d->method[i - 1].next)
		if (d->method[i - 1].id == id)
			return i - 1;
	if (!bytes_grow(&grown, &d->method_cap, d->methods, sizeof(*m)))
		return UINT32_MAX;
	d->method = grown;
	m = &d->method[d->methods++];
	*m = (struct method){ .id = id, .next = *head };
	*head = (uint32_t)d->methods;
	describe_method(d, m);
	return *head - 1;
}

/* The line of a bytecode, or 0. */
static jint
find_line(const struct method *m, jint bci)
{
	jlocation best = -1;
	jint i, line = 0;

	for (i = 0; i < m->lines; i++) {
		if (m->line[i].start_location <= bci &&
		    m->line[i].start_location > best) {
			best = m->line[i].start_location;
			line = m->line[i].line_number;
		}
	}
	return line;
}

/* Scopes. */

/* The number of a scope, or UINT32_MAX without memory. */
static uint32_t
find_scope(struct description *d, uint32_t parent, uint32_t method, jint bci)
{
	uint32_t *head = &d->scope_with[hash(
	    (uint64_t)parent << 40 ^ (uint64_t)method << 20 ^ (uint32_t)bci)];
	void *grown = d->scope;
	struct scope *s;
	uint32_t i;

	for (i = *head; i > 0; i = d->scope[i - 1].next) {
		s = &d->scope[i - 1];
		if (s->parent == parent && s->method == method && s->bci == bci)
			return i - 1;
	}
	if (!bytes_grow(&grown, &d->scope_cap, d->scopes, sizeof(*s)))
		return UINT32_MAX;
	d->scope = grown;
	s = &d->scope[d->scopes++];
	*s = (struct scope){ .parent = parent,
			     .method = method,
			     .bci = bci,
			     .line = find_line(&d->method[method], bci),
			     .next = *head };
	*head = (uint32_t)d->scopes;
	return *head - 1;
}

/* Add an address; false without memory. */
static bool
add_place(struct description *d, const PCStackInfo *info, uint32_t offset)
{
	void *grown = d->place;
	uint32_t scope = 0, method;
	jint i;

	/* The first method is the innermost. */
	for (i = info->numstackframes; i-- > 0;) {
		method = find_method(d, info->methods[i]);
		if (method == UINT32_MAX)
			return false;
		scope = find_scope(d, scope, method, info->bcis[i]);
		if (scope++ == UINT32_MAX)
			return false;
	}
	if (scope == 0)
		return true;
	if (!bytes_grow(&grown, &d->place_cap, d->places, sizeof(*d->place)))
		return false;
	d->place = grown;
	d->place[d->places++] = (struct place){ offset, scope - 1 };
	return true;
}

static bool
add_places(struct description *d, const jvmtiCompiledMethodLoadInlineRecord *r,
	   const void *code, size_t size)
{
	uint64_t offset;
	jint i;

	for (i = 0; i < r->numpcs; i++) {
		offset = (uintptr_t)r->pcinfo[i].pc - (uintptr_t)code;
		if (offset <= size && offset < UINT32_MAX &&
		    !add_place(d, &r->pcinfo[i], (uint32_t)offset))
			return false;
	}
	return d->places > 0;
}

/* Writing. */

/* An entry that perf reads too: the innermost line from an address on. */
static void
write_entry(const struct description *d, uint64_t address, uint32_t scope,
	    struct bytes *out)
{
	const struct scope *s = &d->scope[scope];

	bytes_u64(out, address);
	bytes_u32(out, (uint32_t)s->line);
	bytes_u32(out, 0);
	bytes_text(out, d->text.p + d->method[s->method].file);
}

/*
 * HotSpot describes where an instruction ends.  So the code after a place, but
 * for the return address itself, is at the next one.
 */
static void
write_entries(const struct description *d, uint64_t code, struct bytes *out)
{
	uint32_t entries = 0;
	size_t i, count;

	bytes_u64(out, code);
	count = out->len;
	bytes_u64(out, 0);
	for (i = 0; i < d->places; i++) {
		const struct place *p = &d->place[i];

		if (i == 0 || p[-1].scope != p->scope) {
			write_entry(d, code + (i == 0 ? 0 : p[-1].offset + 1),
				    p->scope, out);
			entries++;
		}
	}
	bytes_set_u32(out, count, entries);
}

static void
write_scopes(const struct description *d, struct bytes *out)
{
	size_t i;

	bytes_add(out, "FOLDINL1", 8);
	bytes_u32(out, (uint32_t)d->methods);
	bytes_u32(out, (uint32_t)d->scopes);
	bytes_u32(out, (uint32_t)d->places);
	for (i = 0; i < d->methods; i++) {
		bytes_text(out, d->text.p + d->method[i].name);
		bytes_text(out, d->text.p + d->method[i].file);
	}
	for (i = 0; i < d->scopes; i++) {
		bytes_u32(out, d->scope[i].parent);
		bytes_u32(out, d->scope[i].method);
		bytes_u32(out, (uint32_t)d->scope[i].bci);
		bytes_u32(out, (uint32_t)d->scope[i].line);
	}
	for (i = 0; i < d->places; i++) {
		bytes_u32(out, d->place[i].offset);
		bytes_u32(out, d->place[i].scope);
	}
}

static void
free_description(struct description *d)
{
	size_t i;

	for (i = 0; i < d->methods; i++)
		release(d->jvmti, d->method[i].line);
	free(d->method);
	free(d->scope);
	free(d->place);
	free(d->text.p);
	free(d);
}

/* The record of inlined methods, or NULL. */
static const jvmtiCompiledMethodLoadInlineRecord *
inline_record(const void *compile_info)
{
	const jvmtiCompiledMethodLoadRecordHeader *h = compile_info;

	while (h != NULL && (h->kind != JVMTI_CMLR_INLINE_INFO ||
			     h->majorinfoversion != JVMTI_CMLR_MAJOR_VERSION_1))
		h = h->next;
	return (const void *)h;
}

void
debug_info_write(jvmtiEnv *jvmti, const void *code, size_t size,
		 const void *compile_info, struct bytes *out)
{
	const jvmtiCompiledMethodLoadInlineRecord *r = inline_record(
	    compile_info);
	struct description *d;

	d = r == NULL ? NULL : calloc(1, sizeof(*d));
	if (d == NULL)
		return;
	d->jvmti = jvmti;
	if (add_places(d, r, code, size) && !d->text.failed) {
		write_entries(d, (uintptr_t)code, out);
		write_scopes(d, out);
	}
	free_description(d);
}
