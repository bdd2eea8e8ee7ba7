#!/usr/bin/env bats
# timeline.bats - the strip of activity by time and thread above a picture.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# stream N THREADS: N samples 10 ms apart.
stream() {
	awk -v n="$1" -v threads="$2" 'BEGIN {
		print "#fold=1;counts=1;unit=ns;clock=perf"
		for (i = 0; i < n; i++) {
			tid = 100 + i % threads
			printf "#time=%d.%09d;pid=100;tid=%d\n", i / 100, i % 100 * 1e7, tid
			printf "app;f%d 10000000\n", i % 7
		}
	}'
}

lanes() {
	grep -c 'class="lane"' "$1"
}

@test "a stream has a lane for each thread, other input has none" {
	stream 100 3 | flamegraph >strip.svg
	[ "$(lanes strip.svg)" -eq 3 ]
	grep -qF '<title>app 101</title>' strip.svg
	grep -qF 'data-fg="times"' strip.svg
	stream 100 3 | flamegraph --no-timeline >none.svg
	run ! grep -qF timeline none.svg
	stream 100 3 | grep -v '^#time' | flamegraph >plain.svg
	run ! grep -qF timeline plain.svg
	stream 100 3 | flamegraph --heatmap >heat.svg
	run ! grep -qF timeline heat.svg
	stream 1 1 | flamegraph >one.svg
	run ! grep -qF timeline one.svg
}

@test "the strip is in the picture that is static" {
	stream 100 3 | flamegraph --static >strip.svg
	[ "$(lanes strip.svg)" -eq 3 ]
	run ! grep -qF '<script' strip.svg
	xmllint --noout strip.svg
}

# pair: two samples of two threads, a quarter of a second apart.
pair() {
	cat <<-'END'
		#fold=1;counts=1;unit=ns;clock=perf
		#time=1.000000000;pid=7;tid=8
		app;f 3
		#time=1.250000000;pid=7;tid=9
		app;g 4
	END
}

@test "the axis has times at steps of 1, 2 or 5" {
	local step

	for step in 50:1 20:2 10:5; do
		pair | sed "s/1[.]250*/1.${step%:*}0000000/" | flamegraph --static |
			sed -n '/data-fg="times"/,/<[/]g>/s/.*>\(.* ms\)<.*/\1/p'
	done >labels
	diff - labels <<-END
		$(printf '%s ms\n' 0 50 100 150 200 250 300 350 400 450)
		$(printf '%s ms\n' 0 20 40 60 80 100 120 140 160 180)
		$(printf '%s ms\n' 0 10 20 30 40 50 60 70 80 90)
	END
}

@test "the script gets version, threads, times and counts of all samples" {
	pair | flamegraph --no-deflate |
		sed -n 's/.*data-fg="samples"[^>]*>\([^<]*\)<.*/\1/p' | base64 -d >table
	# Version 1, ticks of 239 ns, 1046026 of them, 2 threads, 2 samples that
	# are not even; length, name, process + 1 and thread + 1; times, threads,
	# frames and counts.
	printf '%b' '\1\xef\1\x8a\xec\x3f\2\2\0' '\5app 9\x8\xa' '\5app 8\x8\x9' \
		'\0\x89\xec\x3f' '\1\0' '\2\3' '\3\4' | cmp - table
}

@test "unflame reads a picture with a strip" {
	stream 50 2 | flamegraph | unflame | grep -v '^#' >got
	stream 50 2 | foldmerge | grep -v '^#' | diff - got
}

@test "times of several clocks give no timeline, and a message" {
	{
		stream 10 1
		stream 10 1 | sed 's/clock=perf/clock=realtime/'
	} >two
	run --separate-stderr flamegraph two
	[[ $output != *timeline* ]]
	[[ $stderr == *'no timeline: the samples have times of several clocks'* ]]
}

@test "many threads share a lane" {
	stream 3000 300 | flamegraph >strip.svg
	[ "$(lanes strip.svg)" -eq 9 ]
	grep -qF '<title>248 more threads</title>' strip.svg
}

@test "a thread has the name that nearly all of its samples have" {
	{
		echo '#fold=1;counts=1;clock=perf'
		printf '#time=%s;tid=7\n%s;main %d\n' 0.1 sh 1 0.2 server 4 \
			0.3 server 5
		printf '#time=%s;tid=8\n%s;main 1\n' 0.1 a 0.2 b 0.3 b
	} | flamegraph >named.svg
	grep -qF '<title>server 7</title>server 7</text>' named.svg
	grep -qF '<title>thread 8</title>' named.svg
}

@test "samples of hostile threads, times and names are drawn" {
	cat >odd <<-'END'
		#fold=1;counts=1;clock=%3Cb%3E
		#time=0.000000000;pid=9223372036854775807;tid=9223372036854775807
		</svg><script>alert(1)</script> 1
		#time=18446744073.709551615;pid=99999999999999999999;tid=-5
		a;b 0
		#time=18446744073.709551614
		a;"b' 18446744073709551000
	END
	flamegraph odd >odd.svg
	xmllint --noout odd.svg
	[ "$(grep -c '<script' odd.svg)" -eq 1 ]
	grep -qF '9223372036854775807</title>' odd.svg
}

@test "the times of many different stacks keep to a bound" {
	awk 'BEGIN {
		print "#fold=1;counts=1;clock=perf"
		for (i = 0; i < 300000; i++)
			printf "#time=%d.%09d\nf%d;g%d 1\n", i / 1000, i % 1000 * 1e6, i % 50, int(i / 1000) % 2
	}' >many
	flamegraph --no-deflate many >many.svg
	# Ticks became longer, so that equal stacks of one tick are one entry.
	bytes=$(sed -n 's/.*data-fg="samples"[^>]*>\([^<]*\).*/\1/p' many.svg | wc -c)
	echo "$bytes bytes"
	[ "$bytes" -gt 10000 ]
	[ "$bytes" -lt 800000 ]
}
