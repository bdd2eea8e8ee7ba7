/* jitnames.c - names of JIT code as text of folded frames, for jitsym(1). */
#include "perf/jitnames.h"

#include "base/intern.h"
#include "base/mem.h"
#include "perf/jit_inlined.h"

#include <stdlib.h>

/*
 * A cached answer for a sum of samples.  It is small because hundreds of
 * thousands of addresses recur.
 */
struct recent_name {
	uint64_t address; /* the highest bit says that it is a call */
	int32_t pid;
	/* text is a number of jitnames_find() plus 1; 0 if unused. */
	uint32_t java : 1, marked : 1, shared : 1, text : 29;
};

#define RECENT_BITS 19

enum { STYLES = 4 }; /* java or not, marked or not */

struct jitnames {
	struct jit *jit;
	struct intern *names;
	struct tokens *tokens;
	uint32_t *text[STYLES]; /* number plus 1, by symbol number */
	size_t cap[STYLES];
	struct recent_name *recent;
	struct buf name;
};

struct jitnames *
jitnames_new(struct jit *jit, const struct token_options *options)
{
	struct jitnames *n = mem_zero(1, sizeof(*n));

	n->jit = jit;
	n->names = intern_new();
	n->tokens = tokens_new(n->names, options);
	n->recent = mem_zero((size_t)1 << RECENT_BITS, sizeof(*n->recent));
	return n;
}

void
jitnames_free(struct jitnames *n)
{
	int i;

	tokens_free(n->tokens);
	intern_free(n->names);
	for (i = 0; i < STYLES; i++)
		free(n->text[i]);
	free(n->recent);
	buf_free(&n->name);
	free(n);
}

struct str
jitnames_text(const struct jitnames *n, uint32_t number)
{
	return intern_name(n->names, number);
}

static uint32_t
make_text(struct jitnames *n, const struct jit_symbol *symbol,
	  const struct jitnames_place *place)
{
	struct frame frame = { .name = symbol->name };
	struct inlined_frame *inlined;
	struct ids ids = { 0 };
	uint32_t token;
	size_t i;

	frame.kind = place->marked ? FRAME_JIT : FRAME_USER;
	inlined = jit_inlined_frames(symbol, &frame);
	token = tokens_make(n->tokens, &frame, place->java);
	free(inlined);
	tokens_names(n->tokens, &ids, &token, 1, true);
	n->name.len = 0;
	for (i = 0; i < ids.n; i++) {
		if (i > 0)
			buf_char(&n->name, ';');
		buf_str(&n->name, intern_name(n->names, ids.id[i]));
	}
	free(ids.id);
	return intern_id(n->names, buf_slice(&n->name));
}

static uint32_t
symbol_text(struct jitnames *n, const struct jit_symbol *symbol,
	    const struct jitnames_place *place)
{
	int style = place->java + 2 * place->marked;
	uint32_t **text = &n->text[style];
	size_t old = n->cap[style];

	if (symbol->number >= old) {
		*text = mem_grow(*text, &n->cap[style],
				 (size_t)symbol->number + 1, sizeof(**text));
		memset(*text + old, 0, (n->cap[style] - old) * sizeof(**text));
	}
	if ((*text)[symbol->number] == 0)
		(*text)[symbol->number] = make_text(n, symbol, place) + 1;
	return (*text)[symbol->number] - 1;
}

static uint32_t
look_up(struct jitnames *n, const struct jitnames_place *place)
{
	struct jit_symbol symbol;

	if (!jit_find(n->jit,
		      &(struct jit_place){ place->pid, place->time,
					   place->address, place->is_call },
		      &symbol))
		return JITNAMES_NONE;
	return symbol_text(n, &symbol, place);
}

/* Programs have no address with the highest bit. */
static uint64_t
address_key(const struct jitnames_place *place)
{
	return place->address | (uint64_t)place->is_call << 63;
}

static struct recent_name *
cached_name(const struct jitnames *n, const struct jitnames_place *place)
{
	uint64_t hash = (address_key(place) ^ (uint64_t)place->pid << 40) *
			0x9e3779b97f4a7c15u;

	return &n->recent[hash >> (64 - RECENT_BITS)];
}

void
jitnames_prepare(const struct jitnames *n, const struct jitnames_place *place)
{
	__builtin_prefetch(cached_name(n, place));
}

/* Replace a cached answer. */
static void
remember(struct jitnames *n, const struct jitnames_place *place,
	 struct recent_name *r)
{
	uint32_t text = look_up(n, place);

	*r = (struct recent_name){ .address = address_key(place),
				   .pid = (int32_t)place->pid,
				   .java = place->java,
				   .marked = place->marked };
	r->text = (text == JITNAMES_NONE ? JITNAMES_NONE : text + 1) &
		  JITNAMES_NONE;
	r->shared = text != JITNAMES_NONE &&
		    jit_is_shared(n->jit, place->pid, place->address);
}

uint32_t
jitnames_find(struct jitnames *n, struct jitnames_place *place)
{
	struct recent_name *r = cached_name(n, place);
	uint32_t text;

	if (place->time != JIT_LAST)
		return look_up(n, place);
	if (r->text == 0 || r->address != address_key(place) ||
	    r->pid != place->pid || r->java != place->java ||
	    r->marked != place->marked)
		remember(n, place, r);
	place->shared = r->shared;
	text = r->text;
	return text == JITNAMES_NONE ? JITNAMES_NONE : text - 1;
}
