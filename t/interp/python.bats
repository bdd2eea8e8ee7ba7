#!/usr/bin/env bats
# python.bats - functions of Python in the stacks of running processes, for each
# CPython that is here and is supported.

load ../helper
load running
load python

HERE=$BATS_TEST_DIRNAME

# Stacks as faulthandler has them: 100 frames, of each the last part of its
# name, and in ASCII.
as_faulthandler() {
	sed -n 's/ [0-9]*$//; s/ö/\\xf6/g; s/ß/\\xdf/g; /^[^#]/p' |
		awk -F';' '{
			first = 2
			stack = ""
			if (NF > 101) {
				first = NF - 99
				stack = ";[truncated]"
			}
			for (i = first; i <= NF; i++) {
				at = index($i, " (")
				name = substr($i, 1, at - 1)
				sub(/.*\./, "", name)
				stack = stack ";" name substr($i, at)
			}
			print substr(stack, 2)
		}' | sort -u
}

parked_are_equal() {
	start "$1" "$HERE/parked.py" "$BATS_TEST_TMPDIR/traceback"
	within_minutes parked_is_equal
	stop
}

parked_is_equal() {
	: >"$BATS_TEST_TMPDIR/traceback"
	kill -USR1 "$target"
	within_minutes grep -q by_sort "$BATS_TEST_TMPDIR/traceback"
	sleep 0.1
	stackcollapse-faulthandler -q --srcline "$BATS_TEST_TMPDIR/traceback" |
		sed 's/ [0-9]*$//' | sort -u >"$BATS_TEST_TMPDIR/want"
	stacksample -q -p "$target" -F 50 -d 0.2 --folded --no-native \
		--srcline | as_faulthandler >"$BATS_TEST_TMPDIR/got"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -eq 18 ] &&
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

@test "threads that wait have the functions, files and lines of faulthandler" {
	local python

	need_python
	for python in $(pythons); do
		echo "# $python"
		parked_are_equal "$python"
	done
}

# On a busy machine few threads stop in time, so it may take a while.
enough_samples() {
	stacksample -p "$target" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--no-native >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	read -r all bad < <(awk -f "$HERE/grammar.awk" \
		"$BATS_TEST_TMPDIR/folded")
	[ "$all" -gt 100 ]
}

# One sample in thousands may be wrong: what remains of races with a thread that
# is created or ends.
grammar_holds() {
	local all bad

	start "$1" "$HERE/grammar.py"
	: >"$BATS_TEST_TMPDIR/folded"
	within_minutes enough_samples
	stop
	echo "# $all samples, $bad wrong; $(tr '\n' ' ' <"$BATS_TEST_TMPDIR/notes")"
	[ "$bad" -le 1 ]
}

@test "threads that run have stacks that the program can have" {
	local python

	need_python
	for python in $(pythons); do
		echo "# $python"
		grammar_holds "$python"
	done
}

# keep() has the lock, spin() waits for it.
lock_is_seen() {
	stacksample -p "$target" -F 50 -d 0.6 >"$BATS_TEST_TMPDIR/raw" \
		2>"$BATS_TEST_TMPDIR/notes" || return 1
	stackcollapse-pmp -q --no-native --state "$BATS_TEST_TMPDIR/raw" \
		>"$BATS_TEST_TMPDIR/folded"
	grep -q 'keep (.*state:clock_nanosleep' "$BATS_TEST_TMPDIR/folded" &&
		grep -qE '^ .* \^$' "$BATS_TEST_TMPDIR/raw" &&
		grep -q 'spin (.*state:interpreter-lock' \
			"$BATS_TEST_TMPDIR/folded" &&
		grep -q 'samples wait for the lock .* holds it in' \
			"$BATS_TEST_TMPDIR/notes"
}

# What spin() waits for is its owner, keep(), which sleeps.
owner_is_seen() {
	stacksample -p "$target" -F 50 -d 0.6 --folded --state --blockers --tid \
		>"$BATS_TEST_TMPDIR/folded" 2>"$BATS_TEST_TMPDIR/notes" || return 1
	local keeper
	cat "$BATS_TEST_TMPDIR/folded" >>"$BATS_TEST_TMPDIR/all"
	keeper=$(sed -n 's|^[^;]*/\([0-9]*\);.*;keep (.*state:clock_nano.*|\1|p' \
		"$BATS_TEST_TMPDIR/folded" | head -n 1)
	grep -q "spin (.*;state:interpreter-lock;\[held by [^;]*$keeper\];\[in \
clock_nanosleep\]" "$BATS_TEST_TMPDIR/folded" &&
		grep -q "waits\? for a lock of thread $keeper (.*), which is in \
clock_nanosleep" "$BATS_TEST_TMPDIR/notes"
}

@test "the thread that has the interpreter's lock, and those that wait for it" {
	local python

	need_python
	for python in $(pythons) $(old_python); do
		echo "# $python"
		"$python" -c 'import ctypes' 2>/dev/null || continue
		start "$python" "$HERE/lock.py"
		within_minutes lock_is_seen
		within_minutes owner_is_seen
		run ! grep 'state:run[a-z]*;\[' "$BATS_TEST_TMPDIR/all"
		stop
	done
}

# The child has the functions of its program; 3.11 and later keep the parent's
# thread id in it.
child_is_named() {
	local child

	child=$(awk '{ print $2 }' "$BATS_TEST_TMPDIR/log")
	stacksample -q -p "$child" -F 50 -d 0.2 --folded \
		>"$BATS_TEST_TMPDIR/folded"
	grep -qE '^[^;]*;<module> [^;]*;in_the_child ' \
		"$BATS_TEST_TMPDIR/folded"
}

@test "a process by fork() without Python's knowledge has its functions" {
	local python

	need_python
	for python in $(pythons); do
		echo "# $python"
		"$python" -c 'import ctypes' 2>/dev/null || continue
		start "$python" "$HERE/forked.py"
		within_minutes child_is_named
		kill -KILL "$(awk '{ print $2 }' "$BATS_TEST_TMPDIR/log")"
		stop
	done
}

# Stacks that begin with a function of the program, at the root.
storm_is_survived() {
	local pid

	"$1" "$HERE/storm.py" 2 >"$BATS_TEST_TMPDIR/storm" 2>&1 3>&- &
	pid=$!
	timeout 60 stacksample -p $pid -F 500 --folded --no-native \
		>"$BATS_TEST_TMPDIR/folded" 2>"$BATS_TEST_TMPDIR/notes"
	wait $pid
	grep -qx 'done' "$BATS_TEST_TMPDIR/storm"
	grep -qE ';(importing|compiling|threading_|executing) \(' \
		"$BATS_TEST_TMPDIR/folded"
}

@test "a program that imports, forks, executes and ends goes on as it is sampled" {
	local python

	start "$(pythons | head -n 1)" "$HERE/lock.py" # skips
	stop
	for python in $(pythons | tail -n 3); do
		echo "# $python"
		storm_is_survived "$python"
	done
}

# refused VERSION FREE-THREADED: what is said of such a CPython, whose native
# frames are shown.
refused() {
	start "$top_builddir/t/programs/fakepython" "$@"
	run -0 --separate-stderr stacksample -p "$target" -d 0.1 --folded
	[[ $output == *'main;'*EvalFrameDefault* ]]
	printf '%s\n' "$stderr" | sed -n 's/.* has \(Python.*\)/\1/p'
	stop
}

@test "versions and builds that are not supported are refused by their names" {
	[ -x "$top_builddir/t/programs/fakepython" ] ||
		skip "t/programs/fakepython is not built"
	[ "$(refused 031000f0 0)" = \
		"Python 3.16: its version is too new; only native frames are shown" ]
	[ "$(refused 030d00f0 1)" = \
		"Python 3.13: it is a free-threaded build; only native frames are shown" ]
	[ "$(refused 03010000 0)" = \
		"Python 3.1: its version is not supported; only native frames are shown" ]
}

# The sampler's buffer for the head of a str was smaller than what the program
# may have said.
@test "offsets that no text of Python has are refused" {
	local offset

	[ -x "$top_builddir/t/programs/fakepython" ] ||
		skip "t/programs/fakepython is not built"
	for offset in 0 39 57 800; do
		[ "$(refused 030d00f0 0 $offset)" = \
			"Python 3.13: its _Py_DebugOffsets are invalid; only native frames are shown" ]
	done
}

@test "a program without symbols that has texts of Python is named" {
	[ -x "$top_builddir/t/programs/hiddenpython" ] ||
		skip "t/programs/hiddenpython is not built"
	start "$top_builddir/t/programs/hiddenpython"
	run -0 --separate-stderr stacksample -p "$target" -d 0.1 --folded
	[[ $stderr == *" has Python: its program has no symbols; only native frames are shown"* ]]
	stop
	start sh -c 'echo ready; while :; do sleep 1; done'
	run -0 --separate-stderr stacksample -p "$target" -d 0.1 --folded
	[[ $stderr != *Python* ]]
	stop
}
