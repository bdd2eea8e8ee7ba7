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
usage='usage: flame [options] -p PID | -a | [--] command [argument ...]'

help() {
	cat <<-END
	$usage
	Record where a program spends its time, and draw it.

	  -p, --pid PID              these processes, separated by commas
	      --comm NAME            the processes of this name
	      --cgroup NAME          a cgroup, by its path or the id of its container
	  -a, --all-cpus             all that runs on this machine
	  -d, --duration SECONDS     for how long; 10 by default, a command to its end
	  -e, --event EVENT          what to sample, as in perf record
	  -F, --frequency HZ         samples a second, 199 by default
	  -o, --output FILE          the picture, flame.svg by default; x.html, x.folded
	      --html                 draw a page, flame.html by default
	      --open                 show the picture when it is drawn
	      --folded FILE          keep the folded stacks, too; - prints them
	      --samples FILE         keep the samples with their times, too
	      --diff FILE            compare with these samples or stacks
	      --tid                  a root frame for each thread
	      --root LIST            root frames: comm,pid,tid,cpu,cgroup,host or none
	      --symfs DIR            find the files of programs below DIR
	      --inline               frames of inlined functions, as by default
	      --no-inline            no frames of inlined functions
	      --stack-size BYTES     how much of each stack to copy; 8192 by default
	      --dwarf                accepted; each sample has a copy of the stack
	      --wall                 waits, too, so that all time is shown
	      --heatmap              when samples were taken, too, second by second
	      --plain                ask no runtime for names, and draw native functions
	      --no-context           no command, host or date in the picture
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

pid='' all='' seconds='' hz=199 events='' output='' format='' open='' folded=''
kept='' old='' threads='' root='' symfs='' inline='' copied='' wall='' heat=''
plain='' cgroup='' context=yes quiet=''

takes_value() {
	case $1 in
	-p | --pid | --comm | --cgroup | -d | --duration | -e | --event | \
		-F | --frequency | -o | --output | --folded | --samples | \
		--diff | --root | --symfs | --stack-size) ;;
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
	--heatmap) heat=yes ;;
	--plain) plain=yes ;;
	--no-context) context='' ;;
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
*) wrong 'one of -p, --cgroup, -a and a command is needed' ;;
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
	is_there || die "there is no process $pid"
done
pid=$(printf %s "$pids" | tr ' ' ,)

# What is made on the way is gone at every end.

tmp=$(mktemp -d) || exit 2
command='' over='' recorders='' progress='' gate=''
trap 'rm -rf "$tmp"' EXIT

# In the background, recorders ignore SIGINT.
end_recorders() {
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
		say "$output is not shown: there is no xdg-open"
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

no_wait='stacksample --state shows where threads are'

report() {
	if [ "$samples" -gt 0 ]; then
		waits=$(noted 'no stacks of waits were recorded')
		[ -z "$waits" ] || remarks_of_recorder | grep -q kernel ||
			waits="no wait began meanwhile: $no_wait"
		say "wrote $output: $samples samples in $took s, $lost % of" \
			"stacks truncated, $nameless % without" \
			"names$(cure)${waits:+; $waits}"
		[ -n "$quiet" ] || foldtop --summary -n 5 ${wall:+--idle} \
			"$tmp/folded" >&2
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
	remarks_of_recorder | while read -r remark; do
		say "$remark"
	done
}

title=${*:-${pid:+process $pid}${cgroup:+cgroup $cgroup}}
: "${title:=all CPUs}"
subtitle=''
[ $# -eq 0 ] || {
	[ -n "$plain" ] || prepare_runtimes
	begin "$@"
}

if [ -z "$command" ] && [ -n "$(interpreted)" ]; then
	sample 'an interpreter runs: for its functions, sampling with' || why=$(reason)
elif record_all; then
	:
elif [ -n "$ended" ]; then
	why="SIG$ended came before"
elif why=$(reason) && why=${why#*: } && may_sample; then
	sample "cannot record: $why; sampling with" || why=$(reason)
else
	# It has not done anything yet.
	[ -z "$command" ] || kill -KILL "$command" 2>/dev/null
	die "cannot record: $why"
fi
go_on
status=0
note_context "$title"
add_context "$tmp/folded"
add_context "$tmp/stream"
if [ -s "$tmp/folded" ]; then
	read -r samples took lost nameless made worst <<-END
		$(quality "$tmp/folded")
	END
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
