/* golang_find.c - the Go runtime's list of goroutines, found in its data. */
#include "interp/golang_find.h"

#include "base/peek.h"
#include "base/str.h"

/*
 * Stripped programs have no symbols of variables.  But each struct g has its
 * own address among its saved registers, which no other data has; and the wait
 * reasons begin with the same texts in all versions.
 */

enum {
	CHUNK = 65536,
	WORD = 8,
	SLICE = 3 * WORD, /* pointer, length, capacity */
	REASONS = 5,      /* whose lengths are compared */
	HEAD = REASONS * 2 * WORD,
	SEEN = 4 /* goroutines that are checked */
};

#define MAX_DATA (UINT64_C(64) << 20)
#define MAX_GOROUTINES (UINT64_C(1) << 22)

/*
 * Whether goroutines have a state at an offset, and then their ids: the first
 * is 1, and all differ, as neither states nor addresses do.
 */
static bool
have_status(const char g[][GOLANG_SIZE], size_t n, size_t offset)
{
	const uint32_t last = 11, scan = 0x1000;
	uint64_t id[SEEN];
	size_t i, j;

	for (i = 0; i < n; i++) {
		id[i] = peek_u64(g[i], offset + GOLANG_ID);
		if ((peek_u32(g[i], offset) & ~scan) > last ||
		    id[i] - 1 >= UINT32_MAX)
			return false;
		for (j = 0; j < i; j++)
			if (id[j] == id[i])
				return false;
	}
	return n > 0 && id[0] == 1;
}

/* The offset of g.atomicstatus in some goroutines; 0 if it is none of these. */
static size_t
find_status(const char g[][GOLANG_SIZE], size_t n)
{
	static const size_t offsets[] = { 136, 144, 152 };
	size_t i;

	for (i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
		if (have_status(g, n, offsets[i]))
			return offsets[i];
	return 0;
}

/* Check whether a slice is the list of goroutines. */
static bool
check_list(struct interp_copy *memory, const char *slice,
	   struct golang_found *found)
{
	const uint64_t at = peek_u64(slice, 0), n = peek_u64(slice, WORD);
	const uint64_t room = peek_u64(slice, 2 * (size_t)WORD);
	char g[SEEN][GOLANG_SIZE];
	uint64_t address[SEEN];
	size_t i;

	if (at == 0 || at % WORD != 0 || n < SEEN || n > room ||
	    room > MAX_GOROUTINES ||
	    !interp_copy_read(memory, at, address, SEEN * WORD))
		return false;
	for (i = 0; i < SEEN; i++) {
		if (address[i] == 0 || address[i] % WORD != 0 ||
		    !interp_copy_read(memory, address[i], g[i], GOLANG_SIZE) ||
		    peek_u64(g[i], GOLANG_SELF) != address[i] ||
		    peek_u64(g[i], GOLANG_STACK_LOW) >
			peek_u64(g[i], GOLANG_STACK_HIGH))
			return false;
	}
	found->status = find_status((const char(*)[GOLANG_SIZE])g, SEEN);
	return found->status != 0;
}

/* Check whether an array of strings has the wait reasons. */
static bool
check_reasons(struct interp_copy *memory, const char *array)
{
	static const char *const first[REASONS] = { "", "GC assist marking",
						    "IO wait",
						    "chan receive (nil chan)",
						    "chan send (nil chan)" };
	const size_t known = 2;
	char text[16];
	size_t i;

	for (i = 0; i < REASONS; i++)
		if (peek_u64(array, i * 2 * WORD + WORD) != strlen(first[i]))
			return false;
	return interp_copy_read(memory, peek_u64(array, known * 2 * WORD), text,
				strlen(first[known])) &&
	       memcmp(text, first[known], strlen(first[known])) == 0;
}

/* Search a copy of n bytes at an address. */
static void
search(struct interp_copy *memory, const char *copy, size_t n, uint64_t address,
       struct golang_found *found)
{
	size_t i;

	for (i = 0; i + SLICE <= n; i += WORD) {
		if (found->list == 0 && check_list(memory, copy + i, found))
			found->list = address + i;
		if (found->reasons == 0 && i + HEAD <= n &&
		    check_reasons(memory, copy + i))
			found->reasons = address + i;
	}
}

void
golang_find(struct interp_copy *memory, const struct interp_range *data,
	    size_t n, struct golang_found *found)
{
	struct buf chunk = { 0 };
	uint64_t at, left = MAX_DATA;
	size_t i, size;

	*found = (struct golang_found){ 0 };
	buf_reserve(&chunk, CHUNK);
	for (i = 0; i < n; i++) {
		for (at = data[i].start; at < data[i].end && left >= CHUNK;
		     at += CHUNK - HEAD, left -= CHUNK) {
			size = data[i].end - at < CHUNK ?
				   (size_t)(data[i].end - at) :
				   CHUNK;
			if (!interp_copy_read(memory, at, chunk.p, size))
				break;
			search(memory, chunk.p, size, at, found);
			if (found->list != 0 && found->reasons != 0)
				break;
		}
	}
	buf_free(&chunk);
}
