/* jfr_chunk.c - chunks of a JDK Flight Recorder file. */
#include "formats/jfr_chunk.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEADER = 68, GENERATION = 64, FLAGS = 66, COMPRESSED = 1 };

/* Types of events that every chunk has. */
enum { METADATA, CHECKPOINT };

/* Events of types with a higher id are not counted, and so not found. */
#define MAX_TYPE 1000000

#define MAGIC STR("FLR\0")

static const char *const pool_names[JFR_POOLS] = {
	[JFR_STACKS] = "jdk.types.StackTrace",
	[JFR_METHODS] = "jdk.types.Method",
	[JFR_CLASSES] = "java.lang.Class",
	[JFR_SYMBOLS] = "jdk.types.Symbol",
	[JFR_THREADS] = "java.lang.Thread",
	[JFR_FRAME_TYPES] = "jdk.types.FrameType",
	[JFR_STRINGS] = "java.lang.String",
};

static uint64_t
big_endian(struct str bytes, size_t at)
{
	uint64_t n;

	memcpy(&n, bytes.p + at, sizeof(n));
	return be64toh(n);
}

/*
 * The event at *at, and *at moves behind it.  False at the end, at zeros that
 * are not yet written, at the next chunk, and where the size is wrong.
 */
static bool
next_event(struct str bytes, size_t *at, struct jfr_event *event)
{
	const struct str rest = str_skip(bytes, *at);
	struct cursor c = cursor_of(rest, false);
	uint64_t size;

	/* the mark of a chunk would be an event of 70 bytes */
	if (rest.len == 0 || (*rest.p == 'F' && str_starts(rest, MAGIC)))
		return false;
	size = jfr_value_integer(&c);
	event->type = jfr_value_integer(&c);
	if (c.bad || size > rest.len || size < (uint64_t)(c.p - rest.p))
		return false;
	c.end = rest.p + size;
	event->fields = c;
	*at += (size_t)size;
	return true;
}

bool
jfr_chunk_event(const struct jfr_chunk *chunk, size_t *at,
		struct jfr_event *event)
{
	if (*at == 0)
		*at = HEADER;
	return next_event(chunk->bytes, at, event);
}

static void
count_event(struct jfr_chunk *chunk, uint64_t type)
{
	size_t from = chunk->seen_cap;

	if (type > MAX_TYPE)
		return;
	chunk->seen = mem_grow(chunk->seen, &chunk->seen_cap, (size_t)type + 1,
			       sizeof(*chunk->seen));
	if (chunk->seen_cap > from)
		memset(chunk->seen + from, 0,
		       (chunk->seen_cap - from) * sizeof(*chunk->seen));
	if (type >= chunk->nseen)
		chunk->nseen = (size_t)type + 1;
	if (chunk->seen[type]++ > 0)
		return;
	chunk->used = mem_grow(chunk->used, &chunk->used_cap, chunk->nused + 1,
			       sizeof(*chunk->used));
	chunk->used[chunk->nused++] = (uint32_t)type;
}

uint64_t
jfr_chunk_count(const struct jfr_chunk *chunk, uint64_t type)
{
	return type < chunk->nseen ? chunk->seen[type] : 0;
}

const struct jfr_type *
jfr_chunk_pool_type(const struct jfr_chunk *chunk, enum jfr_pool pool)
{
	return jfr_types_by_name(&chunk->types, str_of(pool_names[pool]));
}

/* A constant has one value, so that only the first is kept. */
static void
add_constant(struct jfr_constants *pool, uint64_t id, uint64_t at)
{
	uint32_t index;

	if (pool->n == UINT32_MAX || u64map_get(&pool->index, id, &index))
		return;
	pool->at = mem_grow(pool->at, &pool->cap, pool->n + 1,
			    sizeof(*pool->at));
	u64map_put(&pool->index, id, (uint32_t)pool->n);
	pool->at[pool->n++] = at;
}

bool
jfr_chunk_constant(const struct jfr_chunk *chunk, enum jfr_pool pool,
		   uint64_t id, struct cursor *c)
{
	uint32_t index;

	if (!u64map_get(&chunk->pool[pool].index, id, &index))
		return false;
	*c = cursor_of(
	    str_skip(chunk->bytes, (size_t)chunk->pool[pool].at[index]), false);
	return true;
}

static struct jfr_constants *
pool_of(struct jfr_chunk *chunk, const struct jfr_type *type)
{
	int i;

	for (i = 0; i < JFR_POOLS; i++) {
		if (str_eq(type->name, str_of(pool_names[i])))
			return &chunk->pool[i];
	}
	return NULL;
}

/* Index the constants of one type; false if the rest cannot be read. */
static bool
read_pool(struct jfr_chunk *chunk, struct cursor *c)
{
	const struct jfr_type *type = jfr_types_by_id(&chunk->types,
						      jfr_value_integer(c));
	struct jfr_constants *pool;
	uint64_t n = jfr_value_integer(c), id;

	if (type == NULL || n > cursor_left(c))
		return false;
	pool = pool_of(chunk, type);
	for (; n > 0 && !c->bad; n--) {
		id = jfr_value_integer(c);
		if (pool != NULL)
			add_constant(pool, id,
				     (uint64_t)(c->p - chunk->bytes.p));
		jfr_value_skip(&chunk->types, type, c);
	}
	return !c->bad;
}

static bool
read_checkpoint(struct jfr_chunk *chunk, struct cursor c)
{
	uint64_t pools;
	int i;

	/* start, duration, distance to the checkpoint before */
	for (i = 0; i < 3; i++)
		jfr_value_integer(&c);
	cursor_bytes(&c, 1); /* why it was written */
	for (pools = jfr_value_integer(&c); pools > 0 && !c.bad; pools--) {
		if (!read_pool(chunk, &c))
			return false;
	}
	return !c.bad;
}

static void
add_checkpoint(struct jfr_chunk *chunk, size_t at)
{
	chunk->checkpoint = mem_grow(chunk->checkpoint, &chunk->checkpoints_cap,
				     chunk->ncheckpoints + 1,
				     sizeof(*chunk->checkpoint));
	chunk->checkpoint[chunk->ncheckpoints++] = at;
}

/* Look at all events, and set the end of the chunk where they end. */
static void
scan(struct jfr_chunk *chunk, struct input *in, struct str *metadata)
{
	size_t at = 0, before;
	struct jfr_event event;

	for (before = HEADER; jfr_chunk_event(chunk, &at, &event);
	     before = at) {
		in->line++;
		count_event(chunk, event.type);
		if (event.type == CHECKPOINT)
			add_checkpoint(chunk, before);
		if (event.type == METADATA)
			*metadata = str_range(chunk->bytes.p + before,
					      event.fields.end);
	}
	if (before < chunk->bytes.len && !chunk->is_open)
		input_bad(in, "byte %" PRIu64 ": a malformed event",
			  chunk->offset + before);
	chunk->bytes.len = before;
}

static void
read_constants(struct jfr_chunk *chunk, struct input *in)
{
	struct jfr_event event;
	size_t i, at;

	for (i = 0; i < chunk->ncheckpoints; i++) {
		at = chunk->checkpoint[i];
		if (jfr_chunk_event(chunk, &at, &event) &&
		    !read_checkpoint(chunk, event.fields))
			input_bad(in,
				  "byte %" PRIu64 ": a malformed checkpoint",
				  chunk->offset + chunk->checkpoint[i]);
	}
}

/* Read the header.  Returns what is wrong, or NULL. */
static const char *
read_header(struct jfr_chunk *chunk, struct str bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;

	if (bytes.len < HEADER)
		return "the header of a chunk is truncated";
	if (p[4] != 0 || p[5] != 2)
		return "an unsupported version of JFR: only 2 is";
	if (!(p[FLAGS + 1] & COMPRESSED))
		return "a chunk with uncompressed integers";
	chunk->start = big_endian(bytes, 32);
	chunk->duration = big_endian(bytes, 40);
	chunk->ticks = big_endian(bytes, 48);
	chunk->frequency = big_endian(bytes, 56);
	if (chunk->frequency == 0)
		return "a chunk whose clock has no frequency";
	return NULL;
}

static struct str
rest_of(struct input *in)
{
	return input_bytes(in, in->size > 0 ? (size_t)in->size : SIZE_MAX);
}

/* Go to the next chunk; false if there is none. */
static bool
find_magic(struct input *in, uint64_t *skipped)
{
	struct str bytes, next;
	const char *p;

	*skipped = 0;
	while ((bytes = input_bytes(in, HEADER)).len > 0) {
		p = str_search(bytes, MAGIC);
		if (p != NULL) {
			*skipped += (uint64_t)(p - bytes.p);
			input_take(in, (size_t)(p - bytes.p));
			return true;
		}
		/* the mark may begin in the last bytes */
		next = bytes.len >= HEADER ? str_skip(bytes, bytes.len - 3) :
					     str_skip(bytes, bytes.len);
		*skipped += bytes.len - next.len;
		input_take(in, bytes.len - next.len);
	}
	return false;
}

/*
 * Forget the last chunk, but keep its table of counts: it may be much larger
 * than the chunk, so only what was counted is cleared.
 */
static void
reset(struct jfr_chunk *chunk)
{
	struct jfr_chunk next = { .seen = chunk->seen,
				  .seen_cap = chunk->seen_cap,
				  .nseen = chunk->nseen,
				  .used = chunk->used,
				  .used_cap = chunk->used_cap };

	for (; chunk->nused > 0; chunk->nused--)
		chunk->seen[chunk->used[chunk->nused - 1]] = 0;
	chunk->seen = NULL;
	chunk->used = NULL;
	jfr_chunk_free(chunk);
	*chunk = next;
}

/* The bytes of the chunk, by its header where that can be right. */
static void
take_bytes(struct jfr_chunk *chunk, struct input *in)
{
	struct str bytes = input_bytes(in, HEADER);
	const uint64_t size = big_endian(bytes, 8);

	chunk->is_open = bytes.p[GENERATION] != 0;
	if (!chunk->is_open && size >= HEADER && size <= SIZE_MAX) {
		bytes = input_bytes(in, (size_t)size);
		if (bytes.len >= size) {
			bytes.len = (size_t)size;
			chunk->bytes = bytes;
			return;
		}
	}
	if (!chunk->is_open)
		input_bad(in, "byte %" PRIu64 ": the chunk is truncated",
			  chunk->offset);
	chunk->is_open = true;
	chunk->bytes = rest_of(in);
}

/* Read a chunk, except its bytes, which are taken by the next call. */
static void
read_chunk(struct jfr_chunk *chunk, struct input *in)
{
	const char *wrong = read_header(chunk, input_bytes(in, HEADER));
	struct str metadata = { 0 };

	if (wrong != NULL) {
		input_bad(in, "byte %" PRIu64 ": %s", chunk->offset, wrong);
		chunk->bytes = input_bytes(in, 4);
		chunk->bytes.len = 4;
		return;
	}
	take_bytes(chunk, in);
	scan(chunk, in, &metadata);
	if (metadata.len == 0) {
		if (chunk->bytes.len > HEADER)
			input_bad(in,
				  "the chunk at byte %" PRIu64
				  " does not describe its events",
				  chunk->offset);
		return;
	}
	wrong = jfr_types_read(&chunk->types, metadata);
	if (wrong != NULL)
		input_bad(in, "the chunk at byte %" PRIu64 ": %s",
			  chunk->offset, wrong);
	else
		read_constants(chunk, in);
}

bool
jfr_chunk_next(struct jfr_chunk *chunk, struct input *in)
{
	const bool was_open = chunk->is_open;
	const uint64_t next = chunk->offset + chunk->bytes.len;
	uint64_t skipped;
	bool found;

	input_take(in, chunk->bytes.len);
	reset(chunk);
	found = find_magic(in, &skipped);
	if (skipped > 0 && (found || !was_open))
		input_bad(in,
			  "byte %" PRIu64 ": %" PRIu64 " bytes are not a chunk",
			  next, skipped);
	if (!found)
		return false;
	chunk->offset = next + skipped;
	read_chunk(chunk, in);
	return true;
}

void
jfr_chunk_free(struct jfr_chunk *chunk)
{
	int i;

	jfr_types_free(&chunk->types);
	for (i = 0; i < JFR_POOLS; i++) {
		u64map_free(&chunk->pool[i].index);
		free(chunk->pool[i].at);
	}
	free(chunk->seen);
	free(chunk->used);
	free(chunk->checkpoint);
	*chunk = (struct jfr_chunk){ 0 };
}

uint64_t
jfr_chunk_ns(const struct jfr_chunk *chunk, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * 1000000000 /
			  chunk->frequency);
}

uint64_t
jfr_chunk_time(const struct jfr_chunk *chunk, uint64_t ticks)
{
	/* an event may begin before its chunk does */
	if (ticks < chunk->ticks)
		return chunk->start - jfr_chunk_ns(chunk, chunk->ticks - ticks);
	return chunk->start + jfr_chunk_ns(chunk, ticks - chunk->ticks);
}
