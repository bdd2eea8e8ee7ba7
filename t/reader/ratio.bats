#!/usr/bin/env bats
# ratio.bats - two events of a trace as two counts a stack.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >events <<-'END'
	x 7 [000] 1.0: 100 cycles:u:
		1 f (/bin/f)

	x 7 [000] 1.1: 250 instructions:u:
		1 f (/bin/f)

	x 7 [000] 1.2: 40 cycles:u:
		2 g (/bin/f)

	x 7 [000] 1.3: 30 cycles:u:
		1 f (/bin/f)

	x 7 [000] 1.4: 5 branches:u:
		1 f (/bin/f)

	END
}

@test "--ratio counts two events of each stack, and says which" {
	run -0 --separate-stderr stackcollapse-perf --ratio instructions/cycles events
	[ -z "$stderr" ]
	[ "$output" = '#fold=1;counts=2;unit=cycles;clock=perf;event=cycles;ratio=instructions/cycles;n=3;time=1.000000000;dur=0.300000000
x;f 250 130
x;g 0 40' ]
	# Profiles of two runs are one.
	stackcollapse-perf -q --ratio instructions/cycles events >one
	foldmerge --meta one one >both
	head -n 1 both | grep -q ';ratio=instructions/cycles'
	grep -qx 'x;f 500 260' both
	run -0 flamegraph --static both
	[[ $output == *'f (260 cycles, 76.47%; 1.92 instructions per cycle)'* ]]
}

@test "an event of --ratio without samples is named" {
	run -0 --separate-stderr stackcollapse-perf --ratio misses/cycles events
	[ "$stderr" = 'stackcollapse-perf: --ratio: no samples of event misses' ]
	grep -qx 'x;f 0 130' <<<"$output"
	run -0 --separate-stderr stackcollapse-perf --ratio cycles/misses events
	[ "$stderr" = 'stackcollapse-perf: --ratio: no samples of event misses' ]
}

@test "without periods it is a ratio of numbers of samples, which is said" {
	sed 's/: [0-9]* \([a-z]*:u:\)$/: \1/' events >plain
	run -0 --separate-stderr stackcollapse-perf --ratio instructions/cycles plain
	[[ $stderr == *"the samples have no periods"* ]]
	grep -qx 'x;f 1 2' <<<"$output"
}

@test "--ratio takes two names, and excludes what counts otherwise" {
	local option

	for option in cycles / a/ /b a/b/c cycles/cycles; do
		run -2 --separate-stderr stackcollapse-perf --ratio "$option" events
		[[ $stderr == *"two events with a slash between them, not $option"* ]]
	done
	for option in --samples --repair --mix --event-filter=cycles --count=samples; do
		run -2 --separate-stderr stackcollapse-perf --ratio a/b "$option" events
		[[ $stderr == *"--ratio chooses two events"* ]]
	done
}
