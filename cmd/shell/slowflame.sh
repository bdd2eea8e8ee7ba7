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
usage='usage: slowflame [options] -p PID [object:]function
       slowflame [options] [object:]function [--] command [argument ...]'

help() {
	cat <<-END
	$usage
	Record the calls of a function, and draw what the slow ones do otherwise.

	  -p, --pid PID              these processes, separated by commas
      --comm NAME            the processes of this name
	  -d, --duration SECONDS     for how long; 10 by default, a command to its end
	  -F, --frequency HZ         samples a second, 199 by default
	  -o, --output DIR           where slow.svg, fast.svg and diff.svg go
	      --above BOUND          what is slow: p95 by default, or 2ms, mean+2sd
	      --arg NAME             fetch an argument or local variable, too
	      --line FILE:N          calls begin at this source line
	      --deeper FUNCTION      the same again, of a function that these call
	      --ring SIZE            keep the newest records only, until --when
	      --when BOUND           a call takes longer: '>50ms'
	      --stream FILE          keep the samples, too, for foldsplit
	      --max-rate N           refuse more calls a second; 20000 by default
	      --max-cpu PERCENT      refuse to take more of the CPU; 1 by default
	      --fp                   stacks by frame pointers, not by copies
	      --on-cpu               do not record what is waited for
	      --return-probes        allow probes that change return addresses
	  -q, --quiet                no remarks on standard error
	  -h, --help                 show this help
	      --version              show the version

	The manual, slowflame(1), says more.
	END
}

# nanoseconds_of TIME: of "50ms".
nanoseconds_of() {
	printf '%s\n' "$1" | awk '
	/^([0-9]+[.]?[0-9]*|[.][0-9]+) *(ns|us|ms|s)$/ {
		unit = $0
		gsub(/[0-9. ]/, "", unit)
		n = unit == "s" ? 1e9 : unit == "ms" ? 1e6 : unit == "us" ? 1e3 : 1
		printf "%.0f\n", $0 * n
		good = 1
	}
	END { exit !good }'
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
		--stream | --max-rate | --max-cpu) ;;
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
*) wrong 'either -p or a command is needed' ;;
esac
[ -n "$call$deeper" ] || wrong 'the function whose calls are meant is needed'
is_number "$hz" -F
case $max_rate in
*[!0-9]* | '') wrong "--max-rate: not a number of calls: $max_rate" ;;
esac
is_number "$max_cpu" --max-cpu
[ -z "$seconds" ] || is_number "$seconds" -d
[ "${ring:+yes}" = "${when:+yes}" ] || wrong '--ring and --when need each other'
[ -z "$when" ] || nanoseconds=$(nanoseconds_of "${when#>}") ||
	wrong "--when: not a time: $when"
case ${ring:+${ring%[BKMG]}} in
*[!0-9]*) wrong "--ring: not a size: $ring" ;;
esac
: "${above:=${when#>}}" "${above:=p95}"
foldsplit -q --call call --above "$above" /dev/null >/dev/null 2>&1 ||
	wrong "--above: not a bound: $above"
[ $# -gt 0 ] || [ -n "$ring" ] || : "${seconds:=10}"
[ -w "$folder/." ] || die "$folder: no folder to write to"
[ -z "$stream" ] || is_writable "$stream" || die "$stream: cannot be written"

# All that is placed and made on the way is gone at every end.

group=slowflame_$$
tmp=$(mktemp -d) || exit 2
command='' gate='' begun='' child='' recorder='' watcher='' recording=''

# end VARIABLE: the process that it names, if it does.
end() {
	eval "process=\$$1"
	eval "$1="
	[ -n "$process" ] || return 0
	kill -INT "$process" 2>/dev/null
	wait "$process" 2>/dev/null
}

# A command that has not begun never will; else it goes on, and is waited for.
cleanup() {
	trap '' INT QUIT TERM HUP
	end watcher
	end recorder
	end child
	[ -z "$tracing" ] || remove "$group"
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
	kill -INT "$child" 2>/dev/null
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

# The options of perf record.  Who calls a call tells whether it is within
# another one, and copies of stacks end at a probed return.
set_events() {
	graph=$stacks callers=$stacks clock=$stacks
	[ $stacks = fp ] || {
		graph=dwarf,8192 clock=dwarf,stack-size=32768
		callers=dwarf,stack-size=4096
	}
	events="-e cpu-clock/freq=$hz,call-graph=$clock/
		-e $group:$enter/call-graph=$callers/
		-e $group:$leave/call-graph=no/"
	[ -z "$waits" ] || events="$events
		-e context-switches/period=1/ --switch-events"
}

# record SECONDS: until then, or until the process ends.  A thread that ends
# as perf begins keeps it from that.
record() {
	recording=yes
	for try in 1 2 3; do
		times=$(times_now)
		# shellcheck disable=SC2086 # words
		run perf record -q -k mono -m 4M --call-graph "$graph" \
			$events -o "$tmp/data" -p "$(family)" -- sleep "$1" \
			>"$tmp/log" 2>&1
		end_interval
		grep -q 'No such process' "$tmp/log" || break
		is_there || die "the process ended before it was recorded"
	done
	recorded_time=$took recorded_cpu=$cpu recording=''
}

# longer NANOSECONDS: what probes tell, "THREAD TIME: EVENT:", until a call
# takes longer; tells how long.  A return is of the call that began last: those
# that an exception ends never return, nor do visits of a line but for the last.
# shellcheck disable=SC2016 # of awk
longer() {
	stdbuf -oL perf script --ns -i - -F tid,time,event <"$tmp/pipe" \
		2>/dev/null |
		awk_at_once -v bound="$1" -v most="${line:+1}" '
		# So many of a thread are remembered.
		BEGIN { most = most ? most : 1000 }
		$3 !~ /__return:$/ {
			begin[$1, ++depth[$1] % most] = $2
			next
		}
		depth[$1] > 0 {
			call = $1 SUBSEP depth[$1]-- % most
			if (call in begin && ($2 - begin[call]) * 1e9 > bound) {
				printf "%.1f ms\n", ($2 - begin[call]) * 1e3
				exit
			}
			delete begin[call]
		}'
}

# record_ring SECONDS: the newest records only, which are written when a call
# takes long.  Another perf watches, which passes on at once what probes tell.
record_ring() {
	# shellcheck disable=SC2086 # words
	perf record -q -k mono --overwrite --switch-output -m "$ring" \
		--call-graph "$graph" $events -o "$tmp/ring" \
		-p "$(family)" >"$tmp/log" 2>&1 &
	recorder=$!
	mkfifo "$tmp/pipe"
	perf record -q -k mono -m 16 --no-buffering \
		-e "$group:$enter,$group:$leave" -p "$(family)" \
		-o - -- sleep "$1" >"$tmp/pipe" 2>/dev/null &
	watcher=$!
	run longer "$nanoseconds" >"$tmp/found"
	[ -s "$tmp/found" ] || die "no call of $function took longer than $when"
	say "a call of $function took $(cat "$tmp/found")"
	kill -USR2 "$recorder"
	sleep 1
	end recorder
	end watcher
	mv "$(find "$tmp" -name 'ring.*' | sort | head -n 1)" "$tmp/data"
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
	recorded=$(grep -c "^#.*;event=$group:$enter\(;.*\)*$" "$tmp/stream")
	[ "$recorded" -gt 0 ] || die "$function was not called"
	[ -z "$stream" ] || cp "$tmp/stream" "$stream" || exit 2
	set -- -q $between "$group:$enter,$group:$leave" --above "$above"
	foldsplit "$@" --report "$tmp/stream" || exit 2
	for part in slow fast; do
		foldsplit "$@" --only $part "$tmp/stream" >"$tmp/part" || exit 2
		from_call "$tmp/part" >"$tmp/$part.folded"
	done
	foldsplit "$@" --diff-counts "$tmp/stream" >"$tmp/part" || exit 2
	from_call "$tmp/part" >"$tmp/both"
	folddiff -q "$tmp/both" >"$tmp/diff.folded" || exit 2
	folddiff -q --report "$tmp/both" | head -n 1 | tee "$tmp/sentence"
	tell_waits
	[ -n "$ring" ] || compare_rates "$recorded"
	[ -z "$args" ] || list_longest "$@"
	draw slow '' "$(said_of "$tmp/slow.folded")"
	draw fast '' "$(said_of "$tmp/fast.folded")"
	draw diff "$name: slow calls beside fast ones" "$(cat "$tmp/sentence")"
	say "wrote $to/slow.svg, $to/fast.svg and $to/diff.svg"
}

# tell_waits: what the calls wait for, apart from what they compute: under one
# caller both would be one sum.
tell_waits() {
	[ -n "$waits" ] && grep -q ';state:' "$tmp/both" || return 0
	for part in waiting computing; do
		invert=''
		[ $part = waiting ] || invert=-v
		foldgrep -q $invert --frame '^state:(?!running$)' "$tmp/both" \
			>"$tmp/part"
		folddiff -q --report "$tmp/part" 2>/dev/null | sed -n "1 {
			s/^slow calls take \([^(:]*\) more\( ([^)]*)\)\{0,1\}: \
/$part, \1 more: /p
		}"
	done
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
	set_events
	if [ -n "$ring" ]; then
		record_ring "${seconds:-1000000}"
	else
		record "${seconds:-1000000}"
	fi
	[ -s "$tmp/data" ] || die "nothing was recorded: $(reason)"
	remove "$group"
	split "$2"
	rm -f "$tmp/data"
}

no_tracing() {
	[ "$(id -u)" -ne 0 ] || die "no right to place probes:" \
		"${TRACEFS:-/sys/kernel/tracing}/uprobe_events cannot be" \
		"written: mount tracefs, and of a container run it outside"
	die 'no right to place probes: be root'
}

[ -n "$tracing" ] || no_tracing
remove_forgotten
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
