/* jfr_types.c - types of a JDK Flight Recorder chunk. */
#include "formats/jfr_types.h"

#include "base/mem.h"
#include "formats/jfr_value.h"

#include <stdlib.h>

/* Deeper elements of metadata are malformed. */
enum { MAX_DEPTH = 32 };

/* Metadata: a table of strings, and a tree of elements that refer to it. */

enum element {
	ELEMENT_OTHER,
	ELEMENT_CLASS,
	ELEMENT_FIELD,
	ELEMENT_ANNOTATION
};

static struct str
string_of(const struct jfr_types *t, uint64_t i)
{
	return i < t->nstrings ? t->string[i] : STR("");
}

static enum element
element_of(struct str name)
{
	if (str_eq(name, STR("class")))
		return ELEMENT_CLASS;
	if (str_eq(name, STR("field")))
		return ELEMENT_FIELD;
	if (str_eq(name, STR("annotation")))
		return ELEMENT_ANNOTATION;
	return ELEMENT_OTHER;
}

static const struct {
	const char *name;
	enum jfr_kind kind;
} primitives[] = {
	{ "boolean", JFR_BYTE },
	{ "byte", JFR_BYTE },
	{ "char", JFR_INTEGER },
	{ "short", JFR_INTEGER },
	{ "int", JFR_INTEGER },
	{ "long", JFR_INTEGER },
	{ "float", JFR_FLOAT },
	{ "double", JFR_DOUBLE },
	{ "java.lang.String", JFR_STRING },
};

static enum jfr_kind
kind_of(struct str name)
{
	size_t i;

	for (i = 0; i < sizeof(primitives) / sizeof(*primitives); i++) {
		if (str_eq(name, str_of(primitives[i].name)))
			return primitives[i].kind;
	}
	return JFR_STRUCT;
}

static struct jfr_type *
add_type(struct jfr_types *t)
{
	t->type = mem_grow(t->type, &t->cap, t->n + 1, sizeof(*t->type));
	t->type[t->n] = (struct jfr_type){ .first = t->nfields };
	return &t->type[t->n++];
}

static void
add_field(struct jfr_types *t)
{
	t->field = mem_grow(t->field, &t->fields_cap, t->nfields + 1,
			    sizeof(*t->field));
	t->field[t->nfields++] = (struct jfr_field){ .type = JFR_NO_TYPE };
	t->type[t->n - 1].n++;
}

static void
set_class(struct jfr_type *type, struct str key, struct str value)
{
	if (str_eq(key, STR("name"))) {
		type->name = value;
		type->kind = kind_of(value);
	} else if (str_eq(key, STR("id"))) {
		str_u64(value, &type->id);
	} else if (str_eq(key, STR("superType"))) {
		type->is_event = str_eq(value, STR("jdk.jfr.Event"));
	}
}

static void
set_field(struct jfr_field *f, struct str key, struct str value)
{
	if (str_eq(key, STR("name")))
		f->name = value;
	else if (str_eq(key, STR("class")))
		str_u64(value, &f->type_id);
	else if (str_eq(key, STR("dimension")))
		f->is_array = !str_eq(value, STR("0"));
	else if (str_eq(key, STR("constantPool")))
		f->is_pool = str_eq(value, STR("true"));
}

/* An annotation of a field: its type has no name yet, but its value tells. */
static void
set_annotation(struct jfr_field *f, struct str key, struct str value)
{
	if (!str_eq(key, STR("value")))
		return;
	if (str_eq(value, STR("TICKS")))
		f->unit = JFR_TICKS;
	else if (str_eq(value, STR("NANOSECONDS")))
		f->unit = JFR_NANOSECONDS;
	else if (str_eq(value, STR("MILLISECONDS")))
		f->unit = JFR_MILLISECONDS;
	else if (str_eq(value, STR("BYTES")))
		f->unit = JFR_BYTES;
}

/* Where in the tree an element is. */
struct jfr_place {
	int depth;
	enum element parent;
};

static enum element
begin_element(struct jfr_types *t, struct str name, struct jfr_place place)
{
	enum element kind = element_of(name);

	if (kind == ELEMENT_CLASS)
		add_type(t);
	else if (kind == ELEMENT_FIELD && place.parent == ELEMENT_CLASS)
		add_field(t);
	else if (kind == ELEMENT_ANNOTATION && place.parent == ELEMENT_FIELD)
		return ELEMENT_ANNOTATION;
	else
		return ELEMENT_OTHER;
	return kind;
}

static void
set_attribute(struct jfr_types *t, enum element kind, struct str key,
	      struct str value)
{
	if (kind == ELEMENT_CLASS)
		set_class(&t->type[t->n - 1], key, value);
	else if (kind == ELEMENT_FIELD)
		set_field(&t->field[t->nfields - 1], key, value);
	else if (kind == ELEMENT_ANNOTATION)
		set_annotation(&t->field[t->nfields - 1], key, value);
}

/*
 * An element and its children.  An annotation follows its field directly, so
 * the last field is its parent.
 */
static void
read_element(struct jfr_types *t, struct cursor *c, struct jfr_place place)
{
	struct str name = string_of(t, jfr_value_integer(c)), key;
	enum element kind;
	uint64_t n;

	if (c->bad || place.depth > MAX_DEPTH) {
		c->bad = true;
		return;
	}
	kind = begin_element(t, name, place);
	n = jfr_value_integer(c);
	for (; n > 0 && !c->bad; n--) {
		key = string_of(t, jfr_value_integer(c));
		set_attribute(t, kind, key, string_of(t, jfr_value_integer(c)));
	}
	n = jfr_value_integer(c);
	for (; n > 0 && !c->bad; n--)
		read_element(t, c, (struct jfr_place){ place.depth + 1, kind });
}

/* The strings; those that are UTF-8 stay where they are. */
static void
read_strings(struct jfr_types *t, struct cursor *c)
{
	uint64_t n = jfr_value_integer(c), id;
	size_t *at, i;

	if (n > cursor_left(c)) {
		c->bad = true;
		return;
	}
	t->string = mem_grow(t->string, &t->strings_cap, (size_t)n + 1,
			     sizeof(*t->string));
	at = mem_zero((size_t)n + 1, sizeof(*at));
	for (i = 0; i < n && !c->bad; i++) {
		at[i] = t->text.len;
		c->bad |= !jfr_value_string(c, &t->text, &id);
	}
	t->nstrings = i;
	at[i] = t->text.len;
	for (i = 0; i < t->nstrings; i++) {
		t->string[i] = str_skip(buf_slice(&t->text), at[i]);
		t->string[i].len = at[i + 1] - at[i];
	}
	free(at);
}

/* Set the index of each field's type.  Of types with one id the first holds. */
static void
link_types(struct jfr_types *t)
{
	uint32_t index;
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (!u64map_get(&t->by_id, t->type[i].id, &index))
			u64map_put(&t->by_id, t->type[i].id, (uint32_t)i);
	}
	for (i = 0; i < t->nfields; i++)
		u64map_get(&t->by_id, t->field[i].type_id, &t->field[i].type);
}

const char *
jfr_types_read(struct jfr_types *t, struct str event)
{
	struct cursor c = cursor_of(event, false);
	int i;

	/* size, type, start, duration, id of the metadata */
	for (i = 0; i < 5; i++)
		jfr_value_integer(&c);
	read_strings(t, &c);
	if (!c.bad)
		read_element(t, &c, (struct jfr_place){ 0, ELEMENT_OTHER });
	if (c.bad)
		return "malformed metadata";
	link_types(t);
	return NULL;
}

void
jfr_types_free(struct jfr_types *t)
{
	free(t->type);
	free(t->field);
	free(t->string);
	u64map_free(&t->by_id);
	buf_free(&t->text);
	*t = (struct jfr_types){ 0 };
}

const struct jfr_type *
jfr_types_by_id(const struct jfr_types *t, uint64_t id)
{
	uint32_t index;

	return u64map_get(&t->by_id, id, &index) ? &t->type[index] : NULL;
}

const struct jfr_type *
jfr_types_by_name(const struct jfr_types *t, struct str name)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (str_eq(t->type[i].name, name))
			return &t->type[i];
	}
	return NULL;
}

const struct jfr_field *
jfr_types_field(const struct jfr_types *t, const struct jfr_type *type,
		struct str name)
{
	size_t i;

	for (i = 0; type != NULL && i < type->n; i++) {
		if (str_eq(t->field[type->first + i].name, name))
			return &t->field[type->first + i];
	}
	return NULL;
}
