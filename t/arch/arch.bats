#!/usr/bin/env bats
# arch.bats - recordings of other machines, against gdb.
#
# Programs are built by a cross compiler and run under qemu-user and gdb, which
# gives their registers and stacks at some places, as perf would record them, and
# the stacks that it finds itself.

load ../helper

setup() {
	need_process_side
	need_native
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p root/bin
	emulator_pid=
}

teardown() {
	[ -z "$emulator_pid" ] || kill -KILL "$emulator_pid" 2>/dev/null || :
	wait 2>/dev/null || :
}

@test "registers that a signal saved are where the kernel declares them" {
	run -0 "$top_builddir/t/arch/sigframe"
	[ -z "$output" ]
}

# A compiler's code, since what is written by hand may have data in between.
@test "instructions of x86-64 have the lengths that objdump gives them" {
	local file

	command -v objdump >/dev/null || skip "no objdump"
	file=$(readlink -f "$(command -v bash)")
	objdump -f "$file" | grep -q x86-64 || skip "no program of x86-64 here"
	objdump -d --insn-width=15 -j .text "$file" |
		awk -F'\t' 'NF > 2 && $3 !~ /bad/ { print $2 }' | sort -u >code
	run -0 "$top_builddir/t/arch/lengths" <code
	[ "$output" = "$(wc -l <code) 0" ]
	[ "$(wc -l <code)" -gt 10000 ]
}

# machine NAME: what is needed for it.
machine() {
	debugger=gdb-multiarch emulator=qemu-$1 compiler=$1-linux-gnu-gcc
	binutils=$1-linux-gnu- word=8 sp=sp name=$1
	case $1 in
	riscv64)
		registers='pc ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7
			s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6'
		mask=0xffffffff
		restore='la ra, restorer; tail on_signal;
			nop; restorer: li a7, 139; ecall'
		;;
	aarch64)
		registers=$(printf 'x%d ' {0..30})'sp pc'
		mask=0x1ffffffff
		restore='adr x30, restorer; b on_signal;
			nop; restorer: mov x8, 139; svc 0'
		;;
	i386)
		debugger=gdb emulator='' compiler="${CC:-cc} -m32"
		binutils='' word=4 sp=esp name=x86_64
		registers='eax ebx ecx edx esi edi ebp esp eip'
		mask=0x1ff
		# shellcheck disable=SC2016 # of the assembler
		restore='movl $restorer,(%esp); jmp on_signal;
			nop; restorer: pop %eax; mov $119,%eax; int $0x80'
		[ "$(uname -m)" = x86_64 ] ||
			skip "programs of i386 run on x86-64 only"
		;;
	esac
	command -v "$debugger" >/dev/null || skip "no $debugger"
	[ -z "$emulator" ] || command -v "$emulator" >/dev/null ||
		skip "no $emulator"
	echo 'int main(void) { return 0; }' >try.c
	# shellcheck disable=SC2086 # words
	$compiler -static -o try try.c 2>/dev/null ||
		skip "$compiler makes no programs"
}

# Callbacks of the C library, a large frame, a frame whose size is known at run
# time, a leaf, and a signal that returns by code without an unwind table.
program() {
	cat >program.c <<-END
	#include <signal.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>

	#define CALLED __attribute__((noinline, used))
	static volatile int sink;
	void handler(int number);

	CALLED int
	leaf(int n)
	{
		volatile int one = n;

		__asm__ volatile("in_leaf: .globl in_leaf; nop");
		return one + sink;
	}
	CALLED static void
	on_signal(int number)
	{
		sink += leaf(number);
		_exit(0);
	}
	__asm__(".text; .globl handler; handler: $(tr -s "\n\t" "  " <<<"$restore")");
	CALLED static void
	variable(size_t n)
	{
		volatile char room[n];

		memset((char *)room, 1, n);
		sink += leaf(room[n / 2]);
		__asm__ volatile("" ::: "memory");
		*(volatile int *)8 = sink;
		sink += room[0];
	}
	CALLED static int
	compare(const void *a, const void *b)
	{
		static int times;

		sink += leaf(times);
		if (times++ == 1)
			variable(sink % 7 + 100);
		return memcmp(a, b, 1);
	}
	CALLED static void
	sort(void)
	{
		volatile char room[20000];
		char text[] = "cab";

		room[sink] = 1;
		qsort(text, 3, 1, compare);
		sink += room[0] + text[0];
	}
	int
	main(void)
	{
		signal(SIGSEGV, handler);
		sort();
		return sink;
	}
	END
	# shellcheck disable=SC2086 # words
	$compiler -O2 -static -no-pie -fno-pie -fno-optimize-sibling-calls "$@" \
		-o root/bin/program program.c
}

# For gdb: print a sample at each stop for t/mkperf, and the stack there.
write_script() {
	cat >script.py <<-END
	import gdb

	word, registers = $word, """$registers""".split()
	mask = (1 << word * 8) - 1
	memory = gdb.selected_inferior()
	samples = open("samples", "w")
	stacks = open("theirs", "w")

	def copy(sp):
	    for size in range(32768, 0, -512):
	        try:
	            return bytes(memory.read_memory(sp, size))
	        except gdb.MemoryError:
	            pass

	def fields(numbers):
	    return " ".join("8:%#x" % n for n in numbers)

	def sample(frame):
	    values = [int(frame.read_register(r)) & mask for r in registers]
	    stack = copy(int(frame.read_register("$sp")) & mask)
	    words = [int.from_bytes(stack[i:i + 8], "little")
	             for i in range(0, len(stack), 8)]
	    # Of each: IP, TID, TIME, CALLCHAIN, REGS_USER, STACK_USER.
	    print("9 2", fields([frame.pc()]), "4:7 4:7", fields([1, 0, word // 4]),
	          fields(values), fields([len(stack)]), fields(words),
	          fields([len(stack)]), file=samples)

	def name(frame):
	    return "[signal]" if frame.type() == gdb.SIGTRAMP_FRAME else frame.name()

	gdb.execute("set backtrace past-main on")
	gdb.execute("handle SIGSEGV nostop noprint pass")
	if "$emulator":
	    gdb.execute("target remote :$port")
	    gdb.execute("break *in_leaf")
	else:
	    gdb.execute("break *in_leaf")
	    gdb.execute("run")
	while gdb.selected_thread() and gdb.selected_thread().is_valid():
	    frame = gdb.newest_frame()
	    if frame.name() == "leaf":
	        sample(frame)
	        stack = []
	        while frame is not None:
	            stack.insert(0, str(name(frame)))
	            frame = frame.older()
	        print(";".join(stack), file=stacks)
	    gdb.execute("continue")
	END
}

# Clones have numbers behind their names, and aliases have underscores.
plain() {
	sed -E 's/\.(part|constprop|isra)(\.[0-9]+)?//g; s/(^|;)_+/\1/g'
}

# record: the program in root/bin, into "data", and gdb's stacks into "theirs".
record() {
	local port=$((20000 + RANDOM % 20000))

	write_script
	if [ -n "$emulator" ]; then
		"$emulator" -g $port root/bin/program 3>&- &
		emulator_pid=$!
		sleep 1
	fi
	timeout 60 "$debugger" -nx -batch -ex 'source script.py' \
		root/bin/program >said 2>&1 || :
	[ "$(wc -l <theirs)" -ge 3 ] || skip "gdb cannot run it: $(tail -n 1 said)"
	{
		echo "64 0 4:1 4:128 8:0 8:1 8:0x3027 8:0 8:0x40000 32:0 8:$mask 4:32768 36:0"
		echo "80 0 8:6 4:64 64:'$name"
		readelf -lW root/bin/program | awk -v quote="'" '/LOAD.* R E / {
			print "1 2 4:7 4:7 8:" $3 " 8:" $6 " 8:" $2 \
				" 32:" quote "/bin/program 4:7 4:7 8:0"
		}'
		cat samples
	} | "$top_builddir/t/programs/mkperf" >data
	plain <theirs >theirs.plain
	stackcollapse-perf -q --samples --root none --symfs root data |
		sed -n 's/ 1$//p' | grep -v '^#' | plain >ours.plain
}

# same_stacks ROOT: stacks are those gdb has, and that of the signal goes on
# behind its return; all begin with ROOT.
same_stacks() {
	record
	diff <(grep -v on_signal theirs.plain) \
		<(sed 's/^\[truncated\];//' ours.plain | grep -v on_signal)
	grep -q "^$1;.*;sort;.*;compare;leaf\$" ours.plain
	grep -q "^$1;.*;sort;.*;compare;variable;leaf\$" ours.plain
	grep -q "^$1;.*;sort;.*;compare;variable;restorer;on_signal;leaf\$" ours.plain
}

@test "riscv64 is unwound by tables" {
	machine riscv64
	# Its compiler makes tables only where it is told to.
	program -fasynchronous-unwind-tables
	same_stacks start
}

@test "riscv64 is unwound by frame pointers" {
	machine riscv64
	program -fno-omit-frame-pointer -fno-asynchronous-unwind-tables
	same_stacks start
}

@test "aarch64 is unwound by tables" {
	machine aarch64
	program
	same_stacks start
}

@test "32-bit programs of x86-64 are unwound by tables" {
	machine i386
	program
	same_stacks start
}

@test "32-bit programs of x86-64 are unwound by frame pointers" {
	machine i386
	program -fno-omit-frame-pointer -fno-asynchronous-unwind-tables
	# main() aligns its stack, which a frame pointer does not tell of.
	same_stacks '\[truncated\];libc_start_call_main'
}

# same_plt FLAG...: PLT entries of a program have the names objdump gives them.
same_plt() {
	echo 'int main(void) { return puts("") + printf(""); }' >plt.c
	# shellcheck disable=SC2086 # words
	$compiler -w -O1 -fno-builtin "$@" -o plt plt.c
	"${binutils}objdump" -d -j .plt -j .plt.sec -j .plt.got plt 2>/dev/null |
		sed -n 's/^0*\([0-9a-f]*\) <\([^*>]*@plt\)>:/\1 \2/p' |
		sort -u >theirs
	"$top_builddir/t/elf/elfsyms" plt |
		sed -n 's/^0*\([0-9a-f]*\) [0-9a-f]* \(.*@plt\)$/\1 \2/p' |
		sort -u >ours
	[ "$(wc -l <theirs)" -ge 2 ]
	diff theirs ours
}

@test "PLT entries of riscv64 are named" {
	machine riscv64
	same_plt -Wl,-z,lazy
	same_plt -Wl,-z,now
}

@test "PLT entries of i386 are named" {
	machine i386
	same_plt -Wl,-z,lazy
	same_plt -Wl,-z,now
	same_plt -no-pie -fno-pie -Wl,-z,lazy
}
