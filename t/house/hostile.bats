#!/usr/bin/env bats
# hostile.bats - whatever the input, a command ends with 0, 1 or 2: never with
# a signal, never with a memory error, never not at all.

load ../helper

# Inputs that nobody meant: a picture, noise, nothing, another format, NULs,
# a long line.
garbage() {
	local dir=$1

	mkdir "$dir"
	printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\0\0\0\2\0\x08\6' >"$dir/png"
	: >"$dir/empty"
	printf '\n' >"$dir/blank"
	printf 'main;parse;read 42\nmain;sort 7 9\n;; 0\n3\n' >"$dir/folded"
	printf '#fold=1;counts=2;time=1\na;b 1 2\n\n#time=%%\n' >"$dir/stream"
	head -c 5000 /dev/zero >"$dir/nuls"
	head -c 1000000 /dev/zero | tr '\0' x >"$dir/line"
	head -c 1000000 /dev/zero | tr '\0' ';' >"$dir/frames"
	printf '\x1f\x8b\x08\0\0\0\0\0' >"$dir/gzip"
	printf '\x28\xb5\x2f\xfd\x04' >"$dir/zstd"
	# The same noise on each machine.
	awk 'BEGIN {
		for (x = 1; n < 20000; n++) {
			x = (x * 16807) % 2147483647
			printf "%c", int(x / 8388608)
		}
	}' >"$dir/noise"
}

# One job for hostile a line, of words as xargs reads them.
jobs_with_data() {
	local command in opts

	for command in $(filters); do
		for in in $(data_of "$command"); do
			opts=$(options_of "$in")
			echo "'$in' $command${opts:+ $opts}"
		done
	done
}

jobs_with_garbage() {
	local command in opts

	for command in $(filters); do
		opts=$(options_of "$(sample_of "$command")")
		for in in "$BATS_TEST_TMPDIR"/garbage/*; do
			echo "'$in' $command${opts:+ $opts}"
		done
	done
}

# What was fatal stays in t/spoilt, to be looked at.
run_jobs() {
	mkdir -p "$top_builddir/t/spoilt"
	TMPDIR=$top_builddir/t/spoilt xargs -P "$(nproc)" -L 1 \
		"$top_builddir/t/programs/hostile"
}

@test "spoilt traces end with a status, never with a signal" {
	[ -n "$(jobs_with_data)" ] || skip "no traces in t/data"
	jobs_with_data | run_jobs
}

@test "garbage ends with a status, never with a signal" {
	garbage "$BATS_TEST_TMPDIR/garbage"
	# It is spoilt already: a few copies of each will do.
	jobs_with_garbage | CUTS=8 CHANGES=4 run_jobs
}

# The keys are chosen by the hash functions that everybody knows; how much CPU
# time they take is compared with that of keys nobody chose.
@test "keys that were chosen to collide cost no more than others" {
	need_process_side
	need_plain "sanitizers slow down memory, not hashing"
	need_native
	[ -x "$top_builddir/t/programs/collide" ] || skip "t/programs/collide is not built"
	run -0 "$top_srcdir/t/attack" 20000
	[ ${#lines[@]} -eq 17 ]
}

# Hash functions that are not for colours or for comparing: a table of uthash has
# a seed by base/table.h.
@test "each hash table has a seed, or is a cache with one entry a slot" {
	local file

	cd "$top_srcdir"
	grep -rlE '0x9e3779b97f4a7c15|0xd6e8feb86659fd93|hash_bytes\(|hash_seeded\(|<uthash.h>' \
		lib cmd --include='*.[ch]' | sort >"$BATS_TEST_TMPDIR/all"
	while read -r file; do
		grep -q 'hash_seed()' "$file" || echo "$file"
	done <"$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/unseeded"
	# childslots.c sets the seed; palettes are colours; of interp.c,
	# hotspot_survey.c and process_image.c are comparisons.
	diff - "$BATS_TEST_TMPDIR/unseeded" <<-'END'
		lib/base/hash.c
		lib/base/paragraph.c
		lib/interp/hotspot_survey.c
		lib/interp/interp.c
		lib/palette/palette.c
		lib/palette/shade.c
		lib/perf/jitnames.c
		lib/perf/leaf_caller.c
		lib/stream/samples.c
		lib/symbols/code_cache.h
		lib/symbols/process_image.c
		lib/tree/childslots.h
		lib/unwind/unwind-internal.h
	END
	grep -q 'seed = hash_seed()' lib/tree/childslots.c
}
