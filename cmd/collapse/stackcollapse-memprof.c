/*
 * stackcollapse-memprof - fold a profile of misc.memprof, the memory profiler
 * of Tarantool's LuaJIT.
 *
 * Source: lj_memprof.h of that LuaJIT.
 */
#include "base/mem.h"
#include "base/u64map.h"
#include "codec/proto.h"
#include "formats/luajit_symtab.h"
#include "reader/collapse.h"

#include <stdlib.h>

enum { OPT_ALLOC = CMD_LONG, OPT_FREE, OPT_LIVE };

static const struct cmd_option options[] = {
	{ "alloc", OPT_ALLOC, NULL, "count bytes by allocating stack (default)",
	  false },
	{ "free", OPT_FREE, NULL, "count bytes by freeing stack", false },
	{ "live", OPT_LIVE, NULL, "count bytes not freed at the end", false },
	{ NULL, 0, NULL, NULL, false }
};

static int view = OPT_ALLOC;

static bool
set_option(int value, char *arg)
{
	(void)arg;
	if (value == OPT_ALLOC || value == OPT_FREE || value == OPT_LIVE)
		view = value;
	return value == view;
}

enum { FORMAT = 3 };

enum { EVENT_SYMBOL, EVENT_ALLOC, EVENT_FREE, EVENT_REALLOC };
enum { SOURCE_INTERNAL = 1, SOURCE_LFUNC, SOURCE_CFUNC, SOURCE_TRACE };

/* A piece of memory. */
struct memory_chunk {
	uint32_t token; /* of the frame that allocated it */
	bool freed;
	uint64_t size;
};

struct memprof {
	struct input *in;
	struct sink *out;
	struct luajit_symtab *symbols;
	struct u64map by_address; /* indices of chunks */
	struct memory_chunk *chunk;
	size_t nchunks, chunk_cap;
};

static void
push(struct memprof *p, uint32_t token, uint64_t size)
{
	struct sample sample = SAMPLE_UNKNOWN;

	sample.unit = STR("bytes");
	if (!sink_begin(p->out, &sample))
		return;
	sink_push(p->out, &token, 1);
	sink_end(p->out, count_of(size));
}

/* Record an allocation; a reused address reuses its chunk. */
static void
note_alloc(struct memprof *p, uint64_t address, struct memory_chunk chunk)
{
	uint32_t i;

	if (view != OPT_LIVE)
		return;
	if (!u64map_get(&p->by_address, address, &i)) {
		i = (uint32_t)p->nchunks++;
		p->chunk = mem_grow(p->chunk, &p->chunk_cap, p->nchunks,
				    sizeof(chunk));
		u64map_put(&p->by_address, address, i);
	}
	p->chunk[i] = chunk;
}

/* Record that a chunk is freed; returns the frame that first allocated it. */
static uint32_t
note_free(struct memprof *p, uint64_t address, uint32_t token)
{
	uint32_t i;

	if (!u64map_get(&p->by_address, address, &i) || p->chunk[i].freed)
		return token;
	p->chunk[i].freed = true;
	return p->chunk[i].token;
}

/* Read the frame where an event happened; there is no stack. */
static bool
read_frame(struct memprof *p, int source, struct str *rest, uint32_t *token)
{
	uint64_t n, line;

	switch (source) {
	case SOURCE_INTERNAL:
		*token = luajit_symtab_name(p->symbols, STR("INTERNAL"),
					    FRAME_USER);
		return true;
	case SOURCE_LFUNC:
		if (!proto_varint(rest, &n) || !proto_varint(rest, &line))
			return false;
		*token = luajit_symtab_lua(p->symbols, n, line);
		return true;
	case SOURCE_CFUNC:
		if (!proto_varint(rest, &n))
			return false;
		*token = luajit_symtab_c(p->symbols, n);
		return true;
	case SOURCE_TRACE:
		if (!proto_varint(rest, &n))
			return false;
		*token = luajit_symtab_trace(p->symbols, n);
		return true;
	}
	return false;
}

static bool
read_symbol(struct memprof *p, int source, struct str *rest)
{
	switch (source) {
	case SOURCE_LFUNC:
		return luajit_symtab_add(p->symbols, LUAJIT_SYMTAB_LFUNC, rest);
	case SOURCE_CFUNC:
		return luajit_symtab_add(p->symbols, LUAJIT_SYMTAB_CFUNC, rest);
	case SOURCE_TRACE:
		return luajit_symtab_add(p->symbols, LUAJIT_SYMTAB_TRACE, rest);
	}
	return false;
}

/* Parse the whole event before acting on it: it may be incomplete. */
static bool
read_event(void *arg, int head, struct str *rest)
{
	uint64_t old = 0, old_size = 0, new = 0, size = 0;
	struct memprof *p = arg;
	int event = head & 3;
	uint32_t token = 0, owner;

	if (event == EVENT_SYMBOL)
		return read_symbol(p, head >> 2, rest);
	if (!read_frame(p, head >> 2, rest, &token) ||
	    (event != EVENT_ALLOC &&
	     (!proto_varint(rest, &old) || !proto_varint(rest, &old_size))) ||
	    (event != EVENT_FREE &&
	     (!proto_varint(rest, &new) || !proto_varint(rest, &size))))
		return false;
	owner = token;
	if (event != EVENT_ALLOC)
		owner = note_free(p, old, token);
	if (event != EVENT_FREE)
		note_alloc(p, new, (struct memory_chunk){ owner, false, size });
	if (event != EVENT_ALLOC && view == OPT_FREE)
		push(p, token, old_size);
	if (event != EVENT_FREE && view == OPT_ALLOC)
		push(p, token, size);
	p->in->tally->good++;
	return true;
}

static void
read_memprof(struct input *in, struct sink *out)
{
	struct memprof p = { .in = in, .out = out };
	const char *wrong;
	size_t i;

	if (input_peek(in, 1).len == 0)
		return;
	in->tally->bad_unit = "event";
	p.symbols = luajit_symtab_new(out);
	wrong = luajit_symtab_read(p.symbols, in, 'm', FORMAT, read_event, &p);
	if (wrong != NULL)
		input_bad(in, "%s", wrong);
	for (i = 0; i < p.nchunks; i++) {
		if (!p.chunk[i].freed)
			push(&p, p.chunk[i].token, p.chunk[i].size);
	}
	luajit_symtab_free(p.symbols);
	u64map_free(&p.by_address);
	free(p.chunk);
}

int
main(int argc, char *argv[])
{
	static const struct reader memprof = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of memprof of Tarantool's LuaJIT.",
		.options = options,
		.setopt = set_option,
		.read = read_memprof
	};

	return collapse_main(argc, argv, &memprof);
}
