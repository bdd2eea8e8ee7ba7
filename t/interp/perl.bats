#!/usr/bin/env bats
# perl.bats - subroutines of Perl in the stacks of running processes, for the
# Perl that is here.

load ../helper
load running

HERE=$BATS_TEST_DIRNAME

setup() {
	need_process_side
	need_native
	type perl >/dev/null 2>&1 || skip "no perl"
	perl -e 'exit !($] >= 5.028 && $] < 5.041)' ||
		skip "no Perl that is supported"
	perl -e 'use List::Util; use overload' 2>/dev/null ||
		skip "no modules of Perl"
}

teardown() {
	[ -z "$target" ] || kill -TERM "$target" 2>/dev/null || :
}

# parked: start the processes that wait.
parked() {
	local file

	mkdir "$BATS_TEST_TMPDIR/stacks"
	start perl "$HERE/parked.pl" "$BATS_TEST_TMPDIR/stacks"
	sort -u "$BATS_TEST_TMPDIR/stacks"/* >"$BATS_TEST_TMPDIR/want"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -ge 25 ]
	processes=()
	for file in "$BATS_TEST_TMPDIR/stacks"/*; do
		processes+=(-p "${file##*/}")
	done
}

# Names without the place that subroutines without a name have.
parked_is_equal() {
	stacksample -q "${processes[@]}" -F 50 -d 0.2 --folded --no-native \
		--srcline | sed -n '/^[^#]/ {
			s/ [0-9]*$//
			s/^[^;]*;//
			s/__ANON__\[[^];]*\]/__ANON__/g
			p
		}' | sort -u >"$BATS_TEST_TMPDIR/got"
	diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" \
		>"$BATS_TEST_TMPDIR/diff"
}

@test "processes that wait have the subroutines, files and lines of caller()" {
	parked
	within_minutes parked_is_equal ||
		{ cut -c1-300 "$BATS_TEST_TMPDIR/diff" && false; }
}

@test "subroutines stand among native frames" {
	parked
	stacksample "${processes[@]}" -F 50 -d 0.2 --folded \
		>"$BATS_TEST_TMPDIR/folded" 2>"$BATS_TEST_TMPDIR/notes"
	run -1 grep -F '[unmerged]' "$BATS_TEST_TMPDIR/folded"
	run -1 grep -F 'Perl_runops' "$BATS_TEST_TMPDIR/folded"
	grep -q ';Perl_sortsv_flags;main::by_name (.*);main::park (.*);.*read;' \
		"$BATS_TEST_TMPDIR/folded"
}

# On a busy machine few threads stop in time, so it may take a while.
enough_samples() {
	stacksample -p "$target" -F 250 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--no-native >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	read -r all bad < <(awk -f "$HERE/grammar_perl.awk" \
		"$BATS_TEST_TMPDIR/folded")
	[ "$all" -gt 100 ]
}

@test "programs that run have stacks that they can have" {
	local all bad

	start perl "$HERE/grammar.pl"
	: >"$BATS_TEST_TMPDIR/folded"
	within_minutes enough_samples
	echo "# $all samples, $bad wrong; $(tr '\n' ' ' <"$BATS_TEST_TMPDIR/notes")"
	[ "$bad" -le 1 ]
}
