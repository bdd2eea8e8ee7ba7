#!/usr/bin/env bats
# stackcollapse-jstack.bats - the reader of traces of jstack.
# shellcheck disable=SC2016 # classes have dollars

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# thread NAME FUNCTION...: that is said to run, the leaf first.
thread() {
	printf '"%s" #9 prio=5 runnable\n' "$1"
	printf '   java.lang.Thread.State: RUNNABLE\n'
	[ $# -eq 1 ] || printf '\tat %s(Native Method)\n' "${@:2}"
	echo
}

@test "jstack: each dump gives its stacks" {
	golden jstack
}

@test "jstack: --states counts every thread of every dump" {
	local in=$DATA/jstack/dumps.in

	run -0 stackcollapse-jstack --states "$in"
	[ "$(awk '{ n += $NF } END { print n }' <<<"$output")" -eq \
		"$(grep -c 'java.lang.Thread.State' "$in")" ]
	[[ $output == *";state:timed_waiting "* ]]
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
	[[ $stderr == *"p:3: a frame of machine code; make the dump without --mixed and -m" ]]
}

@test "jstack: who waits in Java is no idle thread" {
	printf '"a" #9\n   java.lang.Thread.State: WAITING (on object)\n' >p
	printf '\tat java.lang.Object.wait0(Native Method)\n' >>p
	run -0 stackcollapse-jstack --states p
	[ "$output" = "a;java.lang.Object.wait0;state:waiting 1" ]
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
	[[ $stderr == *"a thread has no state"* ]]
}

@test "jstack: --slashes writes classes as stacksample and JFR do" {
	{
		thread t 'P$$Lambda$1/0x00007f2a3c000a08.run' \
			'a.b.C$D.<init>' plain P.main
		thread u 'P$$Lambda/0x1b040210.run'
		thread v sun.nio.ch.Net.accept A.accept # waits all the same
	} >p
	run -0 stackcollapse-jstack --slashes p
	[ "$output" = 't;P.main;plain;a/b/C$D.<init>;P$$Lambda$1+0x00007f2a3c000a08.run 1
u;P$$Lambda+0x1b040210.run 1' ]
}
