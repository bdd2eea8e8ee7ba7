#!/bin/sh
# slowflame - what is different inside the slow calls of a function.
# shellcheck disable=SC2034,SC2317 # used by traps and by parts
set -u

# shellcheck source=cmd/shell/recorder.sh
. "${0%/*}/recorder.sh"
# shellcheck source=cmd/shell/probes.sh
. "${0%/*}/probes.sh"
# shellcheck source=cmd/shell/cost.sh
. "${0%/*}/cost.sh"

me=slowflame
usage='usage: slowflame [options] -p PID | --comm NAME [[object:]function]
       slowflame [options] [object:]function [--] command [argument ...]'

# The options that --help shows; --help=all shows all.
most_used='pid comm duration frequency output above arg line deeper ring '\
'when stream on-cpu quiet'

help() {
	cat <<-END
	$usage
	Find out why some calls of a function are slow.

	  -p, --pid PID              record these processes, separated by commas
	      --comm NAME            record the processes of this name
	  -d, --duration SECONDS     stop after this time (10; a command: at its end)
	  -F, --frequency HZ         sampling frequency (199)
	  -o, --output DIRECTORY     directory of slow.svg, fast.svg and diff.svg (.)
	      --above THRESHOLD      longer calls are slow: p95 (default), 2ms, mean+2sd
	      --arg NAME             record an argument or local variable, too
	      --line FILE:N          begin calls at this source line
	      --deeper FUNCTION      record again, for a function that this one calls
	      --ring BYTES           keep the newest records only, until --when
	      --when THRESHOLD       stop when a call takes longer, as '>50ms'
	      --stream FILE          write the samples, too, for foldsplit
	      --max-rate N           refuse functions with more calls a second (20000)
	      --max-cpu PERCENT      refuse recordings that need more of the CPU (1)
	      --fp                   unwind by frame pointers, not by copied stacks
	      --on-cpu               do not record waits
	      --return-probes        allow probes that change return addresses
	      --limits LIST          limits of each command that reads the recording
	  -q, --quiet                print errors only
	  -h, --help[=all]           print the main options, or all of them
	      --version              print the version

	Manual: slowflame(1).
	END
}

# is_time TEXT: as "50ms".
is_time() {
	printf '%s\n' "$1" |
		grep -Eqx '([0-9]+[.]?[0-9]*|[.][0-9]+) *(ns|us|ms|s)'
}

# Options.

pid='' others='' seconds='' hz=199 folder=. above='' args='' line='' deeper='' ring=''
when='' max_rate=20000 max_cpu=1 stacks=dwarf waits=yes returns='' quiet=''
call='' stream='' newline='
'

takes_value() {
	case $1 in
	-p | --pid | --comm | -d | --duration | -F | --frequency | -o | --output | \
		--above | --arg | --line | --deeper | --ring | --when | \
		--stream | --max-rate | --max-cpu | --limits) ;;
	*) return 1 ;;
	esac
}

# take OPTION VALUE: keep what it says.
take() {
	as_file "$2"
	case $1 in
	-p | --pid) pid=$pid${pid:+,}$2 ;;
	--comm) add_named "$2" ;;
	-d | --duration) seconds=$2 ;;
	-F | --frequency) hz=$2 ;;
	-o | --output) folder=$file ;;
	--above) above=$2 ;;
	--arg) args="$args $2" ;;
	--line) line=$2 ;;
	--deeper) deeper=$deeper$2$newline ;;
	--stream) stream=$file ;;
	--ring) ring=$2 ;;
	--when) when=$2 ;;
	--max-rate) max_rate=$2 ;;
	--max-cpu) max_cpu=$2 ;;
	--fp) stacks=fp ;;
	--on-cpu) waits='' ;;
	--return-probes) returns=yes ;;
	--limits) set_limits "$2" ;;
	-q | --quiet) quiet=yes ;;
	-h | --help) show_help ;;
	--version) show_version ;;
	*) wrong "no such option: $1" ;;
	esac
}

# The first one is the call, the next ones the command.
take_operand() {
	[ -z "$call" ] || return
	call=$1
}

parse "$@"
shift $(($# - left))

case ,$pid, in
,,) ;;
*[!0-9,]* | *,,*) wrong "-p: not a process: $pid" ;;
esac
# Files are those of the first one.
others=${pid#"${pid%%,*}"} pid=${pid%%,*}
case $((${#pid} > 0)):$(($# > 0)) in
1:0 | 0:1) ;;
*) wrong 'nothing to record: use either -p or a command' ;;
esac
[ -n "$call$deeper" ] || wrong 'name the function whose calls to record'
is_number "$hz" -F
case $max_rate in
*[!0-9]* | '') wrong "--max-rate: not a number of calls: $max_rate" ;;
esac
is_number "$max_cpu" --max-cpu
[ -z "$seconds" ] || is_number "$seconds" -d
[ "${ring:+yes}" = "${when:+yes}" ] || wrong '--ring and --when need each other'
[ -z "$when" ] || is_time "${when#>}" ||
	wrong "--when: not a time: $when"
case ${ring:+${ring%[BKMG]}} in
*[!0-9]*) wrong "--ring: not a size: $ring" ;;
esac
: "${above:=${when#>}}" "${above:=p95}"
foldsplit -q --call call --above "$above" /dev/null >/dev/null 2>&1 ||
	wrong "--above: not a bound: $above"
[ $# -gt 0 ] || [ -n "$ring" ] || : "${seconds:=10}"
[ -w "$folder/." ] || die "$folder: not a writable directory"
[ -z "$stream" ] || is_writable "$stream" || die "$stream: cannot be written"

# All that is placed and made on the way is gone at every end.

tmp=$(mktemp -d) || exit 2
command='' gate='' begun='' child='' recording=''

# A shell makes those in the background ignore SIGINT.
end_child() {
	[ -n "$child" ] || return 0
	# One that had just begun may have lost the first signal.
	for _ in 1 2 3 4 5; do
		kill -TERM "$child" 2>/dev/null
		[ -e "/proc/$child" ] || break
		! grep -qs '^State:.Z' "/proc/$child/status" || break
		sleep 0.05
	done
	wait "$child" 2>/dev/null
}

# A command that has not begun never will; else it goes on, and is waited for.
cleanup() {
	trap '' INT QUIT TERM HUP
	end_child
	rm -rf "$tmp"
	[ -n "$command" ] || return 0
	# Where what should have opened the gate has failed, the command waits.
	[ -z "$gate" ] || eval "exec $gate<&-"
	[ -n "$begun" ] || kill -KILL "$command" 2>/dev/null
	for signal in INT QUIT TERM HUP; do
		# shellcheck disable=SC2064 # this one
		trap "pass_on $signal" "$signal"
	done
	wait_for "$command"
}
trap cleanup EXIT

# SIGINT ends a recording, which is then drawn; the others end all.
stop() {
	pass_on "$1"
	[ "$1:$recording" = INT:yes ] || exit "$2"
	kill -TERM "$child" 2>/dev/null
}
trap 'stop INT 130' INT
trap 'stop QUIT 131' QUIT
trap 'stop TERM 143' TERM
trap 'stop HUP 129' HUP
# Who has stopped reading remarks ends nothing, and commands get their signal.
trap : PIPE

# run COMMAND...: so that signals are heard of at once.
run() {
	"$@" &
	child=$!
	wait_for "$child"
	child=''
	return "$status"
}

# Recording.

# record SECONDS: until then, or until the processes end.
record() {
	recording=yes
	times=$(times_now)
	set -- -q -F "$hz" -e cpu-clock -o "$tmp/data" -p "$(family)" -d "$1"
	[ $stacks = dwarf ] || set -- "$@" --stack 0
	[ -z "$waits" ] || set -- "$@" --wall
	with_probes "$@" >"$tmp/log" 2>&1
	end_interval
	recorded_time=$took recorded_cpu=$cpu recording=''
	[ -s "$tmp/data" ] || die "$(reason)"
	[ -n "$quiet" ] || grep lost "$tmp/log" >&2
}

# record_ring SECONDS: the newest records only, which are written when a call
# takes long.
record_ring() {
	set -- -F "$hz" -e cpu-clock -o "$tmp/data" -p "$(family)" -d "$1" \
		--ring "$ring" "--until${between#-}" "$enter,$leave>${when#>}"
	[ $stacks = dwarf ] || set -- "$@" --stack 0
	[ -z "$waits" ] || set -- "$@" --wall
	with_probes "$@" >"$tmp/log" 2>&1
	long=$(sed -n 's/^stackrecord: a call took //p' "$tmp/log")
	[ -n "$long" ] || {
		[ -s "$tmp/data" ] || die "$(reason)"
		die "no call of $function took longer than ${when#>}"
	}
	say "a call of $function took $long"
}

# What is different.

# Folded stacks from the call on: who called it does not matter, and of some
# stacks is not known.
from_call() {
	awk '
	/^#/ {
		print
		next
	}
	{
		match($0, / [0-9. ]+$/)
		counts = substr($0, RSTART)
		n = split(substr($0, 1, RSTART - 1), frame, ";")
		for (i = 1; i <= n && frame[i] !~ called;)
			i++
		stack = frame[i]
		if (i > n) {
			stack = name ";[truncated]"
			i = frame[2] == "[truncated]" ? 2 : 1
		}
		while (++i <= n)
			stack = stack ";" frame[i]
		print stack counts
	}' called="$(frame_of "$function")" name="$name" "$1"
}

# said_of FILE: "480 calls, 3.24 ms each", by its header.
said_of() {
	awk -F ';' '
	/^#fold=/ {
		for (i = 1; i <= NF; i++) {
			split($i, pair, "=")
			of[pair[1]] = pair[2]
		}
		if (of["exposure"] > 0)
			printf "%d calls, %.3g ms each\n", of["exposure"],
			    of["took"] / of["exposure"] / 1e6
		exit
	}' "$1"
}

# draw NAME TITLE SUBTITLE: $tmp/NAME.folded as NAME.svg; without a title, by
# its own.
draw() {
	if ! flamegraph -q ${2:+--title "$2"} --subtitle "$3" \
		"$tmp/$1.folded" >"$tmp/svg" || ! cp "$tmp/svg" "$to/$1.svg"; then
		die "$to/$1.svg cannot be written"
	fi
}

# split DIRECTORY: slow calls and fast ones, and what they differ in.
split() {
	to=$1
	stackcollapse-perf --kernel ${waits:+--wall} --samples \
		--event-filter all "$tmp/data" >"$tmp/stream" 2>"$tmp/notes" ||
		die "$(cat "$tmp/notes")"
	[ -n "$quiet" ] || grep -e lost -e truncated "$tmp/notes" >&2
	recorded=$(grep -c "^#.*;event=$enter\(;.*\)*$" "$tmp/stream")
	[ "$recorded" -gt 0 ] || die "$function was not called"
	[ -z "$stream" ] || cp "$tmp/stream" "$stream" || exit 2
	set -- -q $between "$enter,$leave" --above "$above"
	foldsplit "$@" --report "$tmp/stream" || exit 2
	for part in slow fast; do
		foldsplit "$@" --only $part "$tmp/stream" >"$tmp/part" || exit 2
		from_call "$tmp/part" >"$tmp/$part.folded"
	done
	foldsplit "$@" --diff-counts "$tmp/stream" >"$tmp/part" || exit 2
	from_call "$tmp/part" >"$tmp/both"
	folddiff -q "$tmp/both" >"$tmp/diff.folded" || exit 2
	folddiff -q --report "$tmp/both" | head -n 1 | tee "$tmp/sentence"
	[ -n "$ring" ] || compare_rates "$recorded"
	[ -z "$args" ] || list_longest "$@"
	draw slow '' "$(said_of "$tmp/slow.folded")"
	draw fast '' "$(said_of "$tmp/fast.folded")"
	draw diff "$name: slow calls compared with fast ones" "$(cat "$tmp/sentence")"
	say "wrote $to/slow.svg, $to/fast.svg and $to/diff.svg"
}

# What was fetched in the longest calls.
list_longest() {
	foldsplit "$@" --list slow "$tmp/stream" | awk -F '\t' '
	NR > 1 {
		printf "%.3f\t%s\t%s\n", $3 / 1e6, $5, $6
	}' | LC_ALL=C sort -rn | {
		printf 'ms\tfetched\twaited\n'
		head -n 10
	}
}

# round [OBJECT:]FUNCTION DIRECTORY
round() {
	place_probes "$1"
	check_rate
	check_returns
	if [ -n "$ring" ]; then
		record_ring "${seconds:-1000000}"
	else
		record "${seconds:-1000000}"
	fi
	[ -s "$tmp/data" ] || die "nothing was recorded: $(reason)"
	split "$2"
	rm -f "$tmp/data"
}

if [ $# -gt 0 ]; then
	program=$1
	case $1 in
	*/*) ;;
	*) program=$(in_path "$1") || die "$1: not found" ;;
	esac
	begin "$@"
else
	first=$pid
	for pid in $(family | tr , ' '); do
		is_there || die "there is no process $pid"
	done
	pid=$first
fi
[ -z "$call" ] || round "$call" "$folder"
while [ -n "$deeper" ]; do
	frame=${deeper%%"$newline"*} deeper=${deeper#*"$newline"}
	call=$(where "$frame") || die "$frame is in no file of the process"
	line='' args=''
	place=$folder/$(event_name "$frame")
	mkdir -p "$place" || exit 2
	round "$call" "$place"
done
[ -n "$command" ] || exit 0
wait_for "$command"
exit $?
