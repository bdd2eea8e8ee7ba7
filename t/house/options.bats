#!/usr/bin/env bats
# options.bats - how all commands take options; shown on those that have many.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	echo 'main;f 1' >in
	printf 'app 12/13 [001] 1.5: 100 cycles: \n\t1234 main+0x1 (/bin/app)\n\n' \
		>perf
}

@test "long options have one dash or two" {
	for dashes in - --; do
		run -0 stackcollapse-perf ${dashes}pid perf
		[ "$output" = 'app-12;main 100' ]
	done
}

@test "an argument follows in the same word or in the next" {
	for words in '--title T' '--title=T' '-title T' '-title=T'; do
		# shellcheck disable=SC2086 # words
		flamegraph $words in >out.svg
		grep -q '>T<' out.svg
	done
}

@test "the next word is the argument even if it begins with a dash" {
	flamegraph --title --x in >out.svg
	grep -q -e '>--x<' out.svg
}

@test "an option may be cut short where only one begins so" {
	run -0 stackcollapse-perf --pi perf
	[ "$output" = 'app-12;main 100' ]
	run -0 stackcollapse-perf --kern perf
	[ "$output" = 'app;main 100' ]
}

@test "FlameGraph's options keep their short forms" {
	for option in --ki --t --pi --ad --j --k --ev=cycles --a; do
		case $option in
		--ki | --a) continue ;; # ambiguous there too
		esac
		run -0 stackcollapse-perf $option perf
	done
	run -0 stackcollapse-perf --t perf
	[ "$output" = 'app-12/13;main 100' ]
	for option in --ti=T --su=T --w=900 --m=1 --col=java --bg=blue --ha \
		--ra --rev --inv --flame --neg --no=x --namet=x --countn=x; do
		flamegraph $option in >out.svg
	done
}

@test "case does not matter" {
	run -0 stackcollapse-perf --PID perf
	[ "$output" = 'app-12;main 100' ]
}

@test "options may follow files" {
	run -0 stackcollapse-perf perf --pid
	[ "$output" = 'app-12;main 100' ]
}

@test "what follows -- is a file" {
	cp perf ./--pid
	run -0 stackcollapse-perf -- --pid
	[ "$output" = 'app;main 100' ]
}

@test "short options are letters behind one dash" {
	echo garbage >>in
	run -0 --separate-stderr foldmerge -q in
	[ -z "$stderr" ]
	run -0 foldmerge -h
	[[ $output == usage:* ]]
}

@test "an option that is unknown, ambiguous or incomplete is status 2" {
	for words in --nonsense -Z --root '--pid=3'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr stackcollapse-perf $words </dev/null
		[ -z "$output" ]
		[[ $stderr == *usage:* ]]
	done
	run -2 --separate-stderr flamegraph --co x in
	[[ $stderr == *ambiguous* ]]
}

@test "an option of FlameGraph's wins over ours, and others do not" {
	run -2 foldcolor --co default </dev/null
	[[ $output == *'option --co is ambiguous'* ]]
}

@test "jvmmap does one thing at a time" {
	local options

	for options in '--snapshot --stop' '--snapshot --jitdump x' \
		'--stop --jitdump x' '--stop --snapshot --jitdump x'; do
		# shellcheck disable=SC2086 # words
		run -2 jvmmap $options 99999999
		[[ $output == *'use one of'* ]]
	done
	for options in --snapshot --stop '--jitdump x'; do
		# shellcheck disable=SC2086 # words
		run -2 jvmmap $options 99999999
		[[ $output != *'use one of'* ]]
	done
}

@test "a slip in an option is named" {
	run -2 --separate-stderr flamegraph --titel x in
	[[ $stderr == *'unknown option --titel; did you mean --title?'* ]]
	run -2 --separate-stderr flamegraph -revers=x in
	[[ $stderr == *'--reverse takes no argument'* ]]
	run -2 --separate-stderr foldgrep --invert-macth in
	[[ $stderr == *'--invert-macth; did you mean --invert-match?'* ]]
	run -2 --separate-stderr flamegraph --wdith=9 in
	[[ $stderr == *'unknown option --wdith; did you mean --width?'* ]]
	run -2 --separate-stderr flamegraph --zzzz in
	[[ ${stderr_lines[0]} == 'flamegraph: unknown option --zzzz' ]]
	run -2 --separate-stderr flamegraph "--$(printf 'x%.0s' {1..5000})" in
	[[ $stderr != *'did you mean'* ]]
}

@test "one option means one thing in all commands" {
	local name

	# -p is a palette, or a process where a command has nothing but processes.
	for name in flamegraph foldcolor folddiff foldtop; do
		run -0 "$name" --help=all
		[[ $output == *'-p, --palette PALETTE '* ]]
		[[ $output == *'--colors PALETTE '* ]]
	done
	echo 'a;java.lang.X.y 1' >in
	flamegraph -p java in >p.svg
	flamegraph --colors java in | cmp p.svg
	foldcolor --colors jit in | cmp - <(foldcolor -p jit in)
	for name in $(filters); do
		[ "$name" != foldgrep ] || continue
		"$name" --help=all >help
		run ! grep -E -e '--(stack|diff) ' help
	done
}

@test "--counts is 1 or 2, for all commands that have it" {
	local name wrong n=0

	echo 'a;b 3 4' >in
	for name in $(filters); do
		"$name" --help=all | grep -q -- '--counts 1|2' || continue
		set -- "$name"
		[ "$name" != foldgrep ] || set -- foldgrep --frame b
		run -0 --separate-stderr "$@" -q --counts 2 in
		[ -z "$stderr" ]
		[[ $output == *b* ]]
		for wrong in 3 12; do
			run -2 --separate-stderr "$@" --counts $wrong in
			[[ $stderr == *--counts* ]]
		done
		n=$((n + 1))
	done
	[ $n -ge 5 ]
}
