#!/usr/bin/env bats
# errors.bats - what is said of input that is of a format, but cannot be.

load ../helper

# says STATUS MESSAGE COMMAND...: how a command ends, its input being ours, and
# what it has on standard output: $output.
says() {
	local status=$1 message=$2

	shift 2
	run "-$status" --separate-stderr "$@"
	[[ $stderr == *"$message"* ]]
}

@test "weights that are negative or too large are left out" {
	local head='{"exporter": "speedscope", "shared": {"frames":
		[{"name": "a", "file": "x.c", "line": 7}, {"name": "b"}]},
		"profiles": [{"type": "sampled", "unit": "none",
		"startValue": 0, "endValue": 9, '

	says 0 'a negative weight' stackcollapse-speedscope --srcline <<-END
	$head "samples": [[0], [0, 1]], "weights": [-1, 2]}]}
	END
	[ "$output" = 'a:x.c:7;b 2' ]
	says 0 'a weight beyond 63 bits' stackcollapse-speedscope <<-END
	$head "samples": [[0], [0, 1]], "weights": [3, 1e19]}]}
	END
	[ "$output" = 'a 3' ]
}

@test "stackprof: counts below zero, and no stacks at all" {
	local head='{"version": 1.2, "mode": "wall", "interval": 1, "frames":
		{"1": {"name": "a"}, "2": {"name": "b"}}'

	says 0 'a negative count' stackcollapse-stackprof --count samples <<-END
	$head, "raw": [1, 1, -3, 2, 1, 2, 4]}
	END
	[ "$output" = 'a;b 4' ]
	says 2 'no stacks; record with raw: true' stackcollapse-stackprof <<-END
	$head}
	END
}

@test "v8: time that is more than there can be" {
	local nodes='{"nodes": [{"id": 1, "callFrame": {"functionName": "(root)"},
		"children": [2]}, {"id": 2, "callFrame": {"functionName": "f"}}],
		"startTime": 0, "endTime": 100'
	local most=4611686018427387904

	says 0 'times add up to more than 64 bits' stackcollapse-v8 <<-END
	$nodes, "samples": [2, 2, 2, 2, 2, 2],
		"timeDeltas": [0, $most, $most, $most, $most, 9]}
	END
	# The first of the four, and 9.
	[ "$output" = '(root);f 4611686018427387913' ]
	says 2 'samples come before the objects they refer to' stackcollapse-v8 <<-END
	{"samples": [2], ${nodes#?}}
	END
}

@test "ghcprof: a cost below zero, and what is no profile" {
	says 0 'a negative cost' stackcollapse-ghcprof <<-'END'
	{"program": "p", "tick_interval": 1000, "cost_centres": [
	{"id": 1, "label": "MAIN", "module": "M", "src_loc": "<built-in>"},
	{"id": 2, "label": "f", "module": "M", "src_loc": "x.hs:1"}],
	"profile": {"id": 1, "ticks": 3, "children": [
	{"id": 2, "ticks": -1, "children": []}]}}
	END
	[ "$output" = 'MAIN 3' ] || [ "$output" = 'M.MAIN 3' ]
	says 2 'not a GHC profile' stackcollapse-ghcprof <<<'{"program": "p"}'
}

@test "callgrind: an event that was not counted" {
	says 2 'no event Xx' stackcollapse-callgrind --cost Xx <<-'END'
	# callgrind format
	events: Ir Dr
	fn=main
	1 5 7
	END
}

@test "a format that might be another is not guessed" {
	says 2 'it may be for stackcollapse-stackprof or another command' \
		stackcollapse <<<'{"gc_samples": 0, "traceEvents": [{"ph": "B"}]}'
}

@test "sums beyond 64 bits end with status 2" {
	local how large=18446744073709551615

	says 2 'more than 64 bits' foldcolor --list -p kernel <<-END
	a $large
	b 1
	END
	printf 'a %s\n' 9223372036854775807 9223372036854775807 2 \
		>"$BATS_TEST_TMPDIR/flames"
	says 2 'more than 64 bits' stackcollapse-typhon \
		"$BATS_TEST_TMPDIR/flames"
	# In it, numbers are tenths of what is counted.
	says 2 'exceeds 64 bits' stackcollapse-typhon <<<'a 1844674407370955162'
	says 2 'the sum exceeds 64 bits' flamegraph <<-END
	a $large
	b 1
	END
	says 2 'more than 64 bits' foldgrep --drop-frame '^[xy]$' <<-END
	a;x $large
	a;y 1
	END
	printf '#fold=1;time=%d.000000000;dur=1.000000000\na %s\n\n' \
		1 $large 2 $large >"$BATS_TEST_TMPDIR/stream"
	says 2 'more than 64 bits' foldmerge "$BATS_TEST_TMPDIR/stream"
	for how in '' '--window 20s' --cumulative '--decay 20s'; do
		# shellcheck disable=SC2086 # words
		says 2 'more than 64 bits' foldmerge --every 10s $how \
			"$BATS_TEST_TMPDIR/stream"
	done
}

@test "flamegraph -o: what cannot be written whole leaves what was there" {
	cd "$BATS_TEST_TMPDIR"
	echo a 1 | flamegraph >picture.svg
	cp picture.svg old
	# A disk that is full after a kilobyte; messages are more.
	run bash -c 'set -o pipefail; { ulimit -f 1; trap "" XFSZ
		flamegraph -o picture.svg <<<"b 1"; } 2>&1 | cat'
	[ "$status" -eq 2 ]
	[[ $output == *"/picture.svg."*".part: File too large" ]]
	cmp old picture.svg
	[ "$(echo *)" = 'old picture.svg' ]
}

@test "unflame: pictures of which one is a diff, or whose table is cut off" {
	local n

	cd "$BATS_TEST_TMPDIR"
	echo 'a;b 1' | flamegraph >one.svg
	echo 'a;b 1 2' | flamegraph >two.svg
	says 2 'a diff, or other inputs are' unflame one.svg two.svg
	for n in 12 16 20 24 28 32 36 40; do
		sed "s/\(data-form=\"raw\">.\{$n\}\)[^<]*/\1/" one.svg >spoilt.svg
		says 2 'the table is damaged' unflame spoilt.svg
	done
}

@test "unflame: a sum beyond 64 bits, of pictures that have less" {
	cd "$BATS_TEST_TMPDIR"
	echo 'a;b 18446744073709551615' | flamegraph >one.svg
	says 2 'counts add up to more than 64 bits' unflame one.svg one.svg
}

# As perf writes through a pipe: an event's attributes, then records.
recording() {
	"$top_builddir/t/programs/mkperf" >"$BATS_TEST_TMPDIR/data"
}

@test "perf.data: values that were read with a sample are skipped, of all forms" {
	local format

	# PERF_SAMPLE_IP, TID, READ, CALLCHAIN; a value, and with a group three.
	for format in 0 3 7 8 12 15 31; do
		{
			echo "64 0 4:1 4:128 8:0 8:1 8:0x33 8:$format 8:0x40000 80:0"
			printf '9 2 8:16 4:7 4:7'
			values $format
			echo ' 8:2 8:0xfffffffffffffe00 8:0x1000'
		} | recording
		run -0 --separate-stderr stackcollapse-perf --root pid \
			"$BATS_TEST_TMPDIR/data"
		[ "$output" = 'pid-7;[unknown] 1' ]
		[[ $stderr != *skipped* ]]
	done
}

# values FORMAT: of PERF_SAMPLE_READ, by the flags of read_format.
values() {
	local one=1 times=0 n

	[ $(($1 & 1)) -eq 0 ] || times=$((times + 1))
	[ $(($1 & 2)) -eq 0 ] || times=$((times + 1))
	[ $(($1 & 4)) -eq 0 ] || one=$((one + 1))
	[ $(($1 & 16)) -eq 0 ] || one=$((one + 1))
	n=$one
	if [ $(($1 & 8)) -ne 0 ]; then
		n=$((3 * one))
		printf ' 8:3'
	fi
	printf ' 8:99%.0s' $(seq $((n + times)))
}

@test "perf.data: more values, branches or callers than there are is said" {
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x33 8:8 8:0x40000 80:0"
		echo "9 2 8:16 4:7 4:7 8:1000 8:99 8:2 8:0xfffffffffffffe00 8:16"
	} | recording
	says 2 'skipped' stackcollapse-perf "$BATS_TEST_TMPDIR/data"
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x823 8:0 8:0x40000 80:0"
		echo "9 2 8:16 4:7 4:7 8:1 8:16 8:1000 8:1 8:2 8:3"
	} | recording
	says 2 'skipped' stackcollapse-perf "$BATS_TEST_TMPDIR/data"
}

@test "perf.data: attributes that are cut short are said" {
	echo "64 0 4:1 4:9 8:0" | recording
	says 2 'an event is corrupt' stackcollapse-perf "$BATS_TEST_TMPDIR/data"
}

@test "jitdump: records that are too short for their kind are said" {
	local kind

	cd "$BATS_TEST_TMPDIR"
	# Of kind 1, a move, and 2, lines; 24 bytes with their head of 16.
	for kind in 1:MOVE 2:DEBUG_INFO; do
		{
			printf 'DTiJ\1\0\0\0(\0\0\0>\0\0\0\0\0\0\0\7\0\0\0'
			printf '\0%.0s' {1..16}
			printf '%b\0\0\0\30\0\0\0' "\\0${kind%:*}"
			printf '\0%.0s' {1..16}
		} >jit-7.dump
		says 0 "${kind#*:} is too short" jitsym --jitdump jit-7.dump <<<'a 1'
	done
}

@test "foldexport: a snapshot that is cut off does not count, and that is said" {
	says 0 'stdin: dropped the last snapshot, which is truncated' \
		foldexport --to csv <<-'END'
		#fold=1;time=1.000000000;dur=1.000000000
		a 1

		#fold=1;time=2.000000000;dur=1.000000000
		a 2
	END
	[ "$output" = $'stack,count\n"a",1' ]
}

@test "pprof: a value below zero, as in a difference of profiles" {
	# A type, two samples, a location, a function, and the strings.
	printf '\12\4\10\1\20\2\22\15\10\1\20\377\377\377\377\377\377\377\377\377\1\22\4\10\1\20\3\42\6\10\1\42\2\10\1\52\4\10\1\20\3\62\0\62\7samples\62\5count\62\1f' \
		>"$BATS_TEST_TMPDIR/in"
	says 0 'a negative value, as in a diff of profiles' \
		stackcollapse-pprof "$BATS_TEST_TMPDIR/in"
	[ "$output" = 'f 3' ]
}

@test "profiles and streams of different units are not merged, by no way" {
	cd "$BATS_TEST_TMPDIR"
	printf '#fold=1;unit=ns\na 1\n' >ns
	printf '#fold=1;unit=bytes\na 1\n' >bytes
	says 2 'bytes: this profile cannot be merged: its unit' \
		foldmerge --sorted ns bytes
	printf '#fold=1;time=1;dur=1;unit=ns\na 1\n\n' >ns
	printf '#fold=1;time=1;dur=1;unit=bytes\na 1\n\n' >bytes
	says 2 'bytes:3: this profile cannot be merged: its unit' \
		foldmerge ns bytes
	says 2 "ns:1: its unit is ns, but another input has bytes" \
		foldmerge --every 10s ns bytes
}

@test "folddiff --stream: what is no stream of snapshots" {
	local large=18446744073709551615

	says 2 'stdin:2: a snapshot has one count per line, not two' folddiff --stream <<-END
	#fold=1;time=1.000000000;dur=1.000000000
	a 1 2

	END
	says 2 'stdin:3: the sum exceeds 64 bits' folddiff --stream <<-END
	#fold=1;time=1.000000000;dur=1.000000000
	a $large
	a 1

	END
}

@test "sums of parts, snapshots and columns beyond 64 bits end with status 2" {
	local large=18446744073709551615

	says 2 'more than 64 bits' foldsplit --by tid <<-END
	#fold=1
	#time=1.000000000;tid=1
	a $large
	#time=2.000000000;tid=1
	a 1
	END
	says 2 'the sum exceeds 64 bits' foldexport --to speedscope <<-END
	#fold=1;time=1.000000000;dur=1.000000000
	a $large

	#fold=1;time=2.000000000;dur=1.000000000
	b 1

	END
	says 2 'the sum exceeds 64 bits' flamegraph --heatmap <<-END
	#fold=1
	#time=1.000000000
	a $large
	#time=1.000000000
	a 1
	END
}

@test "foldsplit: more parts than a person can look at are refused" {
	{
		echo '#fold=1'
		awk 'BEGIN { for (i = 0; i <= 10000; i++)
			printf "#time=1.000000000;cpu=%d\na 1\n", i }'
	} >"$BATS_TEST_TMPDIR/stream"
	says 2 'more than 10000 parts' foldsplit --by cpu "$BATS_TEST_TMPDIR/stream"
}
