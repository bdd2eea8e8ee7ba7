#!/usr/bin/env bats
# stackcollapse-vmprof.bats - the reader of traces of vmprof.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# thread NAME FUNCTION...: that is said to run, the leaf first.
thread() {
	printf '"%s" #9 prio=5 runnable\n' "$1"
	printf '   java.lang.Thread.State: RUNNABLE\n'
	[ $# -eq 1 ] || printf '\tat %s(Native Method)\n' "${@:2}"
	echo
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

@test "vmprof: each trace gives its stacks" {
	golden vmprof
}

@test "vmprof: an old profile of PyPy is refused" {
	printf '%b' '\0\0\0\0\0\0\0\0\03\0\0\0\0\0\0\0' >p
	printf '%b' '\0\0\0\0\0\0\0\0\01\0\0\0\0\0\0\0' >>p
	printf '%b' '\0\0\0\0\0\0\0\0\04pypy' >>p
	run -2 --separate-stderr stackcollapse-vmprof p
	[[ $stderr == *"of an old PyPy"* ]]
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
