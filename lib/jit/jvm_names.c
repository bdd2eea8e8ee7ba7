/* jvm_names.c - names of methods in perf maps of JVMs. */
#include "jit/jvm_names.h"

/*
 * Append a class with slashes.  A hidden class has an address after a slash,
 * "A$$Lambda/0x00007f12", which is "A$$Lambda+0x00007f12" inside the JVM.
 */
static void
put_class(struct str class, struct buf *out)
{
	size_t i;

	for (i = 0; i < class.len; i++) {
		if (class.p[i] == '/' &&
		    str_starts(str_skip(class, i), STR("/0x")))
			buf_char(out, '+');
		else
			buf_char(out, class.p[i] == '.' ? '/' : class.p[i]);
	}
}

/* Append "CLASS.METHOD(ARGUMENTS)" without a type before; false if it is other
 * text. */
static bool
put_method(struct str name, struct buf *out)
{
	const char *arguments = name.len == 0 ? NULL :
						memchr(name.p, '(', name.len);
	const char *end = name.p + name.len, *type, *dot;
	struct str method;

	if (arguments == NULL || end[-1] != ')')
		return false;
	method = str_range(name.p, arguments);
	type = memchr(method.p, ' ', method.len);
	if (type == NULL)
		return false;
	method = str_range(type + 1, arguments);
	dot = method.len == 0 ? NULL : memrchr(method.p, '.', method.len);
	if (dot == NULL || memchr(method.p, ' ', method.len) != NULL)
		return false;
	put_class(str_range(method.p, dot), out);
	buf_str(out, str_range(dot, end));
	return true;
}

void
jvm_names_convert(struct str map, struct buf *out)
{
	struct str line, name;
	int i;

	while (map.len > 0) {
		line = name = str_cut(&map, '\n');
		for (i = 0; i < 2; i++)
			str_cut(&name, ' ');
		buf_str(out, str_range(line.p, name.p));
		if (!put_method(name, out))
			buf_str(out, name);
		buf_char(out, '\n');
	}
}
