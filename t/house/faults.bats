#!/usr/bin/env bats
# faults.bats - what is asked of the system fails: the command says so and ends
# with status 2, and leaves nothing behind.  FAULTS=0 tries each call there is.

load ../helper

# One job for faults a line, of words as xargs reads them.
jobs_of_collapsers() {
	local command in

	for command in $(filters | grep stackcollapse-); do
		in=$(data_of "$command" | xargs -r ls -Sr | head -n 1)
		[ -z "$in" ] ||
			echo "$command $(cat "${in%.in}.opts" 2>/dev/null) '$in'"
	done
}

# Text that is compressed, too large for the memory, of the wrong name.
jobs_of_filters() {
	local a=$1/a.folded b=$1/b.folded

	cat <<-END
	foldmerge '$a.gz'
	'$a.gz' foldmerge
	foldmerge --memory 1K '$b'
	foldmerge --sorted '$a' '$b'
	folddiff '$a' '$b'
	folddiff --phi 1 --quantum 1 --report=json '$a' '$b'
	foldgrep --frame f --trim-idle '$a'
	'$a' foldgrep --min-share 5%
	foldcolor -p jvm '$a'
	foldtop '$a'
	flamegraph --colors java '$a'
	unflame --meta '$1/a.svg'
	jitsym --no-search --perf-map '$1/map' '$a'
	jitsym --jitdump '$DATA/jit/nasty.dump' '$DATA/jit/nasty.stream'
	'$DATA/perf/cpp.in' stackcollapse
	stackcollapse-chrome '$1/escapes.json'
	stackcollapse-perf --symfs '$1' '$1/fp.data'
	stackcollapse-perf --symfs '$1' --samples '$1/zstd.data'
	END
}

setup() {
	local dir=$BATS_TEST_TMPDIR

	# Faults in what gcov writes must not spoil what it has counted.
	export GCOV_PREFIX=$dir/gcov
	printf 'main;parse;read 42\nmain;sort 7\n' >"$dir/a.folded"
	gzip -k "$dir/a.folded"
	awk 'BEGIN {
		for (i = 1; i <= 200; i++)
			printf "main;f%d;g%d %d\n", i * 7919 % 200, i, i
	}' | sort >"$dir/b.folded"
	flamegraph "$dir/a.folded" >"$dir/a.svg"
	echo '1000 80 f' >"$dir/map"
	printf '[{"ph":"X","ts":0,"dur":1,"name":"%0*d\\u00e9\\n%0*d"}]\n' \
		40 1 90 2 >"$dir/escapes.json"
	xz -dc "$DATA/perfdata/fp_basic.data.xz" >"$dir/fp.data"
	xz -dc "$DATA/perfdata/zstd_pipe.data.xz" >"$dir/zstd.data"
	export FAULT_SO=$top_builddir/t/programs/fault.so TMPDIR=$dir
	export FAULTS=${FAULTS-6}
}

# xargs ends with 123 if a job failed.
run_jobs() {
	run xargs -P "$(nproc)" -L 1 "$top_builddir/t/programs/faults"
	echo "$output"
	[ "$status" -eq 0 ]
}

can_fail() {
	run "$top_builddir/t/programs/faults" foldmerge "$BATS_TEST_TMPDIR/a.folded"
	[ "$status" -ne 77 ] || skip "nothing can be made to fail here"
}

@test "a collapser says what failed, with status 2" {
	can_fail
	jobs_of_collapsers | run_jobs
}

@test "a filter says what failed, with status 2" {
	can_fail
	jobs_of_filters "$BATS_TEST_TMPDIR" | run_jobs
}

@test "flamegraph -o: what fails leaves nothing beside the picture" {
	can_fail
	cd "$BATS_TEST_TMPDIR"
	mkdir pictures
	run_jobs <<<'flamegraph -o pictures/a.svg a.folded'
	[ "$(ls -A pictures)" = a.svg ]
	unflame pictures/a.svg | cmp - <(unflame a.svg)
}

# without FDS...: run a command with these descriptors closed.
without() {
	local fds=$1

	shift
	case $fds in
	0) "$@" <&- ;;
	1) "$@" >&- ;;
	2) "$@" 2>&- ;;
	'0 1 2') "$@" <&- >&- 2>&- ;;
	esac
}

@test "a file is not taken for an output that is closed" {
	local big=$BATS_TEST_TMPDIR/b.folded

	run -2 without 1 foldmerge --memory 1K "$big"
	[[ $output == *"standard output: Bad file descriptor"* ]]
	run -2 without 0 foldmerge
	[[ $output == *"stdin: Bad file descriptor"* ]]
	# A file that is open does not become the standard input.
	foldmerge "$big" >"$BATS_TEST_TMPDIR/sorted"
	run -2 without 0 foldmerge --sorted "$BATS_TEST_TMPDIR/sorted" -
	[[ $output == *"stdin: Bad file descriptor"* ]]
	run -2 without '0 1 2' foldmerge --memory 1K "$big"
	[ -z "$output" ]
	foldmerge "$big" >"$BATS_TEST_TMPDIR/whole"
	without 2 foldmerge --memory 1K "$big" >"$BATS_TEST_TMPDIR/out"
	cmp "$BATS_TEST_TMPDIR/whole" "$BATS_TEST_TMPDIR/out"
}

@test "a full disk is said by name" {
	local big=$BATS_TEST_TMPDIR/b.folded

	run -2 bash -c "foldmerge '$big' >/dev/full"
	[ "$output" = "foldmerge: standard output: No space left on device" ]
	yes "$(cat "$big")" | head -n 100000 >"$BATS_TEST_TMPDIR/long"
	run -2 bash -c "foldgrep --frame main \
		'$BATS_TEST_TMPDIR/long' >/dev/full"
	[ "$output" = "foldgrep: standard output: No space left on device" ]
}

@test "a folder for temporary files that is not there is said by name" {
	local none=$BATS_TEST_TMPDIR/none

	TMPDIR=$none run -2 foldmerge --memory 1K "$BATS_TEST_TMPDIR/b.folded"
	[[ $output == "foldmerge: $none: "*"No such file or directory" ]]
}

@test "neither HOME nor TMPDIR need be" {
	local in=$BATS_TEST_TMPDIR/b.folded

	foldmerge "$in" >"$BATS_TEST_TMPDIR/whole"
	env -u HOME -u TMPDIR -u XDG_DATA_DIRS foldmerge --memory 1K "$in" |
		cmp - "$BATS_TEST_TMPDIR/whole"
	env -u HOME -u TMPDIR -u XDG_DATA_DIRS foldcolor -p jvm "$in" >/dev/null
}

@test "stackcollapse says that the rest of its input could not be read" {
	local in=$BATS_TEST_TMPDIR/in

	can_fail
	# More than is looked at; a folder cannot be read.
	yes "$(cat "$DATA/perf/cpp.in")" | head -c 1500000 >"$in"
	stackcollapse <"$in" >"$BATS_TEST_TMPDIR/out"
	stackcollapse-perf "$in" | cmp - "$BATS_TEST_TMPDIR/out"
	run -2 bash -c "stackcollapse <'$BATS_TEST_TMPDIR'"
	[[ $output == *"stdin: Is a directory"* ]]
	echo "'$in' stackcollapse" | FAULTS=0 run_jobs
}
