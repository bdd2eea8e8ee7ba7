#!/usr/bin/env bats
# stackcollapse-dtrace.bats - the reader of traces of dtrace.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "DTrace: a module whose name begins as a heading" {
	printf 'CPU     ID     FUNCTION:NAME\n  0  64091  :tick-60s\n\n' >p
	printf '  CPUProfiler\x60leaf+0x1\n  libc\x60main+0x3\n  12\n' >>p
	run -0 stackcollapse-dtrace p
	[ "$output" = "libc\`main;CPUProfiler\`leaf 12" ]
}

@test "DTrace: headings that nobody knows are not in the stack" {
	local head frames

	printf -v frames '%14s%s\n' '' 'genunix\x60read+0x1f' '' 'unix\x60call'
	for head in 'Sampling at 99 Hz\nHit Ctrl-C to end.\n\n' \
		'Sampling at 99 Hz\nHit Ctrl-C to end.\n' 'Tracing...\nReady\n' \
		'  Tracing for 5 s\n  Hit Ctrl-C\n\n' \
		'  0    1    BEGIN here\n  1    2   hello there\n\n'; do
		printf "$head$frames%16d\n\n$frames%16d\n" 5 6 >p
		run -0 --separate-stderr stackcollapse-dtrace --strict p
		[ "$output" = "unix\`call;genunix\`read 11" ]
	done
	# Java's frames have no module.
	printf 'Ready\n\n%14sjava/lang/A.f\n%14sunix\x60call\n%16d\n' '' '' 5 >p
	run -0 --separate-stderr stackcollapse-dtrace --strict p
	[ "$output" = "unix\`call;java/lang/A.f 5" ]
}

@test "DTrace: counts of stacks without frames" {
	printf '\n  a\x60b+0x1\n  5\n\n  1000\n\n  a\x60b+0x2\n  7\n\n  20\n' >p
	run -0 --separate-stderr stackcollapse-dtrace -q --strict p
	[ "$output" = "[unknown] 1020
a\`b 12" ]
}

@test "DTrace: a number that may be a key is no count" {
	# @[pid, ustack()], of which the second has no frames
	printf '\n  4242\n  a\x60b+0x1\n  5\n  4243\n  6\n' >p
	printf '  4244\n  a\x60b+0x1\n  7\n' >>p
	run -0 --separate-stderr stackcollapse-dtrace p
	[ "$output" = "a\`b 12" ]
	[[ $stderr == *"4 lines skipped, the first: p:3:"* ]]
	echo 5 >p
	run -2 stackcollapse-dtrace p
}

@test "DTrace: keys that are words are at the root" {
	local frames

	printf -v frames '%14s%s\n' '' 'genunix\x60read+0x1f' '' 'unix\x60call'
	# @[execname, stack()], with a pid, and of a stack without frames
	{
		printf 'dtrace: description matched 1 probe\n^C\nScript 1\n\n'
		printf '  %-50s\n%b%16d\n' bash "$frames" 5
		printf '  %-50s  %8d\n%b%16d\n' 'my app' 77 "$frames" 6
		printf '  %-50s\n%16d\n' cron 7
		printf '  %-50s\n%14sjava/lang/A.f\n%b%16d\n' java '' \
			"$frames" 8
	} >p
	run -0 --separate-stderr stackcollapse-dtrace --strict p
	[ "$output" = "bash;unix\`call;genunix\`read 5
cron 7
java;unix\`call;genunix\`read;java/lang/A.f 8
my app;77;unix\`call;genunix\`read 6" ]
	# @[stack(), pid, execname, ustack()], and so without ustack()
	{
		printf '\n%b  %8d  %-50s\n%14sa\x60main\n%16d\n' "$frames" 7 \
			bash '' 3
		printf '\n%b  %8d  %-50s  %16d\n' "$frames" 8 sh 4
	} >p
	run -0 --separate-stderr stackcollapse-dtrace --strict p
	run -0 stackcollapse p
	[ "$output" = "7;bash;a\`main;unix\`call;genunix\`read 3
8;sh;unix\`call;genunix\`read 4" ]
}

@test "DTrace: a distribution is no count, and does not hide the next" {
	local line=' ------------- Distribution -------------'

	{
		printf '\n%14sa\x60f\n\n           value %s count    \n' '' "$line"
		printf '%16s |%40s 0\n%16d |%040d 9\n\n' '< 0' '' 1 0
		printf '\n%14sa\x60g\n%16d\n' '' 9
	} >p
	run -0 --separate-stderr stackcollapse-dtrace p
	[ "$output" = 'a`g 9' ]
	[[ $stderr == *"1 line skipped"*": a distribution"* ]]
}

@test "DTrace: what was dropped is said" {
	printf 'dtrace: 12 aggregation drops on CPU 0\n\n%14sa\x60f\n%16d\n' \
		'' 9 >p
	run -0 --separate-stderr stackcollapse-dtrace p
	[ "$output" = 'a`f 9' ]
	[[ $stderr == *": dtrace: 12 aggregation drops on CPU 0" ]]
}
