#!/usr/bin/env bats
# folddiff.bats - what folddiff(1) promises.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'a 2' 'a;b 1' 'c 0.25' >x
	printf '%s\n' 'a;b 10' 'c 0.75' 'd 0.5' >y
}

# lines COMMAND...: what it prints, without metadata.
lines() {
	"$@" | grep -v '^#'
}

# made SEED: a sorted profile of a few hundred stacks, with names that sort
# otherwise than their frames, and the same for the same seed.
made() {
	awk -v x="$1" 'BEGIN {
		n = split("a|a b|a!|a;|ab|b|b.c|B|~|0", name, "|")
		for (i = 0; i < 400; i++) {
			stack = ""
			x = (x * 16807) % 2147483647
			for (depth = 1 + x % 5; depth > 0; depth--) {
				x = (x * 16807) % 2147483647
				stack = stack (stack == "" ? "" : ";") \
					name[1 + int(x / 1000) % n]
			}
			x = (x * 16807) % 2147483647
			print stack, int(x / 1000) % 50
		}
	}' | foldmerge
}

# total COLUMN: the sum of a column of whole counts, exact in 2^53.
total() {
	grep -v '^#' | awk -v back="$1" '{ n += $(NF - 2 + back) }
		END { printf "%d\n", n }'
}

@test "each stack has its counts before and after, exactly and sorted" {
	run -0 folddiff --no-test x y
	[ "${lines[0]}" = '#fold=1;counts=2' ]
	[ "$(printf '%s\n' "${lines[@]:1}")" = \
		$'a 2 0\na;b 1 10\nc 0.25 0.75\nd 0 0.5' ]
}

@test "sorted files in one pass give what reading them whole gives" {
	local i

	for i in 1 2 3 4; do
		made $i >l
		made $((i + 1)) >r
		folddiff --no-test l r >pass
		cmp pass <(folddiff --no-test --unsorted l r)
		cmp pass <(folddiff --no-test <(cat l) r)
		shuf --random-source=l l >shuffled
		cmp pass <(folddiff --no-test shuffled r)
		cmp <(folddiff --no-test -b l -b r -a r -a l) \
			<(folddiff --no-test --unsorted -a r -b l -b r -a l)
		LC_ALL=C sort -c <(sed 's/ [0-9]* [0-9]*$//; /^#/d' pass)
	done
}

@test "the sums of the columns are those of the inputs" {
	made 7 >l
	made 8 >r
	[ "$(folddiff l r | total 1)" -eq "$(awk '{ n += $NF } END { print n }' l)" ]
	[ "$(folddiff l r | total 2)" -eq "$(awk '{ n += $NF } END { print n }' r)" ]
}

@test "-n gives both columns the same total" {
	local i

	for i in 1 2 3 4 5; do
		made $i >l
		made 9$i >r
		[ "$(folddiff -n l r | total 1)" -eq "$(folddiff l r | total 2)" ]
		cmp <(folddiff -n l r | awk '{ print $NF }') \
			<(folddiff l r | awk '{ print $NF }')
	done
	run -0 lines folddiff -n x y
	[ "$output" = $'a 6.923077 0\na;b 3.461538 10\nc 0.865385 0.75\nd 0 0.5' ]
	printf 'a 1\nb 1\nc 1\n' >l
	printf 'a 5\n' >r
	run -0 lines folddiff -n l r
	[ "$output" = $'a 2 5\nb 2 0\nc 1 0' ]
}

@test "--unit gives both columns a total of choice" {
	made 1 >l
	made 2 >r
	[ "$(folddiff --unit 1000000 l r | total 1)" -eq 1000000 ]
	[ "$(folddiff --unit 1000000 l r | total 2)" -eq 1000000 ]
}

@test "large counts are scaled exactly" {
	printf 'a 18446744073709551614\nb 1\n' >l
	printf 'a 9223372036854775807\n' >r
	run -0 lines folddiff -n l r
	[ "$output" = $'a 9223372036854775807 9223372036854775807\nb 0 0' ]
	printf 'a 18446744073709551614.5\n' >l
	run -2 --separate-stderr folddiff -n l r
	[[ $stderr == *'too large to be scaled'* ]]
}

@test "-s makes hexadecimal numbers equal" {
	printf 'm;0x7f12;0x 1\n' >l
	printf 'm;0xABCg;0x 2\nm;0x9;0x 4\n' >r
	run -0 lines folddiff -s l r
	[ "$output" = $'m;0x...;0x 1 4\nm;0x...g;0x 0 2' ]
}

@test "merging and then comparing is comparing what was not merged" {
	local i

	for i in 1 2 3 4 5 6; do
		made $i >p$i
	done
	foldmerge p1 p2 p3 >l
	foldmerge p4 p5 p6 >r
	folddiff --no-test l r >merged
	cmp merged <(folddiff --no-test -b p1 -b p2 -b p3 -a p4 -a p5 -a p6)
	cmp merged <(folddiff --no-test -a p6 -b p3 -b p1 -a p5 -a p4 -b p2)
	cmp merged <(folddiff --no-test --unsorted -b p1 -b p2 -b p3 -a p4 \
		-a p5 -a p6)
	cmp merged <(folddiff --no-test merged)
	cmp merged <(folddiff --no-test <merged)
}

@test "fixtures of inferno give the same lines, sorted" {
	local dir=$SHARED/fixtures/inferno/diff-folded

	need_shared fixtures/inferno/diff-folded
	cmp <(sort "$dir/results/default.txt") \
		<(lines folddiff "$dir/before.txt" "$dir/after.txt")
	cmp <(sort "$dir/results/strip_hex.txt") \
		<(lines folddiff -s "$dir/before.txt" "$dir/after.txt")
	# Theirs rounds each count down, and loses decimals.
	[ "$(total 1 <"$dir/results/normalize.txt")" -eq 76 ]
	[ "$(folddiff -n "$dir/before.txt" "$dir/after.txt" | total 1)" -eq 80 ]
	cmp <(sort "$dir/results/fractionals.txt") \
		<(lines folddiff "$dir/before_fractionals.txt" "$dir/after.txt" |
			sed 's/\.[0-9]* / /')
	run -0 --separate-stderr folddiff "$dir/bad_before.txt" "$dir/after.txt"
	[[ $stderr == *'bad_before.txt:3: no count'* ]]
	run -2 folddiff --strict "$dir/bad_before.txt" "$dir/after.txt"
}

@test "metadata on which all agree stay" {
	printf '#fold=1;unit=ns;event=e;quantum=5;n=1;host=h;time=1\na 5\n' >l
	printf '#fold=1;unit=ns;event=e;quantum=6;n=1;time=1\na 6\n' >r
	run -0 folddiff --no-test l r
	[ "${lines[0]}" = '#fold=1;counts=2;event=e;unit=ns' ]
	run -0 folddiff --no-test --unsorted l r
	[ "${lines[0]}" = '#fold=1;counts=2;event=e;unit=ns' ]
	printf '#fold=1;unit=bytes\na 6\n' >r
	run -2 --separate-stderr folddiff --no-test l r
	[[ $stderr == *'counts in ns cannot be compared with bytes'* ]]
	run -2 folddiff l r
}

@test "a snapshot that was cut off does not count" {
	printf '#fold=1;time=1.000000000;dur=1.000000000\na 1\n\n' >l
	cp l r
	printf '#fold=1;time=2.000000000;dur=1.000000000\na 2\n' >>r
	run -0 --separate-stderr folddiff --no-test l r
	[ "${lines[1]}" = 'a 1 1' ]
	[[ $stderr == *'r: the last snapshot is cut off'* ]]
}

@test "counts beyond 64 bits are status 2" {
	printf 'a 18446744073709551615\na 1\n' >l
	for option in '' --no-test --unsorted; do
		run -2 --separate-stderr folddiff ${option:+"$option"} l y
		[[ $stderr == *'more than 64 bits'* ]]
	done
}

@test "disorder is found out, late as well" {
	awk 'BEGIN { for (i = 100000; i < 200000; i++) print "stack;" i, 1
		print "a 1" }' >l
	run -2 --separate-stderr bash -c 'folddiff --no-test l y >/dev/null'
	[[ $stderr == *'l is sorted at its start and not later'* ]]
	run -0 lines folddiff --no-test --unsorted l y
	[ "${lines[0]}" = 'a 1 0' ]
}

@test "what makes no two sides is status 2" {
	run -2 folddiff x y x
	run -2 folddiff -b x -b y
	run -2 folddiff -b x y
	run -2 --separate-stderr folddiff x
	[[ $stderr == *'x:1: 1 counts a line, not 2'* ]]
}
