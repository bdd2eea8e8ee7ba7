#!/usr/bin/env bats
# stackcollapse-stackprof.bats - the reader of traces of stackprof.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "stackprof: each trace gives its stacks" {
	golden stackprof
}

@test "stackprof: Ruby's own format is refused, and says what to do" {
	printf '\x04\x08{\x06' >p
	run -2 --separate-stderr stackcollapse-stackprof p
	[[ $stderr == *"stackprof --json"* ]]
}

@test "stackprof: samples that were missed are said" {
	run -0 --separate-stderr stackcollapse-stackprof \
		"$DATA/stackprof/program.in"
	[ "$stderr" = "stackcollapse-stackprof: 3 samples were missed and \
have no stack" ]
	sed 's/"missed_samples": 3/"missed_samples": 0/' \
		"$DATA/stackprof/program.in" >none
	run -0 --separate-stderr stackcollapse-stackprof none
	[ -z "$stderr" ]
}

@test "stackprof: ids of nineteen digits are told apart" {
	echo '{"frames":{"9223372036854775806":{"name":"f"},
		"9223372036854775807":{"name":"g"}},
		"raw":[2,9223372036854775806,9223372036854775807,3]}' >p
	run -0 --separate-stderr stackcollapse-stackprof p
	[ "$output" = "f;g 3" ]
}
