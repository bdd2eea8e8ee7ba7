# probes.sh - functions of processes, found and probed, for slowflame.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2317 # used there

# Files.

same_file() {
	[ "$(stat -Lc %d:%i "$1" 2>/dev/null)" = \
		"$(stat -Lc %d:%i "$2" 2>/dev/null)" ]
}

# seen_here PATH OTHER: the first if it is that file here, too; in a container
# and behind an upgrade only the other one, below /proc, is.
seen_here() {
	if same_file "$1" "$2"; then
		echo "$1"
	else
		echo "$2"
	fi
}

# The paths of what a process may run, each once.
mapped() {
	sed -n 's|^[^ ]* ..x[^/]* \(/.*\)|\1|p' "/proc/$pid/maps" | sort -u
}

# object_file NAME: the file that the process has mapped under this name; its
# program if there is none.
object_file() {
	exe=$(readlink "/proc/$pid/exe")
	if [ "$1" != "${1#*/}" ]; then
		echo "$1"
	elif [ -n "$command" ]; then
		# It has not begun: nothing else is mapped yet.
		[ -z "$1" ] || [ "${program##*/}" = "$1" ] || return
		echo "$program"
	elif [ -z "$1" ]; then
		seen_here "$exe" "/proc/$pid/exe"
	else
		path=$(mapped | find_object "$1" | grep .) || return
		link=/proc/$pid/root$path
		[ "$path" != "$exe" ] || link=/proc/$pid/exe
		seen_here "$path" "$link"
	fi
}

# find_object NAME: of paths, the first whose last part is or begins so.
find_object() {
	awk -v name="$1" '{
		base = $0
		sub(/.*\//, "", base)
		if (base == name || index(base, name ".") == 1 ||
		    index(base, name "-") == 1) {
			print
			exit
		}
	}'
}

# Functions.

# A regular expression for the frame of the function, which may be a pattern,
# without a backslash, which awks read differently.
frame_of() {
	printf '%s\n' "$1" | sed -e 's/[].[()+$|{}]/[&]/g' -e 's/[*]/.*/g' \
		-e 's/?/./g' -e 's/.*/^(.*::)?&(@.*)?(_[[]i[]])?$/'
}

# functions FILE NAME: "OFFSET ADDRESS SIZE MANGLED" of each function of that
# name, which may be a pattern.
functions() {
	stackrecord --list-probes -e "uprobe:$1:$2" 2>"$tmp/log" </dev/null
}

# Why stackrecord has refused a probe.
reason_of_probe() {
	reason | sed 's/^stackrecord: -e: //'
}

# What moves its stacks, or runs one call on several threads, would crash of
# probed returns, and its calls could not be told apart.
check_stacks() {
	kind=$(grep -aom 1 'Go buildinf:' "$1") || kind=$(
		for symbol in caml_alloc_stack stg_ap_v_info __morestack; do
			functions "$1" "$symbol" | cut -f 4
		done | head -n 1
	)
	[ -n "$kind" ] || return 0
	case $kind in
	Go*) kind='Go: its goroutines change threads' ;;
	caml*) kind='OCaml 5: its fibers change stacks' ;;
	stg*) kind='Haskell: its functions do not return' ;;
	*) kind='built with -fsplit-stack: its stacks are in pieces' ;;
	esac
	die "$1 is $kind, so that calls cannot be probed; use" \
		"foldsplit --call-frame, which needs samples only"
}

# where FRAME: "FILE:FUNCTION" of the first file of the process that has it.
where() {
	wanted=$(printf %s "$1" | sed 's/_[[][a-z0-9][]]$//')
	mapped | while read -r path; do
		path=$(seen_here "$path" "/proc/$pid/root$path")
		functions "$path" "$wanted" >/dev/null || continue
		echo "$path:$wanted"
		break
	done | grep .
}

# place_of_line: the first place of $line in the function, or else anywhere.
place_of_line() {
	functions "$file" "$line" >"$tmp/lines" || return
	while read -r at _; do
		while read -r first _ size _; do
			[ $((at)) -lt $((first)) ] ||
				[ $((at)) -ge $((first + size)) ] || echo "$at"
		done <"$tmp/functions"
	done <"$tmp/lines" | head -n 1 | grep . ||
		cut -f 1 "$tmp/lines" | head -n 1
}

# Probes.

# find_returns OFFSET: where the function that is entered there returns, so
# that nothing of the program is changed.  Of what ends in jumps to others too
# it does not tell.
find_returns() {
	in_path objdump >/dev/null || return
	read -r _ linked size _ <<-END
		$(functions "$file" "$function" | grep "^$1	")
	END
	[ "${size:-0}" -gt 0 ] || return
	objdump -d --no-show-raw-insn --start-address="$linked" \
		--stop-address=$((linked + size)) "$file" |
		awk '/:\t(repz |bnd )?ret/ { sub(/:.*/, ""); print $1 }' |
		while read -r at; do
			printf '0x%x\n' $((0x$at - linked + $1))
		done
}

# Probing returns puts another return address on the stack, of which unwinders
# know nothing: an exception that passes ends the program.
may_throw() {
	[ -z "$returns" ] &&
		grep -qa -e __cxa_throw -e _Unwind_RaiseException "$file"
}

# offsets FILE: its lines as one list.
offsets() {
	sed 's/^\([^ ]*\).*/+\1/' "$1" | paste -sd , -
}

# Where calls begin, with the variables to fetch there.  Who calls a call tells
# whether it is within another one.
place_entries() {
	echo "uprobe/name=$enter,stack=4096${args:+,vars=${args# }}/:$file:$begin" \
		>"$tmp/probes"
}

# place_returns yes|'': at the function's instructions that return, if that is
# wanted and there are any.
place_returns() {
	how=uretprobe
	while [ -n "$1" ] && read -r address _; do
		find_returns "$address"
	done <"$tmp/at" >"$tmp/returns"
	if [ -s "$tmp/returns" ]; then
		how=uprobe
	else
		! may_throw ||
			die "$function does not end in instructions that can" \
				"be probed, and $file may throw exceptions," \
				"which end it where returns are probed;" \
				"--return-probes if $function throws none"
		cp "$tmp/at" "$tmp/returns"
	fi
	# Copies of stacks end at a probed return: none is needed.
	echo "$how/name=$leave,stack=0/:$file:$(offsets "$tmp/returns")" \
		>>"$tmp/probes"
}

# with_probes OPTION...: stackrecord, with those probes, the last first.
with_probes() {
	while IFS= read -r probe; do
		set -- -e "$probe" "$@"
	done <"$tmp/probes"
	run stackrecord "$@"
}

# The name of events: of the function, as far as they may have it.
event_name() {
	printf %s "$1" | tr -cs 'A-Za-z0-9_' _ | cut -c 1-40 |
		sed -e 's/^_*//' -e 's/_*$//' -e 's/^[0-9]/_&/'
}

# Print which other file of the process has the function, or why none has it.
elsewhere() {
	if [ -z "$object" ] && [ -z "$command" ] &&
		other=$(where "$function"); then
		echo ", but of ${other%":$function"}: name it $other"
		return
	fi
	! runs_script || {
		profiled=$pid
		[ -z "$command" ] || profiled=PID
		echo "; what an interpreter or a virtual machine runs cannot be" \
			"probed: flame draws it, and this command finds slow calls:" \
			"stacksample -q -d 10 -p $profiled |" \
			"stackcollapse -q --samples |" \
			"foldsplit --call-frame '$function' --report"
		return
	}
	# Compressed debug information does not say so.
	! grep -qaFw -e "$function" "$file" ||
		echo ", but the file contains its name: the compiler may have" \
			"inlined it everywhere, so name one of its callers"
}

# Whether the process or command runs interpreted functions.  A command that has
# not started is recognised by its name or its first line.
runs_script() {
	if [ -z "$command" ]; then
		mapped | grep -q -e '/libjvm[.]so$' -e '/node$' ||
			[ -n "$(stacksample -q --runtimes -p "$pid" \
				2>/dev/null </dev/null)" ]
		return
	fi
	case ${file##*/} in
	python[0-9.]* | python | ruby* | php* | perl* | lua* | node | java) ;;
	*) head -c 2 "$file" | grep -qFx '#!' ;;
	esac
}

# place_probes [OBJECT:]FUNCTION
place_probes() {
	object='' function=$1
	case $1 in
	*[!:]:[!:]*)
		object=${1%%:*}
		function=${1#*:}
		# "a::b:c" has no object.
		case $function in
		:*) object='' function=$1 ;;
		esac
		;;
	esac
	name=$(event_name "$function")
	[ -n "$name" ] || die "$function: not a function name"
	enter=$name leave=${name}__return between=--call
	file=$(object_file "$object") || {
		[ -z "$command" ] ||
			die "give the path of the library, not $object:" \
				"the command has not loaded it yet"
		die "the process has no file named $object"
	}
	[ -r "$file" ] || die "$file: cannot be read"
	check_stacks "$file"
	functions "$file" "$function" >"$tmp/functions" ||
		die "$function is not a function of $file$(elsewhere)"
	cut -f 1 "$tmp/functions" >"$tmp/at"
	n=$(wc -l <"$tmp/at")
	[ "$n" -le 16 ] ||
		die "$function is ambiguous: $n places in $file"
	begin=$function
	[ -z "$line" ] || {
		enter=$(event_name "$line") between=--between
		begin=+$(place_of_line) || die "$(reason_of_probe)"
	}
	[ -z "$args" ] ||
		stackrecord --list-probes -e "uprobe/vars=${args# }/:$file:$begin" \
			2>"$tmp/log" >"$tmp/with" </dev/null ||
		die "$function with$args cannot be probed: $(reason_of_probe)"
	place_entries
	place_returns yes
}

# Few returns are seen of what mostly ends in jumps to other functions.
check_returns() {
	[ "$how" = uprobe ] || return 0
	threads=$(find "/proc/$pid/task" -maxdepth 1 | wc -l)
	[ $((calls - ends)) -gt $((calls / 20 + threads)) ] || return 0
	say "only $ends of $calls calls end in instructions of $function"
	[ "$ends" -eq 0 ] || ! may_throw || return 0
	place_entries
	place_returns ''
}
