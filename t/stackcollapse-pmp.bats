#!/usr/bin/env bats
# stackcollapse-pmp.bats - raw traces of stacksample, and counted stacks.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "each trace gives its stacks" {
	golden pmp
}

@test "--samples gives threads their time and ids" {
	run -0 --separate-stderr stackcollapse-pmp --samples "$DATA/pmp/raw.in"
	[[ ${lines[0]} == '#fold=1;'*'clock=monotonic' ]]
	[ "${lines[1]}" = '#time=17996.078371162;pid=4711;tid=4711' ]
}

@test "a stream names code that was told of before, a file also what is later" {
	run -0 stackcollapse-pmp -q --samples "$DATA/pmp/jit.in"
	[ "${lines[2]}" = 'app;LFoo:main;hot 1' ]
	run -0 stackcollapse-pmp -q --samples < <(cat "$DATA/pmp/jit.in")
	[[ ${lines[2]} == 'app;['*'];['*'] 1' ]]
	[ "${lines[4]}" = 'app;LFoo:main;hot 1' ]
}

@test "a line of code that is none is said" {
	local bad

	for bad in '0 x' 'ffffffffffffffff 2 x' '10 10' '10 10 -' 'x 1 y'; do
		printf '%s\n' '#stacksample=1' "J 1 $bad" \
			'S 1 1 1.000000000 R - - a' ' 10' >raw
		run -1 --separate-stderr stackcollapse-pmp --strict raw
		[[ $stderr == *"raw:2: not a line of a raw trace"* ]]
	done
}

@test "--state is a leaf, and is left out without it" {
	run -0 stackcollapse-pmp -q "$DATA/pmp/raw.in"
	[[ $output != *state:* && $output == *'[moving]'* ]]
}

# Its stacks, but for what differs from run to run.
stacks_of() {
	sed 's/ [0-9]*$//' | grep -vF -e 'burn;' -e ';[moving];'
}

same_both_ways() {
	stacksample -q -p "$1" -F 50 -d 0.5 >"$target.raw" || return 1
	stacksample -q -p "$1" -F 50 -d 0.5 --folded --state >"$target.folded"
	stackcollapse-pmp --state "$target.raw" | stacks_of >"$target.a"
	foldmerge "$target.folded" | stacks_of >"$target.b"
	diff -u "$target.a" "$target.b" &&
		grep -q 'lock_here;.*state:lock' "$target.a"
}

@test "what stacksample wrote and what it folds itself are the same" {
	local target=$BATS_TEST_TMPDIR/target pid same=yes

	"$top_builddir/t/programs/threads" >"$target" &
	pid=$!
	disown
	until grep -qs ready "$target"; do sleep 0.01; done
	stacksample -q -p $pid -d 0.1 >"$target.raw" || {
		kill -KILL $pid
		skip "no right to look at processes"
	}
	again same_both_ways $pid || same=no
	kill -KILL $pid
	[ $same = yes ]
}

@test "a program that was deleted has names as long as it runs" {
	local pid

	cp "$top_builddir/t/programs/threads" gone
	./gone >ready &
	pid=$!
	disown
	until grep -qs ready ready; do sleep 0.01; done
	rm gone
	[ -e "/proc/$pid/map_files" ] && [ "$(id -u)" -eq 0 ] ||
		skip "only root may open what processes map"
	stacksample -q -p $pid -F 20 -d 0.5 >raw || {
		kill -KILL $pid
		skip "no right to look at processes"
	}
	stackcollapse-pmp raw >folded
	kill -KILL $pid
	grep -q lock_here folded
	run ! grep -F '[gone]' folded
}

@test "a stack that has lost its second line is said, and no other is lost" {
	grep -v '^ 55e61fb57180' "$DATA/pmp/raw.in" >"$BATS_TEST_TMPDIR/raw"
	run -1 --separate-stderr stackcollapse-pmp --strict --samples \
		"$BATS_TEST_TMPDIR/raw"
	[[ $stderr == *"raw:8: not a line of a raw trace"* ]]
	[ "$(grep -c '^#time' <<<"$output")" -eq 5 ]
}

@test "a percent sign without digits is one" {
	sed 's/my%20server/%zz%/' "$DATA/pmp/raw.in" >"$BATS_TEST_TMPDIR/raw"
	run -0 stackcollapse-pmp -q "$BATS_TEST_TMPDIR/raw"
	[[ $output == *"%zz%;[server]"* ]]
}

@test "another version of raw traces is status 2" {
	run -2 --separate-stderr stackcollapse-pmp <<<'#stacksample=3;hz=1'
	[[ $stderr == *"version 3"* ]]
}

numbered() {
	printf '%s\n' '#stacksample=2;clock=monotonic;hz=1' 'P 7 1 demo' \
		'F 0 python f a.py' 'F 1 python g a.py' 'K 0 @0 @1:3' \
		'S 7 7 1.000000000 S read - demo id=0' ' #0' \
		'S 7 8 1.000000001 S futex - two id=1 as=lock by=7' ' #0 ^' \
		'S 7 9 1.000000002 R - - three id=2 new=word' ' @1 !' '' \
		'= 2.000000000 0-2' '' 'K 0 @1' '= 3.000000000 0 2' "$@"
}

@test "stacks have numbers, and samples that are as before are repeated" {
	run -0 stackcollapse-pmp -q --state <<<"$(numbered)"
	[ "$output" = "\
demo;g (a.py);f (a.py);state:read 2
demo;g (a.py);state:read 1
three;[truncated];g (a.py);state:running 3
two;g (a.py);f (a.py);state:lock 2" ]
	run -0 stackcollapse-pmp -q --samples --tid <<<"$(numbered)"
	[[ $output == *$'\n#time=2.000000000;'*$'\ntwo-7/8;'* ]]
	[ "$(grep -c '^#time=' <<<"$output")" -eq 8 ]
}

@test "numbers that nothing has are said, and cost nothing" {
	local line

	for line in '= 4.000000000 9' '= 4.000000000 1-18446744073709551615' \
		'= 4.000000000 1-0-2' '= 4 0' '= 4.000000000 x' \
		'K x @0' $'S 7 7 5.000000000 S read - demo\n #9' \
		$'S 7 7 5.000000000 S read - demo id=x\n #0'; do
		run -0 --separate-stderr timeout 10 stackcollapse-pmp \
			<<<"$(numbered "$line")"
		[[ $stderr == *' skipped'* ]]
		[[ $output == *'demo;g (a.py);f (a.py) 2'* ]]
	done
	# Only what is in the trace is repeated.
	run -0 --separate-stderr stackcollapse-pmp \
		<<<"$(numbered '= 4.000000000 1-18446744073709551615')"
	[[ $output == *'two;g (a.py) 1'* ]]
}

@test "a list that goes on growing is counted once" {
	run -0 stackcollapse-pmp -q "$DATA/pmp/knielsen-list.in"
	[[ $output == *';main;pause 10'* ]]
}

@test "what the script counts is what it was to count, by functions" {
	stackcollapse-pmp -q "$DATA/pmp/awk.in" >counted
	[ "$(grep -c 'run;step;' counted)" -eq 2 ]
	[ "$(awk '{ n += $NF } END { print n }' counted)" -eq 12 ]
}

@test "a bracket that never closes is none" {
	run -0 --separate-stderr stackcollapse-pmp -q <<-'END'
	      2 std::pair<int,int>::operator<,std::map<int,f(int,char),main
	END
	[ "$output" = "main;f;std::map<int;std::pair<int,int>::operator< 2" ]
}

@test "shares of a tree are those of functions without what they call" {
	printf '%s\n' 'Thread: 1 (a) - 8 samples' '' '+ 100.00% main' \
		' + 62.50% f' ' |+ 25.00% g' ' + 12.50% ???' >in
	run -0 --separate-stderr stackcollapse-pmp in
	[ "$output" = "a;main 2
a;main;[unknown] 1
a;main;f 3
a;main;f;g 2" ]
}

@test "a name that is nothing but arguments is none" {
	printf '%s\n' 'Thread: 1 (a) - 1 samples' '+ 100.00%  (int)' >in
	run -0 stackcollapse-pmp -q in
	[ "$output" = "a;[unknown] 1" ]
}

@test "text of no poor man's profiler is status 2" {
	run -2 --separate-stderr stackcollapse-pmp <<<'gdb: command not found'
	[[ $stderr == *"stdin:1: not a stack of a poor man's profiler"* ]]
}

@test "stackcollapse knows raw traces, and what poor man's profilers print" {
	local in

	for in in "$DATA"/pmp/*.in; do
		run -0 stackcollapse --which "$in"
		echo "# $in: $output"
		[ "$output" = stackcollapse-pmp ]
	done
}
