#!/usr/bin/env bats
# stackcollapse-perf.bats - what stackcollapse-perf(1) promises of perf script
# text; t/data/perf has more, from real traces.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >in <<-'END'
	srv 10/11 [001] 5.000000001: 100 cycles: 
		    7f01 read+0x1f (/usr/lib/libc.so.6)
		    4001 serve(int)+0xa (/usr/bin/srv)

	srv 10/12 [002] 6.500000001: 50 cycles: 
		    7f02 [unknown] (/usr/lib/libc.so.6)
		    4001 serve(int)+0xa (/usr/bin/srv)

	END
}

# A sample of a process, an event and a period, with one frame.
sample() {
	printf '%s 7 [000] 1.000000: %s %s: \n\t 12 f+0x1 (/bin/x)\n\n' \
		"$1" "$2" "$3"
}

@test "real traces and odd ones give what t/data/perf says" {
	golden perf
}

@test "a line is a stack and the sum of its periods" {
	run -0 --separate-stderr stackcollapse-perf in in
	[ "$output" = $'srv;serve;[libc.so.6] 100\nsrv;serve;read 200' ]
}

@test "standard input is read where there is no file, and for -" {
	stackcollapse-perf in >out
	cmp out <(stackcollapse-perf <in)
	cmp out <(stackcollapse-perf - <in)
	cmp out <(stackcollapse-perf - /dev/null <in)
}

@test "lines may end in CRLF, and the last one in nothing" {
	stackcollapse-perf in >out
	cmp out <(sed 's/$/\r/' in | stackcollapse-perf)
	cmp out <(head -c -2 in | stackcollapse-perf)
}

@test "gzip and zstd are read, from files and from pipes" {
	stackcollapse-perf in >out
	gzip -k in
	cmp out <(stackcollapse-perf in.gz)
	# shellcheck disable=SC2002 # a pipe cannot seek
	cmp out <(cat in.gz | stackcollapse-perf)
	command -v zstd >/dev/null || skip "no zstd"
	zstd -q in
	cmp out <(stackcollapse-perf in.zst)
	# shellcheck disable=SC2002
	cmp out <(cat in.zst | stackcollapse-perf)
}

@test "compressed input that is cut short is status 2" {
	for n in $(seq 2000); do
		sample "p$n" "$n" cycles
	done | gzip >whole.gz
	head -c 10000 whole.gz >cut.gz
	run -2 --separate-stderr stackcollapse-perf cut.gz
	[[ $stderr == *'cut.gz: gzip -dc failed'* ]]
}

@test "empty input is an empty profile" {
	run -0 --separate-stderr stackcollapse-perf /dev/null
	[ -z "$output$stderr" ]
}

@test "stacks are in the order of LC_ALL=C sort" {
	for name in b a-b a 'a b' ab a.b A é a_b; do
		sample "$name" 1 cycles
	done | stackcollapse-perf | sed 's/ [0-9]*$//' >out
	[ "$(wc -l <out)" -eq 8 ] # "a b" is a_b
	LC_ALL=C sort -c out
}

@test "no line or stack is too long" {
	{
		printf 'x 1 1.0: 1 cycles: \n'
		printf '\t12 %0100000d (/x)\n' 1
		yes $'\t12 f (/x)' | head -n 50000
		echo
	} | stackcollapse-perf >out
	[ "$(tr -cd ';' <out | wc -c)" -eq 50001 ]
	[ "$(wc -c <out)" -eq $((2 + 50000 * 2 + 100000 + 2 + 1)) ]
}

# Roots.

@test "--pid and --tid add numbers to the process" {
	run -0 stackcollapse-perf --pid in
	[ "${lines[0]}" = 'srv-10;serve;[libc.so.6] 50' ]
	run -0 stackcollapse-perf --tid in
	[ "${lines[0]}" = 'srv-10/11;serve;read 100' ]
	[ "${lines[1]}" = 'srv-10/12;serve;[libc.so.6] 50' ]
	cmp <(stackcollapse-perf --tid --pid in) <(stackcollapse-perf --tid in)
	sample x 1 cycles >no-pid
	run -0 stackcollapse-perf --pid no-pid
	[ "$output" = 'x-?;f 1' ]
	run -0 stackcollapse-perf --tid no-pid
	[ "$output" = 'x-?/7;f 1' ]
}

@test "--root chooses the root frames and their order" {
	run -0 stackcollapse-perf --root cpu,pid,comm,tid in
	[ "${lines[0]}" = 'cpu-1;pid-10;srv;tid-11;serve;read 100' ]
	run -0 stackcollapse-perf --root none in
	[ "${lines[1]}" = 'serve;read 100' ]
	run -0 stackcollapse-perf --root host in
	[ "${lines[1]}" = "$(uname -n);serve;read 100" ]
	# What is not known of a sample is left out.
	sample x 1 cycles >some
	sed -n '1,4p' in >>some
	run -0 stackcollapse-perf --root pid,tid some
	[ "$output" = $'pid-10;tid-11;serve;read 100\ntid-7;f 1' ]
	run -2 --separate-stderr stackcollapse-perf --root comm,foo in
	[[ $stderr == *'foo'* ]]
}

@test "a process name is one word, without what would break the line" {
	{
		sample 'V8 Worker 3' 1 cycles
		sample 'a;b' 1 cycles
		sample '#!/bin/sh' 1 cycles
		sample '10 20' 1 cycles
		sample 'x: 1.5: y' 1 cycles
		sample 'a 12 [0] 1.5:' 1 cycles
		sample '7 1.5: 1 z:' 1 cycles
		sample '# hash' 1 cycles
		sample '' 1 cycles
	} >names
	run -0 --separate-stderr stackcollapse-perf names
	[ -z "$stderr" ]
	[ "$output" = '10_20;f 1
7_1.5:_1_z:;f 1
:7;f 1
V8_Worker_3;f 1
\x23!/bin/sh;f 1
\x23_hash;f 1
a:b;f 1
a_12_[0]_1.5:;f 1
x:_1.5:_y;f 1' ]
}

# Names; more of them in name.bats.

@test "--kernel, --jit and --all mark frames" {
	cat >marks <<-'END'
	x 1 1.0: 1 cycles: 
	    12 k+0x1 ([kernel.kallsyms])
	    12 j+0x1 (/tmp/perf-12.map)
	    12 f+0x1 (/bin/x)

	END
	run -0 stackcollapse-perf --kernel marks
	[ "$output" = 'x;f;j;k_[k] 1' ]
	run -0 stackcollapse-perf --jit marks
	[ "$output" = 'x;f;j_[j];k 1' ]
	run -0 stackcollapse-perf --all marks
	[ "$output" = 'x;f;j_[j];k_[k] 1' ]
	run -0 stackcollapse-perf marks
	[ "$output" = 'x;f;j;k 1' ]
}

@test "BPF programs are the kernel's in text as in perf.data" {
	cat >bpf <<-'END'
	srv 7 1.0: 1 cycles: 
	    ffffffffc0001010 bpf_prog_6deef7357e7b4530_fw+0x10 (bpf_prog_6deef7357e7b4530_fw)
	    ffffffffc0003010 bpf_trampoline_6442+0x10 (bpf_trampoline_6442)
	                1010 bpf_load+0x10 (/usr/lib/bpf_loader)

	END
	run -0 --separate-stderr stackcollapse-perf --kernel bpf
	[ "$output" = \
		'srv;bpf_load;bpf_trampoline_6442_[k];bpf_prog_6deef7357e7b4530_fw_[k] 1' ]
}

@test "brackets of Android's JIT and of Arm's pages are not the kernel's" {
	cat >android <<-'END'
	x	1 [006] 1.0:     7 cpu-cycles:
		    15 a.B.c ([JIT app cache])
		    14 a.B.d ([JIT zygote cache])
		    13 h ([sigpage])
		    12 g ([vectors])
		    11 f ([kernel.kallsyms])

	END
	run -0 --separate-stderr stackcollapse-perf --all android
	[ "$output" = 'x;f_[k];g;h;a.B.d_[j];a.B.c_[j] 7' ]
}

@test "--addrs puts addresses into frames without a name" {
	run -0 stackcollapse-perf --addrs in
	[ "${lines[0]}" = 'srv;serve;[libc.so.6 <7f02>] 50' ]
}

@test "where in a module a frame is, of -F +dsoff, is not of its name" {
	cat >dsoff <<-'END'
	x 7 [000] 1.0: 5 cycles: 
	    ffffffffc0001234 g+0x4 (/lib/modules/6.1/x.ko+0x234)
	    7f0000001080 [unknown] (/tmp/jitted-7-1.so+0x80)
	    7f0000002010 [unknown] (/bin/x (deleted)+0x10)
	    7f0000002020 [unknown] (/bin/x+0x20)
	    7f0000002030 main+0x3 (/bin/x+0x30)

	END
	run -0 --separate-stderr stackcollapse-perf -q --all dsoff
	[ "$output" = 'x;main;[x];[x];[jitted-7-1.so]_[j];g_[k] 5' ]
}

@test "--args keeps arguments" {
	run -0 stackcollapse-perf --args in
	[ "${lines[1]}" = 'srv;serve(int);read 100' ]
}

@test "--skip-after leaves out callers, and can be given again" {
	run -0 stackcollapse-perf --skip-after serve in
	[ "$output" = $'serve;[libc.so.6] 50\nserve;read 100' ]
	run -0 stackcollapse-perf --skip-after serve --skip-after read in
	[ "$output" = $'read 100\nserve;[libc.so.6] 50' ]
	run -0 stackcollapse-perf --skip-after nothing in
	[ "${lines[1]}" = 'srv;serve;read 100' ]
	# A mark does not hide the function.
	sed 's/(.*libc.so.6)/([kernel.kallsyms])/' in >kernel
	run -0 stackcollapse-perf --kernel --skip-after read kernel
	[ "${lines[0]}" = 'read_[k] 100' ]
}

@test "source lines are added with --srcline and are no trouble without" {
	cat >lines <<-'END'
	x 1 1.0: 1 cycles: 
	    12 leaf+0x1 (/bin/x)
	  a.c:12
	    12 mid+0x1 (/bin/x)
	    12 main+0x1 (/bin/x)
	  b.c:7

	END
	run -0 stackcollapse-perf --srcline lines
	[ "$output" = 'x;main:b.c:7;mid;leaf:a.c:12 1' ]
	run -0 --separate-stderr stackcollapse-perf lines
	[ "$output" = 'x;main;mid;leaf 1' ]
	[ -z "$stderr" ]
}

# Events and counts.

@test "the first event counts, and the others are named" {
	{
		sample x 5 cycles:u
		sample x 7 instructions:u
		sample x 9 cycles:u
		sample x 1 sched:sched_switch
	} >events
	run -0 --separate-stderr stackcollapse-perf events
	[ "$output" = 'x;f 14' ]
	[[ $stderr == *'cycles:u'*'instructions:u (1 sample)'*'sched:sched_switch (1 sample)'* ]]
	run -0 --separate-stderr stackcollapse-perf -q events
	[ "$output" = 'x;f 14' ]
	[ -z "$stderr" ]
}

@test "--event-filter takes a name with its modifiers or without" {
	{
		sample x 1 cycles:u
		sample x 2 cycles:k
		sample x 4 cpu_atom/cycles/
		sample x 8 instructions
		sample x 16 cycles/freq=99/
		sample x 32 sched:sched_switch
		sample x 64 sched:sched_wakeup
		sample x 128 cycles:uX
	} >events
	while read -r event sum; do
		run -0 stackcollapse-perf -q --event-filter "$event" events
		[ "$output" = "x;f $sum" ]
	done <<-'END'
	cycles 151
	cycles:u 1
	cycles:uX 128
	cycles:k 2
	cpu_atom/cycles/ 20
	cycles/freq=99/ 20
	instructions 8
	sched:sched_switch 32
	END
}

@test "an event that is not there is named, with those that are" {
	run -0 --separate-stderr stackcollapse-perf --event-filter cpu in
	[ -z "$output" ]
	[[ $stderr == *'no samples of event cpu;'*'cycles (2 samples)'* ]]
}

@test "--event-filter all keeps events apart, --mix adds them up" {
	{
		sample x 5 cycles
		sample x 7 faults
	} >events
	run -0 --separate-stderr stackcollapse-perf --event-filter all events
	[ "$output" = $'cycles;x;f 5\nfaults;x;f 7' ]
	[ -z "$stderr" ]
	run -0 --separate-stderr stackcollapse-perf --mix events
	[ "$output" = 'x;f 12' ]
	[ -z "$stderr" ]
	# What is added up has no name.
	run -0 --separate-stderr stackcollapse-perf --mix --meta events
	[[ ${lines[0]} != *event=* ]]
}

@test "one event of two PMUs is one event" {
	{
		sample x 5 cpu_core/cycles/
		sample x 7 cpu_atom/cycles/
	} >events
	run -0 --separate-stderr stackcollapse-perf events
	[ "$output" = 'x;f 12' ]
	[ -z "$stderr" ]
}

@test "tracepoints count once each, whatever their arguments" {
	cat >trace <<-'END'
	x 7 [000] 1.0: sched:sched_switch: prev_comm=x: y prev_pid=7 ==> next_comm=a (b) next_pid=9
	    ffffffff8103 __schedule+0x1 ([kernel.kallsyms])

	x 7 [000] 1.0: syscalls:sys_enter_read: fd: 0x00000003, buf: 0x7ffe, count: 0x400
	x 7 [000] 1.1: probe:f: (401136)
	    ffffffff8103 g+0x1 ([kernel.kallsyms])

	END
	run -0 --separate-stderr stackcollapse-perf --event-filter all trace
	[ "$output" = 'probe:f;x;g 1
sched:sched_switch;x;__schedule 1
syscalls:sys_enter_read;x 1' ]
	[ -z "$stderr" ]
}

@test "names with NULs are names, too" {
	printf 'x 7 1.0: 1 c: \n\t 12 c (a\0b)\n\t 13 b\0c (a)\n\n' >nul
	run -0 stackcollapse-perf nul
	[ "$output" = 'x;b\x00c;c 1' ]
}

@test "a number below the frames is none of them" {
	local f

	for f in '\t 13 main+0x1 (/bin/x)' '\t            1234'; do
		printf 'x 7 [000] 1.0: 1 cycles: \n\t 12 f+0x1 (/bin/x)\n'
		printf '%b\n               0\n\n' "$f"
	done >numbers
	run -0 --separate-stderr stackcollapse-perf numbers
	[ "$output" = 'x;[unknown];f 1
x;main;f 1' ]
	[[ $stderr == *"2 lines skipped"* ]]
}

@test "sizes of pages, cgroups and code below the frames are none of them" {
	local f

	for f in '               0 4K' '       1a2b3c000 N/A 2M' \
		'       1a2b3c000 /system.slice' \
		'\t0000000000401137\tinsn: 48 89 e5  # PRED 3 cycles'; do
		printf 'x 7 [000] 1.0: 1 cycles: \n\t 12 f+0x1 (/bin/x)\n'
		printf '%b\n\n' "$f"
	done >data
	run -0 --separate-stderr stackcollapse-perf data
	[ "$output" = 'x;f 4' ]
	[[ $stderr == *"4 lines skipped"* ]]
	# names of which the module was not asked for
	for f in '\t 4000 4K' '    4000 main' '    4000 9patch'; do
		printf 'x 7 [000] 1.0: 1 cycles: \n%b\n\n' "$f"
	done >names
	run -0 --separate-stderr stackcollapse-perf names
	[ -z "$stderr" ]
	[ "$output" = 'x;4K 1
x;9patch 1
x;main 1' ]
}

# Of a single program a recording has no CPUs, which perf then refuses to print.
@test "the fields that the manual asks perf script for are in any recording" {
	local script

	perf record -q -g -e cpu-clock -o data -- sh -c 'seq 100000 | sort -R' \
		>/dev/null 2>&1 || skip "perf may not record here"
	script=$(sed -n 's/^perf script\( -F .*\) |.*/\1/p' \
		"$top_srcdir/cmd/collapse/stackcollapse-perf.1")
	# shellcheck disable=SC2086 # words
	perf script -i data $script >text
	run -0 stackcollapse-perf -q --tid text
	[[ $output =~ (^|$'\n')sort-[0-9]+/[0-9]+\; ]]
}

@test "what perf script -F puts before the time is no name of a process" {
	local f

	for f in '' 'U ' '2026-11-21 22:06:14.017500 ' \
		'U    2026-11-21 22:06:14.017500 ' 'd..2. '; do
		printf 'a b 7 [000] %s1.0: 3 cycles: \n\t12 f+0x1 (/bin/x)\n\n' "$f"
		printf 'a b 7/7 %s1.0: 3 cycles: \n\t12 f+0x1 (/bin/x)\n\n' "$f"
	done >fields
	run -0 --separate-stderr stackcollapse-perf fields
	[ -z "$stderr" ]
	[ "$output" = 'a_b;f 30' ]
}

@test "a message between frames does not end the stack" {
	{
		printf 'x 7 [000] 1.0: 1 cycles: \n\t 12 f+0x1 (/bin/x)\n'
		echo 'addr2line: could not read the first record'
		printf '\t 13 main+0x1 (/bin/x)\n\n'
	} >mixed
	run -0 --separate-stderr stackcollapse-perf mixed
	[ "$output" = 'x;main;f 1' ]
	[[ $stderr == *"1 line skipped"*"mixed:3: "*"addr2line"* ]]
}

@test "a text of an event that ends in LF does not hide its stack" {
	local f

	for f in 'one\n' 'two lines\nhere\n' 'no stack\n'; do
		printf 'x 7 [000] 1.0: ftrace:print: tracing_mark_write: %b\n' "$f"
		[[ $f = no* ]] || printf '\t 12 f+0x1 (/bin/x)\n\n'
	done >texts
	printf 'x 7 [000] 1.1: ftrace:print: tracing_mark_write: last\n\n' >>texts
	run -0 --separate-stderr stackcollapse-perf texts
	[ "$output" = 'x 2
x;f 2' ]
	[[ $stderr == *"1 line skipped"*": here" ]]
}

@test "an address of data in the head is no frame" {
	cat >data <<-'END'
	x 7 [000] 1.0: 1 page-faults:     7ffdb3479229 [unknown] ([stack])
	    401136 f+0x1 (/bin/x)

	x 7 [000] 1.1: 1 page-faults:     7ffdb3479229 d (/lib/d.so)  401136 f (/bin/x)
	x 7 [000] 1.2: 1 mem-loads:     7ffdb3479229 5080022 |OP LOAD|LVL L1 hit  42  401136 f+0x1 (/bin/x)
	x 7 [000] 1.3: 1 mem-loads:  401136 f (/tmp/my deadbeef x)
	END
	run -0 --separate-stderr stackcollapse-perf --mix data
	[ -z "$stderr" ]
	[ "$output" = 'x;f 4' ]
}

# Two samples, and a third one that ends with the argument.
cut_text() {
	cat <<-'END'
	a 1 [000] 5.000001: 100 cycles: 
		    55f200000101 leaf+0x1f (/opt/demo/a)
		    55f200000201 main+0x1f (/opt/demo/a)

	a 1 [000] 5.000002: 100 cycles: 
		    55f200000101 leaf+0x1f (/opt/demo/a)
		    55f200000301 other+0x1f (/opt/demo/a)
		    55f200000201 main+0x1f (/opt/demo/a)

	END
	printf 'a 1 [000] 5.000003: 100 cycles: %b' "$1"
}

@test "text that is cut inside a frame gives no frame of the fragment" {
	leaf='\n\t    55f200000101 leaf+0x1f (/opt/demo/a)\n'
	for rest in '55' '55f200000301' '55f200000301 oth' \
		'55f200000301 other+0x1f (/opt/de'; do
		cut_text "$leaf\t    $rest" >text
		run -0 --separate-stderr stackcollapse-perf text
		[ "${lines[0]}" = 'a;[truncated];leaf 100' ]
		[ "${#lines[@]}" -eq 3 ]
		[[ $stderr == *'the input ends inside a line'* ]]
		run -1 stackcollapse-perf --strict text
	done
	cut_text "$leaf\t    55f200000301 other+0x1f (/opt/demo/a)" >text
	run -0 --separate-stderr stackcollapse-perf text
	[ "${lines[0]}" = 'a;[truncated];other;leaf 100' ]
	[[ $stderr == *'text: no blank line after the last stack'* ]]
	run -1 stackcollapse-perf --strict text
}

@test "text that is cut inside a head gives no sample of the fragment" {
	cut_text '' | sed '$s/100 cycles: $/10/' | head -c -1 >text
	run -0 --separate-stderr stackcollapse-perf text
	[ "$output" = $'a;main;leaf 100\na;main;other;leaf 100' ]
	[[ $stderr == *'the input ends inside a line'* ]]
}

@test "text that is cut between two frames has its last stack truncated" {
	cut_text '\n\t    55f200000101 leaf+0x1f (/opt/demo/a)\n' >text
	run -0 --separate-stderr stackcollapse-perf text
	[ "${lines[0]}" = 'a;[truncated];leaf 100' ]
	[[ $stderr == *'text: no blank line after the last stack'* ]]
	run -1 stackcollapse-perf --strict text
	cut_text '\n' >text
	run -0 --separate-stderr stackcollapse-perf text
	[ "${lines[0]}" = 'a;[truncated] 100' ]
}

@test "text without a last blank line is whole where its stack is like others" {
	cut_text '\n\t    55f200000201 main+0x2f (/opt/demo/a)\n' >text
	run -0 --separate-stderr stackcollapse-perf --strict text
	[ "${lines[0]}" = 'a;main 100' ]
	[ "$stderr" = '' ]
	# one sample says nothing of how others end
	cut_text '\n\t    55f200000401 f+0x2f (/opt/demo/a)\n' | tail -n 2 >text
	run -0 --separate-stderr stackcollapse-perf --strict text
	[ "$output$stderr" = 'a;f 100' ]
}

@test "records between samples are skipped" {
	cat >records <<-'END'
	perf 7 [000] 0.9: PERF_RECORD_COMM exec: x:7/7
	x 7 [000] 0.9: PERF_RECORD_MMAP2 7/7: [0x5598(0x1000) @ 0x1000 fe:00 11 3]: r-xp /bin/x
	x 7 [000] 1.0: 5 cycles: 
	    12 f+0x1 (/bin/x)

	x 7 [000] 1.1: PERF_RECORD_FORK(7:8):(7:7)
	x 7 [000] 1.1: PERF_RECORD_EXIT(7:7):(7:7)
	END
	run -0 --separate-stderr stackcollapse-perf records
	[ "$output" = 'x;f 5' ]
	[ -z "$stderr" ]
}

@test "what was lost is said, of perf script --show-lost-events" {
	local stack=$'\t12 f+0x1 (/bin/x)\n'

	cat >lost <<-END
	x 7 [000] 1.0: 5 cycles: 
	$stack
	x 7 [000] 1.1: PERF_RECORD_LOST lost 57
	x 7 [000] 1.1: PERF_RECORD_LOST lost 1
	x 7 [000] 1.2: 5 cycles: 
	$stack
	x 7 [000] 1.3: PERF_RECORD_LOST lost 2
	END
	run -0 --separate-stderr stackcollapse-perf --strict lost
	[ "$output" = 'x;f 10' ]
	[[ $stderr == *": 60 records were lost while recording: "* ]]
	run -0 stackcollapse-perf -q --samples lost
	[[ ${lines[1]} == "#time=1.000000000;tid=7;cpu=0" ]]
	[[ ${lines[3]} == "#time=1.200000000;tid=7;cpu=0;lost=58" ]]
}

@test "--count says what a sample adds" {
	run -0 stackcollapse-perf --count period in
	[ "${lines[1]}" = 'srv;serve;read 100' ]
	run -0 stackcollapse-perf --count samples in in
	[ "$output" = $'srv;serve;[libc.so.6] 2\nsrv;serve;read 2' ]
	run -2 --separate-stderr stackcollapse-perf --count time in
	[[ $stderr == *'--header'* ]]
	{
		echo '# event : name = cycles, , type = 0, { sample_period, sample_freq } = 250, freq = 1, sample_id_all = 1'
		cat in
	} >header
	run -0 stackcollapse-perf --count time header
	[ "${lines[1]}" = 'srv;serve;read 4000000' ]
	# each event has its own, and that of another PMU is the same one
	{
		printf '# event : name = %s, { sample_freq } = %d, freq = 1\n' \
			cycles:u 100 cpu_core/cycles/ 250 cycles 500
		cat in
	} >header
	run -0 stackcollapse-perf --count time header
	[ "${lines[1]}" = 'srv;serve;read 4000000' ]
	sample x 200040 cpu-clock >clock
	run -0 stackcollapse-perf --count time clock
	[ "$output" = 'x;f 200040' ]
	run -2 --separate-stderr stackcollapse-perf --count foo in
	[[ $stderr == *usage:* ]]
}

@test "a sample without a period counts 1" {
	printf 'x 1 1.0: cycles: \n\t12 f (/x)\n\n' >none
	run -0 stackcollapse-perf none none
	[ "$output" = 'x;f 2' ]
}

@test "a sample without frames counts for its process" {
	printf 'x 1 1.0: 5 cycles: \n\nx 1 1.0: 6 cycles: \n\n' >none
	run -0 --separate-stderr stackcollapse-perf none
	[ "$output" = 'x 11' ]
	[ -z "$stderr" ]
}

@test "sums beyond 64 bits are status 2, and nothing is written" {
	{
		sample x 9223372036854775808 cycles
		sample x 9223372036854775808 cycles
	} >big
	run -2 --separate-stderr stackcollapse-perf --meta big
	[ -z "$output" ]
	[[ $stderr == *'64 bits'* ]]
	sample x 18446744073709551615 cycles >fits
	run -0 stackcollapse-perf fits
	[ "$output" = 'x;f 18446744073709551615' ]
}

# Output.

@test "a period beyond 64 bits is said, and its sample left out" {
	local head in=$BATS_TEST_TMPDIR/in

	# With its time and without, whose heads are read in two ways.
	for head in 'a 7 1.5:' 'a 7'; do
		printf '%s %s cycles:\n\t12 %s+0x1 (/bin/a)\n\n' \
			"$head" 5 f "$head" 18446744073709551616 g \
			"$head" 18446744073709551615 h >"$in"
		run -0 --separate-stderr stackcollapse-perf "$in"
		[ "$output" = 'a;f 5
a;h 18446744073709551615' ]
		[[ $stderr == *"1 line skipped"* ]]
		[[ $stderr == *"$in:4: a period beyond 64 bits: 18446744073709551616"* ]]
		run -1 stackcollapse-perf --strict "$in"
	done
}

@test "--meta says event, unit, samples, quantum and time" {
	run -0 stackcollapse-perf --meta in
	[ "${lines[0]}" = '#fold=1;counts=1;unit=cycles;clock=perf;event=cycles;n=2;time=5.000000001;dur=1.500000000' ]
	run -0 stackcollapse-perf --meta --count samples in
	[ "${lines[0]}" = '#fold=1;counts=1;unit=samples;clock=perf;event=cycles;n=2;quantum=1;time=5.000000001;dur=1.500000000' ]
	sample x 200040 cpu-clock:u >clock
	run -0 stackcollapse-perf --meta clock
	[ "${lines[0]}" = '#fold=1;counts=1;unit=ns;clock=perf;event=cpu-clock:u;n=1;quantum=200040;time=1.000000000;dur=0.000000000' ]
}

@test "--meta has no unit and no quantum where these differ" {
	{
		sample x 5 cycles
		sample x 7 faults
	} >events
	run -0 stackcollapse-perf --meta --mix events
	[ "${lines[0]}" = '#fold=1;counts=1;clock=perf;n=2;time=1.000000000;dur=0.000000000' ]
}

@test "--samples writes each sample, in order, behind what is known of it" {
	run -0 stackcollapse-perf --samples in
	[ "$output" = '#fold=1;counts=1;unit=cycles;clock=perf;event=cycles
#time=5.000000001;pid=10;tid=11;cpu=1
srv;serve;read 100
#time=6.500000001;pid=10;tid=12;cpu=2
srv;serve;[libc.so.6] 50' ]
}

@test "a stream without samples has its header" {
	run -0 stackcollapse-perf --samples /dev/null
	[ "$output" = '#fold=1;counts=1;clock=perf' ]
}

@test "a merged stream is the profile, with the same metadata" {
	for file in "$DATA"/perf/{oddcomm,tracepoint,first-event}.in; do
		stackcollapse-perf -q --samples "$file" | foldmerge --meta >a
		stackcollapse-perf -q --meta "$file" >b
		cmp <(tail -n +2 a) <(tail -n +2 b)
		diff <(head -n 1 a | tr '#;' '\n' | sort) \
			<(head -n 1 b | tr '#;' '\n' | sort)
	done
}

@test "--quiet and --strict are about lines that are not understood" {
	sed '3i\	no address here (/bin/x)' in >bad
	run -0 --separate-stderr stackcollapse-perf bad
	[ "${lines[1]}" = 'srv;serve;read 100' ]
	[[ $stderr == *'1 line skipped, the first: bad:3: '* ]]
	run -0 --separate-stderr stackcollapse-perf --quiet bad
	[ -z "$stderr" ]
	run -1 stackcollapse-perf --strict bad
	run -1 --separate-stderr stackcollapse-perf --strict -q bad
	[ "${lines[1]}" = 'srv;serve;read 100' ]
	[ -z "$stderr" ]
	run -0 stackcollapse-perf --strict in
}

@test "input of which nothing is understood is status 2" {
	for text in 'main;f 3' 'GIF89a' $'\x89PNG\r' '	 12 f (/x)'; do
		echo "$text" >other
		run -2 --separate-stderr stackcollapse-perf -q other
		[[ $stderr == *'no input could be parsed'* ]]
	done
}

@test "bytes of the input cannot reach the terminal in a message" {
	printf '\033]0;x\007 \233\n' >evil
	run -2 --separate-stderr stackcollapse-perf evil
	run ! grep -P '[\x00-\x08\x0b-\x1f\x7f-\xff]' <<<"$stderr"
}

@test "the share of stacks without names is said, unless it is small" {
	printf 'x 1 1.0: 5 cycles: \n\t12 [unknown] (/x)\n\n' >nameless
	cat in nameless >third
	run -0 --separate-stderr stackcollapse-perf third
	[[ $stderr == *'33.3 % of the stacks have no names'* ]]
	run -0 --separate-stderr stackcollapse-perf in
	[ -z "$stderr" ]
}

@test "a pattern of --only that takes too long is status 2" {
	local x

	x=$(printf 'x%.0s' {1..200})
	printf '%s 12 1.0: 7 cycles:\n\t1 f (/bin/f)\n\n' "$x!" >in
	run -2 --separate-stderr stackcollapse-perf -q --only 'comm=^(x+)+$' in
	[[ $stderr == *"--only: the pattern took too long for 1 text"*": ${x:0:80}..." ]]
}

@test "no sample is lost where no stack repeats" {
	awk 'BEGIN {
		for (i = 0; i < 100000; i++)
			printf "x 7 1.0: 1 cycles:\n\t%x f%d (m)\n\t1 main (m)\n\n",
				i + 1, i
	}' >text
	stackcollapse-perf -q text >folded
	[ "$(grep -c '^x;main;f[0-9]* 1$' folded)" -eq 100000 ]
}

@test "a blank line ends a head, unless that has text" {
	printf 'x 1/1 [000] 1.0: 10 cycles: \n\n\tffff a (b)\n\n' >in
	run -0 --separate-stderr stackcollapse-perf in
	[ "$output" = 'x 10' ]
	[[ $stderr == *"in:3: a frame outside of a sample" ]]
	sed -i 's/: $/: text/' in
	run -0 --separate-stderr stackcollapse-perf in
	[ "$output" = 'x;a 10' ]
}
