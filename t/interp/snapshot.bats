#!/usr/bin/env bats
# snapshot.bats - recordings of running JVMs, unwound by what jvmmap --snapshot
# writes meanwhile.

load ../helper
load running
load java

HERE=$BATS_TEST_DIRNAME

setup_file() {
	command -v javac >/dev/null || return 0
	javac --release 11 -nowarn -d "$BATS_FILE_TMPDIR" \
		"$HERE/Grammar.java" 2>/dev/null
}

setup() {
	need_process_side
	need_native
	[ -e "$BATS_FILE_TMPDIR/Grammar.class" ] || skip "no JDK"
	cd "$BATS_TEST_TMPDIR" || return
	stackrecord -e cpu-clock -o probe.data true 2>/dev/null ||
		skip "no right to record"
}

teardown() {
	[ -z "${snapshot-}" ] || kill "$snapshot" 2>/dev/null || :
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null || :
}

has_moments() {
	[ "$(grep -ao MOMENT java.snap | wc -l)" -gt "$1" ]
}

# begin_snapshots SECONDS: until it has a first one.
begin_snapshots() {
	jvmmap --snapshot --every "$1" "$target" >java.snap 3>&- &
	snapshot=$!
	within_minutes has_moments 0
}

# The last moment is after all samples.
end_snapshots() {
	kill -INT "$snapshot"
	wait "$snapshot"
	snapshot=
}

# The counts of hotspot_grammar.awk for stacks whose native roots are left out.
enough_samples() {
	begin_snapshots 0.2
	stackrecord -q -e cpu-clock -F 999 --stack 32K -p "$target" -d 1 -o data
	end_snapshots
	stackcollapse-perf -q --all --count samples --jvm java.snap data |
		sed 's/;.*\(;java\/lang\/Thread[.]run_\)/\1/' >>folded
	grammar_of folded
	[ "$all" -gt $((SECONDS < 45 ? 200 : 20)) ]
}

@test "jvmmap --snapshot: recorded stacks that the program can have" {
	local java

	for java in $(javas); do
		grammar "$java"
		grammar "$java" -Xint -XX:+UseSerialGC
	done
}

@test "jvmmap --snapshot --every: a moment when there is other code" {
	start java -Xmx300m -cp "$BATS_FILE_TMPDIR" Grammar
	begin_snapshots 0.05
	within_minutes has_moments 2
	stop
	# It ends with the JVM.
	wait "$snapshot"
	snapshot=
	[ "$(head -n 1 java.snap)" = 'foldjvm 1' ]
}

@test "jvmmap --snapshot: a process that is no JVM is an error" {
	run -2 --separate-stderr jvmmap --snapshot $$
	[[ $stderr == *"it is not a supported Java VM"* ]]
	run -2 --separate-stderr jvmmap --every 1 $$
	[[ $stderr == *"--every needs --snapshot"* ]]
	run -2 --separate-stderr jvmmap --snapshot --every x $$
	[[ $stderr == *"--every takes seconds"* ]]
}
