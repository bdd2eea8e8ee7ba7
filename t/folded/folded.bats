#!/usr/bin/env bats
# folded.bats - what folded(5) promises of reading and writing.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# merged TEXT: what foldmerge makes of it; TEXT is printf's.
merged() {
	# shellcheck disable=SC2059 # escapes are wanted
	printf "$1" | foldmerge "${@:2}"
}

@test "the count is what follows the last blank" {
	run -0 merged 'operator new 3\na b;c d 4\n'
	[ "$output" = $'a b;c d 4\noperator new 3' ]
}

@test "CRLF, a TAB before the count and a missing last LF are read" {
	run -0 merged 'a;b 1\r\na;c\t2\na;d 3'
	[ "$output" = $'a;b 1\na;c 2\na;d 3' ]
}

@test "semicolons at the ends of a stack are dropped" {
	run -0 merged ';a;b; 1\na;b 2\n'
	[ "$output" = 'a;b 3' ]
	run -0 merged ';a;b ;\t; 1\n;;a;b 2\n'
	[ "$output" = 'a;b 3' ]
}

@test "counts of zero are kept" {
	run -0 merged 'a 0\n'
	[ "$output" = 'a 0' ]
}

@test "decimals are rounded half up to six places and added exactly" {
	run -0 merged 'a 0.1\na 0.2\nb 0.0000005\nc 1.9999995\nd 2.500\n'
	[ "$output" = $'a 0.3\nb 0.000001\nc 2\nd 2.5' ]
}

@test "signs, exponents and words are no counts" {
	run -0 --separate-stderr merged 'a 1\nb -1\nc +1\nd 1e3\ne x\nf 0x1\ng 1.2.3\n'
	[ "$output" = 'a 1' ]
	[[ $stderr == *'6 lines skipped, the first: stdin:2: '* ]]
}

@test "a line without a stack or without a count is not understood" {
	run -0 --separate-stderr merged 'a 1\n 2\n;; 3\nabc\n'
	[ "$output" = 'a 1' ]
	[[ $stderr == *'3 lines skipped'* ]]
}

@test "comments and metadata of other tools are skipped" {
	run -0 merged '# a comment 3\n#!x\n#a=b c\na 1\n#key=%%zz\n'
	[ "$output" = 'a 1' ]
}

@test "stacks are sorted by their bytes, the shorter first" {
	printf '%s\n' 'b' 'a;b' 'a' 'a-x' 'a;' 'a;b;c' 'a;b-c' 'a b' 'ab' \
		'A' 'a.x;z' $'\xc3\xa9;x' 'a;b2' | sed 's/;$//' | sort -u |
		shuf --random-source=/dev/zero >stacks
	LC_ALL=C sort stacks >expected
	sed 's/$/ 1/' stacks | foldmerge | sed 's/ 1$//' >sorted
	diff expected sorted
}

@test "control characters and invalid UTF-8 are written as \\xNN" {
	run -0 merged 'a\001b;\033[31m 1\n\377\376;\302\205;\303\251 2\n'
	[ "$output" = $'\\xff\\xfe;\\xc2\\x85;\xc3\xa9 2\na\\x01b;\\x1b[31m 1' ]
}

@test "control characters are escaped at each place of a stack of any length" {
	# shellcheck disable=SC2016 # of awk
	local program='
	function line(before, byte, after) {
		return substr(a, 1, before) byte substr(a, 1, after) " 1"
	}
	BEGIN {
		a = sprintf("%100s", "")
		gsub(/ /, "a", a)
		for (n = 1; n <= 70; n++) {
			for (i = 0; i < n; i++) {
				print line(i, "\001", n - i - 1) >"stacks"
				print line(i, "\177", n - i - 1) >"stacks"
				print line(i, "\377", n - i - 1) >"stacks"
				print line(i, "~", n - i - 1) >"stacks"
				print line(i, "\\x01", n - i - 1)
				print line(i, "\\x7f", n - i - 1)
				print line(i, "\\xff", n - i - 1)
				print line(i, "~", n - i - 1)
			}
		}
	}'
	LC_ALL=C awk "$program" | LC_ALL=C sort >expected
	foldmerge stacks | LC_ALL=C sort >merged
	[ "$(wc -l <merged)" = 9940 ]
	cmp expected merged
}

@test "overlong forms, surrogates and what is beyond U+10FFFF are invalid" {
	run -0 merged '\300\200 1\n\340\200\200 5\n\355\240\200 2\n\364\220\200\200 3\n\342\202 4\n'
	[ "${lines[0]}" = '\xc0\x80 1' ]
	[ "${lines[1]}" = '\xe0\x80\x80 5' ]
	[ "${lines[2]}" = '\xe2\x82 4' ]
	[ "${lines[3]}" = '\xed\xa0\x80 2' ]
	[ "${lines[4]}" = '\xf4\x90\x80\x80 3' ]
}

@test "a first frame never begins with #" {
	run -0 merged ';#a;b 1\n'
	[ "$output" = '\x23a;b 1' ]
}

@test "another version of the format is refused" {
	run -2 --separate-stderr merged '#fold=2\na 1\n'
	[ -z "$output" ]
	[[ $stderr == *'stdin:1: folded text of version 2'* ]]
}

@test "the first stack line decides how many counts there are" {
	run -0 --separate-stderr merged 'a 1 2\nb 3\nc 4 5\n'
	[ "$output" = $'#fold=1;counts=2\na 1 2\nc 4 5' ]
	[[ $stderr == *'1 line skipped'*'stdin:2: one count'* ]]
	run -0 --separate-stderr merged 'a 1\nsort 2 12\n'
	[ "$output" = 'a 1' ]
	[[ $stderr == *'--counts'* ]]
}

@test "--counts and metadata decide before the first line" {
	run -0 merged 'sort 2 12\n' --counts 1
	[ "$output" = 'sort 2 12' ]
	run -0 merged '#fold=1;counts=1\nsort 2 12\nsort 2 1\n'
	[ "$output" = 'sort 2 13' ]
	run -0 merged '#fold=1;counts=2\nsort 2 12\n'
	[ "$output" = $'#fold=1;counts=2\nsort 2 12' ]
}

@test "what is no stack does not decide how many counts there are" {
	run -0 --separate-stderr merged ' 12 34\na 1\nb 2\n'
	[ "$output" = $'a 1\nb 2' ]
	run -0 --separate-stderr merged ';; 34\na 1 2\n'
	[ "$output" = $'#fold=1;counts=2\na 1 2' ]
}

@test "zeros of two counts are kept" {
	run -0 merged 'new 0 5\ngone 5 0\n'
	[ "$output" = $'#fold=1;counts=2\ngone 5 0\nnew 0 5' ]
}

@test "a count beyond 64 bits is an error with its place" {
	run -2 --separate-stderr merged 'a 1\nb 18446744073709551616\n'
	[ -z "$output" ]
	[[ $stderr == *'stdin:2: count beyond 64 bits'* ]]
}

@test "a header discards the keys before it" {
	run -0 merged '#pid=7\n#fold=1;unit=ns\nmain 1\n' --meta
	[ "$output" = $'#fold=1;counts=1;unit=ns\nmain 1' ]
}

@test "a sample does not get what was said of one that is not understood" {
	printf '%s\n' '#fold=1;clock=perf' '#time=1.000000000;tid=5' 'no count' \
		'#time=2.000000000' 'main 1' >stream
	run -0 --separate-stderr foldgrep --stack . stream
	[ "$output" = $'#fold=1;clock=perf\n#time=2.000000000\nmain 1' ]
	# But noise between a sample and its metadata takes nothing away.
	printf '#fold=1\n#time=1.000000000\nnoise\nmain 1\n' >stream
	run -0 --separate-stderr foldgrep --stack . stream
	[ "$output" = $'#fold=1\n#time=1.000000000\nmain 1' ]
}

@test "metadata has at most 256 keys" {
	keys() {
		printf '#fold=1'
		seq "$1" | sed 's/.*/;k&=1/' | tr -d '\n'
		printf '\na 1\n'
	}
	keys 255 >at_most
	run -0 foldmerge at_most
	[ "$output" = 'a 1' ]
	keys 256 >beyond
	run -2 --separate-stderr foldmerge beyond
	[ -z "$output" ]
	[[ $stderr == *'beyond:1: more than 256 keys'* ]]
	# In several lines, too.
	seq 257 | sed 's/.*/#k&=1/' >lines
	run -2 --separate-stderr foldmerge lines
	[[ $stderr == *'lines:257: '* ]]
}

@test "a line of a megabyte and a stack of 100000 frames are no trouble" {
	head -c 1000000 /dev/zero | tr '\0' x >long
	echo ' 1' >>long
	run -0 foldmerge long
	[ ${#output} -eq 1000002 ]
	yes f | head -n 100000 | paste -sd';' | sed 's/$/ 7/' >deep
	foldmerge deep deep >out
	[ "$(tail -c 4 out)" = ' 14' ]
	[ "$(tr -cd ';' <out | wc -c)" -eq 99999 ]
}

@test "what is no folded text at all, its reader is told how it becomes such" {
	local trace="to fold the output of a profiler, use stackcollapse"

	printf 'prog 7 1.0: 1 cycles:\n\t1f main (prog)\n\t2 f (b 3\n\n' >trace
	run -2 --separate-stderr flamegraph - < <(head -n 2 trace)
	[[ $stderr == *"no input could be parsed"*"$trace" ]]
	# Also where a line of it happens to end in a number, but not where
	# most of the input is as it should be.
	run -0 --separate-stderr foldgrep --stack . trace
	[[ $stderr == *"$trace" ]]
	printf 'a 1\nb 1\nc\n' >folded
	run -0 --separate-stderr foldmerge folded
	[ "$stderr" = "foldmerge: 1 line skipped, the first: folded:3: \
no count at the end of the line" ]
	foldmerge -q folded | flamegraph >picture.svg
	run --separate-stderr folddiff picture.svg picture.svg
	[[ $stderr == *"to extract the profile of a flame graph, use unflame" ]]
	run -2 --separate-stderr foldsplit --call f folded
	[[ $stderr == *"to make a stream of samples "* ]]
}
