/* perl_names.c - names and lines of Perl's subroutines. */
#include "interp/perl_names.h"

#include "base/peek.h"
#include "base/table.h"
#include "interp/perl_walk.h"

/* Texts are read by parts, as they may end just before other memory. */
enum { TEXT_BYTES = 4096, TEXT_PART = 256 };

/* A program that makes subroutines in a loop would fill the cache. */
enum { MAX_CACHED = 65536 };

/* Members of SVs, of the bodies of CVs and GVs, and of COPs. */
enum {
	SV_ANY = 0,
	SV_FLAGS = 12,
	SV_U = 16,
	SV_BYTES = 24,
	PV_LENGTH = 16,
	CV_STASH = 32,
	CV_START = 40,
	CV_GV = 56,
	CV_FILE = 64,
	CV_PADLIST = 72,
	CV_FLAGS = 92,
	CV_BYTES = 96,
	CV_NAMED = 0x8000,
	GV_NAME = 32,
	GV_STASH = 40,
	GV_BYTES = 48,
	PADLIST_ARRAY = 8,
	OP_FUNCTION = 16,
	COP_LINE = 36,
	COP_FILE = 48,
	COP_BYTES = 56
};

struct cached_sub {
	uint64_t address, body;
	/* Tells it from the one that was at the same address before. */
	char identity[CV_BYTES];
	uint32_t function;
	UT_hash_handle hh;
};

/* The file of a statement, by the address of the string or the GV. */
struct cached_file {
	uint64_t address;
	struct buf name;
	UT_hash_handle hh;
};

struct perl_names {
	const struct perl_layout *l;
	struct perl_statements statements;
	struct interp_copy copy;
	struct interp_spans wanted;
	struct cached_sub *subs;
	struct cached_file *files;
	struct buf name, text; /* scratch */
};

struct perl_names *
perl_names_new(const struct perl_layout *l,
	       const struct perl_statements *statements)
{
	struct perl_names *all = mem_zero(1, sizeof(*all));

	all->l = l;
	all->statements = *statements;
	return all;
}

static void
clear_subs(struct perl_names *all)
{
	struct cached_sub *c, *next;

	HASH_ITER(hh, all->subs, c, next)
	{
		HASH_DEL(all->subs, c);
		free(c);
	}
}

static void
clear_files(struct perl_names *all)
{
	struct cached_file *c, *next;

	HASH_ITER(hh, all->files, c, next)
	{
		HASH_DEL(all->files, c);
		buf_free(&c->name);
		free(c);
	}
}

void
perl_names_free(struct perl_names *all)
{
	if (all == NULL)
		return;
	clear_subs(all);
	clear_files(all);
	interp_copy_free(&all->copy);
	interp_copy_free_spans(&all->wanted);
	buf_free(&all->name);
	buf_free(&all->text);
	free(all);
}

static bool
read_word(struct perl_names *all, uint64_t address, uint64_t *word)
{
	return interp_copy_read(&all->copy, address, word, sizeof(*word));
}

/* Texts. */

/* Append a string that ends with a zero byte. */
static void
add_string(struct perl_names *all, uint64_t address, struct buf *text)
{
	char part[TEXT_PART];
	const char *end = NULL;
	size_t n, len = 0;

	while (address != 0 && end == NULL && len < TEXT_BYTES) {
		n = TEXT_PART - address % TEXT_PART;
		if (!interp_copy_read(&all->copy, address, part, n))
			return;
		end = memchr(part, '\0', n);
		buf_add(text, part, end != NULL ? (size_t)(end - part) : n);
		address += n;
		len += n;
	}
}

/* Append n bytes, or as many of them as the limit allows. */
static void
add_bytes(struct perl_names *all, uint64_t address, uint64_t n,
	  struct buf *text)
{
	if (n > TEXT_BYTES)
		n = TEXT_BYTES;
	buf_reserve(text, n);
	if (n > 0 &&
	    interp_copy_read(&all->copy, address, text->p + text->len, n))
		text->len += n;
}

/* Append the name of a HEK, a key of a hash. */
static void
add_key(struct perl_names *all, uint64_t hek, struct buf *text)
{
	enum { LENGTH = 4, TEXT = 8 };
	char head[TEXT];

	if (hek != 0 && interp_copy_read(&all->copy, hek, head, sizeof(head)) &&
	    peek_u32(head, LENGTH) < INT32_MAX)
		add_bytes(all, hek + TEXT, peek_u32(head, LENGTH), text);
}

/* Append the name of a package. */
static void
add_package(struct perl_names *all, uint64_t stash, struct buf *text)
{
	enum { MAX = 24, COUNT = 28, AUX = 32 };
	const uint32_t has_aux = 0x2000000;
	char head[SV_BYTES], aux[AUX];
	uint64_t max, address, hek;

	if (stash == 0 ||
	    !interp_copy_read(&all->copy, stash, head, sizeof(head)) ||
	    !(peek_u32(head, SV_FLAGS) & has_aux))
		return;
	address = peek_u64(head, SV_ANY) + all->l->name;
	if (all->l->name == 0) {
		if (!read_word(all, peek_u64(head, SV_ANY) + MAX, &max))
			return;
		address = peek_u64(head, SV_U) + (max + 1) * 8;
	}
	if (!interp_copy_read(&all->copy, address, aux, sizeof(aux)))
		return;
	hek = peek_u64(aux, 0);
	/* Several names: a list. */
	if (peek_u32(aux, COUNT) != 0 && !read_word(all, hek, &hek))
		return;
	add_key(all, hek, text);
}

/* Set text to the name of a GV, or of its package. */
static void
add_gv(struct perl_names *all, uint64_t gv, bool package, struct buf *text)
{
	char body[GV_BYTES];
	uint64_t any;

	if (gv == 0 || !read_word(all, gv + SV_ANY, &any) ||
	    !interp_copy_read(&all->copy, any, body, sizeof(body)))
		return;
	if (package)
		add_package(all, peek_u64(body, GV_STASH), text);
	else
		add_key(all, peek_u64(body, GV_NAME), text);
}

/* Statements. */

/* "(eval 12)" has another number each time: it becomes "(eval)". */
static void
drop_number(struct buf *file)
{
	if (!str_starts(buf_slice(file), STR("(eval ")))
		return;
	file->len = sizeof("(eval") - 1;
	buf_char(file, ')');
}

static struct str
file_of(struct perl_names *all, uint64_t address)
{
	struct cached_file *c;

	HASH_FIND(hh, all->files, &address, sizeof(address), c);
	if (c != NULL)
		return buf_slice(&c->name);
	if (HASH_COUNT(all->files) >= MAX_CACHED)
		clear_files(all);
	c = mem_zero(1, sizeof(*c));
	c->address = address;
	if (all->statements.threaded) {
		add_string(all, address, &c->name);
	} else {
		/* "_<file" */
		add_gv(all, address, false, &c->name);
		if (c->name.len > 2) {
			memmove(c->name.p, c->name.p + 2, c->name.len - 2);
			c->name.len -= 2;
		}
	}
	drop_number(&c->name);
	HASH_ADD(hh, all->files, address, sizeof(address), c);
	return buf_slice(&c->name);
}

struct statement {
	struct str file;
	uint32_t line;
};

static struct statement
statement_of(struct perl_names *all, uint64_t cop)
{
	struct statement s = { { NULL, 0 }, 0 };
	char bytes[COP_BYTES];

	if (cop == 0 || !interp_copy_get(&all->copy, cop, bytes, sizeof(bytes),
					 sizeof(bytes)))
		return s;
	s.line = peek_u32(bytes, COP_LINE);
	s.file = file_of(all, peek_u64(bytes, COP_FILE));
	return s;
}

/* Subroutines. */

/* Copy what a stack refers to by one call, as far as it is there. */
static void
copy_objects(struct perl_names *all, const struct interp_reader *reader,
	     const struct interp_stack *s)
{
	struct interp_spans *w = &all->wanted;
	const struct cached_sub *c;
	size_t i;

	w->n = 0;
	for (i = 0; i < s->n; i++) {
		interp_copy_want(w, (uint64_t)s->frame[i].ip, COP_BYTES);
		if (s->frame[i].code <= PERL_WALK_MAIN)
			continue;
		interp_copy_want(w, s->frame[i].code, SV_BYTES);
		HASH_FIND(hh, all->subs, &s->frame[i].code, sizeof(uint64_t),
			  c);
		interp_copy_want(w, c == NULL ? 0 : c->body, CV_BYTES);
	}
	interp_copy_begin(&all->copy, reader, w, NULL, NULL, 0);
}

/*
 * A subroutine without a name is "main::__ANON__[file:line]", as the debugger
 * and NYTProf write it, but with the line where its code begins.
 */
static void
add_place(struct perl_names *all, uint64_t op)
{
	uint64_t function;
	struct statement s;

	if (op == 0 || !read_word(all, op + OP_FUNCTION, &function) ||
	    (function != all->statements.nextstate &&
	     function != all->statements.dbstate))
		return;
	s = statement_of(all, op);
	buf_char(&all->name, '[');
	buf_str(&all->name, s.file);
	buf_char(&all->name, ':');
	buf_u64(&all->name, s.line);
	buf_char(&all->name, ']');
}

static void
read_sub(struct perl_names *all, struct interp_functions *functions,
	 struct cached_sub *c)
{
	const bool named = peek_u32(c->identity, CV_FLAGS) & CV_NAMED;
	const uint64_t gv = peek_u64(c->identity, CV_GV);

	all->name.len = all->text.len = 0;
	if (named) {
		add_package(all, peek_u64(c->identity, CV_STASH), &all->name);
		add_key(all, gv, &all->text);
	} else {
		add_gv(all, gv, true, &all->name);
		add_gv(all, gv, false, &all->text);
	}
	if (all->name.len > 0)
		buf_str(&all->name, STR("::"));
	buf_str(&all->name, buf_slice(&all->text));
	if (str_eq(buf_slice(&all->text), STR("__ANON__")))
		add_place(all, peek_u64(c->identity, CV_START));
	all->text.len = 0;
	add_string(all, peek_u64(c->identity, CV_FILE), &all->text);
	drop_number(&all->text);
	c->function = interp_functions_add(functions, STR("perl"),
					   buf_slice(&all->name),
					   buf_slice(&all->text));
}

/* The subroutine of a CV; NULL if it cannot be read. */
static struct cached_sub *
sub_of(struct perl_names *all, struct interp_functions *functions,
       uint64_t address)
{
	enum { SV_TYPE = 0xff, TYPE_CV = 13, TYPE_FORMAT = 14 };
	char head[SV_BYTES], body[CV_BYTES];
	struct cached_sub *c;
	uint32_t type;
	uint64_t any;

	if (!interp_copy_get(&all->copy, address, head, sizeof(head),
			     sizeof(head)))
		return NULL;
	type = peek_u32(head, SV_FLAGS) & SV_TYPE;
	any = peek_u64(head, SV_ANY);
	if ((type != TYPE_CV && type != TYPE_FORMAT) ||
	    !interp_copy_get(&all->copy, any, body, sizeof(body), sizeof(body)))
		return NULL;
	/* Before the stash there are magic and lengths, which change. */
	memset(body, 0, CV_STASH);
	HASH_FIND(hh, all->subs, &address, sizeof(address), c);
	if (c == NULL) {
		if (HASH_COUNT(all->subs) >= MAX_CACHED)
			clear_subs(all);
		c = mem_zero(1, sizeof(*c));
		c->address = address;
		HASH_ADD(hh, all->subs, address, sizeof(address), c);
	}
	c->body = any;
	/* What stands between the pad list and the flags is of no use. */
	memset(body + CV_PADLIST + 8, 0, CV_FLAGS - CV_PADLIST - 8);
	if (memcmp(c->identity, body, sizeof(body)) != 0) {
		memcpy(c->identity, body, sizeof(body));
		read_sub(all, functions, c);
	}
	return c;
}

/* Whether the interpreter uses the pad of the subroutine that it called last.
 */
static bool
has_begun(struct perl_names *all, const struct cached_sub *c, uint64_t context)
{
	const uint64_t pad = context & ((UINT64_C(1) << PERL_WALK_DEPTH) - 1);
	const uint64_t depth = (context >> PERL_WALK_DEPTH) + 1;
	uint64_t array, found;

	return !read_word(all,
			  peek_u64(c->identity, CV_PADLIST) + PADLIST_ARRAY,
			  &array) ||
	       !read_word(all, array + depth * 8, &found) || found == pad;
}

/*
 * The name of an eval, or of a file that is required; empty if the name that
 * the eval has is no string: then the eval is about to begin.
 */
static struct str
eval_name(struct perl_names *all, uint64_t required)
{
	enum { SV_TYPE = 0xff, TYPE_PV = 3, TYPE_PVMG = 7, IS_STRING = 0x400 };
	char head[SV_BYTES];
	uint64_t length;
	uint32_t flags;

	all->name.len = 0;
	if (required == 0)
		return STR("(eval)");
	if (!interp_copy_read(&all->copy, required, head, sizeof(head)) ||
	    !read_word(all, peek_u64(head, SV_ANY) + PV_LENGTH, &length))
		return STR("");
	flags = peek_u32(head, SV_FLAGS);
	if (!(flags & IS_STRING) || (flags & SV_TYPE) < TYPE_PV ||
	    (flags & SV_TYPE) > TYPE_PVMG)
		return STR("");
	buf_str(&all->name, STR("require "));
	add_bytes(all, peek_u64(head, SV_U), length, &all->name);
	return buf_slice(&all->name);
}

static void
name_frame(struct perl_names *all, struct interp_functions *functions,
	   struct interp_vm_frame *f)
{
	const struct statement s = statement_of(all, (uint64_t)f->ip);
	const struct cached_sub *c;
	struct str name;

	f->line = s.line;
	if (f->code <= PERL_WALK_MAIN) {
		name = f->code == PERL_WALK_MAIN ? STR("main::RUNTIME") :
						   eval_name(all, f->context);
		f->function = name.len == 0 ?
				  INTERP_STACK_HIDDEN :
				  interp_functions_add(functions, STR("perl"),
						       name, s.file);
		return;
	}
	c = sub_of(all, functions, f->code);
	if (c == NULL)
		f->function = interp_functions_add(functions, STR("perl"),
						   STR(""), STR(""));
	else if (f->context != 0 && !has_begun(all, c, f->context))
		f->function = INTERP_STACK_HIDDEN;
	else
		f->function = c->function;
}

void
perl_names_find(struct perl_names *all, const struct interp_reader *reader,
		struct interp_functions *functions, struct interp_stack *s)
{
	size_t i;

	copy_objects(all, reader, s);
	for (i = 0; i < s->n; i++) {
		name_frame(all, functions, &s->frame[i]);
		/* Its caller still executes the statement. */
		if (i == 0 && s->n > 1 &&
		    s->frame[i].function == INTERP_STACK_HIDDEN)
			s->frame[i + 1].ip = s->frame[i].ip;
	}
}
