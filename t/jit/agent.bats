#!/usr/bin/env bats
# agent.bats - libfoldjvm.so, the agent that logs the compiled code of a JVM.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	process=''
	agent=$top_builddir/agent/libfoldjvm.so
	agent=$(readlink -f "$agent") || :
	[ -e "$agent" ] || skip "built without the headers of a JDK"
	command -v javac >/dev/null || skip "no JDK"
	run ! grep -q -e __asan_init -e __ubsan_handle "$agent" ||
		skip "a sanitizer cannot be loaded into a JVM"
	jittest=$top_builddir/t/jit/jittest
	javac -d . "$top_srcdir/t/jit/Inlines.java"
}

teardown() {
	[ -z "$process" ] || kill -KILL "$process" 2>/dev/null
	wait 2>/dev/null || :
	[ -z "$process" ] || rm -f "/tmp/.java_pid$process" \
		"/tmp/.attach_pid$process"
}

# begin_jvm [OPTION...]: run java until the program is compiled.
begin_jvm() {
	java "$@" -cp . Inlines >started 2>said 3>&- &
	process=$!
	within_minutes grep -q warm started
}

# end_jvm: so that it ends the dump.
end_jvm() {
	kill -TERM "$process"
	wait "$process" || :
}

# has_methods DUMP: it names the program's methods, lines and the interpreter.
has_methods() {
	"$jittest" records "$1" | grep -q '^ok'
	"$jittest" lines "$1" >listed
	grep -q $'\tLInlines;work(I)I\t.*Inlines.java:' listed
	grep -qi $'\tinterpreter' listed
}

# chains DUMP: the chains of inlined methods of all compiled methods, with lines.
chains() {
	"$jittest" inlines "$1" >chains
}

@test "the agent logs compiled code, stubs, and what is inlined" {
	mkdir dumps
	begin_jvm "-agentpath:$agent=dir=dumps"
	[ "$(stat -c %a "dumps/jit-$process.dump")" = 600 ]
	grep -q "r-xp .*dumps/jit-$process.dump" "/proc/$process/maps"
	end_jvm
	has_methods "dumps/jit-$process.dump"
	"$jittest" records "dumps/jit-$process.dump" | grep -q CLOSE=1
	chains "dumps/jit-$process.dump"
	# Each call is on a line that names it, in Inlines.java.
	grep -q 'LInlines;work(I)I:Inlines.java:[0-9]* LInlines;twice(I)I:Inlines.java:[0-9]* LInlines;mix(I)I:Inlines.java:[0-9]*$' chains
	grep -o 'LInlines;[a-z]*(I)I:Inlines.java:[0-9]*' chains | sort -u |
		sed -n 's/.*;\(.*\)(I)I:Inlines.java:/\1 /p' |
		grep -v ' 0$' >places
	[ -s places ]
	while read -r method line; do
		sed -n "${line}p" "$top_srcdir/t/jit/Inlines.java" |
			grep -q "in $method"
	done <places
}

@test "without a folder the dump is where perf's agent puts it" {
	mkdir home
	HOME=$PWD/home begin_jvm "-agentpath:$agent"
	end_jvm
	[ "$(stat -c %a home/.debug)" = 700 ]
	has_methods home/.debug/jit/java-jit-*/jit-"$process".dump
	[ "$(stat -c %a home/.debug/jit/java-jit-*/jit-*.dump)" = 600 ]
	# A folder that others can write to is not used.
	rm -r home/.debug
	mkdir home/.debug
	chmod 777 home/.debug
	HOME=$PWD/home run -0 java "-agentpath:$agent" -cp . Inlines 1
	[[ $output == *"libfoldjvm: jit-"*"Operation not permitted"* ]]
	[ -z "$(ls home/.debug)" ]
	rmdir home/.debug
	mkdir elsewhere
	ln -s "$PWD/elsewhere" home/.debug
	HOME=$PWD/home run -0 java "-agentpath:$agent" -cp . Inlines 1
	rmdir elsewhere
}

@test "jvmmap loads the agent into a JVM that runs, and ends the log" {
	mkdir dumps more
	begin_jvm
	run -0 jvmmap --agent "$agent" --jitdump dumps "$process"
	[ "$output" = "$PWD/dumps/jit-$process.dump" ]
	# Not in place of a file, or through a link.
	run -2 --separate-stderr jvmmap --agent "$agent" --jitdump dumps "$process"
	[[ $stderr == *"its agent could not begin, and says why on the JVM's standard error" ]]
	grep -q "jit-$process.dump: File exists" said
	ln -s "$PWD/target" "more/jit-$process.dump"
	run -2 jvmmap --agent "$agent" --jitdump more "$process"
	[ ! -e target ]
	grep -q "dumps/jit-$process.dump" "/proc/$process/maps"
	run -0 jvmmap --agent "$agent" --stop "$process"
	[ -z "$output" ]
	run ! grep -q "dumps/jit-$process.dump" "/proc/$process/maps"
	has_methods "dumps/jit-$process.dump"
	chains "dumps/jit-$process.dump"
	grep -q 'LInlines;twice(I)I:Inlines.java:[0-9]* LInlines;mix(I)I:' chains
	# And once more.
	rm "more/jit-$process.dump"
	run -0 jvmmap --agent "$agent" --jitdump more "$process"
	kill -0 "$process"
}

@test "what cannot be loaded is told, and the JVM goes on" {
	begin_jvm
	echo >none.so
	run -2 --separate-stderr jvmmap --agent none.so --jitdump . "$process"
	[[ $stderr == *"process $process: $PWD/none.so was not loaded."* ]]
	run -2 --separate-stderr jvmmap --agent missing.so --jitdump . "$process"
	[ "$stderr" = "jvmmap: missing.so: No such file or directory" ]
	run -2 --separate-stderr jvmmap --agent "$agent" --jitdump none "$process"
	[ "$stderr" = "jvmmap: none: No such file or directory" ]
	run -2 jvmmap --agent "$agent" --jitdump . --snapshot "$process"
	run -2 jvmmap --agent "$agent" --jitdump . --stop "$process"
	kill -0 "$process"
	run -0 java "-agentpath:$agent=what" -cp . Inlines 1
	[[ $output == *"libfoldjvm: the options are dir=FOLDER, or stop"* ]]
}

@test "a full disk ends the log, not the JVM" {
	begin_jvm
	end_jvm
	(
		ulimit -f 64
		trap '' XFSZ
		java "-agentpath:$agent=dir=." -cp . Inlines 300000 >out 2>said
	)
	grep -q warm out
	grep -q 'libfoldjvm: the jitdump ends here, because a write failed: File too large' said
}

@test "root loads the agent with the rights of the JVM's user" {
	[ "$(id -u)" -eq 0 ] || skip "only root can be another user"
	local open

	open=$(mktemp -d /var/tmp/agent.XXXXXX)
	cp "$agent" Inlines*.class "$open"
	mkdir "$open/dumps" "$open/closed"
	chmod 755 "$open"
	chmod 777 "$open/dumps"
	cd "$open"
	setpriv --reuid 12345 --regid 12345 --clear-groups \
		java -cp . Inlines >dumps/started 2>dumps/said 3>&- &
	process=$!
	within_minutes grep -q warm dumps/started
	jvmmap --agent libfoldjvm.so --jitdump dumps "$process" || status=$?
	[ "$(stat -c %u "dumps/jit-$process.dump")" = 12345 ]
	# Where its user cannot write, root does not help it.
	run -2 jvmmap --agent libfoldjvm.so --jitdump closed "$process"
	[ -z "$(ls closed)" ]
	cd "$BATS_TEST_TMPDIR"
	rm -r "$open"
}

@test "perf.data of a JVM with the agent has methods, inlined ones and lines" {
	command -v perf >/dev/null || skip "no perf"
	perf record -q -k mono -g -e cpu-clock:u -F 499 -o perf.data \
		java -XX:+PreserveFramePointer "-agentpath:$agent=dir=." -cp . \
		Inlines 4000000 >out 2>&1 || skip "perf cannot record"
	stackcollapse-perf -q --jit --srcline perf.data >got
	grep -qE 'Inlines\.work:Inlines\.java:[0-9]+_\[[ij]\];Inlines\.twice:Inlines\.java:[0-9]+_\[i\]' got
	# The same by way of text, and with names found later.
	perf script --show-mmap-events -i perf.data >text 2>/dev/null
	stackcollapse-jitdump -q --lines text >same
	grep -qE 'Inlines\.work:Inlines\.java:[0-9]+_\[[ij]\];Inlines\.twice:Inlines\.java:[0-9]+_\[i\]' same
}

@test "flame starts a JVM whose memory it cannot read with the agent" {
	local commands

	commands=$(readlink -f "$command_dir")
	# Without jvmmap, which may be installed.
	mkdir bin
	ln -s /usr/bin/* bin
	rm -f bin/jvmmap bin/flame
	ln -sf "$(command -v java)" "$commands"/stackrecord \
		"$commands"/flamegraph "$commands"/fold* \
		"$commands"/collapse/stackcollapse-perf bin
	sed "s|^java_agent=.*|java_agent='$agent'|" "$commands/flame" >bin/flame
	chmod +x bin/flame
	stackrecord -o record.data -- true || skip "no right to record"
	PATH=$PWD/bin run -0 --separate-stderr bin/flame \
		-o java.svg --folded java.folded -- \
		java -cp . Inlines 2000000
	[[ $stderr == *"set JAVA_TOOL_OPTIONS"* ]]
	grep -q 'Inlines\.work_\[[ij]\];Inlines\.twice_\[i\]' java.folded
}
