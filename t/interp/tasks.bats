#!/usr/bin/env bats
# tasks.bats - suspended tasks of asyncio, and names of Python's threads.

load ../helper
load running
load python

HERE=$BATS_TEST_DIRNAME

# The interpreters whose asyncio is read.
pythons_with_tasks() {
	pythons | grep -v '/python3\.6$' || :
}

tasks_are_equal() {
	stacksample -q -p "$target" -F 50 -d 0.2 --tasks >"$BATS_TEST_TMPDIR/raw"
	stackcollapse-pmp -q --srcline --state "$BATS_TEST_TMPDIR/raw" |
		folded_tasks >"$BATS_TEST_TMPDIR/got"
	diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" || return
	stacksample -q -p "$target" -F 50 -d 0.2 --tasks --folded --srcline \
		--state | folded_tasks >"$BATS_TEST_TMPDIR/got"
	diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

folded_tasks() {
	grep '^asyncio-task;' | sed 's/ [0-9]*$//' | LC_ALL=C sort -u
}

@test "--tasks has the functions, files, lines and states of asyncio's tasks" {
	local python

	need_python
	for python in $(pythons_with_tasks); do
		echo "# $python"
		start "$python" "$HERE/tasks.py" "$BATS_TEST_TMPDIR/tasks"
		LC_ALL=C sort -u "$BATS_TEST_TMPDIR/tasks" \
			>"$BATS_TEST_TMPDIR/want"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -ge 18 ]
		within_minutes tasks_are_equal
		stop
	done
}

@test "a task that runs is in the stack of its thread only, which has a name" {
	local python

	need_python
	# In 3.7, tasks have no names.
	for python in $(pythons_with_tasks); do
		echo "# $python"
		start "$python" "$HERE/tasks.py" "$BATS_TEST_TMPDIR/tasks"
		run -0 --separate-stderr stacksample -q --dump --tasks \
			-p "$target"
		[[ $output == *$'\n1 task, ready: Task-'*'by_sleep ('* ||
			$python == *3.7 && $output == *$'\n1 task, ready\n'* ]]
		[[ $output != *': ,'* ]]
		stop
	done
	python=$(pythons_with_tasks | tail -n 1)
	[ -n "$python" ] || skip "no CPython whose tasks are read"
	start "$python" "$HERE/tasks.py" "$BATS_TEST_TMPDIR/tasks"
	run -0 --separate-stderr stacksample -q --dump --tasks -p "$target"
	[[ $output == *': other loop '*'running_callee ('*'other_loop ('* ]]
	[ "$(grep -c 'running_callee (' <<<"$output")" -eq 1 ]
	run -0 --separate-stderr stacksample -q --only-running --tasks --folded \
		-d 0.1 -p "$target"
	[[ $output != *asyncio-task* ]]
	run -0 --separate-stderr stacksample -q --tasks --folded --no-native \
		--thread-name '^other loop$' -d 0.3 -p "$target"
	[[ $output == *'other_loop;'* ]]
	[[ $output != *'asyncio-task;'* && $output != *$'\n'python* ]]
	run -2 stacksample --native --tasks -p "$target"
	stop
}

tasks_are_drawn() {
	flame -q --tasks -p "$target" -d 0.5 -o "$BATS_TEST_TMPDIR/x.folded" &&
		grep -q '^asyncio-task;.*by_sleep (.*;state:await ' \
			"$BATS_TEST_TMPDIR/x.folded"
}

@test "flame --tasks draws suspended tasks beside threads, and wants such a process" {
	local python

	need_python
	python=$(pythons_with_tasks | tail -n 1)
	[ -n "$python" ] || skip "no CPython whose tasks are read"
	start "$python" "$HERE/tasks.py" "$BATS_TEST_TMPDIR/tasks"
	within_minutes tasks_are_drawn
	grep -q '^other_loop;.*running_callee (' "$BATS_TEST_TMPDIR/x.folded"
	stop
	start sh -c 'echo ready; while :; do sleep 1; done'
	run -2 flame --tasks -p "$target" -o "$BATS_TEST_TMPDIR/x.folded"
	[[ $output == *"--tasks: process $target runs no interpreter"* ]]
	run -2 flame --tasks -a
	[[ $output == *'--tasks excludes -a'* ]]
	stop
}

# One sample in thousands may be wrong, as with threads that run.  If tasks were
# read only once, some ten would be, of all interpreters together.
tasks_are_possible() {
	stacksample -p "$target" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--state --tasks >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes"
	read -r all bad < <(awk -f "$HERE/busy_tasks.awk" \
		"$BATS_TEST_TMPDIR/folded")
	[ "$all" -gt 1000 ]
}

@test "tasks that are resumed all the time have stacks that they can have" {
	local python all bad sum=0

	need_python
	for python in $(pythons_with_tasks | awk 'NR % 3 == 1'); do
		start "$python" "$HERE/busy_tasks.py"
		: >"$BATS_TEST_TMPDIR/folded"
		within_minutes tasks_are_possible
		stop
		echo "# $python: $all tasks, $bad wrong"
		sum=$((sum + bad))
	done
	[ $sum -le 1 ]
}
