#!/usr/bin/env bats
# tiers.bats - foldcolor | flamegraph draws code by how it came to be.

load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# fill NAME: the colour of a frame of out.svg.
fill() {
	grep -o "<title>$1 (.*" out.svg | grep -o 'fill="#[0-9a-f]*"' | head -n 1 |
		grep -o '[0-9a-f]\{6\}'
}

# is NAME CLASS [PALETTE]: the frame has a shade of that class.
is() {
	local shades

	shades=$(sed -n "s/^class $2 .*light=\([^ ]*\).*/\1/p" \
		"$top_srcdir/share/palettes/${3:-default}.palette")
	echo "$1: $(fill "$1"), of $2: $shades"
	[[ ,$shades, == *,$(fill "$1"),* ]]
}

@test "foldcolor | flamegraph has a colour for each tier" {
	foldcolor <<-'END' | flamegraph --static >out.svg
	node;JS:~cold /a.js:1;JS:^warm /a.js:2;JS:*hot /a.js:3 4
	node;JS:~cold /a.js:1;memcpy 4
	END
	is 'JS:~cold /a.js:1' interp
	is 'JS:^warm /a.js:2' jit-low
	is 'JS:\*hot /a.js:3' jit
	is memcpy plain
}

@test "interpreted Java is not drawn as compiled" {
	printf '%s 9\n' 'java;java/lang/A.run_[0];java/util/B.get_[1];java/util/C.put_[j]' \
		'java;Interpreter;x' >in
	flamegraph --static in >out.svg
	is java/lang/A.run interp
	is java/util/B.get jit-low
	is java/util/C.put jit
	is Interpreter interp
	flamegraph --static --colors java in >out.svg
	[ "$(fill java/lang/A.run | cut -c 1)" != "$(fill java/util/C.put | cut -c 1)" ]
	[ "$(fill java/util/B.get)" != "$(fill java/util/C.put)" ]
}

@test "threads of the JVM that collect and compile have colours of their own" {
	printf '%s 9\n' 'java;Interpreter_[j];A.run_[j]' \
		'GC Thread#1;start_thread;G1ParScanThreadState::trim;x_[k]' \
		'C2_CompilerThre;Compile::Optimize;memcpy' \
		'VM Thread;VM_Operation::evaluate' 'app;Shop::total' >in
	flamegraph --static --colors java in >out.svg
	[[ $(fill 'GC Thread#1') = e* && $(fill 'VM Thread') = e* ]]
	for pair in 'GC Thread#1|Shop::total' 'G1ParScanThreadState::trim|Shop::total' \
		'C2_CompilerThre|GC Thread#1' 'Compile::Optimize|Shop::total' \
		'Interpreter|A.run' 'GC Thread#1|memcpy'; do
		[ "$(fill "${pair%|*}")" != "$(fill "${pair#*|}")" ]
	done
}

@test "names that say their tier have its colour without foldcolor, too" {
	printf 'n;JS:~cold /a.js:1;JS:^warm /a.js:2;JS:*hot /a.js:3;py::f:/a.py 4\n' |
		flamegraph --static >out.svg
	is 'JS:~cold /a.js:1' interp
	is 'JS:^warm /a.js:2' jit-low
	is 'JS:\*hot /a.js:3' jit
	is py::f:/a.py interp
}

@test "functions of Java are told from those of Go by their names" {
	printf '%s 1\n' 'j;java/util/HashMap.get;java.util.HashMap.put;com.a.B.run' \
		'g;net/http.HandlerFunc.ServeHTTP;main.Run;encoding/json.Marshal' |
		flamegraph --static >out.svg
	is java/util/HashMap.get jit
	is java.util.HashMap.put jit
	is 'com.a.B.run' jit
	is net/http.HandlerFunc.ServeHTTP plain
	is main.Run plain
	is encoding/json.Marshal plain
}

@test "functions of interpreters have their colour by their file" {
	printf '%s 1\n' 'A.run (a b/app.py);f (lib.py:12);Array#each (<cfunc>)' \
		'/srv/index.php;App::run (/srv/App.php);S::run (S.pm);a::f(b.py)' |
		flamegraph --static >out.svg
	is 'A.run (a b\/app.py)' interp
	is 'f (lib.py:12)' interp
	is 'Array#each (&lt;cfunc&gt;)' interp
	is '\/srv\/index.php' interp
	is 'App::run (\/srv\/App.php)' interp
	is 'S::run (S.pm)' interp
	is 'a::f(b.py)' cxx
}

@test "what the kernel does for compiled code is the kernel's" {
	# An old kernel's page fault and interrupt below Java, and a new one's.
	foldcolor <<-'END' >out
	java;com.acme.A.run;call_function_single_interrupt;smp_call_function 1
	java;com.acme.A.run;page_fault;do_page_fault;handle_mm_fault 1
	java;com.acme.A.run;asm_exc_page_fault;exc_page_fault 1
	java;com.acme.A.run;read;system_call;sys_read;vfs_read 1
	END
	cat out
	[ "$(grep -o '_\[k\]' out | wc -l)" -eq 10 ]
	flamegraph --static out >out.svg
	for frame in call_function_single_interrupt smp_call_function page_fault \
		handle_mm_fault exc_page_fault vfs_read; do
		is $frame kernel
	done
	is com.acme.A.run jit
}

@test "a kernel frame has the kernel's colour in all palettes that have one" {
	printf '%s 1\n' 'java;java/a/B.c_[j];core::fmt_[k]' 'node;x_[j];a:b/c.js_[k]' >in
	flamegraph --static in >out.svg
	is core::fmt kernel
	is a:b/c.js kernel
	for palette in java js perl jit; do
		flamegraph --static --colors $palette in >out.svg
		[ "$(fill core::fmt | cut -c 1)" = "$(fill a:b/c.js | cut -c 1)" ]
		[ "$(fill core::fmt | cut -c 1)" != "$(fill java/a/B.c | cut -c 1)" ]
	done
}
