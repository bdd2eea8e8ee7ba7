#!/usr/bin/env bats
# foldgrep.bats - what foldgrep(1) promises.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf '%s\n' 'a;b;c;b;c;d 1' 'a;x;x;y 2' 'z;#h;q 3' \
		'idle;epoll_wait 5' >profile
}

# gives TEXT OPTION...: the lines, blanks between, that foldgrep prints.
gives() {
	local want=$1

	shift
	run -0 --separate-stderr foldgrep "$@" profile
	[ "$output" = "$(tr '|' '\n' <<<"$want")" ]
}

@test "--stack and --frame keep stacks, in the order they came" {
	gives 'a;b;c;b;c;d 1|a;x;x;y 2' --stack '^a'
	gives 'a;x;x;y 2' --frame '^x$'
	gives 'a;x;x;y 2|z;#h;q 3' --frame '^x$' --frame '^q$'
	gives 'a;x;x;y 2' --frame '^x$' --stack '^a;'
	gives '' --frame '^x$' --stack '^z;'
	gives 'a;x;x;y 2' --stack 'x;x;'
}

@test "-v keeps the others, -i ignores case in all patterns" {
	gives 'a;b;c;b;c;d 1|z;#h;q 3|idle;epoll_wait 5' -v --frame '^x$'
	gives 'z;#h;q 3|idle;epoll_wait 5' -v --frame '^X$' --frame '^D$' -i
	run -2 foldgrep -v --trim-idle profile
	[[ $output == *'-v needs --stack or --frame'* ]]
}

@test "--from and --to cut at the first frame" {
	gives 'b;c;b;c;d 1' --from '^b$'
	gives 'a;b 1' --to '^b$' --frame '^b$'
	gives 'a;x 2' --to x --frame x
	gives 'b;c 1' --from '^b$' --to '^c$'
	gives '\x23h;q 3' --from '#'
}

@test "--drop-frame, --collapse-recursion, --depth and --reverse" {
	gives 'a;y 2' --frame x --drop-frame x
	gives 'a;b;c;d 1' --frame '^d$' --collapse-recursion
	gives 'a;x;y 2' --frame x --collapse-recursion
	gives 'a;b 1' --frame '^d$' --depth 2
	gives 'd;c;b;c;b;a 1' --frame '^d$' --reverse
	printf '%s\n' 'f;g;f;h 1' 'r;r;r;r;r 2' 'p;q;p;q;p;q;r 3' >profile
	gives 'f;g;f;h 1|p;q;r 3|r 2' --collapse-recursion
}

@test "--collapse-recursion takes no longer for a cycle than 1000 functions" {
	cycle=$(seq -s ';' 1000)
	echo "$cycle;$cycle;$cycle;x 1" >profile
	gives "$cycle;x 1" --collapse-recursion
	cycle=$(seq -s ';' 1001)
	echo "$cycle;$cycle 1" >profile
	gives "$cycle;$cycle 1" --collapse-recursion
}

@test "what becomes equal is added up, sorted; two counts too" {
	printf '%s\n' 'a;y 1' 'a;x 2' 'a;y;z 3' >profile
	gives 'a 6' --depth 1
	gives 'a;x 2|a;y 4' --depth 2
	printf '%s\n' 'a;y 1 10' 'a;x 2 20' >profile
	gives 'a 3 30' --depth 1
}

@test "--min-share leaves out what is small, and says how much" {
	gives 'idle;epoll_wait 5|z;#h;q 3' --min-share 20%
	[[ $stderr == *'2 stacks, 27 % of the total'* ]]
	gives '' --min-share 90%
	[[ $stderr == *' stacks, 100 % of the total'* ]]
	printf '%s\n' 'a 1 99' 'b 99 1' 'c 0 0' >profile
	gives 'a 1 99|b 99 1' --min-share 2%
	gives 'a 1 99|b 99 1' --min-share 0.02
	run -2 foldgrep --min-share x profile
	# A share, as for folddiff: not per cent without a sign.
	run -2 --separate-stderr foldgrep --min-share 5 profile
	[[ $stderr == *'--min-share must be less than 1, such as 0.05 or 5%, not 5'* ]]
	run -2 foldgrep --min-share 101% profile
}

@test "--trim-idle drops stacks that wait for work" {
	gives 'a;b;c;b;c;d 1|a;x;x;y 2|z;#h;q 3' --trim-idle
}

@test "what stood inside a stack is no end of one" {
	printf '%s\n' 'a;;b 1' 'a ;b 2' 'a;#;c 4' >profile
	gives 'b 1|b;a 2|c;# 4' --reverse --drop-frame '^a$'
	gives '\x23 4|a 2' --depth 1 --drop-frame '^a$'
	gives 'a 2' --drop-frame '^[a-z#]$'
	[[ $stderr == *'dropped 2 stacks without any frame left'* ]]
}

@test "stacks of which nothing is left are counted" {
	gives '' --drop-frame .
	[[ $stderr == *'dropped 4 stacks without any frame left'* ]]
}

@test "samples keep their metadata, dropped ones lose it" {
	cat >profile <<'END'
#fold=1;clock=perf
#time=1.000000000;tid=5
a;b;c 1
#time=2.000000000;tid=6
a;x 1
#time=3.000000000;tid=5
a;b 1
END
	run -0 foldgrep --frame b --to b profile
	[ "$output" = "$(sed -e '4,5d' -e 's/;c / /' profile)" ]
}

@test "of stacks that were chosen the number of samples is not known" {
	printf '#fold=1;n=5;quantum=2\na;b 8\nc 2\n' >profile
	gives '#fold=1;quantum=2|c 2' --stack c
	gives '#fold=1;n=5;quantum=2|a 8|c 2' --depth 1
}

@test "what was lost before a sample that is dropped is not forgotten" {
	printf '%s\n' '#fold=1;clock=perf' '#time=1.000000000;lost=3' 'a 1' \
		'#time=2.000000000;lost=4' 'a 1' '#time=3.000000000' 'b 1' \
		'#time=4.000000000;lost=1' 'b 1' >profile
	gives '#fold=1;clock=perf|#time=3.000000000;lost=7|b 1|#time=4.000000000;lost=1|b 1' \
		--stack b
}

@test "a snapshot stream stays one" {
	printf '%s\n' '#fold=1;time=1.000000000;dur=1.000000000' 'a;c 1' 'a;b 2' '' \
		'#fold=1;time=2.000000000;dur=1.000000000' 'a;b 3' '' >profile
	foldgrep --depth 1 profile >out
	printf '%s\n' '#fold=1;time=1.000000000;dur=1.000000000' 'a 3' '' \
		'#fold=1;time=2.000000000;dur=1.000000000' 'a 3' '' >want
	cmp want out
}

@test "names of snapshots that are over may be forgotten" {
	# A name of the first of them is found in the last, with other numbers.
	awk 'BEGIN {
		for (i = 0; i < 40; i++) {
			print "#fold=1;time=" i ".000000000;dur=1.000000000"
			for (k = 0; k < 150; k++)
				print "a;f" i "_" k ";idle 1"
			print "a;x;first;idle 2\n"
		}
	}' >profile
	foldgrep --from x --frame '^first$' --depth 2 profile >out
	awk 'BEGIN {
		for (i = 0; i < 40; i++) {
			print "#fold=1;time=" i ".000000000;dur=1.000000000"
			print "x;first 2\n"
		}
	}' >want
	cmp want out
}

@test "a pattern that is none is a usage error with its place" {
	run -2 foldgrep --frame '(' profile
	[[ $output == *'(: missing closing parenthesis at character 2'* ]]
	run -2 foldgrep --depth 0 profile
}

@test "a pattern that takes too long is status 2, and the message is short" {
	local re='^(([a-z])+.)+[A-Z]([a-z])+$' x

	x=$(printf 'x%.0s' {1..5000})
	printf 'a;%s! 1\na;%s? 1\n' "$x" "$x" >profile
	run -2 --separate-stderr foldgrep --frame "$re" profile
	[ "$stderr" = 'foldgrep: --frame: the pattern took too long for 2 texts,'"\
 counted as no match: ${x:0:80}..." ]
	run -2 --separate-stderr foldgrep -q --drop-frame "$re" profile
	[[ $stderr == *'--drop-frame: the pattern took too long'* ]]
	# Not for texts that PCRE2 answers.
	run -0 --separate-stderr foldgrep --frame "$re" <<<'a;b 1'
	[ -z "$stderr" ]
}

@test "stackcollapse-recursive.pl of FlameGraph agrees where functions call themselves" {
	command -v stackcollapse-recursive.pl >/dev/null || skip "no FlameGraph"
	printf '%s\n' 'main;r;r;r;leaf 1' 'main;x;r;r 2' 'main;r;leaf 3' >profile
	foldgrep --collapse-recursion profile >out
	stackcollapse-recursive.pl profile | sort >want
	cmp want out
}
