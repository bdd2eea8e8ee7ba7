#!/usr/bin/env bats
# slowflame.bats - what slowflame(1) promises.

load helper

setup() {
	slowflame=$command_dir/slowflame
	cd "$BATS_TEST_TMPDIR" || return
	mkdir tmp out bin
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
	stackrecord -q -e context-switches -o try.data -- true \
		>/dev/null 2>&1 || skip "nothing may be recorded here"
}

# No probes of ours, and no recorder, are left.  Others may be at work on this
# machine: what is left has the number of a process that has ended.
is_clean() {
	local owner

	while read -r owner; do
		kill -0 "$owner" || return 1
	done < <(sed -n 's/.*:stackrecord_\([0-9]*\).*/\1/p' $events)
	! pgrep -f "(perf|stackrecord) .*$BATS_TEST_TMPDIR"
}

# target SECONDS: calls to look into, as $process.
target() {
	"$top_builddir/t/programs/slowcalls" "$1" >truth 3>&- &
	process=$!
	until [[ $(readlink "/proc/$process/exe") == */slowcalls ]]; do
		sleep 0.01
	done
}

# A perf that does nothing comes first.
without_perf() {
	printf '#!/bin/sh\necho perf was run >&2\nexit 3\n' >bin/perf
	chmod +x bin/perf
	PATH=$PWD/bin:$PATH
}

@test "the causes of slow calls are named and drawn, and nothing is left" {
	need_plain "sanitizers put calls where functions return"
	need_probes
	target 600
	run -0 --separate-stderr "$slowflame" -p $process -o out -d 4 \
		--max-cpu 100 --arg id --stream stream --above 1ms handle
	kill $process
	echo "$output"
	is_clean
	xmllint --noout out/slow.svg out/fast.svg out/diff.svg
	[[ $output == *" calls of handle: p50 "* ]]
	[[ $output == *"slow calls take "*" more: "* ]]
	[[ $output == *" under slow_path"* || $output == *" under take_lock"* ]]
	[[ $output == *$'\nms\tfetched\twaited\n'*$'\tid='[0-9]* ]]
	unflame out/slow.svg | grep -q '^handle;slow_path;compute'
	unflame out/slow.svg | grep -q '^handle;take_lock;.*state:futex'
	unflame out/fast.svg >fast
	grep -q '^handle;' fast
	run ! grep slow_path fast
	run -0 foldsplit -q --call handle --report=tsv stream
}

@test "calls of several processes, in a file with blanks, are one picture" {
	need_plain "sanitizers put calls where functions return"
	need_probes
	mkdir 'b lank'
	cp "$top_builddir/t/programs/slowcalls" 'b lank/slow calls'
	'b lank/slow calls' 600 >/dev/null 3>&- &
	one=$!
	'b lank/slow calls' 600 >/dev/null 3>&- &
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
	run -0 --separate-stderr "$slowflame" --comm 'slow calls' -d 1 \
		--max-cpu 100 --stream stream -o out handle
	kill $one $two
	grep -q "pid=$one;" stream
	grep -q "pid=$two;" stream
	is_clean
	[ -z "$(ls -A tmp)" ]
}

@test "a function of an interpreter is none for probes, but the message works" {
	need_probes
	command -v python3 >/dev/null || skip "no python3"
	python=$(python3 -c 'import sys; print(sys.executable)')
	cat >loop.py <<-'END'
		import time

		def busy():
		    end = time.time() + 0.2
		    while time.time() < end:
		        pass

		stop = time.time() + 60
		while time.time() < stop:
		    busy()
		    time.sleep(0.2)
	END
	"$python" loop.py 3>&- &
	process=$!
	for _ in {1..250}; do
		known=$(stacksample -q --runtimes -p $process) || break
		[ -z "$known" ] || break
		sleep 0.02
	done
	run -2 --separate-stderr "$slowflame" -p $process -o out busy
	[ "$known" = $process ] || {
		kill $process
		skip "stacksample does not know this python3"
	}
	[[ $stderr == *"busy is not a function of "*"; what an interpreter or a virtual machine runs cannot be probed: flame "* ]]
	# The command of the message works; few samples a call need a bound.
	run -0 sh -c "$(sed -n 's/.*slow calls: \(.* -d \)10/\12/
		s/--report/--above 1ms &/p' <<<"$stderr")"
	kill $process
	echo "$output"
	[[ ${lines[0]} == [1-9]*" of busy"* ]]
}

@test "a script that has not begun is said to be one" {
	printf '#!/bin/sh\ntouch ran\n' >script
	chmod +x script
	run -2 --separate-stderr "$slowflame" -o out handle ./script
	[[ $stderr == "slowflame: handle is not a function of "*"/script; what an interpreter or a virtual machine runs cannot be probed: flame "* ]]
	[[ $stderr == *" -p PID | "* ]]
	[ ! -e ran ]
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

@test "calls begin at a line of the source" {
	need_plain "sanitizers put calls where functions return"
	need_probes
	without_perf
	at=$(grep -n '^		slow_path();$' "$top_srcdir/t/programs/slowcalls.c")
	target 600
	run -0 --separate-stderr "$slowflame" -p $process -o out -d 4 \
		--max-cpu 100 --arg depth --line "slowcalls.c:${at%%:*}" handle
	kill $process
	# One call in twenty comes to this line, and then computes for 4 ms.
	[[ $output =~ ^([0-9]+)\ calls\ of\ slowcalls_c_${at%%:*} ]]
	calls=${BASH_REMATCH[1]}
	[ "$calls" -gt 0 ]
	[ "$calls" -le "$(grep -c '^slow_path ' truth)" ]
	awk '/^ms\tfetched/ { rows = 1; next }
	     rows && ($1 < 4 || $2 !~ /^depth=[01]$/) { exit 1 }' <<<"$output"
	is_clean
}

@test "a call that takes long is kept by a ring" {
	need_probes
	without_perf
	target 600
	run -0 --separate-stderr "$slowflame" -p $process -o out -d 40 \
		--max-cpu 100 --ring 8M --when '>10ms' handle
	is_clean
	[[ $stderr == *"slowflame: a call of handle took "*" ms"* ]]
	[[ $output == *"handle > 10ms"* ]]
	xmllint --noout out/slow.svg
	# No call takes so long.
	run -2 --separate-stderr "$slowflame" -p $process -o out -d 1 \
		--max-cpu 100 --ring 8M --when '>100s' handle
	kill $process
	[ "$stderr" = "slowflame: no call of handle took longer than 100s" ]
}

@test "a signal, and the end of the recorder, leave no probe" {
	need_probes
	target 600
	"$slowflame" -p $process -o out -d 20 --max-cpu 100 handle 3>&- &
	sleep 0.7
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ $status -eq 143 ]
	is_clean
	"$slowflame" -p $process -o out -d 20 --max-cpu 100 handle 3>&- &
	until [ -s "$(ls tmp/*/data)" ] && pgrep -P $! -x stackrecord >recorders; do
		sleep 0.05
	done 2>/dev/null
	kill -KILL "$(cat recorders)"
	wait $! || :
	# A process that outlives the recorder removes them.
	for _ in {1..500}; do
		! grep -q ":stackrecord_$(cat recorders)/" $events || sleep 0.02
	done
	is_clean
	kill $process
}

# A recorder that counts so many CALLS and SWITCHES, and to which 2000 calls of
# dd take 20 ms, or up to $dd_ns: what is refused needs no rights.
refused() {
	[ -x "$top_builddir/t/programs/slowcalls" ] || skip "t/programs/slowcalls is not built"
	cat >bin/stackrecord <<-END
	#!/bin/sh
	case \$* in
	*' count=1') printf '1000000\ttask-clock\n' ;;
	*' count=2000') printf '${dd_ns:-21000000}\ttask-clock\n' ;;
	*--stat*)
		printf '%s\n' "\$@" >'$PWD/asked'
		printf '$1\thandle\n$1\thandle__return\n$2\tcontext-switches\n'
		;;
	*) exec '$command_dir/stackrecord' "\$@" ;;
	esac
	END
	chmod +x bin/stackrecord
	shift 2
	target 600
	run -2 --separate-stderr env PATH="$PWD/bin:$PATH" \
		"$slowflame" -p $process -o out "$@"
	kill $process
	[ -z "$(ls out)" ]
}

@test "what is called too often is refused" {
	refused 9000 10 handle
	[[ $stderr == *"slowflame: handle is called about 90000 times a second, \
more than --max-rate 20000"* ]]
	# The function's entry, and each of its returns.
	grep -q '^uprobe/name=handle,stack=4096/:/.*/slowcalls:handle$' asked
	type -P objdump >/dev/null || skip "no objdump"
	grep -q '^uprobe/name=handle__return,stack=0/:/.*/slowcalls:+0x[0-9a-f]*' asked
	run ! grep '^uretprobe' asked
}

@test "names of functions may have blanks, and are no patterns of files" {
	touch handle_me
	refused 1 1 --deeper 'no such<int, char>::find' \
		--deeper handle
	[ "$stderr" = "slowflame: no such<int, char>::find is in no file of \
the process" ]
	touch hand_no_such
	refused 1 1 --deeper 'hand*_no_such'
	[ "$stderr" = "slowflame: hand*_no_such is in no file of the process" ]
}

@test "what takes too much of the CPU is refused, by calls or by waits" {
	refused 9000 10 --max-rate 100000 handle
	[[ $stderr == *"recording would take about "*" % of the CPU, more than \
--max-cpu 1: 18.00 for 18000 calls a second, "*" for 20 waits"* ]]
	# No two exceptions take so little: dd did not call this libc.
	dd_ns=1500000 refused 9000 10 --max-rate 100000 handle
	[[ $stderr == *"--max-cpu 1: 45.00 for 18000 calls a second, "* ]]
	refused 100 9000 handle
	[[ $stderr == *" % of the CPU"*" for 18000 waits, which --on-cpu leaves \
out, "* ]]
}

@test "a command that is refused does not run, or goes on if it has begun" {
	refused 9000 10 handle
	run -2 env PATH="$PWD/bin:$PATH" \
		"$slowflame" no_such_function touch ran
	[ ! -e ran ]
	# In the background of a script, INT is ignored and does not end it.
	(
		trap '' INT
		run -2 env PATH="$PWD/bin:$PATH" \
			timeout -s KILL 60 "$slowflame" handle \
			"$top_builddir/t/programs/slowcalls" 0.1
	)
}

@test "a command that ends while calls are counted is said to" {
	need_probes
	run -2 --separate-stderr "$slowflame" -o out handle \
		"$top_builddir/t/programs/slowcalls" 0.3
	[[ $stderr == *"slowflame: the command ended before the recording \
began: "* ]]
	is_clean
}

@test "programs that probes of returns would crash are refused" {
	printf '\177ELF Go buildinf: ' >goprog
	chmod +x goprog
	refused 1 1 "$PWD/goprog:main.handle"
	[[ $stderr == *"goprog is Go: "*"calls cannot be probed"* ]]
	[ ! -e asked ]
}

@test "a function of a library is said to be one" {
	need_probes
	target 600
	run -2 --separate-stderr "$slowflame" -p $process -o out getopt_long
	[[ $stderr == *"getopt_long is not a function of "*"/slowcalls, but of "*"/libc."*": name it "*"/libc."*":getopt_long" ]]
	run -2 --separate-stderr "$slowflame" -p $process -o out no::such
	[[ $stderr == *"no::such is not a function of "*"/slowcalls" ]]
	kill $process
	is_clean
}

@test "without the rights, or the function, that is said" {
	refused 1 1 no_such_function
	[[ $stderr == "slowflame: no_such_function is not a function of "*"/slowcalls" ]]
	refused 1 1 --arg no_such handle
	[[ $stderr == "slowflame: handle with no_such cannot be probed: no variable"* ]]
	refused 1 1 --line slowcalls.c:100000 handle
	[[ $stderr == "slowflame: line 100000 of slowcalls.c has no code"* ]]
	refused 1 1 -o none handle
	[ "$stderr" = "slowflame: none: not a writable directory" ]
	refused 1 1 nolib:handle
	[ "$stderr" = "slowflame: the process has no file named nolib" ]
	run -2 --separate-stderr "$slowflame" libc:malloc true
	[ "$stderr" = "slowflame: give the path of the library, not libc: \
the command has not loaded it yet" ]
	target 600
	run -2 --separate-stderr env TRACEFS="$PWD/none" "$slowflame" \
		-p $process -o out handle
	kill $process
	[[ $stderr == "slowflame: no permission to create probes: "*"/none/uprobe_events: "* ]]
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

@test "--version prints the version" {
	run -0 "$slowflame" --version
	[[ $output == "slowflame (foldstack) "* ]]
}
