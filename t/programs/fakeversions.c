/*
 * fakeversions - a program that looks like a Ruby, a PHP, a Perl and a Lua of
 * versions that do not exist; its name decides what it is taken for.  It says
 * "ready" and waits.
 */
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* What stacksample looks for. */
extern const char ruby_version[], php_banner[];
extern const uint8_t PL_revision, PL_version;
extern uint64_t ruby_current_vm_ptr, executor_globals[512], PL_thr_key;
void rb_vm_exec(void);
void execute_ex(void);
void Perl_runops_standard(void);
void lua_callk(void);
void lua_newuserdatauv(void);
void lua_numbertocstring(void);

const char ruby_version[] = "9.9.9";
const char php_banner[] = "X-Powered-By: PHP/9.9.9";
const uint8_t PL_revision = 5, PL_version = 99;
uint64_t ruby_current_vm_ptr, executor_globals[512], PL_thr_key;

void
rb_vm_exec(void)
{
	for (;;)
		pause();
}

void
execute_ex(void)
{
	rb_vm_exec();
}

void
Perl_runops_standard(void)
{
	execute_ex();
}

void
lua_callk(void)
{
	Perl_runops_standard();
}

void
lua_newuserdatauv(void)
{
}

void
lua_numbertocstring(void)
{
}

int
main(void)
{
	puts("ready");
	fflush(stdout);
	lua_callk();
	return 0;
}
