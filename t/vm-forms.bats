#!/usr/bin/env bats
# vm-forms.bats - forms that the formats of vm.bats allow, and its recordings
# do not have.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# with_cr <TEXT: as Windows has lines.
with_cr() {
	sed 's/$/\r/'
}

# same_with_cr FORMAT: its traces give what they give without CR.
same_with_cr() {
	local in

	for in in "$DATA/$1"/*.in; do
		with_cr <"$in" >cr
		diff <(stackcollapse-"$1" -q "$in") \
			<(stackcollapse-"$1" -q cr) || return
		[ "$(stackcollapse --which cr)" = \
			"$(stackcollapse --which "$in")" ] || return
	done
}

@test "austin, faulthandler, ghcprof and luajit: lines that end in CR" {
	same_with_cr austin
	same_with_cr faulthandler
	same_with_cr ghcprof
	same_with_cr luajit
}

@test "austin: what versions 2 and 3 write" {
	cat >p <<-'END'
	# austin: 3.2.0
	# mode: full

	P42;T0:7;/a b.py:<module>:10;/a b.py:f:3 100,0,64
	P42;T0:7;/a b.py:<module>:10;/a b.py:g:4 20,1,-64
	P42;T0:7 0,1,0
	END
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P42;T0:7;/a b.py:<module>:10;/a b.py:f:3 100
P42;T0:7;/a b.py:<module>:10;/a b.py:g:4 20" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-austin --memory --meta p
	[[ ${lines[0]} == *"unit=bytes"* ]]
	[ "${lines[1]}" = "P42;T0:7;/a b.py:<module>:10;/a b.py:f:3 64" ]
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
	echo "Process 4;Thread 7f;f (a.py);L12 5" >p
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
	run -0 stackcollapse-austin --memory --meta p
	[[ ${lines[0]} == *"unit=kB"* ]]
}

@test "bpftrace: stacks as perf prints them, and raw ones" {
	{
		printf '@[\n\t55d0c3a12137 leaf+7 (/bin/a)\n'
		printf '\t55d0c3a1216a f(int)+14 (/bin/a)\n'
		printf '\t7f00 0x7f00 ([unknown])\n]: 3\n'
		printf '@[\nffab\nabcd\n]: 4\n'
		printf '@[\n\tleaf+7\n\tmain+3\n]: 5\n'
	} >p
	run -0 stackcollapse-bpftrace -q --addrs p
	[ "$output" = "[unknown <7f00>];f;leaf 3
[unknown <abcd>];[unknown <ffab>] 4
main;leaf 5" ]
}

@test "bpftrace: only maps by stack are counted" {
	cat >p <<-'END'
	@calls: 7
	@start[1234]: 123456789
	@[]: 2
	@stacks[
	    f+1
	    g+2
	, bash]: 3
	@stacks[, sh]: 4
	END
	run -0 stackcollapse-bpftrace -q p
	[ "$output" = "[unknown] 2
bash;g;f 3
sh 4" ]
}

@test "callgrind: numbers may be hexadecimal, with more blanks between" {
	cat >p <<-'END'
	# callgrind format
	events: Ir  Dr
	fn=(1) main
	1 0x10  5
	+1   7
	END
	run -0 stackcollapse-callgrind --self p
	[ "$output" = "main 23" ]
	run -0 stackcollapse-callgrind --self --cost Dr p
	[ "$output" = "main 5" ]
}

@test "chrome: threads that have words for ids are threads of their own" {
	echo '[{"ph":"X","name":"a","pid":1,"tid":"x","ts":0,"dur":10},
		{"ph":"X","name":"b","pid":1,"tid":"y","ts":2,"dur":20},
		{"ph":"M","name":"process_name","pid":"p",
			"args":{"name":"gpu"}},
		{"ph":"X","name":"c","pid":"p","tid":"y","ts":3,"dur":2}]' >p
	run -0 --separate-stderr stackcollapse-chrome --root comm p
	[ "$output" = "a 10
b 20
gpu;c 2" ]
	[ -z "$stderr" ]
}

@test "DTrace: a module whose name begins as a heading" {
	printf 'CPU     ID     FUNCTION:NAME\n  0  64091  :tick-60s\n\n' >p
	printf '  CPUProfiler\x60leaf+0x1\n  libc\x60main+0x3\n  12\n' >>p
	run -0 stackcollapse-dtrace p
	[ "$output" = "libc\`main;CPUProfiler\`leaf 12" ]
}

@test "JSON: what follows the end is said" {
	local format

	for format in chrome ghcprof speedscope stackprof v8; do
		echo '{}{}' >p
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"more behind the end of the JSON"* ]]
	done
}

@test "jstack: quotes in the name of a thread" {
	printf '"a"b c" #12 prio=5 runnable\n' >p
	printf '   java.lang.Thread.State: RUNNABLE\n\tat J.f(J.java:1)\n' >>p
	run -0 stackcollapse-jstack p
	[ "$output" = "ab c;J.f 1" ]
}

@test "JSON: a mark of UTF-8 or blanks before it" {
	local before

	for before in '\xef\xbb\xbf' '\n '; do
		printf '%b' "$before" >p
		echo '{"traceEvents":[{"ph":"X","name":"a","ts":0,"dur":10}]}' \
			>>p
		run -0 --separate-stderr stackcollapse p
		[ "$output" = "a 10" ]
	done
}

@test "luajit: no samples are an empty profile" {
	echo "[No samples collected]" >p
	run -0 --separate-stderr stackcollapse-luajit p
	[ -z "$output$stderr" ]
}

# field NUMBER VALUE, bytes NUMBER <BYTES: of a message of Protocol Buffers,
# all below 128.
field() {
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3)) "$2")"
}

bytes() {
	local part=part.$BASHPID

	cat >"$part"
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3 | 2)) \
		"$(wc -c <"$part")")"
	cat "$part"
}

# cpu_profile LEAF: samples and nanoseconds, as Go has them.
cpu_profile() {
	local text

	{ field 1 1; field 2 2; } | bytes 1
	{ field 1 3; field 2 4; } | bytes 1
	{ field 1 2; field 1 1; field 2 3; field 2 30; } | bytes 2
	{ field 1 1; field 2 2; field 2 20; } | bytes 2
	{ field 1 1; field 1 1 | bytes 4; } | bytes 4
	{ field 1 2; field 1 2 | bytes 4; } | bytes 4
	{ field 1 1; field 2 5; } | bytes 5
	{ field 1 2; field 2 6; } | bytes 5
	for text in "" samples count cpu nanoseconds main "$1"; do
		printf %s "$text" | bytes 6
	done
}

@test "luajit: -jp=r has samples" {
	printf '  135  f\n  <-   134  main\n   39  g < h\n' >p
	run -0 --separate-stderr stackcollapse-luajit --meta p
	[ "$output" = "#fold=1;counts=1;unit=samples;n=173
h;g 39
main;f 134" ]
	[ -z "$stderr" ]
}

@test "pprof: samples are as many as the profile says" {
	cpu_profile leaf >p
	run -0 stackcollapse-pprof --meta p
	[ "$output" = "#fold=1;counts=1;unit=ns;event=cpu;n=5
main 20
main;leaf 30" ]
	run -0 stackcollapse-pprof --count samples p
	[ "$output" = "main 2
main;leaf 3" ]
}

@test "pprof: two profiles one behind the other are refused" {
	cpu_profile one >p
	cpu_profile two >>p
	run -2 --separate-stderr stackcollapse-pprof p
	[ -z "$output" ]
	[[ $stderr == *"an id that is there twice: two profiles in one?"* ]]
}

@test "pprof: a sample without a stack counts" {
	{
		{ field 1 1; field 2 1; } | bytes 1
		field 2 5 | bytes 2
		bytes 6 </dev/null
		printf x | bytes 6
	} >p
	run -0 stackcollapse-pprof -q p
	[ "$output" = "[unknown] 5" ]
}

@test "stackcollapse: a profile of pprof with a comment" {
	{ cpu_profile leaf; field 13 6; } >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-pprof ]
}

@test "stackcollapse: folded text that looks like a part of other formats" {
	# fields of a message, and a line of the old pmp
	printf '%s\n' '@memA.lua:3 4144' '@memA.lua:4 224' 'INTERNAL;a 5' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
	echo '#fold=1;counts=1' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
	echo '<module> (/srv/a.py:23);main (/srv/a.py:16) 1' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
}

@test "speedscope: samples and weights come in either order" {
	echo '{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
		{"type":"sampled","unit":"none","weights":[1,2,null,-1],
			"samples":[[0],[0,1],[1],[1]]}]}' >p
	run -1 --separate-stderr stackcollapse-speedscope --strict p
	[ "$output" = "a 1
a;b 2" ]
	[[ $stderr == *"2 samples not understood"*"p:3: a weight that is no n"* ]]
}

@test "speedscope: a profile that is not there is status 2" {
	run -2 --separate-stderr stackcollapse-speedscope --profile 3 \
		"$DATA/speedscope/two-sampled.in"
	[ -z "$output" ]
	[[ $stderr == *"no profile 3; --list"* ]]
}

@test "stackcollapse: a file of speedscope whose profiles come late" {
	{
		printf '{"%sschema":"https://www.speedscope.app/%s' '$' \
			'file-format-schema.json","shared":{"frames":['
		yes '{"name":"function"},' | head -n 500
		echo '{"name":"last"}]},"profiles":[]}'
	} >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-speedscope ]
}

@test "stackprof: ids of nineteen digits are told apart" {
	echo '{"frames":{"9223372036854775806":{"name":"f"},
		"9223372036854775807":{"name":"g"}},
		"raw":[2,9223372036854775806,9223372036854775807,3]}' >p
	run -0 --separate-stderr stackcollapse-stackprof p
	[ "$output" = "f;g 3" ]
}

@test "sysprof: an address is in the symbol before it, as of that moment" {
	{
		printf 'ljs\3\0\0\0\1\x10\1a\x80ljp\2\0\0\0'
		printf '\0\x18\0\0\x05\0'   # of 18 and of 5
		printf '\x0b\x14\1b\0\x18\0' # b at 14, of 18
		printf '\x0b\x14\1c\0\x18\0' # c at 14, of 18
		printf '\0\x12\0\x80'         # of 12
	} >p
	run -0 stackcollapse-sysprof -q p
	[ "$output" = "[unknown] 1
a 2
b 1
c 1" ]
}

@test "v8: where time goes back it is not counted twice" {
	echo '{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},
		{"id":2,"callFrame":{"functionName":"g"}}],"samples":[1,2,1],
		"timeDeltas":[0,10,-5],"startTime":100,"endTime":120}' >p
	run -1 --separate-stderr stackcollapse-v8 --strict p
	[ "$output" = "f 20
g 0" ]
	[[ $stderr == *"a sample before the one before it"* ]]
}

# header VERSION: of a profile of vmprof at 10000 us.
header() {
	local word

	for word in '\0' '\3' '\0' '\x10' '\0'; do
		printf '%b' "$word\0\0\0\0\0\0\0"
	done
	printf '%b' "\5\0\\$1\1p"
}

# word N: eight bytes, the low one first.
word() {
	printf '%b' "\\x$(printf %x "$1")\0\0\0\0\0\0\0"
}

@test "vmprof: of old versions the number tells what samples have" {
	{
		header 2 # pairs of a kind and an address, and a thread
		printf '\1'
		for n in 1 4 1 64 1 65 7; do word $n; done
		printf '\2'; word 64; word 6; printf 'py:f:-'
		printf '\2'; word 65; word 6; printf 'py:g:-\3'
	} >p
	run -0 --separate-stderr stackcollapse-vmprof p
	[ "$output" = "g;f 1" ]
	[ -z "$stderr" ]
	{
		header 3 # the memory behind the thread
		printf '\1'
		for n in 1 1 64 7 100; do word $n; done
		printf '\2'; word 64; word 6; printf 'py:f:-\3'
	} >p
	run -0 --separate-stderr stackcollapse-vmprof p
	[ "$output" = "f 1" ]
	[ -z "$stderr" ]
}

@test "xdebug: time is counted once, and not backwards" {
	printf 'TRACE START [2026]\n1\t0\t0\t%s\t9\tf\n' 0.000010 >trace
	printf '2\t1\t0\t%s\t9\tg\n2\t1\t1\t%s\t9\n1\t0\t1\t%s\t9\n' \
		0.000005 0.000015 0.000020 >>trace
	run -1 --separate-stderr stackcollapse-xdebug --strict trace
	[ "$output" = "f 5000
f;g 5000" ]
	[[ $stderr == *"trace:3: a time before the one before it"* ]]
}

# The first did not end.
@test "xdebug: traces of several requests in a file" {
	{
		printf 'TRACE START [2026]\n1\t0\t0\t0.5\t9\tf\n'
		printf '2\t1\t0\t0.500001\t9\tg\n'
		printf 'TRACE START [2026]\n1\t0\t0\t0.1\t9\tf\n'
		printf '1\t0\t1\t0.100002\t9\nTRACE END [2026]\n'
	} >trace
	run -0 --separate-stderr stackcollapse-xdebug trace
	[ "$output" = "f 3000
f;g 0" ]
}
