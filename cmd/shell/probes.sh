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

# Symbols of code: address, size and mangled name, then the name for people.
symbols() {
	for table in '' -D; do
		nm $table -S --defined-only "$1" >"$tmp/mangled" 2>/dev/null
		nm $table -S --defined-only -C "$1" 2>/dev/null |
			paste -d '\t' "$tmp/mangled" -
	done | awk -F '\t' '
	split($1, field, " ") == 4 && field[3] ~ /^[TtWw]$/ {
		name = $2
		sub(/^[^ ]+ [^ ]+ . /, "", name)
		sub(/@.*/, "", field[4])
		print field[1], field[2], field[4] "\t" name
	}'
}

# What moves its stacks, or runs one call on several threads, would crash of
# probed returns, and its calls could not be told apart.
check_stacks() {
	kind=$(grep -aom 1 'Go buildinf:' "$1" || symbols "$1" |
		grep -owm 1 -e caml_alloc_stack -e stg_ap_v_info \
			-e __morestack) || return 0
	case $kind in
	Go*) kind='Go: its goroutines change threads' ;;
	caml*) kind='OCaml 5: its fibers change stacks' ;;
	stg*) kind='Haskell: its functions do not return' ;;
	*) kind='built with -fsplit-stack: its stacks are in pieces' ;;
	esac
	die "$1 is $kind, so that calls cannot be probed; foldsplit" \
		"--call-frame tells them from samples alone"
}

# shift_at offset|address NUMBER FILE: what to add to an offset in the file for
# the address that it is linked for.
shift_at() {
	readelf -lW "$3" 2>/dev/null | awk '$1 == "LOAD" { print $2, $3, $5 }' |
		while read -r offset address size; do
			begin=$offset
			[ "$1" = offset ] || begin=$address
			[ $(($2)) -ge $((begin)) ] &&
				[ $(($2)) -lt $((begin + size)) ] &&
				echo $((address - offset)) && break
		done
}

# matches FILE FUNCTION: the symbols that are meant, "ADDRESS MANGLED".
matches() {
	in_path nm >/dev/null || return
	symbols "$1" | awk -F '\t' '
	{
		name = $2
		sub(/ [[]clone [^]]*[]]$/, "", name)
		sub(/[(][^()]*([(][^()]*[)][^()]*)*[)]( const)?$/, "", name)
		split($1, field, " ")
		sub(/([.](isra|constprop|part)[.][0-9]+)+$/, "", field[3])
	}
	$1 !~ /[.]cold/ && (name ~ wanted || field[3] ~ wanted) {
		print field[1], field[3]
	}' wanted="$(frame_of "$2")" | sort -uk 1,1
}

# look_up FILE FUNCTION: as define(), by the symbols of the file.
look_up() {
	in_path readelf >/dev/null || return
	matches "$1" "$2" | while read -r address _; do
		by=$(shift_at address "0x$address" "$1") &&
			printf '0x%x\n' $((0x$address - by))
	done
}

# where FRAME: "FILE:FUNCTION" of the first file of the process that has it.
where() {
	wanted=$(printf %s "$1" | sed 's/_[[][a-z0-9][]]$//')
	mapped | while read -r path; do
		path=$(seen_here "$path" "/proc/$pid/root$path")
		look_up "$path" "$wanted" | grep -q . || continue
		echo "$path:$wanted"
		break
	done | grep .
}

# define FILE PLACE [ARGUMENTS]: to $tmp/at, lines "OFFSET ARGUMENTS" of where
# it is reached.  What symbols do not tell perf looks for in debug information.
define() {
	: >"$tmp/log"
	[ -n "$3" ] || look_up "$1" "$2" >"$tmp/at"
	[ -z "$3" ] && [ -s "$tmp/at" ] && return
	# What has colons is a line to perf, unless the name is the mangled one.
	case $2 in
	*::*) matches "$1" "$2" | sed 's/.* //' | sort -u | grep . || echo "$2" ;;
	*) echo "$2" ;;
	esac | while read -r place; do
		# Told to be quiet, it would not say what is wrong either.
		perf probe -x "$1" -D "$place$3" 2>>"$tmp/log" </dev/null
	done | sed -n 's|^p:[^ ]* .*:\(0x[0-9a-f]*\)\( .*\)*$|\1\2|p' >"$tmp/at"
	[ -s "$tmp/at" ]
}

# Probes.

tracing=''
for place in ${TRACEFS:-/sys/kernel/tracing /sys/kernel/debug/tracing}; do
	[ -z "$tracing" ] && [ -w "$place/uprobe_events" ] && tracing=$place
done

# remove GROUP: its probes.  They are in use until the last perf has ended.
remove() {
	for try in 1 2 3 4 5; do
		left=$(sed -n "s|^[pr][0-9]*:\($1/[^ ]*\) .*|\1|p" \
			"$tracing/uprobe_events" | sort -u)
		[ -n "$left" ] || return 0
		[ "$try" = 1 ] || sleep 0.1
		for probe in $left; do
			echo "-:$probe" 2>/dev/null >>"$tracing/uprobe_events"
		done
	done 2>/dev/null
	echo "$me: probes are left: perf probe -d '$1:*' removes them" >&2
	return 1
}

# Those of others like this one that were killed.
remove_forgotten() {
	sed -n 's|^[pr][0-9]*:slowflame_\([0-9]*\)/.*|\1|p' \
		"$tracing/uprobe_events" | sort -u | while read -r other; do
		[ -d "/proc/$other" ] || remove "slowflame_$other"
	done
}

# The file, by a name without blanks, which probes cannot have.
probed_file() {
	case $file in
	*[[:blank:]]*)
		ln -sf "$file" "$tmp/probed"
		echo "$tmp/probed"
		;;
	*) echo "$file" ;;
	esac
}

# place p|r EVENT ADDRESS [ARGUMENTS]: a probe.
place() {
	# In one write, which is what a definition is.
	printf '%s\n' "$1:$group/$2 $(probed_file):$3${4:+ $4}" \
		2>"$tmp/log" >>"$tracing/uprobe_events"
}

# find_returns OFFSET: where the function that is entered there returns, so
# that nothing of the program is changed.  Of what ends in jumps to others too
# it does not tell.
find_returns() {
	in_path objdump >/dev/null || return
	by=$(shift_at offset "$1" "$file") && [ -n "$by" ] || return
	linked=$(printf %016x $(($1 + by)))
	size=$(symbols "$file" | awk -v at="$linked" '
		$1 == at { print $2; exit }')
	[ -n "$size" ] || return
	objdump -d --no-show-raw-insn --start-address="0x$linked" \
		--stop-address=$((0x$linked + 0x$size)) "$file" |
		awk '/:\t(repz |bnd )?ret/ { sub(/:.*/, ""); print $1 }' |
		while read -r at; do
			printf '0x%x\n' $((0x$at - by))
		done
}

# Probing returns puts another return address on the stack, of which unwinders
# know nothing: an exception that passes ends the program.
may_throw() {
	[ -z "$returns" ] &&
		grep -qa -e __cxa_throw -e _Unwind_RaiseException "$file"
}

place_entries() {
	while read -r address arguments; do
		place p "$enter" "$address" "$arguments" ||
			die "$function cannot be probed: $(reason)"
	done <"$tmp/begin"
}

# place_returns yes|'': at the function's instructions that return, if that is
# wanted and there are any.
place_returns() {
	how=r
	while [ -n "$1" ] && read -r address _; do
		find_returns "$address"
	done <"$tmp/at" >"$tmp/returns"
	if [ -s "$tmp/returns" ]; then
		how=p
	else
		! may_throw ||
			die "$function does not end in instructions that can" \
				"be probed, and $file may throw exceptions," \
				"which end it where returns are probed;" \
				"--return-probes if $function throws none"
		cp "$tmp/at" "$tmp/returns"
	fi
	while read -r address _; do
		place $how "$leave" "$address" ||
			die "returns of $function cannot be probed: $(reason)"
	done <"$tmp/returns"
}

# The name of events: of the function, as far as they may have it.
event_name() {
	printf %s "$1" | tr -cs 'A-Za-z0-9_' _ | cut -c 1-40 |
		sed -e 's/^_*//' -e 's/_*$//' -e 's/^[0-9]/_&/'
}

# Where the function is, if the process has it in another file; or what perf has
# to say of it, but for names with colons, of which it expects a line.
elsewhere() {
	if [ -z "$object" ] && [ -z "$command" ] &&
		other=$(where "$function"); then
		echo ", but of ${other%":$function"}: name it $other"
		return
	fi
	[ -z "$(interpreted)" ] || {
		echo "; functions of the interpreter that process $pid runs" \
			"cannot be probed: stacksample --folded and" \
			"foldsplit --call-frame $function split its samples"
		return
	}
	case $function in
	*::*) ;;
	*) echo ": $(reason)" ;;
	esac
}

# The process, if stacksample knows an interpreter in it.
interpreted() {
	[ -z "$command" ] &&
		stacksample -q --runtimes -p "$pid" 2>/dev/null </dev/null
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
	[ -n "$name" ] || die "$function: no name of a function"
	enter=$name leave=${name}__return between=--call
	file=$(object_file "$object") || {
		[ -z "$command" ] ||
			die "a library of a command is named by its path," \
				"not as $object: it has not been loaded yet"
		die "the process has nothing called $object"
	}
	[ -r "$file" ] || die "$file: cannot be read"
	check_stacks "$file"
	define "$file" "$function" "$args" || {
		[ -z "$args" ] ||
			die "$function with$args cannot be probed: $(reason)"
		die "$function is no function of $file$(elsewhere)"
	}
	n=$(wc -l <"$tmp/at")
	[ "$n" -le 16 ] ||
		die "$function means $n places in $file: which one?"
	cp "$tmp/at" "$tmp/begin"
	[ -z "$line" ] || {
		enter=$(event_name "$line") between=--between
		define "$file" "$line" "$args" ||
			die "$line has no code in $file: $(reason)"
		sort "$tmp/at" | head -n 1 >"$tmp/begin"
	}
	place_entries
	place_returns yes
}

# Few returns are seen of what mostly ends in jumps to other functions.
check_returns() {
	[ "$how" = p ] || return 0
	threads=$(find "/proc/$pid/task" -maxdepth 1 | wc -l)
	[ $((calls - ends)) -gt $((calls / 20 + threads)) ] || return 0
	say "only $ends of $calls calls end in instructions of $function"
	[ "$ends" -eq 0 ] || ! may_throw || return 0
	remove "$group"
	place_entries
	place_returns ''
}
