#!/usr/bin/env bats
# flame.bats - what flame(1) promises.

load helper

setup() {
	flame=$command_dir/flame
	cd "$BATS_TEST_TMPDIR" || return
	mkdir tmp bin
	export TMPDIR=$PWD/tmp
}

# What was made on the way is gone.
teardown() {
	[ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
}

need_events() {
	stackrecord -q -o "$BATS_TEST_TMPDIR/try" -- true >/dev/null 2>&1 ||
		skip "no right to perf_event_open(2)"
}

# What flame said, but for what it always says where perf_event_paranoid is 2.
said() {
	grep -v '^flame: kernel functions are not recorded, as' <<<"$stderr"
}

spin() {
	# shellcheck disable=SC2016 # of that shell
	echo 'i=0; while [ $i -lt '"$1"' ]; do i=$((i + 1)); done'
}

@test "a command is drawn, and its status and output are kept" {
	need_events
	run -3 --separate-stderr "$flame" --folded out.folded -- \
		sh -c "$(spin 300000); cat; exit 3" <<<hello
	[ "$output" = hello ]
	[[ $stderr == *"flame: wrote flame.svg: "*" samples of c"*" in "* ]]
	[[ $stderr == *" % of stacks truncated, "*" % without names"* ]]
	grep -q '^sh;' out.folded
	xmllint --noout flame.svg
}

@test "all that a command ran is in the picture" {
	need_events
	# shellcheck disable=SC2016 # of that shell
	run -0 --separate-stderr "$flame" -- \
		sh -c "$(spin 2500000)"'; cat /proc/$$/stat'
	samples=${stderr##*flame.svg: }
	samples=${samples%% samples*}
	# shellcheck disable=SC2086 # words
	set -- $output
	ran=$((${14} + ${15}))
	echo "$samples samples of $ran ticks"
	[ $((samples * $(getconf CLK_TCK) * 100)) -gt $((ran * 199 * 85)) ]
}

@test "processes shorter than a period are in the sum, and it is said" {
	need_events
	burn=$top_builddir/t/programs/burn
	[ -x "$burn" ] || skip "t/programs/burn is not built"
	# shellcheck disable=SC2016 # of that shell
	run -0 --separate-stderr "$flame" --plain -F 99 --folded out.folded -- sh -c '
		i=0; while [ $i -lt 150 ]; do "$0" 0.003 >&2; i=$((i + 1)); done
		cat /proc/$$/stat' "$burn"
	# shellcheck disable=SC2086 # words
	set -- $output
	ran=$((${14} + ${15} + ${16} + ${17}))
	sum=$(awk '!/^#/ { n += $NF } END { printf "%d", n / 1e7 }' out.folded)
	echo "$sum of $ran ticks"
	if [[ $stderr == *"kernel functions are not recorded"* ]]; then
		[[ $stderr == *"% of the time has no stack, as it was in the \
kernel, or threads ended before they were sampled"* ]]
		[[ $stderr != *"almost nothing ran"* ]]
		skip "no right to record the kernel"
	fi
	[ "$sum" -gt $((ran * 80 / 100)) ]
	[[ $stderr == *"% of the time has no stack, as threads ended before"* ]]
}

@test "a command without frame pointers has callers" {
	need_events
	command -v "${CC:-cc}" >/dev/null || skip "no compiler"
	"${CC:-cc}" -O1 -fomit-frame-pointer -x c -o spin - <<-'END'
	__attribute__((noinline)) void spin(long n)
	{
		while (n-- > 0)
			__asm__ volatile("");
	}
	__attribute__((noinline)) void call(long n)
	{
		spin(n);
		__asm__ volatile("");
	}
	int main(void)
	{
		call(1000000000);
		call(1000000000);
		return 0;
	}
	END
	run -0 --separate-stderr "$flame" --folded out.folded -- ./spin
	awk '{ n = $NF; all += n }
		/;main;call;spin/ { whole += n }
		END { exit !(whole > 0.95 * all) }' out.folded
}

@test "of stacks that are deeper than their copies, how to copy more is said" {
	need_events
	command -v "${CC:-cc}" >/dev/null || skip "no compiler"
	cat >deep.c <<-'END'
	static int __attribute__((noinline))
	dig(int depth)
	{
		volatile char room[1000] = { 0 };
		volatile int i;

		for (i = 0; depth == 0 && i < 300000000;)
			i = i + 1;
		return (depth == 0 ? i : dig(depth - 1)) + room[1];
	}
	int main(void) { return dig(20) == 1; }
	END
	"${CC:-cc}" -O1 -fomit-frame-pointer -o deep deep.c
	run -0 --separate-stderr "$flame" -- ./deep
	[[ $stderr == *"; better with --stack-size 61440, "* ]]
	run -0 --separate-stderr "$flame" --stack 65528 -- ./deep
	[[ $stderr =~ ', '[0-9]' % of stacks truncated' ]]
	run -2 --separate-stderr "$flame" --stack 4 -- ./deep
	[[ $stderr == *"--stack-size: not from 8 to 65528: 4"* ]]
	run -2 --separate-stderr "$flame" --stack 8k -- ./deep
	[[ $stderr == *"--stack-size: not a number of bytes: 8k"* ]]
}

@test "the functions with most time are named, alone and with their callees" {
	recorder_of_nothing
	cat >bin/stackcollapse-perf <<-'END'
	#!/bin/sh
	printf '#fold=1;n=9;dur=1\na;_start;main;b;c 30\na;_start;main;d;c 60\n'
	END
	chmod +x bin/stackcollapse-perf
	flame_in_bin -0 --plain -- true
	[ "${stderr#*names$'\n'}" = "  SELF  function
100.0%  c
 TOTAL  with callees
 66.7%  d
 33.3%  b" ]
}

@test "two events are one picture: width by one, colour by their ratio" {
	need_events
	run -0 --separate-stderr "$flame" --plain --ratio page-faults/cpu-clock \
		--folded out.folded -- sh -c \
		"'$top_builddir/t/programs/pages' 20000; $(spin 400000)"
	head -n 1 out.folded | grep ';counts=2;.*;ratio=page-faults/cpu-clock;'
	grep -q '^sh;.* 0 [1-9][0-9]*$' out.folded
	grep -q '^pages;.* [1-9][0-9]* [0-9]*$' out.folded
	grep -q 'page-faults per m\{0,1\}s of cpu-clock, as in all<' flame.svg
	run -2 --separate-stderr "$flame" --ratio cycles -- true
	[[ $stderr == *"--ratio: not two events with a slash between: cycles"* ]]
	run -2 --separate-stderr "$flame" --ratio a/b --wall -- true
	[[ $stderr == *"--ratio excludes -e, --wall"* ]]
}

@test "a recorder that is killed is no end without a word" {
	need_events
	sh -c "$(spin 100000000)" 3>&- &
	process=$!
	# In place of stackrecord, what ends as if it had been killed.
	cat >bin/stackrecord <<-END
		#!/bin/sh
		"$command_dir/stackrecord" "\$@"
		kill -KILL \$\$
	END
	chmod +x bin/stackrecord
	PATH=$PWD/bin:$PATH run -0 --separate-stderr "$flame" -d 0.5 --plain -p $process
	kill $process
	[[ $stderr == *"flame: the recorder was killed: the flame graph ends there"* ]]
}

@test "a full disk is named" {
	[ -w /dev/full ] || skip "no /dev/full"
	cat >bin/mktemp <<-'END'
		#!/bin/sh
		folder=$(command -p mktemp "$@") && ln -s /dev/full "$folder/room" &&
			echo "$folder"
	END
	# Its messages have no room, either.
	printf '#!/bin/sh\nexit 2\n' >bin/stackrecord
	chmod +x bin/mktemp bin/stackrecord
	cp bin/stackrecord bin/stacksample
	run -2 --separate-stderr env PATH="$PWD/bin:$PATH" "$flame" --plain -- true
	[[ $stderr == "flame: cannot record: no space left in $PWD/tmp/"*", set TMPDIR to another directory" ]]
}

@test "a key or a signal ends the recording, and what there is is drawn" {
	need_events
	env --default-signal=INT true 2>/dev/null || skip "no such env"
	env --default-signal=INT "$flame" -q --folded out.folded -- \
		sh -c "touch begun; $(spin 100000000)" 3>&- &
	process=$!
	within_minutes test -e begun
	within_minutes is_larger_than 20000 'tmp/*/data'
	kill -INT $process
	status=0
	wait $process || status=$?
	[ $status -eq 130 ]
	grep -q '^sh;' out.folded
	grep -q '<svg' flame.svg
}

# is_larger_than BYTES PATTERN: the only file of that pattern.
is_larger_than() {
	# shellcheck disable=SC2086,SC2261 # a pattern
	[ "$(cat $2 2>/dev/null | wc -c)" -gt "$1" ]
}

@test "a terminal shows how the recording gets on" {
	need_events
	command -v python3 >/dev/null || skip "no python3"
	run -0 env LC_ALL=C.UTF-8 python3 "$top_srcdir/t/terminal" 80x20 \
		'wait s; ' 'wait samples after 1 s, ' 'run touch end' \
		'wait wrote flame.svg' show -- "$flame" --plain -- \
		sh -c 'until [ -e end ]; do :; done'
	[[ $output != *"samples after"* ]]
}

@test "a tracer and a stopped process do not make it wait for ever" {
	need_events
	if command -v strace >/dev/null && strace true 2>/dev/null; then
		# The sanitizer for leaks is a tracer itself.
		run -3 env ASAN_OPTIONS=detect_leaks=0 \
			timeout 60 strace -f -o log "$flame" -q -- sh -c 'exit 3'
		[ -e flame.svg ]
	fi
	sleep 100 3>&- &
	process=$!
	kill -STOP $process
	within_minutes grep -q '^State:.*T' "/proc/$process/status"
	run -0 --separate-stderr timeout 60 "$flame" -d 0.2 -p $process
	kill -KILL $process
	[ "$(said)" = "flame: wrote flame.svg: no samples, because processes are \
stopped: $process; kill -CONT resumes them" ]
}

@test "several processes are recorded, by their ids or by their name" {
	local one two

	need_events
	ln -s "$(type -P sh)" 'spin ner'
	'./spin ner' -c "$(spin 100000000)" 3>&- &
	one=$!
	'./spin ner' -c "$(spin 100000000)" 3>&- &
	two=$!
	both_are_there -p $one -p $two
	both_are_there -p $one,$two
	both_are_there --comm='spin ner'
	kill $one $two
	run -2 --separate-stderr "$flame" --comm nobody
	[ "$stderr" = "flame: there is no process nobody" ]
}

both_are_there() {
	run -0 --separate-stderr "$flame" -d 0.5 --root comm,pid --folded - "$@"
	[[ $output == *"spin_ner;pid-$one;"* && $output == *"spin_ner;pid-$two;"* ]]
}

@test "the name of the output is its format, and its context is in it" {
	recorder_of_nothing
	printf '#!/bin/sh\nprintf "#fold=1;n=9;dur=1\\na;b 30\\n"\n' \
		>bin/stackcollapse-perf
	chmod +x bin/stackcollapse-perf
	flame_in_bin -0 -q -o x.html -- true
	grep -qi '<!doctype html' x.html
	flame_in_bin -0 -q --html -- true
	grep -qi '<!doctype html' flame.html
	flame_in_bin -0 -q -o x.folded -- true 'a b;%'
	grep -x 'a;b 30' x.folded
	[[ $(<x.folded) == '#fold=1;n=9;dur=1;hz=199;host='*';kernel='*';date='*';command=true%20a%20b%3B%25'* ]]
	flame_in_bin -0 -q --folded - -- true
	[[ $output == '#fold='*$'\na;b 30' ]]
	[[ $(<flame.svg) == *", Linux $(uname -r), "* ]]
	flame_in_bin -0 -q --no-context --folded - -- true
	[ "$output" = $'#fold=1;n=9;dur=1\na;b 30' ]
	run ! grep -q "$(uname -r)" flame.svg
}

@test "--open shows the picture, and says if nothing can" {
	recorder_of_nothing
	printf '#!/bin/sh\nprintf "#fold=1;n=9;dur=1\\na;b 30\\n"\n' \
		>bin/stackcollapse-perf
	chmod +x bin/stackcollapse-perf
	flame_in_bin -0 --open -- true
	[[ $stderr == *"flame: cannot show flame.svg: xdg-open not found"* ]]
	# shellcheck disable=SC2016 # of that shell
	printf '#!/bin/sh\n[ -s "$1" ] && echo "$1" >shown\n' >bin/xdg-open
	chmod +x bin/xdg-open
	flame_in_bin -0 -q --open -o 'a b.svg' -- true
	within_minutes grep -qsx 'a b.svg' shown
}

@test "the environment asks runtimes for names, unless it is set, or --plain" {
	without_recorders
	fake_stacksample
	NODE_OPTIONS=mine flame_in_bin -0 env
	[[ $stderr == *"set JAVA_TOOL_OPTIONS PYTHONPERFSUPPORT "*"; --plain "* ]]
	[[ $output == *JAVA_TOOL_OPTIONS=*-XX:+PreserveFramePointer* ]]
	[[ $output == *NODE_OPTIONS=mine* && $output == *PYTHONPERFSUPPORT=1* ]]
	flame_in_bin -0 --plain env
	[[ $output != *JAVA_TOOL_OPTIONS* && $stderr != *--plain* ]]
}

@test "Erlang is asked for names where it knows how" {
	without_recorders
	fake_stacksample
	flame_in_bin -0 env
	[[ $output != *ERL_FLAGS* && $output == *BUN_JSC_useJITDump=1* ]]
	printf '#!/bin/sh\n[ "$*" = "+JPperf true +V" ]\n' >bin/erl
	chmod +x bin/erl
	flame_in_bin -0 env
	[[ $output == *"ERL_FLAGS=+JPperf true"* ]]
	printf '#!/bin/sh\nexit 1\n' >bin/erl
	flame_in_bin -0 env
	[[ $output != *ERL_FLAGS* ]]
}

# A process that gets no CPU meanwhile is not in the picture, and not named.
names_both() {
	run -0 --separate-stderr "$flame" -d 0.7 -p "$bun,$beam"
	echo "$stderr"
	[[ $stderr == *"start beam.smp $beam with ERL_FLAGS='+JPperf true'"* &&
		$stderr == *"start bun $bun with BUN_JSC_useJITDump=1"* ]]
}

names_beam() {
	run -0 --separate-stderr "$flame" -d 0.7 -p "$bun,$beam"
	[[ $stderr == *"start beam.smp $beam with"* && $stderr != *"start bun"* ]]
}

@test "runtimes that run already and name no code are told from others" {
	need_events
	[ -x "$top_builddir/t/programs/burn" ] || skip "t/programs/burn is not built"
	# Programs that have the names, and nothing else, of runtimes.
	for name in bun beam.smp; do
		cp "$top_builddir/t/programs/burn" $name
		./$name 90 >$name.log 2>&1 3>&- &
		echo $! >$name.pid
	done
	read -r bun <bun.pid
	read -r beam <beam.smp.pid
	within_minutes names_both
	# A perf map is what is wanted.
	[ -w /tmp ] || skip "no perf map can be written"
	echo "1000 10 f" >"/tmp/perf-$bun.map"
	within_minutes names_beam || result=$?
	rm "/tmp/perf-$bun.map"
	kill "$bun" "$beam"
	[ "${result-0}" -eq 0 ]
}

@test "where there is an interpreter its functions are drawn, or --plain" {
	need_events
	command -v python3 >/dev/null || skip "no python3"
	cat >spin.py <<-'END'
	import time
	def inner():
	    end = time.process_time() + 60
	    while time.process_time() < end:
	        sum(range(1000))
	inner()
	END
	python=$(python3 -c 'import sys; print(sys.executable)')
	"$python" spin.py 3>&- &
	process=$!
	for _ in {1..500}; do
		known=$(stacksample -q --runtimes -p $process) || break
		[ -z "$known" ] || break
		sleep 0.02
	done
	[ "$known" = $process ] || {
		kill $process
		skip "stacksample does not know this python3"
	}
	run -0 --separate-stderr "$flame" -d 0.7 --folded - -p $process
	[[ $stderr == *"an interpreter runs: for its functions, sampling with stacksample"* ]]
	[[ $output == *";inner ("*"spin.py)"* ]]
	run -0 --separate-stderr "$flame" --plain -d 0.7 --folded - -p $process
	kill $process
	[[ $stderr != *interpreter* && $output != *";inner ("* ]]
}

@test "what a command leaves behind is not waited for" {
	need_events
	SECONDS=0
	run -4 "$flame" -- sh -c "$(spin 100000)
		sleep 20 >/dev/null 2>&1 3>&- &
		echo \$! >left
		exit 4"
	[ $SECONDS -lt 15 ]
	kill "$(cat left)"
}

@test "a process is drawn until the time is over, and compared" {
	need_events
	sh -c "$(spin 100000000)" 3>&- &
	process=$!
	run -0 --separate-stderr "$flame" -q -d 1.5 -p $process \
		--folded before.folded -o before.svg
	[ -z "$stderr" ]
	run -0 "$flame" -p$process --duration=0.5 --dwarf \
		--diff before.folded --output diff.svg
	kill $process
	xmllint --noout before.svg diff.svg
}

@test "--diff finds a function that grew from 25 to 40 %, by samples with times" {
	need_events
	command -v "${CC:-cc}" >/dev/null || skip "no compiler"
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -x c -o prog - <<-'END'
	#include <stdlib.h>
	#include <time.h>
	__attribute__((noinline)) void parse(long n)
	{
		while (n-- > 0)
			__asm__ volatile("");
		__asm__ volatile("");
	}
	__attribute__((noinline)) void render(long n)
	{
		while (n-- > 0)
			__asm__ volatile("");
		__asm__ volatile("");
	}
	int main(int argc, char *argv[])
	{
		long share = atol(argv[argc - 1]);

		while (clock() < 1.2 * CLOCKS_PER_SEC) {
			parse(share * 10000);
			render((100 - share) * 10000);
		}
		return 0;
	}
	END
	run -0 "$flame" -q -F 999 --samples before -o before.svg -- ./prog 25
	[ "$(grep -c '^#time=' before)" -gt 500 ]
	run -0 --separate-stderr "$flame" -F 999 --diff before --samples after \
		-o diff.svg -- ./prog 40
	[[ $stderr == *'user code varies by '*' % between runs'* ]]
	grep -q 'strong: beyond noise' diff.svg
	grep -qE 'verdicts&quot;:\[.*&quot;up&quot;' diff.svg
	run -0 folddiff -q --report before after
	[[ $output == *'spread within runs measured'*'up '*' parse'* ]]
}

@test "a process is recorded for ten seconds, or until it ends" {
	need_events
	sh -c "$(spin 100000000)" 3>&- &
	process=$!
	cat >bin/stackrecord <<-END
		#!/bin/sh
		echo "\$*" >"$PWD/options"
		exec "$(type -P stackrecord)" "\$@"
	END
	chmod +x bin/stackrecord
	PATH=$PWD/bin:$PATH "$flame" -q -p $process 3>&- &
	within_minutes is_larger_than 0 'tmp/*/data'
	kill $process
	wait $!
	[[ $(<options) == *" -d 10 "* ]]
	grep -q '<svg' flame.svg
}

@test "waits are in the picture with --wall" {
	need_events
	run -0 "$flame" --wall --folded out.folded -- sleep 0.5
	waited 0.45
	# Longer than the second in which frame pointers are tried.
	run -0 "$flame" --wall --folded out.folded -- sleep 1.5
	waited 1.45
	sh -c 'while :; do sleep 0.3; done' 3>&- &
	process=$!
	run -0 "$flame" --wall -d 2 --folded out.folded -p $process
	kill $process
	waited 1
	sleep 60 3>&- &
	process=$!
	run -0 --separate-stderr "$flame" --wall -d 0.1 --folded - -p $process
	kill $process
	[[ $output == *'sleep;state:waiting '* ]]
	if [[ $stderr == *"waits are recorded without stacks"* ]]; then
		[[ $stderr != *"no wait began"* ]]
		[[ $stderr != *"context-switches"* ]]
	else
		[[ $stderr == *"; no wait began during the recording: stacksample --state shows"* ]]
	fi
}

# One that records nothing, for a stackcollapse-perf that tells the stacks.
recorder_of_nothing() {
	without_recorders
	cat >bin/stackrecord <<-'END'
	#!/bin/sh
	until [ "$1" = -p ]; do
		[ "$1" != -o ] || echo data >"$2"
		shift
	done
	while kill -0 "$2"; do sleep 0.02; done 2>/dev/null
	END
	chmod +x bin/stackrecord
}

# waited SECONDS: at least, in all, by out.folded.
waited() {
	awk -v least="$1" '
		/;state:/ && !/;state:run/ { n += $NF }
		END { exit n / 1e9 < least }' out.folded
}

@test "code made at run time without a perf map is not told to get symbols" {
	recorder_of_nothing
	cat >bin/stackcollapse-perf <<-'END'
	#!/bin/sh
	printf '#fold=1;n=9;dur=1\nnode;_start;[node] 5\n'
	printf 'node;_start;[perf-7.map] %s\n' "$made"
	echo 'stackcollapse-perf: node has no symbols: why' >&2
	END
	chmod +x bin/stackcollapse-perf
	made=4 flame_in_bin -0 -d 0.1 -- sleep 0.1
	[[ $stderr == *", 100 % without names; code made at run time "* ]]
	made=0 flame_in_bin -0 -d 0.1 -- sleep 0.1
	[[ $stderr == *", 100 % without names; node has no symbols: why"$'\n'* ]]
}

@test "code made at run time is marked, and that of Erlang begins its stacks" {
	recorder_of_nothing
	cat >bin/stackcollapse-perf <<-'END'
	#!/bin/sh
	printf '#fold=1;n=9;dur=1\n'
	[ "${*#*--jit}" = "$*" ] || jit='_[j]'
	printf 'x;erts_beamasm:normal_exit/0-CodeInfoPrologue%s;m:f/0%s 5\n' $jit $jit
	printf 'x;global::process_main%s;f 3\n' $jit
	END
	chmod +x bin/stackcollapse-perf
	flame_in_bin -0 -d 0.1 --folded out.folded -- sleep 0.1
	[[ $stderr == *", 0 % of stacks truncated"* ]]
	grep -F 'm:f/0_[j] 5' out.folded
}

@test "of files without symbols the one is named that takes the time" {
	recorder_of_nothing
	cat >bin/stackcollapse-perf <<-'END'
	#!/bin/sh
	printf '#fold=1;n=9;dur=1\na;_start;[b+.so] 4\na;_start;f 1\na;_start;[a.b c] 3\n'
	printf 'a;_start;g;[a.b c] 2\n'
	for file in /lib/b+.so '/bin/a b c' '/bin/a.b c'; do
		echo "stackcollapse-perf: $file has no symbols: why" >&2
	done
	END
	chmod +x bin/stackcollapse-perf
	flame_in_bin -0 -d 0.1 -- sleep 0.1
	[[ $stderr == *", 90 % without names; /bin/a.b c has no symbols: why"$'\n'* ]]
}

@test "a signal that ends the recorder before it records is no lack of rights" {
	without_recorders
	# shellcheck disable=SC2016 # of that shell
	printf '#!/bin/sh\nkill -TERM $PPID\nexit 1\n' >bin/stackrecord
	chmod +x bin/stackrecord
	sleep 100 3>&- &
	process=$!
	flame_in_bin -2 -d 20 -p $process
	kill $process
	[[ $stderr == *"flame: nothing was recorded: stopped by SIGTERM" ]]
}

@test "a program without symbols: its stacks are whole, and it is named" {
	need_events
	command -v strip >/dev/null || skip "no strip"
	strip -o nameless "$(type -P awk)"
	run -0 --separate-stderr "$flame" --dwarf -- \
		./nameless 'BEGIN { while (i < 5000000) i++ }'
	[[ $stderr =~ ', '([0-9]+)' % of stacks truncated' ]]
	[ "${BASH_REMATCH[1]}" -le 10 ]
	[[ $stderr == *" % without names; $PWD/nameless has no symbols: "* ]]
}

@test "--heatmap: the samples are in the heat map, too" {
	need_events
	run -0 "$flame" -q --heatmap --folded out.folded -F 499 -- \
		sh -c 'seq 300000 | sort -R | sort >sorted'
	xmllint --noout flame.svg
	grep -q ' data-heat="' flame.svg
	unflame flame.svg | diff <(grep -v '^#' out.folded) -
}

@test "a signal goes to the command, and ends all" {
	need_events
	"$flame" -q -- sh -c 'touch begun; exec sleep 100' 3>&- &
	process=$!
	until [ -e begun ]; do
		sleep 0.05
	done
	kill -TERM $process
	status=0
	wait $process || status=$?
	[ $status -eq 143 ]
}

@test "a signal that comes before it records is not forgotten" {
	without_recorders
	# It is ended just before, and must not record any more.
	# shellcheck disable=SC2016 # of that shell
	printf '#!/bin/sh\nkill -TERM $PPID\n' >bin/mkdir.new
	printf '#!/bin/sh\ntouch recorded\n' >bin/stackrecord
	mv bin/mkdir.new bin/mkdir
	chmod +x bin/mkdir bin/stackrecord
	sleep 100 3>&- &
	process=$!
	flame_in_bin -2 -d 20 -p $process
	kill $process
	[ ! -e recorded ]
	[[ $stderr == *"flame: nothing was recorded: stopped by SIGTERM" ]]
}

@test "a command has the files that flame was given" {
	without_recorders
	fake_stacksample
	run -0 env PATH="$PWD/bin" sh -c ". $flame" "$PWD/bin/flame" -q -- \
		sh -c 'cat; echo three >&3; echo four >&4' \
		<<<input 3>three 4>four
	[ "$output" = input ]
	[ "$(cat three four)" = "three
four" ]
}

@test "a key of the terminal reaches the command once" {
	command -v python3 >/dev/null || skip "no python3"
	without_recorders
	ln -s "$(type -P touch)" bin
	fake_stacksample sleep 1
	cat >count <<-'END'
	import signal
	signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
	print("begun", flush=True)
	signal.sigwaitinfo({signal.SIGINT})
	second = signal.sigtimedwait({signal.SIGINT}, 1)
	print("signals:", 1 if second is None else 2)
	END
	python=$(python3 -c 'import sys; print(sys.executable)')
	run -0 env LC_ALL=C.UTF-8 python3 "$top_srcdir/t/terminal" 80x20 \
		'wait begun' 'key \x03' 'wait signals' show -- \
		env PATH="$PWD/bin" sh -c ". $flame" "$PWD/bin/flame" -q "$python" count
	[[ $output == *"signals: 1"* ]]
}

# Tools that flame needs, but no recorder.
without_recorders() {
	local tool

	for tool in sh env awk sed grep head cat rm cp mv mktemp mkfifo mkdir \
		dirname sleep kill ls tail tr true paste cut uname date nice \
		readlink flamegraph foldmerge foldtop; do
		ln -s "$(type -P $tool || command -v $tool)" bin
	done
}

# fake_stacksample [COMMAND...]: one that saw a stack, and ends as that does.
fake_stacksample() {
	cat >bin/stacksample <<-END
	#!/bin/sh
	[ "\$1" != --traceable ] || { shift 2; exec "\$@"; }
	echo "main;read 3"
	${*@Q}
	END
	chmod +x bin/stacksample
}

# In the folder bin alone, where flame finds its commands too.
flame_in_bin() {
	run "$1" --separate-stderr env PATH="$PWD/bin" \
		sh -c ". $flame" "$PWD/bin/flame" "${@:2}"
}

@test "without the right to record stacksample is used, or that is said" {
	without_recorders
	flame_in_bin -127 -- touch ran
	ln -s "$(command -v touch)" bin
	flame_in_bin -2 touch ran
	[[ $stderr == *"flame: cannot record: "*"stackrecord: not found" ]]
	# The command was ended before it began.
	[ ! -e ran ]
	fake_stacksample
	printf '#!/bin/sh\necho stackrecord: no right >&2\nexit 2\n' >bin/stackrecord
	chmod +x bin/stackrecord
	flame_in_bin -0 touch ran
	[[ $stderr == *"cannot record: no right; sampling with stacksample"* ]]
	grep -q main flame.svg
	[ -e ran ]
	# It counts no events.
	rm ran
	flame_in_bin -2 -q -e cache-misses touch ran
	[ "$stderr" = "flame: cannot record: no right" ]
	[ ! -e ran ]
	flame_in_bin -0 -q -e cpu-clock touch ran
	# It does not sample machines.
	flame_in_bin -2 -a
	[[ $stderr == *"no right; stacksample is for processes"* ]]
	fake_stacksample sh -c 'echo "stacksample: nor I" >&2; exit 2'
	rm ran
	flame_in_bin -2 touch ran
	[[ $stderr == *"no right; stacksample: nor I" ]]
	[ ! -e ran ]
}

@test "a link to it, out of PATH, finds the commands that it leads to" {
	mkdir 'my bin'
	ln -s "$flame" "${flame%/*}/slowflame" 'my bin'
	ln -s 'my bin/flame' fl
	for link in ./fl 'my bin/flame' 'my bin/slowflame'; do
		run -0 env PATH=/usr/bin:/bin "$link" --version
		[[ $output == *"flame (foldstack) "* ]]
	done
}

@test "a command that comes slowly is waited for" {
	without_recorders
	ln -s "$(command -v touch)" bin
	fake_stacksample
	rm bin/env
	printf '#!/bin/sh\nsleep 0.5\nexec %s "$@"\n' "$(type -P env)" >bin/env
	chmod +x bin/env
	run -0 timeout 20 env PATH="$PWD/bin" sh -c ". $flame" \
		"$PWD/bin/flame" -q touch ran
	[ -e ran ]
}

@test "names are no options, and remarks that nobody reads end nothing" {
	without_recorders
	fake_stacksample
	ln -s "$(command -v touch)" bin
	flame_in_bin -0 -q --folded '-x y' -o $'-a\nb' -- touch $'r\\n\n"an' ' n 2'
	[ -e $'r\\n\n"an' ] && [ -e ' n 2' ]
	grep -qx 'main;read 3' './-x y'
	xmllint --noout $'./-a\nb'
	ln -s "$(command -v folddiff)" bin
	flame_in_bin -0 -q --diff '-x y' -o - true
	xmllint --noout ./-
	exec 4> >(true)
	wait $! || : # bash may have waited for it
	env PATH="$PWD/bin" sh -c ". $flame" "$PWD/bin/flame" touch ran 2>&4
	exec 4>&-
	[ -e ran ]
	xmllint --noout flame.svg
}

@test "numbers have a point in every language, which a command keeps" {
	local awk

	without_recorders
	fake_stacksample
	awk=$(type -P awk)
	rm bin/awk
	cat >bin/awk <<-END
	#!/bin/sh
	[ "\$LC_ALL" = C ] || echo "\$*" >>commas
	exec $awk "\$@"
	END
	chmod +x bin/awk
	# shellcheck disable=SC2016 # of that shell
	LC_ALL=de_DE.UTF-8 flame_in_bin -0 -q sh -c 'echo "$LC_ALL"'
	[ "$output" = de_DE.UTF-8 ]
	[ ! -e commas ]
}

@test "stacksample draws a command, and its waits with --wall" {
	without_recorders
	ln -s "$(command -v stacksample)" bin
	stacksample -q -d 0.1 -- sleep 5 3>&- >/dev/null 2>&1 ||
		skip "no right to look at a process"
	flame_in_bin -3 --folded out.folded -- sh -c "$(spin 1000000); exit 3"
	[[ $stderr == *"sampling with stacksample"*": wrote flame.svg: "* ]]
	grep -q ';' out.folded
	flame_in_bin -0 --wall -q --folded out.folded -- sleep 1
	[ -z "$stderr" ]
	grep -q ';state:clock_nanosleep ' out.folded
}

@test "in a container that filters the system call a command is drawn" {
	refuse=$top_builddir/t/programs/refuse
	[ -x "$refuse" ] || skip "t/programs/refuse is not built"
	"$refuse" 1 stacksample -q -d 0.1 -- sleep 5 3>&- >/dev/null 2>&1 ||
		skip "no right to look at a process"
	run -0 --separate-stderr "$refuse" 1 "$flame" --plain \
		--folded out.folded -- sh -c "$(spin 1000000)"
	[[ $stderr == "flame: cannot record: a seccomp filter refuses \
perf_event_open(2): "*"--cap-add PERFMON; sampling with stacksample"* ]]
	grep -q '^sh;' out.folded
	grep -q '^<svg' flame.svg
	rm flame.svg
	run -2 --separate-stderr "$refuse" 1 "$flame" --plain -e page-faults -- touch ran
	[[ $stderr == "flame: cannot record: a seccomp filter refuses "* ]]
	[ ! -e ran ] && [ ! -e flame.svg ]
}

@test "stacksample draws child processes, new ones and those that run" {
	without_recorders
	ln -s "$(command -v stacksample)" bin
	stacksample -q -d 0.1 -- sleep 5 3>&- >/dev/null 2>&1 ||
		skip "no right to look at a process"
	ln -s "$(type -P sh)" bin/inner
	flame_in_bin -3 --plain --folded out.folded -- \
		sh -c "inner -c '$(spin 1000000)'; exit 3"
	[[ $stderr == *"sampling with stacksample"$'\n'* ]]
	grep -q '^inner;' out.folded
	# What it leaves behind goes on, and is not waited for.
	SECONDS=0
	flame_in_bin -0 --plain -q --folded out.folded -- \
		sh -c "sleep 60 >/dev/null 2>&1 3>&- & echo \$! >left; $(spin 300000)"
	kill "$(<left)"
	[ $SECONDS -lt 50 ]
	PATH=$PWD/bin:$PATH sh -c "inner -c 'echo \$\$ >child; $(spin 1000000000)'; :" 3>&- &
	process=$!
	within_minutes test -s child
	flame_in_bin -0 --plain -d 2 --folded out.folded -p $process
	kill "$(<child)"
	grep -q '^inner;' out.folded
}

@test "what cannot be run is said at once, with the status of a shell" {
	run -127 --separate-stderr "$flame" -- no-such-command
	[ "$stderr" = "flame: no-such-command: not found" ]
	run -127 --separate-stderr "$flame" ./no-such-command
	[ "$stderr" = "flame: ./no-such-command: not found" ]
	: >file
	run -126 --separate-stderr "$flame" ./file
	[ "$stderr" = "flame: ./file: not a program" ]
	run -126 --separate-stderr "$flame" ./tmp
	[ ! -e flame.svg ]
}

@test "what cannot be written or read is said before anything runs" {
	local options

	for options in '-o no/x.svg' '-o tmp' '--folded no/x' '--samples no/x' '--diff no-file'; do
		echo "# $options"
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$flame" $options -- touch ran
		[[ $stderr == "flame: "*": cannot be "* ]]
	done
	[ ! -e ran ]
}

@test "a process that is not there is status 2" {
	run -2 --separate-stderr "$flame" -p 999999999
	[ "$stderr" = "flame: there is no process 999999999" ]
}

@test "a command that ends at once is drawn without samples" {
	need_events
	run -1 --separate-stderr "$flame" --plain -F 1 -- false
	[ "$(said)" = "flame: wrote flame.svg: no samples, because almost nothing \
ran; --wall shows waits" ]
	xmllint --noout flame.svg
}

@test "of a process that leaves the work to others, these are named" {
	local child parent

	need_events
	bash -c 'sleep 600 & echo $!; wait' >child 3>&- &
	parent=$!
	within_minutes grep -q . child
	child=$(<child)
	[ -e "/proc/$parent/task/$parent/children" ] || skip "no such kernel"
	run -0 --separate-stderr "$flame" -F 1 -d 0.5 -p "$parent"
	kill "$child"
	wait "$parent" || :
	[ "$(said)" = "flame: wrote flame.svg: no samples, because almost nothing \
ran; record its children with -p: $child" ]
}

@test "where standard input is closed, the command gets none" {
	need_events
	# shellcheck disable=SC2016 # of that shell
	run -0 timeout 60 bash -c '"$0" --plain -F 1 -- cat <&-' "$flame"
	[[ $output == 'flame: wrote flame.svg: '* ]]
}

@test "all of the machine is drawn" {
	stackrecord -q -a -o try -- true >/dev/null 2>&1 ||
		skip "no right to record all CPUs"
	sh -c "$(spin 100000000)" 3>&- &
	process=$!
	run -0 --separate-stderr "$flame" -a -d 0.5 --folded out.folded
	kill $process
	[[ $stderr == *"flame: wrote flame.svg: "*" samples of c"*" in "* ]]
	grep -q '^sh;' out.folded
}

@test "wrong options are status 2 with the usage, and nothing is recorded" {
	local options

	for options in '' -p '-p x' '-p 1 -a' '-a true' '-d x true' \
		'-d 0 true' '-F 1.2.3 true' '--no-such -a' \
		'--heatmap --diff x true' '--wall=no true' '--output= true' \
		'-qx true'; do
		echo "# $options"
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$flame" $options
		[ -z "$output" ]
		[[ $stderr == "flame: "*$'\nusage: flame '* ]]
	done
	[ ! -e flame.svg ]
}

@test "long options may be cut short, and a slip is named" {
	run -0 --separate-stderr "$flame" --vers
	[[ $output == 'flame (foldstack)'* ]]
	run -2 --separate-stderr "$flame" --freq=x true
	[[ $stderr == *'not a number: x'* ]]
	run -2 --separate-stderr "$flame" --stack 4 true
	[[ $stderr == *'--stack-size: not from 8 to 65528: 4'* ]]
	run -2 --separate-stderr "$flame" --du x --pi 1
	[[ $stderr == *'not a number: x'* ]]
	run -2 --separate-stderr "$flame" --d 1 true
	[[ $stderr == *'--d is ambiguous: --duration --diff --dwarf'* ]]
	run -2 --separate-stderr "$flame" --heatmpa true
	[[ $stderr == *'no such option: --heatmpa; did you mean --heatmap?'* ]]
	run -2 --separate-stderr "$flame" --nonsense true
	[[ ${stderr_lines[0]} == 'flame: no such option: --nonsense' ]]
}

@test "--version prints the version" {
	run -0 "$flame" --version
	[[ $output == "flame (foldstack) "* ]]
}
