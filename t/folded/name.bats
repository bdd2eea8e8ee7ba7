#!/usr/bin/env bats
# name.bats - a function has one name, whatever tool saw it; folded(5).

load ../helper

TABLE=$DATA/names.tsv

# The rows of the table, without comments.
rows() {
	grep -v -e '^#' -e '^$' "$TABLE"
}

# perf script text with a sample for each row: column 1 is the frame, column 3
# the process.
as_perf_script() {
	rows | awk -F '\t' '{
		printf "%s 1 1.000000: cycles: \n", $3 == "" ? "x" : $3
		printf "\t    1234 %s+0x1f (/usr/bin/x)\n\n", $1
	}'
}

# Stacks in the order of the input, without counts.
in_order() {
	stackcollapse-perf -q --samples --root none |
		sed '/^#/d; s/ 1$//'
}

@test "the table has at least forty names" {
	[ "$(rows | wc -l)" -ge 40 ]
	run ! grep -vP '^(#.*|[^\t]+\t[^\t]+(\t[^\t]+)?)$' "$TABLE"
}

@test "each name is cleaned as the table says" {
	as_perf_script | in_order >"$BATS_TEST_TMPDIR/out"
	diff -u <(rows | cut -f 2) "$BATS_TEST_TMPDIR/out"
}

@test "--args keeps arguments, and cleans the rest" {
	run -0 --separate-stderr stackcollapse-perf --args <<-'END'
	x 1 1.000000: cycles:
		    12 Foo::operator()(char 'c', int; x) const+0x1f (/usr/bin/x)
		    13 core::f::h0123456789abcdef+0x1f (/usr/bin/x)
	END
	[ "$output" = "x;core::f;Foo::operator()(char c, int: x) const 1" ]
}

@test "bytes that are no characters become \\xNN" {
	printf 'x 1 1.0: cycles: \n\t 12 a\xff\033[1mb\xc3 (/x)\n\n' |
		stackcollapse-perf >"$BATS_TEST_TMPDIR/out"
	printf '%s\n' 'x;a\xff\x1b[1mb\xc3 1' | diff - "$BATS_TEST_TMPDIR/out"
}
