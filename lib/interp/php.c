/* php.c - PHP, the Zend engine. */
#include "interp/php.h"

#include "interp/php_walk.h"

#include "base/mem.h"

#include <stdlib.h>

struct php {
	int64_t pid;
	const struct php_layout *layout;
	struct interp_ranges loops;
	struct interp_jit jit;
	/*
	 * zend_executor_globals: the address; or of a thread-safe build, ZTS,
	 * the offset in a block whose address each thread has at an offset from
	 * its thread pointer.
	 */
	uint64_t globals;
	bool threads;
	int64_t slot;
	uint64_t sapi; /* sapi_globals, in the same way; 0: not wanted */
	struct php_functions *functions;
	struct php_calls calls; /* scratch */
};

static bool
may_be(struct str file)
{
	return str_search(file, STR("php")) != NULL;
}

static bool
read_memory(const struct interp_reader *reader, uint64_t address, void *to,
	    size_t n)
{
	struct interp_copy copy = { 0 };
	bool ok;

	interp_copy_begin(&copy, reader, NULL, NULL, NULL, 0);
	ok = interp_copy_read(&copy, address, to, n);
	interp_copy_free(&copy);
	return ok;
}

/* The version. */

/* What all servers of PHP send to clients, in the constants of the file. */
static const struct str banner = { "X-Powered-By: PHP/", 18 };

/* "8.2" */
static bool
parse_version(struct str s, unsigned *major, unsigned *minor)
{
	if (s.len < 3 || s.p[0] < '0' || s.p[0] > '9' || s.p[1] != '.' ||
	    s.p[2] < '0' || s.p[2] > '9')
		return false;
	*major = (unsigned)(s.p[0] - '0');
	*minor = (unsigned)(s.p[2] - '0');
	return true;
}

/* Find the version in memory from start to before end. */
static bool
search_version(const struct interp_reader *reader, uint64_t start, uint64_t end,
	       unsigned *major, unsigned *minor)
{
	enum { STEP = 65536, OVERLAP = 32 };
	char *bytes = mem_alloc(STEP + OVERLAP);
	const char *p;
	size_t n;
	bool found = false;

	for (; start < end && !found; start += STEP) {
		n = end - start < STEP + OVERLAP ? (size_t)(end - start) :
						   STEP + OVERLAP;
		if (!read_memory(reader, start, bytes, n))
			break;
		p = memmem(bytes, n, banner.p, banner.len);
		found = p != NULL &&
			parse_version(str_range(p + banner.len, bytes + n),
				      major, minor);
	}
	free(bytes);
	return found;
}

static bool
find_version(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, unsigned *major,
	     unsigned *minor)
{
	const uint64_t most = 64 << 20;
	const struct proc_map *m = &target->map[map], *own = m;

	for (; m < target->map + target->n; m++) {
		if (m->end - m->start <= most && m->prot.p[0] == 'r' &&
		    m->prot.p[1] == '-' && !proctext_is_code(m) &&
		    str_eq(m->path, own->path) &&
		    search_version(reader, m->start, m->end, major, minor))
			return true;
	}
	return false;
}

/* Thread-safe builds. */

/*
 * Where threads have the address of their block, _tsrm_ls_cache.  The function
 * that returns this offset begins with one instruction that loads it: a mov
 * from the global offset table, or of a constant where it was linked
 * statically.
 */
static bool
find_slot(const struct interp_reader *reader, uint64_t function, int64_t *slot)
{
	enum { MOV_LOAD = 0x8b, MOV_CONSTANT = 0xc7, SIZE = 7 };
	unsigned char code[16];
	int32_t n;
	size_t i;

	if (function == 0 || !read_memory(reader, function, code, sizeof(code)))
		return false;
	for (i = 0; i + SIZE <= sizeof(code); i++) {
		memcpy(&n, code + i + 3, sizeof(n));
		if ((code[i] & 0xfb) != 0x48)
			continue;
		if (code[i + 1] == MOV_LOAD && (code[i + 2] & 0xc7) == 0x05)
			return read_memory(
			    reader, function + i + SIZE + (uint64_t)(int64_t)n,
			    slot, sizeof(*slot));
		if (code[i + 1] == MOV_CONSTANT &&
		    (code[i + 2] & 0xf8) == 0xc0) {
			*slot = n;
			return true;
		}
	}
	return false;
}

/* Opening. */

enum { GLOBALS, GLOBALS_OFFSET, SLOT_CODE, SAPI, SAPI_OFFSET, SYMBOLS };

/* Find the globals; false with a reason. */
static bool
find_globals(struct php *php, const struct interp_symbol *symbol,
	     const struct interp_reader *reader, const char **why)
{
	php->globals = symbol[GLOBALS].address;
	if (php->globals != 0)
		return true;
	php->threads = true;
	*why = "the storage of its threads cannot be found";
	return symbol[GLOBALS_OFFSET].address != 0 &&
	       read_memory(reader, symbol[GLOBALS_OFFSET].address,
			   &php->globals, sizeof(php->globals)) &&
	       find_slot(reader, symbol[SLOT_CODE].address, &php->slot);
}

/* Find what servers know of the request, if they have it. */
static void
find_sapi(struct php *php, const struct interp_symbol *symbol,
	  const struct interp_reader *reader)
{
	if (!php->threads)
		php->sapi = symbol[SAPI].address;
	else if (symbol[SAPI_OFFSET].address == 0 ||
		 !read_memory(reader, symbol[SAPI_OFFSET].address, &php->sapi,
			      sizeof(php->sapi)))
		php->sapi = 0;
}

/*
 * Find the code of opcache's JIT, which is in memory that processes share.  It
 * runs in the frame of execute_ex(), if gcc has compiled PHP: that frame has
 * room for it, ZEND_VM_HYBRID_JIT_RED_ZONE_SIZE.
 */
static void
find_jit(const struct interp_target *target, struct php *php)
{
	/* The rules of execute_ex() are the same after its first bytes. */
	const uint64_t body = 64;
	const struct proc_map *m = target->map;
	struct interp_ranges *loops = &php->loops;
	size_t i;

	for (i = 0; i < target->n && loops->n < INTERP_BINARY_RANGES;
	     i++, m++) {
		if (!proctext_is_code(m) || m->prot.p[3] != 's' ||
		    !str_eq(m->path, STR("/dev/zero (deleted)")))
			continue;
		php->jit.code = (struct interp_range){ m->start, m->end };
		php->jit.like = loops->range[0].start + body;
		loops->range[loops->n++] = php->jit.code;
		return;
	}
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	struct interp_symbol symbol[SYMBOLS] = {
		[GLOBALS] = { "executor_globals", 0, 0 },
		[GLOBALS_OFFSET] = { "executor_globals_offset", 0, 0 },
		[SLOT_CODE] = { "tsrm_get_ls_cache_tcb_offset", 0, 0 },
		[SAPI] = { "sapi_globals", 0, 0 },
		[SAPI_OFFSET] = { "sapi_globals_offset", 0, 0 },
	};
	struct php php = { .pid = target->pid }, *found;
	const char *reason = "its version is not supported";
	unsigned major = 0, minor = 0;

	if (!interp_binary_find(target, map, symbol, SYMBOLS, "execute_ex",
				&php.loops) ||
	    php.loops.n == 0)
		return NULL;
	if (!find_version(target, map, reader, &major, &minor)) {
		buf_str(why, STR("PHP: its version is unknown"));
		return NULL;
	}
	php.layout = php_layout_of(major, minor);
	if (php.layout == NULL ||
	    !find_globals(&php, symbol, reader, &reason)) {
		buf_printf(why, "PHP %u.%u: %s", major, minor, reason);
		return NULL;
	}
	if (target->with_requests)
		find_sapi(&php, symbol, reader);
	find_jit(target, &php);
	found = mem_zero(1, sizeof(*found));
	*found = php;
	found->functions = php_functions_new(found->layout);
	return found;
}

static void
close_runtime(void *runtime)
{
	struct php *php = runtime;

	php_functions_free(php->functions);
	free(php->calls.call);
	free(php);
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct php *php = runtime;

	return &php->loops;
}

static const struct interp_jit *
find_jit_code(const void *runtime)
{
	const struct php *php = runtime;

	return php->jit.like == 0 ? NULL : &php->jit;
}

/* Threads: only the main one executes PHP, unless the build is thread-safe. */

static bool
find_block(const struct php *php, struct interp_copy *memory, int64_t tid,
	   uint64_t *block)
{
	const uint64_t pointer = memory->moment.thread_pointer;
	uint64_t base;

	*block = 0;
	if (!php->threads) {
		if (tid == php->pid)
			*block = php->globals;
	} else if (pointer != 0 &&
		   interp_copy_get(memory, pointer + (uint64_t)php->slot, &base,
				   sizeof(base), sizeof(base)) &&
		   base != 0) {
		*block = base + php->globals;
	}
	return *block != 0;
}

static void
root(void *runtime, struct interp_copy *memory, struct interp_listed *thread)
{
	find_block(runtime, memory, thread->tid, &thread->block);
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	/* The scratch memory and the cache are not the runtime's. */
	struct php *php = (struct php *)(uintptr_t)runtime;
	uint64_t block;

	if (!find_block(php, copy, thread->tid, &block) ||
	    block != thread->block)
		return false;
	php_walk(php->functions, &php->calls, copy, block, s);
	if (php->sapi != 0)
		php_walk_request(php->functions, copy,
				 block - php->globals + php->sapi, s);
	return true;
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct php *php = runtime;

	php_functions_name(php->functions, reader, functions, s);
}

const struct interp_language php_language = {
	.may_be = may_be,
	.open = open_runtime,
	.close = close_runtime,
	.loops = loops,
	.jit = find_jit_code,
	.root = root,
	.walk = walk,
	.find_names = find_names,
};
