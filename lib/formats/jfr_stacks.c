/* jfr_stacks.c - stacks, threads and classes of a Flight Recorder chunk. */
#include "formats/jfr_stacks.h"

#include "base/mem.h"
#include "formats/jfr_kinds.h"

#include <inttypes.h>
#include <stdlib.h>

/* Fields, in the order of the arrays of names below. */
enum { STACK_TRUNCATED, STACK_FRAMES, STACK_FIELDS };
enum { FRAME_METHOD, FRAME_LINE, FRAME_TYPE, FRAME_FIELDS };
enum { METHOD_CLASS, METHOD_NAME, METHOD_DESCRIPTOR, METHOD_FIELDS };
enum {
	THREAD_OS_NAME,
	THREAD_OS_ID,
	THREAD_NAME,
	THREAD_VIRTUAL,
	THREAD_FIELDS
};

static const char *const stack_fields[] = { "truncated", "frames", NULL };
static const char *const frame_fields[] = { "method", "lineNumber", "type",
					    NULL };
static const char *const method_fields[] = { "type", "name", "descriptor",
					     NULL };
static const char *const class_fields[] = { "name", NULL };
static const char *const symbol_fields[] = { "string", NULL };
static const char *const type_fields[] = { "description", NULL };
static const char *const thread_fields[] = { "osName", "osThreadId", "javaName",
					     "virtual", NULL };

/* Where the tokens of a stack are in its set. */
struct jfr_stack_place {
	size_t first, n;
	bool is_truncated;
};

/* The JVM's limit of symbols, in bytes. */
#define MAX_SYMBOL 65535

static void
free_set(struct jfr_stack_set *set)
{
	u64map_free(&set->index);
	free(set->place);
	free(set->token);
	*set = (struct jfr_stack_set){ 0 };
}

static bool
read_constant(const struct jfr_stacks *s, enum jfr_pool pool, uint64_t id,
	      const struct jfr_plan *plan, struct jfr_value *value)
{
	struct cursor c;

	return jfr_chunk_constant(s->chunk, pool, id, &c) &&
	       jfr_value_read(plan, &s->chunk->types, &c, value);
}

static struct cursor
rest_of(const struct jfr_stacks *s, const char *at)
{
	return cursor_of(str_range(at, s->chunk->bytes.p + s->chunk->bytes.len),
			 false);
}

/*
 * Append the string of a value, which may be the id of a constant, as far as
 * the limit of symbols.
 */
static void
put_string(const struct jfr_stacks *s, const char *at, struct buf *text)
{
	const size_t from = text->len;
	struct cursor c;
	uint64_t id;

	if (at == NULL)
		return;
	c = rest_of(s, at);
	if (jfr_value_string(&c, text, &id) && id != 0 &&
	    jfr_chunk_constant(s->chunk, JFR_STRINGS, id, &c))
		jfr_value_string(&c, text, &id);
	if (text->len - from > MAX_SYMBOL)
		text->len = from + MAX_SYMBOL;
}

/* Append the text of a symbol; false if it is not in the file. */
static bool
put_symbol(const struct jfr_stacks *s, uint64_t id, struct buf *text)
{
	struct jfr_value string[1] = { { 0 } };

	if (!read_constant(s, JFR_SYMBOLS, id, &s->symbol, string))
		return false;
	put_string(s, string[0].at, text);
	return true;
}

void
jfr_stacks_class(struct jfr_stacks *s, uint64_t id, struct buf *name)
{
	struct jfr_value class[1] = { { 0 } };

	s->scratch.len = 0;
	if (read_constant(s, JFR_CLASSES, id, &s->class, class) &&
	    put_symbol(s, class[0].n, &s->scratch))
		jfr_kinds_class(name, buf_slice(&s->scratch));
	else
		buf_str(name, STR("[unknown]"));
}

void
jfr_stacks_thread(struct jfr_stacks *s, uint64_t id, struct buf *name,
		  int64_t *tid)
{
	struct jfr_value value[THREAD_FIELDS] = { { 0 } };
	const size_t from = name->len;

	*tid = -1;
	if (!read_constant(s, JFR_THREADS, id, &s->thread, value)) {
		buf_str(name, STR("[unknown]"));
		return;
	}
	if (value[THREAD_OS_ID].n > 0 && value[THREAD_OS_ID].n <= INT32_MAX)
		*tid = (int64_t)value[THREAD_OS_ID].n;
	put_string(s, value[THREAD_NAME].at, name);
	if (name->len == from)
		put_string(s, value[THREAD_OS_NAME].at, name);
	if (name->len > from)
		return;
	if (value[THREAD_VIRTUAL].n != 0)
		buf_str(name, STR("[virtual]"));
	else
		buf_printf(name, "tid-%" PRId64, *tid);
}

/* Whether a function of C: its class is then the name of a library. */
static bool
is_c(const struct jfr_stacks *s, struct str type)
{
	return str_eq(type, STR("Kernel")) || str_eq(type, STR("C++")) ||
	       (s->is_async && str_eq(type, STR("Native")));
}

/* Append the text of a constant of type FrameType. */
static void
put_frame_type(struct jfr_stacks *s, uint64_t id, struct buf *text)
{
	struct jfr_value value[1] = { { 0 } };

	if (read_constant(s, JFR_FRAME_TYPES, id, &s->type, value))
		put_string(s, value[0].at, text);
}

/* Append the name of a method: class, name and arguments. */
static void
put_method(struct jfr_stacks *s, uint64_t id, bool c)
{
	struct jfr_value method[METHOD_FIELDS] = { { 0 } };
	const size_t from = s->text.len;

	if (!read_constant(s, JFR_METHODS, id, &s->method, method))
		return;
	if (!c) {
		jfr_stacks_class(s, method[METHOD_CLASS].n, &s->text);
		jfr_kinds_owner(&s->text, from);
		buf_char(&s->text, '.');
	}
	if (!put_symbol(s, method[METHOD_NAME].n, &s->text)) {
		s->text.len = from;
		return;
	}
	s->scratch.len = 0;
	if (!c && put_symbol(s, method[METHOD_DESCRIPTOR].n, &s->scratch))
		jfr_kinds_arguments(&s->text, buf_slice(&s->scratch));
}

static uint32_t
make_token(struct jfr_stacks *s, const struct jfr_value *value)
{
	struct frame frame = { 0 };
	struct str type;
	size_t name, line;
	bool c;

	s->text.len = 0;
	put_frame_type(s, value[FRAME_TYPE].n, &s->text);
	type = buf_slice(&s->text);
	frame.kind = jfr_kinds_frame(type);
	c = is_c(s, type);
	name = s->text.len;
	put_method(s, value[FRAME_METHOD].n, c);
	line = s->text.len;
	if (s->with_lines && (int32_t)value[FRAME_LINE].n > 0 && line > name)
		buf_printf(&s->text, "%" PRId32, (int32_t)value[FRAME_LINE].n);
	frame.name = str_skip(buf_slice(&s->text), name);
	frame.name.len = line - name;
	frame.line = str_skip(buf_slice(&s->text), line);
	return sink_token(s->out, &frame, 0);
}

static uint32_t
token_of(struct jfr_stacks *s, const struct jfr_value *value)
{
	const uint64_t key[] = { value[FRAME_METHOD].n,
				 s->with_lines ? value[FRAME_LINE].n : 0,
				 value[FRAME_TYPE].n };
	const uint32_t n = intern_size(s->frames);
	const uint32_t id = intern_id(
	    s->frames, (struct str){ (const char *)key, sizeof(key) });

	if (id == n) {
		s->token = mem_grow(s->token, &s->tokens_cap, (size_t)n + 1,
				    sizeof(*s->token));
		s->token[id] = make_token(s, value);
	}
	return s->token[id];
}

/* Decode a stack into the set of this chunk; false if it is malformed. */
static bool
decode(struct jfr_stacks *s, uint64_t id, struct jfr_stack_place *place)
{
	struct jfr_value value[STACK_FIELDS] = { { 0 } };
	struct jfr_value frame[FRAME_FIELDS];
	struct jfr_stack_set *set = &s->now;
	struct cursor c;
	uint64_t n;

	if (!read_constant(s, JFR_STACKS, id, &s->stack, value) ||
	    value[STACK_FRAMES].at == NULL)
		return false;
	c = rest_of(s, value[STACK_FRAMES].at);
	*place = (struct jfr_stack_place){ .first = set->ntokens };
	place->is_truncated = value[STACK_TRUNCATED].n != 0;
	for (n = jfr_value_integer(&c); n > 0; n--) {
		memset(frame, 0, sizeof(frame));
		if (!jfr_value_read(&s->frame, &s->chunk->types, &c, frame))
			return false;
		set->token = mem_grow(set->token, &set->tokens_cap,
				      set->ntokens + 1, sizeof(*set->token));
		set->token[set->ntokens++] = token_of(s, frame);
	}
	place->n = set->ntokens - place->first;
	return true;
}

static bool
find_in(const struct jfr_stack_set *set, uint64_t id, struct jfr_stack *stack)
{
	const struct jfr_stack_place *place;
	uint32_t index;

	if (!u64map_get(&set->index, id, &index))
		return false;
	place = &set->place[index];
	*stack = (struct jfr_stack){ .n = place->n,
				     .is_truncated = place->is_truncated };
	/* There may be no tokens yet. */
	if (place->n > 0)
		stack->token = set->token + place->first;
	return true;
}

bool
jfr_stacks_get(struct jfr_stacks *s, uint64_t id, struct jfr_stack *stack)
{
	struct jfr_stack_set *set = &s->now;
	struct jfr_stack_place place;

	if (find_in(set, id, stack))
		return true;
	if (!decode(s, id, &place))
		return find_in(&s->before, id, stack);
	set->place = mem_grow(set->place, &set->cap, set->n + 1,
			      sizeof(*set->place));
	set->place[set->n] = place;
	u64map_put(&set->index, id, (uint32_t)set->n++);
	return find_in(set, id, stack);
}

/* Only async-profiler has a type for frames of the kernel. */
static bool
has_kernel_type(struct jfr_stacks *s)
{
	const struct jfr_constants *types = &s->chunk->pool[JFR_FRAME_TYPES];
	struct jfr_value value[1];
	struct cursor c;
	size_t i;

	for (i = 0; i < types->n; i++) {
		c = cursor_of(str_skip(s->chunk->bytes, (size_t)types->at[i]),
			      false);
		value[0] = (struct jfr_value){ 0 };
		s->text.len = 0;
		if (jfr_value_read(&s->type, &s->chunk->types, &c, value))
			put_string(s, value[0].at, &s->text);
		if (str_eq(buf_slice(&s->text), STR("Kernel")))
			return true;
	}
	return false;
}

static void
make_plans(struct jfr_stacks *s)
{
	const struct jfr_chunk *chunk = s->chunk;
	const struct jfr_types *t = &chunk->types;

	jfr_value_plan(&s->stack, t, jfr_chunk_pool_type(chunk, JFR_STACKS),
		       stack_fields);
	jfr_value_plan(&s->frame, t,
		       jfr_types_by_name(t, STR("jdk.types.StackFrame")),
		       frame_fields);
	jfr_value_plan(&s->method, t, jfr_chunk_pool_type(chunk, JFR_METHODS),
		       method_fields);
	jfr_value_plan(&s->class, t, jfr_chunk_pool_type(chunk, JFR_CLASSES),
		       class_fields);
	jfr_value_plan(&s->symbol, t, jfr_chunk_pool_type(chunk, JFR_SYMBOLS),
		       symbol_fields);
	jfr_value_plan(&s->thread, t, jfr_chunk_pool_type(chunk, JFR_THREADS),
		       thread_fields);
	jfr_value_plan(&s->type, t, jfr_chunk_pool_type(chunk, JFR_FRAME_TYPES),
		       type_fields);
}

void
jfr_stacks_begin(struct jfr_stacks *s, const struct jfr_chunk *chunk)
{
	/* a JVM begins a chunk in the moment in which it ends the last one */
	free_set(&s->before);
	if (chunk->start == s->end)
		s->before = s->now;
	else
		free_set(&s->now);
	s->now = (struct jfr_stack_set){ 0 };
	s->end = chunk->start + chunk->duration;
	s->chunk = chunk;
	if (s->frames != NULL)
		intern_free(s->frames);
	s->frames = intern_new();
	make_plans(s);
	s->is_async = has_kernel_type(s);
}

void
jfr_stacks_free(struct jfr_stacks *s)
{
	struct jfr_plan *const plans[] = { &s->stack, &s->frame,  &s->method,
					   &s->class, &s->symbol, &s->thread,
					   &s->type };
	size_t i;

	for (i = 0; i < sizeof(plans) / sizeof(*plans); i++)
		jfr_value_plan_free(plans[i]);
	free_set(&s->now);
	free_set(&s->before);
	if (s->frames != NULL)
		intern_free(s->frames);
	free(s->token);
	buf_free(&s->text);
	buf_free(&s->scratch);
}
