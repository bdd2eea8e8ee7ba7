#!/usr/bin/env bats
# threads.bats - stackcollapse-perf reads large text by several threads: what it
# writes and says is the same with any number of them.

load ../helper

# Nine parts, of which all but two are read by whichever thread is free.
setup_file() {
	export BIG=$BATS_FILE_TMPDIR/big.txt

	"$top_builddir/t/programs/plenty" perf 9500000 \
		<"$DATA/perf/gcc.in" >"$BIG"
}

# fold THREADS ARGUMENT...: output, messages and status in files.
fold() {
	local n=$1

	shift
	stackcollapse-perf --threads "$n" "$@" >"out.$n" 2>"err.$n" &&
		echo 0 >"status.$n" || echo $? >"status.$n"
}

# same ARGUMENT...: THREADS threads, or three, do as one does.
same() {
	local n what

	cd "$BATS_TEST_TMPDIR" || return
	fold 1 "$@"
	for n in ${THREADS:-3}; do
		fold "$n" "$@"
		for what in out err status; do
			cmp "$what.1" "$what.$n"
		done
	done
}

# insert LINE FILE: the text with a file after about so many lines, where a
# sample ends.
insert() {
	awk -v at="$1" -v file="$2" '
	{ print }
	NR >= at && $0 == "" && !done {
		while ((getline line <file) > 0)
			print line
		done = 1
	}' "$BIG"
}

# threads ARGUMENT...: how many a run begins.
threads() {
	strace -f -qq -e trace=clone,clone3 -o trace \
		stackcollapse-perf "$@" >/dev/null 2>&1
	grep 'CLONE_THREAD' trace | grep -vc ENOSYS || true
}

# bats test_tags=threads
@test "stacks, roots and counts are the same with any number of threads" {
	local options

	THREADS="2 3 8 64" same "$BIG"
	for options in --pid --tid --all --addrs --mix "--root none" \
		"--count samples" "--event-filter all" --meta \
		"--skip-after main" "--event-filter cycles" \
		"--only tid=1" --repair --drop-idle; do
		echo "# $options"
		# shellcheck disable=SC2086
		same $options "$BIG"
	done
	[ -s out.1 ]
}

@test "several files, and compressed ones" {
	cd "$BATS_TEST_TMPDIR"
	gzip -1 <"$BIG" >big.gz
	same "$DATA/perf/cpp.in" "$BIG" big.gz "$BIG"
}

# bats test_tags=threads
@test "an event that comes late is reported as by one thread" {
	cd "$BATS_TEST_TMPDIR"
	printf 'late 1 5.0: 7 instructions: \n\t12 late (/bin/late)\n\n' >late
	insert 80000 late >with
	same with
	grep -q 'instructions (1 sample)' err.1
	same --event-filter instructions with
	[ "$(cat out.3)" = "late;late 7" ]
}

# bats test_tags=threads
@test "a line that is not understood has its number" {
	cd "$BATS_TEST_TMPDIR"
	echo 'what is this?' >bad
	insert 80000 bad >with
	same with
	grep -qE 'with:[0-9]{5}: not perf script text: what is this\?' err.3
	same --strict with
	[ "$(cat status.3)" -eq 1 ]
}

# bats test_tags=threads
@test "header lines and records in the middle count from there" {
	cd "$BATS_TEST_TMPDIR"
	cat >header <<-'END'
	# event : name = cpu-clock, , id = { 1 }, { sample_period, sample_freq } = 99, freq = 1
	END
	insert 80000 header >with
	same with
	same --count time with
	cat >record <<-'END'
	cc1plus 7 5.0: PERF_RECORD_LOST lost 5
	END
	insert 80000 record >with
	same with
	same --samples with
}

@test "input that is cut off is noticed" {
	local n

	cd "$BATS_TEST_TMPDIR"
	for n in 1 40 100 3333 1000; do
		head -c "-$n" "$BIG" >with
		same with
	done
	[ "$(cat status.3)" -eq 0 ]
	grep -q 'no blank line after the last stack' err.3
	# A whole stack that ends as the last one proves that one whole.
	printf 'rare 1 5.0: 7 cpu-clock:pppH: \n\t12 rare (/bin/rare)\n' >last
	cat last - <<<"" >rare
	insert 80000 rare >with
	cat last >>with
	same with
	[ ! -s err.3 ] || ! grep 'no blank line' err.3
}

@test "text without blank lines, or with CR, is read by one thread" {
	cd "$BATS_TEST_TMPDIR"
	grep -v '^$' "$BIG" >with
	same with
	sed 's/$/\r/' "$BIG" >with
	same with
}

@test "samples that are long or many are cut where they end" {
	local i

	cd "$BATS_TEST_TMPDIR"
	# A sample that is longer than a part, in the middle.
	{
		echo 'deep 1 5.0: 3 cpu-clock:pppH: '
		for ((i = 0; i < 60000; i++)); do
			printf '\t%16x f%d (/bin/deep)\n' $((i + 4096)) "$i"
		done
		echo
	} >deep
	insert 80000 deep >with
	same with
	grep -q '^deep;f59999;' out.3
}

# sample PERIOD NAME: a sample of a stack of two frames.
sample() {
	printf 'big 1 5.0: %s cpu-clock:pppH: \n' "$1"
	printf '\t%16x %s (/bin/big)\n' 4096 "$2" 8192 main
	echo
}

# many FROM: samples of 40000 functions.
many() {
	awk -v from="$1" 'BEGIN {
		for (i = from; i < from + 40000; i++)
			printf "many 1 5.0: 3 cpu-clock:pppH: \n" \
			    "\t%16x f%d (/bin/many)\n\n", i, i
	}'
}

# Tables of several threads are put together when their stacks are sorted.
# bats test_tags=threads
@test "stacks of several threads are equal, or their names are many" {
	local half=9223372036854775808

	cd "$BATS_TEST_TMPDIR"
	many 0 >a
	many 30000 >b
	echo "# more stacks than one thread sorts"
	insert 40000 a >with-a
	THREADS="2 3 8" same with-a
	grep -q '^many;f39999 3' out.3
	echo "# more names than have numbers of two bytes"
	BIG=with-a insert 200000 b >with
	THREADS="2 3 8" same with
	grep -q '^many;f39999 6' out.3
	grep -q '^many;f69999 3' out.3
	echo "# counts that add up to more than 64 bits, or nearly do"
	sample $half one >first
	# The first part has a table of its own.
	insert 1000 first >with-one
	BIG=with-one insert 100000 first >with
	same with
	[ "$(cat status.3)" -eq 2 ]
	sample $half two >second
	BIG=with-one insert 100000 second >with
	same with
	[ "$(cat status.3)" -eq 0 ]
	grep -q "^big;main;two $half" out.3
}

@test "small input begins no thread, large input does" {
	command -v strace >/dev/null || skip "no strace"
	cd "$BATS_TEST_TMPDIR"
	strace -qq -o trace true 2>/dev/null || skip "strace may not trace"
	[ "$(threads --threads 4 "$DATA/perf/gcc.in")" -eq 0 ]
	[ "$(threads --threads 4 "$BIG")" -eq 3 ]
	[ "$(threads --threads 1 "$BIG")" -eq 0 ]
}

@test "an address space for few threads has few, and the same output" {
	cd "$BATS_TEST_TMPDIR"
	need_plain "sanitizers reserve terabytes"
	fold 1 "$BIG"
	(
		ulimit -v 250000
		fold 16 "$BIG"
	)
	cmp out.1 out.16
	cmp err.1 err.16
	[ "$(cat status.16)" -eq 0 ]
}

@test "a number of threads is a number" {
	run -2 --separate-stderr stackcollapse-perf --threads 0 "$BIG"
	run -2 --separate-stderr stackcollapse-perf --threads x "$BIG"
	run -2 --separate-stderr stackcollapse-perf --threads 65 "$BIG"
}
