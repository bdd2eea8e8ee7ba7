/*
 * regex.c - Perl-compatible regular expressions; the only file that includes
 * PCRE2.
 */
#include "base/regex.h"

#include "base/mem.h"
#include "base/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * A search that backtracks more is aborted.  The second number is for each byte
 * of the text, so that a pattern that reads its text a few times always ends.
 */
#define MATCH_LIMIT 200000
#define MATCH_LIMIT_BYTE 64
#define HEAP_LIMIT_KB (20 << 10)
#define JIT_STACK_MIN (32 << 10)
#define JIT_STACK_MAX (512 << 10)

/* After so many aborted searches a pattern is not searched for any more. */
#define MAX_ABORTS 50

/* Bytes of the text in a report. */
#define REPORTED 80

/* Compile to machine code at this match: compiling takes as long as some. */
#define JIT_MATCHES 100

struct regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	uint8_t starts[32];  /* bit set of bytes with which a match can start */
	struct str searched; /* text of the last search */
	unsigned matches;    /* counted up to JIT_MATCHES */
	uint64_t aborts;     /* searches without an answer */
	struct buf first_abort; /* start of the text of the first of them */
};

static void
add_start(struct regex *r, unsigned byte)
{
	r->starts[byte / 8] |= (uint8_t)(1 << byte % 8);
}

/*
 * Find the bytes with which text can start.  Most patterns are anchored and
 * most texts start with another byte, so most searches end after one
 * comparison.
 */
static void
find_starts(struct regex *r)
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
	/* Either case, or a non-ASCII letter that folds to it. */
	add_start(r, unit & 0xff);
	add_start(r, (unit ^ 0x20) & 0xff);
	for (byte = 0x80; byte < 0x100; byte++)
		add_start(r, byte);
}

struct regex *
regex_new(struct str pattern, bool ignore_case, struct buf *why, size_t *offset)
{
	uint32_t options = PCRE2_UTF | (ignore_case ? PCRE2_CASELESS : 0);
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
	pcre2_set_heap_limit(r->context, HEAP_LIMIT_KB);
	find_starts(r);
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
	buf_free(&r->first_abort);
	free(r);
}

static void
compile_jit(struct regex *r)
{
	if (pcre2_jit_compile(r->code, PCRE2_JIT_COMPLETE) == 0)
		r->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX,
						  NULL);
	if (r->stack != NULL)
		pcre2_jit_stack_assign(r->context, NULL, r->stack);
}

/* Keep the start of a text, cut between two characters. */
static void
count_abort(struct regex *r, struct str s)
{
	size_t n = s.len < REPORTED ? s.len : REPORTED;

	if (r->aborts++ > 0)
		return;
	while (n < s.len && n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
		n--;
	utf8_escape(&r->first_abort, (struct str){ s.p, n });
	if (n < s.len)
		buf_str(&r->first_abort, STR("..."));
}

static void
limit_search(struct regex *r, size_t len)
{
	uint64_t limit = MATCH_LIMIT + (uint64_t)len * MATCH_LIMIT_BYTE;

	pcre2_set_match_limit(r->context, limit < UINT32_MAX ? (uint32_t)limit :
							       UINT32_MAX);
}

/* Whether PCRE2 gave no answer.  Text that is not UTF-8 never matches. */
static bool
is_abort(int n)
{
	return n < 0 && n != PCRE2_ERROR_NOMATCH &&
	       (n > PCRE2_ERROR_UTF8_ERR1 || n < PCRE2_ERROR_UTF8_ERR21);
}

/* pcre2_match(), without its checks, which take longer than most searches. */
static int
match(struct regex *r, struct str s, size_t offset, uint32_t options)
{
	PCRE2_SPTR p = (PCRE2_SPTR)s.p;
	int n = PCRE2_ERROR_JIT_STACKLIMIT;

	if (r->stack != NULL && options == PCRE2_NO_UTF_CHECK)
		n = pcre2_jit_match(r->code, p, s.len, offset, 0, r->data,
				    r->context);
	else if (r->stack != NULL)
		n = pcre2_match(r->code, p, s.len, offset, options, r->data,
				r->context);
	/* The interpreter, if there is no machine code or its stack is full. */
	if (n == PCRE2_ERROR_JIT_STACKLIMIT)
		n = pcre2_match(r->code, p, s.len, offset,
				options | PCRE2_NO_JIT, r->data, r->context);
	return n;
}

static bool
search(struct regex *r, struct str s, size_t offset, uint32_t options)
{
	unsigned char first = s.len > 0 ? (unsigned char)*s.p : 0;
	int n;

	if (offset == 0 && s.len > 0 &&
	    (r->starts[first / 8] >> first % 8 & 1) == 0)
		return false;
	if (r->aborts >= MAX_ABORTS) {
		r->aborts++;
		return false;
	}
	if (r->matches < JIT_MATCHES && ++r->matches == JIT_MATCHES)
		compile_jit(r);
	r->searched = s.p != NULL ? s : STR("");
	limit_search(r, s.len);
	n = match(r, r->searched, offset, options);
	if (is_abort(n))
		count_abort(r, s);
	return n >= 0;
}

bool
regex_match(struct regex *r, struct str s)
{
	return search(r, s, 0, 0);
}

bool
regex_find(struct regex *r, struct str s, size_t offset)
{
	return search(r, s, offset, PCRE2_NO_UTF_CHECK);
}

unsigned
regex_groups(const struct regex *r)
{
	return pcre2_get_ovector_count(r->data) - 1;
}

struct str
regex_group(const struct regex *r, unsigned group)
{
	const PCRE2_SIZE *range = pcre2_get_ovector_pointer(r->data) +
				  2 * (size_t)group;

	/* \K can set the start after the end. */
	if (range[0] == PCRE2_UNSET || range[1] < range[0])
		return str_skip(r->searched, r->searched.len);
	return str_range(r->searched.p + range[0], r->searched.p + range[1]);
}

uint64_t
regex_aborted(const struct regex *r, struct buf *why)
{
	if (r->aborts > 0)
		buf_printf(why,
			   "the pattern took too long for %" PRIu64
			   " %s, counted as no match: %.*s",
			   r->aborts, str_plural(r->aborts, "text", "texts"),
			   (int)r->first_abort.len, r->first_abort.p);
	return r->aborts;
}
