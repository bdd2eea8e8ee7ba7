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
	[ -n "$command" ] || ask_jvms begin
	record || return 1
	go_on
	begin_progress
	[ -z "$command" ] || find_interpreter
	[ -z "$command" ] || [ -n "$seconds" ] || watch_command
	wait_for_recorders
	end_progress
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
		printf "%d %.1f %.0f %.0f %.0f %s\n", samples, seconds,
		    100 * lost / all, 100 * nameless / all,
		    100 * made / all, substr(worst, 2, length(worst) - 2)
	}' "$1"
}

# stacksample.

# begin_sampling PID...: from outside.
begin_sampling() {
	for process; do
		set -- "$@" -p "$process"
		shift
	done
	if [ -n "$wall" ]; then
		set -- "$@" --state
	else
		set -- "$@" --only-running
	fi
	stacksample -q --folded "$@" -d "${seconds:-1000000}" -F "$hz" \
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
	if [ -z "$pid" ]; then
		why="$why; stacksample is for processes"
		return 1
	fi
	command -v stacksample >/dev/null || return 1
	stacksample -q -d 0.1 -p "${pid%%,*}" >/dev/null 2>"$tmp/log" && return 0
	why="$why; $(reason)"
	return 1
}

# Options that stacksample cannot serve.
not_sampled() {
	[ -z "$events" ] || printf ' without %s' "$events"
	[ -z "$heat" ] || printf ' without a heat map'
	[ -z "$command" ] || printf ' without child processes'
}

sample() {
	[ -z "$ended" ] || return 1
	say "$* stacksample$(not_sampled)"
	heat=''
	go_on
	# shellcheck disable=SC2086 # words
	begin_sampling $pids
	wait_for_recorders
	mv "$tmp/log.stacksample" "$tmp/log"
	fold_snapshots
}

# Interpreters.  Native stacks have no frames of the programs that they run, but
# where the runtime writes a perf map; stacksample reads their own stacks.

# interpreted: those of the processes whose interpreter stacksample knows, and
# which write no perf map.
interpreted() {
	[ -z "$plain$events$heat$all$cgroup" ] || return 0
	for process in $pids; do
		set -- "$@" -p "$process"
	done
	stacksample -q --runtimes "$@" 2>/dev/null </dev/null |
		while read -r process; do
			has_map "$process" || echo "$process"
		done
}

# has_map PID: by the id that it has itself, in a container.
has_map() {
	inner=$(sed -n 's/^NSpid:.*[^0-9]\([0-9]*\)$/\1/p' "/proc/$1/status" \
		2>/dev/null)
	[ -s "/proc/$1/root/tmp/perf-${inner:-$1}.map" ]
}

# The interpreter of a command is there some time after it began; then
# stacksample looks at it, too.
find_interpreter() {
	for wait in 0.03 0.1 0.3; do
		sleep $wait
		is_there && [ -z "$ended" ] || return 0
		[ -n "$(interpreted)" ] || continue
		begin_sampling "$pid"
		return
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
	if [ $((2 * samples)) -gt "$recorded" ]; then
		say "the picture has an interpreter's functions, from samples" \
			"of stacksample, and no child processes; --plain" \
			"draws native functions"
		: >"$tmp/notes"
	else
		mv "$tmp/folded.native" "$tmp/folded"
	fi
}
