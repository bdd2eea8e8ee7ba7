#!/bin/sh
# flame - a flame graph of a command, of processes or of the whole machine.
# shellcheck disable=SC2034,SC2317 # used by traps and by parts
set -u

# shellcheck source=cmd/shell/recorder.sh
. "${0%/*}/recorder.sh"
# shellcheck source=cmd/shell/sampling.sh
. "${0%/*}/sampling.sh"
# shellcheck source=cmd/shell/runtimes.sh
. "${0%/*}/runtimes.sh"

me=flame
usage='usage: flame [options] -p PID | --comm NAME | --cgroup NAME | -a
       flame [options] [--] command [argument ...]'

# The options that --help shows; --help=all shows all.
most_used='pid comm cgroup all-cpus duration event frequency output html open '\
'folded samples diff tid wall heatmap quiet'

help() {
	cat <<-END
	$usage
	Record where a program spends its time, and draw it.

	  -p, --pid PID              record these processes, separated by commas
	      --comm NAME            record the processes of this name
	      --cgroup NAME          record a cgroup, by path or container id
	  -a, --all-cpus             record all processes on this machine
	  -d, --duration SECONDS     stop after this time (10; a command: at its end)
	  -e, --event EVENT          sample this event, as in perf record
	      --ratio A/B            width by event B, colour by A / B
	  -F, --frequency HZ         sampling frequency (199)
	  -o, --output FILE          file to write (flame.svg); also x.html, x.folded
	      --html                 write a page (flame.html)
	      --open                 show the picture in a browser
	      --folded FILE          write the folded stacks, too; - prints them
	      --samples FILE         write the samples with their times, too
	      --diff FILE            compare with earlier samples or stacks
	      --tid                  add a root frame for each thread
	      --root LIST            add root frames: comm,pid,tid,cpu,cgroup,host,none
	      --symfs DIR            find binaries below DIR
	      --inline               show inlined functions (default)
	      --no-inline            omit inlined functions
	      --stack-size BYTES     copied bytes per stack (8K, or 16K if deep)
	      --dwarf                ignored: all samples have copied stacks
	      --wall                 record waits, too, so that all time is shown
	      --tasks                record waits and suspended tasks, too
	      --heatmap              draw a heat map of sample times above the picture
	      --plain                show native frames only, without runtimes' names
	      --no-context           omit command, host and date from the picture
	      --limits LIST          limits of each command that reads the recording
	  -q, --quiet                print errors only
	  -h, --help[=all]           print the main options, or all of them
	      --version              print the version

	Manual: flame(1).
	END
}

# no_command STATUS WHY: what cannot be run ends flame as it would end a shell.
no_command() {
	status=$1
	shift
	print_message "$@"
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

pid='' all='' seconds='' hz=199 events='' ratio='' output='' format='' open='' folded=''
kept='' old='' threads='' root='' symfs='' inline='' copied='' wall='' heat=''
tasks='' plain='' cgroup='' context=yes quiet=''

takes_value() {
	case $1 in
	-p | --pid | --comm | --cgroup | -d | --duration | -e | --event | \
		--ratio | -F | --frequency | -o | --output | --folded | --samples | \
		--diff | --root | --symfs | --stack-size | --limits) ;;
	*) return 1 ;;
	esac
}

# take OPTION VALUE: keep what it says.
take() {
	as_file "$2"
	case $1 in
	-p | --pid) pid=$pid${pid:+,}$2 ;;
	--comm) add_named "$2" ;;
	--cgroup) cgroup=$2 ;;
	-d | --duration) seconds=$2 ;;
	-e | --event) events=$events${events:+,}$2 ;;
	--ratio) ratio=$2 ;;
	-F | --frequency) hz=$2 ;;
	-o | --output) output=$file ;;
	--html) format=html ;;
	--open) open=yes ;;
	--folded)
		folded=$file
		[ "$2" != - ] || folded=-
		;;
	--samples) kept=$file ;;
	--diff) old=$file ;;
	--tid) threads=yes ;;
	--root) root=$2 ;;
	--symfs) symfs=$file ;;
	--inline) inline=yes ;;
	--no-inline) inline=no ;;
	-a | --all-cpus) all=yes ;;
	--dwarf) ;;
	--stack-size) copied=$2 ;;
	--wall) wall=yes ;;
	--tasks) tasks=yes wall=yes ;;
	--heatmap) heat=yes ;;
	--plain) plain=yes ;;
	--no-context) context='' ;;
	--limits) set_limits "$2" ;;
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

case ,$pid, in
,,) ;;
*[!0-9,]* | *,,*) wrong "-p: not a process: $pid" ;;
esac
case $((${#pid} > 0))$((${#all} > 0))$((${#cgroup} > 0))$(($# > 0)) in
1000 | 0100 | 0010 | 0001) ;;
*) wrong 'nothing to record: use one of -p, --cgroup, -a and a command' ;;
esac
is_number "$hz" -F
[ -z "$seconds" ] || is_number "$seconds" -d
case $copied in
*[!0-9]* | ??????*) wrong "--stack-size: not a number of bytes: $copied" ;;
esac
if [ -n "$copied" ] && { [ "$copied" -lt 8 ] || [ "$copied" -gt 65528 ]; }; then
	wrong "--stack-size: not from 8 to 65528: $copied"
fi
# A record of the kernel has no room for more.
[ "${copied:-0}" -le 61440 ] || copied=61440
[ $# -gt 0 ] || : "${seconds:=10}"
case $ratio in
*/*/*) wrong "--ratio: not two events with a slash between: $ratio" ;;
?*/?*)
	[ -z "$events$wall$heat$old$kept" ] ||
		wrong '--ratio excludes -e, --wall, --heatmap, --diff and --samples'
	events=${ratio#*/},${ratio%/*}
	;;
?*) wrong "--ratio: not two events with a slash between: $ratio" ;;
esac
[ -z "$tasks" ] || [ -z "$events$heat$all$cgroup$plain" ] ||
	wrong '--tasks excludes -a, --cgroup, -e, --ratio, --heatmap and --plain'
[ -z "$old" ] || [ -z "$heat" ] ||
	wrong '--diff and --heatmap exclude each other'
: "${output:=flame.${format:-svg}}"
case $output in
*.html) format=html ;;
*.folded) format=${format:-folded} ;;
esac
[ -z "$old" ] || [ -r "$old" ] || die "$old: cannot be read"
is_writable "$output" || die "$output: cannot be written"
[ "$folded" = - ] || [ -z "$folded" ] || is_writable "$folded" ||
	die "$folded: cannot be written"
[ -z "$kept" ] || is_writable "$kept" || die "$kept: cannot be written"
[ $# -eq 0 ] || check_command "$1"
pids=$(printf %s "$pid" | tr , ' ')
for pid in $pids; do
	is_there || {
		[ ! -d "/proc/$pid" ] || die "process $pid has ended"
		die "there is no process $pid"
	}
done
pid=$(printf %s "$pids" | tr ' ' ,)

# What is made on the way is gone at every end.

tmp=$(mktemp -d) || die "cannot create a temporary directory: set TMPDIR to a writable one"
command='' over='' sampled='' killed='' recorders='' progress='' gate='' snapshots=''
ending=''
trap 'rm -rf "$tmp"' EXIT

# In the background, recorders ignore SIGINT.
end_recorders() {
	ending=yes
	for recorder in $recorders; do
		kill -TERM "$recorder" 2>/dev/null
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

# Context of the recording.

# encode KEY VALUE...: metadata of folded(5), each after a semicolon.
encode() {
	awk 'BEGIN {
		for (i = 1; i < 256; i++)
			code[sprintf("%c", i)] = sprintf("%%%02X", i)
		for (k = 1; k + 1 < ARGC; k += 2) {
			printf ";%s=", ARGV[k]
			n = length(ARGV[k + 1])
			for (i = 1; i <= n; i++) {
				c = substr(ARGV[k + 1], i, 1)
				printf "%s", c ~ /[A-Za-z0-9._:\/@+,~-]/ ? c : code[c]
			}
		}
	}' "$@"
}

# note_context TITLE: $subtitle, and $context as keys.
note_context() {
	[ -n "$context" ] || return 0
	read -r host kernel <<-END
		$(uname -nr)
	END
	processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
	date=$(date '+%Y-%m-%d %H:%M')
	subtitle="$host, Linux $kernel, ${processor:+$processor, }$date"
	context=$(encode host "$host" kernel "$kernel" \
		processor "$processor" date "$date" command "$1")
}

# The event that was sampled, which may be a clock in place of cycles.
note_event() {
	of=''
	[ "$event" = - ] || of=" of $event"
	case $subtitle:$event in
	:* | *:-) ;;
	*:cpu-clock | *:cycles*) subtitle="$subtitle, $event at $hz Hz" ;;
	*) subtitle="$subtitle, $event" ;;
	esac
}

# add_context FILE: to the first line, where it is metadata.
add_context() {
	[ -n "$context" ] && [ -s "$1" ] || return 0
	sed "1 {
		/;hz=/!s|^#fold=.*|&$(encode hz "$hz")|
		s|^#fold=.*|&$context|
	}" "$1" >"$tmp/known" &&
		mv "$tmp/known" "$1"
}

# The picture.

draw() {
	[ "$format" != folded ] || {
		cp "$tmp/folded" "$output"
		return
	}
	set -- "$tmp/folded"
	[ -z "$heat" ] || [ ! -s "$tmp/stream" ] ||
		set -- --heatmap "$tmp/stream"
	if [ -n "$old" ]; then
		# The times show how much the samples of a run vary.
		[ ! -s "$tmp/stream" ] || set -- "$tmp/stream"
		folddiff ${quiet:+-q} "$old" "$1" >"$tmp/diff" ||
			[ $? -eq 1 ] || return 2
		set -- "$tmp/diff"
	fi
	[ -z "$subtitle" ] || set -- --subtitle "$subtitle" "$@"
	[ "$samples" -gt 0 ] || set -- -q "$@"
	flamegraph --format "${format:-svg}" --title "$title" "$@" \
		>"$tmp/picture" && cp "$tmp/picture" "$output"
}

show() {
	[ -n "$open" ] || return 0
	if in_path xdg-open >/dev/null; then
		xdg-open "$output" >/dev/null 2>&1 </dev/null &
	else
		say "cannot show $output: xdg-open not found"
	fi
}

# Of a server that leaves the work to others.
children() {
	for process in $pids; do
		cat "/proc/$process/task/"*/children 2>/dev/null
	done | awk '
		{ for (i = 1; i <= NF && n++ < 5; i++) list = list " " $i }
		END { print substr(list, 2) }'
}

# stopped: those of the processes that a signal or a debugger has stopped.
stopped() {
	for process in $pids; do
		! grep -qs '^State:[[:blank:]]*[Tt]' "/proc/$process/status" ||
			printf ' %s' "$process"
	done
}

no_wait='stacksample --state shows where threads are'

report() {
	unready=$(unprepared)
	if [ "$samples" -gt 0 ]; then
		waits=$(noted 'no stacks of waits were recorded')
		if remarks_of_recorder | grep -q 'waits are recorded without'; then
			waits=
		elif [ -n "$waits" ] && ! remarks_of_recorder | grep -q kernel; then
			waits="no wait began during the recording: $no_wait"
		fi
		say "wrote $output: $samples samples$of in $took s, $lost % of" \
			"stacks truncated, $nameless % without" \
			"names$(cure)${waits:+; $waits}"
		[ -n "$quiet" ] || foldtop --summary -n 5 \
			"$([ -n "$wall" ] && echo --idle || echo --cpu)" \
			"$tmp/folded" >&2
	elif remarks_of_recorder | grep -q 'of the time has no stack'; then
		say "wrote $output: no samples"
	elif [ -n "$wall" ]; then
		say "wrote $output: no samples, because no thread ran or began to" \
			"wait; stacksample shows where they are"
	elif [ -n "$(stopped)" ]; then
		say "wrote $output: no samples, because processes are stopped:$(stopped);" \
			"kill -CONT resumes them"
	elif [ -n "$(children)" ]; then
		say "wrote $output: no samples, because almost nothing ran;" \
			"record its children with -p: $(children)"
	else
		say "wrote $output: no samples, because almost nothing ran;" \
			"--wall shows waits"
	fi
	[ -z "$unready" ] || printf '%s\n' "$unready" | while read -r remark; do
		say "to name code made at run time, start ${remark##*: }" \
			"with ${remark%%: *}"
	done
	[ -z "$killed" ] || say "the recorder was killed: the flame graph ends there"
	remarks_of_recorder | while read -r remark; do
		say "$remark"
	done
}

title=${*:-${pid:+process $pid}${cgroup:+cgroup $cgroup}}
: "${title:=all CPUs}"
subtitle=''
[ -z "$tasks" ] || [ $# -gt 0 ] || [ -n "$(interpreted)" ] ||
	die "--tasks: process $pid runs no interpreter whose functions can be shown"
[ $# -eq 0 ] || {
	[ -n "$plain" ] || prepare_runtimes
	begin "$@"
}

if [ -z "$command" ] && [ -n "$(interpreted)" ]; then
	sample 'an interpreter runs: for its functions, sampling with' || why=$(reason)
elif record_all; then
	:
elif [ -n "$ended" ]; then
	why="stopped by SIG$ended"
elif why=$(reason) && why=${why#*: } && may_sample; then
	sample "cannot record: $why; sampling with" || why=$(reason)
else
	# It has not done anything yet.
	[ -z "$command" ] || kill -KILL "$command" 2>/dev/null
	case $why in
	*': try -e cpu-clock') [ -z "$ratio" ] ||
		why="${why%: try*}: try --ratio page-faults/cpu-clock" ;;
	esac
	die "cannot record: $why"
fi
go_on
status=0
note_context "$title"
add_context "$tmp/folded"
add_context "$tmp/stream"
if [ -s "$tmp/folded" ]; then
	read -r samples took lost nameless made event worst <<-END
		$(quality "$tmp/folded")
	END
	note_event
	{
		case $folded in
		'') ;;
		-) cat "$tmp/folded" ;;
		*) cp "$tmp/folded" "$folded" ;;
		esac
	} && {
		[ -z "$kept" ] || cp "$tmp/stream" "$kept"
	} && draw && report && show || status=2
else
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
