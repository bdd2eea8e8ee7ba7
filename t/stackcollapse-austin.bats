#!/usr/bin/env bats
# stackcollapse-austin.bats - the reader of traces of austin.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# Events of MOJO, with numbers below 64: the stack of a thread of process 7, with
# what stands between the two; a string; and those of numbers alone.
mojo_stack() {
	printf '\2\7%b%s\0' "${2-}" "$1"
}

mojo_string() {
	printf '\13%b%s\0' "\\x$(printf %x "$1")" "$2"
}

mojo_numbers() {
	printf '\\x%x' "$@" | xargs -0 printf %b
}

bytes() {
	local part=part.$BASHPID

	cat >"$part"
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3 | 2)) \
		"$(wc -c <"$part")")"
	cat "$part"
}

@test "austin: each trace gives its stacks" {
	golden austin
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
	[ "$output" = "P42;T0:7;<module> (/a b.py);f (/a b.py) 100
P42;T0:7;<module> (/a b.py);g (/a b.py) 20" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-austin --srcline p
	[ "${lines[0]}" = "P42;T0:7;<module> (/a b.py:10);f (/a b.py:3) 100" ]
	run -0 stackcollapse-austin --memory --meta p
	[[ ${lines[0]} == *"unit=bytes"* ]]
	[ "${lines[1]}" = "P42;T0:7;<module> (/a b.py);f (/a b.py) 64" ]
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
	echo "Process 4;Thread 7f;f (a.py);L12 5" >p
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
	run -0 stackcollapse-austin --memory --meta p
	[[ ${lines[0]} == *"unit=kB"* ]]
	run -0 stackcollapse-austin p
	[ "$output" = "Process 4;Thread 7f;f (a.py) 5" ]
	run -0 stackcollapse-austin --srcline p
	[ "$output" = "Process 4;Thread 7f;f (a.py:12) 5" ]
}

@test "austin: MOJO of version 1, of processes with numbers of their own" {
	{
		printf 'MOJ\1\1mode\0wall\0'
		# what austinp tells stands before the stack
		mojo_string 10 a.py
		mojo_string 11 f
		mojo_numbers 3 20 10 11 5
		mojo_stack 1f
		mojo_numbers 5 20 9 6
		mojo_stack 1f
		mojo_numbers 5 21 9 1
		mojo_stack 1f
		mojo_numbers 5 20
	} >p
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P7;T31;[unknown] 1
P7;T31;f (a.py) 6" ]
	[[ $stderr == *"2 samples skipped, the first: p:2: a sample refers to a missing frame"* ]]
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
}

@test "austin: MOJO of -m is of memory, and of nothing else" {
	{
		printf 'MOJ\3\1mode\0memory\0'
		mojo_stack 1f '\x00'
		mojo_numbers 10 63
		mojo_stack 1f '\x00'
		mojo_numbers 10 65 # of minus 1
	} >p
	run -0 --separate-stderr stackcollapse-austin --meta p
	[ "$output" = "#fold=1;counts=1;unit=bytes;n=1;quantum=63
P7;T0:31 63" ]
	[ -z "$stderr" ]
}

@test "austin: MOJO that is cut, of a later version, or that goes wrong" {
	head -c 150 "$DATA/austin/mojo.in" >p
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P4242;T0:8367644;<module> (/srv/a:b.py);work (/srv/a:b.py) 1050" ]
	[[ $stderr == *"p:2: the file is truncated" ]]
	printf 'MOJ\5' >p
	run -2 --separate-stderr stackcollapse p
	[[ $stderr == *"p:0: version 5 of MOJO is not supported"* ]]
	{
		printf 'MOJ\4'
		mojo_stack 1f '\x00'
		mojo_numbers 9 3 99
	} >p
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P7;T0:31 3" ]
	[[ $stderr == *"p:1: an unknown event; skipping the rest"* ]]
	{
		printf 'MOJ\4'
		mojo_stack 1f '\x00'
		mojo_numbers 13 9 3
	} >p
	run -2 --separate-stderr stackcollapse-austin p
	[[ $stderr == *"p:1: a repeated stack without an earlier one"* ]]
	run -2 --separate-stderr stackcollapse-austin < <(printf 'MOJ\4\13\2'; yes)
	[[ $stderr == *"stdin:0: an event does not end; skipping the rest"* ]]
}

@test "austin: text that says to be of memory" {
	printf '# mode: memory\n\nP1;T1;a.py:f:1 64\nP1;T1;a.py:f:1 -64\n' >p
	run -0 --separate-stderr stackcollapse-austin --meta p
	[ "$output" = "#fold=1;counts=1;unit=bytes;n=1;quantum=64
P1;T1;f (a.py) 64" ]
	[ -z "$stderr" ]
}

@test "austin: a time beyond 64 bits of nanoseconds is none" {
	echo 'P1;T1;a.py:f:1 18446744073709552' >p
	run -2 --separate-stderr stackcollapse-austin --count time p
	[ -z "$output" ]
	run -0 stackcollapse-austin p
	[ "$output" = "P1;T1;f (a.py) 18446744073709552" ]
}
