#!/usr/bin/env bats
# stackcollapse-luajit.bats - the reader of traces of luajit.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "luajit: each output of -jp gives its stacks" {
	golden luajit
}

@test "luajit: no samples are an empty profile" {
	echo "[No samples collected]" >p
	run -0 --separate-stderr stackcollapse-luajit p
	[ -z "$output$stderr" ]
}

@test "luajit: -jp=r has samples" {
	printf '  135  f\n  <-   134  main\n   39  g < h\n' >p
	run -0 --separate-stderr stackcollapse-luajit --meta p
	[ "$output" = "#fold=1;counts=1;unit=samples;n=173
h;g 39
main;f 134" ]
	[ -z "$stderr" ]
}

@test "luajit: a part has what its line has, percent or samples" {
	printf '   5%%  f\n  <-  5000000000000000000  g\n' >p
	run -1 --separate-stderr stackcollapse-luajit --strict p
	[ "$output" = "f 5" ]
	[[ $stderr == *"p:2: a line does not belong to the line above it"* ]]
	printf '  <-  5%%  g\n' >p
	run -2 --separate-stderr stackcollapse-luajit p
}
