#!/usr/bin/env bats
# sandbox.bats - the rights that commands drop before they parse, and that users
# do not notice.

load ../helper

setup() {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	export ATTEMPTS_IN=$BATS_TEST_TMPDIR/files
	a=$BATS_TEST_TMPDIR/a.folded
	b=$BATS_TEST_TMPDIR/b.folded
	mkdir "$TMPDIR" "$ATTEMPTS_IN"
	echo 'main;a 1' >"$a"
	echo 'main;b 2' >"$b"
}

need_filter() {
	need_plain "sanitizers need more rights"
	! ls "$top_builddir"/lib/*.gcno >/dev/null 2>&1 ||
		skip "gcov needs more rights"
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip "no filter of calls for this machine" ;;
	esac
	attempts cat "$a" >/dev/null || skip "nothing is preloaded here"
	has filters || skip "no filters of calls in this kernel"
}

# Without landlock, files that are there can be read: $read is then the word.
need_attempts() {
	need_filter
	read=
	attempts foldmerge "$a" >/dev/null || skip "nothing is preloaded here"
	has unnamed || skip "temporary files have names here"
	has landlock || read='read'
}

# has WHAT: whether the system does, as the last attempts said.
has() {
	grep -q "^has.* $1" "$BATS_TEST_TMPDIR/said"
}

# attempts COMMAND...: what it may still do, of what t/programs/attempts.c tries.
attempts() {
	echo old >"$ATTEMPTS_IN/old"
	LD_PRELOAD=$top_builddir/t/programs/attempts.so "$@" \
		2>"$BATS_TEST_TMPDIR/said" >/dev/null
	allowed
}

# What is so by the last attempts.
allowed() {
	grep -q '^has' "$BATS_TEST_TMPDIR/said" &&
		sed -n 's/^allowed //p' "$BATS_TEST_TMPDIR/said" | xargs
}

# Some look for symbols in files of any name; foldtop opens its terminal.
gives_up_rights() {
	local in options allowed expected=$read

	in=$(sample_of "$1") || return 1
	read -ra options <<<"$(options_of "$in")"
	case $1 in
	stackcollapse) return 0 ;; # runs another of these
	foldtop | jitsym | *-gperftools | *-jitdump | *-perf | *-pmp)
		expected='read'
		;;
	esac
	allowed=$(attempts "$1" -q "${options[@]}" < <(cat "$in")) || return 1
	[ "$allowed" = "$expected" ] || {
		echo "# allowed: $allowed"
		return 1
	}
}

@test "filters read what is open, compute and write, and can do no more" {
	need_attempts
	for_all gives_up_rights filters
}

@test "--no-sandbox gives up nothing" {
	need_attempts
	run -0 attempts foldmerge --no-sandbox "$a"
	[ "$output" = "$(attempts cat "$a")" ]
	[[ $output == *"read create rename overwrite remove chmod execute"* ]]
}

@test "the files that are still to be read can be read, and others cannot" {
	need_attempts
	run -0 attempts foldmerge "$a" "$b"
	[ "$output" = "$read" ]
	run -0 foldmerge "$a" "$b"
	[ "$output" = $'main;a 1\nmain;b 2' ]
}

@test "where files are compressed, decompressors can be run" {
	need_attempts
	gzip "$b"
	run -0 attempts foldmerge "$a" "$b.gz"
	[ "$output" = "read execute" ]
	run -0 foldmerge "$a" "$b.gz" "$a"
	[ "$output" = $'main;a 2\nmain;b 2' ]
	run -0 attempts foldmerge "$b.gz"
	[ "$output" = "$read" ] # what decompresses it runs by then
}

@test "flamegraph -o writes its file, and no other in that folder" {
	need_attempts
	run -0 attempts flamegraph -o "$ATTEMPTS_IN/a.svg" "$a"
	[ "$output" = "$read" ]
	grep -q '</svg>' "$ATTEMPTS_IN/a.svg"
	run ! compgen -G "$ATTEMPTS_IN/*.part"
}

@test "a flamegraph that is killed leaves the old file, and no other" {
	echo old >"$ATTEMPTS_IN/a.svg"
	coproc flamegraph --title new -o "$ATTEMPTS_IN/a.svg" 3>&-
	printf 'main;c 1\n' >&"${COPROC[1]}"
	kill -KILL "$COPROC_PID"
	wait "$COPROC_PID" || :
	within_minutes only_old
	run ! flamegraph -o "$ATTEMPTS_IN/a.svg" "$a" "$a.none"
	only_old
}

only_old() {
	[ "$(cat "$ATTEMPTS_IN"/*)" = old ]
}

@test "what decompresses the first input can do no more than run" {
	need_attempts
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/gzip" <<-END
		#!/bin/sh
		LD_PRELOAD=$top_builddir/t/programs/attempts.so
		export LD_PRELOAD
		exec $(command -v gzip) "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/gzip"
	echo old >"$ATTEMPTS_IN/old"
	gzip "$b"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH foldmerge "$b.gz" \
		2>"$BATS_TEST_TMPDIR/said"
	run -0 allowed
	[ "$output" = "read execute" ]
	PATH=$BATS_TEST_TMPDIR/bin:$PATH foldmerge --no-sandbox "$b.gz" \
		2>"$BATS_TEST_TMPDIR/said"
	run -0 allowed
	[[ $output == *create*execute* ]]
	PATH=$BATS_TEST_TMPDIR/none run -2 "$(command -v foldmerge)" "$b.gz"
	[[ $output == *"b.folded.gz: cannot run gzip: No such file or directory" ]]
}

@test "stacksample looks at processes, and can do nothing else to them" {
	need_attempts
	[ -x "$command_dir/stacksample" ] || skip "the process side is not built"
	stacksample -p $$ -d 0.1 >/dev/null ||
		skip "no right to look at processes"
	run -0 attempts stacksample -q -p $$ -d 0.1
	[ "$output" = "read memory" ]
}

@test "jvmmap reads no file, once it has asked" {
	need_attempts
	[ -x "$command_dir/jvmmap" ] || skip "the process side is not built"
	run attempts jvmmap $$
	[ "$output" = "$read" ]
}

# rights PID: what Linux says of a process.
rights() {
	sed -n 's/^\(NoNewPrivs\|Seccomp\):\t/\1 /p' "/proc/$1/status" | xargs
}

# rights_of COMMAND...: the same of one that has answered, and waits for more.
rights_of() {
	local answer

	coproc "$@" 3>&-
	printf '#fold=1;counts=1\nmain;c 1\n\n' >&"${COPROC[1]}"
	while [ "${answer-}" != "main;c 1" ]; do
		read -r answer <&"${COPROC[0]}"
	done
	rights "$COPROC_PID"
	kill "$COPROC_PID"
}

@test "Linux says that a command is confined, and that it is not" {
	need_filter
	run -0 rights_of foldgrep --frame c
	[ "$output" = "NoNewPrivs 1 Seccomp 2" ]
	run -0 rights_of foldgrep --no-sandbox --frame c
	[ "$output" = "$(rights $$)" ]
}

# From here on: what worked without it.

@test "files are read by way of links, pipes and descriptors, some made later" {
	local both=$'main;a 1\nmain;b 2'

	ln -s "$b" "$BATS_TEST_TMPDIR/link"
	run -0 foldmerge "$a" "$BATS_TEST_TMPDIR/link"
	[ "$output" = "$both" ]
	run -0 foldmerge <(cat "$a") <(gzip -c "$b")
	[ "$output" = "$both" ]
	run -0 foldmerge /dev/stdin "/proc/self/fd/7" <"$a" 7<"$b"
	[ "$output" = "$both" ]
	run -0 foldmerge "$a" - < <(gzip -c "$b")
	[ "$output" = "$both" ]
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	(cat "$a" && cp "$b" "$BATS_TEST_TMPDIR/later") \
		>"$BATS_TEST_TMPDIR/fifo" 3>&- &
	run -0 foldmerge "$BATS_TEST_TMPDIR/fifo" "$BATS_TEST_TMPDIR/later"
	[ "$output" = "$both" ]
}

@test "messages about files are what they are without it" {
	local option

	for option in --strict --no-sandbox; do
		run -2 foldmerge $option "$a" "$a.none"
		[ "$output" = "foldmerge: $a.none: No such file or directory" ]
		run -2 foldmerge $option "$a" "$ATTEMPTS_IN"
		[ "$output" = "foldmerge: $ATTEMPTS_IN: Is a directory" ]
	done
}

@test "many files, by a list, sorted or not, and too large for the memory" {
	local i half=$BATS_TEST_TMPDIR/half

	mkdir "$half"
	for ((i = 0; i < 600; i++)); do
		echo "main;f$i $i" >"$half/$i"
	done
	printf '%s\0' "$half"/* >"$BATS_TEST_TMPDIR/list"
	cd "$BATS_TEST_TMPDIR"
	foldmerge --no-sandbox "$half"/* >whole
	for i in '' --sorted '--memory 1K'; do
		# shellcheck disable=SC2086
		TMPDIR=tmp foldmerge $i --files0-from list | cmp - whole
	done
}

@test "profiles are compared that are read twice, in turns, and packed" {
	printf 'main;b 2\nmain;a 1\n' >"$b" # not sorted: read again
	# The title has the names of the files, and pipes have none.
	untitled() { folddiff --no-test "$@" | sed 's/;title=[^;]*$//'; }
	run -0 untitled --no-sandbox "$a" "$b"
	[ "$(untitled "$a" "$b")" = "$output" ]
	[ "$(untitled <(cat "$a") <(gzip -c "$b"))" = "$output" ]
	gzip "$b"
	[ "$(untitled "$a" "$b.gz")" = "$output" ]
}

@test "output goes where it was said" {
	local svg=$BATS_TEST_TMPDIR/a.svg

	flamegraph "$a" >"$BATS_TEST_TMPDIR/whole"
	flamegraph -o "$svg" "$a"
	cmp "$svg" "$BATS_TEST_TMPDIR/whole"
	flamegraph -o "$svg" "$b"
	flamegraph -o "$svg" "$a" # in place of the other
	cmp "$svg" "$BATS_TEST_TMPDIR/whole"
	flamegraph -o /dev/stdout "$a" | cmp - "$BATS_TEST_TMPDIR/whole"
	cd "$BATS_TEST_TMPDIR"
	ln -s elsewhere.svg link.svg
	flamegraph -o link.svg "$a"
	cmp link.svg whole
	[ ! -L link.svg ]
	[ ! -e elsewhere.svg ]
	run -2 flamegraph -o none/a.svg "$a"
	[[ $output == "flamegraph: none/a.svg: No such file or directory" ]]
}
