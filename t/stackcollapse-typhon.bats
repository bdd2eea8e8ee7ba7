#!/usr/bin/env bats
# stackcollapse-typhon.bats - the reader of traces of typhon.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "typhon: each trace gives its stacks" {
	golden typhon
}

@test "typhon: calls with more time than their caller are said" {
	printf 'a.f/0 5\na.f/0;b.g/0 7\na.f/0;c.h/0;d.i/0 1\n' >flames
	run -1 --separate-stderr stackcollapse-typhon --strict flames
	[ "$output" = "a.f/0;b.g/0 70
a.f/0;c.h/0;d.i/0 10" ]
	[[ $stderr == *"3 units less than the sum of its calls: a.f/0"* ]]
}
