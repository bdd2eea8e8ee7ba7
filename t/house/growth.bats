#!/usr/bin/env bats
# growth.bats - input of twice the size takes at most 2.3 times the instructions:
# t/growth has the shapes.

load ../helper

setup() {
	need_plain "sanitizers change the number of instructions"
	need_native
	command -v valgrind >/dev/null || skip "no valgrind"
}

# grows_slowly LINES: an extended regular expression.
grows_slowly() {
	GROWTH=$1 run -0 "$top_srcdir/t/growth" -i
	[[ $output == *' lines '* && $output != *GROWS* ]]
	# All were measured.
	[[ $output != *' lines          0 '* ]]
}

@test "foldmerge and flamegraph, with folded text of bad shapes" {
	grows_slowly ': foldmerge$|^(distinct|deep|prefixes): flamegraph$'
}

@test "stackcollapse-perf, with perf script text of all shapes" {
	grows_slowly '^perf-.*: stackcollapse-perf$'
}

@test "collapsers, with traces of distinct functions" {
	grows_slowly '^distinct:'
}

@test "readers of JSON, pprof and pictures, and foldsplit" {
	grows_slowly '^(cpuprofile|stackprof|pprof:|svg:|calls).*: '
}

@test "stackcollapse-v8, -ghcprof and -memprof, with bad shapes" {
	grows_slowly '^(heap-(deep|reverse)|ghc-json-(deep|reverse)|ghc-report-deep|memprof-(late|resize)): .*(v8|ghcprof|--live)$'
}

@test "stackcollapse-jfr, with bad shapes" {
	grows_slowly '^jfr-(deep|chunks|types: .*samples|reverse: .*samples)'
}

@test "jitsym, with maps and stacks of bad shapes" {
	grows_slowly '^jitsym-(deep|reverse|nested|covered): '
}

@test "debug information of bad shapes" {
	need_process_side
	grows_slowly '^dwarf-'
}

@test "what grows faster is noticed" {
	cat >"$BATS_TEST_TMPDIR/foldmerge" <<-'END'
		#!/bin/sh
		n=$(wc -l) i=0
		while [ $i -lt $((n * n / 2000)) ]; do i=$((i + 1)); done
	END
	chmod +x "$BATS_TEST_TMPDIR/foldmerge"
	GROWTH='^wide: foldmerge$' GROWTH_PATH=$BATS_TEST_TMPDIR \
		run -1 "$top_srcdir/t/growth" -i
	[[ $output == *GROWS* ]]
}
