/* fakepython - a program that looks like a CPython that is not supported:
 * "fakepython HEX-VERSION FREE-THREADED [OFFSET-OF-TEXT]".  It says "ready" and
 * waits. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What stacksample looks for; _PyRuntime begins with _Py_DebugOffsets. */
extern uint64_t _PyRuntime[1024], PyCode_Type[64];
extern unsigned long Py_Version;
void _PyEval_EvalFrameDefault(void);

uint64_t _PyRuntime[1024], PyCode_Type[64];
unsigned long Py_Version;

void
_PyEval_EvalFrameDefault(void)
{
	for (;;)
		pause();
}

int
main(int argc, char *argv[])
{
	if (argc != 3 && argc != 4)
		return 2;
	Py_Version = strtoul(argv[1], NULL, 16);
	memcpy(_PyRuntime, "xdebugpy", 8);
	_PyRuntime[1] = Py_Version;
	_PyRuntime[2] = strtoul(argv[2], NULL, 10);
	if (argc == 4)
		_PyRuntime[70] = strtoul(argv[3], NULL, 10);
	puts("ready");
	fflush(stdout);
	_PyEval_EvalFrameDefault();
	return 0;
}
