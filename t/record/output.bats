#!/usr/bin/env bats
# output.bats - how much stackrecord writes, and how it takes to slow readers.

load ../helper
load recording

setup() {
	need_events
	target=
}

teardown() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
}

# deep DEPTH FLAG: ./deep has DEPTH frames of more than 1000 bytes each.
deep() {
	command -v "${CC:-cc}" >/dev/null || skip "no compiler"
	cat >deep.c <<-END
	static int __attribute__((noinline))
	dig(int depth)
	{
		volatile char room[1000] = { 0 };
		volatile int i;

		for (i = 0; depth == 0 && i < 100000000;)
			i = i + 1;
		return (depth == 0 ? i : dig(depth - 1)) + room[1];
	}
	int main(void) { return dig($1) == 1; }
	END
	"${CC:-cc}" -O1 "$2" -o deep deep.c
}

size() {
	stat -c %s "$1"
}

@test "a deep stack without frame pointers is copied as far as it goes" {
	local cpus

	cpus=$(nproc --all)
	[ "$cpus" -le 16 ] || skip "more than 16 CPUs: copies do not grow so far"
	deep 25 -fomit-frame-pointer
	stackrecord -q -o data -- ./deep
	stackcollapse-perf -q data | grep -F ';dig' >folded
	run ! grep -vE ';main;(dig;){25}dig[; ]' folded
	# An explicit size is the size.
	stackrecord -q --stack 8K -o data -- ./deep
	stackcollapse-perf -q data | grep -F ';dig' >folded
	run ! grep -vF '[truncated];' folded
}

@test "a deep stack with frame pointers needs only the usual copy" {
	deep 100 -fno-omit-frame-pointer
	stackrecord -o data -- ./deep 2>log
	stackcollapse-perf -q data | grep -F ';dig' >folded
	run ! grep -vE ';main;(dig;){100}dig[; ]' folded
	samples=$(sed -n 's/^stackrecord: \([0-9]*\) samples.*/\1/p' log)
	[ "$(size data)" -lt $((samples * 11000 + 100000)) ]
}

# number TYPE OFFSET: a number of 4 or 8 bytes in ./data.
number() {
	od -An -t"$1" -j"$2" -N"${1#u}" data | tr -d ' '
}

@test "a copy grows to 32 KB, however rare the samples" {
	stackrecord -q -F 10 --stack 32K -o data -- true
	# sample_stack_user of the first event, behind two headers
	[ "$(number u4 112)" -eq 32768 ]
	stackrecord -q -F 10 -o data -- true
	[ "$(number u4 112)" -le 32768 ]
}

@test "the kernel is recorded as a mapping of 64 MB from _text on" {
	local at

	stackrecord -q -o data -- true
	at=$(grep -abo 'kernel.kallsyms\]_text' data | head -n 1)
	[ -n "$at" ] || skip "addresses of the kernel are hidden"
	at=$((${at%%:*} - 1)) # start, size and offset are before the name
	[ "$(number u8 $((at - 16)))" -eq $((64 << 20)) ]
	[ "$(number u8 $((at - 24)))" = "$(number u8 $((at - 8)))" ]
}

@test "features in a pipe have sizes that are multiples of 8" {
	# Lines of 8 bytes: the type, flags, and the size of a record.
	stackrecord -q -o - -- true >pipe
	# shellcheck disable=SC2016 # awk's own
	run -0 awk 'BEGIN { at = 3 }
		NR == at && $1 == 80 { print $4 % 8 }
		NR == at && $4 % 8 == 0 { at += $4 / 8 }
	' < <(od -An -v -tu2 -w8 pipe)
	[ "${#lines[@]}" -ge 3 ]
	[[ ${lines[*]} != *[1-7]* ]]
}

@test "a compressed recording has the same samples, for perf as well" {
	local samples all

	stackrecord --compress -F 999 -o data -- \
		"$top_builddir/t/programs/burn" 1 2>log
	samples=$(sed -n 's/^stackrecord: \([0-9]*\) samples.*/\1/p' log)
	run -0 --separate-stderr stackcollapse-perf -q data
	[[ $output == *";main;"* && -z $stderr ]]
	stackcollapse-perf -q --samples data >stream
	all=$(grep -vc '^#' stream)
	[ "$all" -ge "$samples" ]
	[ "$(size data)" -lt $((samples * 1000 + 100000)) ]
	command -v perf >/dev/null || skip "no perf"
	perf script -F event -i - <data >text 2>perf.log ||
		skip "perf does not work"
	[ "$(grep -cE 'cpu-clock|cycles' text)" -eq "$all" ]
}

@test "processes shorter than a period add up to their time" {
	need_kernel
	# shellcheck disable=SC2016 # the inner shell's
	"$top_builddir/t/programs/cpu" /dev/null stackrecord -e cpu-clock \
		-o data -- sh -c 'for i in $(seq 100); do "$1" 0.003; done' sh \
		"$top_builddir/t/programs/burn" >spent 2>log
	grep -q '% of the time has no stack' log
	stackcollapse-perf -q data >folded
	# The time includes what stackrecord itself takes.
	awk -v all="$(sum folded .)" '{ cpu = $1 * 1e9
		exit !(all > 0.9 * cpu - 5e7 && all < 1.05 * cpu) }' spent
}

@test "the own share of a CPU has a limit, and sums stay right" {
	local all

	"$top_builddir/t/programs/cpu" /dev/null stackrecord --max-cpu 0.1 \
		-F 9999 -e cpu-clock -o data -- \
		"$top_builddir/t/programs/burn" 2.5 >spent 2>log
	grep -q 'it finally wrote one of [0-9]* samples' log
	grep -q 'the recorder took .* s of CPU' log
	stackcollapse-perf -q data >folded
	all=$(sum folded .)
	awk -v all="$all" '{ cpu = $1 * 1e9
		exit !(all > 0.75 * cpu && all < 1.15 * cpu) }' spent
}

# ends PID: it does, if told so again and again.
ends() {
	kill -TERM "$1" 2>/dev/null || return 0
	false
}

@test "a reader that does not read cannot keep it for ever" {
	mkfifo pipe
	exec 8<>pipe # it is open, and nobody reads it
	"$top_builddir/t/programs/burn" 120 >/dev/null 3>&- &
	target=$!
	disown
	stackrecord -q -F 4999 -p "$target" >pipe 3>&- 8>&- &
	recorder=$!
	disown
	within_minutes ends $recorder
}

@test "a reader that is late gets all" {
	mkfifo pipe
	exec 8<>pipe
	stackrecord -q -F 999 -- "$top_builddir/t/programs/burn" 0.5 \
		8>&- 3>&- >pipe 2>log &
	target=$!
	# The command is not held up, though a pipe has only 64 KB.
	within_minutes pgrep -x -P "$target" burn >/dev/null || :
	ended() { ! pgrep -x -P "$target" burn >/dev/null; }
	within_minutes ended
	cat <pipe 8<&- >data &
	exec 8<&-
	wait $target
	target=
	wait
	run -0 --separate-stderr stackcollapse-perf -q data
	[[ $output == *";main;"* ]]
	run ! grep -q lost log
}
