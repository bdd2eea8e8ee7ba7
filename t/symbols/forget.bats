#!/usr/bin/env bats
# forget.bats - what stackcollapse-perf promises of processes that have ended.

load ../helper

# A software event, with samples of address, thread, time, event and period.
event='64 0 4:1 4:128 8:0 8:1 8:0x147 8:0 8:0x40000 80:0 8:1'

# recorded PID TID MS: what ends a record that is no sample.
recorded() {
	echo "4:$1 4:$2 8:${3}000000 8:1"
}

# sample PID TID MS ADDRESS
sample() {
	echo "9 2 8:$4 4:$1 4:$2 8:${3}000000 8:1 8:1"
}

# begin PID PARENT MS [TID]: a process, or a thread of it.
begin() {
	echo "7 0 4:$1 4:$2 4:${4-$1} 4:$2 8:0 $(recorded "$1" "${4-$1}" "$3")"
}

# ends PID TID MS
ends() {
	echo "4 0 4:$1 4:1 4:$2 4:1 8:0 $(recorded "$1" "$2" "$3")"
}

# executes PID NAME MS: a program, with its code at 0x1000.
executes() {
	echo "3 0x2000 4:$1 4:$1 16:'$2 $(recorded "$1" "$1" "$3")"
	maps "$1" "/nowhere/$2" 0x1000 "$3"
}

# maps PID NAME ADDRESS MS
maps() {
	echo "10 2 4:$1 4:$1 8:$3 8:0x1000 8:0 24:0 4:5 4:2 32:'$2" \
		"$(recorded "$1" "$1" "$4")"
}

round() {
	echo '68 0'
}

# crowd SECOND [MS]: 6,000 short processes, each 10 ms or MS after another.
crowd() {
	awk -v begin="$1" -v step="${2-10}" 'BEGIN {
		for (i = 0; i < 6000; i++) {
			pid = 100000 + i
			ms = begin * 1000 + step * i
			end = sprintf("4:%d 4:%d 8:%d000000 8:1", pid, pid, ms)
			printf "7 0 4:%d 4:1 4:%d 4:1 8:0 %s\n", pid, pid, end
			printf "3 0x2000 4:%d 4:%d 16:%s %s\n", pid, pid,
				"\047short", end
			printf "10 2 4:%d 4:%d 8:0x1000 8:0x1000 8:0 24:0 " \
				"4:5 4:2 32:%s %s\n", pid, pid,
				"\047/nowhere/short", end
			printf "4 0 4:%d 4:1 4:%d 4:1 8:0 %s\n", pid, pid, end
			if (i % 50 == 0)
				print "68 0"
		}
	}'
}

fold() {
	{
		echo "$event"
		cat
		round
		round
	} | "$top_builddir/t/programs/mkperf" |
		stackcollapse-perf -q "$@" -
}

# peak KIND N [OPTION...]: the kilobytes in which a recording is folded.
peak() {
	local kind=$1 n=$2 result

	shift 2
	"$top_builddir/t/programs/plenty" "$kind" "$n" >"$BATS_TEST_TMPDIR/data"
	# A stream, which cannot be read twice.
	mkfifo "$BATS_TEST_TMPDIR/stream"
	cat "$BATS_TEST_TMPDIR/data" >"$BATS_TEST_TMPDIR/stream" 3>&- &
	result=$("$top_builddir/t/programs/cpu" "$BATS_TEST_TMPDIR/stream" \
		"$top_builddir/cmd/collapse/stackcollapse-perf" -q "$@" -)
	wait
	rm "$BATS_TEST_TMPDIR/stream" "$BATS_TEST_TMPDIR/data"
	echo "${result#* }"
}

@test "the memory for a stream does not grow with the processes that ended" {
	local kind small large options

	need_plain "a sanitizer keeps freed memory"
	for kind in tasks reused jits; do
		for options in '' '--samples --follow' --off-cpu; do
			# shellcheck disable=SC2086
			small=$(peak "$kind" 6000 $options)
			# shellcheck disable=SC2086
			large=$(peak "$kind" 24000 $options)
			echo "$kind $options: $small KB, $large KB"
			[ "$((large - small))" -lt 2500 ]
		done
	done
}

@test "nothing is lost of a stream with many processes" {
	"$top_builddir/t/programs/plenty" reused 12000 >"$BATS_TEST_TMPDIR/data"
	cd "$BATS_TEST_TMPDIR"
	stackcollapse-perf -q data >file
	# shellcheck disable=SC2002 # a file would be no stream
	cat data | stackcollapse-perf -q - >stream
	diff file stream
	[ "$(awk '{ n += $NF } END { print n }' stream)" -eq 24000 ]
}

@test "a late sample of a process that ended has its names" {
	run -0 fold < <(
		begin 50 1 1000
		executes 50 server 1001
		crowd 2
		begin 60 1 62000
		executes 60 client 62001
		ends 60 60 62002
		round
		crowd 63 1
		round
		round
		sample 60 60 62001 0x1100
	)
	[[ $output == *'client;[client] 1'* ]]
}

@test "a process with an old number has its own names" {
	run -0 fold < <(
		begin 50 1 1000
		executes 50 old 1001
		sample 50 50 1002 0x1100
		ends 50 50 1003
		begin 50 1 2000
		executes 50 new 2001
		sample 50 50 2002 0x1100
		round
		round
		sample 50 50 1002 0x1100 # which comes late
		crowd 3
		sample 50 50 64000 0x1100
		ends 50 50 64001
		crowd 65
		begin 50 1 126000
		executes 50 newest 126001
		sample 50 50 126002 0x1100
	)
	[ "${lines[0]}" = 'new;[new] 2' ]
	[ "${lines[1]}" = 'newest;[newest] 1' ]
	[ "${lines[2]}" = 'old;[old] 2' ]
	[ ${#lines[@]} -eq 3 ]
}

@test "a process lives as long as one of its threads" {
	run -0 fold < <(
		begin 50 1 1000
		executes 50 server 1001
		begin 50 50 1002 51
		ends 50 50 1003
		crowd 2
		sample 50 51 63000 0x1100
		ends 50 51 63001
	)
	[ "$output" = 'server;[server] 1' ]
}

@test "a process lives as long as a thread whose start was lost has samples" {
	run -0 fold < <(
		begin 50 1 1000
		executes 50 server 1001
		ends 50 50 1003
		sample 50 51 2000 0x1100
		crowd 3
		sample 50 51 64000 0x1100
	)
	[ "$output" = ':51;[server] 2' ]
}

@test "a thread that executes a program is the first one of its process" {
	run -0 fold < <(
		begin 50 1 1000
		executes 50 server 1001
		begin 50 50 1002 51
		ends 50 50 1003
		executes 50 client 1004
		crowd 2
		begin 90 1 62500 51 # the old number of the thread, for another
		ends 90 51 62600
		crowd 63
		sample 50 50 124000 0x1100
	)
	[ "$output" = 'client;[client] 1' ]
}

@test "a child has the memory and the names of a parent that ended" {
	mkdir -p "$BATS_TEST_TMPDIR/symfs/tmp"
	echo '5000 1000 compiled' >"$BATS_TEST_TMPDIR/symfs/tmp/perf-50.map"
	run -0 fold --symfs "$BATS_TEST_TMPDIR/symfs" < <(
		begin 50 1 1000
		executes 50 server 1001
		maps 50 //anon 0x5000 1002
		sample 50 50 1003 0x5100
		begin 51 50 1004
		ends 50 50 1005
		crowd 2
		sample 51 51 63000 0x5100
		sample 51 51 63001 0x1100
		ends 51 51 63002
		crowd 64
		begin 50 1 125000
		maps 50 //anon 0x5000 125001
		sample 50 50 125002 0x5100
	)
	[[ $output == *'server;[server] 1'* ]]
	[[ $output == *'server;compiled 2'* ]]
	[[ $output == *';compiled 1'* ]]
}
