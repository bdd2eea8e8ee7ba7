#!/usr/bin/env bats
# formats.bats - what readers of traces have in common.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# words NUMBER...: eight bytes each, the low one first.
words() {
	local n i

	for n in "$@"; do
		for ((i = 0; i < 64; i += 8)); do
			printf '%b' "\\x$(printf %x $((n >> i & 255)))"
		done
	done
}

# refused FORMAT MESSAGE <INPUT: nothing is understood, as the message says.
refused() {
	cat >bad
	run -2 --separate-stderr stackcollapse-"$1" bad
	[[ $stderr == *"$2"* ]] || {
		echo "# $1: $stderr"
		return 1
	}
}

# with_cr <TEXT: as Windows has lines.
with_cr() {
	sed 's/$/\r/'
}

# same_with_cr FORMAT: its traces of text give what they give without CR.
same_with_cr() {
	local in

	for in in "$DATA/$1"/*.in; do
		[[ $in != */mojo.in ]] || continue
		with_cr <"$in" >cr
		diff <(stackcollapse-"$1" -q "$in") \
			<(stackcollapse-"$1" -q cr) || return
		[ "$(stackcollapse --which cr)" = \
			"$(stackcollapse --which "$in")" ] || return
	done
}

@test "faulthandler, DTrace, SystemTap and bpftrace: each gives its stacks" {
	golden faulthandler
	golden dtrace
	golden stap
	golden bpftrace
}

@test "sizes that cannot be are answered with a message" {
	printf 'ljs\3\0\0\0\1\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f' |
		refused sysprof "the symbol table is malformed"
	printf 'ljs\3\0\0\0\1\x10\xff\xff\xff\xff\xff\xff\xff\xff\x7f' |
		refused memprof "the symbol table is malformed"
	{
		words 0 3 0 10000 0
		printf '\5\0\3\7cpython\1'
		words 1 $((1 << 60)) 7
	} | refused vmprof "a malformed record"
	words 0 3 0 10000 0 1 $((1 << 60)) 7 |
		refused gperftools "a stack is truncated"
	printf '\x12\xff\xff\xff\xff\xff\xff\xff\x7f\1' |
		refused pprof "not a field of a profile"
	echo '{"frames":{"1":{"name":"f"}},"raw":[1000000000000,1,1]}' |
		refused stackprof "a raw sample is truncated"
	echo '[{"ph":"X","ts":1e300,"dur":1,"name":"f"}]' |
		refused chrome "an event has no time"
}

@test "ids of nothing are answered with a message" {
	echo '{"nodes":[{"id":1,"callFrame":{}}],"samples":[9]}' |
		refused v8 "a sample refers to a missing node"
	echo '{"shared":{"frames":[{"name":"f"}]},"profiles":[{"unit":"none",
		"type":"sampled","samples":[[9]],"weights":[1]}]}' >bad
	run -1 --separate-stderr stackcollapse-speedscope --strict bad
	[[ $stderr == *"a sample refers to a missing frame"* ]]
	printf '\x0a\x04\x08\x01\x10\x01\x12\x04\x08\x00\x10\x05' |
		refused pprof "a sample refers to a missing location"
	echo '{"cost_centres":[],"profile":{"id":7,"ticks":3}}' >bad
	run -0 --separate-stderr stackcollapse-ghcprof bad
	[ "$output" = "[unknown] 3" ]
}

@test "austin, faulthandler, ghcprof and luajit: lines that end in CR" {
	same_with_cr austin
	same_with_cr faulthandler
	same_with_cr ghcprof
	same_with_cr luajit
}

@test "bpftrace, faulthandler and jstack: each file has to have something" {
	local format

	echo garbage >p
	for format in bpftrace faulthandler jstack; do
		run -1 --separate-stderr stackcollapse-$format --strict \
			"$(data_of stackcollapse-$format | head -n 1)" p
		[ -n "$output" ]
		[[ $stderr == *"1 line skipped, the first: p:1: no"* ]]
	done
}
