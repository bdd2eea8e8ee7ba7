# growth_binary.awk - recordings of bad shapes for t/growth, in binary formats:
# -v shape=FORMAT-SHAPE -v n=LINES.  Formats: memprof of LuaJIT, and JFR.

# Bytes are collected in b[], because their number is written before them.

function put(byte) {
	b[nb++] = byte
}

function write_bytes(i) {
	for (i = 0; i < nb; i++)
		printf "%c", b[i]
	nb = 0
}

# An unsigned LEB128, as both formats have it.
function leb(number) {
	for (; number >= 128; number = int(number / 128))
		put(number % 128 + 128)
	put(number)
}

# The bytes of a string.
function chars(s, i) {
	for (i = 1; i <= length(s); i++)
		put(code[substr(s, i, 1)])
}

# Which of n things comes at place i, from 0.
function choice(i) {
	if (how == "equal")
		return 0
	return how == "reverse" ? n - 1 - i : i
}

# memprof: functions of Lua, one of C for each, and a trace for each.

function magic(letter) {
	printf "lj%s%c%c%c%c", letter, 3, 0, 0, 0
}

# A symbol, in the table or among the events: kinds are 0, 1 and 2.
function symbol(head, kind, i) {
	put(head)
	leb(kind == 2 ? i : 65536 + 16 * i)
	if (kind == 2) {
		leb(65536 + 16 * i)
	} else {
		leb(length("f" i))
		chars("f" i)
	}
	if (kind != 1)
		leb(i)
}

# An allocation (1), a release (2), or a new size (3).
function memory(event, kind, i) {
	put((kind + 2) * 4 + event)
	leb(kind == 2 ? i : 65536 + 16 * i)
	if (kind == 0)
		leb(i)
	if (event != 1) {
		leb(1048576 + 16 * i)
		leb(8)
	}
	if (event != 2) {
		leb(1048576 + 16 * (event == 3 ? i + 1 : i))
		leb(8)
	}
}

function memprof(i, j) {
	magic("s")
	for (i = 0; i < n && how != "late"; i++)
		symbol(i % 3, i % 3, choice(i))
	put(128)
	write_bytes()
	magic("m")
	for (i = 0; i < n; i++) {
		j = choice(i)
		if (how == "late")
			symbol((i % 3 + 2) * 4, i % 3, j)
		memory(how == "resize" && i > 0 ? 3 : 1, i % 3, j)
	}
	put(128)
	write_bytes()
}

# JFR: an open chunk, whose header does not say how long it is.

function fixed(number, size, i, digit) {
	for (i = 0; i < size; i++) {
		digit[i] = number % 256
		number = int(number / 256)
	}
	while (i-- > 0)
		put(digit[i])
}

function header() {
	chars("FLR")
	fixed(0, 1)
	fixed(131072, 4) # version 2
	fixed(0, 8 * 3)  # sizes
	fixed(0, 8 * 3)  # times
	fixed(1000000000, 8)
	fixed(16777217, 4) # open; compressed integers
	write_bytes()
}

# The fields of an event are in b[]; its size has four bytes.
function event(type, i, size) {
	size = 4 + (type < 128 ? 1 : type < 16384 ? 2 : 3) + nb
	printf "%c%c%c%c", size % 128 + 128, int(size / 128) % 128 + 128,
		int(size / 16384) % 128 + 128, int(size / 2097152)
	for (i = 0; i < nb; i++)
		fields[i] = b[i]
	size = nb
	nb = 0
	leb(type)
	write_bytes()
	for (i = 0; i < size; i++)
		printf "%c", fields[i]
}

function utf8(s) {
	put(3)
	leb(length(s))
	chars(s)
}

# The number of a string of the metadata.
function string(s) {
	if (!(s in number_of)) {
		number_of[s] = strings
		text[strings++] = s
	}
	return number_of[s]
}

# "NAME KEY=VALUE ...", and how many elements follow as its children.
function element(what, children, word, words, pair, i) {
	words = split(what, word, " ")
	leb(string(word[1]))
	leb(words - 1)
	for (i = 2; i <= words; i++) {
		split(word[i], pair, "=")
		leb(string(pair[1]))
		leb(string(pair[2]))
	}
	leb(children)
}

function sample_type(id, name) {
	element("class name=" name " id=" id " superType=jdk.jfr.Event", 2)
	element("field name=startTime class=1", 0)
	element("field name=stackTrace class=11 constantPool=true", 0)
}

# Types of samples begin at this number.
function metadata(types, first, i, elements, count) {
	strings = 0
	split("", number_of)
	element("root", 1)
	element("metadata", 10 + types)
	element("class name=long id=1", 0)
	element("class name=int id=2", 0)
	element("class name=boolean id=3", 0)
	element("class name=java.lang.String id=4", 0)
	element("class name=jdk.types.StackTrace id=11", 2)
	element("field name=truncated class=3", 0)
	element("field name=frames class=12 dimension=1", 0)
	element("class name=jdk.types.StackFrame id=12", 3)
	element("field name=method class=13 constantPool=true", 0)
	element("field name=lineNumber class=2", 0)
	element("field name=type class=16 constantPool=true", 0)
	element("class name=jdk.types.Method id=13", 3)
	element("field name=type class=14 constantPool=true", 0)
	element("field name=name class=15 constantPool=true", 0)
	element("field name=descriptor class=15 constantPool=true", 0)
	element("class name=java.lang.Class id=14", 1)
	element("field name=name class=15 constantPool=true", 0)
	element("class name=jdk.types.Symbol id=15", 1)
	element("field name=string class=4", 0)
	element("class name=jdk.types.FrameType id=16", 1)
	element("field name=description class=4", 0)
	for (i = 0; i < types; i++)
		sample_type(first + i, types > 1 ? "a.Event" i : "jdk.ExecutionSample")
	for (count = 0; count < nb; count++)
		elements[count] = b[count]
	nb = 0
	for (i = 0; i < 3; i++)
		leb(0)
	leb(strings)
	for (i = 0; i < strings; i++)
		utf8(text[i])
	for (i = 0; i < count; i++)
		put(elements[i])
	event(0)
}

# Numbers of symbols and methods: those of method i, from 0, are i + 3.
function pools(methods, i, m) {
	for (i = 0; i < 3; i++)
		leb(0)
	put(0)
	leb(5)
	leb(16)
	leb(1)
	leb(1)
	utf8("JIT compiled")
	leb(15)
	leb(methods + 2)
	leb(1)
	utf8("a/B")
	leb(2)
	utf8("()V")
	for (i = 0; i < methods; i++) {
		leb(choice(i) + 3)
		utf8("f" choice(i))
	}
	leb(14)
	leb(1)
	leb(1)
	leb(1)
	leb(13)
	leb(methods)
	for (i = 0; i < methods; i++) {
		leb(choice(i) + 3)
		leb(1)
		leb(choice(i) + 3)
		leb(2)
	}
	stacks()
	event(1)
}

function frame(method) {
	leb(method + 3)
	leb(1)
	leb(1)
}

# A stack for each method, or one of all methods.
function stacks(i, count) {
	count = how == "deep" || how == "equal" ? 1 : n
	leb(11)
	leb(count)
	for (i = 0; i < count; i++) {
		leb(choice(i) + 1)
		put(0)
		leb(how == "deep" ? n : 2)
		if (how != "deep") {
			frame(choice(i))
			frame(0)
		}
	}
	for (i = 0; how == "deep" && i < n; i++)
		frame(i)
}

function jfr(types, first, samples, i) {
	header()
	metadata(types, first)
	pools(how == "equal" ? 1 : n)
	for (i = 0; i < samples; i++) {
		leb(i)
		leb(how == "deep" ? 1 : choice(i) + 1)
		event(first + i % types)
	}
}

BEGIN {
	for (i = 0; i < 256; i++)
		code[sprintf("%c", i)] = i
	how = shape
	sub(/.*-/, "", how)
	if (shape ~ /^memprof/) {
		memprof()
	} else if (shape == "jfr-chunks") {
		chunks = n / 50
		n = 10
		while (chunks-- > 0)
			jfr(1, 999999, 10)
	} else {
		jfr(shape == "jfr-types" ? n / 4 : 1, 100, n)
	}
}
