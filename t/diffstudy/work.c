/*
 * work - a fixed amount of work in functions of many sizes, with a change that
 * the compiler plants: the program of the study of folddiff's answers.
 *
 *	SLOW=N		scan_words() does N per cent of its work (100)
 *	RENAMED		pack_bits() has another name
 *	MOVED		mix_hash() is called by other_caller()
 *	INLINED		check_sum() is part of its caller
 *	ALLOCATED	every small step allocates and frees
 *	CHECK=N		check_sum() does N per cent of its work (100)
 *	BIG=N		add a function of 30 % that does N per cent of its work
 *
 *	work [THREADS [MILLIONS]]
 */
#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef SLOW
#define SLOW 100
#endif
#ifndef CHECK
#define CHECK 100
#endif
#ifndef BIG
#define BIG 0
#endif
#ifdef RENAMED
#define pack_bits squeeze_bits
#endif
#define NOINLINE __attribute__((noinline, noclone))
#ifdef INLINED
#define MAYBE static inline __attribute__((always_inline))
#else
#define MAYBE static NOINLINE
#endif

enum { STEPS = 24 };

struct state {
	uint64_t seed, sum;
	uint32_t table[4096];
};

static long millions = 1;

/* Some arithmetic with memory, so that n is what it costs. */
#define SPIN(s, n) \
	for (long left = (n); left > 0; left--) { \
		(s)->seed = (s)->seed * 6364136223846793005u + \
			    1442695040888963407u; \
		(s)->table[(s)->seed >> 52] += (uint32_t)(s)->seed; \
	}

static NOINLINE void
scan_words(struct state *s)
{
	SPIN(s, 120 * SLOW);
}

static NOINLINE void
pack_bits(struct state *s)
{
	SPIN(s, 10000);
}

static NOINLINE void
mix_hash(struct state *s)
{
	SPIN(s, 9000);
}

MAYBE void
check_sum(struct state *s)
{
	SPIN(s, 80 * CHECK);
}

static NOINLINE void
verify(struct state *s)
{
	SPIN(s, 4000);
	check_sum(s);
	s->sum++;
}

static NOINLINE void
other_caller(struct state *s)
{
	SPIN(s, 3000);
#ifdef MOVED
	mix_hash(s);
#endif
	s->sum++;
}

static NOINLINE void
first_caller(struct state *s)
{
	SPIN(s, 3000);
#ifndef MOVED
	mix_hash(s);
#endif
	s->sum++;
}

static int
compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static NOINLINE void
sort_some(struct state *s)
{
	uint32_t copy[512];

	memcpy(copy, s->table, sizeof(copy));
	qsort(copy, 512, sizeof(*copy), compare);
	s->sum += copy[7];
}

/* Small steps of different sizes, each a function of its own. */
#ifdef ALLOCATED
static NOINLINE void *
take_memory(struct state *s)
{
	void *volatile p;

	SPIN(s, 60);
	p = malloc(64 + (s->seed >> 60));
	return p;
}
#define ALLOCATE(s) free(take_memory(s))
#else
#define ALLOCATE(s) (void)0
#endif

#define STEP(n) \
	static NOINLINE void step_##n(struct state *s) \
	{ \
		ALLOCATE(s); \
		SPIN(s, 100 + 100 * n); \
		s->sum += n; \
	}
/* clang-format off */
STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8)
STEP(9) STEP(10) STEP(11) STEP(12) STEP(13) STEP(14) STEP(15) STEP(16)
STEP(17) STEP(18) STEP(19) STEP(20) STEP(21) STEP(22) STEP(23) STEP(24)

static NOINLINE void
small_steps(struct state *s)
{
	static void (*const step[STEPS])(struct state *) = {
		step_1, step_2, step_3, step_4, step_5, step_6, step_7,
		step_8, step_9, step_10, step_11, step_12, step_13, step_14,
		step_15, step_16, step_17, step_18, step_19, step_20, step_21,
		step_22, step_23, step_24
	};
	int i;

	for (i = 0; i < STEPS; i++)
		step[i](s);
}
/* clang-format on */

static NOINLINE void
crunch(struct state *s)
{
	SPIN(s, 390 * BIG);
}

static NOINLINE void
read_input(struct state *s)
{
	scan_words(s);
	pack_bits(s);
	s->sum++;
}

static NOINLINE void
answer(struct state *s)
{
	first_caller(s);
	other_caller(s);
	verify(s);
	sort_some(s);
	s->sum++;
}

static void *
run(void *arg)
{
	struct state *s = arg;
	long i;

	for (i = 0; i < millions * 7500; i++) {
		read_input(s);
		answer(s);
		small_steps(s);
		if (BIG > 0)
			crunch(s);
	}
	return NULL;
}

int
main(int argc, char *argv[])
{
	int i, threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t id[64];

	millions = argc > 2 ? atol(argv[2]) : 1;
	if (threads < 1 || threads > 64)
		errx(2, "1 to 64 threads");
	for (i = 0; i < threads; i++) {
		struct state *s = calloc(1, sizeof(*s));

		if (s == NULL || pthread_create(&id[i], NULL, run, s) != 0)
			err(2, "thread");
		s->seed = (uint64_t)i;
	}
	for (i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	return 0;
}
