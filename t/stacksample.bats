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
	"$top_builddir/t/$1" "${@:2}" >"$BATS_TEST_TMPDIR/log" &
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

sample() {
	run -0 --separate-stderr stacksample -p "$target" -F 50 -d 0.6 "$@"
}

all_there() {
	sample --folded --state
	[[ $output == *"main;sleep_here;"*"state:"* &&
		$output == *"lock_here;"*"state:futex "* &&
		$output == *"poll_here;"*"state:poll "* &&
		$output == *"burn_here"*"state:running "* &&
		$output == *"deep_here;deep_here;deep_here;"* &&
		$stderr != *truncated* ]]
}

@test "all threads are there, those that run and those that wait" {
	start
	again all_there
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
	[[ ${lines[0]} == '#stacksample=1;'*'hz=50;'* ]]
	[[ ${lines[1]} == "P $target "*" threads" ]]
	grep -qE "^M $target [0-9a-f]+-[0-9a-f]+ [0-9a-f]+ r-xp [0-9a-f-]+ .*/t/threads$" <<<"$output"
	grep -qE "^S $target [0-9]+ [0-9]+\.[0-9]{9} S futex " <<<"$output"
	grep -qE "^S $target [0-9]+ [0-9]+\.[0-9]{9} R - - " <<<"$output"
	grep -qE '^ [0-9a-f]+ [0-9a-f]+ [0-9a-f ]+$' <<<"$output"
}

@test "--only-running and --only-blocked take one sort of threads" {
	start
	sample --only-running --folded --state
	[[ $output == *state:running* && $output != *state:futex* ]]
	sample --only-blocked --folded --state
	[[ $output != *state:running* && $output == *state:futex* ]]
}

@test "--thread-name takes threads by their names" {
	start
	sample --thread-name '^lo.k' --folded
	grep -q lock_here <<<"$output"
	run ! grep -e poll_here -e burn_here <<<"$output"
	run -2 --separate-stderr stacksample -p 1 --thread-name '(' </dev/null
}

@test "--no-stop stops nothing" {
	start
	sample --no-stop --folded --state
	grep -q 'lock_here;.*state:futex' <<<"$output"
	grep -q ';\[moving\];state:running' <<<"$output"
	run ! grep burn_here <<<"$output"
}

@test "--consistent takes all threads together" {
	start
	sample --consistent --folded
	grep -q lock_here <<<"$output"
	grep -q burn_here <<<"$output"
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
	[ "$(grep -c '^S ' <<<"$output")" -le \
		$(($(grep -c '^$' <<<"$output") + 1)) ]
}

@test "processes of a name that have ended since are not missed" {
	start
	cd "$BATS_TEST_TMPDIR"
	cp "$(command -v sleep)" brief
	./brief 60 3>&- &
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
	[[ $stderr == *"--max-cpu: down to "*" samples a second, not 1000"* ]]
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

@test "a command is sampled until it ends, though it is stopped meanwhile" {
	start # skips where nothing may be stopped
	# shellcheck disable=SC2016 # the inner shell's
	stacksample -q -F 200 -- bash -c 'until [ $SECONDS -ge 2 ]; do :; done' |
		awk '/^S / { last = $4; if (!first) first = last }
			END { exit last - first < 0.8 }'
}

@test "a command that ends while it is stopped ends the sampling" {
	start
	for _ in 1 2 3 4 5 6; do
		# shellcheck disable=SC2016 # the inner shell's
		timeout 20 stacksample -q -F 99997 --only-running -p "$target" \
			-- sh -c 'while [ ${#a} -lt 4000 ]; do a=a$a; done' \
			>"$BATS_TEST_TMPDIR/raw"
	done
}

@test "code of a JIT has the name that its jitdump gives it, for good" {
	[ "$(uname -m)" = x86_64 ] || skip "jitprog makes code of x86-64"
	start
	cd "$BATS_TEST_TMPDIR"
	stacksample -q -F 100 -- "$top_builddir/t/jitprog" >raw
	rm jit-*.dump
	[ "$(grep -cE '^J [0-9]+ [0-9a-f]+ 11 made$' raw)" -eq 1 ]
	run -0 stackcollapse-pmp --jit raw
	[[ $output == *';main;enter;made_[j];spin '* ]]
	run -0 stacksample -q -F 100 --folded -- "$top_builddir/t/jitprog"
	[[ $output == *';main;enter;made;spin '* ]]
}

@test "a time that is shorter than an interval has one look" {
	start
	run -0 stacksample -q -p "$target" -F 1 -d 0.1
	grep -q '^S ' <<<"$output"
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
	grep -q 'poll_here;.*state:poll ' <<<"$output"
	run ! grep -F -e restart_syscall -e '[truncated]' <<<"$output"
}

# The first thread, and the one there is beside it but for moments.
two_threads() {
	local rounds seen

	run -0 --separate-stderr stacksample -p "$target" -F 100 -d 2
	rounds=$(grep -c '^$' <<<"$output")
	seen=$(grep -cE "^S $target " <<<"$output")
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
	grep -q '^odd;.*;long_life;wait_here;.*;state:poll ' <<<"$output"
}

@test "a program that executes another one is looked at anew" {
	start odd exec
	run -0 --separate-stderr stacksample -p "$target" -F 50 -d 2.5
	[ "$(grep -cE "^P $target [0-9]+ odd$" <<<"$output")" -eq 2 ]
	tail -n 3 <<<"$output" | grep -q '^S .* poll '
	run -0 stackcollapse-pmp <<<"$output"
	grep -q ';main;wait_here;' <<<"$output"
	run ! grep -F '[unknown]' <<<"$output"
}

# ends PROCESS: it does, within ten seconds.
ends() {
	local try

	for try in {1..100}; do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	echo "# $1 is there after $try looks"
	return 1
}

@test "a thread that executes a program as it is stopped is let go" {
	local i
	local -a heirs

	start
	for i in 1 2 3 4; do
		"$top_builddir/t/odd" heir >"$BATS_TEST_TMPDIR/log" 3>&- &
		heirs+=($!)
	done
	# With one that stays, it does not end meanwhile.
	stacksample -q -F 9973 --only-running -p "$target" -d 30 \
		"${heirs[@]/#/-p}" >"$BATS_TEST_TMPDIR/raw" 3>&- &
	for i in "${heirs[@]}"; do
		while ! grep -q again "/proc/$i/cmdline"; do
			sleep 0.05
		done
		sleep 0.1
		# It is traced no more, or a signal would stop it for good.
		kill "$i"
		ends "$i"
	done
	kill %+
}

@test "one who waits for its vfork is not waited for" {
	start odd vfork
	sample --folded --state
	grep -q ';__vfork;state:vfork ' <<<"$output"
	[[ $stderr != *"in time"* ]]
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
	[[ $stderr == *"may not be looked at: be its user or root, or have CAP_SYS_PTRACE"* ]]
}

@test "a program of 32 bits is refused, also one that comes later" {
	[ "$(uname -m)" = x86_64 ] || skip "programs of i386 run on x86-64 only"
	cd "$BATS_TEST_TMPDIR"
	printf '%s\n' '.globl _start' '_start: incl %ebx' 'jmp _start' >small.s
	as --32 -o small.o small.s && ld -m elf_i386 -o small small.o ||
		skip "no assembler for 32 bits"
	timeout 0.1 ./small || [ $? -eq 124 ] || skip "no programs of 32 bits here"
	start
	kill -KILL "$target"
	./small &
	target=$!
	disown
	run -2 --separate-stderr stacksample -p "$target"
	[[ $stderr == *"process $target is not of 64 bits" ]]
	kill -KILL "$target"
	sh -c 'sleep 0.5; exec ./small' &
	target=$!
	disown
	run -0 --separate-stderr stacksample -p "$target" -F 20 -d 2
	[[ $stderr == *'of 32 bits, and left out'* ]]
}

@test "what runs in a container has its names, as long as it runs" {
	unshare --mount --pid --fork true 2>/dev/null ||
		skip "not allowed to make name spaces"
	start
	kill -KILL "$target"
	cp "$top_builddir/t/threads" "$BATS_TEST_TMPDIR/inside"
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

	bash -c '"$1" & echo $!; exec sleep 30' - "$top_builddir/t/threads" \
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

@test "a sampler that is killed leaves nothing stopped" {
	local i

	start
	for i in 1 2 3 4 5 6 7 8; do
		stacksample -p "$target" -F 2000 >/dev/null &
		sleep "0.0$i"
		kill -KILL $!
		wait $! || :
	done
	sleep 0.05
	kill -0 "$target"
	run ! grep -E '^State:[[:space:]]*[tT]|^TracerPid:[[:space:]]*[1-9]' \
		"/proc/$target/task"/*/status
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
