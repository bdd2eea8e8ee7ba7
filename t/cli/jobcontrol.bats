#!/usr/bin/env bats
# jobcontrol.bats - ^Z and fg, of commands that start other programs.

load ../helper

setup() {
	command -v python3 >/dev/null || skip "no python3"
	cd "$BATS_TEST_TMPDIR" || return
	export TERM=xterm-256color
	target=
	# Not a shell: it waits in vfork() for a child that is stopped before its
	# exec, and so does not stop itself.
	cat >ticks <<-'END'
	import signal, time
	signal.signal(signal.SIGINT, signal.SIG_DFL)
	while True:
	    print("tick", flush=True)
	    time.sleep(0.05)
	END
}

teardown() {
	[ -z "$target" ] || kill "$target" || :
}

# continued TEXT KEYS COMMAND...: ten times; see t/jobcontrol.
continued() {
	run -0 "$top_srcdir/t/jobcontrol" 10 "$1" "$2" -- "${@:3}"
	[[ $output == 'continued 10 times'* ]]
}

may_sample() {
	need_process_side
	python3 ticks >/dev/null &
	target=$!
	disown
	stacksample -q -p $target -d 0.1 >probe 2>&1 ||
		skip "no right to look at processes"
}

@test "foldtop stops and goes on" {
	echo 'main;f 1' >profile
	continued foldtop q foldtop profile
}

@test "stacksample and the foldtop that it starts stop and go on together" {
	may_sample
	continued foldtop q stacksample -q -p "$target"
	[[ $output == *'status 0' ]]
}

@test "stacksample stops and goes on with its command" {
	may_sample
	continued tick '\x03' stacksample -q -- python3 ticks
}

@test "stackrecord stops and goes on with its command" {
	need_process_side
	stackrecord -q -o probe -- true 2>/dev/null ||
		skip "no right to record"
	continued tick '\x03' stackrecord -q -o recorded -- python3 ticks
}
