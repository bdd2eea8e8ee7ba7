#!/usr/bin/env bats
# stackcollapse-sysprof.bats - the reader of traces of sysprof.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "sysprof: each trace gives its stacks" {
	golden sysprof
}

@test "sysprof: fast functions have names only with --ffnames" {
	local in=$DATA/sysprof/cfunc-jit.in

	run -0 stackcollapse-sysprof "$in"
	[[ $output == *";FFUNC "* && $output != *";string.gsub;"* ]]
	run -0 stackcollapse-sysprof --ffnames luajit-b52fe979 "$in"
	[[ $output == *";string.gsub;"* && $output != *FFUNC* ]]
	run -0 stackcollapse-sysprof --ffnames \
		"$top_srcdir/share/ffnames/luajit-b52fe979" "$in"
	[[ $output == *";string.gsub;"* ]]
	run -2 stackcollapse-sysprof --ffnames luajit-none "$in"
}

@test "sysprof and memprof: other versions are refused by number" {
	local format

	for format in sysprof memprof; do
		printf 'ljs\2\0\0\0\x80' >p
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"version 2 of the format ljs is not supported: only 3 is"* ]]
		printf 'ljs\3\0\0\0\x80ljq\3\0\0\0\x80' >p
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"not a profile, or another kind"* ]]
	done
}

@test "sysprof and memprof: chunks without a file are numbered from 1" {
	{
		printf 'ljs\3\0\0\0\0\x10\4a=1\n\1\0\x20\4b=2\n\1\x80'
		printf 'ljm\3\0\0\0\x09\x10\1\x40\x10\x09\x20\2\x50\x10\x80'
	} >p
	run -0 stackcollapse-memprof -q p
	[ "$output" = $'function_alias_1:1 16\nfunction_alias_2:2 16' ]
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
