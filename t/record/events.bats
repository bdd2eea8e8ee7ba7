#!/usr/bin/env bats
# events.bats - the events of stackrecord by their names.

load ../helper
load recording

setup() {
	need_events
}

need_tracefs() {
	[ -r /sys/kernel/tracing/events/sched/sched_switch/id ] ||
		skip "tracefs is not mounted, or not for us"
}

# samples ARGUMENT...: how many stackrecord says it took.
samples() {
	stackrecord -o data "$@" 2>log || return
	sed -n 's/^stackrecord: \([0-9]*\) samples\? of .*/\1/p' log
}

@test "a period of its own, and one for all" {
	local all

	all=$(samples -F 99 -e page-faults/period=1/ -- true)
	[ "$all" -gt 40 ]
	stackcollapse-perf -q data >folded
	[ "$(sum folded .)" -eq "$all" ]
	# Without a copy of the stack, samples have another layout.
	[ "$(samples --stack 0 -e faults -c 20 -- true)" -lt $((all / 10)) ]
	[ "$(samples -e faults -c 20 -- true)" -lt $((all / 10)) ]
	stackcollapse-perf -q data >folded
	[ "$(sum folded .)" -gt $((all / 2)) ]
	[ "$(samples -e faults -c 1000000 -- true)" -eq 0 ]
}

@test "events of the kernel are counted as they happen, whatever the frequency" {
	local faults

	# Two runs of a program differ by what the page cache has; so the sum is
	# compared with what the kernel counted in the same run.
	stackrecord -q -F 199 -e page-faults -o data -- \
		"$top_builddir/t/programs/pages" 8000 >faults
	faults=$(<faults)
	[ "$faults" -gt 8000 ]
	stackcollapse-perf -q data >folded
	echo "$(sum folded .) of $faults"
	[ "$(sum folded .)" -gt $((faults * 85 / 100)) ]
	[ "$(sum folded .)" -lt $((faults * 115 / 100)) ]
}

@test "unknown events say what is unknown" {
	local event

	for event in cpu-clock/x=1/ cpu-clock/period=0/ nothing/event=1/ \
		../kernel/event=1/ uprobes/x=1/a:f sched:no_such_event cpu-clock/period=1/x; do
		run -2 --separate-stderr stackrecord -q -e "$event" -o data -- true
		[[ $stderr == "stackrecord: -e: "*unknown* ||
			$stderr == "stackrecord: -e: "*"no events of"* ||
			$stderr == "stackrecord: -e: "*tracefs* ||
			$stderr == "stackrecord: -e: "*"tracepoints need"* ]]
	done
}

@test "unknown modifiers of a tracepoint are named" {
	need_tracefs
	run -2 --separate-stderr stackrecord -q -e sched:sched_switch:kx -o data -- true
	[[ $stderr == *"-e: unknown modifier: sched:sched_switch:kx"* ]]
}

@test "terms of a PMU are those that sysfs has" {
	[ -r /sys/bus/event_source/devices/msr/events/tsc ] ||
		skip "no PMU msr"
	run -2 --separate-stderr stackrecord -q -e msr/nothing=1/ -o data -- true
	[[ $stderr == *"nothing=1: the events of msr have no such term"* ]]
	# It has 64 bits.
	run -2 --separate-stderr stackrecord -q -e msr/event=0x1ffffffffffffffff/ \
		-o data -- true
	[[ $stderr == *"have no such term"* ]]
	run -2 --separate-stderr stackrecord -q -e msr/tsc/u -o data -- true
	[[ $stderr == *"this machine cannot"*"msr/tsc/u"* ]]
}

@test "tracepoints have their fields, for perf as well" {
	need_tracefs
	stackrecord -q -e sched:sched_process_exec -e cpu-clock -o data -- \
		sh -c 'true; exec sleep 0'
	stackcollapse-perf -q --event-filter sched:sched_process_exec \
		data >folded
	[ "$(sum folded .)" -eq 2 ]
	command -v perf >/dev/null || skip "no perf"
	perf script -i - <data >text 2>perf.log || skip "perf does not work"
	grep -q 'sched:sched_process_exec: filename=.*sleep pid=' text
}

@test "a cgroup is recorded with what is in it" {
	local tree=/sys/fs/cgroup target folder

	[ "$(stat -f -c %T $tree)" = cgroup2fs ] || tree+=/unified
	folder=$tree/foldstack-$$/docker-fe01dc$$$$$$$$.scope
	mkdir -p "$folder" 2>/dev/null || skip "no cgroup of our own"
	sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" 60' sh "$folder" \
		"$top_builddir/t/programs/burn" >/dev/null 2>&1 3>&- &
	target=$!
	disown
	within_minutes grep -qsx $target "$folder/cgroup.procs" || :
	run --separate-stderr stackrecord -q --cgroup "${folder#"$tree"}" -d 0.4 \
		-F 499 -o data
	stackrecord -q --cgroup fe01dc$$$$ -d 0.2 -o again || :
	kill -KILL $target
	within_minutes rmdir "$folder" "$tree/foldstack-$$" 2>/dev/null
	# shellcheck disable=SC2154 # bats
	[[ $stderr != *"no permission"* ]] || skip "$stderr"
	[ "$status" -eq 0 ]
	stackcollapse-perf -q data >folded
	grep -q '^burn;.*;main;' folded
	run ! grep -qv '^burn;' folded
	stackcollapse-perf -q again | grep -q '^burn;.*;main;'
	run -2 --separate-stderr stackrecord -q --cgroup /no/such/cgroup -d 0.1
	[[ $stderr == *"/no/such/cgroup: no cgroup below $tree has this path" ]]
}
