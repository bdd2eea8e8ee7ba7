/* block_variance.c - how much the blocks of two runs differ. */
#include "diff/block_variance.h"

#include "base/mem.h"

#include <stdlib.h>

/* Blocks of a run: 16, 32 and 64 give nearly the same answers. */
#define BLOCKS 16

/* Samples that a run needs to be cut into blocks. */
#define MIN_SAMPLES 400

/* A weight of a run, to sort by time. */
struct timed {
	uint64_t time;
	size_t place; /* in the run */
};

static int
by_time(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* The weights of a run, sorted by time; NULL if one has no time. */
static struct timed *
sort_weights(const struct replicate *run)
{
	struct timed *t = mem_zero(run->n, sizeof(*t));
	size_t i;

	for (i = 0; i < run->n; i++) {
		t[i] = (struct timed){ run->weight[i].time, i };
		if (t[i].time == 0) {
			free(t);
			return NULL;
		}
	}
	qsort(t, run->n, sizeof(*t), by_time);
	return t;
}

/*
 * The block of each weight of a run, or NULL.  Weights of one time, such as
 * those of a snapshot, stay in one block.
 */
static uint8_t *
find_blocks(const struct replicate *run, double quantum)
{
	struct timed *t = run->total < MIN_SAMPLES * quantum ?
			      NULL :
			      sort_weights(run);
	uint8_t *block;
	size_t i, end, times = 0;
	double seen = 0, n;

	if (t == NULL)
		return NULL;
	block = mem_zero(run->n, 1);
	for (i = 0; i < run->n; i = end, seen += n, times++) {
		n = 0;
		for (end = i; end < run->n && t[end].time == t[i].time; end++)
			n += run->weight[t[end].place].n;
		for (; i < end; i++)
			block[t[i].place] = (uint8_t)(BLOCKS * (seen + n / 2) /
						      run->total);
	}
	free(t);
	if (times >= BLOCKS)
		return block;
	free(block);
	return NULL;
}

/* Sum the samples of one block of a run, by row. */
static void
fill(const struct sample_matrix *m, size_t k, const uint8_t *block, uint8_t at,
     double *column)
{
	const struct replicate *run = &m->comparison->run[k];
	size_t i;

	memset(column, 0, m->rows * sizeof(*column));
	for (i = 0; i < run->n; i++) {
		if (block[i] == at)
			column[run->weight[i].frame] += run->weight[i].n /
							m->exposure->quantum[k];
	}
	sample_matrix_add_up(m, column);
}

/* A row: its samples in a block, and in all blocks. */
struct cell {
	double n, all;
};

/*
 * Add the chi squared of a block against the run: the row has all of total
 * samples, and the block is part of the total.
 */
static double
chi_squared(struct cell c, double part, double total)
{
	double mean = c.all * part / total,
	       variance = mean * (1 - c.all / total);

	return variance > 1e-9 * mean ? (c.n - mean) * (c.n - mean) / variance :
					0;
}

/* Sums over the blocks, by row. */
struct block_sums {
	double *square;   /* squared difference of the sides */
	double *variance; /* its expected value by chance */
	double *chi[2];   /* chi squared within each side */
};

/* Add the block in which the runs have x[row] and y[row] samples. */
static void
add_block(struct block_sums *s, const struct sample_matrix *m, const double *x,
	  const double *y)
{
	const double *a = m->column[0], *b = m->column[1];
	double n, q, d;
	uint32_t row;

	if (!(x[0] > 0) || !(y[0] > 0))
		return;
	for (row = 1; row < m->rows; row++) {
		if (!(a[row] > 0) || !(b[row] > 0))
			continue;
		/* The share of x that is expected: a / (a + b) if blocks are
		 * equal. */
		q = a[row] / a[0] * x[0];
		q /= q + b[row] / b[0] * y[0];
		n = x[row] + y[row];
		d = x[row] - n * q;
		s->square[row] += d * d;
		s->variance[row] += n * q * (1 - q);
		s->chi[0][row] += chi_squared((struct cell){ x[row], a[row] },
					      x[0], a[0]);
		s->chi[1][row] += chi_squared((struct cell){ y[row], b[row] },
					      y[0], b[0]);
	}
}

static void
finish(struct block_variance *v, const struct block_sums *s,
       const struct sample_matrix *m)
{
	const double *a = m->column[0], *b = m->column[1];
	const double n = BLOCKS;
	uint32_t row;

	for (row = 1; row < m->rows; row++) {
		v->aligned[row] = 1;
		if (s->variance[row] > 0)
			v->aligned[row] = n / (n - 1) * s->square[row] /
					  s->variance[row];
		if (a[row] + b[row] > 0)
			v->within[row] = (s->chi[0][row] * a[row] +
					  s->chi[1][row] * b[row]) /
					 (a[row] + b[row]) / (n - 1);
	}
}

static void
measure(struct block_variance *v, const struct sample_matrix *m,
	uint8_t *const block[2])
{
	struct block_sums s;
	double **array[] = { &s.square, &s.variance, &s.chi[0], &s.chi[1] };
	double *x = mem_zero(m->rows, sizeof(*x));
	double *y = mem_zero(m->rows, sizeof(*y));
	size_t i;
	uint8_t k;

	for (i = 0; i < sizeof(array) / sizeof(*array); i++)
		*array[i] = mem_zero(m->rows, sizeof(**array[i]));
	v->aligned = mem_zero(m->rows, sizeof(*v->aligned));
	v->within = mem_zero(m->rows, sizeof(*v->within));
	for (k = 0; k < BLOCKS; k++) {
		fill(m, 0, block[0], k, x);
		fill(m, 1, block[1], k, y);
		add_block(&s, m, x, y);
	}
	finish(v, &s, m);
	for (i = 0; i < sizeof(array) / sizeof(*array); i++)
		free(*array[i]);
	free(x);
	free(y);
}

bool
block_variance_measure(struct block_variance *v, const struct sample_matrix *m)
{
	const struct comparison *c = m->comparison;
	uint8_t *block[2] = { NULL, NULL };
	size_t i;

	for (i = 0; c->n == 2 && i < 2; i++)
		block[i] = find_blocks(&c->run[i], m->exposure->quantum[i]);
	v->measured = block[0] != NULL && block[1] != NULL;
	if (v->measured)
		measure(v, m, block);
	free(block[0]);
	free(block[1]);
	return v->measured;
}

void
block_variance_free(struct block_variance *v)
{
	free(v->aligned);
	free(v->within);
}
