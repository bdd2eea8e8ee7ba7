#!/usr/bin/env bats
# refusals.bats - what stackrecord says when it may not record, or cannot.

load ../helper
load recording

setup() {
	need_events
	target=
}

teardown() {
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
}

# as_user COMMAND...: as an ordinary user.
as_user() {
	command -v setpriv >/dev/null || skip "no setpriv to be another user"
	[ "$EUID" -eq 0 ] || skip "only root becomes another user"
	setpriv --reuid 12345 --regid 12345 --clear-groups "$@"
}

# with_paranoid N COMMAND...: as if the setting were N.
with_paranoid() {
	echo "$1" >setting
	unshare -m sh -c 'mount --bind setting \
		/proc/sys/kernel/perf_event_paranoid && shift && "$@"' sh "$@"
}

@test "a filter of a container is named, and the command does not run" {
	local number

	# EPERM as of Docker, ENOSYS as of others
	for number in 1 38; do
		run -2 --separate-stderr "$top_builddir/t/programs/refuse" \
			$number stackrecord -q -o data -- sh -c 'echo >ran'
		[[ $stderr == "stackrecord: a seccomp filter refuses perf_event_open(2): "*"--cap-add PERFMON" ]]
		[ ! -e ran ]
	done
}

@test "perf_event_paranoid is named with the number that it needs" {
	local is

	unshare -m true 2>/dev/null || skip "no mount namespace of our own"
	# Debian's and Ubuntu's kernels refuse all above 2.
	for is in 3 4; do
		run -2 --separate-stderr with_paranoid $is \
			"$top_builddir/t/programs/refuse" 13 \
			stackrecord -q -o data -- true
		[ "$stderr" = "stackrecord: no permission: kernel.perf_event_paranoid is $is; set it to 2 with sysctl(8), or run as root" ]
	done
}

@test "the whole machine and others' processes need rights" {
	is=$(cat /proc/sys/kernel/perf_event_paranoid)
	[ "$is" -gt 0 ] || skip "perf_event_paranoid is $is"
	as_user true
	run -2 --separate-stderr as_user "$top_builddir/cmd/stackrecord" -q -a \
		-d 0.1 -o /dev/null
	[ "$stderr" = "stackrecord: no permission for all processes: kernel.perf_event_paranoid is $is; set it to 0 with sysctl(8), or run as root" ]
	run -2 --separate-stderr as_user "$top_builddir/cmd/stackrecord" -q -p $$ \
		-d 0.1 -o /dev/null
	[[ $stderr == "stackrecord: process $$ belongs to another user: recording it needs root"* ]]
}

@test "too few descriptors are named" {
	"$top_builddir/t/programs/threads" >ready 3>&- &
	target=$!
	disown
	within_minutes grep -qs ready ready
	run -2 --separate-stderr bash -c "ulimit -n 12
		exec stackrecord -q -p $target -d 0.1 -o data"
	[[ $stderr == *"descriptors, and the limit is 12: raise it with ulimit -n"* ]]
}

@test "a file that may not grow ends the recording, not the command" {
	# shellcheck disable=SC2016 # the inner shells'
	run -2 --separate-stderr bash -c 'ulimit -f 40
		exec stackrecord -q -F 999 -o data -- sh -c "\"\$1\" 0.5; : >ended" \
			sh "$1"' bash "$top_builddir/t/programs/burn"
	[[ $stderr == "stackrecord: data: File too large: the recording ends here"* ]]
	[ -e ended ]
	[ "$(stat -c %s data)" -eq 40960 ]
	run --separate-stderr stackcollapse-perf data
	[ "$status" -le 1 ]
	[[ $stderr == *"truncated"* ]]
}

@test "5,000 processes at a time are all there, or their loss is said" {
	[ "$(ulimit -u)" = unlimited ] || [ "$(ulimit -u)" -gt 6000 ] ||
		skip "a limit of $(ulimit -u) processes"
	timeout 100 stackrecord -o data -- \
		"$top_builddir/t/programs/forks" 5000 2>log
	cat log
	stackcollapse-perf -q data >folded
	command -v perf >/dev/null || skip "no perf"
	perf script --show-task-events -F comm,event -i - <data >text \
		2>perf.log || skip "perf does not work"
	for event in FORK EXIT; do
		[ "$(grep -c "PERF_RECORD_$event" text)" -ge 5000 ] ||
			grep -q ' lost: ' log
	done
}
