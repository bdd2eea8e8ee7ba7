#!/usr/bin/env bats
# stackcollapse-excimer.bats - the reader of traces of excimer.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "excimer: each trace gives its stacks" {
	golden excimer
}
