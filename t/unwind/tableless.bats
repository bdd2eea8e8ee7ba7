#!/usr/bin/env bats
# tableless.bats - stacks of code without unwind tables and frame pointers.

load ../helper
load ../interp/running

HERE=$BATS_TEST_DIRNAME
CHAIN='main;.*compare;by_pointer;branching;saving;sized;large;innermost'

# build COMPILER [OPTION...]
build() {
	need_process_side
	[ "$(uname -m)" = x86_64 ] || skip "instructions of others are not read"
	command -v "$1" >/dev/null || skip "no $1"
	"$@" -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables \
		"${pointer:--fomit-frame-pointer}" -fcf-protection=none -w \
		-o "$BATS_TEST_TMPDIR/tableless" "$HERE/tableless.c"
}

# The stacks, without their thread and its state.
stacks() {
	stacksample -F 100 -d 1 --folded -p "$target" 2>"$BATS_TEST_TMPDIR/notes" |
		grep -v -e '^#' -e '^$' -e '\[moving]' >"$BATS_TEST_TMPDIR/folded"
}

# All stacks have the chain.
all_have_it() {
	stacks
	[ -s "$BATS_TEST_TMPDIR/folded" ] &&
		! grep -v "$CHAIN" "$BATS_TEST_TMPDIR/folded"
}

@test "a thread that waits in code without unwind tables has all its callers" {
	build "${CC:-cc}"
	start "$BATS_TEST_TMPDIR/tableless"
	within_minutes all_have_it >/dev/null
	grep -q '100.0 % of the stacks have callers that were guessed' \
		"$BATS_TEST_TMPDIR/notes"
	stop
}

@test "and so has one that runs there" {
	build "${CC:-cc}"
	start "$BATS_TEST_TMPDIR/tableless" run
	within_minutes all_have_it >/dev/null
	stop
}

@test "functions of musl have callers, in dynamic and static programs" {
	local option

	for option in '' -static; do
		# shellcheck disable=SC2086 # none or one
		build musl-gcc $option
		start "$BATS_TEST_TMPDIR/tableless"
		within_minutes all_have_it >/dev/null
		stop
	done
}

@test "callers that the frame pointer leads to as well are no guess" {
	pointer=-fno-omit-frame-pointer build "${CC:-cc}"
	start "$BATS_TEST_TMPDIR/tableless" run
	within_minutes all_have_it >/dev/null
	run ! grep guessed "$BATS_TEST_TMPDIR/notes"
	stop
}

@test "code with unwind tables is not guessed" {
	need_process_side
	"${CC:-cc}" -O1 -w -o "$BATS_TEST_TMPDIR/tableless" "$HERE/tableless.c"
	start "$BATS_TEST_TMPDIR/tableless" run
	within_minutes all_have_it >/dev/null
	run ! grep guessed "$BATS_TEST_TMPDIR/notes"
	stop
}
