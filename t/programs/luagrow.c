/*
 * luagrow - LuaJIT stopped while a stack of values grows.  It says "ready" and
 * computes for ever in the allocator ("old"), or where LuaJIT changes its state
 * afterwards ("new"); "none": this machine has no LuaJIT that can be used.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char program[] =
    "local many = {}\n"
    "for i = 1, 200 do many[i] = i end\n"
    "local function leaf() grow() local n = select('#', unpack(many)) return n "
    "end\n"
    "local function inner() local n = leaf() return n end\n"
    "local function outer() local n = coroutine.wrap(inner)() return n end\n"
    "outer()\n";

/* What free() leaves in a block is not what was there. */
enum { PAGE = 4096, FREED = 48 };

/* The interface of LuaJIT, as far as it is used. */
static struct {
	void *(*newstate)(void *(*allocate)(void *, void *, size_t, size_t),
			  void *arg);
	void (*openlibs)(void *state);
	int (*loadbuffer)(void *state, const char *text, size_t n,
			  const char *name);
	void (*pushcclosure)(void *state, int (*function)(void *), int n);
	void (*setfield)(void *state, int index, const char *name);
	void (*call)(void *state, int arguments, int results);
} lua;

static bool grows, is_new;
static volatile bool never;

static void
compute(void)
{
	puts("ready");
	fflush(stdout);
	while (!never)
		;
}

static void
on_fault(int n)
{
	(void)n;
	compute();
}

/* A block whose bytes from n on cannot be written. */
static void *
guarded(size_t n)
{
	const size_t size = (n + PAGE - 1) / PAGE * PAGE;
	char *p = mmap(NULL, size + PAGE * PAGE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, size, PROT_READ | PROT_WRITE) != 0)
		abort();
	return p + size - n;
}

/* Move the stack of values, which is the first block to grow. */
static void *
move(void *old, size_t n)
{
	void *volatile block = guarded(n);

	memcpy(block, old, n);
	memset(old, 0x5a, FREED);
	if (!is_new)
		compute();
	return block;
}

static void *
allocate(void *arg, void *old, size_t old_size, size_t size)
{
	(void)arg;
	if (grows && old != NULL && size > old_size)
		return move(old, old_size);
	if (size > 0)
		return realloc(old, size);
	free(old);
	return NULL;
}

static int
grow(void *state)
{
	(void)state;
	grows = true;
	return 0;
}

static void
load(void *library, const char *name, void *function)
{
	void *address = dlsym(library, name);

	if (address == NULL)
		abort();
	memcpy(function, &address, sizeof(address));
}

static void *
start(void)
{
	void *library = dlopen("libluajit-5.1.so.2", RTLD_NOW);

	if (library == NULL)
		return NULL;
	load(library, "lua_newstate", &lua.newstate);
	load(library, "luaL_openlibs", &lua.openlibs);
	load(library, "luaL_loadbuffer", &lua.loadbuffer);
	load(library, "lua_pushcclosure", &lua.pushcclosure);
	load(library, "lua_setfield", &lua.setfield);
	load(library, "lua_call", &lua.call);
	/* A build without LJ_GC64 uses its own allocator only. */
	return lua.newstate(allocate, NULL);
}

int
main(int argc, char *argv[])
{
	const int globals = -10002;
	void *state = start();

	if (argc != 2 || state == NULL) {
		puts("none");
		return 0;
	}
	is_new = strcmp(argv[1], "new") == 0;
	signal(SIGSEGV, on_fault);
	lua.openlibs(state);
	lua.pushcclosure(state, grow, 0);
	lua.setfield(state, globals, "grow");
	if (lua.loadbuffer(state, program, strlen(program), "@grow.lua") != 0)
		abort();
	lua.call(state, 0, 0);
	return 1;
}
