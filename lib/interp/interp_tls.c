/* interp_tls.c - the thread-local storage of threads of a running process. */
#include "interp/interp_tls.h"

/* Read at most so much to find the thread pointer of one thread. */
enum { BLOCK = 65536, MAX_BLOCKS = 256 };

/* Fields of glibc's tcbhead_t on x86-64. */
enum { SELF = 0, DTV = 8, SELF_AGAIN = 16 };

/* A slot of the DTV: a pointer, and one to free. */
enum { SLOT = 16 };

enum { MAX_MODULES = 4096 };

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

uint32_t
interp_tls_tid_offset(const struct interp_target *target,
		      const struct interp_reader *reader)
{
	const uint32_t usual = 720, most = 4096;
	struct interp_symbol symbol = { "_thread_db_pthread_tid", 0, 0 };
	struct str file;
	uint32_t word[3];
	size_t i;

	for (i = 0; i < target->n; i++) {
		file = interp_binary_name(target->map[i].path);
		if (target->map[i].offset == 0 &&
		    (str_starts(file, STR("libc.so")) ||
		     str_starts(file, STR("libc-")) ||
		     str_starts(file, STR("libpthread"))) &&
		    interp_binary_find(target, i, &symbol, 1, NULL, NULL) &&
		    symbol.address != 0)
			break;
	}
	/* The third word of the descriptor is the offset. */
	if (symbol.address == 0 ||
	    !read_memory(reader, symbol.address, word, sizeof(word)) ||
	    word[2] > most)
		return usual;
	return word[2];
}

/* Whether address is a thread pointer, by the two words that point to it. */
static bool
is_thread(const struct interp_reader *reader, uint32_t tid_offset,
	  uint64_t address)
{
	uint64_t again;
	uint32_t tid;

	return read_memory(reader, address + SELF_AGAIN, &again,
			   sizeof(again)) &&
	       again == address &&
	       read_memory(reader, address + tid_offset, &tid, sizeof(tid)) &&
	       tid == (uint32_t)interp_reader_inner(reader);
}

/* Search a part of the memory; blocks counts what is read. */
static uint64_t
search(const struct interp_reader *reader, uint32_t tid_offset, uint64_t start,
       uint64_t end, int *blocks)
{
	uint64_t word[BLOCK / sizeof(uint64_t)];
	size_t i, n;

	for (; start < end && *blocks < MAX_BLOCKS; start += n) {
		n = end - start < BLOCK ? (size_t)(end - start) : BLOCK;
		++*blocks;
		if (!read_memory(reader, start, word, n))
			return 0;
		for (i = 0; i < n / sizeof(*word); i += 2) {
			if (word[i + SELF] == start + i * sizeof(*word) &&
			    is_thread(reader, tid_offset, word[i + SELF]))
				return word[i + SELF];
		}
	}
	return 0;
}

uint64_t
interp_tls_find(const struct interp_target *target,
		const struct interp_reader *reader, uint32_t tid_offset,
		uint64_t sp)
{
	const uint64_t small = 1 << 20;
	const struct proc_map *m;
	uint64_t found;
	size_t i;
	int blocks = 0;

	/* A thread has it at the top of its stack, */
	for (i = 0; i < target->n && sp != 0; i++) {
		m = &target->map[i];
		if (sp < m->start || sp >= m->end ||
		    str_eq(m->path, STR("[stack]")))
			continue;
		found = search(reader, tid_offset, sp & ~UINT64_C(15), m->end,
			       &blocks);
		if (found != 0)
			return found;
	}
	/* and the first one in memory of the dynamic linker, or in the heap. */
	for (i = 0; i < target->n; i++) {
		m = &target->map[i];
		if (m->inode != 0 || m->prot.len < 2 || m->prot.p[1] != 'w' ||
		    (m->path.len > 0 && !str_eq(m->path, STR("[heap]"))))
			continue;
		found = search(reader, tid_offset, m->start,
			       m->end - m->start < small ? m->end :
							   m->start + small,
			       &blocks);
		if (found != 0)
			return found;
	}
	return 0;
}

static uint64_t
u64_at(struct interp_copy *memory, uint64_t address)
{
	uint64_t n;

	return interp_copy_get(memory, address, &n, sizeof(n), sizeof(n)) ? n :
									    0;
}

uint64_t
interp_tls_modules(struct interp_copy *memory, uint64_t thread_pointer)
{
	const uint64_t dtv = u64_at(memory, thread_pointer + DTV);
	const uint64_t n = dtv == 0 ? 0 : u64_at(memory, dtv - SLOT);

	return n < MAX_MODULES ? n : MAX_MODULES;
}

uint64_t
interp_tls_block(struct interp_copy *memory, uint64_t thread_pointer,
		 uint64_t module)
{
	const uint64_t dtv = u64_at(memory, thread_pointer + DTV);
	const uint64_t not_allocated = UINT64_MAX;
	uint64_t block;

	if (dtv == 0 || module == 0 || module > MAX_MODULES)
		return 0;
	block = u64_at(memory, dtv + module * SLOT);
	return block == not_allocated ? 0 : block;
}
