# runtimes.sh - what run-time compilers and interpreters need for a picture with
# names and callers, for flame.
# shellcheck shell=sh
# shellcheck disable=SC2034,SC2317 # used there

# Before a command begins.

# prepare VARIABLE VALUE: in the environment, unless it is there.
prepare() {
	eval "[ -z \"\${$1+set}\" ]" || return 0
	eval "$1=\$2"
	# shellcheck disable=SC2163 # the variable that it names
	export "$1"
	prepared="$prepared $1"
}

# The options with which a JVM keeps frame pointers, and writes a perf map when
# it ends.  A JVM that does not know one of them would not start.
java_options='-XX:+IgnoreUnrecognizedVMOptions -XX:+PreserveFramePointer'
java_options="$java_options -XX:+UnlockDiagnosticVMOptions"
java_options="$java_options -XX:+DebugNonSafepoints -XX:+DumpPerfMapAtExit"

# Where there is one, an agent logs each method when it is compiled, and what it
# inlines.  The JVM splits its options at blanks.
java_agent='@pkglibdir@/libfoldjvm.so'

java_variable() {
	if [ -e "$java_agent" ] && [ "$tmp" = "${tmp#*[[:space:]]}" ]; then
		mkdir -p "$tmp/agent"
		echo "${java_options% *}" "-agentpath:$java_agent=dir=$tmp/agent"
	else
		echo "$java_options"
	fi
}

node_options='--perf-basic-prof-only-functions --interpreted-frames-native-stack'

# Before OTP 24, and where it has no JIT, Erlang ends at an option for it.
knows_erl() {
	in_path erl >/dev/null && erl +JPperf true +V >/dev/null 2>&1 </dev/null
}

# Whatever the command starts, too, gets these.
prepare_runtimes() {
	prepared=''
	may_snapshot || prepare JAVA_TOOL_OPTIONS "$(java_variable)"
	prepare NODE_OPTIONS "$node_options"
	prepare PYTHONPERFSUPPORT 1
	prepare DOTNET_PerfMapEnabled 1
	prepare BUN_JSC_useJITDump 1
	prepare ENABLE_JITPROFILING 1
	! knows_erl || prepare ERL_FLAGS '+JPperf true'
	[ -z "$prepared" ] || say "set$prepared, so that run-time compilers" \
		"name their code; --plain leaves the environment alone"
}

# JVMs.

jvms() {
	if [ -z "$pid" ]; then
		grep -ls /libjvm.so /proc/[0-9]*/maps
	else
		for process in $(family | tr , ' '); do
			grep -ls /libjvm.so "/proc/$process/maps"
		done
	fi | sed 's|^/proc/\([0-9]*\)/maps$|\1|'
}

# Whether the memory of JVMs can be read, on a machine whose frames of Java are
# known: then a JVM needs no options.
may_snapshot() {
	[ -z "$plain" ] && [ "$(uname -m)" = x86_64 ] &&
		in_path jvmmap >/dev/null &&
		{ [ "$(id -u)" -eq 0 ] || ! grep -qs '^[1-9]' \
			/proc/sys/kernel/yama/ptrace_scope; }
}

# snapshot_jvms: begin snapshots of JVMs that have none.  A JVM that begins may
# not be ready for the first ones.
snapshot_jvms() {
	for jvm in $(jvms); do
		[ ! -s "$tmp/java/$jvm.snap" ] || continue
		tries=$(cat "$tmp/java/$jvm.pids" 2>/dev/null)
		# shellcheck disable=SC2086 # words
		set -- $tries
		[ $# -lt 9 ] || continue
		! kill -0 "${tries##* }" 2>/dev/null || continue
		jvmmap --snapshot --every 0.2 "$jvm" >"$tmp/java/$jvm.snap" &
		echo "$tries $!" | tr -d '\n' >"$tmp/java/$jvm.pids"
	done
}

# take_snapshots: of all JVMs, and of those that begin meanwhile, until
# end_snapshots(), whose SIGTERM only ends a sleep: a new process of a shell that
# has traps may lose a signal.
take_snapshots() {
	trap - INT QUIT HUP
	looks=0
	trap : TERM
	while [ ! -e "$tmp/java/over" ]; do
		snapshot_jvms
		looks=$((looks + 1))
		if [ $looks -lt 20 ]; then
			sleep 0.05
		else
			sleep 1
		fi
	done
	# Each takes a last moment.
	for file in "$tmp"/java/*.pids; do
		# shellcheck disable=SC2046 # words
		[ ! -e "$file" ] || kill -TERM $(cat "$file")
	done
	wait
}

begin_snapshots() {
	may_snapshot || return 0
	mkdir "$tmp/java"
	take_snapshots </dev/null >/dev/null 2>&1 &
	snapshots=$!
}

end_snapshots() {
	[ -n "$snapshots" ] || return 0
	: >"$tmp/java/over"
	kill -TERM "$snapshots"
	wait_for "$snapshots"
	snapshots=''
	set -- "$tmp"/java/*.snap
	[ ! -s "$1" ] || say "read the code of $(jvms_read "$@") for stacks" \
		"without frame pointers"
}

# jvms_read FILE...: the JVMs that have these snapshots.
jvms_read() {
	for file; do
		file=${file##*/}
		list=${list:+$list, }${file%.snap}
	done
	echo "JVM ${list-}"
}

# ask_jvms WHEN: JVMs of which there is no snapshot tell where their code is now.
ask_jvms() {
	for jvm in $(jvms); do
		[ ! -s "$tmp/java/$jvm.snap" ] || continue
		jvmmap "$jvm" >"$tmp/$1/perf-$jvm.map" 2>/dev/null ||
			rm "$tmp/$1/perf-$jvm.map"
	done
}

# Runtimes that run already, and what each of them has to be started with.

# runtimes_of FILE...: a line "PID FILE" for each process that has mapped one of
# their programs or libraries, by its /proc/PID/maps.
runtimes_of() {
	runtime='node|nodejs|bun([.]exe)?|beam[.]smp|libcoreclr[.]so'
	runtime="$runtime|libjulia-internal[.]so[.0-9]*"
	runtime="$runtime|(lib)?python3[.](1[2-9]|[2-9][0-9])([.]so[.0-9]*)?"
	grep -osE -m 1 "/($runtime)\$" "$@" /dev/null |
		sed 's|^/proc/\([0-9]*\)/maps:/|\1 |'
}

# names_itself PID: it writes a perf map, or has mapped a jitdump.
names_itself() {
	has_map "$1" || grep -Eqs '/jit-([0-9]+-)?[0-9]+([.]dump|-[^/]{6})$' "/proc/$1/maps"
}

# started_with FILE: the environment variable that makes this runtime name its code.
started_with() {
	case $1 in
	node*) echo "NODE_OPTIONS='$node_options'" ;;
	bun*) echo BUN_JSC_useJITDump=1 ;;
	beam*) echo "ERL_FLAGS='+JPperf true'" ;;
	libcoreclr*) echo DOTNET_PerfMapEnabled=1 ;;
	libjulia*) echo ENABLE_JITPROFILING=1 ;;
	*python*) echo PYTHONPERFSUPPORT=1 ;;
	esac
}

# unprepared: a line "VARIABLE: NAME PID, NAME PID" for the processes in the picture
# that do not name code made at run time.
unprepared() {
	[ -z "$command$sampled" ] || return 0
	if [ -n "$pid" ]; then
		# shellcheck disable=SC2046 # words
		set -- $(family | sed 's|[0-9]*|/proc/&/maps|g' | tr , ' ')
	else
		set -- /proc/[0-9]*/maps
	fi
	runtimes_of "$@" | while read -r process file; do
		name=$(cat "/proc/$process/comm" 2>/dev/null) &&
			grep -qF "$name;" "$tmp/folded" &&
			! names_itself "$process" &&
			echo "$(started_with "$file"): $name $process"
	done | awk -F ': ' '
		{ list[$1] = list[$1] (list[$1] ? ", " : "") $2 }
		END { for (what in list) print what ": " list[what] }' | sort
}

# Advice.

# noted TEXT: the first remark that has it of who folded.
noted() {
	sed -n "s/^stackcollapse-perf: \(.*$1.*\)/\1/p" "$tmp/notes" \
		2>/dev/null | head -n 1
}

# The file with the most leaves among those reported without symbols.
without_symbols() {
	sed -n 's/^stackcollapse-perf: \(.* has no symbols: \)/\1/p' \
		"$tmp/notes" 2>/dev/null >"$tmp/without"
	grep -F "/$worst has no symbols: " "$tmp/without" ||
		head -n 1 "$tmp/without"
}

# runtime_advice: what the collapser says of a runtime whose code has no frame
# pointers, such as "java: add ...".
runtime_advice() {
	noted 'without frame pointers: [a-z]*: add' |
		sed 's/.*without frame pointers: //'
}

# The options with which a JVM writes a perf map when it ends.
java_names='-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit'

# Advice: how stacks get their callers, and frames their names.
cure() {
	advice=$(runtime_advice)
	if [ "$lost" -gt 10 ] && [ -n "$advice" ]; then
		[ "$made" -le 10 ] || case $advice in
		java:*) advice="$advice $java_names" ;;
		esac
		printf '; %s\n' "$advice"
	elif [ "$made" -gt 10 ]; then
		[ -n "$unready" ] || echo '; code made at run time has them in a perf map, as of' \
			"node --perf-basic-prof, or java $java_names"
	elif [ "$lost" -gt 10 ] && [ -s "$tmp/end/perf-$pid.map" ]; then
		echo '; java: add -XX:+PreserveFramePointer' \
			'-XX:+DebugNonSafepoints'
	elif [ "$lost" -gt 2 ] && [ -n "$(noted 'deeper than')" ] &&
		[ "${copied:-8192}" -lt 61440 ]; then
		echo '; better with --stack-size 61440, which copies more of them'
	elif [ "$nameless" -gt 10 ]; then
		advice=$(without_symbols)
		printf '; %s\n' "${advice:-better with debug packages}"
	fi
}
