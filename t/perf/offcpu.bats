#!/usr/bin/env bats
# offcpu.bats - what stackcollapse-perf promises of threads that wait.

load ../helper

setup_file() {
	export RECORDINGS=$BATS_FILE_TMPDIR

	xz -dc "$DATA/waits/naps.data.xz" >"$RECORDINGS/naps.data"
	xz -dc "$DATA/waits/symfs.tar.xz" | tar -C "$RECORDINGS" -xf -
}

# fold FILE [OPTION...]: the recording, with the names of its machine.
fold() {
	stackcollapse-perf --symfs "$RECORDINGS" \
		--kallsyms "$RECORDINGS/kallsyms" "$@"
}

same() {
	diff -u "$1" "$2" >&2
}

# Sums by the first frame: "tid-7 1234", sorted.
sums() {
	awk '{ sub(/;.*/, "", $1); n[$1] += $NF }
		END { for (i in n) print i, n[i] }' | sort
}

# between THREADS SUMS: whether each thread of t/programs/naps has the time that it
# measured itself: from its first instruction to its last, or from before it
# was made to when it was joined; within 1 %.
between() {
	awk 'NR == FNR { low[$1] = $3; high[$1] = $6; next }
		{ sub(/^tid-/, "", $1) }
		$1 in low && $2 >= 0.99 * low[$1] && $2 <= 1.01 * high[$1] { n++ }
		END { exit n != 3 }' "$1" "$2"
}

# A recording by records.  Events have ids, for which the samples begin with
# IDENTIFIER: 1 for cpu-clock, which brings switches along, 2 for what else.
recording() {
	{
		echo "64 0 4:1 4:128 8:0 8:1000 8:0x10127 8:0" \
			"8:${flags:-0x4040002} 80:0 8:1"
		echo "64 0 4:1 4:128 8:${other:-3} 8:1 8:${type:-0x10027} 8:0" \
			"8:0x40002 80:0 8:2"
		cat
	} | "$top_builddir/t/programs/mkperf"
}

# Lines of records for recording(): of thread 7, at a time.
trailer() {
	echo "4:7 4:7 8:$1 8:1"
}

switch_in() {
	echo "14 0 $(trailer "$1")"
}

switch_out() {
	echo "14 0x2000 $(trailer "$1")"
}

preempted() {
	echo "14 0x6000 $(trailer "$1")"
}

sample() {
	echo "9 2 8:1 8:4096 4:7 4:7 8:$1 8:1000 8:2 8:0xfffffffffffffe00 8:4096"
}

# A thread leaves its CPU, seen with its stack.
leaves() {
	echo "9 2 8:2 8:8192 4:7 4:7 8:$1 8:2 8:0xfffffffffffffe00 8:8192"
}

named() {
	echo "3 0 4:7 4:7 8:'demo $(trailer "$1")"
}

threads() {
	echo "73 0 8:1 8:7 16:'demo"
}

@test "--off-cpu folds what threads waited for, --wall all their time" {
	local what

	for what in off-cpu wall; do
		fold -q --$what "$RECORDINGS/naps.data" >"$BATS_TEST_TMPDIR/out"
		same "$DATA/waits/naps.$what" "$BATS_TEST_TMPDIR/out"
	done
}

@test "a recording with switches gives from a pipe what it gives as a file" {
	# shellcheck disable=SC2002 # a file would be no pipe
	cat "$RECORDINGS/naps.data" | fold -q --wall >"$BATS_TEST_TMPDIR/out"
	same "$DATA/waits/naps.wall" "$BATS_TEST_TMPDIR/out"
}

@test "--wall gives each thread its wall time within 1 %" {
	fold -q --wall --root tid "$RECORDINGS/naps.data" | sums \
		>"$BATS_TEST_TMPDIR/sums"
	cat "$BATS_TEST_TMPDIR/sums"
	between "$DATA/waits/naps.threads" "$BATS_TEST_TMPDIR/sums"
}

@test "--off-cpu is the waits of --wall, without time in the run queue" {
	fold -q --wall "$RECORDINGS/naps.data" |
		grep -v -e 'state:run' | sed -n 's/;state:[a-z_]* / /p' |
		sort >"$BATS_TEST_TMPDIR/right"
	fold -q --off-cpu "$RECORDINGS/naps.data" | sort \
		>"$BATS_TEST_TMPDIR/out"
	same "$BATS_TEST_TMPDIR/right" "$BATS_TEST_TMPDIR/out"
}

@test "--wall --samples is a stream in the order of time, of the same sums" {
	local out=$BATS_TEST_TMPDIR/out

	fold -q --wall --samples "$RECORDINGS/naps.data" >"$out"
	[[ $(head -n 1 "$out") == "#fold=1;counts=1;unit=ns;clock=perf;event=wall" ]]
	grep -o 'time=[0-9.]*' "$out" >"$BATS_TEST_TMPDIR/times"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/times")" -gt 300 ]
	sort -c "$BATS_TEST_TMPDIR/times"
	grep -v '^#' "$out" | LC_ALL=C awk '{ n[$1] += $2 }
		END { for (i in n) print i, n[i] }' | sort >"$out.sum"
	sort "$DATA/waits/naps.wall" >"$out.right"
	same "$out.right" "$out.sum"
}

@test "other events stand in that stream, if all are wanted" {
	{
		named 1000
		switch_in 1000
		leaves 1500 # an event of another kind here
		sample 2000
		switch_out 3000
		switch_in 5000
		leaves 5500
	} | other=2 recording >"$BATS_TEST_TMPDIR/data"
	set -- -q --wall --samples --root none --symfs / "$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf --event-filter all "$@"
	[ "$output" = '#fold=1;counts=1;clock=perf
#time=0.000001500;pid=7;tid=7;event=page-faults
[unknown] 1
#time=0.000002000;pid=7;tid=7;event=wall
[unknown] 1000
#time=0.000005000;pid=7;tid=7;event=wall
state:waiting 2000
#time=0.000005500;pid=7;tid=7;event=page-faults
[unknown] 1
#time=0.000005500;pid=7;tid=7;event=wall
state:running 1500' ]
	run -0 stackcollapse-perf "$@"
	[[ $output != *page-faults* ]]
}

@test "a sample of a stream says how many records were lost before it" {
	{
		named 1000
		sample 2000
		echo "2 0 8:1 8:3 $(trailer 2500)"
		sample 3000
	} | recording >"$BATS_TEST_TMPDIR/data"
	for what in '' --wall; do
		run -0 stackcollapse-perf -q --samples --event-filter all \
			${what:+$what} --symfs / "$BATS_TEST_TMPDIR/data"
		grep -q '^#time=0.000003000;.*;lost=3' <<<"$output"
		[ "$(grep -c lost <<<"$output")" -eq 1 ]
	done
}

@test "what perf counts as lost when it ends is not lost once more" {
	local counted

	for counted in 2 3 5; do
		{
			named 1000
			sample 2000
			echo "2 0 8:1 8:3 $(trailer 2500)"
			sample 3000
			echo "13 0 8:$counted $(trailer 0)"
			# These a filter left out.
			echo "13 0x8000 8:9 $(trailer 0)"
		} | recording >"$BATS_TEST_TMPDIR/data"
		run -0 --separate-stderr stackcollapse-perf --samples \
			--symfs / "$BATS_TEST_TMPDIR/data"
		[ "$(grep -o 'lost=.*' <<<"$output")" = lost=3 ]
		[[ $stderr == *" $((counted > 3 ? 5 : 3)) records were lost"* ]]
	done
}

@test "a wait lasts from one switch to the other, with the stack of the first" {
	{
		named 1000
		switch_in 1000
		sample 2000
		leaves 3000
		switch_out 3010
		switch_in 5000
		preempted 5500
		switch_in 5600
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --wall --symfs / \
		"$BATS_TEST_TMPDIR/data"
	# It ran from 1000 to 3010, to 5500, of which a sample is 1000.
	[ "$output" = 'demo;[unknown] 1000
demo;[unknown];state:waiting 1990
demo;state:running 1510
demo;state:runqueue 100' ]
	[[ $stderr != *"time is unknown"* ]]
	run -0 --separate-stderr stackcollapse-perf --off-cpu --symfs / \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo;[unknown] 1990' ]
}

@test "a switch that comes after its round, from before the start, is no wait" {
	{
		echo "3 0 4:8 4:8 8:'late 4:8 4:8 8:0 8:1"
		switch_in 2000
		echo "68 0"
		switch_out 3000
		echo "68 0"
		switch_in 4000
		echo "68 0"
		echo "14 0 4:8 4:8 8:1500 8:1"
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --off-cpu --root tid \
		--symfs / "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'tid-7 1000' ]
}

@test "callers of a wait that are recorded behind it are joined to it" {
	{
		named 1000
		switch_in 1000
		# In the kernel, and the rest under the number 5.
		echo "9 1 8:2 8:8192 4:7 4:7 8:2000 8:4 8:0xffffffffffffff80" \
			"8:0xffffffff81000000 8:0xfffffffffffffd80 8:5"
		switch_out 2010
		switch_in 5010
		echo "22 0 8:5 8:2 8:0xfffffffffffffe00 8:4096 $(trailer 5020)"
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --off-cpu --symfs / \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo;[unknown];[[kernel]] 3000' ]
}

@test "a thread that executes a program goes on as the first of its process" {
	# perf tells that 7 has ended, and then that it executed a program: it
	# was 8, whose own end nobody tells.
	{
		threads
		switch_in 1000
		echo "7 0 4:7 4:7 4:8 4:7 8:1000 $(trailer 1000)"
		switch_out 2000
		echo "14 0 4:7 4:8 8:2000 8:1"
		echo "4 0 4:7 4:1 4:7 4:1 8:2500 $(trailer 2500)"
		echo "3 0x2000 4:7 4:7 8:'other $(trailer 3000)"
		sample 4000
		switch_out 5000
		switch_in 9000
		sample 10000
		echo "4 0 4:7 4:1 4:7 4:1 8:10000 $(trailer 10000)"
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf -q --wall --root tid --symfs / \
		"$BATS_TEST_TMPDIR/data"
	echo "$output"
	[ "$(sums <<<"$output")" = 'tid-7 8500
tid-8 2000' ]
}

@test "waits from before the recording, and to its end, count" {
	{
		threads
		named 0
		echo "3 0 4:8 4:8 8:'other 4:8 4:8 8:1000 8:1"
		switch_in 3000
		switch_out 4000
		echo "3 0 4:8 4:8 8:'other 4:8 4:8 8:9000 8:1"
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf -q --wall "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo;state:running 1000
demo;state:waiting 7000' ]
}

@test "perf's own child, and all threads of a machine, are not waits" {
	{
		threads
		named 0
		echo "3 0 4:9 4:9 8:'perf 4:0 4:0 8:0 8:0"
		switch_in 3000
		switch_out 4000
		switch_in 5000
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf -q --off-cpu "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo 1000' ]
	# Of a thread that never ran nothing is known with perf record -a.
	{
		echo "73 0 8:1 8:0xffffffffffffffff 16:'x"
		named 0
		echo "3 0 4:9 4:9 8:'idle 4:0 4:0 8:0 8:0"
		echo "3 0 4:8 4:8 8:'other 4:8 4:8 8:1000 8:1"
		switch_in 3000
		switch_out 4000
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf -q --wall "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo;state:running 1000
demo;state:waiting 2000' ]
}

@test "switches that were lost are said, and the time is state:unknown" {
	{
		named 1000
		switch_in 1000
		switch_out 2000
		sample 5000
		switch_out 6000
		switch_in 6500
		switch_in 9500
	} | recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --wall --symfs / \
		"$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"2 thread switches were lost while recording"* ]]
	[[ $stderr == *"% of the threads' time is unknown"* ]]
	[[ $output == *'demo;state:unknown 6000'* ]]
	[ "$(sums <<<"$output")" = "demo 8500" ]
	run -0 stackcollapse-perf -q --off-cpu "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo 500' ]
}

@test "waits that perf record --off-cpu made are taken as they are" {
	# The name of the event, then a wait as perf before 6.16 wrote it.
	{
		echo "78 0 8:2 8:2 16:'offcpu-time"
		named 0
		echo "9 2 8:2 8:8192 4:7 4:7 8:0xffffffff00000000 8:4711 8:2" \
			"8:0xfffffffffffffe00 8:8192"
	} | other=10 type=0x10127 recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --off-cpu --symfs / \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo;[unknown] 4711' ]
	run -0 stackcollapse-perf -q --off-cpu --samples "$BATS_TEST_TMPDIR/data"
	[[ $output != *time=* ]]
	# Since then: process, time and chain are in the raw bytes.
	{
		echo "78 0 8:2 8:2 16:'offcpu-time"
		named 0
		echo "9 2 8:2 8:1 4:0 4:0 8:5000 8:1 4:44 4:7 4:7 8:4712 8:2" \
			"8:0xfffffffffffffe00 8:8192 4:0"
	} | other=10 type=0x10507 recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --off-cpu --symfs / \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo;[unknown] 4712' ]
	# Registers and a stack beside them are of whoever ran then.
	{
		echo "64 0 4:1 4:128 8:10 8:1 8:0x3506 8:0 8:0x40000 32:0" \
			"8:0x180 40:0 8:1"
		echo "78 0 8:2 8:1 16:'offcpu-time"
		echo "9 2 4:0 4:0 8:5000 8:1 4:44 4:7 4:7 8:4713 8:2" \
			"8:0xfffffffffffffe00 8:8192 4:0" \
			"8:2 8:16384 8:20480 8:8 8:0 8:8"
	} | "$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --off-cpu --root tid \
		--symfs / "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'tid-7;[unknown] 4713' ]
	# So is the control group; that of who waited is behind the chain.
	{
		echo "64 0 4:1 4:128 8:10 8:1 8:0x200406 8:0 8:0x40000 80:0 8:1"
		echo "78 0 8:2 8:1 16:'offcpu-time"
		echo "19 0 8:111 8:'/ran 4:0 4:0 8:0"
		echo "19 0 8:222 8:'/waited 4:0 4:0 8:0"
		echo "9 2 4:0 4:0 8:5000 4:52 4:7 4:7 8:4714 8:2" \
			"8:0xfffffffffffffe00 8:8192 8:222 4:0 8:111"
	} | "$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --off-cpu \
		--root cgroup,tid --symfs / "$BATS_TEST_TMPDIR/data"
	[ "$output" = '/waited;tid-7;[unknown] 4714' ]
}

@test "switches that a group only counts tell of no waits" {
	# perf record -e '{cpu-clock,context-switches}:S'; of each sample: IP,
	# TID, TIME, ID, and for each event a count and its id.
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data" <<-'END'
		64 0 4:1 4:128 8:0 8:100 8:0x57 8:0xc 8:0x40000 80:0 8:1
		64 0 4:1 4:128 8:3 8:0 8:0x57 8:0xc 8:0x40000 80:0 8:2
		9 2 8:16 4:7 4:7 8:100 8:1 8:2 8:100 8:1 8:1 8:2
		9 2 8:16 4:7 4:7 8:200 8:1 8:2 8:200 8:1 8:2 8:2
	END
	run -2 --separate-stderr stackcollapse-perf --off-cpu \
		"$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"no thread switches"* ]]
}

@test "without switches, --off-cpu is status 2, and --wall says so" {
	local file=$BATS_TEST_TMPDIR/fp_basic.data

	xz -dc "$DATA/perfdata/fp_basic.data.xz" >"$file"
	run -2 --separate-stderr stackcollapse-perf --off-cpu "$file"
	[[ $stderr == *"no thread switches"*"--switch-events"* ]]
	[ -z "$output" ]
	run -0 --separate-stderr stackcollapse-perf --wall --symfs / "$file"
	[[ $stderr == *"no thread switches"*"--switch-events"* ]]
	[ "$(sums <<<"$output")" = "$(stackcollapse-perf -q --symfs / "$file" |
		sums)" ]
}

@test "where no stacks of waits are recorded, that is said" {
	{
		named 1000
		switch_out 1000
		switch_in 2000
	} | other=9 recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --off-cpu \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'demo 1000' ]
	[[ $stderr == *"no stacks of waits were recorded"* ]]
}

@test "waits are of the control group of their thread" {
	{
		echo "19 0 8:4711 16:'/x.service 4:0 4:0 8:0 8:1"
		named 1000
		switch_in 1000
		echo "9 2 8:2 8:8192 4:7 4:7 8:2000 8:4711"
		switch_out 2000
		switch_in 5000
	} | type=0x210007 recording >"$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf -q --off-cpu --root cgroup,comm --symfs / \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = '/x.service;demo;[unknown] 3000' ]
}

@test "what the kernel did and nobody was allowed to see is said" {
	{
		named 1000
		switch_in 1000
		sample 2000
		switch_out 4000
		switch_in 5000
	} | flags=0x4040022 recording >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --wall --symfs / \
		"$BATS_TEST_TMPDIR/data"
	[[ $stderr == *"67 % of the time on CPUs has no samples: kernel samples need permission"* ]]
	[[ $stderr == *"no stacks of waits were recorded: kernel stacks need permission"* ]]
}

@test "text has no waits: status 2" {
	run -2 --separate-stderr stackcollapse-perf --wall <<<'a 7 1.5: 1 cycles:'
	[[ $stderr == *"need perf.data itself"* ]]
}

# By perf's text: "TID NS", for waits between switches that do not preempt.
perf_waits() {
	perf script --show-switch-events -F tid,time,event -i "$1" 2>/dev/null |
		awk '$3 == "PERF_RECORD_SWITCH" {
			sub(/:$/, "", $2)
			if ($4 == "IN" && ($1 in out))
				n[$1] += $2 - out[$1]
			delete out[$1]
			if ($4 == "OUT" && $5 != "preempt")
				out[$1] = $2
		}
		END { for (i in n) printf "tid-%d %.0f\n", i, n[i] * 1e9 }' |
		sort
}

@test "waits are as long as perf's text says, on a recording of today" {
	local data=$BATS_TEST_TMPDIR/perf.data threads=$BATS_TEST_TMPDIR/threads

	command -v perf >/dev/null || skip "no perf"
	perf record -q -e cpu-clock -e context-switches/period=1/ \
		--switch-events -g -o "$data" \
		"$top_builddir/t/programs/naps" >"$threads" 2>/dev/null ||
		skip "not allowed to record"
	stackcollapse-perf -q --wall --root tid "$data" | sums \
		>"$BATS_TEST_TMPDIR/sums"
	between "$threads" "$BATS_TEST_TMPDIR/sums"
	stackcollapse-perf -q --off-cpu --root tid "$data" | sums \
		>"$BATS_TEST_TMPDIR/out"
	# perf prints microseconds; what lasts to the end has no return.
	perf_waits "$data" | join - "$BATS_TEST_TMPDIR/out" >"$data.both"
	[ "$(wc -l <"$data.both")" -ge 2 ]
	awk '$2 < 0.999 * $3 - 1e5 || $2 > 1.001 * $3 + 1e5 { exit 1 }' \
		"$data.both"
}
