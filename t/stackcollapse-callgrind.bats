#!/usr/bin/env bats
# stackcollapse-callgrind.bats - the reader of traces of callgrind.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

bytes() {
	local part=part.$BASHPID

	cat >"$part"
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3 | 2)) \
		"$(wc -c <"$part")")"
	cat "$part"
}

@test "callgrind: self cost of functions, and calls" {
	golden callgrind
}

@test "callgrind: without --self or --calls it says that there are no stacks" {
	run -0 --separate-stderr stackcollapse-callgrind \
		"$DATA/callgrind/prog.in"
	[ "$output" = "$(cat "$DATA/callgrind/prog.folded")" ]
	[[ $stderr == *"the file has no stacks"* ]]
}

@test "callgrind: numbers may be hexadecimal, with more blanks between" {
	cat >p <<-'END'
	# callgrind format
	events: Ir  Dr
	fn=(1) main
	1 0x10  5
	+1   7
	END
	run -0 stackcollapse-callgrind --self p
	[ "$output" = "main 23" ]
	run -0 stackcollapse-callgrind --self --cost Dr p
	[ "$output" = "main 5" ]
}

@test "callgrind: costs stand behind as many positions as the file says" {
	cat >p <<-'END'
	# callgrind format
	positions: instr bb line
	events: Ir Dr
	fn=(1) main
	0x400 0x3f0 10 5 2
	+4 * +1 7
	cfn=(2) f
	calls=1 0x500 0x500 20
	* * * 30 3
	positions: bb line
	fn=(2)
	0x500 20 25
	END
	run -0 --separate-stderr stackcollapse-callgrind --self p
	[ "$output" = "f 25
main 12" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-callgrind --calls p
	[ "$output" = "main;f 30" ]
}

@test "callgrind: callers that names have are a stack" {
	cat >p <<-'END'
	# callgrind format
	creator: callgrind-3.19.0
	events: Ir
	fn=(1) fib'main'(below main)
	1 5
	cfn=(2) fib'2'main'(below main)
	calls=2 1
	1 40
	fn=(2)
	1 40
	fn=(3) <&'a T as for<'b> U<'b>>::f'0x1120
	1 7
	fn=(4) std::optional<int>::value() const &'main
	1 2
	END
	run -0 --separate-stderr stackcollapse-callgrind p
	[ "$output" = "(below main);main;fib 45
0x1120;<&a T as for<b> U<b>>::f 7
main;std::optional<int>::value 2" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-callgrind --calls p
	[ "$output" = "fib;fib 40" ]
	# of others, a quote is one
	sed -i 's/^creator.*/creator: others/' p
	run -0 stackcollapse-callgrind -q p
	[ "${lines[0]}" = "<&a T as for<b> U<b>>::f0x1120 7" ]
}

@test "callgrind: a call of a function that is not there is not understood" {
	printf 'events: Ir\nfn=(1) a\n1 5\ncfn=(2) b\ncalls=1 1\n1 7\ncfn=(3)\n%s' \
		$'calls=1 1\n1 9\n' >p
	run -1 --separate-stderr stackcollapse-callgrind --strict --calls p
	[ "$output" = "a;b 7" ]
	[[ $stderr == *"2 lines skipped, the first: p:7:"* ]]
}

@test "callgrind: methods of PHP, as Xdebug writes them, are one frame" {
	cat >p <<-'END'
	version: 1
	creator: xdebug 3.4.0 (PHP 8.3.1)
	events: Time_(10ns) Memory_(bytes)

	fl=(1) /srv/a.php
	fn=(1) App\Foo->bar
	3 5 0
	END
	run -0 stackcollapse-callgrind --self p
	[ "$output" = 'App\Foo->bar 5' ]
}
