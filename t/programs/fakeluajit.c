/* fakeluajit - a program that looks like a LuaJIT without LJ_GC64 on x86-64,
 * which is not supported.  It says "ready" and waits. */
#include <stdio.h>
#include <unistd.h>

/* What stacksample looks for. */
int luaJIT_setmode(void);
int lua_status(const void *state);

int
luaJIT_setmode(void)
{
	return lua_status("a status");
}

#if defined(__x86_64__)
__asm__(".text\n"
	".globl lua_status\n"
	".type lua_status, @function\n"
	"lua_status: movzbl 7(%rdi), %eax\n"
	"ret\n"
	".size lua_status, . - lua_status\n");
#else
int
lua_status(const void *state)
{
	return ((const unsigned char *)state)[7];
}
#endif

int
main(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
