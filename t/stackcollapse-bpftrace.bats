#!/usr/bin/env bats
# stackcollapse-bpftrace.bats - the reader of traces of bpftrace.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

bytes() {
	local part=part.$BASHPID

	cat >"$part"
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3 | 2)) \
		"$(wc -c <"$part")")"
	cat "$part"
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

@test "bpftrace: frames with files and lines, and inlined ones" {
	{
		printf '@[\n    [inlined] helper@/src/a@b/a.c:12\n'
		printf '    memcpy@@V+23@/src/c++17/a.c:41\n'
		printf '    std::f<1+2>(int)+4\n'
		printf '    main+5@/usr/include/c++/12/x.h:9\n]: 3\n'
		printf '@[\n\t55d0 helper (inlined)\n'
		printf '\t55d0 main+14 (/bin/a)\n]: 4\n'
	} >p
	run -0 --separate-stderr stackcollapse-bpftrace p
	[ "$output" = "main;helper_[i] 4
main;std::f<1+2>;memcpy@@V;helper_[i] 3" ]
	[ -z "$stderr" ]
}

@test "bpftrace: what has no map is said to have none" {
	echo garbage >p
	run -2 --separate-stderr stackcollapse-bpftrace p
	[[ $stderr == *"p:1: not a map printed by bpftrace"* ]]
	# it was stopped before anything was seen
	printf 'Attaching 1 probe...\n\n\n' >p
	run -0 --separate-stderr stackcollapse-bpftrace --strict p
	[ -z "$output$stderr" ]
	printf '\n\n' >p
	run -0 --separate-stderr stackcollapse-bpftrace --strict p
	[ -z "$output$stderr" ]
	printf '@calls: 7\n' >p
	run -0 --separate-stderr stackcollapse-bpftrace --strict p
	[ -z "$output$stderr" ]
}

@test "bpftrace: only maps by stack are counted" {
	cat >p <<-'END'
	@calls: 7
	@start[1234]: 123456789
	@stacks[]: 2
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

@test "bpftrace: maps of different names are not added up" {
	printf '@n: 1\n@%s[\n    f+1\n]: %d\n' bytes 4096 calls 2 bytes 4 >p
	run -0 --separate-stderr stackcollapse-bpftrace p
	[ "$output" = "f 4100" ]
	[[ $stderr == *"@calls"* ]]
	run -0 --separate-stderr stackcollapse-bpftrace --event-filter @calls p
	[ "$output" = "f 2" ]
	run -0 stackcollapse-bpftrace --event-filter all p
	[ "$output" = "@bytes;f 4100
@calls;f 2" ]
	run -0 --separate-stderr stackcollapse-bpftrace --mix p
	[ "$output" = "f 4102" ]
	[ -z "$stderr" ]
}
