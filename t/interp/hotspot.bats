#!/usr/bin/env bats
# hotspot.bats - methods of Java in the stacks of running JVMs, of each java that
# is here: that of the PATH, those in /usr/lib/jvm, and those in JAVAS.

load ../helper
load running
load java

HERE=$BATS_TEST_DIRNAME

setup_file() {
	command -v javac >/dev/null || return 0
	javac --release 11 -nowarn -d "$BATS_FILE_TMPDIR" \
		"$HERE/Grammar.java" "$HERE/Parked.java" "$HERE/Names.java" \
		"$HERE/Virtual.java" "$HERE/Waits.java" "$HERE/Waiting.java" \
		2>/dev/null
}

setup() {
	need_process_side
	need_native
	[ -e "$BATS_FILE_TMPDIR/Parked.class" ] || skip "no JDK"
}

# Threads that the program has parked: one stack each, without tiers, and without
# stubs, whose names have blanks.
as_sampled() {
	sed -n '/^p-/{s/ [0-9]*$//; s/;[^; ]* [^;]*//g; s/_\[[ij01]\]//g
		s/+0x/\/0x/g; p}' | sort -u
}

parked_is_equal() {
	stacksample -q -p "$target" -F 50 -d 0.2 --folded --no-native \
		--srcline >"$BATS_TEST_TMPDIR/folded"
	as_sampled <"$BATS_TEST_TMPDIR/folded" >"$BATS_TEST_TMPDIR/got"
	cmp -s "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

# parked JAVA CALLS OPTION...: threads that made so many calls before they
# parked, so that methods are of all tiers.
parked() {
	local java=$1 calls=$2

	shift 2
	start "$java" -XX:+UnlockDiagnosticVMOptions -XX:+ShowHiddenFrames \
		"$@" -cp "$BATS_FILE_TMPDIR" Parked "$calls"
	grep '^p-' "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/want"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -eq 12 ]
	within_minutes parked_is_equal ||
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	stop
}

@test "java: threads that wait have the methods and lines of the VM's own traces" {
	local java

	for java in $(javas); do
		echo "# $java"
		parked "$java" 20000
		grep -q 'deep:[0-9]*_\[i\]' "$BATS_TEST_TMPDIR/folded"
		parked "$java" 100 -Xint
		grep -q 'deep:[0-9]*_\[0\]' "$BATS_TEST_TMPDIR/folded"
		parked "$java" 3000 -XX:TieredStopAtLevel=1
		grep -q 'deep:[0-9]*_\[1\]' "$BATS_TEST_TMPDIR/folded"
	done
}

# Code is compiled in time, so its stacks are of all tiers.  A busy machine has
# fewer samples in a minute.
enough_samples() {
	stacksample -p "$target" -F 150 -d "${GRAMMAR_SECONDS:-2}" --folded \
		--only-running >>"$BATS_TEST_TMPDIR/folded" \
		2>>"$BATS_TEST_TMPDIR/notes" || return 1
	grammar_of "$BATS_TEST_TMPDIR/folded"
	[ "$all" -gt $((SECONDS < 45 ? 200 : 20)) ]
}

@test "java: threads that run have stacks that the program can have" {
	local java

	for java in $(javas); do
		grammar "$java"
		grammar "$java" -Xint -XX:+UseSerialGC
	done
}

@test "java: threads that stand still where frames come and go have their callers" {
	local all bad cut file status=0

	command -v python3 >/dev/null || skip "no python3"
	# Compiled code calls interpreted methods that call compiled ones.
	start java -Xmx300m -XX:CompileCommand=quiet \
		-XX:CompileCommand=exclude,*.area \
		-cp "$BATS_FILE_TMPDIR" Grammar 600
	timeout 300 python3 "$HERE/hotspot_moments.py" "$target" \
		"$BATS_TEST_TMPDIR" || status=$?
	stop
	[ "$status" -ne 77 ] || skip "no right to write memory"
	[ "$status" -eq 0 ]
	for file in "$BATS_TEST_TMPDIR"/moment.*; do
		grammar_of "$file"
		echo "# ${file##*.}: $all samples, $bad wrong, $cut cut"
		cut -c 1-300 "$BATS_TEST_TMPDIR/wrong" | head -n 3
		[ "$all" -gt 0 ]
		[ "$bad" -eq 0 ]
		[ "$cut" -eq 0 ]
	done
}

names_are_whole() {
	stacksample -q -p "$target" -F 20 -d 0.2 --folded --state |
		sed -n 's/^\([^;]*_name;\).*/\1/p' | sort -u \
		>"$BATS_TEST_TMPDIR/got"
	cmp -s "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

# names JAVA OPTION...
names() {
	echo "# $*"
	start "$@" -cp "$BATS_FILE_TMPDIR" Names
	printf 'Gr\303\266\303\237e_\344\270\255\346\226\207_%b_in_a_name;\n%s\n' \
		'\0360\0237\0230\0200' 'a_thread_with_a_long_name;' \
		>"$BATS_TEST_TMPDIR/want"
	within_minutes names_are_whole ||
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	stop
}

@test "java: threads have their whole names" {
	local java

	for java in $(javas); do
		names "$java"
		names "$java" -XX:-UseCompressedOops -XX:+UseSerialGC
		names "$java" -XX:-UseCompressedClassPointers
		names "$java" -XX:+UseZGC
	done
}

waits_are_equal() {
	stacksample -q -p "$target" -F 50 -d 0.2 --folded --state --blockers |
		awk -f "$HERE/waits.awk" | sort -u >"$BATS_TEST_TMPDIR/got"
	cmp -s "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

# waits JAVA OPTION...
waits() {
	echo "# $*"
	start "$@" -cp "$BATS_FILE_TMPDIR" Waits
	"${1%/java}/jstack" -l "$target" | awk -f "$HERE/jstack.awk" | sort \
		>"$BATS_TEST_TMPDIR/want"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -eq 9 ]
	within_minutes waits_are_equal ||
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	stacksample -p "$target" -F 50 -d 0.2 2>&1 >/dev/null |
		grep -q 'wait for a lock of thread .*(w-owner), which is in Thread.sleep'
	stop
}

@test "java: threads wait for what jstack -l says" {
	local java tried=0

	for java in $(javas); do
		[ -x "${java%/java}/jstack" ] || continue
		tried=1
		waits "$java"
		waits "$java" -Xint -XX:+UseSerialGC -XX:-UseCompressedOops
		waits "$java" -XX:-UseCompressedClassPointers
		waits "$java" -XX:+UseZGC
	done
	[ "$tried" -eq 1 ] || skip "no jstack"
}

# Frames of virtual threads, of which some are in the heap, have the carrier's
# frames as callers.
enough_virtual() {
	stacksample -p "$target" -F 150 -d 2 --folded --only-running \
		>>"$BATS_TEST_TMPDIR/folded" 2>"$BATS_TEST_TMPDIR/notes" || return 1
	sed 's/_\[[01ij]\]//g; s/ [0-9]*$//' "$BATS_TEST_TMPDIR/folded" |
		grep 'Virtual\.work' >"$BATS_TEST_TMPDIR/work"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/work")" -gt 50 ] &&
		grep -q 'Continuation.run;\[frames in the heap\];Virtual' \
			"$BATS_TEST_TMPDIR/work"
}

# virtual JAVA
virtual() {
	local whole='ForkJoinWorkerThread\.run;.*;java/lang/VirtualThread\.runContinuation;.*jdk/internal/vm/Continuation\.run;'
	local frames='(\[frames in the heap\];([^;]*run[^;]*;)*|jdk/internal/vm/Continuation\.enterSpecial;[^ ]*;)(Virtual\.deep;){1,7}Virtual\.work$'

	start "$1" -cp "$BATS_FILE_TMPDIR" Virtual
	: >"$BATS_TEST_TMPDIR/folded"
	within_minutes enough_virtual
	stop
	grep -Evc "$whole.*$frames" "$BATS_TEST_TMPDIR/work" \
		>"$BATS_TEST_TMPDIR/wrong" || :
	echo "# $1: $(wc -l <"$BATS_TEST_TMPDIR/work") stacks," \
		"$(cat "$BATS_TEST_TMPDIR/wrong") wrong"
	grep -Ev "$whole.*$frames" "$BATS_TEST_TMPDIR/work" | head -n 3
	[ "$(cat "$BATS_TEST_TMPDIR/wrong")" -le 2 ]
	grep -q 'virtual threads that no thread runs are not shown' \
		"$BATS_TEST_TMPDIR/notes"
}

@test "java: virtual threads have the callers of the thread that runs them" {
	local java tried=0

	for java in $(javas); do
		has_virtual "$java" || continue
		tried=1
		virtual "$java"
	done
	[ "$tried" -eq 1 ] || skip "no JDK with virtual threads"
}

# has_virtual JAVA
has_virtual() {
	! "$1" -version 2>&1 |
		grep -Eq 'version "(1\.8|9|1[0-9]|20)[."]'
}

# Stacks of waiting virtual threads, as virtual_threads.py has them.
as_dumped() {
	sed -n 's/_\[[ij01]\]//g; s/^virtual-thread;//p' |
		awk '{ n = $NF; sub(/ [0-9]*$/, ""); while (n-- > 0) print }'
}

# JDK 21 leaves the innermost function out.
without_yield() {
	sed 's/;jdk.internal.vm.Continuation.yield0:[0-9]*$//' | LC_ALL=C sort
}

waiting_are_equal() {
	# Of one round at most.
	stacksample -q -p "$target" -F 1 -d 0.5 --folded --tasks --srcline |
		as_dumped | without_yield >"$BATS_TEST_TMPDIR/got"
	cmp -s "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
}

# waiting JAVA CALLS OPTION...
waiting() {
	local java=$1 calls=$2

	shift 2
	echo "# $java $*"
	start "$java" -XX:+UnlockDiagnosticVMOptions -XX:+ShowHiddenFrames \
		-Xmx300m "$@" -cp "$BATS_FILE_TMPDIR" Waiting "$calls" 300
	python3 "$HERE/virtual_threads.py" "${java%/java}/jcmd" "$target" \
		"$BATS_TEST_TMPDIR" | without_yield >"$BATS_TEST_TMPDIR/want"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/want")" -eq 300 ]
	within_minutes waiting_are_equal ||
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	stacksample -q -p "$target" -F 10 -d 0.2 --folded --tasks --state \
		--blockers >"$BATS_TEST_TMPDIR/folded"
	stop
	grep -q '\[on [^;]*ReentrantLock[$]NonfairSync\]' \
		"$BATS_TEST_TMPDIR/folded"
	grep -q 'Waiting.asleep_.*;state:sleep ' "$BATS_TEST_TMPDIR/folded"
}

@test "java: virtual threads that wait have the methods and lines of the VM's dump" {
	local java tried=0

	command -v python3 >/dev/null || skip "no python3"
	for java in $(javas); do
		[ -x "${java%/java}/jcmd" ] && has_virtual "$java" || continue
		tried=1
		waiting "$java" 20000
		waiting "$java" 100 -Xint -XX:+UseSerialGC -XX:-UseCompressedOops
		waiting "$java" 20000 -XX:+UseZGC
		waiting "$java" 3000 -XX:TieredStopAtLevel=1 -XX:+UseParallelGC
	done
	[ "$tried" -eq 1 ] || skip "no JDK with virtual threads"
}

@test "java: a note tells of virtual threads that the VM has no list of" {
	local java tried=0

	for java in $(javas); do
		has_virtual "$java" || continue
		tried=1
		start "$java" -Djdk.trackAllThreads=false \
			-cp "$BATS_FILE_TMPDIR" Waiting 10 30
		stacksample -p "$target" -F 20 -d 0.5 --folded --tasks \
			>"$BATS_TEST_TMPDIR/folded" 2>"$BATS_TEST_TMPDIR/notes"
		stop
		grep -q 'jdk.trackAllThreads=false' "$BATS_TEST_TMPDIR/notes"
		grep -q '^virtual-thread;.*ThreadPerTaskExecutor' \
			"$BATS_TEST_TMPDIR/folded"
	done
	[ "$tried" -eq 1 ] || skip "no JDK with virtual threads"
}
