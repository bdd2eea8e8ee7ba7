#!/usr/bin/env bats
# perfdata.bats - what stackcollapse-perf promises of recordings, perf.data.

load ../helper

setup_file() {
	export RECORDINGS=$BATS_FILE_TMPDIR
	export SYMFS=$RECORDINGS/symfs
	local file

	mkdir "$SYMFS"
	for file in "$DATA"/perfdata/*.data.xz; do
		xz -dc "$file" >"$RECORDINGS/$(basename "$file" .xz)"
	done
	xz -dc "$DATA/perfdata/symfs.tar.xz" | tar -C "$SYMFS" -xf -
	xz -dc "$DATA/perfdata/threads.tar.xz" | tar -C "$RECORDINGS" -xf -
}

# fold FILE [OPTION...]: the recording, with the names of its machine.
fold() {
	stackcollapse-perf --symfs "$SYMFS" --kallsyms "$SYMFS/kallsyms" "$@"
}

# A failed test shows the lines that differ.
same() {
	diff -u "$1" "$2" >&2
}

total() {
	awk '{ n += $NF } END { print n + 0 }'
}

# put OFFSET BYTES: change bytes of a file, given as printf writes them.
put() {
	# shellcheck disable=SC2059 # the format is the point
	printf "$2" | dd of="$3" bs=1 seek="$1" conv=notrunc status=none
}

@test "recordings are folded: chains, forks, JIT, DWARF, compressed, swapped" {
	local case

	for case in "$DATA"/perfdata/*.folded; do
		case=$(basename "$case" .folded)
		echo "# $case"
		fold -q "$RECORDINGS/$case.data" >"$BATS_TEST_TMPDIR/out"
		same "$DATA/perfdata/$case.folded" "$BATS_TEST_TMPDIR/out"
	done
}

@test "a recording from a pipe gives what it gives as a file" {
	local case

	for case in "$DATA"/perfdata/*.folded; do
		case=$(basename "$case" .folded)
		echo "# $case"
		# shellcheck disable=SC2002 # a file would be no pipe
		cat "$RECORDINGS/$case.data" | fold -q \
			>"$BATS_TEST_TMPDIR/out"
		same "$DATA/perfdata/$case.folded" "$BATS_TEST_TMPDIR/out"
	done
}

@test "a folder of perf record --threads is read with all of its files" {
	run -0 fold -q "$RECORDINGS/threads"
	[[ $output == *";ta;spin_a "* ]]
	[[ $output == *";tb;spin_b "* ]]
	[[ $output == *";tc;spin_c "* ]]
}

@test "a packed recording is read through its program" {
	gzip -c "$RECORDINGS/fp_basic.data" >"$BATS_TEST_TMPDIR/gz"
	fold -q "$BATS_TEST_TMPDIR/gz" >"$BATS_TEST_TMPDIR/out"
	same "$DATA/perfdata/fp_basic.folded" "$BATS_TEST_TMPDIR/out"
}

@test "of a recording that is cut off, what is whole is used and the loss said" {
	local cut=$BATS_TEST_TMPDIR/cut
	local all

	all=$(total <"$DATA/perfdata/fp_basic.folded")
	head -c 20000 "$RECORDINGS/fp_basic.data" >"$cut"
	run -0 --separate-stderr fold "$cut"
	[[ $stderr == *"truncated"* ]]
	[ "$(total <<<"$output")" -gt $((all / 2)) ]
	[ "$(total <<<"$output")" -lt "$all" ]
	run -1 --separate-stderr fold --strict "$cut"
}

@test "a recording behind another is not read, and that is said" {
	local pipe=$BATS_TEST_TMPDIR/pipe file

	"$top_builddir/t/programs/mkperf" >"$pipe" <<-'END'
		# Of each sample: IP, TID, TIME.
		64 0 4:1 4:128 8:0 8:1 8:0x7 8:0 8:0x40000 80:0
		9 2 8:0x1000 4:7 4:7 8:1000
		68 0
	END
	for file in "$RECORDINGS/fp_basic.data" "$pipe"; do
		cat "$file" "$file" >"$BATS_TEST_TMPDIR/two"
		run -1 --separate-stderr fold --strict "$BATS_TEST_TMPDIR/two"
		[[ $stderr == *"skipped another recording"* ]]
		[ "$output" = "$(fold -q "$file")" ]
		run -1 --separate-stderr fold --strict - \
			< <(cat "$BATS_TEST_TMPDIR/two")
		[[ $stderr == *"skipped another recording"* ]]
		[ "$output" = "$(fold -q "$file")" ]
	done
}

# stream RECORD...: a stream of an event whose samples have IP, TID and TIME.
stream() {
	printf '%s\n' '64 0 4:1 4:128 8:0 8:1 8:0x7 8:0 8:0x40000 80:0' "$@" |
		"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/pipe"
}

@test "a stream that is cut off between two records is said to be" {
	local sample='9 2 8:0x1000 4:7 4:7 8:1000' comm='3 0 4:7 4:7 8:97 4:7 4:7 8:0'
	local pipe=$BATS_TEST_TMPDIR/pipe whole

	stream "$sample" '68 0' "$sample"
	run -1 --separate-stderr fold --strict "$pipe"
	[[ $stderr == *"the stream may be truncated"* ]]
	run -1 --separate-stderr fold --strict - < <(cat "$pipe")
	[[ $stderr == *"the stream may be truncated"* ]]
	head -c -8 "$RECORDINGS/zstd_pipe.data" >"$pipe"
	run -1 --separate-stderr fold --strict "$pipe"
	[[ $stderr == *"the stream may be truncated"* ]]
	# Whole: also with records that perf record adds behind its rounds, and
	# in the two ways of perf inject.
	stream "$sample" '68 0' "$sample" '68 0' "$comm"
	cp "$pipe" "$BATS_TEST_TMPDIR/tail"
	stream "$comm" '68 0' '68 0' "$sample" '68 0' "$sample"
	cp "$pipe" "$BATS_TEST_TMPDIR/inject"
	stream "$comm" "$sample" "$sample"
	for whole in "$BATS_TEST_TMPDIR"/{tail,inject,pipe} \
		"$RECORDINGS/zstd_pipe.data"; do
		run -0 --separate-stderr fold --strict "$whole"
		[[ $stderr != *"truncated"* ]]
		run -0 --separate-stderr fold --strict - < <(cat "$whole")
		[[ $stderr != *"truncated"* ]]
	done
}

@test "what follows a record and is cut off is said, as is a part of one" {
	local file=$BATS_TEST_TMPDIR/cut record

	# The sizes behind AUXTRACE, and TRACING_DATA; two records in a stream
	# of zstd, of which the second has 16 bytes of its 24.
	for record in "71 0 8:100 32:0" "66 0 4:100" \
		"81 0 4:0xfd2fb528 1:0 1:0x58 3:0x141 4:9 2:2 2:24 8:0x1010 4:8 4:8 4:9 2:2 2:24 8:0x1010"; do
		"$top_builddir/t/programs/mkperf" >"$file" <<-END
			64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
			9 2 8:0x1010 4:8 4:8
			$record
		END
		echo "# $record"
		run -0 --separate-stderr stackcollapse-perf --root tid "$file"
		[[ $output == "tid-8;[unknown] "* ]]
		[[ $stderr == *"1 record skipped"*"truncated"* ]]
	done
	# All of it is there.
	printf '71 0 8:8 32:0\n' | "$top_builddir/t/programs/mkperf" >"$file"
	printf '12345678' >>"$file"
	run -0 --separate-stderr stackcollapse-perf "$file"
	[[ $stderr != *"truncated"* ]]
}

@test "traces of CPUs are not decoded, and that is said" {
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/traces" <<-'END'
		64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
		3 0 4:8 4:8 8:'x
		71 0 8:0 32:0
	END
	run -0 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/traces"
	[ -z "$output" ]
	[[ $stderr == *"perf inject --itrace"* ]]
	[[ $stderr != *$'\n'*itrace* ]]
}

@test "a file out of a folder of perf record --threads is said to be none" {
	run -2 --separate-stderr stackcollapse-perf "$RECORDINGS/threads/data"
	[[ $stderr == *"samples are in other files: name their directory"* ]]
}

@test "a spoilt record counts once, in whatever order records are read" {
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/spoilt" <<-'END'
		64 0 4:1 4:128 8:0 8:1 8:0x7 8:0 8:0 80:0
		3 0 4:8
		9 2 8:0x1010
		9 2 8:0x1010 4:8 4:8 8:1
	END
	for order in '' --samples; do
		run -0 --separate-stderr stackcollapse-perf $order \
			"$BATS_TEST_TMPDIR/spoilt"
		[[ $stderr == *"2 records skipped"* ]]
	done
}

@test "a recording that perf did not finish is read to its end" {
	local cut=$BATS_TEST_TMPDIR/unfinished

	# The size of the data is still 0, and nothing follows the data.
	cp "$RECORDINGS/fp_basic.data" "$cut"
	put 48 '\0\0\0\0\0\0\0\0' "$cut"
	head -c 25000 "$cut" >"$cut.head"
	run -0 --separate-stderr fold "$cut.head"
	[[ $stderr == *"did not finish"* ]]
	[[ $output == *";main;work;alpha;leaf "* ]]
}

@test "a file of another binary is not used, and that is said" {
	local symfs=$BATS_TEST_TMPDIR/symfs bin=tmp/h/perfdata/bin

	cp -R "$SYMFS" "$symfs"
	cp -f "$SYMFS/$bin/p_fork" "$symfs/$bin/p_fp"
	run -0 --separate-stderr stackcollapse-perf --symfs "$symfs" \
		"$RECORDINGS/fp_basic.data"
	[[ $stderr == *"p_fp changed since the recording"* ]]
	[[ $output == *";[p_fp];[p_fp];"* ]]
	[[ $output != *";work;"* ]]
}

@test "files that are not there are named" {
	run -0 --separate-stderr fold "$RECORDINGS/fp_basic.data"
	[[ $stderr == *"libc.so.6: not found"* ]]
	run -0 --separate-stderr stackcollapse-perf --symfs "$BATS_TEST_TMPDIR" \
		"$RECORDINGS/fp_basic.data"
	[[ $stderr == *"--kallsyms"* ]]
	[[ $stderr == *"p_fp: not found"* ]]
}

@test "--kallsyms that cannot be read is status 2" {
	run -2 --separate-stderr stackcollapse-perf --kallsyms /nonexistent \
		"$RECORDINGS/fp_basic.data"
	[[ $stderr == *"/nonexistent: "* ]]
}

@test "--caller-address exact looks callers up as perf does" {
	run -2 stackcollapse-perf --caller-address other </dev/null
	run -0 fold -q --no-inline --caller-address exact \
		"$RECORDINGS/fp_basic.data"
	[[ $output == *";main;work;alpha;leaf "* ]]
}

@test "a program that was loaded into the kernel has its name" {
	# PERF_RECORD_KSYMBOL, and another one as it is unloaded.
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x23 8:0 8:0x40000 80:0"
		echo "17 1 8:0xffffffffc0000000 4:4096 2:1 2:0 16:'trampoline 4:0 4:0"
		echo "9 1 8:16 4:7 4:7 8:2 8:0xffffffffffffff80 8:0xffffffffc0000010"
		echo "17 1 8:0xffffffffc0000000 4:4096 2:1 2:1 16:'trampoline 4:0 4:0"
	} | "$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --root pid \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'pid-7;trampoline 1' ]
	# The next one has its place already when the unloading is recorded.
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x23 8:0 8:0x40000 80:0"
		echo "17 1 8:0xffffffffc0000000 4:4096 2:1 2:0 16:'first 4:0 4:0"
		echo "17 1 8:0xffffffffc0000000 4:4096 2:1 2:0 16:'second 4:0 4:0"
		echo "17 1 8:0xffffffffc0000000 4:4096 2:1 2:1 16:'first 4:0 4:0"
		echo "9 1 8:16 4:7 4:7 8:2 8:0xffffffffffffff80 8:0xffffffffc0000010"
	} | "$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
	run -0 --separate-stderr stackcollapse-perf --root pid \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'pid-7;second 1' ]
}

@test "--only chooses by time, process and name" {
	local file=$RECORDINGS/fork_exec.data all some rest

	all=$(fold -q "$file" | total)
	some=$(fold -q --only comm=^p_fork "$file" | total)
	rest=$(fold -q --only 'comm=^[^p]' --only 'comm=^p_forked' \
		"$file" | total)
	[ "$some" -gt 0 ]
	[ "$rest" -gt 0 ]
	[ "$some" -lt "$all" ]
	run -0 fold -q --only time=-1 "$file"
	[ -z "$output" ]
	[ "$(fold -q --only time=1- "$file" | total)" = "$all" ]
	run -0 fold -q --only pid=99999999 "$file"
	[ -z "$output" ]
}

@test "--only of what is no condition is status 2" {
	local what

	for what in time=x cpu= comm='(' foo=1 pid=1-x time=1; do
		run -2 --separate-stderr fold --only "$what" /dev/null
		[[ $stderr == *"--only $what: "* ]]
	done
}

@test "--only holds for text too" {
	run -0 --separate-stderr stackcollapse-perf --only cpu=1 --only tid=7 \
		<<-'END'
		a 7/7 [001] 1.5: 10 cycles:
		    1234 f+0x1 (/bin/a)

		a 7/7 [000] 1.6: 10 cycles:
		    1234 g+0x1 (/bin/a)

		b 8/8 [001] 1.7: 10 cycles:
		    1234 h+0x1 (/bin/b)

		END
	[ "$output" = "a;f 10" ]
}

@test "callers that are recorded later are joined to their samples" {
	"$top_builddir/t/programs/badperf" deferred >"$BATS_TEST_TMPDIR/deferred"
	run -0 --separate-stderr stackcollapse-perf --symfs "$SYMFS" \
		--count samples --root tid "$BATS_TEST_TMPDIR/deferred"
	[ "$output" = 'tid-1;[x] 1
tid-1;[x];[x];[[kernel]] 2
tid-2;[truncated];[[kernel]] 1' ]
}

@test "callers of many threads that wait are joined to their samples" {
	# Of each sample: IP, TID, CALLCHAIN; then the callers of all.
	awk 'BEGIN {
		print "64 0 4:1 4:128 8:0 8:1 8:0x23 8:0 8:0x40000 80:0"
		for (i = 1; i <= 5000; i++)
			print "9 1 8:0x10 4:7 4:" i, "8:4" \
				" 8:0xffffffffffffff80 8:0xffffffff81000000" \
				" 8:0xfffffffffffffd80 8:" i
		for (i = 1; i <= 5000; i++)
			print "22 0 8:" i, "8:2 8:0xfffffffffffffe00 8:4096" \
				" 4:7 4:" i
	}' | "$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
	run -0 stackcollapse-perf -q --symfs "$SYMFS" --root none \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = '[unknown];[[kernel]] 5000' ]
}

@test "a deep stack in the kernel waits for its callers" {
	local kernel

	kernel=$(printf ' 8:0xffffffff81000%03x' {1..200})
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data" <<-END
		64 0 4:1 4:128 8:0 8:1 8:0x23 8:0 8:0x40000 80:0
		1 2 4:7 4:7 8:0x1000 8:0x1000 8:0 8:'/bin/x 4:7 4:7
		9 1 8:0x10 4:7 4:7 8:203 8:0xffffffffffffff80$kernel 8:0xfffffffffffffd80 8:5
		22 0 8:5 8:2 8:0xfffffffffffffe00 8:0x1100 4:7 4:7
	END
	run -0 stackcollapse-perf -q --symfs "$SYMFS" --root none \
		"$BATS_TEST_TMPDIR/data"
	[[ $output == '[x];[[kernel]]'* ]]
}

@test "callers that stand before their sample in the file are joined to it" {
	# A thread that went on on another CPU, whose buffer is written first.
	local file=$BATS_TEST_TMPDIR/deferred

	"$top_builddir/t/programs/mkperf" >"$file" <<-'END'
		# Of each sample: IP, TID, TIME, CALLCHAIN; defer_callchain.
		64 0 4:1 4:128 8:0 8:1 8:0x27 8:0 8:0x4000040000 80:0
		1 2 4:7 4:7 8:0x1000 8:0x1000 8:0 8:'/bin/x 4:7 4:7 8:0
		22 2 8:5 8:2 8:0xfffffffffffffe00 8:0x1100 4:7 4:7 8:2000
		9 1 8:0xffffffff81000000 4:7 4:7 8:1000 8:4 8:0xffffffffffffff80 8:0xffffffff81000000 8:0xfffffffffffffd80 8:5
		68 0
	END
	run -0 stackcollapse-perf -q --symfs "$SYMFS" --root tid "$file"
	[ "$output" = 'tid-7;[x];[[kernel]] 1' ]
}

@test "a thread that is gone has the name of its process" {
	local file=$BATS_TEST_TMPDIR/gone

	# The kernel has no number any more for the last switch of a thread.
	"$top_builddir/t/programs/mkperf" >"$file" <<-'END'
		# Of each sample: IP, TID, TIME.
		64 0 4:1 4:128 8:0 8:1 8:0x7 8:0 8:0x40000 80:0
		3 0 4:7 4:7 8:'srv 4:7 4:7 8:0
		9 2 8:0x1000 4:7 4:0xffffffff 8:1000
		9 2 8:0x1000 4:8 4:0xffffffff 8:1001
		9 2 8:0x1000 4:0xffffffff 4:0xffffffff 8:1002
		68 0
	END
	run -0 stackcollapse-perf -q --symfs "$SYMFS" "$file"
	[ "$output" = $':-1;[unknown] 1\n:8;[unknown] 1\nsrv;[unknown] 1' ]
}

# chain TID N: a sample with a chain of N frames in user mode.
chain() {
	printf '9 2 8:0x1000 4:%d 4:%d 8:0 8:%d 8:0xfffffffffffffe00' \
		"$1" "$1" $(($2 + 1))
	printf ' 8:%d' $(seq 4096 $((4095 + $2)))
	echo
}

# whole FILE: the threads whose stacks are not [truncated].
whole() {
	stackcollapse-perf -q --symfs "$SYMFS" --root tid "$1" |
		grep -v ';\[truncated\];' | grep -o '^tid-[0-9]*' | tr '\n' ' '
}

@test "a chain as long as the kernel takes is [truncated], no other" {
	local file=$BATS_TEST_TMPDIR/chains
	# Of each sample: IP, TID, TIME, CALLCHAIN.
	local event='64 0 4:1 4:128 8:0 8:1 8:0x27 8:0 8:0x40000'

	{
		echo "$event 80:0"
		chain 1 126
		chain 2 127
	} | "$top_builddir/t/programs/mkperf" >"$file"
	[ "$(whole "$file")" = 'tid-1 ' ]
	# sample_max_stack
	{
		echo "$event 60:0 2:10 18:0"
		chain 1 9
		chain 2 10
	} | "$top_builddir/t/programs/mkperf" >"$file"
	[ "$(whole "$file")" = 'tid-1 ' ]
	# Where the limit was raised, nothing says to what.
	{
		echo "$event 80:0"
		chain 1 128
		chain 2 127
		chain 3 300
		chain 4 512
	} | "$top_builddir/t/programs/mkperf" >"$file"
	[ "$(whole "$file")" = 'tid-1 tid-2 tid-3 ' ]
}

@test "call stacks by last branches are behind the kernel's part of a chain" {
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/branches" <<-'END'
		# Of each sample: IP, TID, TIME, CALLCHAIN, BRANCH_STACK; calls.
		64 0 4:0 4:128 8:0 8:1 8:0x827 8:0 8:0x40000 24:0 8:0x800 48:0
		1 2 4:7 4:7 8:0x100000 8:0x1000 8:0 16:'/lib/libx.so.1 4:7 4:7 8:0
		1 2 4:7 4:7 8:0x200000 8:0x1000 8:0 16:'/bin/x 4:7 4:7 8:0
		1 2 4:7 4:7 8:0x300000 8:0x1000 8:0 16:'/bin/y 4:7 4:7 8:0
		# Broken frame pointers lead elsewhere than the branches.
		9 1 8:0xffffffff81000000 4:7 4:7 8:5 8:5 8:0xffffffffffffff80 8:0xffffffff81000000 8:0xfffffffffffffe00 8:0x100030 8:0x5 8:2 8:0x200010 8:0x100020 8:0 8:0x300010 8:0x200000 8:0
		# Without branches there is the chain.
		9 2 8:0x100000 4:7 4:7 8:6 8:3 8:0xfffffffffffffe00 8:0x100030 8:0x200005 8:0
	END
	run -0 stackcollapse-perf -q --symfs "$SYMFS" --root tid \
		"$BATS_TEST_TMPDIR/branches"
	[ "$output" = 'tid-7;[x];[libx.so.1] 1
tid-7;[y];[x];[libx.so.1];[[kernel]] 1' ]
}

@test "copied stacks of 32-bit programs have their leaf, and it is said" {
	local file=$BATS_TEST_TMPDIR/narrow regs='8:0xffffd000'

	"$top_builddir/t/programs/mkperf" >"$file" <<-END
		# Of each sample: IP, TID, TIME, CALLCHAIN, REGS_USER (SP, PC),
		# STACK_USER.  Programs of 32-bit ARM are not known.
		64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:0x180000000 4:8 36:0
		80 0 8:6 4:64 64:'aarch64
		1 2 4:7 4:7 8:0x8048000 8:0x1000 8:0 8:'/bin/x 4:7 4:7 8:0
		9 2 8:0x8048100 4:7 4:7 8:1 8:0 8:1 $regs 8:0x8048100 8:8 8:0 8:8
		9 1 8:0xffffffff81000000 4:7 4:7 8:2 8:2 8:0xffffffffffffff80 8:0xffffffff81000000 8:1 $regs 8:0x8048200 8:8 8:0 8:8
	END
	run -0 --separate-stderr stackcollapse-perf --root tid \
		--symfs "$SYMFS" "$file"
	[ "$output" = 'tid-7;[truncated];[x] 1
tid-7;[truncated];[x];[[kernel]] 1' ]
	[[ $stderr == *"2 stacks of 32-bit programs were not unwound"* ]]
}

@test "copied stacks of an unknown machine keep their chain, and a note says so" {
	local file=$BATS_TEST_TMPDIR/machine copy='8:2 8:0x7000 8:0x7000 8:9 8:8 8:0 8:8'

	"$top_builddir/t/programs/mkperf" >"$file" <<-END
		# Of each sample: IP, TID, TIME, CALLCHAIN, REGS_USER, STACK_USER.
		64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:0x1c0 4:8 36:0
		80 0 8:6 4:64 64:'s390x
		1 2 4:7 4:7 8:0x400000 8:0x1000 8:0 8:'/bin/x 4:7 4:7 8:0
		9 2 8:0x400100 4:7 4:7 8:1 8:0 $copy
		9 2 8:0x400100 4:7 4:7 8:2 8:2 8:0xfffffffffffffe00 8:0x400100 $copy
		9 1 8:0xffffffff81000000 4:7 4:7 8:3 8:2 8:0xffffffffffffff80 8:0xffffffff81000000 $copy
		9 2 8:0x400100 4:7 4:7 8:4 8:3 8:0xfffffffffffffe00 8:0x400100 8:0x400200 8:0 8:0
	END
	run -0 --separate-stderr stackcollapse-perf --root tid \
		--symfs "$SYMFS" "$file"
	[ "$output" = 'tid-7;[truncated];[[kernel]] 1
tid-7;[truncated];[x] 2
tid-7;[x];[x] 1' ]
	[ "$(grep -c "3 stacks of s390x were not unwound: record with \
--call-graph fp" <<<"$stderr")" = 1 ]
}

# copied SIZE COUNT: a recording of stacks of code without rules, whose copies
# of SIZE bytes end before its frame pointer; and of one that goes on elsewhere.
copied() {
	local i zeros

	zeros=$(yes 8:0 | head -n $(($1 / 8)) | tr '\n' ' ')
	{
		cat <<-END
			64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:0x1c0 4:$1 36:0
			80 0 8:6 4:64 64:'x86_64
			1 2 4:7 4:7 8:0x400000 8:0x1000 8:0 8:'/bin/x 4:7 4:7 8:0
			9 2 8:0x400100 4:7 4:7 8:1 8:0 8:2 8:0x20000 8:0x7000 8:0x400100 8:$1 $zeros 8:$1
		END
		for ((i = 0; i < $2; i++)); do
			echo "9 2 8:0x400100 4:7 4:7 8:1 8:0 8:2 8:0x8000" \
				"8:0x7000 8:0x400100 8:$1 $zeros 8:$1"
		done
	} | "$top_builddir/t/programs/mkperf"
}

@test "stacks that are deeper than their copies are said, and what helps" {
	[ "$(uname -m)" = x86_64 ] || skip "the program is no x86-64 one"
	copied 64 3 >"$BATS_TEST_TMPDIR/deep"
	run -0 --separate-stderr stackcollapse-perf --symfs "$SYMFS" \
		"$BATS_TEST_TMPDIR/deep"
	[[ $stderr == *"75 % of stacks are deeper than the copied 64 bytes: record with --call-graph dwarf,65528"* ]]
	copied 65000 0 >"$BATS_TEST_TMPDIR/deep"
	run -0 --separate-stderr stackcollapse-perf --symfs "$SYMFS" \
		"$BATS_TEST_TMPDIR/deep"
	[[ $stderr != *deeper* && $stderr == *"of the stacks are truncated"* ]]
}

# python BP RETURN: main, called by what returns there, called by code whose
# frame pointer is at 0x7020 or, if BP is where the latter was saved, there.
python() {
	local symfs=$BATS_TEST_TMPDIR main

	mkdir -p "$symfs/bin" "$symfs/tmp"
	cp "$top_builddir/t/programs/cpu" "$symfs/bin/p"
	printf '%s\n' "700000 b py::f:a.py" "700010 f py::g:b.py" \
		"700100 10 jit" >"$symfs/tmp/perf-7.map"
	main=$((0x400000 + 0x$(nm "$symfs/bin/p" | sed -n 's/ T main$//p')))
	"$top_builddir/t/programs/mkperf" >"$symfs/data" <<-END
		# Of each sample: IP, TID, TIME, CALLCHAIN, REGS_USER (BP, SP,
		# IP), STACK_USER.
		64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:0x1c0 4:48 36:0
		80 0 8:6 4:64 64:'x86_64
		1 2 4:7 4:7 8:0x400000 8:0x100000 8:0 8:'/bin/p 4:7 4:7 8:0
		1 2 4:7 4:7 8:0x700000 8:0x1000 8:0 8:'//anon 4:7 4:7 8:0
		9 2 8:$main 4:7 4:7 8:1 8:0 8:2 8:$1 8:0x7000 8:$main 8:48 8:$2 8:0x7020 8:0x700106 8:0 8:0 8:0 8:48
	END
	stackcollapse-perf -q --root none --symfs "$symfs" "$symfs/data"
}

@test "copied stacks go on behind Python's trampolines" {
	need_native
	[ "$(uname -m)" = x86_64 ] || skip "the program is no x86-64 one"
	# sub $8,%rsp; call *%rcx
	run -0 python 0x7020 0x700006
	[ "$output" = "jit;f (a.py);main 1" ]
	# endbr64; sub $8,%rsp; call *%rcx
	run -0 python 0x7020 0x70001a
	[ "$output" = "jit;g (b.py);main 1" ]
	# push %rbp; mov %rsp,%rbp; call *%rcx
	run -0 python 0x7008 0x700006
	[ "$output" = "jit;f (a.py);main 1" ]
}

# vdso PID START: a process with a vdso, and samples all over it.
vdso() {
	local at

	echo "1 2 4:$1 4:$1 8:$2 8:0x2000 8:0 8:'[vdso] 4:$1 4:$1 8:0"
	for ((at = $2; at < $2 + 0x2000; at += 16)); do
		echo "9 2 8:$at 4:$1 4:$1 8:1"
	done
}

@test "the vdso of a 32-bit program does not have the names of the other" {
	local file=$BATS_TEST_TMPDIR/narrow

	need_native
	[ "$(uname -m)" = x86_64 ] || skip "another vdso"
	{
		# Of each sample: IP, TID, TIME.
		echo "64 0 4:1 4:128 8:0 8:1 8:7 8:0 8:0x40000 80:0"
		echo "80 0 8:4 4:64 64:'$(uname -r)"
		vdso 7 0x7fff12340000
		vdso 8 0xf7f12000
	} | "$top_builddir/t/programs/mkperf" >"$file"
	run -0 --separate-stderr stackcollapse-perf -q --root tid "$file"
	[[ $output == *"tid-7;__vdso_gettimeofday "* ]]
	[ "$(grep '^tid-8;' <<<"$output")" = 'tid-8;[[vdso32]] 512' ]
}

# chosen_sample FILE IP CALLER: a sample of a copied stack whose top is CALLER.
chosen_sample() {
	"$top_builddir/t/programs/mkperf" >"$1" <<-END
		# As above, but of a stack of 64 bytes.
		64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:0x1c0 4:64 36:0
		80 0 8:6 4:64 64:'x86_64
		1 2 4:7 4:7 8:0x400000 8:0x200000 8:0 512:'$PWD/chosen 4:7 4:7 8:0
		9 2 8:0x$2 4:7 4:7 8:1 8:0 8:2 8:1 8:0x7ffd0000 8:0x$2 8:64 8:0x$3 56:0 8:64
	END
}

@test "an entry of the PLT that has no rules has its caller" {
	local call next

	command -v objdump >/dev/null || skip "no objdump"
	[ "$(uname -m)" = x86_64 ] || skip "PLTs of others are not read so"
	cd "$BATS_TEST_TMPDIR"
	cat >chosen.c <<-'END'
	static int one(void) { return 1; }
	static int (*choose(void))(void) { return one; }
	int plain(void) __attribute__((ifunc("choose"), visibility("hidden")));
	int main(void) { return plain() + 1; }
	END
	"${CC:-cc}" -O1 -static -no-pie -o chosen chosen.c || skip "no IFUNC"
	read -r call next < <(objdump -d --no-show-raw-insn chosen | awk '
		/<main>:$/ { main = 1 }
		main && $2 ~ /^call/ {
			call = $3
			getline
			sub(":", "", $1)
			print call, $1
			exit
		}')
	chosen_sample data "$call" "$next"
	run -0 stackcollapse-perf -q --root tid data
	[ "$output" = "tid-7;main;plain@plt 1" ]
}

# branches TID N: a sample with a call stack of N last branches.
branches() {
	printf '9 2 8:0x1000 4:%d 4:%d 8:0 8:0 8:%d' "$1" "$1" "$2"
	printf ' 8:%d 8:4096 8:0' $(seq 8193 $((8192 + $2)))
	echo
}

@test "a call stack of all branches that a CPU keeps is [truncated]" {
	local file=$BATS_TEST_TMPDIR/branches
	# Of each sample: IP, TID, TIME, CALLCHAIN, BRANCH_STACK; calls.
	local event='64 0 4:1 4:128 8:0 8:1 8:0x827 8:0 8:0x40000 24:0 8:0x800 48:0'

	{
		echo "$event"
		branches 1 15
		branches 2 16
		branches 3 31
		branches 4 32
		branches 5 16
	} | "$top_builddir/t/programs/mkperf" >"$file"
	[ "$(whole "$file")" = 'tid-1 tid-3 tid-5 ' ]
	# CPU_PMU_CAPS, and PMU_CAPS of two sorts of cores.
	{
		echo "$event"
		echo "80 0 8:28 4:2 4:64 64:'max_precise 4:64 64:'3 4:64 64:'branches 4:64 64:'8"
		branches 1 7
		branches 2 8
	} | "$top_builddir/t/programs/mkperf" >"$file"
	[ "$(whole "$file")" = 'tid-1 ' ]
	{
		echo "$event"
		echo "80 0 8:31 4:2 4:0 4:64 64:'cpu_atom 4:1 4:64 64:'branches 4:64 64:'64 4:64 64:'cpu_core"
		branches 1 32
		branches 2 64
	} | "$top_builddir/t/programs/mkperf" >"$file"
	[ "$(whole "$file")" = 'tid-1 ' ]
}

@test "a compressed record that claims more than it has is said" {
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data" <<-'END'
		64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
		83 0 8:1000 8:0
		9 2 8:0x1010 4:8 4:8
	END
	run -0 --separate-stderr stackcollapse-perf --root tid \
		--symfs "$SYMFS" "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'tid-8;[unknown] 1' ]
	[[ $stderr == *"a compressed record is corrupt"* ]]
}

@test "a process that perf found has nothing of its parent's memory" {
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data" <<-'END'
		# Of each sample: IP, TID.  The second fork is none.
		64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
		1 2 4:7 4:7 8:0x1000 8:0x1000 8:0 8:'/bin/x
		7 0 4:8 4:7 4:8 4:7 8:0
		7 0x2000 4:9 4:7 4:9 4:7 8:0
		9 2 8:0x1010 4:8 4:8
		9 2 8:0x1010 4:9 4:9
	END
	run -0 stackcollapse-perf -q --root tid --symfs "$SYMFS" \
		"$BATS_TEST_TMPDIR/data"
	[ "$output" = 'tid-8;[x] 1
tid-9;[unknown] 1' ]
}

@test "code that a JIT put on the heap or the stack has its map's names" {
	mkdir -p "$BATS_TEST_TMPDIR/root/tmp"
	printf '8000 100 on_heap\n9000 100 on_stack\nwhat?\n' \
		>"$BATS_TEST_TMPDIR/root/tmp/perf-7.map"
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data" <<-'END'
		# Of each sample: IP, TID.
		64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
		1 2 4:7 4:7 8:0x8000 8:0x1000 8:0x8000 8:'[heap]
		1 2 4:7 4:7 8:0x9000 8:0x1000 8:0x9000 8:'[stack]
		9 2 8:0x8010 4:7 4:7
		9 2 8:0x9010 4:7 4:7
	END
	run -0 --separate-stderr stackcollapse-perf --jit --root tid \
		--symfs "$BATS_TEST_TMPDIR/root" "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'tid-7;on_heap_[j] 1
tid-7;on_stack_[j] 1' ]
	[[ $stderr == *'/tmp/perf-7.map: 1 of 3 lines skipped' ]]
}

@test "a child's code is in its own map, or in that of its parent" {
	mkdir -p "$BATS_TEST_TMPDIR/root/tmp"
	cd "$BATS_TEST_TMPDIR/root/tmp" || return
	printf '8000 100 both\n8100 100 of_parent\n' >perf-7.map
	printf '8100 100 of_child\n' >perf-8.map
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data" <<-'END'
		# Of each sample: IP, TID.
		64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
		1 2 4:7 4:7 8:0x8000 8:0x1000 8:0x8000 8:'//anon
		7 0 4:8 4:7 4:8 4:7 8:0
		9 2 8:0x8010 4:7 4:7
		9 2 8:0x8010 4:8 4:8
		9 2 8:0x8110 4:8 4:8
		9 2 8:0x8110 4:7 4:7
		9 2 8:0x8110 4:8 4:8
	END
	run -0 stackcollapse-perf -q --root tid \
		--symfs "$BATS_TEST_TMPDIR/root" "$BATS_TEST_TMPDIR/data"
	[ "$output" = 'tid-7;both 1
tid-7;of_parent 1
tid-8;both 1
tid-8;of_child 2' ]
}

@test "a sample of a group is one of each event that went on" {
	# perf record -e '{cpu-clock,page-faults}:S'; of each sample: IP, TID,
	# TIME, ID, PERIOD, and for each event a count, its id, and 0.
	local file=$BATS_TEST_TMPDIR/group counts='4:7 4:7 8:0 8:1 8:99'

	"$top_builddir/t/programs/mkperf" >"$file" <<-END
		64 0 4:1 4:128 8:0 8:100 8:0x157 8:0x1c 8:0x40000 80:0 8:1
		64 0 4:1 4:128 8:2 8:0 8:0x157 8:0x1c 8:0x40000 80:0 8:2
		9 2 8:16 $counts 8:2 8:100 8:1 8:0 8:0 8:2 8:0
		9 2 8:16 $counts 8:2 8:250 8:1 8:0 8:7 8:2 8:0
		# One that is not known, and one that began anew.
		9 2 8:16 $counts 8:3 8:5 8:9 8:0 8:20 8:1 8:0 8:7 8:2 8:0
	END
	run -0 stackcollapse-perf -q --event-filter all --symfs "$SYMFS" \
		--root tid "$file"
	[ "$output" = 'cpu-clock;tid-7;[unknown] 270
page-faults;tid-7;[unknown] 7' ]
	run -0 stackcollapse-perf -q --event-filter all --symfs "$SYMFS" \
		--count samples --samples --root tid "$file"
	[ "$(grep -c '^tid-7;' <<<"$output")" -eq 4 ]
	# Counts of events that are not known do not take the sample away.
	"$top_builddir/t/programs/mkperf" >"$file" <<-END
		64 0 4:1 4:128 8:0 8:100 8:0x157 8:0x1c 8:0x40000 80:0
		9 2 8:16 $counts 8:1 8:100 8:1 8:0
	END
	run -0 stackcollapse-perf -q --symfs "$SYMFS" --root tid "$file"
	[ "$output" = 'tid-7;[unknown] 99' ]
}

@test "counts of a group are those of their times, if the last stands first" {
	# perf record --overwrite: the buffers are written from their ends.
	local file=$BATS_TEST_TMPDIR/group

	"$top_builddir/t/programs/mkperf" >"$file" <<-END
		# Of each sample: IP, TID, TIME, ID, PERIOD, and the counts.
		64 0 4:1 4:128 8:0 8:100 8:0x157 8:0x1c 8:0x40000 80:0 8:1
		64 0 4:1 4:128 8:2 8:0 8:0x157 8:0x1c 8:0x40000 80:0 8:2
		9 2 8:16 4:7 4:7 8:3000 8:1 8:9 8:2 8:300 8:1 8:0 8:5 8:2 8:0
		9 2 8:16 4:7 4:7 8:2000 8:1 8:9 8:2 8:200 8:1 8:0 8:3 8:2 8:0
		9 2 8:16 4:7 4:7 8:1000 8:1 8:9 8:2 8:100 8:1 8:0 8:1 8:2 8:0
		68 0
	END
	run -0 stackcollapse-perf -q --event-filter all --symfs "$SYMFS" \
		--root tid "$file"
	[ "$output" = 'cpu-clock;tid-7;[unknown] 300
page-faults;tid-7;[unknown] 5' ]
}

@test "--samples writes a stream in the order of time" {
	run -0 --separate-stderr fold --samples "$RECORDINGS/multi_event.data"
	[[ ${lines[0]} == "#fold=1;"*";clock=perf"* ]]
	grep -o 'time=[0-9.]*' <<<"$output" >"$BATS_TEST_TMPDIR/times"
	[ -s "$BATS_TEST_TMPDIR/times" ]
	sort -c "$BATS_TEST_TMPDIR/times"
}

@test "a header of no kind that we know is status 2" {
	printf 'PERFILE2\x07\0\0\0\0\0\0\0' >"$BATS_TEST_TMPDIR/odd"
	run -2 --separate-stderr stackcollapse-perf "$BATS_TEST_TMPDIR/odd"
	[[ $stderr == *": cannot read this perf.data file: "* ]]
	[ -z "$output" ]
}
