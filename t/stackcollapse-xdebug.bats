#!/usr/bin/env bats
# stackcollapse-xdebug.bats - the reader of traces of xdebug.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "xdebug: each trace gives its stacks" {
	golden xdebug
}

@test "xdebug: time is counted once, and not backwards" {
	printf 'TRACE START [2026]\n1\t0\t0\t%s\t9\tf\n' 0.000010 >trace
	printf '2\t1\t0\t%s\t9\tg\n2\t1\t1\t%s\t9\n1\t0\t1\t%s\t9\n' \
		0.000005 0.000015 0.000020 >>trace
	run -1 --separate-stderr stackcollapse-xdebug --strict trace
	[ "$output" = "f 5000
f;g 5000" ]
	[[ $stderr == *"trace:3: a time is less than the one before"* ]]
}

@test "xdebug: the format for people is refused, and says what to set" {
	cat >trace <<-'END'
	TRACE START [2026-11-22 11:20:05.179413]
	    0.0004     399816   -> {main}() /srv/a.php:0
	    0.0007     399840     -> App\Foo->bar($n = 2) /srv/a.php:7
	    0.0100     391256
	TRACE END   [2026-11-22 11:20:05.189509]
	END
	run -2 --separate-stderr stackcollapse-xdebug trace
	[ -z "$output" ]
	[[ $stderr == *"3 lines skipped, the first: trace:2: another trace format; set xdebug.trace_format=1"* ]]
	run -2 --separate-stderr stackcollapse trace
	[[ $stderr == *"set xdebug.trace_format=1"* ]]
}

# The first did not end.
@test "xdebug: traces of several requests in a file" {
	{
		printf 'TRACE START [2026]\n1\t0\t0\t0.5\t9\tf\n'
		printf '2\t1\t0\t0.500001\t9\tg\n'
		printf 'TRACE START [2026]\n1\t0\t0\t0.1\t9\tf\n'
		printf '1\t0\t1\t0.100002\t9\nTRACE END [2026]\n'
	} >trace
	run -0 --separate-stderr stackcollapse-xdebug trace
	[ "$output" = "f 3000
f;g 0" ]
}
