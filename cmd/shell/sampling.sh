# sampling.sh - how flame records what runs: by stackrecord, or else by
# stacksample.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2317 # used there

# A signal may have come as it began.
add_recorder() {
	recorders="$recorders $1"
	[ -z "$ended" ] || end_recorders
}

wait_for_recorders() {
	for recorder in $recorders; do
		wait_for "$recorder"
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
	end_recorders
}

# Progress, on a terminal.

# Seconds, and by a look at the recording after 1, 2, 4, 8 ... of them, samples
# and the share without callers: all looks together cost about as much as the
# last one.
show_progress() {
	trap - INT QUIT TERM HUP
	trap 'exit 0' TERM
	second=0 look=1 known=''
	while sleep 1; do
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
	rm -f "$begins"
	# A recorder must not keep the gate of the command open.
	eval '"$@" </dev/null >/dev/null 2>"$tmp/log"' "${gate:+$gate<&-} &"
	add_recorder $!
	until [ -s "$begins" ]; do
		kill -0 $! 2>/dev/null || return 1
		sleep 0.01
	done
}

# record FILE PROGRAM [option...]: the command or the processes, until they or the
# time end.
record() {
	[ -z "$ended" ] || return 1
	begin_recording "$@" || return 1
	go_on
	begin_progress
	[ -z "$command" ] || [ -n "$seconds" ] || watch_command
	wait_for_recorders
	end_progress
	[ -s "$tmp/data" ]
}

# record_samples: each sample has the call chain and a copy of the stack.
record_samples() {
	set -- stackrecord -F "$hz" -o "$tmp/data"
	[ -z "$copied" ] || set -- "$@" --stack "$copied"
	[ -z "$events" ] || set -- "$@" -e "$events"
	[ -z "$seconds" ] || set -- "$@" -d "$seconds"
	[ -z "$all" ] || set -- "$@" -a
	[ -z "$pid" ] || set -- "$@" -p "$pid"
	record "$tmp/data" "$@"
}

# record_waits: the stacks of waits, which only perf records.
record_waits() {
	command -v perf >/dev/null || {
		echo 'for --wall, perf is needed' >"$tmp/log"
		return 1
	}
	# shellcheck disable=SC2016 # of that shell
	record "$tmp/begun" perf record -q -k mono --switch-events \
		-e cpu-clock -e context-switches/period=1/ -F "$hz" \
		--call-graph "dwarf${copied:+,$copied}" -o "$tmp/data" \
		${all:+-a} ${pid:+-p "$pid"} -- \
		sh -c 'echo >"$0"; exec sleep "$1"' "$tmp/begun" \
		"${seconds:-1000000}"
}

record_all() {
	mkdir "$tmp/begin" "$tmp/end"
	[ -n "$command" ] || ask_jvms begin
	if [ -n "$wall" ]; then
		record_waits
	else
		record_samples
	fi
	recorded=$?
	[ $recorded -eq 0 ] || return $recorded
	ask_jvms end
	fold
}

# What the recorder had to say besides its counts.
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
	[ -z "$wall" ] || set -- "$@" --wall
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

# From folded stacks: samples, seconds, and the per cent of stacks whose callers
# are not all there, of those whose leaf has no name, and of those where that is
# code made at run time; and the file that has most of those leaves.
quality() {
	awk '
	/^#fold=/ {
		samples = seconds = $0
		if (!sub(/.*;n=/, "", samples))
			samples = 0
		if (!sub(/.*;dur=/, "", seconds))
			seconds = 0
	}
	/^#/ {
		next
	}
	{
		count = $NF
		all += count
		sub(/ [0-9.]+$/, "")
		if (/;[[](truncated|missing)[]](;|$)/)
			lost += count
		n = split($0, frame, ";")
		if (frame[n] ~ /^[[].*]$/) {
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
		printf "%d %.1f %.0f %.0f %.0f %s\n", samples, seconds,
		    100 * lost / all, 100 * nameless / all,
		    100 * made / all, substr(worst, 2, length(worst) - 2)
	}' "$1"
}

# Whether, where events are not allowed, the processes may be looked at from
# outside: tried before a command begins.
may_sample() {
	if [ -n "$all" ]; then
		why="$why; stacksample is for processes, not for -a"
		return 1
	fi
	command -v stacksample >/dev/null || return 1
	stacksample -q -d 0.1 -p "${pid%%,*}" >/dev/null 2>"$tmp/log" && return 0
	why="$why; $(reason)"
	return 1
}

# What of the options it has no answer to.
not_sampled() {
	[ -z "$events" ] || printf ' without %s' "$events"
	[ -z "$heat" ] || printf ' without a heat map'
	[ -z "$command" ] || printf ' without child processes'
}

sample() {
	[ -z "$ended" ] || return 1
	say "cannot record: $why; sampling with stacksample$(not_sampled)"
	heat=''
	go_on
	set -- --only-running
	[ -z "$wall" ] || set -- --state
	for process in $pids; do
		set -- "$@" -p "$process"
	done
	stacksample -q --folded "$@" -d "${seconds:-1000000}" -F "$hz" \
		>"$tmp/snapshots" 2>"$tmp/log" &
	add_recorder $!
	wait_for_recorders
	foldmerge -q --meta "$tmp/snapshots" >"$tmp/folded" || return 1
	[ -z "$kept$old" ] || mv "$tmp/snapshots" "$tmp/stream"
}
