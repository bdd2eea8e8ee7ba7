#!/usr/bin/env bats
# foldsplit.bats - what foldsplit(1) promises.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# stream: samples of words TIME,TID,EVENT,STACK or TIME,TID,STACK[,NS] on
# standard input, one a line; TIME in microseconds.
stream() {
	echo '#fold=1;counts=1;clock=perf'
	awk -F, '{
		printf "#time=%d.%06d000;pid=1;tid=%d", $1 / 1000000,
		    $1 % 1000000, $2
		if ($3 == "in" || $3 == "out")
			printf ";event=app:f%s\nm;%s 1\n",
			    $3 == "in" ? "" : "__return", $4 == "" ? "f" : $4
		else
			printf ";event=cpu-clock\n%s %d\n", $3, $4 ? $4 : 1000
	}'
}

# calls of 100 us but for the last of ten, which takes 900 us in another path
ten_calls() {
	local i

	for i in 0 1 2 3 4 5 6 7 8; do
		printf '%d,7,in\n%d,7,m;f;fast\n%d,7,out\n%d,7,m;idle\n' \
			$((1000 * i)) $((1000 * i + 50)) $((1000 * i + 100)) \
			$((1000 * i + 500))
	done
	printf '9000,7,in\n9100,7,m;f;slow\n9200,7,m;f;slow\n9900,7,out\n'
}

@test "slow calls, fast ones and what is in none are set apart" {
	ten_calls | stream >calls
	run -0 --separate-stderr foldsplit --call app:f --above p90 calls
	[ "$output" = '#fold=1;counts=1;unit=ns;event=cpu-clock
f <= p90;m;f;fast 9000
f > p90 (100 us);m;f;slow 2000
outside;m;idle 9000' ]
	run -0 --separate-stderr foldsplit --call app:f --above p90 -q - <calls
	[ "${lines[2]}" = 'f > p90 (100 us);m;f;slow 2000' ]
}

@test "a bound is a percentile, a time, or deviations above the mean" {
	ten_calls | stream >calls
	run -0 --separate-stderr foldsplit --call app:f --above 90% calls
	[ "${lines[2]}" = 'f > 90% (100 us);m;f;slow 2000' ]
	run -0 --separate-stderr foldsplit --call app:f --above 0.5ms calls
	[ "${lines[2]}" = 'f > 0.5ms;m;f;slow 2000' ]
	# mean 180, deviation 253
	run -0 --separate-stderr foldsplit --call app:f --above mean+1sd calls
	[ "${lines[2]}" = 'f > mean+1sd (433 us);m;f;slow 2000' ]
	for bound in p0 p101 2 mean+sd2 ''; do
		run -2 foldsplit --call app:f --above "$bound" calls
	done
}

@test "--bands has a part between each two bounds" {
	ten_calls | stream >calls
	run -0 --separate-stderr foldsplit --call app:f --bands 50us,p90 calls
	[ "$output" = '#fold=1;counts=1;unit=ns;event=cpu-clock
f > 50us <= p90;m;f;fast 9000
f > p90 (100 us);m;f;slow 2000
outside;m;idle 9000' ]
}

@test "--only writes one part, and --diff two, with how many calls there are" {
	ten_calls | stream >calls
	run -0 --separate-stderr foldsplit --call app:f --above p90 --only slow \
		calls
	[[ ${lines[0]} == *";n=2;quantum=1000;part=slow%20calls;exposure=1;took=900000;"* ]]
	[[ ${lines[0]} == *";title=f%20%3E%20p90%20%28100%20us%29,%20thin:%201%20call,%202%20samples" ]]
	[ "${lines[1]}" = 'm;f;slow 2000' ]
	[[ $stderr == *'thin: 1 call, 2 samples'* ]]
	run -0 --separate-stderr foldsplit --call app:f --only outside calls
	[ "${lines[1]}" = 'm;idle 9000' ]
	run -0 --separate-stderr foldsplit --call app:f --above p90 --diff calls
	[[ ${lines[0]} == '#fold=1;counts=2;'*';exposure=9,1;took=900000,900000;'* ]]
	[ "${lines[1]}" = 'm;f;fast 9000 0' ]
	[ "${lines[2]}" = 'm;f;slow 0 2000' ]
}

@test "folddiff names causes by functions, and waits for CPUs at once" {
	cat >both <<-'END'
	#fold=1;counts=2;unit=ns;part=slow%20calls;exposure=10,10
	f;a;state:runqueue 0 5000000
	f;b;state:runqueue 0 5000000
	f;lock;[lib];state:futex 0 2000000
	f;run;[lib];[lib] 0 1000000
	f;other 1000 1000
	END
	run -0 folddiff -q --report both
	[ "${lines[0]}" = 'slow calls take 1.30 ms more: 1.00 ms waiting for a CPU, 200 us in state:futex under lock, 100 us of CPU in run' ]
	# Where nothing differs there is no cause.
	printf '#fold=1;counts=2;unit=ns;exposure=1,1\nf 1 1\n' >both
	run -0 folddiff -q --report both
	[ "${lines[0]}" = 'calls after take 0 ns more' ]
	# What is spread too thin to be named is its caller's.
	cat >both <<-'END'
	#fold=1;counts=2;unit=ns;part=slow%20calls;exposure=1,1
	f;g;a 4 8
	f;g;b;c 4 6
	f;g;b;d 4 6
	f;lock;state:futex 0 40
	END
	run -0 folddiff -q --report both
	[ "${lines[0]}" = 'slow calls take 48 ns more: 40 ns in state:futex under lock, 8 ns of CPU in g' ]
}

@test "what waits and what computes under one caller are two causes" {
	# Only slow calls come to the caller, and calls of both sides do.
	for fast in 0 400000; do
		cat >both <<-END
		#fold=1;counts=2;unit=ns;part=slow%20calls;exposure=1,1
		f;exec $fast $fast
		f;exec;sleep;epoll_wait;state:poll 0 3100000
		f;exec;md5 0 3700000
		f;other 500000 500000
		END
		run -0 folddiff -q --report both
		[ "${lines[0]}" = 'slow calls take 6.80 ms more: 3.70 ms of CPU in md5, 3.10 ms in state:poll under sleep' ]
	done
}

@test "folddiff says what slow calls take more, and where" {
	ten_calls | stream >calls
	for part in fast slow; do
		# shellcheck disable=SC2094 # a part, not a file
		foldsplit -q --call app:f --above p90 --only $part calls >$part
	done
	run -0 --separate-stderr folddiff fast slow
	[ "$stderr" = 'folddiff: slow calls take 1.00 us more (by their times 800 us): 2.00 us in slow, 1.00 us less in fast (thin: 1 call, 2 samples)' ]
	grep -x 'm;f;fast 1000 0' <<<"$output"
	grep -x 'm;f;slow 0 2000' <<<"$output"
	header=${lines[0]}
	[[ $header == *';title=slow%20calls%20take%201.00%20us%20more'* ]]
	[[ $header != *took* && $header != *exposure* ]]
	foldsplit -q --call app:f --above p90 --diff calls >both
	run -0 --separate-stderr folddiff both
	[ "${lines[0]}" = "$header" ]
	run -0 --separate-stderr folddiff --report both
	[[ ${lines[0]} == 'slow calls take 1.00 us more'* ]]
	# Of another kind, there is no slow side; nor with a norm of one's own.
	run -0 --separate-stderr folddiff fast fast
	[[ $stderr == 'folddiff: calls after take 0 ns more'* ]]
	run -0 --separate-stderr folddiff --norm total fast slow
	[[ $stderr != *calls* ]]
	grep -x 'm;f;fast 9000 0' <<<"$output"
}

@test "merged parts have the calls of both" {
	ten_calls | stream >calls
	# shellcheck disable=SC2094 # a part, not a file
	foldsplit -q --call app:f --above p90 --only fast calls >fast
	run -0 foldmerge --meta fast fast
	[[ ${lines[0]} == *';exposure=18;'*';took=1800000;'* ]]
	foldsplit -q --call app:f --above p90 --diff calls >both
	run -0 foldmerge both both
	[[ ${lines[0]} == *';exposure=18,2;'*';took=1800000,'* ]]
	# One number and two are no sum.
	printf '#fold=1;counts=2;exposure=7\na 1 2\n' >one
	run -0 foldmerge both one
	[[ ${lines[0]} != *exposure* && ${lines[0]} != *took* ]]
}

@test "what a call takes may not exceed 64 bits" {
	printf '#fold=1;exposure=0.000001\na 18446744073709551615\n' >few
	printf '#fold=1;exposure=1\na 5\n' >one
	run -2 --separate-stderr folddiff -q few one
	[ -z "$output" ]
	[ "$stderr" = 'folddiff: the cost of a call exceeds 64 bits' ]
	for tid in 1 2 3; do
		printf '#time=1.000000000;tid=%s;event=p:f\nm;f 1\n' $tid
		printf '#time=9000000001.000000000;tid=%s;event=p:f__return\n' $tid
		echo 'm 1'
	done | sed '1i #fold=1;clock=perf' >long
	run -0 foldsplit -q --call p:f --above mean --only fast long
	[[ $output == *';took=18446744073709551615;'*'mean,'* ]]
	run -0 foldsplit --call p:f --above mean --report=tsv long
	grep -qx $'bound\t9000000000000000000\tmean' <<<"$output"
}

@test "calls are of their thread, and the outermost counts" {
	stream >calls <<-END
		0,1,in,m;f
		10,2,in,m;f
		20,1,in,m;f;g;f
		30,1,m;f;g;f;deep
		40,1,out,m;f;g
		50,2,m;f;other
		60,2,out
		70,1,m;f;still
		80,1,out
	END
	run -0 --separate-stderr foldsplit --call app:f --above 60us -q calls
	[ "${lines[1]}" = 'f <= 60us;m;f;other 1000' ]
	[ "${lines[2]}" = 'f > 60us;m;f;g;f;deep 1000' ]
	[ "${lines[3]}" = 'f > 60us;m;f;still 1000' ]
	run -0 --separate-stderr foldsplit --call app:f --report=tsv calls
	[ "$(grep -c "^calls	2$\|^nested	1$" <<<"$output")" -eq 2 ]
}

@test "samples with two counts are refused" {
	echo a,1 | stream | sed 's/counts=1/counts=2/' >two
	run -2 --separate-stderr foldsplit --call app:f two
	[[ $stderr == *"two:1: samples have one count per line, not two" ]]
}

@test "calls that are not whole are a part of their own, and counted" {
	stream >calls <<-END
		0,1,m;f;before
		10,1,out
		20,2,m;outside
		30,2,in,m;g;f
		40,2,m;g;f;left
		50,2,m;g;f;left
		60,2,in,m;g;f
		70,2,m;g;f;whole
		80,2,out
		85,2,out
		90,3,in
		95,3,m;f;open
	END
	run -0 --separate-stderr foldsplit --call app:f --above 1s calls
	[ "$output" = '#fold=1;counts=1;unit=ns;event=cpu-clock
f <= 1s;m;g;f;whole 1000
f, not whole;m;f;before 1000
f, not whole;m;f;open 1000
f, not whole;m;g;f;left 2000
outside;m;outside 1000' ]
	[[ $stderr == *'1 call had begun before the recording'* ]]
	[[ $stderr == *'1 call never returned'* ]]
	[[ $stderr == *'1 call had not returned at the end'* ]]
	[[ $stderr == *'1 return from a call that was not seen to begin'* ]]
}

@test "a call is left, not nested, if the next one has the same single caller" {
	stream >calls <<-END
		0,1,in,g;f
		10,1,m;g;f;lost
		20,1,in,g;f
		30,1,m;g;f;work
		40,1,out,g
	END
	run -0 --separate-stderr foldsplit --call app:f --above 1us --report=tsv calls
	[ "$(grep -cx $'calls\t1\|nested\t0\|left\t1' <<<"$output")" -eq 3 ]
}

@test "--report draws how long calls took, and sums up each part" {
	ten_calls | stream >calls
	run -0 foldsplit --call app:f --above p90 --report calls
	grep -qx '   50.0 us .. 100 us        9 #\{40\}' <<<"$output"
	grep -qx '    100 us .. 200 us        0 ' <<<"$output"
	grep -qx '   500 us .. 1.00 ms        1 #\{5\}' <<<"$output"
	grep -qx '       1        2   10.0%    900 us   2.00 us  f > p90 (100 us)' <<<"$output"
	grep -qx '       9        9   45.0%    100 us   1.00 us  f <= p90' <<<"$output"
	# Classes are counted by their ends.
	run -0 foldsplit --call app:f --above p90 --memory 100 --report - <calls
	grep -qx '    100 us .. 200 us        9 #\{40\}' <<<"$output"
	grep -qx '   500 us .. 1.00 ms        1 #\{5\}' <<<"$output"
}

@test "calls of no time are in the report" {
	printf '1000,7,in\n1000,7,out\n2000,7,in\n2050,7,m;f\n2100,7,out\n' |
		stream >calls
	run -0 foldsplit --call app:f --above 50us --report calls
	grep -qx '        1 ns .. 2 ns        1 #\{40\}' <<<"$output"
	grep -qx '        2 ns .. 5 ns        0 ' <<<"$output"
	grep -qx '   50.0 us .. 100 us        1 #\{40\}' <<<"$output"
	# All of them.
	sed '/2[01][05]0,/d' calls | grep -A1 -F time=0.001 >none
	(head -1 calls && cat none) | foldsplit --call app:f --above 50us \
		--report >short
	grep -qx '        1 ns .. 2 ns        1 #\{40\}' short
	# One of 1 ns: bars are counted by their ends.
	sed 's/time=0.002100000/time=0.002000001/; /cpu-clock/,+1d' calls >calls1
	run -0 foldsplit --call app:f --above 50us --report calls1
	grep -qx '        1 ns .. 2 ns        2 #\{40\}' <<<"$output"
}

@test "a call that is left does not hide those behind it if callers are missing" {
	stream >calls <<-'END'
		0,7,in,[truncated];g;f
		50,7,m;a;g;f;x
		200,7,m;a;catch
		300,7,in,[truncated];g;f
		350,7,m;a;g;f;x
		400,7,out
		1000,7,in,[truncated];g;f
		1010,7,in,[truncated];h;f
		1020,7,m;a;g;f;h;f;x
		1100,7,out
		1200,7,m;a;g;f;x
		1300,7,out
	END
	run -0 --separate-stderr foldsplit --call app:f --list all calls
	[ "$(cut -f 1,3 <<<"${output#*$'\n'}")" = $'0.000300000\t100000
0.001000000\t300000' ]
	[[ $stderr == *'1 call never returned'* ]]
	# That one call was in another is not so, where a stack has only one.
	sed '/catch/d' calls >later
	run -0 --separate-stderr foldsplit --call app:f --list all later
	[ "$(cut -f 1,3 <<<"${output#*$'\n'}")" = $'0.001000000\t300000' ]
}

@test "a call during which records were lost is not whole" {
	stream >calls <<-END
		0,1,in
		10,1,m;f;a
		20,1,out
	END
	sed -i '/000020000/s/$/;lost=3/' calls
	run -0 --separate-stderr foldsplit --call app:f --above 1s calls
	[ "${lines[1]}" = 'f, not whole;m;f;a 1000' ]
	[[ $stderr == *'1 call may be several, because records were lost'* ]]
	[[ $stderr == *'3 records were lost'* ]]
}

@test "a stream that is not in the order of time is said to be none" {
	printf '%s\n' 500,1,in 400,1,out 300,1,in 600,1,out | stream >calls
	run -0 --separate-stderr foldsplit --call app:f --above 1ms calls
	[[ $stderr == *'2 entries and returns are out of order in time'* ]]
	ten_calls | stream >calls
	run -0 --separate-stderr foldsplit --call app:f --above 1ms calls
	[[ $stderr != *order* ]]
}

@test "a wait is clipped to its call" {
	stream >calls <<-END
		100,1,in
		150,1,m;f;state:futex,70000
		180,1,m;f;state:futex,30000
		200,1,out
	END
	sed -i 's/cpu-clock/wall/' calls
	run -0 --separate-stderr foldsplit --call app:f --above 1s calls
	[ "${lines[1]}" = 'f <= 1s;m;f;state:futex 80000' ]
	[ "${lines[2]}" = 'outside;m;f;state:futex 20000' ]
	run -0 --separate-stderr foldsplit --call app:f --above 1us --list slow \
		calls
	[ "${lines[1]}" = "0.000100000	1	100000	f > 1us		50.0 us in state:futex under f" ]
}

@test "the longest wait is under what the call called, whatever its event" {
	stream <<-END | sed 's/cpu-clock/wall/' >calls
		100,1,in,main;ns::f
		180,1,m;main;ns::f;take;lock;state:futex,30000
		200,1,out
	END
	run -0 foldsplit -q --call app:f --above 1us --list slow calls
	[ "${lines[1]##*$'\t'}" = '30.0 us in state:futex under take' ]
	# The same of a run of frames.
	stream <<-END | sed 's/cpu-clock/wall/' >calls
		90,1,m;main
		180,1,m;main;ns::f;take;lock;state:futex,30000
		200,1,m;main
	END
	run -0 foldsplit -q --call-frame '::f$' --above 1us --list slow calls
	[ "${lines[1]##*$'\t'}" = '30.0 us in state:futex under take' ]
}

@test "--list has what probes fetched, as it was" {
	{
		echo '#fold=1;counts=1;clock=perf'
		echo '#time=0.1;tid=1;event=f;args=id%3D7%20name%3D%22%09%C3%A4%22'
		echo 'm;f 1'
		echo '#time=0.2;tid=1;event=f__return'
		echo 'm;f 1'
	} >args
	run -0 foldsplit -q --call f --list all args
	[ "${lines[1]}" = \
		'0.100000000	1	100000000	f <= p95	id=7 name="\x09ä"	' ]
}

@test "--by-call has a part for each of the longest calls" {
	ten_calls | stream >calls
	run -0 --separate-stderr foldsplit --call app:f --by-call 1 -q calls
	[ "${lines[1]}" = '1. f 900 us at 0.009000000 in 7;m;f;slow 2000' ]
	[ "${lines[2]}" = 'f <= the longest;m;f;fast 9000' ]
	run -2 foldsplit --call app:f --by-call 1 --above p95 calls
	run -2 foldsplit --by tid --by-call 1 calls
}

@test "the longest calls are slow: for --only and --diff a part of all" {
	ten_calls | stream >calls
	foldsplit -q --call app:f --above p90 --only slow calls | tail -n +2 >part
	run -0 --separate-stderr foldsplit --call app:f --by-call 1 --only slow \
		calls
	[[ ${lines[0]} == *';exposure=1;took=900000;'* ]]
	[[ ${lines[0]} == *';title=f,%20the%20longest,%20thin:%201%20call,%202%20samples' ]]
	[ "$stderr" = 'foldsplit: thin: 1 call, 2 samples in the longest calls' ]
	tail -n +2 <<<"$output" | diff part -
	run -0 --separate-stderr foldsplit --call app:f --by-call 2 --diff calls
	[[ ${lines[0]} == *';exposure=8,2;took=800000,1000000;'* ]]
	[ "${lines[1]}" = 'm;f;fast 8000 1000' ]
	[ "${lines[2]}" = 'm;f;slow 0 2000' ]
	run -0 foldsplit -q --call app:f --by-call 2 --list slow calls
	[ "${#lines[@]}" -eq 3 ]
	# Nothing is said of a part that there is not.
	run -0 --separate-stderr foldsplit --call app:f --by-call 1 calls
	[ -z "$stderr" ]
	run -0 foldsplit --call app:f --by-call 1 --report calls
	[ "$(grep -c ' f' <<<"$output")" -eq 3 ]
	[[ $output != *thin* ]]
}

@test "of calls that took equally long --by-call takes the first" {
	for i in 1 2 3; do
		printf '%s\n' "${i}000,7,in" "${i}050,7,m;f;w$i" "${i}100,7,out"
	done | stream >calls
	for memory in 64M 100; do
		run -0 --separate-stderr foldsplit --call app:f --by-call 2 \
			--memory $memory calls
		[ "${lines[1]}" = '1. f 100 us at 0.001000000 in 7;m;f;w1 1000' ]
		[ "${lines[2]}" = '1. f 100 us at 0.002000000 in 7;m;f;w2 1000' ]
		[ "${lines[3]}" = 'f <= the longest;m;f;w3 1000' ]
	done
	run -0 foldsplit -q --call app:f --by-call 4 calls
	[ "$(grep -c '^1. f' <<<"$output")" -eq 3 ]
}

@test "what does not fit in memory is read twice, or of a pipe in classes" {
	ten_calls | stream >calls
	for option in '--above p90' '--bands p50,p90' '--by-call 1' \
		'--above p90 --list slow' '--above mean+1sd --diff' --report; do
		read -ra words <<<"$option"
		foldsplit -q --call app:f "${words[@]}" calls >whole
		foldsplit -q --call app:f "${words[@]}" --memory 100 calls |
			diff whole -
	done
	run -0 --separate-stderr foldsplit --call app:f --above p90 \
		--memory 100 -q - <calls
	[ "$output" = '#fold=1;counts=1;unit=ns;event=cpu-clock
f <= p90;m;f;fast 9000
f > p90;m;f;slow 2000
outside;m;idle 9000' ]
	run -0 --separate-stderr foldsplit --call app:f --above p90 \
		--memory 100 --report - <calls
	[[ $output == *'percentiles are up to 0.8 % too large'* ]]
	[[ $output == *'p50 100 us,'* ]]
	run -2 --separate-stderr foldsplit --call app:f --list slow \
		--memory 100 - <calls
	[[ $stderr == *'read a file'* ]]
	run -2 foldsplit --call app:f --memory 0 calls
}

@test "--by takes parts by time, cpu, thread, and frame" {
	stream >all <<-END
		0,1,m;a1
		600000,2,m;b
		1200000,1,m;a2
	END
	sed -i '/tid=2/s/$/;cpu=3/' all
	run -0 --separate-stderr foldsplit --by time:1s all
	[ "${lines[1]}" = 'from 0 s;m;a1 1000' ]
	[ "${lines[3]}" = 'from 1 s;m;a2 1000' ]
	run -0 --separate-stderr foldsplit --by time:500ms all
	[ "${lines[2]}" = 'from 0.5 s;m;b 1000' ]
	run -0 --separate-stderr foldsplit --by tid all
	[ "${lines[3]}" = 'tid-2;m;b 1000' ]
	run -0 --separate-stderr foldsplit --by cpu all
	[ "${lines[1]}" = 'cpu-3;m;b 1000' ]
	[ "${lines[2]}" = 'cpu-?;m;a1 1000' ]
	run -0 --separate-stderr foldsplit --by 'frame:^(a)' all
	[ "${lines[1]}" = 'a;m;a1 1000' ]
	[ "${lines[3]}" = 'others;m;b 1000' ]
	run -0 --separate-stderr foldsplit --by tid --report all
	[[ $output == *'2   66.7%'*tid-1* ]]
	run -2 foldsplit --by tid --only slow all
	run -2 foldsplit --by time:0s all
	run -2 foldsplit all
}

@test "times of different clocks are not put together" {
	for clock in perf monotonic; do
		printf '#fold=1;clock=%s\n#time=1.000000000;tid=1\na 1\n' \
			$clock >$clock
	done
	run -2 --separate-stderr foldsplit --by time:1s perf monotonic
	[[ $stderr == *'needs times of one clock'* ]]
	run -0 foldsplit --by tid perf monotonic
	[ "${lines[1]}" = 'tid-1;a 2' ]
	run -2 --separate-stderr foldexport perf monotonic
	[[ $stderr == *'monotonic:3: the clock is monotonic, but perf before' ]]
	run -2 flamegraph --heatmap perf monotonic
	# Where there is no order, they may be.
	run -0 foldexport --to csv perf perf
	run -0 foldexport --to callgrind perf monotonic
}

@test "--by arg takes what the probe of a call fetched" {
	stream >calls <<-END
		0,1,in
		10,1,m;f;a
		20,1,out
		30,1,in
		40,1,m;f;b
		50,1,out
		60,1,in
		70,1,m;f;c
		80,1,out
	END
	sed -i -e '/0.000000000/s/$/;args=n%3D7%20name%3D%22x;y%20z%3D1%22/' \
		-e 's/;y/%3By/' \
		-e '/0.000030000/s/$/;args=name%3D%22n%3D3%20%22%20n%3D70/' calls
	run -0 --separate-stderr foldsplit --call app:f --by arg:n calls
	[ "$output" = '#fold=1;counts=1;unit=ns;event=cpu-clock
n=70;m;f;b 1000
n=7;m;f;a 1000
n=?;m;f;c 1000' ]
	run -0 --separate-stderr foldsplit --call app:f --by arg:n:7,50 calls
	[ "${lines[1]}" = 'n <= 7;m;f;a 1000' ]
	[ "${lines[2]}" = 'n > 50;m;f;b 1000' ]
	run -0 --separate-stderr foldsplit --call app:f --by arg:name calls
	[ "${lines[1]}" = 'name="n=3 ";m;f;b 1000' ]
	[ "${lines[2]}" = 'name="x:y z=1";m;f;a 1000' ]
	run -2 foldsplit --by arg:n calls
	run -2 foldsplit --call app:f --by arg:n:7,7 calls
}

@test "--call-frame takes runs of samples, and refuses percentiles of short ones" {
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "$i,1,m;f;a"
	done | sed '1i 0,1,m;b' | stream >runs
	stream >>runs <<-END
		13,1,m;b
		14,1,m;f;c
		15,1,m;b
	END
	run -0 --separate-stderr foldsplit --call-frame '^f$' --above 5us -q runs
	[ "${lines[1]}" = '^f$ <= 5us;m;f;c 1000' ]
	[ "${lines[2]}" = '^f$ > 5us;m;f;a 12000' ]
	[ "${lines[3]}" = 'outside;m;b 3000' ]
	run -0 --separate-stderr foldsplit --call-frame '^f$' --above 5us \
		--report runs
	[[ $output == *'over calls that were hit, not over all calls'* ]]
	run -2 --separate-stderr foldsplit --call-frame '^f$' runs
	[[ $stderr == *'too few for percentiles'* ]]
}

@test "a run of frames that is there at first had begun before the recording" {
	stream >runs <<-END
		1,1,m;f;a
		2,1,m;f;b
		3,1,m;g
		4,1,m;f;c
		5,1,m;f;d
		6,1,m;g
		7,2,m;f;e
		8,3,m;g
		9,3,m;f;h
		10,3,m;f;h
	END
	run -0 --separate-stderr foldsplit --call-frame '^f$' --above 1s runs
	[ "$output" = '#fold=1;counts=1;unit=ns;event=cpu-clock
^f$ <= 1s;m;f;c 1000
^f$ <= 1s;m;f;d 1000
^f$, not whole;m;f;a 1000
^f$, not whole;m;f;b 1000
^f$, not whole;m;f;e 1000
^f$, not whole;m;f;h 2000
outside;m;g 3000' ]
	[[ $stderr == *'2 calls had begun before the recording: not whole'* ]]
	[[ $stderr == *'1 call had not returned at the end'* ]]
	run -0 foldsplit -q --call-frame '^f$' --above 1s --list all runs
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[1]} == '0.000003000	1	2000	'* ]]
}

@test "events that are not there, and samples of two units, are errors" {
	ten_calls | stream >calls
	run -2 --separate-stderr foldsplit --call app:g calls
	[[ $stderr == *'choose with --event; so far none are of app:g' ]]
	run -2 --separate-stderr foldsplit --call app:g --event cpu-clock calls
	[[ $stderr == *'no samples of app:g; the input has: app:f,'* ]]
	sed '0,/cpu-clock/s//page-faults/' calls >two
	run -2 --separate-stderr foldsplit --call app:f two
	[[ $stderr == *'choose with --event'* ]]
	run -0 --separate-stderr foldsplit --call app:f --event cpu-clock \
		--only fast -q two
	[ "${lines[1]}" = 'm;f;fast 8000' ]
}

@test "metadata is that of its own sample, and has at most 256 keys" {
	printf '%s\n' '#tid=1' '#fold=1;clock=perf' 'a 1' \
		'#time=1.000000000;tid=5' 'no count' '#time=2.000000000' 'b 1' \
		'#time=3.000000000;tid=6' '#cpu=1' 'c 1' >stream
	run -0 --separate-stderr foldsplit --by tid stream
	[ "$output" = $'#fold=1;counts=1;unit=samples\ntid-6;c 1\ntid-?;b 1' ]
	[[ $stderr == *'2 lines skipped, the first: stream:3: a sample has no time' ]]
	for line in '#fold=1;clock=perf' '#time=1.000000000' '#cpu=1'; do
		printf '#fold=1\n\n%s' "$line"
		seq 5000 | sed 's/.*/;k&=1/' | tr -d '\n'
		printf '\nb 1\n'
	done | split -l 4 - many-
	for file in many-*; do
		run -2 --separate-stderr foldsplit --by tid "$file"
		[[ $stderr == *"$file:3: more than 256 keys"* ]]
	done
}

@test "what metadata say is safe to print" {
	red='%1B%5B31mred%0A'
	printf '%s\n' '#fold=1;clock=perf' "#time=1.000000000;event=$red" 'a 2' \
		'#time=2.000000000;event=page-faults' 'b 1' >stream
	safe='\x1b[31mred\x0a'
	run -2 foldsplit --by tid stream
	[[ $output == *"stream:5: samples of page-faults, and before it of $safe: "* ]]
	run -2 foldsplit --call $'\e[31mred\n' stream
	[[ $output == *"stream:3: some $safe events were not recorded"* ]]
	printf '#fold=1;exposure=1;part=%s\na 1\n' "fast" >fast
	printf '#fold=1;exposure=1;part=%s\na 9\n' "$red" >slow
	run -0 --separate-stderr folddiff --report fast slow
	[ "${lines[0]}" = "$safe take 8 more: 8 in a" ]
}

@test "samples of one event in two units are not added up" {
	printf '%s\n' '#fold=1;clock=perf;unit=ns;event=cpu-clock' \
		'#time=1.000000000' 'main;a 1000000' >ns
	sed 's/=ns/=samples/' ns >samples
	run -2 foldsplit --by tid ns samples
	[[ $output == *"samples:3: samples of cpu-clock in samples, and before it in ns" ]]
	cat ns samples >both
	run -2 foldsplit --by tid both
	[[ $output == *"both:6: samples of cpu-clock in samples, and before it in ns" ]]
	# An event that is there in the first of two files is there.
	sed 's/cpu-clock/task-clock/' ns >other
	run -0 foldsplit --event cpu-clock --by tid ns other
}

@test "probes of which not every hit was recorded are refused" {
	ten_calls | stream | sed '4s/1$/2/;3s/1$/2/' >calls
	run -2 --separate-stderr foldsplit --call app:f calls
	[[ $stderr == *'calls:3: some app:f events were not recorded'* ]]
}

@test "both causes of known latencies are found, and the time of each" {
	xz -dc "$DATA/foldsplit/latencies.stream.xz" >stream
	set -- --call splitrec:handle --above 1ms stream
	run -0 --separate-stderr bash -c \
		"foldsplit -q --diff $* | folddiff --report"
	# What the program itself said: 1.48 and 1.18 ms a slow call.
	[ "${lines[0]}" = 'slow calls take 2.71 ms more: 1.48 ms of CPU in work under slow_path, 1.18 ms in state:futex under locked_update (thin: 27 calls, 74 samples)' ]
	run -0 --separate-stderr foldsplit --list slow "$@"
	grep -q '	calls=100	8... ms in state:futex under locked_update$' \
		<<<"$output"
	foldsplit -q --only fast "$@" >out
	grep -q ';handle;' out
	run ! grep slow_path out
	foldsplit --by arg:calls --call splitrec:handle stream |
		grep -q '^calls=50;'
}

@test "a pattern that takes too long is status 2" {
	local re='^(([a-z])+.)+[A-Z]([a-z])+$' x

	x=$(printf 'x%.0s' {1..5000})
	printf '%s\n' "0,7,m;$x! 5" "1000,7,m;f 5" | stream >samples
	run -2 --separate-stderr foldsplit --by "frame:$re" samples
	[[ $stderr == *"--by: the pattern took too long for 1 text"*": ${x:0:80}..." ]]
	run -2 --separate-stderr foldsplit --call-frame "$re" --above 1ms samples
	[[ $stderr == *'--call-frame: the pattern took too long'* ]]
}
