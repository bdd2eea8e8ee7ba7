#!/usr/bin/env bats
# waits.bats - idle threads are told by a list, waits(5).

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# folded STACK [OPTION...]: fold a stack, which is leaf first as poor man's
# profilers count them, without idle threads.
folded() {
	local stack=$1

	shift
	run -0 stackcollapse-pmp -q "${@:---drop-idle}" <<<"1 $stack"
}

kept() {
	folded "$@" && [ -n "$output" ]
}

dropped() {
	folded "$@" && [ -z "$output" ]
}

@test "threads that wait for work are left out, and counted" {
	run -0 --separate-stderr stackcollapse-pmp --drop-idle <<-'END'
	3 epoll_wait,loop,main
	4 compute,main
	END
	[ "$output" = "main;compute 4" ]
	[ "$stderr" = "stackcollapse-pmp: dropped 1 of 2 samples, which is \
of idle threads" ]
}

@test "callers that are left out do not decide; nor do roots" {
	cat >stacks <<-'END'
	Thread 1 (LWP 7 "epoll_wait"):
	#0  epoll_wait () from libc.so.6
	#1  main () at loop.c:1
	Thread 2 (LWP 8 "main"):
	#0  compute () at loop.c:9
	#1  main () at loop.c:1
	END
	run -0 stackcollapse-gdb -q --tid --drop-idle --skip-after epoll_wait \
		stacks
	[[ "$output" = *"compute 1" && ${#lines[@]} -eq 1 ]]
	run -0 stackcollapse-gdb -q --root comm --skip-after main stacks
	[ "$output" = $'main;compute 1\nmain;epoll_wait 1' ]
}

@test "the outermost function that waits says what for" {
	kept futex_wait,__lll_lock_wait,pthread_mutex_lock,main
	dropped futex_wait,__futex_abstimed_wait_common64,pthread_cond_wait,uv__io_poll
	kept __libc_read,main
	dropped '[liburing.so.2],__io_uring_get_cqe,main'
}

@test "the workers of node wait for work" {
	local worker='node::(anonymous namespace)::PlatformWorkerThread'

	dropped "futex_wait,pthread_cond_wait,uv_cond_wait,$worker,start_thread"
	kept "futex_wait,pthread_cond_wait,uv_cond_wait,job,$worker,start_thread"
}

@test "Java's threads wait for work, however their classes are written" {
	local park="futex_wait,pthread_cond_wait,Unsafe_Park" c="java/util/concurrent"

	park+=",java/util/concurrent/locks/LockSupport.park:341_[0]"
	park+=",$c/locks/AbstractQueuedSynchronizer\$ConditionNode.block_[0]"
	park+=",$c/ForkJoinPool.managedBlock_[0]"
	park+=",$c/locks/AbstractQueuedSynchronizer\$ConditionObject.await:1630_[0]"
	kept "$park,$c/LinkedBlockingQueue.put_[j],Own.run_[j]"
	dropped "$park,$c/LinkedBlockingQueue.take:435_[0],Own.run_[j]"
	dropped "${park//\//.},java.util.concurrent.LinkedBlockingQueue.take,Own.run"
	dropped "futex_wait,Monitor::wait,CompileQueue::get,start_thread"
	kept "futex_wait,Unsafe_Park,$c/locks/ReentrantLock.lock_[j],Own.run_[j]"
}

@test "lines of functions do not matter" {
	dropped "poll:poll.c:29,uv__io_poll:src/unix/linux.c:1403,main:a.c:1"
	kept "read:read.c:26,a::b:c.cc:3,main:a.c:1"
}

@test "what is not next to the leaf does not count" {
	kept compute,poll,main
	kept syscall,main
}

@test "what libraries and compilers add to names does not count" {
	dropped __GI___poll,main
	dropped epoll_wait@@GLIBC_2.3.2,main
	dropped clock_nanosleep@GLIBC_2.2.5,__nanosleep,__sleep,main
}

@test "states of threads are system calls; who runs is not idle" {
	dropped state:epoll_wait,epoll_wait,main
	dropped state:pause,main
	kept state:running,epoll_wait,main
	kept state:futex,futex_wait,pthread_mutex_lock,main
}

@test "who waits for something unknown is not idle, and counted as waiting" {
	kept state:futex,futex_wait,pthread_cond_wait,main
	kept state:clock_adjtime,main
	kept sem_wait,main
	kept syscall,futex_wait,std::thread::park,main
	printf 'm;serve;pthread_cond_wait;state:futex 3\nm;f;state:running 1\n' >in
	run -0 foldtop in
	[[ $output == *'running 25%   lock 0%   I/O 0%   waiting 75%   idle 0%'* ]]
	[[ $output == *' 75%   75%  serve'* ]]
}

@test "what a sampler has found out goes before what calls are called" {
	kept state:waiting,epoll_wait,main
	dropped state:epoll_wait,epoll_wait,main
	dropped state:waiting,epoll_wait,WaitLatch,main
	kept state:lock,pthread_cond_wait,main
	kept '[in fsync]','[held by a;b 12]',state:lock,futex,uv__io_poll,main
	printf 'm;f;pause;state:stopped 2\nm;g;state:runqueue 1\n' >in
	run -0 foldtop in
	[[ $output == *'running 0%   runqueue 33%   lock 0%   I/O 0%   '* ]]
	[[ $output == *'stopped 67%   idle 0%'* && $output == *' 33%   33%  g'* ]]
}

@test "frames of the kernel need not be listed once one was" {
	dropped 'schedule_[k],any_[k],__x64_sys_poll_[k],do_syscall_64_[k],poll'
	kept 'schedule_[k],any_[k],__x64_sys_read_[k],do_syscall_64_[k],read'
	kept 'any_[k],schedule_[k],__x64_sys_poll_[k]'
}

@test "a file of one's own is the list instead" {
	printf '# mine\nidle Pool::take*\nrun Pool::taken\n' >mine
	dropped Pool::take_job,main --drop-idle=mine
	kept Pool::taken,main --drop-idle=mine
	kept poll,main --drop-idle=mine
}

@test "a list that is not understood is status 2, with its place" {
	printf 'idle a\nlazy b\n' >mine
	run -2 --separate-stderr stackcollapse-pmp --drop-idle=mine <<<'1 a,b'
	[[ $stderr == *"mine:2: not a class"* ]]
	run -2 stackcollapse-pmp --drop-idle=missing <<<'1 a,b'
}

@test "without an installation the list is built in" {
	XDG_DATA_DIRS=none kept compute,main
	XDG_DATA_DIRS=none dropped poll,main
	mkdir foldstack
	echo 'idle compute' >foldstack/waits
	XDG_DATA_DIRS=. dropped compute,main
}

@test "the list names no function twice" {
	sed -n 's/^[a-z]* //p' "$top_srcdir/share/waits" | sort >names
	uniq -d names >twice
	[ -s names ] && [ ! -s twice ]
}

@test "functions of Python wait by the names of their files" {
	local lib=/usr/lib/python3.11

	{
		printf 'm;work (/srv/app.py);Queue.get (%s/queue.py);' $lib
		printf 'Condition.wait (%s/threading.py);' $lib
		printf 'lock_PyThread_acquire_lock;sem_clockwait;state:futex 3\n'
		printf 'm;A.do_GET (/srv/app.py);lock_PyThread_acquire_lock;'
		printf 'sem_clockwait;state:futex 2\n'
		# This one is not the library's.
		printf 'm;Queue.get (/srv/app.py) 1\n'
	} >in
	run -0 foldtop in
	[[ $output == *' lock 33% '*' idle 50%'* ]]
	[[ $output == *'67%  A.do_GET (/srv/app.py)'* ]]
	[[ $output == *'33%  Queue.get (/srv/app.py)'* ]]
	run -0 foldtop --idle in
	[[ $output == *'50%  work (/srv/app.py)'* ]]
}
