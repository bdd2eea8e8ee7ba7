#!/usr/bin/env bats
# foldbox.bats - all commands in one file; "make check-foldbox" runs all tests
# with it.

load ../helper

setup() {
	need_static
	cd "$BATS_TEST_TMPDIR" || return 1
	make -s -C "$top_builddir" foldbox 2>/dev/null
	BOX=$top_builddir/foldbox
}

@test "foldbox does what commands do" {
	local command

	for command in $(commands); do
		diff <("$command" --help=all) <("$BOX" "$command" --help=all)
	done
	printf 'main;a 1\nmain;b 2\n' >in
	cmp <(flamegraph in) <("$BOX" flamegraph in)
}

@test "a link to foldbox is the command whose name it has" {
	ln -s "$BOX" foldmerge
	ln -s "$BOX" stackcollapse-perf.pl
	run -0 ./foldmerge - <<<$'a 1\na 2'
	[ "$output" = "a 3" ]
	run -2 --separate-stderr ./stackcollapse-perf.pl --no-such-option
	[[ $stderr == "stackcollapse-perf.pl: "* ]]
}

@test "a command in foldbox finds the others there" {
	local PATH=/usr/bin:/bin

	cmp <("$BOX" stackcollapse "$DATA/perf/addrs.in") \
		<("$BOX" stackcollapse-perf "$DATA/perf/addrs.in")
}

@test "stacksample in foldbox finds foldtop there" {
	local PATH=/usr/bin:/bin pid

	command -v python3 >/dev/null || skip "no python3"
	sleep 100 3>&- &
	pid=$!
	cp "$BOX" alone
	"$BOX" stacksample -q -p $pid -d 0.1 >/dev/null 2>&1 ||
		skip "no right to look at processes"
	run -0 env LC_ALL=C.UTF-8 TERM=xterm-256color python3 \
		"$top_srcdir/t/terminal" 80x20 'wait function' 'key q' -- \
		./alone stacksample -q -p $pid
	kill $pid
	[[ $output == *"status 0"* ]]
}

@test "foldbox lists its commands, and says what it does not have" {
	run -0 "$BOX" --list
	diff <(commands | sort) <(grep -vE '[.](pl|py|php)$' <<<"$output" | sort)
	grep -qx difffolded.pl <<<"$output"
	run -2 --separate-stderr "$BOX" foldflame
	[ "${stderr_lines[0]}" = "foldbox: foldflame: no such command" ]
	run -2 --separate-stderr "$BOX"
	[ -z "$output" ]
}
