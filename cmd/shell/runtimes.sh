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

node_options='--perf-basic-prof-only-functions --interpreted-frames-native-stack'

# Whatever the command starts, too, gets these.
prepare_runtimes() {
	prepared=''
	prepare JAVA_TOOL_OPTIONS "$java_options"
	prepare NODE_OPTIONS "$node_options"
	prepare PYTHONPERFSUPPORT 1
	prepare DOTNET_PerfMapEnabled 1
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

# ask_jvms WHEN: JVMs tell where their code is now.
ask_jvms() {
	for jvm in $(jvms); do
		jvmmap "$jvm" >"$tmp/$1/perf-$jvm.map" 2>/dev/null ||
			rm "$tmp/$1/perf-$jvm.map"
	done
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
		echo '; code made at run time has them in a perf map, as of' \
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
