/* javaname.c - readable names of Java methods. */
#include "demangle/javaname.h"

/* Append "java/lang/Object" with dots. */
static void
put_class(struct buf *out, struct str class)
{
	size_t i;

	for (i = 0; i < class.len; i++)
		buf_char(out, class.p[i] == '/' ? '.' : class.p[i]);
}

/* Cut the descriptor of a type off s, "[[I" or "Ljava/lang/Object;". */
static bool
put_type(struct buf *out, struct str *s)
{
	static const char letters[] = "BCDFIJSZ";
	static const char *const names[] = {
		"byte", "char", "double", "float",
		"int",  "long", "short",  "boolean"
	};
	size_t dimensions = 0;
	const char *letter;

	for (; str_starts(*s, STR("[")); *s = str_skip(*s, 1))
		dimensions++;
	if (s->len == 0)
		return false;
	letter = memchr(letters, *s->p, sizeof(letters) - 1);
	if (letter != NULL) {
		buf_str(out, str_of(names[letter - letters]));
		*s = str_skip(*s, 1);
	} else if (*s->p == 'L' && str_find(*s, ';') != NULL) {
		*s = str_skip(*s, 1);
		put_class(out, str_cut(s, ';'));
	} else {
		return false;
	}
	for (; dimensions > 0; dimensions--)
		buf_str(out, STR("[]"));
	return true;
}

static bool
put_types(struct buf *out, struct str types)
{
	bool first = true;

	for (; types.len > 0; first = false) {
		if (!first)
			buf_str(out, STR(", "));
		if (!put_type(out, &types))
			return false;
	}
	return true;
}

bool
javaname(struct buf *out, struct str name)
{
	struct str rest = name, class, method;
	const char *semicolon = str_find(name, ';'), *close;
	size_t before = out->len;

	if (!str_starts(name, STR("L")) || semicolon == NULL)
		return false;
	class = str_range(name.p + 1, semicolon);
	rest = str_range(semicolon + 1, name.p + name.len);
	if (class.len == 0 || str_find(class, ' ') != NULL ||
	    str_find(rest, '(') == NULL)
		return false;
	method = str_cut(&rest, '(');
	close = str_find(rest, ')');
	if (method.len == 0 || close == NULL)
		return false;
	put_class(out, class);
	buf_char(out, '.');
	buf_str(out, method);
	buf_char(out, '(');
	if (!put_types(out, str_range(rest.p, close))) {
		out->len = before;
		return false;
	}
	buf_char(out, ')');
	return true;
}
