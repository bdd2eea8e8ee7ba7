#!/usr/bin/env bats
# vm-forms.bats - forms that the formats of vm.bats allow, and its recordings
# do not have.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# with_cr <TEXT: as Windows has lines.
with_cr() {
	sed 's/$/\r/'
}

# same_with_cr FORMAT: its traces of text give what they give without CR.
same_with_cr() {
	local in

	for in in "$DATA/$1"/*.in; do
		[[ $in != */mojo.in ]] || continue
		with_cr <"$in" >cr
		diff <(stackcollapse-"$1" -q "$in") \
			<(stackcollapse-"$1" -q cr) || return
		[ "$(stackcollapse --which cr)" = \
			"$(stackcollapse --which "$in")" ] || return
	done
}

@test "austin, faulthandler, ghcprof and luajit: lines that end in CR" {
	same_with_cr austin
	same_with_cr faulthandler
	same_with_cr ghcprof
	same_with_cr luajit
}

@test "faulthandler: a file without a name is one bad line" {
	run -0 --separate-stderr stackcollapse-faulthandler <<-'END'
	Thread 0x00007f (most recent call first):
	  File ", line 3, in f
	  File "a.py", line 3, in g
	END
	[ "$output" = 'g (a.py:3) 1' ]
	[[ $stderr == *"1 line not understood, the first: stdin:2:"* ]]
}

@test "faulthandler: tracebacks that end in a mark, or at a hundred frames" {
	{
		echo 'Thread 0x1 [Worker 1] (most recent call first):'
		echo '  File "a.py", line 2 in f'
		echo '  <freed frame>'
		echo 'Thread 0x2 (most recent call first):'
		echo '  <tstate is freed>'
		echo 'Current thread 0x3 (most recent call first):'
		echo '  Garbage-collecting'
		echo '  File "a.py", line 3 in g'
		for _ in {2..100}; do
			echo '  File "a.py", line 4 in h'
		done
		echo "Current thread's C stack trace (most recent call first):"
		echo '  Binary file "/python", at Py_RunMain+0x31 [0x5b27f7d]'
	} >p
	run -0 --separate-stderr stackcollapse-faulthandler p
	[[ ${lines[0]} == '[truncated];f (a.py:2) 1' ]]
	[[ ${lines[1]} == '[truncated];h (a.py:4);h (a.py:4);'*'g (a.py:3);[gc] 1' ]]
	[[ $stderr != *understood* ]]
	grep -v g <p >q
	run -0 stackcollapse-faulthandler q
	[[ $output != *'[truncated];h'* ]]
}

@test "austin: what versions 2 and 3 write" {
	cat >p <<-'END'
	# austin: 3.2.0
	# mode: full

	P42;T0:7;/a b.py:<module>:10;/a b.py:f:3 100,0,64
	P42;T0:7;/a b.py:<module>:10;/a b.py:g:4 20,1,-64
	P42;T0:7 0,1,0
	END
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P42;T0:7;/a b.py:<module>:10;/a b.py:f:3 100
P42;T0:7;/a b.py:<module>:10;/a b.py:g:4 20" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-austin --memory --meta p
	[[ ${lines[0]} == *"unit=bytes"* ]]
	[ "${lines[1]}" = "P42;T0:7;/a b.py:<module>:10;/a b.py:f:3 64" ]
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
	echo "Process 4;Thread 7f;f (a.py);L12 5" >p
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
	run -0 stackcollapse-austin --memory --meta p
	[[ ${lines[0]} == *"unit=kB"* ]]
}

# Events of MOJO, with numbers below 64: the stack of a thread of process 7, with
# what stands between the two; a string; and those of numbers alone.
mojo_stack() {
	printf '\2\7%b%s\0' "${2-}" "$1"
}

mojo_string() {
	printf '\13%b%s\0' "\\x$(printf %x "$1")" "$2"
}

mojo_numbers() {
	printf '\\x%x' "$@" | xargs -0 printf %b
}

@test "austin: MOJO of version 1, of processes with numbers of their own" {
	{
		printf 'MOJ\1\1mode\0wall\0'
		# what austinp tells stands before the stack
		mojo_string 10 a.py
		mojo_string 11 f
		mojo_numbers 3 20 10 11 5
		mojo_stack 1f
		mojo_numbers 5 20 9 6
		mojo_stack 1f
		mojo_numbers 5 21 9 1
		mojo_stack 1f
		mojo_numbers 5 20
	} >p
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P7;T31;[unknown] 1
P7;T31;a.py:f:5 6" ]
	[[ $stderr == *"2 samples not understood, the first: p:2: a frame that"* ]]
	[ "$(stackcollapse --which p)" = stackcollapse-austin ]
}

@test "austin: MOJO of -m is of memory, and of nothing else" {
	{
		printf 'MOJ\3\1mode\0memory\0'
		mojo_stack 1f '\x00'
		mojo_numbers 10 63
		mojo_stack 1f '\x00'
		mojo_numbers 10 65 # of minus 1
	} >p
	run -0 --separate-stderr stackcollapse-austin --meta p
	[ "$output" = "#fold=1;counts=1;unit=bytes;n=1;quantum=63
P7;T0:31 63" ]
	[ -z "$stderr" ]
}

@test "austin: MOJO that is cut, of a later version, or that goes wrong" {
	head -c 150 "$DATA/austin/mojo.in" >p
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P4242;T0:8367644;/srv/a:b.py:<module>:12;/srv/a:b.py:work:3 1050" ]
	[[ $stderr == *"p:2: the file is cut short" ]]
	printf 'MOJ\5' >p
	run -2 --separate-stderr stackcollapse p
	[[ $stderr == *"p:0: version 5 of MOJO, which is not known"* ]]
	{
		printf 'MOJ\4'
		mojo_stack 1f '\x00'
		mojo_numbers 9 3 99
	} >p
	run -0 --separate-stderr stackcollapse-austin p
	[ "$output" = "P7;T0:31 3" ]
	[[ $stderr == *"p:1: an event that is not known; the rest"* ]]
	{
		printf 'MOJ\4'
		mojo_stack 1f '\x00'
		mojo_numbers 13 9 3
	} >p
	run -2 --separate-stderr stackcollapse-austin p
	[[ $stderr == *"p:1: a stack that repeats none"* ]]
	run -2 --separate-stderr stackcollapse-austin < <(printf 'MOJ\4\13\2'; yes)
	[[ $stderr == *"stdin:0: an event that does not end; the rest"* ]]
}

@test "austin: text that says to be of memory" {
	printf '# mode: memory\n\nP1;T1;a.py:f:1 64\nP1;T1;a.py:f:1 -64\n' >p
	run -0 --separate-stderr stackcollapse-austin --meta p
	[ "$output" = "#fold=1;counts=1;unit=bytes;n=1;quantum=64
P1;T1;a.py:f:1 64" ]
	[ -z "$stderr" ]
}

@test "austin: a time beyond 64 bits of nanoseconds is none" {
	echo 'P1;T1;a.py:f:1 18446744073709552' >p
	run -2 --separate-stderr stackcollapse-austin --count time p
	[ -z "$output" ]
	run -0 stackcollapse-austin p
	[ "$output" = "P1;T1;a.py:f:1 18446744073709552" ]
}

@test "bpftrace: stacks as perf prints them, and raw ones" {
	{
		printf '@[\n\t55d0c3a12137 leaf+7 (/bin/a)\n'
		printf '\t55d0c3a1216a f(int)+14 (/bin/a)\n'
		printf '\t7f00 0x7f00 ([unknown])\n]: 3\n'
		printf '@[\nffab\nabcd\n]: 4\n'
		printf '@[\n\tleaf+7\n\tmain+3\n]: 5\n'
	} >p
	run -0 stackcollapse-bpftrace -q --addrs p
	[ "$output" = "[unknown <7f00>];f;leaf 3
[unknown <abcd>];[unknown <ffab>] 4
main;leaf 5" ]
}

@test "bpftrace: frames with files and lines, and inlined ones" {
	{
		printf '@[\n    [inlined] helper@/src/a@b/a.c:12\n'
		printf '    memcpy@@V+23@/src/c++17/a.c:41\n'
		printf '    std::f<1+2>(int)+4\n'
		printf '    main+5@/usr/include/c++/12/x.h:9\n]: 3\n'
		printf '@[\n\t55d0 helper (inlined)\n'
		printf '\t55d0 main+14 (/bin/a)\n]: 4\n'
	} >p
	run -0 --separate-stderr stackcollapse-bpftrace p
	[ "$output" = "main;helper_[i] 4
main;std::f<1+2>;memcpy@@V;helper_[i] 3" ]
	[ -z "$stderr" ]
}

@test "bpftrace: what has no map is said to have none" {
	echo garbage >p
	run -2 --separate-stderr stackcollapse-bpftrace p
	[[ $stderr == *"p:1: no map of bpftrace"* ]]
	# it was stopped before anything was seen
	printf 'Attaching 1 probe...\n\n\n' >p
	run -0 --separate-stderr stackcollapse-bpftrace --strict p
	[ -z "$output$stderr" ]
	printf '\n\n' >p
	run -0 --separate-stderr stackcollapse-bpftrace --strict p
	[ -z "$output$stderr" ]
	printf '@calls: 7\n' >p
	run -0 --separate-stderr stackcollapse-bpftrace --strict p
	[ -z "$output$stderr" ]
}

@test "bpftrace, faulthandler and jstack: each file has to have something" {
	local format

	echo garbage >p
	for format in bpftrace faulthandler jstack; do
		run -1 --separate-stderr stackcollapse-$format --strict \
			"$(data_of stackcollapse-$format | head -n 1)" p
		[ -n "$output" ]
		[[ $stderr == *"1 line not understood, the first: p:1: no "* ]]
	done
}

@test "bpftrace: only maps by stack are counted" {
	cat >p <<-'END'
	@calls: 7
	@start[1234]: 123456789
	@stacks[]: 2
	@stacks[
	    f+1
	    g+2
	, bash]: 3
	@stacks[, sh]: 4
	END
	run -0 stackcollapse-bpftrace -q p
	[ "$output" = "[unknown] 2
bash;g;f 3
sh 4" ]
}

@test "bpftrace: maps of different names are not added up" {
	printf '@n: 1\n@%s[\n    f+1\n]: %d\n' bytes 4096 calls 2 bytes 4 >p
	run -0 --separate-stderr stackcollapse-bpftrace p
	[ "$output" = "f 4100" ]
	[[ $stderr == *"@calls"* ]]
	run -0 --separate-stderr stackcollapse-bpftrace --event-filter @calls p
	[ "$output" = "f 2" ]
	run -0 stackcollapse-bpftrace --event-filter all p
	[ "$output" = "@bytes;f 4100
@calls;f 2" ]
	run -0 --separate-stderr stackcollapse-bpftrace --mix p
	[ "$output" = "f 4102" ]
	[ -z "$stderr" ]
}

@test "callgrind: numbers may be hexadecimal, with more blanks between" {
	cat >p <<-'END'
	# callgrind format
	events: Ir  Dr
	fn=(1) main
	1 0x10  5
	+1   7
	END
	run -0 stackcollapse-callgrind --self p
	[ "$output" = "main 23" ]
	run -0 stackcollapse-callgrind --self --cost Dr p
	[ "$output" = "main 5" ]
}

@test "callgrind: costs stand behind as many positions as the file says" {
	cat >p <<-'END'
	# callgrind format
	positions: instr bb line
	events: Ir Dr
	fn=(1) main
	0x400 0x3f0 10 5 2
	+4 * +1 7
	cfn=(2) f
	calls=1 0x500 0x500 20
	* * * 30 3
	positions: bb line
	fn=(2)
	0x500 20 25
	END
	run -0 --separate-stderr stackcollapse-callgrind --self p
	[ "$output" = "f 25
main 12" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-callgrind --calls p
	[ "$output" = "main;f 30" ]
}

@test "callgrind: callers that names have are a stack" {
	cat >p <<-'END'
	# callgrind format
	creator: callgrind-3.19.0
	events: Ir
	fn=(1) fib'main'(below main)
	1 5
	cfn=(2) fib'2'main'(below main)
	calls=2 1
	1 40
	fn=(2)
	1 40
	fn=(3) <&'a T as for<'b> U<'b>>::f'0x1120
	1 7
	fn=(4) std::optional<int>::value() const &'main
	1 2
	END
	run -0 --separate-stderr stackcollapse-callgrind p
	[ "$output" = "(below main);main;fib 45
0x1120;<&a T as for<b> U<b>>::f 7
main;std::optional<int>::value 2" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-callgrind --calls p
	[ "$output" = "fib;fib 40" ]
	# of others, a quote is one
	sed -i 's/^creator.*/creator: others/' p
	run -0 stackcollapse-callgrind -q p
	[ "${lines[0]}" = "<&a T as for<b> U<b>>::f0x1120 7" ]
}

@test "callgrind: a call of a function that is not there is not understood" {
	printf 'events: Ir\nfn=(1) a\n1 5\ncfn=(2) b\ncalls=1 1\n1 7\ncfn=(3)\n%s' \
		$'calls=1 1\n1 9\n' >p
	run -1 --separate-stderr stackcollapse-callgrind --strict --calls p
	[ "$output" = "a;b 7" ]
	[[ $stderr == *"2 lines not understood, the first: p:7:"* ]]
}

@test "callgrind: methods of PHP, as Xdebug writes them, are one frame" {
	cat >p <<-'END'
	version: 1
	creator: xdebug 3.4.0 (PHP 8.3.1)
	events: Time_(10ns) Memory_(bytes)

	fl=(1) /srv/a.php
	fn=(1) App\Foo->bar
	3 5 0
	END
	run -0 stackcollapse-callgrind --self p
	[ "$output" = 'App\Foo->bar 5' ]
}

@test "chrome: threads that have words for ids are threads of their own" {
	echo '[{"ph":"X","name":"a","pid":1,"tid":"x","ts":0,"dur":10},
		{"ph":"X","name":"b","pid":1,"tid":"y","ts":2,"dur":20},
		{"ph":"M","name":"process_name","pid":"p",
			"args":{"name":"gpu"}},
		{"ph":"X","name":"c","pid":"p","tid":"y","ts":3,"dur":2}]' >p
	run -0 --separate-stderr stackcollapse-chrome --root comm p
	[ "$output" = "a 10
b 20
gpu;c 2" ]
	[ -z "$stderr" ]
}

@test "DTrace: a module whose name begins as a heading" {
	printf 'CPU     ID     FUNCTION:NAME\n  0  64091  :tick-60s\n\n' >p
	printf '  CPUProfiler\x60leaf+0x1\n  libc\x60main+0x3\n  12\n' >>p
	run -0 stackcollapse-dtrace p
	[ "$output" = "libc\`main;CPUProfiler\`leaf 12" ]
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

@test "DTrace: counts of stacks without frames" {
	printf '\n  a\x60b+0x1\n  5\n\n  1000\n\n  a\x60b+0x2\n  7\n\n  20\n' >p
	run -0 --separate-stderr stackcollapse-dtrace -q --strict p
	[ "$output" = "[unknown] 1020
a\`b 12" ]
}

@test "DTrace: a number that may be a key is no count" {
	# @[pid, ustack()], of which the second has no frames
	printf '\n  4242\n  a\x60b+0x1\n  5\n  4243\n  6\n' >p
	printf '  4244\n  a\x60b+0x1\n  7\n' >>p
	run -0 --separate-stderr stackcollapse-dtrace p
	[ "$output" = "a\`b 12" ]
	[[ $stderr == *"4 lines not understood, the first: p:3:"* ]]
	echo 5 >p
	run -2 stackcollapse-dtrace p
}

@test "DTrace: keys that are words are at the root" {
	local frames

	printf -v frames '%14s%s\n' '' 'genunix\x60read+0x1f' '' 'unix\x60call'
	# @[execname, stack()], with a pid, and of a stack without frames
	{
		printf 'dtrace: description matched 1 probe\n^C\nScript 1\n\n'
		printf '  %-50s\n%b%16d\n' bash "$frames" 5
		printf '  %-50s  %8d\n%b%16d\n' 'my app' 77 "$frames" 6
		printf '  %-50s\n%16d\n' cron 7
		printf '  %-50s\n%14sjava/lang/A.f\n%b%16d\n' java '' \
			"$frames" 8
	} >p
	run -0 --separate-stderr stackcollapse-dtrace --strict p
	[ "$output" = "bash;unix\`call;genunix\`read 5
cron 7
java;unix\`call;genunix\`read;java/lang/A.f 8
my app;77;unix\`call;genunix\`read 6" ]
	# @[stack(), pid, execname, ustack()], and so without ustack()
	{
		printf '\n%b  %8d  %-50s\n%14sa\x60main\n%16d\n' "$frames" 7 \
			bash '' 3
		printf '\n%b  %8d  %-50s  %16d\n' "$frames" 8 sh 4
	} >p
	run -0 --separate-stderr stackcollapse-dtrace --strict p
	run -0 stackcollapse p
	[ "$output" = "7;bash;a\`main;unix\`call;genunix\`read 3
8;sh;unix\`call;genunix\`read 4" ]
}

@test "DTrace: a distribution is no count, and does not hide the next" {
	local line=' ------------- Distribution -------------'

	{
		printf '\n%14sa\x60f\n\n           value %s count    \n' '' "$line"
		printf '%16s |%40s 0\n%16d |%040d 9\n\n' '< 0' '' 1 0
		printf '\n%14sa\x60g\n%16d\n' '' 9
	} >p
	run -0 --separate-stderr stackcollapse-dtrace p
	[ "$output" = 'a`g 9' ]
	[[ $stderr == *"1 line not understood"*": a distribution"* ]]
}

@test "DTrace: what was dropped is said" {
	printf 'dtrace: 12 aggregation drops on CPU 0\n\n%14sa\x60f\n%16d\n' \
		'' 9 >p
	run -0 --separate-stderr stackcollapse-dtrace p
	[ "$output" = 'a`f 9' ]
	[[ $stderr == *": dtrace: 12 aggregation drops on CPU 0" ]]
}

@test "JSON: what follows the end is said" {
	local format

	for format in chrome ghcprof speedscope stackprof v8; do
		echo '{}{}' >p
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"more behind the end of the JSON"* ]]
	done
}

@test "jstack: quotes in the name of a thread" {
	printf '"a"b c" #12 prio=5 runnable\n' >p
	printf '   java.lang.Thread.State: RUNNABLE\n\tat J.f(J.java:1)\n' >>p
	run -0 stackcollapse-jstack p
	[ "$output" = "ab c;J.f 1" ]
}

@test "jstack: virtual threads are on top of their carriers" {
	{
		printf 'Full thread dump X (25):\n\n"worker-1" #27 daemon\n'
		printf '   Carrying virtual thread #26\n\tat C.run(C.java:1)\n'
		printf '\tat W.run(W.java:1)\n'
		printf '   Mounted virtual thread #26\n\tat A.f(A.java:1)\n'
		printf '\tat V.run(V.java:2)\n\n'
		# before Java 24
		printf '"worker-2" #29 daemon\n   Carrying virtual thread #28\n'
		printf '\tat C.run(C.java:1)\n\n"worker-3" #31 daemon\n'
		printf '   java.lang.Thread.State: RUNNABLE\n\tat A.g(A.java:1)\n'
	} >p
	run -0 stackcollapse-jstack p
	[ "$output" = "worker;A.g 1
worker;C.run 1
worker;W.run;C.run;V.run;A.f 1" ]
	run -0 stackcollapse-jstack --states --no-include-tname p
	[ "${lines[2]}" = "W.run;C.run;V.run;A.f;state:runnable 1" ]
	run -0 stackcollapse-jstack --skip-after V.run p
	[ "${lines[0]}" = "V.run;A.f 1" ]
}

# thread NAME FUNCTION...: that is said to run, the leaf first.
thread() {
	printf '"%s" #9 prio=5 runnable\n' "$1"
	printf '   java.lang.Thread.State: RUNNABLE\n'
	[ $# -eq 1 ] || printf '\tat %s(Native Method)\n' "${@:2}"
	echo
}

@test "jstack: threads that wait do not run, whatever is said" {
	{
		printf 'Full thread dump X (25):\n\n'
		thread "Monitor Deflation Thread"
		thread "C1 CompilerThread0"
		thread "Reference Handler" \
			java.lang.ref.Reference.waitForReferencePendingList
		thread reader sun.nio.ch.SocketDispatcher.read0 A.read
		thread acceptor sun.nio.ch.Net.accept A.accept
		thread timed sun.nio.ch.Net.poll A.accept
		thread udp sun.nio.ch.DatagramChannelImpl.receive0 A.receive
		thread selector sun.nio.ch.EPoll.wait A.select
		thread "process reaper (pid 5)" \
			java.lang.ProcessHandleImpl.waitForProcessExit0
		thread FileSystemWatchService sun.nio.fs.LinuxWatchService.poll
		thread pinned jdk.internal.misc.Unsafe.park \
			java.lang.VirtualThread.parkOnCarrierThread A.sleep
		thread "My Service Thread" A.serve
	} >p
	run -0 stackcollapse-jstack p
	[ "$output" = "My Service Thread;A.serve 1" ]
	run -0 stackcollapse-jstack --states p
	[ "$(grep -c ';state:idle 1$' <<<"$output")" -eq 11 ]
	[ "${lines[3]}" = "My Service Thread;A.serve;state:runnable 1" ]
}

@test "jstack: a dump of a process that does not answer, before Java 9" {
	cat >p <<-'END'
	Deadlock Detection:

	No deadlocks found.

	Thread 4712: (state = IN_JAVA)
	 - A.f(int, long) @bci=12, line=3 (Compiled frame; information may be imprecise)
	 - A.<init>() @bci=3 (Interpreted frame)

	Thread 4713: (state = IN_NATIVE)
	 - java.net.SocketInputStream.socketRead0() @bci=0 (Interpreted frame)

	Thread 4714: (state = BLOCKED)
	 - java.lang.Object.wait(long) @bci=0 (Interpreted frame)
		- waiting on <0x000000069ec02358> (a java.lang.Object)
	END
	run -0 --separate-stderr stackcollapse p
	[ "$output" = "A.<init>;A.f 1" ]
	run -0 stackcollapse-jstack --states p
	[ "$output" = "A.<init>;A.f;state:runnable 1
java.lang.Object.wait;state:blocked 1
java.net.SocketInputStream.socketRead0;state:idle 1" ]
}

@test "jstack: frames of machine code are said" {
	printf '"a" #9 prio=5\n   java.lang.Thread.State: RUNNABLE\n' >p
	printf '0x00007f27\t__GI_accept + 0x4f\n' >>p
	run -1 --separate-stderr stackcollapse-jstack --strict p
	[[ $stderr == *"p:3: a frame of machine code: no --mixed, or -m" ]]
}

@test "jstack: who waits in Java is no idle thread" {
	printf '"a" #9\n   java.lang.Thread.State: WAITING (on object)\n' >p
	printf '\tat java.lang.Object.wait0(Native Method)\n' >>p
	run -0 stackcollapse-jstack --states p
	[ "$output" = "a;java.lang.Object.wait0;state:waiting 1" ]
}

@test "JSON: a mark of UTF-8 or blanks before it" {
	local before

	for before in '\xef\xbb\xbf' '\n '; do
		printf '%b' "$before" >p
		echo '{"traceEvents":[{"ph":"X","name":"a","ts":0,"dur":10}]}' \
			>>p
		run -0 --separate-stderr stackcollapse p
		[ "$output" = "a 10" ]
	done
}

@test "luajit: no samples are an empty profile" {
	echo "[No samples collected]" >p
	run -0 --separate-stderr stackcollapse-luajit p
	[ -z "$output$stderr" ]
}

# field NUMBER VALUE, bytes NUMBER <BYTES: of a message of Protocol Buffers,
# all below 128.
field() {
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3)) "$2")"
}

bytes() {
	local part=part.$BASHPID

	cat >"$part"
	printf '%b' "\\x$(printf '%x\\x%x' $(($1 << 3 | 2)) \
		"$(wc -c <"$part")")"
	cat "$part"
}

# cpu_profile LEAF [SAMPLES]: samples and nanoseconds, as Go has them; the type
# of samples may have another name.
cpu_profile() {
	local text

	{ field 1 1; field 2 2; } | bytes 1
	{ field 1 3; field 2 4; } | bytes 1
	{ field 1 2; field 1 1; field 2 3; field 2 30; } | bytes 2
	{ field 1 1; field 2 2; field 2 20; } | bytes 2
	{ field 1 1; field 1 1 | bytes 4; } | bytes 4
	{ field 1 2; field 1 2 | bytes 4; } | bytes 4
	{ field 1 1; field 2 5; } | bytes 5
	{ field 1 2; field 2 6; } | bytes 5
	for text in "" "${2-samples}" count cpu nanoseconds main "$1"; do
		printf %s "$text" | bytes 6
	done
}

@test "luajit: -jp=r has samples" {
	printf '  135  f\n  <-   134  main\n   39  g < h\n' >p
	run -0 --separate-stderr stackcollapse-luajit --meta p
	[ "$output" = "#fold=1;counts=1;unit=samples;n=173
h;g 39
main;f 134" ]
	[ -z "$stderr" ]
}

@test "luajit: a part has what its line has, percent or samples" {
	printf '   5%%  f\n  <-  5000000000000000000  g\n' >p
	run -1 --separate-stderr stackcollapse-luajit --strict p
	[ "$output" = "f 5" ]
	[[ $stderr == *"p:2: not a part of the line above it"* ]]
	printf '  <-  5%%  g\n' >p
	run -2 --separate-stderr stackcollapse-luajit p
}

@test "pprof: samples are as many as the profile says" {
	cpu_profile leaf >p
	run -0 stackcollapse-pprof --meta p
	[ "$output" = "#fold=1;counts=1;unit=ns;event=cpu;n=5
main 20
main;leaf 30" ]
	run -0 stackcollapse-pprof --count samples p
	[ "$output" = "main 2
main;leaf 3" ]
	# node's profiler
	cpu_profile leaf sample >p
	run -0 stackcollapse-pprof --count samples p
	[ "$output" = "main 2
main;leaf 3" ]
}

@test "pprof: two profiles one behind the other are refused" {
	cpu_profile one >p
	cpu_profile two >>p
	run -2 --separate-stderr stackcollapse-pprof p
	[ -z "$output" ]
	[[ $stderr == *"an id that is there twice: two profiles in one?"* ]]
}

@test "pprof: a sample without a stack counts" {
	{
		{ field 1 1; field 2 1; } | bytes 1
		field 2 5 | bytes 2
		bytes 6 </dev/null
		printf x | bytes 6
	} >p
	run -0 stackcollapse-pprof -q p
	[ "$output" = "[unknown] 5" ]
}

@test "stackcollapse: perf script text that begins with other records" {
	local sample='a 1 1.0: 1 cycles:\n\t 12345 f (/bin/a)\n\n'

	printf 'a 1 1.0: PERF_RECORD_COMM: a:1/1\n' >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-perf ]
	printf '%b' 'a 1 1.0: 1 cycles:\n\na 1 1.1: 2 cycles:\n\n' "$sample" >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-perf ]
	printf '%b' 'a 1 1.0: 1 cycles:\n\nDear diary\n' "$sample" >p
	run -2 stackcollapse --which p
}

@test "stackcollapse: what luajit -jp=r prints" {
	printf '  135  f\n  <-   134  main\n   39  g < h\n\n' >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-luajit ]
	# what the shell lists as its history
	printf '    1  make\n    2  make check\n' >p
	run -2 stackcollapse --which p
	printf '   40 f\n' >p
	run -2 stackcollapse --which p
}

# DevTools names the page and the machine first, and may have sources there.
@test "stackcollapse: trace events behind much else, and with V8's profile" {
	local event='{"name":"ProfileChunk","ph":"P","id":"0x1","pid":1,"args":{
		"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":
		{"functionName":"f"}}],"samples":[1]},"timeDeltas":[5],
		"endTime":9}}}'

	{
		printf '{"metadata": {\n  "source": "DevTools",\n'
		printf '  "sourceMaps": ["%065536d"]},\n"traceEvents": [\n' 0
		echo "$event]}"
	} >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-chrome ]
	run -0 stackcollapse --which <p
	[ "$output" = stackcollapse-chrome ]
	echo "{\"traceEvents\": [$event]}" >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-chrome ]
}

@test "stackcollapse: Erlang's functions are folded text, not Typhon's" {
	printf '%s\n' "(<0.36.0>);eflame:apply1/3;lists:map/2 10" \
		"(<0.36.0>);SLEEP 5" >eflame
	printf '%s\n' "beam.smp;\$'Elixir.Enum':map/2 3" "beam.smp 1" >perf
	for p in eflame perf; do
		run -0 stackcollapse --which $p
		[ "$output" = foldmerge ]
	done
	printf '%s\n' "a,b.x y/3 (JIT);main.run/1 2" >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-typhon ]
}

@test "stackcollapse: a profile of pprof with a comment" {
	{ cpu_profile leaf; field 13 6; } >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-pprof ]
}

@test "stackcollapse: folded text that looks like a part of other formats" {
	# fields of a message, and a line of the old pmp
	printf '%s\n' '@memA.lua:3 4144' '@memA.lua:4 224' 'INTERNAL;a 5' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
	echo '#fold=1;counts=1' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
	echo '<module> (/srv/a.py:23);main (/srv/a.py:16) 1' >p
	run -0 stackcollapse --which p
	[ "$output" = foldmerge ]
}

@test "speedscope: samples and weights come in either order" {
	echo '{"shared":{"frames":[{"name":"a"},{"name":"b"}]},"profiles":[
		{"type":"sampled","unit":"none","weights":[1,2,null,-1],
			"samples":[[0],[0,1],[1],[1]]}]}' >p
	run -1 --separate-stderr stackcollapse-speedscope --strict p
	[ "$output" = "a 1
a;b 2" ]
	[[ $stderr == *"2 samples not understood"*"p:3: a weight that is no n"* ]]
}

@test "speedscope: frames that are open several times, and such that are not" {
	cat >p <<-'END'
	{"profiles":[{"type":"evented","unit":"none","events":[
	{"type":"O","at":0,"frame":0},{"type":"O","at":1,"frame":0},
	{"type":"O","at":2,"frame":1},{"type":"C","at":3,"frame":2},
	{"type":"C","at":3,"frame":0},{"type":"C","at":4,"frame":1},
	{"type":"C","at":5,"frame":0},{"type":"C","at":6,"frame":0}]},
	{"type":"evented","unit":"none","events":[
	{"type":"C","at":0,"frame":0},{"type":"O","at":0,"frame":1},
	{"type":"C","at":7,"frame":0},{"type":"C","at":7,"frame":1}]}],
	"shared":{"frames":[{"name":"a"},{"name":"b"},{"name":"c"}]}}
	END
	run -0 --separate-stderr stackcollapse-speedscope --profile 1 p
	[ "$output" = "a 3
a;a 1
a;a;b 1" ]
	[[ $stderr == *"6 samples not understood"* ]]
	run -0 stackcollapse-speedscope -q --profile 2 p
	[ "$output" = "b 7" ]
}

@test "speedscope: what has no profiles is status 2" {
	local text

	for text in '{"foo":1}' '{"profiles":1}' '{}'; do
		run -2 --separate-stderr stackcollapse-speedscope <<<"$text"
		[[ $stderr == *"no profiles of speedscope in it"* ]] || return
	done
	echo '{"profiles":[]}' >p
	run -0 --separate-stderr stackcollapse-speedscope --strict p
	[ "$output$stderr" = "" ]
}

@test "speedscope: a profile that is not there is status 2" {
	run -2 --separate-stderr stackcollapse-speedscope --profile 3 \
		"$DATA/speedscope/two-sampled.in"
	[ -z "$output" ]
	[[ $stderr == *"no profile 3; --list"* ]]
}

@test "SystemTap: frames without symbols, of which it is not sure, with lines" {
	{
		printf ' 0xffffffff8103ce3b : halt+0xb/0x10 [kernel] (inexact)\n'
		printf ' 0xffffffff8103ce00 [kernel+0x5/0x9] (inexact)\n'
		printf ' 0x7f5d1a7c2b15 [/lib/libc-2.17.so+0x21b15/0x3be000]\n'
		printf ' 0x401000 : f+0x5/0x9 at /c++/4.8/x.h:12 [/bin/a]\n'
		printf ' 0x401234 : main+0x5/0x9 (inexact)\n'
		printf ' 0x401235 (inexact)\n\t3\n'
	} >p
	run -0 --separate-stderr stackcollapse-stap --all p
	[ "$output" = "[unknown];main;f;[libc-2.17.so];[kernel]_[k];halt_[k] 3" ]
	[ -z "$stderr" ]
}

@test "stackcollapse: a file of speedscope whose profiles come late" {
	{
		printf '{"%sschema":"https://www.speedscope.app/%s' '$' \
			'file-format-schema.json","shared":{"frames":['
		yes '{"name":"function"},' | head -n 500
		echo '{"name":"last"}]},"profiles":[]}'
	} >p
	run -0 stackcollapse --which p
	[ "$output" = stackcollapse-speedscope ]
}

@test "stackprof: samples that were missed are said" {
	run -0 --separate-stderr stackcollapse-stackprof \
		"$DATA/stackprof/program.in"
	[ "$stderr" = "stackcollapse-stackprof: 3 samples were missed, of \
which there is no stack" ]
	sed 's/"missed_samples": 3/"missed_samples": 0/' \
		"$DATA/stackprof/program.in" >none
	run -0 --separate-stderr stackcollapse-stackprof none
	[ -z "$stderr" ]
}

@test "stackprof: ids of nineteen digits are told apart" {
	echo '{"frames":{"9223372036854775806":{"name":"f"},
		"9223372036854775807":{"name":"g"}},
		"raw":[2,9223372036854775806,9223372036854775807,3]}' >p
	run -0 --separate-stderr stackcollapse-stackprof p
	[ "$output" = "f;g 3" ]
}

@test "sysprof: an address is in the symbol before it, as of that moment" {
	{
		printf 'ljs\3\0\0\0\1\x10\1a\x80ljp\2\0\0\0'
		printf '\0\x18\0\0\x05\0'   # of 18 and of 5
		printf '\x0b\x14\1b\0\x18\0' # b at 14, of 18
		printf '\x0b\x14\1c\0\x18\0' # c at 14, of 18
		printf '\0\x12\0\x80'         # of 12
	} >p
	run -0 stackcollapse-sysprof -q p
	[ "$output" = "[unknown] 1
a 2
b 1
c 1" ]
}

# V8 takes samples in two threads: they come out of order by a little.
@test "v8: samples last until the next one in time, whatever their order" {
	echo '{"nodes":[{"id":1,"callFrame":{"functionName":"f"}},
		{"id":2,"callFrame":{"functionName":"g"}}],"samples":[1,2,1],
		"timeDeltas":[0,10,-5],"startTime":100,"endTime":120}' >p
	run -0 --separate-stderr stackcollapse-v8 --strict p
	[ "$output" = "f 10
g 10" ]
	[ -z "$stderr" ]
	run -0 stackcollapse-v8 --samples p
	[ "${lines[*]:1}" = "f 5 f 5 g 10" ]
}

# header VERSION: of a profile of vmprof at 10000 us.
header() {
	local word

	for word in '\0' '\3' '\0' '\x10' '\0'; do
		printf '%b' "$word\0\0\0\0\0\0\0"
	done
	printf '%b' "\5\0\\$1\1p"
}

# word N: eight bytes, the low one first.
word() {
	printf '%b' "\\x$(printf %x "$1")\0\0\0\0\0\0\0"
}

@test "vmprof: of old versions the number tells what samples have" {
	{
		header 2 # pairs of a kind and an address, and a thread
		printf '\1'
		for n in 1 4 1 64 1 65 7; do word $n; done
		printf '\2'; word 64; word 6; printf 'py:f:-'
		printf '\2'; word 65; word 6; printf 'py:g:-\3'
	} >p
	run -0 --separate-stderr stackcollapse-vmprof p
	[ "$output" = "g;f 1" ]
	[ -z "$stderr" ]
	{
		header 3 # the memory behind the thread
		printf '\1'
		for n in 1 1 64 7 100; do word $n; done
		printf '\2'; word 64; word 6; printf 'py:f:-\3'
	} >p
	run -0 --separate-stderr stackcollapse-vmprof p
	[ "$output" = "f 1" ]
	[ -z "$stderr" ]
}

@test "xdebug: time is counted once, and not backwards" {
	printf 'TRACE START [2026]\n1\t0\t0\t%s\t9\tf\n' 0.000010 >trace
	printf '2\t1\t0\t%s\t9\tg\n2\t1\t1\t%s\t9\n1\t0\t1\t%s\t9\n' \
		0.000005 0.000015 0.000020 >>trace
	run -1 --separate-stderr stackcollapse-xdebug --strict trace
	[ "$output" = "f 5000
f;g 5000" ]
	[[ $stderr == *"trace:3: a time before the one before it"* ]]
}

@test "speedscope: profiles of different units are said" {
	cat >p <<-'END'
	{"shared":{"frames":[{"name":"a"}]},"profiles":[
	{"type":"sampled","name":"objects","unit":"none","samples":[[0]],"weights":[2]},
	{"type":"sampled","unit":"bytes","samples":[[0]],"weights":[64]}]}
	END
	run -0 --separate-stderr stackcollapse-speedscope p
	[ "$output" = "[unknown];a 64
objects;a 2" ]
	[[ $stderr == *"profiles of different units: see --list"* ]]
	run -0 --separate-stderr stackcollapse-speedscope --profile 2 p
	[ "$output$stderr" = "a 64" ]
	sed -i 's/none/bytes/' p
	run -0 --separate-stderr stackcollapse-speedscope p
	[ -z "$stderr" ]
}

@test "speedscope and stackprof: a file that begins with NUL is not empty" {
	printf '\0\0\0\3' >p
	for format in speedscope stackprof; do
		run -2 --separate-stderr stackcollapse-$format p
		[[ $stderr == *"p:0: not JSON of $format"* ]]
	done
}

@test "xdebug: the format for people is refused, and says what to set" {
	cat >trace <<-'END'
	TRACE START [2026-11-22 11:20:05.179413]
	    0.0004     399816   -> {main}() /srv/a.php:0
	    0.0007     399840     -> App\Foo->bar($n = 2) /srv/a.php:7
	    0.0100     391256
	TRACE END   [2026-11-22 11:20:05.189509]
	END
	run -2 --separate-stderr stackcollapse-xdebug trace
	[ -z "$output" ]
	[[ $stderr == *"3 lines not understood, the first: trace:2: of another format; set xdebug.trace_format=1"* ]]
	run -2 --separate-stderr stackcollapse trace
	[[ $stderr == *"set xdebug.trace_format=1"* ]]
}

# The first did not end.
@test "xdebug: traces of several requests in a file" {
	{
		printf 'TRACE START [2026]\n1\t0\t0\t0.5\t9\tf\n'
		printf '2\t1\t0\t0.500001\t9\tg\n'
		printf 'TRACE START [2026]\n1\t0\t0\t0.1\t9\tf\n'
		printf '1\t0\t1\t0.100002\t9\nTRACE END [2026]\n'
	} >trace
	run -0 --separate-stderr stackcollapse-xdebug trace
	[ "$output" = "f 3000
f;g 0" ]
}

# The file has each virtual thread by itself, also those that wait.
@test "jstack: a file of Thread.dump_to_file" {
	local file=$DATA/jstack/file.in

	run -0 stackcollapse --which "$file"
	[ "$output" = stackcollapse-jstack ]
	run -0 stackcollapse-jstack --states "$file"
	[[ $output == *'run;sun.nio.ch.Net.accept;state:idle 1'* ]]
	[[ $output == *'main;a.B.main;java.lang.Thread.sleepNanos0;state:timed'* ]]
	[[ $output == *'Continuation.run;state:idle 1'* ]]
	# as Java 21 has it
	printf '5\n2024-01-01T00:00:00Z\n21\n\n#1 "main"\n      a.B.f(B.java:4)\n\n' >p
	printf '#2 "\n#3 "x\n#4 ""\n' >>p
	run -2 --separate-stderr stackcollapse p
	[[ $stderr == *"a thread without its state"* ]]
}
