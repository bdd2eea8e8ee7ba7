#!/usr/bin/env bats
# stackcollapse-jfr.bats - the reader of JDK Flight Recorder.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# Unpack a recording of t/data/jfr to this folder.
recording() {
	xz -dc "$DATA/jfr/$1.jfr.xz" >"$1.jfr"
}

# gives FILE OPTION...: whether FILE.folded is the result.
gives() {
	local expected=$DATA/jfr/$1.folded

	shift
	stackcollapse-jfr -q "$@" | diff -u "$expected" -
}

# total FILE...: the sum of all counts.
total() {
	awk '{ n += $NF } END { printf("%.0f\n", n) }' "$@"
}

@test "jfr: recordings of the JVM give the stacks, threads and lines of jfr print" {
	recording jdk17
	recording jdk25
	gives jdk17 --threads --srcline --jit jdk17.jfr
	gives jdk25 --threads --srcline --jit jdk25.jfr
}

@test "jfr: allocations count bytes and locks count time, by class" {
	recording jdk17
	gives alloc --threads --srcline --jit --classes \
		--event-filter jdk.ObjectAllocationSample jdk17.jfr
	gives lock --threads --srcline --jit --classes \
		--event-filter jdk.JavaMonitorEnter jdk17.jfr
	stackcollapse-jfr -q --meta --event-filter jdk.JavaMonitorEnter \
		jdk17.jfr >out
	[[ $(head -1 out) == *";unit=ns;"*"event=jdk.JavaMonitorEnter"* ]]
}

@test "jfr: recordings of async-profiler have frames of C and of the kernel" {
	recording async
	gives async --threads --jit async.jfr
}

@test "jfr: the recording of a killed JVM is read to its end" {
	recording killed
	gives killed killed.jfr
}

@test "jfr: a wait that began before its chunk has the stack of the chunk before" {
	recording jdk17
	stackcollapse-jfr -q --event-filter jdk.JavaMonitorEnter jdk17.jfr >out
	[ "$(grep -c 'Load.locked' out)" -gt 0 ]
	run ! grep -F '[stack not in file]' out
}

@test "jfr: chunks of several JVMs in a file are added up" {
	recording jdk17
	recording jdk25
	cat jdk17.jfr jdk25.jfr >both.jfr
	stackcollapse-jfr -q --event-filter jdk.ThreadPark jdk17.jfr \
		jdk25.jfr >files
	stackcollapse-jfr -q --event-filter jdk.ThreadPark both.jfr | cmp files -
	stackcollapse-jfr -q --event-filter jdk.ThreadPark <both.jfr | cmp files -
	(cat both.jfr) | stackcollapse-jfr -q --event-filter jdk.ThreadPark |
		cmp files -
}

@test "jfr: the event that counts is named, and the others with their numbers" {
	recording jdk17
	run -0 --separate-stderr stackcollapse-jfr jdk17.jfr
	[[ $stderr == *"counting only event jdk.ExecutionSample"* ]]
	[[ $stderr == *"jdk.ObjectAllocationSample (300 samples)"* ]]
	run -0 --separate-stderr stackcollapse-jfr --list jdk17.jfr
	[[ $output == *"jdk.ThreadPark "*" duration"* ]]
}

@test "jfr: samples before their safepoint, lost and missing stacks are reported" {
	recording jdk25
	run -0 --separate-stderr stackcollapse-jfr jdk25.jfr
	[[ $stderr == *"52 of 125 samples come from a safepoint"* ]]
	[[ $stderr == *"39.2 % of the stacks are truncated"* ]]
}

@test "jfr: ExecutionSample has the period of its settings as time" {
	recording jdk17
	stackcollapse-jfr -q --count samples jdk17.jfr >samples.folded
	stackcollapse-jfr -q --count time jdk17.jfr >time.folded
	[ "$(total time.folded)" = $(($(total samples.folded) * 10000000)) ]
}

@test "jfr: a stream is in the order of time" {
	local event

	recording jdk17
	for event in jdk.ExecutionSample jdk.ThreadPark; do
		stackcollapse-jfr -q --samples --event-filter $event jdk17.jfr |
			grep -o '^#time=[0-9.]*' >times.txt
		[ "$(wc -l <times.txt)" -gt 50 ]
		sort -t= -k2 -n times.txt | cmp times.txt -
	done
}

@test "jfr: --weight counts another field, --args tells overloads apart" {
	recording jdk17
	stackcollapse-jfr -q --weight timeout --event-filter jdk.ThreadPark \
		jdk17.jfr >timeout.folded
	stackcollapse-jfr -q --event-filter jdk.ThreadPark jdk17.jfr >duration.folded
	[ "$(total timeout.folded)" -lt "$(total duration.folded)" ]
	[ $(($(total timeout.folded) % 20000000)) -eq 0 ]
	stackcollapse-jfr -q --args jdk17.jfr >out
	grep -q 'Load.deep(int, int)' out
}

@test "jfr: the output of jfr print gives what the recording gives" {
	golden jfr
}

@test "jfr: stacks that jfr print has cut to five frames are reported" {
	printf 'jdk.ExecutionSample {\n  stackTrace = [\n' >cut.txt
	printf '    a.B.f%d() line: 1\n' 1 2 3 4 5 >>cut.txt
	printf '    ...\n  ]\n}\n\n' >>cut.txt
	run -0 --separate-stderr stackcollapse-jfr cut.txt
	[ "$output" = '[truncated];a/B.f5;a/B.f4;a/B.f3;a/B.f2;a/B.f1 1' ]
	[[ $stderr == *"--stack-depth 64"* ]]
}

@test "jfr: a file that is cut anywhere loses events and tells no lie" {
	local size

	recording jdk17
	stackcollapse-jfr -q jdk17.jfr | sort >whole
	for size in 0 3 67 68 69 1000 100000 130000 200000; do
		head -c $size jdk17.jfr >cut.jfr
		stackcollapse-jfr cut.jfr >out 2>err || [ $? -eq 2 ]
		grep -vE 'stack not in file|unknown' out | sed 's/ [0-9]*$//' |
			sort >names
		sed 's/ [0-9]*$//' whole | sort | comm -13 - names >new
		[ ! -s new ]
		[ $size -eq 0 ] || grep -q 'truncated\|skipped' err
	done
	head -c 20 jdk17.jfr >short.jfr
	run -2 --separate-stderr stackcollapse-jfr short.jfr
	[[ $stderr == *"header of a chunk is truncated"* ]]
}

@test "jfr: bytes between chunks are skipped and reported" {
	recording jdk25
	{ cat jdk25.jfr; printf 'garbage, not a chunk'; cat jdk25.jfr; } >bad.jfr
	run -0 --separate-stderr stackcollapse-jfr -q jdk25.jfr
	total <(echo "$output") >once
	run -0 --separate-stderr stackcollapse-jfr bad.jfr
	[ "$(total <(echo "$output"))" = $(($(cat once) * 2)) ]
	[[ $stderr == *"20 bytes are not a chunk"* ]]
}

@test "jfr: other versions are refused" {
	recording jdk25
	{ printf 'FLR\0\0\1\0\0'; tail -c +9 jdk25.jfr; } >old.jfr
	run -2 --separate-stderr stackcollapse-jfr old.jfr
	[[ $stderr == *"unsupported version of JFR"* ]]
}

@test "jfr: spoilt bytes anywhere are no crash and no hang" {
	recording jdk25
	for ((i = 0; i < ${CHANGES:-60}; i++)); do
		cp jdk25.jfr spoilt.jfr
		printf '%b' "\\x$(printf %02x $((i * 37 % 256)))" |
			dd of=spoilt.jfr bs=1 seek=$((i * 2503 + 8)) \
				conv=notrunc status=none
		timeout 20 stackcollapse-jfr -q spoilt.jfr >out 2>err ||
			[ $? -eq 2 ]
	done
}

@test "jfr: stackcollapse knows recordings and what jfr print writes" {
	local file

	recording jdk25
	for file in jdk25.jfr "$DATA"/jfr/print-*.in; do
		run -0 --separate-stderr stackcollapse --which "$file"
		[[ $output == *stackcollapse-jfr* ]]
	done
}

@test "jfr: methods have the names that they have in samples of a JVM" {
	recording jdk17
	stackcollapse-jfr -q jdk17.jfr | sed 's/ [0-9]*$//' | tr ';' '\n' \
		>names
	grep -qx 'java/lang/Thread.run' names
	grep -qxE 'Load[$][$]Lambda[$][0-9]+\+0x[0-9a-f]+\.run' names
	run ! grep -E 'java\.|/[0-9]' names
	recording jdk25
	stackcollapse-jfr -q jdk25.jfr | tr ';' '\n' >names
	grep -qE '^Load[$][$]Lambda\+0x[0-9a-f]+\.run$' names
}

@test "jfr: a printed method without a class has its own name alone" {
	printf '%s' '{"recording":{"events":[{"type":"jdk.ExecutionSample",' \
		'"values":{"startTime":"2026-11-23T14:49:40.2Z",' \
		'"stackTrace":{"frames":[{"method":{"name":"park"},' \
		'"lineNumber":1}]}}}]}}' >printed.json
	run -0 --separate-stderr stackcollapse-jfr printed.json
	[ "$output" = 'park 1' ]
}

@test "jfr: a stack may have no frames, and be the first" {
	recording no-frames
	run -0 --separate-stderr stackcollapse-jfr no-frames.jfr
	grep -qx '\[no stack\] 1' <<<"$output"
}
