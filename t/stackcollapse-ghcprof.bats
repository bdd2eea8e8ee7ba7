#!/usr/bin/env bats
# stackcollapse-ghcprof.bats - the reader of traces of ghcprof.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

@test "ghcprof: each profile gives its stacks, with sums as GHC has them" {
	local in=$DATA/ghcprof/report.in

	golden ghcprof
	[ "$(stackcollapse-ghcprof "$in" |
		awk '{ n += $NF } END { print n }')" -eq \
		"$(sed -n 's/^.*(\([0-9]*\) ticks.*/\1/p' "$in")" ]
	[ "$(stackcollapse-ghcprof --alloc "$in" |
		awk '{ n += $NF } END { print n }')" -eq \
		"$(sed -n 's/^.*alloc = \([0-9,]*\) .*/\1/p' "$in" |
			tr -d ,)" ]
}

@test "ghcprof: counts from percentages are said to be" {
	run -0 --separate-stderr stackcollapse-ghcprof "$DATA/ghcprof/percent.in"
	[[ $stderr == *"rounded percentages; record with +RTS -P"* ]]
}

@test "ghcprof: a row too deep for what is above it is not understood" {
	sed '/^ CAF/d' "$DATA/ghcprof/report.in" >p
	run -1 --separate-stderr stackcollapse-ghcprof --strict p
	[[ $stderr == *"p:"*": not a row of cost centres"* ]]
}

@test "ghcprof: a tree a million deep is read" {
	awk 'BEGIN {
		printf "{\"profile\":"
		for (i = 0; i < 1000000; i++)
			printf "{\"id\":1,\"children\":["
		printf "{\"ticks\":2}"
		for (i = 0; i < 1000000; i++)
			printf "]}"
		print "}"
	}' >deep
	run -0 --separate-stderr stackcollapse-ghcprof deep
	[ "${output##*;}" = "[unknown] 2" ]
}

@test "ghcprof: functions that are named total" {
	local in=$DATA/ghcprof/percent.in name

	stackcollapse-ghcprof -q --alloc "$in" | sort >expected
	for name in total "total time"; do
		sed "s/^\\( *\\)fib  *Main/\\1$name  Main/" "$in" >p
		run -0 stackcollapse-ghcprof -q --alloc p
		[[ $output == *";Main.$name "* ]]
		diff expected <(sort <<<"${output//.$name/.fib}")
	done
}

@test "ghcprof: a tick interval that cannot be is none" {
	local us

	# Microseconds, which --count time prints as nanoseconds.
	timed() {
		echo '{"cost_centres": [{"id": 1, "label": "a", "module": "M"}],
			"tick_interval": '"$1"',
			"profile": {"id": 1, "ticks": 3, "children": []}}' |
			stackcollapse-ghcprof --count time
	}
	run -0 timed 1
	[ "$output" = 'M.a 3000' ]
	run -0 timed 4294967294
	[ "$output" = 'M.a 12884901882000' ]
	for us in 0 -1 4294967295 '"x"'; do
		run -2 timed "$us"
	done
}
