#!/usr/bin/env bats
# threads_data.bats - stackcollapse-perf reads a large perf.data by several
# threads: what it writes and says is the same with any number of them.

load ../helper

# big NAME [spoilt]: a recording with its records over and over, in $BIG/NAME.
big() {
	xz -dc "$DATA/perfdata/$1.data.xz" |
		"$top_builddir/t/programs/growdata" 9500000 "${@:2}" \
			>"$BIG/$1${2-}"
}

setup_file() {
	export BIG=$BATS_FILE_TMPDIR

	mkdir "$BIG/symfs"
	xz -dc "$DATA/perfdata/symfs.tar.xz" | tar -C "$BIG/symfs" -xf -
	big leaf_dwarf
	big fp_basic
}

# same ARGUMENT...: THREADS threads, or three, do as one does.
same() {
	local n what

	cd "$BATS_TEST_TMPDIR" || return
	for n in 1 ${THREADS:-3}; do
		stackcollapse-perf --symfs "$BIG/symfs" --threads "$n" "$@" \
			>"out.$n" 2>"err.$n" &&
			echo 0 >"status.$n" || echo $? >"status.$n"
		for what in out err status; do
			cmp "$what.1" "$what.$n"
		done
	done
	[ -s out.1 ]
}

# threads ARGUMENT...: how many a run begins.
threads() {
	strace -f -qq -e trace=clone,clone3 -o trace \
		stackcollapse-perf "$@" >/dev/null 2>&1
	grep 'CLONE_THREAD' trace | grep -vc ENOSYS || true
}

# bats test_tags=threads
@test "copied stacks with inlined frames, by 2, 3 and 8 threads" {
	THREADS="2 3 8" same "$BIG/leaf_dwarf"
	same --srcline --pid --tid "$BIG/leaf_dwarf"
}

# bats test_tags=threads
@test "call chains, and what options make of them" {
	local options

	THREADS="2 3 8" same "$BIG/fp_basic"
	for options in --addrs --all "--count samples" --meta --no-inline \
		"--samples" "--caller-address exact" "--no-demangle --mix"; do
		echo "# $options"
		# shellcheck disable=SC2086
		same $options "$BIG/fp_basic"
	done
}

# bats test_tags=threads
@test "several events, processes, missing callers and the kernel" {
	local name

	for name in multi_event fork_exec leaf_fp dwarf_kernel; do
		echo "# $name"
		big $name
		same "$BIG/$name"
		rm "$BIG/$name"
	done
}

# bats test_tags=threads
@test "what one thread must read is read by one" {
	local name

	for name in jit_map php_jit; do
		echo "# $name"
		big $name
		same "$BIG/$name"
		rm "$BIG/$name"
	done
}

# bats test_tags=threads
@test "broken records and a file that is cut off" {
	cd "$BATS_TEST_TMPDIR"
	head -c 9000000 "$BIG/fp_basic" >short
	same short
	grep -q 'truncated' err.3
	big fp_basic spoilt
	same "$BIG/fp_basicspoilt"
	grep -q 'too short' err.3
}

# bats test_tags=threads
@test "streams, as stackrecord writes them" {
	cd "$BATS_TEST_TMPDIR"
	big callers_copy
	THREADS="2 3 8" same "$BIG/callers_copy"
	# Broken records, a stream that is cut off, and two in one file.
	head -c 9000000 "$BIG/callers_copy" >short
	same short
	grep -q 'truncated' err.3
	big callers_copy spoilt
	same "$BIG/callers_copyspoilt"
	grep -q 'too short' err.3
	cat "$BIG/callers_copy" "$BIG/callers_copy" >two
	same two
	grep -q 'another recording' err.3
}

@test "only large recordings begin threads" {
	command -v strace >/dev/null || skip "no strace"
	cd "$BATS_TEST_TMPDIR"
	strace -qq -o trace true 2>/dev/null || skip "strace may not trace"
	xz -dc "$DATA/perfdata/fp_basic.data.xz" >small
	[ "$(threads --threads 4 small)" -eq 0 ]
	[ "$(threads --threads 4 "$BIG/fp_basic")" -ge 3 ]
	[ "$(threads --threads 1 "$BIG/fp_basic")" -eq 0 ]
	[ "$(threads --threads 4 --samples "$BIG/fp_basic")" -eq 0 ]
	big callers_copy
	[ "$(threads --threads 4 "$BIG/callers_copy")" -ge 3 ]
	[ "$(threads --threads 4 <"$BIG/callers_copy")" -ge 3 ]
	[ "$(threads --threads 4 < <(cat "$BIG/callers_copy"))" -eq 0 ]
}
