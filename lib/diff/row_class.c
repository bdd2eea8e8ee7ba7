/* row_class.c - which rows are kernel, interrupt or JIT code. */
#include "diff/row_class.h"

#include "base/mem.h"
#include "folded/folded.h"

#include <stdlib.h>

/* An interrupt row has at least this share of samples in the kernel. */
#define INTERRUPT_KERNEL 0.8

/* A JIT function has more than this share of its samples in JIT code. */
#define MOSTLY_JIT 0.9

/* What the name of a frame says; callees inherit it. */
enum {
	IN_KERNEL = 1,    /* "_[k]", or below a known entry of the kernel */
	IN_INTERRUPT = 2, /* an interrupt, or the scheduler */
	IN_JIT = 4        /* "_[j]", or a tier of a virtual machine */
};

/* The names of a group; a trailing '*' stands for any rest. */
struct name_group {
	int flag;
	const char *const *name;
};

static const char *const entries[] = { "entry_SYSCALL_64*", "asm_exc_*",
				       "asm_sysvec_*",      "el0t_64_*",
				       "el1h_64_*",         NULL };

static const char *const interrupts[] = { "asm_sysvec_*",
					  "sysvec_*",
					  "asm_common_interrupt",
					  "common_interrupt",
					  "irq_exit*",
					  "__irq_exit*",
					  "handle_softirqs",
					  "__do_softirq",
					  "do_softirq",
					  "schedule",
					  "__schedule",
					  "ret_from_fork*",
					  "el0_irq*",
					  "el1_irq*",
					  "el0t_64_irq*",
					  "el1h_64_irq*",
					  NULL };

static const char *const tiers[] = {
	"JS:*",
	"LazyCompile:*",
	"Builtins_*",
	"Builtin:*",
	"BytecodeHandler:*", /* the same, in maps and jitdumps */
	"Interpreter",
	NULL
};

static const struct name_group groups[] = { { IN_KERNEL, entries },
					    { IN_INTERRUPT, interrupts },
					    { IN_JIT, tiers } };

static bool
matches(struct str name, const char *pattern)
{
	struct str p = str_of(pattern);

	if (!str_ends(p, STR("*")))
		return str_eq(name, p);
	p.len--;
	return str_starts(name, p);
}

/* The flags that a name sets. */
static int
name_flags(struct str frame)
{
	char suffix;
	struct str name = folded_frame_name(frame, &suffix);
	int flags = suffix == 'k' ? IN_KERNEL : suffix == 'j' ? IN_JIT : 0;
	size_t i, k;

	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		for (k = 0; groups[i].name[k] != NULL; k++) {
			if (matches(name, groups[i].name[k]))
				flags |= groups[i].flag;
		}
	}
	return flags;
}

/* The flags of each frame's own name, indexed by frame. */
static uint8_t *
own_flags(const struct sample_matrix *m)
{
	const struct comparison *c = m->comparison;
	uint32_t i, n = intern_size(c->names);
	uint8_t *by_name = mem_zero(n, 1), *own = mem_zero(m->frames, 1);

	for (i = 0; i < n; i++)
		by_name[i] = (uint8_t)name_flags(intern_name(c->names, i));
	for (i = 1; i < m->frames; i++)
		own[i] = by_name[c->trie.frame[i].name];
	free(by_name);
	return own;
}

/* The flags of each frame with those of its callers, indexed by frame. */
static uint8_t *
inherit(const struct sample_matrix *m, const uint8_t *own)
{
	const struct trie_frame *frame = m->comparison->trie.frame;
	uint8_t *all = mem_zero(m->frames, 1);
	uint32_t i;

	/* Callees come after their callers. */
	for (i = 1; i < m->frames; i++) {
		all[i] = (uint8_t)(own[i] | all[frame[i].parent]);
		/* Only in the kernel are these names interrupts. */
		if (!(all[i] & IN_KERNEL))
			all[i] &= (uint8_t)~IN_INTERRUPT;
	}
	return all;
}

/* Sum the samples, by row, of the stacks whose leaf has a flag. */
static double *
sum_flagged(const struct sample_matrix *m, const uint8_t *all, int flag,
	    double share[2])
{
	double *column = mem_zero(m->rows, sizeof(*column)), sum[2] = { 0, 0 };
	double total[2], samples;
	size_t i, k;

	for (i = 0; i < m->comparison->n; i++) {
		const struct replicate *run = &m->comparison->run[i];

		for (k = 0; k < run->n; k++) {
			if (!(all[run->weight[k].frame] & flag))
				continue;
			samples = run->weight[k].n / m->exposure->quantum[i];
			column[run->weight[k].frame] += samples;
			sum[run->side] += samples;
		}
	}
	sample_matrix_add_up(m, column);
	sample_matrix_sum(m, 0, total);
	for (i = BEFORE; i <= AFTER; i++)
		share[i] = total[i] > 0 ? sum[i] / total[i] : 0;
	return column;
}

static void
find_interrupts(struct row_class *c, const struct sample_matrix *m,
		const uint8_t *all)
{
	double *samples = sum_flagged(m, all, IN_INTERRUPT, c->interrupt_share);
	double n[2];
	uint32_t row;

	c->interrupt = mem_zero(m->rows, sizeof(*c->interrupt));
	for (row = 1; row < m->rows; row++) {
		sample_matrix_sum(m, row, n);
		c->interrupt[row] = c->kernel[row] > INTERRUPT_KERNEL &&
				    2 * samples[row] > n[BEFORE] + n[AFTER];
	}
	free(samples);
}

static void
find_jit(struct row_class *c, const struct sample_matrix *m, const uint8_t *own,
	 const uint8_t *all)
{
	double share[2], total[2], n[2];
	double *samples = sum_flagged(m, all, IN_JIT, share);
	uint32_t i;

	c->jit = mem_zero(m->rows, sizeof(*c->jit));
	for (i = 1; i < m->frames; i++) {
		c->jit[i] = (all[i] & IN_JIT) != 0;
		if (own[i] & IN_JIT)
			c->jit[m->frames + m->function_of[i]] = true;
	}
	/* A function that only JIT code calls is as its frames are. */
	for (i = m->frames; i < m->rows; i++) {
		sample_matrix_sum(m, i, n);
		c->jit[i] |= samples[i] > MOSTLY_JIT * (n[BEFORE] + n[AFTER]);
	}
	free(samples);
	sample_matrix_sum(m, 0, total);
	c->jit_share = (share[BEFORE] * total[BEFORE] +
			share[AFTER] * total[AFTER]) /
		       (total[BEFORE] + total[AFTER]);
}

void
row_class_init(struct row_class *c, const struct sample_matrix *m)
{
	uint8_t *own = own_flags(m), *all = inherit(m, own);
	double n[2];
	uint32_t row;

	*c = (struct row_class){ 0 };
	c->kernel = sum_flagged(m, all, IN_KERNEL, c->kernel_share);
	c->has_kernel = c->kernel[0] > 0;
	for (row = 0; row < m->rows; row++) {
		sample_matrix_sum(m, row, n);
		if (n[BEFORE] + n[AFTER] > 0)
			c->kernel[row] /= n[BEFORE] + n[AFTER];
	}
	find_interrupts(c, m, all);
	find_jit(c, m, own, all);
	free(own);
	free(all);
}

void
row_class_free(struct row_class *c)
{
	free(c->kernel);
	free(c->interrupt);
	free(c->jit);
}
