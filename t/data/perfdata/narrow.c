/* narrow - a 32-bit program without a C library; riscv64 runs it as well. */
#define CALLED __attribute__((noinline, used)) static

static volatile int sink;

CALLED void
leaf(int n)
{
	__asm__ volatile("in_leaf: .globl in_leaf; nop");
	while (n-- > 0)
		sink += n;
}

/* The size of the frame is known at run time only. */
CALLED int
variable(unsigned n)
{
	volatile char room[n];

	room[n / 2] = 1;
	leaf(room[n / 2] * 100000);
	return room[n / 2];
}

CALLED int
recurse(int n)
{
	int r = n == 0 ? variable(100u + (sink & 1)) : recurse(n - 1);

	leaf(r);
	return r + 1;
}

CALLED int
large(int n)
{
	volatile char room[600];

	room[n] = 1;
	return recurse(n) + room[n];
}

void begin(void);

void
begin(void)
{
	int i;

	for (i = 0; i < TIMES; i++)
		sink += large(3);
#ifdef __i386__
	__asm__ volatile("int $0x80" : : "a"(1), "b"(0));
#else
	register long a7 __asm__("a7") = 93, a0 __asm__("a0") = 0;
	__asm__ volatile("ecall" : : "r"(a7), "r"(a0));
#endif
}

#ifdef __i386__
__asm__(".text; .globl _start; .type _start, @function; _start:"
	".cfi_startproc; .cfi_undefined eip; call begin; nop; .cfi_endproc;"
	".size _start, . - _start");
#else
__asm__(".text; .globl _start; .type _start, @function; _start:"
	".cfi_startproc; .cfi_undefined ra; call begin; nop; .cfi_endproc;"
	".size _start, . - _start");
#endif
