#!/usr/bin/env bats
# pipeline.bats - the commands together, from a trace to a picture.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# The sum of the last column.
total() {
	awk '!/^#/ { n += $NF } END { printf "%.0f\n", n }' "$@"
}

# drawn FILE TOTAL: FILE is a picture of this total, which may be in ns.
drawn() {
	xmllint --noout --nonet "$1"
	grep -o '<title>all ([0-9,.]* [a-z]*' "$1" | head -n 1 |
		awk -v total="$2" '{
			gsub(/[(,]/, "")
			ns = $3 == "ms" ? 1e6 : $3 == "s" ? 1e9 : 1
			off = $2 * ns - total
			exit off > ns / 2000 || off < -ns / 2000
		}'
}

@test "every trace becomes a well-formed picture of its whole" {
	local in n=0

	for in in "$DATA"/perf/*.in; do
		stackcollapse-perf -q "$in" >folded
		[ -s folded ] || continue
		flamegraph -q folded >out.svg
		echo "# $in"
		drawn out.svg "$(total folded)"
		n=$((n + 1))
	done
	[ $n -gt 10 ]
}

@test "filters of others fit between" {
	stackcollapse-perf -q "$DATA/perf/jit.in" >folded
	grep node folded | sed 's/v8::internal::/v8::/g' |
		awk '{ n = $NF; sub(/ [^ ]*$/, ""); print $0 ";x " 2 * n }' |
		flamegraph >out.svg
	drawn out.svg $((2 * $(grep node folded | total)))
	grep -q '<title>x (' out.svg
}

@test "streams, metadata and merging do not change the picture" {
	for in in "$DATA"/perf/{cpp,jit,oddcomm}.in; do
		stackcollapse-perf --all "$in" | flamegraph --static >plain.svg
		stackcollapse-perf --all --samples "$in" | foldmerge |
			flamegraph --static >stream.svg
		cmp plain.svg stream.svg
		stackcollapse-perf --all "$in" >whole
		awk 'NR % 2' whole >odd
		awk 'NR % 2 == 0' whole >even
		foldmerge even odd | cmp - whole
		stackcollapse-perf --all --meta "$in" |
			foldmerge --meta | foldmerge | cmp - whole
	done
}

@test "two profiles side by side become a picture of their difference" {
	printf '%s\n' 'main;a 10' 'main;b 5' >before
	printf '%s\n' 'main;a 10' 'main;c 7' >after
	awk 'NR == FNR { n[$1] = $2; next } { m[$1] = $2 }
		END { for (s in n) print s, n[s] + 0, m[s] + 0
		for (s in m) if (!(s in n)) print s, 0, m[s] }' \
		before after | foldmerge >two
	[ "$(head -n 1 two)" = '#fold=1;counts=2' ]
	flamegraph two >out.svg
	drawn out.svg 17
}

@test "a program under perf becomes a picture" {
	command -v perf >/dev/null || skip "no perf here"
	# shellcheck disable=SC2016 # the inner shell counts
	perf record -q -e cpu-clock -F 997 -g -o perf.data -- \
		sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done' \
		>log 2>&1 || skip "perf may not record here"
	perf script -i perf.data >text 2>/dev/null
	[ -s text ] || skip "perf recorded nothing"
	run -0 --separate-stderr stackcollapse-perf --strict --all text
	[[ $stderr != *'skipped'* ]]
	printf '%s\n' "$output" >folded
	[ "$(stackcollapse-perf -q --count samples text | total)" -eq \
		"$(grep -c cpu-clock text)" ]
	flamegraph --colors java folded >out.svg
	drawn out.svg "$(total folded)"
}

@test "an error in the middle does not pass for a picture" {
	run -2 --separate-stderr bash -o pipefail -c \
		'stackcollapse-perf /nowhere | flamegraph'
	[[ $stderr == *'/nowhere: No such file'* ]]
	echo 'no trace' >text
	run -2 bash -o pipefail -c 'stackcollapse-perf text | flamegraph'
}

# If they are meant to differ: make doc/flamegraph.svg doc/diff.svg.
@test "the README's pictures are what is drawn today" {
	flamegraph --static --width 900 \
		--title 'flamegraph, drawing 100,000 stacks' \
		"$top_srcdir/doc/flamegraph.folded" |
		cmp - "$top_srcdir/doc/flamegraph.svg"
	flamegraph --static --width 900 --minwidth 2 \
		--title 'flamegraph --no-deflate, then flamegraph' \
		"$top_srcdir/doc/diff.folded.gz" |
		cmp - "$top_srcdir/doc/diff.svg"
}
