#!/usr/bin/env bats
# laws.bats - profiles are a commutative monoid: in whatever order, tree, form,
# memory and locale they are merged, the bytes are the same.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$PWD
}

# profile SEED LINES COUNTS: what names and counts may be, and some may not.
profile() {
	awk -v seed="$1" -v lines="$2" -v counts="$3" '
	function pick(list, n) {
		return list[1 + int(rand() * n)]
	}
	BEGIN {
		srand(seed)
		names = split("main|a b|f 7|\303\244|\377|x\ty|#x|a<b, c>|\\n|_[k]|",
			      name, "|")
		decimals = split("||||.5|.25|.000001|.1234567", decimal, "|")
		for (; lines > 0; lines--) {
			line = "root" int(rand() * 3)
			for (depth = int(rand() * 5); depth > 0; depth--)
				line = line ";" pick(name, names)
			for (k = 0; k < counts; k++)
				line = line " " int(rand() * 100) pick(decimal, decimals)
			print line
		}
	}'
}

# header SEED: metadata that differs in all that may differ.
header() {
	local unit=(';unit=ns' '') lost=(';lost=3' '')
	local event=('' ';event=x' ';event=x' ';event=y')

	RANDOM=$1
	printf '#fold=1;counts=1;host=h%d,h%d;clock=perf;time=%d.000000000;dur=9.500000000;n=%d%s%s%s\n' \
		$((RANDOM % 9)) $((RANDOM % 9)) $((RANDOM % 99)) \
		$((RANDOM % 99)) "${event[RANDOM % 4]}" "${unit[RANDOM % 2]}" \
		"${lost[RANDOM % 2]}"
}

# merge FILE...: the merge, with the options in $options.
merge() {
	foldmerge -q "${options[@]}" "$@"
}

# some_merge FILE...: the same by one of the ways there are, in some locale.
some_merge() {
	local locales=(C C.UTF-8 POSIX) file

	export LC_ALL=${locales[RANDOM % 3]}
	case $((RANDOM % 5)) in
	0) merge "$@" ;;
	1) merge --tsv "$@" ;;
	2) merge --memory 2K "$@" ;;
	3)
		for file; do
			merge "$file" >"$file.sorted"
			shift
			set -- "$@" "$file.sorted"
		done
		merge --sorted "$@"
		;;
	4)
		for file; do
			merge "$file" | gzip >"$file.gz"
			shift
			set -- "$@" "$file.gz"
		done
		merge --sorted --tsv "$@"
		;;
	esac
}

# some_tree SEED FILE...: merges of some of the files until one is left, out.
some_tree() {
	local n made=0

	RANDOM=$1
	shift
	while [ $# -gt 1 ]; do
		# The last comes first, now and then.
		[ $((RANDOM % 2)) -eq 0 ] || set -- "${@: -1}" "${@:1:$#-1}"
		n=$((2 + RANDOM % 3))
		made=$((made + 1))
		some_merge "${@:1:n}" >"made$made" || return
		[ $n -lt $# ] || n=$#
		shift $n
		set -- "$@" "made$made"
	done
	LC_ALL=C merge "$1" >out
}

# trees FILE...: some trees give what one merge does.
trees() {
	local seed

	merge "$@" >all
	[ -s all ]
	for seed in 1 2 3 4 5; do
		some_tree $seed "$@"
		cmp all out
	done
}

@test "any tree of merges, by any way, gives the same bytes" {
	local i options=(--counts 1)

	for i in 1 2 3 4 5 6 7 8; do
		profile $i 150 1 >part$i
	done
	: >part9
	trees part?
}

@test "so it is with two counts" {
	local i options=(--counts 2)

	for i in 1 2 3 4 5 6; do
		profile $i 150 2 >part$i
	done
	trees part?
}

@test "so it is with metadata, and the header is the same" {
	local i options=(--counts 1 --meta)

	for i in 1 2 3 4 5 6; do
		header $i >part$i
		profile $i 20 1 >>part$i
	done
	trees part?
	[[ $(head -n 1 all) == *host=h*,h*n=*unit=ns* ]]
}

@test "any split of the lines, in any order, gives the same bytes" {
	local seed options=(--counts 1)

	profile 1 1000 1 >whole
	merge whole >all
	for seed in 1 2 3; do
		awk -v seed=$seed 'BEGIN { srand(seed) } { print rand() "\t" $0 }' \
			whole | sort | cut -f 2- |
			split -a 3 -l $((97 * seed)) - "split$seed."
		merge "split$seed".* >out
		cmp all out
		some_tree $seed "split$seed".*
		cmp all out
	done
}

@test "the sums are those that awk finds" {
	local options=(--counts 1)

	for i in 1 2 3; do
		profile $i 300 1 | grep -v $'[\t\377]' | sed 's/\.1234567$//'
	done >clean
	awk '{
		micro = 1000000 * $NF
		sub(/;* [^ ]*$/, "")
		sum[$0] += micro
	}
	END {
		for (stack in sum) {
			n = sprintf("%.6f", sum[stack] / 1000000)
			sub(/\.*0*$/, "", n)
			print stack "\t" (n == "" ? 0 : n)
		}
	}' clean | sort -t $'\t' -k 1,1 >expected
	merge --tsv clean >out
	cmp expected out
}

@test "nothing is what changes nothing" {
	local options=(--counts 1)

	profile 1 200 1 >x
	merge x >once
	merge once >twice
	cmp once twice
	merge /dev/null x /dev/null >out
	cmp once out
	merge --sorted /dev/null once /dev/null >out
	cmp once out
	[ -z "$(foldmerge --sorted --tsv /dev/null /dev/null)" ]
}

@test "the sum of 64 bits fits by any way, and one more by none" {
	local i way options=()

	for i in 1 2 3; do
		printf 'a 6148914691236517205\nb 1\n' >part$i
	done
	trees part?
	run -0 cat all
	[ "$output" = $'a 18446744073709551615\nb 3' ]
	printf 'a 1\n' >extra
	for way in --memory=1K --memory=1G --tsv --sorted; do
		run -2 --separate-stderr merge "$way" part? extra
		[[ $stderr == *'64 bits'* ]]
	done
	merge extra part1 part2 >left
	run -2 merge left part3
}
