#!/usr/bin/env bats
# stackcollapse-faulthandler.bats - the reader of traces of faulthandler.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# thread NAME FUNCTION...: that is said to run, the leaf first.
thread() {
	printf '"%s" #9 prio=5 runnable\n' "$1"
	printf '   java.lang.Thread.State: RUNNABLE\n'
	[ $# -eq 1 ] || printf '\tat %s(Native Method)\n' "${@:2}"
	echo
}

@test "faulthandler: a file without a name is one bad line" {
	run -0 --separate-stderr stackcollapse-faulthandler <<-'END'
	Thread 0x00007f (most recent call first):
	  File ", line 3, in f
	  File "a.py", line 3, in g
	END
	[ "$output" = 'g (a.py) 1' ]
	[[ $stderr == *"1 line skipped, the first: stdin:2:"* ]]
}

@test "faulthandler: tracebacks that end in a mark, or at a hundred frames" {
	{
		echo 'Thread 0x1 [Worker 1] (most recent call first):'
		echo '  File "a.py", line 2 in f'
		echo '  <freed frame>'
		echo 'Thread 0x2 (most recent call first):'
		echo '  <tstate is freed>'
		echo 'Current thread 0x3 (most recent call first):'
		echo '  Garbage-collecting'
		echo '  File "a.py", line 3 in g'
		for _ in {2..100}; do
			echo '  File "a.py", line 4 in h'
		done
		echo "Current thread's C stack trace (most recent call first):"
		echo '  Binary file "/python", at Py_RunMain+0x31 [0x5b27f7d]'
	} >p
	run -0 --separate-stderr stackcollapse-faulthandler --srcline p
	[[ ${lines[0]} == '[truncated];f (a.py:2) 1' ]]
	[[ ${lines[1]} == '[truncated];h (a.py:4);h (a.py:4);'*'g (a.py:3);[gc] 1' ]]
	[[ $stderr != *skipped* ]]
	grep -v g <p >q
	run -0 stackcollapse-faulthandler q
	[[ $output != *'[truncated];h'* ]]
}
