#!/usr/bin/env bats
# perfdata-hostile.bats - whatever a recording holds, stackcollapse-perf ends
# with 0, 1 or 2, soon, and without much memory.

load helper

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
		"$top_builddir/t/hostile"
}

@test "absurd numbers in headers, records and features end with a status" {
	local case

	for case in fp_basic zstd_pipe dwarf_kernel; do
		echo "words '$BATS_FILE_TMPDIR/$case.data' $(fold_args)"
	done >"$BATS_TEST_TMPDIR/words"
	echo "words '$BATS_FILE_TMPDIR/naps.data' $(fold_args) --wall" \
		>>"$BATS_TEST_TMPDIR/words"
	xargs -P "$(nproc)" -L 1 "$top_builddir/t/badperf" \
		<"$BATS_TEST_TMPDIR/words"
}

@test "endless forks, mappings, rounds and chains take no endless time" {
	local kind bad=$BATS_TEST_TMPDIR/bad

	for kind in forks mappings rounds chain skip nothing; do
		echo "# $kind"
		"$top_builddir/t/badperf" "$kind" >"$bad"
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
