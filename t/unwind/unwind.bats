#!/usr/bin/env bats
# unwind.bats - lib/unwind against gdb, and against what a program does.

load ../helper

setup() {
	unwindtest=$top_builddir/t/unwind/unwindtest
	stacks=$top_builddir/t/programs/stacks
	[ -x "$unwindtest" ] || skip "t/unwind/unwindtest is not built"
	[ -x "$stacks" ] || skip "t/programs/stacks is not built"
	process=
	# What a sanitizer adds to the functions of the target is not what these
	# tests expect; there the unwinder is tried on recordings.
	! grep -q __asan_init "$stacks" || skip "the target is instrumented"
}

teardown() {
	[ -z "$process" ] || kill -KILL "$process"
	wait 2>/dev/null || :
}

# Start the process whose threads wait, and wait until they do.
start() {
	local ready=$BATS_TEST_TMPDIR/ready

	"$stacks" wait >"$ready" 3>&- &
	process=$!
	within_minutes grep -q ready "$ready"
	"$unwindtest" -l 8 "$process" >/dev/null ||
		skip "not allowed to trace a process"
}

# The addresses of all threads, by gdb: of frames that are on the stack.
gdb_addresses() {
	cat >"$BATS_TEST_TMPDIR/frames.py" <<-'END'
	import gdb
	for thread in gdb.selected_inferior().threads():
	    thread.switch()
	    frame = gdb.newest_frame()
	    stack = []
	    while frame is not None:
	        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
	            stack.append("%016x" % frame.pc())
	        frame = frame.older()
	    print("stack", thread.ptid[1], *stack)
	END
	gdb -nx -batch -p "$process" -ex 'set backtrace past-main on' \
		-ex 'set backtrace past-entry on' \
		-ex "source $BATS_TEST_TMPDIR/frames.py" 2>/dev/null |
		grep '^stack ' | sort
}

our_addresses() {
	"$unwindtest" "$@" "$process" | awk '
	/^thread/ { printf "stack %s", $2; next }
	/^[0-9a-f]+ / { printf " %s", $1; next }
	{ print "" }' | sort
}

@test "stacks of waiting threads are those gdb has" {
	command -v gdb >/dev/null || skip "no gdb"
	start
	gdb_addresses >"$BATS_TEST_TMPDIR/theirs"
	our_addresses >"$BATS_TEST_TMPDIR/ours"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -eq 11 ] ||
		skip "gdb cannot tell the stacks here"
	# gdb gives up in code without rules, which is tested below.
	"$unwindtest" "$process" | awk '
	/^thread/ { tid = $2 }
	/ (jit|own_restorer)$/ { print "stack " tid " " }' \
		>"$BATS_TEST_TMPDIR/without"
	for file in theirs ours; do
		grep -vFf "$BATS_TEST_TMPDIR/without" \
			"$BATS_TEST_TMPDIR/$file" >"$BATS_TEST_TMPDIR/$file.known"
	done
	[ "$(wc -l <"$BATS_TEST_TMPDIR/ours.known")" -ge 9 ]
	diff "$BATS_TEST_TMPDIR/theirs.known" "$BATS_TEST_TMPDIR/ours.known"
}

# stack_with NAME: the functions of the stack that has one of this name.
stack_with() {
	"$unwindtest" "$process" | awk '
	/^thread/ { stack = ""; next }
	/^[0-9a-f]+ / { stack = stack " " $2; next }
	{ print stack " " $0 }' | grep -F " $1 "
}

@test "code without rules is left by its frame pointer" {
	[ "$(uname -m)" = x86_64 ] || skip "its code is for x86_64"
	start
	[[ $(stack_with jit) == *" stop_here ? jit "*complete ]]
}

@test "a return from a signal is known by its code where it has no rules" {
	[ "$(uname -m)" = x86_64 ] || skip "its code is for x86_64"
	start
	[[ $(stack_with own_restorer) == *" on_signal own_restorer "*" other_libc "*complete ]]
}

@test "callers that lead to each other without a step up the stack end it" {
	[ "$(uname -m)" = x86_64 ] || skip "its code is for x86_64"
	cd "$BATS_TEST_TMPDIR"
	cat >pong.c <<-'END'
	#include <unistd.h>

	/* The caller of ping is pong, whose caller is ping, in the same place. */
	__asm__(".globl ping\n"
		".type ping, @function\n"
		"ping: .cfi_startproc\n"
		".cfi_def_cfa rsp, 0\n"
		".cfi_register rip, rbx\n"
		"lea 1 + pong(%rip), %rbx\n"
		"lea 1 + ping(%rip), %rbp\n"
		"1: mov $34, %eax\n"	/* pause */
		"syscall\n"
		"jmp 1b\n"
		".cfi_endproc\n"
		".size ping, . - ping\n"
		".type pong, @function\n"
		"pong: .cfi_startproc\n"
		".cfi_def_cfa rsp, 0\n"
		".cfi_register rip, rbp\n"
		"nop; nop; nop\n"
		".cfi_endproc\n"
		".size pong, . - pong\n");
	void ping(void);

	int main(void)
	{
		write(1, "ready\n", 6);
		ping();
	}
	END
	"${CC:-cc}" -o pong pong.c
	stacks=./pong
	start
	run -0 "$unwindtest" "$process"
	[ "$(awk '{ print $NF }' <<<"${output#*$'\n'}" | xargs)" = "ping pong lost" ]
}

@test "every stack that is whole is complete" {
	start
	run -0 "$unwindtest" "$process"
	[ "$(grep -c '^thread' <<<"$output")" -eq 11 ]
	[ "$(grep -cx 'complete' <<<"$output")" -eq 11 ]
}

@test "rules are found in a program without section headers" {
	need_native
	# e_shoff, and e_shnum with e_shstrndx, of a file of 64 bits.
	cp "$stacks" "$BATS_TEST_TMPDIR/headless"
	stacks=$BATS_TEST_TMPDIR/headless
	head -c 8 /dev/zero |
		dd of="$stacks" bs=1 seek=40 conv=notrunc status=none
	head -c 4 /dev/zero |
		dd of="$stacks" bs=1 seek=60 conv=notrunc status=none
	start
	run -0 "$unwindtest" "$process"
	[ "$(grep -cx 'complete' <<<"$output")" -eq 11 ]
}

@test "a stack whose copy ends is truncated, and right as far as it goes" {
	local whole=$BATS_TEST_TMPDIR/whole bytes

	start
	our_addresses >"$whole"
	for bytes in 8 64 200 1000 1500; do
		our_addresses -l $bytes |
			while read -r _ tid stack; do
				grep -qF "stack $tid $stack" "$whole" || {
					echo "# $bytes: $tid $stack"
					exit 1
				}
			done
	done
	run -0 "$unwindtest" -l 200 "$process"
	[[ $output == *truncated* ]]
}

@test "without registers but two, what is found is right" {
	local whole=$BATS_TEST_TMPDIR/whole

	start
	our_addresses >"$whole"
	our_addresses -m | while read -r _ tid stack; do
		grep -qF "stack $tid $stack" "$whole" || {
			echo "# $tid $stack"
			exit 1
		}
	done
	run -0 "$unwindtest" -m "$process"
	[[ $output == *lost* ]]
}

@test "at each instruction of a program its stack is known" {
	need_native
	run "$unwindtest" -s "$stacks" step
	[[ $output != *"not permitted"* ]] || skip "not allowed to trace"
	echo "# ${lines[-1]}"
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} == *" steps, 0 wrong" ]]
}

# narrow FLAG...: the same program of 32 bits, by which $stacks is replaced.
narrow() {
	[ "$(uname -m)" = x86_64 ] || skip "programs of i386 run on x86-64 only"
	need_native
	stacks=$BATS_TEST_TMPDIR/stacks
	# Where two compilers are installed, asm/ is in the folder of the other.
	"${CC:-cc}" -m32 -O1 -g -D_GNU_SOURCE "$@" \
		-idirafter "/usr/include/$("${CC:-cc}" -print-multiarch)" \
		-o "$stacks" "$top_srcdir/t/programs/stacks.c" -lm -lpthread ||
		skip "the compiler makes no 32-bit programs"
	"$stacks" 2>"$BATS_TEST_TMPDIR/said" || :
	grep -q usage "$BATS_TEST_TMPDIR/said" ||
		skip "32-bit programs do not run here"
}

@test "stacks of 32-bit threads are those gdb has" {
	command -v gdb >/dev/null || skip "no gdb"
	narrow
	start
	gdb_addresses >"$BATS_TEST_TMPDIR/theirs"
	our_addresses >"$BATS_TEST_TMPDIR/ours"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/theirs")" -eq 11 ] ||
		skip "gdb cannot tell the stacks here"
	diff "$BATS_TEST_TMPDIR/theirs" "$BATS_TEST_TMPDIR/ours"
	run -0 "$unwindtest" "$process"
	[ "$(grep -cx 'complete' <<<"$output")" -eq 11 ]
}

# Tables of glibc say nothing of a register that memcpy() for old CPUs pushes,
# and in longjmp() have the stack where it jumps to already.  The vdso has frame
# pointers instead of tables, which are not there yet as a function begins.
@test "at each instruction of a 32-bit program its stack is known" {
	narrow -static
	run "$unwindtest" -s "$stacks" step
	[[ $output != *"not permitted"* ]] || skip "not allowed to trace"
	echo "# ${lines[-1]}"
	[[ ${lines[-1]} == *" steps, "* ]]
	awk '/^should/ { leaf = 0; next } /^[0-9a-f]+ / && !leaf++' <<<"$output" |
		grep -vE ' (memcpy|__longjmp|__vdso_.*|\?|wrong)$' && return 1
	[[ ${lines[-1]} == [0-9][0-9][0-9][0-9]*" steps, "?([0-9])[0-9]" wrong" ]]
}

# A program that touches new memory in functions of several depths; bare has
# no frame, the others do.
touching() {
	command -v "${CC:-cc}" >/dev/null || skip "no ${CC:-cc}"
	cat >touch.c <<-'END'
	#include <sys/mman.h>

	#define CALLED __attribute__((noinline)) static void
	enum { STEP = 65536 };

	void bare(volatile char *page);
	static volatile char *next;

	CALLED nothing(void) { __asm__ volatile(""); }
	CALLED touch(void) { *next = 1; next += STEP; nothing(); }
	CALLED calls_bare(void) { bare(next); next += STEP; }
	CALLED odd(int n);
	CALLED even(int n) { touch(); if (n > 0) odd(n - 1); next += STEP; }
	CALLED odd(int n) { calls_bare(); if (n > 0) even(n - 1); next += STEP; }

	int
	main(void)
	{
		next = mmap(0, 64 * STEP, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (next == MAP_FAILED)
			return 1;
		even(5);
		touch();
		odd(3);
		return 0;
	}
	END
	echo 'void bare(volatile char *page) { *page = 1; }' >bare.c
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls \
		-c touch.c
	"${CC:-cc}" -O1 -fomit-frame-pointer -c bare.c
	"${CC:-cc}" -o touching touch.o bare.o
}

# touches HOW: the stacks of each touch, in their order, from main on.
touches() {
	perf record -q -e page-faults:u -c 1 --call-graph "$1" -o "$1.data" \
		./touching
	stackcollapse-perf -q --samples "$1.data" | sed -n 's/ 1$//; s/.*;main;//p'
}

@test "frame pointers and copies of stacks give the same functions" {
	cd "$BATS_TEST_TMPDIR"
	touching
	perf record -q -e page-faults:u -c 1 -g -o try ./touching 2>/dev/null ||
		skip "perf may not record here"
	touches fp >chains
	touches dwarf >copies
	[ "$(wc -l <copies)" -eq 11 ]
	[ "$(grep -c ';calls_bare;bare$' copies)" -eq 5 ]
	# Chains lack the callers of functions without a frame on riscv64.
	if [ "$(uname -m)" = riscv64 ]; then
		sed -i 's/calls_bare;bare$/bare/' copies
	fi
	diff -u copies chains >&2
}
