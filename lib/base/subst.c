/* subst.c - s/PATTERN/REPLACEMENT/ as in Perl and sed. */
#include "base/subst.h"

#include "base/mem.h"
#include "base/regex.h"
#include "base/utf8.h"

#include <stdlib.h>

/* A part of a replacement: literal bytes, or a group. */
struct subst_piece {
	size_t begin, len; /* in the literals; len is 0 for a group */
	unsigned group;
};

struct subst {
	struct regex *regex;
	bool is_global;
	struct buf literals; /* of all pieces */
	struct subst_piece *piece;
	size_t n, cap;
};

/* The replacement, while it is parsed. */
struct subst_parser {
	const char *p, *end;
	struct buf *why;
};

static void
add_byte(struct subst *s, char c)
{
	if (s->n == 0 || s->piece[s->n - 1].len == 0) {
		s->piece = mem_grow(s->piece, &s->cap, s->n + 1,
				    sizeof(*s->piece));
		s->piece[s->n++] = (struct subst_piece){ s->literals.len, 0,
							 0 };
	}
	buf_char(&s->literals, c);
	s->piece[s->n - 1].len++;
}

/* Parse a group number of at most two digits; false if it is no group. */
static bool
add_group(struct subst *s, struct subst_parser *r)
{
	unsigned group = 0;
	int i;

	for (i = 0; i < 2 && r->p < r->end && str_isdigit(*r->p); i++)
		group = group * 10 + (unsigned)(*r->p++ - '0');
	if (i == 0 || group > regex_groups(s->regex)) {
		buf_printf(
		    r->why,
		    i == 0 ?
			"no group number after $ (write \\$ for a dollar)" :
			"no group %u in the pattern",
		    group);
		return false;
	}
	s->piece = mem_grow(s->piece, &s->cap, s->n + 1, sizeof(*s->piece));
	s->piece[s->n++] = (struct subst_piece){ 0, 0, group };
	return true;
}

/* Parse the part after a dollar. */
static bool
parse_dollar(struct subst *s, struct subst_parser *r)
{
	static const char zero[] = "0";
	struct subst_parser whole = { zero, zero + 1, r->why };
	bool brace = r->p < r->end && *r->p == '{';

	if (r->p < r->end && *r->p == '&') {
		r->p++;
		return add_group(s, &whole);
	}
	r->p += brace;
	if (!add_group(s, r))
		return false;
	if (brace && (r->p == r->end || *r->p != '}')) {
		buf_str(r->why, STR("no } after the group number"));
		return false;
	}
	r->p += brace;
	return true;
}

static bool
parse_replacement(struct subst *s, struct subst_parser *r)
{
	while (r->p < r->end) {
		char c = *r->p++;

		if (c == '$') {
			if (!parse_dollar(s, r))
				return false;
		} else if (c != '\\' || r->p == r->end) {
			add_byte(s, c);
		} else if (str_isdigit(*r->p)) {
			if (!add_group(s, r))
				return false;
		} else {
			add_byte(s, *r->p++);
		}
	}
	return true;
}

/* The next slash without a backslash before it, or NULL. */
static const char *
find_slash(const char *p, const char *end)
{
	for (; p < end && *p != '/'; p++)
		p += *p == '\\' && p + 1 < end;
	return p < end ? p : NULL;
}

/* Parse the flags; false at an unknown one, which *flag points to. */
static bool
parse_flags(struct str flags, bool *is_global, bool *ignore_case,
	    const char **flag)
{
	const char *p;

	for (p = flags.p; p < flags.p + flags.len; p++) {
		*flag = p;
		if (*p == 'g')
			*is_global = true;
		else if (*p == 'i')
			*ignore_case = true;
		else
			return false;
	}
	return true;
}

struct subst *
subst_new(struct str text, struct buf *why, size_t *offset)
{
	const char *end = text.p + text.len, *middle = NULL, *last = NULL;
	const char *flag = end;
	struct subst *s;
	struct subst_parser r;
	struct str pattern;
	bool ignore_case = false;

	*offset = 0;
	if (str_starts(text, STR("s/")))
		middle = find_slash(text.p + 2, end);
	if (middle != NULL)
		last = find_slash(middle + 1, end);
	if (last == NULL) {
		buf_str(why, STR("not of the form s/.../.../"));
		return NULL;
	}
	s = mem_zero(1, sizeof(*s));
	if (!parse_flags(str_range(last + 1, end), &s->is_global, &ignore_case,
			 &flag)) {
		buf_str(why, STR("the flags are g and i"));
		*offset = (size_t)(flag - text.p);
		goto bad;
	}
	pattern = str_range(text.p + 2, middle);
	s->regex = regex_new(pattern, ignore_case, why, offset);
	*offset += 2;
	if (s->regex == NULL)
		goto bad;
	r = (struct subst_parser){ middle + 1, last, why };
	if (!parse_replacement(s, &r)) {
		*offset = (size_t)(r.p - text.p);
		goto bad;
	}
	return s;
bad:
	subst_free(s);
	return NULL;
}

void
subst_free(struct subst *s)
{
	if (s == NULL)
		return;
	regex_free(s->regex);
	buf_free(&s->literals);
	free(s->piece);
	free(s);
}

static void
add_replacement(const struct subst *s, struct buf *out)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct subst_piece *p = &s->piece[i];

		if (p->len > 0)
			buf_add(out, s->literals.p + p->begin, p->len);
		else
			buf_str(out, regex_group(s->regex, p->group));
	}
}

bool
subst_apply(struct subst *s, struct str text, struct buf *out)
{
	const char *p, *end;
	struct str match;
	size_t n;

	if (text.p == NULL)
		text = STR("");
	if (!regex_find(s->regex, text, 0))
		return false;
	p = text.p;
	end = text.p + text.len;
	do {
		match = regex_group(s->regex, 0);
		/* Lookbehind and \K can match before p, which is done. */
		if (match.p < p)
			break;
		buf_str(out, str_range(p, match.p));
		add_replacement(s, out);
		p = match.p + match.len;
		/* After an empty match, step over a character. */
		if (match.len == 0 && p < end) {
			n = utf8_length(p, end);
			buf_add(out, p, n > 0 ? n : 1);
			p += n > 0 ? n : 1;
		} else if (match.len == 0) {
			break;
		}
	} while (s->is_global &&
		 regex_find(s->regex, text, (size_t)(p - text.p)));
	buf_str(out, str_range(p, end));
	return true;
}

const struct regex *
subst_regex(const struct subst *s)
{
	return s->regex;
}
