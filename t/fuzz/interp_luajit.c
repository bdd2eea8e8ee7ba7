/*
 * interp_luajit - LuaJIT in a process whose memory is hostile, as a libFuzzer
 * target.
 *
 * The first byte chooses the layout, the second one which pages can be read,
 * and the next ones the registers.  The rest is the memory, which all addresses
 * wrap around in.  It begins with a lua_State and its global_State, which are
 * made to belong together: or else hardly any input would have frames.
 */
#include "interp_memory.h"

#include "base/mem.h"
#include "interp/luajit_walk.h"

enum { HEAD = 32, STACK = 1024, LEAST = 1024, LARGEST = 65536 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void
put(unsigned char *memory, size_t at, uint64_t value)
{
	memcpy(memory + at, &value, sizeof(value));
}

/* Make the first bytes a state that runs, and return its global_State. */
static uint64_t
make_state(unsigned char *memory, size_t size, const struct luajit_layout *l,
	   uint64_t sp)
{
	const uint64_t main = size, global = main + LUAJIT_STATE_BYTES;
	uint64_t c_frame;

	memory[LUAJIT_TYPE] = LUAJIT_TYPE_THREAD;
	put(memory, LUAJIT_GLOBAL, global);
	put(memory, LUAJIT_STATE_BYTES + l->main, main);
	put(memory, LUAJIT_STATE_BYTES + l->current, main);
	memcpy(&c_frame, memory + LUAJIT_C_FRAME, sizeof(c_frame));
	c_frame = sp + c_frame % STACK / 8 * 8;
	put(memory, LUAJIT_C_FRAME, c_frame);
	if (c_frame % size + LUAJIT_C_BYTES <= size &&
	    c_frame % size > LUAJIT_STATE_BYTES + LUAJIT_GLOBAL_BYTES)
		put(memory, c_frame % size + LUAJIT_C_STATE, main);
	return global;
}

static void
walk_and_name(struct interp_memory *m, const struct luajit_vm *vm,
	      const struct interp_moment *moment)
{
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = m };
	struct interp_functions *names = interp_functions_new();
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	struct buf stack = { 0 };
	size_t layout;
	int i;

	for (i = 0; i < 3; i++) {
		interp_stack_clear(&s);
		interp_copy_begin(&copy, &reader, &spans, moment, &stack,
				  STACK);
		luajit_walk_find(&copy, (const char *)m->data, &layout);
		luajit_walk(vm, &copy, &s);
		interp_copy_end(&copy, &spans);
		if (s.n > INTERP_STACK_DEPTH ||
		    copy.bytes.len > INTERP_COPY_BYTES ||
		    copy.reads > INTERP_COPY_READS)
			abort();
		luajit_functions_name(vm->functions, &reader, names, &s);
		interp_memory_merge(m, &s);
	}
	buf_free(&stack);
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(names);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct arch_registers registers = { .known = 0 };
	struct interp_moment moment = { .registers = &registers };
	struct luajit_vm vm = { .range = { 0x100, 0x300 } };
	struct interp_memory m = { .reads = 0 };
	unsigned char *memory;

	if (size < HEAD + LEAST || size > LARGEST)
		return 0;
	m.size = (size - HEAD) / 8 * 8;
	m.holes = data[1] & data[2];
	memory = mem_alloc(m.size);
	memcpy(memory, data + HEAD, m.size);
	m.data = memory;
	/* rdx, rbx, rbp and the pc */
	registers.value[1] = m.size + data[3] * 8u;
	registers.value[3] = m.size + data[4] * 4u;
	registers.value[6] = m.size + data[5] * 8u;
	moment.pc = data[6] * 4u;
	moment.sp = m.size + 512 + data[7] * 8u;
	if (data[8] % 2 != 0)
		moment.registers = NULL;
	vm.layout = luajit_layout_of(data[0] % LUAJIT_LAYOUTS);
	vm.global = make_state(memory, m.size, vm.layout, moment.sp);
	vm.functions = luajit_functions_new();
	walk_and_name(&m, &vm, &moment);
	luajit_functions_free(vm.functions);
	free(memory);
	return 0;
}
