/*
 * interp_hotspot - HotSpot in a process whose memory is hostile, as a libFuzzer
 * target.
 *
 * The first byte chooses the version, the second one which pages can be read;
 * eight words of two bytes are registers and variables.  The rest is the
 * memory, which all addresses wrap around in.
 */
#include "hotspot_unwind.h"
#include "interp_memory.h"

#include "interp/hotspot_chunks.h"
#include "interp/hotspot_containers.h"
#include "interp/hotspot_virtual.h"
#include "interp/hotspot_waits.h"
#include "interp/hotspot_walk.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

enum { WORDS = 8, STEP_READS = 200000, LISTED = 2 };

/*
 * Reads of memory for threads, and for the list of them, whose calls have 128
 * threads each: a long list takes most of the time and finds nothing new. Those
 * for the lists of virtual threads.
 */
enum { THREAD_READS = 50, LIST_READS = 7, CONTAINER_READS = 40 };

/* A step and what it reads. */
struct thread {
	struct hotspot_walker w;
	struct interp_memory m;
	struct interp_copy copy;
	struct interp_stack s;
};

/* Offsets that are small, so that objects are in each other. */
static void
make_layout(struct hotspot_layout *l, unsigned char choice)
{
	size_t i;

	for (i = 0; i < HOTSPOT_FIELDS; i++)
		l->field[i] = (struct hotspot_field){
			(uint32_t)(i * (2 + choice % 4) % 64),
			(uint8_t)(1U << (i + choice / 4) % 4), i % 3 == 0
		};
	for (i = 0; i < HOTSPOT_STATICS; i++)
		l->variable[i] = 16 * i;
	for (i = 0; i < HOTSPOT_TYPES; i++)
		l->type[i] = (uint32_t)(8 * (i + 1));
	l->type[HOTSPOT_NMETHOD] = 128;
	l->type[HOTSPOT_CODE_BLOB] = 64;
	l->version = choice & 1 ? 25 : 17;
	l->field[HOTSPOT_NMETHOD_IMMUTABLE].size = choice & 2 ? 8 : 0;
	l->field[HOTSPOT_BLOB_CODE_BEGIN].size = choice & 4 ? 8 : 0;
}

static bool
read_stack(void *arg, uint64_t address, void *to, size_t n)
{
	struct thread *t = arg;
	const struct iovec local = { to, n };
	const struct iovec from = { (void *)(uintptr_t)address, n };

	return interp_memory_read(&t->m, &local, &from, 1) == n;
}

static enum unwind_vm
step(void *arg, struct unwind_vm_frame *f)
{
	struct thread *t = arg;

	return hotspot_walk_step(&t->w, &t->copy, &t->s, f);
}

static void
unwind_and_name(struct thread *t, const uint16_t *word,
		const struct interp_reader *reader)
{
	struct unwind_thread thread = { .read = read_stack,
					.step_vm = step,
					.arg = t };
	uint64_t wide[WORDS];
	struct interp_functions *functions = interp_functions_new();
	struct hotspot_scopes scopes;
	struct hotspot_blob blob = { .metadata = word[1],
				     .metadata_size = word[2],
				     .pcs = word[3],
				     .pcs_size = word[4],
				     .scopes = word[5],
				     .scopes_size = word[6] };
	size_t i;

	for (i = 0; i < WORDS; i++)
		wide[i] = word[i];
	interp_stack_clear(&t->s);
	interp_copy_begin(&t->copy, reader, NULL, NULL, NULL, 0);
	hotspot_unwind(&thread, wide, WORDS);
	if (t->s.n > INTERP_STACK_DEPTH || t->copy.reads > INTERP_COPY_READS)
		abort();
	scopes = hotspot_scopes_find(&t->w.scopes, t->w.l, &t->copy, &blob,
				     word[7], word[0] & 1);
	if (scopes.n > HOTSPOT_SCOPES_MAX)
		abort();
	for (i = 0; i < t->s.n; i++) {
		hotspot_methods_function(t->w.methods, &t->copy, functions,
					 t->s.frame[i].code, HOTSPOT_TIER_TOP);
		hotspot_methods_line(t->w.methods, &t->copy, t->s.frame[i].code,
				     t->s.frame[i].ip);
	}
	hotspot_methods_function(t->w.methods, &t->copy, functions, word[1],
				 HOTSPOT_TIER_TOP);
	hotspot_methods_line(t->w.methods, &t->copy, word[1], word[2]);
	interp_memory_merge(&t->m, &t->s);
	interp_functions_free(functions);
}

/* Names of threads, and what they wait for; their objects are hostile, too. */
static void
read_threads(struct thread *t, const uint16_t *word,
	     const struct interp_reader *reader)
{
	struct hotspot_objects objects;
	struct hotspot_threads threads = { .tries = 0 };
	struct hotspot_waits waits = { .known = NULL };
	struct hotspot_wait_query q = { .l = t->w.l, .memory = &t->copy };
	struct interp_list list = { .n = 0 };
	struct interp_wait wait = { .owner = 0 };
	struct buf name = { 0 };
	size_t i;

	interp_copy_begin(&t->copy, reader, NULL, NULL, NULL, 0);
	t->copy.max_reads = LIST_READS;
	hotspot_threads_list(t->w.l, &t->copy, &list);
	interp_copy_begin(&t->copy, reader, NULL, NULL, NULL, 0);
	t->copy.max_reads = THREAD_READS;
	if (hotspot_objects_read(&objects, t->w.l, &t->copy))
		threads.objects = objects;
	/* Offsets that no description of a class leads to. */
	objects.thread_blocker = word[2] % 64;
	objects.thread_block = word[3] % 64;
	objects.reference = word[4] & 1 ? 4 : 8;
	objects.length = word[4] & 2 ? 8 : word[4] & 4 ? 12 : 16;
	q.objects = word[5] & 1 ? NULL : &objects;
	q.method = word[5] & 2 ? STR("jdk/internal/misc/Unsafe.park") :
				 STR("java/lang/Thread.sleep0");
	for (i = 0; i < list.n && i < LISTED; i++) {
		hotspot_threads_name(&threads, t->w.l, &t->copy,
				     &list.thread[i], &name);
		q.thread = list.thread[i].block;
		hotspot_waits_find(&waits, &q, &wait);
	}
	q.thread = word[6];
	hotspot_waits_find(&waits, &q, &wait);
	if (t->copy.reads > 2 * THREAD_READS)
		abort();
	buf_free(&wait.object);
	buf_free(&name);
	free(list.thread);
	hotspot_waits_free(&waits);
}

/* The memory, for a number of reads: lists may be as long as limits allow. */
static size_t
read_some(void *arg, const struct iovec *to, const struct iovec *from, size_t n)
{
	struct interp_memory *m = arg;

	return m->reads < CONTAINER_READS ? interp_memory_read(m, to, from, n) :
					    0;
}

/* Containers of virtual threads: sets of sets, whose nodes are hostile. */
static void
read_containers(struct thread *t, const uint16_t *word,
		const struct hotspot_objects *objects)
{
	struct interp_memory m = { t->m.data, t->m.size, t->m.holes, 0 };
	const struct interp_reader reader = { .read = read_some, .arg = &m };
	struct hotspot_containers *all = hotspot_containers_new(t->w.l);
	const uint64_t *thread;
	size_t i, n;

	hotspot_containers_assume(all, 8 + word[6] / 8 * 8);
	interp_copy_begin(&t->copy, &reader, NULL, NULL, NULL, 0);
	thread = hotspot_containers_read(all, objects, &t->copy, 1, &n);
	for (i = 0; i < n; i++)
		if (thread[i] % 8 != 0 || (i > 0 && thread[i] <= thread[i - 1]))
			abort();
	hotspot_containers_free(all);
}

/* Virtual threads: lists of them, and frames in the heap. */
static void
read_virtual(struct thread *t, const uint16_t *word,
	     const struct interp_reader *reader)
{
	const struct hotspot_objects objects = { .reference = word[4] & 1 ? 4 :
									    8,
						 .length = word[4] & 2 ? 8 :
							   word[4] & 4 ? 12 :
									 16,
						 .elements = 16 };
	const size_t n = t->m.size / 8 * 8;
	struct hotspot_chunk chunk = { .bytes = (const char *)t->m.data };
	struct hotspot_virtual *all = hotspot_virtual_new(&t->w);
	struct hotspot_virtual_thread thread;
	int i;

	read_containers(t, word, &objects);
	hotspot_virtual_begin(all, &objects, reader, 1);
	for (i = 0; i < LISTED && hotspot_virtual_next(all, &t->s, &thread);)
		i++;
	hotspot_virtual_free(all);
	chunk.sp = word[5] / 8 * 8 + HOTSPOT_CHUNKS_BELOW;
	chunk.end = chunk.sp - HOTSPOT_CHUNKS_BELOW + n;
	interp_stack_clear(&t->s);
	interp_copy_begin(&t->copy, reader, NULL, NULL, NULL, 0);
	hotspot_chunks_walk(&t->w, &t->copy, &t->s, &chunk);
	if (t->s.n > INTERP_STACK_DEPTH)
		abort();
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	uint16_t word[WORDS];
	struct hotspot_layout l = { .version = 0 };
	struct thread t = { .m = { .reads = 0 } };
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = &t.m };

	if (size < 2 + sizeof(word) + 64)
		return 0;
	memcpy(word, data + 2, sizeof(word));
	make_layout(&l, data[0]);
	t.m.holes = data[1];
	t.m.data = data + 2 + sizeof(word);
	t.m.size = size - 2 - sizeof(word);
	t.w.l = &l;
	t.w.code = hotspot_code_new(&l);
	t.w.methods = hotspot_methods_new(&l);
	t.w.stubs = intern_new();
	unwind_and_name(&t, word, &reader);
	unwind_and_name(&t, word, &reader);
	read_threads(&t, word, &reader);
	if (t.m.reads > STEP_READS)
		abort();
	read_virtual(&t, word, &reader);
	hotspot_code_free(t.w.code);
	hotspot_methods_free(t.w.methods);
	hotspot_scopes_free(&t.w.scopes);
	intern_free(t.w.stubs);
	interp_stack_free(&t.s);
	interp_copy_free(&t.copy);
	return 0;
}
