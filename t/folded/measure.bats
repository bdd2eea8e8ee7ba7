#!/usr/bin/env bats
# measure.bats - the words for totals: the same in pictures and in foldtop.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# profile PERIOD: five stacks of 1, 2, 3, 10 and 100 samples of a period.
profile() {
	awk -v p="$1" 'BEGIN {
		split("1 2 3 10 100", n, " ")
		for (i = 1; i <= 5; i++)
			printf "main;f%d %d\n", i, n[i] * p
	}'
}

# says FILE TOTAL ROOT: the line of foldtop, and the root of the picture.
says() {
	run -0 foldtop "$1"
	[ "${lines[0]%%  *}" = "$2" ]
	flamegraph "$1" >out.svg
	grep -q "<title>all ($3, 100%)" out.svg
}

@test "counts of a clock's period are seconds of CPU, and samples" {
	profile 200040 >in
	says in '23.2 ms of CPU, 116 samples' '23.205 ms of CPU'
	grep -q '>23.2 ms of CPU, 116 samples<' out.svg
	profile 10101010 >in
	says in '1.17 s of CPU, 116 samples' '1.172 s of CPU'
	profile 250000 >in
	says in '29 ms of CPU, 116 samples' '29.000 ms of CPU'
}

@test "a few stacks of another period are no reason to lose the unit" {
	{
		echo 'main;first 991196'
		for i in {1..30}; do echo "main;f$i $((i * 1001001))"; done
	} >in
	says in '466 ms of CPU, 466 samples' '466.457 ms of CPU'
	printf 'main;%s\n' 'a 991196' 'b 1001001' 'c 2002002' 'd 3003003' >in
	says in '6,997,202 period units' '6,997,202 period units'
}

@test "large totals are seconds of CPU, not thousands of millions of samples" {
	printf 'main;%s\n' 'a 5264052600' 'b 200040' 'c 200040' >in
	says in '5.26 s of CPU, 26,317 samples' '5.264 s of CPU'
	printf 'main;a 20004000000\nmain;b 200040\n' >in
	says in '20 s of CPU, 100,001 samples' '20.004 s of CPU'
}

@test "a round period may be anything: period units" {
	profile 1000000 >in
	says in '116,000,000 period units, 116 samples' '116,000,000 period units'
	profile 10000000 >in
	says in '1,160,000,000 period units, 116 samples' \
		'1,160,000,000 period units'
}

@test "large counts of all sizes are period units, small ones samples" {
	printf 'main;%s\n' 'a 1000003' 'b 2000017' 'c 7000001' 'd 4999999' >in
	says in '15,000,020 period units' '15,000,020 period units'
	printf 'main;%s\n' 'a 100' 'b 200' 'c 400' 'd 800' >in
	says in '1,500 samples' '1,500 samples'
	# Stacks with a few samples are there in a profile of samples.
	printf 'main;%s\n' 'a 1000003' 'b 2000017' 'c 7000001' 'd 1' >in
	says in '10,000,022 samples' '10,000,022 samples'
}

@test "metadata say what counts are" {
	{ echo '#fold=1;unit=ns;event=cpu-clock;n=116'; profile 1000000; } >in
	says in '116 ms of CPU, 116 samples' '116.000 ms of CPU'
	{ echo '#fold=1;unit=ns;event=off-cpu'; profile 1000001; } >in
	flamegraph in >out.svg
	grep -q '<title>all (116.000 ms off CPU, 100%)' out.svg
	{ echo '#fold=1;unit=bytes'; profile 250000; } >in
	says in '29,000,000 bytes' '29,000,000 bytes'
	{ echo '#fold=1;event=cycles'; profile 250000; } >in
	says in '29,000,000 cycles' '29,000,000 cycles'
}

@test "folddiff compares no time with samples, also where one has no metadata" {
	profile 250000 >plain
	{ echo '#fold=1;unit=samples'; profile 1; } >samples
	run -2 folddiff plain samples
	[[ $output == *'plain counts ns, and samples counts samples: they cannot be compared'* ]]
	{ echo '#fold=1;unit=ns;event=cpu-clock'; profile 250000; } >ns
	folddiff plain ns >both
	grep -q '^main;f5 25000000 25000000$' both
}

@test "foldexport writes a clock's counts as nanoseconds" {
	profile 250000 >plain
	run -0 foldexport --to speedscope plain
	[[ $output == *'"unit":"nanoseconds"'* ]]
	profile 1 >plain
	run -0 foldexport --to speedscope plain
	[[ $output != *nanoseconds* ]]
}
