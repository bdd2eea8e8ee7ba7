#!/usr/bin/env bats
# slowflame.bats - what slowflame(1) promises.

load helper

setup() {
	slowflame=$command_dir/slowflame
	cd "$BATS_TEST_TMPDIR" || return
	mkdir tmp out tracefs bin
	: >tracefs/uprobe_events
	export TMPDIR=$PWD/tmp
}

# What was made on the way is gone.
teardown() {
	[ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
}

events=/sys/kernel/tracing/uprobe_events

need_probes() {
	[ -w $events ] || skip "no right to place probes"
	[ -x "$top_builddir/t/programs/slowcalls" ] || skip "t/programs/slowcalls is not built"
	perf record -q -e context-switches -o try.data -- true \
		>/dev/null 2>&1 || skip "perf may not record here"
}

# No probes of ours, and no perf, are left.  Others may be at work on this
# machine: what is left has the number of a process that has ended.
is_clean() {
	local owner

	while read -r owner; do
		kill -0 "$owner" || return 1
	done < <(sed -n 's/.*:slowflame_\([0-9]*\).*/\1/p' $events)
	! pgrep -f "perf record.*$BATS_TEST_TMPDIR"
}

# target SECONDS: calls to look into, as $process.
target() {
	"$top_builddir/t/programs/slowcalls" "$1" >truth 3>&- &
	process=$!
	until [[ $(readlink "/proc/$process/exe") == */slowcalls ]]; do
		sleep 0.01
	done
}

@test "the causes of slow calls are named and drawn, and nothing is left" {
	need_plain "sanitizers put calls where functions return"
	need_probes
	target 60
	run -0 --separate-stderr "$slowflame" -p $process -o out -d 2 \
		--max-cpu 100 --arg id --stream stream --above 1ms handle
	kill $process
	echo "$output"
	is_clean
	xmllint --noout out/slow.svg out/fast.svg out/diff.svg
	[[ $output == *" calls of handle: p50 "* ]]
	[[ $output == *"slow calls take "*" more: "* ]]
	[[ $output == *" in compute under slow_path"* ]]
	[[ $output == *" in state:futex under take_lock"* ]]
	[[ $output == *$'\nms\tfetched\twaited\n'*$'\tid='[0-9]* ]]
	unflame out/slow.svg | grep -q '^handle;slow_path;compute'
	unflame out/fast.svg >fast
	grep -q '^handle;' fast
	run ! grep slow_path fast
	event=$(grep -om 1 'slowflame_[0-9]*:handle' stream)
	run -0 foldsplit -q --call "$event" --report=tsv stream
}

@test "calls of several processes, in a file with blanks, are one picture" {
	need_plain "sanitizers put calls where functions return"
	need_probes
	mkdir 'b lank'
	cp "$top_builddir/t/programs/slowcalls" 'b lank/slow calls'
	'b lank/slow calls' 60 >/dev/null 3>&- &
	one=$!
	'b lank/slow calls' 60 >/dev/null 3>&- &
	two=$!
	for process in $one $two; do
		until [[ $(readlink "/proc/$process/exe") == */'slow calls' ]]; do
			sleep 0.01
		done
	done
	run -0 --separate-stderr "$slowflame" -p $one -p $two -o out -d 2 \
		--max-cpu 100 --stream stream --above 1ms handle
	echo "$output"
	grep -q "pid=$one;" stream
	grep -q "pid=$two;" stream
	# What waits and what computes are sums of their own.
	[[ $output == *$'\nwaiting, '*" more: "*" in state:futex under "* ]]
	[[ $output == *$'\ncomputing, '*" more: "*" in compute under slow_path"* ]]
	run -0 --separate-stderr "$slowflame" --comm 'slow calls' -d 1 \
		--max-cpu 100 --stream stream -o out handle
	kill $one $two
	grep -q "pid=$one;" stream
	grep -q "pid=$two;" stream
	is_clean
	[ -z "$(ls -A tmp)" ]
}

@test "a function of an interpreter is said to be none for probes" {
	need_probes
	command -v python3 >/dev/null || skip "no python3"
	python=$(python3 -c 'import sys; print(sys.executable)')
	"$python" -c 'while True: pass' 3>&- &
	process=$!
	for _ in {1..250}; do
		known=$(stacksample -q --runtimes -p $process) || break
		[ -z "$known" ] || break
		sleep 0.02
	done
	run -2 --separate-stderr "$slowflame" -p $process -o out no_such
	kill $process
	[ "$known" = $process ] || skip "stacksample does not know this python3"
	[[ $stderr == *"no_such is no function of "*" of the interpreter that "* ]]
}

@test "arguments are fetched of methods of C++, too" {
	need_probes
	type -P "${CXX:-c++}" >/dev/null || skip "no C++"
	cat >server.cc <<-'END'
		#include <unistd.h>

		namespace ns {
		struct Server {
			void nap(int id);
			void handle(int id);
		};
		__attribute__((noinline)) void
		Server::nap(int id)
		{
			usleep(id % 50 == 7 ? 30000 : 1000);
			asm volatile("");
		}
		__attribute__((noinline)) void
		Server::handle(int id)
		{
			nap(id);
			asm volatile("");
		}
		}
		int
		main()
		{
			ns::Server server;
			int i;

			for (i = 0; i < 3000; i++)
				server.handle(i);
		}
	END
	"${CXX:-c++}" -O1 -g -o server server.cc
	run -0 --separate-stderr "$slowflame" -o out --max-cpu 100 \
		--above 25ms --arg id ns::Server::handle ./server
	echo "$output"
	[[ $output == *$'7\t'*' under ns::Server::nap'* ]]
}

@test "a call that takes long is kept by a ring" {
	need_probes
	target 60
	run -0 --separate-stderr "$slowflame" -p $process -o out -d 20 \
		--max-cpu 100 --ring 8M --when '>10ms' handle
	kill $process
	is_clean
	[[ $stderr == *"slowflame: a call of handle took "*" ms"* ]]
	[[ $output == *"handle > 10ms"* ]]
	xmllint --noout out/slow.svg
}

@test "a signal, and the end of perf, leave no probe" {
	need_probes
	target 60
	"$slowflame" -p $process -o out -d 20 --max-cpu 100 handle 3>&- &
	sleep 0.7
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ $status -eq 143 ]
	is_clean
	"$slowflame" -p $process -o out -d 20 --max-cpu 100 handle 3>&- &
	until [ -n "$(ls tmp/*/data)" ] && pgrep -P $! -x perf >perfs; do
		sleep 0.2
	done 2>/dev/null
	kill -KILL "$(cat perfs)"
	wait $! || :
	is_clean
	kill $process
}

# A perf that counts so many CALLS and SWITCHES, and tracefs for no kernel: what
# is refused needs no rights.
refused() {
	[ -x "$top_builddir/t/programs/slowcalls" ] || skip "t/programs/slowcalls is not built"
	cat >bin/perf <<-END
	#!/bin/sh
	[ "\$1 \$2" != 'probe -x' ] || echo "as perf says" >&2
	[ "\$1" = stat ] || exit 1
	echo "$1,,\$6,1,100.00,,
	$1,,\$8,1,100.00,,
	$2,,context-switches,1,100.00,," >"\$4"
	END
	chmod +x bin/perf
	shift 2
	target 60
	run -2 --separate-stderr env PATH="$PWD/bin:$PATH" \
		TRACEFS="$PWD/tracefs" "$slowflame" -p $process -o out "$@"
	kill $process
	[ -z "$(ls out)" ]
}

@test "what is called too often is refused, and its probes are removed" {
	refused 9000 10 handle
	[[ $stderr == *"slowflame: handle is called about 90000 times a second, \
more than --max-rate 20000"* ]]
	# The function's entry, each of its returns, and both removed.
	grep -q '^p:slowflame_[0-9]*/handle /.*/slowcalls:0x[0-9a-f]*$' \
		tracefs/uprobe_events
	grep -q '^p:slowflame_[0-9]*/handle__return /' tracefs/uprobe_events
	run ! grep '^r' tracefs/uprobe_events
	grep -q '^-:slowflame_[0-9]*/handle$' tracefs/uprobe_events
	grep -q '^-:slowflame_[0-9]*/handle__return$' tracefs/uprobe_events
}

@test "names of functions may have blanks, and are no patterns of files" {
	touch handle_me
	refused 1 1 --deeper 'no such<int, char>::find' \
		--deeper handle
	[ "$stderr" = "slowflame: no such<int, char>::find is in no file of \
the process" ]
	refused 1 1 --deeper 'hand*e_*'
	[ "$stderr" = "slowflame: hand*e_* is in no file of the process" ]
}

@test "a slow call is seen at once, whatever awk there is" {
	local awk

	for awk in mawk gawk "busybox awk"; do
		type -P "${awk%% *}" >/dev/null || continue
		rm -f bin/awk pipe
		printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >bin/awk
		printf '#!/bin/sh\ncat\n' >bin/perf
		chmod +x bin/awk bin/perf
		mkfifo pipe
		: >answer
		# The answer comes before the end of what it is found in.
		sed -n '/^longer()/,/^}/p' "$slowflame" >longer
		sed -n '/^awk/,/^}/p' "$slowflame" >>longer
		PATH=$PWD/bin:$PATH timeout 60 sh -c '. ./longer
			tmp=.
			longer 1000000' >answer 3>&- &
		exec 4>pipe
		printf '1 1.000: g:f:\n1 2.000: g:f__return:\n' >&4
		until [ -s answer ]; do
			kill -0 $!
			sleep 0.05
		done
		exec 4>&-
		wait $!
		[ "$(cat answer)" = "1000.0 ms" ]
	done
}

# watch LINE: what is said of the events on standard input; LINE as --line.
watch() {
	local awk

	printf '#!/bin/sh\ncat\n' >bin/perf
	chmod +x bin/perf
	cat >pipe
	sed -n '/^longer()/,/^}/p' "$slowflame" >longer
	sed -n '/^awk/,/^}/p' "$slowflame" >>longer
	for awk in mawk gawk "busybox awk"; do
		type -P "${awk%% *}" >/dev/null || continue
		printf '#!/bin/sh\nexec %s "$@"\n' "$awk" >bin/awk
		chmod +x bin/awk
		line=$1 PATH=$PWD/bin:$PATH sh -c '. ./longer
			tmp=.
			longer 1000000000'
	done | sort -u
}

@test "a slow call is seen behind those that never return" {
	# By an exception, of a thread whose calls are within others, too.
	run -0 watch '' <<-'END'
		1 1.000: g:f:
		1 2.000: g:f:
		1 2.500: g:f__return:
		2 2.500: g:f__return:
		1 3.000: g:f:
		1 3.100: g:f:
		1 3.200: g:f__return:
		1 4.500: g:f__return:
	END
	[ "$output" = "1500.0 ms" ]
	# Visits of a line but for the last.
	run -0 watch file.c:7 <<-'END'
		1 1.000: g:file_c_7:
		1 2.000: g:file_c_7:
		1 2.500: g:f__return:
		1 3.700: g:f__return:
		1 4.000: g:file_c_7:
		1 5.250: g:f__return:
	END
	[ "$output" = "1250.0 ms" ]
	# However many of them there were.
	run -0 watch '' < <(
		seq -f '1 1.%06.0f: g:f:' 2500
		seq -f '1 1.%06.0f: g:f__return:' 3000 4500
		printf '1 %s\n' '9.000: g:f:' '10.125: g:f__return:'
	)
	[ "$output" = "1125.0 ms" ]
}

@test "what takes too much of the CPU is refused, by calls or by waits" {
	refused 9000 10 --max-rate 100000 handle
	[[ $stderr == *"recording would take about "*" % of the CPU, more than \
--max-cpu 1: "*" for 18000 calls a second, "*" for 20 waits"* ]]
	refused 100 9000 handle
	[[ $stderr == *" % of the CPU"*" for 18000 waits, which --on-cpu leaves \
out, "* ]]
}

@test "a command that is refused does not run, or goes on if it has begun" {
	refused 9000 10 handle
	run -2 env PATH="$PWD/bin:$PATH" TRACEFS="$PWD/tracefs" \
		"$slowflame" no_such_function touch ran
	[ ! -e ran ]
	# In the background of a script, INT is ignored and does not end it.
	(
		trap '' INT
		run -2 env PATH="$PWD/bin:$PATH" TRACEFS="$PWD/tracefs" \
			timeout -s KILL 60 "$slowflame" handle \
			"$top_builddir/t/programs/slowcalls" 0.1
	)
}

@test "probes that a killed one left are removed" {
	echo 'p:slowflame_999999999/old /bin/x:0x1' >tracefs/uprobe_events
	refused 9000 10 handle
	grep -q '^-:slowflame_999999999/old$' tracefs/uprobe_events
}

@test "programs that probes of returns would crash are refused" {
	printf '\177ELF Go buildinf: ' >goprog
	chmod +x goprog
	refused 1 1 "$PWD/goprog:main.handle"
	[[ $stderr == *"goprog is Go: "*"calls cannot be probed"* ]]
	[ ! -s tracefs/uprobe_events ]
}

@test "a function of a library is said to be one" {
	need_probes
	command -v nm >/dev/null || skip "no nm"
	target 60
	run -2 --separate-stderr "$slowflame" -p $process -o out getopt_long
	[[ $stderr == *"getopt_long is no function of "*"/slowcalls, but of "*"/libc."*": name it "*"/libc."*":getopt_long" ]]
	run -2 --separate-stderr "$slowflame" -p $process -o out no::such
	[[ $stderr == *"no::such is no function of "*"/slowcalls" ]]
	kill $process
	is_clean
}

@test "without the rights, or the function, that is said" {
	refused 1 1 no_such_function
	[[ $stderr == "slowflame: no_such_function is no function of "*"/slowcalls: \
as perf says" ]]
	refused 1 1 --arg no_such handle
	[ "$stderr" = "slowflame: handle with no_such cannot be probed: \
as perf says" ]
	refused 1 1 -o none handle
	[ "$stderr" = "slowflame: none: no folder to write to" ]
	refused 1 1 nolib:handle
	[ "$stderr" = "slowflame: the process has nothing called nolib" ]
	run -2 --separate-stderr env TRACEFS="$PWD/tracefs" "$slowflame" \
		libc:malloc true
	[ "$stderr" = "slowflame: a library of a command is named by its path, \
not as libc: it has not been loaded yet" ]
	rm tracefs/uprobe_events
	refused 1 1 handle
	if [ "$(id -u)" -eq 0 ]; then
		[[ $stderr == *"/tracefs/uprobe_events cannot be written: mount tracefs"* ]]
	else
		[ "$stderr" = "slowflame: no right to place probes: be root" ]
	fi
}

@test "wrong options are status 2 with the usage" {
	local options

	for options in '' -p '-p x f' '-p 1' 'f' '-p 1 f true' '-d x f true' \
		'-d 0 f true' '-F 1.2.3 f true' '--no-such f true' \
		'--ring 1M f true' '--when >1ms f true' \
		'--ring 1M --when 5 f true' '--max-rate 1.5 f true' \
		'--ring x --when 1ms f true' '--ring 1M --when 1..2ms f true' \
		'--above x f true' '--fp=1 f true' '--stream= f true'; do
		echo "# $options"
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$slowflame" $options
		[ -z "$output" ]
		[[ $stderr == "slowflame: "*$'\nusage: slowflame '* ]]
	done
}

@test "--help has the options of the manual, and --version the version" {
	mandoc -T lint -W warning "$top_srcdir/cmd/slowflame.1"
	diff <("$slowflame" --help |
		sed -n 's/^  *\(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' | sort) \
		<(sed -n 's/^\.It .*Fl -\([a-z-]*\).*/\1/p' \
			"$top_srcdir/cmd/slowflame.1" | sort)
	run -0 "$slowflame" --version
	[[ $output == "slowflame (foldstack) "* ]]
}
