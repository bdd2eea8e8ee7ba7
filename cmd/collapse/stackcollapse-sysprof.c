/*
 * stackcollapse-sysprof - fold a profile of misc.sysprof, the platform profiler
 * of Tarantool's LuaJIT.
 *
 * Source: lj_sysprof.h of that LuaJIT.
 */
#include "base/mem.h"
#include "codec/proto.h"
#include "formats/luajit_symtab.h"
#include "os/datafile.h"
#include "reader/collapse.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { OPT_MIXED = CMD_LONG, OPT_GUEST, OPT_HOST, OPT_STATE, OPT_FFNAMES };

static const struct cmd_option options[] = {
	{ "mixed", OPT_MIXED, NULL,
	  "show Lua frames between C frames (default)", false },
	{ "guest", OPT_GUEST, NULL, "show Lua frames only", false },
	{ "host", OPT_HOST, NULL, "show C frames only", false },
	{ "state", OPT_STATE, NULL, "add a root frame: the VM's state", false },
	{ "ffnames", OPT_FFNAMES, "FILE",
	  "read the names of fast functions from FILE", false },
	{ NULL, 0, NULL, NULL, false }
};

static int view = OPT_MIXED;
static bool with_state;
static const char *ffnames_file;
static struct sandbox may;

static bool
set_option(int value, char *arg)
{
	switch (value) {
	case OPT_MIXED:
	case OPT_GUEST:
	case OPT_HOST:
		view = value;
		break;
	case OPT_STATE:
		with_state = true;
		break;
	case OPT_FFNAMES:
		ffnames_file = arg;
		may.reads_all = true;
		break;
	default:
		return false;
	}
	return true;
}

enum { FORMAT = 2, END = 0x80 /* of a stack */ };

/* Types of records: a sample in a state of the VM, or a new symbol. */
enum {
	STATE_LFUNC = 1,
	STATE_CFUNC = 3,
	STATE_TRACE = 9,
	NEW_LFUNC = 10,
	NEW_CFUNC = 11,
	NEW_TRACE = 12
};

static const char *const states[] = { "[INTERP]", "[LFUNC]", "[FFUNC]",
				      "[CFUNC]",  "[GC]",    "[EXIT]",
				      "[RECORD]", "[OPT]",   "[ASM]",
				      "[TRACE]" };

/* Types of frames in a stack of Lua. */
enum { GUEST_LFUNC = 1, GUEST_CFUNC = 2, GUEST_FFUNC = 3 };

/* The stack of Lua (guest) or of C (host). */
struct side_stack {
	uint32_t *token;
	bool *is_c;
	size_t n, cap, is_c_cap;
};

struct sysprof {
	struct input *in;
	struct sink *out;
	struct luajit_symtab *symbols;
	struct side_stack guest, host; /* leaf first */
	uint32_t *ffunc;               /* tokens of named fast functions */
	size_t nffunc, ffunc_cap;
	uint32_t cpcall, pcall, call, state[STATE_TRACE + 1];
};

/* The path of a file, or of an installed table of that name. */
static void
find_ffnames(struct buf *path)
{
	struct buf name = { 0 };

	buf_printf(&name, "ffnames/%s", ffnames_file);
	buf_char(&name, '\0');
	if (access(ffnames_file, R_OK) == 0 || !datafile_find(path, name.p)) {
		path->len = 0;
		buf_add(path, ffnames_file, strlen(ffnames_file) + 1);
	}
	buf_free(&name);
}

/* Read names of fast functions, one a line, from number 0 on. */
static void
read_ffnames(struct sysprof *p)
{
	struct tally tally = { 0 };
	struct buf path = { 0 };
	struct input in;
	struct str name;

	find_ffnames(&path);
	input_open(&in, path.p, &tally);
	while (input_line(&in, &name)) {
		p->ffunc = mem_grow(p->ffunc, &p->ffunc_cap, p->nffunc + 1,
				    sizeof(*p->ffunc));
		p->ffunc[p->nffunc++] = luajit_symtab_name(
		    p->symbols, str_trim(name), FRAME_USER);
	}
	input_close(&in);
	buf_free(&path);
}

/* The token of a fast function, by its number in the recorded build. */
static uint32_t
ffunc(struct sysprof *p, uint64_t number)
{
	struct buf name = { 0 };
	uint32_t token;

	if (number < p->nffunc)
		return p->ffunc[number];
	buf_str(&name, STR("FFUNC "));
	buf_u64(&name, number);
	token = luajit_symtab_name(p->symbols, buf_slice(&name), FRAME_USER);
	buf_free(&name);
	return token;
}

static void
push(struct side_stack *s, uint32_t token, bool is_c)
{
	s->token = mem_grow(s->token, &s->cap, s->n + 1, sizeof(*s->token));
	s->is_c = mem_grow(s->is_c, &s->is_c_cap, s->n + 1, sizeof(bool));
	s->token[s->n] = token;
	s->is_c[s->n++] = is_c;
}

static bool
read_guest(struct sysprof *p, struct str *rest)
{
	uint64_t n, line;
	int type;

	for (p->guest.n = 0; rest->len > 0;) {
		type = (unsigned char)*rest->p;
		*rest = str_skip(*rest, 1);
		if (type == END)
			return true;
		if (!proto_varint(rest, &n))
			return false;
		if (type == GUEST_LFUNC && proto_varint(rest, &line))
			push(&p->guest, luajit_symtab_lua(p->symbols, n, line),
			     false);
		else if (type == GUEST_CFUNC)
			push(&p->guest, luajit_symtab_c(p->symbols, n), true);
		else if (type == GUEST_FFUNC)
			push(&p->guest, ffunc(p, n), false);
		else
			return false;
	}
	return false;
}

static bool
read_host(struct sysprof *p, struct str *rest)
{
	uint64_t address;

	p->host.n = 0;
	while (proto_varint(rest, &address)) {
		if (address == 0)
			return true;
		push(&p->host, luajit_symtab_c(p->symbols, address), true);
	}
	return false;
}

/*
 * Push the frames of both sides, root first.  The function that lua_cpcall
 * calls is on both sides, as is each C function that Lua calls: use the host's
 * frame. Frames of Lua between two of these follow the lua_call or lua_pcall
 * that has entered Lua.
 */
static void
push_mixed(struct sysprof *p)
{
	const struct side_stack *guest = &p->guest, *host = &p->host;
	size_t i = host->n, g = guest->n;

	while (i-- > 0) {
		sink_push(p->out, &host->token[i], 1);
		if (host->token[i] == p->cpcall && g > 0 && guest->is_c[g - 1])
			g--;
		if (host->token[i] != p->call && host->token[i] != p->pcall)
			continue;
		for (; g > 0 && !guest->is_c[g - 1]; g--)
			sink_push(p->out, &guest->token[g - 1], 1);
		if (g > 0)
			g--;
	}
	while (g-- > 0)
		sink_push(p->out, &guest->token[g], 1);
}

static void
push_stack(struct sysprof *p, const struct side_stack *stack)
{
	size_t i;

	for (i = stack->n; i > 0; i--)
		sink_push(p->out, &stack->token[i - 1], 1);
}

/* Push the frames of the view; if it has none, the state of the VM. */
static void
push_frames(struct sysprof *p, int state, uint32_t trace)
{
	if (state == STATE_TRACE && view != OPT_HOST)
		sink_push(p->out, &trace, 1);
	else if (view == OPT_GUEST && p->guest.n > 0)
		push_stack(p, &p->guest);
	else if (view == OPT_HOST && p->host.n > 0)
		push_stack(p, &p->host);
	else if (view == OPT_MIXED && p->host.n + p->guest.n > 0)
		push_mixed(p);
	else if (!with_state)
		sink_push(p->out, &p->state[state], 1);
}

static bool
read_sample(struct sysprof *p, int state, struct str *rest)
{
	struct sample sample = SAMPLE_UNKNOWN;
	uint64_t number, function, line;
	uint32_t trace = 0;

	p->guest.n = p->host.n = 0;
	if (state == STATE_TRACE) {
		if (!proto_varint(rest, &number) ||
		    !proto_varint(rest, &function) ||
		    !proto_varint(rest, &line))
			return false;
		trace = luajit_symtab_trace(p->symbols, number);
	} else if (state >= STATE_LFUNC && state <= STATE_CFUNC &&
		   !read_guest(p, rest)) {
		return false;
	}
	if (state != STATE_TRACE && !read_host(p, rest))
		return false;
	if (!sink_begin(p->out, &sample))
		return true;
	if (with_state)
		sink_push(p->out, &p->state[state], 1);
	push_frames(p, state, trace);
	sink_end(p->out, count_of(1));
	return true;
}

static bool
read_record(void *arg, int type, struct str *rest)
{
	struct sysprof *p = arg;

	switch (type) {
	case NEW_LFUNC:
		return luajit_symtab_add(p->symbols, LUAJIT_SYMTAB_LFUNC, rest);
	case NEW_CFUNC:
		return luajit_symtab_add(p->symbols, LUAJIT_SYMTAB_CFUNC, rest);
	case NEW_TRACE:
		return luajit_symtab_add(p->symbols, LUAJIT_SYMTAB_TRACE, rest);
	}
	return type <= STATE_TRACE && read_sample(p, type, rest);
}

static void
read_sysprof(struct input *in, struct sink *out)
{
	struct sysprof p = { .in = in, .out = out };
	const char *wrong;
	int i;

	if (input_peek(in, 1).len == 0)
		return;
	in->tally->bad_unit = "record";
	p.symbols = luajit_symtab_new(out);
	p.cpcall = luajit_symtab_name(p.symbols, STR("lua_cpcall"), FRAME_USER);
	p.pcall = luajit_symtab_name(p.symbols, STR("lua_pcall"), FRAME_USER);
	p.call = luajit_symtab_name(p.symbols, STR("lua_call"), FRAME_USER);
	for (i = 0; i <= STATE_TRACE; i++)
		p.state[i] = luajit_symtab_name(p.symbols, str_of(states[i]),
						FRAME_USER);
	if (ffnames_file != NULL)
		read_ffnames(&p);
	wrong = luajit_symtab_read(p.symbols, in, 'p', FORMAT, read_record, &p);
	if (wrong != NULL)
		input_bad(in, "%s", wrong);
	luajit_symtab_free(p.symbols);
	free(p.guest.token);
	free(p.guest.is_c);
	free(p.host.token);
	free(p.host.is_c);
	free(p.ffunc);
}

int
main(int argc, char *argv[])
{
	static const struct reader sysprof = {
		.order = ROOT_FIRST,
		.synopsis = "[options] [file ...]",
		.summary = "Fold a profile of sysprof of Tarantool's LuaJIT.",
		.options = options,
		.setopt = set_option,
		.may = &may,
		.read = read_sysprof
	};

	return collapse_main(argc, argv, &sysprof);
}
