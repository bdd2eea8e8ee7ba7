/* php_walk.c - the frames of a thread of PHP. */
#include "interp/php_walk.h"

#include "base/mem.h"
#include "base/peek.h"

/* Calls of the system that one sample may need. */
enum { MAX_READS = 1024 };

/* A page of the VM's stack begins with top, end, and the page before it. */
enum { PAGE_END = 8, PAGE_PREVIOUS = 16, PAGE_HEAD = 24, PAGES = 64 };

/* Copied beyond the innermost frame, since the next sample may be deeper. */
enum { ROUND = 4096 };

/* The type of This if it is an object, in the lowest byte. */
enum { TYPE_OBJECT = 8 };

/*
 * A generator has its execute_data at one of two places, 8.0 and 7.4; the
 * parent that it delegates for comes at the same distance.
 */
enum { GENERATOR_NEW = 56, GENERATOR_OLD = 64, GENERATOR_PARENT = 96 };

/* A generator has a placeholder of a call in it, not farther than this. */
enum { GENERATOR_BYTES = 256 };

/* How deep generators may delegate to others. */
enum { DELEGATIONS = 256 };

struct php_walk {
	struct interp_copy *copy;
	struct php_calls *calls;
	uint64_t page; /* of the VM's stack, the next one to copy */
	int pages;
};

/*
 * Copy the page with a call from its begin on, which has the calls before it,
 * or from where the last sample ended, which overlaps so that they become one
 * block.  A fiber's callers are in pages of another stack, where the begin is
 * unknown.
 */
static void
copy_page(struct php_walk *w, uint64_t call)
{
	char head[PAGE_HEAD], bytes[ROUND];
	uint64_t page, start, end;
	size_t n;

	while (w->page != 0 && w->pages < PAGES) {
		page = w->page;
		if (!interp_copy_get(w->copy, page, head, sizeof(head), 0))
			break;
		end = peek_u64(head, PAGE_END);
		if (call > page && call < end) {
			start = page + PAGE_HEAD;
			while (start + ROUND < call &&
			       interp_copy_has(w->copy, start, ROUND))
				start += ROUND;
			n = (call - start) / ROUND * ROUND + 2 * ROUND;
			if (n > end - start)
				n = end - start;
			interp_copy_get(w->copy, start, bytes,
					n < ROUND ? n : ROUND, n);
			return;
		}
		w->page = peek_u64(head, PAGE_PREVIOUS);
		w->pages++;
	}
	w->page = 0;
	page = call / ROUND * ROUND;
	interp_copy_get(w->copy, page, head, 1, 2 * ROUND);
}

static bool
read_call(struct php_walk *w, uint64_t address, char bytes[PHP_CALL_BYTES])
{
	if (address % 8 != 0)
		return false;
	if (!interp_copy_has(w->copy, address, PHP_CALL_BYTES))
		copy_page(w, address);
	return interp_copy_get(w->copy, address, bytes, PHP_CALL_BYTES,
			       PHP_CALL_BYTES);
}

static bool
add_call(struct php_walk *w, const char *bytes, bool suspended)
{
	struct php_calls *c = w->calls;

	if (c->n == INTERP_STACK_DEPTH)
		return false;
	c->call = mem_grow(c->call, &c->cap, c->n + 1, sizeof(*c->call));
	c->call[c->n] = (struct php_vm_call){
		.opline = peek_u64(bytes, PHP_CALL_OPLINE),
		.function = peek_u64(bytes, PHP_CALL_FUNCTION),
		.suspended = suspended,
	};
	memcpy(&c->call[c->n].info, bytes + PHP_CALL_INFO,
	       sizeof(c->call->info));
	c->n++;
	return true;
}

/* Generators. */

struct php_generator {
	uint64_t call, parent;
	char bytes[PHP_CALL_BYTES]; /* of its call */
};

/* Read a generator; false if it has ended, or is something else. */
static bool
read_generator(struct php_walk *w, uint64_t address, struct php_generator *g)
{
	static const uint8_t places[] = { GENERATOR_NEW, GENERATOR_OLD };
	char bytes[GENERATOR_OLD + GENERATOR_PARENT + sizeof(uint64_t)];
	size_t i;

	if (address % 8 != 0 || !interp_copy_get(w->copy, address, bytes,
						 sizeof(bytes), sizeof(bytes)))
		return false;
	for (i = 0; i < sizeof(places); i++) {
		g->call = peek_u64(bytes, places[i]);
		g->parent = peek_u64(bytes, places[i] + GENERATOR_PARENT);
		if (g->call != 0 && g->call % 8 == 0 &&
		    interp_copy_get(w->copy, g->call, g->bytes, PHP_CALL_BYTES,
				    PHP_CALL_BYTES) &&
		    peek_u64(g->bytes, PHP_CALL_RESULT) == address)
			return true;
	}
	return false;
}

/*
 * A placeholder stands for the generators that wait until the running one, to
 * which they delegate, ends: from its own generator to that one's parent, and
 * without it.  The parent of a generator is the one that it delegates to.
 */
static bool
add_delegations(struct php_walk *w, uint64_t generator)
{
	struct php_generator g[DELEGATIONS];
	size_t n = 0;

	while (n < DELEGATIONS && read_generator(w, generator, &g[n]) &&
	       g[n].parent != 0)
		generator = g[n++].parent;
	if (n == DELEGATIONS)
		return false;
	while (n > 0) {
		if (!add_call(w, g[--n].bytes, true))
			return false;
	}
	return true;
}

/* Whether a call without a function is a placeholder in its generator. */
static bool
is_placeholder(const char *bytes, uint64_t address, uint64_t *generator)
{
	*generator = peek_u64(bytes, PHP_CALL_THIS);
	return bytes[PHP_CALL_INFO] == TYPE_OBJECT && address > *generator &&
	       address - *generator < GENERATOR_BYTES;
}

/* Calls. */

/* Read the calls from one on into w->calls; false if some are missing. */
static bool
read_calls(struct php_walk *w, uint64_t address)
{
	char bytes[PHP_CALL_BYTES];
	uint64_t generator;
	int steps;

	w->calls->n = 0;
	for (steps = 0; address != 0; steps++) {
		if (steps == 2 * INTERP_STACK_DEPTH ||
		    !read_call(w, address, bytes))
			return false;
		if (peek_u64(bytes, PHP_CALL_FUNCTION) != 0) {
			if (!add_call(w, bytes, false))
				return false;
		} else if (is_placeholder(bytes, address, &generator) &&
			   !add_delegations(w, generator)) {
			return false;
		}
		address = peek_u64(bytes, PHP_CALL_PREVIOUS);
	}
	return true;
}

/*
 * Add the frames of calls.  An execute_ex() executes calls up to one with a
 * flag.  Functions written in C are called by it, so they belong to the same
 * segment.  The call that begins a fiber has an internal function without a
 * name.
 */
static bool
add_frames(struct php_functions *functions, const struct php_calls *calls,
	   struct interp_copy *copy, struct interp_stack *s)
{
	/* Functions of this stack, so that most are looked for once. */
	struct {
		uint64_t address;
		struct php_function f;
	} seen[16] = { 0 }, *last;
	const struct php_vm_call *c;
	struct php_function f;
	size_t i;

	for (i = 0; i < calls->n; i++) {
		c = &calls->call[i];
		last = &seen[c->function / 16 % 16];
		if (last->address != c->function) {
			if (!php_functions_find(functions, copy, c->function,
						&last->f))
				return false;
			last->address = c->function;
		}
		f = last->f;
		if (f.internal && f.nameless) {
			/* While it suspends itself, it has no callers. */
			if (i + 1 == calls->n)
				return false;
			interp_stack_switch(s);
			continue;
		}
		if (!interp_stack_add(s, f.number, (int64_t)c->opline))
			return false;
		if (!f.internal && !c->suspended && (c->info & PHP_CALL_TOP))
			interp_stack_end_segment(s, 0);
	}
	return true;
}

void
php_walk(struct php_functions *functions, struct php_calls *calls,
	 struct interp_copy *copy, uint64_t globals, struct interp_stack *s)
{
	struct php_walk w = { .copy = copy, .calls = calls };
	char bytes[PHP_GLOBALS_BYTES];

	s->may_be_early = true;
	copy->max_reads = MAX_READS;
	if (!interp_copy_get(copy, globals + PHP_GLOBALS_STACK, bytes,
			     sizeof(bytes), sizeof(bytes))) {
		s->complete = false;
		return;
	}
	w.page = peek_u64(bytes, 0);
	s->complete = read_calls(&w, peek_u64(bytes, PHP_GLOBALS_CURRENT)) &&
		      add_frames(functions, calls, copy, s);
}

/* Append a C string, cleaned, up to n bytes or a question mark. */
static void
add_string(struct interp_copy *copy, uint64_t address, struct buf *out,
	   size_t n)
{
	enum { PIECE = 32 };
	char bytes[PIECE];
	size_t i, at;

	for (at = 0; at < n; at += PIECE) {
		if (!interp_copy_get(copy, address + at, bytes, PIECE, PIECE))
			return;
		for (i = 0; i < PIECE; i++) {
			if (bytes[i] == '\0' || bytes[i] == '?')
				return;
			buf_char(out, bytes[i] > ' ' && bytes[i] <= '~' &&
					      bytes[i] != ';' ?
					  bytes[i] :
					  '?');
		}
	}
}

void
php_walk_request(struct php_functions *functions, struct interp_copy *copy,
		 uint64_t sapi, struct interp_stack *s)
{
	enum { METHOD_BYTES = 32, URI_BYTES = 512 };
	char bytes[PHP_REQUEST_URI + 8];
	uint64_t method, uri;
	struct buf text = { 0 };

	if (s->n == 0 ||
	    !interp_copy_get(copy, sapi, bytes, sizeof(bytes), sizeof(bytes)))
		return;
	method = peek_u64(bytes, PHP_REQUEST_METHOD);
	uri = peek_u64(bytes, PHP_REQUEST_URI);
	if (method == 0 || uri == 0)
		return;
	add_string(copy, method, &text, METHOD_BYTES);
	buf_char(&text, ' ');
	add_string(copy, uri, &text, URI_BYTES);
	interp_stack_add(s, php_functions_add_text(functions, buf_slice(&text)),
			 0);
	buf_free(&text);
}
