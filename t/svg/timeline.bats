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
