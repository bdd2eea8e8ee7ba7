/* regex.c - Perl's regular expressions; the only file that sees PCRE2. */
#include "regex.h"

#include "mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <err.h>
#include <stdlib.h>

/* A pattern that backtracks beyond this is given up; a match is cheap. */
#define MATCH_LIMIT 200000
#define HEAP_LIMIT_KB (20 << 10)
#define JIT_STACK_MIN (32 << 10)
#define JIT_STACK_MAX (512 << 10)

/* So often a pattern may be given up before it is not tried again. */
#define MAX_GIVEN_UP 50

/* To compile a pattern takes as long as some matches without doing so. */
#define FEW_MATCHES 100

struct regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	uint8_t starts[32];  /* bits: bytes with which text may begin */
	struct str searched; /* where the groups are */
	unsigned matches;    /* until it is compiled */
	unsigned given_up;
	struct buf first; /* text the search in which was given up */
};

static void
allow(struct regex *r, unsigned byte)
{
	r->starts[byte / 8] |= (uint8_t)(1 << byte % 8);
}

/*
 * Most patterns are for the start of a text, and most texts have another
 * first byte: then there is nothing to search.
 */
static void
find_first(struct regex *r)
{
	const uint8_t *bits = NULL;
	uint32_t options, type, unit;
	unsigned byte;

	pcre2_pattern_info(r->code, PCRE2_INFO_ALLOPTIONS, &options);
	pcre2_pattern_info(r->code, PCRE2_INFO_FIRSTBITMAP, &bits);
	pcre2_pattern_info(r->code, PCRE2_INFO_FIRSTCODETYPE, &type);
	pcre2_pattern_info(r->code, PCRE2_INFO_FIRSTCODEUNIT, &unit);
	if ((options & PCRE2_ANCHORED) == 0 || (bits == NULL && type != 1)) {
		memset(r->starts, 0xff, sizeof(r->starts));
		return;
	}
	if (bits != NULL) {
		memcpy(r->starts, bits, sizeof(r->starts));
		return;
	}
	/* It may be in either case, and also be a letter like it. */
	allow(r, unit & 0xff);
	allow(r, (unit ^ 0x20) & 0xff);
	for (byte = 0x80; byte < 0x100; byte++)
		allow(r, byte);
}

struct regex *
regex_new(struct str pattern, bool fold, struct buf *why, size_t *offset)
{
	uint32_t options = PCRE2_UTF | (fold ? PCRE2_CASELESS : 0);
	PCRE2_SPTR p = (PCRE2_SPTR)(pattern.len > 0 ? pattern.p : "");
	PCRE2_UCHAR text[120];
	struct regex *r;
	pcre2_code *code;
	int error;

	code = pcre2_compile(p, pattern.len, options, &error, offset, NULL);
	if (code == NULL) {
		pcre2_get_error_message(error, text, sizeof(text));
		buf_str(why, str_of((const char *)text));
		return NULL;
	}
	r = mem_zero(1, sizeof(*r));
	r->code = code;
	r->data = pcre2_match_data_create_from_pattern(code, NULL);
	r->context = pcre2_match_context_create(NULL);
	if (r->data == NULL || r->context == NULL)
		err(2, NULL);
	pcre2_set_match_limit(r->context, MATCH_LIMIT);
	pcre2_set_heap_limit(r->context, HEAP_LIMIT_KB);
	find_first(r);
	return r;
}

void
regex_free(struct regex *r)
{
	if (r == NULL)
		return;
	pcre2_match_data_free(r->data);
	pcre2_match_context_free(r->context);
	pcre2_jit_stack_free(r->stack);
	pcre2_code_free(r->code);
	buf_free(&r->first);
	free(r);
}

static void
compile(struct regex *r)
{
	if (pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE) == 0)
		r->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX,
						  NULL);
	if (r->stack != NULL)
		pcre2_jit_stack_assign(r->context, NULL, r->stack);
}

static void
give_up(struct regex *r, struct str s)
{
	if (r->given_up++ == 0)
		buf_str(&r->first, s);
}

/* As pcre2_match(), whose checks take longer than most of our searches. */
static int
match(struct regex *r, struct str s, size_t from, uint32_t options)
{
	PCRE2_SPTR p = (PCRE2_SPTR)s.p;
	int n = PCRE2_ERROR_JIT_STACKLIMIT;

	if (r->stack != NULL && options == PCRE2_NO_UTF_CHECK)
		n = pcre2_jit_match(r->code, p, s.len, from, 0, r->data,
				    r->context);
	else if (r->stack != NULL)
		n = pcre2_match(r->code, p, s.len, from, options, r->data,
				r->context);
	/* Without the compiler, or its stack, the interpreter matches. */
	if (n == PCRE2_ERROR_JIT_STACKLIMIT)
		n = pcre2_match(r->code, p, s.len, from, options | PCRE2_NO_JIT,
				r->data, r->context);
	return n;
}

static bool
search(struct regex *r, struct str s, size_t from, uint32_t options)
{
	unsigned char first = s.len > 0 ? (unsigned char)*s.p : 0;
	int n;

	if (from == 0 && s.len > 0 &&
	    (r->starts[first / 8] >> first % 8 & 1) == 0)
		return false;
	if (r->given_up >= MAX_GIVEN_UP)
		return false;
	if (r->matches < FEW_MATCHES && ++r->matches == FEW_MATCHES)
		compile(r);
	r->searched = s.p != NULL ? s : STR("");
	n = match(r, r->searched, from, options);
	if (n == PCRE2_ERROR_MATCHLIMIT || n == PCRE2_ERROR_DEPTHLIMIT ||
	    n == PCRE2_ERROR_HEAPLIMIT)
		give_up(r, s);
	return n >= 0;
}

bool
regex_match(struct regex *r, struct str s)
{
	return search(r, s, 0, 0);
}

bool
regex_find(struct regex *r, struct str s, size_t from)
{
	return search(r, s, from, PCRE2_NO_UTF_CHECK);
}

unsigned
regex_groups(const struct regex *r)
{
	return pcre2_get_ovector_count(r->data) - 1;
}

struct str
regex_group(const struct regex *r, unsigned group)
{
	const PCRE2_SIZE *place = pcre2_get_ovector_pointer(r->data) +
				  2 * (size_t)group;

	/* \K can set the start behind the end. */
	if (place[0] == PCRE2_UNSET || place[1] < place[0])
		return str_skip(r->searched, r->searched.len);
	return str_range(r->searched.p + place[0], r->searched.p + place[1]);
}

bool
regex_gave_up(const struct regex *r, struct str *text)
{
	*text = buf_slice(&r->first);
	return r->given_up > 0;
}
