/* regex.c - Perl's regular expressions; the only file that sees PCRE2. */
#include "regex.h"

#include "mem.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <err.h>
#include <stdlib.h>

/* A pattern that backtracks beyond this is given up; a match is cheap. */
#define MATCH_LIMIT 200000
#define JIT_STACK_MIN (32 << 10)
#define JIT_STACK_MAX (512 << 10)

struct regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
};

static void
explain(struct buf *why, int error, size_t offset)
{
	PCRE2_UCHAR text[120];

	pcre2_get_error_message(error, text, sizeof(text));
	buf_printf(why, "%s at offset %zu", (const char *)text, offset);
}

struct regex *
regex_new(struct str pattern, bool fold, struct buf *why)
{
	uint32_t options = PCRE2_UTF | (fold ? PCRE2_CASELESS : 0);
	PCRE2_SPTR p = (PCRE2_SPTR)(pattern.len > 0 ? pattern.p : "");
	PCRE2_SIZE offset;
	struct regex *r;
	pcre2_code *code;
	int error;

	code = pcre2_compile(p, pattern.len, options, &error, &offset, NULL);
	if (code == NULL) {
		explain(why, error, offset);
		return NULL;
	}
	r = mem_zero(1, sizeof(*r));
	r->code = code;
	r->data = pcre2_match_data_create(1, NULL);
	r->context = pcre2_match_context_create(NULL);
	if (r->data == NULL || r->context == NULL)
		err(2, NULL);
	pcre2_set_match_limit(r->context, MATCH_LIMIT);
	/* Without the compiler, or its stack, the interpreter matches. */
	if (pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0)
		r->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX,
						  NULL);
	if (r->stack != NULL)
		pcre2_jit_stack_assign(r->context, NULL, r->stack);
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
	free(r);
}

bool
regex_match(const struct regex *r, struct str s)
{
	PCRE2_SPTR p = (PCRE2_SPTR)(s.len > 0 ? s.p : "");
	int n;

	n = pcre2_match(r->code, p, s.len, 0, 0, r->data, r->context);
	if (n == PCRE2_ERROR_JIT_STACKLIMIT)
		n = pcre2_match(r->code, p, s.len, 0, PCRE2_NO_JIT, r->data,
				r->context);
	return n >= 0;
}
