#!/usr/bin/env bats
# foldtop.bats - what foldtop(1) promises, of tables and on a terminal.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	cat >server <<'END'
main;parse 420
main;sort 70
main;handle;pthread_mutex_lock;__lll_lock_wait 200
main;load;read 10
main;worker;epoll_wait 300
END
}

# snapshot TIME N...: a snapshot of stacks "main;fI", each with N samples.
snapshot() {
	local time=$1 i=0 n

	printf '#fold=1;counts=1;unit=samples;quantum=1;hz=10;'
	printf 'time=%s.000000000;dur=1.000000000\n' "$time"
	shift
	for n in "$@"; do
		i=$((i + 1))
		printf 'main;f%s %s\n' $i "$n"
	done
	echo
}

# The functions of the last table, from the first row on.
functions() {
	awk 'NF == 0 { list = "" } $1 ~ /%$/ && NF == 3 {
		list = list " " $3 } END { print list }' <<<"$output"
}

# on_terminal SIZE STEP... -- COMMAND: its screens; see t/terminal.
on_terminal() {
	command -v python3 >/dev/null || skip "no python3"
	run -0 env LC_ALL=C.UTF-8 TERM=xterm-256color COLORTERM= \
		python3 "$top_srcdir/t/terminal" "$@"
}

@test "a profile is one table, by what threads do" {
	run -0 foldtop server
	[ "$output" = '1,000 samples
running 49%   lock 20%   I/O 1%   idle 30%
  SELF total  function
   70% running
   60%   60%  parse
   10%   10%  sort
   29% lock
   29%   29%  handle
    1% I/O
    1%    1%  load
        idle 30%' ]
	run -0 foldtop --idle --view stacks <server
	[[ $output == *' 42.0%  parse < main'* ]]
	[[ $output == *' 20.0%  handle < main'* ]]
	[[ $output == *' 30.0% idle'*' 30.0%  worker < main'* ]]
}

@test "--sort total orders by what is called, too, and -n limits rows" {
	printf '%s\n' 'a;b;c 3' 'a;d 2' 'a;b;b 1' >in
	run -0 foldtop in
	[ "$(functions)" = " c d b" ]
	run -0 foldtop --sort total in
	[ "$(functions)" = " a b c d" ]
	run -0 foldtop -n 2 --sort total in
	[ "$(functions)" = " a b" ]
}

@test "suffixes do not make another function" {
	printf '%s\n' 'a;f_[j] 3' 'a;f_[0] 1' >in
	run -0 foldtop in
	[[ $output == *'  100%  100%  f' ]]
}

@test "a stream from a pipe is a table for each snapshot, of the window" {
	{
		snapshot 1 10 0
		snapshot 2 0 10
		snapshot 3 0 10
	} >stream
	run -0 foldtop --window 2 <stream
	[ "$(grep -c samples <<<"$output")" -eq 3 ]
	[[ ${lines[0]} == '10 samples  last 1 s' ]]
	[[ $output == *$'\n20 samples  last 2 s\n'*'  100%  100%  f2' ]]
	run -0 bash -c 'cat stream | foldtop'
	[[ $output == *$'\n30 samples  last 3 s\n'*'   33%   33%  f1'* ]]
}

@test "a file is looked at as a whole, in one table" {
	{
		snapshot 1 10 0
		snapshot 20 0 30
	} >stream
	run -0 foldtop stream
	[[ ${lines[0]} == '40 samples  all 2 s' ]]
	[ "$(functions)" = " f2 f1" ]
}

@test "--decay halves what is as old as that" {
	{
		snapshot 1 64 0
		snapshot 4 0 8
	} >stream
	run -0 foldtop --decay 1 <stream
	# 64 in three seconds are 8.
	[[ ${lines[0]} == '16 samples  half of it from the last 1 s' ]]
	[ "$(grep -c '   50%   50%' <<<"$output")" -eq 2 ]
}

@test "the order changes only beyond noise" {
	{
		snapshot 1 100 90 5
		snapshot 2 95 100 5
	} >stream
	run -0 foldtop --window 1 <stream
	[ "$(functions)" = " f1 f2 f3" ]
	snapshot 3 50 100 160 >>stream
	run -0 foldtop --window 1 <stream
	[ "$(functions)" = " f3 f2 f1" ]
}

@test "a sample stream is a table for each second of it" {
	{
		echo '#fold=1;counts=1;unit=ns;clock=perf'
		for time in 1.0 1.5 2.1 2.2 3.3; do
			echo "#time=$time"
			echo 'main;f 100'
		done
	} >stream
	run -0 foldtop --window 10 stream
	[ "$(grep -c samples <<<"$output")" -eq 3 ]
	[[ $output == *$'\n0 ms, 5 samples  last 2 s\n'* ]]
}

@test "a snapshot that was cut off does not count, and that is said" {
	{
		snapshot 1 10
		snapshot 2 0 20 | sed '$d'
	} >stream
	run -0 --separate-stderr foldtop stream
	[[ ${lines[0]} == '10 samples'* ]]
	[[ $stderr == *'dropped the last snapshot, which is truncated' ]]
}

@test "snapshots that are no parts of a sum replace what was before" {
	{
		snapshot 1 10 | sed 's/;hz=10/;kind=cum/'
		snapshot 2 20 | sed 's/;hz=10/;kind=cum/'
	} >stream
	run -0 foldtop stream
	[[ ${lines[0]} == '20 samples'* ]]
}

@test "threads are counted where it is known how often they are looked at" {
	{
		snapshot 1 25
		echo
	} >stream
	sed -i 's/^main;f1 25/&\nmain;poll 5/' stream
	run -0 foldtop stream
	[[ ${lines[1]} == 'running 2.5   lock 0.0   I/O 0.5   idle 0.0   of 3.0 threads' ||
		${lines[1]} == 'running 2.5   lock 0.0   I/O 0.0   idle 0.5   of 3.0 threads' ]]
}

@test "rounds of the sampler are added up, and count instead of the rate" {
	{
		snapshot 1 25
		snapshot 2 25
	} | sed 's/hz=10;/&rounds=5;/; s/^main;f1 25/&\nmain;poll 5/' >stream
	run -0 foldtop --window 2 stream
	[[ $output == *'60 samples  last 2 s'*'of 6.0 threads'* ]]
}

@test "suspended tasks are counted apart from threads" {
	{
		snapshot 1 25
		echo
	} >stream
	sed -i 's/^main;f1 25/&\nasyncio-task;g;state:await 30\n&/' stream
	sed -i '0,/^main;f1 25/s//asyncio-task;g;h;state:ready 10/' stream
	run -0 foldtop stream
	[[ ${lines[1]} == 'running 2.5   '*'waiting 4.0   '*'   of 2.5 threads and 4.0 tasks' ]]
}

@test "shares have decimals from 1000 samples on" {
	printf '%s\n' 'a;b 500' 'a;c 499' >in
	run -0 foldtop in
	[[ $output == *'   50%   50%  b'* ]]
	echo 'a;d 1' >>in
	run -0 foldtop in
	[[ $output == *' 50.0% 50.0%  b'* ]]
	[[ $output == *'  0.1%  0.1%  d'* ]]
	run -0 foldtop --sort total in
	[[ $output == *'  0.0%  100%  a'* ]]
}

@test "of two counts the second is shown" {
	printf '%s\n' 'a;b 9 1' 'a;c 0 3' >in
	run -0 foldtop in
	[[ $output == *'   75%   75%  c'* ]]
}

@test "counts of two units are not added up" {
	printf '#fold=1;unit=%s\na 1\n' ns us >units
	run -2 --separate-stderr foldtop units
	[[ $stderr == *'units:3: counts in us, but in ns before' ]]
}

@test "nothing is an empty table; what is no profile is status 2" {
	run -0 foldtop /dev/null
	[ -z "$output" ]
	echo '#fold=1;time=1.000000000;dur=1.000000000' >stream
	echo >>stream
	run -0 foldtop stream
	[[ $output == '0 samples'* ]]
	echo no profile >in
	run -2 foldtop in
	run -2 foldtop --window 0 server
	run -2 foldtop --view pie server
	run -2 foldtop --view flame server
}

@test "NO_COLOR leaves bold, and TERM=dumb no screen" {
	on_terminal 80x24 'wait parse' 'key q' -- foldtop server
	[[ $output == *$'\nstatus 0\n'* ]]
	local colours=${output##*styles: }
	on_terminal 80x24 'wait parse' 'key g' 'wait callers' show 'key q' -- \
		env NO_COLOR=1 foldtop server
	[[ $output == *'|handle'*'|parse'* ]]
	[ "${output##*styles: }" -lt "$colours" ]
	on_terminal 80x24 -- env TERM=dumb foldtop server
	[[ $output == *'1,000 samples'*'parse'*$'styles: 0' ]]
}

@test "the screen follows the window's size, down to one line" {
	on_terminal 80x24 'wait parse' 'wait ? keys' 'size 30x8' 'wait SELF' \
		show 'size 1x1' 'size 2x3' 'size 200x50' 'wait parse' \
		'wait ? keys' 'key q' -- foldtop server
	[[ ${lines[2]} == '  SELF total  function' ]]
}

@test "functions lead to stacks, stacks to the graph, and back" {
	on_terminal 60x16 'wait parse' 'key \x1b[B' 'key \x1b[B' 'key \r' \
		'wait , with handle' show 'key \r' 'wait callers' \
		'wait lll_lock_wait' show 'key q' -- foldtop server
	[[ $output == *'29%  handle < main'*'handle'*'pthread_mutex'*'__lll_lock'* ]]
	on_terminal 60x16 'wait parse' 'key g' 'wait callers' 'key \x1b[B' \
		'key \x1b[B' 'key \r' 'wait , in parse < main' 'key \x1b' \
		'gone , in parse' 'key q' -- foldtop server
}

@test "a graph of nothing but idle threads says so" {
	echo 'main;worker;epoll_wait 300' >idle
	on_terminal 60x16 'wait idle' 'key g' 'wait callers' \
		'wait (h shows them)' 'key h' 'wait epoll_wait' 'key q' -- \
		foldtop idle
}

@test "the function at the cursor of the graph is in reverse video" {
	on_terminal 60x16 'wait parse' 'key g' 'wait callers' 'key \x1b[B' \
		'reverse main' 'key \x1b[B' 'reverse parse' 'key q' -- foldtop server
}

@test "all rows are there if asked for, and counted if not" {
	local i

	for i in $(seq 1500); do echo "main;f$i 1"; done >many
	echo 'main;read 1' >>many
	run -0 foldtop -n 10000 many
	[ "$(grep -c '  f[0-9]*$' <<<"$output")" = 1500 ]
	run -0 foldtop -n 10 many
	[[ $output == *' running  1491 more'* ]]
}

@test "a function that did nothing itself is found" {
	on_terminal 60x16 'wait parse' 'key /' 'key main' 'wait 100% matched' \
		show 'key \r' 'key q' -- foldtop server
	[[ $output == *'   0%   70%  main'* ]]
}

@test "search, freeze, classes, idle threads, help" {
	on_terminal 60x20 'wait parse' 'key /' 'key P.r' 'gone sort' \
		'key \x7f\x7f\x7fpar' 'wait /par_' 'wait parse' show 'key \x1b' \
		'wait handle' 'key h' 'wait worker' 'key h' 'gone worker' \
		'key \t\t' 'gone parse' 'wait handle' 'key ?' 'wait freeze, and' \
		'key ?' 'key \t\t\t' 'wait parse' 'key t' 'wait TOTAL' \
		'key  ' 'wait frozen' 'key q' -- foldtop server
	[[ $output == *'/par'*'% matched'* ]]
}

@test "a search that takes too long says so" {
	printf 'main;%s! 1\n' "$(printf 'x%.0s' {1..5000})" >slow
	on_terminal 100x16 'wait xxx' 'key /' 'key (x+)+$' \
		'wait takes too long' 'key \r' 'key q' -- foldtop slow
}

# saved: the names of the files that foldtop saved.
saved() {
	find . -maxdepth 1 -name 'foldtop-*.folded' | sort
}

@test "what is shown is saved to new files, which foldtop reads" {
	local file

	threads >profile
	on_terminal 70x16 'wait SELF' 'key o' 'wait saved foldtop-1-2' 'key o' \
		'key o' 'key f' 'gone saved' 'key o' 'wait saved foldtop-1-2' \
		'key q' -- foldtop profile
	[ "$(saved | wc -l)" -eq 4 ]
	for file in $(saved); do
		[ "$(stat -c %a "$file")" = 600 ]
		[ "$(tail -n +2 "$file")" = "$(threads | tail -n +2)" ]
		[ "$(foldtop "$file")" = "$(foldtop profile)" ]
	done
}

@test "one thread, and what a frozen screen shows, can be saved" {
	threads >profile
	on_terminal 70x16 'wait SELF' 'key r' 'wait most in' 'key \r' \
		'wait of w 3' 'key o' 'wait saved' 'key q' -- foldtop profile
	[ "$(tail -n +2 "$(saved)")" = "$(threads | grep ^w-1/3)" ]
	rm "$(saved)"
	snapshot 1 10 >stream
	on_terminal 60x16 'wait f1' 'key  ' 'wait frozen' \
		'run printf "#fold=1;time=50.0;dur=1.0\nmain;new 5\n\n" >>stream' \
		'key o' 'wait saved' 'key  ' 'wait new' 'key q' -- foldtop stream
	[ "$(tail -n +2 "$(saved)")" = 'main;f1 10' ]
}

@test "nothing is saved if there is nothing, or no room" {
	on_terminal 70x16 'wait SELF' 'key o' 'wait no samples to save' \
		'key q' -- foldtop /dev/null
	on_terminal 70x16 'wait SELF' 'key o' 'wait cannot save in' 'key q' -- \
		bash -c 'trap "" XFSZ; ulimit -f 0; exec foldtop server'
	[ -z "$(saved)" ]
	mkdir removed
	on_terminal 70x16 'wait SELF' 'key o' 'wait cannot save in' 'key q' -- \
		bash -c "cd removed && rmdir ../removed && exec foldtop '$PWD/server'"
	[[ $output == *'status 0'* ]]
}

@test "a file that grows is followed, and a window that slides" {
	snapshot 1 10 >stream
	on_terminal 60x16 'wait f1' 'run printf "#fold=1;time=50.0;dur=1.0\nmain;new 5\n" >>stream' \
		'run echo >>stream' 'wait new' 'gone f1' 'key w' 'wait f1' \
		'key q' -- foldtop --window 10 stream
}

@test "a pipe is shown before it ends, and after" {
	mkfifo pipe
	on_terminal 60x16 'run printf "a;b 1\na;c 2\n" >pipe' 'wait ended' \
		show 'key q' -- foldtop pipe
	[[ $output == *'   67%   67%  c'* ]]
}

@test "every way out gives the terminal back" {
	local signal

	for signal in INT TERM HUP; do
		on_terminal 80x24 'wait parse' "signal $signal" -- foldtop server
		[[ $output == *$'\nstatus 0\n'* ]]
	done
	on_terminal 80x24 'wait parse' 'key \x03' -- foldtop server
	[[ $output == *$'\nstatus 0\n'* ]]
	on_terminal 80x24 'wait parse' 'signal QUIT' -- \
		bash -c 'ulimit -c 0; exec foldtop server'
	[[ $output == *$'\nsignal 3\n'* ]]
	cp server grows
	on_terminal 80x24 'wait parse' 'run echo "#fold=2" >>grows' -- \
		foldtop grows
	[[ $output == *'said: foldtop: grows:6: folded text of version 2, not 1'* ]]
	[[ $output == *$'\nstatus 2\n'* ]]
}

@test "when stopped it gives the terminal back, and takes it again" {
	on_terminal 80x24 'wait parse' 'key \x1a' 'wait stopped-here' 'key \n' \
		'wait parse' 'key q' -- \
		bash -c 'set -m; foldtop server; echo stopped-here; read; fg >/dev/null'
	[[ $output == *$'\nstatus 0\n'* ]]
}

@test "a terminal with hardly a row is not scrolled" {
	on_terminal 80x1 'wait keys' 'key g' 'gone keys' 'key k' 'wait keys' \
		'key q' -- foldtop server
	on_terminal 30x2 'wait keys' 'key ?' 'key q' -- foldtop server
}

# The terminal of the test takes no sequence but those of foldtop itself.
@test "hostile names do nothing to the terminal" {
	printf 'a;\033]0;title\007;b\033[10;10Hx;c\xc2\x9bm;d\xe2\x80\xaee 9\n' >in
	printf '\xff\xfe;\r\n;\xe6\x97\xa5\xe6\x9c\xac;\t\x7f\x08 8\n' >>in
	printf 'a;\033[2J\033c%s 7\n' "$(head -c 5000 /dev/zero | tr '\0' W)" >>in
	sed '1i #fold=1;comm=%1b]0;b%07%c2%9b2J' in >meta
	on_terminal 40x12 'wait SELF' 'key q' -- foldtop meta
	run -0 foldtop meta
	run ! grep -q $'[\x01-\x09\x0b-\x1f\x7f\x9b]' <<<"$output"
	on_terminal 40x12 'wait SELF' 'key k' 'wait share' 'key g' \
		'wait callers' 'key \x1b[B\x1b[B\x1b[C\r' 'key /' 'key W' \
		'wait matched' 'key \r' 'key q' -- foldtop in
	run -0 foldtop --view stacks in
	run ! grep -q $'[\x01-\x09\x0b-\x1f\x7f]' <<<"$output"
}

@test "a name that is typed is taken as it is" {
	on_terminal 60x16 'wait parse' 'key /' 'key \x1b[A(' 'wait /(_' \
		'key \x1b' 'wait parse' 'key q' -- foldtop server
	# Backspace takes one character, whatever its bytes.
	on_terminal 60x16 'wait parse' 'key /' 'key par' 'wait /par_' \
		'key \xe4' 'gone /par_' 'key \x7f' 'wait /par_' 'key \x7f' 'wait /pa_' \
		'key \x7f\x7f\x7fs' 'wait /s_' 'key \x1b' 'key q' -- foldtop server
}

threads() {
	printf '#fold=1;counts=1;unit=samples;quantum=1;hz=10;time=1;dur=10;'
	printf 'comm=app;pid=1\n'
	printf '%s\n' 'w-1/2;f (a.py);read;state:read 30' \
		'w-1/3;f (a.py);g (a.py);memcpy 50' \
		'w-1/3;f (a.py);poll;state:poll 50' \
		'x-1/4;poll;state:poll 100'
}

@test "threads are listed by the CPU that they take" {
	run -0 foldtop --view threads < <(threads)
	[ "$output" = '230 samples  last 10 s  app 1
running 0.5   lock 0.0   I/O 0.3   idle 1.5   of 2.3 threads
   CPU  lock   I/O  idle      tid  thread           most in
 50.0%  0.0%  0.0% 50.0%        3  w                g (a.py)
  0.0%  0.0% 30.0%  0.0%        2  w                f (a.py)
1 thread only idles' ]
	run -0 foldtop --view threads --idle < <(threads)
	[[ $output == *'  0.0%  0.0%  0.0%  100%        4  x                x' ]]
	run -0 foldtop --view threads -n 1 < <(threads)
	[[ $output != *'30.0%'* ]]
	printf '%s\n' 'a;b 3' 'c-5/6;d 1' | {
		run -0 foldtop --view threads
		[ "${lines[2]}" = ' 75.0%        -  a                b' ]
		[ "${lines[3]}" = ' 25.0%        6  c                d' ]
	}
}

@test "stacks of threads with one name are one stack" {
	run -0 foldtop --view stacks --idle < <(threads)
	[[ $output == *'  w'$'\n'* || $output == *' < w'$'\n'* ]]
	[[ $output != *w-1* ]]
}

@test "a thread leads to its stacks, and back" {
	threads >profile
	on_terminal 70x16 'wait SELF' 'key r' 'wait most in' 'key /x\r' \
		'wait idles' 'gone f (a.py)' 'key \x1b' 'wait f (a.py)' \
		'key \x1b[B\r' 'wait of w 2' 'wait f (a.py) < w' \
		'gone memcpy' 'key \x1b' 'wait most in' 'key h' 'wait x  ' \
		'key q' -- foldtop profile
	[[ $output == *'status 0'* ]]
}

@test "threads of one share are in the order of their names" {
	run -0 foldtop --view threads --sort total < <(printf '%s;f 1\n' \
		d-1/1 c-1/2 b-1/3 a-1/4)
	[ "$(awk '{ printf "%s", $3 }' <<<"${output#*in}")" = abcd ]
}

@test "the list of threads scrolls no further than its last one" {
	local i

	for i in {11..40}; do echo "w$i-1/$i;f 1"; done >profile
	on_terminal 70x12 'wait SELF' 'key r' 'wait w11 ' 'key \x1b[F' \
		'wait w40 ' show 'key q' -- foldtop profile
	[ "$(grep -c '  w[0-9]* ' <<<"$output")" -eq 9 ]
	[[ $output == *' w32 '* ]]
}

@test "names that are missing are in the title" {
	run -0 foldtop < <(printf '%s\n' 'a;[libx.so] 1' 'a;[moving] 1' 'a;f 2')
	[ "${lines[0]}" = '4 samples  25% without names' ]
}

@test "a small screen has as many rows as it has lines" {
	on_terminal 60x10 'wait handle' show 'key q' -- foldtop server
	[[ $output == *'idle 30%'*parse*lock*handle* ]]
}

@test "a narrow screen has all classes, and a class in each row" {
	threads >profile
	printf 'y-1/5;futex_wait;state:futex 10\nz-1/6;g;pthread_cond_wait 5\n' \
		>>profile
	on_terminal 50x10 'wait SELF' show 'key q' -- foldtop profile
	[[ $output == *'run 0.5 lock '*' I/O 0.3 wait '*' idle 1.5'* ]]
	[[ $output == *'run   memcpy'*'I/O   f (a.py)'* ]]
	[[ $output != *' running'* ]]
	[[ $output != *'(h shows them)'* ]]
	on_terminal 90x14 'wait SELF' show 'key q' -- foldtop profile
	[[ $output == *'running 0.5   lock '*'% running'*'(h shows them)'* ]]
}

@test "a narrow screen has the process and the rate" {
	threads >profile
	on_terminal 37x10 'wait SELF' show 'key q' -- foldtop profile
	[[ ${lines[0]} == '230 samples  all 10 s  app 1  10 Hz'* ]]
	on_terminal 80x10 'wait SELF' show 'key q' -- foldtop profile
	[[ ${lines[0]} == 'foldtop 230 samples  all 10 s  app 1  10 Hz'* ]]
}

@test "headings do not count as rows of -n" {
	printf 'a;f%s 9\na;f%s;read 9\n' {1..12} >in
	run -0 foldtop -n 5 in
	[ "$(grep -c '  f[0-9]*$' <<<"$output")" -eq 5 ]
	[[ $output == *'% running'*'% I/O'* ]]
}

@test "in a CPU profile all stacks run" {
	printf 'a;main;poll 3\na;main;work 1\n' >cpu
	run -0 foldtop --cpu cpu
	[[ $output == *'75%   75%  poll'*'25%   25%  work'* ]]
	[[ $output != *idle* ]]
	run -0 foldtop cpu
	[[ $output == *'running 25%'*'idle 75%'* ]]
}

@test "--summary names functions by own time, and those that begin branches" {
	run -0 foldtop --summary -n 2 <<-'END'
	a;_start;__libc_start_main;main;work;parse;scan 50
	a;_start;__libc_start_main;main;work;render 30
	a;_start;__libc_start_main;main;work;render;blit 15
	a;_start;__libc_start_main;main;stop 5
	END
	[ "$output" = "  SELF  function
 50.0%  scan
 30.0%  render
 TOTAL  with callees
 95.0%  work
 50.0%  parse" ]
	run -0 foldtop --summary <<<$'x;f 1\ny;g 1\nz;f 2'
	grep -qx ' 75.0%  f' <<<"$output"
	run -0 foldtop --summary </dev/null
	[ -z "$output" ]
	# Code without symbols has its caller; scripts' own functions are named.
	run -0 foldtop --summary <<-'END'
	py;<module> (a.py);work (a.py);[python3];[_hash.so];update;[libcrypto.so] 60
	py;<module> (a.py);work (a.py);[python3];[_hash.so];begin;[libcrypto.so] 8
	py;<module> (a.py);work (a.py);[python3];[_hash.so];update;[libcrypto.so];state:futex 30
	py;[ld.so] 2
	END
	[ "$output" = "  SELF  function
 60.0%  [libcrypto.so], called by update
 30.0%  [libcrypto.so], called by update  (waiting)
  8.0%  [libcrypto.so], called by begin
  2.0%  [ld.so]
 TOTAL  with callees
 98.0%  work (a.py)
 90.0%  update
  8.0%  begin" ]
	run -0 foldtop --summary <<<$'x;a\e[2J;b 1\n'
	[[ $output != *$'\e'* ]]
}
