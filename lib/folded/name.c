/* name.c - clean names: one name for a function in all tools. */
#include "folded/name.h"

#include "base/utf8.h"
#include "folded/script_name.h"

/* Open brackets of each kind, outside parentheses. */
struct open_brackets {
	int angle, brace, square;
};

static bool
is_balanced(struct open_brackets o)
{
	return o.angle == 0 && o.brace == 0 && o.square == 0;
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       str_isdigit(c) || c == '_' || c == '$' || (c & 0x80) != 0;
}

/* Whether the word starts at p and is not part of a longer word. */
static bool
is_at_word(struct str s, const char *p, struct str word)
{
	struct str rest = str_range(p, s.p + s.len);

	return str_starts(rest, word) && (p == s.p || !is_word(p[-1])) &&
	       (rest.len == word.len || !is_word(rest.p[word.len]));
}

/*
 * The length of "operator" and its symbol at the start of s, so that the symbol
 * does not count as a bracket.  Longer symbols stand first.
 */
static size_t
operator_length(struct str s)
{
	static const char *const symbols[] = {
		"()", "[]", "<=>", "<<=", ">>=", "->*",  "<<", ">>",
		"<=", ">=", "->",  "<",   ">",   "\"\"", ",",
	};
	struct str rest = str_skip(s, strlen("operator"));
	size_t i, blanks = 0;

	while (blanks < rest.len && rest.p[blanks] == ' ')
		blanks++;
	rest = str_skip(rest, blanks);
	for (i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		if (str_starts(rest, str_of(symbols[i])))
			return (size_t)(rest.p - s.p) + strlen(symbols[i]);
	}
	return strlen("operator");
}

/* The end of the group in parentheses that begins at p, or NULL. */
static const char *
group_end(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		depth += (*p == '(') - (*p == ')');
		if (depth == 0)
			return p + 1;
	}
	return NULL;
}

/*
 * Whether the text after a group shows that the group belongs to the name:
 * - "::", as in "main(int)::{lambda()#1}" or "(anonymous namespace)::f",
 *   perhaps after the qualifiers of a member function;
 * - ".inner", a function inside another one in D;
 * - " in f", the place of a closure in Swift, "closure #1 (Int) -> Bool in f",
 *   where the return type belongs to the name, too.
 * Returns the end of what belongs to the name, or NULL.
 */
static const char *
name_continues(struct str rest)
{
	const char *end = rest.p;
	static const char *const qualifiers[] = { " const", " volatile",
						  " noexcept", " &&", " &" };
	size_t i;

	for (i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++) {
		if (str_starts(rest, str_of(qualifiers[i]))) {
			rest = str_skip(rest, strlen(qualifiers[i]));
			i = (size_t)-1;
		}
	}
	if (str_starts(rest, STR(" -> ")))
		return str_search(rest, STR(" in "));
	if (str_starts(rest, STR("::")) || str_starts(rest, STR(" in ")) ||
	    (rest.len > 1 && *rest.p == '.' && is_word(rest.p[1])))
		return end;
	return NULL;
}

/* Whether "decltype" is the last word of s. */
static bool
ends_in_decltype(struct str s)
{
	const struct str word = STR("decltype");

	return str_ends(s, word) && is_at_word(s, s.p + s.len - word.len, word);
}

/*
 * Whether the group from p to end is part of the name s, and not its arguments.
 * Returns the end of that part, or NULL.  Besides name_continues() these are:
 * - a group at the start of the name;
 * - a receiver in Go, "http.(*Client).Do";
 * - a function after a file, "./a.js:(anonymous):12";
 * - arguments of a template in D, "map!(int).map";
 * - the operand of decltype;
 * - the declarator in "void (*signal(int))(int)".
 */
static const char *
part_end(struct str s, const char *p, const char *end)
{
	struct str rest = str_range(end, s.p + s.len);
	struct str head = str_rtrim(str_range(s.p, p));
	struct str before = str_range(s.p, p);

	if (p == s.p || str_ends(before, STR(".")) ||
	    str_ends(before, STR(":")) || ends_in_decltype(head))
		return end;
	if (str_ends(before, STR("!")) && !str_ends(before, STR("operator!")))
		return end;
	if (str_ends(before, STR(" ")) && (p[1] == '*' || p[1] == '&') &&
	    str_starts(rest, STR("(")))
		return end;
	/*
	 * Last, because it may search all of the rest.  If it finds nothing,
	 * the caller is done.
	 */
	return name_continues(rest);
}

static void
count_bracket(struct open_brackets *o, const char *p, const char *begin)
{
	switch (*p) {
	case '<':
		o->angle++;
		break;
	case '>':
		/* the arrow of a return type is not a bracket */
		if (p == begin || p[-1] != '-')
			o->angle--;
		break;
	case '{':
		o->brace++;
		break;
	case '}':
		o->brace--;
		break;
	case '[':
		o->square++;
		break;
	case ']':
		o->square--;
		break;
	}
}

/* The name without its arguments; all of it if its brackets do not balance. */
static struct str
without_args(struct str s)
{
	const char *p = s.p, *end = s.p + s.len, *next;
	struct open_brackets o = { 0, 0, 0 };

	while (p < end) {
		if (*p == 'o' && is_at_word(s, p, STR("operator"))) {
			p += operator_length(str_range(p, end));
			continue;
		}
		if (*p != '(') {
			count_bracket(&o, p++, s.p);
			continue;
		}
		next = group_end(p, end);
		if (next != NULL && is_balanced(o))
			next = part_end(s, p, next);
		if (next == NULL)
			return p > s.p && is_balanced(o) ?
				   str_rtrim(str_range(s.p, p)) :
				   s;
		p = next;
	}
	return s;
}

struct str
name_before_values(struct str text)
{
	const char *p = text.p, *end = text.p + text.len, *next;
	bool after_blank;
	struct open_brackets o = { 0, 0, 0 };

	while (p < end) {
		if (*p == 'o' && is_at_word(text, p, STR("operator"))) {
			p += operator_length(str_range(p, end));
			continue;
		}
		if (*p != '(') {
			count_bracket(&o, p++, text.p);
			continue;
		}
		after_blank = p > text.p && p[-1] == ' ' && is_balanced(o);
		next = group_end(p, end);
		if (next != NULL && after_blank)
			next = part_end(text, p, next);
		if (next == NULL && after_blank)
			return str_rtrim(str_range(text.p, p));
		/* unbalanced: fall back to the first " (" */
		if (next == NULL)
			break;
		p = next;
	}
	p = str_search(text, STR(" ("));
	return p == NULL ? text : str_rtrim(str_range(text.p, p));
}

/*
 * Cut off the hash of Rust's legacy mangling: "::h" and 16 digits, perhaps with
 * ".llvm." and a number after it.  False if there is none.
 */
static bool
cut_rust_hash(struct str *s)
{
	const size_t len = strlen("::h") + 16;
	const char *llvm = str_search(*s, STR(".llvm."));
	struct str whole = *s, tail;
	size_t i;

	if (llvm != NULL)
		whole = str_range(s->p, llvm);
	if (whole.len <= len)
		return false;
	tail = str_skip(whole, whole.len - len);
	if (!str_starts(tail, STR("::h")))
		return false;
	for (i = strlen("::h"); i < len; i++) {
		if (str_hexdigit(tail.p[i]) < 0)
			return false;
	}
	*s = str_range(s->p, tail.p);
	return true;
}

/*
 * Decode an escape of Rust's legacy mangling, such as "$LT$" or "$u7b$", given
 * without its dollars; 0 if it is not one.
 */
static char
rust_escape(struct str s)
{
	static const struct {
		const char *name;
		char c;
	} escapes[] = { { "SP", '@' }, { "BP", '*' }, { "RF", '&' },
			{ "LT", '<' }, { "GT", '>' }, { "LP", '(' },
			{ "RP", ')' }, { "C", ',' } };
	uint64_t c;
	size_t i;

	for (i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		if (str_eq(s, str_of(escapes[i].name)))
			return escapes[i].c;
	}
	if (str_starts(s, STR("u")) && str_hex(str_skip(s, 1), &c) &&
	    c >= ' ' && c <= '~')
		return (char)c;
	return 0;
}

/*
 * Append a legacy name of Rust that perf has demangled as C++, with its escapes
 * decoded: "_$LT$T$u20$as$u20$a..B$GT$::f" is "<T as a::B>::f".
 */
static void
print_rust(struct buf *out, struct str s)
{
	struct str rest;
	bool begins = true; /* s is at the start of a part of the path */
	char c;

	while (s.len > 0) {
		if (begins && str_starts(s, STR("_$")))
			s = str_skip(s, 1);
		rest = str_skip(s, 1);
		c = *s.p == '$' && str_find(rest, '$') != NULL ?
			rust_escape(str_cut(&rest, '$')) :
			0;
		begins = str_starts(s, STR("::"));
		if (*s.p == '`') { /* of DTrace, after the module */
			buf_char(out, '`');
			begins = true;
			s = rest;
		} else if (c != 0) {
			buf_char(out, c);
			s = rest;
		} else if (begins || str_starts(s, STR(".."))) {
			buf_str(out, STR("::"));
			s = str_skip(s, 2);
		} else {
			buf_char(out, *s.p);
			s = str_skip(s, 1);
		}
	}
}

struct str
name_strip_offset(struct str name)
{
	const char *p = name.p + name.len;

	while (p > name.p && str_hexdigit(p[-1]) >= 0)
		p--;
	if (p == name.p + name.len || p - name.p <= 3 ||
	    (p[-1] | 0x20) != 'x' || p[-2] != '0' || p[-3] != '+')
		return name;
	return str_range(name.p, p - 3);
}

/* Remove quotes from start on, and replace ';' by ':'. */
static void
clean_bytes(struct buf *out, size_t start)
{
	size_t i, kept;

	for (i = kept = start; i < out->len; i++) {
		if (out->p[i] != '"' && out->p[i] != '\'')
			out->p[kept++] = out->p[i] == ';' ? ':' : out->p[i];
	}
	out->len = kept;
}

/*
 * Whether s begins with "_<F as T>" or "_<impl T>", which some demanglers make
 * of Rust's "_$LT$".  In C++, "_" may be the name of a template.
 */
static bool
is_rust_underscore(struct str s)
{
	struct str inside;
	size_t i;
	int depth = 0;

	if (!str_starts(s, STR("_<")))
		return false;
	for (i = 1; i < s.len; i++) {
		depth += (s.p[i] == '<') - (s.p[i] == '>');
		if (depth == 0)
			break;
	}
	inside = str_range(s.p, s.p + i);
	return str_starts(s, STR("_<impl ")) ||
	       str_search(inside, STR(" as ")) != NULL;
}

/* Remove these underscores where a part of a path begins. */
static void
clean_rust(struct buf *out, size_t start)
{
	struct str clean;
	bool begins = true;
	size_t i, kept;

	for (i = kept = start; i < out->len; i++) {
		if (!begins || !is_rust_underscore(str_skip(buf_slice(out), i)))
			out->p[kept++] = out->p[i];
		clean = str_range(out->p + start, out->p + kept);
		begins = str_ends(clean, STR("`")) ||
			 str_ends(clean, STR("::"));
	}
	out->len = kept;
}

/*
 * V8's jitdumps and perf maps name a builtin "Builtin:X", and the handler of a
 * bytecode "BytecodeHandler:X" or "BytecodeHandler:X.Wide".  In the symbols of
 * the program these are Builtins_X and Builtins_XHandler,
 * Builtins_XWideHandler. False if s is not such a name.
 */
static bool
print_v8_builtin(struct buf *out, struct str s)
{
	struct str rest = s, kind = str_cut(&rest, ':');
	const bool is_handler = str_eq(kind, STR("BytecodeHandler"));
	size_t i;

	if (rest.len == 0 || (!is_handler && !str_eq(kind, STR("Builtin"))))
		return false;
	for (i = 0; i < rest.len; i++) {
		if (!is_word(rest.p[i]) && rest.p[i] != '.')
			return false;
	}
	buf_str(out, STR("Builtins_"));
	for (i = 0; i < rest.len; i++) {
		if (!is_handler || rest.p[i] != '.')
			buf_char(out, rest.p[i]);
	}
	if (is_handler)
		buf_str(out, STR("Handler"));
	return true;
}

/* False if s is not a function of Python as CPython names its code. */
static bool
print_python(struct buf *out, struct str s)
{
	const size_t start = out->len;
	struct buf text = { 0 };
	struct str name, file;

	if (!script_name_split(s, &name, &file))
		return false;
	script_name_print(&text, name, file, STR(""));
	utf8_escape(out, buf_slice(&text));
	clean_bytes(out, start);
	buf_free(&text);
	return true;
}

void
name_clean(struct buf *out, struct str raw, int flags)
{
	const bool with_args = (flags & NAME_ARGS) != 0;
	struct buf decoded = { 0 };
	struct str s = raw;
	size_t start = out->len;
	bool is_rust;

	if (str_starts(s, STR("B")) && print_v8_builtin(out, s))
		return;
	if (str_starts(s, STR("py")) && print_python(out, s))
		return;
	is_rust = cut_rust_hash(&s);
	if (!is_rust && !with_args) {
		s = without_args(s);
		/* lldb prints the values of arguments after the hash */
		is_rust = cut_rust_hash(&s);
	}
	if (is_rust) {
		print_rust(&decoded, s);
		s = buf_slice(&decoded);
		if (!with_args)
			s = without_args(s);
	}
	utf8_escape(out, s);
	buf_free(&decoded);
	clean_bytes(out, start);
	if (str_search(str_skip(buf_slice(out), start), STR("_<")) != NULL)
		clean_rust(out, start);
	s = str_skip(buf_slice(out), start);
	if ((flags & NAME_JAVA) != 0 && str_starts(s, STR("L")) &&
	    str_find(s, '/') != NULL) {
		memmove(out->p + start, out->p + start + 1, s.len - 1);
		out->len--;
	}
}

struct str
name_module(struct str path)
{
	struct str deleted = STR(" (deleted)");

	path = str_rtrim(path);
	if (str_ends(path, deleted))
		path = str_rtrim(
		    str_range(path.p, path.p + path.len - deleted.len));
	return str_basename(path);
}

void
name_missing(struct buf *out, struct str module, const uint64_t *addr)
{
	size_t start, i;

	buf_char(out, '[');
	start = out->len;
	utf8_escape(out, module.len > 0 ? module : STR("unknown"));
	for (i = start; i < out->len; i++) {
		if (out->p[i] == ';')
			out->p[i] = ':';
	}
	if (addr != NULL) {
		buf_str(out, STR(" <"));
		buf_hex(out, *addr);
		buf_char(out, '>');
	}
	buf_char(out, ']');
}

bool
name_ismissing(struct str frame, struct str *module, bool *has_addr,
	       uint64_t *addr)
{
	struct str hex;
	const char *p;

	*has_addr = false;
	if (frame.len < 3 || *frame.p != '[' || frame.p[frame.len - 1] != ']')
		return false;
	*module = str_range(frame.p + 1, frame.p + frame.len - 1);
	if (!str_ends(*module, STR(">")))
		return true;
	p = memrchr(module->p, '<', module->len);
	if (p == NULL || p < module->p + 2 || p[-1] != ' ')
		return true;
	hex = str_range(p + 1, module->p + module->len - 1);
	*has_addr = str_hex(hex, addr);
	if (*has_addr)
		*module = str_range(module->p, p - 1);
	return true;
}

void
name_word(struct buf *out, struct str word)
{
	size_t i = out->len;

	utf8_escape(out, word);
	for (; i < out->len; i++) {
		if (out->p[i] == ' ')
			out->p[i] = '_';
		else if (out->p[i] == ';')
			out->p[i] = ':';
	}
}
