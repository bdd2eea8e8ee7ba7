#!/usr/bin/env bats
# stackcollapse-memprof.bats - the reader of traces of memprof.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "memprof: each trace gives its stacks" {
	golden memprof
}

@test "memprof: --live is who allocated what is not freed, at its last size" {
	# no symbols; two of INTERNAL, one grows, one is freed and used again
	printf 'ljs\3\0\0\0\x80ljm\3\0\0\0' >p
	printf '\x05\x10\x08\x05\x20\x09\x07\x10\x08\x30\x20' >>p
	printf '\x06\x20\x09\x11\x01\x20\x07\x80' >>p
	run -0 --separate-stderr stackcollapse-memprof --live p
	[ "$output" = "INTERNAL 32
TRACE [1] 7" ]
}
