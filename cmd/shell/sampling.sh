# sampling.sh - how flame records what runs: by stackrecord, or else by
# stacksample.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2317 # used there

# A signal may have come as it began.
add_recorder() {
	recorders="$recorders $1"
	[ -z "$ended" ] || end_recorders
}

# A recorder that is killed cannot say that samples are lost.  One that had just
# begun may have lost SIGTERM, so it is sent again.
wait_for_recorders() {
	for recorder in $recorders; do
		while :; do
			[ -z "$ending" ] || {
				await_handler "$recorder"
				kill -TERM "$recorder" 2>/dev/null
			}
			wait "$recorder" 2>/dev/null
			status=$?
			kill -0 "$recorder" 2>/dev/null || break
		done
		[ "$status" -ne 137 ] || killed=yes
	done
	recorders=''
}

# Its status is there to be waited for only once.
wait_for_command() {
	[ -n "$over" ] || {
		wait_for "$command"
		over=$?
	}
}

# Until the command has ended, or flame shall: what it leaves behind, as a server
# does, goes on.
watch_command() {
	while [ -z "$over$ended" ]; do
		wait "$command" 2>/dev/null
		status=$?
		kill -0 "$command" 2>/dev/null || over=$status
	done
}

# await_handler PID: until a recorder handles SIGTERM: before that, the signal would
# end it without a result.
await_handler() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		! grep -q '^State:.Z\|^Sig\(Blk\|Cgt\):.*[4-7c-f]...$' \
			"/proc/$1/status" 2>/dev/null || return 0
		[ -e "/proc/$1" ] || return 0
		sleep 0.1
	done
}

# Progress, on a terminal.

# Seconds, and by a look at the recording after 1, 2, 4, 8 ... of them, samples
# and the share without callers: all looks together cost about as much as the
# last one.
show_progress() {
	trap - INT QUIT TERM HUP
	trap 'exit 0' TERM
	second=0 look=1 known=''
	while sleep 1 && [ ! -e "$tmp/no-progress" ]; do
		second=$((second + 1))
		if [ $second -ge $look ]; then
			look=$((2 * look))
			nice stackcollapse-perf -q --meta "$tmp/data" \
				>"$tmp/sofar" 2>/dev/null
			read -r samples _ lost _ <<-END
				$(quality "$tmp/sofar")
			END
			known="; $samples samples after $second s,"
			known="$known $lost % without callers"
		fi
		printf '\r%s: %s s%s ' "$me" "$second" "$known" >&2
	done
}

begin_progress() {
	[ -t 2 ] && [ -z "$quiet" ] || return 0
	show_progress </dev/null &
	progress=$!
}

end_progress() {
	[ -n "$progress" ] || return 0
	# It may lose the signal, as take_snapshots().
	: >"$tmp/no-progress"
	kill "$progress" 2>/dev/null
	wait "$progress" 2>/dev/null
	progress=''
	printf '\r\033[K' >&2
}

# Recording.

# begin_recording FILE PROGRAM [option...]: returns when it records, which is when
# the file begins.
begin_recording() {
	begins=$1
	shift
	# A recorder must not keep the gate of the command open.
	eval '"$@" </dev/null >/dev/null 2>"$tmp/log"' "${gate:+$gate<&-} &"
	add_recorder $!
	until [ -s "$begins" ]; do
		kill -0 $! 2>/dev/null || return 1
		sleep 0.01
	done
}

# record: each sample has the call chain and a copy of the stack.
record() {
	[ -z "$ended" ] || return 1
	set -- stackrecord -F "$hz" -o "$tmp/data"
	[ -z "$copied" ] || set -- "$@" --stack "$copied"
	[ -z "$events" ] || set -- "$@" -e "$events"
	[ -z "$seconds" ] || set -- "$@" -d "$seconds"
	[ -z "$wall" ] || set -- "$@" --wall
	[ -z "$all" ] || set -- "$@" -a
	[ -z "$cgroup" ] || set -- "$@" --cgroup "$cgroup"
	[ -z "$pid" ] || set -- "$@" -p "$pid"
	begin_recording "$tmp/data" "$@"
}

# The command or the processes, until they or the time end.
record_all() {
	mkdir "$tmp/begin" "$tmp/end"
	[ -n "$command" ] || may_snapshot || ask_jvms begin
	record || return 1
	begin_snapshots
	go_on
	begin_progress
	[ -z "$command" ] || find_interpreter
	[ -z "$command" ] || [ -n "$seconds" ] || {
		watch_command
		end_recorders
	}
	wait_for_recorders
	end_progress
	end_snapshots
	[ -s "$tmp/data" ] || return 1
	ask_jvms end
	fold || return 1
	[ ! -s "$tmp/snapshots" ] || choose_interpreted
}

# Messages of the recorder, except its counts.
remarks_of_recorder() {
	sed -n -e '/^stackrecord: [0-9]* samples\{0,1\} of /d' \
		-e 's/^stackrecord: //p' "$tmp/log" 2>/dev/null
}

# Stacks.

# fold: the recording as folded stacks, named by the last map of each JVM.
fold() {
	fold_file >"$tmp/folded" 2>"$tmp/notes" && return
	tail -n 1 "$tmp/notes" >"$tmp/log"
	return 1
}

fold_file() {
	set -- --kernel --jit
	for map in "$tmp"/end/perf-*.map "$tmp"/begin/perf-*.map; do
		[ ! -s "$map" ] || set -- "$@" --perf-map "$map"
	done
	for snapshot in "$tmp"/java/*.snap; do
		[ ! -s "$snapshot" ] || set -- "$@" --jvm "$snapshot"
	done
	[ -z "$wall" ] || set -- "$@" --wall
	[ -z "$ratio" ] || set -- "$@" --ratio "$ratio"
	[ -z "$threads" ] || set -- "$@" --tid
	[ -z "$root" ] || set -- "$@" --root "$root"
	[ -z "$symfs" ] || set -- "$@" --symfs "$symfs"
	[ "$inline" != no ] || set -- "$@" --no-inline
	if [ -n "$heat$kept$old" ]; then
		stackcollapse-perf "$@" --samples "$tmp/data" \
			>"$tmp/stream" && foldmerge -q --meta "$tmp/stream"
	else
		stackcollapse-perf "$@" --meta "$tmp/data"
	fi
}

# From folded stacks, by the last of their counts: samples, seconds, and the per cent of stacks whose callers
# are not all there, of those whose leaf has no name, and of those where that is
# code made at run time; the event, or "-"; and the file that has most of those
# leaves.
quality() {
	awk '
	/^#fold=/ {
		two = /;counts=2(;|$)/
		samples = seconds = event = $0
		if (!sub(/.*;n=/, "", samples))
			samples = 0
		if (!sub(/.*;dur=/, "", seconds))
			seconds = 0
		if (!sub(/.*;event=/, "", event))
			event = "-"
		sub(/;.*/, "", event)
	}
	/^#/ {
		next
	}
	{
		count = $NF
		all += count
		sub(/ [0-9.]+$/, "")
		if (two)
			sub(/ [0-9.]+$/, "")
		n = split($0, frame, ";")
		if (/;[[](truncated|missing|moving)[]](;|$)/)
			lost += count
		if (frame[n] ~ /^[[].*]$/ && frame[n] != "[moving]") {
			nameless += count
			of[frame[n]] += count
		}
		if (frame[n] ~ /^[[]perf-[0-9]+[.]map[]]/)
			made += count
	}
	END {
		if (!all)
			all = 1
		for (name in of)
			if (of[name] > most) {
				most = of[name]
				worst = name
			}
		printf "%d %.1f %.0f %.0f %.0f %s %s\n", samples, seconds,
		    100 * lost / all, 100 * nameless / all,
		    100 * made / all, event ? event : "-",
		    substr(worst, 2, length(worst) - 2)
	}' "$1"
}

# stacksample.

# begin_sampling PID...: from outside, with all descendants.
begin_sampling() {
	for process; do
		set -- "$@" -p "$process"
		shift
	done
	if [ -n "$wall" ]; then
		set -- "$@" --state ${tasks:+--tasks}
	else
		set -- "$@" --only-running
	fi
	stacksample -q --folded --children "$@" -d "${seconds:-1000000}" -F "$hz" \
		>"$tmp/snapshots" 2>"$tmp/log.stacksample" </dev/null &
	add_recorder $!
}

# fold_snapshots: what stacksample saw.
fold_snapshots() {
	foldmerge -q --meta "$tmp/snapshots" >"$tmp/folded.new" &&
		mv "$tmp/folded.new" "$tmp/folded" || return 1
	[ -z "$kept$old" ] || cp "$tmp/snapshots" "$tmp/stream"
}

# Whether, where events are not allowed, the processes may be looked at from
# outside: tried before a command begins.
may_sample() {
	case $events in
	'' | cpu-clock | task-clock) ;;
	*) return 1 ;;
	esac
	if [ -z "$pid" ]; then
		why="$why; stacksample is for processes"
		return 1
	fi
	command -v stacksample >/dev/null || return 1
	stacksample -q -d 0.1 -p "${pid%%,*}" >/dev/null 2>"$tmp/log" && return 0
	[ "$why" = "$(reason)" ] || why="$why; $(reason)"
	return 1
}

# Options that stacksample cannot serve.
not_sampled() {
	[ -z "$heat" ] || printf ' without a heat map'
}

sample() {
	[ -z "$ended" ] || return 1
	say "$* stacksample$(not_sampled)"
	heat='' sampled=yes
	go_on
	# shellcheck disable=SC2086 # words
	begin_sampling $pids
	[ -z "$command" ] || [ -n "$seconds" ] || {
		watch_command
		await_handler "$!"
		end_recorders
	}
	wait_for_recorders
	mv "$tmp/log.stacksample" "$tmp/log"
	fold_snapshots
}

# Interpreters.  Native stacks have no frames of the programs that they run, but
# where the runtime writes a perf map; stacksample reads their own stacks.

# interpreted: those of the processes whose interpreter stacksample knows, and
# which write no perf map, that has no tasks.
interpreted() {
	[ -z "$plain$events$heat$all$cgroup" ] || return 0
	for process in $pids; do
		set -- "$@" -p "$process"
	done
	stacksample -q --runtimes ${tasks:+--tasks} "$@" 2>/dev/null </dev/null |
		while read -r process; do
			[ -z "$tasks" ] && has_map "$process" ||
				echo "$process"
		done
}

# has_map PID: by the id that it has itself, in a container.
has_map() {
	inner=$(sed -n 's/^NSpid:.*[^0-9]\([0-9]*\)$/\1/p' "/proc/$1/status" \
		2>/dev/null)
	[ -s "/proc/$1/root/tmp/perf-${inner:-$1}.map" ]
}

# ticks PID: the CPU time that it has taken, in units of the kernel.
ticks() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null |
		awk '{ n = $12 + $13 } END { print n + 0 }'
}

# The interpreter of a command is there some time after it began, on a busy
# machine much later; then stacksample looks at it, too.  Look after 1, 2, 4, 8 ...
# pauses until the command has taken 0.3 s of CPU time: it runs something else.
find_interpreter() {
	pauses=0 look=1 hertz=$(getconf CLK_TCK 2>/dev/null) || hertz=100
	enough=$((hertz * 3 / 10))
	while is_there && [ -z "$ended" ] && [ $look -le 64 ]; do
		sleep 0.05
		pauses=$((pauses + 1))
		[ $pauses -ge $look ] || continue
		look=$((2 * look))
		if [ -n "$(interpreted)" ]; then
			begin_sampling "$pid"
			return
		fi
		[ "$(ticks "$pid")" -lt "$enough" ] || return 0
	done
}

# choose_interpreted: draw what stacksample saw, unless that is little, or the
# runtime has begun a perf map since it was recognised.
choose_interpreted() {
	[ -z "$(find "/tmp/perf-$pid.map" -newer "$tmp/waits" 2>/dev/null)" ] ||
		return 0
	read -r recorded _ <<-END
		$(quality "$tmp/folded")
	END
	cp "$tmp/folded" "$tmp/folded.native"
	fold_snapshots || return 0
	read -r samples _ <<-END
		$(quality "$tmp/folded")
	END
	if [ $((4 * samples)) -gt "$recorded" ]; then
		say "the flame graph shows an interpreter's functions, sampled by" \
			"stacksample; --plain draws native functions"
		sampled=yes
		: >"$tmp/notes"
	else
		mv "$tmp/folded.native" "$tmp/folded"
	fi
}
