/*
 * probed.c - functions that call themselves and each other, to be probed:
 *
 *	cc -O1 -static -nostdlib -fno-stack-protector -o probed probed.c
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
inner(int n)
{
	burn();
	sink += (unsigned long)n;
}

/* Its entry is not probed, only its return. */
NI void
lone(void)
{
	burn();
	sink++;
}

NI void
probed(int n)
{
	volatile char room[40];

	room[n & 31] = (char)n;
	if (n > 0)
		probed(n - 1);
	else
		inner(n);
	sink += (unsigned long)room[1];
}

NI void
outer(int n)
{
	probed(n);
	burn();
	sink++;
}

/* Its frame lies where that of inner lay. */
NI void
other(int n)
{
	probed(n);
	lone();
	sink++;
}

NI int
main(void)
{
	int i;

	for (i = 0; i < 6; i++) {
		outer(2);
		other(0);
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
