#!/usr/bin/env bats
# tutorial.bats - the commands of foldstack(7), as they stand there.

load ../helper

page=$top_srcdir/man/foldstack.7

# block SECTION [N]: the first, or Nth, block of commands in a section.
block() {
	awk -v section=".Ss $1" -v n="${2-1}" '
	/^\.S[sh]/ { here = $0 == section }
	!here { next }
	/^\.Ed/ { inside = 0 }
	inside && seen == n
	/^\.Bd -literal/ { inside = 1; seen++ }
	' "$page" | sed 's/^\\&//; s/\\e/\\/g'
}

# follow SECTION: run all of its blocks, in one shell.
follow() {
	{
		block "$1" 1
		block "$1" 2
	} >steps
	[ -s steps ]
	bash -o pipefail -e -u steps
}

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	command -v cc >/dev/null || skip "no cc"
	has_process_side || skip "no process side in this build"
	follow 'A slow program'
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

need_recording() {
	stackrecord -q -e cpu-clock -o try.data -- true >/dev/null 2>&1 ||
		skip "nothing may be recorded here"
}

# The stacks of waits are those of the kernel.
need_kernel() {
	need_recording
	! stackrecord -e cpu-clock -o try.data -- true 2>&1 |
		grep -q 'kernel functions are not recorded' ||
		skip "the kernel may not be recorded here"
}

need_tracing() {
	stacksample -q -d 0.01 -p $$ >/dev/null 2>&1 ||
		skip "processes may not be traced here"
}

# has PICTURE REGEX: a stack of it matches.
has() {
	unflame "$1" >stacks
	grep -E "$2" stacks >/dev/null || ! echo "$1 has no $2"
}

@test "each section with commands is followed below" {
	awk '/^\.S[sh]/ { section = substr($0, 5) }
		/^\.Bd -literal/ { print section }' "$page" | sort -u >sections
	[ -s sections ]
	grep -oE "(follow|block) '[^']*'" "$BATS_TEST_FILENAME" |
		cut -d "'" -f 2 | sort -u | diff sections -
}

@test "the first flame graph" {
	need_recording
	run -0 follow 'The first flame graph'
	[[ $output == *'wrote shop.svg: '*'  work'* ]]
	has shop.svg ';price;discount;work '
	has shop.svg ';price;tax;work '
}

@test "waits" {
	need_kernel
	follow 'Waits'
	has wall.svg ';save;.*state:'
	has wall.svg ';audit;.*state:'
}

@test "a running server" {
	need_tracing
	follow 'A running server'
	has live.svg ';order;price;'
	has live.svg ';audit;.*state:'
}

@test "Python" {
	command -v python3 >/dev/null || skip "no python3"
	need_tracing
	follow 'Python and Java'
	has report.svg ';page \(.*report.py\);fetch \(.*report.py\)'
}

@test "a regression" {
	need_recording
	run -0 follow 'A regression'
	echo "$output"
	[[ $output =~ (^|$'\n')up\ [^$'\n']*\ discount($'\n'|$) ]]
	has diff.svg ';discount;work '
}

@test "slow calls" {
	[ -w /sys/kernel/tracing/uprobe_events ] || skip "no right to place probes"
	need_recording
	run -0 follow 'Slow calls'
	echo "$output"
	[[ $output == *' calls of order: '*'slow calls take '*' more'* ]]
}

# Whether both threads of the process wait for the lock.
hangs() {
	[ "$(grep -l futex "/proc/$1"/task/*/wchan | wc -l)" -eq 2 ]
}

@test "a server that hangs" {
	need_tracing
	eval "$(block 'A server that hangs' 1)" 3>&-
	within_minutes hangs $!
	run -0 eval "$(block 'A server that hangs' 2)"
	[[ $output == *'held by shop '* ]]
	[[ $output == *' reserve:shop.c:'* ]]
}

@test "a first heat map" {
	need_recording
	follow 'A first heat map'
	has heat.svg ';price;'
}
