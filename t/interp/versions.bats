#!/usr/bin/env bats
# versions.bats - languages whose versions are not supported.

load ../helper
load running

setup() {
	need_process_side
	need_native
	program=$top_builddir/t/programs/fakeversions
	[ -x "$program" ] || skip "$program is not built"
}

# refused FILE TEXT: a program of this name has native frames, and a message
# with this text.
refused() {
	cp "$program" "$BATS_TEST_TMPDIR/$1"
	start "$BATS_TEST_TMPDIR/$1"
	run -0 --separate-stderr stacksample -p "$target" -F 50 \
		-d 0.2 --folded
	stop
	[[ $output == *';main;'*'rb_vm_exec'* ]]
	[[ $stderr == *" has $2: its version is not supported; only native frames are shown"* ]]
}

@test "unknown versions are named once, and have native frames" {
	refused ruby9 'Ruby 9.9'
	refused perl5 'Perl 5.99'
	[ "$(uname -m)" = x86_64 ] || return 0
	refused php9 'PHP 9.9'
	refused lua5 'Lua 5.5'
}

# named NAME TEXT: a program of this name has native frames, and a message with
# this text.
named() {
	cp "$program" "$BATS_TEST_TMPDIR/$1"
	start "$BATS_TEST_TMPDIR/$1"
	run -0 --separate-stderr stacksample -p "$target" -F 50 \
		-d 0.2 --folded
	stop
	[[ $output == *';main;'*'rb_vm_exec'* ]]
	[[ $stderr == *" has $2; only native frames are shown"* ]]
}

@test "runtimes that have to name their functions are named, and how they do" {
	named beam.smp 'Erlang; to name its functions, start it with +JPperf true'
	named bun 'bun; to name its functions, start it with BUN_JSC_useJITDump=1'
	named deno 'deno; to name its functions, start it with --v8-flags=--perf-basic-prof'
	named libcoreclr.so '.NET; to name its functions, start it with DOTNET_PerfMapEnabled=1'
}
