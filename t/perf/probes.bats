#!/usr/bin/env bats
# probes.bats - stacks of stackcollapse-perf behind probes of returns.

load ../helper

setup_file() {
	export RECORDINGS=$BATS_FILE_TMPDIR

	xz -dc "$DATA/probes/probes.data.xz" >"$RECORDINGS/probes.data"
	xz -dc "$DATA/probes/symfs.tar.xz" | tar -C "$RECORDINGS" -xf -
}

fold() {
	stackcollapse-perf --symfs "$RECORDINGS" "$@" "$RECORDINGS/probes.data"
}

same() {
	diff -u "$1" "$2" >&2
}

@test "behind a return probe are the callers that the entry's probe saw" {
	local out=$BATS_TEST_TMPDIR/out

	fold -q --event-filter all --count samples >"$out"
	same "$DATA/probes/probes.folded" "$out"
	# Also of functions in each other and in themselves.
	grep -q ';main;outer;probed;probed;probed;inner;burn ' "$out"
	grep -q ';main;other;probed;inner;burn ' "$out"
	# shellcheck disable=SC2002 # a file would be no pipe
	cat "$RECORDINGS/probes.data" |
		stackcollapse-perf -q --symfs "$RECORDINGS" \
			--event-filter all --count samples >"$out.pipe"
	same "$out" "$out.pipe"
}

@test "each call of a probed function has its own callers" {
	# Six rounds of outer(2) and other(0), as the program has them.
	run -0 fold -q --event-filter probe_probed:probed --count samples
	[ "$output" = 'probed;_start;main;other;probed 6
probed;_start;main;outer;probed 6
probed;_start;main;outer;probed;probed 6
probed;_start;main;outer;probed;probed;probed 6' ]
	run -0 fold -q --event-filter probe_probed:inner__return \
		--count samples
	[ "$output" = 'probed;_start;main;other;probed 6
probed;_start;main;outer;probed;probed;probed 6' ]
}

@test "behind a return probe without one of the entry, a stack is truncated" {
	run -0 --separate-stderr fold --event-filter cpu-clock --count samples
	[[ $output == *'probed;[truncated];lone;burn '* ]]
	[[ $output != *'[[uprobes]]'* ]]
	[[ $stderr == *"are truncated"* ]]
}

@test "a function that another one jumped to has the callers of that" {
	mkdir -p "$RECORDINGS/tmp/fold"
	xz -dc "$DATA/probes/tail.xz" >"$RECORDINGS/tmp/fold/tail"
	xz -dc "$DATA/probes/tail.data.xz" >"$BATS_TEST_TMPDIR/tail.data"
	run -0 stackcollapse-perf -q --symfs "$RECORDINGS" --count samples \
		--event-filter cpu-clock \
		"$BATS_TEST_TMPDIR/tail.data"
	# That the returns of hops are seen is known from the first one on; of
	# lone nobody knows who called it, though it lies where hops lay.
	[ "$output" = 'tail;[truncated];last;burn 1
tail;[truncated];lone;burn 7
tail;_start;main;outer;last;burn 6' ]
}

@test "what a probe fetched is in the metadata of a sample" {
	xz -dc "$DATA/probes/fetched.data.xz" >"$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf -q --samples --symfs / "$BATS_TEST_TMPDIR/data"
	args=$(sed -n 's/.*;args=//p' <<<"$output")
	printf '%b\n' "${args//%/\\x}" >"$BATS_TEST_TMPDIR/args"
	# As perf-script(1) has it, but for numbers that it shows otherwise.
	{
		printf '%s ' small=-1 half=65535 number=-2147483648 \
			big=18446744073709551615
		echo 'text_string="a;b=c 100%"'
		echo 'small=127 half=0 number=7 big=1 text_string=""'
	} >"$BATS_TEST_TMPDIR/right"
	same "$BATS_TEST_TMPDIR/right" "$BATS_TEST_TMPDIR/args"
	run -0 stackcollapse-perf -q --symfs / "$BATS_TEST_TMPDIR/data"
	[[ $output != *small* ]]
}
