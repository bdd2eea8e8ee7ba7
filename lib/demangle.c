/* demangle.c - names as programmers wrote them, most by libiberty. */
#include "demangle.h"

#include "dname.h"

/* Fedora and openSUSE have it without a folder. */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#include <setjmp.h>

/*
 * A few hundred bytes can stand for gigabytes, as a mangled name refers back
 * to its own parts.  What is longer than any name of a person's is left as
 * it is.
 */
#define MAX_IN (64 * 1024)
#define MAX_OUT (256 * 1024)

struct output {
	struct buf *buf;
	size_t limit;
	jmp_buf full;
};

/*
 * libiberty's printers cannot be told to stop; they keep nothing on the heap
 * but short pieces of Unicode, so that jumping out of them is safe.
 */
static void
print(const char *p, size_t n, void *arg)
{
	struct output *out = arg;

	if (out->buf->len + n > out->limit)
		longjmp(out->full, 1);
	buf_add(out->buf, p, n);
}

static bool
by_rust_or_cxx(struct buf *out, const char *name)
{
	const size_t before = out->len;
	struct output o = { .buf = out, .limit = before + MAX_OUT };

	if (setjmp(o.full) == 0) {
		if (rust_demangle_callback(name, DMGL_NO_OPTS, print, &o))
			return true;
		out->len = before;
		/* perf asks for no parameters either. */
		if (name[1] == 'Z' &&
		    cplus_demangle_v3_callback(name, DMGL_NO_OPTS, print, &o))
			return true;
	}
	out->len = before;
	return false;
}

static bool
is_ocaml(struct str name)
{
	return name.len > 4 && str_starts(name, STR("caml")) &&
	       name.p[4] >= 'A' && name.p[4] <= 'Z';
}

/* As perf does it (demangle-ocaml.c): "__" is a dot, "$2b" a character. */
static void
by_ocaml(struct buf *out, struct str name)
{
	uint64_t c;

	for (name = str_skip(name, 4); name.len > 0;) {
		if (str_starts(name, STR("__"))) {
			buf_char(out, '.');
			name = str_skip(name, 2);
		} else if (*name.p == '$' && name.len > 2 &&
			   str_hex((struct str){ name.p + 1, 2 }, &c) &&
			   c > ' ' && c <= '~') {
			buf_char(out, (char)c);
			name = str_skip(name, 3);
		} else {
			buf_char(out, *name.p);
			name = str_skip(name, 1);
		}
	}
}

bool
demangle(struct buf *out, struct str name)
{
	const struct str plt = STR("@plt");
	struct buf c = { 0 };
	bool is_plt, done;

	if (is_ocaml(name)) {
		by_ocaml(out, name);
		return true;
	}
	if (name.len < 3 || name.len > MAX_IN || name.p[0] != '_' ||
	    strchr("ZRD", name.p[1]) == NULL)
		return false;
	is_plt = str_ends(name, plt);
	if (is_plt)
		name.len -= plt.len;
	buf_str(&c, name);
	buf_char(&c, '\0');
	done = name.p[1] == 'D' ? dname_demangle(out, name, MAX_OUT) :
				  by_rust_or_cxx(out, c.p);
	if (done && is_plt)
		buf_str(out, plt);
	buf_free(&c);
	return done;
}
