/* cpython_coroutines.c - what suspended coroutines await. */
#include "interp/cpython_coroutines.h"

#include "base/peek.h"

/* Fields that are where they are in all versions. */
enum {
	OBJECT_TYPE = 8,
	WRAPPED = 16, /* by what await makes of a coroutine or generator */
	LEAST_VERSION = 7
};

/* From the headers of each version. */
static const struct cpython_coroutine_layout {
	/* Of PyCoroObject: its frame, or up to 3.10 the frame's address. */
	uint32_t frame;
	uint32_t frame_state; /* from 3.11 on */
	uint32_t code_bytes;  /* co_code of PyCodeObject, up to 3.10 */
} layouts[] = { { 16, 0, 40 }, { 16, 0, 48 }, { 16, 0, 48 },
		{ 16, 0, 48 }, { 80, 75, 0 }, { 72, 67, 0 },
		{ 72, 67, 0 }, { 72, 67, 0 }, { 72, 67, 0 } };

/* Fields of frames. */
enum {
	OLD_VALUES = 64,    /* f_valuestack */
	OLD_TOP = 72,       /* f_stacktop, up to 3.9 */
	DEPTH_3_10 = 80,    /* f_stackdepth */
	STATE_3_10 = 108,   /* f_state */
	OLD_SIZE = 112,     /* enough for these */
	STACK_TOP = 64,     /* stacktop, from 3.11 on */
	LOCALS = 72,        /* localsplus; from 3.14 on: */
	LOCALS_3_14 = 80,   /* and STACK_TOP has an address */
	YIELD_FROM = 72,    /* an instruction up to 3.10 */
	SUSPENDED_3_10 = -1 /* the same */
};

/* States of coroutines, in the order of frame_state from 3.13 on. */
enum state { STATE_CREATED, STATE_SUSPENDED, STATE_AWAITS, STATE_RUNS };

void
cpython_coroutines_init(struct cpython_coroutines *all,
			struct cpython_objects *objects)
{
	const struct cpython_layout *l = objects->l;
	const size_t n = sizeof(layouts) / sizeof(*layouts);

	*all = (struct cpython_coroutines){ .objects = objects };
	if (l->major == 3 && l->minor >= LEAST_VERSION &&
	    l->minor < LEAST_VERSION + n)
		all->t = &layouts[l->minor - LEAST_VERSION];
}

void
cpython_coroutines_begin(struct cpython_coroutines *all)
{
	all->kinds = 0;
}

static enum cpython_kind
find_kind(struct cpython_objects *o, uint64_t type)
{
	static const char *const coroutines[] = { "coroutine", "generator",
						  "async_generator" };
	static const char *const wrappers[] = { "coroutine_wrapper",
						"async_generator_asend",
						"async_generator_athrow",
						"anext_awaitable" };
	size_t i;

	for (i = 0; i < sizeof(coroutines) / sizeof(*coroutines); i++) {
		if (cpython_objects_is(o, type, str_of(coroutines[i]), false))
			return CPYTHON_COROUTINE;
	}
	for (i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++) {
		if (cpython_objects_is(o, type, str_of(wrappers[i]), false))
			return CPYTHON_WRAPPER;
	}
	return cpython_objects_is(o, type, STR("_asyncio.Task"), true) ?
		   CPYTHON_TASK :
		   CPYTHON_OTHER;
}

enum cpython_kind
cpython_coroutines_kind(struct cpython_coroutines *all, struct interp_copy *c,
			uint64_t object)
{
	const uint64_t type = interp_copy_word(c, object + OBJECT_TYPE);
	enum cpython_kind kind;
	size_t i;

	if (type == 0)
		return CPYTHON_OTHER;
	for (i = 0; i < all->kinds; i++) {
		if (all->kind[i].type == type)
			return all->kind[i].kind;
	}
	kind = find_kind(all->objects, type);
	if (all->kinds < CPYTHON_KINDS)
		all->kind[all->kinds++] = (struct cpython_class){ type, kind };
	return kind;
}

/* A suspended coroutine. */
struct suspended {
	uint64_t code;
	int64_t ip;
	uint64_t awaits; /* an object, or 0 */
};

/* Frames that are objects: up to 3.10. */
static bool
read_old(struct cpython_coroutines *all, struct interp_copy *c,
	 uint64_t coroutine, struct suspended *s)
{
	const bool has_state = all->objects->l->minor == 10;
	const uint64_t frame = interp_copy_word(c, coroutine + all->t->frame);
	uint64_t values, top, code_bytes;
	char bytes[OLD_SIZE], instruction;
	int32_t last;

	if (frame == 0 || frame % 8 != 0 ||
	    !interp_copy_get(c, frame, bytes, sizeof(bytes), sizeof(bytes)))
		return false;
	values = peek_u64(bytes, OLD_VALUES);
	top = has_state ? values + 8 * (uint64_t)peek_u32(bytes, DEPTH_3_10) :
			  peek_u64(bytes, OLD_TOP);
	last = peek_i32(bytes, all->objects->l->frame.ip);
	if (has_state ? (signed char)bytes[STATE_3_10] > SUSPENDED_3_10 :
			top == 0)
		return false;
	*s = (struct suspended){ peek_u64(bytes, all->objects->l->frame.code),
				 last, 0 };
	if (last < 0 || top <= values)
		return true;
	/* f_lasti counts instructions in 3.10, and bytes before. */
	code_bytes = interp_copy_word(c, s->code + all->t->code_bytes);
	if (!interp_copy_get(c,
			     code_bytes + all->objects->l->bytes +
				 ((uint64_t)last * (has_state ? 2 : 1)) + 2,
			     &instruction, 1, 1))
		return false;
	if (instruction == YIELD_FROM)
		s->awaits = interp_copy_word(c, top - 8);
	return true;
}

/* Whether the instruction after a yield says that the frame awaits: RESUME. */
static bool
resumes_await(struct interp_copy *c, uint64_t ip)
{
	const unsigned after_yield_from = 2;
	unsigned char instruction[2];

	return interp_copy_get(c, ip + 2, instruction, sizeof(instruction),
			       sizeof(instruction)) &&
	       instruction[1] >= after_yield_from;
}

/*
 * Where the value of a frame from 3.11 on is that it may await; 0: it has none.
 * From 3.15 on another one is above it, which says how to iterate over it.
 */
static uint64_t
find_awaited(const struct cpython_coroutines *all, uint64_t frame,
	     const char *bytes)
{
	const int32_t depth = peek_i32(bytes, STACK_TOP);
	const uint64_t top = peek_u64(bytes, STACK_TOP);
	const uint64_t above = all->objects->l->minor >= 15 ? 2 : 1;

	if (all->objects->l->minor >= 14)
		return top >= frame + LOCALS_3_14 + 8 * above ?
			   top - 8 * above :
			   0;
	return depth > 0 ? frame + LOCALS + 8 * (uint64_t)(depth - 1) : 0;
}

/* Up to 3.12, a coroutine that awaits is suspended like others. */
static enum state
find_state(const struct cpython_coroutines *all, signed char state)
{
	enum { FIRST_3_13 = -3, AWAITS_LOCKED_3_15 = 3, SUSPENDED_3_11 = -1 };
	const unsigned minor = all->objects->l->minor;

	if (minor < 13)
		return state > SUSPENDED_3_11  ? STATE_RUNS :
		       state == SUSPENDED_3_11 ? STATE_SUSPENDED :
						 STATE_CREATED;
	if (minor < 15)
		state = (signed char)(state - FIRST_3_13);
	else if (state == AWAITS_LOCKED_3_15)
		state = STATE_AWAITS;
	return state >= STATE_CREATED && state <= STATE_AWAITS ?
		   (enum state)state :
		   STATE_RUNS;
}

/* Frames within the coroutine: from 3.11 on. */
static bool
read_new(struct cpython_coroutines *all, struct interp_copy *c,
	 uint64_t coroutine, struct suspended *s)
{
	const uint32_t at = all->t->frame;
	char bytes[256];
	uint64_t awaited;
	enum state state;

	if (!interp_copy_get(c, coroutine, bytes, at + LOCALS, at + LOCALS))
		return false;
	state = find_state(all, (signed char)bytes[all->t->frame_state]);
	if (state == STATE_RUNS)
		return false;
	*s = (struct suspended){
		peek_u64(bytes, at + all->objects->l->frame.code) &
		    ~CPYTHON_TAG_BITS,
		(int64_t)peek_u64(bytes, at + all->objects->l->frame.ip), 0
	};
	awaited = find_awaited(all, coroutine + at, bytes + at);
	if (state == STATE_CREATED || awaited == 0)
		return true;
	if (state == STATE_AWAITS ||
	    (all->objects->l->minor < 13 && resumes_await(c, (uint64_t)s->ip)))
		s->awaits = interp_copy_word(c, awaited) & ~CPYTHON_TAG_BITS;
	return true;
}

bool
cpython_coroutines_add(struct cpython_coroutines *all, struct interp_copy *c,
		       uint64_t coroutine, struct interp_stack *s)
{
	struct suspended suspended;
	enum cpython_kind kind;
	int i;

	for (i = 0; i < INTERP_STACK_DEPTH; i++) {
		kind = cpython_coroutines_kind(all, c, coroutine);
		if (kind == CPYTHON_WRAPPER) {
			coroutine = interp_copy_word(c, coroutine + WRAPPED);
			continue;
		}
		if (kind != CPYTHON_COROUTINE)
			return true;
		if (!(all->objects->l->frames == CPYTHON_OBJECTS ?
			  read_old(all, c, coroutine, &suspended) :
			  read_new(all, c, coroutine, &suspended)) ||
		    !interp_stack_add(s, suspended.code, suspended.ip))
			return false;
		coroutine = suspended.awaits;
		if (coroutine == 0)
			return true;
	}
	return false;
}
