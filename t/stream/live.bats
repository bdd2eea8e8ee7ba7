#!/usr/bin/env bats
# live.bats - streams as they come: foldmerge --every, and what is around it.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# What runs beside the test; teardown() ends it where the test did not.
teardown() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || :
}

# beside COMMAND...: run it with its output in out, and its number in pid.
beside() {
	"$@" >out 2>err 3>&- &
	pid=$!
}

# A stream of 600 samples at random times, the same each time for one awk.
random_samples() {
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		t = 100500
		print "#fold=1;counts=1;unit=samples;clock=perf"
		for (i = 0; i < 600; i++) {
			t += int(rand() * rand() * 300)
			if (rand() < 0.01)
				t += 4000
			printf "#time=%d.%03d000000;tid=%d\n", t / 1000,
			    t % 1000, i % 3
			printf "main;f%d;g%d %d\n", rand() * rand() * 5,
			    rand() * 3, 1 + rand() * 3
		}
	}'
}

# The same as lines "TIME STACK COUNT", in ms.
times_of() {
	awk '/^#time=/ { t = substr($0, 7) * 1000 }
	!/^#/ { printf "%.0f %s %s\n", t, $1, $2 }' "$1"
}

# Snapshots as lines "BEGIN END STACK COUNT", in ms, one without a stack for
# each.
snapshots_of() {
	awk -F '[;=]' '/^#fold/ {
		for (i = 1; i < NF; i += 2)
			key[$i] = $(i + 1)
		b = key["time"] * 1000
		e = b + key["dur"] * 1000
		printf "%.0f %.0f . 0\n", b, e
	}
	!/^#/ && NF > 0 { printf "%.0f %.0f %s\n", b, e, $0 }' "$1"
}

# snapshot TIME HOST STACK COUNT
snapshot() {
	printf '#fold=1;clock=realtime;dur=1.000000000;host=%s;' "$2"
	printf 'n=%s;quantum=1;time=%s.000000000;unit=samples\n' "$4" "$1"
	printf '%s %s\n\n' "$3" "$4"
}

# until_there TEXT FILE: wait until it is in the file.
until_there() {
	within_minutes grep -q "$1" "$2" && return
	cat "$2"
	return 1
}

# answers TEXT: it is in a snapshot that is asked for now.
answers() {
	kill -USR1 "$pid"
	sleep 0.1
	grep -q "$1" out
}

# ask_until TEXT: ask for snapshots until it is in one.
ask_until() {
	within_minutes answers "$1" && return
	cat out
	return 1
}

@test "--every writes a snapshot at each tick, and one for no stacks" {
	cat >samples <<'END'
#fold=1;counts=1;unit=samples;clock=perf
#time=100.500000000;pid=1
a;b 1
#time=100.900000000;pid=1
a;c 1
#time=101.100000000
a;b 1
#time=103.200000000
a;b 1
END
	run -0 foldmerge --every 1s samples
	[ "$output" = '#fold=1;counts=1;clock=perf;dur=0.500000000;n=2;quantum=1;time=100.500000000;unit=samples
a;b 1
a;c 1

#fold=1;counts=1;clock=perf;dur=1.000000000;n=1;quantum=1;time=101.000000000;unit=samples
a;b 1

#fold=1;counts=1;clock=perf;dur=1.000000000;n=0;quantum=1;time=102.000000000;unit=samples

#fold=1;counts=1;clock=perf;dur=0.200000000;n=1;quantum=1;time=103.000000000;unit=samples
a;b 1' ]
	foldmerge --every 1s samples >deltas
	foldmerge --every 1000ms deltas | cmp - deltas
}

@test "deltas add up to the whole, for those too who ignore metadata" {
	random_samples 1 >samples
	foldmerge samples >whole
	for every in 10ms 700ms 3 1000s; do
		foldmerge --every $every samples >deltas
		foldmerge deltas | diff whole -
		grep -v '^#' deltas | grep . | foldmerge | diff whole -
		run -0 foldmerge --meta deltas
		[[ ${lines[0]} == *';n=600;'* ]]
	done
}

@test "a window is exactly the stacks of its time" {
	random_samples 2 >samples
	times_of samples >truth
	foldmerge --every 500ms --window 2s samples >windows
	snapshots_of windows >seen
	[ "$(grep -c '\. 0$' seen)" -gt 50 ]
	awk 'NR == FNR { time[++n] = $1; stack[n] = $2; count[n] = $3; next }
	$3 == "." {
		for (s in sum)
			if (sum[s] != 0) {
				print "missing", b, e, s
				exit 1
			}
		split("", sum)
		b = $1
		e = $2
		if (shots++ > 4 && last != 2000) {
			print "length", last, b, e
			exit 1
		}
		last = e - b
		for (i = 1; i <= n; i++)
			if (time[i] >= b && (time[i] < e || time[n] == e))
				sum[stack[i]] += count[i]
		next
	}
	{
		if (sum[$3] != $4) {
			print "wrong", $0, sum[$3]
			exit 1
		}
		sum[$3] = 0
	}' truth seen
}

@test "decay halves what is older by as much, to six decimals" {
	random_samples 3 >samples
	times_of samples >truth
	foldmerge --every 500ms --decay 3s samples >decayed
	snapshots_of decayed >seen
	[ "$(grep -c '\. 0$' seen)" -gt 50 ]
	# Ages are those of intervals.
	awk 'NR == FNR { time[++n] = $1; stack[n] = $2; count[n] = $3; next }
	function check(s) {
		for (s in sum)
			if (sum[s] > 0.00001) {
				print "missing", e, s, sum[s]
				exit 1
			}
	}
	$3 == "." {
		check()
		split("", sum)
		e = $2
		for (i = 1; i <= n; i++) {
			if (time[i] >= e && time[n] != e)
				break
			p = (int(time[i] / 500) + 1) * 500
			if (p > e)
				p = e
			sum[stack[i]] += count[i] * exp((p - e) / 3000 * log(2))
		}
		next
	}
	{
		d = sum[$3] - $4
		if (d > 0.000002 || d < -0.000002) {
			print "wrong", $0, sum[$3]
			exit 1
		}
		sum[$3] = 0
	}
	END { check() }' truth seen
	run -0 grep -c 'kind=ewma' decayed
}

@test "--cumulative ends with the whole; all but deltas are not added up" {
	random_samples 4 >samples
	foldmerge --every 1s --cumulative samples >sums
	awk '/^#/ { last = "" } !/^#/ && NF { last = last $0 "\n" }
		END { printf "%s", last }' sums | diff - <(foldmerge samples)
	run ! foldmerge sums
	run -2 --separate-stderr foldmerge --every 1s sums
	[[ $stderr == *'sums:1: '*'only deltas can be added up'* ]]
	run -0 foldtop sums
	[ "${lines[0]%% *}" = 600 ]
}

@test "files are read side by side by their times" {
	random_samples 5 >all
	awk 'NR == 1 { print >"one"; print >"two"; next }
	/^#/ { meta = $0; next }
	{ f = NR % 4 == 1 ? "one" : "two"; print meta >f; print >f }' all
	foldmerge --every 1s all >want
	foldmerge --every 1s one two | diff want -
	foldmerge --every 1s two one | diff want -
	foldmerge --every 1s <all | diff want -
}

@test "memory is given back: what is gone is forgotten" {
	# More frames than are kept before they are looked through.
	awk 'BEGIN {
		print "#fold=1;counts=1;clock=perf"
		for (i = 0; i < 40000; i++)
			printf "#time=%d.%03d000000\nm;a%d;b%d;c 1\n",
			    100 + i / 1000, i % 1000, i, i
	}' >samples
	foldmerge --every 1s --window 2s samples >windows
	snapshots_of windows | awk '$3 != "." {
		split($3, f, /[;a-c]+/)
		t = 100000 + f[2]
		bad += t < $1 || t > $2 || $4 != 1
		n++
	}
	END { print n, bad + 0; exit !(n == 80000 && bad == 0) }'
}

@test "SIGUSR1 asks for a snapshot now, SIGTERM for the last" {
	mkfifo in next
	beside foldmerge --every 1000s in
	exec 4>in
	printf '#fold=1;clock=perf\n#time=5.000000000\na 1\n' >&4
	ask_until '^a 1'
	grep -q '^#.*;dur=0.000000000;.*time=5.000000000' out
	printf '#time=7.000000000\nb 1\n' >&4
	ask_until '^b 1'
	grep -q '^#.*;dur=2.000000000;.*time=5.000000000' out
	printf '#time=8.000000000\na 1\n' >&4
	exec 4>&-
	wait "$pid"
	[ "$(foldmerge out)" = 'a 2
b 1' ]
	beside foldmerge --every 1000s --window 2000s next
	exec 4>next
	printf '#fold=1;clock=perf\n#time=5.000000000\na 1\n' >&4
	printf '#time=7.000000000\na 1\n' >&4
	ask_until '^a 2'
	kill -TERM "$pid"
	wait "$pid"
	[ "$(tail -n 2 out | head -n 1)" = 'a 2' ]
	exec 4>&-
}

@test "--follow merges what hosts write; a silent one holds up nothing" {
	mkfifo web1.fifo web2.fifo
	beside foldmerge --every 1s --follow --late 300ms --root host \
		web1.fifo web2.fifo
	exec 4>web1.fifo 5>web2.fifo
	snapshot 1000 two b 2 >&5
	until_there '^two;b 2' out
	# The first has begun when its stacks are there.
	snapshot 1001 one a 1 >&4
	until_there '^one;a 1' out
	# The second is silent.
	for t in 1002 1003 1004; do
		snapshot $t one a 1 >&4
	done
	until_there 'host=one;.*time=1002.' out
	# It comes back too late, and counts all the same.
	snapshot 1001 two b 4 >&5
	snapshot 1005 one a 1 >&4
	until_there '^two;b 4' out
	exec 4>&- 5>&-
	wait "$pid"
	[ "$(foldmerge out)" = 'one;a 5
two;b 6' ]
	grep -q '1 stack came after its interval' err
}

@test "--follow waits for a host that is late" {
	mkfifo web1.fifo web2.fifo
	beside foldmerge --every 1s --follow --late 60s --root host \
		web1.fifo web2.fifo
	exec 4>web1.fifo 5>web2.fifo
	snapshot 1000 two b 1 >&5
	until_there '^two;b 1' out
	snapshot 1001 one a 2 >&4
	ask_until '^one;a 2'
	for t in 1002 1003; do
		snapshot $t one a 3 >&4
	done
	sleep 0.5
	run ! grep '^one;a 3' out
	snapshot 1002 two b 3 >&5
	until_there 'host=one,two;.*time=1002.' out
	exec 4>&- 5>&-
	wait "$pid"
	[ "$(foldmerge out)" = 'one;a 8
two;b 4' ]
	[ ! -s err ]
}

@test "time goes on where nothing comes, with --follow" {
	mkfifo in
	beside foldmerge --every 100ms --window 200ms --follow --late 100ms in
	exec 4>in
	printf '#fold=1;clock=perf\n#time=5.010000000\na 1\n' >&4
	until_there 'n=0;.*time=5.200000000' out
	kill -TERM "$pid"
	wait "$pid"
	exec 4>&-
}

@test "a growing file is followed from its start" {
	snapshot 10 one a 1 >file
	snapshot 11 one a 1 >>file
	beside foldmerge --every 1s --follow file
	until_there 'time=11.' out
	snapshot 12 one b 7 >>file
	until_there '^b 7' out
	kill -TERM "$pid"
	wait "$pid"
}

@test "--clock realtime: times of day, by what arrives" {
	now=$(date +%s)
	printf '#fold=1;clock=perf\n#time=5.000000000\na 1\n' |
		foldmerge --every 1s --follow --clock realtime >out
	grep -q ';clock=realtime;' out
	time=$(sed -n 's/.*;time=\([0-9]*\).*/\1/p' out)
	[ "$time" -ge "$now" ]
	[ "$time" -le $((now + 60)) ]
}

@test "clocks that differ are not joined, nor what has no time" {
	printf '#fold=1;clock=perf\n#time=5.000000000\na 1\n' >perf
	printf '#fold=1;clock=monotonic\n#time=5.000000000\na 1\n' >monotonic
	run -2 --separate-stderr foldmerge --every 1s perf monotonic
	[[ $stderr == *'its clock is '*'see --clock'* ]]
	run -0 foldmerge --every 1s --clock realtime perf monotonic
	echo 'a 1' >plain
	run -2 --separate-stderr foldmerge --every 1s plain
	[[ $stderr == *'plain:1: a stack without a time'* ]]
	printf '#fold=1;counts=2;time=1.000000000;dur=1.000000000\na 1 2\n\n' >two
	run -2 --separate-stderr foldmerge --every 1s two
	[[ $stderr == *'two:2: two counts per line'* ]]
}

@test "streams of different units are not joined, nor one that changes it" {
	printf '#fold=1;clock=perf;unit=%s\n#time=5.000000000\na 1\n' \
		ns us >both
	head -n 3 both >first
	tail -n 3 both >second
	run -2 --separate-stderr foldmerge --every 1s both
	[[ $stderr == *"both:4: its unit is us, but another input has ns" ]]
	run -2 foldmerge --every 1s first second
	printf '#fold=1;unit=%s;time=1.000000000;dur=1.000000000\na 1\n\n' \
		ns us >both
	run -2 folddiff --stream both
}

@test "what was lost before samples is said of them all" {
	printf '%s\n' '#fold=1;clock=perf' '#time=1.000000000;lost=3' 'a 1' \
		'#time=1.500000000' 'a 1' '#time=1.700000000;lost=4' 'b 1' >stream
	run -0 foldmerge --every 1s stream
	[[ ${lines[0]} == *';lost=7;n=3;'* ]]
	run -0 foldmerge --meta stream
	[[ ${lines[0]} == *';lost=7;n=3;'* ]]
}

@test "a number of samples that is not known is not said" {
	printf '#fold=1;%stime=1.000000000;dur=1.000000000\na 4\n\n' '' 'n=4;' \
		>both
	run -0 foldmerge --every 5s both
	[ "$output" = $'#fold=1;counts=1;dur=1.000000000;time=1.000000000\na 8' ]
}

@test "a snapshot that is cut off does not count, and that is said" {
	{
		snapshot 10 one a 1
		snapshot 11 one a 1 | head -n 2
	} >short
	run -0 --separate-stderr foldmerge --every 1s short
	[[ $stderr == *'short: dropped the last snapshot'* ]]
	[ "$(printf '%s\n\n' "$output" | foldmerge)" = 'a 1' ]
}

@test "hosts are frames that cannot be anything else" {
	snapshot 10 '%23fold%3Ba%20b%0A' a 1 >web7.folded
	run -0 foldmerge --every 1s --root host web7.folded
	[ "${lines[1]}" = '_#fold:a_b\x0a;a 1' ]
	sed -i 's/;host=[^;]*//' web7.folded
	run -0 foldmerge --every 1s --root host web7.folded
	[ "${lines[1]}" = 'web7;a 1' ]
}

@test "options of streams that make no sense are refused" {
	run -2 foldmerge --window 10s
	run -2 foldmerge --every 0
	run -2 foldmerge --every 1x
	run -2 foldmerge --every 1s --window 1500ms
	run -2 foldmerge --every 1s --window 2s --decay 2s
	run -2 foldmerge --every 1s --sorted
	run -2 foldmerge --every 1s --min 2
	run -2 foldmerge --every 1s --root pid
	! has_process_side || run -2 stackcollapse-perf --follow
}

@test "a time far ahead is one gap, not a snapshot for each tick" {
	printf '#fold=1;clock=perf\n#time=5.000000000\na 1\n#time=%s\nb 1\n' \
		9000000000.000000000 >far
	run -0 foldmerge --every 1ms far
	[ "$(grep -c '^#fold' <<<"$output")" -lt 10 ]
	[ "$(printf '%s\n\n' "$output" | foldmerge)" = 'a 1
b 1' ]
}

@test "collapsers print samples as they come, with --follow" {
	need_process_side
	mkfifo in
	beside stackcollapse-perf --samples --follow in
	exec 4>in
	head -n 400 "$DATA/perf/bare.in" >&4
	until_there '^w;clone3' out
	exec 4>&-
	wait "$pid"
}

@test "samples that perf has written do not wait for the next ones" {
	need_process_side
	xz -dc "$DATA/perfdata/zstd_pipe.data.xz" >data
	stackcollapse-perf --samples data >want
	mkfifo in
	beside stackcollapse-perf --samples --follow in
	exec 4>in
	cat data >&4
	until_there "$(tail -n 2 want | head -n 1)" out
	cmp want out
	exec 4>&-
	wait "$pid"
}

@test "flamegraph --follow draws at each snapshot, whole or not at all" {
	mkfifo in
	beside flamegraph --follow --refresh 2 -o out.svg in
	exec 4>in
	snapshot 10 one 'main;first' 3 >&4
	until_there first out.svg
	grep -q 'refresh&quot;:2' out.svg
	[ "$(echo out.svg*)" = out.svg ]
	snapshot 11 one 'main;second' 4 >&4
	until_there second out.svg
	[ "$(unflame out.svg | grep -v '^#')" = 'main;first 3
main;second 4' ]
	# What is no delta takes the place of all.
	snapshot 12 one 'main;third' 5 | sed 's/^#fold=1/&;kind=window/' >&4
	until_there third out.svg
	[ "$(unflame out.svg | grep -v '^#')" = 'main;third 5' ]
	snapshot 13 one 'main;cut' 5 | head -n 2 >&4
	exec 4>&-
	wait "$pid"
	[ "$(unflame out.svg | grep -v '^#')" = 'main;third 5' ]
	run ! grep -q 'refresh&quot;' out.svg
	grep -q 'dropped the last snapshot' err
}

@test "flamegraph -o writes what it would print, or leaves what was there" {
	snapshot 10 one 'main;first' 3 >file
	flamegraph file >want
	flamegraph -o out.svg file
	cmp want out.svg
	flamegraph -o /dev/stdout file | cmp want -
	echo 'no count' >bad
	run ! flamegraph -o missing/out.svg file
	ln -s /dev/full full
	run -2 flamegraph -o full file
	run -2 flamegraph --follow file
	run -2 flamegraph --refresh 1 file
	run -2 flamegraph --follow -o out.svg --heatmap file
	cmp want out.svg
}
