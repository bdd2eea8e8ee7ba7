#!/usr/bin/env bats
# branches.bats - calls among the branch records of samples.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p symfs/tmp
	printf '%s\n' '100000 100 main' '100100 100 parse' '100200 100 read' \
		>symfs/tmp/perf-7.map
}

# event SELECTED: cpu-clock; samples of IP, TID, TIME, PERIOD, BRANCH_STACK.
event() {
	echo "64 0 4:1 4:128 8:0 8:1 8:0x907 8:0 8:0x40000 24:0 8:$1 48:0"
	echo "3 2 4:7 4:7 8:'prog 4:7 4:7 8:0"
	echo "1 2 4:7 4:7 8:0x100000 8:0x1000 8:0 16:'//anon 4:7 4:7 8:0"
}

# sample FROM TO FLAGS...: the newest branch first.
sample() {
	printf '9 2 8:0x100210 4:7 4:7 8:1000 8:250000 8:%d' $(($# / 3))
	printf ' 8:%s' "$@"
	echo
}

mkperf() {
	"$top_builddir/t/programs/mkperf"
}

fold() {
	stackcollapse-perf --symfs symfs --branches "$@" data
}

# Types of branches in their flags: conditional, a call, an indirect call and a
# return.
conditional=0x100000 call=0x400000 indirect=0x500000 return=0x600000

@test "calls are counted by their caller and the called function" {
	{
		event 0x1000a # any, user, save_type
		sample 0x100110 0x100200 $call 0x100130 0x100108 $conditional \
			0x100220 0x100114 $return 0x100110 0x100200 $call \
			0x100010 0x100100 $indirect
		sample 0x100020 0x100100 $call 0 0 $call
	} | mkperf >data
	run -0 --separate-stderr fold --meta
	[[ ${lines[0]} == *';unit=calls;'*';event=calls;'* ]]
	[ "${lines[1]}" = 'prog;main;parse 2' ]
	[ "${lines[2]}" = 'prog;parse;read 2' ]
	[ ${#lines[@]} -eq 3 ]
	[[ $stderr != *branch* ]]
	fold -q <data | diff - <(fold -q)
}

@test "an event that selects calls has no types; others need them" {
	{
		event 0x12 # any_call, user
		sample 0x100110 0x100200 0 0x100010 0x100100 0
	} | mkperf >data
	run -0 --separate-stderr fold
	[ "$output" = $'prog;main;parse 1\nprog;parse;read 1' ]
	[[ $stderr != *branch* ]]
	{
		event 0xa # any, user
		sample 0x100110 0x100200 0 0x100010 0x100100 $call
	} | mkperf >data
	run -0 --separate-stderr fold
	[ "$output" = 'prog;main;parse 1' ]
	[[ $stderr == *"skipped 1 branch of unknown type: record with perf record -j any_call"* ]]
}

@test "counters of branches are skipped, and what follows them is read" {
	{
		# any_call, user, counters; and control groups
		event 0x80012 | sed '1s/0x907/0x200907/'
		echo "19 0 8:5 8:'/a.slice 4:7 4:7 8:0"
		sample 0x100110 0x100200 0 0x100010 0x100100 0 |
			sed 's/$/ 8:1 8:2 8:5/'
	} | mkperf >data
	run -0 --separate-stderr fold -q --root cgroup
	[ "$output" = $'/a.slice;main;parse 1\n/a.slice;parse;read 1' ]
}

@test "without branches, and with those of call stacks, the status is 2" {
	{
		event 0x802 # call_stack, user
		sample 0x100110 0x100200 0 0x100010 0x100100 0
	} | mkperf >data
	run -2 --separate-stderr fold
	[[ $stderr == *"the samples have no branches: record with perf record -j any_call"* ]]
	run -2 --separate-stderr stackcollapse-perf --branches <<<'a 7 1.5: 1 cycles:'
	[[ $stderr == *"--branches need perf.data itself"* ]]
}

@test "the branches are those that perf script prints" {
	perf version >/dev/null 2>&1 || skip "no perf"
	{
		event 0x12
		sample 0x100110 0x100200 0 0x100010 0x100100 0 \
			0x100210 0x100100 0
	} | mkperf >data
	perf script -F brstack -i data >printed 2>/dev/null &&
		grep -q 0x100110/0x100200 printed ||
		skip "perf script prints no branches of this file"
	grep -o '0x[0-9a-f]*/0x[0-9a-f]*' printed |
		sed 's/0x1000../main/g; s/0x1001../parse/g; s/0x1002../read/g
			s|/|;|; s/^/prog;/' | sort | uniq -c |
		awk '{ print $2, $1 }' >expected
	[ "$(wc -l <expected)" -eq 3 ]
	fold -q | diff expected -
}

@test "--branches is the same by threads, and from a pipe" {
	{
		event 0x12
		for _ in {1..500}; do
			sample 0x100110 0x100200 0 0x100010 0x100100 0
		done
	} | mkperf >data
	run -0 fold -q --threads 3
	[ "$output" = $'prog;main;parse 500\nprog;parse;read 500' ]
	run -0 stackcollapse-perf -q --symfs symfs --branches - <data
	[ "$output" = $'prog;main;parse 500\nprog;parse;read 500' ]
}
