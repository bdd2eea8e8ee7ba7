#!/usr/bin/env bats
# stackcollapse-gdb.bats - what debuggers print of threads.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# frames FILE: how many frames the stacks of a folded profile have.
frames() {
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum += n * split($0, f, ";") }
	END { print sum + 0 }' "$1"
}

@test "each trace gives its stacks" {
	golden gdb
}

# Found by fuzzing: the name that was left out was made longer.
@test "a name that lldb made up is none, whatever is behind it" {
	run -0 stackcollapse-gdb -q <<-'END'
	* thread #1, name = 'a'
	  * frame #0: 0x0000000000000001 a.so`___lldb_unnamed_symbol1operator(int)
	    frame #1: 0x0000000000000002 a.so`main
	END
	[[ $output == *';main;[a.so] 1' ]]
}

@test "every frame that gdb, eu-stack and lldb number is there" {
	local case

	for case in threads elfutils elfutils-inline core stripped; do
		stackcollapse-gdb -q --root none "$DATA/gdb/$case.in" >out
		# but for the one that gdb prints of a core file's own accord
		[ "$(frames out)" -eq $(($(grep -c '^#' "$DATA/gdb/$case.in") - \
			$(grep -c '^Core was' "$DATA/gdb/$case.in"))) ]
	done
	stackcollapse-gdb -q --root none "$DATA/gdb/lldb.in" >out
	[ "$(frames out)" -eq "$(sed '1,/^(lldb) bt/d' "$DATA/gdb/lldb.in" |
		grep -c 'frame #')" ]
}

# Debuggers differ in names of libraries' functions, and in tail calls.
own_functions() {
	stackcollapse-gdb -q --root none "$1" |
		grep -o ';run;[^ ].*' | sed 's/_\[i\]//g' | tr ';' '\n' |
		grep -E '^(box|guard|thrower|with_inlines|wait_here|on_signal)' |
		sort | uniq -c
}

@test "gdb and eu-stack see the same functions of a program in C++" {
	diff <(own_functions "$DATA/gdb/threads.in") \
		<(own_functions "$DATA/gdb/elfutils.in" |
			sed 's/ \[clone .cold\]//')
	[ "$(own_functions "$DATA/gdb/threads.in" | wc -l)" -eq 10 ]
}

@test "a process that runs, as gdb and eu-stack see it" {
	local pid

	need_native
	[ -n "$(command -v gdb)" ] && [ -n "$(command -v eu-stack)" ] ||
		skip "no gdb, or no eu-stack"
	"$top_builddir/t/programs/threads" >target &
	pid=$!
	disown
	until grep -qs ready target; do sleep 0.01; done
	gdb -batch -nx -p $pid -ex 'thread apply all bt' >by-gdb 2>&1 || :
	eu-stack -p $pid >by-eu 2>&1 || :
	kill -KILL $pid
	grep -q '^#1 ' by-gdb && grep -q '^#1 ' by-eu ||
		skip "no right to look at processes"
	stackcollapse-gdb -q by-gdb >gdb.folded
	stackcollapse-gdb -q by-eu >eu.folded
	[ "$(grep -c lock_here gdb.folded)" -eq "$(grep -c lock_here eu.folded)" ]
	grep -q 'lock_here;.*lll_lock_wait' gdb.folded
	stackcollapse-gdb --drop-idle -q by-gdb >busy.folded
	grep -q lock_here busy.folded
	[ "$(wc -l <busy.folded)" -lt "$(wc -l <gdb.folded)" ]
}

@test "names of threads are the first frame, ids with --tid" {
	run -0 stackcollapse-gdb --tid "$DATA/gdb/wrapped.in" -q
	[[ $output == *"stuck-17324/17346;clone3;"* ]]
	run -0 stackcollapse-gdb --root pid,tid "$DATA/gdb/elfutils.in"
	[[ $output == *"pid-17324;tid-17328;__clone3;"* ]]
}

@test "arguments and what stands behind them are no part of a name" {
	cat >in <<-'END'
	#0  f (s="a (b) at c.c:1 from /x.so") at f.c:1
	#1  0x1 in operator< <int> (a=1) at f.c:2
	#2  0x2 in g(int, void (*)(char)) (n=1, f=0x0) at f.c:3
	#3  0x3 in <impl core::ops::FnOnce<()> for T>::call () at f.rs:4
	#4  0x4 in net/http.(*conn).serve (c=0x1) at /go/server.go:5
	#5  0x5 in (anonymous namespace)::h[abi:cxx11] ()
	#6  0x6 in ?? () from /lib/libx.so.1
	#7  0x0 in ?? ()
	END
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "[libx.so.1];(anonymous namespace)::h[abi:cxx11];\
net/http.(*conn).serve;<impl core::ops::FnOnce<()> for T>::call;g;\
operator< <int>;f 1" ]
	run -0 --separate-stderr stackcollapse-gdb --args in
	[[ $output == *";g(int, void (*)(char));operator< <int>;f 1" ]]
}

# gdb prints names without debug information as the demangler gives them.
@test "a type before a name and its blanks are part of it" {
	cat >in <<-'END'
	#0  0x0 in void (anonymous namespace)::run<int>(int) ()
	#1  0x1 in int (anonymous namespace)::S::go<long>(long) ()
	#2  0x2 in decltype ({parm#1}+(1)) (anonymous namespace)::dec<int>(int) ()
	#3  0x3 in int (*retfp<int>(int))(int) ()
	#4  0x4 in S::f(int) const ()
	#5  0x5 in void (anonymous namespace)::up<int> (n=(int *) 0x5) at a.cc:5
	#6  0x6 in main ()
	END
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "main;void (anonymous namespace)::up<int>;S::f;\
int (*retfp<int>(int));\
decltype ({parm#1}+(1)) (anonymous namespace)::dec<int>;\
int (anonymous namespace)::S::go<long>;\
void (anonymous namespace)::run<int> 1" ]
}

@test "a plus in a name that lldb prints is part of it" {
	cat >in <<-'END'
	* thread #1, name = 'a'
	  * frame #0: 0x1 a.so`pause at pause.c:29:10
	    frame #1: 0x2 a.so`decltype((fp) + (1)) (ns)::dec<int>(int) + 16
	    frame #2: 0x3 a.so`get<2 + 3>(n=4) at a.cc:5:6 [opt]
	    frame #3: 0x4 a.so`main + 9
	END
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "a;main;get<2 + 3>;decltype((fp) + (1)) (ns)::dec<int>;\
pause 1" ]
}

@test "Rust's hash is no part of a name that has arguments behind it" {
	cat >in <<-'END'
	* thread #1, name = 'r'
	  * frame #0: 0x1 r`r::sleepy::hc49965ca936a4c98(x=4, s="(a") at r.rs:6:56
	    frame #1: 0x2 r`r::go::h8eb6577d7d41ec5b [inlined] \
	_$LT$r..A$LT$T$GT$$u20$as$u20$r..Work$GT$::go::h5452065108c8feb2(x=2) at r.rs:4:9
	    frame #2: 0x2 r`r::main::h8eb6577d7d41ec5b at r.rs:5:1
	END
	sed -i -e ':a' -e '/\\$/N; s/\\\n//; ta' in
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "r;r::main;<r::A<T> as r::Work>::go_[i];r::sleepy 1" ]
}

# eu-stack knows nothing of Rust's names, lldb and gdb not all of C++'s.
@test "names that a debugger left mangled are demangled" {
	need_process_side
	cat >in <<-'END'
	PID 11 - process
	TID 12:
	#0  0x01 clock_nanosleep@GLIBC_2.2.5 - /lib/libc.so.6
	#1  0x02 - 1 _RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions5sleep - /opt/r
	#2  0x03 - 1 _ZN1r5inner17h68b5c08a5be84705E.llvm.14953984282552486783 - /opt/r
	#3  0x04 - 1 _RINvCs6GmmlP4bgsG_1r5innerhEB2_ - /opt/r
	#4  0x05 - 1 _start - /opt/r
	END
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "_start;r::inner::<u8>;r::inner;\
std::thread::functions::sleep;clock_nanosleep@GLIBC_2.2.5 1" ]
	cat >in <<-'END'
	* thread #1, name = 'a'
	  * frame #0: 0x1 a`_ZNK1ScvPKcEv(this=0x00007f23f1e1bf38) at a.cc:21:73
	    frame #1: 0x2 a`main + 4
	END
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "a;main;S::operator char const* 1" ]
	run -0 --separate-stderr stackcollapse-gdb <<-'END'
	#0  0x1 in _RNvCs6GmmlP4bgsG_1r6sleepy (x=1, s="(") at r.rs:6
	END
	[ "$output" = "r::sleepy 1" ]
}

# Of lldb 14, but for the templates, which are shorter.
@test "values of arguments that lldb prints inside a name are no part of it" {
	cat >in <<-'END'
	* thread #1, name = 'a'
	  * frame #0: 0x1 a`stuck(why="f(x=1) at (") at heavy.cc:16:94
	    frame #1: 0x2 a`handler(this=0x00007f23f1e1c0e8, y=<unavailable>)::$_0::operator()(int) const::'lambda'(int)::operator()(int) const at heavy.cc:33:180
	    frame #2: 0x3 a`decltype(this=<unavailable>, f=0x00007f23f1e1c0e8)) T<int>::run<handler(int)::$_0>(handler(int)::$_0&&) at heavy.cc:25:1
	    frame #3: 0x4 a`int std::__invoke_impl<int, handler(int)::$_0&, int>((null)=<unavailable>, __f=<unavailable>)::$_0&, int&&) at invoke.h:61:14
	    frame #4: 0x5 a`go(s=") \") (", c='(')::$_1::operator()(int) const at heavy.cc:40:5
	    frame #5: 0x6 a`Anon::go(this=<unavailable>, f=function<int (int)> @ 0x00007f23f1e1c1d0)>) at heavy.cc:27:97
	    frame #6: 0x7 a`S::operator==(S const&) const(this=0x1, o=0x2) at heavy.cc:5:1
	    frame #7: 0x8 a`main(argc=1, argv=0x00007fff3ba059d8) at heavy.cc:38:2
	END
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "a;main;S::operator==;Anon::go;\
go(...)::\$_1::operator();int std::__invoke_impl<int, handler(int)::\$_0&, int>;\
decltype(...) T<int>::run<handler(int)::\$_0>;\
handler(...)::\$_0::operator()(int) const::lambda(int)::operator();stuck 1" ]
}

@test "callers that are missing are said" {
	printf '#0  f ()\n#1  g ()\n%s\n' '(More stack frames follow...)' >in
	run -0 stackcollapse-gdb -q in
	[ "$output" = "[truncated];g;f 1" ]
	printf '#0  f ()\n%s\n' \
		'Backtrace stopped: previous frame inner to this frame' >in
	run -0 stackcollapse-gdb -q in
	[ "$output" = "[truncated];f 1" ]
}

@test "where gdb is after a command is no stack" {
	printf '%s\n' '[Switching to thread 2 (Thread 0x1 (LWP 2))]' \
		'#0  f () at f.c:1' '1	in f.c' '#0  f () at f.c:1' \
		'#1  main () at f.c:2' >in
	run -0 --separate-stderr stackcollapse-gdb in
	[ "$output" = "main;f 1" ]
}

@test "text without a backtrace is status 2, an empty one is not" {
	run -2 --separate-stderr stackcollapse-gdb \
		<<<'ptrace: Operation not permitted.'
	[[ $stderr == *"stdin:1: no backtrace"* ]]
	run -0 --separate-stderr stackcollapse-gdb </dev/null
	[ -z "$output" ]
}

@test "a frame that continues nothing is said" {
	printf '#0  f ()\n#1  g ()\n#1  h ()\n' >in
	run -1 --separate-stderr stackcollapse-gdb --strict in
	[ "$output" = "g;f 1" ]
	[[ $stderr == *"in:3: a frame without its callees"* ]]
}

@test "stackcollapse knows what debuggers print" {
	local in

	for in in "$DATA"/gdb/*.in; do
		run -0 stackcollapse --which "$in"
		[ "$output" = stackcollapse-gdb ]
	done
}
