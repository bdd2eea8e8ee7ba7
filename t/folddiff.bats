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

# A profile without its title, which names files.
untitled() {
	sed '1s/;title=[^;]*//'
}

@test "each stack has its counts before and after, exactly and sorted" {
	run -0 folddiff --no-test x y
	[ "${lines[0]}" = '#fold=1;counts=2;title=x%20%E2%86%92%20y' ]
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
		cmp <(untitled <pass) <(folddiff --no-test <(cat l) r)
		shuf --random-source=l l >shuffled
		cmp <(untitled <pass) \
			<(folddiff --no-test shuffled r | untitled)
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
	run -0 lines folddiff -q -n x y
	[ "$output" = $'a 6.923077 0\na;b 3.461538 10\nc 0.865385 0.75\nd 0 0.5' ]
	printf 'a 1\nb 1\nc 1\n' >l
	printf 'a 5\n' >r
	run -0 lines folddiff -q -n l r
	[ "$output" = $'a 2 5\nb 2 0\nc 1 0' ]
}

@test "--unit gives both columns a total of choice" {
	made 1 >l
	made 2 >r
	[ "$(folddiff --unit 1000000 l r | total 1)" -eq 1000000 ]
	[ "$(folddiff --unit 1000000 l r | total 2)" -eq 1000000 ]
}

@test "what metadata say of counts is not said of scaled ones" {
	printf '#fold=1;event=wall;quantum=5;unit=ns\na 5\nb 5\n' >l
	printf '#fold=1;event=wall;quantum=5;unit=ns\na 10\nb 15\n' >r
	run -0 folddiff -q --no-test l r
	[ "${lines[0]}" = '#fold=1;counts=2;event=wall;quantum=5;title=l%20%E2%86%92%20r;unit=ns' ]
	run -0 folddiff -q --no-test -n l r
	[ "${lines[0]}" = '#fold=1;counts=2;event=wall;title=l%20%E2%86%92%20r;unit=ns' ]
	run -0 folddiff -q --no-test --unit 100 l r
	[ "${lines[0]}" = '#fold=1;counts=2;event=wall;title=l%20%E2%86%92%20r' ]
	[ "${lines[1]}" = 'a 50 40' ]
}

@test "large counts are scaled exactly" {
	printf 'a 18446744073709551614\nb 1\n' >l
	printf 'a 9223372036854775807\n' >r
	run -0 lines folddiff -q -n l r
	[ "$output" = $'a 9223372036854775807 9223372036854775807\nb 0 0' ]
	printf 'a 18446744073709551614.5\n' >l
	run -2 --separate-stderr folddiff -n l r
	[[ $stderr == *'too large to be scaled'* ]]
}

@test "-s makes hexadecimal numbers equal" {
	printf 'm;0x7f12;0x 1\n' >l
	printf 'm;0xABCg;0x 2\nm;0x9;0x 4\n' >r
	run -0 lines folddiff -q -s l r
	[ "$output" = $'m;0x...;0x 1 4\nm;0x...g;0x 0 2' ]
}

@test "merging and then comparing is comparing what was not merged" {
	local i

	for i in 1 2 3 4 5 6; do
		made $i >p$i
	done
	foldmerge p1 p2 p3 >l
	foldmerge p4 p5 p6 >r
	folddiff --no-test l r | untitled >merged
	cmp merged <(folddiff --no-test -b p1 -b p2 -b p3 -a p4 -a p5 -a p6)
	cmp merged <(folddiff --no-test -a p6 -b p3 -b p1 -a p5 -a p4 -b p2)
	cmp merged <(folddiff --no-test --unsorted -b p1 -b p2 -b p3 -a p4 \
		-a p5 -a p6)
	cmp merged <(folddiff --no-test merged)
	cmp merged <(folddiff --no-test <merged)
}

@test "the title names one file a side, unless it has a title or no name" {
	mkdir old new
	printf 'a 1\n' | tee l old/p >new/p
	printf '#fold=1;title=T\na 2\n' | tee r1 >r2
	title() {
		folddiff -q "$@" | sed -n '1s/.*;title=\([^;]*\).*/\1/p'
	}
	[ "$(title --no-test l old/p)" = 'l%20%E2%86%92%20p' ]
	[ "$(title --no-test --unsorted old/p new/p)" = 'old/p%20%E2%86%92%20new/p' ]
	[ "$(title r1 r2)" = T ]
	[ -z "$(title - l <old/p)" ]
	[ -z "$(title -b l -b l -a old/p -a new/p)" ]
	folddiff -q old/p l | flamegraph |
		grep -qF '>p → l</text>'
	cp l '<b>&"'
	folddiff -q l '<b>&"' | flamegraph | xmllint --noout -
}

@test "metadata on which all agree stay" {
	printf '#fold=1;unit=ns;event=e;quantum=5;n=1;host=h;time=1\na 5\n' >l
	printf '#fold=1;unit=ns;event=e;quantum=6;n=1;time=1\na 6\n' >r
	run -0 folddiff --no-test l r
	[ "${lines[0]}" = '#fold=1;counts=2;event=e;title=l%20%E2%86%92%20r;unit=ns' ]
	run -0 folddiff --no-test --unsorted l r
	[ "${lines[0]}" = '#fold=1;counts=2;event=e;title=l%20%E2%86%92%20r;unit=ns' ]
	printf '#fold=1;unit=bytes\na 6\n' >r
	run -2 --separate-stderr folddiff --no-test l r
	[[ $stderr == *'l counts ns, and r counts bytes: they cannot be compared'* ]]
	run -2 folddiff l r
}

@test "a snapshot that was cut off does not count" {
	printf '#fold=1;time=1.000000000;dur=1.000000000\na 1\n\n' >l
	cp l r
	printf '#fold=1;time=2.000000000;dur=1.000000000\na 2\n' >>r
	run -0 --separate-stderr folddiff --no-test l r
	[ "${lines[1]}" = 'a 1 1' ]
	[[ $stderr == *'r: dropped the last snapshot'* ]]
}

@test "counts beyond 64 bits are status 2" {
	printf 'a 18446744073709551615\na 1\n' >l
	for option in '' --no-test --unsorted; do
		run -2 --separate-stderr folddiff ${option:+"$option"} l y
		[[ $stderr == *'64 bits'* ]]
	done
}

@test "disorder is found out, late as well" {
	awk 'BEGIN { for (i = 100000; i < 200000; i++) print "stack;" i, 1
		print "a 1" }' >l
	run -2 --separate-stderr bash -c 'folddiff --no-test l y >/dev/null'
	[[ $stderr == *'l:'*': it is not sorted, though its first part was sorted'* ]]
	run -0 lines folddiff --no-test --unsorted l y
	[ "${lines[0]}" = 'a 1 0' ]
}

@test "what makes no two sides is status 2" {
	run -2 folddiff x y x
	run -2 folddiff -b x -b y
	run -2 folddiff -b x y
	run -2 --separate-stderr folddiff x
	[[ $stderr == *'x: one profile has one side'* ]]
}

@test "rates and shares are below 1, numbers of the test above 0" {
	for option in --fdr=5 --fdr=100% --min-share=1 --min-share=150% --phi=0 \
		--quantum=0 --quantum=1.5; do
		run -2 --separate-stderr folddiff "$option" --report x y
		[[ -z $output && $stderr == *"${option%=*} must be "* ]]
	done
	folddiff --fdr 5% --min-share 0.5 --min-effect 2 --report x y
}

# runs NAME N [SCALE STACK]...: files NAME1..N, runs of 4000 samples or so of a
# program with twenty functions of different shares, the share of some scaled.
runs() {
	local name=$1 n=$2 i

	shift 2
	for ((i = 1; i <= n; i++)); do
		change="$*" \
			awk -v x=$((i * 7919 + $(cksum <<<"$name" | cut -d ' ' -f 1) % 100000)) '
		function uniform() {
			x = (x * 16807) % 2147483647
			return x / 2147483647
		}
		BEGIN {
			split(ENVIRON["change"], word, " ")
			for (i = 1; i <= 20; i++) {
				stack[i] = "main;run" int(i / 5) ";f" i
				share[i] = i
			}
			for (i = 1; (i + 1) in word; i += 2) {
				found = 0
				for (k = 1; k in stack; k++)
					if (stack[k] == word[i + 1]) {
						share[k] *= word[i]
						found = 1
					}
				if (!found) {
					stack[k] = word[i + 1]
					share[k] = word[i]
				}
			}
			for (i = 0; i < 20; i++)
				uniform()
			for (k = 1; k in stack; k++)
				for (i = 0; i < share[k] * 60; i++)
					count[k] += uniform() < 1 / 3
			for (k in count)
				if (count[k] > 0)
					print stack[k], count[k]
		}' | foldmerge >"$name$i"
	done
}

# sides BEFORE AFTER N: the options for N runs of each.
sides() {
	local i

	for ((i = 1; i <= $3; i++)); do
		printf -- '-b %s%d -a %s%d ' "$1" $i "$2" $i
	done
}

# found FILE: class and name of each change in a report of tsv.
found() {
	tail -n +2 "$1" | awk -F '\t' '{ print $2, $12 }' | sort
}

@test "equal runs differ everywhere, and nothing of it is found" {
	runs old 5
	runs new 5
	# shellcheck disable=SC2046 # words
	folddiff $(sides old new 5) >out
	[ "$(head -n 1 out)" = '#fold=1;counts=2;test=1' ]
	[ "$(grep -c '^#' out)" -eq 1 ]
	[ "$(awk '/^m/ && $2 != $3' out | wc -l)" -ge 15 ]
	# shellcheck disable=SC2046
	run -0 folddiff --fail-on any --report $(sides old new 5)
	[[ $output == *'nothing changed beyond noise'* ]]
}

@test "what changed is found, blamed and painted, and nothing else" {
	runs old 5
	runs new 5 1.5 'main;run2;f12'
	# shellcheck disable=SC2046
	run -1 folddiff --fail-on up --report=tsv $(sides old new 5)
	printf '%s\n' "$output" >tsv
	[ "$(found tsv)" = $'up f12\nup main;run2;f12' ]
	# shellcheck disable=SC2046
	folddiff $(sides old new 5) >out
	[[ $(sed -n 2p out) == '#node=main%3Brun2%3Bf12;class=up;lo='* ]]
	[ "$(grep -c '^#' out)" -eq 2 ]
	flamegraph out >out.svg
	grep -q 'verdicts&quot;:\[\[.*&quot;up&quot;' out.svg
	# shellcheck disable=SC2046
	run -0 folddiff --fail-on down --report $(sides old new 5)
	# shellcheck disable=SC2046
	run -1 folddiff --fail-on down --report $(sides new old 5)
	# shellcheck disable=SC2046
	run -0 folddiff --min-effect 90% --fail-on any $(sides old new 5)
	# shellcheck disable=SC2046
	run -0 folddiff --min-share 15% --fail-on any $(sides old new 5)
}

@test "the weight of a sample makes no difference" {
	local i

	runs old 3
	runs new 3 1.6 'main;run2;f12'
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides old new 3) >one
	for i in old1 old2 old3 new1 new2 new3; do
		awk '{ $2 *= 1001001; print }' $i >ns$i
	done
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides nsold nsnew 3) >ns
	cmp one ns
	sed 's/ / 1/' old1 >weights
	folddiff --phi 1 --report=tsv old1 new1 >one
	folddiff --phi 1 --report=tsv nsold1 nsnew1 >ns
	cmp one ns
	awk '{ $2 *= 2; print }' old1 >twice
	folddiff --quantum 2 --phi 1 --report=tsv twice twice | tail -n +2 >none
	[ ! -s none ]
}

@test "the statistic is G of a two by two table" {
	printf 'm;a 30\nm;b 970\n' >l
	printf 'm;a 60\nm;b 940\n' >r
	# 2 (30 ln 30/45 + 60 ln 60/45 + 970 ln 970/955 + 940 ln 940/955)
	run -0 folddiff --phi 1 --quantum 1 --report=tsv l r
	[[ ${lines[1]} == *$'\tup\t30\t60\t0.03\t0.06\t2\t'* ]]
	awk -F '\t' 'NR == 2 { exit !($10 > 0.001091 && $10 < 0.001092) }' \
		<<<"$output"
	run -0 folddiff --phi 4 --quantum 1 --report=tsv l r
	[ ${#lines[@]} -eq 1 ]
	# Poisson: 2 (30 ln 30/45 + 60 ln 60/45).
	run -0 folddiff --norm none --phi 1 --quantum 1 --report=tsv l r
	awk -F '\t' 'NR == 2 { exit !($10 > 0.001408 && $10 < 0.001410) }' \
		<<<"$output"
	run -0 folddiff --norm 1:2 --phi 1 --quantum 1 --report=tsv l r
	[[ $output != *$'\tm;a\t'* ]]
}

@test "of other exposures than samples, shares are still those of samples" {
	printf '%s\n' '#fold=1;quantum=1;unit=samples' 'a 100' 'b 900' >l
	sed 's/100/400/' l >r
	run -0 --separate-stderr folddiff --norm none --phi 1 --report l r
	[[ $output == *'    100     400  a'* ]]
	[[ $output != *'00.00%'* ]]
	# exp(sqrt(1/10 + 1/13) (2.081 + 0.842)), deviates of 0.05 * 3/4 and 80 %
	[[ $output == *'    +242%   '* ]]
	run -0 --separate-stderr folddiff --norm none --phi 1 \
		--min-share 50% --report=tsv l r
	[[ $output != *$'\ta\t'* ]]
}

@test "--norm takes the exposure from the metadata" {
	printf '#fold=1;unit=samples;calls=100;dur=2.000000000\na 400\nb 400\n' >l
	printf '#fold=1;unit=samples;calls=200;dur=2.000000000\na 800\nb 400\n' >r
	run -0 folddiff --norm calls --phi 1 --report=tsv l r
	[ "$(found <(printf '%s\n' "$output"))" = $'down b\ndown b' ]
	run -0 folddiff --norm dur --phi 1 --report=tsv l r
	[ "$(found <(printf '%s\n' "$output"))" = $'up a\nup a' ]
	run -2 --separate-stderr folddiff --norm hz --phi 1 l r
	[[ $stderr == *'the metadata have no hz with a number'* ]]
}

@test "--norm robust goes by most functions, and a remark says so" {
	runs old 3
	runs new 3 4 'main;run4;f20'
	# shellcheck disable=SC2046
	run -0 --separate-stderr folddiff --report=tsv $(sides old new 3)
	[[ $stderr == *'consider --norm robust'* ]]
	[[ $output != *$'\tdown\t'* ]]
	# shellcheck disable=SC2046
	folddiff --norm robust --report=tsv $(sides old new 3) >tsv
	[ "$(found tsv)" = $'up f20\nup main;run4;f20' ]
}

@test "of two functions that were renamed each has its own new name" {
	local i new

	for i in 1 2 3 4 5; do
		awk -v i=$i 'BEGIN {
			for (k = 1; k <= 20; k++)
				print "main;base" k, 100 + (k * 7 + i * 3) % 5
			print "main;old;leaf", 300 + i
			print "main;alt;twig", 300 + i
		}' >o$i
		sed 's/old/neu/; s/alt/fresh/' o$i >n$i
	done
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides o n 5) | cut -f 1,2,12,13 >tsv
	for new in fresh:alt neu:old; do
		grep -qx "function	new	${new%:*}	${new#*:}" tsv
		grep -qx "function	gone	${new#*:}	${new%:*}" tsv
	done
}

@test "what came, went, moved or was renamed is called so" {
	runs old 5 30 'main;old;leaf'
	runs gone 5
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides old gone 5) >tsv
	[[ $(found tsv) == *'gone main;old'* ]]
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides gone old 5) >tsv
	[[ $(found tsv) == *'new main;old'* ]]
	runs moved 5 30 'main;run1;leaf'
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides old moved 5) >tsv
	[[ $(found tsv) == *'moved main;run1;leaf'* ]]
	runs renamed 5 30 'main;neu;leaf'
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides old renamed 5) >tsv
	[ "$(awk -F '\t' '$12 == "main;old" { print $13 }' tsv)" = 'main;neu' ]
	# shellcheck disable=SC2046
	run -0 folddiff --fail-on up --report $(sides old renamed 5)
	# shellcheck disable=SC2046
	run -1 folddiff --fail-on any --report $(sides old renamed 5)
	runs inlined 5 30 'main;old'
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides old inlined 5) >tsv
	[ "$(found tsv)" = 'moved main;old;leaf' ]
}

@test "a function that grew in many small places is found" {
	local i changes=()

	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		changes+=(0.4 "main;run$((i / 5));f$i;alloc_[i]")
	done
	runs old 5 "${changes[@]}"
	runs new 5 "${changes[@]/0.4/1}"
	# shellcheck disable=SC2046
	folddiff --report=tsv $(sides old new 5) >tsv
	[[ $(found tsv) == *'up alloc'* ]]
	# shellcheck disable=SC2046
	folddiff $(sides old new 5) | grep '^#node.*alloc_%5Bi%5D;class=up'
}

@test "a function counts once a stack" {
	printf 'm;f;g;f;g;f 40\nm;x 60\n' >l
	printf 'm;f;g;f;g;f 80\nm;x 20\n' >r
	folddiff --phi 1 --quantum 1 --report=tsv l r >tsv
	grep -q $'^function\tup\t40\t80\t0.4\t0.8\t' tsv
}

@test "weights that vary are not tested without replicates" {
	local i

	printf '#fold=1;unit=cycles;n=50\nm;a 1234567\nm;b 7654321\n' >l
	printf '#fold=1;unit=cycles;n=50\nm;a 7234567\nm;b 1654321\n' >r
	run -0 --separate-stderr folddiff l r
	[ "${lines[2]}" = 'm;a 1234567 7234567' ]
	[[ ${lines[0]} == *test=0* && $stderr == *'not tested: the weights'* ]]
	# What differs most is shown all the same, and no interval.
	[ "${lines[1]}" = '#node=m%3Ba;class=larger' ]
	run -0 folddiff --report l r
	[[ $output == *'largest differences, not tested:'*'larger '*' a'* ]]
	run -0 folddiff --report=json l r
	[[ $output == *'"tested":false'* ]]
	awk 'BEGIN { for (i = 0; i < 50; i++) print "m;f" i,
		i * 10007 + 100003 }' >l
	run -0 --separate-stderr folddiff l l
	[[ $stderr == *'not tested: the weights'* ]]
	run -2 folddiff --fail-on up l l
	run -0 --separate-stderr folddiff -b l -b l -a l -a l
	[[ -z $stderr && ${lines[0]} == *test=1* ]]
}

@test "--fail-on cannot tell from one run a side" {
	runs old 1
	run -2 --separate-stderr folddiff --fail-on up old1 old1
	[[ $stderr == *'undecided'* ]]
	run -0 folddiff --fail-on up --phi 2 old1 old1
}

@test "--fail-on says why it cannot tell, and nothing else" {
	runs old 1
	printf '#fold=1;unit=samples\n' >none
	for options in '-b none -b none -a old1 -a old1' \
		'-b old1 -b old1 -a none -a none'; do
		read -ra words <<<"$options"
		run -2 --separate-stderr folddiff --fail-on up "${words[@]}"
		[ "$stderr" = 'folddiff: undecided: one side has no samples' ]
		run -2 --separate-stderr folddiff -q --fail-on up "${words[@]}"
		[ "$stderr" = 'folddiff: undecided: one side has no samples' ]
		run -0 --separate-stderr folddiff "${words[@]}"
		[ "$stderr" = 'folddiff: not tested: one side has no samples' ]
	done
	run -2 --separate-stderr folddiff --fail-on up none none
	[ "$stderr" = 'folddiff: undecided: there are no samples' ]
}

# bursts SEED: a sample stream of 40 seconds, 100 samples each, where in each
# second one of twenty functions has most of them.
bursts() {
	awk -v x="$1" '
	function below(n) {
		x = (x * 16807) % 2147483647
		return int(x / 2147483647 * n)
	}
	BEGIN {
		print "#fold=1;clock=monotonic;unit=samples"
		for (i = 0; i < 10; i++)
			below(2)
		for (s = 100; s < 140; s++) {
			busy = below(20)
			for (i = 0; i < 100; i++) {
				printf "#time=%d.%02d0000000\n", s, i
				print "main;f" (below(3) ? busy : below(20)), 1
			}
		}
	}'
}

@test "seconds that differ within a run make runs differ, too" {
	local i found=0

	for i in 1 2 3 4 5; do
		bursts ${i}1 >l
		bursts ${i}2 >r
		run -0 folddiff --report l r
		[[ $output == *'spread within runs measured'*'no change is beyond noise'* ]]
		[[ $output == *'record each side 3 times: the phases of these runs do not match'* ]]
		# Without times nothing tells.
		run -0 folddiff --report <(grep -v '^#' l) <(grep -v '^#' r)
		[[ $output == *'no times: assuming chance for the variation within runs'* ]]
		[[ $output == *'no change is beyond'* ]] || found=$((found + 1))
	done
	[ $found -gt 0 ]
}

@test "snapshots show how seconds differ, as samples do" {
	bursts 11 >l
	bursts 12 >r
	for i in l r; do
		awk '/^#fold/ { next }
			/^#/ { second = substr($0, 7, 3)
				if (second != last) {
					if (last != "")
						print ""
					printf "#fold=1;time=%d.000000000;" \
						"dur=1.000000000;" \
						"unit=samples\n", second
					last = second
				}
				next
			}
			{ print }
			END { print "" }' $i >$i.snapshots
	done
	run -0 folddiff --report l.snapshots r.snapshots
	[[ $output == *'spread within runs measured'*'no change is beyond noise'* ]]
}

@test "a report is JSON" {
	command -v python3 >/dev/null || skip "no python3"
	runs old 2
	runs new 2 9 'main;run1;q"\u;x'
	# shellcheck disable=SC2046
	folddiff --report=json $(sides old new 2) >json
	run -0 python3 -c 'import json; d = json.load(open("json"))
print(d["tested"], d["runs"], [c["stack"] for c in d["changes"] if "stack" in c])'
	[[ $output == 'True [2, 2] ['*'main;run1;q"\\u'* ]]
}

@test "the order of the files makes no difference" {
	runs old 4
	runs new 4 1.5 'main;run2;f12'
	folddiff --report -b old1 -b old2 -b old3 -b old4 \
		-a new1 -a new2 -a new3 -a new4 >one
	folddiff --report -a new3 -b old4 -b old1 -a new2 -b old3 -a new1 \
		-a new4 -b old2 >two
	cmp one two
}

@test "--denoise leaves only what changed different" {
	runs old 5
	runs new 5 1.5 'main;run2;f12' 40 'main;fresh'
	runs old 5 20 'main;past'
	# shellcheck disable=SC2046
	folddiff --denoise $(sides old new 5) >out
	[[ $(head -n 1 out) == *'denoise=1'*'title=Denoised%20Flame%20Graph' ]]
	[ "$(grep -v '^#' out | awk '$2 != $3 { print $1 }')" = \
		$'main;fresh\nmain;past\nmain;run2;f12' ]
	grep -qx 'main;fresh 0 [0-9]*' out
	grep -qx 'main;past [0-9]* 0' out
	# What is after stays as it was measured.
	cmp <(foldmerge new?) <(grep -v '^#' out | awk '$3 > 0 { print $1, $3 }')
	flamegraph out | grep -q 'aria-label="Denoised Flame Graph"'
	folddiff --denoise -b old1 -b old2 -a old3 -a old4 >out
	[ -z "$(grep -v '^#' out | awk '$2 != $3')" ]
	run -2 folddiff --denoise -n old1 new1
	run -2 --separate-stderr folddiff --denoise x y
	[[ $stderr == *'cannot distinguish changes from noise'* ]]
}

# unlike TOTAL...: files r1, r2 ... of as many samples of 60 functions, each of
# them a third more or less in a run; of f0 in r4 and on GREW times as many.
unlike() {
	awk -v totals="$*" -v grew="${GREW-1}" -v seed=1 'BEGIN {
		n = split(totals, total, " ")
		for (r = 1; r <= n; r++) {
			file = "r" r
			print "#fold=1;counts=1;unit=samples;quantum=1" >file
			for (i = 0; i < 60; i++) {
				for (z = k = 0; k < 12; k++) {
					seed = seed * 16807 % 2147483647
					z += seed / 2147483647
				}
				m = total[r] / (i + 3) / 3.2 * exp(0.3 * (z - 6))
				if (i == 0 && r > 3)
					m *= grew
				printf "main;f%d %d\n", i, m >file
			}
		}
	}'
	run -0 --separate-stderr folddiff --report -b r1 -b r2 -b r3 \
		-a r4 -a r5 -a r6
}

@test "one long run of several is no more than one run" {
	unlike 5000 5000 5000 5000 5000 5000
	[[ $output == *'nothing changed'* ]]
	unlike 300 5000 20000 500 500 9000
	[[ $output == *'nothing changed'* ]]
	GREW=5 unlike 5000 5000 5000 5000 5000 5000
	[[ $output == *up*f0* ]]
	GREW=5 unlike 2000 4000 8000 2000 4000 8000
	[[ $output == *up*f0* ]]
}

@test "no rate of false discoveries is less than the test's p" {
	local r

	for r in 1 2 3 4 5 6; do
		awk -v r=$r 'BEGIN {
			for (i = 0; i < 11; i++)
				for (k = 0; k < 4; k++) {
					n = 470 + (r * 17 + i * 29 + k * 41) % 61
					n += r > 3 && i < 5 ? 900 : 0
					print "main;g" i ";x" k, n
				}
		}' >r$r
	done
	run -0 folddiff --report=tsv -b r1 -b r2 -b r3 -a r4 -a r5 -a r6
	awk -F '\t' '
		NR > 1 && ($11 < $10 || $11 > 0.05) { bad = 1 }
		END { exit bad || NR < 20 }' <<<"$output"
}

@test "the interval of a large share has no change in it where the test has not" {
	local r

	for r in 1 2 3 4 5 6; do
		awk -v r=$r 'BEGIN {
			for (i = 0; i < 12; i++)
				print "main;f" i, (r > 3 ? 4 : 10) + (r * 5 + i * 7) % 11
			print "main;big", (r > 3 ? 1692 : 1620)
		}' >r$r
	done
	run -0 folddiff --report=tsv -b r1 -b r2 -b r3 -a r4 -a r5 -a r6
	awk -F '\t' '
		$12 == "big" { found = 1; if (!($8 > 1.02 && $9 < 1.07)) bad = 1 }
		END { exit bad || !found }' <<<"$output"
}

@test "what a few frames do not show is said to be assumed" {
	local i

	for i in 1 2 3; do
		printf 'main;a 500%s\nmain;b 500\n' "$i" >before$i
		printf 'main;a 500%s\nmain;b 600\n' "$i" >after$i
	done
	run -0 folddiff --report -b before1 -b before2 -b before3 \
		-a after1 -a after2 -a after3
	[[ $output == *'a sample, assumed: too few frames'* ]]
	run -0 folddiff --report=json -b before1 -b before2 -a after1 -a after2
	[[ $output == *'"measured":false'* ]]
}

@test "-p renames before comparing" {
	printf 'rename s/^neu$/old/\nrename s/<[^>]*>//g\n' >my.palette
	printf 'm;old 1\nm;vec<int> 4\n' >l
	printf 'm;neu 2\nm;vec<long> 8\n' >r
	run -0 lines folddiff -q -p ./my.palette l r
	[ "$output" = $'m;old 1 2\nm;vec 4 8' ]
	run -0 lines folddiff --no-test -p ./my.palette l r
	[ "$output" = $'m;old 1 2\nm;vec 4 8' ]
	run -2 folddiff -p ./none.palette l r
}

# stream FUNCTION FROM TO: twenty snapshots, a function twice as much in some.
stream() {
	awk -v who="$1" -v from="$2" -v to="$3" '
	function uniform() {
		x = (x * 16807) % 2147483647
		return x / 2147483647
	}
	BEGIN {
		x = 77
		for (s = 1; s <= 40; s++) {
			printf "#fold=1;counts=1;unit=samples;" \
				"time=%d.000000000;dur=1.000000000\n", s
			for (f = 1; f <= 10; f++) {
				most = f * 60
				if ("f" f == who && s >= from && s <= to)
					most *= 2
				for (i = n = 0; i < most; i++)
					n += uniform() < 0.5
				print "main;f" f, n
			}
			print ""
		}
	}'
}

@test "--stream says what changed when, and once" {
	stream f5 12 15 >s
	run -0 folddiff --stream s
	[ ${#lines[@]} -eq 2 ]
	[[ ${lines[0]} == '12.000000000  up '*' main;f5' ]]
	[[ ${lines[1]} == '12.000000000  up '*' f5' ]]
	stream f5 0 0 >s
	run -0 folddiff --stream <s
	[ -z "$output" ]
	# More snapshots than are kept apart, and one that is not whole.
	stream f7 38 40 | sed '$d' >s
	run -0 folddiff --stream s
	[[ ${lines[0]} == '38.000000000  up '*' main;f7' ]]
	run -2 folddiff --stream s s
	run -2 folddiff --stream --denoise s
}

@test "--stream says that there is no stream of snapshots" {
	stream f5 0 0 | awk -v RS= -v ORS='\n\n' 'NR < 6' >s
	for input in s y; do
		run -0 --separate-stderr folddiff --stream $input
		[ -z "$output" ]
		[ "$stderr" = "folddiff: $input: fewer than six snapshots: nothing compared; see foldmerge --every" ]
	done
	run -0 --separate-stderr folddiff --stream /dev/null
	[ -z "$output$stderr" ]
	sed 's/^#fold=1;/&kind=window;/' s >w
	run -2 --separate-stderr folddiff --stream w
	[[ $stderr == "folddiff: w:"*": this snapshot cannot be compared: "* ]]
}

@test "--stream forgets what was long ago where new frames keep coming" {
	awk 'BEGIN { for (s = 1; s <= 80; s++) {
		printf "#fold=1;counts=1;unit=samples;%stime=%d.000000000\n",
			s == 1 ? "quantum=1;" : "", s
		print "main;all 3000\nmain;same_0x1 500"
		if (s < 10 || s > 77)
			print "main;old 300"
		for (i = s > 75 ? 1000 : 0; i < 400; i++)
			print "main;all;jit_" s "_" i, 1
		print "" } }' >s
	for option in '' -s; do
		run -0 folddiff --stream $option s
		grep '^78.* main;old$' <<<"$output"
		[[ $output == *'78.000000000  new '*' main;old'* ]]
	done
	# Else it is in the average of all that was before.
	grep -v jit_ s >few
	run -0 folddiff --stream few
	[[ $output == *'78.000000000  up '*' main;old'* ]]
}

@test "--stream takes names as -s and -p have them" {
	stream f5 12 15 | sed 's/f5/jit_0x4f/' >s
	stream f5 0 0 | sed '1,/time=9/s/f4/jit_0xaa/;s/f4/jit_0xbb/' >renamed
	run -0 folddiff --stream -s s
	[[ ${lines[0]} == '12.000000000  up '*' main;jit_0x...' ]]
	[[ $(folddiff --stream renamed) == *jit_0xbb* ]]
	run -0 folddiff --stream -s renamed
	[ -z "$output" ]
	echo 'rename s/_0x.*//' >my.palette
	run -0 folddiff --stream -p ./my.palette renamed
	[ -z "$output" ]
	run -0 folddiff --stream -p ./my.palette s
	[[ ${lines[0]} == '12.000000000  up '*' main;jit' ]]
}

@test "--stream answers when a snapshot ends, not when the stream does" {
	stream f5 12 15 >s
	mkfifo pipe
	folddiff --stream pipe >found 3>&- &
	exec 4>pipe
	cat s >&4
	within_minutes grep '^12' found
	exec 4>&-
	wait $!
}

@test "--norm robust says where functions do not agree" {
	awk 'BEGIN { for (i = 0; i < 20; i++)
		print "m;f" i, i % 2 ? "1000 100" : "100 1000" }' >halves
	run -0 --separate-stderr folddiff --phi 1 --quantum 1 --norm robust halves
	[[ $stderr == *'no common ratio of most functions'* ]]
	run -0 --separate-stderr folddiff --phi 1 --quantum 1 halves
	[ -z "$stderr" ]
}

@test "with one run a side, how large a change would be found is said" {
	local note="no change is beyond noise; a function of 10 % would be found"

	printf 'a;b 100\na;c 100\n' >l
	printf 'a;b 110\na;c 100\n' >r
	run -0 --separate-stderr folddiff l r
	[[ $stderr == "folddiff: $note from +"*' on'* ]]
	[[ $stderr == *'assuming that user code varies by 5 % between runs'* ]]
	[[ $stderr == *'record each side 3 times'*'less than 1000 samples'* ]]
	run -0 --separate-stderr folddiff --no-test l r
	[ -z "$stderr" ]
	run -0 --separate-stderr folddiff -b l -b l -a r -a r
	[[ $stderr != *"$note"* ]]
	printf 'a;b 1001\na;c 1000\n' >l
	printf 'a;b 17\na;c 9001\n' >r
	run -0 --separate-stderr folddiff l r
	[[ $stderr != *"$note"* && $stderr == *'user code varies by 5 %'* ]]
}

@test "with one run a side, a function of 8 % that doubles is found" {
	run -0 folddiff -q --report "$DATA"/diff/{before,after}.folded
	[[ $output == *'beyond noise:'*'up '*' check_sum'*'largest differences'* ]]
	[[ $output == *'user code 3 %, kernel 50 %'* ]]
	run -0 folddiff -q --report=tsv "$DATA"/diff/{before,after}.folded
	[ "$(found <(printf '%s\n' "$output"))" = \
		$'up check_sum\nup work;start_thread;run;answer;verify;check_sum' ]
	# Equal runs, though a hundred stacks differ.
	run -0 folddiff -q --report=tsv "$DATA"/diff/{before,again}.folded
	[ ${#lines[@]} -eq 1 ]
	run -0 folddiff -q --report "$DATA"/diff/{before,again}.folded
	[[ $output == *'no change is beyond noise'*'largest differences, not beyond noise:'* ]]
	[[ $output == *'system noise, not tested: interrupts'* ]]
}

@test "what was assumed of one run a side is in the metadata" {
	local head

	folddiff -q "$DATA"/diff/{before,after}.folded >out
	read -r head <out
	[[ $head == *';assumed=user:0.03,kernel:0.5,jit:1;'*'test=1'* ]]
	grep '^#node=.*check_sum;class=up;lo=.*;hi=.*;q=' out
	grep '^#node=work%3Bstart_thread%3Brun%3Bcrunch;class=smaller;lo=[0-9.]*;hi=[0-9.]*$' out
	read -r head < <(folddiff -q --phi 2 "$DATA"/diff/{before,after}.folded)
	[[ $head == *';assumed=phi:2;'* ]]
	run -0 folddiff -q --report=json "$DATA"/diff/{before,after}.folded
	[[ $output == *'"measured":false,"user":0.03,"kernel":0.5,"jit":1,"within":null'* ]]
	[[ $output == *'"largest":['*'"class":"smaller"'* ]]
}

# classes NAME...: l and r of 8000 samples, in which each stack has 500 samples
# before and 900 after, beside others.
classes() {
	local name

	for name; do
		printf '%s 500\n' "$name" >>l
		printf '%s 900\n' "$name" >>r
	done
	printf 'm;rest 4000\nm;entry_SYSCALL_64_after_hwframe;read 500\n' |
		tee -a l >>r
}

@test "kernel, interrupt and JIT code may differ more than user code" {
	rm -f l r
	classes 'm;user' 'm;entry_SYSCALL_64_after_hwframe;write' \
		'm;asm_exc_page_fault;clear_page' 'm;f;sys_[k]' \
		'm;asm_sysvec_reschedule_ipi;schedule' 'm;JS:*work a.js:1' \
		'm;Interpreter;callee'
	run -0 folddiff -q --norm none --report=tsv l r
	[ "$(found <(printf '%s\n' "$output"))" = $'up m;user\nup user' ]
	run -0 folddiff -q --norm none --report l r
	[[ $output == *'system noise, not tested: interrupts and scheduling, 6.2% -> 8.3%'* ]]
}

@test "rows with less than 40 samples are not tested with one run a side" {
	printf 'm;a 5000\nm;b 0\n' >l
	printf 'm;a 5000\nm;b 39\n' >r
	run -0 folddiff -q --report=tsv l r
	[ ${#lines[@]} -eq 1 ]
	printf 'm;a 5000\nm;b 80\n' >r
	run -0 folddiff -q --report=tsv l r
	[[ $output == *new*b* ]]
}

@test "counts are samples, unless a divisor is a plausible period" {
	printf 'm;a 100\nm;b 200\nm;c 900\n' >l
	printf 'm;a 300\nm;b 200\nm;c 900\n' >r
	run -0 folddiff -q --report=tsv l r
	[[ $output == *$'\tup\t100\t300\t'*$'\ta\t'* ]]
	# Nanoseconds, 250 us a sample.
	sed -i 's/900/901/' l r
	awk '{ print $1, $2 * 250062 }' l >l.ns
	awk '{ print $1, $2 * 250062 }' r >r.ns
	cmp <(folddiff -q --report=tsv l r) <(folddiff -q --report=tsv l.ns r.ns)
}

@test "samples of a stream may have weights that vary a little" {
	local i

	for i in l r; do
		# shellcheck disable=SC2094 # it writes only
		awk -v side="$i" 'BEGIN {
			grew = side == "l" ? 1 : 3
			print "#fold=1;clock=perf;event=cycles;unit=cycles"
			for (i = 0; i < 3000; i++) {
				x = (i * 7919) % 3000
				f = x < 200 * grew ? "a" : x < 1500 ? "b" : "c"
				printf "#time=%d.%06d000\nm;%s %d\n", 1 + i / 1000,
					i % 1000, f, 900000 + (i * 31) % 200000
			} }' >$i
	done
	run -0 --separate-stderr folddiff --report=tsv l r
	[[ $output == *$'\tup\t'*$'\ta\t'* ]]
	[[ $stderr != *'not tested'* ]]
}

@test "profiles of different events or units are refused, with both names" {
	printf '#fold=1;event=cycles\na 5\n' >l
	printf '#fold=1;event=cpu-clock\na 6\n' >r
	for option in '' --no-test --report; do
		run -2 --separate-stderr folddiff ${option:+"$option"} l r
		[ -z "$output" ]
		[ "$stderr" = 'folddiff: l has samples of cycles, and r has samples of cpu-clock: record both with the same event' ]
	done
	# How precisely it was sampled is no other event.
	printf '#fold=1;event=cycles:ppp\na 6\n' >r
	folddiff -q l r
	printf '#fold=1;event=cycles:u\na 6\n' >r
	run -2 folddiff -q l r
	printf '#fold=1\na 6\n' >r
	folddiff -q l r
}

@test "difffolded.pl writes counts only, which flamegraph paints" {
	ln -s "$(command -v folddiff)" difffolded.pl
	printf 'a;b 100\na;c 100\n' >l
	printf 'a;b 200\na;c 101\n' >r
	run -0 --separate-stderr ./difffolded.pl l r
	[ "$output" = $'a;b 100 200\na;c 100 101' ]
	[ -z "$stderr" ]
	run -0 ./difffolded.pl -n -s l r
	[[ $output == 'a;b '* ]]
	./difffolded.pl l r | flamegraph >out.svg
	grep -B1 '>b (200' out.svg | grep -q 'c16'
	# The options of folddiff are there as well.
	run -0 ./difffolded.pl --report l r
	[[ $output == *'one run per side'* ]]
}

@test "a rename that takes too long is status 2" {
	local x

	x=$(printf 'x%.0s' {1..5000})
	printf 'rename s/^(([a-z])+.)+[A-Z]([a-z])+$/f/\n' >slow.palette
	printf 'main;%s! 10\n' "$x" >l
	printf 'main;%s! 20\n' "$x" >r
	run -2 --separate-stderr folddiff -q -p ./slow.palette l r
	[[ $stderr == *'slow.palette:1: the pattern took too long'*": ${x:0:80}..." ]]
	run -2 folddiff -q --no-test -p ./slow.palette l r
}
