/*
 * tail.c - functions that end in a jump to another one, to be probed:
 *
 *	cc -O1 -foptimize-sibling-calls -static -nostdlib \
 *	    -fno-stack-protector -o tail tail.c
 */
#define NI __attribute__((noinline, noclone))

static volatile unsigned long sink;

NI void
burn(void)
{
	unsigned long i;

	for (i = 0; i < 1000000; i++)
		sink += i;
}

NI void
last(void)
{
	burn();
	sink++;
}

/* Jumps to last(), which returns where this would. */
NI void
hops(void)
{
	sink++;
	last();
}

/* The same, but its entry is not probed, only its return. */
NI void
lone(void)
{
	burn();
	sink++;
}

NI void
outer(void)
{
	hops();
	sink++;
}

/* Its frame lies where that of outer lay. */
NI void
other(void)
{
	lone();
	sink++;
}

NI int
main(void)
{
	int i;

	for (i = 0; i < 6; i++) {
		outer();
		other();
	}
	return 0;
}

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	call main\n"
	"	mov $60, %eax\n"
	"	xor %edi, %edi\n"
	"	syscall\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	".size _start, . - _start\n");
