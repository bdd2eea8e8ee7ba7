#!/bin/sh
# flame - a flame graph of a command, a process or the whole machine.
set -u

# shellcheck source=cmd/recorder.sh
. "${0%/*}/recorder.sh"

me=flame
usage='usage: flame [options] -p PID | -a | [--] command [argument ...]'

help() {
	cat <<-END
	$usage
	Record where a program spends its time, and draw it.

	  -p, --pid PID              a process that runs
	  -a, --all-cpus             all that runs on this machine
	  -d, --duration SECONDS     for how long; 10 by default, a command to its end
	  -F, --frequency HZ         samples a second, 199 by default
	  -o, --output FILE          the picture, flame.svg by default
	      --folded FILE          keep the folded stacks, too
	      --diff FILE            compare with these folded stacks
	      --dwarf                do not try frame pointers first
	      --wall                 waits, too, so that all time is shown
	      --heatmap              when samples were taken, too, second by second
	  -q, --quiet                no remarks on standard error
	  -h, --help                 show this help
	      --version              show the version

	The manual, flame(1), says more.
	END
}

# no_command STATUS WHY: what cannot be run ends flame as it would end a shell.
no_command() {
	status=$1
	shift
	printf '%s: %s\n' "$me" "$*" >&2
	exit "$status"
}

check_command() {
	case $1 in
	*/*)
		[ -e "$1" ] || no_command 127 "$1: not found"
		[ -d "$1" ] || [ ! -x "$1" ] || return 0
		no_command 126 "$1: not a program"
		;;
	*) in_path "$1" >/dev/null || no_command 127 "$1: not found" ;;
	esac
}

# Options.

pid='' all='' seconds='' hz=199 output=flame.svg folded='' old='' quiet=''
wall='' heat='' calls=fp

takes_value() {
	case $1 in
	-p | --pid | -d | --duration | -F | --frequency | -o | --output | \
		--folded | --diff) ;;
	*) return 1 ;;
	esac
}

# take OPTION VALUE: keep what it says.
take() {
	as_file "$2"
	case $1 in
	-p | --pid) pid=$2 ;;
	-d | --duration) seconds=$2 ;;
	-F | --frequency) hz=$2 ;;
	-o | --output) output=$file ;;
	--folded) folded=$file ;;
	--diff) old=$file ;;
	-a | --all-cpus) all=yes ;;
	--dwarf) calls=dwarf ;;
	--wall) wall=yes ;;
	--heatmap) heat=yes ;;
	-q | --quiet) quiet=yes ;;
	-h | --help) show_help ;;
	--version) show_version ;;
	*) wrong "no such option: $1" ;;
	esac
}

# The first word that is no option is the command.
take_operand() {
	return 1
}

parse "$@"
shift $(($# - left))

case $pid in
*[!0-9]*) wrong "-p: not a process: $pid" ;;
esac
case $((${#pid} > 0)):${all:-no}:$(($# > 0)) in
1:no:0 | 0:yes:0 | 0:no:1) ;;
*) wrong 'one of -p, -a and a command is needed' ;;
esac
is_number "$hz" -F
[ -z "$seconds" ] || is_number "$seconds" -d
[ $# -gt 0 ] || : "${seconds:=10}"
[ -z "$old" ] || [ -z "$heat" ] ||
	wrong '--diff and --heatmap exclude each other'
[ -z "$old" ] || [ -r "$old" ] || die "$old: cannot be read"
is_writable "$output" || die "$output: cannot be written"
[ -z "$folded" ] || is_writable "$folded" || die "$folded: cannot be written"
[ $# -eq 0 ] || check_command "$1"
[ -z "$pid" ] || is_there || die "there is no process $pid"

# What is made on the way is gone at every end.

tmp=$(mktemp -d) || exit 2
command='' over='' recorders=''
trap 'rm -rf "$tmp"' EXIT

end_recorders() {
	for recorder in $recorders; do
		kill -INT "$recorder" 2>/dev/null
	done
}

# What ends flame ends the recording, and a command, whose status is ours.
# shellcheck disable=SC2317 # called by traps
pass() {
	pass_on "$1"
	end_recorders
	ended=$1
}
ended=''
trap 'pass INT' INT
trap 'pass QUIT' QUIT
trap 'pass TERM' TERM
trap 'pass HUP' HUP
# Who has stopped reading remarks ends nothing, and commands get their signal.
trap : PIPE

# Recording.

go_on() {
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

# begin_record FILE fp|dwarf SECONDS [PID]: until then, or until the process
# ends.  What perf runs once it samples lets the command go on, and ends the
# recorder PID.
begin_record() {
	[ -z "$ended" ] || return 1
	rm -f "$tmp/begun"
	# shellcheck disable=SC2086 # words
	perf record -q $events -k mono -F "$hz" --call-graph "$2" -o "$1" \
		${all:+-a} ${pid:+-p "$(family)"} -- sh -c \
		": >\"\$0\"; ${command:+kill -CONT $command 2>/dev/null;} \
		${4:+kill -INT $4 2>/dev/null;} exec sleep $3" "$tmp/begun" \
		>"$tmp/log" 2>&1 &
	add_recorder $!
}

record() {
	begin_record "$@" || return 1
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
		[ ! -s "$map" ] || set -- --jit --perf-map "$map" "$@"
	done
	if [ -n "$heat" ]; then
		stackcollapse-perf --kernel --samples ${wall:+--wall} "$@" \
			>"$tmp/stream" && foldmerge -q --meta "$tmp/stream"
	else
		stackcollapse-perf --kernel --meta ${wall:+--wall} "$@"
	fi
}

# What threads begin with, without a backslash, which awks read differently.
roots='_[[]k]$|^state:|^(_start|__libc_start.*|main|start_thread|thread_start|__?clone.*|clone3?|_dl_.*|runtime[.].*|[[](libc|ld|ld-linux|libpthread)[-.].*)$'

# From folded stacks: samples, seconds, and the per cent of stacks that do not
# begin where threads do, of those whose leaf has no name, and of those where
# that is code made at run time.
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
		# _start of a program without symbols.
		if (first ~ /^[[]/ && frame[3] ~ /^_*libc_start_/)
			first = frame[3]
		if (first == "[truncated]" || n > 1 && first !~ roots)
			lost += count
		if (frame[n] ~ /^[[].*]$/)
			nameless += count
		if (frame[n] ~ /^[[]perf-[0-9]+[.]map[]]/)
			made += count
	}
	END {
		if (!all)
			all = 1
		printf "%d %.1f %.0f %.0f %.0f\n", samples, seconds,
		    100 * lost / all, 100 * nameless / all, 100 * made / all
	}' roots="$roots" "$1"
}

# goes_on FILE: whether there is more to record than this second, which tells
# whether there are frame pointers.
goes_on() {
	fold "$1" && [ -z "$ended" ] || return 1
	[ -z "$pid" ] || is_there || return 1
	read -r _ _ lost _ _ <<-END
		$(quality "$tmp/folded")
	END
	[ "$lost" -gt 10 ] || return 0
	say "$lost % of the stacks have no callers by frame pointers:" \
		'going on with DWARF'
	calls=dwarf
}

# What of -d is left since the machine was up for so long.
seconds_since() {
	read -r now _ </proc/uptime
	awk "BEGIN { s = ${seconds:-1000000} - ($now - $1)
		print (s > 0 ? s : 0) }"
}

# A command does not come again: all of it is recorded, and the second that tells
# how is so once more.
record_command() {
	read -r began _ </proc/uptime
	file=$tmp/1.data
	[ $calls = fp ] || file=$tmp/2.data
	begin_record "$file" $calls "${seconds:-1000000}" || return 1
	first=$!
	until [ -e "$tmp/begun" ]; do
		kill -0 $first 2>/dev/null || return 1
		sleep 0.02
	done
	if [ $calls = fp ]; then
		begin_record "$tmp/second.data" fp 1 && wait_for $!
		[ ! -s "$tmp/second.data" ] || goes_on "$tmp/second.data"
		left=$(seconds_since "$began")
		[ $calls = fp ] || [ "$left" = 0 ] ||
			begin_record "$tmp/2.data" dwarf "$left" $first
	fi
	[ -n "$seconds" ] || watch_command
	wait_for_recorders
}

# Of others the first second is kept, unless the rest is not like it, or what they
# wait for between two recordings would be lost.
record_others() {
	if [ $calls = fp ]; then
		record "$tmp/1.data" fp "$(awk "BEGIN { s = $seconds
			print (s < 1 ? s : 1) }")" || return 1
		goes_on "$tmp/1.data" || return 0
		if [ "$calls$wall" = fp ]; then
			seconds=$(awk "BEGIN { s = $seconds - 1
				print (s > 0 ? s : 0) }")
		else
			rm "$tmp/1.data"
		fi
	fi
	[ "$seconds" = 0 ] || record "$tmp/2.data" $calls "$seconds"
}

record_all() {
	ask_jvm begin
	if [ -n "$command" ]; then
		[ -z "$wall" ] || calls=dwarf
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
	foldmerge -q --meta "$tmp/snapshots" >"$tmp/folded"
}

# The picture, and how good it is.

draw() {
	set -- "$tmp/folded"
	[ ! -s "$tmp/stream" ] || set -- --heatmap "$tmp/stream"
	if [ -n "$old" ]; then
		set -- "$tmp/diff"
		folddiff ${quiet:+-q} "$old" "$tmp/folded" >"$1" || [ $? -eq 1 ] || return 2
	fi
	[ "$samples" -gt 0 ] || set -- -q "$@"
	flamegraph --title "$title" "$@" >"$tmp/svg" && cp "$tmp/svg" "$output"
}

# noted TEXT: the first remark that has it of who folded.
noted() {
	sed -n "s/^stackcollapse-perf: \(.*$1.*\)/\1/p" "$tmp/notes" \
		2>/dev/null | head -n 1
}

cure() {
	if [ "$made" -gt 10 ]; then
		echo '; code made at run time has them in a perf map, as of' \
			'node --perf-basic-prof, or java' \
			'-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'
	elif [ "$lost" -gt 10 ] && [ -s "$tmp/end/perf-$pid.map" ]; then
		echo '; better when java runs with -XX:+PreserveFramePointer'
	elif [ "$lost" -gt 10 ] && [ -s "$tmp/1.data" ]; then
		echo '; better with --dwarf'
	elif [ "$lost" -gt 10 ]; then
		echo '; better for programs built with -fno-omit-frame-pointer'
	elif [ "$nameless" -gt 10 ]; then
		worst=$(noted 'has no symbols: ')
		printf '; %s\n' "${worst:-better with debug packages}"
	fi
}

# Of a server that leaves the work to others.
children() {
	[ -z "$pid" ] || cat "/proc/$pid/task/"*/children 2>/dev/null | awk '
		{ for (i = 1; i <= NF && n++ < 5; i++) list = list " " $i }
		END { print substr(list, 2) }'
}

report() {
	if [ "$samples" -gt 0 ]; then
		waits=$(noted 'no stacks of waits were recorded')
		say "wrote $output: $samples samples in $took s, $lost % of" \
			"stacks truncated, $nameless % without" \
			"names$(cure)${waits:+; $waits}"
	elif [ -n "$wall" ]; then
		say "wrote $output: no samples, as no thread ran or began to" \
			"wait; stacksample shows where they are"
	elif [ -n "$(children)" ]; then
		say "wrote $output: no samples, as hardly anything ran; its" \
			"children need a -p of their own: $(children)"
	else
		say "wrote $output: no samples, as hardly anything ran;" \
			"--wall shows waits"
	fi
}

title=${*:-${pid:+process $pid}}
: "${title:=all CPUs}"
[ $# -eq 0 ] || begin "$@"

if choose_events; then
	record_all || why=$(reason)
elif may_sample; then
	sample || why=$(reason)
else
	# It has not done anything yet.
	[ -z "$command" ] || kill -KILL "$command"
	die "perf cannot record: $why; see perf_event_paranoid in" \
		"perf_event_open(2), or be root"
fi
go_on
status=0
if [ -s "$tmp/folded" ]; then
	read -r samples took lost nameless made <<-END
		$(quality "$tmp/folded")
	END
	{
		[ -z "$folded" ] || cp "$tmp/folded" "$folded"
	} && draw && report || status=2
else
	[ -z "$ended" ] || [ -s "$tmp/log" ] || why="SIG$ended came before"
	echo "$me: nothing was recorded: ${why:-no samples}" >&2
	status=2
fi
failed=$status
[ -z "$command" ] || {
	wait_for_command
	status=$over
}
[ $failed -eq 0 ] || status=$failed
exit $status
