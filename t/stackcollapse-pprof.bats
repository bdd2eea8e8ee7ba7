#!/usr/bin/env bats
# stackcollapse-pprof.bats - the reader of traces of pprof.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
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

# cpu_profile LEAF [SAMPLES]: samples and nanoseconds, as Go has them; the type
# of samples may have another name.
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
	for text in "" "${2-samples}" count cpu nanoseconds main "$1"; do
		printf %s "$text" | bytes 6
	done
}

@test "pprof: each trace gives its stacks" {
	golden pprof
}

@test "pprof: --list prints the types of values" {
	run -0 stackcollapse-pprof --list "$DATA/pprof/go-heap.in"
	[ "$output" = "alloc_objects count
alloc_space bytes
inuse_objects count
inuse_space bytes" ]
}

@test "pprof: a type that is not there is status 2, and says where to look" {
	run -2 --separate-stderr stackcollapse-pprof --type wall \
		"$DATA/pprof/go-cpu.in"
	[[ $stderr == *"no sample type wall; --list"* ]]
}

@test "pprof: --no-inline leaves out inlined frames" {
	run -0 stackcollapse-pprof "$DATA/pprof/go-cpu.in"
	[[ $output == *"_[i]"* ]]
	run -0 stackcollapse-pprof --no-inline "$DATA/pprof/go-cpu.in"
	[[ $output != *"_[i]"* ]]
}

@test "pprof: frames without a function are those of their file" {
	# type {1 1}, sample {location 1, value 5}, mapping {id 1, file 2},
	# location {id 1, mapping 1, address 0x40}, strings "", "x", "/a/b.so"
	printf '\x0a\x04\x08\x01\x10\x01\x12\x04\x08\x01\x10\x05' >p
	printf '\x1a\x04\x08\x01\x28\x02\x22\x06\x08\x01\x10\x01\x18\x40' >>p
	printf '\x32\0\x32\x01x\x32\x07/a/b.so' >>p
	run -0 --separate-stderr stackcollapse-pprof p
	[ "$output" = "[b.so] 5" ]
	run -0 --separate-stderr stackcollapse-pprof --addrs p
	[ "$output" = "[b.so <40>] 5" ]
}

@test "pprof: a few bytes are no stack of millions of inlined frames" {
	# Two samples, one with 1000 times the location, which has 2000 lines.
	{
		printf '\x0a\x04\x08\x01\x10\x01\x12\xed\x07\x0a\xe8\x07'
		printf '\x01%.0s' {1..1000}
		printf '\x10\x05\x12\x04\x08\x01\x10\x03\x22\xc2\x3e\x08\x01'
		printf '\x22\x02\x08\x01%.0s' {1..2000}
		printf '\x32\0\x32\x01x'
	} >p
	run -0 --separate-stderr stackcollapse-pprof p
	[[ $stderr == *"p:1: a stack with more than a million inlined frames"* ]]
	[ "$(tr -cd ';' <<<"$output" | wc -c)" -eq 1999 ]
	# Without them it is one of 1000 frames.
	run -0 stackcollapse-pprof -q --no-inline p
	[ "${#lines[@]}" -eq 2 ]
	[ "$(tr -cd ';' <<<"$output" | wc -c)" -eq 999 ]
}

@test "pprof: a location that is not there is not understood" {
	printf '\x0a\x04\x08\x01\x10\x01\x12\x04\x08\x07\x10\x05' >p
	run -2 --separate-stderr stackcollapse-pprof p
	[[ $stderr == *"p:1: a sample refers to a missing location"* ]]
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
	# node's profiler
	cpu_profile leaf sample >p
	run -0 stackcollapse-pprof --count samples p
	[ "$output" = "main 2
main;leaf 3" ]
}

@test "pprof: two profiles one behind the other are refused" {
	cpu_profile one >p
	cpu_profile two >>p
	run -2 --separate-stderr stackcollapse-pprof p
	[ -z "$output" ]
	[[ $stderr == *"a duplicate id: two profiles in one file?"* ]]
}

@test "the default type is counted, whatever the place of its name" {
	{
		cpu_profile leaf
		field 14 1
	} >p
	run -0 stackcollapse-pprof p
	[ "$output" = $'main 2\nmain;leaf 3' ]
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
