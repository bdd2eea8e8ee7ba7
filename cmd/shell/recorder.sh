# recorder.sh - what flame and slowflame share: messages, options, processes.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2317 # used by them

# In every language numbers have a point here, but mawk reads and writes a comma
# where people do.
awk() {
	LC_ALL=C command awk "$@"
}

# Where standard input is closed, the next file that is opened would be it.
[ -e "/proc/$$/fd/0" ] || exec </dev/null

# Messages.

# print_message TEXT...: on standard error.  What is quoted may be of any length:
# the middle of more than 500 characters is removed.
print_message() {
	set -- "$*"
	if [ "${#1}" -le 500 ]; then
		printf '%s: %s\n' "$me" "$1" >&2
	else
		printf '%s: %.250s...%s\n' "$me" "$1" \
			"$(printf %s "$1" | tail -c 250)" >&2
	fi
}

# A remark; nothing depends on whether it can be written.
say() {
	[ -n "$quiet" ] || print_message "$@" || :
}

die() {
	print_message "$@"
	exit 2
}

wrong() {
	print_message "$@"
	printf '%s\n' "$usage" >&2
	exit 2
}

# What the last command had to say.
reason() {
	sed -e '/^Error:$/d' -e '/^ *$/d' -e '/^usage: /d' "$tmp/log" \
		2>/dev/null | head -n 1 | grep . && return
	if { head -c 4096 /dev/zero >"$tmp/room"; } 2>/dev/null; then
		echo 'unknown reason'
	else
		echo "no space left in $tmp, set TMPDIR to another directory"
	fi
}

# Options.

# meant WORD NAME...: which of the names a word was meant to be, if one is near.
meant() {
	awk 'BEGIN {
		word = ARGV[1]
		# A third of the letters may be wrong.
		least = int((length(word) - 1) / 3) + 1
		for (k = 2; k < ARGC; k++) {
			n = distance(word, ARGV[k])
			if (n < least) {
				least = n
				found = ARGV[k]
			}
		}
		if (found != "")
			printf "; did you mean %s?", found
	}
	function distance(a, b,  i, j, row, above, diagonal) {
		for (j = 0; j <= length(b); j++)
			row[j] = j
		for (i = 1; i <= length(a); i++) {
			diagonal = row[0]
			row[0] = i
			for (j = 1; j <= length(b); j++) {
				above = row[j]
				row[j] = diagonal + (substr(a, i, 1) != substr(b, j, 1))
				if (above + 1 < row[j])
					row[j] = above + 1
				if (row[j - 1] + 1 < row[j])
					row[j] = row[j - 1] + 1
				diagonal = above
			}
		}
		return row[length(b)]
	}' "$@"
}

# whole_option: $option, a long one that may be cut short where only one begins
# so, as help() names it.
whole_option() {
	names=$(help | sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')
	found=''
	for name in $names; do
		case $name in
		"$option") return ;;
		"$option"*) found="$found $name" ;;
		esac
	done
	# shellcheck disable=SC2086 # words
	case $found in
	'') wrong "no such option: $option$(meant "$option" $names)" ;;
	' '*' '*) wrong "$option is ambiguous:$found" ;;
	esac
	option=${found# }
}

# parse ARGUMENT...: take() gets each option, with its value if takes_value()
# says that it has one, and take_operand() what is none; options end where that
# fails.  As many as are left then are the last of them.
parse() {
	while [ $# -gt 0 ]; do
		option=$1 value='' given=''
		case $option in
		--)
			shift
			break
			;;
		--help=*)
			[ "$option" = --help=all ] ||
				wrong "--help takes no value but all"
			show_help all
			;;
		--*=*)
			given=yes
			shift
			set -- "${option%%=*}" "${option#*=}" "$@"
			option=$1
			whole_option
			;;
		--*) whole_option ;;
		-?) ;;
		-?*)
			# Several in one word, or the value of the first.
			shift
			rest=${option#-?}
			option=${option%"$rest"}
			takes_value "$option" || rest=-$rest
			set -- "$option" "$rest" "$@"
			;;
		*)
			take_operand "$option" || break
			shift
			continue
			;;
		esac
		shift
		if takes_value "$option"; then
			[ -n "${1-}" ] || wrong "$option: needs a value"
			value=$1
			given=''
			shift
		fi
		take "$option" "$value"
		[ -z "$given" ] || wrong "$option: takes no value"
	done
	left=$#
}

# as_file NAME: $file, which no command takes for an option.
as_file() {
	file=$1
	case $file in
	-*) file=./$file ;;
	esac
}

# show_help [all]: the options that $most_used names, or all of them.
show_help() {
	case ${1-} in
	all) help ;;
	*)
		help | awk -v names=" $most_used " -v me="$me" '
		/^ *(-., )?--/ {
			match($0, /--[a-z-]+/)
			name = substr($0, RSTART + 2, RLENGTH - 2)
			skip = !index(names, " " name " ")
		}
		/^[^ ]/ || /^$/ {
			skip = 0
		}
		/^Manual/ {
			printf "More options: %s --help=all.  ", me
		}
		!skip'
		;;
	esac || exit 2
	exit 0
}

show_version() {
	version=$(flamegraph --version) || exit 2
	echo "$me ${version#* }" || exit 2
	exit 0
}

# set_limits LIST: the limits of the commands that run from now on.
set_limits() {
	flamegraph --limits "$1" --version >/dev/null 2>&1 ||
		wrong "--limits: not a list like" \
			"line=64M,ratio=1000,memory=4G,time=60: $1"
	FOLDSTACK_LIMITS=${FOLDSTACK_LIMITS:+$FOLDSTACK_LIMITS,}$1
	export FOLDSTACK_LIMITS
}

# is_number VALUE OPTION: digits, with a point or without.
is_number() {
	case $1 in
	*[!0-9.]* | . | *.*.* | '') wrong "$2: not a number: $1" ;;
	*[1-9]*) ;;
	*) wrong "$2: must be more than 0" ;;
	esac
}

# is_writable FILE: it is, or its folder, for a new one.
is_writable() {
	if [ -e "$1" ]; then
		[ ! -d "$1" ] && [ -w "$1" ]
	else
		[ -w "$(dirname -- "$1")" ]
	fi
}

# Where commands of this package are, if they are not in the PATH: here, or
# where a link to this one leads.
here=''
case $0 in
*/*)
	here=$(readlink -f "$0" 2>/dev/null) || here=$0
	here=$(dirname "$here")
	PATH=$PATH:$here
	;;
esac

# The flamegraph beside this command: cargo-flamegraph installs another program
# of this name, often in the first folder of the PATH.
flamegraph() {
	if [ -x "$here/flamegraph" ]; then
		"$here/flamegraph" "$@"
	else
		command flamegraph "$@"
	fi
}

# in_path NAME: such a program.
in_path() (
	IFS=:
	set -f
	for folder in $PATH; do
		[ ! -f "${folder:-.}/$1" ] || [ ! -x "${folder:-.}/$1" ] || {
			printf '%s\n' "${folder:-.}/$1"
			exit 0
		}
	done
	exit 1
)

# Processes.

is_there() {
	[ -d "/proc/$pid" ] && ! grep -q '^State:[[:blank:]]*Z' \
		"/proc/$pid/status" 2>/dev/null
}

# add_named NAME: to $pid, the processes that have this name now, which the kernel
# cuts.
add_named() {
	cut=$(printf %s "$1" | LC_ALL=C cut -b 1-15)
	named=$(grep -Fxse "$cut" /proc/[0-9]*/comm | sed -n \
		's|^/proc/\([0-9]*\)/comm:.*|\1|p' | grep -vx $$ |
		paste -sd , -)
	[ -n "$named" ] || die "there is no process $1"
	pid=$pid${pid:+,}$named
}

# pass_on SIGNAL: to the command, unless it has that of the terminal's keys, as
# all do that are in the foreground there: many end at once at a second one.
pass_on() {
	[ -n "$command" ] || return 0
	case $1 in
	INT | QUIT)
		# Behind the name: state, parent, group, session, terminal,
		# and the group in the foreground.
		# shellcheck disable=SC2046 # words
		set -- "$1" $(sed '$!d; s/.*) //' "/proc/$command/stat" \
			2>/dev/null)
		[ "${4-0}" != "${7-1}" ] || return 0
		;;
	esac
	kill -"$1" "$command" 2>/dev/null
}

# wait_for PID: its status, though signals come meanwhile.
wait_for() {
	while :; do
		wait "$1" 2>/dev/null
		status=$?
		kill -0 "$1" 2>/dev/null || return $status
	done
}

# Begin a command that waits before its first instruction until go_on() opens its
# gate.  The gate is a pipe with a name, not SIGSTOP: a tracer would see that stop.
# A shell makes processes in the background ignore some signals, which env can
# undo.
begin() {
	mkfifo "$tmp/gate" || exit 2
	for gate in 3 4 5 6 7 8 9; do
		[ -e "/proc/$$/fd/$gate" ] || break
	done
	# With a writer, the command's end opens at once, and is at its end if
	# this process is killed.
	eval "exec $gate<>\"\$tmp/gate\""
	# shellcheck disable=SC2016 # of the new shell
	set -- sh -c ': >"$0/waits"; read -r go <"$0/gate" && exec "$@"' \
		"$tmp" "$@"
	if env --default-signal=INT,QUIT true 2>/dev/null; then
		set -- env --default-signal=INT,QUIT "$@"
	fi
	# Yama lets no others look but who began it, and whom it names.
	if grep -qsx 1 /proc/sys/kernel/yama/ptrace_scope &&
		in_path stacksample >/dev/null; then
		set -- stacksample --traceable -- "$@"
	fi
	# Commands in the background would have no standard input.
	for fd in 3 4 5 6 7 8 9; do
		[ -e "/proc/$$/fd/$fd" ] || break
	done
	eval "exec $fd<&0"
	eval '"$@"' "<&$fd $fd<&- $gate<&- &"
	command=$!
	eval "exec $fd<&-"
	pid=$command pids=$command
	until [ -e "$tmp/waits" ] || ! is_there; do
		sleep 0.01
	done
}

# Open the gate, once.
go_on() {
	[ -z "$gate" ] || echo >"$tmp/gate"
	gate=''
}

# The process, and what a command has begun meanwhile.  In "stat", names of
# processes may be whole lines.  Numbers are used again while they are read,
# so that a process may seem to be among its own parents.
family() {
	[ -n "$command" ] || {
		echo "$pid${others-}"
		return
	}
	grep -s '^PPid:' /proc/[0-9]*/status | tr -s '/:\t' ' ' |
		awk -v root="$pid" '
	{
		parent[$2] = $5
	}
	END {
		list = root
		for (p in parent) {
			up = parent[p]
			for (n = 0; up > 1 && up != root && n < 1000; n++)
				up = parent[up]
			if (up == root)
				list = list "," p
		}
		print list
	}'
}
