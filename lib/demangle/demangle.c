/* demangle.c - demangler for Rust and C++, by libiberty, and other languages.
 */
#include "demangle/demangle.h"

#include "demangle/dlang.h"

/* Fedora and openSUSE install the header without a folder. */
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif
#include <setjmp.h>

/*
 * A few hundred bytes can stand for gigabytes, because a mangled name can refer
 * back to its own parts.  Names longer than these limits stay mangled.
 */
#define MAX_IN (64 * 1024)
#define MAX_OUT (256 * 1024)

struct demangled_text {
	struct buf *buf;
	size_t limit;
	jmp_buf full;
};

/*
 * The printers of libiberty have no way to stop them.  Jumping out of them is
 * safe: they allocate nothing but short pieces of Unicode text.
 */
static void
print(const char *p, size_t n, void *arg)
{
	struct demangled_text *out = arg;

	if (out->buf->len + n > out->limit)
		longjmp(out->full, 1);
	buf_add(out->buf, p, n);
}

static bool
demangle_rust_or_cxx(struct buf *out, const char *name)
{
	const size_t before = out->len;
	struct demangled_text o = { .buf = out, .limit = before + MAX_OUT };

	if (setjmp(o.full) == 0) {
		if (rust_demangle_callback(name, DMGL_NO_OPTS, print, &o))
			return true;
		out->len = before;
		/* Without parameters, like perf. */
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

/* Like demangle-ocaml.c of perf: "__" is a dot, "$2b" is a character. */
static void
demangle_ocaml(struct buf *out, struct str name)
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

/* Fortran. */

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_fortran_char(char c)
{
	return is_lower(c) || (c >= '0' && c <= '9') || c == '_';
}

/* The bytes of a module, or of a submodule "module.submodule"; 0 if none. */
static size_t
fortran_module(struct str s)
{
	const struct str mark = STR("_MOD_");
	size_t i;

	for (i = 0; i < s.len && !str_starts(str_skip(s, i), mark); i++) {
		if (i == 0 || s.p[i - 1] == '.' ?
			!is_lower(s.p[i]) :
			!is_fortran_char(s.p[i]) && s.p[i] != '.')
			return 0;
	}
	return i < s.len && i > 0 && s.p[i - 1] != '.' ? i : 0;
}

/*
 * gfortran's name of a procedure in a module, "__module_MOD_procedure", as gdb
 * prints it.  C leaves names with two underscores to compilers, and module
 * names have no capitals.  Procedures that the compiler made may have some.
 * The compiler appends a dot and a number to the names of its copies.
 */
static bool
demangle_fortran(struct buf *out, struct str name)
{
	struct str module, procedure;
	size_t n = 0;

	if (!str_starts(name, STR("__")))
		return false;
	module = str_skip(name, 2);
	module.len = fortran_module(module);
	if (module.len == 0)
		return false;
	procedure = str_skip(name, 2 + module.len + strlen("_MOD_"));
	while (n < procedure.len &&
	       (is_fortran_char(procedure.p[n]) ||
		(procedure.p[n] >= 'A' && procedure.p[n] <= 'Z')))
		n++;
	if (n == 0 || (n < procedure.len && procedure.p[n] != '.') ||
	    (procedure.p[0] != '_' && !is_lower(procedure.p[0])))
		return false;
	buf_str(out, module);
	buf_str(out, STR("::"));
	buf_add(out, procedure.p, n);
	return true;
}

bool
demangle(struct buf *out, struct str name)
{
	const struct str plt = STR("@plt");
	struct buf text = { 0 };
	bool is_plt, ok;

	if (is_ocaml(name)) {
		demangle_ocaml(out, name);
		return true;
	}
	if (name.len < 3 || name.len > MAX_IN || name.p[0] != '_' ||
	    strchr("ZRD_", name.p[1]) == NULL)
		return false;
	is_plt = str_ends(name, plt);
	if (is_plt)
		name.len -= plt.len;
	buf_str(&text, name);
	buf_char(&text, '\0');
	ok = name.p[1] == 'D' ? dlang_name(out, name, MAX_OUT) :
	     name.p[1] == '_' ? demangle_fortran(out, name) :
				demangle_rust_or_cxx(out, text.p);
	if (ok && is_plt)
		buf_str(out, plt);
	buf_free(&text);
	return ok;
}
