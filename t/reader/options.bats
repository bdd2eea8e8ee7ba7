#!/usr/bin/env bats
# options.bats - the options of all collapsers are honoured or refused.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# each COMMAND FILE: the collapsers, each with data of its format.
each() {
	local format in

	for format in austin bpftrace callgrind chrome dtrace excimer \
		faulthandler gdb ghcprof gperftools jstack luajit memprof \
		pmp pprof speedscope stackprof stap sysprof typhon v8 vmprof \
		xdebug; do
		for in in "$DATA/$format"/*.in; do
			[ -e "$in" ] || continue
			echo "# $format $in"
			"$@" "stackcollapse-$format" "$in"
			break
		done
	done
}

refuses_cpu() {
	run -2 --separate-stderr "$1" --only cpu=0 "$2"
	[ -z "$output" ]
	[[ $stderr == *"no sample of this trace has a cpu" ]]
	run -2 --separate-stderr "$1" --root host,cpu "$2"
	[ -z "$output" ]
	[[ $stderr == *"no sample of this trace has a cpu"* ]]
}

@test "--only and --root of what no sample has are status 2, in all readers" {
	each refuses_cpu
	printf 'a 1 1.0: 5 cycles: \n\t 12 f+0x1 (/bin/x)\n\n' >text
	refuses_cpu stackcollapse-perf text
	run -2 --separate-stderr stackcollapse-perf --only pid=1 text
	[[ $stderr == *"no sample of this trace has a pid" ]]
	run -0 stackcollapse-perf --only tid=1 text
	[ "$output" = 'a;f 5' ]
	# an input without samples has nothing to refuse
	run -0 stackcollapse-perf --only cpu=0 /dev/null
}

# Samples have times, or there is no stream of them.
has_times() {
	local stacks times

	run --separate-stderr "$1" -q --samples "$2"
	if [ "$status" -eq 2 ]; then
		[ -z "$output" ]
		[[ $stderr == *"the samples of this trace have no times" ]]
		return
	fi
	[ "$status" -eq 0 ]
	stacks=$(grep -vc '^#' <<<"$output" || true)
	times=$(grep -c '^#time=' <<<"$output" || true)
	[ "$stacks" -eq "$times" ]
}

@test "--samples gives each sample its time or is status 2, in all readers" {
	each has_times
}

@test "--samples of V8 and of trace events has the times of the file" {
	local command

	for command in "v8 $DATA/v8/cpuprofile.in" "v8 $DATA/v8/prof.in" \
		"chrome $DATA/chrome/clang.in" \
		"chrome --cpuprofile $DATA/chrome/v8.in"; do
		# shellcheck disable=SC2086 # words
		run -0 stackcollapse-$command -q --samples
		grep -q '^#time=' <<<"$output"
		# Added up, the stream is the profile.
		# shellcheck disable=SC2086 # words
		diff <(grep -v '^#' <<<"$output" | foldmerge) \
			<(stackcollapse-$command -q)
	done
	run -0 stackcollapse-v8 -q --samples "$DATA/v8/prof.in"
	[[ $output == *$'\n#time=0.009852000\n'* ]]
}

@test "--samples of trace events: the own time of a call comes in pieces" {
	cat >trace <<-'END'
	[{"name":"a","ph":"X","ts":100,"dur":50,"pid":1,"tid":2},
	{"name":"b","ph":"X","ts":110,"dur":20,"pid":1,"tid":2},
	{"name":"c","ph":"X","ts":200,"dur":5,"pid":1,"tid":2}]
	END
	run -0 stackcollapse-chrome --samples trace
	[ "$(sed 1d <<<"$output" | paste -d' ' - -)" = \
'#time=0.000100000;pid=1;tid=2 a 10
#time=0.000110000;pid=1;tid=2 a;b 20
#time=0.000130000;pid=1;tid=2 a 20
#time=0.000200000;pid=1;tid=2 c 5' ]
}

@test "--event-filter is status 2 where samples have no event" {
	run -2 --separate-stderr stackcollapse-v8 --event-filter cycles \
		"$DATA/v8/cpuprofile.in"
	[ -z "$output" ]
	[[ $stderr == *"the samples of this trace have no event" ]]
	run -0 stackcollapse-v8 --event-filter all "$DATA/v8/cpuprofile.in"
}

@test "processes of one name have roots of their own" {
	printf 'a %s 1.0: 1 cycles: \n\t 12 f+0x1 (/bin/x)\n\n' 1/1 1/1 2/2 1/1 >text
	run -0 stackcollapse-perf --root pid text
	[ "$output" = $'pid-1;f 3\npid-2;f 1' ]
}
