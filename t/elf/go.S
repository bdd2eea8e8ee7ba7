/*
 * go.S - a program with the table of functions that the linker of Go 1.GO, 16,
 * 18 or 20, writes into the section TABLE: main.one calls main.two, which is
 * said to have no caller.
 */
	.section .go.buildinfo, "aw"
	.quad 0
	.section .data.rel.ro, "aw"
	.quad 0xffffff00
	.balign 32
	.section TABLE
table:
#if GO >= 20
	.long 0xfffffff1
#elif GO >= 18
	.long 0xfffffff0
#else
	.long 0xfffffffa
#endif
	.byte 0, 0, 1, 8
	.quad 2, 1
#if GO >= 18
#define ADDRESS(symbol) .long symbol - text
#define OFFSET .long
	.quad text
#else
#define ADDRESS(symbol) .quad symbol
#define OFFSET .quad
#endif
	.quad names - table, 0, 0, steps - table, functions - table
names:	.asciz "main.one"
name:	.asciz "main.(*T[...]).two"
steps:	.byte 0
one:	.byte 2, call - text, 48, return - call, 47, two - return, 0
none:	.byte 2, end - two, 0
functions:
	ADDRESS(text)
	OFFSET first - functions
	ADDRESS(two)
	OFFSET second - functions
	ADDRESS(end)
.macro function name, steps, outermost
	.long \name, 0, 0, \steps - steps, 0, 0, 0, 0
#if GO >= 20
	.long 7
#endif
	.byte 0, \outermost, 0, 0
.endm
first:	ADDRESS(text)
	function 0, one, 0
second:	ADDRESS(two)
	function name-names, none, 1
	.text
	.globl _start
_start:	jmp text
	.balign 16
text:	sub $24, %rsp
call:	call two
	add $24, %rsp
return:	ret
	.balign 16
two:	ret
end:
