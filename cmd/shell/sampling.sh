# sampling.sh - how flame records what runs, by perf or else by stacksample.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2317 # used there

go_on() {
	: >"$tmp/go"
	[ -z "$command" ] || kill -CONT "$command" 2>/dev/null
}

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

wait_for_recorder() {
	add_recorder "$1"
	wait_for_recorders
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

# begin_record FILE fp|dwarf SECONDS [option...]: until the process ends, or so
# long from go_on() on.  It returns as perf samples.
begin_record() {
	[ -z "$ended" ] || return 1
	file=$1 graph=$2 time=$3
	[ "$graph" != dwarf ] || graph=dwarf${copied:+,$copied}
	shift 3
	rm -f "$tmp/begun"
	# shellcheck disable=SC2016,SC2086 # of that shell; words
	perf record -q $events -k mono -F "$hz" --call-graph "$graph" "$@" \
		-o "$file" ${all:+-a} ${pid:+-p "$(family)"} -- sh -c '
		: >"$0/begun"
		until [ -e "$0/go" ]; do
			sleep 0.02
		done
		exec sleep "$1"' "$tmp" "$time" >"$tmp/log" 2>&1 &
	add_recorder $!
	until [ -e "$tmp/begun" ]; do
		kill -0 $! 2>/dev/null || return 1
		sleep 0.02
	done
}

record() {
	begin_record "$@" || return 1
	go_on
	wait_for_recorders
	[ -s "$1" ]
}

# The first event that may be recorded: processors in clouds count no cycles.
choose_events() {
	command -v perf >/dev/null || {
		why='there is no perf'
		return 1
	}
	for event in cycles cpu-clock; do
		events="-e $event"
		[ -z "$wall" ] || [ $event = cycles ] ||
			events='-e cpu-clock -e context-switches/period=1/ --switch-events'
		[ -z "$wall" ] || [ $event != cycles ] || continue
		# shellcheck disable=SC2086 # words
		perf record -q $events -k mono -F "$hz" -g -o "$tmp/try.data" \
			${all:+-a} ${pid:+-p "$pid"} -- true \
			>"$tmp/log" 2>&1 && return 0
		# A key of the terminal ended perf, too.
		[ -z "$ended" ] || {
			: >"$tmp/log"
			return 0
		}
	done
	why=$(reason)
	return 1
}

# ask_jvm WHEN: a JVM tells where its code is now; others are not asked.
ask_jvm() {
	[ -n "$pid" ] || return 0
	mkdir "$tmp/$1"
	jvmmap "$pid" >"$tmp/$1/perf-$pid.map" 2>/dev/null ||
		rm "$tmp/$1/perf-$pid.map"
}

# fold FILE...: the last map gives the names.
fold() {
	fold_files "$@" >"$tmp/folded" 2>"$tmp/notes" && return
	tail -n 1 "$tmp/notes" >"$tmp/log"
	return 1
}

fold_files() {
	for map in "$tmp/end/perf-$pid.map" "$tmp/begin/perf-$pid.map"; do
		[ ! -s "$map" ] || set -- --perf-map "$map" "$@"
	done
	if [ -n "$heat$kept$old" ]; then
		stackcollapse-perf --kernel --jit --samples ${wall:+--wall} "$@" \
			>"$tmp/stream" && foldmerge -q --meta "$tmp/stream"
	else
		stackcollapse-perf --kernel --jit --meta ${wall:+--wall} "$@"
	fi
}

# What threads begin with, without a backslash, which awks read differently.
roots='_[[]k]$|^state:|^(_start|__libc_start.*|main|start_thread|thread_start|__?clone.*|clone3?|_dl_.*|runtime[.].*|erts_beamasm:.*|global::process_main.*|[[](libc|ld|ld-linux|libpthread)[-.].*)$'

# From folded stacks: samples, seconds, and the per cent of stacks that do not
# begin where threads do, of those whose leaf has no name, and of those where
# that is code made at run time; and the file that has most of those leaves.
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
		first = frame[2]
		# Marks of a sampler, which say nothing of callers.
		if (first == "[moving]" || first == "[unmerged]")
			first = n > 2 ? frame[3] : "main"
		# _start of a program without symbols.
		if (first ~ /^[[]/ && frame[3] ~ /^_*libc_start_/)
			first = frame[3]
		if (first == "[truncated]" || n > 1 && first !~ roots)
			lost += count
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
	}' roots="$roots" "$1"
}

# tell FILE: whether stacks have callers by frame pointers; fails where there is
# nothing to tell by.
tell() {
	fold "$1" || return 1
	read -r samples _ lost _ _ <<-END
		$(quality "$tmp/folded")
	END
	[ "$samples" -gt 0 ] || return 1
	[ "$lost" -gt 10 ] || return 0
	say "$lost % of the stacks have no callers by frame pointers:" \
		'going on with DWARF'
	calls=dwarf
}

# Seconds that tell: one, if -d is not less.
first_seconds() {
	awk "BEGIN { s = ${seconds:-1}; print (s < 1 ? s : 1) }"
}

# choose FILE: if it tells, go on in one way.
choose() {
	[ -n "$copies" ] && tell "$1" || return 0
	if [ "$calls" = fp ]; then
		kill -INT "$copies" 2>/dev/null
		rm "$tmp/2.data"
	else
		kill -INT "$pointers" 2>/dev/null
		rm "$tmp/1.data"
	fi
	copies=''
}

# A command does not come again: until a second has told how, it is recorded in
# both ways, which share the memory that a user may have for this.
record_command() {
	whole=${seconds:-1000000} copies='' second=''
	[ -z "$wall" ] || calls=dwarf
	if [ "$calls" = fp ]; then
		begin_record "$tmp/1.data" fp "$whole" -m 128K || return 1
		pointers=$!
		begin_record "$tmp/2.data" dwarf "$whole" -m 256K && copies=$!
		[ -n "$copies" ] || rm -f "$tmp/2.data"
		begin_record "$tmp/second.data" fp "$(first_seconds)" -m 64K &&
			second=$!
	else
		begin_record "$tmp/2.data" dwarf "$whole" || return 1
	fi
	go_on
	[ -z "$second" ] || {
		wait_for "$second"
		choose "$tmp/second.data"
	}
	[ -n "$seconds" ] || watch_command
	wait_for_recorders
	choose "$tmp/1.data"
}

# Of others the first second is kept, unless the rest is not like it, or what they
# wait for between two recordings would be lost.
record_others() {
	if [ "$calls" = fp ]; then
		record "$tmp/1.data" fp "$(first_seconds)" || return 1
		tell "$tmp/1.data"
		[ -z "$ended" ] || return 0
		[ -z "$pid" ] || is_there || return 0
		if [ "$calls$wall" = fp ]; then
			seconds=$(awk "BEGIN { s = $seconds - 1
				print (s > 0 ? s : 0) }")
		else
			rm "$tmp/1.data"
		fi
	fi
	[ "$seconds" = 0 ] || record "$tmp/2.data" "$calls" "$seconds"
}

record_all() {
	ask_jvm begin
	if [ -n "$command" ]; then
		record_command
	else
		record_others
	fi
	ask_jvm end
	set --
	for file in "$tmp/1.data" "$tmp/2.data"; do
		[ ! -s "$file" ] || set -- "$@" "$file"
	done
	[ $# -gt 0 ] && fold "$@"
}

# Whether, without perf, the process may be looked at from outside: tried
# before a command begins.
may_sample() {
	if [ -n "$all" ]; then
		why="$why; stacksample is for processes, not for -a"
		return 1
	fi
	command -v stacksample >/dev/null || return 1
	stacksample -q -d 0.1 -p "$pid" >/dev/null 2>"$tmp/log" && return 0
	why="$why; $(reason)"
	return 1
}

sample() {
	[ -z "$ended" ] || return 1
	say "perf cannot record: $why; sampling with stacksample" \
		${heat:+'without a heat map'}
	go_on
	set -- --only-running
	[ -z "$wall" ] || set -- --state
	stacksample -q --folded "$@" -d "${seconds:-1000000}" -F "$hz" \
		-p "$pid" >"$tmp/snapshots" 2>"$tmp/log" &
	wait_for_recorder $!
	foldmerge -q --meta "$tmp/snapshots" >"$tmp/folded" || return 1
	[ -z "$kept$old" ] || mv "$tmp/snapshots" "$tmp/stream"
}
