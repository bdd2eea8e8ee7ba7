#!/bin/sh
# flame - a flame graph of a command, a process or the whole machine.
# shellcheck disable=SC2034,SC2317 # used by traps and by parts
set -u

# shellcheck source=cmd/shell/recorder.sh
. "${0%/*}/recorder.sh"
# shellcheck source=cmd/shell/sampling.sh
. "${0%/*}/sampling.sh"

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
	      --samples FILE         keep the samples with their times, too
	      --diff FILE            compare with these samples or stacks
	      --dwarf                do not try frame pointers first
	      --stack-size BYTES     the same, and copy so much of stacks; 8192 by default
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

pid='' all='' seconds='' hz=199 output=flame.svg folded='' kept='' old='' quiet=''
wall='' heat='' calls=fp copied=''

takes_value() {
	case $1 in
	-p | --pid | -d | --duration | -F | --frequency | -o | --output | \
		--folded | --samples | --diff | --stack-size) ;;
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
	--samples) kept=$file ;;
	--diff) old=$file ;;
	-a | --all-cpus) all=yes ;;
	--dwarf) calls=dwarf ;;
	--stack-size) calls=dwarf copied=$2 ;;
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
case $copied in
*[!0-9]* | ??????*) wrong "--stack-size: not a number of bytes: $copied" ;;
esac
if [ -n "$copied" ] && { [ "$copied" -lt 8 ] || [ "$copied" -gt 65528 ]; }; then
	wrong "--stack-size: not from 8 to 65528: $copied"
fi
[ $# -gt 0 ] || : "${seconds:=10}"
[ -z "$old" ] || [ -z "$heat" ] ||
	wrong '--diff and --heatmap exclude each other'
[ -z "$old" ] || [ -r "$old" ] || die "$old: cannot be read"
is_writable "$output" || die "$output: cannot be written"
[ -z "$folded" ] || is_writable "$folded" || die "$folded: cannot be written"
[ -z "$kept" ] || is_writable "$kept" || die "$kept: cannot be written"
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

# The picture, and how good it is.

draw() {
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
	[ "$samples" -gt 0 ] || set -- -q "$@"
	flamegraph --title "$title" "$@" >"$tmp/svg" && cp "$tmp/svg" "$output"
}

# noted TEXT: the first remark that has it of who folded.
noted() {
	sed -n "s/^stackcollapse-perf: \(.*$1.*\)/\1/p" "$tmp/notes" \
		2>/dev/null | head -n 1
}

# Of the files that are said to have none, the one with most of the leaves.
without_symbols() {
	sed -n 's/^stackcollapse-perf: \(.* has no symbols: \)/\1/p' \
		"$tmp/notes" 2>/dev/null >"$tmp/without"
	grep -F "/$worst has no symbols: " "$tmp/without" ||
		head -n 1 "$tmp/without"
}

# runtime_advice: what the collapser says of a runtime whose code has no frame
# pointers, such as "java: add ..."; another recording would not help there.
runtime_advice() {
	noted 'without frame pointers: [a-z]*: add' |
		sed 's/.*without frame pointers: //'
}

# The options with which a JVM writes a perf map when it ends.
java_names='-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'

# What would give stacks their callers, or frames their names.  Without frame
# pointers and copies, and where copies were deep enough, nothing is known to.
cure() {
	advice=$(runtime_advice)
	if [ "$lost" -gt 10 ] && [ -n "$advice" ]; then
		[ "$made" -le 10 ] || case $advice in
		java:*) advice="$advice $java_names" ;;
		esac
		printf '; %s\n' "$advice"
	elif [ "$made" -gt 10 ]; then
		echo '; code made at run time has them in a perf map, as of' \
			"node --perf-basic-prof, or java $java_names"
	elif [ "$lost" -gt 10 ] && [ -s "$tmp/end/perf-$pid.map" ]; then
		echo '; java: add -XX:+PreserveFramePointer' \
			'-XX:+DebugNonSafepoints'
	elif [ "$lost" -gt 10 ] && [ -s "$tmp/1.data" ]; then
		echo '; better with --dwarf'
	elif [ "$lost" -gt 10 ] && [ -n "$(noted 'deeper than')" ]; then
		echo '; better with --stack-size 65528, which copies more of them'
	elif [ "$nameless" -gt 10 ]; then
		advice=$(without_symbols)
		printf '; %s\n' "${advice:-better with debug packages}"
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
	read -r samples took lost nameless made worst <<-END
		$(quality "$tmp/folded")
	END
	{
		[ -z "$folded" ] || cp "$tmp/folded" "$folded"
	} && {
		[ -z "$kept" ] || cp "$tmp/stream" "$kept"
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
