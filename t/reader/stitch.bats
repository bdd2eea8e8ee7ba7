#!/usr/bin/env bats
# repair.bats - what --repair promises of truncated stacks.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir tmp
	printf '%s\n' '1000 100 main' '2000 100 a' '3000 100 b' '4000 100 c' \
		'5000 100 d' >tmp/perf-7.map
	cp tmp/perf-7.map tmp/perf-8.map
}

# A recording of two events: chains of the first end after two frames, those
# of the second when they are whole.
recording() {
	local id pid

	{
		for id in 1 2; do
			echo "64 0 4:1 4:128 8:$id 8:1 8:0x10027 8:0 8:2" \
				"60:0 2:$((id == 1 ? 2 : 127)) 18:0 8:$id"
		done
		for pid in 7 8; do
			echo "3 0 4:$pid 4:$pid 8:'p$pid"
			echo "1 2 4:$pid 4:$pid 8:4096 8:65536 8:4096 16:'//anon"
		done
		cat
	} | "$top_builddir/t/programs/mkperf" >data
}

# sample EVENT PID FUNCTION...: leaf first; 9 is where nothing is known.
sample() {
	local head="9 2 8:$1 8:4096 4:$2 4:$2 8:1"

	shift 2
	echo "$head 8:$(($# + 1)) 8:0xfffffffffffffe00" \
		"$(printf ' 8:0x%s010' "$@")"
}

fold() {
	stackcollapse-perf --mix --symfs . "$@" data
}

@test "--repair completes a stack by the only whole one that fits" {
	{
		sample 2 7 4 3 2 1
		sample 2 7 5 3 1
		sample 1 7 4 3
		sample 1 7 4 3
		sample 1 7 5 3
	} | recording
	run -0 --separate-stderr fold
	[ "$output" = 'p7;[truncated];b;c 2
p7;[truncated];b;d 1
p7;main;a;b;c 1
p7;main;b;d 1' ]
	run -0 --separate-stderr fold --repair
	[ "$output" = 'p7;main;a;b;c 3
p7;main;b;d 2' ]
	[[ $stderr == *'3 of 3 truncated stacks were completed'* ]]
	[[ $stderr != *'% of the stacks are truncated'* ]]
	run -0 --separate-stderr fold -q --repair
	[ -z "$stderr" ]
}

@test "--repair does not choose among whole stacks, nor by other processes" {
	{
		sample 2 7 4 3 2 1
		sample 2 7 4 3 1
		sample 2 8 5 3 1
		sample 1 7 4 3
		sample 1 7 5 3
		sample 1 8 5 3
	} | recording
	run -0 --separate-stderr fold --repair
	[ "$output" = 'p7;[truncated];b;c 1
p7;[truncated];b;d 1
p7;main;a;b;c 1
p7;main;b;c 1
p8;main;b;d 2' ]
	[[ $stderr == *'1 of 3 truncated stacks was completed'* ]]
	[[ $stderr == *'33.3 % of the stacks are truncated'* ]]
}

@test "--repair takes no frame without a name for another" {
	{
		sample 2 7 4 9 2 1
		sample 1 7 4 9
	} | recording
	run -0 --separate-stderr fold --repair
	[[ $output == *'p7;[truncated];[perf-7.map];c 1'* ]]
	[[ $stderr == *'0 of 1 truncated stacks were completed'* ]]
}

@test "--repair is refused where not all stacks are known whole" {
	recording </dev/null
	run -2 --separate-stderr fold --repair --samples
	[[ $stderr == *'--repair'* ]]
	run -2 fold --repair --skip-after main
}
