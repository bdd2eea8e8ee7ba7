#!/usr/bin/env bats
# stackrecord.bats - recordings without perf, and who reads them.

load helper

# Where perf_event_open(2) is refused, nothing can be recorded.
setup() {
	need_process_side
	target=
	cd "$BATS_TEST_TMPDIR" || return
	[[ $BATS_TEST_DESCRIPTION == "usage: "* ]] ||
		stackrecord -q -o probe -- true >probe.log 2>&1 ||
		skip "no events: $(cat probe.log)"
}

teardown() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
}

# start SECONDS: a process that computes, known as $target.
start() {
	"$top_builddir/t/programs/burn" "$1" >/dev/null 3>&- &
	target=$!
	disown
}

# grows FILE BYTES
grows() {
	[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt "$2" ]
}

has_ended() {
	! kill -0 "$target" 2>/dev/null
}

# total FILE: the sum of counts of folded text.
total() {
	awk '{ n += $NF } END { printf "%.0f\n", n }' "$1"
}

@test "usage: options that exclude each other, and none, are status 2" {
	local arguments

	for arguments in "-F 9 -c 9 -- true" "-a -p 1" "" "-p 0" "-p 1,x" "-F 0" \
		"--stack 61K -- true" "-d 0 -- true" "-e nothing -- true" \
		"-e {cycles -- true" "-e cpu-clock:x -- true"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr stackrecord $arguments
		[[ $stderr == "stackrecord: "*$'\nusage: stackrecord '* ]]
		[ -z "$output" ]
	done
}

@test "a recording has the samples of a command, with whole stacks" {
	stackrecord -q -F 499 -o data -- "$top_builddir/t/programs/burn" 0.5
	run -0 --separate-stderr stackcollapse-perf data
	[[ $output == *";main;"* ]]
	# What begins and ends a program with sanitizers has other stacks.
	run ! grep -F '[truncated];' < <(grep ';leaf ' <<<"$output")
}

@test "the sum of samples is the CPU time of the command" {
	local all

	"$top_builddir/t/programs/cpu" /dev/null stackrecord -q -F 499 \
		-e cpu-clock -o data -- "$top_builddir/t/programs/burn" 1 >spent
	stackcollapse-perf -q data >folded
	all=$(total folded)
	# The time includes what stackrecord itself takes.
	awk -v all="$all" '{ cpu = $1 * 1e9
		exit !(all > 0.8 * cpu - 3e8 && all < 1.1 * cpu) }' spent
}

@test "standard output is the recording, the command's is standard error" {
	stackrecord -q -- sh -c 'echo words' >data 2>words
	[ "$(head -c 8 data)" = PERFILE2 ]
	grep -qx words words
	run -0 stackcollapse-perf data
}

@test "the exit status is the command's" {
	run -7 stackrecord -q -o data -- sh -c 'exit 7'
	run -137 stackrecord -q -o data -- sh -c 'kill -KILL $$'
	run -127 --separate-stderr stackrecord -q -o data -- ./nothing
	[ "$stderr" = "stackrecord: ./nothing: No such file or directory" ]
	echo >no-program
	run -126 --separate-stderr stackrecord -q -o data -- ./no-program
	[ "$stderr" = "stackrecord: ./no-program: Permission denied" ]
}

@test "a command that cannot be executed leaves an older recording" {
	echo older >data
	run -127 stackrecord -q -o data -- ./nothing
	[ "$(cat data)" = older ]
}

@test "a recording is for its owner" {
	umask 022
	stackrecord -q -o data -- true
	[ "$(stat -c %a data)" = 600 ]
}

@test "a write that fails is status 2, and the command runs to its end" {
	run -2 --separate-stderr stackrecord -q -o /dev/full -- \
		sh -c 'sleep 0.5; echo >ended'
	[[ $stderr == *"/dev/full: No space left on device"* ]]
	[ -e ended ]
	mkfifo pipe
	: <pipe 3>&- &
	exec 8>pipe
	wait $!
	run -2 --separate-stderr bash -c 'stackrecord -q -- true >&8'
	exec 8>&-
	[[ $stderr == *"standard output: Broken pipe"* ]]
}

@test "descendants and threads are recorded" {
	# shellcheck disable=SC2016 # the inner shell's
	stackrecord -q -F 499 -o data -- sh -c '"$1" 0.3; "$1" 0.3 & wait' sh \
		"$top_builddir/t/programs/burn"
	stackcollapse-perf -q --root pid data >folded
	[ "$(grep ';main;' folded | cut -d ';' -f 1 | sort -u | wc -l)" -ge 2 ]
}

@test "a process that runs has its names, until it ends" {
	start 60
	stackrecord -q -p $target -d 0.6 -F 499 -o data
	stackcollapse-perf data >folded 2>log
	grep -q ';main;' folded
	grep -q '^burn;' folded
	run ! grep -q unknown folded log
	kill -KILL "$target"
	start 0.3
	stackrecord -q -p $target -o data
	within_minutes has_ended
}

@test "threads that begin meanwhile are counted once" {
	"$top_builddir/t/programs/threads" >ready 3>&- &
	target=$!
	disown
	within_minutes grep -qs ready ready
	stackrecord -q -p $target -d 0.4 -e cpu-clock -F 199 -o data
	stackcollapse-perf -q data >folded
	grep -q burn_here folded
	# No CPU has more than its time.
	[ "$(total folded)" -lt "$((600000000 * $(nproc)))" ]
}

@test "a signal ends the recording, and the command" {
	stackrecord -q -o data -- "$top_builddir/t/programs/burn" 20 3>&- &
	target=$!
	within_minutes grows data 9000
	kill -TERM $target # in the background, a shell ignores SIGINT
	status=0
	wait $target || status=$?
	target=
	[ $status -eq 143 ]
	run -0 stackcollapse-perf data
	[[ $output == *";main;"* ]]
}

@test "what a killed recorder wrote can be read" {
	start 60
	stackrecord -q -p $target -F 199 -o data 3>&- &
	recorder=$!

	within_minutes grows data 90000
	kill -KILL $recorder
	wait $recorder || :
	run -0 stackcollapse-perf data
	[[ $output == *";main;"* ]]
}

@test "several events are told apart" {
	stackrecord -q -e '{cpu-clock:u,task-clock}' -e page-faults -c 50000 \
		-o data -- "$top_builddir/t/programs/burn" 0.3
	stackcollapse-perf -q --event-filter task-clock data >folded
	grep -q ';main;' folded
	run -0 stackcollapse-perf -q --event-filter cpu-clock:u data
	[[ $output == *";main;"* ]]
}

@test "an event that the machine does not count is status 2, with advice" {
	run --separate-stderr stackrecord -q -e rffff:ppp -o data -- true
	[ "$status" -ne 0 ] || skip "this machine counts it"
	[ "$status" -eq 2 ]
	[[ $stderr == *"this machine cannot count rffff:ppp: try -e cpu-clock" ]]
}

@test "a process that is gone is status 2" {
	sleep 0 &
	wait $!
	run -2 --separate-stderr stackrecord -q -p $! -o data
	[ "$stderr" = "stackrecord: there is no process $!" ]
}

@test "the chain of frame pointers follows the copy of the stack" {
	stackrecord -q -F 499 -o data -- "$top_builddir/t/programs/burn" 0.3
	grep -qa fptchain data
	stackrecord -q -F 499 --stack 0 -o data -- "$top_builddir/t/programs/burn" 0.3
	run ! grep -qa fptchain data
	run -0 stackcollapse-perf data
	[[ $output == *"burn;"* ]]
}

@test "stacks go on with the chain where the copy ends" {
	command -v "${CC:-cc}" >/dev/null || skip "no compiler"
	cat >deep.c <<-'END'
	static int __attribute__((noinline))
	dig(int depth)
	{
		volatile char room[1000] = { 0 };
		volatile int i;

		for (i = 0; depth == 0 && i < 100000000;)
			i = i + 1;
		return (depth == 0 ? i : dig(depth - 1)) + room[1];
	}
	int main(void) { return dig(20) == 1; }
	END
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -o deep deep.c
	stackrecord -q -F 199 --stack 2K -o data -- ./deep
	stackcollapse-perf -q data | grep -F ';dig' >folded
	run ! grep -vE ';main;(dig;){20}dig[; ]' folded
	# A number of addresses that have no room is no chain.
	LC_ALL=C sed -z 's/fptchain.$/fptchain\xff/' data >broken
	run ! cmp -s data broken
	stackcollapse-perf -q broken | grep -F ';dig' >folded
	run ! grep -vF ';[truncated];dig;dig' folded
}

@test "perf reads it, with the same functions" {
	command -v perf >/dev/null || skip "no perf"
	stackrecord -q -F 499 -o data -- "$top_builddir/t/programs/burn" 0.4
	perf script -i - <data >text 2>perf.log || skip "perf does not work"
	grep -q ' main+' text
	stackcollapse-perf -q text | cut -d ';' -f 2- | grep -o 'main;.*' |
		sort >theirs
	stackcollapse-perf -q --no-inline data | cut -d ';' -f 2- |
		grep -o 'main;.*' | sort >ours
	# At the last instruction of a function, perf may lose its callers.
	[ "$(total ours)" -ge "$(total theirs)" ]
	[ $(($(total ours) - $(total theirs))) -le $(($(total ours) / 20)) ]
}
