#!/usr/bin/env bats
# perfdata-hostile.bats - whatever a recording holds, stackcollapse-perf ends
# with 0, 1 or 2, soon, and without much memory.

load ../helper

setup_file() {
	local file

	for file in "$DATA"/perfdata/*.data.xz; do
		xz -dc "$file" >"$BATS_FILE_TMPDIR/$(basename "$file" .xz)"
	done
	xz -dc "$DATA/probes/probes.data.xz" >"$BATS_FILE_TMPDIR/probes.data"
	xz -dc "$DATA/waits/naps.data.xz" >"$BATS_FILE_TMPDIR/naps.data"
	mkdir "$BATS_FILE_TMPDIR/symfs"
	xz -dc "$DATA/perfdata/symfs.tar.xz" |
		tar -C "$BATS_FILE_TMPDIR/symfs" -xf -
}

fold_args() {
	echo stackcollapse-perf --symfs "$BATS_FILE_TMPDIR/symfs" \
		--kallsyms "$BATS_FILE_TMPDIR/symfs/kallsyms"
}

@test "recordings that are cut or changed end with a status" {
	local file

	for file in "$BATS_FILE_TMPDIR"/*.data; do
		echo "'$file' $(fold_args)"
		echo "'$file' $(fold_args) --samples"
		echo "'$file' $(fold_args) --wall"
	done | CUTS=${CUTS-200} TMPDIR=$BATS_TEST_TMPDIR xargs -P "$(nproc)" -L 1 \
		"$top_builddir/t/programs/hostile"
}

@test "absurd numbers in headers, records and features end with a status" {
	local case

	for case in fp_basic zstd_pipe dwarf_kernel; do
		echo "words '$BATS_FILE_TMPDIR/$case.data' $(fold_args)"
	done >"$BATS_TEST_TMPDIR/words"
	echo "words '$BATS_FILE_TMPDIR/naps.data' $(fold_args) --wall" \
		>>"$BATS_TEST_TMPDIR/words"
	xargs -P "$(nproc)" -L 1 "$top_builddir/t/programs/badperf" \
		<"$BATS_TEST_TMPDIR/words"
}

@test "endless forks, mappings, rounds and chains take no endless time" {
	local kind bad=$BATS_TEST_TMPDIR/bad

	for kind in forks mappings rounds chain skip nothing; do
		echo "# $kind"
		"$top_builddir/t/programs/badperf" "$kind" >"$bad"
		status=0
		timeout 60 stackcollapse-perf -q "$bad" >/dev/null ||
			status=$?
		[ $status -le 2 ]
		status=0
		# shellcheck disable=SC2002 # a file would be no pipe
		cat "$bad" | timeout 60 stackcollapse-perf -q >/dev/null ||
			status=$?
		[ $status -le 2 ]
	done
}

@test "a compressed record inside of another one is not read" {
	# Blocks of zstd that are 128 KB of one byte each, which would move the
	# bytes that they are read from.
	local blocks file=$BATS_TEST_TMPDIR/nested

	blocks=$(printf '3:0x100002 1:8 %.0s' {1..16})
	"$top_builddir/t/programs/mkperf" >"$file" <<-END
		# Each sample: IP, TID.
		64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
		81 0 4:0xfd2fb528 1:0 1:0x58 3:0x480 4:81 2:0 2:72 $blocks 4:200 2:0 2:72 $blocks $blocks
		9 2 8:0x1010 4:8 4:8
	END
	run -0 --separate-stderr stackcollapse-perf --root tid "$file"
	[ "$output" = 'tid-8;[unknown] 1' ]
	[[ $stderr == *"has a record type that perf never compresses"* ]]
}

@test "what is compressed is not inflated to any size" {
	local blocks file=$BATS_TEST_TMPDIR/bomb

	# 62 MB, twice; each is less than one record may hold.
	blocks=$(printf '3:0x100002 1:8 %.0s' {1..500})
	"$top_builddir/t/programs/mkperf" >"$file" <<-END
		# Each sample: IP, TID.
		64 0 4:1 4:128 8:0 8:1 8:0x3 8:0 8:0 80:0
		9 2 8:0x1010 4:8 4:8
		81 0 4:0xfd2fb528 1:0 1:0x58 $blocks
		81 0 $blocks
		9 2 8:0x1010 4:9 4:9
	END
	run -0 --separate-stderr stackcollapse-perf --root tid "$file"
	[ "$output" = 'tid-8;[unknown] 1' ]
	[[ $stderr == *"1 record skipped"*"implausible compression ratio"* ]]
}

# numbers N...: as 64 bits, the lowest byte first.
numbers() {
	local n i

	for n; do
		for i in 0 8 16 24 32 40 48 56; do
			# shellcheck disable=SC2059 # the format is the point
			printf "\\x$(printf %x $((n >> i & 255)))"
		done
	done
}

@test "events whose lists of ids do not fit into the file are refused" {
	local file=$BATS_TEST_TMPDIR/ids
	# IP, TID; cpu-clock; 64 bytes.
	local event="$((64 << 32 | 1)) 0 1 3 0 0 0 0"

	{
		printf PERFILE2
		numbers 104 80 104 160 264 24 0 0 0 0 0 0
		# The same bytes, all of the file, are the ids of both.
		# shellcheck disable=SC2086 # words
		numbers $event 0 288 $event 0 288
		numbers $((24 << 48 | 2 << 32 | 9)) 16 $((8 << 32 | 8))
	} >"$file"
	[ "$(stat -c %s "$file")" -eq 288 ]
	run -2 --separate-stderr stackcollapse-perf "$file"
	[[ $stderr == *"its events are corrupt"* ]]
}
