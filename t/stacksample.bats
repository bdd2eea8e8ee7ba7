#!/usr/bin/env bats
# stacksample.bats - the stacks of all threads, and what that does to them.

load helper

setup() {
	target=
}

teardown() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
}

# What may not be looked at cannot be tested: a container without ptrace.
start() {
	[ $# -gt 0 ] || set -- threads
	[[ $1 == /* ]] || set -- "$top_builddir/t/programs/$1" "${@:2}"
	rm -f "$BATS_TEST_TMPDIR/log"
	"$@" >"$BATS_TEST_TMPDIR/log" &
	target=$!
	disown
	until grep -qs ready "$BATS_TEST_TMPDIR/log"; do
		kill -0 "$target"
		sleep 0.01
	done
	if ! stacksample -q -p $target -F 100 -d 0.1 \
		>"$BATS_TEST_TMPDIR/probe" 2>&1; then
		grep -q 'may not' "$BATS_TEST_TMPDIR/probe" &&
			skip "no right to look at processes"
	fi
}

# How many samples a raw trace has.
samples_in() {
	stackcollapse-pmp -q --samples | grep -c '^#time'
}

# is_larger FILE BYTES
is_larger() {
	[ "$(wc -c <"$1")" -gt "$2" ]
}

sample() {
	run -0 --separate-stderr stacksample -p "$target" -F 50 -d 0.6 "$@"
}

all_there() {
	sample --folded --state
	[[ $output == *"main;sleep_here;"*"state:"* &&
		$output == *"lock_here;"*"state:lock "* &&
		$output == *"poll_here;"*"state:"?(p)"poll "* &&
		$output == *"burn_here"*"state:run"* &&
		$output == *"deep_here;deep_here;deep_here;"* &&
		$stderr != *truncated* ]]
}

@test "all threads are there, those that run and those that wait" {
	start
	again all_there
}

@test "--tid tells threads of one name apart, and the header names the process" {
	start
	sample --folded --tid
	[[ ${lines[0]} == *";comm=threads;pid=$target"* ]]
	[[ $output == *$'\n'*"-$target/$target;"* ]]
	sample --folded
	[[ $output != *"-$target/"* ]]
}

dumped() {
	run -0 --separate-stderr stacksample --dump -p "$target"
	[[ $stderr == *" waits for a lock of "* &&
		${lines[0]} == "Process $target: "*/threads &&
		$output == *$'\n1 thread, run'*$'\n    burn_here'* &&
		$output == *$'\n1 thread, lock, held by threads '*$'\n    lock_here'* ]]
}

@test "--dump prints all threads once, those with equal stacks together" {
	local task

	start
	within_minutes dumped
	for task in /proc/"$target"/task/*; do
		[ "$(grep -cE "^[0-9]+ thread[^:]*:.* ${task##*/}(,|\$)" <<<"$output")" \
			-eq 1 ]
	done
	# Those that run stand first.
	[[ ${lines[1]} == '1 thread, run'* ]]
	run -2 --separate-stderr stacksample --dump -d 1 -p "$target"
	[[ $stderr == *'--dump looks once'* ]]
	kill "$target"
	[ -x /usr/bin/python3 ] || skip "no python3"
	start /usr/bin/python3 -c 'import threading
for i in range(12): threading.Thread(target=threading.Event().wait).start()
print("ready", flush=True)
threading.Event().wait()'
	run -0 stacksample --dump -p "$target"
	[[ $output == *$'\n12 threads, '*' and 2 more'$'\n'* ]]
}

@test "a snapshot stream has a header for each snapshot, and a blank line" {
	start
	sample --folded
	[[ ${lines[0]} == '#fold=1;counts=1;unit=samples;clock=monotonic;'*';dur='* ]]
	foldmerge - <<<"$output" >/dev/null
}

@test "raw traces have processes, memory and threads" {
	start
	sample
	[[ ${lines[0]} == '#stacksample=2;'*'hz=50;'* ]]
	[[ ${lines[1]} == "P $target "*" threads" ]]
	grep -qE "^M $target [0-9a-f]+-[0-9a-f]+ [0-9a-f]+ r-xp [0-9a-f-]+ .*/t/programs/threads$" <<<"$output"
	grep -qE "^S $target [0-9]+ [0-9]+\.[0-9]{9} S futex " <<<"$output"
	grep -qE "^S $target [0-9]+ [0-9]+\.[0-9]{9} R - - " <<<"$output"
	grep -qE '^K [0-9]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f ]+$' <<<"$output"
	grep -qxE ' #[0-9]+' <<<"$output"
}

# Four threads never move: nearly all rounds are one short line.
is_short() {
	sample
	[ "$(grep -c '^= ' <<<"$output")" -ge 10 ] &&
		[ "$(samples_in <<<"$output")" -ge \
			$(($(grep -c '^$' <<<"$output") * 5 - 5)) ] &&
		[ "$(grep -c '^S ' <<<"$output")" -le 30 ]
}

@test "samples that are as before are one line of a raw trace" {
	start
	again is_short
}

@test "--only-running and --only-blocked take one sort of threads" {
	start
	sample --only-running --folded --state
	[[ $output == *state:run* && $output != *state:lock* ]]
	sample --only-blocked --folded --state
	[[ $output != *state:run* && $output == *state:lock* ]]
}

@test "--thread-name takes threads by their names" {
	start
	sample --thread-name '^lo.k' --folded
	grep -q lock_here <<<"$output"
	run ! grep -e poll_here -e burn_here <<<"$output"
	run -2 --separate-stderr stacksample -p 1 --thread-name '(' </dev/null
}

@test "a pattern of --thread-name that takes too long is status 2" {
	cp "$(command -v sleep)" "$BATS_TEST_TMPDIR/xxxxxxxxxxxxxx!"
	run -2 --separate-stderr timeout 60 stacksample -d 0.2 \
		--thread-name '^((x+)+)+$' -- "$BATS_TEST_TMPDIR/xxxxxxxxxxxxxx!" 1
	[[ $stderr == *'--thread-name: the pattern took too long for '*': xxxxxxxxxxxxxx!'* ]]
}

@test "--comm takes a pattern" {
	start
	cp "$(command -v sleep)" "$BATS_TEST_TMPDIR/pool.worker-1"
	cp "$(command -v sleep)" "$BATS_TEST_TMPDIR/pool.worker-2"
	"$BATS_TEST_TMPDIR/pool.worker-1" 100 3>&- &
	"$BATS_TEST_TMPDIR/pool.worker-2" 100 3>&- &
	within_minutes comm_takes_a_pattern
	kill %1 %2
}

comm_takes_a_pattern() {
	stacksample -q --comm 'pool.work*[12]' -F 50 -d 0.1 --folded \
		>"$BATS_TEST_TMPDIR/pool" &&
		grep -q '^pool.worker-1;' "$BATS_TEST_TMPDIR/pool" &&
		grep -q '^pool.worker-2;' "$BATS_TEST_TMPDIR/pool"
}

@test "it is told why there is no stack" {
	start
	sample --only-running --thread-name '^lo.k' --folded
	[[ $stderr == *'stacksample: no thread ran' ]]
	run -2 --separate-stderr stacksample -p "$target" -F 50 -d 0.6 \
		--thread-name '^nobody$'
	[[ $stderr == *'stacksample: no thread name matches' ]]
}

@test "--thread-name takes a thread that gets its name later" {
	start odd name
	stacksample -q -F 50 -p "$target" --thread-name '^(first|late)$' \
		>"$BATS_TEST_TMPDIR/raw" 3>&- &
	within_minutes grep -q '^S ' "$BATS_TEST_TMPDIR/raw"
	kill -USR1 "$target"
	within_minutes grep -q '^S .* late id=' "$BATS_TEST_TMPDIR/raw"
	kill $!
	wait $!
}

@test "--no-stop stops nothing" {
	start
	sample --no-stop --folded --state
	grep -q 'lock_here;.*state:lock' <<<"$output"
	grep -q ';\[moving\];state:run' <<<"$output"
	run ! grep burn_here <<<"$output"
}

@test "--consistent takes all threads together" {
	start
	stacksample -q -F 50 --consistent --folded -p "$target" \
		>"$BATS_TEST_TMPDIR/folded" 3>&- &
	# One that waits for a CPU may not stop in time.
	within_minutes grep -q burn_here "$BATS_TEST_TMPDIR/folded"
	within_minutes grep -q lock_here "$BATS_TEST_TMPDIR/folded"
	kill $!
	wait $!
}

@test "--consistent takes those that are wanted, and stops no others" {
	start
	sample --consistent --folded --thread-name '^lo.k'
	grep -q lock_here <<<"$output"
	run ! grep -e poll_here -e burn_here <<<"$output"
	sample --consistent --folded --only-blocked
	grep -q lock_here <<<"$output"
	run ! grep burn_here <<<"$output"
	run -2 --separate-stderr stacksample --consistent --no-stop -p "$target"
	[[ $stderr == *"exclude each other"* ]]
}

@test "a process that is named twice is sampled once" {
	start
	sample -p "$target" --only-blocked --thread-name '^poll'
	# No blank line ends the last round here.
	[ "$(samples_in <<<"$output")" -le \
		$(($(grep -c '^$' <<<"$output") + 1)) ]
}

@test "processes of a name that have ended since are not missed" {
	start
	cd "$BATS_TEST_TMPDIR"
	cp "$(command -v sleep)" brief
	./brief 60 3>&- &
	within_minutes grep -qx brief "/proc/$!/comm"
	while [ -e brief ]; do ./brief 0.02 || :; done 3>&- &
	for _ in 1 2 3 4 5 6; do
		stacksample -q --comm brief -F 100 -d 0.1 >raw || rm brief
	done
	kill %1
	rm brief
}

@test "numbers without a sense are status 2, and said" {
	local option number

	for option in -F -d --max-cpu --max-stack; do
		for number in 1e-300 1e7; do
			run -2 --separate-stderr stacksample $option $number
			[[ $stderr == *" takes a number from 0.000001 to 1000000, \
not $number"* ]]
		done
	done
	for number in 0 -1 1e300 nan inf '' 1x; do
		run -2 --separate-stderr stacksample -d "$number"
		[[ $stderr == *"stacksample: -d takes a number"* ]]
	done
}

@test "--max-cpu lowers the rate, and says so" {
	start
	run -0 --separate-stderr stacksample -p "$target" -F 1000 -d 2 \
		--max-cpu 1%
	[[ $stderr == *"--max-cpu: down to "*" rounds a second, not 1000"* ]]
	[ "$(grep -c '^$' <<<"$output")" -lt 1000 ]
	run -0 --separate-stderr stacksample -p "$target" -F 5 -d 1 --max-cpu 90
	[[ $stderr != *"--max-cpu"* ]]
	run -2 stacksample -p "$target" --max-cpu 0
}

@test "a command is started, sampled, and its status does not matter" {
	run -0 --separate-stderr stacksample --folded -F 50 -- \
		sh -c 'sleep 0.5; exit 3'
	[[ $output == *sleep* || $output == *sh* ]]
}

@test "--traceable runs the command, and nothing else" {
	run -3 --separate-stderr stacksample --traceable -- sh -c 'cat; exit 3' \
		<<<hello
	[ "$output" = hello ] && [ -z "$stderr" ]
	run -127 stacksample --traceable -- ./no-such-command
	run -2 stacksample --traceable
	run -2 stacksample --traceable -p $$ -- true
}

@test "--traceable lets its caller look at a command, whatever Yama is" {
	grep -qsx 1 /proc/sys/kernel/yama/ptrace_scope ||
		skip "no Yama here that lets only parents look"
	[ "$(id -u)" -ne 0 ] || skip "root may look at everything"
	sleep 20 3>&- &
	target=$!
	run -2 stacksample -d 0.1 -p $target
	kill $target
	stacksample --traceable -- sleep 20 3>&- &
	target=$!
	disown
	within_minutes grep -qx sleep /proc/$target/comm
	run -0 stacksample -d 0.5 --folded --state -p $target
	[[ $output == *';state:clock_nanosleep '* ]]
}

@test "a command is sampled until it ends, though it is stopped meanwhile" {
	start # skips where nothing may be stopped
	cd "$BATS_TEST_TMPDIR"
	# shellcheck disable=SC2016 # the inner shell's
	stacksample -q -F 200 -- bash -c '
		until [ $SECONDS -ge 60 ] || [ "$(grep -cE "^(S|=)" raw)" -ge 200 ]; do
			for ((i = 0; i < 20000; i++)); do :; done
		done' >raw 3>&-
	[ "$(grep -cE '^(S|=)' raw)" -ge 200 ]
}

@test "a command that ends while it is stopped ends the sampling" {
	start
	cd "$BATS_TEST_TMPDIR"
	for _ in 1 2 3 4 5 6; do
		: >raw
		# A command that ends before the first look would be an error.
		# shellcheck disable=SC2016 # the inner shell's
		timeout 60 stacksample -q -F 99997 --only-running -p "$target" \
			-- sh -c 'until grep -q "^S" raw; do :; done
				while [ ${#a} -lt 4000 ]; do a=a$a; done' >raw
	done
}

# sample_jitprog FILE COMMAND OPTION...: until the command succeeds.
sample_jitprog() {
	local child children

	stacksample -q -F 100 "${@:3}" -- "$top_builddir/t/jit/jitprog" stay \
		>"$1" 3>&- &
	within_minutes "$2"
	# Which ends the sampling.  The other child would ask JVMs.
	read -ra children <"/proc/$!/task/$!/children" || :
	for child in "${children[@]}"; do
		! grep -q jitprog "/proc/$child/comm" || kill "$child"
	done
	wait $!
}

raw_is_whole() {
	grep -q '^J .* made$' raw &&
		stackcollapse-pmp -q --jit raw 2>/dev/null |
		grep -q ';main;enter;made_\[j\];spin '
}

folded_is_whole() {
	grep -q ';main;enter;made;spin ' folded
}

# The first sample may be older than what the jitdump says of unwinding.
@test "code of a JIT has the name that its jitdump gives it, for good" {
	[ "$(uname -m)" = x86_64 ] || skip "jitprog makes code of x86-64"
	start
	cd "$BATS_TEST_TMPDIR"
	sample_jitprog raw raw_is_whole
	rm jit-*.dump
	[ "$(grep -cE '^J [0-9]+ [0-9a-f]+ 11 made$' raw)" -eq 1 ]
	raw_is_whole
	sample_jitprog folded folded_is_whole --folded
}

@test "what was stripped has the names of perf's copy of it" {
	local id copy

	id=$("$top_builddir/t/elf/elfsyms" -b "$top_builddir/t/programs/threads")
	[ -n "$id" ] || skip "no build-ids here"
	command -v strip >/dev/null || skip "no strip"
	copy=$BATS_TEST_TMPDIR/.debug/.build-id/${id:0:2}/${id:2}
	mkdir -p "$copy"
	cp "$top_builddir/t/programs/threads" "$copy/elf"
	strip -o "$BATS_TEST_TMPDIR/stripped" "$copy/elf"
	start "$BATS_TEST_TMPDIR/stripped"
	HOME=$BATS_TEST_TMPDIR sample --folded
	[[ $output == *"lock_here;"* ]]
}

@test "a time that is shorter than an interval has one look" {
	start
	run -0 stacksample -q -p "$target" -F 1 -d 0.1
	grep -q '^S ' <<<"$output"
}

@test "a time that is over before there was a look has one" {
	start
	stacksample -q -p "$target" -F 0.5 -d 2 >"$BATS_TEST_TMPDIR/raw" 3>&- &
	sleep 0.3
	kill -STOP $!
	sleep 2
	kill -CONT $!
	wait $!
	grep -q '^S ' "$BATS_TEST_TMPDIR/raw"
}

@test "--comm takes a name that is longer than the kernel keeps it" {
	start
	kill -KILL "$target"
	cp "$top_builddir/t/programs/threads" "$BATS_TEST_TMPDIR/a-program-of-a-long-name"
	start "$BATS_TEST_TMPDIR/a-program-of-a-long-name"
	run -0 stacksample -q --comm a-program-of-a-long-name -d 0.1
}

@test "no process, and none that may be looked at, is status 2" {
	run -2 --separate-stderr stacksample
	run -2 --separate-stderr stacksample -p 2147483647
	[[ $stderr == *"there is no process 2147483647" ]]
	run -2 --separate-stderr stacksample --comm no-such-process
	run -2 --separate-stderr stacksample -p x
	run -2 --separate-stderr stacksample -p 1 -F 0
}

@test "an output that cannot be written is status 2" {
	start
	run -2 bash -c "stacksample -p $target -d 0.3 >/dev/full"
}

@test "a process that ends, ends the sampling" {
	start
	(
		sleep 2
		kill -KILL "$target"
	) &
	run -0 stacksample -p "$target" -d 20 --folded
	[[ $output == *lock_here* ]]
}

@test "a stopped process stays so, and all of its stacks are whole" {
	start
	kill -STOP "$target"
	sleep 0.1
	sample --folded
	grep -q burn_here <<<"$output"
	run ! grep -F '[truncated]' <<<"$output"
	grep -q '^State:.*T (stopped)' "/proc/$target/status"
	kill -CONT "$target"
}

@test "a call that was restarted has its name, and its stack is whole" {
	start
	sample --consistent --folded
	sample --folded --state
	grep -qE 'poll_here;.*state:p?poll ' <<<"$output"
	run ! grep -F -e restart_syscall -e '[truncated]' <<<"$output"
}

# The first thread, and the one there is beside it but for moments.
two_threads() {
	local rounds seen

	run -0 --separate-stderr stacksample -p "$target" -F 100 -d 2
	rounds=$(grep -c '^$' <<<"$output")
	seen=$(samples_in <<<"$output")
	[ "$rounds" -ge 20 ] &&
		[ "$seen" -ge $((rounds * 2 - rounds / 5)) ] &&
		[ "$seen" -le $((rounds * 2 + rounds / 5)) ]
}

@test "threads that live shortly are seen as long as they live" {
	start odd churn
	again two_threads
}

@test "a first thread that has exited leaves the others to be seen" {
	start odd leader
	sample --folded --state
	grep -qE '^odd;.*;long_life;wait_here;.*;state:p?poll ' <<<"$output"
}

@test "a program that executes another one is looked at anew" {
	start odd exec
	stacksample -q -p "$target" -F 50 >"$BATS_TEST_TMPDIR/raw" 3>&- &
	within_minutes grep -q '^S ' "$BATS_TEST_TMPDIR/raw"
	kill -USR1 "$target"
	within_minutes grep -qE '^S .* p?poll ' "$BATS_TEST_TMPDIR/raw"
	kill $!
	wait $!
	# A program that is still being loaded may be looked at twice.
	[ "$(grep -cE "^P $target [0-9]+ odd$" "$BATS_TEST_TMPDIR/raw")" -ge 2 ]
	run -0 stackcollapse-pmp "$BATS_TEST_TMPDIR/raw"
	grep -q ';main;wait_here;' <<<"$output"
	run ! grep -F '[unknown]' <<<"$output"
}

# has_ended PROCESS
has_ended() {
	! kill -0 "$1" 2>/dev/null
}

@test "a thread that executes a program as it is stopped is let go" {
	local i
	local -a heirs

	start
	for i in 1 2 3 4; do
		"$top_builddir/t/programs/odd" heir >"$BATS_TEST_TMPDIR/log" 3>&- &
		heirs+=($!)
	done
	# With one that stays, it does not end meanwhile.
	stacksample -q -F 9973 --only-running -p "$target" \
		"${heirs[@]/#/-p}" >"$BATS_TEST_TMPDIR/raw" 3>&- &
	for i in "${heirs[@]}"; do
		while ! grep -q again "/proc/$i/cmdline"; do
			sleep 0.05
		done
		sleep 0.1
		# It is traced no more, or a signal would stop it for good.
		kill "$i"
		within_minutes has_ended "$i"
	done
	kill %+
}

# Each waited for the other, and SIGTERM did not end that.
@test "a program whose threads run may execute another one at any time" {
	local option process

	start # skips
	for option in -q --consistent; do
		"$top_builddir/t/programs/odd" reexec 10000 3>&- &
		process=$!
		disown
		timeout -k 1 60 stacksample -F 1000 -d 2 $option -p $process \
			>"$BATS_TEST_TMPDIR/raw"
		kill $process
		within_minutes has_ended $process
	done
}

# A thread that waits for a CPU stops when it gets one, rounds later.
@test "threads that wait long for a CPU have stacks" {
	local i others=

	command -v taskset >/dev/null || skip "no taskset, of util-linux"
	start # skips
	taskset -a -p -c 0 "$target" >/dev/null || skip "no CPU 0"
	for i in 1 2 3 4 5 6; do
		taskset -c 0 "$top_builddir/t/programs/burn" 20 3>&- &
		others+=" $!"
	done
	run -0 --separate-stderr stacksample -p "$target" -F 50 -d 2 \
		--only-running --folded
	# shellcheck disable=SC2086 # numbers
	kill $others
	[[ $stderr != *"did not stop in time"* && $output == *burn_here* ]]
	[[ $(grep -v '^#' <<<"$output") != *'[moving]'* ]]
}

has_moved() {
	sample -q -F 500 --folded --state
	grep -q 'turns_here;.*;\[moving\];state:' <<<"$output"
}

@test "a stack that is newer than the look at its thread is marked" {
	start odd turns
	within_minutes has_moved
}

@test "one who waits for its vfork is not waited for" {
	local late ran

	start odd vfork
	sample --folded --state
	grep -qE ';__vfork;state:(vfork|clone) ' <<<"$output"
	# Between two it runs, and where CPUs are busy it does not stop soon.
	late=$(sed -nE 's/.*: ([0-9]+) times? a thread did not.*/\1/p' \
		<<<"$stderr")
	ran=$(awk '/;state:run(ning|queue) / { n += $NF } END { print n + 0 }' \
		<<<"$output")
	[ "${late:-0}" -le "$ran" ]
}

@test "a handler on a stack of its own has its callers, or says they are missing" {
	start odd signal
	sample --folded
	grep -q ';handler_here;wait_here;' <<<"$output"
	grep ';handler_here;' <<<"$output" | sed 's/_\[i\]//g' >"$BATS_TEST_TMPDIR/all"
	run ! grep -v -e ';main;.*;raise_here;' -e ';\[truncated\];' \
		"$BATS_TEST_TMPDIR/all"
}

@test "of what a debugger holds, threads that wait have stacks, and that is said" {
	local child

	start odd traced
	child=$(sed -n 1p "$BATS_TEST_TMPDIR/log")
	run -0 --separate-stderr stacksample -p "$child" -F 50 -d 0.5 --folded
	[[ $output == *'odd;[moving] '* ]]
	[[ $stderr == *' a thread could not be stopped: is a debugger attached?'* ]]
	child=$(sed -n 2p "$BATS_TEST_TMPDIR/log")
	run -0 --separate-stderr stacksample -p "$child" -F 50 -d 0.5 --folded
	# Its callers may be known by registers only.
	[[ $output == *';wait_here;'* ]]
}

@test "what may not be looked at is refused, with the remedy" {
	start
	if [ "$(id -u)" -eq 0 ]; then
		command -v setpriv >/dev/null || skip "no setpriv to be another user"
		run -2 --separate-stderr setpriv --reuid 12345 --clear-groups \
			"$(command -v stacksample)" -p "$target" -d 0.1
	else
		[ "$(stat -c %u /proc/1)" != "$(id -u)" ] || skip "process 1 is ours"
		run -2 --separate-stderr stacksample -p 1 -d 0.1
	fi
	[[ $stderr == *"no permission to read process "*"CAP_SYS_PTRACE"* ]]
}

# It is not stopped in this call, so its registers are not known.
@test "a program with frame pointers that waits for events has its callers" {
	cd "$BATS_TEST_TMPDIR"
	cat >events.c <<-'END'
		#include <string.h>
		#include <sys/epoll.h>
		volatile int sink;
		#define NOINLINE __attribute__((noinline))
		NOINLINE int
		wait_here(int fd)
		{
			struct epoll_event event[100];

			memset(event, 0, sizeof(event));
			sink += epoll_wait(fd, event, 100, -1);
			return sink;
		}
		NOINLINE int
		loop_here(int fd)
		{
			for (;;)
				sink += wait_here(fd);
		}
		int main(void) { return loop_here(epoll_create1(0)) + sink; }
	END
	[ "$(uname -m)" = x86_64 ] || skip "aarch64 has other code"
	"${CC:-cc}" -O2 -fno-omit-frame-pointer -o events events.c
	start
	kill -KILL "$target"
	./events &
	target=$!
	disown
	within_minutes grep -q events "/proc/$target/comm"
	# epoll_wait(2)
	within_minutes grep -q '^232 ' "/proc/$target/syscall"
	sample --folded
	[[ $output == *';main;loop_here;wait_here;epoll_wait '* &&
		$output != *'[truncated]'* ]]
}

@test "a frame pointer of 0 is no end of a stack in a function that sets none" {
	[ "$(uname -m)" = x86_64 ] || skip "its code is for x86_64"
	cd "$BATS_TEST_TMPDIR"
	# pause(2), as libraries without rules have it.
	printf '%s\n' '.globl _start' '_start: call wait_here' 'wait_here:' \
		"mov \$34, %eax" 'syscall' 'jmp wait_here' >bare.s
	as -o bare.o bare.s && ld -o bare bare.o || skip "no assembler"
	start
	kill -KILL "$target"
	./bare &
	target=$!
	disown
	within_minutes grep -q bare "/proc/$target/comm"
	sample --folded --only-blocked
	[[ $output == *$'\nbare;[truncated];wait_here '* ]]
	[[ $output != *$'\nbare;wait_here'* ]]
}

# A 32-bit program of two threads: one works, one waits.
narrow() {
	[ "$(uname -m)" = x86_64 ] || skip "programs of i386 run on x86-64 only"
	cd "$BATS_TEST_TMPDIR" || return
	cat >narrow.c <<-'END'
		#include <pthread.h>
		#include <unistd.h>

		#define NOINLINE __attribute__((noinline))
		static volatile int sink;

		NOINLINE void
		work_here(void)
		{
			for (int i = 0; i < 1000000; i++)
				sink++;
		}
		NOINLINE void *
		work(void *arg)
		{
			for (;;)
				work_here();
			return arg;
		}
		NOINLINE void wait_here(void) { pause(); sink++; }
		int
		main(void)
		{
			pthread_t thread;

			pthread_create(&thread, NULL, work, NULL);
			wait_here();
			return 0;
		}
	END
	"${CC:-cc}" -m32 -O1 -fomit-frame-pointer -pthread -o narrow narrow.c ||
		skip "the compiler makes no 32-bit programs"
	(timeout 0.1 ./narrow || [ $? -eq 124 ]) ||
		skip "32-bit programs do not run here"
	start
	kill -KILL "$target"
}

@test "32-bit programs are sampled, running and waiting" {
	narrow
	./narrow &
	target=$!
	disown
	within_minutes grep -q narrow "/proc/$target/comm"
	sample --folded
	grep -q ';work;work_here ' <<<"$output"
	grep -q '^narrow;_start;.*;main;wait_here;pause;__kernel_vsyscall ' \
		<<<"$output"
	# A running thread may not stop in time, but none is cut off.
	[[ $output != *'[truncated]'* ]]
}

@test "the system calls of 32-bit programs are named" {
	narrow
	./narrow &
	target=$!
	disown
	within_minutes grep -q '^29 ' "/proc/$target/syscall" # pause(2)
	sample --folded --state --only-blocked
	grep -q '^narrow;.*;main;wait_here;.*;state:pause ' <<<"$output"
}

@test "a process that executes a 32-bit program is sampled on" {
	narrow
	: >raw
	sh -c 'until grep -q "^S" raw; do :; done; exec ./narrow' &
	target=$!
	disown
	stacksample -p "$target" -F 20 >raw 2>said 3>&- &
	within_minutes grep -q '^P .* narrow$' raw
	within_minutes is_larger raw $(($(wc -c <raw) + 3000))
	kill $!
	wait $!
	run ! grep -q 'of 32 bits: dropped' said
	stackcollapse-pmp -q raw | grep -q ';main;wait_here;'
}

@test "what runs in a container has its names, as long as it runs" {
	unshare --mount --pid --fork true 2>/dev/null ||
		skip "not allowed to make name spaces"
	start
	kill -KILL "$target"
	rm "$BATS_TEST_TMPDIR/log"
	cp "$top_builddir/t/programs/threads" "$BATS_TEST_TMPDIR/inside"
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --pid --fork --kill-child --mount-proc sh -c '
		mount -t tmpfs none /mnt && cp "$1" /mnt/inside &&
		rm "$1" && exec /mnt/inside' - "$BATS_TEST_TMPDIR/inside" \
		>"$BATS_TEST_TMPDIR/log" 3>&- &
	target=$!
	disown
	until grep -qs ready "$BATS_TEST_TMPDIR/log"; do
		kill -0 "$target"
		sleep 0.01
	done
	run -0 stacksample -p "$(tr -d ' ' <"/proc/$target/task/$target/children")" \
		-F 20 -d 1 --folded
	grep -q '^lock;.*;lock_here;' <<<"$output"
}

@test "the vdso is unwound" {
	start odd clock
	run -0 stacksample -q -p "$target" -F 20 -d 1.5 --folded
	grep -qE ';clock_here;.*(vdso|clock_gettime)' <<<"$output"
	[[ $output != *'[truncated]'* ]]
}

@test "a process that has ended is not waited for" {
	local child

	bash -c '"$1" & echo $!; exec sleep 30' - "$top_builddir/t/programs/threads" \
		>"$BATS_TEST_TMPDIR/log" &
	target=$!
	disown
	until grep -qs ready "$BATS_TEST_TMPDIR/log"; do
		kill -0 "$target"
		sleep 0.01
	done
	child=$(head -n 1 "$BATS_TEST_TMPDIR/log")
	kill -KILL "$child"
	# Its parent never waits for it.
	run -2 --separate-stderr timeout 10 stacksample -p "$child"
	[[ $stderr == *"no thread could be read" ]]
}

# In a root directory with nothing but it and /proc.
@test "make stacksample-static makes one file that needs no others" {
	local root=$BATS_TEST_TMPDIR/root

	[ "$(id -u)" -eq 0 ] || skip "no right to change the root directory"
	unshare -m true 2>/dev/null || skip "no right to make mount name spaces"
	need_static
	start
	make -s -C "$top_builddir" stacksample-static
	mkdir -p "$root/proc"
	cp "$top_builddir/stacksample-static" "$root/"
	# shellcheck disable=SC2016 # the inner shell's
	run -0 --separate-stderr unshare -m sh -c '
		mount --bind /proc "$1/proc" &&
		exec chroot "$1" /stacksample-static -p "$2" -F 50 -d 0.5 --folded' \
		- "$root" "$target"
	grep -q ';run_lock;lock_here' <<<"$output"
}

# The policy of the thread that is not the first one; 1 is SCHED_FIFO.  It is
# field 41 of stat.
tracer_policy() {
	local task

	for task in "/proc/$1/task"/*; do
		[ "${task##*/}" = "$1" ] ||
			sed 's/.*) //' "$task/stat" | cut -d ' ' -f 39
	done
}

has_fifo_tracer() {
	[ "$(tracer_policy "$1")" = 1 ]
}

@test "the thread that stops others always has a real-time priority" {
	local sampler i

	chrt -f 1 true 2>"$BATS_TEST_TMPDIR/chrt" ||
		skip "no right to a real-time priority"
	start threads
	"$top_builddir/cmd/stacksample" -p "$target" -F 99 --folded \
		>"$BATS_TEST_TMPDIR/out" &
	sampler=$!
	within_minutes has_fifo_tracer "$sampler"
	within_minutes test -s "$BATS_TEST_TMPDIR/out"
	for ((i = 0; i < 50; i++)); do
		tracer_policy "$sampler"
	done | sort -u >"$BATS_TEST_TMPDIR/policies"
	kill "$sampler"
	[ "$(cat "$BATS_TEST_TMPDIR/policies")" = 1 ]
}

@test "a sampler that is killed leaves nothing stopped" {
	local i

	start
	for i in 1 2 3 4 5 6 7 8; do
		stacksample -p "$target" -F 2000 >"$BATS_TEST_TMPDIR/raw" 3>&- &
		within_minutes [ -s "$BATS_TEST_TMPDIR/raw" ]
		sleep "0.0$i"
		kill -KILL $!
		wait $! || :
	done
	sleep 0.05
	kill -0 "$target"
	run ! grep -E '^State:[[:space:]]*[tT]|^TracerPid:[[:space:]]*[1-9]' \
		"/proc/$target/task"/*/status
}

is_traced() {
	grep -qs '^TracerPid:.[1-9]' /proc/"$1"/task/*/status
}

# What is in a vfork stops only after it, by then job control had stopped us.
stopped_alone() {
	local traced=0

	set -m # or nobody may be stopped
	stacksample -q -F 50 --consistent -p "$target" \
		>"$BATS_TEST_TMPDIR/raw" 3>&- &
	set +m
	within_minutes grep -q '^S ' "$BATS_TEST_TMPDIR/raw"
	kill -TSTP $!
	within_minutes grep -q '^State:.*(stopped)' /proc/$!/status
	! is_traced "$target" || traced=1
	kill -CONT $!
	kill $!
	wait $!
	return $traced
}

# Some signals queue although they are ignored, where they are blocked.
@test "a signal that is ignored, as by nohup, ends nothing" {
	local more

	start
	sh -c "trap '' HUP; exec stacksample -q -F 50 -p $target" \
		>"$BATS_TEST_TMPDIR/raw" 3>&- &
	within_minutes grep -q '^S ' "$BATS_TEST_TMPDIR/raw"
	kill -HUP $!
	more=$(($(wc -c <"$BATS_TEST_TMPDIR/raw") + 20000))
	within_minutes is_larger "$BATS_TEST_TMPDIR/raw" $more
	kill $!
	wait $!
}

@test "as job control stops it, it lets go of all threads before" {
	start odd vfork
	again stopped_alone
}

@test "as a terminal shows what was sampled, all threads have been let go" {
	command -v python3 >/dev/null || skip "no python3"
	start odd vfork
	run -0 env LC_ALL=C.UTF-8 TERM=xterm-256color python3 \
		"$top_srcdir/t/terminal" 80x20 'wait ended' \
		"run timeout 20 sh -c 'while grep -qs ^TracerPid:.[1-9] \
			/proc/$target/status; do sleep 0.05; done'" \
		'key q' -- stacksample -q --consistent -p "$target" -F 50 -d 1
}

@test "a terminal shows foldtop, until that is left or sampling ends" {
	command -v python3 >/dev/null || skip "no python3"
	start
	run -0 env LC_ALL=C.UTF-8 TERM=xterm-256color python3 \
		"$top_srcdir/t/terminal" 80x20 'wait burn_here' 'wait lock_here' \
		show 'key q' -- stacksample -q -p "$target"
	[[ $output == *'running '*' lock '*' idle '*' threads'* ]]
	[[ $output == *$'\nstatus 0\n'* ]]
	run -0 env LC_ALL=C.UTF-8 TERM=xterm-256color python3 \
		"$top_srcdir/t/terminal" 80x20 'wait burn_here' 'wait ended' \
		'key q' -- stacksample -q -p "$target" -F 50 -d 1
	[[ $output == *$'\nstatus 0\n'* ]]
}

# has_states: each thread of t/programs/stuck waits for whom it says.
has_states() {
	local tid name owner

	sample --folded --state --blockers --tid
	while read -r tid name owner; do
		case $name in
		condition | semaphore) grep -qE "^$name-.*/$tid;.*;state:futex [0-9]+\$" ;;
		sleeper) grep -q "^$name-.*/$tid;.*;state:clock_nanosleep " ;;
		join) grep -q "/$tid;.*;state:join;\[end of sleeper $owner\]" ;;
		chained) grep -q "/$tid;.*;state:lock;\[held by middle $owner\];\[held by stuck $target\];\[in clock_nanosleep\]" ;;
		*) grep -q "/$tid;.*;state:lock;\[held by stuck $owner\];\[in clock_nanosleep\]" ;;
		esac <<<"$output" || return
	done < <(grep -v ready "$BATS_TEST_TMPDIR/log")
}

has_chain() {
	has_states && [[ $stderr == *"2 threads of process $target wait for a lock of \
thread "*" (middle), which waits for a lock of thread $target (stuck), which \
is in clock_nanosleep"* ]]
}

# A dump is one moment, in which a thread may look again at its lock.
dump_has_chain() {
	run -0 stacksample --dump -p "$target"
	[[ $output == *$'\n2 threads, lock, held by middle '*", held by stuck \
$target, in clock_nanosleep: chained "*', chained '* ]]
}

@test "who waits for a lock waits for its owner, in a chain of three" {
	cd "$BATS_TEST_TMPDIR" || return
	start stuck
	within_minutes has_chain
	stacksample -q -p "$target" -d 0.3 |
		stackcollapse-pmp -q --state --drop-idle >folded
	grep -q '^mutex;.*state:lock ' folded
	grep -q '^condition;.*state:futex ' folded
	run ! grep -q sleeper folded
	within_minutes dump_has_chain
}

deadlocked() {
	sample --folded --state --blockers
	grep -q "^other;.*;state:lock;\[held by stuck $target\];\[in a deadlock\]" <<<"$output"
}

@test "a deadlock is one" {
	start stuck deadlock
	again deadlocked
	[[ $stderr == *'which waits for one of them: a deadlock'* ]]
}

stopped() {
	sample --folded --state
	[[ $output == *"sleep_here;"*";state:$1 "* &&
		$output == *"burn_here"*";state:$1 "* ]] &&
		! grep -vE '^#|^$' <<<"$output" | grep -qv ";state:$1 "
}

@test "a process that is stopped is not idle, nor does it run" {
	cd "$BATS_TEST_TMPDIR" || return
	start
	kill -STOP "$target"
	again stopped stopped
	[[ $stderr == *"process $target is stopped: 5 threads; kill -CONT $target resumes it"* ]]
	stacksample -q -p "$target" -d 0.3 | stackcollapse-pmp --state >folded
	run ! grep -v ';state:stopped ' folded
	kill -CONT "$target"
	again all_there
}

@test "a process that a debugger holds is not idle" {
	local fifo=$BATS_TEST_TMPDIR/fifo

	cd "$BATS_TEST_TMPDIR" || return
	type gdb >/dev/null || skip "no gdb"
	start
	mkfifo "$fifo"
	# It holds the process until its standard input ends.
	gdb -q -nx -p "$target" <"$fifo" >gdb.log 2>&1 3>&- &
	exec 7>"$fifo"
	within_minutes grep -qs "t (tracing stop)" "/proc/$target/status"
	again stopped traced
	[[ $stderr == *"gdb (pid $!) is debugging process $target: 5 threads stopped"* ]]
	exec 7>&-
	wait $!
	again all_there
}

# Three busy processes on one CPU: what --state says of each is what the kernel
# counts, within three standard errors and one look.
shares_agree() {
	local p

	for p in "$@"; do
		echo "$p $(cat "/proc/$p/schedstat")"
	done >before
	stacksample -F 99 -d 1.5 "${@/#/-p}" --folded --state --tid \
		>folded 2>said
	for p in "$@"; do
		echo "$p $(cat "/proc/$p/schedstat")"
	done >after
	join before after | while read -r pid ran queued _ ran2 queued2 _; do
		awk -v "pid=$pid" -v "ran=$((ran2 - ran))" \
			-v "queued=$((queued2 - queued))" '
			index($0, "/" pid ";") {
				n += $NF
				if (/;state:running /) running += $NF
				else if (!/;state:runqueue /) exit 1
			}
			END {
				k = ran / (ran + queued)
				d = n > 0 ? running / n - k : 1
				exit d * d > 9 * k * (1 - k) / n + 1 / n / n
			}' folded || exit
	done
}

# Samples of threads that run are their CPU time: the kernel's share of looks,
# within three standard errors and a tenth of them.
only_cpu_time() {
	local ran ran2 queued queued2

	read -r ran queued _ <"/proc/$1/schedstat"
	stacksample -q -F 99 -d 1.5 -p "$1" --folded --only-running >folded
	read -r ran2 queued2 _ <"/proc/$1/schedstat"
	awk -v "ran=$((ran2 - ran))" -v "queued=$((queued2 - queued))" '
		/^#/ { match($0, /rounds=[0-9]+/)
			rounds += substr($0, RSTART + 7, RLENGTH - 7) }
		/^[^#]/ { n += $NF }
		END {
			k = ran / (ran + queued)
			d = n / rounds - k
			if (d < 0)
				d = -d
			exit d > 3 * sqrt(k * (1 - k) / rounds) + 0.1
		}' folded
}

@test "who waits for a CPU does not run, by the kernel's counters" {
	local i pids=()

	cd "$BATS_TEST_TMPDIR" || return
	taskset -c 0 true || skip "may not choose a CPU"
	start
	for i in 1 2 3; do
		taskset -c 0 "$top_builddir/t/programs/burn" 60 3>&- &
		pids+=($!)
	done
	again shares_agree "${pids[@]}"
	again only_cpu_time "${pids[0]}"
	kill "${pids[@]}"
	grep -qE 'process [0-9]+ waits for CPUs: .* 0\.[0-9]+ of its threads have one' said
	run ! grep -q '0\.[89][0-9] of its threads have one' said
}

# Threads that have not begun have only the function that creates threads.
new_threads_wait() {
	stacksample -q -F 99 -d 1 -p "$target" --folded --state >folded
	awk '/main;/ { next } # creates them
		/clone3?;state:runqueue / { waits += $NF }
		/clone3?;state:running / { runs += $NF }
		END { exit waits < 10 || runs > 0.02 * waits + 1 }' folded
}

@test "a new thread that has had no CPU yet does not run" {
	local i pids=()

	[ -x "$top_builddir/t/programs/newborn" ] ||
		skip "t/programs/newborn is not built"
	cd "$BATS_TEST_TMPDIR" || return
	taskset -c 0 true || skip "may not choose a CPU"
	[ "$EUID" -eq 0 ] || skip "only root's sampler gets a CPU before these"
	start newborn
	taskset -pc 0 "$target"
	for i in 1 2 3; do
		taskset -c 0 "$top_builddir/t/programs/burn" 60 3>&- &
		pids+=($!)
	done
	again new_threads_wait
	kill "${pids[@]}"
}

# A thread of which only the function that creates threads is on the stack, and
# no stack that lacks callers in such a function.
has_first_instruction() {
	stacksample -q -F 500 -d 1 -p "$target" --folded >folded
	! grep -qE '\[truncated\];_*clone' folded &&
		grep -qE '^newborn;_*clone3?(;\[moving\])? ' folded
}

@test "a thread that has not executed anything yet has a whole stack" {
	[ -x "$top_builddir/t/programs/newborn" ] ||
		skip "t/programs/newborn is not built"
	cd "$BATS_TEST_TMPDIR" || return
	start newborn
	again has_first_instruction
}

throttled() {
	sample --folded --state
	[[ $stderr == *"the CPU quota of the cgroup "*"$1 stopped its threads in "*' periods'* ]]
}

@test "a CPU quota that stops a process is named" {
	local folder=/sys/fs/cgroup/cpu/foldstack-test-$$ quota=cpu.cfs_quota_us

	[ -e /sys/fs/cgroup/cgroup.controllers ] &&
		folder=/sys/fs/cgroup/foldstack-test-$$ quota=cpu.max
	mkdir "$folder" 2>/dev/null || skip "may not make cgroups"
	if ! echo 20000 >"$folder/$quota"; then
		rmdir "$folder"
		skip "no quotas here"
	fi
	start
	echo "$target" >"$folder/cgroup.procs"
	run again throttled "${folder##*/}"
	kill -KILL "$target"
	within_minutes rmdir "$folder" 2>/dev/null
	[ "$status" -eq 0 ]
}

counted() {
	local i

	for i in 1 2 3; do
		run -0 stacksample -q -F 7 -d 1 --folded --state -p "$target"
		run -0 foldtop <<<"$output"
		[[ $output == *' of 5.0 threads'* ]] || return
	done
}

@test "threads are counted by the rounds there were, at any rate" {
	start
	again counted
	# More than any machine can do.
	run -0 --separate-stderr stacksample -F 500000 -d 2 --folded -p "$target"
	[[ $stderr == *' rounds a second, not 500000: there was no time for more'* ]]
}

@test "a command's children are sampled, and those of a process if asked for" {
	local program=$top_builddir/t/programs/threads

	cd "$BATS_TEST_TMPDIR" || return
	start
	kill -KILL "$target"
	stacksample -q -F 50 -d 1 --folded -- \
		sh -c "'$program' >out & echo \$! >pid; wait" >folded 3>&-
	kill "$(cat pid)"
	grep -q '^lock;.*lock_here' folded
	# A child that is there already has one that begins later.
	mkfifo go
	# shellcheck disable=SC2016 # the inner shell's
	printf '%s\n' 'read -r _ <go' "'$program' >out &" 'echo $! >pid; wait' \
		>later
	sh -c 'sh later; true' 3>&- &
	target=$!
	disown
	run -0 stacksample -q -F 50 -d 0.3 --folded -p "$target"
	[[ $output != *lock_here* ]]
	stacksample -q -F 50 --folded --children -p "$target" >folded 3>&- &
	echo >go
	within_minutes grep -q 'lock_here' folded
	kill $!
	wait $! || :
	kill "$(cat pid)"
}

short_ones() {
	stacksample -q -F 99 --folded --tid -- sh -c '
		for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done' >folded
	[ "$(grep -oE '^sleep-[0-9]+' folded | sort -u | wc -l)" -ge 9 ]
}

@test "processes that live for a tenth of a second are there" {
	cd "$BATS_TEST_TMPDIR" || return
	start
	again short_ones
}

@test "of the processes of a name, those of other users are skipped" {
	local pid

	command -v setpriv >/dev/null || skip "no setpriv to be another user"
	[ "$EUID" -eq 0 ] || skip "only root becomes another user"
	start
	cd "$BATS_TEST_TMPDIR" || return
	chmod 755 .
	cp "$top_builddir/t/programs/threads" shared
	chmod 755 shared
	./shared >one 3>&- &
	target=$!
	setpriv --reuid 12345 --regid 12345 --clear-groups ./shared >two 3>&- &
	pid=$!
	within_minutes grep -q ready one
	within_minutes grep -q ready two
	run -0 --separate-stderr setpriv --reuid 12345 --regid 12345 \
		--clear-groups "$command_dir/stacksample" -F 50 -d 0.3 --folded \
		--comm shared
	kill "$pid" "$target"
	[[ $stderr == *"skipping 1 process: no permission to read process $target: "* ]]
	grep -qE '^[^#].* [0-9]+$' <<<"$output"
}

@test "--comm and --cgroup go on looking" {
	local folder=/sys/fs/cgroup/foldstack-watch-$$ pid sampler

	cd "$BATS_TEST_TMPDIR" || return
	start
	cp "$top_builddir/t/programs/threads" watched
	./watched >one 3>&- &
	pid=$!
	within_minutes grep -q ready one
	stacksample -q -F 20 -d 60 --folded --tid --comm 'watch*d' >folded 3>&- &
	sampler=$!
	within_minutes grep -q "^watched-$pid/" folded
	kill "$pid"
	wait "$pid" || :
	./watched >two 3>&- &
	pid=$!
	within_minutes grep -q "^watched-$pid/" folded
	kill "$pid" "$sampler"
	wait "$sampler" || :
	[ -d /sys/fs/cgroup/unified ] && folder=/sys/fs/cgroup/unified/${folder##*/}
	mkdir "$folder" 2>/dev/null || skip "may not make cgroups"
	echo "$target" >"$folder/cgroup.procs"
	run stacksample -q -F 20 -d 0.5 --folded --cgroup "${folder##*/}"
	kill -KILL "$target"
	within_minutes rmdir "$folder" 2>/dev/null
	[[ $status -eq 0 && $output == *lock_here* ]]
	run -2 stacksample --cgroup no-such-cgroup
	[[ $output == *'no cgroup below'* ]]
}
