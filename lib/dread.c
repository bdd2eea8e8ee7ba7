/* dread.c - reading names of D. */
#include "dread.h"

/* Long names of template libraries have some thousands, and dozens. */
#define MAX_STEPS 16384
#define MAX_DEPTH 256

char
dread_peek(const struct dread *n, size_t i)
{
	return i < (size_t)(n->end - n->p) ? n->p[i] : '\0';
}

bool
dread_is(const struct dread *n, struct str what)
{
	return str_starts(str_range(n->p, n->end), what);
}

bool
dread_take(struct dread *n, char c)
{
	if (dread_peek(n, 0) != c || n->p == n->end)
		return false;
	n->p++;
	return true;
}

void
dread_put(struct dread *n, const char *s)
{
	buf_str(n->out, str_of(s));
}

bool
dread_step(struct dread *n)
{
	if (n->steps == MAX_STEPS || n->depth == MAX_DEPTH ||
	    n->out->len > n->limit)
		return false;
	n->steps++;
	n->depth++;
	return true;
}

static void
reverse(char *p, size_t n)
{
	size_t i;
	char c;

	for (i = 0; i < n / 2; i++) {
		c = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

void
dread_rotate(struct dread *n, size_t a, size_t m)
{
	char *p = n->out->p;

	reverse(p + a, m - a);
	reverse(p + m, n->out->len - m);
	reverse(p + a, n->out->len - a);
}

bool
dread_number(struct dread *n, size_t *found)
{
	size_t digit;

	if (!str_isdigit(dread_peek(n, 0)))
		return false;
	for (*found = 0; str_isdigit(dread_peek(n, 0)); n->p++) {
		digit = (size_t)(*n->p - '0');
		if (*found > (UINT32_MAX - digit) / 10)
			return false;
		*found = *found * 10 + digit;
	}
	return true;
}

/* "Q", and how far it is back: base 26, the last digit in lower case. */
const char *
dread_reference(struct dread *n)
{
	const char *q = n->p++;
	size_t back = 0;
	char c;

	do {
		c = dread_peek(n, 0);
		if (c >= 'a' && c <= 'z')
			back = back * 26 + (size_t)(c - 'a');
		else if (c >= 'A' && c <= 'Z')
			back = back * 26 + (size_t)(c - 'A');
		else
			return NULL;
		n->p++;
	} while (c < 'a' && back <= INT32_MAX);
	return back > 0 && back <= (size_t)(q - n->start) ? q - back : NULL;
}

bool
dread_referred(struct dread *n, bool (*read)(struct dread *))
{
	const char *last = n->last, *q = n->p, *to = dread_reference(n),
		   *next = n->p;
	bool done;

	if (q >= last || to == NULL)
		return false;
	n->last = q;
	n->p = to;
	done = read(n);
	n->last = last;
	n->p = next;
	return done;
}
