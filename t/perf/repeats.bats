#!/usr/bin/env bats
# repeats.bats - stackcollapse-perf finds whole stacks again by the bytes of
# their lines.  Text with CR at the ends of lines has no blank line to find, so
# it is read line by line: both must give the same.

load ../helper

# by_lines FILE: the same text, for which stacks are not looked up.
by_lines() {
	sed 's/$/\r/' "$1" >"$1.crlf"
}

# same FILE ARGUMENT...
same() {
	local file=$1

	shift
	by_lines "$file"
	stackcollapse-perf --threads 1 "$@" "$file" >"$file.out" 2>"$file.err"
	stackcollapse-perf --threads 1 "$@" "$file.crlf" >"$file.crlf.out" \
		2>"$file.crlf.err"
	cmp "$file.out" "$file.crlf.out"
	diff "$file.err" <(sed 's/\.crlf//' "$file.crlf.err")
	[ -s "$file.out" ]
}

# samples N VARIANTS: samples of some threads, in no order.  Two stacks of each
# variant differ in one byte, and have equal first and last lines.
samples() {
	awk -v n="$1" -v variants="$2" 'BEGIN {
		x = 1
		for (i = 0; i < n; i++) {
			x = (x * 16807) % 2147483647
			v = x % variants
			comm = substr("java  work  other job-1 jdba  ", \
				      1 + 6 * (int(x / 7) % 5), 6)
			printf "%s 7 %d.%06d: %d cycles: \n", comm, \
				i / 1000, i * 13 % 1000000, 1 + x % 3
			print "\t          401000 leaf+0x0 (/bin/x)"
			printf "\t          40%04x v%d.%c+0x1 (/bin/x)\n", \
				v, v, int(x / 2) % 2 ? "a" : "b"
			printf "\t    7f%010x Lorg/A;::run+0x2 (/lib/y)\n", v
			print "\t          402000 main+0x9 (/bin/x)\n"
		}
	}'
}

@test "equal stacks of several processes, and of Java" {
	samples 3000 5 >"$BATS_TEST_TMPDIR/text"
	same "$BATS_TEST_TMPDIR/text"
	[ "$(grep -c '^java;' "$BATS_TEST_TMPDIR/text.out")" = 10 ]
	same "$BATS_TEST_TMPDIR/text" --tid
	# One root, but names of two kinds.
	same "$BATS_TEST_TMPDIR/text" --root none
	grep -q 'org.A' "$BATS_TEST_TMPDIR/text.out"
	same "$BATS_TEST_TMPDIR/text" --samples
	same "$BATS_TEST_TMPDIR/text" --addrs --count samples
}

@test "more stacks than the cache has places, then few again" {
	{
		samples 12000 9000
		samples 12000 40
		samples 12000 20000
	} >"$BATS_TEST_TMPDIR/text"
	same "$BATS_TEST_TMPDIR/text"
}

@test "the cache is full while it finds stacks" {
	awk 'BEGIN {
		for (group = 0; group < 80; group++)
			for (round = 0; round < 4; round++)
				for (i = 0; i < 300; i++) {
					stack(1000 + group * 300 + i)
					if (i % 3 == 0)
						stack(i)
				}
	}
	function stack(n) {
		print "x 7 1.000001: 5 cycles: "
		print "\t          401000 leaf+0x0 (/bin/x)"
		printf "\t    40%010x f%d+0x1 (/bin/x)\n", n, n
		print "\t          402000 main+0x9 (/bin/x)\n"
	}' >"$BATS_TEST_TMPDIR/text"
	same "$BATS_TEST_TMPDIR/text"
}

@test "heads that are no heads, and lines that are no frames, repeat" {
	samples 400 2 | awk '
	{ print }
	/main/ && ++n % 7 == 0 { print "no frame" }
	/leaf/ && n % 11 == 3 { print "\tno frame either" }
	/^$/ && n % 5 == 0 {
		print "\n# a comment\n\n\n"
		print "x 1 1.0: PERF_RECORD_MMAP2 1/1: [0x1(0x1) @ 0]: r-xp x\n"
		print "\t 40100 outside+0x1 (/bin/x)\n"
		print "huge 7 1.0: 99999999999999999999 cycles: "
		print "\t          402000 main+0x9 (/bin/x)\n"
	}' >"$BATS_TEST_TMPDIR/text"
	same "$BATS_TEST_TMPDIR/text"
}

@test "times and periods of a head that differs in them only" {
	local time period
	local -a times=(1.000001 2.654321 99.999999 10.000000 1234567.900009
		7654321.012345 12345678.123456 87654321.000000
		123456789.123456 987654321.654321 1.000000001 3.123456789
		1.25 9.75)

	cd "$BATS_TEST_TMPDIR"
	for time in "${times[@]}"; do
		printf 'a 7 %s: 5 cycles: \n\t401 f+0x1 (/b/x)\n\n' "$time"
	done >text
	for time in "${times[@]}"; do
		period=${time#*.}000000000
		echo "${time%.*}.${period:0:9}"
	done >expected
	stackcollapse-perf --samples text |
		sed -n 's/^#time=\([^;]*\).*/\1/p' >got
	cmp got expected
	for period in 5 5 77 1000000 4294967296 3 00; do
		printf 'a 7 1.000000: %s cycles: \n\t401 f (/b/x)\n\n' "$period"
	done >text
	[ "$(stackcollapse-perf text)" = "a;f 4295967387" ]
	printf 'a 7 1.00000x: 5 cycles: \n\t401 f (/b/x)\n\n' >>text
	same text
}

@test "every frame outside of a sample is reported" {
	cd "$BATS_TEST_TMPDIR"
	printf 'a 7 1.0: 5 cycles: \n\t401 f (/b/x)\n\n' >text
	printf '\t401 f (/b/x)\n\t401 f (/b/x)\n\n\t401 f (/b/x)\n' >>text
	run -0 --separate-stderr stackcollapse-perf text
	[[ $stderr == *'3 lines skipped'*':4: a frame outside of a sample'* ]]
	[ "$output" = 'a;f 5' ]
}
