/* perfframe.c - parses the frame lines of perf script text. */
#include "perfscript/perfframe.h"

#include "folded/name.h"
#include "perfscript/perfline.h"

/* The opening parenthesis of "(module)" at the end of s, or NULL. */
static const char *
module_start(struct str s)
{
	const char *p = s.p + s.len;
	int depth = 0;

	while (p > s.p) {
		p--;
		depth += (*p == ')') - (*p == '(');
		if (depth == 0)
			return p == s.p || p[-1] == ' ' ? p : NULL;
	}
	return NULL;
}

/*
 * The end of a name with an offset, "f+0x1f (", or NULL.  The offset is
 * unambiguous, whatever parentheses are in the name and the module.
 */
static const char *
offset_end(struct str s)
{
	const char *p = s.p, *end = s.p + s.len;

	while ((p = str_search(str_range(p, end), STR("+0x"))) != NULL) {
		for (p += 3; p < end && str_hexdigit(*p) >= 0;)
			p++;
		if (p[-1] != 'x' && end - p > 2 && p[0] == ' ' && p[1] == '(')
			return p;
	}
	return NULL;
}

/* Split "name+0x1f (module)"; false if there is no module. */
static bool
split_module(struct str s, struct perfframe *f)
{
	const char *p;

	if (s.len < 2 || s.p[s.len - 1] != ')')
		return false;
	p = offset_end(s);
	p = p != NULL ? p + 1 : module_start(s);
	if (p == NULL) /* unbalanced, as "(/a/b) c)" may be */
		p = str_search(s, STR(" (/"));
	if (p == NULL)
		return false;
	p += *p == ' ';
	f->name = str_trim(str_range(s.p, p));
	/* perf script -F +dsoff adds the offset in the file: "/bin/x+0x1f" */
	f->module = name_strip_offset(str_range(p + 1, s.p + s.len - 1));
	return true;
}

/* "[kernel.kallsyms]", "/lib/.../x.ko.xz", "vmlinux-5.4", "bpf_prog_1f_x" */
static bool
is_kernel(struct str module)
{
	static const char *const user[] = {
		"[unknown]", "[heap]",    "[stack",   "[vdso",
		"[vvar",     "[vsyscall", "[anon",    "[uprobes",
		"[JIT",      "[vectors]", "[sigpage]"
	};
	static const char *const ends[] = { ".ko", ".ko.gz", ".ko.xz",
					    ".ko.zst", ".ko.bz2" };
	struct str base = str_basename(module);
	size_t i;

	if (str_starts(module, STR("["))) {
		for (i = 0; i < sizeof(user) / sizeof(*user); i++) {
			if (str_starts(module, str_of(user[i])))
				return false;
		}
		return true;
	}
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (str_ends(base, str_of(ends[i])))
			return true;
	}
	return str_eq(base, STR("vmlinux")) ||
	       str_starts(base, STR("vmlinux-")) ||
	       str_starts(module, STR("bpf_")); /* of KSYMBOL: no path */
}

/* "/tmp/perf-123.map", "jitted-1-2.so", "[JIT] tid 1", "[JIT app cache]" */
static bool
is_jit(struct str module)
{
	struct str base = str_basename(module);
	uint64_t pid;

	if (str_starts(module, STR("[JIT")))
		return true;
	if (str_starts(base, STR("jitted-")))
		return str_ends(base, STR(".so"));
	return str_starts(base, STR("perf-")) && str_ends(base, STR(".map")) &&
	       str_u64(str_range(base.p + 5, base.p + base.len - 4), &pid);
}

enum perfframe_kind
perfframe_kind(struct str module)
{
	if (str_eq(module, STR("inlined")))
		return PERFFRAME_INLINE;
	if (is_kernel(module))
		return PERFFRAME_KERNEL;
	return is_jit(module) ? PERFFRAME_JIT : PERFFRAME_USER;
}

bool
perfframe_read(struct str line, bool strict, struct perfframe *f)
{
	struct str name, rest = line, addr = perfline_word(&rest);
	uint64_t offset;

	if (!str_hex(addr, &f->addr))
		return false;
	rest = str_trim(rest);
	f->module = (struct str){ rest.p, 0 };
	if (!split_module(rest, f)) {
		if (strict)
			return false;
		f->name = rest;
	}
	name = name_strip_offset(f->name);
	f->offset = PERFFRAME_NO_OFFSET;
	if (name.len < f->name.len)
		str_hex(str_skip(f->name, name.len + 3), &f->offset);
	f->name = name;
	/* perf prints JIT code without a name as the offset alone. */
	if (str_starts(f->name, STR("+0x")) && is_jit(f->module) &&
	    str_hex(str_skip(f->name, 3), &offset))
		f->name.len = 0;
	return true;
}

/* A page size as perf prints it: "4K", "2M", or "N/A" if unknown */
static bool
is_page_size(struct str s)
{
	struct str word = perfline_word(&s);

	return str_eq(word, STR("N/A")) ||
	       (word.len > 0 && str_isdigit(*word.p) &&
		str_find(STR("BKMGT"), word.p[word.len - 1]) != NULL);
}

bool
perfframe_is_data(struct str line, const struct perfframe *f)
{
	struct str rest = line;

	if (f->module.len > 0)
		return false;
	perfline_word(&rest);
	if (str_starts(rest, STR("\t")))
		return true;
	return *line.p != '\t' &&
	       (f->name.len == 0 || str_starts(f->name, STR("/")) ||
		is_page_size(f->name));
}

bool
perfframe_only(struct str rest, struct perfframe *f)
{
	enum { DIGITS = 6 }; /* an address has at least so many */
	struct str tail = rest, last = rest, word = perfline_word(&tail);
	uint64_t n;

	if (!str_hex(word, &n))
		return false;
	while ((word = perfline_word(&tail)).len > 0) {
		if (word.len >= DIGITS && str_hex(word, &n) && tail.len > 0)
			last = str_range(word.p, rest.p + rest.len);
	}
	return perfframe_read(last, true, f) || perfframe_read(rest, true, f);
}

bool
perfframe_source(struct str line, struct str *source)
{
	struct str s = str_trim(line);
	const char *p, *bracket;
	uint64_t n;

	*source = s;
	if (s.len == 0 || *line.p != ' ')
		return false;
	/* "libc-2.33.so[27b25]": no line, the module */
	if (s.p[s.len - 1] == ']' && (bracket = str_find(s, '[')) != NULL) {
		*source = str_range(s.p, bracket);
		return true;
	}
	p = memrchr(s.p, ':', s.len);
	if (p == NULL)
		return false;
	return str_u64(str_range(p + 1, s.p + s.len), &n);
}
