#!/usr/bin/env bats
# events.bats - which of several events of a recording, or of its text, counts.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# event ID CONFIG: a software event, with samples of IP, TID, TIME, ID, PERIOD.
event() {
	echo "64 0 4:1 4:128 8:$2 8:1 8:0x147 8:0 8:0x40000 80:0 8:$1"
}

# sample TIME ID PERIOD
sample() {
	echo "9 2 8:16 4:7 4:7 8:$1 8:$2 8:$3"
}

mkperf() {
	"$top_builddir/t/programs/mkperf"
}

# Context switches are 1, cpu-clock is 2.
switches_first() {
	event 1 3
	event 2 0
}

clock_then_switches() {
	sample 1000 2 250000
	sample 2000 2 250000
	sample 3000 1 7
	sample 4000 2 250000
}

switches_then_clock() {
	sample 1000 1 7
	sample 2000 2 250000
	sample 3000 2 250000
	sample 4000 2 250000
}

@test "the first event of a recording's header counts, whichever came first" {
	local order

	for order in clock_then_switches switches_then_clock; do
		{ switches_first && $order; } | mkperf >data
		run -0 --separate-stderr stackcollapse-perf --meta data
		[[ ${lines[0]} == *';unit=context-switches;'*';event=context-switches;'* ]]
		[ "${lines[1]}" = ':7;[unknown] 7' ]
		[ ${#lines[@]} -eq 2 ]
		[[ $stderr == *'counting only event context-switches, not cpu-clock (3 samples); see --event-filter'* ]]

		{ event 2 0 && event 1 3 && $order; } | mkperf >data
		run -0 --separate-stderr stackcollapse-perf --meta data
		[[ ${lines[0]} == *';unit=ns;'*';event=cpu-clock;n=3;quantum=250000;'* ]]
		[ "${lines[1]}" = ':7;[unknown] 750000' ]
		[[ $stderr == *'counting only event cpu-clock, not context-switches (1 sample); see --event-filter'* ]]
	done
}

@test "an event without samples does not count, a dummy event only alone" {
	{
		event 3 1 # task-clock
		switches_first
		sample 1000 2 5
		sample 2000 1 7
	} | mkperf >data
	run -0 --separate-stderr stackcollapse-perf --meta data
	[[ $output == *';event=context-switches;'*' 7' ]]
	[[ $stderr != *task-clock* ]]
	{
		event 3 9 # dummy
		event 2 0
		sample 1000 3 9
		sample 2000 2 5
	} | mkperf >data
	run -0 --separate-stderr stackcollapse-perf --meta data
	[[ $output == *';event=cpu-clock;'*' 5' ]]
	[[ $stderr == *'counting only event cpu-clock, not dummy (1 sample)'* ]]
	{
		event 3 9
		event 2 0
		sample 1000 3 9
	} | mkperf >data
	run -0 --separate-stderr stackcollapse-perf --meta data
	[[ $output == *';event=dummy;'*' 9' ]]
}

@test "what counts does not depend on --only, and is named" {
	{ switches_first && clock_then_switches; } | mkperf >data
	run -0 --separate-stderr stackcollapse-perf --only tid=9 data
	[ -z "$output" ]
	[[ $stderr == *'no samples of event context-switches; the input has cpu-clock (3 samples)'* ]]
}

# text [HEADER-EVENT...]: as perf script prints clock_then_switches().
text() {
	local e

	for e; do
		echo "# event : name = $e, , id = { 1, 2 }, type = 1, size = 128"
	done
	[ $# -eq 0 ] || echo "# ========"
	printf 'x 7 [000] %s: %s %s:\n\t401136 f (/x)\n\n' \
		1.0 250000 cpu-clock 1.1 250000 cpu-clock \
		1.2 7 context-switches 1.3 250000 cpu-clock
}

@test "of text the first event of its header counts, without one the first seen" {
	text context-switches cpu-clock >in
	run -0 --separate-stderr stackcollapse-perf in
	[ "$output" = 'x;f 7' ]
	[[ $stderr == *'counting only event context-switches, not cpu-clock (3 samples)'* ]]
	text cpu-clock context-switches >in
	run -0 --separate-stderr stackcollapse-perf in
	[ "$output" = 'x;f 750000' ]
	text dummy:HG page-faults context-switches cpu-clock >in
	run -0 --separate-stderr stackcollapse-perf in
	[ "$output" = 'x;f 7' ]
	text >in
	run -0 --separate-stderr stackcollapse-perf --meta in
	[ "${lines[1]}" = 'x;f 750000' ]
	[[ ${lines[0]} == *';unit=ns;'*';event=cpu-clock;'* ]]
	[[ $stderr == *'counting only event cpu-clock, not context-switches (1 sample)'* ]]
}

@test "--samples has the same event, also where others came before it" {
	{ switches_first && clock_then_switches; } | mkperf >data
	text context-switches cpu-clock >in
	for file in data in; do
		run -0 --separate-stderr stackcollapse-perf --samples "$file"
		[ ${#lines[@]} -eq 3 ]
		[ "${lines[0]}" = '#fold=1;counts=1;unit=context-switches;clock=perf;event=context-switches' ]
		[[ ${lines[2]} == *' 7' ]]
		[[ $stderr == *'only event context-switches'* ]]
	done
	# None of the first event: the others are not lost.
	text page-faults cpu-clock | grep -v context-switches >in
	run -0 --separate-stderr stackcollapse-perf --samples in
	[[ ${lines[0]} == *';event=cpu-clock' ]]
	[ "$(grep -c '^x;f 250000$' <<<"$output")" -eq 3 ]
}

@test "--samples holds back more than memory does" {
	local i

	{
		text page-faults cpu-clock | head -n 3
		for ((i = 0; i < 30000; i++)); do
			printf 'x 7 [000] %d.0: 5 cpu-clock:\n\t401136 f%d (/x)\n\n' $i $i
		done
	} >in
	run -0 --separate-stderr stackcollapse-perf --samples in
	sed 1,3d in >bare
	stackcollapse-perf --samples bare | cmp - <(cat <<<"$output")
	printf 'x 7 [000] 40000.0: 5 page-faults:\n\t401136 f (/x)\n\n' >>in
	run -0 --separate-stderr stackcollapse-perf --samples in
	[ ${#lines[@]} -eq 3 ]
	[ "${lines[2]}" = 'x;f 5' ]
}

@test "records lost before samples that are dropped are not forgotten" {
	{
		switches_first
		sample 1000 2 250000
		echo "2 0 8:0 8:11 4:7 4:7 8:1500 8:2"
		sample 2000 2 250000
		echo "2 0 8:0 8:5 4:7 4:7 8:2500 8:1"
		sample 3000 1 7
	} | mkperf >data
	run -0 --separate-stderr stackcollapse-perf --samples data
	[[ $output == *';lost=16'* ]]
}

@test "--samples --follow waits for no event: the first of the header counts" {
	{ switches_first && clock_then_switches; } | mkperf >data
	run -0 --separate-stderr stackcollapse-perf --samples --follow - <data
	[ ${#lines[@]} -eq 3 ]
	[[ ${lines[0]} == *';event=context-switches' ]]
	{ switches_first && sample 1000 2 250000; } | mkperf >data
	run -0 --separate-stderr stackcollapse-perf --samples --follow - <data
	[[ $output != *';event='* ]]
	[[ $stderr == *'no samples of event context-switches; the input has cpu-clock (1 sample)'* ]]
}

@test "an event whose terms have commas has the frequency of its header" {
	local name=cpu/event=0x3c,umask=0x1/

	printf '# event : name = %s, , id = { 1 }, %s, freq = 1\n' "$name" \
		'{ sample_period, sample_freq } = 1000' >in
	printf 'x 7 [000] 1.0: 5 %s:\n\t401136 f (/x)\n\n' "$name" >>in
	run -0 stackcollapse-perf --count time in
	[ "$output" = 'x;f 1000000' ]
}
