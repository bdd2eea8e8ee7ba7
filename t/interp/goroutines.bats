#!/usr/bin/env bats
# goroutines.bats - goroutines that no thread runs, and stacks of Go's threads.

load ../helper
load running

HERE=$BATS_TEST_DIRNAME

# build [OPTION...]: the program.
build() {
	need_process_side
	command -v go >/dev/null || skip "no go"
	[ "$(uname -m)" = x86_64 ] || skip "goroutines were not tried here"
	cd "$BATS_TEST_TMPDIR" || return
	HOME=$BATS_TEST_TMPDIR GO111MODULE=off GOFLAGS='' GOTOOLCHAIN=local \
		go build "$@" -o park "$HERE/goroutines.go"
}

# Stacks of our own functions, without counts.
sampled() {
	stacksample -q -p "$target" -F 20 -d 0.2 --tasks --folded --state "$@" |
		grep '^goroutine;.*;main\.' | grep -v 'state:ready' |
		sed 's/ [0-9]*$//; s/\.abi0:/:/; s/_\[i\]//g' | LC_ALL=C sort -u
}

# forty_wait: all of them are where they will stay.
forty_wait() {
	stacksample -q -p "$target" --tasks --dump >dump &&
		grep -q '^40 tasks, chan receive: goroutine ' dump &&
		grep -q '^1 task, sleep: ' dump &&
		grep -q '^1 task, select: ' dump
}

@test "--tasks has functions, files, lines and waits of goroutines as Go prints them" {
	build
	start env GOTRACEBACK=system ./park
	within_minutes forty_wait
	sampled --srcline >got
	kill -QUIT "$target"
	while kill -0 "$target" 2>/dev/null; do sleep 0.01; done
	awk -f "$HERE/goroutines.awk" log | LC_ALL=C sort -u >want
	[ "$(wc -l <want)" -ge 8 ]
	grep -q 'state:chan receive (nil chan)$' want
	diff want got
	target=
}

@test "goroutines of stripped programs are found, and counted by foldtop" {
	build -ldflags='-s -w'
	start ./park
	within_minutes forty_wait
	sampled >got
	grep -q '^goroutine;runtime.goexit;main.main.*;main.handler;main.receive;runtime.chanrecv1;runtime.chanrecv;runtime.gopark;state:chan receive$' got
	[ "$(grep -c 'main.recurse;main.recurse;.*state:chan receive$' got)" -eq 1 ]
	stacksample -q -p "$target" -F 20 -d 0.5 --tasks --folded --state >folded
	run -0 foldtop folded
	[[ $output == *'waiting 4'*' and 5'*' tasks'*'%  main.receive'* ]]
	stop
}

@test "stacks of Go's threads end where the scheduler's stack begins" {
	build
	start ./park
	within_minutes forty_wait
	stacksample -q -p "$target" -F 50 -d 1 --folded >folded
	grep -q ';runtime.mcall;runtime.park_m;' folded
	grep -q 'runtime.sysmon' folded
	run ! grep -E '^park;.*;runtime\.(mcall|mstart|systemstack)(\.abi0)?;' folded
	stop
}

goroutines_are_drawn() {
	flame -q --tasks -p "$target" -d 0.5 -o x.folded &&
		grep -q '^goroutine;.*;main.handler;.*;state:chan receive ' x.folded
}

@test "flame --tasks draws goroutines" {
	build
	start ./park
	within_minutes goroutines_are_drawn
	stop
}
