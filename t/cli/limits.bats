#!/usr/bin/env bats
# limits.bats - inputs beyond the limits of lines, decompressors, memory, time.

load ../helper

# 1.1 GB of zeros, in lines of 1 MB, take a thousandth of that: 110 members of a
# gzip file, of which each has 10 MB.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	for _ in {1..10}; do
		head -c 1000000 /dev/zero
		echo
	done | gzip -9 >member
	for _ in {1..110}; do
		cat member
	done >zeros.gz
	head -c 70000000 /dev/zero | gzip -9 >line.gz
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset FOLDSTACK_LIMITS
}

# refused NAME COMMAND...: it ends with a message that names the limit.
refused() {
	run -2 --separate-stderr "${@:2}"
	[[ $stderr == *"--limits $1="* ]]
}

# stacks N: distinct ones.
stacks() {
	seq "$1" | sed 's/.*/main;function_&;leaf 1/'
}

need_events() {
	stackrecord -q -o probe -- true >probe.log 2>&1 ||
		skip "no events: $(cat probe.log)"
}

@test "a line above 64 MB is refused, with its place" {
	{
		echo 'a;b 1'
		head -c 68000000 /dev/zero | tr '\0' a
	} >long
	for command in foldmerge flamegraph foldcolor unflame stackcollapse-perf \
		stackcollapse-gdb; do
		refused line $command long
		[[ $stderr == *"long:"* ]]
	done
	foldmerge --limits line=none long >out 2>err
	[ "$(cat out)" = 'a;b 1' ]
}

@test "a smaller limit on lines; the environment sets it too" {
	printf 'a;b 1\n%0300000d 1\n' 0 >folded
	run -0 foldmerge folded
	refused line foldmerge --limits line=128K folded
	[[ $stderr == *'folded:2: '* ]]
	FOLDSTACK_LIMITS=line=128K refused line foldmerge folded
	FOLDSTACK_LIMITS=line=128K run -0 foldmerge --limits line=1M folded
}

@test "a file that decompresses to a thousand times its size is refused" {
	refused ratio foldmerge --limits ratio=500 "$BATS_FILE_TMPDIR/zeros.gz"
	refused line foldmerge "$BATS_FILE_TMPDIR/line.gz"
}

@test "a pipe that decompresses to a thousand times its size is refused" {
	# shellcheck disable=SC2016 # bash -c has its own
	refused ratio bash -c 'cat "$BATS_FILE_TMPDIR/zeros.gz" |
		foldmerge --limits ratio=500'
}

@test "memory has a limit" {
	need_plain "sanitizers reserve terabytes"
	stacks 200000 >folded
	refused memory foldmerge --limits memory=12M folded
	refused memory flamegraph --limits memory=12M folded
	foldmerge --limits memory=1G folded | cmp - <(foldmerge folded)
}

# The stacks need 30 MB, so an array of 28 MB becomes one of 57 MB.  Both do not
# exist together, and each frame has two bytes.
@test "a large array moves when it grows, and is not copied" {
	need_plain "sanitizers reserve terabytes"
	awk 'BEGIN {
		for (i = 0; i < 70000; i++) {
			stack = i % 97 ";" int(i / 97)
			for (k = 0; k < 198; k++)
				stack = stack ";" (k * 7 + i) % 90
			print stack, 1
		}
	}' >deep
	foldmerge --threads 1 --limits memory=70M deep >out
	[ "$(wc -l <out)" -eq 70000 ]
}

@test "a limit on memory does not raise that of the kernel" {
	need_plain "sanitizers reserve terabytes"
	stacks 200000 >folded
	# shellcheck disable=SC2016 # sh -c has its own
	run -2 sh -c 'ulimit -S -d 12000 && foldmerge --limits memory=4G folded'
}

@test "CPU time has a limit" {
	stacks 1000 >folded
	# shellcheck disable=SC2016 # bash -c has its own
	refused time bash -c 'yes "$(cat folded)" | foldmerge --limits time=1'
}

@test "stackcollapse passes limits on" {
	printf '%0300000d 1\n' 0 >folded
	printf 'a;b 1\n' | cat - folded >both
	refused line stackcollapse --limits line=128K both
	refused line stackcollapse --limits=line=128K both
}

@test "a recorded program has no limits but its own" {
	need_process_side
	need_plain "sanitizers reserve terabytes"
	need_events
	(ulimit -t; ulimit -d) >expected
	FOLDSTACK_LIMITS=memory=1G,time=1000 stackrecord -q -o data -- \
		sh -c '(ulimit -t; ulimit -d) >seen'
	diff expected seen
}

@test "a sampled program has no limits but its own" {
	need_process_side
	need_plain "sanitizers reserve terabytes"
	(ulimit -t; ulimit -d) >expected
	# It starts the program even if it may not stop its threads.
	FOLDSTACK_LIMITS=memory=1G,time=1000 stacksample -- \
		sh -c '(ulimit -t; ulimit -d) >seen' >stacks 2>said || :
	diff expected seen
}

@test "flame and slowflame limit the commands that they run" {
	local command

	need_process_side
	for command in flame slowflame; do
		run -2 --separate-stderr $command --limits line -- true
		[[ $stderr == *'--limits: not a list like'* ]]
	done
	need_events
	# No recording can be read with so little.
	run -2 --separate-stderr flame --limits memory=4K --no-context -- true
}

@test "limits that are not understood are errors" {
	for list in lines=1 line=0 line memory=x time=1.5 line=1,,time=1; do
		run -2 --separate-stderr foldmerge --limits $list /dev/null
		[[ $stderr == *'--limits must be a list'* ]]
	done
	FOLDSTACK_LIMITS=x run -2 --separate-stderr foldmerge /dev/null
	[[ $stderr == *'FOLDSTACK_LIMITS must be a list'* ]]
}
