#!/usr/bin/env bats
# waits.bats - stackrecord --wall: on and off the CPU in one recording.

load ../helper
load recording

setup() {
	need_events
}

# between LOW NUMBER HIGH: a sleep of 0.3 s that is counted twice takes 0.6.
between() {
	[ "$1" -le "$2" ] && [ "$2" -le "$3" ]
}

@test "waits have their time, their stack and their system call" {
	need_kernel
	stackrecord -q --wall -o data -- sleep 0.3
	stackcollapse-perf -q --wall data >folded
	between 300000000 "$(sum folded '^sleep;.*;state:clock_nanosleep ')" \
		590000000
	grep -q '^sleep;.*__libc_start.*nanosleep' folded
	stackcollapse-perf -q --off-cpu data >waits
	between 300000000 "$(sum waits '^sleep;.*nanosleep')" 590000000
}

@test "the times of a command add up to its duration" {
	local before after

	before=$(date +%s%N)
	stackrecord -q --wall -o data -- sh -c \
		"'$top_builddir/t/programs/burn' 0.2; sleep 0.2; :"
	after=$(date +%s%N)
	stackcollapse-perf -q --wall data >folded
	# The shell is there all the time; it waits, for the others mostly.
	between 400000000 "$(sum folded '^sh;')" $((after - before))
	between 190000000 "$(sum folded '^burn;')" $((after - before))
	between 190000000 "$(sum folded '^sleep;')" $((after - before))
}

@test "a process that waits all the time has that time" {
	local target

	sleep 60 3>&- &
	target=$!
	disown
	stackrecord -q --wall -p $target -d 0.3 -o data
	kill $target
	stackcollapse-perf -q --wall data >folded
	between 200000000 "$(sum folded '^sleep;state:')" 60000000000
}

@test "without the right to the kernel, waits have times and no stacks" {
	command -v setpriv >/dev/null || skip "no setpriv to be another user"
	[ "$EUID" -eq 0 ] || skip "only root becomes another user"
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -eq 2 ] ||
		skip "perf_event_paranoid is not 2"
	chmod 777 .
	run -0 --separate-stderr setpriv --reuid 12345 --regid 12345 \
		--clear-groups "$top_builddir/cmd/stackrecord" --wall -o data \
		-- sleep 0.3
	[[ $stderr == *"waits are recorded without stacks: these need"* ]]
	stackcollapse-perf -q --wall data >folded
	between 300000000 "$(sum folded '^sleep;state:waiting ')" 590000000
}

@test "an event of switches that is asked for is recorded once" {
	need_kernel
	stackrecord -q --wall -e cpu-clock -e context-switches/period=1/ \
		-o data -- sleep 0.3
	stackcollapse-perf -q --wall data >folded
	between 300000000 "$(sum folded ';state:clock_nanosleep ')" 590000000
	LC_ALL=C grep -aq context-switches/period=1/ data
	run ! grep -aq sched:sched_switch data
}
