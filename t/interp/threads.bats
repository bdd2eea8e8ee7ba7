#!/usr/bin/env bats
# threads.bats - threads of Python that are not simply its own: greenlets,
# native threads, those of subinterpreters, and threads of one that ends.

load ../helper
load running
load python

HERE=$BATS_TEST_DIRNAME

# start_with MODULE PROGRAM [BEFORE]: the newest interpreter that has the module,
# of those before version 3.BEFORE if that is given; or skip.
start_with() {
	local python

	need_python
	for python in $(pythons | tac); do
		[ $# -lt 3 ] || [ "${python##*.}" -lt "$3" ] || continue
		"$python" -c "import $1" 2>/dev/null || continue
		echo "# $python"
		start "$python" "$HERE/$2"
		return
	done
	skip "no CPython has $1"
}

sampled() {
	stacksample -q -p "$target" -F 100 -d 0.5 --folded "$@" \
		>"$BATS_TEST_TMPDIR/folded"
	grep -v '^#' "$BATS_TEST_TMPDIR/folded" |
		sed 's/ ([^()]*)//g; s/^[^;]*;//' >"$BATS_TEST_TMPDIR/stacks"
}

# Callers of a greenlet are not those of the one that had its place before.
greenlets_are_apart() {
	sampled
	grep -qE '(^|;)begin_a;leaf_a;burn' "$BATS_TEST_TMPDIR/stacks" &&
		grep -qE '(^|;)begin_b;leaf_b;burn' "$BATS_TEST_TMPDIR/stacks" &&
		! grep -E 'unmerged|truncated|(start|Default|leaf_.);(.*;)?begin_' \
			"$BATS_TEST_TMPDIR/stacks"
}

@test "a greenlet has its own frames" {
	start_with greenlet greenlets.py
	within_minutes greenlets_are_apart
	run -0 --separate-stderr stacksample -p "$target" -d 0.1 --folded
	[[ $stderr == *'greenlets that are suspended are not shown'* ]]
	stop
	start "$(pythons | head -n 1)" "$HERE/lock.py"
	run -0 --separate-stderr stacksample -p "$target" -d 0.1 --folded
	[[ $stderr != *greenlets* ]]
	stop
}

natives_are_right() {
	sampled
	grep -q ';call_back;called;' "$BATS_TEST_TMPDIR/stacks" &&
		grep 'pause' "$BATS_TEST_TMPDIR/folded" >"$BATS_TEST_TMPDIR/pause" &&
		! grep -E '\.py|unmerged' "$BATS_TEST_TMPDIR/pause" &&
		! grep unmerged "$BATS_TEST_TMPDIR/folded"
}

@test "native threads have no functions but those that they call" {
	start_with ctypes natives.py
	within_minutes natives_are_right
	stop
}

# The thread has the name that the first interpreter knows.
subinterpreter_is_seen() {
	sampled --no-native
	grep -q '^with_another;.*outer (<string>);inner (<string>)' \
		"$BATS_TEST_TMPDIR/folded"
}

# Those of 3.14 are not shown yet.
@test "a thread that executes code of a subinterpreter" {
	start_with "${SUBINTERPRETERS:-_interpreters}" subinterpreter.py 14
	within_minutes subinterpreter_is_seen
	stop
}

ends_as_ever() {
	local pid status=0

	"$1" "$HERE/ends.py" >"$BATS_TEST_TMPDIR/ends" 2>&1 3>&- &
	pid=$!
	timeout 60 stacksample -p $pid -F 500 --folded --no-native \
		>"$BATS_TEST_TMPDIR/folded" 2>"$BATS_TEST_TMPDIR/notes"
	wait $pid || status=$?
	[ "$status" -eq 3 ] && [ "$(cat "$BATS_TEST_TMPDIR/ends")" = bye ]
	grep -q ';at_exit (.*;spin (' "$BATS_TEST_TMPDIR/folded"
}

@test "an interpreter ends as it would without being sampled" {
	local python

	start_with threading lock.py # skips
	stop
	for python in $(pythons | awk 'NR % 3 == 1'); do
		echo "# $python"
		ends_as_ever "$python"
	done
}

# in_a_pid_namespace COMMAND...: with other ids than here; ends with its parent.
in_a_pid_namespace() {
	local -a unshare=(unshare --pid --fork --kill-child)

	"${unshare[@]}" true 2>/dev/null ||
		unshare+=(--user --map-root-user)
	"${unshare[@]}" true 2>/dev/null || skip "no pid namespaces"
	start "${unshare[@]}" "$@"
	inside=$(tr -d ' ' <"/proc/$target/task/$target/children")
	stacksample -q -p "$inside" -d 0.1 >"$BATS_TEST_TMPDIR/probe" 2>&1 ||
		skip "no right to look into namespaces"
}

# Both threads, whose ids for themselves are 1 and 2.
threads_inside_are_named() {
	stacksample -q -p "$inside" -F 50 -d 0.3 --folded --no-native \
		>"$BATS_TEST_TMPDIR/folded"
	grep -q ';spin (' "$BATS_TEST_TMPDIR/folded" &&
		grep -q ';keep (' "$BATS_TEST_TMPDIR/folded"
}

@test "threads have other ids in a container, and their functions all the same" {
	local python inside

	need_python
	for python in $(pythons | sed -n '1p;$p'); do
		"$python" -c 'import ctypes' 2>/dev/null || continue
		echo "# $python"
		in_a_pid_namespace "$python" "$HERE/lock.py"
		within_minutes threads_inside_are_named
		stop
	done
}
