#!/usr/bin/env bats
# peers.bats - comparison with FlameGraph's and inferno's own test data.
# Tests in this folder need data that is not in the repository, ../shared or
# $SHARED, and are skipped without it.

load ../helper

FLAMEGRAPH=fixtures/flamegraph
INFERNO=fixtures/inferno/collapse-perf

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# What stackcollapse-perf.pl reads of a file: it drops a last sample that no
# blank line follows.
ended_samples() {
	awk '{ part = part $0 "\n" } /^$/ { printf "%s", part; part = "" }' "$1"
}

# The only other difference in its results: it takes [vdso] for the kernel's.
without_slips() {
	sed 's/__vdso_gettimeofday_\[k\]/__vdso_gettimeofday/' "$1"
}

# Our result in inferno's terms; each change is a difference that is meant.
as_inferno() {
	case $1 in
	cpp-stacks-std-function)
		# It does not mark what perf script prints as (inlined), and
		# takes the "()" of an operator for arguments.
		sed 's/_\[i\]//g; s/operator()/operator/g'
		;;
	versioned-vmlinux)
		# It does not mark BPF programs.
		sed 's/\(;bpf_[^; ]*\)_\[k\]/\1/g'
		;;
	single-event)
		# It leaves the "_" that stands before an escape in a name.
		sed 's/::{{closure}}/::_{{closure}}/g'
		;;
	*)
		cat
		;;
	esac
}

@test "the 42 results of FlameGraph, but for its two slips" {
	local result name option failed=0 n=0
	local -a opts

	need_shared "$FLAMEGRAPH"
	for result in "$SHARED/$FLAMEGRAPH"/results/*.txt; do
		name=$(basename "$result" .txt)
		option=${name##*-}
		name=${name%-collapsed-*}
		opts=("--$option")
		# Its header begins with cycles, its samples with instructions,
		# which the script counts.
		[ "$name" != perf-cycles-instructions-01 ] ||
			opts+=(--event-filter instructions)
		ended_samples "$SHARED/$FLAMEGRAPH/$name.txt" |
			stackcollapse-perf -q "${opts[@]}" >out
		if ! diff <(without_slips "$result") out; then
			echo "# $name --$option"
			failed=1
		fi
		n=$((n + 1))
	done
	[ $n -eq 42 ] && [ $failed -eq 0 ]
}

# perf-dd-stacks, -iperf-stacks-pidtid, -java-stacks and -mirageos-stacks end
# without a blank line.
@test "FlameGraph's first slip: the last sample counts without a blank line" {
	local file all ended n=0

	need_shared "$FLAMEGRAPH"
	for file in "$SHARED/$FLAMEGRAPH"/perf-*.txt; do
		all=$(stackcollapse-perf -q --count samples "$file" |
			awk '{ n += $NF } END { print n }')
		ended=$(ended_samples "$file" |
			stackcollapse-perf -q --count samples |
			awk '{ n += $NF } END { print n }')
		if [ -n "$(tail -n 1 "$file")" ]; then
			[ "$all" -eq $((ended + 1)) ]
			n=$((n + 1))
		else
			[ "$all" -eq "$ended" ]
		fi
	done
	[ $n -eq 4 ]
}

@test "inferno's results, but for what is meant to differ" {
	local result name option failed=0 n=0
	local -a opts

	need_shared "$INFERNO"
	for result in "$SHARED/$INFERNO"/results/*.txt; do
		name=$(basename "$result" .txt)
		option=${name#*-collapsed}
		name=${name%-collapsed*}
		opts=()
		[ -z "$option" ] || opts+=("-$option")
		# To it, cycles:u and cycles are one event.
		[ "$name" != single-line-stacks ] ||
			opts+=(--event-filter cycles)
		stackcollapse-perf -q "${opts[@]}" "$SHARED/$INFERNO/$name.txt" |
			as_inferno "$name" >out
		if ! diff "$result" out; then
			echo "# $name ${opts[*]}"
			failed=1
		fi
		n=$((n + 1))
	done
	[ $n -eq 8 ] && [ $failed -eq 0 ]
}

# lines COMMAND...: what it prints, without metadata.
lines() {
	"$@" | grep -v '^#'
}

# total COLUMN: the sum of a column of whole counts, exact in 2^53.
total() {
	grep -v '^#' | awk -v back="$1" '{ n += $(NF - 2 + back) }
		END { printf "%d\n", n }'
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

@test "every difference is of a class that the manual lists" {
	local suite class rest

	need_shared "$FLAMEGRAPH"
	need_shared "$INFERNO"
	run -0 --separate-stderr "$top_srcdir/t/compare/peers" "$SHARED"
	[ -z "$stderr" ]
	[ "${#lines[@]}" -ge 10 ]
	while read -r suite class rest; do
		[ "$class" != equal ] || continue
		grep -qx "\.It $class" "$top_srcdir/man/foldstack-migration.7" ||
			! echo "$suite: $class: $rest"
	done <<<"$output"
}

@test "a difference that no class explains is status 1" {
	need_shared "$FLAMEGRAPH"
	need_shared "$INFERNO"
	mkdir other
	mkdir other/fixtures
	cp -r "$SHARED"/fixtures/{flamegraph,inferno} other/fixtures
	chmod -R u+w other
	sed -i '1s/[a-z]/Q/2' other/fixtures/inferno/diff-folded/results/default.txt
	run -1 --separate-stderr "$top_srcdir/t/compare/peers" other
	[[ $output == *'inferno     unexplained    1 case, 2 lines'* ]]
	[[ $stderr == *'diff-default: '* ]]
}
